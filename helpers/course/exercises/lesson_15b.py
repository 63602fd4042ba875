"""Lesson 15b, hidden side. Reading on gives answers away."""

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
        parts=("what is gathered", "the keys", "the values"),
        slips={
            (
                "the new token does not hear itself: its key and value have to be there first"
            ): lambda q, k, v, K, V: ([_step(q, k, v, K, V)[0] if K else v, [*K, k], [*V, v]]),
            "the scores are not divided by the root of the width": lambda q, k, v, K, V: _step(
                q, k, v, [*K, k], [*V, v], lambda n: 1
            ),
            "the scores are divided by the width, and not by its root": lambda q, k, v, K, V: _step(
                q, k, v, [*K, k], [*V, v], lambda n: n
            ),
            "the new key and value stand in front, and not behind": lambda q, k, v, K, V: _step(
                q, k, v, [k, *K], [v, *V]
            ),
            "the new key and value are not kept": lambda q, k, v, K, V: [my_step(q, k, v, K, V)[0], K, V],
            "all positions count alike": lambda q, k, v, K, V: _step(
                [0.0 for _ in q], k, v, [*K, k], [*V, v]
            ),
        },
    ),
    "15.f": Exercise(
        my_cache_bytes,
        [[1, 2, 8, 5, 4], [3, 1, 2, 7, 2], [12, 12, 64, 1024, 4], [2, 4, 8, 1, 1]],
        slips={
            "keys or values are forgotten: each head keeps both": lambda *s: my_cache_bytes(*s) // 2,
            "numbers are counted, and not bytes": lambda *s: my_cache_bytes(*s[:-1], 1),
            "one layer is counted": lambda layers, *s: my_cache_bytes(1, *s),
            "one head is counted": lambda layers, heads, *s: my_cache_bytes(layers, 1, *s),
            "one token is counted": lambda layers, heads, width, tokens, b: my_cache_bytes(
                layers, heads, width, 1, b
            ),
            "queries are kept, too: nobody asks for them again": lambda *s: my_cache_bytes(*s) * 3 // 2,
            "the weights between all pairs of tokens are counted": lambda layers, heads, width, tokens, b: (
                layers * heads * tokens * tokens * b
            ),
        },
    ),
    "15.g": Exercise(
        my_positions,
        [[5], [2], [3], [8], [13]],
        slips={
            "the keys are counted anew: those that are left stay at their old positions": lambda S: list(
                range(S)
            ),
            (
                "the new token goes on counting where the old ones ended: decode_step counts the keys that "
                "are left"
            ): lambda S: list(range(1, S + 1)),
            "the oldest key is still there": lambda S: [*range(S), S],
            "the new token is forgotten": lambda S: list(range(1, S)),
            "the new token stands in front": lambda S: [S - 1, *range(1, S)],
        },
        example=False,
    ),
}
