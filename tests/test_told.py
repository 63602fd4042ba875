"""What lessons 14 and 14c tell beside their cells: counts that lean on thinner ones, a mixture, lengths, shares; computed here."""

import functools
import math
import random

import pytest
from published import PUBLISHED

from helpers import count_ngrams, list_characters, mean_loss, ngram_losses, split_documents, text_to_tokens
from helpers.course.trainer import read_lines, smallest_config, start_run

LINES = read_lines("names.txt")
CHARACTERS = list_characters(LINES)
V, PART = len(CHARACTERS), len(LINES) // 9
DOCUMENTS = [text_to_tokens(line, CHARACTERS) for line in LINES]
TRAINING, CHOOSING, HELD_OUT = split_documents(DOCUMENTS, PART, PART, random.Random(1))


def last(n):
    """A context: the n tokens before place i."""
    return lambda document, i: tuple(document[max(0, i - n) : i])


def place_and_letter(document, i):
    return i, document[i - 1]


@functools.cache
def counted(context):
    rows = {}
    for document in TRAINING:
        for i in range(1, len(document)):
            row = rows.setdefault(context(document, i), {})
            row[document[i]] = row.get(document[i], 0) + 1
    return rows


def leaning(contexts, lean=30):
    """The held-out loss of counts, each with so many pseudo-counts shared out as the context before it says."""
    losses = []
    for document in HELD_OUT:
        for i in range(1, len(document)):
            share = 1 / V
            for context in contexts:
                row = counted(context).get(context(document, i), {})
                share = (row.get(document[i], 0) + lean * share) / (sum(row.values()) + lean)
            losses.append(-math.log(share))
    return math.fsum(losses) / len(losses)


LETTERS, BIGRAMS, TRIGRAMS, FOURGRAMS = map(last, range(4))


def trigrams_and_fourgrams():
    three, four = leaning([LETTERS, BIGRAMS, TRIGRAMS]), leaning([LETTERS, BIGRAMS, TRIGRAMS, FOURGRAMS])
    return f"trigrams reach {three:.2f}, 4-grams {four:.2f}"


def places():
    return f"reach {leaning([LETTERS, BIGRAMS, place_and_letter]):.2f} without attention"


def shares(context):
    """The unsmoothed share that counts give to each held-out token."""
    rows = [(counted(context).get(context(d, i), {}), d[i]) for d in HELD_OUT for i in range(1, len(d))]
    return [row.get(token, 0) / (sum(row.values()) or 1) for row, token in rows]


def mixture(w=0.1):
    """Beside bigrams with the amount that the choosing part likes best."""
    mixed = [-math.log((1 - w) * b + w * a) for b, a in zip(shares(BIGRAMS), shares(LETTERS), strict=True)]
    counts = count_ngrams(TRAINING, 2)
    plain = [x for d in HELD_OUT for x in ngram_losses(d, counts, 2, V, 0.5)]
    return f"reaches {sum(mixed) / len(mixed):.3f} held out, against {sum(plain) / len(plain):.3f}"


def first_loss():
    config = smallest_config(DOCUMENTS, CHARACTERS)
    return f"its first loss is {mean_loss(config, start_run(TRAINING, config, CHARACTERS)['parameters'], CHOOSING[:50]):.2f}"


TOLD = [trigrams_and_fourgrams, places, mixture, first_loss, lambda: f"together they are {math.hypot(4, 3):.0f} long"]


@pytest.mark.parametrize("tell", TOLD)
def test_what_is_told_is_so(tell):
    assert tell() in PUBLISHED


def test_counts_that_lean_on_nothing_are_the_uniform_guess():
    assert leaning([]) == pytest.approx(math.log(V), rel=1e-12)
