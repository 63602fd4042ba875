"""Numbers in lessons 14 and 14c that no cell computes; lesson 14's baselines computed differently."""

import functools
import math
import random
import re

import pytest
from published import PUBLISHED

from helpers import build_vocab, encode, train_val_test_split
from helpers.course.state.names_task import read_lines
from notebooks import LESSONS, ROOT, prose, sections

NAMES = read_lines("names.txt")
ENDINGS = dict.fromkeys(name[-4:] for name in NAMES if len(name) >= 4)
TEXTS = {"names": NAMES, "endings": [f"{ending}-{ending}" for ending in ENDINGS]}


@functools.cache
def parts(text):
    """The size of the vocabulary, the training set and the test set."""
    lines = TEXTS[text]
    characters, part = build_vocab(lines), len(lines) // 9
    documents = [encode(line, characters) for line in lines]
    training, _, test = train_val_test_split(documents, part, part, random.Random(1))
    return len(characters), training, test


def last(n):
    """A context: the n tokens before position i."""
    return lambda document, i: tuple(document[max(0, i - n) : i])


@functools.cache
def counted(text, context):
    rows = {}
    for document in parts(text)[1]:
        for i in range(1, len(document)):
            row = rows.setdefault(context(document, i), {})
            row[document[i]] = row.get(document[i], 0) + 1
    return rows


def interpolated(text, contexts, strength=30):
    """The test loss of counts, where the context before each one counts like so many observations."""
    losses, (V, _, test) = [], parts(text)
    for document in test:
        for i in range(1, len(document)):
            p = 1 / V
            for context in contexts:
                row = counted(text, context).get(context(document, i), {})
                p = (row.get(document[i], 0) + strength * p) / (sum(row.values()) + strength)
            losses.append(-math.log(p))
    return math.fsum(losses) / len(losses)


def position(document, i):
    return "position", i


def position_and_last(document, i):
    return i, document[i - 1]


def position_and_last_two(document, i):
    return i, *document[max(0, i - 2) : i]


NGRAMS = [last(n) for n in range(6)]  # of one token, of two, and so on

BY_POSITION = [NGRAMS[0], position, position_and_last]
BASELINES = {  # the text, the contexts, and the strength, the best on the validation set but for s = 1
    "bigrams, s = 30": ("endings", NGRAMS[:2], 30),
    "4-grams, s = 100": ("endings", NGRAMS[:4], 100),
    "6-grams, s = 100": ("endings", NGRAMS, 100),
    "6-grams, s = 1": ("endings", NGRAMS, 1),
    "position and last letter, test set:": ("endings", BY_POSITION, 10),
    "position and last two letters": ("names", [*BY_POSITION, position_and_last_two], 30),
}


@pytest.mark.parametrize("name", BASELINES)
def test_the_baselines_have_the_loss_that_another_way_of_counting_gives(name):
    (lesson,) = [path for path in LESSONS if path.stem.startswith("14_")]
    shown = "".join(section.shown for section in sections(lesson))
    before = 0 if ":" in name else 1  # the loss on the training or the validation set
    told = set(re.findall(rf"(?m)^{name}(?: +\d\.\d\d){{{before}}} +(\d\.\d\d)(?:,.*)?$", shown))
    assert told == {f"{interpolated(*BASELINES[name]):.2f}"}


TOLD = [lambda: f"their global norm is {math.hypot(4, 3):.0f}"]


@pytest.mark.parametrize("tell", TOLD)
def test_numbers_of_the_text_that_no_cell_computes(tell):
    assert tell() in PUBLISHED


def test_a_command_that_a_lesson_names_is_there():
    """`told.py 14 names` trains what no cell trains: the part is in the file of the lesson."""
    named = {found for path in LESSONS for found in re.findall(r"told\.py (\w+) (\w+)`", prose(path))}
    folder = ROOT / "tests" / "benchmarks" / "told_lessons"
    files = {lesson: (folder / f"lesson_{lesson}.py").read_text("utf-8") for lesson, _ in named}
    missing = [(lesson, part) for lesson, part in named if f'"{part}": ' not in files[lesson]]
    assert named >= {("14", "names"), ("14c", "dropout")} and missing == []
