"""Layers, by hand and against definitions written out another way."""

import inspect
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest
from tables import assert_close, eighths, holds, leaves_alone, lengths, true_of, whole_numbers

from helpers import embedding, feed_forward, gelu, layer_norm, layers, linear, relu, rms_norm
from helpers.course.argument_checks import shape
from helpers.course.lessons.registry import course_state
from helpers.matrices import matmul, transpose

PUBLISHED = json.loads(Path(__file__).with_name("published_feed_forward.json").read_text(encoding="utf-8"))

# --- embedding


def unchecked_lookup(ids, E):
    return [list(E[i]) for i in ids]


@true_of(
    embedding,
    not_of={
        "ids from 1": lambda ids, E: [list(E[i - 1]) for i in ids],
        "the position's row": lambda ids, E: [list(E[t]) for t, _ in enumerate(ids)],
        "columns": lambda ids, E: [[row[i] for row in E] for i in ids],
        "each id once": lambda ids, E: [list(E[i]) for i in dict.fromkeys(ids)],
        "in the table's order": lambda ids, E: [list(E[i]) for i in sorted(ids)],
    },
)
def test_embedding_by_hand(embedding):
    E = [[10, 11], [20, 21], [30, 31]]
    assert embedding([2, 0, 2], E) == [[30, 31], [10, 11], [30, 31]]
    assert embedding([1], E) == [[20, 21]]
    assert embedding([0, 0], [[5]]) == [[5], [5]]


@true_of(
    embedding,
    not_of={
        "ids from 1": lambda ids, E: [list(E[i - 1]) for i in ids],
        "columns": lambda ids, E: [[row[i] for row in E] for i in ids],
    },
)
def test_looking_up_is_a_product_with_one_hot_rows(embedding):
    rng = random.Random(1)
    for T, V, D in (1, 1, 1), (3, 3, 3), (5, 6, 16), (7, 2, 1):
        ids, E = [rng.randrange(V) for _ in range(T)], whole_numbers(rng, V, D)
        one_hot = [[int(v == i) for v in range(V)] for i in ids]
        assert embedding(ids, E) == matmul(one_hot, E)


# --- linear


def untransposed(X, W, b=None):
    """x·W, the way of papers and of GPT-2's files: on a square W no shape complains."""
    return [[x + y for x, y in zip(row, b or [0] * len(row))] for row in matmul(X, W)]


def bias_down_the_columns(X, W, b=None):
    return [[y + (b or [0] * len(X))[t] for y in row] for t, row in enumerate(linear(X, W))]


@true_of(
    linear,
    not_of={
        "bias forgotten": lambda X, W, b=None: linear(X, W),
        "bias subtracted": lambda X, W, b=None: linear(X, W, [-x for x in b] if b else b),
        "bias on the first row only": lambda X, W, b=None: linear(X[:1], W, b) + linear(X, W)[1:],
        "a bias for each position": bias_down_the_columns,
        "x·W": untransposed,
        "result transposed": lambda X, W, b=None: transpose(linear(X, W, b)),
    },
)
def test_linear_by_hand(linear):
    # row 0: 3 + 8, 5 + 12, 7 + 16; row 1: -4, -6, -8; then 10, 20, 30 are added
    X, W = [[1, 2], [0, -1]], [[3, 4], [5, 6], [7, 8]]
    assert linear(X, W) == [[11, 17, 23], [-4, -6, -8]]
    assert linear(X, W, [10, 20, 30]) == [[21, 37, 53], [6, 14, 22]]
    assert linear([[1, 2]], [[3, 4], [5, 6]], [0, 1]) == [[11, 18]]  # x·W would give 13, 17
    assert linear([[3]], [[4]], [5]) == [[17]]
    assert linear([[1, 1, 1]], [[1, 2, 3]], [-6]) == [[0]]


@true_of(
    linear,
    not_of={
        "bias forgotten": lambda X, W, b: linear(X, W),
        "x·W": untransposed,
        "bias multiplied": lambda X, W, b: [[y * c for y, c in zip(row, b)] for row in linear(X, W)],
    },
)
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


@true_of(
    layer_norm,
    not_of={
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
    },
)
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


@true_of(
    layer_norm,
    not_of={
        "variance by n - 1": wrong_norm(variance_by=1),
        "all rows as one": wrong_norm(whole=True),
        "by columns": by_columns,
        "eps forgotten": lambda X, gamma, beta, eps: layer_norm(X, gamma, beta, 0),
        "mean left in": lambda X, g, b, e: [[x / math.dist(row, [0] * len(row)) for x in row] for row in X],
    },
)
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


@true_of(
    layer_norm,
    not_of={
        "mean left in": lambda X, g, b, e: [
            [x / (e + math.dist(row, [0] * len(row))) for x in row] for row in X
        ],
        "centred but not scaled": lambda X, g, b, e: [[x - sum(row) / len(row) for x in row] for row in X],
        "all rows as one": wrong_norm(whole=True),
    },
)
def test_shifting_or_stretching_a_row_changes_nothing_and_no_row_sees_another(layer_norm):
    for X in rows_to_normalise():
        gamma, beta = ones_and_zeros(X)
        normed = layer_norm(X, gamma, beta, 0.0)
        for t, row in enumerate(X):
            assert_close(layer_norm([[x + 40 for x in row]], gamma, beta, 0.0), [normed[t]])
            assert_close(layer_norm([[x * 3 for x in row]], gamma, beta, 0.0), [normed[t]])
            assert_close(layer_norm([[-x for x in row]], gamma, beta, 0.0), [[-y for y in normed[t]]])


# --- rms norm


def right_root(mean, eps):
    return math.sqrt(mean + eps)


def wrong_rms(square=lambda x: x * x, n=len, root=right_root, gamma_first=False, whole=False):
    """RMS norm with one thing wrong."""

    def norm(X, gamma, eps=1e-5):
        result = []
        for row in X:
            row = [g * x for g, x in zip(gamma, row)] if gamma_first else row
            seen = [x for r in X for x in r] if whole else row
            size = root(sum(map(square, seen)) / n(seen), eps)
            result.append([x / size if gamma_first else g * x / size for x, g in zip(row, gamma)])
        return result

    return norm


RMS_EPS_OUTSIDE = wrong_rms(root=lambda mean, eps: math.sqrt(mean) + eps)
RMS_BY_N_MINUS_1 = wrong_rms(n=lambda row: max(1, len(row) - 1))
RMS_BY_THE_LENGTH = wrong_rms(n=lambda row: 1)
RMS_MEAN_OF_SIZES = wrong_rms(square=abs, root=lambda mean, eps: mean + eps)
RMS_ROWS_AS_ONE = wrong_rms(whole=True)


def layer_norm_for_it(X, gamma, eps=1e-5):
    return layer_norm(X, gamma, [0.0] * len(gamma), eps)


def spread_for_size(X, gamma, eps=1e-5):
    """Divides by the spread around the mean, but leaves the mean in."""
    means = [sum(row) / len(row) for row in X]
    return [
        [
            y + m * g / math.sqrt(sum((x - m) ** 2 for x in row) / len(row) + eps)
            for y, g in zip(normed, gamma)
        ]
        for row, normed, m in zip(X, layer_norm_for_it(X, gamma, eps), means)
    ]


@true_of(
    rms_norm,
    not_of={
        "layer norm": layer_norm_for_it,
        "the spread around the mean": spread_for_size,
        "mean of squares by n - 1": RMS_BY_N_MINUS_1,
        "the row's length": RMS_BY_THE_LENGTH,
        "the mean of the sizes": RMS_MEAN_OF_SIZES,
        "no root": wrong_rms(root=lambda mean, eps: mean + eps),
        "eps outside the root": RMS_EPS_OUTSIDE,
        "eps as a floor": wrong_rms(root=lambda mean, eps: math.sqrt(max(mean, eps))),
        "eps fixed": lambda X, gamma, eps=1e-5: rms_norm(X, gamma),
        "usual eps 1e-6": lambda X, gamma, eps=1e-6: rms_norm(X, gamma, eps),
        "usual eps 1e-8": lambda X, gamma, eps=1e-8: rms_norm(X, gamma, eps),
        "gamma before normalising": wrong_rms(gamma_first=True),
        "gamma forgotten": lambda X, gamma, eps=1e-5: rms_norm(X, [1] * len(gamma), eps),
        "1 + gamma": lambda X, gamma, eps=1e-5: rms_norm(X, [1 + g for g in gamma], eps),
        "all rows as one": RMS_ROWS_AS_ONE,
    },
)
def test_rms_norm_by_hand(rms_norm):
    # squares 1 and 49, mean 25, root 5; twice that in the other row
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


@true_of(
    rms_norm,
    not_of={
        "layer norm": layer_norm_for_it,
        "mean of squares by n - 1": RMS_BY_N_MINUS_1,
        "the row's length": RMS_BY_THE_LENGTH,
        "all rows as one": RMS_ROWS_AS_ONE,
        "eps outside the root": RMS_EPS_OUTSIDE,
        "eps forgotten": lambda X, gamma, eps: rms_norm(X, gamma, 0),
    },
)
def test_a_row_has_a_mean_square_of_1_and_a_little_below_with_eps(rms_norm):
    """Exactly s/(s + eps), where s is the mean square before."""
    for X in rows_to_normalise():
        for eps in (0, 1e-5, 0.5, 100.0):
            for row, normed in zip(X, rms_norm(X, [1.0] * len(X[0]), eps), strict=True):
                s = sum(Fraction(x) ** 2 for x in row) / len(row)
                assert math.isclose(
                    sum(x * x for x in normed) / len(row), s / (s + Fraction(eps)), rel_tol=1e-12
                )
                assert all((x > 0) == (y > 0) and (x < 0) == (y < 0) for x, y in zip(row, normed))


@true_of(
    rms_norm,
    not_of={
        "all rows as one": RMS_ROWS_AS_ONE,
        "no root": wrong_rms(root=lambda mean, eps: mean),
        "always above 0": lambda X, gamma, eps: [[abs(y) for y in row] for row in rms_norm(X, gamma, eps)],
        "unchanged": lambda X, gamma, eps: X,
    },
)
def test_stretching_a_row_changes_nothing_and_no_row_sees_another(rms_norm):
    for X in rows_to_normalise():
        gamma = [1.0 + i for i in range(len(X[0]))]
        for t, (row, normed) in enumerate(zip(X, rms_norm(X, gamma, 0), strict=True)):
            for c in 3, 1e-6, 1e6:
                assert_close(rms_norm([[c * x for x in row]], gamma, 0), [normed])
            assert_close(rms_norm([[-x for x in row]], gamma, 0), [[-y for y in normed]])


@true_of(rms_norm, not_of={"layer norm": layer_norm_for_it, "the spread around the mean": spread_for_size})
def test_shifting_a_row_does_change_it_and_a_row_of_mean_0_is_layer_norm_s(rms_norm):
    for X in rows_to_normalise():
        ones, zeros = ones_and_zeros(X)
        centred = [[x - sum(row) / len(row) for x in row] for row in X]
        assert_close(rms_norm(centred, ones), layer_norm(X, ones, zeros))
        for row in centred:
            (shifted,) = rms_norm([[x + 40 for x in row]], ones)
            # far from 0 what the entries share drowns what sets them apart
            assert all(abs(y - 1) < 0.5 for y in shifted) and sum(shifted) > 0.8 * len(row)


# --- feed-forward


def wrong_network(first=linear, bend_before=False, bend_after=False, bend=None, second=linear):
    """Feed-forward with one thing wrong."""

    def network(X, W_1, b_1, W_2, b_2, activation=gelu):
        def bent(M):
            return [[(bend or activation)(x) for x in row] for row in M]

        Y = second(bent(first(bent(X) if bend_before else X, W_1, b_1)), W_2, b_2)
        return bent(Y) if bend_after else Y

    return network


def without_bias(X, W, b=None):
    return linear(X, W)


def exact_gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


SMALL = [[[1, 0], [0, 1], [1, -1]], [0, 1, 0], [[1, 10, 100], [2, 0, 5]], [0.5, -3]]  # W_1, b_1, W_2, b_2


@true_of(
    feed_forward,
    not_of={
        "no bend": wrong_network(bend=lambda h: h),
        "GELU whatever is asked for": wrong_network(bend=gelu),
        "bent at the end too": wrong_network(bend_after=True),
        "bent before the first layer": wrong_network(bend_before=True),
        "b_1 forgotten": wrong_network(first=without_bias),
        "b_2 forgotten": wrong_network(second=without_bias),
        "W_1 as x·W": wrong_network(first=untransposed),
        "W_2 as x·W": wrong_network(second=untransposed),
        "a bias for each position": wrong_network(first=bias_down_the_columns),
    },
)
def test_feed_forward_by_hand(feed_forward):
    # row 0: hidden 1, 3, -1, then 1, 3, 0, then 1 + 30 + 0.5 and 2 - 3
    # row 1: hidden 0, 0, 1, unchanged, then 100 + 0.5 and 5 - 3
    assert feed_forward([[1, 2], [0, -1]], *SMALL, activation=relu) == [[31.5, -1], [100.5, 2]]
    # square, so that no shape complains when a matrix lies on its side: hidden 1, -2, then 1, 0, then 3 and 5
    assert feed_forward([[1, 2]], [[1, 0], [2, -2]], [0, 0], [[3, 4], [5, 6]], [0, 0], relu) == [[3, 5]]
    assert feed_forward([[1, 2]], [[1, 0], [2, -2]], None, [[3, 4], [5, 6]], None, relu) == [[3, 5]]
    assert feed_forward([[3]], [[2]], [-10], [[7]], [1], activation=abs) == [[29]]


@true_of(
    feed_forward,
    not_of={
        "ReLU": wrong_network(bend=relu),
        "exact GELU": wrong_network(bend=exact_gelu),
        "no bend": wrong_network(bend=lambda h: h),
    },
)
def test_without_a_word_the_bend_is_gelu_in_its_tanh_form(feed_forward):
    one, two = ([[1]], [0], [[1]], [0]), ([[1], [-1]], [0, 0], [[1, 10]], [0])
    tanh_form = [0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in (2, -2)]
    assert_close(feed_forward([[2], [-2]], *one), [[tanh_form[0]], [tanh_form[1]]])
    assert_close(feed_forward([[2]], *two), [[tanh_form[0] + 10 * tanh_form[1]]])


@true_of(
    feed_forward,
    not_of={
        "b_1 forgotten": wrong_network(first=without_bias),
        "no bend": wrong_network(bend=lambda h: h),
        "W_1 as x·W": wrong_network(first=untransposed),
        "W_2 as x·W": wrong_network(second=untransposed),
    },
)
def test_feed_forward_is_index_loops_over_fractions(feed_forward):
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


def comes_back_as_a_batch(X, *parameters):
    """Makes a batch of one matrix, and asks the batch whether it was a batch: a published slip."""
    if len(shape(X)) == 2:
        X = [X]
    results = [feed_forward(rows, *parameters) for rows in X]
    return results[0] if len(shape(X)) == 2 else results


@true_of(
    feed_forward,
    not_of={
        "a matrix comes back as a batch of one": comes_back_as_a_batch,
        "the wide middle comes back": lambda X, W_1, b_1, W_2, b_2: linear(X, W_1, b_1),
        "one row for all": lambda X, *parameters: [feed_forward(X, *parameters)[0]],
        "positions outside": lambda X, *parameters: transpose(feed_forward(X, *parameters)),
    },
)
def test_a_matrix_gives_a_matrix_and_a_batch_in_a_comprehension_gives_as_many(feed_forward):
    rng = random.Random(5)
    for T in 1, 5, 7:
        assert lengths(feed_forward(eighths(rng, T, 16), *OWN)) == lengths([[0] * 16] * T)
    batch = eighths(rng, 3, 5, 16)
    assert lengths([feed_forward(X, *OWN) for X in batch]) == lengths(batch)
    assert [feed_forward(X, *OWN) for X in batch][1] == feed_forward(batch[1], *OWN)


def mean_row_added(X, *parameters):
    mean = [sum(column) / len(X) for column in zip(*X)]
    return feed_forward([[x + y for x, y in zip(row, mean)] for row in X], *parameters)


def row_before_added(X, *parameters):
    return feed_forward([[a + b for a, b in zip(*rows)] for rows in zip(X, [X[0], *X])], *parameters)


def other_weights_at_the_end(X, W_1, b_1, W_2, b_2):
    turned_round = [W_1[::-1], b_1, W_2, b_2]
    return [feed_forward([x], *(turned_round if t else [W_1, b_1, W_2, b_2]))[0] for t, x in enumerate(X)]


@true_of(
    feed_forward,
    not_of={
        "sees the mean of all rows": mean_row_added,
        "other weights at other positions": other_weights_at_the_end,
        "sees the row before": row_before_added,
    },
)
def test_each_row_alone_and_all_alike(feed_forward):
    X = eighths(random.Random(6), 5, 16)
    Y = feed_forward(X, *OWN)
    for t, row in enumerate(X):
        assert feed_forward([row], *OWN) == [Y[t]]
        changed = feed_forward([*X[:t], [x + 1 for x in row], *X[t + 1 :]], *OWN)
        assert [a == b for a, b in zip(changed, Y)] == [other != t for other in range(5)]
    assert feed_forward(X[::-1], *OWN) == Y[::-1]


@true_of(
    feed_forward,
    not_of={
        "ReLU": wrong_network(bend=relu),
        "no bend": wrong_network(bend=lambda h: h),
        "b_1 forgotten": wrong_network(first=without_bias),
        "b_2 forgotten": wrong_network(second=without_bias),
    },
)
def test_the_published_output(feed_forward):
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


def rows_popped(ids, E):
    return [list(E[ids.pop(0)]) for _ in range(3)]


@pytest.mark.parametrize("near_miss", [lambda ids, E: [E[i] for i in ids], rows_popped])
def test_handing_on_the_table_s_own_row_would_be_noticed(near_miss):
    function, arguments = CALLS[0]
    assert function is embedding and holds(lambda lookup: lookup(*arguments), near_miss)
    assert not holds(lambda lookup: leaves_alone(lookup, CALLS[0][1]), near_miss)


def test_every_function_of_the_module_is_tested_here():
    own = {f for f, g in inspect.getmembers(layers, inspect.isfunction) if g.__module__ == layers.__name__}
    assert own - {"swiglu"} == {f.__name__ for f, _ in CALLS}  # swiglu: test_llama.py
