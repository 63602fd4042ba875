"""Lesson 02: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import add, dot, linear, matmul, scale, transpose
from .exercise import Exercise, draw_inputs


def my_linear(X, W, b=None):
    if b is None:
        b = [0.0] * len(W)
    return [[dot(x, w) + b_o for w, b_o in zip(W, b)] for x in X]


DEFAULT = """if b is None:
        b = [0.0] * len(W)
    """
OUTPUTS = "[[dot(x, w) + b_o for w, b_o in zip(W, b)] for x in X]"
LINEAR_MISTAKES = {
    "W is indexed [in][out]; it is stored [out][in]": (
        "dot(x, w) + b_o for w, b_o in zip(W, b)",
        "b[o] + sum(x[i] * W[i][o] for i in range(len(x))) for o in range(len(W))",
    ),
    "b is not added": (" + b_o", ""),
    "b[o] is added once for each product; it must be added once for each output": ("+ b_o", "+ b_o * len(x)"),
    "row t of X gets b[t]; it is output o that gets b[o]": (
        (OUTPUTS, "[[dot(x, w) + b[t] for w in W] for t, x in enumerate(X)]"),
    ),
    "every output gets b[0]; output o must get b[o]": ("+ b_o", "+ b[0]"),
    "b is subtracted; it must be added": ("+ b_o", "- b_o"),
    "the result is transposed: the loop over X must be the outer one": (OUTPUTS, f"transpose({OUTPUTS})"),
    "the product is `matmul(X, W)`; W is stored [out][in], so it needs the transpose of W": (
        (OUTPUTS, "[[y + b_o for y, b_o in zip(row, b)] for row in matmul(X, W)]"),
    ),
    "the product is `matmul(X, W)`, and b is not added; W is stored [out][in], so it needs the transpose "
    "of W": (OUTPUTS, "matmul(X, W)"),
    "the product is `matmul(W, X)`; each output is a row of X times a row of W": (OUTPUTS, "matmul(W, X)"),
    "`add` gets the vector b; it adds matrices, so add b to each row yourself": (
        (f"{DEFAULT}return {OUTPUTS}", "return linear(X, W) if b is None else add(linear(X, W), b)"),
    ),
    "`add` gets `[b]`, a matrix with one row; b must be added to each row": (
        (f"{DEFAULT}return {OUTPUTS}", "return linear(X, W) if b is None else add(linear(X, W), [b])"),
    ),
}


def my_projections(X, W_Q, W_K, W_V):
    return linear(X, W_Q), linear(X, W_K), linear(X, W_V)


THREE = "linear(X, W_Q), linear(X, W_K), linear(X, W_V)"
PROJECTIONS_MISTAKES = {
    "only the queries are returned: write return Q, K, V": (THREE, "linear(X, W_Q)"),
    "all three are computed with W_Q": (THREE, "linear(X, W_Q), linear(X, W_Q), linear(X, W_Q)"),
    "the weight matrices are indexed [in][out]; they are stored [out][in]": (
        THREE,
        "[[[sum(a * b for a, b in zip(x, w)) for w in zip(*W)] for x in X] for W in (W_Q, W_K, W_V)]",
    ),
    "`matmul(X, W)` is used; the weight matrices are stored [out][in], so use `linear`": (
        (THREE, "matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V)"),
    ),
    "`matmul(W, X)` is used; use `linear(X, W)`": (THREE, "matmul(W_Q, X), matmul(W_K, X), matmul(W_V, X)"),
    "queries and keys are swapped": (THREE, "linear(X, W_K), linear(X, W_Q), linear(X, W_V)"),
    "keys and values are computed from the queries; they must be computed from X": (
        ("X, W_K", "linear(X, W_Q), W_K"),
        ("X, W_V", "linear(X, W_Q), W_V"),
    ),
    "each result is computed from the one before; all three must be computed from X": (
        ("X, W_V", "linear(linear(X, W_Q), W_K), W_V"),
        ("linear(X, W_K)", "linear(linear(X, W_Q), W_K)"),
    ),
    "the values are computed from the keys; they must be computed from X": ("X, W_V", "linear(X, W_K), W_V"),
    "keys and values are swapped": (THREE, "linear(X, W_Q), linear(X, W_V), linear(X, W_K)"),
    "the keys are computed with W_Q": ("W_K)", "W_Q)"),
    "the values are computed with W_K": ("X, W_V", "X, W_K"),
    "the three results are transposed": (
        (THREE, "transpose(linear(X, W_Q)), transpose(linear(X, W_K)), transpose(linear(X, W_V))"),
    ),
}


def middle(W_Q, W_K):
    return matmul(transpose(W_Q), W_K)


A = "matmul(transpose(W_Q), W_K)"
MIDDLE_MISTAKES = {
    "W_K comes before W_Q: this is the transpose of A": (A, "matmul(transpose(W_K), W_Q)"),
    "the product is W_Q·W_Kᵀ, of shape [k][k]; A has the shape [D][D]": (A, "matmul(W_Q, transpose(W_K))"),
    "only row 0 of W_Q and of W_K is used": (A, "matmul(transpose(W_Q[:1]), W_K[:1])"),
    "A is divided by √k; the scores of this lesson are not": (A, f"scale({A}, 1 / len(W_Q) ** 0.5)"),
}


EXERCISES = {
    "02.1": Exercise(
        middle,
        [
            [[[1, 2]], [[3, 0]]],
            draw_inputs(12, (2, 2), (2, 2)),
            draw_inputs(13, (3, 5), (3, 5)),
            draw_inputs(14, (1, 4), (1, 4)),
            draw_inputs(15, (4, 1), (4, 1)),
        ],
        MIDDLE_MISTAKES,
    ),
    "02.a": Exercise(
        my_linear,
        [
            [[[1, 2]], [[3, 0], [0, 4], [1, 1]], [0, 0, 4]],
            [[[1, 0], [0, 1]], [[1, 2], [3, 4]], [5, 6]],
            [[[1, 2]], [[3, 0], [0, 4], [1, 1]], None],
            [[[1, 2]], [[3, 0], [0, 4], [1, 1]]],
            draw_inputs(1, (3, 2), (4, 2), (4,)),
            draw_inputs(2, (2, 5), (1, 5), (1,)),
            draw_inputs(3, (1, 1), (3, 1), (3,)),
        ],
        LINEAR_MISTAKES,
    ),
    "02.b": Exercise(
        my_projections,
        [
            [[[1, 2]], [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [2, 2], [3, 3]]],
            draw_inputs(16, (3, 2), (2, 2), (2, 2), (1, 2)),
            draw_inputs(17, (2, 4), (3, 4), (3, 4), (5, 4)),
            draw_inputs(18, (2, 2), (2, 2), (2, 2), (2, 2)),
        ],
        PROJECTIONS_MISTAKES,
        parts=("Q", "K", "V"),
    ),
}
