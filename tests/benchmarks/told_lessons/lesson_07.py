"""What lesson 07 says about stacks that no cell of it builds.

Takes some seconds, prints the lesson's numbers, and stops where they differ.
"""

import math
import random

from helpers import add, causal_mask, embedding, feed_forward, layer_norm, multi_head_attention
from helpers.course.state.network import TOKENS, draw_parameters

SEEDS = (42, 1, 2, 3, 4, 5)


def difference(around_attention, around_feed, normed=False, new_parameters=True):
    """The lowest and the highest row_difference after ten blocks."""
    found = []
    for seed in SEEDS:
        rng = random.Random(seed)
        p = draw_parameters(rng)
        x = add(embedding(TOKENS, p["E_token"]), embedding(list(range(len(TOKENS))), p["E_pos"]))
        for _ in range(10):
            attended = multi_head_attention(x, *(p[f"W_{name}"] for name in "QKVO"), causal_mask(len(x)))
            x = add(x, attended) if around_attention else attended
            fed = feed_forward(x, p["W_1"], p["b_1"], p["W_2"], p["b_2"])
            x = add(x, fed) if around_feed else fed
            x = layer_norm(x, [1.0] * 16, [0.0] * 16) if normed else x
            p = draw_parameters(rng) if new_parameters else p
        distance = max(math.dist(u, v) for u in x for v in x)
        found.append(distance / max(math.hypot(*row) for row in x))
    return f"{min(found):.4f} to {max(found):.4f}"


def main():
    for blocks in ((False, False), (False, True), (True, False)):
        assert difference(*blocks) == "0.0000 to 0.0000", blocks
    both = difference(True, True)
    print("new parameters in every block, both connections:", both)
    normed = difference(False, True, normed=True, new_parameters=False)
    print("our block with its norm:", normed)
    assert both == "0.4966 to 0.7788" and normed == "0.0000 to 0.0012"
