"""Training in 16 bits: which gradients are left of a large batch; without rounding, they are the mean's."""

import random

import pytest

from helpers import batch_gradients, init_gpt, tree_map, unscale_gradients
from helpers.course.lessons.lesson_19b_half_precision import HalfPrecision
from helpers.course.training import loop

CONFIG = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 3}


DOCUMENTS = [[1, 3, 2], [1, 4, 4, 3, 2]]


def numbers(tree):
    found = []
    tree_map(found.extend, tree)
    return found


def test_the_positions_that_no_document_reaches_have_gradients_of_0():
    """Of 4 positions, a document of 3 tokens uses 2. Of 1e30 positions,
    every gradient in fp16 is 0."""
    parameters = init_gpt(CONFIG, random.Random(1))
    zero, subnormal = HalfPrecision("64 bits").zero_and_subnormal(CONFIG, parameters, [[1, 3, 2]])
    count = sum(len(row) if isinstance(row, list) else 1 for entry in parameters.values() for row in entry)
    assert 4 / count <= zero < 0.5 and subnormal == 0
    tiny = HalfPrecision("fp16", positions=10**30)
    assert tiny.zero_and_subnormal(CONFIG, parameters, [[1, 3, 2]]) == (1, 0)


@pytest.mark.parametrize("positions, loss_scale", [(None, 1.0), (None, 8.0), (3_000_000, 2.0**20)])
def test_without_rounding_the_gradients_are_those_of_the_mean_loss(positions, loss_scale):
    """Whatever the size of the batch that the documents stand for: it holds them many times."""
    parameters = init_gpt(CONFIG, random.Random(1))
    loss, gradients = batch_gradients(CONFIG, parameters, DOCUMENTS)
    half = HalfPrecision("64 bits", loss_scale, positions)
    got_loss, got = half.gradients(CONFIG, parameters, DOCUMENTS)
    assert got_loss == pytest.approx(loss, rel=1e-12)
    assert numbers(got) == pytest.approx(numbers(gradients), rel=1e-9, abs=1e-15)


def test_a_step_with_inf_changes_no_weight():
    run = loop.start_run(DOCUMENTS, CONFIG, ["a"] * 5, {"steps": 4, "warmup_steps": 1})
    half = HalfPrecision("fp16", 2.0**60, unscale=unscale_gradients)
    after = half.step(run, DOCUMENTS)
    assert after["parameters"] == run["parameters"] and after["step"] == 1
    assert half.skipped == 1 and half.loss_scale == 2.0**59
