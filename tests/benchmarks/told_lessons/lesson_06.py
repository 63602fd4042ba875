"""What lesson 06 says about ablated hidden units, in trained networks from five seeds.

Trains from five seeds, about half a minute, prints the lesson's table, and stops where a sentence of the
lesson does not hold.
"""

import random

from helpers import toy_forward
from helpers.course.state.network import draw_parameters
from helpers.course.training.toy_task import TOY_SENTENCES, VOCABULARY, train_toy

F = 64


def run(parameters, sentence):
    tokens = [VOCABULARY.index(word) for word in sentence]
    return toy_forward(parameters, tokens[:-1], tokens[1:])


def ablated(parameters, units):
    W_2 = [[0.0 if i in units else w for i, w in enumerate(row)] for row in parameters["W_2"]]
    return {**parameters, "W_2": W_2}


def correct(parameters):
    """For each sentence, the probabilities of the third word and of <EOS> at their positions."""
    found = []
    for sentence in TOY_SENTENCES:
        rows = run(parameters, sentence)["probabilities"]
        found.append([rows[position][VOCABULARY.index(sentence[position + 1])] for position in (2, 3)])
    return [min(column) for column in zip(*found)], [p for pair in found for p in pair]


def measured(seed):
    parameters, _ = train_toy(draw_parameters(random.Random(seed)))
    rows = [run(parameters, sentence)["activated"] for sentence in TOY_SENTENCES]
    group = [i for i in range(F) if all(row[3][i] > 0.5 > max(r[i] for r in row[:3]) for row in rows)]
    before = correct(parameters)[1]
    drops = [max(b - n for b, n in zip(before, correct(ablated(parameters, [i]))[1])) for i in range(F)]
    without_group, without_all = (correct(ablated(parameters, units))[0] for units in (group, range(F)))
    return [len(group), max(drops), *without_group, *without_all]


def main():
    print("seed, units, largest drop from one unit, then the lowest P(third word) and P(<EOS>)")
    print("without the group, and without all units")
    for seed in (42, 1, 2, 3, 4):
        row = measured(seed)
        print(seed, *(f"{x:.2f}" if isinstance(x, float) else x for x in row), flush=True)
        assert row[4] < 0.05 and row[5] > 0.5, "the third word needs the units, <EOS> does not"
        assert (row[1] > 0.1) == (seed in (2, 3, 4)) and (row[3] < 0.9) == (seed == 3)
