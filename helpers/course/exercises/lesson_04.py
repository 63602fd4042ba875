"""Lesson 04, hidden side. Reading on gives answers away."""

import random

from ...attention_heads import causal_mask, concatenate, multi_head_attention
from ...parameters import random_matrix


def _weights(seed, D, H, k, v, m):
    """W_Q, W_K, W_V, W_O, large enough for attention weights that are far from even."""
    rng = random.Random(seed)
    heads = ([random_matrix(rng, width, D, 1.0) for _ in range(H)] for width in (k, k, v))
    return [*heads, random_matrix(rng, m, H * v, 1.0)]


def _rows(seed, T, D):
    return random_matrix(random.Random(seed), T, D, 1.0)


def split_heads(M, H):
    width = len(M[0]) // H
    return [[row[h * width : (h + 1) * width] for row in M] for h in range(H)]


def attention_parameter_count(D, H, k, v, biases):
    weights = 2 * H * k * D + H * v * D + D * H * v
    return weights + (2 * H * k + H * v + D if biases else 0)


def reorder_heads(W_Q, W_K, W_V, W_O, order):
    blocks = split_heads(W_O, len(W_V))
    return [*([W[h] for h in order] for W in (W_Q, W_K, W_V)), concatenate([blocks[h] for h in order])]


EXERCISES = {
    "04.1": (
        split_heads,
        [
            [[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]], 3],
            [_rows(1, 5, 8), 2],
            [_rows(2, 3, 4), 1],
            [_rows(3, 2, 3), 3],
        ],
    ),
    "04.2": (
        multi_head_attention,
        [
            [_rows(4, 5, 6), *_weights(5, 6, 3, 2, 3, 4), causal_mask(5)],
            [_rows(6, 4, 6), *_weights(7, 6, 3, 2, 1, 6), None],
            [_rows(8, 1, 2), *_weights(9, 2, 1, 4, 2, 3), None],
            [_rows(10, 3, 4), *_weights(11, 4, 2, 2, 2, 4), causal_mask(3)],
        ],
    ),
    "04.3": (
        attention_parameter_count,
        [
            [10, 3, 2, 5, False],
            [10, 3, 2, 5, True],
            [768, 12, 64, 64, True],
            [12288, 96, 128, 128, False],
            [1, 1, 1, 1, True],
        ],
    ),
    "04.4": (
        reorder_heads,
        [
            [*_weights(12, 6, 3, 2, 4, 5), [2, 0, 1]],
            [*_weights(13, 3, 4, 3, 1, 2), [1, 2, 3, 0]],
            [*_weights(14, 4, 2, 2, 2, 4), [1, 0]],
            [*_weights(15, 2, 1, 1, 2, 3), [0]],
        ],
    ),
}
