"""What lesson 01 tells of the distances between the words, before and after training from other seeds.

Trains from five seeds, about half a minute, and stops where the sentence of the lesson does not hold.
"""

import itertools
import math
import random

from helpers.course.state.network import draw_parameters
from helpers.course.training.toy_task import train_toy


def distances(table):
    """The distances between the embeddings of the three words, whose ids are 3, 4 and 5."""
    return [math.dist(table[i], table[j]) for i, j in itertools.combinations((3, 4, 5), 2)]


def main():
    for seed in (42, 1, 2, 3, 4):
        parameters = draw_parameters(random.Random(seed))
        trained, _ = train_toy(parameters)
        before, after = distances(parameters["E_token"]), distances(trained["E_token"])
        print(f"seed {seed}:", *(f"{x:.2f} to {y:.2f}" for x, y in zip(before, after)), sep="  ")
        assert all(x < y for x, y in zip(before, after))
        lengths = [[math.hypot(*row) for row in p["E_token"][3:]] for p in (parameters, trained)]
        print("  lengths:", *(f"{x:.2f} to {y:.2f}" for x, y in zip(*lengths)), sep="  ")
        assert all(x < y for x, y in zip(*lengths))
