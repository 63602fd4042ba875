"""Lesson 04, hidden side. Reading on gives answers away."""

import math

from ...attention import attention, causal_mask, merge_heads, multi_head_attention, split_heads
from ...layers import linear
from ...matrices import matmul, transpose
from .exercise import Exercise, draw_inputs


def _weights(seed, D, H, k, v, m):
    """W_Q, W_K, W_V, W_O."""
    return draw_inputs(seed, (H, k, D), (H, k, D), (H, v, D), (m, H * v))


def reorder_heads(W_Q, W_K, W_V, W_O, order):
    blocks = split_heads(W_O, len(W_V))
    return [*([W[h] for h in order] for W in (W_Q, W_K, W_V)), merge_heads([blocks[h] for h in order])]


def _back(W_Q, W_K, W_V, W_O, order):
    return reorder_heads(W_Q, W_K, W_V, W_O, [order.index(h) for h in range(len(order))])


def _with_W_O(change):
    """reorder_heads with something else done to W_O."""
    return lambda W_Q, W_K, W_V, W_O, order: [
        *([W[h] for h in order] for W in (W_Q, W_K, W_V)),
        change(W_O, order, len(W_K[0]), len(W_V[0])),
    ]


def my_multi_head_attention(X, W_Q, W_K, W_V, W_O, mask):
    rows = [[] for _ in X]
    for q, k, v in zip(W_Q, W_K, W_V):
        for row, more in zip(rows, attention(linear(X, q), linear(X, k), linear(X, v), mask)):
            row.extend(more)
    return linear(rows, W_O)


def _two_heads(X, W_Q, W_K, W_V, W_O, mask):
    heads = [attention(linear(X, W_Q[h]), linear(X, W_K[h]), linear(X, W_V[h]), mask) for h in range(2)]
    return linear(merge_heads(heads), W_O)


def my_written(head, W_O, first):
    return linear(head, [row[first : first + len(head[0])] for row in W_O])


def _written(begin=lambda first, width: first, end=lambda first, width: first + width):
    """my_written with a block that begins or ends somewhere else."""
    return lambda head, W_O, first: linear(
        head, [row[begin(first, len(head[0])) : end(first, len(head[0]))] for row in W_O]
    )


_MASK_2 = [[0.0, -math.inf], [0.0, 0.0]]

EXERCISES = {
    "04.1": Exercise(
        reorder_heads,
        [
            [
                [[[1]], [[2]], [[3]]],
                [[[4]], [[5]], [[6]]],
                [[[1], [2]], [[3], [4]], [[5], [6]]],
                [[1, 2, 3, 4, 5, 6]],
                [2, 0, 1],
            ],
            [*_weights(12, 2, 3, 1, 2, 2), [2, 0, 1]],
            [*_weights(13, 2, 4, 2, 1, 2), [1, 2, 3, 0]],
            [*_weights(14, 3, 2, 2, 2, 4), [1, 0]],
            [*_weights(15, 2, 1, 1, 2, 3), [0]],
        ],
        slips={
            "the order is read the other way: old head h becomes head order[h]": _back,
            "W_O stays as it is": _with_W_O(lambda W_O, order, k, v: W_O),
            "the order is read the other way for W_O alone": _with_W_O(
                lambda W_O, order, k, v: [
                    [x for n in range(len(order)) for x in row[order.index(n) * v : (order.index(n) + 1) * v]]
                    for row in W_O
                ]
            ),
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
        my_multi_head_attention,
        [
            [[[2]], [[[1]], [[1]]], [[[1]], [[1]]], [[[1]], [[10]]], [[1, 1]], None],
            [*draw_inputs(16, (2, 2)), *_weights(17, 2, 2, 2, 1, 2), _MASK_2],
            [*draw_inputs(6, (3, 2)), *_weights(7, 2, 3, 2, 1, 2), causal_mask(3)],
            [*draw_inputs(8, (1, 2)), *_weights(9, 2, 1, 4, 2, 3), None],
            [*draw_inputs(18, (2, 2)), *_weights(19, 2, 2, 1, 2, 4), _MASK_2],
            [*draw_inputs(20, (3, 3)), *_weights(21, 3, 2, 2, 2, 4), causal_mask(3)],
        ],
        slips={
            "W_O is read [in][out]": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q, W_K, W_V, transpose(W_O), mask
            ),
            "two heads are computed, however many there are": _two_heads,
            "the heads stand in the opposite order": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q[::-1], W_K[::-1], W_V[::-1], W_O, mask
            ),
            "the mask is left out": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q, W_K, W_V, W_O
            ),
            "the heads are put under one another, and not side by side": lambda X, W_Q, W_K, W_V, W_O, mask: (
                linear(
                    [
                        row
                        for q, k, v in zip(W_Q, W_K, W_V)
                        for row in attention(linear(X, q), linear(X, k), linear(X, v), mask)
                    ],
                    W_O,
                )
            ),
            "every head uses the matrices of the first": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_Q[:1] * len(W_Q), W_K[:1] * len(W_Q), W_V[:1] * len(W_Q), W_O, mask)
            ),
            "W_O is forgotten": lambda X, W_Q, W_K, W_V, W_O, mask: merge_heads(
                [attention(linear(X, q), linear(X, k), linear(X, v), mask) for q, k, v in zip(W_Q, W_K, W_V)]
            ),
        },
        example=False,
    ),
    "04.b": Exercise(
        my_written,
        [
            [[[1, 2], [0, 1]], [[1, 2, 3, 4], [5, 6, 7, 8], [0, 1, 0, 2], [1, 0, 3, 0]], 2],
            [*draw_inputs(22, (2, 2), (4, 6)), 2],
            [*draw_inputs(26, (1, 8), (2, 16)), 0],
            [*draw_inputs(23, (3, 2), (4, 4)), 0],
            [*draw_inputs(24, (2, 3), (5, 3)), 0],
            [*draw_inputs(25, (2, 1), (3, 3)), 1],
        ],
        slips={
            "rows of W_O are cut out, and not columns": lambda head, W_O, first: linear(
                head, W_O[first : first + len(head[0])]
            ),
            "W_O is read [in][out]": lambda head, W_O, first: matmul(head, W_O[first : first + len(head[0])]),
            "the block always begins at column 0": _written(
                lambda first, width: 0, lambda first, width: width
            ),
            "the block ends at column `first`, and does not begin there": _written(
                lambda first, width: first - width, lambda first, width: first
            ),
            "the block goes on to the end of the row, over other heads' columns": _written(
                end=lambda first, width: None
            ),
            "the block is 8 wide, however wide the head is": _written(end=lambda first, width: first + 8),
            "`first` is taken for the number of the head": _written(
                lambda first, width: first * width, lambda first, width: (first + 1) * width
            ),
        },
        example=False,
    ),
}
