"""chat --mine: what a reader has passed answers, in its place, and is counted."""

import inspect
import re

import pytest
from gguf_writer import gguf, tiny_llama

from helpers.course import commands
from helpers.course.commands.chat_mine import Mine, own_functions
from helpers.course.exercises import EXERCISES
from helpers.course.exercises.passed import pass_path
from helpers.course.models import smollm2

# What a reader can pass of what a chat calls, with the name of the function that it takes the place of
PLACES = {
    "15.a": "sample",
    "15.b": "softmax_with_temperature",
    "15.d": "min_p",
    "17.b": "merge_pair",
    "17.d": "apply_merges",
    "17.e": "decode_tokens",
    "19.c": "decode_q4_1",
    "18.b": "rope",
    "18.d": "grouped_query_attention",
    "20.a": "cached_attention",
    "20.b": "llama_block",
    "03.b": "softmax",
}
ASK = ["chat", "--exact", "--length", "6", "--processes", "1", "--temperature", "3", "--seed", "4", "ab ab"]


@pytest.fixture(autouse=True)
def fetched(monkeypatch, tmp_path):
    """The model's file, a tiny one."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    path = smollm2.smollm2_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf(*tiny_llama()))


def passed(number, code=None):
    """As if the reader had passed an exercise with this code; usually it is the solution."""
    solution = EXERCISES[number].solution
    path = pass_path(number, solution.__name__)
    path.parent.mkdir(parents=True, exist_ok=True)
    code = code or inspect.getsource(solution)
    head = f"# {number} passed on 2026-01-02 03:04:05 UTC\n"
    path.write_text(f'{head}{code}\n\ngrade("{number}", {solution.__name__})\n', encoding="utf-8")


def test_the_same_answer_with_the_functions_of_the_reader(capsys):
    assert commands.main(ASK) == 0
    due = capsys.readouterr().out
    for number in PLACES:
        passed(number)
    assert commands.main([*ASK, "--mine"]) == 0
    out, err = capsys.readouterr()
    assert out == due
    last = err.splitlines()[-1]
    counted = {*re.findall(r"my_\w+ \((\d\d\.\w)\)", last)}
    # a reader's block and attention call the others; softmax is inside the reader's own functions
    assert last.startswith(f"{len(counted)} functions of yours answered, in ") and counted == {*PLACES}


def test_each_function_alone_is_called():
    """Counted is what runs, so each exercise of the table must be called where it is the only one."""
    model = smollm2.read_smollm2()
    due = model.step()(5, None)[0]
    for number, name in PLACES.items():
        passed(number)
        own, said = own_functions()
        assert list(own) == [name] and not said
        mine = Mine(own)
        mine.put_into(model)
        assert model.step()(5, None)[0] == pytest.approx(due, abs=1e-4)
        model.tokenizer.encode_plain("ab ab")
        model.tokenizer.stream()(3)
        probabilities = mine.names["min_p"](mine.names["softmax_with_temperature"]([1.0, 2.0], 0.5), 0.1)
        mine.names["sample"](probabilities, __import__("random").Random(1))
        assert mine.calls[name] > 0, number
        model = smollm2.read_smollm2()
        pass_path(number, EXERCISES[number].solution.__name__).unlink()


def test_an_answer_that_no_longer_passes_stays_out(capsys):
    passed("03.b", "def my_softmax(scores):\n    return scores")
    assert commands.main([*ASK, "--mine"]) == 0
    err = capsys.readouterr().err
    assert "my_softmax no longer passes 03.b. The course's softmax is in its place." in err
    assert "progress" in err  # nothing is left


def test_a_function_that_stops_is_named(capsys):
    code = inspect.getsource(EXERCISES["15.d"].solution).replace(
        "    threshold",
        "    if len(probabilities) > 20:\n        raise RuntimeError('too long')\n    threshold",
        1,
    )
    passed("15.d", code)
    assert commands.main([*ASK, "--mine"]) == 1
    assert "my_min_p of 15.d stopped with RuntimeError: 'too long'" in capsys.readouterr().err


def test_nothing_passed(capsys):
    assert commands.main([*ASK, "--mine"]) == 0
    assert "You have not passed an exercise whose function the chat model calls" in capsys.readouterr().err
