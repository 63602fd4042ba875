"""What lesson 14 tells of trainings that it does not run: other splits.

    python tests/benchmarks/told_in_lesson_14.py

Trains for some minutes, prints each sentence as the lesson has it, and stops where one is not so.
"""

import math
import pathlib
import random
import sys

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

from published import PUBLISHED  # noqa: E402

from helpers import count_ngrams, fast_gradients, list_characters, ngram_losses, split_documents, text_to_tokens  # noqa: E402
from helpers.course.trainer import read_lines, smallest_config, start_run, train  # noqa: E402

LINES = read_lines("names.txt")
CHARACTERS = list_characters(LINES)
DOCUMENTS = [text_to_tokens(line, CHARACTERS) for line in LINES]
CONFIG, PART = smallest_config(DOCUMENTS, CHARACTERS), len(LINES) // 9
TRAINING, CHOOSING, _ = split_documents(DOCUMENTS, PART, PART, random.Random(1))


def told(sentence):
    print(sentence)
    assert sentence in PUBLISHED, "the lesson says something else"


def bigram_loss(training, documents, amount):
    counts = count_ngrams(training, 2)
    losses = [x for d in documents for x in ngram_losses(d, counts, 2, len(CHARACTERS), amount)]
    return math.fsum(losses) / len(losses)


def below_the_bigrams(seed):
    """Held out, after lesson 14's training on another split; the bigrams' amount is the best on the choosing part."""
    training, choosing, held_out = split_documents(DOCUMENTS, PART, PART, random.Random(seed))
    amount = min((0.03, 0.1, 0.2, 0.5, 1.0), key=lambda amount: bigram_loss(training, choosing, amount))
    run = train(training, CONFIG, CHARACTERS)
    return bigram_loss(training, held_out, amount) - fast_gradients(CONFIG, run["parameters"], held_out)[0]


def nudged(by=1e-15):
    """How far the losses of lesson 14's run move when one weight is nudged before its first step."""
    run = start_run(TRAINING, CONFIG, CHARACTERS)
    table = [list(row) for row in run["parameters"]["wte.weight"]]
    table[5][0] += by
    twin = {**run, "parameters": {**run["parameters"], "wte.weight": table}}
    histories = [train(TRAINING, CONFIG, CHARACTERS, run=start)["history"] for start in (run, twin)]
    return max(abs(a - b) for a, b in zip(*histories, strict=True))


def main():
    moved = nudged()
    print(f"one weight nudged by 1e-15 moves the losses by {moved:.0e}")
    assert moved <= 1e-14
    by = [below_the_bigrams(seed) for seed in (1, 2, 3)]
    told("by {:.2f}, {:.2f} and {:.2f} nats".format(*by))


if __name__ == "__main__":
    main()
