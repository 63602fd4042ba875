"""What lesson 07 says about stacks that no cell of it builds.

Takes some seconds, prints the lesson's numbers, and stops where they differ.
"""

import math
import random

from helpers import add, causal_mask, embedding, feed_forward, layer_norm, multi_head_attention
from helpers.course.lessons import lesson_07_stacks as stacks
from helpers.course.state.network import TOKENS, draw_parameters

SEEDS = (42, 1, 2, 3, 4, 5)


def around_feed(x, attend, feed):
    """A block with a residual connection around the feed-forward network."""
    x = attend(x)
    return add(x, feed(x))


def around_both(x, attend, feed):
    """A block with a residual connection around both layers."""
    x = add(x, attend(x))
    return add(x, feed(x))


def longest(block, times, seed, without=()):
    """The length of the longest row after this many blocks."""
    return max(math.hypot(*row) for row in stacks.rows_after(block, times, seed, without))


def lengths():
    """With each seed the rows grow in one stack and shrink in the other."""
    for seed in SEEDS:
        grown = [longest(around_both, times, seed) for times in (0, 1, 10)]
        shrunk = [longest(around_feed, times, seed, ["averaging", "biases"]) for times in (0, 1, 10)]
        print(f"longest row, seed {seed}: {grown[-1]:.2g} and {shrunk[-1]:.2g}")
        assert grown[0] < grown[1] < grown[2] and shrunk[0] > shrunk[1] > shrunk[2]


def main():
    """What the page says of lengths, and of ten blocks with a norm."""
    lengths()
    normed_stack()


def normed_stack():
    """The lowest and the highest row_difference after ten blocks of the network, with its norm."""
    found = []
    for seed in SEEDS:
        p = draw_parameters(random.Random(seed))
        x = add(embedding(TOKENS, p["E_token"]), embedding(list(range(len(TOKENS))), p["E_pos"]))
        for _ in range(10):
            x = multi_head_attention(x, *(p[f"W_{name}"] for name in "QKVO"), causal_mask(len(x)))
            x = add(x, feed_forward(x, p["W_1"], p["b_1"], p["W_2"], p["b_2"]))
            x = layer_norm(x, [1.0] * 16, [0.0] * 16)
        distance = max(math.dist(u, v) for u in x for v in x)
        found.append(distance / max(math.hypot(*row) for row in x))
    normed = f"{min(found):.4f} to {max(found):.4f}"
    print("our block with its norm:", normed)
    assert normed == "0.0000 to 0.0012"
