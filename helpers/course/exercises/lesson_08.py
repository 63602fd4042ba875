"""Lesson 08, hidden side. Reading on gives answers away."""

import math
import random

from ...losses import cross_entropy
from ...parameters import random_matrix


def _logits(seed, T, V, sigma=2):
    return random_matrix(random.Random(seed), T, V, sigma)


def bits_per_token(logits, tokens):
    return cross_entropy(logits[:-1], tokens[1:]) / math.log(2)


def loss_ignoring(logits, targets, ignore):
    kept = [t for t, target in enumerate(targets) if target != ignore]
    return cross_entropy([logits[t] for t in kept], [targets[t] for t in kept])


def perplexity_of_all(texts):
    return math.exp(sum(map(sum, texts)) / sum(map(len, texts)))


def silent_rows(tokens, V, P):
    heard = set(tokens[:-1])
    return [[v for v in range(V) if v not in heard], list(range(len(tokens) - 1, P))]


EXERCISES = {
    "08.1": (
        bits_per_token,
        [
            [_logits(1, 5, 6), [1, 3, 4, 5, 2]],
            [_logits(2, 2, 3), [2, 0]],
            [_logits(3, 9, 4), [0, 1, 1, 2, 3, 3, 0, 2, 1]],
            [[[0.0, 1000.0], [2000.0, 0.0], [7.0, 7.0]], [1, 0, 1]],
            [[[-1000.0, -1002.0, -1001.0], [3.0, 1.0, 2.0]], [0, 2]],
        ],
    ),
    "08.2": (
        loss_ignoring,
        [
            [_logits(4, 5, 6), [3, 4, 2, 0, 0], 0],
            [_logits(5, 4, 3), [2, -100, 1, -100], -100],
            [_logits(6, 3, 5), [4, 2, 1], 0],
            [_logits(7, 6, 4), [3, 3, 1, 3, 0, 3], 3],
            [[[0.0, 1000.0], [1000.0, 0.0], [5.0, 5.0]], [0, 1, 1], 1],
        ],
    ),
    "08.3": (
        perplexity_of_all,
        [
            [[[0.5, 1.5, 1.0], [3.0]]],
            [[[2.0], [0.1, 0.2, 0.3, 0.4], [1.0, 4.0]]],
            [[[1.9, 1.6, 1.8, 2.0]]],
            [[[6.0], [0.25] * 9, [0.0, 0.0]]],
        ],
    ),
    "08.4": (
        silent_rows,
        [
            [[1, 3, 4, 5, 2], 6, 5],
            [[1, 3, 3, 2], 6, 5],
            [[1, 3, 4, 3], 6, 8],
            [[2, 0, 4, 2], 5, 4],
            [[1, 5, 5, 3, 0, 2, 4], 9, 12],
            [[0, 1], 2, 2],
        ],
    ),
}
