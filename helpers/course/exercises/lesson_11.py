"""Lesson 11, hidden side. Reading on gives answers away."""

import math


def heavy_ball(theta, slopes, lr, beta):
    m, places = 0.0, []
    for g in slopes:
        m = beta * m + g
        theta = theta - lr * m
        places.append(theta)
    return places


def rolls(n, beta_1, beta_2):
    m = v = total = 0.0
    for t in range(1, n + 1):
        g = 1.0 if t == 1 else 0.0
        m = beta_1 * m + (1 - beta_1) * g
        v = beta_2 * v + (1 - beta_2) * g * g
        total += m / (1 - beta_1**t) / math.sqrt(v / (1 - beta_2**t))
    return total


def clip(gradients, limit):
    length = math.sqrt(sum(g * g for vector in gradients for g in vector))
    factor = limit / length if length > limit else 1.0
    return [[factor * g for g in vector] for vector in gradients]


def undo(after, m, v, step, lr, decay):
    kept, full_m, full_v = 1 - lr * decay, 1 - 0.9**step, 1 - 0.999**step
    moves = [lr * (a / full_m) / (math.sqrt(b / full_v) + 1e-8) for a, b in zip(m, v)]
    return [(q + move) / kept for q, move in zip(after, moves)]


EXERCISES = {
    "11.1": (
        heavy_ball,
        [
            [1.0, [2.0, -1.0, 0.5, 0.0, 0.0], 0.1, 0.9],
            [-0.3, [0.7, 0.7, 0.7], 0.5, 0.0],
            [0.0, [1.0, -1.0, 1.0, -1.0, 1.0], 0.25, 0.5],
            [2.5, [0.0, 0.0, 3.0, 0.0], 0.2, 0.99],
            [4.0, [], 0.1, 0.9],
        ],
    ),
    "11.2": (rolls, [[1, 0.9, 0.999], [12, 0.9, 0.999], [3, 0.5, 0.75], [4, 0.0, 0.95], [200, 0.9, 0.99]]),
    "11.3": (
        clip,
        [
            [[[3.0, 0.0], [-4.0], [0.0, 12.0, 0.0]], 6.5],
            [[[0.3, -0.4], [0.1]], 1.0],
            [[[0.0, 0.0], [0.0]], 1.0],
            [[[5.0, -0.2, 0.1], [0.3, 0.3], [-7.0]], 0.5],
            [[[0.9], [0.9], [0.9]], 1.0],
            [[[-2.0, 2.0], [1.0]], 3.0],
        ],
    ),
    "11.4": (
        undo,
        [
            [[0.5, -1.0, 2.0], [0.1, -0.2, 0.05], [0.001, 0.004, 0.02], 1, 0.1, 0.0],
            [[0.5, -1.0, 2.0], [0.1, -0.2, 0.05], [0.001, 0.004, 0.02], 7, 0.3, 0.5],
            [[1.0, -3.0], [1e-9, 0.0], [1e-19, 0.0], 1, 0.5, 0.2],
            [[0.25, 0.75], [-0.4, 0.3], [0.2, 0.1], 2000, 0.05, 2.0],
        ],
    ),
}
