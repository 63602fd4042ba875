"""Layers, by hand and against definitions written out another way."""

import inspect
import math
import random
from fractions import Fraction

import pytest
from published import published_feed_forward
from tables import assert_close, eighths, leaves_alone, lengths, whole_numbers

from helpers import embedding, feed_forward, layer_norm, layers, linear, relu, rms_norm
from helpers.course.state.registry import course_state
from helpers.matrices import matmul

PUBLISHED = published_feed_forward()

# --- embedding


def test_embedding_by_hand():
    E = [[10, 11], [20, 21], [30, 31]]
    assert embedding([2, 0, 2], E) == [[30, 31], [10, 11], [30, 31]]
    assert embedding([1], E) == [[20, 21]]
    assert embedding([0, 0], [[5]]) == [[5], [5]]


def test_looking_up_is_a_product_with_one_hot_rows():
    rng = random.Random(1)
    for T, V, D in (1, 1, 1), (3, 3, 3), (5, 6, 16), (7, 2, 1):
        ids, E = [rng.randrange(V) for _ in range(T)], whole_numbers(rng, V, D)
        one_hot = [[int(v == i) for v in range(V)] for i in ids]
        assert embedding(ids, E) == matmul(one_hot, E)


# --- linear


def test_linear_by_hand():
    X, W = [[1, 2], [0, -1]], [[3, 4], [5, 6], [7, 8]]
    assert linear(X, W) == [[11, 17, 23], [-4, -6, -8]]
    assert linear(X, W, [10, 20, 30]) == [[21, 37, 53], [6, 14, 22]]
    assert linear([[1, 2]], [[3, 4], [5, 6]], [0, 1]) == [[11, 18]]  # x·W would give 13, 17
    assert linear([[3]], [[4]], [5]) == [[17]]
    assert linear([[1, 1, 1]], [[1, 2, 3]], [-6]) == [[0]]


def test_linear_is_three_loops_over_fractions():
    rng = random.Random(2)
    for T, n, m in (2, 3, 3), (1, 1, 1), (1, 4, 2), (3, 1, 2), (2, 5, 1), (5, 16, 64):
        X, W, b = eighths(rng, T, n), eighths(rng, m, n), eighths(rng, m)
        Y = linear(X, W, b)
        assert (len(Y), len(Y[0])) == (T, m)
        for t in range(T):
            for o in range(m):
                y = Fraction(b[o])
                for i in range(n):
                    y += Fraction(X[t][i]) * Fraction(W[o][i])
                assert Y[t][o] == y


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


def rows_to_normalise():
    rng = random.Random(3)
    return [eighths(rng, T, D) for T, D in ((1, 2), (2, 2), (3, 5), (5, 16), (4, 3))]


def ones_and_zeros(X):
    return [1.0] * len(X[0]), [0.0] * len(X[0])


def test_a_normalised_row_has_mean_0_and_variance_a_little_below_1():
    """Exactly σ²/(σ² + eps): 0.999158 rather than 1 is eps at work, not n against n - 1."""
    for X in rows_to_normalise():
        for eps in (1e-5, 0.5, 100.0):
            for row, normed in zip(X, layer_norm(X, *ones_and_zeros(X), eps)):
                n, exactly = len(row), [Fraction(x) for x in row]
                mean = sum(exactly) / n
                variance = sum((x - mean) ** 2 for x in exactly) / n
                assert abs(sum(normed)) < 1e-12 * n
                assert math.isclose(
                    sum(x * x for x in normed) / n, variance / (variance + Fraction(eps)), rel_tol=1e-12
                )


def test_shifting_or_stretching_a_row_changes_nothing_and_no_row_sees_another():
    for X in rows_to_normalise():
        gamma, beta = ones_and_zeros(X)
        normed = layer_norm(X, gamma, beta, 0.0)
        for t, row in enumerate(X):
            assert_close(layer_norm([[x + 40 for x in row]], gamma, beta, 0.0), [normed[t]])
            assert_close(layer_norm([[x * 3 for x in row]], gamma, beta, 0.0), [normed[t]])
            assert_close(layer_norm([[-x for x in row]], gamma, beta, 0.0), [[-y for y in normed[t]]])


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


def test_a_row_has_a_mean_square_of_1_and_a_little_below_with_eps():
    """Exactly s/(s + eps), where s is the mean square before."""
    for X in rows_to_normalise():
        for eps in (0, 1e-5, 0.5, 100.0):
            for row, normed in zip(X, rms_norm(X, [1.0] * len(X[0]), eps), strict=True):
                s = sum(Fraction(x) ** 2 for x in row) / len(row)
                assert math.isclose(
                    sum(x * x for x in normed) / len(row), s / (s + Fraction(eps)), rel_tol=1e-12
                )
                assert all((x > 0) == (y > 0) and (x < 0) == (y < 0) for x, y in zip(row, normed))


def test_stretching_a_row_changes_nothing_and_no_row_sees_another():
    for X in rows_to_normalise():
        gamma = [1.0 + i for i in range(len(X[0]))]
        for t, (row, normed) in enumerate(zip(X, rms_norm(X, gamma, 0), strict=True)):
            for c in 3, 1e-6, 1e6:
                assert_close(rms_norm([[c * x for x in row]], gamma, 0), [normed])
            assert_close(rms_norm([[-x for x in row]], gamma, 0), [[-y for y in normed]])


def test_shifting_a_row_does_change_it_and_a_row_of_mean_0_is_layer_norm_s():
    for X in rows_to_normalise():
        ones, zeros = ones_and_zeros(X)
        centred = [[x - sum(row) / len(row) for x in row] for row in X]
        assert_close(rms_norm(centred, ones), layer_norm(X, ones, zeros))
        for row in centred:
            (shifted,) = rms_norm([[x + 40 for x in row]], ones)
            # far from 0 what the entries share drowns what sets them apart
            assert all(abs(y - 1) < 0.5 for y in shifted) and sum(shifted) > 0.8 * len(row)


# --- feed-forward


SMALL = [[[1, 0], [0, 1], [1, -1]], [0, 1, 0], [[1, 10, 100], [2, 0, 5]], [0.5, -3]]  # W_1, b_1, W_2, b_2


def test_feed_forward_by_hand():
    assert feed_forward([[1, 2], [0, -1]], *SMALL, activation=relu) == [[31.5, -1], [100.5, 2]]
    # square, so that no shape complains when a matrix lies on its side: hidden 1, -2, then 1, 0, then 3 and 5
    assert feed_forward([[1, 2]], [[1, 0], [2, -2]], [0, 0], [[3, 4], [5, 6]], [0, 0], relu) == [[3, 5]]
    assert feed_forward([[1, 2]], [[1, 0], [2, -2]], None, [[3, 4], [5, 6]], None, relu) == [[3, 5]]
    assert feed_forward([[3]], [[2]], [-10], [[7]], [1], activation=abs) == [[29]]


def test_without_a_word_the_bend_is_gelu_in_its_tanh_form():
    one, two = ([[1]], [0], [[1]], [0]), ([[1], [-1]], [0, 0], [[1, 10]], [0])
    tanh_form = [0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in (2, -2)]
    assert_close(feed_forward([[2], [-2]], *one), [[tanh_form[0]], [tanh_form[1]]])
    assert_close(feed_forward([[2]], *two), [[tanh_form[0] + 10 * tanh_form[1]]])


def test_feed_forward_is_index_loops_over_fractions():
    rng = random.Random(4)
    for T, D, F, m in (2, 3, 3, 3), (1, 1, 1, 1), (1, 4, 2, 3), (3, 2, 8, 2), (5, 16, 64, 16):
        X, W_1, b_1 = eighths(rng, T, D), eighths(rng, F, D), eighths(rng, F)
        W_2, b_2 = eighths(rng, m, F), eighths(rng, m)
        Y = feed_forward(X, W_1, b_1, W_2, b_2, relu)
        assert lengths(Y) == lengths([[0] * m] * T)
        for t in range(T):
            y = [Fraction(b) for b in b_2]
            for f in range(F):
                h = Fraction(b_1[f])
                for d in range(D):
                    h += Fraction(X[t][d]) * Fraction(W_1[f][d])
                for o in range(m):
                    y[o] += max(h, 0) * Fraction(W_2[o][f])
            assert Y[t] == y


def own_parameters():
    parameters = course_state("06_feed_forward")["parameters"]
    return [parameters[name] for name in ("W_1", "b_1", "W_2", "b_2")]


OWN = own_parameters()


def test_a_matrix_gives_a_matrix_and_a_batch_in_a_comprehension_gives_as_many():
    rng = random.Random(5)
    for T in 1, 5, 7:
        assert lengths(feed_forward(eighths(rng, T, 16), *OWN)) == lengths([[0] * 16] * T)
    batch = eighths(rng, 3, 5, 16)
    assert lengths([feed_forward(X, *OWN) for X in batch]) == lengths(batch)
    assert [feed_forward(X, *OWN) for X in batch][1] == feed_forward(batch[1], *OWN)


def test_each_row_alone_and_all_alike():
    X = eighths(random.Random(6), 5, 16)
    Y = feed_forward(X, *OWN)
    for t, row in enumerate(X):
        assert feed_forward([row], *OWN) == [Y[t]]
        changed = feed_forward([*X[:t], [x + 1 for x in row], *X[t + 1 :]], *OWN)
        assert [a == b for a, b in zip(changed, Y)] == [other != t for other in range(5)]
    assert feed_forward(X[::-1], *OWN) == Y[::-1]


def test_the_published_output():
    """A published notebook draws the same weights and prints four decimals."""
    attention_output = course_state("04_multi_head_attention")["activations"]["attention_output"]
    output = feed_forward(attention_output, *OWN)
    assert [[round(y, 4) for y in row] for row in output] == PUBLISHED["feed_forward_output"]


# --- all of them

CALLS = [
    (embedding, [[1, 0, 1], [[1, 2], [3, 4]]]),
    (linear, [[[1, 2]], [[3, 4], [5, 6]], [7, 8]]),
    (layer_norm, [[[1, 2], [3, 5]], [1, 2], [0, 1]]),
    (rms_norm, [[[1, 2], [3, 5]], [1, 2]]),
    (feed_forward, [[[1, 2], [3, 5]], *SMALL]),
]


@pytest.mark.parametrize("function, arguments", CALLS)
def test_what_goes_in_is_not_changed_and_not_handed_on(function, arguments):
    leaves_alone(function, arguments)


def test_every_function_of_the_module_is_tested_here():
    own = {f for f, g in inspect.getmembers(layers, inspect.isfunction) if g.__module__ == layers.__name__}
    assert own - {"swiglu"} == {f.__name__ for f, _ in CALLS}  # swiglu: test_llama.py
