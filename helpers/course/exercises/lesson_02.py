"""Lesson 02: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import add, causal_mask, dot, linear, matmul, scale, softmax, transpose
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
    "`matmul(X, W)` is returned; W is stored [out][in], so the product needs the transpose of W": (
        (OUTPUTS, "matmul(X, W)"),
    ),
    "the product is `matmul(W, X)`; each output is a row of X times a row of W": (OUTPUTS, "matmul(W, X)"),
    "the list b is added to a number; add b_o, its number for this output": ("+ b_o", "+ b"),
    "the product is `matmul(W, transpose(X))`, which has a row for each output; X comes first": (
        (OUTPUTS, "matmul(W, transpose(X))"),
    ),
    "b is added to the rows of X; add it to the result of the product": (
        (OUTPUTS, "linear([[value + b_o for value, b_o in zip(x, b)] for x in X], W)"),
    ),
    "the numbers of b are appended to each row; add them to its numbers": (
        (OUTPUTS, "[[dot(x, w) for w in W] + list(b) for x in X]"),
    ),
    "b is used without a test; if `b` is None, nothing is added": ((DEFAULT, ""),),
    "only row 0 gets b; add it to each row": (
        (OUTPUTS, "[[dot(x, w) + b_o * (x is X[0]) for w, b_o in zip(W, b)] for x in X]"),
    ),
    "`add` gets the vector b; it adds matrices, so add b to each row yourself": (
        (f"{DEFAULT}return {OUTPUTS}", "return linear(X, W) if b is None else add(linear(X, W), b)"),
    ),
    "`+` appends the numbers of b as further rows; add b to each row": (
        (f"{DEFAULT}return {OUTPUTS}", "return linear(X, W) if b is None else linear(X, W) + b"),
    ),
    "`add` gets `[b]`, a matrix with one row; b must be added to each row": (
        (f"{DEFAULT}return {OUTPUTS}", "return linear(X, W) if b is None else add(linear(X, W), [b])"),
    ),
}


def my_scores(X, W_Q, W_K):
    return matmul(linear(X, W_Q), transpose(linear(X, W_K)))


def scores_of_matrices_in_out(X, W_Q, W_K):
    """X·W_Q and X·W_K, written as `matmul(X, W)` or as `linear(X, transpose(W))`; lengths may not fit."""
    assert len(X[0]) == len(W_Q) == len(W_K)
    return matmul(matmul(X, W_Q), transpose(matmul(X, W_K)))


QUERIES, KEYS = "linear(X, W_Q)", "linear(X, W_K)"
SCORES = f"matmul({QUERIES}, transpose({KEYS}))"
SCORES_MISTAKES = {
    "row i belongs to key i; it must belong to query i, and column j to key j": (
        (SCORES, f"matmul({KEYS}, transpose({QUERIES}))"),
    ),
    "the keys are computed with W_Q": (KEYS, QUERIES),
    "the queries are computed with W_K": (QUERIES, KEYS),
    "the rows of X are compared with the keys; compare the queries": ((f"matmul({QUERIES}", "matmul(X"),),
    "the queries are compared with the rows of X; compare them with the keys": (KEYS, "X"),
    "the rows of X are compared; compare the queries with the keys": (SCORES, "matmul(X, transpose(X))"),
    "the keys are not transposed": (f"transpose({KEYS})", KEYS),
    "W_Q and W_K are taken as [in][out]; they are already [out][in], so use `linear` and transpose neither": (
        scores_of_matrices_in_out
    ),
    "the queries are transposed; transpose the keys": (SCORES, f"matmul(transpose({QUERIES}), {KEYS})"),
    "all scores are in one list; return a row for each query": (SCORES, f"sum({SCORES}, [])"),
    "the keys are computed from the queries; they must be computed from X": ("X, W_K", f"{QUERIES}, W_K"),
    "the scores are divided by √k; the scores of this lesson are not": (
        (SCORES, f"scale({SCORES}, len(W_Q) ** -0.5)"),
    ),
    "a causal mask is added; the scores of this lesson have none": (
        (SCORES, f"add({SCORES}, causal_mask(len(X)))"),
    ),
    "softmax is applied to the rows; return the scores themselves": (
        (SCORES, f"[softmax(row) for row in {SCORES}]"),
    ),
    "the scores of later positions are 0; the scores of this lesson have no mask": (
        (SCORES, f"[[s * (j <= i) for j, s in enumerate(row)] for i, row in enumerate({SCORES})]"),
    ),
    "only the scores of equal positions are computed; each query meets each key": (
        (SCORES, f"[[dot(q, k)] for q, k in zip({QUERIES}, {KEYS})]"),
    ),
    "there is one number for each position: query i meets key i only; each query meets each key": (
        (SCORES, f"[dot(q, k) for q, k in zip({QUERIES}, {KEYS})]"),
    ),
    "the queries are returned; multiply them by the keys": (SCORES, QUERIES),
}


EXERCISES = {
    "02.a": Exercise(
        my_linear,
        [
            [[[1, 2], [0, 1]], [[3, 0], [0, 4], [1, 1]], [0, 0, 4]],
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
        my_scores,
        [
            [[[1, 0], [2, 1]], [[1, 1]], [[0, 5]]],
            [[[1, 2], [0, 1], [3, 0]], [[1, 0], [0, 2]], [[0, 1], [1, 1]]],
            draw_inputs(16, (3, 2), (2, 2), (2, 2)),
            draw_inputs(17, (2, 4), (3, 4), (3, 4)),
            draw_inputs(18, (1, 3), (2, 3), (2, 3)),
        ],
        SCORES_MISTAKES,
    ),
}
