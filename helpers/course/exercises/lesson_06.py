"""Lesson 06 and its variants, 06b, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu, relu
from ...attention import attention, causal_mask
from ...layers import feed_forward, layer_norm, linear
from ...matrices import add, transpose
from .exercise import Exercise, Written, draw_inputs, written


def _close(A, B, within):
    return all(abs(a - b) <= within for rows in zip(A, B) for a, b in zip(*rows))


def _unbent(X, W_1, b_1, W_2, b_2):
    return linear(linear(X, W_1, b_1), W_2, b_2)


def is_position_wise(layer, X):
    return all(_close(layer([x]), [y], 1e-9) for x, y in zip(X, layer(X)))


def _shuffled_only(layer, X):
    return _close(layer(X[::-1])[::-1], layer(X), 1e-9)


def _changed_only(rows, change):
    """is_position_wise that changes each of these rows by itself, and watches the others."""

    def watches(layer, X):
        before = layer(X)
        for t in rows(X):
            after = layer([[change(x) for x in row] if i == t else row for i, row in enumerate(X)])
            if not _close(after[:t] + after[t + 1 :], before[:t] + before[t + 1 :], 1e-9):
                return False
        return True

    return watches


_CHANGES = {"doubled": lambda x: 2 * x, "nudged": lambda x: x + 1.0}
_CHANGED = {
    "row 0": lambda X: [0],
    "row 1": lambda X: [1],
    "the last row": lambda X: [len(X) - 1],
    "each row": lambda X: range(len(X)),
}


def place_added(X):
    return [[x + t for x in row] for t, row in enumerate(X)]


def place_from_the_end_added(X):
    return place_added(X[::-1])[::-1]


def mean_taken_off(X):
    means = [sum(column, 0.0) / len(X) for column in zip(*X)]
    return [[x - m for x, m in zip(row, means)] for row in X]


def mean_direction_added(X):
    """Each row hears where the others point, and not how long they are: to double one changes none of the
    others."""
    units = [[x / math.hypot(*row) for x in row] for row in X]
    return add(X, [[sum(column, 0.0) / len(X) for column in zip(*units)]] * len(X))


def _layers():
    """(layer, rows) for is_position_wise, right and wrong ones mixed."""
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
        (place_added, X),
        (place_from_the_end_added, X),
        (mean_taken_off, X),
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


def first_wrong(X, W_1, hidden):
    return _first_wrong()(X, W_1, hidden)


def _places(hidden):
    return [(t, i) for t, row in enumerate(hidden) for i in range(len(row))]


def _first_wrong(within=0.0051, order=_places, said=list):
    """first_wrong with another tolerance, another order of reading, or another way to say it."""

    def first(X, W_1, hidden):
        worked = linear(X, W_1)
        return next(
            (said((t, i)) for t, i in order(hidden) if abs(worked[t][i] - hidden[t][i]) > within), None
        )

    return first


def _worked(seed, sizes, off={}):
    """Inputs of first_wrong: sizes are T, D, F; off says where a number is wrong, and by how much."""
    T, D, F = sizes
    X, W_1 = draw_inputs(seed, (T, D), (F, D), top=1)
    hidden = [[round(h, 2) for h in row] for row in linear(X, W_1)]
    for (t, i), by in off.items():
        hidden[t][i] = round(hidden[t][i] + by, 2)
    return [X, W_1, hidden]


_WORKED_X = [[1.0, 0.5, -0.3, 0.8], [0.2, -0.4, 0.6, 0.1]]
_WORKED_W_1 = [
    [0.1, 0.2, 0.3, 0.4],
    [0.2, 0.1, 0.4, 0.3],
    [0.3, 0.4, 0.1, 0.2],
    [0.4, 0.3, 0.2, 0.1],
    [0.1, 0.3, 0.2, 0.4],
    [0.2, 0.4, 0.1, 0.3],
    [0.3, 0.1, 0.4, 0.2],
    [0.4, 0.2, 0.3, 0.1],
]
_WORKED_HIDDEN = [
    [0.43, 0.37, 0.63, 0.57, 0.51, 0.61, 0.39, 0.49],
    [0.17, 0.21, 0.23, 0.19, 0.20, 0.22, 0.29, 0.23],
]


def either_convention(X, W_1, b_1, W_2, b_2):
    return _either()(X, W_1, b_1, W_2, b_2)


def _either(turn_1=None, turn_2=None, activation=relu, biases=True, end=None):
    """either_convention, with another answer to what has to be turned, or another network."""

    def either(X, W_1, b_1, W_2, b_2):
        stored = [len(W_1) != len(b_1), len(W_2) != len(b_2)]
        turns = [turn(stored) if turn else turned for turn, turned in zip((turn_1, turn_2), stored)]
        first, second = (transpose(W) if turn else W for W, turn in zip((W_1, W_2), turns))
        Y = feed_forward(X, first, b_1 if biases else None, second, b_2 if biases else None, activation)
        return [[end(y) for y in row] for row in Y] if end else Y

    return either


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
            [written("lambda X: [[2 * x for x in row] for row in X]"), [[1.0], [2.0]]],
            *([Written("layer", layer), X] for layer, X in _layers()),
        ],
        slips={
            (
                "the rows are only shuffled, which is not enough: attention without a mask shuffles along"
            ): _shuffled_only,
            **{
                (
                    f"{which} is {how} and the others watched: that is not enough, a rule may still depend "
                    "on the place"
                ): (_changed_only(rows, change))
                for which, rows in _CHANGED.items()
                for how, change in _CHANGES.items()
            },
            (
                "the rows are shuffled, and one is doubled: not enough, for what is doubled still points "
                "the same way"
            ): (
                lambda layer, X: (
                    _shuffled_only(layer, X) and _changed_only(lambda X: [0], lambda x: 2 * x)(layer, X)
                )
            ),
            "only the first row is tried alone": lambda layer, X: _close(layer(X[:1]), layer(X)[:1], 1e-9),
            "only the last row is tried alone": lambda layer, X: _close(layer(X[-1:]), layer(X)[-1:], 1e-9),
            "only the number of rows is looked at": lambda layer, X: len(layer(X)) == len(X),
        },
    ),
    "06.2": Exercise(
        first_wrong,
        [
            [_WORKED_X, _WORKED_W_1, _WORKED_HIDDEN],
            _worked(60, (2, 3, 4)),
            _worked(72, (3, 2, 3), {(2, 2): 0.03}),
            _worked(75, (2, 4, 4), {(0, 2): -0.04, (1, 0): 0.03, (1, 3): 0.02}),
            _worked(63, (3, 3, 3), {(1, 2): 0.01}),
            [
                [[0.5, 1.0, -0.5]],
                [[0.5, 0.25, 0.25], [0.75, 0.25, 1.0]],
                [[0.38, 0.12]],
            ],  # of 0.375 and 0.125, exactly half way
            _worked(67, (1, 3, 5)),
        ],
        slips={
            "the last wrong one is given, and not the first": _first_wrong(
                order=lambda hidden: _places(hidden)[::-1]
            ),
            "the numbers are read column by column, and not line by line": _first_wrong(
                order=lambda hidden: sorted(_places(hidden), key=lambda place: place[::-1])
            ),
            "row and column change places": _first_wrong(said=lambda place: [place[1], place[0]]),
            "a number that is rounded well counts as wrong: it may be 0.005 away": _first_wrong(0.004),
            "the tolerance is 0.005 to the last bit: in floats 0.125 − 0.12 is a little more": (
                _first_wrong(0.005)
            ),
            "numbers have to be met to the last bit": _first_wrong(0.0),
            "a wrong last decimal is let pass, with a tolerance of 0.01": _first_wrong(0.01),
            "a wrong number is let pass, with a tolerance of 0.05": _first_wrong(0.05),
            "the reading stops after the first row": _first_wrong(order=lambda hidden: _places(hidden[:1])),
            "False is said where nothing is wrong, and not None": lambda X, W_1, hidden: (
                first_wrong(X, W_1, hidden) or False
            ),
        },
        false_alarm="You flagged a number that is right",
    ),
    "06.3": Exercise(
        either_convention,
        [
            [[[3, 1]], [[1, 0, 2], [0, 1, 0]], [0, 0, 0], [[1, 1, 10]], [5]],
            _drawn(30, (2, 2, 3, 2), True, True),
            _drawn(32, (1, 4, 6, 4), False, True),
            _drawn(34, (4, 3, 5, 2), True, False),
            _drawn(36, (2, 3, 6, 3), False, False),
        ],
        slips={
            "both matrices are always turned": _either(lambda stored: True, lambda stored: True),
            "neither matrix is ever turned": _either(lambda stored: False, lambda stored: False),
            "W_2 is turned whenever W_1 is": _either(turn_2=lambda stored: stored[0]),
            "GELU bends, and not ReLU": _either(activation=gelu),
            "the biases are left out": _either(biases=False),
            "the result is bent, too": _either(end=relu),
        },
    ),
    "06.4": Exercise(
        matrix_or_batch,
        [
            [written(_DOUBLED, linear=linear), [[1.0, 2.0], [0.5, 0.0]]],
            [written(_DOUBLED, linear=linear), [[[1.0, 2.0]], [[0.5, 0.0]]]],
            [written(_DOUBLED, linear=linear), [[[1.0, 2.0], [0.5, 0.0]]]],
            [written(_DOUBLED, linear=linear), draw_inputs(43, (1, 2))[0]],
            [written(_DOUBLED, linear=linear), draw_inputs(41, (3, 2), (3, 2))],
            [written(_DOUBLED, linear=linear), draw_inputs(45, (1, 2), (4, 2))],
        ],
        slips={
            "a single matrix comes back as a batch of one": _batched,
            "a batch of one comes back unpacked": _unpacked,
            "the matrices of a batch are put under one another": _stacked,
            "a batch goes to the layer as it is": lambda layer, X: layer(X),
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
        ],
        slips={
            "the bend between the layers is left out": _unbent,
            "ReLU bends, and not GELU": lambda X, W_1, b_1, W_2, b_2: feed_forward(
                X, W_1, b_1, W_2, b_2, relu
            ),
            "b_1 is forgotten": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, None, W_2, b_2),
            "b_2 is forgotten": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, b_1, W_2, None),
            "the result is bent, too": lambda X, W_1, b_1, W_2, b_2: [
                [gelu(y) for y in row] for row in feed_forward(X, W_1, b_1, W_2, b_2)
            ],
            (
                "X is bent, in front of the first layer, and not what comes out of it"
            ): lambda X, W_1, b_1, W_2, b_2: _unbent(
                [[gelu(x) for x in row] for row in X], W_1, b_1, W_2, b_2
            ),
            "X is bent, too, in front of the first layer": lambda X, W_1, b_1, W_2, b_2: feed_forward(
                [[gelu(x) for x in row] for row in X], W_1, b_1, W_2, b_2
            ),
            "X is added to the result: that is the residual, of lesson 07": lambda X, W_1, b_1, W_2, b_2: add(
                X, feed_forward(X, W_1, b_1, W_2, b_2)
            ),
        },
        example=False,
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
        slips={
            "exp(−g) is computed as it stands: it overflows for a very negative g": _gated(
                lambda g: g / (1 + math.exp(-g))
            ),
            "the gate is not bent": _gated(lambda g: g),
            "the other one is bent, and not the gate": _gated(lambda g: g, _silu),
            "GELU bends the gate, and not silu": _gated(gelu),
            "σ(g) is written with tanh(g), and not with tanh(g/2)": _gated(
                lambda g: g * 0.5 * (1 + math.tanh(g))
            ),
            "the gate is a sigmoid, without the factor g": _gated(lambda g: 0.5 * (1 + math.tanh(0.5 * g))),
            "the two are added, and not multiplied": _gated(join=lambda g, u: g + u),
        },
    ),
}
