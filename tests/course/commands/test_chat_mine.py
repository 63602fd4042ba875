"""chat --mine: what a reader has passed answers, in its place, and is counted."""

import inspect
import random
import re

import pytest
from gguf_writer import gguf, tiny_llama

from helpers.course import commands
from helpers.course.commands.chat_mine import Mine, own_functions
from helpers.course.exercises import EXERCISES
from helpers.course.exercises.passed import pass_path
from helpers.course.models import smollm2

NUMBERS = {EXERCISES[number].solution.__name__: number for number in EXERCISES}
# Solutions that a chat calls, with the name of the function that each takes the place of
PLACES = {
    "my_sample": "sample",
    "my_temperature": "softmax_with_temperature",
    "my_min_p": "min_p",
    "my_merge_pair": "merge_pair",
    "my_apply_merges": "apply_merges",
    "my_decode_tokens": "decode_tokens",
    "my_q4_1": "decode_q4_1",
    "my_rms_norm": "rms_norm",
    "my_swiglu": "swiglu",
    "my_rope": "rope",
    "my_grouped_attention": "grouped_query_attention",
    "my_cached_attention": "cached_attention",
    "my_llama_block": "llama_block",
    "my_softmax": "softmax",
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
    # a reader's block and attention call the others; softmax is inside the reader's own functions
    assert last.startswith(f"{len(counted)} functions of yours answered, in ") and counted == {*PLACES}


def test_each_function_alone_is_called():
    """Counted is what runs, so each exercise of the table must be called where it is the only one."""
    model = smollm2.read_smollm2()
    due = model.step()(5, None)[0]
    for solution, name in PLACES.items():
        passed(solution)
        own, said = own_functions()
        assert list(own) == [name] and not said
        mine = Mine(own)
        mine.put_into(model)
        assert model.step()(5, None)[0] == pytest.approx(due, abs=1e-4)
        model.tokenizer.encode_plain("ab ab")
        model.tokenizer.stream()(3)
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
