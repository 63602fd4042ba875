"""What lesson 20b says about five seeds: the accuracy of the vision transformer and of the linear classifier.

    python tests/benchmarks/told_in_lesson_20b.py

Trains ten models, about a minute on a free core, and stops where the lesson says something else.
"""

import pathlib
import random
import sys

HOME = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests")]

from published import PUBLISHED  # noqa: E402

from helpers import cut_patches, picture_forward  # noqa: E402
from helpers.course.lessons.pictures import (  # noqa: E402
    accuracy,
    draw_digits,
    start_linear,
    start_pictures,
    train_pictures,
)

SEEDS = (1, 2, 3, 4, 5)
TEST, LARGE = draw_digits(200, random.Random(77)), draw_digits(1000, random.Random(78))
ORDER = [2, 0, 3, 1]


def told(sentence):
    print(sentence)
    assert sentence in PUBLISHED, "the lesson says something else"


def reordered(parameters):
    """The accuracy with the patches in another order and the positions as they were."""
    right = 0
    for picture, digit in zip(*TEST, strict=True):
        patches = cut_patches(picture, 4)
        scores = picture_forward(parameters, [patches[i] for i in ORDER], 2)["scores"]
        right += scores.index(max(scores)) == digit
    return right / len(TEST[1])


def without_attention(parameters):
    name = "attn.c_proj.weight"
    zeros = [[0.0] * len(row) for row in parameters[name]]
    return accuracy({**parameters, name: zeros}, *TEST)


if __name__ == "__main__":
    linear = [train_pictures(start_linear(), TEST, seed)[0] for seed in SEEDS]
    vits = [train_pictures(start_pictures(random.Random(seed)), TEST, seed)[0] for seed in SEEDS]
    for name, models in {"linear classifier": linear, "vision transformer": vits}.items():
        told(f"{name} | " + " | ".join(f"{accuracy(model, *LARGE):.2f}" for model in models))
    moved, bare = [reordered(model) for model in vits], [without_attention(model) for model in vits]
    told(f"between {min(moved):.2f} and {max(moved):.2f} with five seeds")
    told(f"between {min(bare):.2f} and {max(bare):.2f} with five seeds")
