"""Every folded solution passes its own check; the untouched stub and plausible wrong answers do not."""

import pytest
from course import LESSONS, folded
from opened_first import answers, exercises, turns
from wrong_answers import WRONG_ANSWERS

from helpers.course.exercises import EXERCISES

ALL = [(path, number, what) for path in LESSONS for number, what, _ in answers(path)]

# Wrong in a way that the grader has no sentence for; of all others it says which slip they are.
NO_SENTENCE = {
    ("01.2", "our sentence only"), ("01.3", "changes its input"), ("02.5", "our weights only"), ("03.3", "our width"),
    ("03.3", "every position"), ("03.3", "overflows"), ("03.4", "our width only"), ("04.2", "two heads only"),
    ("05.3", "on a grid"), ("05.4", "writes into the rows"), ("06.2", "rows as wide as the middle"),
    ("06.3", "rows shuffled only, without a tolerance"), ("07.2", "variance of 1 or a slip"),
    ("09.4", "compared with the course's own"), ("09.4", "the same tolerance for all sizes"), ("09.4", "the first one found"),
    ("10.6", "equal to the last bit"),
}  # fmt: skip


@pytest.mark.parametrize("path, number, what", ALL, ids=[f"{number} {what}" for _, number, what in ALL])
def test_an_answer_gets_its_verdict(path, number, what, beside):
    (opened,) = beside.result(path)
    (said,) = [s for n, w, s in opened["said"] if (n, w) == (number, what)]
    title = f"{'Your turn' if number[-1].isalpha() else 'Exercise'} {number}"
    if what == "solution":
        assert said.startswith(f"{title}: passed")
    elif what == "stub":
        assert said == f"{title}: not tried yet\n"
    else:
        assert said.startswith(f"{title}: wrong on input ")
        assert ("\nThat is what happens if " in said) == ((number, what) not in NO_SENTENCE), said


def test_every_exercise_is_complete():
    numbers = [number for path in LESSONS for number, _ in exercises(path)]
    assert numbers == sorted(n for n in EXERCISES if n[-1].isdigit()) == sorted(WRONG_ANSWERS)
    assert all(WRONG_ANSWERS.values())
    for path in LESSONS:
        summaries = [summary for summary, _ in folded(path)]
        assert summaries.count("Solution") == len(exercises(path))
        assert len(exercises(path)) >= (1 if path == LESSONS[0] else 3)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_stub_in_the_text_has_a_name_of_its_own(path):
    """The notebook runs on without it, for the lesson's own function is not touched."""
    for number, source in turns(path):
        assert number in EXERCISES and number[:2] == path.name[:2] and "def my_" in source
