"""Lesson 04, hidden side. Reading on gives answers away."""

import math
import random

from ...attention import attention, causal_mask, merge_heads, multi_head_attention, softmax
from ...layers import linear
from ...matrices import add, matmul, transpose
from ..argument_checks import checked
from .exercise import Exercise, draw_inputs


def _weights(seed, D, H, k, v, m):
    """W_Q, W_K, W_V, W_O."""
    return draw_inputs(seed, (H, k, D), (H, k, D), (H, v, D), (m, H * v))


def _whole(seed, T, D, H, k, v, m):
    """X, W_Q, W_K, W_V, W_O in whole numbers from -2 to 2: short to print."""
    rng = random.Random(seed)
    sizes = (T, D), (H, k, D), (H, k, D), (H, v, D), (m, H * v)
    return [_filled(rng, *size) for size in sizes]


def _filled(rng, size, *sizes):
    return [_filled(rng, *sizes) if sizes else rng.randint(-2, 2) for _ in range(size)]


def my_multi_head_attention(X, W_Q, W_K, W_V, W_O, mask):
    rows = [[] for _ in X]
    for q, k, v in zip(W_Q, W_K, W_V):
        for row, more in zip(rows, attention(linear(X, q), linear(X, k), linear(X, v), mask)):
            row.extend(more)
    return linear(rows, W_O)


def _two_heads(X, W_Q, W_K, W_V, W_O, mask):
    heads = [attention(linear(X, W_Q[h]), linear(X, W_K[h]), linear(X, W_V[h]), mask) for h in range(2)]
    return linear(merge_heads(heads), W_O)


def my_merge_heads(heads):
    return [[x for head in heads for x in head[t]] for t in range(len(heads[0]))]


def _kept(heads):
    """my_merge_heads with one list for all positions."""
    joined = [x for rows in zip(*heads) for row in rows for x in row]
    return [joined for _ in heads[0]]


def my_contribution(head, W_O, first):
    return linear(head, [row[first : first + len(head[0])] for row in W_O])


_linear = checked(linear)  # as the reader's code calls it


def _contribution(begin=lambda first, width: first, end=lambda first, width: first + width):
    """my_contribution with a block that begins or ends at another column."""
    return lambda head, W_O, first: linear(
        head, [row[begin(first, len(head[0])) : end(first, len(head[0]))] for row in W_O]
    )


def _unscaled(X, W_Q, W_K, W_V, W_O, mask):
    heads = []
    for q, k, v in zip(W_Q, W_K, W_V):
        scores = matmul(linear(X, q), transpose(linear(X, k)))
        scores = scores if mask is None else add(scores, mask)
        heads.append(matmul([softmax(row) for row in scores], linear(X, v)))
    return linear(merge_heads(heads), W_O)


def _chained(X, W_Q, W_K, W_V, W_O, mask):
    heads = []
    for q, k, v in zip(W_Q, W_K, W_V):
        X = attention(linear(X, q), linear(X, k), linear(X, v), mask)
        heads.append(X)
    return linear(merge_heads(heads), W_O)


def _without_values(X, W_Q, W_K, W_V, W_O, mask):
    heads = [attention(linear(X, q), linear(X, k), X, mask) for q, k in zip(W_Q, W_K)]
    return linear(merge_heads(heads), W_O)


def _by_matmul(X, W_Q, W_K, W_V, W_O, mask):
    heads = [attention(matmul(X, q), matmul(X, k), matmul(X, v), mask) for q, k, v in zip(W_Q, W_K, W_V)]
    return linear(merge_heads(heads), W_O)


def _alternating(X, W_Q, W_K, W_V, W_O, mask):
    heads = [attention(linear(X, q), linear(X, k), linear(X, v), mask) for q, k, v in zip(W_Q, W_K, W_V)]
    return linear([[x for xs in zip(*rows) for x in xs] for rows in zip(*heads)], W_O)


_MASK_2 = [[0.0, -math.inf], [0.0, 0.0]]

EXERCISES = {
    "04.a": Exercise(
        my_merge_heads,
        [
            [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]],
            [[[[1], [2], [3]], [[4], [5], [6]]]],
            [[[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]],
            [[[[1, 2], [3, 4], [5, 6]]]],
            draw_inputs(27, (3, 4, 2)),
        ],
        mistakes={
            "the rows of head 1 come after the rows of head 0: [H·T][k], not [T][H·k]": lambda heads: [
                row for head in heads for row in head
            ],
            "all positions of one head are in one row: there is one row for each head": lambda heads: [
                [x for row in head for x in row] for head in heads
            ],
            "the numbers of the heads alternate: one of head 0, then one of head 1": lambda heads: [
                [x for numbers in zip(*rows) for x in numbers] for rows in zip(*heads)
            ],
            "the heads are added instead of concatenated": lambda heads: [
                [sum(xs) for xs in zip(*rows)] for rows in zip(*heads)
            ],
            "the rows of heads 0 and 1 are added instead of concatenated": lambda heads: add(*heads[:2]),
            "the rows of a position are put into a list without being joined": lambda heads: [
                list(rows) for rows in zip(*heads)
            ],
            (
                "`+` joins the two lists of rows, where it should join the two rows of each position"
            ): lambda heads: heads[0] + heads[1],
            "all numbers are in one list; each position needs a row of its own": lambda heads: [
                x for rows in zip(*heads) for row in rows for x in row
            ],
            "the row of a position keeps the numbers of earlier positions; begin each row with []": _kept,
            "only the rows of the last head are left": lambda heads: [list(row) for row in heads[-1]],
            "exactly two heads are concatenated, however many there are": lambda heads: [
                a + b for a, b in zip(heads[0], heads[1])
            ],
            "the heads are concatenated in reverse order": lambda heads: merge_heads(heads[::-1]),
        },
    ),
    "04.b": Exercise(
        my_multi_head_attention,
        [
            [[[2]], [[[1]], [[1]]], [[[1]], [[1]]], [[[1]], [[10]]], [[1, 1]], None],
            [*_whole(1, 2, 2, 2, 1, 2, 3), None],
            [*_whole(2, 2, 2, 2, 2, 1, 2), _MASK_2],
            [*draw_inputs(28, (2, 2)), *_weights(29, 2, 2, 1, 2, 3), None],
            [*draw_inputs(6, (3, 2)), *_weights(7, 2, 3, 2, 1, 2), causal_mask(3)],
            [*draw_inputs(8, (1, 2)), *_weights(9, 2, 1, 4, 2, 3), None],
            [*draw_inputs(18, (2, 2)), *_weights(19, 2, 2, 1, 2, 4), _MASK_2],
            [*draw_inputs(20, (3, 3)), *_weights(21, 3, 2, 2, 2, 4), causal_mask(3)],
        ],
        mistakes={
            "W_O is read [in][out]": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q, W_K, W_V, transpose(W_O), mask
            ),
            "two heads are computed, however many there are": _two_heads,
            "the heads are concatenated in reverse order": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_Q[::-1], W_K[::-1], W_V[::-1], W_O, mask)
            ),
            "the mask is left out": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q, W_K, W_V, W_O
            ),
            (
                "W_O gets rows that are only as wide as one head; concatenate the outputs of the heads first"
            ): lambda X, W_Q, W_K, W_V, W_O, mask: linear(
                [
                    row
                    for q, k, v in zip(W_Q, W_K, W_V)
                    for row in attention(linear(X, q), linear(X, k), linear(X, v), mask)
                ],
                W_O,
            ),
            "every head uses the matrices of head 0": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_Q[:1] * len(W_Q), W_K[:1] * len(W_Q), W_V[:1] * len(W_Q), W_O, mask)
            ),
            "every head uses the queries and keys of head 0": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_Q[:1] * len(W_Q), W_K[:1] * len(W_Q), W_V, W_O, mask)
            ),
            "every head uses the values of head 0": lambda X, W_Q, W_K, W_V, W_O, mask: multi_head_attention(
                X, W_Q, W_K, W_V[:1] * len(W_Q), W_O, mask
            ),
            "W_Q, W_K and W_V are read [in][out]; use `linear`, not `matmul`": _by_matmul,
            "each head reads the output of the head before it; every head should read X": _chained,
            "a causal mask is applied, whatever the argument `mask` is": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_Q, W_K, W_V, W_O, causal_mask(len(X)))
            ),
            "X itself is used as the values; apply `linear` with W_V[h] to it": _without_values,
            "the numbers of the heads alternate in the concatenated rows": _alternating,
            "X is added to the output": lambda X, W_Q, W_K, W_V, W_O, mask: add(
                X, multi_head_attention(X, W_Q, W_K, W_V, W_O, mask)
            ),
            "the keys and the values have changed places": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_Q, W_V, W_K, W_O, mask)
            ),
            "the queries and the keys have changed places": lambda X, W_Q, W_K, W_V, W_O, mask: (
                multi_head_attention(X, W_K, W_Q, W_V, W_O, mask)
            ),
            "the scores are not divided by the square root of k": _unscaled,
            "the output projection is missing": lambda X, W_Q, W_K, W_V, W_O, mask: merge_heads(
                [attention(linear(X, q), linear(X, k), linear(X, v), mask) for q, k, v in zip(W_Q, W_K, W_V)]
            ),
        },
    ),
    "04.c": Exercise(
        my_contribution,
        [
            [[[1, 2]], [[1, 2, 3, 4, 5, 6]], 2],
            [[[1, 2], [0, 1]], [[1, 2, 3, 4], [5, 6, 7, 8], [0, 1, 0, 2], [1, 0, 3, 0]], 2],
            [*draw_inputs(22, (2, 2), (4, 6)), 2],
            [*draw_inputs(26, (1, 8), (2, 16)), 0],
            [*draw_inputs(23, (3, 2), (4, 4)), 0],
            [*draw_inputs(24, (2, 3), (5, 3)), 0],
            [*draw_inputs(25, (2, 1), (3, 3)), 1],
        ],
        mistakes={
            "rows of W_O are taken, and not columns": lambda head, W_O, first: _linear(
                head, W_O[first : first + len(head[0])]
            ),
            "the block is read [in][out]; W_O is [out][in], so call `linear` with the block as it is": (
                lambda head, W_O, first: matmul(head, [row[first : first + len(head[0])] for row in W_O])
            ),
            "W_O is read [in][out]": lambda head, W_O, first: matmul(head, W_O[first : first + len(head[0])]),
            "the block always begins at column 0": _contribution(
                lambda first, width: 0, lambda first, width: width
            ),
            "the block ends at column `first` instead of beginning there": _contribution(
                lambda first, width: first - width, lambda first, width: first
            ),
            "the block goes on into the columns of other heads": _contribution(end=lambda first, width: None),
            "the block is 8 columns wide, however wide the head is": _contribution(
                end=lambda first, width: first + 8
            ),
            "the block is always 2 columns wide": _contribution(end=lambda first, width: first + 2),
            "the block is half of a row, as if there were always two heads": lambda head, W_O, first: linear(
                head, [row[first : first + len(row) // 2] for row in W_O]
            ),
            "all columns of W_O are used, and not only the block of this head": (
                lambda head, W_O, first: linear(head, W_O)
            ),
            "the slice ends at `width`; it should end at `first + width`": _contribution(
                end=lambda first, width: width
            ),
            (
                "the block has as many columns as the head has positions; use the length of its rows"
            ): lambda head, W_O, first: linear(head, [row[first : first + len(head)] for row in W_O]),
            "`first` is used as the number of the head": _contribution(
                lambda first, width: first * width, lambda first, width: (first + 1) * width
            ),
        },
    ),
}
