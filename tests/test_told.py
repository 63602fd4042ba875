"""What lessons 14 and 14c tell beside their cells, and the bars of lesson 14 computed in another way."""

import functools
import math
import random
import re

import pytest
from course import LESSONS, sections
from published import PUBLISHED

from helpers import build_vocab, count_ngrams, encode, ngram_losses, train_val_test_split
from helpers.course.lessons.names_model import read_lines

LINES = read_lines("names.txt")
CHARACTERS = build_vocab(LINES)
V, PART = len(CHARACTERS), len(LINES) // 9
DOCUMENTS = [encode(line, CHARACTERS) for line in LINES]
TRAINING, CHOOSING, HELD_OUT = train_val_test_split(DOCUMENTS, PART, PART, random.Random(1))


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
    """The held-out loss of counts, each with so many pseudo-counts shared out as the context before it
    says."""
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


BARS = {
    "leaning trigrams": [LETTERS, BIGRAMS, TRIGRAMS],
    "leaning 4-grams": [LETTERS, BIGRAMS, TRIGRAMS, FOURGRAMS],
    "letter and place": [LETTERS, BIGRAMS, place_and_letter],
}


@pytest.mark.parametrize("name", BARS)
def test_the_bars_are_as_high_as_another_way_of_counting_says(name):
    (lesson,) = [path for path in LESSONS if path.stem.startswith("14_")]
    tables = [section.shown for section in sections(lesson) if name in section.shown]
    told = {height for shown in tables for height in re.findall(rf"(?m)^{name} +(\d\.\d\d)$", shown)}
    assert told == {f"{leaning(BARS[name]):.2f}"}


def neighbours():
    """Held-out names that one letter more, less or other makes one of the training part."""
    read = {tuple(document[1:-1]) for document in TRAINING}
    letters = range(3, V)

    def near(name):
        for i in range(len(name) + 1):
            before, here, after = name[:i], name[i : i + 1], name[i + 1 :]
            yield before + after  # one less; at the end the name itself, which none of them is
            for letter in letters:
                yield before + (letter,) + here + after  # one more
                yield before + (letter,) + after  # another; at the end one more

    names = [tuple(document[1:-1]) for document in HELD_OUT]
    assert not read.intersection(names)
    return f"{sum(not read.isdisjoint(near(name)) for name in names)} of the {len(names)} are one letter away"


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


TOLD = [neighbours, mixture, lambda: f"together they are {math.hypot(4, 3):.0f} long"]


@pytest.mark.parametrize("tell", TOLD)
def test_numbers_of_the_text_that_no_cell_computes(tell):
    assert tell() in PUBLISHED


def test_without_counts_the_back_off_is_uniform():
    assert leaning([]) == pytest.approx(math.log(V), rel=1e-12)
