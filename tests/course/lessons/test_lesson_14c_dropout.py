"""The gradients with dropout: without it they are the usual ones, with it the measured ones."""

import random

import pytest

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
    _, gradients = with_dropout(CONFIG, PARAMETERS, 0.4, random.Random(3))(DOCUMENTS[0])
    for name, tensor in PARAMETERS.items():
        rows = tensor if isinstance(tensor[0], list) else [tensor]
        found = gradients[name] if isinstance(tensor[0], list) else [gradients[name]]
        for i, j in ((0, 0), (len(rows) - 1, 1), (min(3, len(rows) - 1), 3)):
            losses = []
            for step in (1e-5, -1e-5):
                changed = [list(row) for row in rows]
                changed[i][j] += step
                changed = changed if isinstance(tensor[0], list) else changed[0]
                given = {**PARAMETERS, name: changed}
                losses.append(sum(with_dropout(CONFIG, given, 0.4, random.Random(3))(DOCUMENTS[0])[0]) / 3)
            assert found[i][j] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-5, abs=1e-8), name


def test_a_mask_keeps_the_expected_sum():
    mask = draw_mask(200, 100, 0.3, random.Random(1))
    numbers = flat(mask)
    assert {*numbers} == {0.0, 1 / 0.7}
    assert sum(numbers) / len(numbers) == pytest.approx(1, abs=0.02)
    assert numbers.count(0.0) / len(numbers) == pytest.approx(0.3, abs=0.01)
