"""The fast arithmetic of GPT-2, which training and generation use: against the readable functions."""

import math
import random

import pytest
from second_gpt import drawn_gpt
from tables import assert_close

from helpers import adamw_init, adamw_step, batch_gradients, gelu, gelu_derivative, generate, gpt_forward
from helpers.course.engine import fast_gelu, fast_gelu_derivative, fast_generate, fast_gradients, product

SIZES = [(1, 1, 4, 5), (2, 2, 6, 9), (3, 3, 6, 4)]  # layers, heads, width, hidden


def test_fast_gradients_agree_with_gpt_backward():
    for size in SIZES:
        config, parameters = drawn_gpt(*size)
        for documents in ([[3, 1]], [[3, 1, 6, 1, 0, 5, 2]], [[1, 2, 3], [4, 0, 4, 4, 6], [5, 5]]):
            before = repr((parameters, documents))
            loss, gradients = fast_gradients(config, parameters, documents)
            expected_loss, expected = batch_gradients(config, parameters, documents)
            assert_close(loss, expected_loss)
            assert gradients.keys() == expected.keys()
            for name in expected:
                assert_close(gradients[name], expected[name])
            assert repr((parameters, documents)) == before


def test_fast_gradients_find_their_names_whatever_the_order_of_the_parameters():
    config, parameters = drawn_gpt(*SIZES[1])
    turned = dict(reversed(parameters.items()))
    assert fast_gradients(config, turned, [[1, 2, 3]]) == fast_gradients(config, parameters, [[1, 2, 3]])


def test_ten_fast_steps_have_the_losses_of_gpt_backward():
    config, parameters = drawn_gpt(*SIZES[1])
    rng, runs = random.Random(5), []
    texts = [[[rng.randrange(7) for _ in range(rng.randint(2, 7))] for _ in range(2)] for _ in range(10)]
    for gradients_of in (fast_gradients, batch_gradients):
        p, optimizer, losses = parameters, adamw_init(parameters), []
        for documents in texts:
            loss, gradients = gradients_of(config, p, documents)
            p, optimizer = adamw_step(p, gradients, optimizer, lr=0.01)
            losses.append(loss)
        runs.append(losses)
    assert_close(runs[0], runs[1], within=1e-9)
    assert min(runs[0]) < runs[0][0]


def test_a_logit_far_ahead_loses_nothing():
    config, parameters = drawn_gpt(*SIZES[0])
    parameters["wte.weight"] = [[900 * x for x in row] for row in parameters["wte.weight"]]
    loss, _ = fast_gradients(config, parameters, [[1, 2, 3, 4]])
    assert loss > 750 and math.isclose(loss, gpt_forward(config, parameters, [1, 2, 3], [2, 3, 4])["loss"])


def test_products_of_any_width():
    """Whole numbers: exact. Above 500 numbers a product is the sum of two."""
    rng = random.Random(6)
    for n in (1, 2, 17, 499, 500, 501, 1200):
        A, B = ([[rng.randint(-9, 9) for _ in range(n)] for _ in range(m)] for m in (2, 3))
        assert product(A, B) == [[sum(a * b for a, b in zip(row, column)) for column in B] for row in A]


def test_gelu_and_its_derivative_are_the_same_to_the_bit():
    rng = random.Random(7)
    for x in (0.0, -40.0, 40.0, *(rng.gauss(0, 3) for _ in range(2000))):
        assert (fast_gelu(x), fast_gelu_derivative(x)) == (gelu(x), gelu_derivative(x))


@pytest.mark.parametrize(
    "documents", [[[1]], [[1] * 8], [[1, 7]], [[1, 2], [1, -1]], [[1, 2.0, 0.5]], [[]], []], ids=str
)
def test_documents_that_do_not_fit_are_refused(documents):
    config, parameters = drawn_gpt(*SIZES[0])
    with pytest.raises((AssertionError, ValueError), match="documents"):
        fast_gradients(config, parameters, documents)


def test_fast_generation_writes_what_generation_writes():
    config, parameters = drawn_gpt(*SIZES[1])

    def greedily(logits):
        return logits.index(max(logits))

    expected = generate(config, parameters, [3, 1], greedily, 7)
    assert fast_generate(config, parameters, [3, 1], greedily, 7) == expected
