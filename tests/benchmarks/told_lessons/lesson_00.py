"""What lesson 00 tells of trainings from other seeds.

Trains from 16 seeds, about a minute, prints what the lesson says of them, and stops where it is not so.
"""

import random

from helpers.course.state.network import draw_parameters
from helpers.course.training.toy_task import WORDS, encode_words, train_toy
from helpers.toy import toy_forward

THIRD_WORD = 2


def repeats(parameters, word):
    """Whether the network continues a word that stands there twice with the same word."""
    tokens = encode_words(["<BOS>", word, word, word])
    logits = toy_forward(parameters, tokens, tokens[1:])["logits"][THIRD_WORD]
    return logits.index(max(logits)) == tokens[-1]


def main():
    trained = {seed: train_toy(draw_parameters(random.Random(seed))) for seed in (42, *range(1, 16))}
    curves = {seed: [losses[THIRD_WORD] for losses in history] for seed, (_, history) in trained.items()}
    reached = {seed: next(step for step, x in enumerate(curve) if x < 0.05) for seed, curve in curves.items()}
    rises = {seed: max(curve[reached[seed] :]) for seed, curve in curves.items()}
    ends = [curve[-1] for curve in curves.values()]
    print(f"all {len(curves)} end at or below {max(ends):.4f}")
    print(f"below 0.05 first between step {min(reached.values())} and step {max(reached.values())}")
    print(f"the slowest is seed {max(reached, key=reached.get)}")
    print(f"from seed {max(rises, key=rises.get)} it rises again to {max(rises.values()):.2f}")
    doubled = {seed: [word for word in WORDS if repeats(p, word)] for seed, (p, _) in trained.items()}
    print(f"doubled words that are repeated: {doubled}")
    assert max(ends) < 0.02 and (min(reached.values()), max(reached.values())) == (108, 225)
    assert reached[10] == 225 and f"{rises[4]:.2f}" == "1.16" == f"{max(rises.values()):.2f}"
    assert [seed for seed, words in doubled.items() if len(words) == 3] == [4]
    assert len([seed for seed, words in doubled.items() if not words]) == 7
