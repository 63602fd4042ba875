"""Lesson 05: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import add, gelu, linear, matmul, quick_gelu, relu, transpose
from .exercise import Exercise, draw_inputs


def my_collapse(W_1, b_1, W_2, b_2):
    return matmul(W_2, W_1), linear([b_1], W_2, b_2)[0]


W, B = "matmul(W_2, W_1)", "linear([b_1], W_2, b_2)[0]"
COLLAPSE_MISTAKES = {
    "the matrices are multiplied in the wrong order: `W_2` is applied last, so it is on the left": (
        (W, "matmul(W_1, W_2)"),
    ),
    "the weight matrix is transposed: it must be W_2·W_1": (W, "matmul(transpose(W_1), transpose(W_2))"),
    "`linear` computes the product; it would transpose `W_1`, so use `matmul`": (W, "linear(W_2, W_1)"),
    "the weight matrices are added; their product is needed": (W, "add(W_1, W_2)"),
    "`b_1` is left out of the bias": (B, "b_2"),
    "`b_2` is left out of the bias": ("W_2, b_2)[0]", "W_2)[0]"),
    "the biases are only added; the second layer multiplies `b_1` by `W_2`": (
        (B, "[x + y for x, y in zip(b_1, b_2)]"),
    ),
    "the sum of the biases goes through `W_2`; `b_2` is added afterwards": (
        (B, "linear([[x + y for x, y in zip(b_1, b_2)]], W_2)[0]"),
    ),
    "`b_1` goes through `W_1`; the layer after it has `W_2`": (B, "linear([b_1], W_1, b_2)[0]"),
    "`b_2` goes through a layer; only `b_1` does": (B, "linear([b_2], W_2, b_1)[0]"),
    "`W_2` is transposed for the bias": (B, "add(matmul([b_1], W_2), [b_2])[0]"),
    "the bias is a matrix with one row; return its row": ("[0]", ""),
    "the bias comes first; return the weight matrix, then the bias": (f"{W}, {B}", f"{B}, {W}"),
    "only the weight matrix is returned; return the bias, too": (f", {B}", ""),
}


def my_hat(x):
    return relu(x) - 2 * relu(x - 1) + relu(x - 2)


HAT_MISTAKES = {
    "the weight at x = 1 is −1: after x = 1 the slope is then 0": ("2 * ", ""),
    "the weight at x = 1 is positive: the slope has to fall there": ("- 2 *", "+ 2 *"),
    "the third ReLU is missing: after x = 2 the function goes on falling": (" + relu(x - 2)", ""),
    "the third ReLU has the weight −1: after x = 2 the function falls faster": ("+ relu", "- relu"),
    "the weights are −1 and −1: after x = 1 the slope is 0, and after x = 2 it is −1": (
        ("+ relu", "- relu"),
        ("2 * ", ""),
    ),
    "the third ReLU has the weight 2: after x = 2 the function rises": ("+ relu", "+ 2 * relu"),
    "the second and the third ReLU have each other's weight": ("- 2 * relu(x - 1) +", "+ relu(x - 1) - 2 *"),
    "all knots are 1 too far to the left: the knot of relu(x + 1) is −1": (
        ("relu(x)", "relu(x + 1)"),
        ("relu(x - 1)", "relu(x)"),
        ("relu(x - 2)", "relu(x - 1)"),
    ),
    "the knots are 0, −1 and −2: the knot of relu(x + 1) is −1": (("x - 1", "x + 1"), ("x - 2", "x + 2")),
    "ReLU is missing: a sum of straight lines is a straight line": (
        ("relu(x) - 2 * relu(x - 1) + relu(x - 2)", "x - 2 * (x - 1) + (x - 2)"),
    ),
}


def my_silu(x):
    return x * 0.5 * (1 + math.tanh(x / 2))


SILU = "x * 0.5 * (1 + math.tanh(x / 2))"
SILU_MISTAKES = {
    "`math.exp(-x)` overflows for a very negative x": (SILU, "x / (1 + math.exp(-x))"),
    "`math.exp(x)` overflows for a very large x": (SILU, "x * math.exp(x) / (1 + math.exp(x))"),
    "σ(x) uses tanh(x) instead of tanh(x/2)": ("x / 2", "x"),
    "the factor x is missing: this is σ(x)": ("x * ", ""),
    "this is GELU; the task asks for x·σ(x)": gelu,
    "the factor ½ of σ(x) is missing": ("0.5 * ", ""),
    "the 1 of ½·(1 + tanh(x/2)) is missing": ("(1 + math.tanh(x / 2))", "math.tanh(x / 2)"),
    "the sign of x in σ is wrong: this is x·σ(−x)": ("1 + ", "1 - "),
    "this is GELU in its sigmoid form, with the factor 1.702": quick_gelu,
}


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
        COLLAPSE_MISTAKES,
        parts=("W", "b"),
    ),
    "05.b": Exercise(
        my_hat,
        [[0.5], [1.0], [1.5], [2.0], [3.0], [-1.0], [0.0], [2.5], [100.0]],  # a due 0 must be exactly 0
        HAT_MISTAKES,
    ),
    "05.c": Exercise(
        my_silu, [[1.0], [0.0], [2.0], [-1.3], [-12.0], [9.0], [1000.0], [-1000.0]], SILU_MISTAKES
    ),
}
