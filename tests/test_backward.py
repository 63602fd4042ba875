"""Backward passes: small numbers worked by hand, and larger ones against finite differences."""

import inspect
import math
import random

import pytest
from gradient_checks import but, derivatives, has_the_gradients_of, times
from tables import assert_close, eighths, holds, leaves_alone, lists_in, mathematics, true_of, with_other

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


@true_of(
    derivatives,
    not_of={
        "one side only": lambda loss, x, h: (loss(x + h) - loss(x)) / h,
        "two nudges": lambda loss, x, h: (loss(x + h) - loss(x - h)) / (2 * h),
        "the whole step": lambda loss, x, h: 2 * derivatives(loss, x, h),
    },
)
def test_the_measure_is_exact_up_to_degree_four(derivatives):
    # derivatives of x⁴ and of 5x³ - x at 3: 4·27, and 15·9 - 1
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

DOT = {
    "each its own": lambda d, u, v: dot_backward(d, v, u),
    "d_out forgotten": lambda d, u, v: dot_backward(1, u, v),
    "d_out squared": lambda d, u, v: dot_backward(d * d, u, v),
    "only u": but(dot_backward, 1, lambda d_v, *_: zeros(d_v)),
    "averaged": lambda d, u, v: dot_backward(d / len(u), u, v),
}


@true_of(dot_backward, not_of=DOT)
def test_dot_backward_by_hand(dot_backward):
    assert dot_backward(3, [1, 2], [4, -5]) == ([12, -15], [3, 6])
    assert dot_backward(-2, [7], [0.5]) == ([-1], [-14])
    assert dot_backward(0.5, [2, 0, 4], [6, 8, 0]) == ([3, 4, 0], [1, 0, 2])


def pairs_of_vectors():
    rng = random.Random(1)
    return [[eighths(rng, n), eighths(rng, n)] for n in (1, 2, 3, 7)]


test_dot_backward_by_differences = true_of(dot_backward, not_of=DOT)(
    has_the_gradients_of(dot, pairs_of_vectors(), (0, 1), lambda u, v: (u, v), seed=2)
)

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


@true_of(matmul_backward, not_of=MATMUL)
def test_matmul_backward_by_hand(matmul_backward):
    # d_A: 1·5 + 0·6, 1·7 + 0·8; 2·5 - 6, 2·7 - 8. d_B: 1·1 + 3·2, -3; 2·1 + 4·2, -4
    d_out, A, B = [[1, 0], [2, -1]], [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    assert matmul_backward(d_out, A, B) == ([[5, 7], [4, 6]], [[7, -3], [10, -4]])
    # d_A: 1 + 2·100, 4 + 5·10 + 6·100. d_B: each row of it is d_out times 2, times 3
    d_out, A, B = [[1, 10, 100]], [[2, 3]], [[1, 0, 2], [4, 5, 6]]
    assert matmul_backward(d_out, A, B) == ([[201, 654]], [[2, 20, 200], [3, 30, 300]])


def pairs_to_multiply():
    rng = random.Random(3)
    sizes = (2, 2, 2), (3, 3, 3), (1, 1, 1), (1, 4, 2), (3, 1, 2), (2, 3, 1), (4, 2, 3)
    return [[eighths(rng, m, n), eighths(rng, n, p)] for m, n, p in sizes]


test_matmul_backward_by_differences = true_of(matmul_backward, not_of=MATMUL)(
    has_the_gradients_of(matmul, pairs_to_multiply(), (0, 1), lambda A, B: (A, B), seed=4)
)

TURNED = {
    "not turned": lambda d: [list(row) for row in d],
    "turned by a quarter": lambda d: [list(column) for column in zip(*d[::-1])],
    "upside down": lambda d: transpose(d)[::-1],
    "minus": lambda d: times(transpose(d), -1),
}


@true_of(transpose_backward, not_of=TURNED)
def test_transpose_backward_by_hand(transpose_backward):
    assert transpose_backward([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]
    assert transpose_backward([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]
    assert transpose_backward([[7, 8]]) == [[7], [8]]


def some_matrices():
    rng = random.Random(5)
    return [[eighths(rng, m, n)] for m, n in ((2, 2), (1, 1), (3, 2), (1, 4), (5, 1))]


test_transpose_backward_by_differences = true_of(transpose_backward, not_of=TURNED)(
    has_the_gradients_of(transpose, some_matrices(), (0,), lambda A: (), seed=6)
)

ADDED = {
    "half to each": lambda d: add_backward(times(d, 0.5)),
    "all to the first": but(add_backward, 1, lambda d_B, d: zeros(d)),
    "all to the second": but(add_backward, 0, lambda d_A, d: zeros(d)),
    "subtracted": but(add_backward, 1, lambda d_B, d: times(d, -1)),
    "one, not two": lambda d: [list(row) for row in d],
    "doubled": lambda d: add_backward(times(d, 2)),
}


@true_of(add_backward, not_of=ADDED)
def test_add_backward_by_hand(add_backward):
    assert add_backward([[1, -2], [0, 3], [5, 4]]) == ([[1, -2], [0, 3], [5, 4]], [[1, -2], [0, 3], [5, 4]])
    assert add_backward([[0.5]]) == ([[0.5]], [[0.5]])


test_add_backward_by_differences = true_of(add_backward, not_of=ADDED)(
    has_the_gradients_of(
        add, [[A, times(A, 0.5)] for (A,) in some_matrices()], (0, 1), lambda A, B: (), seed=7
    )
)

SCALED = {
    "c forgotten": lambda d, A, c: scale_backward(d, A, 1),
    "divided by c": lambda d, A, c: scale_backward(d, A, 1 / c),
    "A for d_out": but(scale_backward, 0, lambda d_A, d, A, c: times(A, c)),
    "d_c averaged": but(scale_backward, 1, lambda d_c, d, A, c: d_c / (len(A) * len(A[0]))),
    "d_c without A": but(scale_backward, 1, lambda d_c, d, A, c: sum(map(sum, d))),
    "d_c of the last row": but(scale_backward, 1, lambda d_c, d, A, c: dot(d[-1], A[-1])),
    "d_c times c": but(scale_backward, 1, lambda d_c, d, A, c: d_c * c),
}


@true_of(scale_backward, not_of=SCALED)
def test_scale_backward_by_hand(scale_backward):
    # d_c: 1·4 - 2·5 + 0·6 + 3·7
    assert scale_backward([[1, -2], [0, 3]], [[4, 5], [6, 7]], 10) == ([[10, -20], [0, 30]], 15)
    assert scale_backward([[2, 4, 6]], [[1, 1, 0.5]], -0.5) == ([[-1, -2, -3]], 9)


test_scale_backward_by_differences = true_of(scale_backward, not_of=SCALED)(
    has_the_gradients_of(
        scale,
        [[A, c] for (A,), c in zip(some_matrices(), (3, -0.5, 0.25, 7, -2))],
        (0, 1),
        lambda A, c: (A, c),
        seed=8,
    )
)


# --- embedding


def written_over(d_out, ids, E):
    d_E = zeros(E)
    for row, i in zip(d_out, ids):
        d_E[i] = list(row)
    return d_E


def averaged_over_places(d_out, ids, E):
    return [times(row, 1 / max(1, ids.count(i))) for i, row in enumerate(embedding_backward(d_out, ids, E))]


LOOKED_UP = {
    "repeated ids written over": written_over,
    "the first of repeated ids": lambda d, ids, E: written_over(d[::-1], ids[::-1], E),
    "averaged over the places": averaged_over_places,
    "ids from 1": lambda d, ids, E: embedding_backward(d, [(i + 1) % len(E) for i in ids], E),
    "a row for each place": lambda d, ids, E: [list(row) for row in d],
    "the table itself": lambda d, ids, E: [list(row) for row in E],
    "added to the table": lambda d, ids, E: add(E, embedding_backward(d, ids, E)),
    "last place left out": lambda d, ids, E: embedding_backward([*d[:-1], [0] * len(E[0])], ids, E),
}


@true_of(embedding_backward, not_of=LOOKED_UP)
def test_embedding_backward_by_hand(embedding_backward):
    # row 2 was looked up in places 0, 2 and 3: 1 + 5 + 7, 2 + 6 + 8
    d_out, E = [[1, 2], [3, 4], [5, 6], [7, 8]], [[9, 9], [8, 8], [7, 7], [6, 6]]
    assert embedding_backward(d_out, [2, 0, 2, 2], E) == [[3, 4], [0, 0], [13, 16], [0, 0]]
    assert embedding_backward([[5], [-7]], [1, 1], [[3], [4]]) == [[0], [-2]]
    assert embedding_backward([[1, 2, 3]], [0], [[1, 1, 1]]) == [[1, 2, 3]]


def lookups():
    rng = random.Random(9)
    sizes = (4, 4, 4), (1, 1, 1), (7, 3, 2), (3, 6, 1), (5, 2, 3)
    return [[[rng.randrange(V) for _ in range(T)], eighths(rng, V, D)] for T, V, D in sizes]


test_embedding_backward_by_differences = true_of(embedding_backward, not_of=LOOKED_UP)(
    has_the_gradients_of(embedding, lookups(), (1,), lambda ids, E: (ids, E), seed=10)
)


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


@true_of(linear_backward, not_of=LINEAR)
def test_linear_backward_by_hand(linear_backward):
    # d_X: 1·(1 2 3) + 2·(4 5 6), 3·(1 2 3) + 4·(4 5 6). d_W: 1·(1 0 -1) + 3·(2 1 0), 2·(1 0 -1) + 4·(2 1 0)
    d_out, X, W = [[1, 2], [3, 4]], [[1, 0, -1], [2, 1, 0]], [[1, 2, 3], [4, 5, 6]]
    d_X, d_W = [[9, 12, 15], [19, 26, 33]], [[7, 3, -1], [10, 4, -2]]
    assert linear_backward(d_out, X, W) == (d_X, d_W, [4, 6])
    # W is square: its transpose would give 1 3, and d_W turned 5 0, 6 0
    assert linear_backward([[1, 0]], [[5, 6]], [[1, 2], [3, 4]]) == ([[1, 2]], [[5, 6], [0, 0]], [1, 0])


def layers_to_undo():
    rng = random.Random(11)
    sizes = (3, 4, 4), (2, 2, 2), (1, 1, 1), (7, 3, 2), (1, 2, 5), (4, 1, 3), (5, 3, 1)
    return [[eighths(rng, T, n), eighths(rng, m, n), eighths(rng, m)] for T, n, m in sizes]


test_linear_backward_by_differences = true_of(linear_backward, not_of=LINEAR)(
    has_the_gradients_of(linear, layers_to_undo(), (0, 1, 2), lambda X, W, b: (X, W), seed=12)
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


@true_of(activation_backward, not_of=BENT)
def test_activation_backward_by_hand(activation_backward):
    # of squares, whose derivative is twice the number
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


test_activation_backward_by_differences = true_of(activation_backward, not_of=ANOTHER_DEFAULT)(
    has_the_gradients_of(bend, rows_to_bend(), (0,), lambda X: (X,), seed=14, **MEASURED)
)
test_activation_backward_by_differences_with_other_activations = true_of(activation_backward, not_of=BENT)(
    has_the_gradients_of(
        bend,
        [[X, f] for (X,) in rows_to_bend() for f in (gelu_exact, quick_gelu)],
        (0,),
        lambda X, f: (X, DERIVATIVE_OF[f]),
        seed=15,
        **MEASURED,
    )
)


def undone(**parts):
    """feed_forward_backward with these of the functions that it calls replaced."""
    return with_other(backward, feed_forward_backward, **parts)


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


def with_relu(d, X, W_1, b_1, W_2, activation=gelu, derivative=gelu_derivative):
    """The backward pass with ReLU forward, whatever activation is given."""
    return feed_forward_backward(d, X, W_1, b_1, W_2, relu, derivative)


def without_derivative(d, X, W_1, b_1, W_2, activation=gelu, derivative=gelu_derivative):
    return feed_forward_backward(d, X, W_1, b_1, W_2, activation, lambda h: 1.0)


FEED_FORWARD = {
    "derivative forgotten": without_derivative,
    "derivative at the activated value": lambda d, X, W_1, b_1, W_2, f=gelu, derivative=gelu_derivative: (
        feed_forward_backward(d, X, W_1, b_1, W_2, f, lambda h: derivative(f(h)))
    ),
    "b_1 forgotten": lambda d, X, W_1, b_1, W_2, *others: feed_forward_backward(
        d, X, W_1, None, W_2, *others
    ),
    "d_W_2 of what was not activated": but(
        feed_forward_backward, 3, lambda d_W_2, d, X, W_1, b_1, *_: matmul(transpose(d), linear(X, W_1, b_1))
    ),
    "another activation than asked for": with_relu,
    "W_1 turned": turned_through(backward, feed_forward_backward, lambda d, X, W_1, *_: W_1),
    "W_2 turned": turned_through(backward, feed_forward_backward, lambda d, X, W_1, b_1, W_2, *_: W_2),
    "biases averaged": undone(linear_backward=LINEAR["d_b averaged"]),
    "weights averaged": undone(linear_backward=LINEAR["d_W averaged over the rows"]),
    "biases in the wrong order": lambda *arguments: [
        feed_forward_backward(*arguments)[i] for i in (0, 1, 4, 3, 2)
    ],
    "weights in the wrong order": lambda *arguments: [
        feed_forward_backward(*arguments)[i] for i in (0, 3, 2, 1, 4)
    ],
    "a residual added": but(
        feed_forward_backward, 0, lambda d_X, d, X, *_: add(d_X, d) if len(d[0]) == len(X[0]) else d_X
    ),
}


@true_of(feed_forward_backward, not_of=FEED_FORWARD)
def test_feed_forward_backward_by_hand(feed_forward_backward):
    # hidden: 1 + 2 + 1, 2 - 2 - 2, -1 - 3, 3 + 2; activated by ReLU 4 0 0 5
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


test_feed_forward_backward_by_differences = true_of(
    feed_forward_backward,
    not_of={
        **{wrong: f for wrong, f in FEED_FORWARD.items() if wrong != "another activation than asked for"},
        "tanh CDF with exact pdf": lambda *arguments: feed_forward_backward(
            *arguments, gelu, mixed_derivative
        ),
        "derivative of the exact form": lambda *arguments: feed_forward_backward(
            *arguments, gelu, gelu_exact_derivative
        ),
        "the exact form": lambda *arguments: feed_forward_backward(
            *arguments, gelu_exact, gelu_exact_derivative
        ),
    },
)(
    has_the_gradients_of(
        feed_forward,
        list(networks_to_undo([[]])),
        range(5),
        lambda X, W_1, b_1, W_2, b_2: (X, W_1, b_1, W_2),
        seed=17,
        **MEASURED,
    )
)
test_feed_forward_backward_by_differences_with_other_activations = true_of(
    feed_forward_backward,
    not_of={
        "another activation than asked for": FEED_FORWARD["another activation than asked for"],
        "another derivative than asked for": lambda *arguments: feed_forward_backward(*arguments[:-1]),
    },
)(
    has_the_gradients_of(
        feed_forward,
        list(networks_to_undo([[gelu_exact], [quick_gelu], [relu]])),
        range(5),
        lambda X, W_1, b_1, W_2, b_2, f: (X, W_1, b_1, W_2, f, DERIVATIVE_OF[f]),
        seed=18,
        **MEASURED,
    )
)


@true_of(
    feed_forward_backward,
    not_of={
        "ones for no bias": lambda d, X, W_1, b_1, W_2: feed_forward_backward(
            d, X, W_1, b_1 or [1] * len(W_1), W_2
        )
    },
)
def test_no_bias_is_a_bias_of_zeros(feed_forward_backward):
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
RMS_NORM = {
    **norm_mistakes(rms_norm_backward, centred=False),
    "mean subtracted": lambda *arguments: layer_norm_backward(*arguments)[:2],
    "mean term of layer norm": but(
        rms_norm_backward, 0, lambda d_X, *_: [[d - sum(row) / len(row) for d in row] for row in d_X]
    ),
    "a d_beta too": lambda d, *others: (*rms_norm_backward(d, *others), [sum(column) for column in zip(*d)]),
}


@true_of(layer_norm_backward, not_of=LAYER_NORM)
def test_layer_norm_backward_by_hand(layer_norm_backward):
    # mean 1, variance 1, with eps 3 the size is 2, z = -1/2 1/2. g = 4 6, its mean 5, mean of g·z 1/2
    # d_x: (4 - 5 + 1/4) / 2, (6 - 5 - 1/4) / 2
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


@true_of(rms_norm_backward, not_of=RMS_NORM)
def test_rms_norm_backward_by_hand(rms_norm_backward):
    # mean square 9 / 3, with eps 1 the size is 2. z = 1/2 1 1, g = 2 1 4, mean of g·z 2
    # and z = 1 1 1/2, g = -2 2 0, mean of g·z 0
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


test_layer_norm_backward_by_differences = true_of(layer_norm_backward, not_of=LAYER_NORM)(
    has_the_gradients_of(
        layer_norm,
        rows_to_normalise(),
        (0, 1, 2),
        lambda X, gamma, beta, eps: (X, gamma, eps),
        seed=20,
        **MEASURED,
    )
)
test_rms_norm_backward_by_differences = true_of(rms_norm_backward, not_of=RMS_NORM)(
    has_the_gradients_of(
        rms_norm,
        [[X, gamma, eps] for X, gamma, _, eps in rows_to_normalise()],
        (0, 1),
        lambda X, gamma, eps: (X, gamma, eps),
        seed=21,
        **MEASURED,
    )
)


@true_of(
    layer_norm_backward,
    not_of={
        wrong: LAYER_NORM[wrong]
        for wrong in (
            "gamma outside the averages",
            "mean term forgotten",
            "variance term forgotten",
            "nothing centred",
        )
    },
)
def test_what_layer_norm_takes_away_gets_no_gradient(layer_norm_backward):
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


@true_of(
    softmax_backward, not_of={**SOFTMAX, "softmax once more": lambda d, w: softmax_backward(d, softmax(w))}
)
def test_softmax_backward_by_hand(softmax_backward):
    # averages 2 + 2, 1 + 6 + 0 and 3
    assert softmax_backward([4, 8, 0], [0.5, 0.25, 0.25]) == [0, 1, -1]
    assert softmax_backward([8, 12, 0], [0.125, 0.5, 0.375]) == [0.125, 2.5, -2.625]
    assert softmax_backward([3, 50], [1, 0]) == [0, 0]  # no weight, no gradient
    assert softmax_backward([5], [1]) == [0]


def rows_of_scores():
    rng = random.Random(22)
    rows = [gauss(rng, n) for n in (1, 2, 3, 7)]
    return [[row] for row in [*rows, [-INF, *rows[1]], [rows[2][0], -INF, -INF, rows[2][1]], [-INF, 0.5]]]


test_softmax_backward_by_differences = true_of(
    softmax_backward,
    not_of={**SOFTMAX, "weights taken for scores": lambda d, w: softmax_backward(d, softmax(w))},
)(
    has_the_gradients_of(
        softmax, rows_of_scores(), (0,), lambda scores: (softmax(scores),), seed=23, **MEASURED
    )
)


@true_of(softmax_backward, not_of=SOFTMAX)
def test_softmax_backward_is_its_jacobian_written_out(softmax_backward):
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


@true_of(attention_scores_backward, not_of=SCORES)
def test_attention_scores_backward_by_hand(attention_scores_backward):
    # k = 4, so d_out is halved: 1 0 -1 and 2 3 0. d_Q: K0 - K2, 2·K0 + 3·K1. d_K: Q0 + 2·Q1, 3·Q1, -Q0
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


test_attention_scores_backward_by_differences = true_of(attention_scores_backward, not_of=SCORES)(
    has_the_gradients_of(attention_scores, list(scores_to_undo()), (0, 1), lambda Q, K, mask: (Q, K), seed=26)
)


def attended(**parts):
    """attention_backward with these of the functions that it calls replaced."""
    return with_other(backward, attention_backward, **parts)


ATTENTION = {
    **{
        wrong: attended(attention_scores_backward=f)
        for wrong, f in SCORES.items()
        if wrong != "in the wrong order"
    },
    **{
        wrong: attended(softmax_backward=f)
        for wrong, f in SOFTMAX.items()
        if wrong not in ("sum for average", "minus")
    },
    "values for queries": lambda *arguments: attention_backward(*arguments)[::-1],
    "value path forgotten": but(attention_backward, 2, lambda d_V, *_: zeros(d_V)),
    "weights' path forgotten": attended(
        matmul_backward=lambda d, w, V: (zeros(w), matmul_backward(d, w, V)[1])
    ),
    "weights not turned, where no shape complains": attended(
        matmul_backward=but(
            matmul_backward, 1, lambda d_V, d, w, V: matmul(w, d) if len(w) == len(w[0]) else d_V
        )
    ),
    "V not turned, where no shape complains": attended(
        matmul_backward=but(
            matmul_backward, 0, lambda d_w, d, w, V: matmul(d, V) if len(V) == len(V[0]) else d_w
        )
    ),
    "values averaged alike": but(
        attention_backward,
        2,
        lambda d_V, d, *_: [[sum(column) / len(d_V) for column in zip(*d)] for _ in d_V],
    ),
}
MASKED = {
    "mask forgotten": lambda d, Q, K, V, mask=None: attention_backward(d, Q, K, V),
    "always causal": lambda d, Q, K, V, mask=None: attention_backward(
        d, Q, K, V, [[-INF if s > t else 0.0 for s in range(len(K))] for t in range(len(Q))]
    ),
    "masked in the gradient of the scores alone": lambda d, Q, K, V, mask=None: attended(
        attention_scores=lambda Q, K, mask: attention_scores(Q, K),
        softmax_backward=lambda d, w: [
            x * (y == 0) for x, y in zip(softmax_backward(d, w), (mask or [[0] * 99])[-1])
        ],
    )(d, Q, K, V, mask),
    "-inf taken for 0": lambda d, Q, K, V, mask=None: attention_backward(
        d, Q, K, V, mask and [[max(-1.0, m) for m in row] for row in mask]
    ),
    "mask subtracted from the scores": lambda d, Q, K, V, mask=None: attention_backward(
        d, Q, K, V, mask and [[0.0 if m == -INF else -m for m in row] for row in mask]
    ),
}


@true_of(
    attention_backward,
    not_of={
        **{
            wrong: f
            for wrong, f in ATTENTION.items()
            if wrong != "d_out not turned, where no shape complains"
        },
        **{wrong: MASKED[wrong] for wrong in ("mask forgotten", "-inf taken for 0")},
    },
)
def test_attention_backward_by_hand(attention_backward):
    # k = 4: products 0 and 2·log 3, halved; weights 1/4 and 3/4. They get 8 and 4, on average 5, so the
    # scores 1/4·3 and 3/4·(-1), each halved again on the way to queries and keys
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


test_attention_backward_by_differences = true_of(attention_backward, not_of={**ATTENTION, **MASKED})(
    has_the_gradients_of(
        attention, list(attentions()), (0, 1, 2), lambda *arguments: arguments, seed=28, **MEASURED
    )
)


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


@true_of(split_heads, not_of=CUT)
def test_split_heads_by_hand(split_heads):
    d_out = [[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]
    assert split_heads(d_out, 3) == [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]
    assert split_heads(d_out, 2) == [[[1, 2, 5], [3, 4, 7]], [[6, 9, 10], [8, 11, 12]]]
    assert split_heads(d_out, 1) == [d_out]
    assert split_heads([[1, 2, 3]], 3) == [[[1]], [[2]], [[3]]]


def heads_to_cut():
    rng = random.Random(29)
    return [[eighths(rng, H, T, k)] for H, T, k in ((2, 2, 2), (3, 1, 4), (1, 5, 2), (4, 7, 1), (2, 3, 5))]


test_split_heads_by_differences = true_of(split_heads, not_of=CUT)(
    has_the_gradients_of(merge_heads, heads_to_cut(), (0,), lambda heads: (len(heads),), seed=30)
)


# --- several heads at once


def headed(**parts):
    """multi_head_attention_backward with these of the functions that it calls replaced."""
    return with_other(backward, multi_head_attention_backward, **parts)


def turned_head(place):
    return turned_through(backward, multi_head_attention_backward, lambda *arguments: arguments[place])


def one_role_in_d_X(place):
    """What queries, keys or values want of X is forgotten; their weights learn all the same."""

    def variant(*arguments):
        heads = lists_in(arguments[place])

        def not_this_one(d_out, X, W):
            d_X, d_W, d_b = linear_backward(d_out, X, W)
            return (zeros(d_X) if any(W is head for head in heads) else d_X), d_W, d_b

        return headed(linear_backward=not_this_one)(*arguments)

    return variant


MANY = {
    "W_Q turned": turned_head(2),
    "W_K turned": turned_head(3),
    "W_V turned": turned_head(4),
    "W_O turned": turned_head(5),
    "X without the queries": one_role_in_d_X(2),
    "X without the keys": one_role_in_d_X(3),
    "X without the values": one_role_in_d_X(4),
    "only the last head's values reach X": headed(add=lambda A, B: B),
    "heads averaged in d_X": but(
        multi_head_attention_backward, 0, lambda d_X, d, X, W, *_: times(d_X, 1 / (1 + len(W)))
    ),
    "heads in the wrong order": headed(split_heads=CUT["heads in the wrong order"]),
    "heads taken in turns": headed(split_heads=dealt),
    "the first head for all": headed(split_heads=CUT["the first head for all"]),
    "heads joined in the wrong order": headed(merge_heads=lambda heads: merge_heads(heads[::-1])),
    "queries' and keys' gradients swapped": lambda *arguments: [
        multi_head_attention_backward(*arguments)[i] for i in (0, 2, 1, 3, 4)
    ],
    "gradients of the heads in the wrong order": but(
        multi_head_attention_backward, 1, lambda d_W_Q, *_: d_W_Q[::-1]
    ),
    "Jacobian skipped": headed(attention_backward=ATTENTION["Jacobian skipped"]),
    "Jacobian's diagonal only": headed(attention_backward=ATTENTION["Jacobian's diagonal only"]),
    "scale forgotten": headed(attention_backward=ATTENTION["scale forgotten"]),
    "value path forgotten": headed(attention_backward=ATTENTION["value path forgotten"]),
    "mask forgotten": lambda d, X, W_Q, W_K, W_V, W_O, mask=None: multi_head_attention_backward(
        d, X, W_Q, W_K, W_V, W_O
    ),
    "mask forgotten in the backward pass": headed(attention_backward=MASKED["mask forgotten"]),
    "mask forgotten in the forward pass": headed(attention_scores=lambda Q, K, mask: attention_scores(Q, K)),
}


# heads of width 1, zeros that ask, and no square matrix but W_O
INVISIBLE_IN_THESE_TWO = (
    "scale forgotten",
    "heads taken in turns",
    "X without the queries",
    "X without the keys",
    "W_Q turned",
    "W_K turned",
    "W_V turned",
)


@true_of(
    multi_head_attention_backward,
    not_of={wrong: MANY[wrong] for wrong in MANY if wrong not in INVISIBLE_IN_THESE_TWO},
)
def test_two_heads_backward_by_hand(multi_head_attention_backward):
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


test_multi_head_attention_backward_by_differences = true_of(multi_head_attention_backward, not_of=MANY)(
    has_the_gradients_of(
        multi_head_attention,
        list(several_heads()),
        range(5),
        lambda *arguments: arguments,
        seed=32,
        **MEASURED,
    )
)


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


@true_of(token_losses_backward, not_of=TOKEN_LOSSES)
def test_token_losses_backward_by_hand(token_losses_backward):
    # probabilities 1/8 2/8 5/8, then 3/4 1/4 0
    logits = [[0, math.log(2), math.log(5)], [LOG_3, 0, -1000]]
    assert_close(token_losses_backward([8, 4], logits, [1, 0]), [[1, -6, 5], [-1, 1, 0]])
    assert_close(token_losses_backward([8, -4], logits, [2, 1]), [[1, 2, -3], [-3, 3, 0]])
    assert_close(token_losses_backward([0, 1], [[5, 5], [7, 7]], [0, 1]), [[0, 0], [0.5, -0.5]])


# --- what a Llama has: silu's derivative, swiglu, rope, grouped queries

SILU = {
    "silu itself": silu,
    "the sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "the sigmoid's derivative": lambda x: math.exp(-x) / (1 + math.exp(-x)) ** 2,
    "gelu's": gelu_derivative,
    "quick_gelu's": quick_gelu_derivative,
    "minus the second part": lambda x: 2 / (1 + math.exp(-x)) - silu_derivative(x),
}


@true_of(silu_derivative, not_of=SILU)
def test_silu_derivative_by_hand(silu_derivative):
    # at log 3 the sigmoid is 3/4: 3/4 + log 3 · 3/16; at -log 3 it is 1/4
    assert silu_derivative(0) == 0.5
    assert_close(silu_derivative(LOG_3), 3 / 4 + LOG_3 * 3 / 16)
    assert_close(silu_derivative(-LOG_3), 1 / 4 - LOG_3 * 3 / 16)


@true_of(silu_derivative, not_of=SILU)
def test_silu_derivative_by_differences(silu_derivative):
    for x in (-5.0, -1.3, -0.2, 0.1, 0.9, 3.0, 6.0):
        assert_close(silu_derivative(x), derivatives(silu, x, 5e-4), within=1e-9)
    assert silu_derivative(1e4) == 1 and silu_derivative(-1e4) == 0


SWIGLU = {
    "gate and up exchanged": lambda d, X, gate, up, down: swiglu_backward(d, X, up, gate, down),
    "gradients of gate and up exchanged": lambda *given: [swiglu_backward(*given)[i] for i in (0, 2, 1, 3)],
    "silu itself for its derivative": with_other(backward, swiglu_backward, silu_derivative=silu),
    "no derivative of silu": with_other(backward, swiglu_backward, silu_derivative=lambda g: 1.0),
    "the gate without silu": with_other(backward, swiglu_backward, silu=lambda g: g),
    "X through the gate only": with_other(backward, swiglu_backward, add=lambda A, B: A),
    "X through up only": with_other(backward, swiglu_backward, add=lambda A, B: B),
    "d_W_down of the gate": but(
        swiglu_backward, 3, lambda d_W, d, X, gate, *_: matmul(transpose(d), linear(X, gate))
    ),
}


@true_of(swiglu_backward, not_of=SWIGLU)
def test_swiglu_backward_by_hand(swiglu_backward):
    # gate log 3 and 0, up 4 and 7: silu 3/4 log 3 and 0; d_hidden 2·(1 10)
    # d_gate: 2·4·silu'(log 3), 20·7/2; d_up: 2·3/4·log 3, 0
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


test_swiglu_backward_by_differences = true_of(swiglu_backward, not_of=SWIGLU)(
    has_the_gradients_of(
        swiglu, gated_networks(), (0, 1, 2, 3), lambda *given: given, seed=42, h=5e-4, within=1e-8
    )
)

ROPE = {
    "rotated forward": rope,
    "not rotated": lambda d, positions, base=1e4: [list(row) for row in d],
    "base fixed": lambda d, positions, base=1e4: rope_backward(d, positions),
    "one angle for all pairs": lambda d, positions, base=1e4: rope_backward(d, positions, 1.0),
    "one position too far": lambda d, positions, base=1e4: rope_backward(d, [p + 1 for p in positions], base),
    "positions from the end": lambda d, positions, base=1e4: rope_backward(d, positions[::-1], base),
    "minus": lambda d, positions, base=1e4: times(rope_backward(d, positions, base), -1),
}


@true_of(rope_backward, not_of=ROPE)
def test_rope_backward_by_hand(rope_backward):
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


test_rope_backward_by_differences = true_of(rope_backward, not_of=ROPE)(
    has_the_gradients_of(
        rope, rows_to_rotate(), (0,), lambda X, positions, base: (positions, base), seed=44, **MEASURED
    )
)


def one_head_a_set(d, Q, K, V, mask=None):
    """The last head of each set alone gives the set its gradient: = where += is needed."""
    return with_other(backward, grouped_query_attention_backward, add=lambda old, new: new)(d, Q, K, V, mask)


def sets_in_turns(d, Q, K, V, mask=None):
    """Head h uses set h % G: every other head, not neighbours."""
    H, G = len(Q), len(K)
    order = sorted(range(H), key=lambda h: (h % G, h))
    d_Q, d_K, d_V = grouped_query_attention_backward([d[h] for h in order], [Q[h] for h in order], K, V, mask)
    return [d_Q[order.index(h)] for h in range(H)], d_K, d_V


GROUPED = {
    "one head a set": one_head_a_set,
    "sets in turns": sets_in_turns,
    "sets averaged": lambda d, Q, K, V, mask=None: [
        part if i == 0 else times(part, len(K) / len(Q))
        for i, part in enumerate(grouped_query_attention_backward(d, Q, K, V, mask))
    ],
    "mask forgotten": lambda d, Q, K, V, mask=None: grouped_query_attention_backward(d, Q, K, V),
    "the first set for all": lambda d, Q, K, V, mask=None: grouped_query_attention_backward(
        d, Q, K[:1] * len(K), V[:1] * len(V), mask
    ),
    "keys and values exchanged": lambda *given: [
        grouped_query_attention_backward(*given)[i] for i in (0, 2, 1)
    ],
}


@true_of(
    grouped_query_attention_backward,
    not_of={wrong: GROUPED[wrong] for wrong in GROUPED if wrong != "mask forgotten"},
)
def test_grouped_query_attention_backward_by_hand(grouped_query_attention_backward):
    # queries are 0, so each weighs its two positions with 1/2; the scores of a head with incoming d get
    # ∓5·d from the values 10 and 30, or ∓d/2 from 1 and 3; a query's gradient is that times the keys
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


test_grouped_query_attention_backward_by_differences = true_of(
    grouped_query_attention_backward, not_of=GROUPED
)(
    has_the_gradients_of(
        grouped_query_attention, groups(), (0, 1, 2), lambda *given: given, seed=46, **MEASURED
    )
)


def guesses():
    rng = random.Random(33)
    sizes = (3, 3), (1, 2), (7, 4), (2, 6), (4, 2)
    return [[gauss(rng, T, V), [rng.randrange(V) for _ in range(T)]] for T, V in sizes]


test_token_losses_backward_by_differences = true_of(token_losses_backward, not_of=TOKEN_LOSSES)(
    has_the_gradients_of(
        token_losses, guesses(), (0,), lambda logits, targets: (logits, targets), seed=34, **MEASURED
    )
)

CROSS_ENTROPY = {
    "the 1/n forgotten": lambda d, logits, targets: token_losses_backward(
        [d] * len(targets), logits, targets
    ),
    "divided by the vocabulary": lambda d, logits, targets: token_losses_backward(
        [d / len(logits[0])] * len(targets), logits, targets
    ),
    "divided by one less": lambda d, logits, targets: token_losses_backward(
        [d / max(1, len(targets) - 1)] * len(targets), logits, targets
    ),
    "divided twice": lambda d, logits, targets: cross_entropy_backward(d / len(targets), logits, targets),
    "d_out forgotten": lambda d, logits, targets: cross_entropy_backward(1.0, logits, targets),
    "targets shifted": lambda d, logits, targets: cross_entropy_backward(
        d, logits, targets[1:] + targets[:1]
    ),
    "the last position left out": lambda d, logits, targets: (
        cross_entropy_backward(d, logits, targets)[:-1] + [[0.0] * len(logits[0])]
    ),
    "the target forgotten": lambda d, logits, targets: [
        times(softmax(row), d / len(targets)) for row in logits
    ],
}


@true_of(cross_entropy_backward, not_of=CROSS_ENTROPY)
def test_cross_entropy_backward_by_hand(cross_entropy_backward):
    logits = [[0, math.log(2), math.log(5)], [LOG_3, 0, -1000]]
    assert_close(cross_entropy_backward(1.0, logits, [1, 0]), [[1 / 16, -6 / 16, 5 / 16], [-1 / 8, 1 / 8, 0]])
    assert_close(cross_entropy_backward(16, logits, [2, 1]), [[1, 2, -3], [6, -6, 0]])
    assert_close(cross_entropy_backward(-3, [[0, 0]] * 3, [0, 1, 0]), [[0.5, -0.5], [-0.5, 0.5], [0.5, -0.5]])


test_cross_entropy_backward_by_differences = true_of(cross_entropy_backward, not_of=CROSS_ENTROPY)(
    has_the_gradients_of(
        cross_entropy, guesses(), (0,), lambda logits, targets: (logits, targets), seed=35, **MEASURED
    )
)

PERPLEXITY = {
    "d_out forgotten": lambda d, loss: perplexity_backward(1, loss),
    "d_out added": lambda d, loss: d + math.exp(loss),
    "divided by the perplexity": lambda d, loss: d / math.exp(loss),
    "times the loss": lambda d, loss: d * loss * math.exp(loss),
    "2 for e": lambda d, loss: d * 2.0**loss,
    "the loss": lambda d, loss: d * loss,
}


@true_of(
    perplexity_backward,
    not_of={
        **PERPLEXITY,
        "0 times inf": lambda d, loss: d * perplexity(loss),
        "overflows": lambda d, loss: d * math.exp(loss),
        "inf without a sign": lambda d, loss: (
            abs(perplexity_backward(d, loss)) if loss > 700 else perplexity_backward(d, loss)
        ),
    },
)
def test_perplexity_backward_by_hand(perplexity_backward):
    assert_close(perplexity_backward(10, LOG_3), 30)
    assert_close(perplexity_backward(-0.5, math.log(6)), -3)
    assert perplexity_backward(2, 0) == 2
    assert perplexity_backward(2, 1000) == INF and perplexity_backward(-2, 1000) == -INF
    assert perplexity_backward(0, 1000) == 0


test_perplexity_backward_by_differences = true_of(perplexity_backward, not_of=PERPLEXITY)(
    has_the_gradients_of(perplexity, [[0.3], [1.8], [-0.7]], (0,), lambda loss: (loss,), seed=36, **MEASURED)
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


@pytest.mark.parametrize(
    "near_miss",
    [
        lambda d: (d, [list(row) for row in d]),
        lambda d: ([list(row) for row in d],) * 2,
        lambda d: [d.pop()],
        lambda d: d[:],
    ],
)
def test_changing_or_sharing_would_be_noticed(near_miss):
    assert not holds(lambda function: stands_apart(function, [[[1, 2], [3, 4]]]), near_miss)


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


@pytest.mark.parametrize(
    "names, missing",
    [
        ([*PUBLIC, "swish"], "swish"),
        ([*PUBLIC, "swish", "swish_slope"], "swish_slope"),
        ([name for name in PUBLIC if name != "linear_backward"], "linear"),
        ([name for name in PUBLIC if name != "toy_backward"], "toy_forward"),
        ([name for name in PUBLIC if name != "relu_derivative"], "relu"),
    ],
)
def test_a_later_function_without_one_would_be_noticed(names, missing):
    assert missing in unpaired(names)[0] - NO_BACKWARD


def test_a_derivative_or_a_backward_of_nothing_would_be_noticed():
    assert unpaired([*PUBLIC, "swish_derivative"])[1] == {ANY_ACTIVATION, "swish_derivative"}
