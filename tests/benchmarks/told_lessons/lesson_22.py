"""What lesson 22 says about several seeds: answers to questions, what is forgotten for them, and DPO.

The parts take one to five minutes each on a free core, after the model of lesson 14. Each prints a row for
each run, and stops with an AssertionError where the lesson says something else. With seeds it prints their
rows only.
"""

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
from helpers.course.lessons.lesson_22_tuning import chosen_and_rejected, dpo, measure_names
from helpers.course.state.names_task import course_text, read_lines
from helpers.course.training.loop import train_course_model
from helpers.course.training.stories import stories_model
from helpers.parameters import single_precision, tree_map
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
    "half of the learning rate": {"lr": 0.002, "steps": 400},
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
        if way == "half of the learning rate":
            told(f"with half of it and twice the steps, the loss on stories is {losses}")
        if way.endswith("a story in each step"):
            told(f"one story in each step keeps the loss on stories at {losses}")


# --- names


def ends_in_a(name):
    return float(name.endswith("a"))


COLUMNS = {"different": ".0f", "letters": ".1f", "ends in a": ".2f", "end after a": ".2f"}


def table_row(way, rows):
    cells = [span([100 * row["reward"] for row in rows], ".0f") + " %"]
    cells += [span([row[name] for row in rows], form) for name, form in COLUMNS.items()]
    return f"{way} | " + " | ".join(cells)


def names(way, train, seeds=None):
    """What each run has seen; a row of the table in lesson 22b, and that of the model as it was trained.

    train(model, seed) gives the parameters and what was seen.
    """
    model, test_set = course_model()
    before, rows, history = measure_names(model, model["parameters"], ends_in_a, test_set), [], []
    for seed in seeds or MORE_SEEDS:
        parameters, seen = train(model, seed)
        row = measure_names(model, parameters, ends_in_a, test_set)
        del row["texts"]
        rows.append(row)
        history.append(seen)
        print(json.dumps([way, seed, row]), flush=True)
    if not seeds:
        told(table_row("as trained", [before]))
        told(table_row(way, rows))
    return history


def on_pairs(model, seed):
    return dpo(model, *chosen_and_rejected(model, ends_in_a, seed=seed), BETA, seed=seed)


def preferences(seeds=None):
    """DPO's row, and how the log-probabilities of the chosen and of the rejected names change."""
    history = names("DPO", on_pairs, seeds)
    if seeds:
        return
    chosen, rejected = ([seen[-1][i] for seen in history] for i in (1, 2))
    lost, gained = span([-x for x in rejected], ".1f"), span(chosen, ".1f").replace("-", "\u2212")
    told(f"the rejected names lost {lost} nats, and the chosen ones changed by {gained}")
    assert all(abs(seen[0][0] - math.log(2)) < 1e-12 for seen in history)


PARTS = {"answers": answers, "dpo": preferences}
