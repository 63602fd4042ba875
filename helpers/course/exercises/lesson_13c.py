"""Lesson 13c: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import add
from .exercise import Exercise, draw_inputs, from_source


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
    "L is fixed: use the argument, which can be another number than 48": ("L * (", "48 * ("),
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


def my_block_backward(d_out, attention_backward, feed_forward_backward):
    d_middle = add(d_out, feed_forward_backward(d_out))
    return add(d_middle, attention_backward(d_middle))


D_MIDDLE, D_X = "add(d_out, feed_forward_backward(d_out))", "add(d_middle, attention_backward(d_middle))"
NOT_AROUND_FEED_FORWARD = (D_MIDDLE, "feed_forward_backward(d_out)")
NOT_AROUND_ATTENTION = (D_X, "attention_backward(d_middle)")
BACKWARD_MISTAKES = {
    "+ joins the two lists, where add would add the matrices": (
        (D_MIDDLE, "d_out + feed_forward_backward(d_out)"),
        (D_X, "d_middle + attention_backward(d_middle)"),
    ),
    "attention_backward gets d_out, and not the gradient of middle": ("(d_middle)", "(d_out)"),
    "the backward pass begins with attention, as the forward pass does": (
        ("feed_forward_backward(d_out)", "attention_backward(d_out)"),
        ("attention_backward(d_middle)", "feed_forward_backward(d_middle)"),
    ),
    "both residual connections are missing": (NOT_AROUND_FEED_FORWARD, NOT_AROUND_ATTENTION),
    "there is one residual connection around both branches together": (
        NOT_AROUND_FEED_FORWARD,
        ("add(d_middle,", "add(d_out,"),
    ),
    "both functions get d_out, and no residual connection is there": (
        NOT_AROUND_FEED_FORWARD,
        ("attention_backward(d_middle)", "attention_backward(d_out)"),
    ),
    "the residual connection around attention is missing": NOT_AROUND_ATTENTION,
    "the residual connection around feed-forward is missing": NOT_AROUND_FEED_FORWARD,
    "the gradient that passes around attention is d_out, and not that of middle": ("d_middle,", "d_out,"),
    "the gradient of middle is returned, and attention is left out": (D_X, "d_middle"),
    "attention_backward gets only what comes back through the feed-forward branch": (
        (D_X, "add(d_middle, attention_backward(feed_forward_backward(d_out)))"),
    ),
    "d_out is added again at the end": (D_X, f"add(d_out, {D_X})"),
    "each sum passes half of its gradient to each term, and not all of it": (
        (D_MIDDLE, f"scale({D_MIDDLE}, 0.5)"),
        (D_X, f"scale({D_X}, 0.5)"),
    ),
    "half of d_out passes around feed-forward, and not all of it": (
        D_MIDDLE,
        "add(scale(d_out, 0.5), feed_forward_backward(d_out))",
    ),
    "the gradient of middle is returned, too: return only that of X": (D_X, f"({D_X}, d_middle)"),
}


TWICE = from_source("lambda A: [[2 * a for a in row] for row in A]")
TEN = from_source("lambda A: [[10 * a for a in row] for row in A]")
LESS = from_source("lambda A: [[a - row[0] for a in row] for row in A]")
REVERSED = from_source("lambda A: [row[::-1] for row in A]")
LATER = from_source("lambda A: [[sum(column[t:]) for column in zip(*A)] for t in range(len(A))]")


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
    ),
    "13.c": Exercise(
        my_block_backward,
        [
            [[[1.0]], TEN, TWICE],  # a backward function is linear: the sum over four paths is right, too
            [[[1.0, -2.0], [0.5, 3.0]], REVERSED, LESS],
            [*draw_inputs(135, (2, 3)), LESS, REVERSED],
            [*draw_inputs(136, (3, 4)), LATER, TEN],
        ],
        BACKWARD_MISTAKES,
    ),
}
