"""Every solution passes, every untouched stub is not tried, every known mistake is wrong and is named."""

import builtins
import json
import re
import subprocess
import sys

import pytest

import helpers
from helpers.course.exercises import EXERCISES, folds
from helpers.course.exercises.exercise import edited
from helpers.course.exercises.judge import defined, judge
from notebooks import LESSONS, ROOT, cells, graded

GRADED = [(path, *entry) for path in LESSONS for entry in graded(path)]
NUMBERS = [number for _, number, _, _ in GRADED]
MISTAKES = [(number, cause) for number in NUMBERS for cause in EXERCISES[number].mistakes]


def test_the_lessons_have_the_exercises_of_the_judge():
    assert sorted(NUMBERS) == sorted(EXERCISES) and len(set(NUMBERS)) == len(NUMBERS)
    exercises = [number for number in NUMBERS if number[-1].isdecimal()]
    assert exercises == sorted(exercises)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_passes(number):
    exercise = EXERCISES[number]
    count = len(exercise.inputs)
    verdict = judge(number, exercise.solution)
    assert verdict.kind == "passed" and verdict.text.endswith(f"{number}: passed, {count} of {count} inputs")
    assert count >= 3 and len(exercise.mistakes) >= 2 or exercise.inputs == [[]]  # a question with one answer


@pytest.mark.parametrize("path, number, source, found", GRADED, ids=NUMBERS)
def test_a_stub_is_not_tried_and_has_a_hint_and_a_solution(path, number, source, found):
    stub, graded_name = re.search(rf'(?s)(.*?)\ngrade\("{number}", (\w+)\)', source).groups()
    names = {name: getattr(helpers, name) for name in dir(helpers)}
    exec(stub, names)
    verdict = judge(number, names[graded_name])
    assert verdict.kind == "not tried" and verdict.text.endswith(f"{number}: not tried yet")
    assert number[:2] == path.name[:2]
    assert graded_name.lower().startswith("my") or number[-1].isdecimal()  # the notebook runs on without it
    assert [summary for summary, _ in found if summary in ("Hint", "Solution")] == ["Hint", "Solution"]


@pytest.mark.parametrize("number, cause", MISTAKES, ids=[f"{n} {cause[:40]}" for n, cause in MISTAKES])
def test_a_known_mistake_is_wrong_and_is_named(number, cause):
    verdict = judge(number, EXERCISES[number].mistaken(cause))
    assert verdict.kind == "wrong"
    named = re.findall(r"(?m)^That is what happens if (.*)\.$", verdict.text)
    assert named == [cause]


def test_forward_mode_changes_no_value():
    """Derivatives kept in the values would be right once, and wrong for the next start."""

    def my_forward_mode(order, start):
        start.gradient = 1.0
        for value in reversed(order):
            for x, derivative in value.inputs:
                value.gradient += derivative * x.gradient
        return [value.gradient for value in order]

    verdict = judge("12.d", my_forward_mode)
    assert verdict.kind == "wrong" and "it changes the gradient of a" in verdict.text


def test_every_topological_order_is_right():
    """Kahn's algorithm: it takes a value when all of its uses are counted down."""

    def my_order(result):
        uses, found = {}, [result]
        for value in found:
            for x, _ in value.inputs:
                if x not in uses:
                    found.append(x)
                uses[x] = uses.get(x, 0) + 1
        order = [result]
        for value in order:
            for x, _ in value.inputs:
                uses[x] -= 1
                if uses[x] == 0:
                    order.append(x)
        return order

    assert judge("12.c", my_order).kind == "passed"
    verdict = judge("12.c", lambda result: [[value] for value in my_order(result)])
    assert verdict.kind == "wrong"


def test_pairs_that_are_no_arguments_of_their_own_are_named():
    class MyValue(EXERCISES["12.a"].solution):
        def __add__(self, other):
            return MyValue(self.data + other.data, ((self, 1.0), (other, 1.0)))

    assert "the pairs of a + b are in a list or a tuple" in judge("12.a", MyValue).text


def test_a_swapped_pair_and_a_pair_in_place_of_its_value_are_named():
    solution = EXERCISES["12.a"].solution
    swapped = edited(solution, ("(self, 1.0), (other, 1.0)", "(1.0, self), (1.0, other)"))
    assert "the two entries of a pair of a + b are swapped" in judge("12.a", swapped).text
    of_pairs = edited(EXERCISES["12.b"].solution, (("x, derivative in", "x in"), ("derivative * ", "")))
    assert "a pair has no gradient" in judge("12.b", of_pairs).text


def test_an_edit_must_fit_in_one_place():
    solution = EXERCISES["09.b"].solution
    with pytest.raises(ValueError, match="stands 0 times"):
        edited(solution, ("tensor", "list"))
    with pytest.raises(ValueError, match="stands 2 times"):
        edited(solution, (("d_X = matmul", "d_X = scale"), ("transpose(d_out)", "d_out")))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_folds_show_the_solutions(path):
    """And what a solution uses is there when the cells before it have run."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    before = ["".join(cell["source"]) for cell in notebook["cells"]]
    after = ["".join(cell["source"]) for cell in folds.refresh_solutions(notebook)["cells"]]
    assert after == before, f"`python3 -m helpers run {path.name.partition('_')[0]}` writes the solutions"
    names = set(vars(builtins))
    for cell in cells(path):
        if cell["cell_type"] == "code":
            names |= defined(cell["source"])
        for shown in folds.SOLUTION.findall(cell["source"]):
            assert folds.names_read(shown[1]) <= names | defined(shown[1])


def test_an_import_is_added_to_a_fold_that_needs_it():
    text = folds.solution_text("09.b", {"matmul"})
    assert text.startswith("from helpers import transpose\n\ndef my_linear_backward(d_out, X, W):\n")
    assert folds.solution_text("09.b", {"matmul", "transpose"}).startswith("def my_linear_backward")


def test_only_the_lesson_that_is_asked_for_is_loaded():
    program = (
        "import sys, helpers\nfrom helpers.course.exercises import EXERCISES\nEXERCISES['09.a']\n"
        "print([name[-9:] for name in sys.modules if '.lesson_' in name])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "['lesson_09']\n", done.stderr
