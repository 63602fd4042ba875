"""Layers, by hand and against definitions written out another way."""

import math

from tables import assert_close

from helpers import embedding, feed_forward, layer_norm, linear, relu, rms_norm, swiglu

# --- embedding


def test_embedding_by_hand():
    E = [[10, 11], [20, 21], [30, 31]]
    assert embedding([2, 0, 2], E) == [[30, 31], [10, 11], [30, 31]]
    assert embedding([1], E) == [[20, 21]]
    assert embedding([0, 0], [[5]]) == [[5], [5]]
    assert embedding([0], E)[0] is not E[0]


# --- linear


def test_linear_by_hand():
    X, W = [[1, 2], [0, -1]], [[3, 4], [5, 6], [7, 8]]
    assert linear(X, W) == [[11, 17, 23], [-4, -6, -8]]
    assert linear(X, W, [10, 20, 30]) == [[21, 37, 53], [6, 14, 22]]
    assert linear([[1, 2]], [[3, 4], [5, 6]], [0, 1]) == [[11, 18]]  # x·W would give 13, 17
    assert linear([[3]], [[4]], [5]) == [[17]]
    assert linear([[1, 1, 1]], [[1, 2, 3]], [-6]) == [[0]]


# --- layer norm


def test_layer_norm_by_hand():
    row, halved = [2, 4, 4, 4, 5, 5, 7, 9], [-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2]
    assert layer_norm([row], [1] * 8, [0] * 8, eps=0) == [halved]
    assert layer_norm([[1, 3], [7, 3]], [10, 100], [5, 7], eps=0) == [[-5, 107], [15, -93]]
    # mean 1, variance 1; with eps = 3 the root is 2
    assert layer_norm([[0, 2]], [1, 2], [0, 10], eps=3) == [[-0.5, 11]]
    assert layer_norm([[5, 5]], [3, 4], [1, 2]) == [[1, 2]]
    assert layer_norm([[5]], [3], [1]) == [[1]]
    # variance 1 and the eps that every library takes
    assert_close(layer_norm([[0, 2]], [1, 1], [0, 0]), [[-1 / math.sqrt(1.00001), 1 / math.sqrt(1.00001)]])


# --- rms norm


def test_rms_norm_by_hand():
    assert rms_norm([[1, 7], [-14, 2]], [10, 100], eps=0) == [[2, 140], [-14, 20]]
    # 4, 16, 16, 64 and a mean of 25
    assert rms_norm([[2, 4, -4, 8]], [5, 5, 10, 5], eps=0) == [[2, 4, -8, 8]]
    # mean 1; with eps = 3 the root is 2
    assert rms_norm([[1, -1]], [1, 4], eps=3) == [[0.5, -2]]
    assert rms_norm([[5, 5]], [3, 4], eps=0) == [[3, 4]]  # a constant row: layer norm would give zeros
    assert rms_norm([[0, 0]], [3, 4]) == [[0, 0]]
    assert rms_norm([[-5]], [3], eps=0) == [[-3]]
    # a mean square of 1 and the eps of our layer norm
    assert_close(
        rms_norm([[1, -1]], [1, 1]), [[1 / math.sqrt(1.00001), -1 / math.sqrt(1.00001)]], within=1e-15
    )


# --- feed-forward


SMALL = [[[1, 0], [0, 1], [1, -1]], [0, 1, 0], [[1, 10, 100], [2, 0, 5]], [0.5, -3]]  # W_1, b_1, W_2, b_2


def test_feed_forward_by_hand():
    assert feed_forward([[1, 2], [0, -1]], *SMALL, activation=relu) == [[31.5, -1], [100.5, 2]]
    # square, so that no shape notices a transposed matrix: hidden 1, -2, then 1, 0, then 3 and 5
    assert feed_forward([[1, 2]], [[1, 0], [2, -2]], [0, 0], [[3, 4], [5, 6]], [0, 0], relu) == [[3, 5]]
    assert feed_forward([[1, 2]], [[1, 0], [2, -2]], None, [[3, 4], [5, 6]], None, relu) == [[3, 5]]
    assert feed_forward([[3]], [[2]], [-10], [[7]], [1], activation=abs) == [[29]]


def test_the_default_activation_is_gelu_in_its_tanh_form():
    one, two = ([[1]], [0], [[1]], [0]), ([[1], [-1]], [0, 0], [[1, 10]], [0])
    tanh_form = [0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in (2, -2)]
    assert_close(feed_forward([[2], [-2]], *one), [[tanh_form[0]], [tanh_form[1]]])
    assert_close(feed_forward([[2]], *two), [[tanh_form[0] + 10 * tanh_form[1]]])


# --- swiglu


def test_swiglu_by_hand():
    """Gates 0 and 100, of which silu makes 0 and 100; ups 7 and 2."""
    assert swiglu([[1, 2]], [[2, -1], [0, 50]], [[7, 0], [2, 0]], [[1, 1], [5, 0.5]]) == [[200, 100]]
