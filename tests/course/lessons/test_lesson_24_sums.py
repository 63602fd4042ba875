"""The sums of lesson 24: which are held out, where a text goes wrong, and the facts to look up."""

import pytest

from helpers import words_of
from helpers.course import countries, sums


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


def test_each_question_has_a_sentence_with_its_answer():
    assert len(countries.SENTENCES) == 30 == len({*countries.SENTENCES}) and len(countries.QUESTIONS) == 20
    for question, place, answer in countries.QUESTIONS:
        assert answer in countries.SENTENCES[place]
        assert not {*words_of(answer)} <= {*words_of(question)}
