"""Every folded solution passes its own check; the untouched stub and plausible wrong answers do not."""

import pytest
from course import LESSONS, folded
from opened_first import answers, exercises
from wrong_answers import WRONG_ANSWERS

from helpers.exercises import EXERCISES

ALL = [(path, number, what) for path in LESSONS for number, what, _ in answers(path)]


@pytest.mark.parametrize("path, number, what", ALL, ids=[f"{number} {what}" for _, number, what in ALL])
def test_an_answer_gets_its_verdict(path, number, what, beside):
    (opened,) = beside.result(path)
    (said,) = [s for n, w, s in opened["said"] if (n, w) == (number, what)]
    if what == "solution":
        assert said.startswith(f"Exercise {number}: passed")
    elif what == "stub":
        assert said == f"Exercise {number}: not tried yet\n"
    else:
        assert said.startswith(f"Exercise {number}: input ") and said.count("\n") == 1


def test_every_exercise_is_complete():
    numbers = [number for path in LESSONS for number, _ in exercises(path)]
    assert numbers == sorted(EXERCISES) == sorted(WRONG_ANSWERS) and all(WRONG_ANSWERS.values())
    for path in LESSONS:
        summaries = [summary for summary, _ in folded(path)]
        assert summaries.count("Hint") == summaries.count("Solution") == len(exercises(path))
        assert len(exercises(path)) >= (1 if path == LESSONS[0] else 3)
