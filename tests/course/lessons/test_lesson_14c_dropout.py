"""The gradients with dropout: without it they are the usual ones, with it the measured ones."""

import random

import pytest
from gradient_checks import derivative_at

from helpers.course.engine import fast_gradients
from helpers.course.lessons.lesson_14c_dropout import draw_mask, dropout_gradients, with_dropout
from helpers.course.training.loop import start_run

CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2, "n_inner": 6}
VOCAB, DOCUMENTS = list("abcdef"), [[1, 3, 4, 2], [1, 5, 2]]
PARAMETERS = start_run(DOCUMENTS, CONFIG, VOCAB)["parameters"]


def flat(tensor):
    return sum(tensor, []) if isinstance(tensor[0], list) else tensor


def test_without_dropout_they_are_the_usual_gradients():
    loss, gradients = dropout_gradients(CONFIG, PARAMETERS, DOCUMENTS, 0.0, random.Random(1))
    usual, expected = fast_gradients(CONFIG, PARAMETERS, DOCUMENTS)
    assert loss == pytest.approx(usual, rel=1e-12) and list(gradients) == list(expected)
    for name, tensor in expected.items():
        assert flat(gradients[name]) == pytest.approx(flat(tensor), rel=1e-9, abs=1e-15), name


def test_with_dropout_they_are_the_measured_gradients():
    def loss(parameters):
        return sum(with_dropout(CONFIG, parameters, 0.4, random.Random(3))(DOCUMENTS[0])[0]) / 3

    _, gradients = with_dropout(CONFIG, PARAMETERS, 0.4, random.Random(3))(DOCUMENTS[0])
    for name, tensor in PARAMETERS.items():
        for column in (0, 1, 3):
            place = (-1, column) if isinstance(tensor[0], list) else (column,)
            measured = derivative_at(loss, PARAMETERS, name, *place)
            found = gradients[name][-1] if isinstance(tensor[0], list) else gradients[name]
            assert found[column] == pytest.approx(measured, rel=1e-5, abs=1e-8), name


def test_a_mask_keeps_the_expected_sum():
    mask = draw_mask(200, 100, 0.3, random.Random(1))
    numbers = flat(mask)
    assert {*numbers} == {0.0, 1 / 0.7}
    assert sum(numbers) / len(numbers) == pytest.approx(1, abs=0.02)
    assert numbers.count(0.0) / len(numbers) == pytest.approx(0.3, abs=0.01)
