"""What lesson 20b says about five seeds: the accuracy of the vision transformer and of two baselines.

Trains fifteen models, about two minutes on a free core, and fails where the lesson says something else.
"""

import random

from helpers import cut_patches, picture_forward, softmax
from helpers.course.lessons.lesson_20b_digit_task import (
    accuracy,
    draw_digits,
    picture_scores,
    start_hidden,
    start_linear,
    start_pictures,
    train_pictures,
)

from . import told

SEEDS = (1, 2, 3, 4, 5)
TEST, LARGE = draw_digits(200, random.Random(77)), draw_digits(1000, random.Random(78))
ORDER = [2, 0, 3, 1]


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


def blank(parameters):
    """The guess for an empty picture, and its probability."""
    probabilities = softmax(picture_scores(parameters, [[0.0] * 8] * 8))
    return probabilities.index(max(probabilities)), max(probabilities)


def main():
    starts = {
        "linear classifier": lambda seed: start_linear(),
        "one hidden layer": lambda seed: start_hidden(random.Random(seed)),
        "vision transformer": lambda seed: start_pictures(random.Random(seed)),
    }
    for name, start in starts.items():
        models = [train_pictures(start(seed), TEST, seed, every=1000)[0] for seed in SEEDS]
        told(f"{name} | " + " | ".join(f"{accuracy(model, *LARGE):.2f}" for model in models))
    moved, bare = [reordered(model) for model in models], [without_attention(model) for model in models]
    told(f"between {min(moved):.2f} and {max(moved):.2f} with five seeds")
    told(f"between {min(bare):.2f} and {max(bare):.2f} with five seeds")
    guesses, sure = zip(*map(blank, models))
    names = " or ".join(map(str, sorted({*guesses})))
    told(f"took it for a {names}, with a probability of at least {min(sure):.2f}")
