"""Lesson 04, hidden side. Reading on gives answers away."""

import math

from ...attention_heads import attention, causal_mask, concatenate, multi_head_attention
from ...layers import linear
from ...matrices import add, transpose
from .entry import Exercise, draw


def _weights(seed, D, H, k, v, m):
    """W_Q, W_K, W_V, W_O."""
    return draw(seed, (H, k, D), (H, k, D), (H, v, D), (m, H * v))


def split_heads(M, H):
    width = len(M[0]) // H
    return [[row[h * width : (h + 1) * width] for row in M] for h in range(H)]


def _split_rows(M, H):
    size = max(1, len(M) // H)
    return [M[h * size : (h + 1) * size] for h in range(H)]


def sum_of_heads(X, W_Q, W_K, W_V, W_O, mask):
    return multi_head_attention(X, W_Q, W_K, W_V, W_O, mask)


def _sum_of_blocks(width):
    """sum_of_heads that cuts W_O into blocks as wide as something."""

    def summed(X, W_Q, W_K, W_V, W_O, mask):
        n, total = width(W_K, W_V), None
        for h in range(len(W_V)):
            head = attention(linear(X, W_Q[h]), linear(X, W_K[h]), linear(X, W_V[h]), mask)
            wrote = linear(head, [row[h * n : (h + 1) * n] for row in W_O])
            total = wrote if total is None else add(total, wrote)
        return total

    return summed


HEAD_SLIPS = {
    "W_O is read [in][out]": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(X, W_Q, W_K, W_V, transpose(W_O), mask),
    "the heads stand in the opposite order": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
        X, W_Q[::-1], W_K[::-1], W_V[::-1], W_O, mask
    ),
    "the mask is left out": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(X, W_Q, W_K, W_V, W_O),
}


def attention_parameter_count(D, H, k, v, biases):
    weights = 2 * H * k * D + H * v * D + D * H * v
    return weights + (2 * H * k + H * v + D if biases else 0)


def reorder_heads(W_Q, W_K, W_V, W_O, order):
    blocks = split_heads(W_O, len(W_V))
    return [*([W[h] for h in order] for W in (W_Q, W_K, W_V)), concatenate([blocks[h] for h in order])]


def _back(W_Q, W_K, W_V, W_O, order):
    return reorder_heads(W_Q, W_K, W_V, W_O, [order.index(h) for h in range(len(order))])


def _with_W_O(change):
    """reorder_heads with something else done to W_O."""
    return lambda W_Q, W_K, W_V, W_O, order: [
        *([W[h] for h in order] for W in (W_Q, W_K, W_V)), change(W_O, order, len(W_K[0]), len(W_V[0]))
    ]


def my_two_heads(X, W_Q, W_K, W_V, W_O, mask):
    rows = [[] for _ in X]
    for q, k, v in zip(W_Q, W_K, W_V):
        for row, more in zip(rows, attention(linear(X, q), linear(X, k), linear(X, v), mask)):
            row.extend(more)
    return linear(rows, W_O)




_MASK_2 = [[0.0, -math.inf], [0.0, 0.0]]
_TEXT_HEADS = [[[2]], [[[1]], [[1]]], [[[1]], [[1]]], [[[1]], [[10]]], [[1, 1]], None]

EXERCISES = {
    "04.1": Exercise(
        split_heads,
        [
            [[[1, 2, 3, 4, 5, 6]], 2],
            [[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]], 3],
            [*draw(1, (5, 8)), 2],
            [*draw(2, (3, 4)), 1],
            [*draw(3, (2, 3)), 3],
        ],
        slips={
            "the rows are cut apart, and not the columns": _split_rows,
            "every H-th column goes to a head, and not those side by side": lambda M, H: [
                [row[h::H] for row in M] for h in range(H)
            ],
            "each piece is H wide": lambda M, H: [[row[i : i + H] for row in M] for i in range(0, len(M[0]), H)],
            "the positions stand outside and the heads inside": lambda M, H: [
                [row[h * (len(row) // H) : (h + 1) * (len(row) // H)] for h in range(H)] for row in M
            ],
        },
    ),
    "04.2": Exercise(
        sum_of_heads,
        [
            _TEXT_HEADS,
            [*draw(4, (2, 2)), *_weights(5, 2, 2, 1, 2, 2), _MASK_2],
            [*draw(6, (3, 2)), *_weights(7, 2, 3, 2, 1, 2), causal_mask(3)],
            [*draw(8, (1, 2)), *_weights(9, 2, 1, 4, 2, 3), None],
            [*draw(10, (3, 3)), *_weights(11, 3, 2, 2, 2, 4), causal_mask(3)],
        ],
        slips={
            **HEAD_SLIPS,
            "the blocks of W_O are cut as wide as keys, and not as wide as values": _sum_of_blocks(lambda W_K, W_V: len(W_K[0])),
        },
    ),
    "04.3": Exercise(
        attention_parameter_count,
        [
            [16, 2, 8, 8, False],
            [10, 3, 2, 5, False],
            [10, 3, 2, 5, True],
            [768, 12, 64, 64, True],
            [12288, 96, 128, 128, False],
            [1, 1, 1, 1, True],
        ],
        slips={
            "four square matrices are counted": lambda D, H, k, v, biases: 4 * (D * D + (D if biases else 0)),
            "values are as wide as keys": lambda D, H, k, v, biases: 4 * H * k * D + (3 * H * k + D if biases else 0),
            "W_O gets no bias": lambda D, H, k, v, biases: (
                H * (2 * k + v) * D + D * H * v + (H * (2 * k + v) if biases else 0)
            ),
            "every head has a W_O of its own": lambda D, H, k, v, biases: (
                H * (2 * k * D + v * D + D * H * v) + (H * (2 * k + v) + D if biases else 0)
            ),
        },
    ),
    "04.4": Exercise(
        reorder_heads,
        [
            [[[[1]], [[2]], [[3]]], [[[4]], [[5]], [[6]]], [[[1], [2]], [[3], [4]], [[5], [6]]], [[1, 2, 3, 4, 5, 6]], [2, 0, 1]],
            [*_weights(12, 2, 3, 1, 2, 2), [2, 0, 1]],
            [*_weights(13, 2, 4, 2, 1, 2), [1, 2, 3, 0]],
            [*_weights(14, 3, 2, 2, 2, 4), [1, 0]],
            [*_weights(15, 2, 1, 1, 2, 3), [0]],
        ],
        slips={
            "the order is read the other way: old head h becomes head order[h]": _back,
            "W_O stays as it is": _with_W_O(lambda W_O, order, k, v: W_O),
            "the blocks of W_O are cut as wide as keys, and not as wide as values": _with_W_O(
                lambda W_O, order, k, v: [[x for h in order for x in row[h * k : (h + 1) * k]] for row in W_O]
            ),
            "rows of W_O are moved, and not columns": _with_W_O(
                lambda W_O, order, k, v: [row for h in order for row in W_O[h * v : (h + 1) * v]]
            ),
        },
        parts=("W_Q", "W_K", "W_V", "W_O"),
    ),
    "04.a": Exercise(
        my_two_heads,
        [
            _TEXT_HEADS,
            [*draw(16, (2, 2)), *_weights(17, 2, 2, 2, 1, 2), _MASK_2],
            [*draw(18, (2, 2)), *_weights(19, 2, 2, 1, 2, 4), _MASK_2],
            [*draw(20, (3, 3)), *_weights(21, 3, 2, 2, 2, 4), causal_mask(3)],
        ],
        slips={
            **HEAD_SLIPS,
            "the heads are put under one another, and not side by side": lambda X, W_Q, W_K, W_V, W_O, mask: linear(
                [row for h in (0, 1) for row in attention(linear(X, W_Q[h]), linear(X, W_K[h]), linear(X, W_V[h]), mask)], W_O
            ),
            "both heads use the matrices of the first": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q[:1] * 2, W_K[:1] * 2, W_V[:1] * 2, W_O, mask
            ),
            "W_O is forgotten": lambda X, W_Q, W_K, W_V, W_O, mask: concatenate(
                [attention(linear(X, q), linear(X, k), linear(X, v), mask) for q, k, v in zip(W_Q, W_K, W_V)]
            ),
        },
        example=False,
    ),
}
