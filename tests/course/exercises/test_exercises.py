"""Every folded solution passes its own check; the untouched stub and plausible wrong answers do not."""

import re

import pytest
from opened_first import answers, exercises, needed, turns
from wrong_answers import WRONG_ANSWERS

from helpers.course.exercises import EXERCISES
from notebooks import LESSONS, graded

ALL = [(path, number, what) for path in LESSONS for number, what, _ in answers(path)]

# Wrong in a way that the grader has no sentence for; of all others it says which slip they are.
NO_SENTENCE = {
    ("02.1", "our weights only"),
    ("07.1", "variance of 1 or a mistake"),
    ("09.4", "compared with the course's own"),
    ("09.4", "the same tolerance for all sizes"),
    ("09.4", "the first one found"),
    ("10.6", "equal to the last bit"),
    ("12.c", "a list for the values that were seen"),
    ("15.e", "changed in place"),
}
# What is equal to the last bit depends on the Python, and so does the first input that tells them from
# right ones.
DEPENDS = {("06.1", "rows reversed only, without a tolerance")}


@pytest.mark.parametrize("path, number, what", ALL, ids=[f"{number} {what}" for _, number, what in ALL])
def test_an_answer_gets_its_verdict(path, number, what, opened):
    (said,) = [s for n, w, s in opened(path)["said"] if (n, w) == (number, what)]
    title = f"{'Your turn' if number[-1].isalpha() else 'Exercise'} {number}"
    if what == "solution":
        assert said.startswith(f"{title}: passed")
    elif what == "stub":
        assert said == f"{title}: not tried yet\n"
    else:
        assert said.startswith(f"{title}: wrong on input ")
        named = "\nThat is what happens if " in said
        assert (number, what) in DEPENDS or named == ((number, what) not in NO_SENTENCE), said


def test_what_is_needed_by_hand():
    """f needs b, b needs a, and an entry of b is written later; nobody needs d, and the d in g is its own."""
    sources = [
        "import a",
        "b = a.c",
        "d = [1]",
        "def f():\n    return b",
        "b[0] = e = 2",
        "def g(d):\n    return [d for d in d]",
    ]
    assert needed({"f"}, sources) == [0, 1, 3, 4]
    assert needed({"g"}, sources) == [5] and needed({"d"}, sources) == [2] and needed({"h"}, sources) == []


@pytest.mark.every_lesson
def test_every_exercise_is_complete():
    """Those in the lessons are those of the grader, with wrong answers for each that stands behind a
    lesson, if not for more."""
    numbers = [number for path in LESSONS for number, _, _ in graded(path)]
    assert sorted(numbers) == sorted(EXERCISES)
    behind = [number for path in LESSONS for number, _, _ in exercises(path)]
    assert behind == sorted(behind) and set(behind) <= WRONG_ANSWERS.keys() <= set(numbers)
    assert all(WRONG_ANSWERS.values())


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_stub_can_be_left_and_can_be_looked_up(path):
    """The notebook runs on without it, for the lesson's own function is not touched; and nobody is left
    alone with it."""
    for number, source, folds in graded(path):
        assert number[:2] == path.name[:2] and "    ...\n" in source
        assert [summary for summary, _ in folds if summary in ("Hint", "Solution")] == ["Hint", "Solution"], (
            number
        )
        solution = dict(folds)["Solution"]
        assert re.search(r"```python\n(from helpers import .*\n\n)?(def|class) ", solution), number
    for number, source, _ in turns(path):
        assert "def my_" in source or "class My" in source, number
