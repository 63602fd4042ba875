"""How large lesson 13c says that the residual stream of an untrained GPT-2 gets at the shape of GPT-2 small:
two seeds, in about four minutes.

Stops with an AssertionError where the lesson says something else.
"""

import math
import random

from helpers import BLOCK_PARAM_SHAPES
from helpers.course.engine import mathematics
from helpers.gpt import gpt_param_sizes

from . import told


def main():
    """The multiples with and without the division, at the shape of GPT-2 small."""
    with_division, without = zip(*(["{:.1f}".format(x) for x in growth_of_small(seed)] for seed in (42, 1)))
    told(
        f"to {' and '.join(with_division)} times the size of the embeddings with seeds 42 and 1. "
        f"Without the division, it grows to {' and '.join(without)} times"
    )


def growth_of_small(seed, tokens=(1, 3, 4, 5, 2)):
    """With and without the division, the stream after 12 blocks of width 768: a multiple of the embeddings.
    The parameters of one block are in memory at a time."""
    config = {"vocab_size": 6, "n_positions": 5, "n_embd": 768, "n_layer": 1, "n_head": 12, "n_inner": 3072}
    shapes, rng, f = gpt_param_sizes(config), random.Random(seed), mathematics()  # without input checks
    wte, wpe = (f["random_matrix"](rng, *shapes[name], 0.02) for name in ("wte.weight", "wpe.weight"))
    X = f["add"]([wte[token] for token in tokens], wpe)
    streams = {1 / math.sqrt(2 * 12): X, 1: X}
    for _ in range(12):
        block = {
            name: f["random_matrix"](rng, *shape, 0.02)
            if len(shape) == 2
            else [1.0 * name.endswith("weight")] * shape[0]
            for name, shape in ((name, shapes[f"h.0.{name}"]) for name in BLOCK_PARAM_SHAPES)
        }
        for factor, stream in streams.items():
            scaled = {
                name: f["scale"](w, factor) if name.endswith("c_proj.weight") else w
                for name, w in block.items()
            }
            streams[factor] = f["block_forward"](scaled, stream, 12)["out"]
    return [size(stream) / size(X) for stream in streams.values()]


def size(rows):
    return math.sqrt(sum(x * x for row in rows for x in row) / len(rows) / len(rows[0]))
