"""Lesson 05, hidden side. Reading on gives answers away."""

import math

from ...activations import quick_gelu, relu
from ...layers import linear as unchecked_linear
from ...matrices import add as unchecked_add
from ...matrices import matmul as unchecked_matmul
from ...matrices import transpose
from ..argument_checks import checked
from .exercise import Exercise, draw_inputs, times

# as the reader's code calls them
linear, add, matmul = map(checked, (unchecked_linear, unchecked_add, unchecked_matmul))


def my_silu(x):
    return x * 0.5 * (1 + math.tanh(0.5 * x))


def _overflowing(x):
    return x / (1 + math.exp(-x))


def my_hat(x):
    return max(0.0, 1 - abs(x - 1))


def _hat(weights=(1, -2, 1), knots=(0, 1, 2), activation=relu):
    """A weighted sum of ReLUs with these knots."""
    return lambda x: sum(w * activation(x - k) for w, k in zip(weights, knots))


def _gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def my_collapse(W_1, b_1, W_2, b_2):
    b = [sum((w * x for w, x in zip(row, b_1)), y) for row, y in zip(W_2, b_2)]
    return times(W_2, W_1), b


def _collapse(W=lambda W_1, W_2: matmul(W_2, W_1), b=lambda W_1, b_1, W_2, b_2: linear([b_1], W_2, b_2)[0]):
    """my_collapse with another matrix or another bias."""
    return lambda W_1, b_1, W_2, b_2: (W(W_1, W_2), b(W_1, b_1, W_2, b_2))


EXERCISES = {
    "05.a": Exercise(
        my_collapse,
        [
            [[[2]], [1], [[3]], [5]],
            [[[1, 2], [0, 1]], [1, 10], [[1, 0], [3, 1]], [100, 200]],
            [[[1, 2, 3]], [4], [[1], [2]], [0, 5]],
            [[[1], [2], [0]], [0, 1, 2], [[1, 1, 1], [0, 2, 0]], [3, 0]],
            [[[1, 0], [0, 1]], [0, 0], [[2, 1], [1, 3]], [1, 1]],
            draw_inputs(1, (3, 2), (3,), (2, 3), (2,)),
            draw_inputs(2, (2, 2), (2,), (2, 2), (2,)),
        ],
        parts=("W", "b"),
        mistakes={
            "the matrices are multiplied in the wrong order: `W_2` is applied last, so it is on the left": (
                _collapse(lambda W_1, W_2: matmul(W_1, W_2))
            ),
            "the weight matrix is transposed: it must be W_2·W_1": _collapse(
                lambda W_1, W_2: matmul(transpose(W_1), transpose(W_2))
            ),
            "`linear` computes the product; it would transpose `W_1`, so use `matmul`": _collapse(
                lambda W_1, W_2: linear(W_2, W_1)
            ),
            "the weight matrices are added; their product is needed": _collapse(
                lambda W_1, W_2: add(W_1, W_2)
            ),
            "`b_1` is left out of the bias": _collapse(b=lambda W_1, b_1, W_2, b_2: b_2),
            "`b_2` is left out of the bias": _collapse(b=lambda W_1, b_1, W_2, b_2: linear([b_1], W_2)[0]),
            "the biases are only added; the second layer multiplies `b_1` by `W_2`": _collapse(
                b=lambda W_1, b_1, W_2, b_2: [x + y for x, y in zip(b_1, b_2)]
            ),
            "the sum of the biases goes through `W_2`; `b_2` is added afterwards": _collapse(
                b=lambda W_1, b_1, W_2, b_2: linear([[x + y for x, y in zip(b_1, b_2)]], W_2)[0]
            ),
            "`b_1` goes through `W_1`; the layer after it has `W_2`": _collapse(
                b=lambda W_1, b_1, W_2, b_2: linear([b_1], W_1, b_2)[0]
            ),
            "`b_2` goes through a layer; only `b_1` does": _collapse(
                b=lambda W_1, b_1, W_2, b_2: linear([b_2], W_2, b_1)[0]
            ),
            "`W_2` is transposed for the bias": _collapse(
                b=lambda W_1, b_1, W_2, b_2: add(matmul([b_1], W_2), [b_2])[0]
            ),
            "the bias is a matrix with one row; return its row": _collapse(
                b=lambda W_1, b_1, W_2, b_2: linear([b_1], W_2, b_2)
            ),
            "the bias comes first; return the weight matrix, then the bias": lambda W_1, b_1, W_2, b_2: (
                my_collapse(W_1, b_1, W_2, b_2)[::-1]
            ),
            "only the weight matrix is returned; return the bias, too": lambda W_1, b_1, W_2, b_2: matmul(
                W_2, W_1
            ),
        },
    ),
    "05.b": Exercise(
        my_hat,
        [[0.5], [1.0], [1.5], [2.0], [3.0], [-1.0], [0.0], [2.5], [100.0]],  # a due 0 must be exactly 0
        mistakes={
            "the weight at x = 1 is −1: after x = 1 the slope is then 0": _hat((1, -1, 1)),
            "the weight at x = 1 is positive: the slope has to fall there": _hat((1, 2, 1)),
            "the third ReLU is missing: after x = 2 the function goes on falling": _hat((1, -2)),
            "the third ReLU has the weight −1: after x = 2 the function falls faster": _hat((1, -2, -1)),
            "the weights are −1 and −1: after x = 1 the slope is 0, and after x = 2 it is −1": _hat(
                (1, -1, -1)
            ),
            "the third ReLU has the weight 2: after x = 2 the function rises": _hat((1, -2, 2)),
            "the second and the third ReLU have each other's weight": _hat((1, 1, -2)),
            "all knots are 1 too far to the left: the knot of relu(x + 1) is −1": _hat(knots=(-1, 0, 1)),
            "the knots are 0, −1 and −2: the knot of relu(x + 1) is −1": _hat(knots=(0, -1, -2)),
            "ReLU is missing: a sum of straight lines is a straight line": _hat(activation=lambda x: x),
        },
    ),
    "05.c": Exercise(
        my_silu,
        [[1.0], [0.0], [2.0], [-1.3], [-12.0], [9.0], [1000.0], [-1000.0]],
        mistakes={
            "`math.exp(-x)` overflows for a very negative x": _overflowing,
            "`math.exp(x)` overflows for a very large x": lambda x: x * math.exp(x) / (1 + math.exp(x)),
            "σ(x) uses tanh(x) instead of tanh(x/2)": lambda x: x * 0.5 * (1 + math.tanh(x)),
            "the factor x is missing: this is σ(x)": lambda x: 0.5 * (1 + math.tanh(0.5 * x)),
            "this is GELU; the task asks for x·σ(x)": _gelu,
            "the factor ½ of σ(x) is missing": lambda x: x * (1 + math.tanh(0.5 * x)),
            "the 1 of ½·(1 + tanh(x/2)) is missing": lambda x: x * 0.5 * math.tanh(0.5 * x),
            "the sign of x in σ is wrong: this is x·σ(−x)": lambda x: x * 0.5 * (1 - math.tanh(0.5 * x)),
            "this is GELU in its sigmoid form, with the factor 1.702": quick_gelu,
        },
    ),
}
