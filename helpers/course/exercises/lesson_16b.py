"""Lesson 16b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from .exercise import Exercise, draw_inputs


def my_ablate(W, b, head, c):
    first, end = head * len(c), (head + 1) * len(c)
    zeroed = [[0.0 if first <= j < end else w for j, w in enumerate(row)] for row in W]
    bias = [x + sum(w * y for w, y in zip(row[first:end], c)) for x, row in zip(b, W)]
    return zeroed, bias


BOUNDS, HEADS_COLUMN = "head * len(c), (head + 1) * len(c)", "first <= j < end"
ROW = f"[0.0 if {HEADS_COLUMN} else w for j, w in enumerate(row)]"
PRODUCT = "sum(w * y for w, y in zip(row[first:end], c))"
BIAS, RETURNED = f"[x + {PRODUCT} for x, row in zip(b, W)]", "return zeroed, bias"
ROWS_ZEROED = (
    f"{ROW} for row in W",
    "[0.0 if first <= i < end else w for w in row] for i, row in enumerate(W)",
)
ABLATE_MISTAKES = {
    "rows of W are set to 0: the output of a head multiplies columns": (ROWS_ZEROED,),
    "rows of W are used as the head's, and not columns": (
        ROWS_ZEROED,
        (BIAS, "[x + sum(W[first + i][j] * y for i, y in enumerate(c)) for j, x in enumerate(b)]"),
    ),
    "the other heads are set to 0, and not this one": (HEADS_COLUMN, f"not {HEADS_COLUMN}"),
    "all heads are set to 0": (HEADS_COLUMN, "True"),
    "nothing is set to 0: the head still adds its own output": (RETURNED, "return W, bias"),
    "the bias stays as it is: c is missing, or is multiplied with columns that were set to 0 before": (
        RETURNED,
        "return zeroed, b",
    ),
    "c multiplies the columns of the head; set them to 0, and add what c gives to b": (
        (ROW, "[w * c[j - first] if first <= j < end else w for j, w in enumerate(row)]"),
        (RETURNED, "return zeroed, b"),
    ),
    "only the first number of c counts": (PRODUCT, "row[first] * c[0]"),
    "the sum of c is added to each number of b: multiply c with the columns of the head first": (
        PRODUCT,
        "sum(c)",
    ),
    "the bias is set to 0, too": (RETURNED, "return zeroed, [0.0 for x in b]"),
    "what c gives replaces the bias: add it to b": (f"x + {PRODUCT}", PRODUCT),
    "what c gives is subtracted from the bias": ("x + sum", "x - sum"),
    "c is added to the bias as it is: multiply it with the columns of the head first": (
        BIAS,
        "[x + (c[i] if i < len(c) else 0.0) for i, x in enumerate(b)]",
    ),
    "c multiplies the columns of head 0, whatever the head is": ("zip(row[first:end], c)", "zip(row, c)"),
    "the sum of the weights multiplies the sum of c: multiply weight by weight": (
        PRODUCT,
        "sum(row[first:end]) * sum(c)",
    ),
    "the mean of c stands for each of its numbers": (PRODUCT, "sum(row[first:end]) * sum(c) / len(c)"),
    "head 0 is ablated, whatever the head is": (BOUNDS, "0, len(c)"),
    "the last columns of W are taken for those of the head": (BOUNDS, "len(W[0]) - len(c), len(W[0])"),
    "heads are counted from 1; they begin at 0": (BOUNDS, "(head - 1) * len(c), head * len(c)"),
    "the columns of a head begin at head, and not at head times its width": (BOUNDS, "head, head + len(c)"),
    "only one column of W is taken for the head: it has as many columns as c has numbers": (
        BOUNDS,
        "head, head + 1",
    ),
    "the columns of the heads alternate: those of one head stand side by side": (
        (HEADS_COLUMN, "j % (len(row) // len(c)) == head"),
        ("row[first:end]", "row[head :: len(row) // len(c)]"),
    ),
    "one column of the next head is set to 0, too": (HEADS_COLUMN, "first <= j <= end"),
    "only the first column of the head is set to 0": (HEADS_COLUMN, "first == j"),
    "W is divided into two heads, whatever the width of c is": (
        BOUNDS,
        "head * (len(W[0]) // 2), (head + 1) * (len(W[0]) // 2)",
    ),
    "the columns of the head are removed: set them to 0": (ROW, "row[:first] + row[end:]"),
    "c is written into the columns of the head: they multiply its output, and c replaces the output": (
        (ROW, "row[:first] + list(c) + row[end:]"),
        (RETURNED, "return zeroed, b"),
    ),
    "the matrix alone is returned, without the bias": (RETURNED, "return zeroed"),
    "the bias is returned first, and not the matrix": (RETURNED, "return bias, zeroed"),
}


def projection(seed, columns, rows, head, width):
    """A matrix, a bias, a head, and as many numbers as the head is wide."""
    return [*draw_inputs(seed, (rows, columns), (rows,)), head, *draw_inputs(seed + 1, (width,))]


EXERCISES = {
    "16.d": Exercise(
        my_ablate,
        [
            [[[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0], 1, [5.0]],
            [[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]], [10.0, 20.0], 0, [1.0, -2.0]],
            projection(161, 6, 3, 1, 2),
            projection(163, 6, 6, 2, 2),
            projection(165, 6, 4, 1, 3),
            projection(167, 4, 5, 3, 1),
        ],
        ABLATE_MISTAKES,
        parts=("W", "b"),
    )
}
