"""The sums of lesson 24: which are held out, where a text goes wrong, the form, and the facts to look up."""

import itertools
import random
import re

import pytest

from helpers import init_gpt, words_of
from helpers.course import countries, sums
from helpers.course.training.loop import scale_initial_weights


def model():
    return scale_initial_weights(init_gpt(sums.CONFIG, random.Random(1)))


def test_no_training_uses_a_test_sum():
    seen = []

    def answer(a, b, n):
        seen.append((a, b))
        return "000."

    sums.train_sums(answer, steps=41, batch=2)
    assert len(seen) == 82 and not {*seen} & {*sums.test_sums()}


@pytest.mark.parametrize(
    "text, part",
    [
        ("1509:095.", ""),
        ("0509:095.", "column 1"),
        ("1408:084.", "column 1"),
        ("1508:085.", "column 2"),
        ("1509:085.", "the sum"),
        ("1509095.", "the sum"),
        ("15", "column 2"),
    ],
)
def test_the_first_wrong_part(text, part):
    assert sums.first_wrong_part(text, 37, 58) == part


def test_right_is_the_sum_after_the_steps():
    assert sums.is_right("1509:095.", 37, 58) and sums.is_right("0000:095.", 37, 58)
    assert not sums.is_right("1509:95.", 37, 58) and not sums.is_right("1509", 37, 58)


def test_a_masked_text_has_the_form_and_a_cost():
    for n in (2, 3):
        found, _, cost = sums.measure_form(model(), sums.test_sums(4, n), n, masked=True)
        assert found == 1.0 and cost > 1.0
    assert sums.measure_form(model(), sums.test_sums(4), 2, masked=False)[::2] == [0.0, 0.0]


def test_each_question_has_a_sentence_with_its_answer():
    assert len(countries.SENTENCES) == 30 == len({*countries.SENTENCES}) and len(countries.QUESTIONS) == 20
    for question, place, answer in countries.QUESTIONS:
        assert answer in countries.SENTENCES[place]
        assert not {*words_of(answer)} <= {*words_of(question)}


FORMS = {  # with the same as a regular expression
    "a{1,2}b": [("a", 1, 2), ("b", 1, 1)],
    "a{0,2}a{1,1}": [("a", 0, 2), ("a", 1, 1)],
    "[ab]{0,1}c{2,2}[ab]{1,3}": [("ab", 0, 1), ("c", 2, 2), ("ab", 1, 3)],
    "[ab]{1,2}[bc]{1,2}": [("ab", 1, 2), ("bc", 1, 2)],
}


@pytest.mark.parametrize("pattern", FORMS)
def test_a_text_can_begin_a_form_if_one_of_all_texts_begins_with_it(pattern):
    every = ["".join(letters) for n in range(7) for letters in itertools.product("abc", repeat=n)]
    whole = [text for text in every if re.fullmatch(pattern, text)]
    beginnings = {text[:n] for text in whole for n in range(len(text) + 1)}
    assert [text for text in every if sums.can_begin(text, FORMS[pattern])] == [
        text for text in every if text in beginnings
    ]
