"""The exercises of lessons 06 and 06b. This file contains the answers."""

import math

from ...activations import gelu, gelu_exact, relu
from ...attention import attention, causal_mask
from ...layers import feed_forward, layer_norm, linear
from ...matrices import add, transpose
from ..argument_checks import shape
from .exercise import Exercise, Shown, draw_inputs, from_source


def _close(A, B, within):
    return all(abs(a - b) <= within for rows in zip(A, B) for a, b in zip(*rows))


def _without_activation(X, W_1, b_1, W_2, b_2):
    return linear(linear(X, W_1, b_1), W_2, b_2)


def is_position_wise(layer, X):
    return all(_close(layer([x]), [y], 1e-9) for x, y in zip(X, layer(X)))


def _reversed_only(layer, X):
    return _close(layer(X[::-1])[::-1], layer(X), 1e-9)


def _changed_only(rows, change):
    """A wrong is_position_wise: it changes each of these rows, one at a time, and compares the others."""

    def compare_others(layer, X):
        before = layer(X)
        for t in rows(X):
            after = layer([[change(x) for x in row] if i == t else row for i, row in enumerate(X)])
            if not _close(after[:t] + after[t + 1 :], before[:t] + before[t + 1 :], 1e-9):
                return False
        return True

    return compare_others


_CHANGES = {"doubled": lambda x: 2 * x, "increased": lambda x: x + 1.0}
_CHANGED = {
    "row 0": lambda X: [0],
    "row 1": lambda X: [1],
    "the last row": lambda X: [len(X) - 1],
    "each row": lambda X: range(len(X)),
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
    units = [[x / math.hypot(*row) for x in row] for row in X]
    return add(X, [[sum(column, 0.0) / len(X) for column in zip(*units)]] * len(X))


def _layers():
    """(layer, rows) for is_position_wise: layers that are position-wise and layers that are not."""
    own, other = ([*draw_inputs(seed, (5, 3), (5,), (2, 5), (2,))] for seed in (20, 21))
    (X,) = draw_inputs(22, (4, 3))
    return [
        (lambda X: feed_forward(X, *own), X),
        (lambda X: attention(X, X, X), X),
        (lambda X: attention(X, X, X, causal_mask(len(X))), X),
        (lambda X: layer_norm(X, [1.0] * 3, [0.0] * 3), X),
        (
            lambda X: add(X, [[sum(column) for column in zip(*X)]] * len(X)),
            [[1, 2, 0, 3], [4, 0, 1, 2], [0, 5, 2, 1]],
        ),
        (position_added, X),
        (position_from_the_end_added, X),
        (mean_subtracted, X),
        (
            lambda X: [
                feed_forward([x], *(other if t == len(X) - 1 > 0 else own))[0] for t, x in enumerate(X)
            ],
            X,
        ),
        (lambda X: linear(X, own[0]), draw_inputs(23, (2, 3))[0]),
        (lambda X: attention(X, X, X, transpose(causal_mask(len(X)))), X),
        (lambda X: add(X, [X[0]] * len(X)), X),
        (mean_direction_added, [[3.0, 4.0], [-1.0, 0.0], [0.6, 0.8]]),
        (lambda X: [[gelu(x) for x in row] for row in X], [[0.5, -1.0], [0.25, 2.0]]),
    ]


def either_convention(X, W_1, b_1, W_2, b_2):
    return _either()(X, W_1, b_1, W_2, b_2)


def _either(turn_1=None, turn_2=None, activation=relu, biases=True, end=None):
    """either_convention with another rule for what to transpose, or with another network."""

    def either(X, W_1, b_1, W_2, b_2):
        stored = [len(W_1) != len(b_1), len(W_2) != len(b_2)]
        turns = [turn(stored) if turn else turned for turn, turned in zip((turn_1, turn_2), stored)]
        first, second = (transpose(W) if turn else W for W, turn in zip((W_1, W_2), turns))
        Y = feed_forward(X, first, b_1 if biases else None, second, b_2 if biases else None, activation)
        return [[end(y) for y in row] for row in Y] if end else Y

    return either


def _longer_is_F(X, W_1, b_1, W_2, b_2):
    first = W_1 if len(W_1) > len(W_1[0]) else transpose(W_1)
    second = W_2 if len(W_2) < len(W_2[0]) else transpose(W_2)
    return feed_forward(X, first, b_1, second, b_2, relu)


def _drawn(seed, sizes, turn_1, turn_2):
    """Inputs of either_convention: sizes are T, D, F, m."""
    T, D, F, m = sizes
    X, W_1, b_1, W_2, b_2 = draw_inputs(seed, (T, D), (F, D), (F,), (m, F), (m,))
    return [X, transpose(W_1) if turn_1 else W_1, b_1, transpose(W_2) if turn_2 else W_2, b_2]


def matrix_or_batch(layer, X):
    return [layer(rows) for rows in X] if isinstance(X[0][0], list) else layer(X)


def _batched(layer, X):
    return [layer(rows) for rows in (X if isinstance(X[0][0], list) else [X])]


def _unpacked(layer, X):
    results = _batched(layer, X)
    return results[0] if len(results) == 1 else results


def _by_shape(layer, X):
    return layer(X) if len(shape(X)) == 2 else [layer(rows) for rows in X]


def _stacked(layer, X):
    return layer([row for rows in X for row in rows]) if isinstance(X[0][0], list) else layer(X)


_DOUBLED = (
    "lambda X: linear(X, [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])"  # refuses what is no matrix, as ours do
)


def my_swiglu(X, W_gate, W_up, W_down):
    return _gated()(X, W_gate, W_up, W_down)


def _silu(g):
    return g * 0.5 * (1 + math.tanh(0.5 * g))


def _gated(gate=_silu, up=lambda u: u, join=lambda g, u: g * u):
    def gated(X, W_gate, W_up, W_down):
        pairs = zip(linear(X, W_gate), linear(X, W_up))
        return linear([[join(gate(g), up(u)) for g, u in zip(*rows)] for rows in pairs], W_down)

    return gated


def my_feed_forward(X, W_1, b_1, W_2, b_2):
    result = []
    for row in X:
        hidden = [sum((w * x for w, x in zip(weights, row)), 0.0) + b for weights, b in zip(W_1, b_1)]
        activated = [
            h * 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3))) for h in hidden
        ]
        result.append(
            [sum((w * a for w, a in zip(weights, activated)), 0.0) + b for weights, b in zip(W_2, b_2)]
        )
    return result


EXERCISES = {
    "06.1": Exercise(
        is_position_wise,
        [
            [from_source("lambda X: [[2 * x for x in row] for row in X]"), [[1.0], [2.0]]],
            *([Shown("layer", layer), X] for layer, X in _layers()),
        ],
        mistakes={
            (
                "only the order of the rows is changed: attention without a mask passes that test, too"
            ): _reversed_only,
            **{
                (
                    f"{which} is {how} and the other rows are compared: a layer whose rule depends on the "
                    "position passes that test, too"
                ): (_changed_only(rows, change))
                for which, rows in _CHANGED.items()
                for how, change in _CHANGES.items()
            },
            (
                "the order of the rows is changed and one row is doubled: a layer that uses only the "
                "directions of other rows passes both tests"
            ): (
                lambda layer, X: (
                    _reversed_only(layer, X) and _changed_only(lambda X: [0], lambda x: 2 * x)(layer, X)
                )
            ),
            "only the first row is given to the layer alone": lambda layer, X: _close(
                layer(X[:1]), layer(X)[:1], 1e-9
            ),
            "only the last row is given to the layer alone": lambda layer, X: _close(
                layer(X[-1:]), layer(X)[-1:], 1e-9
            ),
            "the numbers in the output are not compared: every layer here returns as many rows as it gets": (
                lambda layer, X: True
            ),
            "True and False are exchanged": lambda layer, X: not is_position_wise(layer, X),
        },
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
        mistakes={
            "both matrices are always transposed": _either(lambda stored: True, lambda stored: True),
            "no matrix is ever transposed": _either(lambda stored: False, lambda stored: False),
            "W_2 is transposed whenever W_1 is": _either(turn_2=lambda stored: stored[0]),
            "only W_1 is transposed where necessary": _either(turn_2=lambda stored: False),
            "the matrices in the right convention are transposed, and the others are not": _either(
                lambda stored: not stored[0], lambda stored: not stored[1]
            ),
            "the longer side of a matrix is taken for F: F may also be the smaller width": _longer_is_F,
            "ReLU is left out": _either(activation=lambda h: h),
            "GELU is used instead of ReLU": _either(activation=gelu),
            "the biases are left out": _either(biases=False),
            "ReLU is applied to the result, too": _either(end=relu),
        },
    ),
    "06.3": Exercise(
        matrix_or_batch,
        [
            [from_source(_DOUBLED, linear=linear), [[1.0, 2.0], [0.5, 0.0]]],
            [from_source(_DOUBLED, linear=linear), [[[1.0, 2.0]], [[0.5, 0.0]]]],
            [from_source(_DOUBLED, linear=linear), [[[1.0, 2.0], [0.5, 0.0]]]],
            [from_source(_DOUBLED, linear=linear), draw_inputs(43, (1, 2))[0]],
            [from_source(_DOUBLED, linear=linear), draw_inputs(41, (3, 2), (3, 2))],
            [from_source(_DOUBLED, linear=linear), draw_inputs(45, (1, 2), (4, 2))],
        ],
        mistakes={
            "a single matrix comes back as a batch of one": _batched,
            "a batch of one comes back unpacked": _unpacked,
            "all matrices of a batch are joined into one matrix": _stacked,
            "shape(X) is called: it refuses a batch whose matrices have different numbers of rows": _by_shape,
            "a batch is given to the layer as it is": lambda layer, X: layer(X),
            "a single matrix is treated as a batch, so its rows are given to the layer one by one": (
                lambda layer, X: [layer(rows) for rows in X]
            ),
        },
        example=False,
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
        mistakes={
            "GELU is left out": _without_activation,
            "ReLU is used instead of GELU": lambda X, W_1, b_1, W_2, b_2: feed_forward(
                X, W_1, b_1, W_2, b_2, relu
            ),
            "b_1 is forgotten": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, None, W_2, b_2),
            "b_2 is forgotten": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, b_1, W_2, None),
            "GELU is applied before b_1 is added": lambda X, W_1, b_1, W_2, b_2: linear(
                [[gelu(h) + b for h, b in zip(row, b_1)] for row in linear(X, W_1)], W_2, b_2
            ),
            "GELU is the exact form with erf; this course uses the tanh form": (
                lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, b_1, W_2, b_2, gelu_exact)
            ),
            "GELU is applied to the result only, instead of the hidden layer": lambda X, W_1, b_1, W_2, b_2: [
                [gelu(y) for y in row] for row in _without_activation(X, W_1, b_1, W_2, b_2)
            ],
            "GELU is applied to the result, too": lambda X, W_1, b_1, W_2, b_2: [
                [gelu(y) for y in row] for row in feed_forward(X, W_1, b_1, W_2, b_2)
            ],
            ("GELU is applied before the first layer instead of after it"): lambda X, W_1, b_1, W_2, b_2: (
                _without_activation([[gelu(x) for x in row] for row in X], W_1, b_1, W_2, b_2)
            ),
            "GELU is also applied to X, before the first layer": lambda X, W_1, b_1, W_2, b_2: feed_forward(
                [[gelu(x) for x in row] for row in X], W_1, b_1, W_2, b_2
            ),
            "X is added to the result: that is the residual connection of lesson "
            "07": lambda X, W_1, b_1, W_2, b_2: add(X, feed_forward(X, W_1, b_1, W_2, b_2)),
        },
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
        mistakes={
            "the sigmoid is computed with exp(−g), which overflows for a very negative g": _gated(
                lambda g: g / (1 + math.exp(-g))
            ),
            "silu is left out": _gated(lambda g: g),
            "silu is applied to both factors": _gated(up=_silu),
            "silu is applied to the product instead of the gate": _gated(
                lambda g: g, join=lambda g, u: _silu(g * u)
            ),
            "ReLU is applied to the gate instead of silu: that is ReGLU": _gated(relu),
            "the factor ½ of the sigmoid is missing": _gated(lambda g: g * (1 + math.tanh(g / 2))),
            "tanh is applied to the gate instead of silu": _gated(math.tanh),
            "silu is applied to the other factor instead of the gate": _gated(lambda g: g, _silu),
            "GELU is applied to the gate instead of silu: that is GEGLU": _gated(gelu),
            "the sigmoid is computed from tanh(g) instead of tanh(g/2)": _gated(
                lambda g: g * 0.5 * (1 + math.tanh(g))
            ),
            "the factor g of silu is missing: that is GLU": _gated(lambda g: 0.5 * (1 + math.tanh(0.5 * g))),
            "the two vectors are added instead of multiplied": _gated(join=lambda g, u: g + u),
        },
    ),
}
