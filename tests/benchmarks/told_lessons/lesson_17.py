"""What lesson 17 says about trainings that it does not run: two texts, five seeds for each vocabulary.

Trains each vocabulary with one seed, which takes some minutes, and stops where a loss is outside the range
that the lesson tells. With --seeds 42 43 44 45 46 it prints the lesson's rows.
"""

import math
import random
import statistics
from collections import Counter

from helpers import split_bytes, split_text, train_val_test_split
from helpers.course import NOTEBOOKS
from helpers.course.engine import fast_loss, mathematics
from helpers.course.models.tokenizer import split_pieces
from helpers.course.state.names_task import read_lines, smallest_config
from helpers.course.training.loop import train

from . import PUBLISHED, told

unchecked = mathematics()  # thousands of words


def row(name, lines, alphabet, merges, words_of, settings, seeds):
    """A row of the lesson's table; lines are the training and the test set, alphabet the first tokens."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    vocab = ["<PAD>", "<BOS>", "<EOS>", *alphabet, *(a + b for a, b in merges)]
    ids = {token: i for i, token in enumerate(vocab)}
    assert len(ids) == len(vocab)

    def document(line):
        words = (unchecked["apply_merges"](word, ranks) for word in words_of(line))
        return [1, *(ids[token] for word in words for token in word), 2]

    sets = [list(map(document, part)) for part in lines]
    tokens = sum(len(ids) - 1 for ids in sets[1])
    size = sum(len(line.encode("utf-8")) + 1 for line in lines[1])  # <EOS> counts as a byte
    config = smallest_config(sum(sets, []), vocab)
    found = []
    for seed in seeds:
        parameters = train(sets[0], config, vocab, {**settings, "seed": seed})["parameters"]
        found.append(fast_loss(config, parameters, sets[1]) * tokens / size)
    spread = f"{min(found):.2f} to {max(found):.2f}"
    count = f"{len(vocab):,} | {tokens / len(sets[1]):.1f} | {math.log(len(vocab)) * tokens / size:.2f}"
    return f"{name} | {len(merges):,} | {count} | {statistics.mean(found):.2f} | {spread}"


def in_range(found):
    """Print a row of one seed; its loss per byte is in the range of the lesson's row."""
    name, merges, vocab, tokens, same, per_byte, _ = found.split(" | ")
    print(f"{name}, {merges} merges: {per_byte} per byte", flush=True)
    (due,) = [
        phrase
        for phrase in PUBLISHED
        if phrase.startswith(f"{name} | {merges} | {vocab} | {tokens} | {same} | ")
    ]
    low, high = map(float, due.split(" | ")[6].split(" to "))
    assert low <= float(per_byte) <= high, f"the lesson says something else: {due}"


def names(seeds=None):
    """The names of lesson 14's training and test set, merged from letters."""
    lines = read_lines("names.txt")
    part = len(lines) // 9
    training, _, test = train_val_test_split(lines, part, part, random.Random(1))
    merges = unchecked["train_byte_pairs"](Counter(map(tuple, training)), 400)
    for n in (0, 20, 100, 400):
        letters = sorted(set("".join(lines)))
        sets = training, test
        found = row("names", sets, letters, merges[:n], lambda name: [tuple(name)], {}, seeds or [42])
        print(found) if seeds else in_range(found)


def row_of_lines(counts, steps, seeds):
    """Rows for the lines of the course's text, cut into pieces and merged from bytes."""
    text = (NOTEBOOKS / "course.txt").read_text(encoding="utf-8")
    end = text.rfind("\n", 0, len(text) * 9 // 10)
    words = Counter(map(split_bytes, split_pieces(text[:end])))
    merges = unchecked["train_byte_pairs"](words, 1000)
    sets = [
        [piece for line in part.splitlines() for piece in split_text(line, 30) if piece]
        for part in (text[:end], text[end:])
    ]

    def words_of(line):
        return map(split_bytes, split_pieces(line))

    settings = {"steps": steps, "warmup_steps": 25, "batch_size": 2}
    for n in counts:
        alphabet = [bytes([byte]) for byte in range(256)]
        yield row("lines", sets, alphabet, merges[:n], words_of, settings, seeds)


def lines(seeds=None):
    for found in row_of_lines((0, 200, 1000), 100, seeds or [42]):
        print(found) if seeds else in_range(found)


def longer():
    single, merged = (found.split(" | ")[5] for found in row_of_lines((0, 1000), 800, [42]))
    told(f"the loss per byte is {single} with single bytes and {merged} with 1,000 merges")


PARTS = {"names": names, "lines": lines, "longer": longer}
