"""What lesson 17 says about trainings that it does not run: names in pieces, five seeds for each vocabulary.

Trains for some minutes, prints each row as the lesson has it, and stops where one is not so.
"""

import random
import statistics
from collections import Counter

from helpers import apply_merges, build_vocab, mean_loss, train_byte_pairs, train_val_test_split
from helpers.course.state.names_task import read_lines, smallest_config
from helpers.course.training.loop import train

from . import told

SEEDS = range(42, 47)
LINES = read_lines("names.txt")
PART = len(LINES) // 9
SPLIT = train_val_test_split(LINES, PART, PART, random.Random(1))  # the names of lesson 14's three sets
NUMBERS = (0, 20, 100, 400)  # of merges
MERGES = train_byte_pairs(Counter(map(tuple, SPLIT[0])), max(NUMBERS))


def in_pieces(n):
    """The vocabulary after n merges, learned from the training set, and the three sets as token ids."""
    merges = MERGES[:n]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    vocab = [*build_vocab(LINES), *(a + b for a, b in merges)]
    ids = {token: i for i, token in enumerate(vocab)}
    assert len(ids) == len(vocab)

    def document(name):
        return [1, *(ids[token] for token in apply_merges(tuple(name), ranks)), 2]

    return vocab, [[document(name) for name in names] for names in SPLIT]


def losses(n, seed):
    """The test loss per token and per letter, the training loss per letter; <EOS> counts as a letter."""
    vocab, sets = in_pieces(n)
    config = smallest_config([document for documents in sets for document in documents], vocab)
    parameters = train(sets[0], config, vocab, {"seed": seed})["parameters"]
    found = []
    for names, documents in ((SPLIT[2], sets[2]), (SPLIT[0][:PART], sets[0][:PART])):
        loss = mean_loss(config, parameters, documents)
        tokens, letters = (
            sum(len(entry) + over for entry in entries) for entries, over in ((documents, -1), (names, 1))
        )
        found += [loss, loss * tokens / letters]
    return found[0], found[1], found[3]


def row(n):
    """A row of the lesson's table."""
    vocab, (_, _, test_set) = in_pieces(n)
    tokens = sum(len(document) - 1 for document in test_set) / len(test_set)
    measured = [losses(n, seed) for seed in SEEDS]
    per_token, per_letter, read = zip(*measured, strict=True)
    numbers = [f"{statistics.mean(values):.2f}" for values in (per_token, per_letter, read)]
    spread = f"{min(per_letter):.2f} to {max(per_letter):.2f}"
    return f"{n} | {len(vocab)} | {tokens:.1f} | {numbers[0]} | {numbers[1]} | {spread} | {numbers[2]}"


def main():
    for n in NUMBERS:
        told(row(n))
