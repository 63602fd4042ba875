"""What lesson 23 says about windows in training: a model of two layers finds a digit, by distance.

Trains ten small models with RoPE, three minutes on a free core, and stops with an AssertionError where the
lesson says something else.
"""

import random

from helpers.course.engine import operations
from helpers.course.lessons.lesson_23_long_texts import (
    DIGIT,
    LETTERS,
    MAX_LETTERS,
    passkey_logits,
    passkey_text,
    train_passkey,
)

from . import told

SEEDS = 42, 1, 2, 3, 4
RANGES = range(1, 6), range(6, 11), range(11, 17)  # one window of 6; a second one on top; further away
WINDOWS = {"6 in both layers": (6, 6), "6 in the first layer": (6, None)}


def right_by_distance(parameters, windows, n=600):
    """The fraction of right answers, by the distance of the digit from the question."""
    rng, found = random.Random(1), [[] for _ in RANGES]
    for _ in range(n):
        tokens, target = passkey_text(rng, MAX_LETTERS, DIGIT)
        (place,) = [i for i, token in enumerate(tokens[:-1]) if token >= LETTERS]
        logits = passkey_logits(operations(), parameters, tokens, windows=windows)[0]
        for entry, distances in zip(found, RANGES):
            if MAX_LETTERS - place in distances:
                entry.append(logits.index(max(logits)) == target)
    return [sum(entry) / len(entry) for entry in found]


def main(seeds=SEEDS):
    for name, windows in WINDOWS.items():
        rows = []
        for seed in seeds:
            run = train_passkey(seed, 200, layers=2, questions=[DIGIT], windows=windows)
            *_, (_, _, parameters) = run
            rows.append(right_by_distance(parameters, windows))
            print(name, seed, *(f"{x:.2f}" for x in rows[-1]), flush=True)
        if seeds == SEEDS:
            shares = [f"{min(column):.2f} to {max(column):.2f}" for column in zip(*rows)]
            told(f"{name} | " + " | ".join(shares))
