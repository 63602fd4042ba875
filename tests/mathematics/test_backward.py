"""Backward passes worked by hand, and their edges; test_every_gradient.py measures all of them."""

import math

import pytest
from tables import assert_close

from helpers.activations import relu_derivative
from helpers.backward import (
    activation_backward,
    add_backward,
    attention_backward,
    cross_entropy_backward,
    embedding_backward,
    feed_forward_backward,
    layer_norm_backward,
    perplexity_backward,
    rms_norm_backward,
    rope_backward,
    softmax_backward,
    token_losses_backward,
)

INF, LOG_3 = math.inf, math.log(3)


# --- matrices and layers


def test_the_two_gradients_of_a_sum_are_copies():
    d_out = [[1.0, 2.0]]
    d_A, d_B = add_backward(d_out)
    d_A[0][0] = 9.0
    assert d_out == d_B == [[1.0, 2.0]]
    d_B[0][1] = 8.0
    assert d_out == [[1.0, 2.0]]


def test_a_row_that_is_looked_up_three_times_gets_the_sum():
    d_out, E = [[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 9], [8, 8], [7, 7], [6, 6]]
    assert embedding_backward(d_out, [2, 0, 2, 2], E) == [[3, 4], [0, 0], [13, 16], [0, 0]]


def test_activation_backward_at_0_and_far_away():
    """The derivative of ReLU at 0 is 0; that of GELU is 1/2 at 0, and 1 and 0 far away."""
    assert activation_backward([[1], [2], [-3], [4]], [[0.1], [-4], [7], [0.0]], relu_derivative) == (
        [[1], [0], [-3], [0]]
    )
    assert_close(activation_backward([[6, 7, 8]], [[0, 50, -50]]), [[3, 7, 0]])


def test_no_bias_is_a_bias_of_zeros():
    given = [[1, -2]], [[0.5, 1], [2, 1]]
    without, with_zeros = (
        feed_forward_backward([[1, 3]], *given, b_1, [[3, 4], [5, 6]]) for b_1 in (None, [0, 0])
    )
    assert without == with_zeros


# --- norms


def test_layer_norm_backward_by_hand():
    # variance 2, eps 2, size 2, z = -1 1/2 1/2 in both rows; g = 6 6 0 and 0 0 12, means of g 4 and 4, of
    # g·z -1 and 2
    X, d_out = [[-2, 1, 1], [3, 6, 6]], [[6, 3, 0], [0, 0, 3]]
    d_X = [
        [(6 - 4 - 1) / 2, (6 - 4 + 0.5) / 2, (0 - 4 + 0.5) / 2],
        [(-4 + 2) / 2, (-4 - 1) / 2, (12 - 4 - 1) / 2],
    ]
    assert layer_norm_backward(d_out, X, [1, 2, 4], 2) == (d_X, [-6, 1.5, 1.5], [6, 3, 3])
    # a row of one number: the result is beta
    assert layer_norm_backward([[5]], [[3]], [2]) == ([[0]], [0], [5])


def test_rms_norm_backward_by_hand():
    X, d_out, gamma = [[1, 2, 2], [2, 2, 1]], [[1, 1, 1], [-1, 2, 0]], [2, 1, 4]
    d_X = [[(2 - 1) / 2, (1 - 2) / 2, (4 - 2) / 2], [-1, 1, 0]]
    assert rms_norm_backward(d_out, X, gamma, 1) == (d_X, [0.5 - 1, 1 + 2, 1])
    # size 2 without eps; g·z = 12, so d_x = (12 - 12) / 2
    assert rms_norm_backward([[4]], [[2]], [3], 0) == ([[0]], [4])


@pytest.mark.parametrize("norm_backward", [layer_norm_backward, rms_norm_backward])
def test_the_default_eps_is_the_one_of_every_library(norm_backward):
    """Variance and mean square are 1, so d_gamma is 8 / sqrt(1 + eps)."""
    assert_close(norm_backward([[0, 8]], [[-1, 1]], [1, 1])[1], [0, 8 / math.sqrt(1.00001)])


# --- attention


def test_softmax_backward_by_hand():
    assert softmax_backward([4, 8, 0], [0.5, 0.25, 0.25]) == [0, 1, -1]
    assert softmax_backward([3, 50], [1, 0]) == [0, 0]  # no weight, no gradient
    assert softmax_backward([5], [1]) == [0]


def test_a_masked_position_gets_no_gradient():
    Q, K, V = [[1, 0, 1, 0]], [[0, 0, 0, 0], [LOG_3, 0, LOG_3, 0]], [[0, 8], [4, 0]]
    s = 0.75 / 2  # the weights are 1/4 and 3/4
    d_Q, d_K = [[-s * LOG_3, 0, -s * LOG_3, 0]], [[s, 0, s, 0], [-s, 0, -s, 0]]
    d_V = [[0.25, 0.25], [0.75, 0.75]]
    assert_close(attention_backward([[1, 1]], Q, K, V), [d_Q, d_K, d_V])
    got = attention_backward([[1, 1]], Q, [*K, [9, 9, 9, 9]], [*V, [99, 99]], [[0, 0, -INF]])
    assert_close(got, [d_Q, [*d_K, [0] * 4], [*d_V, [0, 0]]])
    # both queries attend to the second key only: only its value has a gradient
    mask = [[-INF, 0], [-INF, 0]]
    got = attention_backward([[5, 6], [7, 8]], [[1], [2]], [[3], [4]], [[1, 2], [3, 4]], mask)
    assert got == ([[0], [0]], [[0], [0]], [[0, 0], [12, 14]])


def test_rope_backward_turns_back():
    quarter = math.pi / 2
    # base 100: the second pair of four numbers turns by a tenth of the first one's angle
    d_out, positions = [[1, 0, 5, 6], [7, 8, 9, 1]], [10 * quarter, 0]
    assert_close(rope_backward(d_out, positions, 100.0), [[-1, 0, 6, -5], [7, 8, 9, 1]])


# --- losses


def test_losses_by_hand():
    logits = [[0, math.log(2), math.log(5)], [LOG_3, 0, -1000]]
    assert_close(token_losses_backward([8, 4], logits, [1, 0]), [[1, -6, 5], [-1, 1, 0]])
    assert_close(cross_entropy_backward(16, logits, [2, 1]), [[1, 2, -3], [6, -6, 0]])
    assert_close(cross_entropy_backward(1.0, logits, [1, 0]), [[1 / 16, -6 / 16, 5 / 16], [-1 / 8, 1 / 8, 0]])


def test_perplexity_backward_where_the_perplexity_is_too_large_for_a_float():
    assert_close(perplexity_backward(-0.5, math.log(6)), -3)
    assert perplexity_backward(2, 1000) == INF and perplexity_backward(-2, 1000) == -INF
    assert perplexity_backward(0, 1000) == 0
