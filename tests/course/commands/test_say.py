"""The command that lets the model write: with a tiny model in place of the trained one, and what it
refuses."""

import math
import random
import re
from collections import Counter

import pytest

from helpers import gpt_forward, init_gpt
from helpers.course import commands
from helpers.course.commands import say
from helpers.course.state import names_task as names_model
from helpers.course.state.names_task import course_sets, split_documents, text_of_model
from helpers.course.training import own_writing

CHARACTERS = ["<PAD>", "<BOS>", "<EOS>", "a", "b", "n"]
CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 8}


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
    """Five rules that leave one token; also in another way, by the readable GPT."""
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
    assert "The model of lesson 14: towns.txt, 0 steps." in told and "has changed" not in told
    for other in ("anna\nban\n" * 10, "anna\nbab\n" * 9, "carl\n" * 18, ""):
        path.write_text(other)
        commands.main(["say", "-n", "1"])
        assert "towns.txt has changed since then, and the model" in capsys.readouterr().err
    path.unlink()
    commands.main(["say", "-n", "1"])
    assert "towns.txt has changed since then" in capsys.readouterr().err


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


def drawn(gpt, *options, n=300):
    """How often each first token is drawn."""
    named = {"most": None, **gpt, "kind": "list", "unit": "letters"}
    choose = own_writing.sampling_rule(random.Random(3), *options)
    logits = gpt_forward(CONFIG, named["parameters"], [1])["logits"][-1]
    return Counter(choose(logits) for _ in range(n)), sorted(range(6), key=lambda i: -logits[i])


def test_top_k_top_p_and_min_p_leave_what_lesson_15_leaves(gpt):
    """With two of six tokens left, or those that add up to a half of nearly equal ones, which are three."""
    counts, order = drawn(gpt, 1.0, 2)
    assert set(counts) == set(order[:2])
    counts, order = drawn(gpt, 1.0, None, 0.5)
    assert set(counts) == set(order[:3])
    counts, order = drawn(gpt, 1.0, None, None, 1.0)
    assert set(counts) == set(order[:1])
    assert len(drawn(gpt, 1.0, 99)[0]) == 6  # more than there are: all


def test_the_rules_by_hand():
    """Of probabilities 0.5, 0.3 and 0.2: top-k 2 and top-p 0.6 leave two, min-p 0.7 leaves one."""
    logits = [math.log(p) for p in (0.5, 0.3, 0.2)]
    for options, left in [((), {0, 1, 2}), ((2,), {0, 1}), ((None, 0.6), {0, 1}), ((None, None, 0.7), {0})]:
        choose = own_writing.sampling_rule(random.Random(1), 1.0, *options)
        assert {choose(logits) for _ in range(100)} == left
    cold = own_writing.sampling_rule(random.Random(1), 0.05)
    assert sum(cold(logits) == 0 for _ in range(1000)) > 990  # (0.3 / 0.5) to the power of 20 is 0.00004


WORDS = ["<PAD>", "<BOS>", "<EOS>", "mia", "has", "a", "red", "ball", ".", ","]


def test_a_model_of_words_reads_and_writes_words():
    model = {"kind": "running", "unit": "words", "vocab": WORDS, "config": {"n_positions": 9}}
    assert own_writing.prompt_tokens("Mia has a ball.", model) == [1, 3, 4, 5, 7, 8]
    assert own_writing.spelled([1, 3, 4, 5, 7, 8, 2], model) == "mia has a ball."
    with pytest.raises(
        ValueError, match="the word 'dog', which the model has never read; write with mia has a"
    ):
        own_writing.prompt_tokens("mia has a dog", model)
    with pytest.raises(ValueError, match="'<EOS>'"):
        own_writing.prompt_tokens("mia <EOS>", model)


def test_the_model_that_the_course_ships_writes_stories(capsys):
    assert (
        commands.main(["say", "--model", "stories", "--prompt", "Mia has a", "-n", "2", "--seed", "1"]) == 0
    )
    out, err = capsys.readouterr()
    assert err.startswith("stories: comes with the course") and len(out.splitlines()) == 2
    assert all(
        re.fullmatch(r"Mia has a [a-z ,.]{20,}", line) and " ." not in line for line in out.splitlines()
    )


def test_a_running_text_goes_on_where_the_positions_end():
    """Each token follows from the one before, and five fit a cache."""
    seen = []

    def step(config, parameters, token, cache):
        cache = [*(cache or []), token]
        assert len(cache) <= 5
        seen.append(list(cache))
        return [float(i == 3 + (token - 2) % 3) for i in range(6)], cache

    model = {"kind": "running", "unit": "letters", "vocab": CHARACTERS, "config": CONFIG, "parameters": None}
    before = own_writing.faster()["decode_step"]
    own_writing.faster()["decode_step"] = step
    try:
        written = own_writing.write_tokens(model, [3], lambda logits: logits.index(1.0), 12)
    finally:
        own_writing.faster()["decode_step"] = before
    assert written == [4, 5, 3] * 4  # none is lost and none comes twice
    assert max(map(len, seen)) == 5 and min(len(cache) for cache in seen[6:]) == 1


@pytest.mark.parametrize(
    "options, words",
    [
        (["--top-k", "0"], "top-k"),
        (["--top-p", "0"], "top-p"),
        (["--top-p", "1.5"], "top-p"),
        (["--min-p", "nan"], "min-p"),
        (["--length", "none"], "length"),
        (["--model", "none"], "There is no model 'none'; there are stories."),
        (["--model", "storis"], "did you mean stories?"),
        (
            ["--model", "stories", "--prompt", "mia has a quark"],
            "the word 'quark', which the model has never",
        ),
    ],
)
def test_misuse_is_one_sentence(options, words, capsys):
    try:
        code = commands.main(["say", *options])
    except SystemExit as end:
        code = end.code
    assert code == 2 and words in capsys.readouterr().err.splitlines()[-1]
