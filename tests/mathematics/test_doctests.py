"""The examples in the docstrings are true; every function of the mathematics has one."""

import ast
import doctest
import importlib
import inspect

import pytest

from helpers.course.show.source import MODULES
from notebooks import ROOT

PATHS = sorted((ROOT / "helpers").rglob("*.py"))
# __main__ runs a command when it is imported, so it can have no doctest
IMPORTABLE = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in PATHS if path.stem != "__main__"
]
IMPORTABLE = [name.removesuffix(".__init__") for name in IMPORTABLE]


@pytest.mark.parametrize("name", IMPORTABLE)
def test_the_examples_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def public_functions(module):
    """The names of what a module has that is made to be copied: functions, and the tape's two classes."""
    tree = ast.parse((ROOT / "helpers" / f"{module}.py").read_text(encoding="utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    ]


MATHEMATICS = [(module, name) for module in MODULES for name in public_functions(module)]


@pytest.mark.parametrize("module, name", MATHEMATICS)
def test_every_function_of_the_mathematics_has_an_example(module, name):
    function = getattr(importlib.import_module(f"helpers.{module}"), name)
    (found,) = doctest.DocTestFinder(recurse=False).find(function, name)
    assert len(found.examples) > 0


@pytest.mark.parametrize("module, name", MATHEMATICS)
def test_a_docstring_begins_with_a_sentence_and_does_not_repeat_the_signature(module, name):
    docstring = inspect.getdoc(getattr(importlib.import_module(f"helpers.{module}"), name))
    assert docstring.splitlines()[0].endswith((".", ":")) and "Shapes:" not in docstring


def test_no_doctest_hides_where_none_is_run():
    text = (ROOT / "helpers" / "__main__.py").read_text(encoding="utf-8")
    assert ">>>" not in text
