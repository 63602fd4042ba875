"""Lesson 03, hidden side. Reading on gives answers away."""

import math
import random

from ...attention_heads import attention, causal_mask
from ...parameters import random_matrix


def _rows(seed, T, k, v, sigma=1):
    rng = random.Random(seed)
    return random_matrix(rng, T, k, sigma), random_matrix(rng, T, k, sigma), random_matrix(rng, T, v, sigma)


def log_softmax(scores):
    largest = max(scores)
    log_total = math.log(sum(math.exp(s - largest) for s in scores))
    return [s - largest - log_total for s in scores]


def window_mask(T, w):
    return [[0.0 if i - w < j <= i else -math.inf for j in range(T)] for i in range(T)]


def attention_at(t, Q, K, V):
    return attention(Q, K, V, causal_mask(len(Q)))[t]


def causal_multiplications(T, D, k):
    return 3 * T * D * k + sum((t + 1) * (2 * k + 1) for t in range(T))


EXERCISES = {
    "03.1": (
        log_softmax,
        [
            [[0.5, -1.0, 2.0]],
            [[1000.0, 1001.0]],
            [[-1000.0, -1002.0, -1001.0]],
            [[0.0, -900.0]],
            [[3.0, -math.inf, 1.0]],
            [[7.0]],
        ],
    ),
    "03.2": (window_mask, [[5, 3], [6, 1], [3, 7], [4, 4], [1, 1]]),
    "03.3": (
        attention_at,
        [
            [0, [[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0, 7.0]]],
            [2, *_rows(1, 3, 4, 2)],
            [1, *_rows(2, 5, 3, 6)],
            [0, *_rows(3, 4, 2, 5)],
            [3, *_rows(4, 6, 9, 1)],
            [3, *_rows(5, 4, 4, 3, sigma=40)],
            [1, [[40.0, 30.0], [30.0, 40.0]], [[30.0, 40.0], [40.0, 40.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]],
        ],
    ),
    "03.4": (causal_multiplications, [[4, 3, 2], [1, 16, 8], [1024, 768, 64], [7, 5, 5]]),
}
