"""Lesson 06, hidden side. Reading on gives answers away."""

import math
import random

from ...activations import gelu, relu
from ...attention_heads import attention, causal_mask
from ...layers import feed_forward, layer_norm, linear
from ...matrices import add, transpose
from ...parameters import random_matrix, random_vector


class Unnamed:
    """A layer whose text form gives nothing away."""

    def __init__(self, layer):
        self.layer = layer

    def __call__(self, X):
        return self.layer(X)

    def __repr__(self):
        return "layer"

    def __deepcopy__(self, memo):
        return self


def _rows(seed, T, D):
    return random_matrix(random.Random(seed), T, D, 1.0)


def _parameters(seed, D, F, m):
    """W_1, b_1, W_2, b_2, large enough for every slip to show."""
    rng = random.Random(seed)
    return [random_matrix(rng, F, D, 1.0), random_vector(rng, F, 1.0), random_matrix(rng, m, F, 1.0), random_vector(rng, m, 1.0)]


def _close(A, B, within):
    return all(abs(a - b) <= within for rows in zip(A, B) for a, b in zip(*rows))


def to_be_turned(X, W_1, b_1, W_2, b_2, Y):
    turned_1, turned_2 = transpose(W_1), transpose(W_2)
    ways = {"neither": (W_1, W_2), "W_1": (turned_1, W_2), "W_2": (W_1, turned_2), "both": (turned_1, turned_2)}
    return next(name for name, (first, second) in ways.items() if _close(feed_forward(X, first, b_1, second, b_2), Y, 1e-4))


def _printed(seed, D, turn_1, turn_2):
    """Inputs of to_be_turned: the parameters as a file holds them, and what the original printed."""
    X, (W_1, b_1, W_2, b_2) = _rows(seed, 3, D), _parameters(seed + 1, D, D, D)
    Y = feed_forward(X, transpose(W_1) if turn_1 else W_1, b_1, transpose(W_2) if turn_2 else W_2, b_2)
    return [X, W_1, b_1, W_2, b_2, [[round(y, 4) for y in row] for row in Y]]


def forgotten(layer, W_1, b_1, W_2, b_2):
    zeros = [[0.0] * len(W_1[0])]
    biases = {"none": (b_1, b_2), "b_1": (None, b_2), "b_2": (b_1, None), "both": (None, None)}
    got = layer(zeros)
    return next(n for n, (first, second) in biases.items() if _close(got, feed_forward(zeros, W_1, first, W_2, second), 1e-9))


def _without(seed, D, F, m, has_1, has_2):
    """Inputs of forgotten."""
    W_1, b_1, W_2, b_2 = _parameters(seed, D, F, m)
    layer = Unnamed(lambda X: feed_forward(X, W_1, b_1 if has_1 else None, W_2, b_2 if has_2 else None))
    return [layer, W_1, b_1, W_2, b_2]


def is_position_wise(layer, X):
    return all(_close(layer([x]), [y], 1e-9) for x, y in zip(X, layer(X)))


def place_added(X):
    return [[x + t for x in row] for t, row in enumerate(X)]


def mean_taken_off(X):
    means = [sum(column, 0.0) / len(X) for column in zip(*X)]
    return [[x - m for x, m in zip(row, means)] for row in X]


def _layers():
    """(layer, rows) for is_position_wise, right and wrong ones mixed."""
    own, other = _parameters(20, 4, 7, 3), _parameters(21, 4, 7, 3)
    X = _rows(22, 5, 4)
    return [
        (lambda X: feed_forward(X, *own), X),
        (lambda X: attention(X, X, X), X),
        (lambda X: attention(X, X, X, causal_mask(len(X))), X),
        (lambda X: layer_norm(X, [1.0] * 4, [0.0] * 4), X),
        (lambda X: add(X, [[sum(column) for column in zip(*X)]] * len(X)), [[1, 2, 0, 3], [4, 0, 1, 2], [0, 5, 2, 1]]),
        (place_added, X),
        (mean_taken_off, X),
        (lambda X: [feed_forward([x], *(other if t == len(X) - 1 > 0 else own))[0] for t, x in enumerate(X)], X),
        (lambda X: linear(X, own[0]), _rows(23, 2, 4)),
        (lambda X: attention(X, X, X, transpose(causal_mask(len(X)))), X),
        (lambda X: add(X, [X[0]] * len(X)), X),
        (lambda X: [[gelu(x) for x in row] for row in X], [[0.5, -1.0]]),
    ]


def layers_parameter_count(widths, biases):
    weights = sum(a * b for a, b in zip(widths, widths[1:]))
    return weights + (sum(widths[1:]) if biases else 0)


def either_convention(X, W_1, b_1, W_2, b_2):
    W_1, W_2 = (W if len(W) == len(b) else transpose(W) for W, b in ((W_1, b_1), (W_2, b_2)))
    return feed_forward(X, W_1, b_1, W_2, b_2, activation=relu)


def _either(seed, sizes, turn_1, turn_2):
    """Inputs of either_convention: sizes are T, D, F, m."""
    T, D, F, m = sizes
    W_1, b_1, W_2, b_2 = _parameters(seed, D, F, m)
    return [_rows(seed + 1, T, D), transpose(W_1) if turn_1 else W_1, b_1, transpose(W_2) if turn_2 else W_2, b_2]


def matrix_or_batch(layer, X):
    return [layer(rows) for rows in X] if isinstance(X[0][0], list) else layer(X)


def _doubled(X):
    """A layer that refuses what is no matrix, as ours do."""
    return linear(X, [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])


def gated_feed_forward(X, W_gate, W_up, W_down):
    gates = [[g / (1 + math.exp(-g)) for g in row] for row in linear(X, W_gate)]
    return linear([[g * u for g, u in zip(*rows)] for rows in zip(gates, linear(X, W_up))], W_down)


def _gated(seed, T, D, F, m):
    rng = random.Random(seed)
    return [random_matrix(rng, *size, 1.0) for size in ((T, D), (F, D), (F, D), (m, F))]


EXERCISES = {
    "06.1": (
        to_be_turned,
        [
            _printed(1, 4, True, False),
            _printed(3, 4, False, True),
            _printed(5, 5, True, True),
            _printed(7, 3, False, False),
        ],
    ),
    "06.2": (
        forgotten,
        [
            _without(8, 3, 5, 2, False, True),
            _without(9, 3, 5, 2, True, False),
            _without(10, 4, 6, 4, False, False),
            _without(11, 2, 7, 3, True, True),
        ],
    ),
    "06.3": (is_position_wise, [[Unnamed(layer), X] for layer, X in _layers()]),
    "06.4": (
        layers_parameter_count,
        [
            [[16, 64, 16], False],
            [[12288, 49152, 12288], True],
            [[3, 5, 7, 2], True],
            [[3, 5, 7, 2], False],
            [[4, 9], True],
        ],
    ),
    "06.5": (
        either_convention,
        [
            _either(30, (3, 2, 5, 4), True, True),
            _either(32, (1, 4, 6, 4), False, True),
            _either(34, (4, 3, 7, 2), True, False),
            _either(36, (2, 3, 6, 3), False, False),
        ],
    ),
    "06.6": (
        matrix_or_batch,
        [
            [Unnamed(_doubled), _rows(40, 3, 2)],
            [Unnamed(_doubled), [_rows(41, 3, 2), _rows(42, 3, 2)]],
            [Unnamed(_doubled), _rows(43, 1, 2)],
            [Unnamed(_doubled), [_rows(44, 3, 2)]],
            [Unnamed(_doubled), [_rows(45, 1, 2), _rows(46, 4, 2)]],
        ],
    ),
    "06.7": (
        gated_feed_forward,
        [_gated(50, 3, 2, 5, 4), _gated(51, 1, 4, 3, 2), _gated(52, 2, 3, 3, 3)],
    ),
}
