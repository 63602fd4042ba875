"""A function that a lesson defines in front of the reader is the helper of the same name, to the letter: bare."""

import ast

import pytest
from conftest import ROOT
from course import LESSONS, NAMES, code

import helpers


def functions(source, decorated=True):
    """{name: tree without docstring, and without decorators where they do not count} of the functions defined in a source."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            node.decorator_list = node.decorator_list if decorated else []
            found[node.name] = ast.dump(node)
    return found


HELPERS = {}
for module in (ROOT / "helpers").glob("*.py"):
    source = module.read_text(encoding="utf-8")
    HELPERS |= {n: tree for n, tree in functions(source, decorated=False).items() if hasattr(helpers, n)}


def taught(path):
    return functions(code(path)).keys() & HELPERS.keys()


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_lesson_and_helper_are_the_same_code(path):
    defined = functions(code(path))
    assert [name for name in taught(path) if defined[name] != HELPERS[name]] == []


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_a_lesson_says_one_sentence_of_each(path):
    told = {node.name: ast.get_docstring(node) for node in ast.parse(code(path)).body if isinstance(node, ast.FunctionDef)}
    assert [name for name in taught(path) if "\n" in (told[name] or "")] == []


def test_a_function_is_taught_once():
    names = [name for path in LESSONS for name in taught(path)]
    assert sorted(names) == sorted(set(names)) and {"matmul", "embedding", "add"} <= set(names)


def test_a_changed_digit_and_a_decorator_are_noticed():
    lesson = code(next(path for path in LESSONS if "embeddings" in path.stem))

    def same(old, new):
        assert old in lesson
        return functions(lesson.replace(old, new))["matmul"] == HELPERS["matmul"]

    assert same("Multiply two matrices", "Other words")
    assert not same("sum(map(mul, row, column), 0.0)", "sum(map(mul, row, column), 0.5)")
    assert not same("each row of A needs", "each row of A wants")
    assert not same("def matmul", '@shapes(A="m n", B="n p")\ndef matmul')
