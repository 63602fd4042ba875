"""What lesson 06 says about ablated hidden units, in trained networks from five seeds.

Trains from five seeds, about half a minute, prints a table, and stops where a sentence of the lesson does
not hold.
"""

import random

from helpers import linear, toy_forward
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


def with_means(parameters, units):
    """The lowest two probabilities with the activations of these units replaced by their means."""
    found = [run(parameters, sentence)["activated"] for sentence in TOY_SENTENCES]
    lowest = []
    for position in (2, 3):
        rows = [activated[position] for activated in found]
        means = [sum(column) / len(column) if i in units else 0.0 for i, column in enumerate(zip(*rows))]
        b_2 = linear([means], parameters["W_2"], parameters["b_2"])[0]
        lowest.append(correct({**ablated(parameters, units), "b_2": b_2})[0][position - 2])
    return lowest


def measured(seed):
    parameters, _ = train_toy(draw_parameters(random.Random(seed)))
    rows = [run(parameters, sentence)["activated"] for sentence in TOY_SENTENCES]
    group = [i for i in range(F) if all(row[3][i] > 0.5 > max(r[i] for r in row[:3]) for row in rows)]
    others = [i for i in range(F) if i not in group]
    before = correct(parameters)[1]
    drops = [max(b - n for b, n in zip(before, correct(ablated(parameters, [i]))[1])) for i in range(F)]
    sets = group, others, range(F)
    without_group, without_others, without_all = (correct(ablated(parameters, units))[0] for units in sets)
    assert all(with_means(parameters, units)[1] > 0.995 for units in sets)
    if seed == 42:
        small_parts(parameters, rows, group)
    return [len(group), max(drops), *without_group, without_others[0], *without_all]


def small_parts(parameters, rows, group):
    """What the lesson says of seed 42 alone."""
    small = [row[2][i] for row in rows for i in group]
    print(f"at the second word, activations of the group from {min(small):.2f} to {max(small):.2f}")
    third = sorted(correct(ablated(parameters, group))[1][::2])
    print("P(third word) without the group:", *(f"{p:.2f}" for p in third))
    assert f"{min(small):.2f} {max(small):.2f}" == "-0.17 0.48" and third[3] < 0.9 and third[4] > 0.97


def main():
    print("seed, units, largest drop from one unit, then the lowest P(third word) and P(<EOS>) without the")
    print("group, the lowest P(third word) without the others, and both without all units")
    for seed in (42, 1, 2, 3, 4):
        row = measured(seed)
        words = [f"{x:.2f}" if isinstance(x, float) else str(x) for x in row]
        print(seed, *words, flush=True)
        assert row[5] < 0.015 and row[6] > 0.5, "the third word needs the units, <EOS> does not"
