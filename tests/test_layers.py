"""Layers: embedding, linear and layer norm, by hand and against definitions written out another way."""

import inspect
import math
import random
from fractions import Fraction

import pytest
from tables import (
    NOT_MATRICES,
    NOT_VECTORS,
    assert_close,
    eighths,
    holds,
    leaves_alone,
    refuses,
    refuses_each,
    true_of,
    whole_numbers,
)

from helpers import embedding, layer_norm, layers, linear
from helpers.matrices import matmul, transpose

# --- embedding


def unchecked_lookup(ids, E):
    return [list(E[i]) for i in ids]


@true_of(embedding, not_of={
    "ids from 1": lambda ids, E: [list(E[i - 1]) for i in ids],
    "the position's row": lambda ids, E: [list(E[t]) for t, _ in enumerate(ids)],
    "columns": lambda ids, E: [[row[i] for row in E] for i in ids],
    "each id once": lambda ids, E: [list(E[i]) for i in dict.fromkeys(ids)],
    "in the table's order": lambda ids, E: [list(E[i]) for i in sorted(ids)],
})  # fmt: skip
def test_embedding_by_hand(embedding):
    E = [[10, 11], [20, 21], [30, 31]]
    assert embedding([2, 0, 2], E) == [[30, 31], [10, 11], [30, 31]]
    assert embedding([1], E) == [[20, 21]]
    assert embedding([0, 0], [[5]]) == [[5], [5]]


@true_of(embedding, not_of={
    "ids from 1": lambda ids, E: [list(E[i - 1]) for i in ids],
    "columns": lambda ids, E: [[row[i] for row in E] for i in ids],
})  # fmt: skip
def test_looking_up_is_a_product_with_one_hot_rows(embedding):
    rng = random.Random(1)
    for T, V, D in (1, 1, 1), (3, 3, 3), (5, 6, 16), (7, 2, 1):
        ids, E = [rng.randrange(V) for _ in range(T)], whole_numbers(rng, V, D)
        one_hot = [[int(v == i) for v in range(V)] for i in ids]
        assert embedding(ids, E) == matmul(one_hot, E)


@true_of(embedding, not_of={
    "Python's own indexing, where -1 is the last": unchecked_lookup,
    "ids clipped": lambda ids, E: [list(E[max(0, min(i, len(E) - 1))]) for i in ids],
    "ids wrapped around": lambda ids, E: [list(E[i % len(E)]) for i in ids],
})  # fmt: skip
def test_embedding_refuses(embedding):
    E = [[1, 2], [3, 4], [5, 6]]
    for i in (-1, -3, 3, 99, 1.0, 0.5, math.inf):
        refuses(embedding, [[0, i], E], ValueError, f"ids[1] is {i}", "E is [3][2]", "from 0 to 2")
    refuses_each(embedding, [None, E], 0, "ids", NOT_VECTORS)
    refuses_each(embedding, [[0], None], 1, "E", NOT_MATRICES)


# --- linear


def untransposed(X, W, b=None):
    """x·W, the way of papers and of GPT-2's files: on a square W no shape complains."""
    return [[x + y for x, y in zip(row, b or [0] * len(row))] for row in matmul(X, W)]


def bias_down_the_columns(X, W, b=None):
    return [[y + (b or [0] * len(X))[t] for y in row] for t, row in enumerate(linear(X, W))]


@true_of(linear, not_of={
    "bias forgotten": lambda X, W, b=None: linear(X, W),
    "bias subtracted": lambda X, W, b=None: linear(X, W, [-x for x in b] if b else b),
    "bias on the first row only": lambda X, W, b=None: linear(X[:1], W, b) + linear(X, W)[1:],
    "a bias for each position": bias_down_the_columns,
    "x·W": untransposed,
    "result transposed": lambda X, W, b=None: transpose(linear(X, W, b)),
})  # fmt: skip
def test_linear_by_hand(linear):
    # row 0: 3 + 8, 5 + 12, 7 + 16; row 1: -4, -6, -8; then 10, 20, 30 are added
    X, W = [[1, 2], [0, -1]], [[3, 4], [5, 6], [7, 8]]
    assert linear(X, W) == [[11, 17, 23], [-4, -6, -8]]
    assert linear(X, W, [10, 20, 30]) == [[21, 37, 53], [6, 14, 22]]
    assert linear([[1, 2]], [[3, 4], [5, 6]], [0, 1]) == [[11, 18]]  # x·W would give 13, 17
    assert linear([[3]], [[4]], [5]) == [[17]]
    assert linear([[1, 1, 1]], [[1, 2, 3]], [-6]) == [[0]]


@true_of(linear, not_of={
    "bias forgotten": lambda X, W, b: linear(X, W),
    "x·W": untransposed,
    "bias multiplied": lambda X, W, b: [[y * c for y, c in zip(row, b)] for row in linear(X, W)],
})  # fmt: skip
def test_linear_is_three_loops_over_fractions(linear):
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


@true_of(linear, not_of={
    "zip that truncates": lambda X, W, b=None: [
        [sum(p * q for p, q in zip(x, w)) + c for w, c in zip(W, b or [0] * len(W))] for x in X
    ],
    "bias broadcast": lambda X, W, b=None: linear(X, W, b * len(W) if b and len(b) == 1 else b),
})  # fmt: skip
def test_linear_refuses(linear):
    X, W = [[1, 2]], [[1, 2], [3, 4], [5, 6]]
    refuses(linear, [X, [[1, 2, 3]]], ValueError, "X is [1][2]", "W is [1][3]", "equally long")
    refuses(linear, [[[1, 2, 3]], W], ValueError, "X is [1][3]", "W is [3][2]")
    for b in ([0], [0, 0], [0, 0, 0, 0]):
        refuses(linear, [X, W, b], ValueError, "W is [3][2]", f"b is [{len(b)}]", "one entry per row of W")
    refuses_each(linear, [None, W], 0, "X", NOT_MATRICES)
    refuses_each(linear, [X, None], 1, "W", NOT_MATRICES)
    refuses_each(linear, [X, W, None], 2, "b", NOT_VECTORS[1:])  # all but None, which means no bias


# --- layer norm


def wrong_norm(variance_by=0, gamma_first=False, eps_outside=False, whole=False):
    """Layer norm with one thing wrong."""

    def norm(X, gamma, beta, eps=1e-5):
        result = []
        for row in X:
            row = [g * x for g, x in zip(gamma, row)] if gamma_first else row
            seen = [x for r in X for x in r] if whole else row
            mean = sum(seen) / len(seen)
            variance = sum((x - mean) ** 2 for x in seen) / (len(seen) - variance_by)
            size = math.sqrt(variance) + eps if eps_outside else math.sqrt(variance + eps)
            stretch = [1] * len(row) if gamma_first else gamma
            result.append([g * (x - mean) / size + b for x, g, b in zip(row, stretch, beta)])
        return result

    return norm


def by_columns(X, gamma, beta, eps=1e-5):
    T = len(X)
    return transpose(layer_norm(transpose(X), [gamma[0]] * T, [beta[0]] * T, eps))


def test_the_frame_of_the_near_misses_is_right_when_nothing_is_wrong():
    X, gamma, beta = [[1.0, 2.0, 4.0], [0.0, -1.0, 5.0]], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]
    assert_close(wrong_norm()(X, gamma, beta), layer_norm(X, gamma, beta))


@true_of(layer_norm, not_of={
    "variance by n - 1": wrong_norm(variance_by=1),
    "gamma before normalising": wrong_norm(gamma_first=True),
    "eps outside the root": wrong_norm(eps_outside=True),
    "eps fixed": lambda X, gamma, beta, eps=1e-5: layer_norm(X, gamma, beta),
    "all rows as one": wrong_norm(whole=True),
    "by columns": by_columns,
    "beta forgotten": lambda X, gamma, beta, eps=1e-5: layer_norm(X, gamma, [0] * len(beta), eps),
    "gamma forgotten": lambda X, gamma, beta, eps=1e-5: layer_norm(X, [1] * len(gamma), beta, eps),
    "beta stretched too": lambda X, g, b, eps=1e-5: layer_norm(X, g, [x * y for x, y in zip(g, b)], eps),
    "gamma and beta swapped": lambda X, gamma, beta, eps=1e-5: layer_norm(X, beta, gamma, eps),
})  # fmt: skip
def test_layer_norm_by_hand(layer_norm):
    # mean 5, squared distances 9 1 1 1 0 0 4 16, variance 32 / 8 = 4, so every distance is halved
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


@true_of(layer_norm, not_of={
    "variance by n - 1": wrong_norm(variance_by=1),
    "all rows as one": wrong_norm(whole=True),
    "by columns": by_columns,
    "eps forgotten": lambda X, gamma, beta, eps: layer_norm(X, gamma, beta, 0),
    "mean left in": lambda X, g, b, e: [[x / math.dist(row, [0] * len(row)) for x in row] for row in X],
})  # fmt: skip
def test_a_normalised_row_has_mean_0_and_variance_a_little_below_1(layer_norm):
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


@true_of(layer_norm, not_of={
    "mean left in": lambda X, g, b, e: [[x / (e + math.dist(row, [0] * len(row))) for x in row] for row in X],
    "centred but not scaled": lambda X, g, b, e: [[x - sum(row) / len(row) for x in row] for row in X],
    "all rows as one": wrong_norm(whole=True),
})  # fmt: skip
def test_shifting_or_stretching_a_row_changes_nothing_and_no_row_sees_another(layer_norm):
    for X in rows_to_normalise():
        gamma, beta = ones_and_zeros(X)
        normed = layer_norm(X, gamma, beta, 0.0)
        for t, row in enumerate(X):
            assert_close(layer_norm([[x + 40 for x in row]], gamma, beta, 0.0), [normed[t]])
            assert_close(layer_norm([[x * 3 for x in row]], gamma, beta, 0.0), [normed[t]])
            assert_close(layer_norm([[-x for x in row]], gamma, beta, 0.0), [[-y for y in normed[t]]])


@true_of(layer_norm, not_of={
    "zip that truncates": wrong_norm(),
    "gamma and beta for each row": by_columns,
    "gamma broadcast": lambda X, gamma, beta: layer_norm(X, gamma * 2 if gamma == [1] else gamma, beta),
})  # fmt: skip
def test_layer_norm_refuses(layer_norm):
    X, gamma, beta = [[1, 2]], [1, 1], [0, 0]
    for g, b in ([1], [0, 0]), ([1, 1], [0]), ([1] * 3, [0] * 3), ([1], [0]):
        words = f"X is [1][2], gamma is [{len(g)}], beta is [{len(b)}]"
        refuses(layer_norm, [X, g, b], ValueError, words, "one entry per column of X")
    for eps in ("1e-5", None, -1, -1e-9, math.nan):
        refuses(layer_norm, [X, gamma, beta, eps], ValueError, f"eps is {eps!r}", "at least 0")
    refuses(layer_norm, [[[1, 2], [5, 5]], gamma, beta, 0], ValueError, "row 1 of X is constant", "above 0")
    refuses_each(layer_norm, [X, gamma, beta], 0, "X", NOT_MATRICES)
    refuses_each(layer_norm, [X, gamma, beta], 1, "gamma", NOT_VECTORS[:4] + NOT_VECTORS[5:])
    refuses_each(layer_norm, [X, gamma, beta], 2, "beta", NOT_VECTORS[:4] + NOT_VECTORS[5:])


# --- all of them

CALLS = [
    (embedding, [[1, 0, 1], [[1, 2], [3, 4]]]),
    (linear, [[[1, 2]], [[3, 4], [5, 6]], [7, 8]]),
    (layer_norm, [[[1, 2], [3, 5]], [1, 2], [0, 1]]),
]


@pytest.mark.parametrize("function, arguments", CALLS)
def test_what_goes_in_is_not_changed_and_not_handed_on(function, arguments):
    leaves_alone(function, arguments)


def rows_popped(ids, E):
    return [list(E[ids.pop(0)]) for _ in range(3)]


@pytest.mark.parametrize("near_miss", [lambda ids, E: [E[i] for i in ids], rows_popped])
def test_handing_on_the_table_s_own_row_would_be_noticed(near_miss):
    function, arguments = CALLS[0]
    assert function is embedding and holds(lambda lookup: lookup(*arguments), near_miss)
    assert not holds(lambda lookup: leaves_alone(lookup, CALLS[0][1]), near_miss)


def test_every_function_of_the_module_is_tested_here():
    own = {f for f, g in inspect.getmembers(layers, inspect.isfunction) if g.__module__ == layers.__name__}
    assert own == {f.__name__ for f, _ in CALLS}
