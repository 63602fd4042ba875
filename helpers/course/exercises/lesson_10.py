"""Lesson 10 and its bug hunt, 10b, hidden side. Reading on gives answers away."""

import math
import random

from ...activations import gelu
from ...attention_heads import softmax
from ...matrices import add, matmul, scale, transpose
from ...parameters import random_matrix, random_vector


def _matrix(seed, rows, columns):
    return random_matrix(random.Random(seed), rows, columns, 1)


def _vector(seed, n):
    return random_vector(random.Random(seed), n, 1)


def log_softmax_backward(d_out, log_weights):
    total = sum(d_out)
    return [d - math.exp(w) * total for d, w in zip(d_out, log_weights, strict=True)]


def _logs(scores):
    top = max(scores)
    total = sum(math.exp(s - top) for s in scores)
    return [s - top - math.log(total) for s in scores]


def tied_backward(d_X, tokens, d_logits, normed, E):
    d_E = matmul(transpose(d_logits), normed)
    for row, token in zip(d_X, tokens, strict=True):
        d_E[token] = [a + b for a, b in zip(d_E[token], row, strict=True)]
    return d_E


def _tied(seed, tokens, V, D):
    T = len(tokens)
    return [_matrix(seed, T, D), tokens, _matrix(seed + 1, T, V), _matrix(seed + 2, T, D), _matrix(seed + 3, V, D)]


def temperature_backward(d_out, scores, tau):
    weights = softmax([s / tau for s in scores])
    average = sum(w * d for w, d in zip(weights, d_out, strict=True))
    return -sum(w * (d - average) * s for w, d, s in zip(weights, d_out, scores, strict=True)) / tau**2


def shared_keys_backward(d_scores, Q, K):
    total = [[0.0] * len(K[0]) for _ in K]
    for d, queries in zip(d_scores, Q, strict=True):
        total = add(total, scale(matmul(transpose(d), queries), 1 / math.sqrt(len(K[0]))))
    return total


def _shared(seed, H, T, S, k):
    d_scores, Q = ([_matrix(seed + more + h, *size) for h in range(H)] for more, size in ((0, (T, S)), (50, (T, k))))
    return [d_scores, Q, _matrix(seed + 99, S, k)]


def slope_along(function, A, direction, h):
    return (function(add(A, scale(direction, h))) - function(add(A, scale(direction, -h)))) / (2 * h)


def _cubes(A):
    return sum((i + 1) * x**3 for i, row in enumerate(A) for x in row)


def _waves(A):
    return math.sin(sum(x for row in A for x in row)) + math.exp(A[0][0])


def forgotten_factor(right, reported):
    pairs = [pair for rows in zip(right, reported, strict=True) for pair in zip(*rows, strict=True)]
    top_right, top_reported = max(pairs, key=lambda pair: abs(pair[0]))
    c = top_reported / top_right
    return c if all(abs(b - c * a) <= 1e-9 * abs(top_reported) for a, b in pairs) else 0.0


def worst_place(f, slope, xs):
    errors = [abs(slope(x) - (f(x + 1e-5) - f(x - 1e-5)) / 2e-5) for x in xs]
    return errors.index(max(errors))


def _two_gelus(x):
    half = 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return half + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _bump(x):
    return math.exp(x) + (0.01 if abs(x) < 1 else 0.0)


def _too_low(x):
    return math.cos(x) - (0.5 if x < 0 else 0.0) + (0.1 if x > 2 else 0.0)


def _square(x):
    return x * x


def _square_slope(x):
    return 2 * x + (0.5 if x > 9 else 0.001 if x == 0 else 0.0)


_PART = [[0.5, -1.25, 0.0], [2.0, 0.0, -0.75]]

EXERCISES = {
    "10.1": (
        log_softmax_backward,
        [
            [[1.0, -2.0, 0.5], _logs([0.3, -1.0, 2.0])],
            [_vector(1, 5), _logs(_vector(2, 5))],
            [[3.0, 4.0], _logs([0.0, 900.0])],
            [[2.0], [0.0]],
            [_vector(3, 4), _logs([1.0] * 4)],
        ],
    ),
    "10.2": (
        tied_backward,
        [
            _tied(10, [1, 3, 4, 5, 2], 6, 4),
            _tied(20, [2, 2, 0], 4, 3),
            _tied(30, [0, 1, 0, 1], 3, 3),
            _tied(40, [1], 2, 5),
        ],
    ),
    "10.3": (
        temperature_backward,
        [
            [_vector(4, 4), _vector(5, 4), 0.5],
            [_vector(6, 3), _vector(7, 3), 2.0],
            [[1.0, 0.0, -1.0, 4.0], [3.0, -2.0, 0.5, 1.0], 1.0],
            [[5.0, -1.0], [700.0, 705.0], 1.5],
        ],
    ),
    "10.4": (
        shared_keys_backward,
        [_shared(100, 2, 5, 5, 8), _shared(300, 3, 2, 4, 3), _shared(500, 1, 3, 3, 2), _shared(700, 4, 1, 2, 4)],
    ),
    "10.5": (
        slope_along,
        [
            [_cubes, _matrix(11, 2, 3), _matrix(12, 2, 3), 0.1],
            [_waves, _matrix(13, 3, 2), _matrix(14, 3, 2), 0.25],
            [_cubes, [[1.0, -2.0]], [[0.0, 3.0]], 0.5],
            [_waves, _matrix(15, 1, 4), _matrix(16, 1, 4), 0.01],
        ],
    ),
    "10.6": (
        forgotten_factor,
        [
            [_matrix(17, 3, 4), scale(_matrix(17, 3, 4), 4.0)],
            [[[0.0, 2.0], [-1.0, 0.1]], [[0.0, 0.2], [-0.1, 0.01]]],
            [_PART, [[5.0 * a if a > 0 else a for a in row] for row in _PART]],
            [_PART, [[3.0 * a if a else 0.5 for a in row] for row in _PART]],
            [_matrix(18, 2, 5), scale(_matrix(18, 2, 5), -1 / 3)],
            [[[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.0]]],
        ],
    ),
    "10.7": (
        worst_place,
        [
            [gelu, _two_gelus, [-3.0, -2.0, -0.5, 0.0, 1.5, 4.0]],
            [math.exp, _bump, [10.0, 5.0, 0.0, 2.0]],
            [math.sin, _too_low, [1.0, -1.0, 3.0]],
            [_square, _square_slope, [0.0, 3.0, 10.0, -4.0]],
        ],
    ),
}
