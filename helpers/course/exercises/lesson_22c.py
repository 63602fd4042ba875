"""Lesson 22c: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import add, linear, linear_backward, matmul, scale, transpose
from .exercise import Exercise, draw_inputs


def my_lora_linear(X, W, A, B, c):
    return add(linear(X, W), scale(linear(linear(X, A), B), c))


BOTH, CORRECTION = "linear(linear(X, A), B)", "scale(linear(linear(X, A), B), c)"
SUM = f"add(linear(X, W), {CORRECTION})"
LINEAR_MISTAKES = {
    "the correction is missing": (SUM, "linear(X, W)"),
    "only the correction is returned": (SUM, CORRECTION),
    "c is forgotten": (CORRECTION, BOTH),
    "c multiplies X·Wᵀ, too": (SUM, f"scale(add(linear(X, W), {BOTH}), c)"),
    "c multiplies X·Wᵀ, and not the correction": (SUM, f"add(scale(linear(X, W), c), {BOTH})"),
    "c is used twice": ("B), c)", "B), c * c)"),
    "the correction is divided by c": ("B), c)", "B), 1 / c)"),
    "the correction is divided by the rank": ("B), c)", "B), c / len(A))"),
    "the correction is subtracted": ("B), c)", "B), -c)"),
    "A is not transposed": ("linear(X, A)", "matmul(X, A)"),
    "B is not transposed": (BOTH, "matmul(linear(X, A), B)"),
    "2 is written in the place of c": ("B), c)", "B), 2.0)"),
    "A and B are exchanged": (BOTH, "linear(linear(X, transpose(B)), transpose(A))"),
    "c is multiplied by the rank": ("B), c)", "B), c * len(A))"),
    "B comes before A; X goes through A first": (BOTH, "linear(linear(X, B), A)"),
    "A reads X·Wᵀ; it reads X": ("linear(X, A)", "linear(linear(X, W), A)"),
    "a nonlinear function follows A": ("linear(X, A)", "[[relu(x) for x in row] for row in linear(X, A)]"),
    "the correction is added to X, not to the result": (SUM, f"linear(add(X, {CORRECTION}), W)"),
    "only the first row of X is there": (SUM, f"{SUM}[:1]"),
}


def my_merge(W, A, B, c):
    return add(W, scale(matmul(B, A), c))


PRODUCT = "matmul(B, A)"
MERGE_MISTAKES = {
    "the product is A·B, not B·A": (PRODUCT, "matmul(A, B)"),
    "the product is transposed": (PRODUCT, f"transpose({PRODUCT})"),
    "c is forgotten": (f"scale({PRODUCT}, c)", PRODUCT),
    "c multiplies W, too": (f"add(W, scale({PRODUCT}, c))", f"scale(add(W, {PRODUCT}), c)"),
    "c multiplies W, and not the correction": (
        f"add(W, scale({PRODUCT}, c))",
        f"add(scale(W, c), {PRODUCT})",
    ),
    "c is used twice": ("A), c)", "A), c * c)"),
    "the correction is subtracted": ("A), c)", "A), -c)"),
    "only c·B·A is returned; W is missing": (f"add(W, scale({PRODUCT}, c))", f"scale({PRODUCT}, c)"),
    "2 is written in the place of c": ("A), c)", "A), 2.0)"),
    "linear(B, A) is B·Aᵀ; the product is B·A": (PRODUCT, "linear(B, A)"),
    "only B·A is returned, without c; c·B·A is added to W": (f"add(W, scale({PRODUCT}, c))", PRODUCT),
    "W is returned as it was": (f"add(W, scale({PRODUCT}, c))", "W"),
    "the correction is divided by the rank": ("A), c)", "A), c / len(A))"),
    "only the first row of A and the first column of B are used": ("B, A", "[row[:1] for row in B], A[:1]"),
    "W is multiplied by the correction": (
        f"add(W, scale({PRODUCT}, c))",
        f"[[c * w * d for w, d in zip(*rows)] for rows in zip(W, {PRODUCT})]",
    ),
    "the correction is added twice": ("A), c)", "A), 2 * c)"),
}


def my_lora_gradients(d_out, X, A, B, c):
    inner = linear(X, A)
    d_inner, d_B, _ = linear_backward(scale(d_out, c), inner, B)
    _, d_A, _ = linear_backward(d_inner, X, A)
    return d_A, d_B


SCALED, INNER, RESULT = "scale(d_out, c)", "(d_inner, X, A)", "return d_A, d_B"
GRADIENTS_MISTAKES = {
    "the two gradients are exchanged": (RESULT, "return d_B, d_A"),
    "c is forgotten": (SCALED, "d_out"),
    "c is missing in d_A": (INNER, "(scale(d_inner, 1 / c), X, A)"),
    "c is missing in d_B": (RESULT, "return d_A, scale(d_B, 1 / c)"),
    "c is used twice": (SCALED, "scale(d_out, c * c)"),
    "c is used twice in d_A": (INNER, "(scale(d_inner, c), X, A)"),
    "c is used twice in d_B": (RESULT, "return d_A, scale(d_B, c)"),
    "both gradients have the shapes of their transposes": (RESULT, "return transpose(d_A), transpose(d_B)"),
    "the gradient of X is returned, too; the pair is d_A and d_B": (
        ("_, d_A, _", "d_X, d_A, _"),
        (RESULT, "return d_A, d_B, d_X"),
    ),
    "the gradient of X·Aᵀ is returned in the place of d_A": (RESULT, "return d_inner, d_B"),
    "only the first row of X is used": (
        ("linear(X, A)", "linear(X[:1], A)"),
        (SCALED, "scale(d_out[:1], c)"),
        (INNER, "(d_inner, X[:1], A)"),
    ),
    "the gradient of X·Aᵀ is returned in the place of d_B": (RESULT, "return d_A, d_inner"),
    "X is given as the input of B; the input of B is X·Aᵀ": ("inner, B)", "X, B)"),
    "both are divided by c": (SCALED, "scale(d_out, 1 / c)"),
    "the signs are turned": (SCALED, "scale(d_out, -c)"),
    "d_A has the shape of its transpose": (RESULT, "return transpose(d_A), d_B"),
    "d_B has the shape of its transpose": (RESULT, "return d_A, transpose(d_B)"),
    "d_B is computed from X: the input of B is X·Aᵀ": (RESULT, f"return d_A, matmul(transpose({SCALED}), X)"),
    "d_A is computed from d_out: the gradient at the output of A comes through B": (
        RESULT,
        f"return matmul(transpose({SCALED}), X), d_B",
    ),
    "the gradient of X is returned in the place of d_A": (("_, d_A, _", "d_A, _, _"),),
    "the mean over the rows of X is taken: their contributions are summed": (
        SCALED,
        "scale(d_out, c / len(X))",
    ),
    "only the last row of X is used": (
        ("linear(X, A)", "linear(X[-1:], A)"),
        (SCALED, "scale(d_out[-1:], c)"),
        (INNER, "(d_inner, X[-1:], A)"),
    ),
}


STEP = draw_inputs(221, (2, 3), (2, 3), (1, 3), (2, 1))
MORE = draw_inputs(222, (3, 4), (5, 4), (2, 4), (5, 2))
SQUARE = draw_inputs(223, (2, 3), (3, 3), (3, 3), (3, 3))

EXERCISES = {
    "22.f": Exercise(
        my_lora_linear,
        [
            [[[1.0, 2.0]], [[10.0, 0.0]], [[1.0, 1.0]], [[100.0]], 2.0],
            [*STEP, 0.3],
            [*MORE, 1.5],
            [*SQUARE, 3.0],
            [[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, -1.0]], [[0.0], [0.0]], 2.0],
        ],
        LINEAR_MISTAKES,
    ),
    "22.g": Exercise(
        my_merge,
        [
            [[[10.0, 0.0]], [[1.0, 1.0]], [[100.0]], 2.0],
            [[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0]], [[0.0], [5.0]], 1.0],
            [*STEP[1:], 0.3],
            [*MORE[1:], 1.5],
            [*SQUARE[1:], 3.0],
        ],
        MERGE_MISTAKES,
    ),
    "22.h": Exercise(
        my_lora_gradients,
        [
            [[[1.0]], [[1.0, 3.0]], [[1.0, 1.0]], [[100.0]], 2.0],
            [[[1.0, 2.0]], [[1.0, 4.0]], [[1.0, -1.0]], [[0.0], [0.0]], 1.0],
            [*draw_inputs(224, (2, 2), (2, 3), (1, 3), (2, 1)), 0.5],
            [*draw_inputs(225, (3, 5), (3, 4), (2, 4), (5, 2)), 2.0],
            [*draw_inputs(226, (3, 3), (3, 3), (3, 3), (3, 3)), 3.0],
        ],
        GRADIENTS_MISTAKES,
        parts=("d_A", "d_B"),
    ),
}
