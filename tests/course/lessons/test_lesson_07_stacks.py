"""The stacks of lessons 07 and 07b: one block is the network of Part I, and each part can be left out."""

import random

import pytest

from helpers import add, layer_norm, toy_forward
from helpers.course.lessons import lesson_07_stacks as stacks
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters


def around_feed(x, attend, feed):
    x = attend(x)
    return add(x, feed(x))


def test_one_block_is_the_network():
    p = {**draw_parameters(random.Random(42)), "gamma": [1.0] * 16, "beta": [0.0] * 16}
    assert stacks.rows_after(around_feed, 1, 42) == toy_forward(p, TOKENS, TARGETS)["residual"]


def test_repeated_blocks_have_the_same_layers():
    p, X = stacks.start(3)
    once = around_feed(X, *stacks.layers(p))
    assert stacks.rows_after(around_feed, 2, 3) == around_feed(once, *stacks.layers(p))


def test_without_averaging_no_row_reaches_another():
    p, X = stacks.start(1)
    changed = [[x + 1 for x in X[0]], *X[1:]]
    for without, reached in ([], 5), (["averaging"], 1):
        attend, _ = stacks.layers(p, without)
        assert sum(a != b for a, b in zip(attend(X), attend(changed))) == reached


def test_without_biases_a_zero_row_stays_zero():
    p, _ = stacks.start(1)
    assert any(stacks.layers(p)[1]([[0.0] * 16])[0])
    assert stacks.layers(p, ["biases"])[1]([[0.0] * 16]) == [[0.0] * 16]


def test_the_factor_multiplies_the_parameters_and_not_the_embeddings():
    (p, X), (larger, same) = stacks.start(2), stacks.start(2, 3)
    assert same == X and larger["b_1"] == [3 * b for b in p["b_1"]]


def test_the_steps_end_in_layer_norm():
    row, gamma, beta = [2, 2, 2, 2, 7], [1, 1, 1, 2, 1], [0, 0, 5, 0, 0]
    steps = stacks.norm_steps(row, gamma, beta)
    assert steps[:3] == [row, [-1, -1, -1, -1, 4], [-0.5, -0.5, -0.5, -0.5, 2.0]]
    assert steps[-1] == pytest.approx(layer_norm([row], gamma, beta, eps=0)[0])
