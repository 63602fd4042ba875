"""A page that calls the reader's functions by name: what has passed runs, else the course's."""

import inspect

import pytest

from helpers.course.exercises import EXERCISES, YourFunctions
from helpers.course.exercises.passed import pass_path
from helpers.course.exercises.yours import Mismatch


@pytest.fixture(autouse=True)
def empty_state(monkeypatch, tmp_path):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))


def passed(number, code=None):
    """As if the reader had passed an exercise with this code; usually it is the solution."""
    solution = EXERCISES[number].solution
    path = pass_path(number, solution.__name__)
    path.parent.mkdir(parents=True, exist_ok=True)
    code = code or inspect.getsource(solution)
    head = f"# {number} passed on 2026-01-02 03:04:05 UTC\n"
    path.write_text(f'{head}{code}\n\ngrade("{number}", {solution.__name__})\n', encoding="utf-8")


MIN_P = """
def my_min_p(probabilities, p):
    kept = [q if q >= p * max(probabilities) else 0.0 for q in probabilities]
    return [q / sum(kept) for q in kept]
"""


def test_without_a_pass_the_course_s_function_runs_and_is_counted():
    mine = YourFunctions()
    assert mine.min_p([0.5, 0.25, 0.25], 0.6) == [1.0, 0.0, 0.0]
    assert mine.min_p([0.5, 0.5], 0.6) == [0.5, 0.5]
    assert mine.calls == {"min_p": 2}
    assert repr(mine) == "0 of the 1 functions that ran are yours."


def test_what_has_passed_runs():
    passed("15.e", MIN_P)
    mine = YourFunctions()
    assert mine.min_p([0.5, 0.25, 0.25], 0.6) == [1.0, 0.0, 0.0]
    assert repr(mine) == "1 of the 1 functions that ran are yours."


def test_what_no_longer_passes_is_replaced_and_named(capsys):
    passed("15.e", "def my_min_p(probabilities, p):\n    return probabilities")
    mine = YourFunctions()
    assert mine.min_p([0.5, 0.25, 0.25], 0.6) == [1.0, 0.0, 0.0]
    assert capsys.readouterr().out == "my_min_p no longer passes 15.e. The course's is in its place.\n"
    assert repr(mine) == "0 of the 1 functions that ran are yours."


def test_a_function_that_stops_is_named():
    passed("15.e", MIN_P.replace("def my_min_p(probabilities, p):", "def my_min_p(probabilities, p, *_):"))
    with pytest.raises(Mismatch, match="^my_min_p of 15.e stopped with ZeroDivisionError.*grade it again"):
        YourFunctions().min_p([0.0, 0.0], 0.5)


def test_a_name_without_an_exercise():
    with pytest.raises(AttributeError, match="^There is no exercise in which you write my_nothing"):
        YourFunctions().nothing([1.0])
