"""What lesson 22 says about several seeds: answers to questions and what is forgotten for them; rewards, KL
penalty, GRPO, DPO, rejection sampling; reward hacking.

The parts take one to five minutes each on a free core, after the model of lesson 14. Each prints a row for
each run, and stops with an AssertionError where the lesson says something else. With seeds it prints their
rows only.
"""

import functools
import json
import math
import random

from helpers.course.lessons.lesson_22_answers import (
    all_facts,
    fraction_right,
    loss_on_stories,
    new_stories,
    tune_on_answers,
    with_new_words,
)
from helpers.course.lessons.lesson_22_tuning import (
    chosen_and_rejected,
    dpo,
    draw_names,
    imitate,
    measure_names,
    reinforce,
    spell_name,
    written_names,
)
from helpers.course.state.names_task import course_text, read_lines
from helpers.course.training.loop import train_course_model
from helpers.course.training.stories import stories_model
from helpers.parameters import single_precision, tree_map
from helpers.preferences import group_advantages
from helpers.training import encode, train_val_test_split

from . import told

SEEDS, MORE_SEEDS = (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6, 7, 8)
BETA = 0.3


def course_model():
    """Lesson 14's model, as lesson 22 starts from it, and its test set."""
    model = train_course_model()
    model["parameters"] = tree_map(single_precision, model["parameters"])
    documents = [encode(line, model["vocab"]) for line in read_lines("names.txt")]
    ninth = len(documents) // 9
    training, _, test_set = train_val_test_split(documents, ninth, ninth, random.Random(1))
    assert training == course_text()[0]
    return model, test_set


def span(values, form):
    """The least and the greatest of some values as the lesson writes them."""
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


# --- answers to questions

TUNINGS = {
    "masked loss": {},
    "loss of all tokens": {"masked": False},
    "masked loss, and a story in each step": {"old": new_stories(400, seed=9)},
}


def answers(seeds=None):
    """With a mask and a story in each step, all answers are right; without the mask, some."""
    some, (known, held_out) = new_stories(), all_facts()
    for way, settings in TUNINGS.items():
        rows = []
        for seed in seeds or SEEDS:
            tuned = tune_on_answers(with_new_words(stories_model(), seed), known, seed=seed, **settings)
            rows.append((fraction_right(tuned, held_out), loss_on_stories(tuned, some)))
            print(json.dumps([way, seed, rows[-1]]), flush=True)
        if seeds:
            continue
        right, losses = (span(column, ".2f") for column in zip(*rows))
        if way == "loss of all tokens":
            told(f"the five runs answer {right} of the questions")
        else:
            assert right == "1.00"
        if way.endswith("a story in each step"):
            told(f"one story in each step keeps the loss on stories at {losses}")


# --- names


def ends_in_a(name):
    return float(name.endswith("a"))


def own_good_names(model, seed):
    """Those of 960 names of the model that end in a: as many names as 60 steps of 16 draw."""
    names = draw_names(model["config"], model["parameters"], 960, random.Random(seed))
    return [name for name in names if ends_in_a(spell_name(name, model["vocab"]))]


def trained(model, way, seed):
    """(the parameters that a way of training gives, what was seen meanwhile)."""
    if way == "DPO":
        return dpo(model, *chosen_and_rejected(model, ends_in_a, seed=seed), BETA, seed=seed)
    if way == "rejection sampling":
        return imitate(model, own_good_names(model, seed), seed=seed), []
    return reinforce(model, ends_in_a, seed=seed, **WAYS[way])


WAYS = {
    "DPO": {},
    "REINFORCE": {},
    "REINFORCE, KL penalty": {"beta": BETA},
    "GRPO's advantages": {"normalize": group_advantages},
    "rejection sampling": {},
}
COLUMNS = {"different": ".0f", "letters": ".1f", "ends in a": ".2f", "end after a": ".2f"}


def table_row(way, rows):
    cells = [span([100 * row["reward"] for row in rows], ".0f") + " %"]
    cells += [span([row[name] for row in rows], form) for name, form in COLUMNS.items()]
    return f"{way} | " + " | ".join(cells)


def names(way, seeds=None):
    """A row of the lesson's table, and that of the model as it was trained."""
    model, test_set = course_model()
    before, rows = measure_names(model, model["parameters"], ends_in_a, test_set), []
    for seed in seeds or MORE_SEEDS:
        parameters, seen = trained(model, way, seed)
        row = measure_names(model, parameters, ends_in_a, test_set)
        del row["texts"]
        if way == "DPO":
            row |= {"first": seen[0], "last": seen[-1]}
        rows.append(row)
        print(json.dumps([way, seed, row]), flush=True)
    if seeds:
        return
    told(table_row("as trained", [before]))
    told(table_row(way, rows))
    if way == "DPO":
        chosen, rejected = ([row["last"][i] for row in rows] for i in (1, 2))
        lost, gained = span([-x for x in rejected], ".1f"), span(chosen, ".1f")
        told(
            f"the rejected names lost {lost} nats, and the chosen ones changed by {gained}".replace(
                "-", "\u2212"
            )
        )
        assert all(abs(row["first"][0] - math.log(2)) < 1e-12 for row in rows)


# --- reward hacking


def how_many_a(name):
    return float(name.count("a"))


def hacked(model, reward, steps, seed):
    """A row about a model that was trained on a reward that it can exploit."""
    parameters, _ = reinforce(model, reward, group_advantages, steps=steps, seed=seed)
    texts = written_names(model, parameters)
    most = max(set(texts), key=texts.count)
    return {
        "reward": sum(map(reward, texts)) / len(texts),
        "different": len(set(texts)),
        "longest": sum(text.endswith("\u2026") for text in texts),
        "most": most,
        "times": texts.count(most),
        "some": texts[:12],
    }


def hacking(reward, steps, seeds=None):
    model, _ = course_model()
    rows = []
    for seed in seeds or SEEDS:
        rows.append(hacked(model, reward, steps, seed))
        print(json.dumps([reward.__name__, seed, rows[-1]]), flush=True)
    if seeds:
        return
    assert all(row["longest"] > 280 for row in rows)


PARTS = {
    "answers": answers,
    "dpo": functools.partial(names, "DPO"),
    "reinforce": functools.partial(names, "REINFORCE"),
    "kl": functools.partial(names, "REINFORCE, KL penalty"),
    "grpo": functools.partial(names, "GRPO's advantages"),
    "rejection": functools.partial(names, "rejection sampling"),
    "letters_a": functools.partial(hacking, how_many_a, 45),
}
