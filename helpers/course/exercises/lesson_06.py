"""Lesson 06 and its variants, 06b, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu, relu
from ...attention_heads import attention, causal_mask
from ...layers import feed_forward, layer_norm, linear
from ...matrices import add, transpose
from .entry import Exercise, Written, draw, written


def _close(A, B, within):
    return all(abs(a - b) <= within for rows in zip(A, B) for a, b in zip(*rows))


def _ways(W_1, W_2):
    turned_1, turned_2 = transpose(W_1), transpose(W_2)
    return {"neither": (W_1, W_2), "W_1": (turned_1, W_2), "W_2": (W_1, turned_2), "both": (turned_1, turned_2)}


def to_be_turned(X, W_1, b_1, W_2, b_2, Y):
    ways = _ways(W_1, W_2)
    return next(name for name, (first, second) in ways.items() if _close(feed_forward(X, first, b_1, second, b_2), Y, 1e-4))


def _first_that(fits, ways=("neither", "W_1", "W_2", "both"), network=feed_forward, otherwise=None):
    """to_be_turned with another idea of what fits."""

    def turned(X, W_1, b_1, W_2, b_2, Y):
        for name in ways:
            first, second = _ways(W_1, W_2)[name]
            if fits(network(X, first, b_1, second, b_2), Y):
                return name
        return otherwise

    return turned


def _printed(X, W_1, b_1, W_2, b_2, turn):
    """Inputs of to_be_turned: the parameters as a file holds them, and what the original printed."""
    first, second = _ways(W_1, W_2)[turn]
    Y = feed_forward(X, first, b_1, second, b_2)
    return [X, W_1, b_1, W_2, b_2, [[round(y, 4) for y in row] for row in Y]]


def _unbent(X, W_1, b_1, W_2, b_2):
    return linear(linear(X, W_1, b_1), W_2, b_2)


_BIASES = ("none", (1, 1)), ("b_1", (0, 1)), ("b_2", (1, 0)), ("both", (0, 0))


def forgotten(layer, W_1, b_1, W_2, b_2):
    return _forgotten()(layer, W_1, b_1, W_2, b_2)


def _forgotten(names=("none", "b_1", "b_2", "both"), network=feed_forward, otherwise=None):
    """forgotten that knows some cases only, or another network."""

    def forgotten(layer, W_1, b_1, W_2, b_2):
        zeros = [[0.0] * len(W_1[0])]
        got = layer(zeros)
        for name, (has_1, has_2) in _BIASES:
            expected = network(zeros, W_1, b_1 if has_1 else None, W_2, b_2 if has_2 else None)
            if name in names and _close(got, expected, 1e-9):
                return name
        return otherwise

    return forgotten


def _without(W_1, b_1, W_2, b_2, has_1, has_2):
    """Inputs of forgotten: a layer that shows nothing but its name."""
    layer = Written("layer", lambda X: feed_forward(X, W_1, b_1 if has_1 else None, W_2, b_2 if has_2 else None))
    return [layer, W_1, b_1, W_2, b_2]


def is_position_wise(layer, X):
    return all(_close(layer([x]), [y], 1e-9) for x, y in zip(X, layer(X)))


def _shuffled_only(layer, X):
    return _close(layer(X[::-1])[::-1], layer(X), 1e-9)


def _changed_only(layer, X):
    return _close(layer([[x + 1.0 for x in X[0]], *X[1:]])[1:], layer(X)[1:], 1e-9)


def place_added(X):
    return [[x + t for x in row] for t, row in enumerate(X)]


def mean_taken_off(X):
    means = [sum(column, 0.0) / len(X) for column in zip(*X)]
    return [[x - m for x, m in zip(row, means)] for row in X]


def _layers():
    """(layer, rows) for is_position_wise, right and wrong ones mixed."""
    own, other = ([*draw(seed, (5, 3), (5,), (2, 5), (2,))] for seed in (20, 21))
    (X,) = draw(22, (4, 3))
    return [
        (lambda X: feed_forward(X, *own), X),
        (lambda X: attention(X, X, X), X),
        (lambda X: attention(X, X, X, causal_mask(len(X))), X),
        (lambda X: layer_norm(X, [1.0] * 3, [0.0] * 3), X),
        (lambda X: add(X, [[sum(column) for column in zip(*X)]] * len(X)), [[1, 2, 0, 3], [4, 0, 1, 2], [0, 5, 2, 1]]),
        (place_added, X),
        (mean_taken_off, X),
        (lambda X: [feed_forward([x], *(other if t == len(X) - 1 > 0 else own))[0] for t, x in enumerate(X)], X),
        (lambda X: linear(X, own[0]), draw(23, (2, 3))[0]),
        (lambda X: attention(X, X, X, transpose(causal_mask(len(X)))), X),
        (lambda X: add(X, [X[0]] * len(X)), X),
        (lambda X: [[gelu(x) for x in row] for row in X], [[0.5, -1.0]]),
    ]


def layers_parameter_count(widths, biases):
    weights = sum(a * b for a, b in zip(widths, widths[1:]))
    return weights + (sum(widths[1:]) if biases else 0)


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
    X, W_1, b_1, W_2, b_2 = draw(seed, (T, D), (F, D), (F,), (m, F), (m,))
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


_DOUBLED = "lambda X: linear(X, [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])"  # refuses what is no matrix, as ours do


def gated_feed_forward(X, W_gate, W_up, W_down):
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
        activated = [h * 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3))) for h in hidden]
        result.append([sum((w * a for w, a in zip(weights, activated)), 0.0) + b for weights, b in zip(W_2, b_2)])
    return result


_TEXT_TURNED = [[[1, 2]], [[1, 0], [9, 1]], [0, 0], [[1, 0], [0, 1]], [0, 0], [[19, 1.9546]]]
_NEARLY_EVEN = [[1.0, 0.5, 0.2], [0.501, 1.0, -0.3], [0.2, -0.3, 1.0]]  # turned, it gives nearly the same
_SMALL = [[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]], [1.0, -0.5, 2.0], [[1.0, -1.0, 0.5]], [0.25]

EXERCISES = {
    "06.1": Exercise(
        to_be_turned,
        [
            _TEXT_TURNED,
            _printed([[0, 0], [1, 2]], [[1, 0], [9, 1]], [0, 0], [[1, 3], [0, 1]], [1, 2], "both"),
            _printed([[1.0, 2.0, -1.0]], _NEARLY_EVEN, [0.1, 0.2, 0.3], [[1, 0, 1], [2, 1, 0], [0, 1, 1]], [0, 0, 0], "W_1"),
            _printed([[10, 20]], [[1.23456, 2], [3, 1]], [0, 0], [[0.12345, 1], [2, 1]], [0, 0], "both"),  # gelu(h) is h here
            _printed(*draw(2, (3, 4), (4, 4), (4,), (4, 4), (4,)), "W_1"),
            _printed(*draw(3, (3, 4), (4, 4), (4,), (4, 4), (4,)), "W_2"),
            _printed(*draw(5, (3, 5), (5, 5), (5,), (5, 5), (5,)), "both"),
            _printed(*draw(7, (3, 3), (3, 3), (3,), (3, 3), (3,)), "neither"),
        ],
        slips={
            "Y has to be met to the last bit, though it has 4 decimals": _first_that(lambda got, Y: got == Y),
            "Y has to be met to the last bit, and what meets nothing counts as neither": _first_that(
                lambda got, Y: got == Y, otherwise="neither"
            ),
            "what is near is taken, with a tolerance of 0.1": _first_that(lambda got, Y: _close(got, Y, 0.1)),
            "only the first row is compared": _first_that(lambda got, Y: _close(got[:1], Y[:1], 1e-4)),
            "the bend is left out": _first_that(lambda got, Y: _close(got, Y, 1e-4), network=_unbent),
            "the bend is left out, and what meets nothing counts as neither": _first_that(
                lambda got, Y: _close(got, Y, 1e-4), network=_unbent, otherwise="neither"
            ),
            "\"both\" is never tried": _first_that(lambda got, Y: _close(got, Y, 1e-4), ("neither", "W_1", "W_2")),
            "\"both\" is never tried, and what meets nothing counts as neither": _first_that(
                lambda got, Y: _close(got, Y, 1e-4), ("neither", "W_1", "W_2"), otherwise="neither"
            ),
        },
    ),
    "06.2": Exercise(
        forgotten,
        [
            _without(*_SMALL, True, True),
            _without(*_SMALL, False, True),
            _without(*draw(8, (5, 3), (5,), (2, 5), (2,)), False, True),
            _without(*draw(9, (5, 3), (5,), (2, 5), (2,)), True, False),
            _without(*draw(10, (6, 4), (6,), (4, 6), (4,)), False, False),
            _without(*draw(11, (7, 2), (7,), (3, 7), (3,)), True, True),
        ],
        slips={
            "the bend is left out": _forgotten(network=_unbent),
            "the bend is left out, and what fits nothing counts as both": _forgotten(network=_unbent, otherwise="both"),
            "\"both\" is never tried": _forgotten(("none", "b_1", "b_2")),
            "\"both\" is never told from b_1": _forgotten(("none", "b_2"), otherwise="b_1"),
            "whatever is not right counts as b_2": _forgotten(("none",), otherwise="b_2"),
        },
        example=False,
    ),
    "06.3": Exercise(
        is_position_wise,
        [
            [written("lambda X: [[2 * x for x in row] for row in X]"), [[1.0], [2.0]]],
            *([Written("layer", layer), X] for layer, X in _layers()),
        ],
        slips={
            "the rows are only shuffled: attention without a mask shuffles along": _shuffled_only,
            "one row is changed and the others watched: a rule may still depend on the place": _changed_only,
            "only the first row is tried alone": lambda layer, X: _close(layer(X[:1]), layer(X)[:1], 1e-9),
            "only the last row is tried alone": lambda layer, X: _close(layer(X[-1:]), layer(X)[-1:], 1e-9),
            "only the number of rows is looked at": lambda layer, X: len(layer(X)) == len(X),
        },
    ),
    "06.4": Exercise(
        layers_parameter_count,
        [
            [[16, 64, 16], True],
            [[16, 64, 16], False],
            [[12288, 49152, 12288], True],
            [[3, 5, 7, 2], True],
            [[3, 5, 7, 2], False],
            [[4, 9], True],
        ],
        slips={
            "there are always two layers": lambda widths, biases: layers_parameter_count((widths + widths)[:3], biases),
            "a bias is counted for every number that comes in, and not out": lambda widths, biases: sum(
                a * b + (a if biases else 0) for a, b in zip(widths, widths[1:])
            ),
            "the first width gets biases, too": lambda widths, biases: (
                layers_parameter_count(widths, biases) + (widths[0] if biases else 0)
            ),
            "biases are counted in any case": lambda widths, biases: layers_parameter_count(widths, True),
        },
    ),
    "06.5": Exercise(
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
    "06.6": Exercise(
        matrix_or_batch,
        [
            [written(_DOUBLED, linear=linear), [[1.0, 2.0], [0.5, 0.0]]],
            [written(_DOUBLED, linear=linear), [[[1.0, 2.0]], [[0.5, 0.0]]]],
            [written(_DOUBLED, linear=linear), [[[1.0, 2.0], [0.5, 0.0]]]],
            [written(_DOUBLED, linear=linear), draw(43, (1, 2))[0]],
            [written(_DOUBLED, linear=linear), draw(41, (3, 2), (3, 2))],
            [written(_DOUBLED, linear=linear), draw(45, (1, 2), (4, 2))],
        ],
        slips={
            "a single matrix comes back as a batch of one": _batched,
            "a batch of one comes back unpacked": _unpacked,
            "the matrices of a batch are put under one another": _stacked,
            "a batch goes to the layer as it is": lambda layer, X: layer(X),
        },
        example=False,
    ),
    "06.7": Exercise(
        gated_feed_forward,
        [
            [[[1.0]], [[2.0]], [[3.0]], [[10.0]]],
            [[[1.0, -1.0]], [[1.0, 0.0], [0.0, 2.0]], [[0.5, 0.5], [1.0, 0.0]], [[1.0, 10.0]]],
            draw(50, (3, 2), (4, 2), (4, 2), (3, 4)),
            draw(52, (2, 3), (3, 3), (3, 3), (3, 3)),
            [[[-800.0], [800.0]], [[1.0]], [[0.01]], [[1.0]]],
        ],
        slips={
            "exp(−g) is computed as it stands: it overflows for a very negative g": _gated(lambda g: g / (1 + math.exp(-g))),
            "the gate is not bent": _gated(lambda g: g),
            "the other one is bent, and not the gate": _gated(lambda g: g, _silu),
            "GELU bends the gate, and not silu": _gated(gelu),
            "the gate is a sigmoid, without the factor g": _gated(lambda g: 0.5 * (1 + math.tanh(0.5 * g))),
            "the two are added, and not multiplied": _gated(join=lambda g, u: g + u),
        },
    ),
    "06.a": Exercise(
        my_feed_forward,
        [
            [[[3.0]], [[1.0], [-1.0]], [0.0, 0.0], [[10.0, 100.0]], [5.0]],
            [[[1, 2]], [[1, 0], [0, 1], [1, -1]], [0.5, -0.5, 1], [[1, 0, 2], [0, 1, 0]], [0.25, 10]],
            draw(54, (2, 2), (3, 2), (3,), (2, 3), (2,)),
            draw(55, (3, 3), (3, 3), (3,), (3, 3), (3,)),
        ],
        slips={
            "the bend between the layers is left out": _unbent,
            "ReLU bends, and not GELU": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, b_1, W_2, b_2, relu),
            "b_1 is forgotten": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, None, W_2, b_2),
            "b_2 is forgotten": lambda X, W_1, b_1, W_2, b_2: feed_forward(X, W_1, b_1, W_2, None),
            "the result is bent, too": lambda X, W_1, b_1, W_2, b_2: [
                [gelu(y) for y in row] for row in feed_forward(X, W_1, b_1, W_2, b_2)
            ],
            "X is added to the result: that is the residual, of lesson 07": lambda X, W_1, b_1, W_2, b_2: add(
                X, feed_forward(X, W_1, b_1, W_2, b_2)
            ),
        },
        example=False,
    ),
}
