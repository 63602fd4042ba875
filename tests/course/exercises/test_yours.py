"""The reader's functions in the course's networks: the same digits, or where they first differ."""

import json
import os
import random
import re

import pytest

import helpers
from helpers import causal_mask, linear_backward, matmul, softmax, toy_forward, transpose
from helpers.course.exercises import EXERCISES, yours
from helpers.course.exercises.yours import Mismatch, network_with, run_tiny_llama
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from notebooks import LESSONS, code, prose

CALLS = [
    (number, call)
    for path in LESSONS
    for number in [path.stem.partition("_")[0]]
    for call in re.findall(r"(?s)yours\.network_with\((.*?)\)", code(path))
]
SAME = "in it: the network of lesson 00 gives 0.1994 for `like` after `I`, the same as ours."
LOSS = "in it: the network of lesson 00 has a loss of 1.8299, the same as ours."
BACK = "in the backward pass: all 3,456 gradients equal the course's."


def stub(scores): ...


def mistaken(number, cause):
    return EXERCISES[number].mistaken(cause)


# --- the network of lesson 00


@pytest.mark.parametrize("number, call", CALLS, ids=[f"{number} {call[:30]}" for number, call in CALLS])
def test_the_solutions_of_a_lesson_give_the_same_in_the_network(number, call, capsys):
    """With the call that stands in the lesson."""
    solutions = {
        EXERCISES[n].solution.__name__: EXERCISES[n].solution for n in EXERCISES if n[:2] == number[:2]
    }
    given = dict(re.findall(r"(\w+)=(\w+)", call))
    functions = {name: solutions[written] for name, written in given.items() if written in solutions}
    assert len(functions) == len(given)
    network_with(**functions)
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and said.endswith((f"{SAME}\n", f"{BACK}\n", f"{LOSS}\n"))
    assert said.endswith(f"{LOSS}\n") == ("loss" in call)
    assert all(name in said for name in functions)


def test_the_number_is_that_of_lesson_00():
    whole = toy_forward(draw_parameters(random.Random(42)), TOKENS, TARGETS)
    assert f"{whole['probabilities'][1][4]:.4f}" == "0.1994" and "0.1994" in prose(LESSONS[0])


def in_place(scores):
    scores[:] = softmax(scores)
    return scores


def nearly_right(d_out, X, W):
    """One number of one gradient is wrong by a millionth of the largest."""
    d_X, d_W, d_b = linear_backward(d_out, X, W)
    d_W[-1][-1] += 1e-6 * max(abs(x) for row in d_W for x in row)
    return d_X, d_W, d_b


def right_twice():
    calls = []

    def my_softmax(scores):
        calls.append(1)
        return softmax(scores) if len(calls) < 3 else [1 / len(scores)] * len(scores)

    return my_softmax


WRONG = [
    # the reader's functions, how what is said begins
    ({"softmax": lambda scores: scores}, "The 1st call of softmax first differs from ours at [0]: yours "),
    (
        {"softmax": lambda scores: softmax(scores)[:-1]},
        "The 1st call of softmax first differs from ours: the result is a list of 4, expected a list of 5.\n",
    ),
    (
        {"softmax": right_twice()},
        "The 3rd call of softmax first differs from ours at [0]: yours 0.2, ours 0.3",
    ),
    ({"softmax": in_place}, "The 1st call of softmax changed what it was given; build a new list instead.\n"),
    ({"softmax": lambda scores: scores / 2}, "The 1st call of softmax went wrong. It raised TypeError: "),
    ({"softmax": lambda scores: print(end="")}, "The 1st call of softmax returned None.\n"),
    (
        {"attention": lambda *given: mistaken("03.c", "the scores are not divided by √k")(*given)},
        "The 1st call of attention first differs from ours at [1][0]: yours 0.0",
    ),
    (
        {"linear": lambda X, W, b=None: matmul(X, transpose(W))},
        "The 8th call of linear, with W_1 and b_1, first differs from ours at [0][0]: yours 0.006",
    ),
    ({"linear": lambda X, W, b=None: X}, "The 1st call of linear, with W_Q[0], first differs from ours: "),
    (
        {"linear_backward": nearly_right},
        "The 1st call of linear_backward, with W_lm, first differs from ours at [1][5][15]: yours ",
    ),
    (
        {"d_W_Q": lambda d, X: [matmul(transpose(X), each) for each in d]},
        "The 1st call of d_W_Q first differs from ours",
    ),
    ({"softmx": softmax}, "There is no softmx in the network of lesson 00; did you mean softmax?\n"),
    ({"softmax": [0.5]}, "softmax: give the function itself, its name without brackets, not [0.5].\n"),
    (
        {"perplexity": lambda loss: 1.0},
        "Neither the forward nor the backward pass of lesson 00's network calls perplexity.\n",
    ),
    ({}, "Give it functions of yours by name: network_with(softmax=my_softmax).\n"),
]


@pytest.mark.parametrize("functions, begins", WRONG, ids=[begins[:60] for _, begins in WRONG])
def test_network_with_says_where_a_function_first_differs(functions, begins, capsys):
    network_with(**functions)
    said = capsys.readouterr().out
    assert said.startswith(begins) and said.count("\n") == 1


@pytest.mark.parametrize(
    "functions, said",
    [
        ({"softmax": stub, "gelu": stub}, "softmax and gelu: not tried yet, ours are in place.\n"),
        ({"softmax": softmax, "gelu": stub}, f"softmax {SAME} gelu: not tried yet, ours is in place.\n"),
        ({"matmul": matmul, "causal_mask": causal_mask}, f"matmul and causal_mask {SAME}\n"),
        (
            {"softmax": softmax, "linear_backward": linear_backward},
            f"softmax {SAME} linear_backward {BACK}\n",
        ),
    ],
)
def test_network_with_names_what_is_in_it_and_what_is_not_tried(functions, said, capsys):
    network_with(**functions)
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    "name, number, cause",
    [
        ("norm_row", "07.a", "gamma and beta are forgotten"),
        ("norm_row", "07.a", "gamma multiplies beta, too"),
        ("layer_norm_backward_row", "09.c", "gamma is applied after the means and not before them"),
        ("layer_norm_backward_row", "09.c", "gamma is left out"),
    ],
)
def test_mistakes_with_gamma_show_although_the_network_begins_with_gamma_1(name, number, cause, capsys):
    network_with(**{name: mistaken(number, cause)})
    said = capsys.readouterr().out
    start = "the initial parameters (gamma is 1, beta is 0, the weights are small)"
    assert said.startswith(f"The same as ours at {start}. At other parameters: The 1st ")
    assert f"call of {name}, with " in said and "first differs from ours at [0]" in said


def test_the_rounding_error_of_finite_differences_is_no_mistake(capsys):
    """One of the 320 derivatives is −0.0023: what rounding adds is more than a billionth of it."""
    network_with(gelu_derivative=lambda x: (helpers.gelu(x + 1e-5) - helpers.gelu(x - 1e-5)) / 2e-5)
    assert capsys.readouterr().out == f"gelu_derivative {BACK}\n"


@pytest.mark.parametrize("name, count", [("softmax", 2 * 5 + 5), ("matmul", 2 * 2), ("gelu", 5 * 64)])
def test_functions_are_replaced_inside_other_functions_too(name, count, capsys):
    """Attention calls softmax and matmul for each head, and the feed-forward network calls gelu."""
    called = []

    def counted(*arguments):
        called.append(arguments)
        return getattr(helpers, name)(*arguments)

    network_with(**{name: counted})
    assert SAME in capsys.readouterr().out and len(called) >= count


def test_the_helpers_are_as_they_were(capsys):
    network_with(matmul=lambda A, B: 1)
    assert matmul([[1, 2]], [[3], [4]]) == [[11.0]]


# --- a Llama


def mean_of_squares_left_out(X, gamma, eps):
    return [[g * x for x, g in zip(row, gamma)] for row in X]


@pytest.mark.parametrize(
    "name, function, said",
    [
        ("rms_norm", mean_of_squares_left_out, "The 1st call of rms_norm first differs from ours at [0][0]"),
        ("layer_norm", helpers.layer_norm, "The forward pass does not call layer_norm."),
        ("softmax", softmax, ""),
        ("linear", lambda X, W, b=None: helpers.linear(X, W, b), ""),
    ],
)
def test_a_tiny_llama_tells_where_a_function_differs(name, function, said):
    if not said:
        return run_tiny_llama(name, function)
    with pytest.raises(Mismatch, match=re.escape(said)):
        run_tiny_llama(name, function)


# --- where answers are found


def page(path, *sources):
    cells = [{"cell_type": "code", "source": source} for source in sources]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")


def test_of_a_lesson_and_its_copy_the_one_that_was_saved_last_comes_last(monkeypatch, tmp_path):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    for name, seconds in [("03_attention", 1000), ("my_03_attention", 2000), ("20_chat_model", 1000)]:
        page(tmp_path / f"{name}.ipynb", name)
        os.utime(tmp_path / f"{name}.ipynb", (seconds, seconds))
    pages = [tmp_path / "03_attention.ipynb", tmp_path / "20_chat_model.ipynb"]
    monkeypatch.setattr(yours, "notebook_paths", lambda folder: pages)
    assert [*yours.cells_before("20")] == [("03", "03_attention"), ("03", "my_03_attention")]
    os.utime(tmp_path / "03_attention.ipynb", (3000, 3000))
    assert [*yours.cells_before("20")] == [("03", "my_03_attention"), ("03", "03_attention")]


def test_what_is_noted_as_passed_is_found_without_its_notebook(monkeypatch, tmp_path):
    """It stands in a copy, or an update has replaced the notebook. What the notebook holds comes after it."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    (tmp_path / "passed").mkdir()
    for number, name in {"03.b": "softmax", "20.a": "cached_attention"}.items():
        text = f'# {number} passed on 2026-01-01 00:00:00 UTC\ngrade("{number}", my_{name})\n'
        (tmp_path / "passed" / f"{number}.my_{name}.py").write_text(text, "utf-8")
    page(tmp_path / "03_attention.ipynb", "newer")
    monkeypatch.setattr(yours, "notebook_paths", lambda folder: [tmp_path / "03_attention.ipynb"])
    assert [*yours.cells_before("20")] == [("03", 'grade("03.b", my_softmax)\n'), ("03", "newer")]


def test_the_reader_s_loop_is_taken_if_it_passes():
    ours = EXERCISES["20.c"].solution

    def my_answer(*given):
        return ours(*given)

    assert yours.yours("20.c", my_answer) is my_answer
    assert yours.yours("20.c", lambda step, choose, tokens, n, end: [end]) is ours
    assert yours.yours("20.c", stub) is ours
