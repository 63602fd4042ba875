"""What lesson 04 tells of one head against two, and of heads that are replaced by zeros or by their mean.

Trains from five seeds, a few minutes, and stops where a sentence of the lesson does not hold.
"""

import random

from helpers import add, gelu, layer_norm, linear, merge_heads, toy_forward
from helpers.course.state.network import CONFIG, draw_parameters
from helpers.course.training.toy_task import TOY_SENTENCES, encode_words, train_toy

SENTENCES = [encode_words(sentence) for sentence in TOY_SENTENCES]


def logits(p, heads):
    """What the network makes of the outputs of its heads."""
    attention_output = linear(merge_heads(heads), p["W_O"])
    hidden = linear(attention_output, p["W_1"], p["b_1"])
    feed_forward = linear([[gelu(h) for h in row] for row in hidden], p["W_2"], p["b_2"])
    return linear(layer_norm(add(attention_output, feed_forward), p["gamma"], p["beta"]), p["W_lm"])


def correct(p, ablated, factor):
    """How many of the six third words are correct with one head replaced by its means at each position, or by
    zeros if the factor is 0."""
    outputs = [toy_forward(p, tokens, tokens[1:])["heads"] for tokens in SENTENCES]
    means = [
        [factor * sum(xs) / len(xs) for xs in zip(*rows)] for rows in zip(*(of[ablated] for of in outputs))
    ]
    count = 0
    for tokens, heads in zip(SENTENCES, outputs):
        row = logits(p, [means if h == ablated else rows for h, rows in enumerate(heads)])[2]
        count += row.index(max(row)) == tokens[3]
    return count


def right_words(p, position):
    """How many of the six predictions at a position are correct."""
    count = 0
    for tokens in SENTENCES:
        row = toy_forward(p, tokens, tokens[1:])["probabilities"][position]
        count += row.index(max(row)) == tokens[position + 1]
    return count


def one_head():
    """One head of width 16 against two of width 8: third words that are right."""
    for seed, early, late in zip((42, 1, 2, 3, 4), (5, 5, 5, 6, 2), (6, 6, 6, 6, 5)):
        two, _ = train_toy(draw_parameters(random.Random(seed)), 250)
        watched, config = (
            [],
            {**CONFIG, "H": 1, "K": CONFIG["D"]},
        )  # watched: before, and after every ten steps
        one, _ = train_toy(draw_parameters(random.Random(seed), config=config), 750, watched=watched)
        counts = [right_words(p, 2) for p in (two, watched[25][1], one)]
        print(f"seed {seed}: two heads {counts[0]}, one head {counts[1]}, after 750 steps {counts[2]}")
        assert counts == [6, early, late]


def ablations():
    """Zeros in place of head 0 and head 1, then the means."""
    due = {42: [3, 3, 3, 4], 1: [2, 3, 4, 4], 2: [2, 4, 4, 4], 3: [4, 4, 4, 4], 4: [5, 3, 5, 2]}
    for seed, expected in due.items():
        trained, _ = train_toy(draw_parameters(random.Random(seed)))
        counts = [correct(trained, head, factor) for factor in (0, 1) for head in (0, 1)]
        print(f"seed {seed}: third words correct {counts}")
        assert counts == expected


PARTS = {"one head": one_head, "ablations": ablations}
