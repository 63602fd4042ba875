"""The examples in the docstrings are true; every function of the mathematics has one and names its shapes."""

import ast
import doctest
import importlib
import inspect
import re

import pytest
from conftest import ROOT

from helpers.course.paste import MODULES

PATHS = sorted((ROOT / "helpers").rglob("*.py"))
# __main__ runs a command when it is imported, so it can have no doctest
IMPORTABLE = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in PATHS if path.stem != "__main__"
]
IMPORTABLE = [name.removesuffix(".__init__") for name in IMPORTABLE]


@pytest.mark.parametrize("name", IMPORTABLE)
def test_the_examples_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_a_false_example_would_be_found(capsys):
    from helpers import matrices

    docstring = matrices.dot.__doc__
    try:
        matrices.dot.__doc__ = docstring.replace("13.0", "13.5")
        assert doctest.testmod(matrices).failed == 1
    finally:
        matrices.dot.__doc__ = docstring
    assert doctest.testmod(matrices).failed == 0
    assert "13.5" in capsys.readouterr().out


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


# what needs no line of shapes, because words say it: a single number, or any nest of lists
ONE_NUMBER = "Takes and gives one number."
SAID_IN_WORDS = {
    "count_ngrams": "Takes documents, lists of tokens",
    "list_characters": "Takes texts, a list of them",
    "text_to_tokens": "Takes a text",
    "split_documents": "Takes documents, a list",
    "next_batch": "Takes a deck, a list of whole numbers",
    "add_gradients": "dicts of the same build",
    "batch_gradients": "Takes documents, lists of at least two tokens",
    "mean_loss": "Takes documents, lists of at least two tokens",
    "learning_rate": "Takes three whole numbers, and\nlr, a number",
    "global_norm": "Takes any nest of dicts and lists of numbers",
    "clip_gradients": "Takes a dict of vectors and matrices",
    "without_decay": "Takes a dict of vectors and matrices",
    "random_vector": "Draw n numbers",
    "count_parameters": "any nest of dicts and lists",
    "central_differences": "any nest of dicts and lists",
    "tree_map": "equally built nests",
    "sgd_step": "dicts (or nests of lists) of the same build",
    "adamw_start": "in the build of the parameters",
    "adamw_step": "dicts of the same build",
    "perplexity_backward": "Takes and gives numbers",
    **dict.fromkeys(["clean", "plain_words", "cut", "shingles"], "Takes"),
    **dict.fromkeys(["unique", "near_duplicates", "leaks", "decode", "pdf_text"], "Takes"),
    "read_documents": "Takes a path",
    "Node": "a matrix, a vector or a number",
    "Tape": "tape.linear(X, W) does what linear(X, W) does",
    "gpt_letters": "shape in letters",
    "gpt_sizes": "shape of every parameter, by name",
    "gpt_parameters": "in the order of gpt_letters",
}


def names_its_shapes(name, docstring):
    if name in SAID_IN_WORDS:
        return SAID_IN_WORDS[name] in docstring
    return ONE_NUMBER in docstring or re.search(r"\nShapes: .*\[\w+\].*", docstring) is not None


@pytest.mark.parametrize("module, name", MATHEMATICS)
def test_every_function_of_the_mathematics_names_its_shapes(module, name):
    docstring = inspect.getdoc(getattr(importlib.import_module(f"helpers.{module}"), name))
    summary = docstring.splitlines()[0]
    assert names_its_shapes(name, docstring)
    assert summary.endswith((".", ":")) and len(summary) > 10
    without = re.sub(r"\[\w+\]|Takes|Draw|any|lengths|nested|build|built|letters|by name|matrix|linear", "", docstring)
    assert not names_its_shapes(name, without)


def test_no_doctest_hides_where_none_is_run():
    text = (ROOT / "helpers" / "__main__.py").read_text(encoding="utf-8")
    assert ">>>" not in text
