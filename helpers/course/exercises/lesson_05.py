"""Lesson 05, hidden side. Reading on gives answers away."""

import math


def leaky_relu(x, a):
    return [x, 1.0] if x > 0 else [a * x, a]


def silu(x):
    s = 0.5 * (1 + math.tanh(0.5 * x))
    return [x * s, s + x * s * (1 - s)]


def zero_between(f, low, high):
    rising = f(low) < 0
    while high - low > 1e-13 * max(1, abs(low)):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(middle) < 0) == rising else (low, middle)
    return (low + high) / 2


def activate(f, rows):
    activated = [[f(h) for h in row] for row in rows]
    return [activated, sum(row.count(0) for row in activated)]


EXERCISES = {
    "05.1": (leaky_relu, [[2.5, 0.1], [-0.5, 0.01], [0.0, 0.2], [-1.0, 2.0], [3.0, 2.0], [-2.0, -1.0], [-4.0, 0.0]]),
    "05.2": (silu, [[0.0], [2.0], [-1.3], [-12.0], [9.0], [800.0], [-800.0]]),
    "05.3": (
        zero_between,
        [
            [math.log, 0.3, 3.0],
            [math.cos, 1.0, 2.0],
            [math.sin, 6.0, 7.0],
            [math.sin, 1.0, 6.0],
            [math.log, 0.5, 1.5],
        ],
    ),
    "05.4": (
        activate,
        [
            [math.trunc, [[0.5, -1.7, 2.0], [-0.2, 3.1, 0.0]]],
            [abs, [[-1.5], [0.0], [-0.0], [4.0]]],
            [math.tanh, [[1e-9, -1e-9, 0.0, 1.0]]],
            [math.exp, [[0.0, 1.0], [-1.0, 0.0], [2.0, -0.5]]],
        ],
    ),
}
