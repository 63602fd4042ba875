"""Backward passes worked by hand, and their edges; test_every_gradient.py measures all of them."""

import math
import random

import pytest
from gradient_checks import derivatives
from tables import assert_close

from helpers.activations import relu, relu_derivative
from helpers.attention import causal_mask, softmax
from helpers.backward import (
    activation_backward,
    attention_backward,
    attention_scores_backward,
    cross_entropy_backward,
    dot_backward,
    embedding_backward,
    feed_forward_backward,
    grouped_query_attention_backward,
    layer_norm_backward,
    linear_backward,
    matmul_backward,
    multi_head_attention_backward,
    perplexity_backward,
    rms_norm_backward,
    rope_backward,
    scale_backward,
    softmax_backward,
    swiglu_backward,
    token_losses_backward,
)
from helpers.layers import layer_norm
from helpers.matrices import dot, matmul

INF, LOG_3 = math.inf, math.log(3)


def test_finite_differences_are_exact_up_to_degree_four():
    assert derivatives(lambda x: x**4, 3, 1) == 108
    assert derivatives(lambda x: 5 * x**3 - x, 3, 1) == 134
    tree = {"a": [[1, 2], [3, 4]], "b": [5]}
    measured = derivatives(lambda n: n["a"][0][1] * n["a"][1][0] + n["b"][0] ** 2, tree, 1)
    assert measured == {"a": [[0, 3], [2, 0]], "b": [10]}
    assert tree == {"a": [[1, 2], [3, 4]], "b": [5]}


# --- matrices and layers


def test_products_by_hand():
    assert dot_backward(3, [1, 2], [4, -5]) == ([12, -15], [3, 6])
    # d_A: 1 + 2·100, 4 + 5·10 + 6·100. d_B: each row of it is d_out times 2, times 3
    d_out, A, B = [[1, 10, 100]], [[2, 3]], [[1, 0, 2], [4, 5, 6]]
    assert matmul_backward(d_out, A, B) == ([[201, 654]], [[2, 20, 200], [3, 30, 300]])
    assert scale_backward([[1, -2], [0, 3]], [[4, 5], [6, 7]], 10) == ([[10, -20], [0, 30]], 15)


def test_a_row_that_is_looked_up_three_times_gets_the_sum():
    d_out, E = [[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 9], [8, 8], [7, 7], [6, 6]]
    assert embedding_backward(d_out, [2, 0, 2, 2], E) == [[3, 4], [0, 0], [13, 16], [0, 0]]


def test_linear_backward_by_hand():
    d_out, X, W = [[1, 2], [3, 4]], [[1, 0, -1], [2, 1, 0]], [[1, 2, 3], [4, 5, 6]]
    d_X, d_W = [[9, 12, 15], [19, 26, 33]], [[7, 3, -1], [10, 4, -2]]
    assert linear_backward(d_out, X, W) == (d_X, d_W, [4, 6])


def test_activation_backward_at_0_and_far_away():
    """The derivative of ReLU at 0 is 0; that of GELU is 1/2 at 0, and 1 and 0 far away."""
    assert activation_backward([[1], [2], [-3], [4]], [[0.1], [-4], [7], [0.0]], relu_derivative) == (
        [[1], [0], [-3], [0]]
    )
    assert_close(activation_backward([[6, 7, 8]], [[0, 50, -50]]), [[3, 7, 0]])


def test_feed_forward_backward_by_hand():
    X, W_1, b_1 = [[1, 2]], [[1, 1], [2, -1], [-1, 0], [3, 0]], [1, -2, -3, 2]
    W_2, d_out = [[1, 2, 3, 4], [5, 6, 7, 8]], [[1, 10]]
    # hidden is 4 -2 -4 5; activated gets 51 62 73 84, hidden 51 0 0 84
    d_W_1, d_b_1 = [[51, 102], [0, 0], [0, 0], [84, 168]], [51, 0, 0, 84]
    d_W_2, d_b_2 = [[4, 0, 0, 5], [40, 0, 0, 50]], [1, 10]
    got = feed_forward_backward(d_out, X, W_1, b_1, W_2, relu, relu_derivative)
    assert got == ([[51 + 3 * 84, 51]], d_W_1, d_b_1, d_W_2, d_b_2)


def test_no_bias_is_a_bias_of_zeros():
    given = [[1, -2]], [[0.5, 1], [2, 1]]
    without, with_zeros = (
        feed_forward_backward([[1, 3]], *given, b_1, [[3, 4], [5, 6]]) for b_1 in (None, [0, 0])
    )
    assert without == with_zeros


def test_swiglu_backward_by_hand():
    """Gates ln 3 and 0, ups 4 and 7: silu(ln 3) is 3/4·ln 3, and its derivative there 3/4 + 3/16·ln 3."""
    slope = 3 / 4 + LOG_3 * 3 / 16
    X, W_gate, W_up, W_down = [[1, 2]], [[LOG_3, 0], [2, -1]], [[0, 2], [3, 2]], [[1, 10]]
    d_gates, d_up = [8 * slope, 70], 1.5 * LOG_3
    expected = [
        [[d_gates[0] * LOG_3 + d_gates[1] * 2, -d_gates[1] + d_up * 2]],
        [[d_gates[0], 2 * d_gates[0]], [70, 140]],
        [[d_up, 2 * d_up], [0, 0]],
        [[2 * 4 * 0.75 * LOG_3, 0]],
    ]
    assert_close(swiglu_backward([[2]], X, W_gate, W_up, W_down), expected)


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


def test_layer_norm_gives_no_gradient_to_a_shift_or_a_scale_of_a_row():
    """A row shifted as a whole, or, where eps is 0, scaled, gives the same result."""
    rng = random.Random(19)
    for D in 2, 3, 8:
        X, d_out = ([[rng.gauss(0, 1) for _ in range(D)] for _ in range(3)] for _ in range(2))
        gamma = [rng.gauss(0, 1) for _ in range(D)]
        for row, shifted in zip(X, layer_norm_backward(d_out, X, gamma, 0.5)[0]):
            assert abs(sum(shifted)) < 1e-12
        for row, scaled in zip(X, layer_norm_backward(d_out, X, gamma, 0)[0]):
            assert abs(dot(row, scaled)) < 1e-10
        assert layer_norm(X, gamma, gamma) == layer_norm(X, gamma, gamma, 1e-5)


# --- attention


def test_softmax_backward_by_hand():
    assert softmax_backward([4, 8, 0], [0.5, 0.25, 0.25]) == [0, 1, -1]
    assert softmax_backward([3, 50], [1, 0]) == [0, 0]  # no weight, no gradient
    assert softmax_backward([5], [1]) == [0]


def test_softmax_backward_is_its_jacobian_written_out():
    rng = random.Random(24)
    for scores in [rng.gauss(0, 1)], [0.5, -1.0, 2.0], [-INF, 0.25, 1.0], [0.1, -INF, -INF, 0.7]:
        weights, d_out = softmax(scores), [rng.gauss(0, 1) for _ in scores]
        jacobian = [[p * ((i == j) - q) for j, q in enumerate(weights)] for i, p in enumerate(weights)]
        got = softmax_backward(d_out, weights)
        pairs = zip(got, matmul(jacobian, [[d] for d in d_out]), strict=True)
        assert all(abs(a - b) < 1e-14 for a, (b,) in pairs)


def test_attention_scores_backward_by_hand():
    d_out, Q = [[2, 0, -2], [4, 6, 0]], [[2, 0, 4, 0], [1, 1, 0, 0]]
    K = [[1, 0, 1, 0], [3, 0, 0, 9], [0, -1, -2, 0]]
    d_Q, d_K = [[1, 1, 3, 0], [11, 0, 2, 27]], [[4, 2, 4, 0], [3, 3, 0, 0], [-2, 0, -4, 0]]
    assert attention_scores_backward(d_out, Q, K) == (d_Q, d_K)


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


def test_two_heads_by_hand():
    """The first position attends to itself only; the second has queries of 0, so its weights are 1/2."""
    X, mask = [[2, 0], [4, 6]], causal_mask(2)
    W_Q, W_K, W_V, W_O = [[[0, 0]]] * 2, [[[1, 0]], [[0, 1]]], [[[1, 0]], [[1, 1]]], [[1, 2], [3, -1]]
    # keys 2 4 and 0 6, values 2 4 and 2 10, heads 2 3 and 2 6. These get 1 5 and 2 3. The weights of the
    # second position get 10 20 and 6 30, its scores -2.5 2.5 and -6 6, its queries 5 and 36, the values
    # 3.5 2.5 and 3.5 1.5. X gets a gradient
    # by W_V alone: W_Q is 0, and so are the gradients of the keys.
    d_X = [[3.5 + 3.5, 3.5], [2.5 + 1.5, 1.5]]
    d_W_Q, d_W_K = [[[5 * 4, 5 * 6]], [[36 * 4, 36 * 6]]], [[[0, 0]], [[0, 0]]]
    d_W_V = [[[3.5 * 2 + 2.5 * 4, 2.5 * 6]], [[3.5 * 2 + 1.5 * 4, 1.5 * 6]]]
    d_W_O = [[1 * 2 + 2 * 3, 1 * 2 + 2 * 6], [3, 6]]
    got = multi_head_attention_backward([[1, 0], [2, 1]], X, W_Q, W_K, W_V, W_O, mask)
    assert_close(got, [d_X, d_W_Q, d_W_K, d_W_V, d_W_O])


def test_heads_that_share_keys_and_values_add_their_gradients():
    Q, K, V = [[[0]]] * 4, [[[1], [3]], [[2], [0]]], [[[10], [30]], [[1], [3]]]
    d_Q, d_K, d_V = grouped_query_attention_backward([[[1]], [[2]], [[4]], [[8]]], Q, K, V)
    assert_close(d_Q, [[[10]], [[20]], [[-4]], [[-8]]])
    assert_close(d_K, [[[0], [0]], [[0], [0]]])
    assert_close(d_V, [[[1.5], [1.5]], [[6], [6]]])


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
