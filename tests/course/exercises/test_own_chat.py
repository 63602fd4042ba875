"""chat --mine: what a reader has passed answers, in its place, and is counted."""

import inspect
import linecache
import random
import re

import pytest
from gguf_writer import gguf, tiny_llama

from helpers.course import commands
from helpers.course.exercises import EXERCISES
from helpers.course.exercises.grade import grade
from helpers.course.exercises.own_chat import Mine, in_model, own_functions
from helpers.course.exercises.passed import AROUND, pass_path
from helpers.course.models import smollm2

NUMBERS = {EXERCISES[number].solution.__name__: number for number in EXERCISES}
# Solutions that a chat calls, with the name of the function that each takes the place of
PLACES = {
    "my_sample": "sample",
    "my_temperature": "softmax_with_temperature",
    "my_min_p": "min_p",
    "my_merge_pair": "merge_pair",
    "my_apply_merges": "apply_merges",
    "my_q4_1": "decode_q4_1",
    "my_rms_norm": "rms_norm",
    "my_swiglu": "swiglu",
    "my_rope": "rope",
    "my_cached_attention": "cached_attention",
    "my_softmax": "softmax",
    "my_linear": "linear",
}
ASK = ["chat", "--exact", "--length", "6", "--temperature", "3", "--seed", "4", "ab ab"]


@pytest.fixture(autouse=True)
def fetched(monkeypatch, tmp_path):
    """The model's file, a tiny one."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    path = smollm2.smollm2_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf(*tiny_llama()))


def passed(name, code=None):
    """As if the reader had passed an exercise with this code; usually it is the solution."""
    number, solution = NUMBERS[name], EXERCISES[NUMBERS[name]].solution
    path = pass_path(number, solution.__name__)
    path.parent.mkdir(parents=True, exist_ok=True)
    code = code or inspect.getsource(solution)
    head = f"# {number} passed on 2026-01-02 03:04:05 UTC\n"
    path.write_text(f'{head}{code}\n\ngrade("{number}", {solution.__name__})\n', encoding="utf-8")


def test_the_same_answer_with_the_functions_of_the_reader(capsys):
    assert commands.main(ASK) == 0
    due = capsys.readouterr().out
    for name in PLACES:
        passed(name)
    assert commands.main([*ASK, "--mine"]) == 0
    out, err = capsys.readouterr()
    assert out == due
    last = err.splitlines()[-1]
    counted = {*re.findall(r"(my_\w+) \(\d\d\.\w+\)", last)}
    # a reader's attention calls the others; softmax is inside the reader's own functions
    assert last.startswith(f"{len(counted)} functions of yours answered, in ") and counted == {*PLACES}


def test_each_function_alone_is_called():
    """Counted is what runs, so each exercise of the table must be called where it is the only one."""
    model = smollm2.read_smollm2()
    due = model.step(5, None)[0]
    for solution, name in PLACES.items():
        passed(solution)
        own, said = own_functions()
        assert list(own) == [name] and not said
        mine = Mine(own)
        mine.put_into(model)
        assert model.step(5, None)[0] == pytest.approx(due, abs=1e-4)
        model.tokenizer.encode_plain("ab ab")
        probabilities = mine.names["min_p"](mine.names["softmax_with_temperature"]([1.0, 2.0], 0.5), 0.1)
        mine.names["sample"](probabilities, random.Random(1))
        assert mine.calls[name] > 0, name
        model = smollm2.read_smollm2()
        pass_path(NUMBERS[solution], solution).unlink()


def test_an_answer_that_no_longer_passes_stays_out(capsys):
    passed("my_softmax", "def my_softmax(scores):\n    return scores")
    assert commands.main([*ASK, "--mine"]) == 0
    err = capsys.readouterr().err
    assert (
        f"my_softmax no longer passes {NUMBERS['my_softmax']}. The course's softmax is in its place." in err
    )
    assert "progress" in err  # nothing is left


def test_the_function_that_stops_is_named_and_not_those_that_called_it(capsys):
    passed("my_cached_attention")
    # the exercises and the tiny Llama have few positions, a conversation more
    code = inspect.getsource(EXERCISES[NUMBERS["my_rope"]].solution).replace(
        "    result", "    if positions[0] > 50:\n        positions = [1 / 0]\n    result", 1
    )
    passed("my_rope", code)
    assert commands.main([*ASK, "--mine"]) == 1
    err, number = capsys.readouterr().err, NUMBERS["my_rope"]
    assert f"my_rope of {number} stopped with ZeroDivisionError: 'division by zero'. Mend it" in err
    assert err.count("stopped with") == 1


def test_a_function_that_stops_is_named(capsys):
    code = inspect.getsource(EXERCISES[NUMBERS["my_min_p"]].solution).replace(
        "    threshold",
        "    if len(probabilities) > 20:\n        raise RuntimeError('too long')\n    threshold",
        1,
    )
    passed("my_min_p", code)
    assert commands.main([*ASK, "--mine"]) == 1
    assert (
        f"my_min_p of {NUMBERS['my_min_p']} stopped with RuntimeError: 'too long'" in capsys.readouterr().err
    )


def test_nothing_passed(capsys):
    assert commands.main([*ASK, "--mine"]) == 0
    assert "You have not passed an exercise whose function the chat model calls" in capsys.readouterr().err


def test_what_another_cell_holds_is_there_as_long_as_the_notebook_runs(capsys, monkeypatch):
    """Later the message says which name is missing."""
    names = {"__name__": "__main__", "grade": grade, "START": "<|im_start|>"}
    solution = inspect.getsource(EXERCISES["20.d"].solution).replace("<|im_start|>", "{START}")
    cell = solution.replace('+ "', '+ f"') + 'grade("20.d", my_template)\n'
    monkeypatch.setitem(linecache.cache, "<a cell>", (len(cell), None, cell.splitlines(True), "<a cell>"))
    exec(compile(cell, "<a cell>", "exec"), names)
    assert "passed" in capsys.readouterr().out
    own, said = own_functions()
    assert list(own) == ["template"] and not said
    assert Mine(own).functions.template([("user", "ab")]).startswith("<|im_start|>user\nab<|im_end|>")
    AROUND.pop("20.d")
    own, [said] = own_functions()
    assert not own and said == (
        "my_template of 20.d needs START, which was not kept with it. "
        "Define START inside my_template, and grade 20.d again. The course's template is in its place."
    )


def test_a_lambda_is_not_kept():
    passed("my_template", "my_template = lambda messages: ''")
    assert own_functions()[1] == [
        "my_template of 20.d was not kept: define it with def, in the cell that grades it. "
        "The course's template is in its place."
    ]


# --- in lesson 20


def test_a_sentence_by_the_functions_of_the_reader_lesson_by_lesson(capsys):
    """Also the loop and the template, which only the lesson defines; and a function of two lessons once."""
    model = smollm2.read_smollm2()
    *lessons, (_, mine, ours, lines) = in_model(model).by_lesson()
    assert "None of your passed exercises" in capsys.readouterr().out
    assert mine == f"0 of {ours}" and lines == 0
    assert ["17", "none", "apply_merges, merge_pair", 0] in lessons
    for name in [*PLACES, "my_answer", "my_template"]:
        passed(name)
    mine = in_model(model)
    assert "my_template (20.d)" in capsys.readouterr().out
    f = mine.functions
    ids = model.encode(f.template([("user", "ab")]))
    cache = None
    for token in ids:
        logits, cache = smollm2.read_smollm2().step(token, cache)
    due = [logits.index(max(logits))]
    assert f.answer(model.step, lambda logits: logits.index(max(logits)), ids, 1, None) == due
    assert mine.calls["answer"] == mine.calls["template"] == 1
    *lessons, (_, count, rest, lines) = mine.by_lesson()
    assert count == f"{len(PLACES) + 2} of {ours}" and rest == ours - len(PLACES) - 2
    found = {lesson: (own, others) for lesson, own, others, _ in lessons}
    assert found["20"] == ("answer, cached_attention, template", "none")
    assert found["18"][0].count("swiglu") == 1 and "06" not in found or "swiglu" not in str(found["06"])
    assert lines == sum(row[-1] for row in lessons) > len(PLACES)


def test_without_the_file_nothing_runs_and_the_page_says_what_would(capsys):
    passed("my_softmax")
    mine = in_model(smollm2.Recorded())
    assert (
        capsys.readouterr().out == "With the file, these functions of yours would run: my_softmax (03.b).\n"
    )
    assert mine.summary().startswith("These answers are recorded. With")
