"""Lesson 25: the figure names exercises that are there; the page runs what the reader has written."""

import inspect
import math
import random
import re

import pytest
from cell_runner import run_cell
from tables import assert_close

from helpers import add, init_gpt, matmul, numerical_gradient, scale
from helpers.course import NOTEBOOKS
from helpers.course.exercises import EXERCISES, YourFunctions
from helpers.course.exercises.passed import pass_path
from helpers.course.lessons import lesson_25_whole_way
from helpers.course.lessons.lesson_25_whole_way import (
    ROWS,
    all_functions,
    keep_model,
    lora_gradients_from,
    sample_answers,
    train_stage,
    whole_way,
)
from helpers.course.state.registry import notebook_paths
from helpers.course.training import own_model, own_writing
from notebooks import cells, code


def test_each_function_is_written_in_the_lesson_of_its_box():
    lessons = {path.stem.partition("_")[0]: code(path) for path in notebook_paths(NOTEBOOKS)}
    missing = [
        (lesson, name)
        for _, steps in ROWS
        for _, lesson, names in steps
        for name in names
        if f"def {name}(" not in lessons[lesson]
    ]
    assert missing == []


def test_what_the_reader_has_written_is_marked_and_counted():
    solutions = {exercise.solution.__name__ for exercise in EXERCISES.values()}
    text, alt = repr(whole_way(["my_rope", "my_softmax"])), whole_way(["my_rope"]).alt
    assert set(all_functions()) <= solutions
    assert text.count("(yours)") == 2 and alt.count("(yours)") == 1
    assert f"2 of {len(all_functions())} functions are yours." in whole_way(["my_rope", "my_softmax"]).svg()


def test_the_recorded_figure_is_that_of_a_reader_who_has_written_nothing():
    """What the comparison of the page's outputs notices, for the mutator, which runs no page."""
    (path,) = [path for path in notebook_paths(NOTEBOOKS) if path.stem.startswith("25_")]
    shown = [output for cell in cells(path, "code") for output in cell["outputs"] if "data" in output]
    pages = ["".join(output["data"].get("text/html", "")) for output in shown]
    assert whole_way()._repr_html_() in pages


@pytest.fixture
def mine(monkeypatch, tmp_path):
    """The functions of a reader who has passed nothing: the course's."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    return YourFunctions()


def test_the_first_step_of_a_stage_has_the_size_of_the_learning_rate(mine):
    """AdamW's first step is lr times the sign of the gradient, here after a tenth of the warm-up."""
    before = {"W": [[1.0, 2.0], [3.0, 4.0]], "b": [5.0]}
    gradients = {"W": [[8.0, -0.5], [0.25, 2.0]], "b": [-1.0]}
    after = train_stage(mine, before, lambda parameters: gradients, steps=1, lr=0.5)
    assert_close([after["W"], [after["b"]]], [[[0.95, 2.05], [2.95, 3.95]], [[5.05]]], 1e-6)


def test_the_gradients_of_lora_from_that_of_the_matrix_agree_with_finite_differences(mine):
    rng, c = random.Random(3), 0.5
    W, d, A, B = (
        [[rng.gauss(0, 1) for _ in range(n)] for _ in range(m)] for m, n in ((3, 4), (3, 4), (2, 4), (3, 2))
    )

    def loss(A, B):
        changed = add(W, scale(matmul(B, A), c))
        return math.fsum(x * y for rows in zip(d, changed) for x, y in zip(*rows))

    found = lora_gradients_from(mine, {"W": d}, {"W.A": A, "W.B": B}, ["W"], c)
    assert_close(found["W.A"], numerical_gradient(lambda A: loss(A, B), A), 1e-8)
    assert_close(found["W.B"], numerical_gradient(lambda B: loss(A, B), B), 1e-8)


def test_answers_end_at_the_end_token_or_where_the_positions_do(mine):
    """An untrained model finds every token about equally probable; four fit after a prompt of one."""
    config = {"vocab_size": 3, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 2}
    parameters = init_gpt(config, random.Random(1))
    answers = sample_answers(mine, config, parameters, [1], end=2, n=30, seed=5)
    assert max(map(len, answers)) == 4 and len({*map(tuple, answers)}) > 3
    assert all(2 not in answer[:-1] for answer in answers)


def test_the_kept_model_answers_after_its_prompt(monkeypatch, tmp_path):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    vocab = ["<PAD>", "<BOS>", "<EOS>", "<user>", "<line>", "<model>", "a", "b", "ab"]
    sizes = {"vocab_size": len(vocab), "n_positions": 7, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 8}
    parameters = init_gpt(sizes, random.Random(1))
    keep_model("mine", "a.txt", sizes, vocab, [("a", "b")], parameters, steps=3)
    kept = own_model.load_model("mine")
    assert kept["parameters"] == parameters and own_writing.beginning(kept) == [1, 3, 4, 5]
    assert own_writing.prompt_tokens("aba", kept) == [1, 3, 4, 5, 8, 6]
    always = [vocab.index("<user>"), vocab.index("b"), vocab.index("<EOS>")]
    assert own_writing.draw_text(kept, "a", lambda logits: always.pop(0)) == "ab"
    with pytest.raises(ValueError, match="4 characters, and the model has positions for 3"):
        own_writing.prompt_tokens("abab", kept)


def test_the_page_calls_the_functions_that_the_reader_has_passed(monkeypatch, tmp_path):
    """The example cells, with every solution noted as a pass: each runs as the reader's."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    (path,) = [path for path in notebook_paths(NOTEBOOKS) if path.stem.startswith("25_")]
    numbers = {exercise.solution.__name__: number for number, exercise in EXERCISES.items()}
    both = code(path) + inspect.getsource(lesson_25_whole_way)
    called = {f"my_{name}" for name in re.findall(r"\bmine\.(\w+)", both)}
    assert called <= numbers.keys() and len(called) > 25
    for name in called:
        try_to_note_solution(numbers[name])
    sources = [cell["source"] for cell in cells(path, "code")]
    first = next(i for i, source in enumerate(sources) if "YourFunctions()" in source)
    names = {}
    for source in [sources[1], *sources[first : first + 4]]:
        run_cell(source, names)
    assert set(names["mine"].whose.values()) == {"yours"} and len(names["mine"].calls) > 10


def try_to_note_solution(number):
    solution = EXERCISES[number].solution
    file = pass_path(number, solution.__name__)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = f'{inspect.getsource(solution)}\n\ngrade("{number}", {solution.__name__})\n'
    file.write_text(f"# {number} passed on 2026-01-02 03:04:05 UTC\n{text}", encoding="utf-8")
