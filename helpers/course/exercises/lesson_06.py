"""Lessons 06 and 06b: solutions, inputs and known mistakes of exercises. Reading on gives answers away."""

import math

from ... import (
    add,
    attention,
    causal_mask,
    feed_forward,
    gelu,
    gelu_exact,
    layer_norm,
    linear,
    relu,
    scale,
    transpose,
)
from ..argument_checks import shape
from .exercise import Exercise, Shown, draw_inputs, from_source


def my_feed_forward(X, W_1, b_1, W_2, b_2):
    hidden = linear(X, W_1, b_1)
    activated = [[gelu(h) for h in row] for row in hidden]
    return linear(activated, W_2, b_2)


RESULT = "linear(activated, W_2, b_2)"
FEED_FORWARD_MISTAKES = {
    "GELU is left out": ("gelu(h)", "h"),
    "ReLU is used instead of GELU": ("gelu", "relu"),
    "b_1 is forgotten": (", b_1)", ")"),
    "b_2 is forgotten": (RESULT, "linear(activated, W_2)"),
    "GELU is applied before b_1 is added": (
        (", b_1)", ")"),
        ("[gelu(h) for h in row]", "[gelu(h) + b for h, b in zip(row, b_1)]"),
    ),
    "GELU is the exact form with erf; this course uses the tanh form": ("gelu", "gelu_exact"),
    "GELU is applied to the result only, instead of the hidden layer": (
        ("gelu(h)", "h"),
        (RESULT, f"[[gelu(y) for y in row] for row in {RESULT}]"),
    ),
    "GELU is applied to the result, too": (RESULT, f"[[gelu(y) for y in row] for row in {RESULT}]"),
    "GELU is applied before the first layer instead of after it": (
        ("gelu(h)", "h"),
        ("linear(X", "linear([[gelu(x) for x in row] for row in X]"),
    ),
    "GELU is also applied to X, before the first layer": (
        ("linear(X", "linear([[gelu(x) for x in row] for row in X]"),
    ),
    "both biases are forgotten": ((", b_1)", ")"), (RESULT, "linear(activated, W_2)")),
    "only the first row is computed": ("linear(X", "linear(X[:1]"),
    "the hidden layer is returned; the second linear layer is missing": (RESULT, "activated"),
    "X is added to the result: that is the residual connection of lesson 07": (RESULT, f"add(X, {RESULT})"),
}


def is_position_wise(layer, X):
    whole = layer(X)
    return all(abs(a - b) < 1e-9 for x, y in zip(X, whole) for a, b in zip(layer([x])[0], y))


COMPARED = "all(abs(a - b) < 1e-9 for x, y in zip(X, whole) for a, b in zip(layer([x])[0], y))"
OTHER_ROWS_STAY = """all(
        abs(a - b) < 1e-9
        for t in {rows}
        for i, y in enumerate(layer([[{change} if k == t else x for x in row] for k, row in enumerate(X)]))
        if i != t
        for a, b in zip(y, whole[i])
    )"""
ORDER_IS_KEPT = """all(
        abs(a - b) < 1e-9 for rows in zip(layer(X[::-1])[::-1], whole) for a, b in zip(*rows)
    )"""
OTHERS_ARE_ZERO = """all(
        abs(a - b) < 1e-9
        for t, y in enumerate(whole)
        for a, b in zip(layer([x if k == t else [0.0] * len(x) for k, x in enumerate(X)])[t], y)
    )"""
ROWS = {"row 0": "[0]", "row 1": "[1]", "the last row": "[len(X) - 1]", "each row": "range(len(X))"}
CHANGES = {"doubled": "2 * x", "increased": "x + 1.0", "set to 0": "0.0"}
IN_HALVES = "layer(X[: len(X) // 2]) + layer(X[len(X) // 2 :])"
POSITION_WISE_MISTAKES = {
    "`abs` is missing: a difference below 0 passes, however large it is": ("abs(a - b)", "a - b"),
    "only the order of the rows is changed: attention without a mask passes that test, too": (
        (COMPARED, ORDER_IS_KEPT),
    ),
    **{
        (
            f"{which} is {how} and the other rows are compared: a layer whose rule depends on the "
            "position passes that test, too"
        ): (COMPARED, OTHER_ROWS_STAY.format(rows=rows, change=change))
        for which, rows in ROWS.items()
        for how, change in CHANGES.items()
        if (which, how) != ("each row", "increased")
    },
    "other rows change, but each row stays at its position: a rule that depends on the position passes": (
        COMPARED,
        OTHER_ROWS_STAY.format(rows="range(len(X))", change="x + 1.0"),
    ),
    (
        "the order of the rows is changed, and the other rows are changed: a rule that depends on the "
        "distance from the middle passes both tests"
    ): (COMPARED, f"{ORDER_IS_KEPT} and {OTHER_ROWS_STAY.format(rows='range(len(X))', change='x + 1.0')}"),
    "one row at a time is left out: leave out all rows but one": (
        COMPARED,
        """all(
        abs(a - b) < 1e-9
        for t in range(len(X))
        for rows in zip(layer(X[:t] + X[t + 1 :]), whole[:t] + whole[t + 1 :])
        for a, b in zip(*rows)
    )""",
    ),
    (
        "the order of the rows is changed and one row is doubled: a layer that uses only the "
        "directions of other rows passes both tests"
    ): (COMPARED, f"{ORDER_IS_KEPT} and {OTHER_ROWS_STAY.format(rows='[0]', change='2 * x')}"),
    "each row is given to the layer in as many copies as X has rows: give it alone": (
        ("layer([x])[0]", "layer([x] * len(X))[0]"),
    ),
    "the answer is always False (`layer([x])` is a matrix; `layer([x])[0]` is its row)": (COMPARED, "False"),
    "the other rows are set to 0, and not left out: give each row alone": (COMPARED, OTHERS_ARE_ZERO),
    (
        "the order of the rows is changed, and the other rows are set to 0: a rule that depends on the "
        "distance from the middle passes both tests"
    ): (COMPARED, f"{ORDER_IS_KEPT} and {OTHERS_ARE_ZERO}"),
    "each row is given with all rows before it: give it alone": (
        COMPARED,
        "all(abs(a - b) < 1e-9 for t, y in enumerate(whole) for a, b in zip(layer(X[: t + 1])[t], y))",
    ),
    "each row is given with all rows after it: give it alone": (
        COMPARED,
        "all(abs(a - b) < 1e-9 for t, y in enumerate(whole) for a, b in zip(layer(X[t:])[0], y))",
    ),
    "X is cut into two halves: a layer that combines rows of one half passes. Give each row alone": (
        COMPARED,
        f"all(abs(a - b) < 1e-9 for rows in zip({IN_HALVES}, whole) for a, b in zip(*rows))",
    ),
    "only the first number is compared, or `any` takes the place of `all`": ("return all", "return any"),
    "the sums of the rows are compared, and not their numbers": (
        COMPARED,
        "all(abs(sum(layer([x])[0]) - sum(y)) < 1e-9 for x, y in zip(X, whole))",
    ),
    "only the first row is given to the layer alone": ("zip(X, whole)", "zip(X[:1], whole[:1])"),
    "only the last row is given to the layer alone": ("zip(X, whole)", "zip(X[-1:], whole[-1:])"),
    "the numbers in the output are not compared: every layer here returns as many rows as it gets": (
        (COMPARED, "len(whole) == len(X)"),
    ),
    "True and False are exchanged": ("return all", "return not all"),
}


def position_added(X):
    return [[x + t for x in row] for t, row in enumerate(X)]


def position_from_the_end_added(X):
    return position_added(X[::-1])[::-1]


def mean_subtracted(X):
    means = [sum(column, 0.0) / len(X) for column in zip(*X)]
    return [[x - m for x, m in zip(row, means)] for row in X]


def mean_direction_added(X):
    """Add the mean direction of all rows to each row: doubling one row changes none of the others."""
    units = [[x / (math.hypot(*row) or 1.0) for x in row] for row in X]
    return add(X, [[sum(column, 0.0) / len(X) for column in zip(*units)]] * len(X))


def _layers():
    """[layer, rows] for is_position_wise: layers that are position-wise and layers that are not.

    A wrong answer shows the rule of the layer by its name.
    """
    own, other = ([*draw_inputs(seed, (5, 3), (5,), (2, 5), (2,))] for seed in (20, 21))
    (X,), (two_rows,) = draw_inputs(22, (4, 3)), draw_inputs(23, (2, 3))
    small = [[0.5, -1.0], [0.25, 2.0]]
    layers = [
        ("feed_forward", lambda X: feed_forward(X, *own), X),
        ("attention", lambda X: attention(X, X, X), X),
        ("causal_attention", lambda X: attention(X, X, X, causal_mask(len(X))), X),
        ("layer_norm", lambda X: layer_norm(X, [1.0] * 3, [0.0] * 3), X),
        (
            "sum_of_all_rows_added",
            lambda X: add(X, [[sum(column) for column in zip(*X)]] * len(X)),
            [[1, 2, 0, 3], [4, 0, 1, 2], [0, 5, 2, 1]],
        ),
        ("position_added", position_added, X),
        ("position_from_the_end_added", position_from_the_end_added, X),
        ("mean_of_all_rows_subtracted", mean_subtracted, X),
        (
            "feed_forward_with_other_parameters_for_the_last_row",
            lambda X: [
                feed_forward([x], *(other if t == len(X) - 1 > 0 else own))[0] for t, x in enumerate(X)
            ],
            X,
        ),
        ("linear", lambda X: linear(X, own[0]), two_rows),
        ("attention_to_later_rows", lambda X: attention(X, X, X, transpose(causal_mask(len(X)))), X),
        ("first_row_added", lambda X: add(X, [X[0]] * len(X)), X),
        ("mean_direction_added", mean_direction_added, [[3.0, 4.0], [-1.0, 0.0], [0.6, 0.8]]),
        ("gelu_of_each_number", lambda X: [[gelu(x) for x in row] for row in X], small),
        # symmetric: what it does to the rows is the same when they are reversed
        (
            "scaled_by_the_squared_distance_from_the_middle",
            lambda X: [[x * (t - (len(X) - 1) / 2) ** 2 for x in row] for t, row in enumerate(X)],
            X,
        ),
        ("next_row_added", lambda X: add(X, [*X[1:], [0.0] * len(X[0])]), X),
        ("last_column_summed", lambda X: [[*row[:-1], sum(other[-1] for other in X)] for row in X], X),
        # sums of rows stay
        (
            "second_entry_of_row_0_moved",
            lambda X: [[row[0] + X[0][1], row[1] - X[0][1], row[2]] for row in X],
            X,
        ),
        (
            "a_thousandth_of_all_rows_added",
            lambda X: add(X, [[0.001 * sum(column) for column in zip(*X)]] * len(X)),
            X,
        ),
        ("divided_by_the_number_of_rows", lambda X: scale(X, 1 / len(X)), X),
        (
            "pairs_added",
            lambda X: add(X, [X[t ^ 1] if t ^ 1 < len(X) else [0.0] * 3 for t in range(len(X))]),
            X,
        ),
        (
            "one_added_if_two_rows_are_not_zero",
            lambda X: [[x + (sum(map(any, X)) > 1) for x in row] for row in X],
            X,
        ),
        (
            "one_added_if_four_rows_are_not_zero",
            lambda X: [[x + (sum(map(any, X)) > 3) for x in row] for row in X],
            X,
        ),
        (
            "row_0_added_to_all_rows_but_the_last",
            lambda X: [*[[row[0] + X[0][0]] for row in X[:-1]], X[-1]],
            [[1.0], [2.0], [4.0]],
        ),
    ]
    return [[Shown(name, layer), rows] for name, layer, rows in layers]


def either_convention(X, W_1, b_1, W_2, b_2):
    first = W_1 if len(W_1) == len(b_1) else transpose(W_1)
    second = W_2 if len(W_2) == len(b_2) else transpose(W_2)
    return feed_forward(X, first, b_1, second, b_2, activation=relu)


FITS_1, FITS_2 = "len(W_1) == len(b_1)", "len(W_2) == len(b_2)"
CONVENTION_MISTAKES = {
    "both matrices are always transposed": ((FITS_1, "False"), (FITS_2, "False")),
    "no matrix is ever transposed": ((FITS_1, "True"), (FITS_2, "True")),
    "W_2 is transposed whenever W_1 is": (FITS_2, FITS_1),
    "only W_1 is transposed where necessary": (FITS_2, "True"),
    "only W_2 is transposed where necessary": (FITS_1, "True"),
    "W_1 is transposed whenever W_2 is": (FITS_1, FITS_2),
    "the rows of W_2 are compared with the width of X; the width of the output is that of b_2": (
        FITS_2,
        "len(W_2) == len(X[0])",
    ),
    "b_1 is forgotten": ("first, b_1", "first, None"),
    "b_2 is forgotten": ("second, b_2", "second, None"),
    "the matrices in the right convention are transposed, and the others are not": (
        ("len(W_1) ==", "len(W_1) !="),
        ("len(W_2) ==", "len(W_2) !="),
    ),
    "the longer side of a matrix is taken for F: F may also be the smaller width": (
        (FITS_1, "len(W_1) > len(W_1[0])"),
        (FITS_2, "len(W_2) < len(W_2[0])"),
    ),
    "ReLU is left out": ("activation=relu", "activation=lambda h: h"),
    "GELU is used instead of ReLU": ("activation=relu", "activation=gelu"),
    "the biases are left out": ("first, b_1, second, b_2", "first, None, second, None"),
    "ReLU is applied to the result, too": (
        ("return ", "Y = "),
        ("=relu)\n", "=relu)\n    return [[relu(y) for y in row] for row in Y]\n"),
    ),
}


def _drawn(seed, sizes, turn_1, turn_2):
    """Inputs of either_convention: sizes are T, D, F, m."""
    T, D, F, m = sizes
    X, W_1, b_1, W_2, b_2 = draw_inputs(seed, (T, D), (F, D), (F,), (m, F), (m,))
    return [X, transpose(W_1) if turn_1 else W_1, b_1, transpose(W_2) if turn_2 else W_2, b_2]


def my_swiglu(X, W_gate, W_up, W_down):
    gates = [[g * 0.5 * (1 + math.tanh(g / 2)) for g in row] for row in linear(X, W_gate)]
    hidden = [[g * u for g, u in zip(*rows)] for rows in zip(gates, linear(X, W_up))]
    return linear(hidden, W_down)


SILU = "g * 0.5 * (1 + math.tanh(g / 2))"
GATED = "[[g * u for g, u in zip(*rows)] for rows in zip(gates, linear(X, W_up))]"
SWIGLU_MISTAKES = {
    "the sigmoid is computed with exp(−g), which overflows for a very negative g": (
        (SILU, "g / (1 + math.exp(-g))"),
    ),
    "silu is left out": (SILU, "g"),
    "silu is applied to both factors": ("g * u", "g * u * 0.5 * (1 + math.tanh(u / 2))"),
    "silu is applied to the product instead of the gate": (
        (SILU, "g"),
        ("g * u", "g * u * 0.5 * (1 + math.tanh(g * u / 2))"),
    ),
    "ReLU is applied to the gate instead of silu: that is ReGLU": (SILU, "relu(g)"),
    "the factor ½ of the sigmoid is missing": (SILU, "g * (1 + math.tanh(g / 2))"),
    "tanh is applied to the gate instead of silu": (SILU, "math.tanh(g)"),
    "silu is applied to the other factor instead of the gate": (
        (SILU, "g"),
        ("g * u", "g * u * 0.5 * (1 + math.tanh(u / 2))"),
    ),
    "GELU is applied to the gate instead of silu: that is GEGLU": (SILU, "gelu(g)"),
    "the sigmoid is computed from tanh(g) instead of tanh(g/2)": (SILU, "g * 0.5 * (1 + math.tanh(g))"),
    "the factor g of silu is missing: that is GLU": (SILU, "0.5 * (1 + math.tanh(g / 2))"),
    "the two vectors are added instead of multiplied": ("g * u", "g + u"),
    "W_up reads the gate; it should read X": (GATED, "linear(gates, W_up)"),
    "W_up is left out": (GATED, "gates"),
    "W_down is left out": ("linear(hidden, W_down)", "hidden"),
    "the sigmoid form of GELU is applied to the gate instead of silu": (SILU, "quick_gelu(g)"),
    "the matrices are read [in][out]; use `linear`, not `matmul`": (
        ("linear(X, W_gate)", "matmul(X, W_gate)"),
        ("linear(X, W_up)", "matmul(X, W_up)"),
        ("linear(hidden", "matmul(hidden"),
    ),
}


EXERCISES = {
    "06.1": Exercise(
        is_position_wise,
        [[from_source("lambda X: [[2 * x for x in row] for row in X]"), [[1.0], [2.0]]], *_layers()],
        POSITION_WISE_MISTAKES,
    ),
    "06.2": Exercise(
        either_convention,
        [
            [[[3, 1]], [[1, 0, 2], [0, 1, 0]], [0, 0, 0], [[1, 1, 10]], [5]],
            _drawn(30, (2, 2, 3, 2), True, True),
            _drawn(32, (1, 4, 6, 4), False, True),
            _drawn(34, (4, 3, 5, 2), True, False),
            _drawn(36, (2, 3, 6, 3), False, False),
            _drawn(38, (2, 4, 3, 5), True, False),
        ],
        CONVENTION_MISTAKES,
    ),
    "06.a": Exercise(
        my_feed_forward,
        [
            [[[3.0]], [[1.0], [-1.0]], [0.0, 0.0], [[10.0, 100.0]], [5.0]],
            [[[1, 2]], [[1, 0], [0, 1], [1, -1]], [0.5, -0.5, 1], [[1, 0, 2], [0, 1, 0]], [0.25, 10]],
            draw_inputs(54, (2, 2), (3, 2), (3,), (2, 3), (2,)),
            draw_inputs(55, (3, 3), (3, 3), (3,), (3, 3), (3,)),
            draw_inputs(56, (1, 2), (5, 2), (5,), (3, 5), (3,)),
        ],
        FEED_FORWARD_MISTAKES,
    ),
    "06.b": Exercise(
        my_swiglu,
        [
            [[[1.0]], [[2.0]], [[3.0]], [[10.0]]],
            [[[1.0, -1.0]], [[1.0, 0.0], [0.0, 2.0]], [[0.5, 0.5], [1.0, 0.0]], [[1.0, 10.0]]],
            draw_inputs(50, (3, 2), (4, 2), (4, 2), (3, 4)),
            draw_inputs(52, (2, 3), (3, 3), (3, 3), (3, 3)),
            [[[-800.0], [800.0]], [[1.0]], [[0.01]], [[1.0]]],
        ],
        SWIGLU_MISTAKES,
    ),
}
