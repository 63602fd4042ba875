"""What lesson 22 says about five seeds: rewards, KL penalty, GRPO, DPO, supervised training; reward hacking;
answers to questions.

    python tests/benchmarks/told_in_lesson_22.py [SEED ...]

Five minutes on a free core. Prints a row for each run, and stops with an AssertionError where the lesson
says something else. With seeds it prints their rows only.
"""

import pathlib
import random
import sys

HOME = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests")]

from published import PUBLISHED  # noqa: E402

from helpers.course.lessons.names_model import course_text, read_lines  # noqa: E402
from helpers.course.lessons.rewards import (  # noqa: E402
    dpo,
    draw_names,
    imitate,
    liked_and_disliked,
    measure_names,
    reinforce,
    single_precision,
    spell,
    written_names,
)
from helpers.course.lessons.training_loop import train_course_model  # noqa: E402
from helpers.preferences import group_advantages  # noqa: E402
from helpers.training import encode, train_val_test_split  # noqa: E402

SEEDS = (1, 2, 3, 4, 5)
LINES = set(read_lines("names.txt"))


def course_model():
    """Lesson 14's model, as lesson 22 starts from it, and its test set."""
    model = train_course_model()
    model["parameters"] = single_precision(model["parameters"])
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
    return [name for name in names if ends_in_a(spell(name, model["vocab"]))]


WAYS = {
    "REINFORCE": lambda model, seed: reinforce(model, ends_in_a, seed=seed)[0],
    "with a KL penalty": lambda model, seed: reinforce(model, ends_in_a, beta=0.1, seed=seed)[0],
    "GRPO's advantage": lambda model, seed: reinforce(
        model, ends_in_a, advantages=group_advantages, seed=seed
    )[0],
    "DPO": lambda model, seed: dpo(model, *liked_and_disliked(model, ends_in_a, seed=seed), seed=seed)[0],
    "supervised": lambda model, seed: imitate(model, own_good_names(model, seed), seed=seed),
}


def how_many_a(name):
    return float(name.count("a"))


def stands_in_file(name):
    return float(name in LINES)


if __name__ == "__main__":
    asked = [int(seed) for seed in sys.argv[1:]]
    model, test_set = course_model()
    print("as trained", measure_names(model, model["parameters"], ends_in_a, test_set), flush=True)
    rows = {name: [] for name in WAYS}
    for seed in asked or SEEDS:
        for name, way in WAYS.items():
            rows[name].append(measure_names(model, way(model, seed), ends_in_a, test_set))
            print(seed, name, rows[name][-1], flush=True)
        liked, disliked = liked_and_disliked(model, ends_in_a, seed=seed)
        seen = dpo(model, liked, disliked, seed=seed)[1]
        print(seed, "DPO, losses and gains", seen[0], seen[-1], len(liked), len(disliked), flush=True)
        for reward, steps in ((how_many_a, 45), (stands_in_file, 100)):
            parameters, _ = reinforce(model, reward, steps, group_advantages, seed=seed)
            texts = written_names(model, parameters)
            share = sum(map(reward, texts)) / len(texts)
            print(seed, reward.__name__, share, len(set(texts)), " ".join(texts[:20]), flush=True)
