"""What lesson 22 says about five seeds: rewards, KL penalty, GRPO, DPO, the control; reward hacking; answers
to questions.

Five minutes on a free core. Prints a row for each run, and stops with an AssertionError where the lesson
says something else. With seeds it prints their rows only.
"""

import json
import math
import random

from helpers.course.lessons.lesson_22_answers import (
    all_facts,
    fraction_right,
    tune_on_answers,
    with_new_words,
)
from helpers.course.lessons.lesson_22_tuning import (
    dpo,
    draw_names,
    imitate,
    liked_and_disliked,
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

SEEDS = (1, 2, 3, 4, 5)
LINES = set(read_lines("names.txt"))


def course_model():
    """Lesson 14's model, as lesson 22 starts from it, and its test set."""
    model = train_course_model()
    model["parameters"] = tree_map(single_precision, model["parameters"])
    documents = [encode(line, model["vocab"]) for line in read_lines("names.txt")]
    ninth = len(documents) // 9
    training, _, test_set = train_val_test_split(documents, ninth, ninth, random.Random(1))
    assert training == course_text()[0]
    return model, test_set


def ends_in_a(name):
    return float(name.endswith("a"))


def own_good_names(model, seed):
    """Those of 960 names of the model that end in a: as many names as 60 steps of 16 draw."""
    names = draw_names(model["config"], model["parameters"], 960, random.Random(seed))
    return [name for name in names if ends_in_a(spell_name(name, model["vocab"]))]


def trained(model, way, seed):
    """(the parameters that a way of training gives, what was seen meanwhile)."""
    if way == "DPO":
        return dpo(model, *liked_and_disliked(model, ends_in_a, seed=seed), seed=seed)
    if way == "control":
        return imitate(model, own_good_names(model, seed), seed=seed), []
    return reinforce(model, ends_in_a, seed=seed, **WAYS[way])


WAYS = {
    "REINFORCE": {},
    "KL penalty": {"beta": 0.1},
    "GRPO's advantage": {"advantages": group_advantages},
    "DPO": {},
    "control": {},
}
COLUMNS = {"different": ".0f", "letters": ".1f", "ends in a": ".2f"}


def how_many_a(name):
    return float(name.count("a"))


def stands_in_file(name):
    return float(name in LINES)


def hacked(model, reward, steps, seed):
    """A row about a model that was trained on a reward that it can exploit."""
    parameters, _ = reinforce(model, reward, steps, group_advantages, seed=seed)
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


def answers(seed):
    """Fractions of right answers about known facts and held-out ones."""
    known, held_out = all_facts()
    tuned = tune_on_answers(with_new_words(stories_model(), seed=seed), known, seed=seed)
    return {"known": fraction_right(tuned, known[:64]), "held out": fraction_right(tuned, held_out)}


def span(values, form):
    """The least and the greatest of some values as the lesson writes them."""
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def table_row(way, rows):
    cells = [span([100 * row["reward"] for row in rows], ".0f") + " %"]
    cells += [span([row[name] for row in rows], form) for name, form in COLUMNS.items()]
    return f"{way} | " + " | ".join(cells)


def compare_with_the_lesson(found):
    """found is {way: rows of the seeds}."""
    for way in ("as trained", *WAYS):
        told(table_row(way, found[way]))
    liked, disliked = ([row["last"][i] for row in found["DPO"]] for i in (1, 2))
    lost, gained = span([-x for x in disliked], ".1f"), span(liked, ".1f")
    told(f"had lost {lost} nats at the last step, and the liked ones gained {gained}")
    assert all(abs(row["first"][0] - math.log(2)) < 1e-12 for row in found["DPO"])
    kept, control, plain = (found[way] for way in ("KL penalty", "control", "REINFORCE"))
    assert all(row["different"] > 290 for row in [*kept, *control])
    start = found["as trained"][0]["ends in a"]
    assert all(row["ends in a"] < start for row in [*kept, *control])
    assert all(row["ends in a"] > start and row["letters"] < 5 for row in plain)


def main(seeds=None):
    model, test_set = course_model()
    found = {"as trained": [measure_names(model, model["parameters"], ends_in_a, test_set)]}
    for seed in seeds or SEEDS:
        for way in WAYS:
            parameters, seen = trained(model, way, seed)
            row = measure_names(model, parameters, ends_in_a, test_set)
            if way == "DPO":
                row |= {"first": seen[0], "last": seen[-1]}
            found.setdefault(way, []).append(row)
            print(json.dumps([way, seed, row]), flush=True)
    if not seeds:
        compare_with_the_lesson(found)
    for seed in seeds or SEEDS:
        print(json.dumps(["answers", seed, answers(seed)]), flush=True)
        for reward, steps in ((how_many_a, 45), (stands_in_file, 100)):
            row = hacked(model, reward, steps, seed)
            found.setdefault(reward.__name__, []).append(row)
            print(json.dumps([reward.__name__, seed, row]), flush=True)
    if not seeds:
        assert all(row["longest"] > 280 for row in found["how_many_a"])
        rows = found["stands_in_file"]
        different = span([row["different"] for row in rows], ".0f")
        told(f"300 names of the model contain only {different} different ones")
        assert sorted(row["most"] for row in rows) == ["ana", "ara", "ara", "ara", "ara"]
