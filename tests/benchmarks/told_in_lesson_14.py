"""What lesson 14 tells of trainings that it does not run: other splits, other seeds.

    python tests/benchmarks/told_in_lesson_14.py

Trains for some minutes, prints each sentence as the lesson has it, and stops where one is not so.
"""

import math
import pathlib
import random
import sys
from collections import Counter

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

from published import PUBLISHED  # noqa: E402

from helpers import build_vocab, count_ngrams, encode, mean_loss, ngram_losses, train_val_test_split  # noqa: E402
from helpers.course.lessons.names_model import read_lines, smallest_config  # noqa: E402
from helpers.course.lessons.training_loop import train

LINES = read_lines("names.txt")
VOCAB = build_vocab(LINES)
DOCUMENTS = [encode(line, VOCAB) for line in LINES]
CONFIG, PART = smallest_config(DOCUMENTS, VOCAB), len(LINES) // 9
TRAINING, VALIDATION, TEST = train_val_test_split(DOCUMENTS, PART, PART, random.Random(1))


def told(sentence):
    print(sentence)
    assert sentence in PUBLISHED, "the lesson says something else"


def bigram_loss(training, documents, alpha):
    counts = count_ngrams(training, 2)
    losses = [x for d in documents for x in ngram_losses(d, counts, 2, len(VOCAB), alpha)]
    return math.fsum(losses) / len(losses)


def place_loss(training, documents, lean):
    """Letters counted with their place, leaning on bigrams, these on letters, these on a die."""
    looks = [lambda d, i: (), lambda d, i: d[i - 1], lambda d, i: (i, d[i - 1])]
    seen = [Counter((look(d, i), d[i]) for d in training for i in range(1, len(d))) for look in looks]
    totals = [Counter(look(d, i) for d in training for i in range(1, len(d))) for look in looks]
    losses = []
    for d in documents:
        for i in range(1, len(d)):
            share = 1 / len(VOCAB)
            for look, counts, total in zip(looks, seen, totals, strict=True):
                share = (counts[look(d, i), d[i]] + lean * share) / (total[look(d, i)] + lean)
            losses.append(-math.log(share))
    return math.fsum(losses) / len(losses)


def below_the_bars(seed):
    """How far lesson 14's training on another split gets below bigrams, and below letter and place; each
    set by the validation set."""
    training, val_set, test_set = train_val_test_split(DOCUMENTS, PART, PART, random.Random(seed))
    alpha = min((0.03, 0.1, 0.2, 0.5, 1.0), key=lambda alpha: bigram_loss(training, val_set, alpha))
    lean = min((3, 10, 30, 100), key=lambda lean: place_loss(training, val_set, lean))
    model = mean_loss(CONFIG, train(training, CONFIG, VOCAB)["parameters"], test_set)
    return bigram_loss(training, test_set, alpha) - model, place_loss(training, test_set, lean) - model


def held_out_loss(seed):
    return mean_loss(CONFIG, train(TRAINING, CONFIG, VOCAB, {"seed": seed})["parameters"], TEST)


def main():
    bigrams, places = zip(*map(below_the_bars, (1, 2, 3)), strict=True)
    told("by {:.2f}, {:.2f} and {:.2f} nats".format(*bigrams))
    lost, *won = places
    told("with letter and place it lost by {:.2f}, then won by {:.2f} and {:.2f}".format(-lost, *won))
    told("with 43 and 44 it reaches {:.2f} and {:.2f}".format(*map(held_out_loss, (43, 44))))


if __name__ == "__main__":
    main()
