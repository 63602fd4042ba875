"""Lesson 13c: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise


def my_stream_size(embeddings, attention, feed_forward, L):
    return math.sqrt(embeddings**2 + L * (attention**2 + feed_forward**2))


SQUARES = "embeddings**2 + L * (attention**2 + feed_forward**2)"
MISTAKES = {
    "the sizes are added, and not their squares": (
        f"math.sqrt({SQUARES})",
        "embeddings + L * (attention + feed_forward)",
    ),
    "the square root of the sum is missing": (f"math.sqrt({SQUARES})", SQUARES),
    "the embeddings are left out": ("embeddings**2 + ", ""),
    "the attention branches are left out": ("attention**2 + ", ""),
    "the feed-forward branches are left out": (" + feed_forward**2", ""),
    "only one block is counted": ("L * ", ""),
    "L counts the branches: there are two in each block": ("L * (", "L / 2 * ("),
    "the number of branches counts twice: each block has one of each kind": ("L * (", "2 * L * ("),
    "the two branches of a block are added before the square: they are independent": (
        "(attention**2 + feed_forward**2)",
        "(attention + feed_forward) ** 2",
    ),
    "the branches of one kind are added before the square: they are independent": (
        "L * (attention**2 + feed_forward**2)",
        "(L * attention) ** 2 + (L * feed_forward) ** 2",
    ),
    "the root is taken of the sizes, and not of the sum of their squares": (
        SQUARES,
        "embeddings + L * (attention + feed_forward)",
    ),
    "the roots are added: take one root of the whole sum": (
        f"math.sqrt({SQUARES})",
        "embeddings + math.sqrt(L * (attention**2 + feed_forward**2))",
    ),
    "the embeddings are counted for each block": (
        SQUARES,
        "L * (embeddings**2 + attention**2 + feed_forward**2)",
    ),
    "the root is taken of the mean of the squares, and not of their sum": (
        f"math.sqrt({SQUARES})",
        f"math.sqrt(({SQUARES}) / (2 * L + 1))",
    ),
    "the result is a multiple of the embeddings: return the size": (
        f"math.sqrt({SQUARES})",
        f"math.sqrt({SQUARES}) / embeddings",
    ),
}


EXERCISES = {
    "13.g": Exercise(
        my_stream_size,
        [
            [3.0, 2.0, 1.0, 8],
            [1.0, 0.0, 0.0, 5],
            [2.0, 3.0, 0.0, 4],
            [1.5, 0.0, 2.0, 3],
            [0.25, 0.5, 0.75, 7],
        ],
        MISTAKES,
    )
}
