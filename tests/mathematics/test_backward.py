"""Backward passes: small numbers worked by hand, and larger ones against finite differences."""

import inspect
import math
import random

import pytest
from gradient_checks import but, derivatives, has_the_gradients_of, times
from tables import assert_close, eighths, leaves_alone, lists_in, mathematics, with_other

from helpers import backward
from helpers.activations import (
    gelu,
    gelu_derivative,
    gelu_exact,
    gelu_exact_derivative,
    quick_gelu,
    quick_gelu_derivative,
    relu,
    relu_derivative,
    silu,
    silu_derivative,
)
from helpers.attention import (
    attention,
    attention_scores,
    causal_mask,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    softmax,
    split_heads,
)
from helpers.backward import (
    activation_backward,
    add_backward,
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
    transpose_backward,
)
from helpers.layers import embedding, feed_forward, layer_norm, linear, rms_norm, swiglu
from helpers.losses import cross_entropy, perplexity, token_losses
from helpers.matrices import add, dot, matmul, scale, transpose
from helpers.rope import rope

INF, LOG_3 = math.inf, math.log(3)


def gauss(rng, *sizes, spread=1.0):
    """Nested lists of random numbers: nothing about them is special."""
    return [gauss(rng, *sizes[1:], spread=spread) for _ in range(sizes[0])] if sizes else rng.gauss(0, spread)


def zeros(tree):
    return times(tree, 0.0)


# With this step the measure is off by 2e-10 of a tensor's largest derivative at most, mostly by 1e-12.
MEASURED = {"h": 5e-4, "within": 1e-9}


# --- the measure itself


def test_the_measure_is_exact_up_to_degree_four():
    assert derivatives(lambda x: x**4, 3, 1) == 108
    assert derivatives(lambda x: 5 * x**3 - x, 3, 1) == 134
    assert derivatives(lambda x: x**4, 0.5, 0.25) == 0.5


def test_the_measure_finds_every_number_of_a_nest_and_puts_it_back():
    tree = {"a": [[1, 2], [3, 4]], "b": [5]}
    assert derivatives(lambda n: n["a"][0][1] * n["a"][1][0] + n["b"][0] ** 2, tree, 1) == {
        "a": [[0, 3], [2, 0]],
        "b": [10],
    }
    assert tree == {"a": [[1, 2], [3, 4]], "b": [5]}


# --- dot, matmul, transpose, add, scale


def test_dot_backward_by_hand():
    assert dot_backward(3, [1, 2], [4, -5]) == ([12, -15], [3, 6])
    assert dot_backward(-2, [7], [0.5]) == ([-1], [-14])
    assert dot_backward(0.5, [2, 0, 4], [6, 8, 0]) == ([3, 4, 0], [1, 0, 2])


def pairs_of_vectors():
    rng = random.Random(1)
    return [[eighths(rng, n), eighths(rng, n)] for n in (1, 2, 3, 7)]


def test_dot_backward_by_differences():
    has_the_gradients_of(dot, pairs_of_vectors(), (0, 1), lambda u, v: (u, v), seed=2)(dot_backward)


MATMUL = {
    "B for Bᵀ, where no shape complains": but(
        matmul_backward, 0, lambda d_A, d, A, B: matmul(d, B) if len(B) == len(B[0]) else d_A
    ),
    "A for Aᵀ, where no shape complains": but(
        matmul_backward, 1, lambda d_B, d, A, B: matmul(A, d) if len(A) == len(A[0]) else d_B
    ),
    "Bᵀ·d_out, where no shape complains": but(
        matmul_backward,
        0,
        lambda d_A, d, A, B: matmul(transpose(B), d) if len(d) == len(d[0]) == len(B) else d_A,
    ),
    "d_A is B's": lambda d, A, B: matmul_backward(d, A, B)[::-1],
    "d_B forgotten": but(matmul_backward, 1, lambda d_B, *_: zeros(d_B)),
    "d_B averaged over the rows": but(matmul_backward, 1, lambda d_B, d, *_: times(d_B, 1 / len(d))),
}


def test_matmul_backward_by_hand():
    d_out, A, B = [[1, 0], [2, -1]], [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    assert matmul_backward(d_out, A, B) == ([[5, 7], [4, 6]], [[7, -3], [10, -4]])
    # d_A: 1 + 2·100, 4 + 5·10 + 6·100. d_B: each row of it is d_out times 2, times 3
    d_out, A, B = [[1, 10, 100]], [[2, 3]], [[1, 0, 2], [4, 5, 6]]
    assert matmul_backward(d_out, A, B) == ([[201, 654]], [[2, 20, 200], [3, 30, 300]])


def pairs_to_multiply():
    rng = random.Random(3)
    sizes = (2, 2, 2), (3, 3, 3), (1, 1, 1), (1, 4, 2), (3, 1, 2), (2, 3, 1), (4, 2, 3)
    return [[eighths(rng, m, n), eighths(rng, n, p)] for m, n, p in sizes]


def test_matmul_backward_by_differences():
    has_the_gradients_of(matmul, pairs_to_multiply(), (0, 1), lambda A, B: (A, B), seed=4)(matmul_backward)


def test_transpose_backward_by_hand():
    assert transpose_backward([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]
    assert transpose_backward([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
    assert transpose_backward([[7, 8]]) == [[7], [8]]


def some_matrices():
    rng = random.Random(5)
    return [[eighths(rng, m, n)] for m, n in ((2, 2), (1, 1), (3, 2), (1, 4), (5, 1))]


def test_transpose_backward_by_differences():
    has_the_gradients_of(transpose, some_matrices(), (0,), lambda A: (), seed=6)(transpose_backward)


ADDED = {
    "half to each": lambda d: add_backward(times(d, 0.5)),
    "all to the first": but(add_backward, 1, lambda d_B, d: zeros(d)),
    "all to the second": but(add_backward, 0, lambda d_A, d: zeros(d)),
    "subtracted": but(add_backward, 1, lambda d_B, d: times(d, -1)),
    "one, not two": lambda d: [list(row) for row in d],
    "doubled": lambda d: add_backward(times(d, 2)),
}


def test_add_backward_by_hand():
    assert add_backward([[1, -2], [0, 3], [5, 4]]) == ([[1, -2], [0, 3], [5, 4]], [[1, -2], [0, 3], [5, 4]])
    assert add_backward([[0.5]]) == ([[0.5]], [[0.5]])


def test_add_backward_by_differences():
    has_the_gradients_of(
        add, [[A, times(A, 0.5)] for (A,) in some_matrices()], (0, 1), lambda A, B: (), seed=7
    )(add_backward)


def test_scale_backward_by_hand():
    assert scale_backward([[1, -2], [0, 3]], [[4, 5], [6, 7]], 10) == ([[10, -20], [0, 30]], 15)
    assert scale_backward([[2, 4, 6]], [[1, 1, 0.5]], -0.5) == ([[-1, -2, -3]], 9)


def test_scale_backward_by_differences():
    has_the_gradients_of(
        scale,
        [[A, c] for (A,), c in zip(some_matrices(), (3, -0.5, 0.25, 7, -2))],
        (0, 1),
        lambda A, c: (A, c),
        seed=8,
    )(scale_backward)


# --- embedding


def written_over(d_out, ids, E):
    d_E = zeros(E)
    for row, i in zip(d_out, ids):
        d_E[i] = list(row)
    return d_E


def averaged_over_places(d_out, ids, E):
    return [times(row, 1 / max(1, ids.count(i))) for i, row in enumerate(embedding_backward(d_out, ids, E))]


def test_embedding_backward_by_hand():
    d_out, E = [[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 9], [8, 8], [7, 7], [6, 6]]
    assert embedding_backward(d_out, [2, 0, 2, 2], E) == [[3, 4], [0, 0], [13, 16], [0, 0]]
    assert embedding_backward([[5], [-7]], [1, 1], [[3], [4]]) == [[0], [-2]]
    assert embedding_backward([[1, 2, 3]], [0], [[1, 1, 1]]) == [[1, 2, 3]]


def lookups():
    rng = random.Random(9)
    sizes = (4, 4, 4), (1, 1, 1), (7, 3, 2), (3, 6, 1), (5, 2, 3)
    return [[[rng.randrange(V) for _ in range(T)], eighths(rng, V, D)] for T, V, D in sizes]


def test_embedding_backward_by_differences():
    has_the_gradients_of(embedding, lookups(), (1,), lambda ids, E: (ids, E), seed=10)(embedding_backward)


# --- linear

LINEAR = {
    "Wᵀ for W, where no shape complains": but(
        linear_backward, 0, lambda d_X, d, X, W: linear(d, W) if len(W) == len(W[0]) else d_X
    ),
    "d_W turned, where no shape complains": but(
        linear_backward, 1, lambda d_W, d, X, W: transpose(d_W) if len(W) == len(W[0]) else d_W
    ),
    "d_W averaged over the rows": but(linear_backward, 1, lambda d_W, d, *_: times(d_W, 1 / len(d))),
    "d_W of the last row": but(linear_backward, 1, lambda d_W, d, X, W: matmul(transpose(d[-1:]), X[-1:])),
    "d_b averaged": but(linear_backward, 2, lambda d_b, d, *_: times(d_b, 1 / len(d))),
    "d_b of the last row": but(linear_backward, 2, lambda d_b, d, *_: list(d[-1])),
    "d_b of the columns": but(linear_backward, 2, lambda d_b, d, *_: [sum(row) for row in d]),
    "d_b a row of ones": but(linear_backward, 2, lambda d_b, *_: [1.0] * len(d_b)),
    "d_b forgotten": lambda d, X, W: linear_backward(d, X, W)[:2],
}


def test_linear_backward_by_hand():
    d_out, X, W = [[1, 2], [3, 4]], [[1, 0, -1], [2, 1, 0]], [[1, 2, 3], [4, 5, 6]]
    d_X, d_W = [[9, 12, 15], [19, 26, 33]], [[7, 3, -1], [10, 4, -2]]
    assert linear_backward(d_out, X, W) == (d_X, d_W, [4, 6])
    # W is square: its transpose would give 1 3, and d_W turned 5 0, 6 0
    assert linear_backward([[1, 0]], [[5, 6]], [[1, 2], [3, 4]]) == ([[1, 2]], [[5, 6], [0, 0]], [1, 0])


def layers_to_undo():
    rng = random.Random(11)
    sizes = (3, 4, 4), (2, 2, 2), (1, 1, 1), (7, 3, 2), (1, 2, 5), (4, 1, 3), (5, 3, 1)
    return [[eighths(rng, T, n), eighths(rng, m, n), eighths(rng, m)] for T, n, m in sizes]


def test_linear_backward_by_differences():
    has_the_gradients_of(linear, layers_to_undo(), (0, 1, 2), lambda X, W, b: (X, W), seed=12)(
        linear_backward
    )


# --- activations and the feed-forward network


def exact_cdf(x):
    return (1 + math.erf(x / math.sqrt(2))) / 2


def mixed_derivative(x):
    """The tanh form's CDF with the exact bell curve: the derivative of neither."""
    return gelu(x) / x + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) if x else 0.5


DERIVATIVE_OF = {
    gelu: gelu_derivative,
    gelu_exact: gelu_exact_derivative,
    quick_gelu: quick_gelu_derivative,
    relu: relu_derivative,
}
ACTIVATION_OF = {derivative: activation for activation, derivative in DERIVATIVE_OF.items()}


def bend(X, activation=gelu):
    return [[activation(x) for x in row] for row in X]


BENT = {
    "slope at the activated value": lambda d, X, derivative=gelu_derivative: activation_backward(
        d, bend(X, ACTIVATION_OF.get(derivative, lambda x: x * x)), derivative
    ),
    "slope forgotten": lambda d, X, derivative=gelu_derivative: [list(row) for row in d],
    "d_out forgotten": lambda d, X, derivative=gelu_derivative: bend(X, derivative),
    "d_out added": lambda d, X, derivative=gelu_derivative: add(d, bend(X, derivative)),
    "derivative at d_out": lambda d, X, derivative=gelu_derivative: activation_backward(X, d, derivative),
    "the first row only": lambda d, X, derivative=gelu_derivative: (
        activation_backward(d[:1], X[:1], derivative) + d[1:]
    ),
    "another derivative than asked for": lambda d, X, derivative=gelu_derivative: activation_backward(d, X),
}
ANOTHER_DEFAULT = {
    "tanh CDF with exact pdf": lambda d, X: activation_backward(d, X, mixed_derivative),
    "slope of the exact form": lambda d, X: activation_backward(d, X, gelu_exact_derivative),
    "derivative of ReLU": lambda d, X: activation_backward(d, X, relu_derivative),
    "the CDF alone": lambda d, X: activation_backward(d, X, exact_cdf),
    "the activation itself": lambda d, X: activation_backward(d, X, gelu),
    **{wrong: BENT[wrong] for wrong in BENT if wrong != "another derivative than asked for"},
}


def test_activation_backward_by_hand():
    assert activation_backward([[1, 2], [3, 4]], [[5, -1], [0, 0.5]], lambda x: 2 * x) == [[10, -4], [0, 4]]
    assert activation_backward([[1], [2], [-3]], [[0.1], [-4], [7]], derivative=relu_derivative) == [
        [1],
        [0],
        [-3],
    ]
    # GELU's derivative is 1/2 at 0, 1 and 0 far away
    assert_close(activation_backward([[6, 7, 8]], [[0, 50, -50]]), [[3, 7, 0]])


def rows_to_bend():
    rng = random.Random(13)
    sizes = (3, 3), (1, 1), (2, 5), (7, 1)
    return [[gauss(rng, T, n)] for T, n in sizes]


def test_activation_backward_by_differences():
    has_the_gradients_of(bend, rows_to_bend(), (0,), lambda X: (X,), seed=14, **MEASURED)(activation_backward)


def test_activation_backward_by_differences_with_other_activations():
    has_the_gradients_of(
        bend,
        [[X, f] for (X,) in rows_to_bend() for f in (gelu_exact, quick_gelu)],
        (0,),
        lambda X, f: (X, DERIVATIVE_OF[f]),
        seed=15,
        **MEASURED,
    )(activation_backward)


def turned_through(module, function, which):
    """Going back through one of its matrices it takes the transposed, but only if it is square: no shape
    complains."""

    def variant(*arguments):
        matrices = lists_in(which(*arguments))

        def linear_backward_turned(d_out, X, W):
            d_X, d_W, d_b = linear_backward(d_out, X, W)
            turn = len(W) == len(W[0]) and any(W is matrix for matrix in matrices)
            return (linear(d_out, W) if turn else d_X), d_W, d_b

        return with_other(module, function, linear_backward=linear_backward_turned)(*arguments)

    return variant


def test_feed_forward_backward_by_hand():
    X, W_1, b_1 = [[1, 2]], [[1, 1], [2, -1], [-1, 0], [3, 0]], [1, -2, -3, 2]
    W_2, d_out = [[1, 2, 3, 4], [5, 6, 7, 8]], [[1, 10]]
    # activated gets 51 62 73 84, hidden 51 0 0 84
    d_W_1, d_b_1 = [[51, 102], [0, 0], [0, 0], [84, 168]], [51, 0, 0, 84]
    d_W_2, d_b_2 = [[4, 0, 0, 5], [40, 0, 0, 50]], [1, 10]
    got = feed_forward_backward(d_out, X, W_1, b_1, W_2, relu, relu_derivative)
    assert tuple(got) == ([[51 + 3 * 84, 51]], d_W_1, d_b_1, d_W_2, d_b_2)
    # two positions, one hidden number of 2·3 - 1 and of 2·1 - 1; activation h², derivatives 10 and 2
    got = feed_forward_backward([[1], [3]], [[3], [1]], [[2]], [-1], [[7]], lambda h: h * h, lambda h: 2 * h)
    # activated 25 and 1; hidden gets 70 and 42
    assert tuple(got) == ([[140], [84]], [[252]], [112], [[28]], [4])
    # square matrices: hidden 1 and 2; activated gets 3 4, and X 3·(1 2) + 4·(0 1)
    got = feed_forward_backward(
        [[1, 0]], [[1, 0]], [[1, 2], [0, 1]], [0, 2], [[3, 4], [5, 6]], relu, relu_derivative
    )
    assert tuple(got) == ([[3, 10]], [[3, 0], [4, 0]], [3, 4], [[1, 2], [0, 0]], [1, 0])


def first_layer(rng, T, D, F):
    """X, W_1, b_1 with no hidden number within a nudge of 0, where ReLU bends."""
    while True:
        first = gauss(rng, T, D), gauss(rng, F, D), gauss(rng, F)
        if min(abs(h) for row in linear(*first) for h in row) > 0.02:
            return first


def networks_to_undo(activations):
    """Of T positions, D wide, F hidden, m results; the first have square matrices."""
    rng = random.Random(16)
    sizes = (3, 3, 3, 3), (1, 1, 1, 1), (2, 3, 5, 2), (7, 2, 4, 1), (1, 4, 2, 3)
    for T, D, F, m in sizes:
        parts = *first_layer(rng, T, D, F), gauss(rng, m, F), gauss(rng, m)
        yield from ([*parts, *activation] for activation in activations)


def test_feed_forward_backward_by_differences():
    has_the_gradients_of(
        feed_forward,
        list(networks_to_undo([[]])),
        range(5),
        lambda X, W_1, b_1, W_2, b_2: (X, W_1, b_1, W_2),
        seed=17,
        **MEASURED,
    )(feed_forward_backward)


def test_feed_forward_backward_by_differences_with_other_activations():
    has_the_gradients_of(
        feed_forward,
        list(networks_to_undo([[gelu_exact], [quick_gelu], [relu]])),
        range(5),
        lambda X, W_1, b_1, W_2, b_2, f: (X, W_1, b_1, W_2, f, DERIVATIVE_OF[f]),
        seed=18,
        **MEASURED,
    )(feed_forward_backward)


def test_no_bias_is_a_bias_of_zeros():
    for X, W_1, _, W_2, b_2 in networks_to_undo([[]]):
        d_out = linear(bend(linear(X, W_1)), W_2, b_2)
        without, with_zeros = (
            feed_forward_backward(d_out, X, W_1, b_1, W_2) for b_1 in (None, [0] * len(W_1))
        )
        assert without == with_zeros


# --- layer norm, RMS norm


def wrong_norm(
    gamma_outside=False,
    mean_term=True,
    variance_term=True,
    centred=True,
    forget_eps=False,
    eps_outside=False,
    variance_by=0,
    size_once=True,
):
    """Layer norm's backward pass, or where nothing is centred RMS norm's, with something wrong."""

    def norm_backward(d_out, X, gamma, eps=1e-5):
        d_X, d_gamma = [], [0.0] * len(gamma)
        for row, d_row in zip(X, d_out):
            n, mean = len(row), sum(row) / len(row) if centred else 0.0
            variance = sum((x - mean) ** 2 for x in row) / max(1, n - variance_by)
            size = math.sqrt(variance + eps * (not forget_eps and not eps_outside)) + eps * eps_outside
            z = [(x - mean) / size for x in row]
            g = list(d_row) if gamma_outside else [d * c for d, c in zip(d_row, gamma)]
            means = (
                sum(g) / n * (mean_term and centred),
                sum(map(float.__mul__, map(float, g), z)) / n * variance_term,
            )
            d_row_X = [(a - means[0] - b * means[1]) / (size if size_once else 1) for a, b in zip(g, z)]
            d_X.append([d * c for d, c in zip(d_row_X, gamma)] if gamma_outside else d_row_X)
            d_gamma = [total + d * b for total, d, b in zip(d_gamma, d_row, z)]
        d_beta = [sum(column) for column in zip(*d_out)]
        return (d_X, d_gamma, d_beta) if centred else (d_X, d_gamma)

    return norm_backward


def norm_mistakes(right, **kind):
    """What goes wrong in both norms."""
    return {
        "gamma outside the averages": wrong_norm(gamma_outside=True, **kind),
        "variance term forgotten": wrong_norm(variance_term=False, **kind),
        "eps forgotten": wrong_norm(forget_eps=True, **kind),
        "eps outside the root": wrong_norm(eps_outside=True, **kind),
        "eps fixed": lambda d, X, gamma, eps=1e-5: right(d, X, gamma),
        "variance by n - 1": wrong_norm(variance_by=1, **kind),
        "not divided by the size": wrong_norm(size_once=False, **kind),
        "gamma forgotten": but(
            right, 0, lambda d_X, d, X, gamma, *eps: right(d, X, [1] * len(gamma), *eps)[0]
        ),
        "d_gamma of X": but(
            right, 1, lambda d_gamma, d, X, *_: [dot(*pair) for pair in zip(zip(*d), zip(*X))]
        ),
        "d_gamma of what is stretched": but(
            right, 1, lambda d_gamma, d, X, gamma, *_: [a * b for a, b in zip(d_gamma, gamma)]
        ),
        "d_gamma averaged": but(right, 1, lambda d_gamma, d, *_: times(d_gamma, 1 / len(d))),
        "d_gamma of the last row": but(
            right, 1, lambda d_gamma, d, X, *others: right(d[-1:], X[-1:], *others)[1]
        ),
    }


LAYER_NORM = {
    **norm_mistakes(layer_norm_backward),
    "mean term forgotten": wrong_norm(mean_term=False),
    "both terms forgotten": wrong_norm(mean_term=False, variance_term=False),
    "nothing centred": lambda *arguments: (
        *wrong_norm(centred=False)(*arguments),
        layer_norm_backward(*arguments)[2],
    ),
    "d_beta averaged": but(layer_norm_backward, 2, lambda d_beta, d, *_: times(d_beta, 1 / len(d))),
    "d_beta stretched": but(
        layer_norm_backward, 2, lambda d_beta, d, X, gamma, *_: [a * b for a, b in zip(d_beta, gamma)]
    ),
    "d_beta of the last row": but(layer_norm_backward, 2, lambda d_beta, d, *_: list(d[-1])),
    "d_gamma and d_beta swapped": lambda *arguments: [layer_norm_backward(*arguments)[i] for i in (0, 2, 1)],
}


def test_layer_norm_backward_by_hand():
    assert tuple(layer_norm_backward([[4, 2]], [[0, 2]], [1, 3], 3)) == ([[-0.375, 0.375]], [-2, 1], [4, 2])
    # variance 2, eps 2, size 2, z = -1 1/2 1/2 in both rows; g = 6 6 0 and 0 0 12, means of g 4 and 4, of
    # g·z -1 and 2
    X, d_out = [[-2, 1, 1], [3, 6, 6]], [[6, 3, 0], [0, 0, 3]]
    d_X = [
        [(6 - 4 - 1) / 2, (6 - 4 + 0.5) / 2, (0 - 4 + 0.5) / 2],
        [(-4 + 2) / 2, (-4 - 1) / 2, (12 - 4 - 1) / 2],
    ]
    assert tuple(layer_norm_backward(d_out, X, [1, 2, 4], 2)) == (d_X, [-6, 1.5, 1.5], [6, 3, 3])
    # without eps, where gamma = 1, two numbers a row say nothing but which is larger: no gradient
    assert_close(layer_norm_backward([[5, 7]], [[1, 3]], [1, 1], 0), [[[0, 0]], [-5, 7], [5, 7]])
    # the eps that every library takes, and a row of one number, which is always beta
    assert_close(layer_norm_backward([[0, 8]], [[0, 2]], [1, 1])[1], [0, 8 / math.sqrt(1.00001)])
    assert tuple(layer_norm_backward([[5]], [[3]], [2])) == ([[0]], [0], [5])


def test_rms_norm_backward_by_hand():
    X, d_out, gamma = [[1, 2, 2], [2, 2, 1]], [[1, 1, 1], [-1, 2, 0]], [2, 1, 4]
    d_X = [[(2 - 1) / 2, (1 - 2) / 2, (4 - 2) / 2], [-1, 1, 0]]
    assert tuple(rms_norm_backward(d_out, X, gamma, 1)) == (d_X, [0.5 - 1, 1 + 2, 1])
    # size 2 without eps; g·z = 12, so d_x = (12 - 12) / 2
    assert tuple(rms_norm_backward([[4]], [[2]], [3], 0)) == ([[0]], [4])
    assert_close(rms_norm_backward([[0, 8]], [[1, 1]], [1, 1])[1], [0, 8 / math.sqrt(1.00001)])


def rows_to_normalise():
    """X, gamma that is not 1, beta that is not 0, and an eps: from none to as large as the variance."""
    rng = random.Random(19)
    sizes = (1, 3, 0.5), (2, 2, 0.5), (3, 5, 0.1), (7, 4, 1e-5), (4, 6, 2.0), (2, 1, 0.5), (1, 8, 0.0)
    return [[gauss(rng, T, D), gauss(rng, D), gauss(rng, D), eps] for T, D, eps in sizes]


def test_layer_norm_backward_by_differences():
    has_the_gradients_of(
        layer_norm,
        rows_to_normalise(),
        (0, 1, 2),
        lambda X, gamma, beta, eps: (X, gamma, eps),
        seed=20,
        **MEASURED,
    )(layer_norm_backward)


def test_rms_norm_backward_by_differences():
    has_the_gradients_of(
        rms_norm,
        [[X, gamma, eps] for X, gamma, _, eps in rows_to_normalise()],
        (0, 1),
        lambda X, gamma, eps: (X, gamma, eps),
        seed=21,
        **MEASURED,
    )(rms_norm_backward)


def test_what_layer_norm_takes_away_gets_no_gradient():
    """A row shifted as a whole, or, where eps is 0, stretched, comes out the same."""
    for X, gamma, beta, eps in rows_to_normalise():
        d_out = layer_norm(X, gamma, beta, 7.0)
        for row, shifted in zip(X, layer_norm_backward(d_out, X, gamma, eps)[0]):
            assert abs(sum(shifted)) < 1e-12
        if len(gamma) > 1:
            for row, stretched in zip(X, layer_norm_backward(d_out, X, gamma, 0)[0]):
                assert abs(dot(row, stretched)) < 1e-10


# --- softmax

SOFTMAX = {
    "Jacobian skipped": lambda d, w: list(d),
    "Jacobian's diagonal only": lambda d, w: [p * (1 - p) * x for p, x in zip(w, d)],
    "weights alone": lambda d, w: [p * x for p, x in zip(w, d)],
    "plain average": lambda d, w: [p * (x - sum(d) / len(d)) for p, x in zip(w, d)],
    "not weighted": lambda d, w: [x - dot(d, w) for x in d],
    "sum for average": lambda d, w: [p * (x - sum(d)) for p, x in zip(w, d)],
    "of a log": lambda d, w: [x - p * sum(d) for p, x in zip(w, d)],
    "minus": lambda d, w: times(softmax_backward(d, w), -1),
}


def test_softmax_backward_by_hand():
    assert softmax_backward([4, 8, 0], [0.5, 0.25, 0.25]) == [0, 1, -1]
    assert softmax_backward([8, 12, 0], [0.125, 0.5, 0.375]) == [0.125, 2.5, -2.625]
    assert softmax_backward([3, 50], [1, 0]) == [0, 0]  # no weight, no gradient
    assert softmax_backward([5], [1]) == [0]


def rows_of_scores():
    rng = random.Random(22)
    rows = [gauss(rng, n) for n in (1, 2, 3, 7)]
    return [[row] for row in [*rows, [-INF, *rows[1]], [rows[2][0], -INF, -INF, rows[2][1]], [-INF, 0.5]]]


def test_softmax_backward_by_differences():
    has_the_gradients_of(
        softmax, rows_of_scores(), (0,), lambda scores: (softmax(scores),), seed=23, **MEASURED
    )(softmax_backward)


def test_softmax_backward_is_its_jacobian_written_out():
    rng = random.Random(24)
    for (scores,) in rows_of_scores():
        weights, d_out = softmax(scores), gauss(rng, len(scores))
        jacobian = [[p * ((i == j) - q) for j, q in enumerate(weights)] for i, p in enumerate(weights)]
        got = softmax_backward(d_out, weights)
        assert all(
            abs(a - b) < 1e-14 for a, (b,) in zip(got, matmul(jacobian, [[d] for d in d_out]), strict=True)
        )
        assert abs(sum(got)) < 1e-14  # all scores raised together change nothing


# --- scores, attention


def rescaled(by):
    """The gradients of the scores times a number, which the width k of a query gives."""
    return lambda d, Q, K: tuple(
        times(gradient, by(len(Q[0]))) for gradient in attention_scores_backward(d, Q, K)
    )


SCORES = {
    "scale forgotten": rescaled(math.sqrt),
    "scaled by k": rescaled(lambda k: 1 / math.sqrt(k)),
    "multiplied by the root": rescaled(lambda k: k),
    "scaled by the number of keys": lambda d, Q, K: rescaled(lambda k: math.sqrt(k / len(K)))(d, Q, K),
    "each its own": lambda d, Q, K: (
        attention_scores_backward(d, K, Q) if len(Q) == len(K) else (zeros(Q), zeros(K))
    ),
    "in the wrong order": lambda d, Q, K: attention_scores_backward(d, Q, K)[::-1],
    "d_out not turned, where no shape complains": but(
        attention_scores_backward,
        1,
        lambda d_K, d, Q, K: times(matmul(d, Q), 1 / math.sqrt(len(Q[0]))) if len(Q) == len(K) else d_K,
    ),
    "keys get nothing": but(attention_scores_backward, 1, lambda d_K, *_: zeros(d_K)),
}


def test_attention_scores_backward_by_hand():
    d_out, Q, K = (
        [[2, 0, -2], [4, 6, 0]],
        [[2, 0, 4, 0], [1, 1, 0, 0]],
        [[1, 0, 1, 0], [3, 0, 0, 9], [0, -1, -2, 0]],
    )
    d_Q, d_K = [[1, 1, 3, 0], [11, 0, 2, 27]], [[4, 2, 4, 0], [3, 3, 0, 0], [-2, 0, -4, 0]]
    assert attention_scores_backward(d_out, Q, K) == (d_Q, d_K)
    # as many queries as keys, k = 1
    assert attention_scores_backward([[1, 2], [0, 5]], [[3], [7]], [[10], [100]]) == (
        [[210], [500]],
        [[3], [41]],
    )


def scores_to_undo():
    """Widths whose roots are 1, 2, 4, so that the measure stays exact; with a mask that was added, and
    without."""
    rng = random.Random(25)
    for T, S, k in (3, 3, 4), (1, 1, 1), (2, 5, 4), (7, 3, 1), (1, 4, 16):
        Q, K = eighths(rng, T, k), eighths(rng, S, k)
        yield from ([Q, K, mask] for mask in (None, eighths(rng, T, S)))


def test_attention_scores_backward_by_differences():
    has_the_gradients_of(
        attention_scores, list(scores_to_undo()), (0, 1), lambda Q, K, mask: (Q, K), seed=26
    )(attention_scores_backward)


def test_attention_backward_by_hand():
    Q, K, V = [[1, 0, 1, 0]], [[0, 0, 0, 0], [LOG_3, 0, LOG_3, 0]], [[0, 8], [4, 0]]
    s = 0.75 / 2
    d_Q, d_K, d_V = (
        [[-s * LOG_3, 0, -s * LOG_3, 0]],
        [[s, 0, s, 0], [-s, 0, -s, 0]],
        [[0.25, 0.25], [0.75, 0.75]],
    )
    assert_close(attention_backward([[1, 1]], Q, K, V), [d_Q, d_K, d_V])
    # a third key that is hidden: nothing changes for the others, and it gets nothing
    got = attention_backward([[1, 1]], Q, [*K, [9, 9, 9, 9]], [*V, [99, 99]], [[0, 0, -INF]])
    assert_close(got, [d_Q, [*d_K, [0] * 4], [*d_V, [0, 0]]])
    # two queries, both of which see the second key only: no gradient but that of its value
    got = attention_backward(
        [[5, 6], [7, 8]], [[1], [2]], [[3], [4]], [[1, 2], [3, 4]], [[-INF, 0], [-INF, 0]]
    )
    assert_close(got[2], [[0, 0], [12, 14]])
    assert got[:2] == ([[0], [0]], [[0], [0]])


def masks(rng, T, S):
    """None; causal; one entry of each row left; some hidden; finite numbers, which only push."""
    one = [rng.randrange(S) for _ in range(T)]
    some = [[-INF if s != kept and rng.random() < 0.5 else 0.0 for s in range(S)] for kept in one]
    yield None
    yield [[-INF if s > t else 0.0 for s in range(S)] for t in range(T)]
    yield [[0.0 if s == kept else -INF for s in range(S)] for kept in one]
    yield some
    yield gauss(rng, T, S)


def attentions():
    """T queries, S keys, widths k and v; the first have square matrices everywhere."""
    rng = random.Random(27)
    for T, S, k, v in (3, 3, 3, 3), (1, 1, 2, 1), (2, 5, 4, 3), (7, 2, 1, 2), (1, 4, 3, 5), (4, 4, 2, 3):
        for mask in masks(rng, T, S):
            yield [gauss(rng, T, k), gauss(rng, S, k), gauss(rng, S, v), mask]


def test_attention_backward_by_differences():
    has_the_gradients_of(
        attention, list(attentions()), (0, 1, 2), lambda *arguments: arguments, seed=28, **MEASURED
    )(attention_backward)


# --- heads side by side


def dealt(d_out, H):
    """Cut as if the heads' numbers had been taken in turns."""
    return [[row[h::H] for row in d_out] for h in range(H)]


CUT = {
    "heads in the wrong order": lambda d, H: split_heads(d, H)[::-1],
    "taken in turns": dealt,
    "cut between the rows": lambda d, H: [d] if H == 1 else [d[: len(d) // 2], d[len(d) // 2 :]],
    "the first head for all": lambda d, H: split_heads(d, H)[:1] * H,
    "averaged": lambda d, H: times(split_heads(d, H), 1 / H),
    "k for H": lambda d, H: split_heads(d, len(d[0]) // H),
}


def test_split_heads_by_hand():
    d_out = [[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]
    assert split_heads(d_out, 3) == [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]
    assert split_heads(d_out, 2) == [[[1, 2, 5], [3, 4, 7]], [[6, 9, 10], [8, 11, 12]]]
    assert split_heads(d_out, 1) == [d_out]
    assert split_heads([[1, 2, 3]], 3) == [[[1]], [[2]], [[3]]]


def heads_to_cut():
    rng = random.Random(29)
    return [[eighths(rng, H, T, k)] for H, T, k in ((2, 2, 2), (3, 1, 4), (1, 5, 2), (4, 7, 1), (2, 3, 5))]


def test_split_heads_by_differences():
    has_the_gradients_of(merge_heads, heads_to_cut(), (0,), lambda heads: (len(heads),), seed=30)(split_heads)


# --- several heads at once


def test_two_heads_backward_by_hand():
    """The first position sees itself only; the second has asked nothing, so it weighs both with 1/2."""
    X, mask = [[2, 0], [4, 6]], causal_mask(2)
    W_Q, W_K, W_V, W_O = [[[0, 0]]] * 2, [[[1, 0]], [[0, 1]]], [[[1, 0]], [[1, 1]]], [[1, 2], [3, -1]]
    # keys 2 4 and 0 6, values 2 4 and 2 10, heads 2 3 and 2 6. These get 1 5 and 2 3. The weights of the
    # second position get 10 20 and 6 30, its scores -2.5 2.5 and -6 6, its queries 5 and 36, the values
    # 3.5 2.5 and 3.5 1.5.
    d_X = [
        [3.5 + 3.5, 3.5],
        [2.5 + 1.5, 1.5],
    ]  # by W_V alone: queries are asked by zeros, no key was asked anything
    d_W_Q, d_W_K = [[[5 * 4, 5 * 6]], [[36 * 4, 36 * 6]]], [[[0, 0]], [[0, 0]]]
    d_W_V = [[[3.5 * 2 + 2.5 * 4, 2.5 * 6]], [[3.5 * 2 + 1.5 * 4, 1.5 * 6]]]
    d_W_O = [[1 * 2 + 2 * 3, 1 * 2 + 2 * 6], [3, 6]]
    got = multi_head_attention_backward([[1, 0], [2, 1]], X, W_Q, W_K, W_V, W_O, mask)
    assert_close(got, [d_X, d_W_Q, d_W_K, d_W_V, d_W_O])


def several_heads():
    """T positions, D wide, H heads, widths k and v, m results; the first have square matrices everywhere."""
    rng = random.Random(31)
    sizes = [(3, 2, 1, 2, 2, 2), (3, 2, 2, 2, 2, 4), (4, 3, 2, 1, 2, 3), (1, 2, 3, 2, 1, 1)]
    for T, D, H, k, v, m in [*sizes, (7, 2, 1, 3, 1, 2), (2, 2, 4, 1, 3, 2)]:
        weights = [gauss(rng, H, k, D), gauss(rng, H, k, D), gauss(rng, H, v, D), gauss(rng, m, H * v)]
        for mask in list(masks(rng, T, T))[: 2 if T == 7 else 4]:
            yield [gauss(rng, T, D), *weights, mask]


def test_multi_head_attention_backward_by_differences():
    has_the_gradients_of(
        multi_head_attention,
        list(several_heads()),
        range(5),
        lambda *arguments: arguments,
        seed=32,
        **MEASURED,
    )(multi_head_attention_backward)


# --- losses

TOKEN_LOSSES = {
    "the target forgotten": lambda d, logits, targets: [times(softmax(row), x) for x, row in zip(d, logits)],
    "probabilities of the loss, not of the logits": lambda d, logits, targets: [
        [x * (i != target) / (softmax(row)[target]) for i in range(len(row))]
        for x, row, target in zip(d, logits, targets)
    ],
    "only the target": lambda d, logits, targets: [
        [g * (i == target) for i, g in enumerate(row)]
        for row, target in zip(token_losses_backward(d, logits, targets), targets)
    ],
    "d_out forgotten": lambda d, logits, targets: token_losses_backward([1] * len(d), logits, targets),
    "d_out of the first row for all": lambda d, logits, targets: token_losses_backward(
        d[:1] * len(d), logits, targets
    ),
    "targets shifted": lambda d, logits, targets: token_losses_backward(d, logits, targets[1:] + targets[:1]),
    "targets from 1": lambda d, logits, targets: token_losses_backward(
        d, logits, [(target - 1) % len(logits[0]) for target in targets]
    ),
    "target less probability": lambda d, logits, targets: times(
        token_losses_backward(d, logits, targets), -1
    ),
    "logits for probabilities": lambda d, logits, targets: [
        [x * (y - (i == target)) for i, y in enumerate(row)] for x, row, target in zip(d, logits, targets)
    ],
    "rows that are averaged": lambda d, logits, targets: times(
        token_losses_backward(d, logits, targets), 1 / len(d)
    ),
}


def test_token_losses_backward_by_hand():
    logits = [[0, math.log(2), math.log(5)], [LOG_3, 0, -1000]]
    assert_close(token_losses_backward([8, 4], logits, [1, 0]), [[1, -6, 5], [-1, 1, 0]])
    assert_close(token_losses_backward([8, -4], logits, [2, 1]), [[1, 2, -3], [-3, 3, 0]])
    assert_close(token_losses_backward([0, 1], [[5, 5], [7, 7]], [0, 1]), [[0, 0], [0.5, -0.5]])


# --- what a Llama has: silu's derivative, swiglu, rope, grouped queries


def test_silu_derivative_by_hand():
    assert silu_derivative(0) == 0.5
    assert_close(silu_derivative(LOG_3), 3 / 4 + LOG_3 * 3 / 16)
    assert_close(silu_derivative(-LOG_3), 1 / 4 - LOG_3 * 3 / 16)


def test_silu_derivative_by_differences():
    for x in (-5.0, -1.3, -0.2, 0.1, 0.9, 3.0, 6.0):
        assert_close(silu_derivative(x), derivatives(silu, x, 5e-4), within=1e-9)
    assert silu_derivative(1e4) == 1 and silu_derivative(-1e4) == 0


def test_swiglu_backward_by_hand():
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


def gated_networks():
    rng = random.Random(41)
    sizes = (1, 1, 1, 1), (3, 2, 2, 2), (2, 3, 5, 4), (4, 5, 3, 2)
    return [[gauss(rng, T, D), gauss(rng, F, D), gauss(rng, F, D), gauss(rng, m, F)] for T, D, F, m in sizes]


def test_swiglu_backward_by_differences():
    has_the_gradients_of(
        swiglu, gated_networks(), (0, 1, 2, 3), lambda *given: given, seed=42, h=5e-4, within=1e-8
    )(swiglu_backward)


def test_rope_backward_by_hand():
    quarter = math.pi / 2
    # a quarter turn took (a, b) to (-b, a), so it gives (d, e) back to (e, -d); base 100: half the pair's
    # angle at width 4 is a tenth
    assert_close(rope_backward([[3, 4]], [quarter]), [[4, -3]])
    assert_close(
        rope_backward([[1, 0, 5, 6], [7, 8, 9, 1]], [10 * quarter, 0], 100.0), [[-1, 0, 6, -5], [7, 8, 9, 1]]
    )


def rows_to_rotate():
    rng = random.Random(43)
    return [
        [gauss(rng, T, k), [rng.randrange(30) for _ in range(T)], base]
        for T, k, base in ((1, 2, 1e4), (3, 4, 50.0), (4, 8, 1e4), (2, 6, 3.0))
    ]


def test_rope_backward_by_differences():
    has_the_gradients_of(
        rope, rows_to_rotate(), (0,), lambda X, positions, base: (positions, base), seed=44, **MEASURED
    )(rope_backward)


def test_grouped_query_attention_backward_by_hand():
    Q, K, V = [[[0]]] * 4, [[[1], [3]], [[2], [0]]], [[[10], [30]], [[1], [3]]]
    d_Q, d_K, d_V = grouped_query_attention_backward([[[1]], [[2]], [[4]], [[8]]], Q, K, V)
    assert_close(d_Q, [[[10]], [[20]], [[-4]], [[-8]]])
    assert_close(d_K, [[[0], [0]], [[0], [0]]])
    assert_close(d_V, [[[1.5], [1.5]], [[6], [6]]])


def groups():
    rng = random.Random(45)
    sizes = (4, 2, 3, 3, 2, 2), (6, 2, 2, 4, 2, 3), (3, 1, 2, 2, 1, 2), (2, 2, 4, 4, 3, 1)
    return [
        [gauss(rng, H, T, k), gauss(rng, G, S, k), gauss(rng, G, S, v), causal_mask(S)[S - T :]]
        for H, G, T, S, k, v in sizes
    ]


def test_grouped_query_attention_backward_by_differences():
    has_the_gradients_of(
        grouped_query_attention, groups(), (0, 1, 2), lambda *given: given, seed=46, **MEASURED
    )(grouped_query_attention_backward)


def guesses():
    rng = random.Random(33)
    sizes = (3, 3), (1, 2), (7, 4), (2, 6), (4, 2)
    return [[gauss(rng, T, V), [rng.randrange(V) for _ in range(T)]] for T, V in sizes]


def test_token_losses_backward_by_differences():
    has_the_gradients_of(
        token_losses, guesses(), (0,), lambda logits, targets: (logits, targets), seed=34, **MEASURED
    )(token_losses_backward)


def test_cross_entropy_backward_by_hand():
    logits = [[0, math.log(2), math.log(5)], [LOG_3, 0, -1000]]
    assert_close(cross_entropy_backward(1.0, logits, [1, 0]), [[1 / 16, -6 / 16, 5 / 16], [-1 / 8, 1 / 8, 0]])
    assert_close(cross_entropy_backward(16, logits, [2, 1]), [[1, 2, -3], [6, -6, 0]])
    assert_close(cross_entropy_backward(-3, [[0, 0]] * 3, [0, 1, 0]), [[0.5, -0.5], [-0.5, 0.5], [0.5, -0.5]])


def test_cross_entropy_backward_by_differences():
    has_the_gradients_of(
        cross_entropy, guesses(), (0,), lambda logits, targets: (logits, targets), seed=35, **MEASURED
    )(cross_entropy_backward)


def test_perplexity_backward_by_hand():
    assert_close(perplexity_backward(10, LOG_3), 30)
    assert_close(perplexity_backward(-0.5, math.log(6)), -3)
    assert perplexity_backward(2, 0) == 2
    assert perplexity_backward(2, 1000) == INF and perplexity_backward(-2, 1000) == -INF
    assert perplexity_backward(0, 1000) == 0


def test_perplexity_backward_by_differences():
    has_the_gradients_of(perplexity, [[0.3], [1.8], [-0.7]], (0,), lambda loss: (loss,), seed=36, **MEASURED)(
        perplexity_backward
    )


def ones(*sizes):
    return [ones(*sizes[1:]) for _ in range(sizes[0])] if sizes else 1


X, D_OUT, SQUARE = [[1, 2], [3, 5]], [[1, 0, 2], [4, 1, 1]], [[1, 2], [3, 4]]
W = [[1, 2], [3, 4], [5, 6]]
HEADS = [[[1, 2]], [[3, 4]]]


# --- all of them

CALLS = [
    (dot_backward, [2, [1, 2], [3, 4]]),
    (matmul_backward, [D_OUT, X, ones(2, 3)]),
    (transpose_backward, [D_OUT]),
    (add_backward, [D_OUT]),
    (scale_backward, [D_OUT, D_OUT, 1]),
    (embedding_backward, [X, [1, 1], SQUARE]),
    (linear_backward, [D_OUT, X, W]),
    (activation_backward, [X, SQUARE]),
    (feed_forward_backward, [ones(2, 4), X, W, [1, 1, 1], ones(4, 3)]),
    (swiglu_backward, [ones(2, 4), X, W, W, ones(4, 3)]),
    (rope_backward, [X, [1, 2]]),
    (grouped_query_attention_backward, [[X, X], [X, X], [W], [W], [[0, -INF, 0], [0, 0, 0]]]),
    (layer_norm_backward, [SQUARE, X, [1, 2]]),
    (rms_norm_backward, [SQUARE, X, [1, 2]]),
    (softmax_backward, [[1, 2], [0.25, 0.75]]),
    (attention_scores_backward, [D_OUT, X, W]),
    (attention_backward, [ones(2, 4), X, W, ones(3, 4), [[0, -INF, 0], [0, 0, 0]]]),
    (multi_head_attention_backward, [D_OUT, X, HEADS, HEADS, HEADS, W, [[0, -INF], [0, 0]]]),
    (token_losses_backward, [[1, 1], D_OUT, [2, 0]]),
    (cross_entropy_backward, [1, D_OUT, [2, 0]]),
    (perplexity_backward, [2, 1]),
]


def stands_apart(function, arguments):
    """Claim: no argument changes, no list of the result is an argument's, and none stands in it twice."""
    leaves_alone(function, arguments)
    lists = [id(entry) for entry in lists_in(function(*arguments)) if isinstance(entry, list)]
    assert len(set(lists)) == len(lists), (
        "one list stands in two places: changing one gradient would change another"
    )


@pytest.mark.parametrize("function, arguments", CALLS)
def test_what_goes_in_is_not_changed_and_not_handed_on(function, arguments):
    stands_apart(function, arguments)


def test_every_function_of_the_module_is_tested_here():
    own = [
        f for _, f in inspect.getmembers(backward, inspect.isfunction) if f.__module__ == backward.__name__
    ]
    assert {f.__name__ for f in own} == {f.__name__ for f, _ in CALLS}


# --- a backward pass or a derivative for every function

# what a network is made of; the other modules draw, count, choose, read files, or are about gradients
# themselves
OF_NETWORKS = ["matrices", "activations", "layers", "attention", "rope", "losses", "backward", "toy", "gpt"]
PUBLIC = [name for name, f in mathematics().items() if f.__module__.removeprefix("helpers.") in OF_NETWORKS]
NO_BACKWARD = {
    "causal_mask",
    "gpt_param_shapes",
    "gpt_param_sizes",
    "gpt_activation_shapes",
    "init_gpt",
    "merge_heads",
    "split_heads",  # each is the other's backward pass
    "project_qkv",
    "block_output",  # block_backward goes through both
}
ANY_ACTIVATION = "activation_backward"  # its derivative is an argument


def unpaired(names):
    """The functions without a backward pass or a derivative, and those of no function."""
    backwards = {name for name in names if name.endswith(("_backward", "_derivative"))}
    found = {name: backward_names(name) & backwards for name in set(names) - backwards}
    return {name for name in found if not found[name]}, backwards.difference(*found.values())


def backward_names(name):
    return {f"{name}_backward", f"{name}_derivative", f"{name.removesuffix('_forward')}_backward"}


def test_every_function_of_a_network_has_its_backward_or_its_derivative():
    # lesson 20 runs these, and trains none of them
    llama = {name for name in PUBLIC if name.startswith("llama_") or name == "cached_attention"}
    alone, others = unpaired(PUBLIC)
    assert (alone - llama, others) == (NO_BACKWARD, {ANY_ACTIVATION})
