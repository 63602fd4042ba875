"""Counts as a language model: by hand, by a second computation, and against the numbers of lesson 14."""

import math
import random

import pytest

from helpers import count_ngrams, encode
from helpers.course import NOTEBOOKS
from helpers.course.training.counts import (
    best_counts,
    first_tokens,
    interpolated_losses,
    interpolated_probabilities,
    loss_of_bigrams,
    loss_of_counts,
)
from helpers.course.training.own_model import parameters_in, plan_training, seconds_of_step
from helpers.course.training.own_text import LIST, prepare_text
from helpers.course.training.own_writing import memorized

VOCAB = ["<PAD>", "<BOS>", "<EOS>", *"abcdefghijklmnopqrstuvwxyz"]
NOTHING = dict.fromkeys(("steps", "width"))


def test_interpolation_by_hand():
    """Token 0 came twice of two, after it 1 came once. With strength 2: 1/2, then (2 + 1) / 4, (0 + 1) / 4,
    then (0 + 3/2) / 3, (1 + 1/2) / 3."""
    tables = [{(): {0: 2}}, {(0,): {1: 1}}]
    assert interpolated_probabilities(tables, [], 2, 2) == pytest.approx([3 / 4, 1 / 4])
    assert interpolated_probabilities(tables, [0], 2, 2) == pytest.approx([1 / 2, 1 / 2])
    assert interpolated_losses([0, 1], tables, 2, 2) == pytest.approx([math.log(2)])


@pytest.mark.parametrize("seed", range(5))
def test_losses_are_those_of_the_probabilities_which_sum_to_1(seed):
    rng = random.Random(seed)
    documents = [[1, *(rng.randrange(3, 7) for _ in range(rng.randrange(1, 9))), 2] for _ in range(20)]
    tables = [count_ngrams(documents, n) for n in (1, 2, 3, 4)]
    for document in [*documents[:5], [1, 3, 6, 6, 6, 6, 0, 2]]:
        losses = interpolated_losses(document, tables, 7, 3)
        for i, loss in enumerate(losses, 1):
            p = interpolated_probabilities(tables, document[:i], 7, 3)
            assert math.isclose(sum(p), 1) and math.isclose(p[document[i]], math.exp(-loss))


def test_the_counts_of_the_names_are_those_of_lesson_14():
    """Lesson 14 prints 2.58 for bigrams and 2.48 for interpolated 4-grams, from cells of its own."""
    text = prepare_text([NOTEBOOKS / "names.txt"])
    sets = [[encode(line, text["vocab"]) for line in text[part]] for part in ("train", "val", "test")]
    counts = best_counts(sets[0], sets[1], len(text["vocab"]))
    assert f"{loss_of_bigrams(counts['tables'], sets[1], sets[2], len(text['vocab'])):.2f}" == "2.58"
    assert abs(loss_of_counts(counts, sets[2]) - 2.48) < 0.01


def test_first_tokens_are_whole_documents():
    documents = [[1, 2, 3], [1, 2], [1, 2, 3, 4]]
    assert first_tokens(documents, 5) == documents[:2] and first_tokens(documents, 1) == documents[:1]
    assert first_tokens(documents, 99) == documents


# --- copies


def test_copies_by_hand():
    text = {"kind": LIST, "train": ["ann", "bob"]}
    assert memorized(["ann", "anna", "bob", "cy"], text) == (2, 4)
    text = {"kind": "running", "train": ["the cat sat on the mat, and so on"]}
    assert memorized(["the cat sat on the mat, and"], text) == (8, 8)  # 27 characters: 8 pieces of 20
    assert memorized(["the cat sat on the dog, and"], text) == (0, 8)
    assert memorized(["short"], text) == (0, 1)


# --- a model that fits


def text_of(n, length, kind=LIST):
    lines = ["".join(chr(97 + (i * 7 + j * 3) % 26) for j in range(length)) for i in range(n)]
    return {"kind": kind, "train": lines, "val": lines[:2], "test": lines[:2], "vocab": VOCAB}


def plan(text, minutes, asked=NOTHING):
    """In letters, whatever the text is: the plan asks for the tokens of the text, not for their kind."""
    return plan_training(text, {"kind": text["kind"], "vocab": VOCAB, "merges": []}, minutes, asked)


@pytest.mark.parametrize("minutes", (0.2, 1, 2, 10, 60))
@pytest.mark.parametrize("text", (text_of(80, 7), text_of(2000, 7), text_of(200, 1000, "running")))
def test_the_plan_keeps_the_time(text, minutes):
    config, settings = plan(text, minutes)
    tokens = 4 * 8 if text["kind"] == LIST else 2 * config["n_positions"]
    assert settings["steps"] * seconds_of_step(config, tokens) <= 60 * minutes + 1
    assert settings["warmup_steps"] < settings["steps"]


def test_more_time_or_more_text_make_a_wider_model():
    def size(text, minutes):
        return parameters_in(plan(text, minutes)[0])

    assert size(text_of(2000, 7), 0.2) < size(text_of(2000, 7), 2) < size(text_of(9000, 7), 60)
    assert size(text_of(80, 7), 60) == size(text_of(80, 7), 1)  # few lines want no more
    assert plan(text_of(80, 7), 60)[1]["steps"] == 300  # 15 epochs of 20 steps


def test_what_is_asked_is_done():
    config, settings = plan(text_of(500, 7), 1, {"width": 24, "steps": 7})
    assert config["n_embd"] == 24 and config["n_embd"] % config["n_head"] == 0 and settings["steps"] == 7
