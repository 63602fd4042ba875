"""Lesson 05: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import add, linear, matmul, relu, transpose
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
    "`linear` computes W_1·W_2ᵀ; W_2·W_1 is needed": (W, "linear(W_1, W_2)"),
    "the matrices are multiplied entry by entry; use `matmul`": (
        W,
        "[[a * b for a, b in zip(*rows)] for rows in zip(W_1, W_2)]",
    ),
    "`b_1` goes through both layers; it is added after the first one": (
        B,
        "linear([b_1], matmul(W_2, W_1), b_2)[0]",
    ),
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
    "`b_2` goes through `W_1`, and `b_1` is added; `b_1` goes through `W_2`, and `b_2` is added": (
        (B, "[sum(w * b for w, b in zip(row, b_2)) + b_1[0] for row in W_1]"),
    ),
    "the biases are multiplied; `b_1` goes through `W_2`, and `b_2` is added": (
        (B, "[x * y for x, y in zip(b_1, b_2)]"),
    ),
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
    "the function stays at 1 after x = 1, where its slope has to be −1": (
        ("2 * ", ""),
        (" + relu(x - 2)", ""),
    ),
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
    "all weights are 1: the slope never falls": ("- 2 *", "+"),
    "relu(2 - x) is not 0 left of x = 2: its slope there is −1, and the weights add slopes": (
        ("relu(x) - 2 * relu(x - 1) + relu(x - 2)", "relu(x) - relu(x - 1) + relu(2 - x)"),
    ),
    "a product of ReLUs is a curve; the second layer adds units": (
        ("relu(x) - 2 * relu(x - 1) + relu(x - 2)", "relu(x) * relu(2 - x)"),
    ),
    "ReLU is missing: a sum of straight lines is a straight line": (
        ("relu(x) - 2 * relu(x - 1) + relu(x - 2)", "x - 2 * (x - 1) + (x - 2)"),
    ),
}


def my_weights(ends, heights):
    slopes = []
    for i in range(len(ends) - 1):
        slopes.append((heights[i + 1] - heights[i]) / (ends[i + 1] - ends[i]))
    return [slopes[0]] + [after - before for before, after in zip(slopes, slopes[1:])]


def weights_before(slopes):
    """0, then the weights of a reader who subtracts the last weight, and not the last slope."""
    weights = [0]
    for slope in slopes:
        weights.append(slope - weights[-1])
    return weights


CHANGES = "[after - before for before, after in zip(slopes, slopes[1:])]"
WEIGHTS_MISTAKES = {
    "the slopes are returned; a weight is the change of slope at its knot": (
        f"[slopes[0]] + {CHANGES}",
        "slopes",
    ),
    "the first weight is missing: before the first piece the slope is 0": ("[slopes[0]] + ", ""),
    "the first weight is the first height; that is the bias": ("[slopes[0]]", "[heights[0]]"),
    "the signs of the changes are reversed: subtract the old slope from the new one": (
        "after - before",
        "before - after",
    ),
    "the differences of the heights are not divided by the widths of the pieces": (
        " / (ends[i + 1] - ends[i])",
        "",
    ),
    "every difference is divided by the width of the first piece; the pieces differ in width": (
        "(ends[i + 1] - ends[i])",
        "(ends[1] - ends[0])",
    ),
    "the heights are divided by the ends; a slope is a difference divided by a difference": (
        "(heights[i + 1] - heights[i]) / (ends[i + 1] - ends[i])",
        "heights[i + 1] / ends[i + 1]",
    ),
    "a slope is the difference of the ends divided by that of the heights; it is the other way round": (
        "(heights[i + 1] - heights[i]) / (ends[i + 1] - ends[i])",
        "(ends[i + 1] - ends[i]) / (heights[i + 1] - heights[i])",
    ),
    "all changes are counted from the first slope; count each from the slope before it": (
        "after - before for before, after",
        "after - slopes[0] for _, after",
    ),
    "the first weight is 0; it is the change from the slope 0 to the first slope": ("[slopes[0]]", "[0]"),
    "the differences of the heights are returned; divide each by its width, and take the changes": (
        f"[slopes[0]] + {CHANGES}",
        "[b - a for a, b in zip(heights, heights[1:])]",
    ),
    "index i - 1 at i = 0 is the last entry: the first slope is taken from the last height": (
        (
            "heights[i + 1] - heights[i]) / (ends[i + 1] - ends[i]",
            "heights[i] - heights[i - 1]) / (ends[i + 1] - ends[i]",
        ),
    ),
    "the bias is in the list, too; return the weights only": ("[slopes[0]]", "[heights[0], slopes[0]]"),
    "`//` rounds the slopes down; use `/`": (" / ", " // "),
    "the changes have lost their signs": ("[after - before for", "[abs(after - before) for"),
    "a slope is the height at the end of the piece divided by its width; use the difference of the heights": (
        "(heights[i + 1] - heights[i])",
        "heights[i + 1]",
    ),
    "the weight before is subtracted; subtract the slope before": (
        (
            f"[slopes[0]] + {CHANGES}",
            "[slope - before for slope, before in zip(slopes, weights_before(slopes))]",
        ),
    ),
    "there is a weight for the last end, too; the unit of a piece has its knot where the piece begins": (
        f"+ {CHANGES}",
        f"+ {CHANGES} + [-slopes[-1]]",
    ),
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
        [
            [0.5],
            [1.0],
            [1.5],
            [2.0],
            [3.0],
            [-1.0],
            [0.0],
            [2.5],
            [100.0],
            [0.25],
            [1.75],
        ],  # a due 0 must be exactly 0
        HAT_MISTAKES,
    ),
    "05.c": Exercise(
        my_weights,
        [
            [[0, 2, 3], [1, 2, 5]],
            [[0, 1, 2], [0, 1, 0]],
            [[-1, 1, 2], [3, 4, 6]],
            [[1, 2, 4, 8], [0.5, 2, -1, -1.5]],
            [[-2, 2], [1, -1]],
            [[-3.0, -1.5, 0.5, 1.0, 3.0], [0.25, 1.0, -0.75, 0.5, 2.0]],
        ],
        WEIGHTS_MISTAKES,
    ),
}
