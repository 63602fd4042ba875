"""A function that a lesson defines in front of the reader is the helper of the same name, annotations and
docstring aside."""

import ast

import pytest

import helpers
from notebooks import LESSONS, NAMES, ROOT, code


def functions(source):
    """{name: tree without docstring and annotations} of the functions defined in a source."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
            node.returns = None
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
            found[node.name] = ast.dump(node)
    return found


HELPERS = {}
for module in (ROOT / "helpers").glob("*.py"):
    source = module.read_text(encoding="utf-8")
    HELPERS |= {n: tree for n, tree in functions(source).items() if hasattr(helpers, n)}


def taught(path):
    return functions(code(path)).keys() & HELPERS.keys()


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_lesson_and_helper_are_the_same_code(path):
    defined = functions(code(path))
    assert [name for name in taught(path) if defined[name] != HELPERS[name]] == []


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_a_lesson_says_one_sentence_of_each(path):
    told = {
        node.name: ast.get_docstring(node)
        for node in ast.parse(code(path)).body
        if isinstance(node, ast.FunctionDef)
    }
    assert [name for name in taught(path) if "\n" in (told[name] or "")] == []


def test_a_function_is_taught_once():
    names = [name for path in LESSONS for name in taught(path)]
    assert sorted(names) == sorted(set(names)) and {"matmul", "embedding", "add"} <= set(names)
