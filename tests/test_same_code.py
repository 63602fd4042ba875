"""A function that a lesson defines in front of the reader is the helper of the same name, to the letter."""

import ast

import pytest
from conftest import ROOT
from course import LESSONS, NAMES, code

import helpers


def functions(source):
    """{name: tree without docstring} of the functions defined in a source."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            found[node.name] = ast.dump(node)
    return found


HELPERS = {}
for module in (ROOT / "helpers").glob("*.py"):
    HELPERS |= {n: tree for n, tree in functions(module.read_text(encoding="utf-8")).items() if hasattr(helpers, n)}


def taught(path):
    return functions(code(path)).keys() & HELPERS.keys()


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_lesson_and_helper_are_the_same_code(path):
    defined = functions(code(path))
    assert [name for name in taught(path) if defined[name] != HELPERS[name]] == []


def test_a_function_is_taught_once():
    names = [name for path in LESSONS for name in taught(path)]
    assert sorted(names) == sorted(set(names)) and {"matmul", "embedding", "add"} <= set(names)


def test_a_changed_digit_is_noticed():
    lesson = code(next(path for path in LESSONS if "embeddings" in path.stem))
    assert functions(lesson.replace("sum(map(mul, row, column), 0.0)", "sum(map(mul, row, column), 0.5)"))["matmul"] != HELPERS["matmul"]
    assert functions(lesson.replace("Multiply two matrices", "Other words"))["matmul"] == HELPERS["matmul"]
