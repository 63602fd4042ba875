"""Every folded solution passes its own check; the untouched stub and plausible wrong answers do not."""

import re

import pytest
from cell_runner import run_cell
from course import LESSONS, cells, folded
from opened_first import opened_first
from wrong_answers import WRONG_ANSWERS

from helpers.exercises import EXERCISES


def exercises(path):
    """(number, source of the stub's cell) for each exercise of a notebook, in order."""
    sources = [cell["source"] for cell in cells(path, "code")]
    return [(re.search(r'grade\("([\d.]+)"', s).group(1), s) for s in sources if "\ngrade(" in s]


ALL = [(path, number, stub) for path in LESSONS for number, stub in exercises(path)]


@pytest.fixture
def namespace_of():
    """The names a reader has at the end of a lesson."""
    return lambda path: dict(opened_first(path)[1])


def verdict(source, number, namespace):
    """What the check says to a reader who wrote this function."""
    name = re.search(r"def (\w+)", source).group(1)
    return run_cell(f'{source}\n\ngrade("{number}", {name})', namespace)["printed"]


def solutions(path):
    return [re.search(r"(?s)```python\n(.*?)```", text).group(1) for summary, text in folded(path) if summary == "Solution"]


@pytest.mark.parametrize("path, number, stub", ALL, ids=[number for _, number, _ in ALL])
def test_solution_passes_and_stub_does_not(path, number, stub, namespace_of):
    place = [n for n, _ in exercises(path)].index(number)
    solution = solutions(path)[place]
    assert verdict(solution, number, namespace_of(path)).startswith(f"Exercise {number}: passed")
    assert verdict(stub.split("\ngrade(")[0], number, namespace_of(path)) == f"Exercise {number}: not tried yet\n"


WRONG = [(path, n, name, source) for path, n, _ in ALL for name, source in WRONG_ANSWERS[n].items()]


@pytest.mark.parametrize("path, number, name, source", WRONG, ids=[f"{n} {name}" for _, n, name, _ in WRONG])
def test_wrong_answer_is_refused(path, number, name, source, namespace_of):
    said = verdict(source, number, namespace_of(path))
    assert said.startswith(f"Exercise {number}: input ") and said.count("\n") == 1


def test_every_exercise_is_complete():
    numbers = [number for _, number, _ in ALL]
    assert numbers == sorted(EXERCISES) == sorted(WRONG_ANSWERS)
    for path in LESSONS:
        summaries = [summary for summary, _ in folded(path)]
        assert summaries.count("Hint") == summaries.count("Solution") == len(exercises(path))
        assert len(exercises(path)) >= (1 if path == LESSONS[0] else 3)
