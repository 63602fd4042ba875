"""Lessons 07 and 07b: stacks of untrained blocks. A block is a function of a matrix and its two layers."""

import random

from ...attention import causal_mask, merge_heads, multi_head_attention
from ...layers import embedding, feed_forward, linear
from ...matrices import add
from ...parameters import tree_map
from ..state.network import TOKENS, draw_parameters


def start(seed, factor=1):
    """The network's parameters with this seed, times factor, and the embeddings X, which stay as drawn."""
    p = draw_parameters(random.Random(seed))
    X = add(embedding(TOKENS, p["E_token"]), embedding(list(range(len(TOKENS))), p["E_pos"]))
    return tree_map(lambda row: [factor * w for w in row], p), X


def layers(p, without=()):
    """Attention and the feed-forward network, functions from a matrix to a matrix.

    Without "averaging" each row gets its own value vector. Without "biases" b_1 and b_2 are 0.
    """
    b_1, b_2 = ([("biases" not in without) * b for b in p[name]] for name in ("b_1", "b_2"))

    def attend(x):
        if "averaging" in without:
            return linear(merge_heads([linear(x, W) for W in p["W_V"]]), p["W_O"])
        return multi_head_attention(x, p["W_Q"], p["W_K"], p["W_V"], p["W_O"], causal_mask(len(x)))

    def feed(x):
        return feed_forward(x, p["W_1"], b_1, p["W_2"], b_2)

    return attend, feed


def repeat(block, times, x, attend, feed):
    """The rows after the block has been applied this many times, each time with the same layers."""
    for _ in range(times):
        x = block(x, attend, feed)
    return x


def rows_after(block, times, seed, without=()):
    """The rows of the sentence after this many blocks with the parameters of a seed."""
    p, X = start(seed)
    return repeat(block, times, X, *layers(p, without))


def norm_steps(row, gamma, beta):
    """A row, and what it becomes step by step in layer normalization without eps."""
    mean = sum(row) / len(row)
    centred = [x - mean for x in row]
    std = (sum(x * x for x in centred) / len(row)) ** 0.5
    normalized = [x / std for x in centred]
    scaled = [g * x for g, x in zip(gamma, normalized, strict=True)]
    return [row, centred, normalized, scaled, [x + b for x, b in zip(scaled, beta, strict=True)]]
