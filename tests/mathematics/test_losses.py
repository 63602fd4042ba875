"""Losses, by hand, against fifty decimals, and by their laws."""

import math
import random
from decimal import Decimal, localcontext

from tables import assert_close, eighths

from helpers.losses import cross_entropy, perplexity, token_losses

LN_2, LN_3 = 0.6931471805599453, 1.0986122886681098  # from a table of logarithms


# --- token_losses


def test_token_losses_by_hand():
    assert_close(token_losses([[0, LN_2, 0]] * 3, [0, 1, 2]), [2 * LN_2, LN_2, 2 * LN_2])
    # shares 1/3 and 2/3: ln 3, and ln 3 − ln 2
    assert_close(token_losses([[5, 5 + LN_2], [5, 5 + LN_2]], [1, 0]), [LN_3 - LN_2, LN_3])
    assert token_losses([[7.5]], [0]) == [0]  # a single token has probability 1
    assert_close(token_losses([[0, 0], [3, 3], [-9, -9]], [0, 1, 1]), [LN_2] * 3)


def exactly(row, target):
    """The loss with fifty digits, from the definition."""
    with localcontext() as context:
        context.prec = 50
        return (sum(Decimal(x).exp() for x in row) / Decimal(row[target]).exp()).ln()


def rows_of_logits():
    rng = random.Random(1)
    small = [eighths(rng, T, V) for T, V in ((1, 2), (3, 3), (4, 6), (2, 16))]
    return [
        *small,
        [[0.1, 30.0, -25.0]],
        [[1e-9, 0.0, -1e-9]],
        [[-700.0, 0.0], [0.0, 700.0]],
        [[800.0, 799.0, 60.0]],
    ]


def test_token_losses_are_those_of_the_definition_with_fifty_digits():
    for logits in rows_of_logits():
        for target in range(len(logits[0])):
            for row, loss in zip(logits, token_losses(logits, [target] * len(logits)), strict=True):
                want = exactly(row, target)
                # what a float can know of it: the sum in the logarithm lies between 1 and V
                assert abs(Decimal(loss) - want) <= Decimal("1e-14") * (1 + want)


def test_huge_logits_neither_overflow_nor_lose_the_target():
    assert token_losses([[1e6, 0], [0, 1e6], [-1e6, 0]], [1, 0, 0]) == [1e6, 1e6, 1e6]
    assert token_losses([[1e6, 0], [-1e6, 0]], [0, 1]) == [0, 0]
    assert token_losses([[1e6, -1e6]], [1]) == [2e6]
    assert_close(token_losses([[1e6, 1e6, -1e6], [-1e6] * 3], [0, 2]), [LN_2, LN_3])
    assert token_losses([[1e300, 0]], [1]) == [1e300]


# --- cross_entropy


def test_cross_entropy_is_the_mean_of_the_losses():
    logits, targets = [[0, LN_2, 0], [0, LN_2, 0], [1, LN_2 + 1, 1], [9, 9, 9]], [0, 1, 1, 2]
    assert_close(cross_entropy(logits, targets), (4 * LN_2 + LN_3) / 4)
    assert_close(cross_entropy(logits[:1], [2]), 2 * LN_2)
    assert_close(cross_entropy([[0] * 6] * 4, [3, 4, 5, 2]), LN_2 + LN_3)
    assert cross_entropy([[1e6, 0], [1e6, 0]], [1, 0]) == 5e5


# --- perplexity


def test_perplexity_is_the_number_of_equally_likely_tokens():
    assert perplexity(0) == 1
    for V in 1, 2, 6, 2.5, 50257:
        assert math.isclose(perplexity(math.log(V)), V, rel_tol=1e-12)
    assert math.isclose(perplexity(LN_2 + LN_3), 6, rel_tol=1e-14)
    assert math.isclose(perplexity(1), 2.718281828459045, rel_tol=1e-15)
    assert perplexity(709.78) < math.inf
    assert perplexity(710) == perplexity(1e6) == perplexity(10**400) == perplexity(math.inf) == math.inf
    assert math.isnan(perplexity(math.nan))
