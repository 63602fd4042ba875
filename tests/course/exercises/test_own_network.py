"""The end of Part I: the reader's functions, found in saved notebooks, make the network of lesson 00."""

import ast
import inspect
import json
import random

import pytest
import second_network

from helpers import adamw_init
from helpers.course.exercises import EXERCISES, own_network, yours
from helpers.course.show.compare import leaves
from helpers.course.state.network import TOKENS, draw_parameters
from notebooks import LESSONS, code

SOLUTION = {number: inspect.getsource(EXERCISES[number].solution) for number in own_network.NUMBERS}
PAGE = next(path for path in LESSONS if path.stem.startswith("11_"))
PARAMETERS = draw_parameters(random.Random(42))


@pytest.fixture
def saved(monkeypatch, tmp_path):
    """Write answers, {number: source}, into notebooks, as a reader saves them."""

    def save(answers):
        for lesson in sorted({number[:2] for number in answers}):
            sources = [
                f'import math\n{source}\ngrade("{number}", it)'
                for number, source in answers.items()
                if number[:2] == lesson
            ]
            cells = [{"cell_type": "code", "source": source} for source in sources]
            (tmp_path / f"{lesson}_x.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
        monkeypatch.setattr(yours, "notebook_paths", lambda folder: sorted(tmp_path.glob("*.ipynb")))

    return save


def on_the_page(my):
    """my_gradients of lesson 11, with these functions."""
    names = {"my": my}
    start = code(PAGE).index("def my_forward(")
    exec(code(PAGE)[start : code(PAGE).index("found = my_gradients(", start)], names)
    return names["my_gradients"]


def gradients_of_the_page(my):
    found = on_the_page(my)(PARAMETERS, TOKENS)[1]
    return [found[name] for name in PARAMETERS]


def close(found, due):
    allowed = 1e-9 * max(map(abs, leaves(due)))
    return all(abs(a - b) <= allowed for a, b in zip(leaves(found), leaves(due), strict=True))


@pytest.fixture(scope="module")
def due():
    """The gradients that a second implementation computes."""
    p, _ = second_network.drawn()
    found = second_network.as_stored(second_network.on_tape(p)[0])
    return [found[name] for name in PARAMETERS]


def test_every_function_of_the_reader_is_found_and_called(saved, capsys, monkeypatch):
    """Each answer notes that it was called, in a step of training with the code of the page."""
    called = set()
    monkeypatch.setattr("helpers.called", called, raising=False)
    answers = {}
    for number, source in SOLUTION.items():
        head, body = source.split(":\n", 1)
        note = f"    helpers.called.add({own_network.name_of(number)!r})\n"
        answers[number] = f"import helpers, math\n{head}:\n{note}{body}"
    here = {}
    for number in ("11.a", "11.b"):
        exec(answers.pop(number), here)
    saved(answers)
    my, whose = own_network.my_network(here["my_adamw_step"], here["my_train"])
    assert repr(whose).splitlines()[-1].split()[:5] == ["in", "total", "25", "of", "25"]
    gradients = on_the_page(my)
    called.clear()
    my.train(PARAMETERS, adamw_init(PARAMETERS), lambda p: gradients(p, TOKENS)[1], my.adamw_step, 1)
    assert called == {own_network.name_of(number) for number in own_network.NUMBERS}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("some", [[], ["03.b", "10.d"], ["09.d"], list(SOLUTION)], ids=len)
def test_the_gradients_are_right_whoever_wrote_the_functions(some, saved, due):
    saved({number: SOLUTION[number] for number in some if number[:2] != "11"})
    my, _ = own_network.my_network(*(EXERCISES[number].solution for number in some if number[:2] == "11"))
    assert close(gradients_of_the_page(my), due)


def test_the_backward_pass_is_that_of_lesson_10():
    page = code(next(path for path in LESSONS if path.stem.startswith("10_")))
    shown = next(f for f in ast.parse(page).body if getattr(f, "name", None) == "backward_pass")
    ours = ast.parse(inspect.getsource(own_network.backward_pass)).body[0]
    assert list(map(ast.dump, shown.body[1:])) == list(map(ast.dump, ours.body[1:]))  # but the docstring


def test_what_is_wrong_or_not_tried_stays_out(saved, capsys):
    """A wrong answer, a stub, a page that is no Python; a right one that calls what it replaces stays in."""
    saved(
        {
            "01.a": "def my_embedding(ids, E):\n    ...\n",
            "02.a": "def my_linear(X, W, b=None):\n    return X\n",
            "03.b": "def my_softmax(scores):\n    return softmax(scores)\n",
            "04.a": "def my_merge_heads(heads)\n    no Python\n",
        }
    )
    _, whose = own_network.my_network(EXERCISES["11.b"].solution)
    rows = {row.split()[0]: row for row in repr(whose).splitlines()}
    assert rows["01"].split()[1] == rows["02"].split()[1] == rows["04"].split()[1] == "none"
    assert rows["11"].split()[1] == "train" and rows["03"].split()[1] == "softmax"


@pytest.mark.parametrize(
    "source, lines",
    [
        ("def f(x):\n    return x\n", 2),
        ('def f(x):\n    """What\n    it does."""\n\n    # why\n    return (\n        x\n    )\n', 4),
        ("def g():\n    pass\n\ndef f(x): return x", 1),
        ("g = 1", 0),
    ],
)
def test_lines_of_code_are_counted(source, lines):
    assert own_network.lines_of(source, "f") == lines
