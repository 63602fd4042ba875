"""The answer to a prediction stands in words in a fold of its own, and not in the text in view below it."""

import ast
import itertools
import re

import pytest

from notebooks import LESSONS, NAMES, cells

PREDICT = re.compile(r"(?i)\*\*predict\*\*")
NEXT = re.compile(r"(?im)^#+ |\*\*predict\*\*")
FOLD = re.compile(r"(?s)<details><summary>The answer in words</summary>\n\n(.*?)\n\n</details>")


def last_call(cell):
    """The name of the function that a cell of code ends by calling; None if it ends otherwise."""
    last = ast.parse(cell["source"]).body[-1] if cell["cell_type"] == "code" else None
    called = last.value.func if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
    return getattr(called, "id", getattr(called, "attr", None))


def open_answers(found):
    """The predictions whose answer does not come folded, before the next heading or prediction; a check
    may come at once."""
    for i, cell in enumerate(found):
        for text in re.findall(r"(?im)^.*\*\*predict\*\*.*$", cell["source"]) if is_text(cell) else []:
            heads = re.search(r"(?m)^#+ ", cell["source"].partition(text)[2])
            before = itertools.takewhile(
                lambda c: not (is_text(c) and NEXT.search(c["source"])), found[i + 1 :]
            )
            calls = [last_call(cell) for cell in before if not is_text(cell)]
            if heads or not ("closed" in calls or calls[:1] == ["check"]):
                yield text


def is_text(cell):
    return cell["cell_type"] == "markdown"


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_the_answer_to_a_prediction_is_closed(path):
    assert list(open_answers(cells(path))) == []


def answers(found):
    """(the folded result's cell, the cell after it) for each result that answers a prediction."""
    asked = False
    for cell, after in zip(found, [*found[1:], {"cell_type": "none", "source": ""}]):
        asked = asked or cell["cell_type"] == "markdown" and bool(PREDICT.search(cell["source"]))
        if last_call(cell) == "closed":
            if asked:
                yield cell, after
            asked = False


def sentences(text):
    """The words of each sentence, in small letters."""
    return [re.findall(r"\w+", part.lower()) for part in re.split(r"(?<=[.!?:])\s+|\n\n", text)]


def alike(one, other):
    """Whether two sentences share most of their words."""
    return len(one) > 2 and len({*one} & {*other}) > 0.7 * len({*one} | {*other})


def faults(found):
    """What is wrong with the answers in words: none, no sentence, or a sentence that stands in view, too."""
    for cell, after in answers(found):
        fold = FOLD.match(after["source"]) if after["cell_type"] == "markdown" else None
        if not fold:
            yield "no answer in words", cell["source"]
            continue
        told, in_view = sentences(fold[1]), sentences(after["source"][fold.end() :])
        if not any(len(sentence) > 2 for sentence in told) or not re.search(r"[.:!?)]$", fold[1]):
            yield "no sentence", fold[1]
        yield from (("in view", " ".join(s)) for s in told if any(alike(s, other) for other in in_view))


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_each_prediction_is_answered_in_words_in_a_fold(path):
    found = cells(path)
    assert list(answers(found)) and list(faults(found)) == []
