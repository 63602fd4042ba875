"""The reader's functions in a Llama: which run there, and which answers of earlier lessons are found."""

import contextlib
import io
import json
import math

from second_llama import CONFIG, close, drawn

import helpers
from helpers import llama_forward
from helpers.course.exercises import EXERCISES, in_llama
from helpers.course.exercises.in_llama import llama_with, my_answers, yours


def test_the_reader_s_functions_run_in_a_llama(capsys):
    def my_softmax(scores):
        weights = [math.exp(score - max(scores)) for score in scores]
        return [weight / sum(weights) for weight in weights]

    def my_rms_norm(X, gamma, eps):
        return [
            [g * x / (sum(y * y for y in row) / len(row)) ** 0.5 for x, g in zip(row, gamma)] for row in X
        ]

    def my_rope(X, positions, base): ...

    p, tokens = drawn(CONFIG), [3, 1, 6]
    wanted, _ = llama_forward(CONFIG, p, tokens)
    for own, said in [
        ({"softmax": my_softmax, "rope": my_rope}, "rope: not tried yet, ours is in place.\nYours in the "),
        ({"rms_norm": my_rms_norm}, "The 1st call of rms_norm first differs from ours at [0][0]: yours 1.38"),
        ({"rms_nrm": my_rms_norm}, "A Llama calls no rms_nrm; did you mean rms_norm?"),
        ({"layer_norm": helpers.layer_norm}, "The forward pass does not call layer_norm. Ours is in place."),
        ({"softmax": 3}, "softmax: give the function itself, not 3."),
    ]:
        X, _ = llama_with(llama_forward, **own)(CONFIG, p, tokens)
        assert close(X, wanted) and capsys.readouterr().out.startswith(said)


def test_a_wrong_function_stays_out_and_a_right_one_beside_it_stays_in():
    calls = []

    def my_rope(X, positions, base):
        calls.append("rope")
        return helpers.rope(X, positions, base)

    def my_softmax(scores):
        return [1 / len(scores)] * len(scores)

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        forward = llama_with(llama_forward, rope=my_rope, softmax=my_softmax)
    said = printed.getvalue()
    assert "call of softmax first differs" in said and said.endswith("Yours in the forward pass: rope.\n")
    calls.clear()
    forward(CONFIG, drawn(CONFIG), [3])
    assert calls == ["rope"] * 16  # 2 blocks, 6 heads of queries and 2 of keys


def test_answers_of_earlier_lessons_are_found_in_the_saved_notebooks(monkeypatch, tmp_path, capsys):
    cells = {
        "01_tokens_and_embeddings": ['def my_dot(u, v):\n    ...\n\ngrade("01.b", my_dot)'],
        "03_attention": [
            "import math",
            "def my_softmax(scores):\n    e = [math.exp(s - max(scores)) for s in scores]\n"
            '    return [x / sum(e) for x in e]\n\ngrade("03.b", my_softmax)',
            "def my_attention(Q, K, V, mask):\n    scores = attention_scores(Q, K, mask)\n"
            "    return matmul([softmax(row) for row in scores], V)\n\n"
            'grade("03.c", my_attention)',
            'def my_causal_mask(T):\n    return [[0.0] * T] * T\n\ngrade("03.a", my_causal_mask)',
            'def my_causal_mask(T)\n    not Python\n\ngrade("03.a", my_causal_mask)',
        ],
        "20_a_model_that_speaks": ['def my_softmax(scores):\n    ...\n\ngrade("03.b", my_softmax)'],
    }
    for name, sources in cells.items():
        found = {"cells": [{"cell_type": "code", "source": source} for source in sources]}
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(found), encoding="utf-8")
    monkeypatch.setattr(in_llama, "notebook_paths", lambda folder: sorted(tmp_path.glob("*.ipynb")))
    found = my_answers()
    assert list(found) == ["softmax", "attention"]
    assert capsys.readouterr().out == "Found: softmax (lesson 03) and attention (lesson 03).\n"
    p = drawn(CONFIG)
    forward = llama_with(llama_forward, **found)
    assert close(forward(CONFIG, p, [3, 1])[0], llama_forward(CONFIG, p, [3, 1])[0], 1e-9)


def test_the_reader_s_loop_is_taken_if_it_passes():
    def my_answer(step, choose, tokens, n, end):
        return [end]

    def my_template(messages): ...

    assert yours("20.c", my_answer)(lambda t, c: ([0.0, 1.0], c), max, [0], 2, 9) == [1.0, 1.0]
    assert yours("20.d", my_template)([]) == "<|im_start|>assistant\n"
    own = yours("20.d", lambda messages: EXERCISES["20.d"].answer(messages))
    assert own is not EXERCISES["20.d"].answer
