"""Lesson 09, hidden side. Reading on gives answers away."""

import math
import random

from ...parameters import random_matrix, random_vector


def _matrix(seed, rows, columns, sigma=1):
    return random_matrix(random.Random(seed), rows, columns, sigma)


def _vector(seed, n):
    return random_vector(random.Random(seed), n, 1)


def _times(A, B):
    """A·B."""
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def _turned(A):
    return [list(column) for column in zip(*A)]


def shared_backward(d_out, X, W):
    middle = _times(X, _turned(W))
    second, first = _times(_turned(d_out), middle), _times(_turned(_times(d_out, W)), X)
    return [[a + b for a, b in zip(*rows)] for rows in zip(first, second)]


def d_logits_ignoring(logits, targets, ignore):
    counted, result = sum(target != ignore for target in targets), []
    for row, target in zip(logits, targets):
        exponentials = [math.exp(y - max(row)) for y in row]
        p = [e / sum(exponentials) for e in exponentials]
        result.append([(p[i] - (i == target)) / counted if target != ignore else 0.0 for i in range(len(row))])
    return result


def rms_row_backward(d_out, x, gamma, eps):
    n = len(x)
    square = sum(v * v for v in x) / n + eps
    pull = sum(d * s * v for d, s, v in zip(d_out, gamma, x)) / n
    return [(d * s - v * pull / square) / math.sqrt(square) for d, s, v in zip(d_out, gamma, x)]


def _backward(d_X="", d_W="", d_b=""):
    """A function like linear_backward, right but for what is named."""

    def backward(d_out, X, W):
        given_X = _times(d_out, _turned(W) if d_X == "turned" else W)
        given_W = _times(_turned(d_out), X)
        if d_W == "turned":
            given_W = _turned(given_W)
        if d_W == "first position":
            given_W = [[d * x for x in X[0]] for d in d_out[0]]
        given_b = [sum(column) / (len(X) if d_b == "mean" else 1) for column in zip(*d_out)]
        return given_X, given_W, given_b

    backward.wrong = [name for name, how in (("d_X", d_X), ("d_W", d_W), ("d_b", d_b)) if how]
    return backward


def wrong_gradients(backward, d_out, X, W):
    return list(backward.wrong)


EXERCISES = {
    "09.1": (
        shared_backward,
        [
            [_matrix(1, 3, 2), _matrix(2, 3, 2), _matrix(3, 2, 2)],
            [_matrix(4, 1, 4), _matrix(5, 1, 4), _matrix(6, 4, 4)],
            [_matrix(7, 5, 3), _matrix(8, 5, 3), _matrix(9, 3, 3)],
            [[[1.0, 0.0]], [[2.0, 3.0]], [[0.0, 1.0], [5.0, 0.0]]],
        ],
    ),
    "09.2": (
        d_logits_ignoring,
        [
            [_matrix(10, 5, 6, 2), [3, 4, 2, 0, 0], 0],
            [_matrix(11, 4, 3, 2), [2, -100, 1, -100], -100],
            [_matrix(12, 3, 5, 2), [4, 2, 1], 0],
            [_matrix(13, 6, 4, 2), [3, 3, 1, 3, 0, 3], 3],
            [[[0.0, 1000.0], [1000.0, 0.0], [5.0, 5.0]], [0, 1, 1], 1],
            [_matrix(14, 3, 4, 2), [2, 9, 0], 9],
        ],
    ),
    "09.3": (
        rms_row_backward,
        [
            [_vector(20, 4), _vector(21, 4), _vector(22, 4), 0.5],
            [_vector(23, 7), _vector(24, 7), _vector(25, 7), 1e-5],
            [_vector(26, 3), [0.0, 0.0, 0.0], _vector(27, 3), 4.0],
            [[1.0, 2.0], [3.0, -1.0], [1.0, 1.0], 0.0],
            [[1.0, 0.0, -2.0], [2.0, 2.0, 2.0], [0.5, 1.0, 3.0], 0.1],
        ],
    ),
    "09.4": (
        wrong_gradients,
        [
            [_backward(), _matrix(30, 4, 2), _matrix(31, 4, 3), _matrix(32, 2, 3)],
            [_backward(d_X="turned"), _matrix(33, 2, 3), _matrix(34, 2, 3), _matrix(35, 3, 3)],
            [_backward(d_b="mean"), _matrix(36, 3, 2), _matrix(37, 3, 4), _matrix(38, 2, 4)],
            [_backward(d_W="turned"), _matrix(39, 3, 2, 1e-4), _matrix(40, 3, 2), _matrix(41, 2, 2)],
            [_backward(d_X="turned", d_b="mean"), _matrix(42, 2, 2), _matrix(43, 2, 2), _matrix(44, 2, 2)],
            [_backward(d_W="first position"), _matrix(45, 4, 3), _matrix(46, 4, 2), _matrix(47, 3, 2)],
        ],
    ),
}
