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


def lowest(parameters, units, constants, position=3):
    """The lowest probability of the correct next token after a position, over the six sentences."""
    W_2 = [[0.0 if i in units else w for i, w in enumerate(row)] for row in parameters["W_2"]]
    replaced = [c if i in units else 0.0 for i, c in enumerate(constants)]
    b_2 = linear([replaced], parameters["W_2"], parameters["b_2"])[0]
    ablated = {**parameters, "W_2": W_2, "b_2": b_2}
    return min(
        run(ablated, sentence)["probabilities"][position][VOCABULARY.index(sentence[position + 1])]
        for sentence in TOY_SENTENCES
    )


def measured(seed):
    """P(<EOS>) without 16 units and without all, and P(third word) without all, with zeros and with means."""
    parameters, _ = train_toy(draw_parameters(random.Random(seed)))
    recorded = [run(parameters, sentence)["activated"] for sentence in TOY_SENTENCES]
    constants = [0.0] * F, [sum(column) / 24 for column in zip(*sum(recorded, []))]
    by_activation = sorted(range(F), key=lambda i: -sum(rows[3][i] for rows in recorded))
    sixteen, every = (
        [lowest(parameters, by_activation[:n], constant) for constant in constants] for n in (16, F)
    )
    third = [lowest(parameters, range(F), constant, position=2) for constant in constants]
    return sixteen, every, third


def main():
    print("seed, P(<EOS>) without 16 units, without all, P(third word) without all; each zeros, means")
    with_means = []
    for seed in (42, 1, 2, 3, 4):
        sixteen, every, third = measured(seed)
        print(seed, *(f"{p:.4f}" for p in (*sixteen, *every, *third)), flush=True)
        assert sixteen[0] < 0.01 and min(every) > 0.8, "with zeros 16 units are needed, and 64 are not"
        assert max(third) < 0.01, "the third word needs hidden units"
        with_means.append(sixteen[1])
    assert min(with_means) < 0.005 and max(with_means) > 0.995, "with means, anything from 0.00 to 1.00"
