"""The answer to a prediction stands in words in a fold of its own, and not in the text in view below it."""

import ast
import re

import pytest

from notebooks import LESSONS, NAMES, cells

PREDICT = re.compile(r"(?i)\*\*predict\*\*")
FOLD = re.compile(r"(?s)<details><summary>The answer in words</summary>\n\n(.*?)\n\n</details>")


def shows_closed(cell):
    """Whether a cell is code that ends by calling closed."""
    if cell["cell_type"] != "code":
        return False
    last = ast.parse(cell["source"]).body[-1]
    return isinstance(last, ast.Expr) and ast.unparse(last).startswith("closed(")


def answers(found):
    """(the folded result's cell, the cell after it) for each result that answers a prediction."""
    asked = False
    for cell, after in zip(found, [*found[1:], {"cell_type": "none", "source": ""}]):
        asked = asked or cell["cell_type"] == "markdown" and bool(PREDICT.search(cell["source"]))
        if shows_closed(cell):
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


def page(*sources):
    """Cells of a lesson: code where it calls, markdown elsewhere."""
    return [
        {"cell_type": "code" if re.match(r"\w+\(", source) else "markdown", "source": source}
        for source in sources
    ]


def in_words(text):
    return f"<details><summary>The answer in words</summary>\n\n{text}\n\n</details>"


CASES = {
    "folded": (["**Predict** it.", "closed(1)", in_words("It is one.") + "\n\nA next step."], []),
    "no question": (["Look.", "closed(1)", "It is one."], []),
    "in view": (["**Predict** it.", "closed(1)", "It is one."], ["no answer in words"]),
    "code comes next": (["**Predict** it.", "closed(1)", "print(1)"], ["no answer in words"]),
    "nothing comes next": (["**Predict** it.", "closed(1)"], ["no answer in words"]),
    "no sentence": (["**Predict** it.", "closed(1)", in_words("one")], ["no sentence"]),
    "also in view": (
        ["**Predict** it.", "closed(1)", in_words("It is one.") + "\n\nIt is one!"],
        ["in view"],
    ),
    "the fold comes later": (
        ["**Predict** it.", "closed(1)", "One. " + in_words("It is one.")],
        ["no answer in words"],
    ),
    "two questions": (
        ["**Predict** it.", "closed(1)", in_words("It is one.") + " **Predict** that.", "closed(2)", "Two."],
        ["no answer in words"],
    ),
}


@pytest.mark.parametrize("sources, expected", CASES.values(), ids=CASES)
def test_answers_by_hand(sources, expected):
    assert [kind for kind, _ in faults(page(*sources))] == expected
