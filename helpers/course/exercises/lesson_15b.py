"""The graded tasks of lesson 15b. This file holds the answers."""

import math

from .exercise import Exercise, draw_inputs, times
from .lesson_03 import my_softmax


def my_step(q, k, v, K, V):
    return _step(q, k, v, [*K, k], [*V, v])


def _step(q, k, v, K, V, divide=math.sqrt, seen=None):
    weights = my_softmax([sum(a * b for a, b in zip(q, key)) / divide(len(key)) for key in (seen or K)])
    return [times([weights], V[: len(weights)])[0], K, V]


def my_cache_bytes(layers, heads, width, tokens, bytes_each):
    return 2 * layers * heads * width * tokens * bytes_each


def my_positions(S):
    return [*range(1, S), S - 1]


EXERCISES = {
    "15.e": Exercise(
        my_step,
        [
            [[0.0, 0.0], [1.0, 2.0], [30.0], [[3.0, 4.0]], [[10.0]]],
            [*draw_inputs(1, (2,), (2,), (3,), (2, 2), (2, 3))],
            [*draw_inputs(2, (4,), (4,), (1,), (3, 4), (3, 1))],
            [[1.0, 2.0], [0.5, 1.0], [7.0, 8.0], [], []],
            [*draw_inputs(3, (3,), (3,), (2,), (5, 3), (5, 2))],
        ],
        parts=("the output", "the keys", "the values"),
        mistakes={
            (
                "the new token does not attend to itself: append its key and value first"
            ): lambda q, k, v, K, V: ([_step(q, k, v, K, V)[0] if K else v, [*K, k], [*V, v]]),
            "the scores are not divided by the square root of the width": lambda q, k, v, K, V: _step(
                q, k, v, [*K, k], [*V, v], lambda n: 1
            ),
            "the scores are divided by the width, and not by its square root": lambda q, k, v, K, V: _step(
                q, k, v, [*K, k], [*V, v], lambda n: n
            ),
            "keys and values are swapped in the result": lambda q, k, v, K, V: [
                my_step(q, k, v, K, V)[0],
                [*V, v],
                [*K, k],
            ],
            "only the new token is attended to": lambda q, k, v, K, V: [v, [*K, k], [*V, v]],
            "the attention weights are missing: the values are added up": lambda q, k, v, K, V: [
                [sum(column) for column in zip(*V, v)],
                [*K, k],
                [*V, v],
            ],
            "the key is used as the query": lambda q, k, v, K, V: my_step(k, k, v, K, V),
            "the new key and value are put first, and not last": lambda q, k, v, K, V: _step(
                q, k, v, [k, *K], [v, *V]
            ),
            "the new key and value are not in the returned lists": lambda q, k, v, K, V: [
                my_step(q, k, v, K, V)[0],
                K,
                V,
            ],
            "attention returns a matrix of one row: take its row [0]": lambda q, k, v, K, V: [
                [my_step(q, k, v, K, V)[0]],
                [*K, k],
                [*V, v],
            ],
            "all attention weights are equal": lambda q, k, v, K, V: _step(
                [0.0 for _ in q], k, v, [*K, k], [*V, v]
            ),
        },
    ),
    "15.f": Exercise(
        my_cache_bytes,
        [[1, 2, 8, 5, 4], [3, 1, 2, 7, 2], [12, 12, 64, 1024, 4], [2, 4, 8, 1, 1]],
        mistakes={
            "only keys or only values are counted: each head stores both": lambda *s: my_cache_bytes(*s) // 2,
            "numbers are counted, and not bytes": lambda *s: my_cache_bytes(*s[:-1], 1),
            "only one layer is counted": lambda layers, *s: my_cache_bytes(1, *s),
            "only one head is counted": lambda layers, heads, *s: my_cache_bytes(layers, 1, *s),
            "the width is left out": lambda layers, heads, width, tokens, b: my_cache_bytes(
                layers, heads, 1, tokens, b
            ),
            "bits are counted, and not bytes": lambda *s: my_cache_bytes(*s) * 8,
            "the size is given in GB, and not in bytes": lambda *s: my_cache_bytes(*s) / 1e9,
            "only one token is counted": lambda layers, heads, width, tokens, b: my_cache_bytes(
                layers, heads, width, 1, b
            ),
            "queries are counted, too, but the cache does not store them": lambda *s: (
                my_cache_bytes(*s) * 3 // 2
            ),
            "the attention weights of all pairs are counted": lambda layers, heads, width, tokens, b: (
                layers * heads * tokens * tokens * b
            ),
        },
    ),
    "15.g": Exercise(
        my_positions,
        [[5], [2], [3], [8], [13]],
        mistakes={
            "positions are counted again from 0, but the keys contain their old ones": lambda S: list(
                range(S)
            ),
            (
                "the new token gets the position after the last: decode_step counts the remaining keys"
            ): lambda S: list(range(1, S + 1)),
            "the oldest key is not removed": lambda S: [*range(S), S],
            "the new token is counted from 0": lambda S: [*range(1, S), 0],
            "positions are counted from 1": lambda S: [*range(2, S + 1), S],
            "the new token is missing": lambda S: list(range(1, S)),
            "the new token is first, and not last": lambda S: [S - 1, *range(1, S)],
        },
        example=False,
    ),
}
