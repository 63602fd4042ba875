"""The command that lets the model write: with a tiny model in place of the trained one, and what it
refuses."""

import random

import pytest

from helpers import gpt_forward, init_gpt
from helpers.course import commands
from helpers.course.commands import say

CHARACTERS = ["<PAD>", "<BOS>", "<EOS>", "a", "b", "n"]
CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 8}


@pytest.fixture
def gpt(monkeypatch):
    model = {"config": CONFIG, "vocab": CHARACTERS, "parameters": init_gpt(CONFIG, random.Random(1))}
    monkeypatch.setattr(say, "trained_gpt", lambda: model)
    return model


def test_each_text_begins_with_the_prompt_and_ends_in_time(gpt, capsys):
    assert commands.main(["say", "--prompt", "An", "-n", "30", "--seed", "1"]) == 0
    lines = capsys.readouterr().out.split("\n")[:-1]
    assert len(lines) == 30 and len(set(lines)) > 5
    assert all(line.startswith("An") and len(line) <= 5 and set(line[2:]) <= set("abn") for line in lines)
    commands.main(["say", "--prompt", "An", "-n", "30", "--seed", "1"])
    assert capsys.readouterr().out.split("\n")[:-1] == lines


def test_at_temperature_0_it_writes_the_most_likely_text(gpt):
    (text,) = say.generate_texts(gpt, "b", 1e-9, 1, random.Random(1))
    tokens = [1, 4]
    while len(tokens) < 6 and tokens[-1] != 2:
        logits = gpt_forward(CONFIG, gpt["parameters"], tokens)["logits"][-1]
        tokens.append(logits.index(max(logits)))
    assert text == "".join(CHARACTERS[token] for token in tokens if token > 2)


@pytest.mark.parametrize(
    "prompt, words", [("ab\u00e9", "'\\xe9'"), ("zz", "'z'"), ("abnab", "positions for 4"), ("<", "'<'")]
)
def test_a_prompt_that_cannot_be_read_is_refused(gpt, prompt, words, capsys):
    assert commands.main(["say", "--prompt", prompt]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and (words in err or "has never read" in err)


def test_without_a_trained_model_it_trains_one_says_so_and_keeps_it(monkeypatch, capsys, tmp_path):
    state = {"gpt": {"step": say.SETTINGS["steps"]}}
    kept = []
    monkeypatch.setattr(say, "state_path", lambda lesson: tmp_path / lesson)
    monkeypatch.setattr(say, "load_state", lambda lesson: state)
    monkeypatch.setattr(say, "save_state", lambda lesson, its: kept.append((lesson, its)))
    assert say.trained_gpt() is state["gpt"] and kept == [("14_training", state)]
    assert "Nothing is trained yet" in capsys.readouterr().out
    state["gpt"]["step"] -= 1  # stopped on the way
    with pytest.raises(KeyboardInterrupt):
        say.trained_gpt()
    assert len(kept) == 1
    (tmp_path / "14_training").touch()
    say.trained_gpt()
    assert len(kept) == 1 and "Nothing" in capsys.readouterr().out[:10]
