"""The command that lets the model write: with a tiny model in place of the trained one, and what it
refuses."""

import math
import random
import re

import pytest
from projects import exit_code

from helpers import gpt_forward, init_gpt
from helpers.course import commands
from helpers.course.commands import say
from helpers.course.state import names_task as names_model
from helpers.course.state.names_task import course_sets, split_documents, text_of_model
from helpers.course.training import own_writing

CHARACTERS = ["<PAD>", "<BOS>", "<EOS>", "a", "b", "n"]
CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 8}


@pytest.fixture(autouse=True)
def no_own_models(monkeypatch, tmp_path):
    """The lessons may have run before, and lesson 25 keeps a model."""
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))


@pytest.fixture
def gpt(monkeypatch):
    model = {"config": CONFIG, "vocab": CHARACTERS, "parameters": init_gpt(CONFIG, random.Random(1))}
    model |= {"step": 0, "history": []}
    text = {"path": "names.txt", "seed": 1, "digest": ""}
    monkeypatch.setattr(say, "trained_state", lambda: {"gpt": model, "text": text})
    return model


def test_each_text_begins_with_the_prompt_and_ends_in_time(gpt, capsys):
    assert commands.main(["say", "--prompt", "An", "-n", "30", "--seed", "1"]) == 0
    lines = capsys.readouterr().out.split("\n")[:-1]
    assert len(lines) == 30 and len(set(lines)) > 5
    assert all(line.startswith("An") and len(line) <= 5 and set(line[2:]) <= set("abn") for line in lines)
    commands.main(["say", "--prompt", "An", "-n", "30", "--seed", "1"])
    assert capsys.readouterr().out.split("\n")[:-1] == lines


@pytest.mark.parametrize(
    "option", (["--greedy"], ["--temperature", "1e-9"], ["--top-k", "1"], ["--top-p", "1e-9"])
)
def test_the_most_likely_text(gpt, option, capsys):
    """Four rules that leave one token, and the readable GPT's most likely one."""
    commands.main(["say", "--prompt", "b", "-n", "1", *option])
    text = capsys.readouterr().out[:-1]
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
    assert out == "" and err.count("\n") == 3 and (words in err or "has never read" in err)


def test_without_a_trained_model_it_trains_one_says_so_and_keeps_it(monkeypatch, capsys, tmp_path):
    state = {"gpt": {"step": say.SETTINGS["steps"]}}
    kept = []
    monkeypatch.setattr(say, "state_path", lambda lesson: tmp_path / lesson)
    monkeypatch.setattr(say, "load_state", lambda lesson: state)
    monkeypatch.setattr(say, "save_state", lambda lesson, its: kept.append((lesson, its)))
    assert say.trained_state() is state and kept == [("14_training", state)]
    assert "Nothing is trained yet" in capsys.readouterr().out
    state["gpt"]["step"] -= 1  # stopped on the way
    with pytest.raises(KeyboardInterrupt):
        say.trained_state()
    assert len(kept) == 1
    (tmp_path / "14_training").touch()
    say.trained_state()
    assert len(kept) == 1 and "Nothing" in capsys.readouterr().out[:10]


def test_a_text_that_has_changed_since_lesson_14_is_told(gpt, monkeypatch, capsys, tmp_path):
    path = tmp_path / "towns.txt"
    path.write_text("anna\nban\n" * 9)
    sets = split_documents(["anna", "ban"] * 9, CHARACTERS, 1)
    text = text_of_model(path, 1, *sets)
    monkeypatch.setattr(say, "trained_state", lambda: {"gpt": gpt, "text": text})
    commands.main(["say", "-n", "1"])
    told = capsys.readouterr().err
    assert "towns.txt" in told and "has changed" not in told
    for other in ("anna\nban\n" * 10, "anna\nbab\n" * 9, "carl\n" * 18, "", None):
        path.unlink() if other is None else path.write_text(other)
        commands.main(["say", "-n", "1"])
        assert "towns.txt has changed" in capsys.readouterr().err


def test_names_with_one_name_more_are_another_text(gpt, monkeypatch, capsys, tmp_path):
    """They have the same letters, and the longest name is the same."""
    vocab, names = course_sets()[1], (names_model.NOTEBOOKS / "names.txt").read_text()
    monkeypatch.setattr(names_model, "NOTEBOOKS", tmp_path)
    for more, told in (("", False), ("sixteena\n", True)):
        (tmp_path / "names.txt").write_text(names)
        text = text_of_model("names.txt", 1, *course_sets()[0])
        (tmp_path / "names.txt").write_text(names + more)
        assert say.is_changed(text, vocab) == told


# --- the rules, and models with other tokens


@pytest.mark.parametrize(
    "options, left",
    [
        ((), {0, 1, 2}),
        ((2,), {0, 1}),
        ((99,), {0, 1, 2}),
        ((None, 0.6), {0, 1}),
        ((None, None, 0.7), {0}),
        ((None, None, 1.0), {0}),
    ],
)
def test_what_top_k_top_p_and_min_p_leave(options, left):
    """Of the probabilities 0.5, 0.3 and 0.2."""
    logits = [math.log(p) for p in (0.5, 0.3, 0.2)]
    choose = own_writing.sampling_rule(random.Random(1), 1.0, *options)
    assert {choose(logits) for _ in range(100)} == left


def test_a_low_temperature_leaves_the_most_likely():
    cold = own_writing.sampling_rule(random.Random(1), 0.05)
    logits = [math.log(p) for p in (0.5, 0.3, 0.2)]
    assert sum(cold(logits) == 0 for _ in range(1000)) > 990  # (0.3 / 0.5) to the power of 20 is 0.00004


WORDS = ["<PAD>", "<BOS>", "<EOS>", "mia", "has", "a", "red", "ball", ".", ","]


def test_a_model_of_words_reads_and_writes_words():
    model = {"kind": "running", "unit": "words", "vocab": WORDS, "config": {"n_positions": 9}}
    assert own_writing.prompt_tokens("Mia has a ball.", model) == [1, 3, 4, 5, 7, 8]
    assert own_writing.spelled([1, 3, 4, 5, 7, 8, 2], model) == "mia has a ball."
    with pytest.raises(ValueError, match="the word 'dog', .*; write with mia has a"):
        own_writing.prompt_tokens("mia has a dog", model)
    with pytest.raises(ValueError, match="'<EOS>'"):
        own_writing.prompt_tokens("mia <EOS>", model)


def test_the_model_that_the_course_ships_writes_stories(capsys):
    asked = ["say", "--model", "stories", "--prompt", "Mia has a", "-n", "2", "--seed", "1"]
    assert commands.main(asked) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err.startswith("stories: comes with the course") and len(lines) == 2
    assert all(re.fullmatch(r"Mia has a [a-z ,.]{20,}", line) and " ." not in line for line in lines)


def test_a_running_text_goes_on_where_the_positions_end(monkeypatch):
    """Each token follows from the one before, and five fit a cache."""
    seen = []

    def step(config, parameters, token, cache):
        cache = [*(cache or []), token]
        assert len(cache) <= 5
        seen.append(list(cache))
        return [float(i == 3 + (token - 2) % 3) for i in range(6)], cache

    model = {"kind": "running", "unit": "letters", "vocab": CHARACTERS, "config": CONFIG, "parameters": None}
    monkeypatch.setitem(own_writing.faster(), "decode_step", step)
    written = own_writing.write_tokens(model, [3], lambda logits: logits.index(1.0), 12)
    assert written == [4, 5, 3] * 4  # none is lost and none comes twice
    assert max(map(len, seen)) == 5 and min(len(cache) for cache in seen[6:]) == 1


MISUSE = [
    (["--top-k", "0"], "top-k"),
    (["--top-p", "0"], "top-p"),
    (["--top-p", "1.5"], "top-p"),
    (["--min-p", "nan"], "min-p"),
    (["--length", "none"], "length"),
    (["--model", "none"], "there are stories."),
    (["--model", ""], "There is no model ''"),
    (["--model", "storis"], "mean stories?"),
    (["--model", "stories", "--prompt", "mia has a quark"], "'quark'"),
]


@pytest.mark.parametrize("options, words", MISUSE)
def test_misuse_is_one_sentence(options, words, capsys):
    assert exit_code(commands.main, ["say", *options]) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]
