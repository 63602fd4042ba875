"""Layers, by hand and against definitions written out another way."""

import math
import random
from fractions import Fraction

from published import published_feed_forward
from tables import assert_close, eighths, whole_numbers

from helpers import embedding, feed_forward, layer_norm, linear, relu, rms_norm, swiglu
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
    """Exactly σ²/(σ² + eps): 0.999158 instead of 1 is the effect of eps, not of n - 1 for n."""
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


def test_shifting_or_scaling_a_row_changes_nothing_and_no_row_depends_on_another():
    for X in rows_to_normalise():
        gamma, beta = ones_and_zeros(X)
        for row, normed in zip(X, layer_norm(X, gamma, beta, 0.0)):
            assert_close(layer_norm([[x * 3 + 40 for x in row]], gamma, beta, 0.0), [normed])
            assert_close(layer_norm([[-x for x in row]], gamma, beta, 0.0), [[-y for y in normed]])


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


def test_scaling_a_row_changes_nothing_and_no_row_depends_on_another():
    for X in rows_to_normalise():
        gamma = [1.0 + i for i in range(len(X[0]))]
        for row, normed in zip(X, rms_norm(X, gamma, 0), strict=True):
            for c in 3, 1e-6, 1e6:
                assert_close(rms_norm([[c * x for x in row]], gamma, 0), [normed])
            assert_close(rms_norm([[-x for x in row]], gamma, 0), [[-y for y in normed]])


def test_a_row_of_mean_0_has_the_result_of_layer_norm_and_a_shifted_one_has_not():
    for X in rows_to_normalise():
        ones, zeros = ones_and_zeros(X)
        centred = [[x - sum(row) / len(row) for x in row] for row in X]
        assert_close(rms_norm(centred, ones), layer_norm(X, ones, zeros))
        for row in centred:
            (shifted,) = rms_norm([[x + 40 for x in row]], ones)
            assert all(abs(y - 1) < 0.5 for y in shifted)  # the common 40 is larger than the differences


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


def test_feed_forward_is_index_loops_over_fractions():
    rng = random.Random(4)
    for T, D, F, m in (2, 3, 3, 3), (1, 1, 1, 1), (1, 4, 2, 3), (3, 2, 8, 2), (5, 16, 64, 16):
        X, W_1, b_1 = eighths(rng, T, D), eighths(rng, F, D), eighths(rng, F)
        W_2, b_2 = eighths(rng, m, F), eighths(rng, m)
        Y = feed_forward(X, W_1, b_1, W_2, b_2, relu)
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


def test_each_row_gets_its_result_whatever_the_others_are():
    X = eighths(random.Random(6), 5, 16)
    Y = feed_forward(X, *OWN)
    for t, row in enumerate(X):
        assert feed_forward([row], *OWN) == [Y[t]]
    assert feed_forward(X[::-1], *OWN) == Y[::-1]


def test_the_published_output():
    """A published notebook draws the same weights and prints four decimals."""
    attention_output = course_state("04_multi_head_attention")["activations"]["attention_output"]
    output = feed_forward(attention_output, *OWN)
    assert [[round(y, 4) for y in row] for row in output] == PUBLISHED["feed_forward_output"]


# --- swiglu


def test_swiglu_by_hand():
    """Gates 0 and 100, of which silu makes 0 and 100; ups 7 and 2."""
    assert swiglu([[1, 2]], [[2, -1], [0, 50]], [[7, 0], [2, 0]], [[1, 1], [5, 0.5]]) == [[200, 100]]


def gauss(rng, rows, columns):
    return [[rng.gauss(0, 1) for _ in range(columns)] for _ in range(rows)]


def test_swiglu_is_index_loops_over_its_definition():
    """The gate alone passes silu: x / (1 + exp(-x))."""
    rng = random.Random(8)
    for T, D, F, m in (2, 3, 3, 3), (1, 1, 1, 1), (3, 2, 5, 4):
        X, W_gate, W_up, W_down = (gauss(rng, *size) for size in ((T, D), (F, D), (F, D), (m, F)))
        Y = swiglu(X, W_gate, W_up, W_down)
        for t in range(T):
            hidden = []
            for f in range(F):
                gate = sum(X[t][d] * W_gate[f][d] for d in range(D))
                up = sum(X[t][d] * W_up[f][d] for d in range(D))
                hidden.append(gate / (1 + math.exp(-gate)) * up)
            for o in range(m):
                assert math.isclose(Y[t][o], sum(W_down[o][f] * hidden[f] for f in range(F)), rel_tol=1e-9)
