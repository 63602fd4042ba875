"""Losses, by hand, against fifty decimals, and by the laws that every surprise obeys."""

import inspect
import math
import random
from decimal import Decimal, localcontext

import pytest
from tables import assert_close, eighths, holds, leaves_alone, true_of

from helpers import losses
from helpers.losses import cross_entropy, perplexity, token_losses

LN_2, LN_3 = 0.6931471805599453, 1.0986122886681098  # from a table of logarithms


def surprise(row, target, largest):
    return math.log(sum(math.exp(x - largest) for x in row)) - (row[target] - largest)


def wrong_losses(of_row=None, aim=lambda t, target, V: target):
    """Token losses with one thing wrong: another loss of a row and a target, or another target."""
    of_row = of_row or (lambda row, target: surprise(row, target, max(row)))

    def near_miss(logits, targets):
        return [of_row(row, aim(t, i, len(row))) for t, (row, i) in enumerate(zip(logits, targets))]

    return near_miss


def softmax_first(row, target):
    """Right on paper: the probability, then its logarithm. Far from the largest the probability is 0."""
    return -math.log(math.exp(row[target] - max(row)) / sum(math.exp(x - max(row)) for x in row))


def clipped(row, target):
    share = math.exp(row[target] - max(row)) / sum(math.exp(x - max(row)) for x in row)
    return -math.log(max(share, 1e-12))


NO_MAXIMUM = wrong_losses(lambda row, target: surprise(row, target, 0))
MAXIMUM_HALF_SUBTRACTED = wrong_losses(lambda row, target: surprise(row, target, max(row)) - max(row))
BITS = wrong_losses(lambda row, target: surprise(row, target, max(row)) / math.log(2))
NEGATED = wrong_losses(lambda row, target: -surprise(row, target, max(row)))
NEXT = wrong_losses(aim=lambda t, target, V: (target + 1) % V)
PREVIOUS = wrong_losses(aim=lambda t, target, V: target - 1)
POSITION = wrong_losses(aim=lambda t, target, V: t % V)
WITHOUT_TARGET = wrong_losses(
    lambda row, target: math.log(sum(math.exp(x) for j, x in enumerate(row) if j != target)) - row[target]
)


# --- token_losses


@true_of(
    token_losses,
    not_of={
        "bits": BITS,
        "negated": NEGATED,
        "the probability": wrong_losses(lambda row, i: math.exp(-surprise(row, i, max(row)))),
        "its complement": wrong_losses(lambda row, i: 1 - math.exp(-surprise(row, i, max(row)))),
        "the next token": NEXT,
        "the token before": PREVIOUS,
        "the position as the target": POSITION,
        "without the target in the sum": WITHOUT_TARGET,
        "the likeliest token": wrong_losses(lambda row, i: surprise(row, row.index(max(row)), max(row))),
        "the last row forgotten": lambda logits, targets: token_losses(logits, targets)[:-1],
        "already the mean": lambda logits, targets: [cross_entropy(logits, targets)] * len(targets),
    },
)
def test_token_losses_by_hand(token_losses):
    # e^logit is 1, 2, 1: the shares are 1/4, 1/2, 1/4, and −log of them ln 4, ln 2, ln 4
    assert_close(token_losses([[0, LN_2, 0]] * 3, [0, 1, 2]), [2 * LN_2, LN_2, 2 * LN_2])
    # shares 1/3 and 2/3: ln 3, and ln 3 − ln 2
    assert_close(token_losses([[5, 5 + LN_2], [5, 5 + LN_2]], [1, 0]), [LN_3 - LN_2, LN_3])
    assert token_losses([[7.5]], [0]) == [0]  # a single token surprises nobody
    assert_close(token_losses([[0, 0], [3, 3], [-9, -9]], [0, 1, 1]), [LN_2] * 3)


@true_of(
    token_losses,
    not_of={
        "bits": BITS,
        "negated": NEGATED,
        "without the target in the sum": WITHOUT_TARGET,
        "1 / V": wrong_losses(lambda row, i: 1 / len(row)),
        "maximum given back once only": MAXIMUM_HALF_SUBTRACTED,
    },
)
def test_who_finds_all_tokens_equally_likely_is_surprised_by_ln_v(token_losses):
    with localcontext() as context:
        context.prec = 50
        for V in 6, 2, 1, 10, 256, 50257:
            for logit in 0, -3.5, 1000.0:
                (loss,) = token_losses([[logit] * V], [V - 1])
                assert abs(Decimal(loss) - Decimal(V).ln()) <= Decimal("1e-11")


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


@true_of(
    token_losses,
    not_of={
        "no maximum taken out": NO_MAXIMUM,
        "softmax, then the logarithm": wrong_losses(softmax_first),
        "the share held above 1e-12": wrong_losses(clipped),
        "single precision of the logarithm": wrong_losses(
            lambda row, i: round(surprise(row, i, max(row)), 7)
        ),
        "the next token": NEXT,
        "bits": BITS,
    },
)
def test_token_losses_are_those_of_the_definition_with_fifty_digits(token_losses):
    for logits in rows_of_logits():
        for target in range(len(logits[0])):
            for row, loss in zip(logits, token_losses(logits, [target] * len(logits)), strict=True):
                want = exactly(row, target)
                # what a float can know of it: the sum in the logarithm lies between 1 and V
                assert abs(Decimal(loss) - want) <= Decimal("1e-14") * (1 + want)


@true_of(
    token_losses,
    not_of={
        "no maximum taken out": NO_MAXIMUM,
        "maximum given back once only": MAXIMUM_HALF_SUBTRACTED,
        "shares of the logits": wrong_losses(lambda row, i: -math.log(abs(row[i] / sum(map(abs, row))))),
    },
)
def test_the_same_added_to_every_logit_changes_nothing(token_losses):
    rng = random.Random(2)
    for T, V in (1, 3), (4, 6):
        logits, targets = eighths(rng, T, V), [rng.randrange(V) for _ in range(T)]
        before = token_losses(logits, targets)
        for c in 1, -40, 1024, -(2**20):  # eighths stay exact
            assert_close(token_losses([[x + c for x in row] for row in logits], targets), before)


@true_of(
    token_losses,
    not_of={
        "no maximum taken out": NO_MAXIMUM,
        "softmax, then the logarithm": wrong_losses(softmax_first),
        "the share held above 1e-12": wrong_losses(clipped),
        "the smallest taken out": wrong_losses(lambda row, i: surprise(row, i, min(row))),
        "the target's taken out": wrong_losses(lambda row, i: surprise(row, i, row[i])),
    },
)
def test_huge_logits_neither_overflow_nor_lose_the_target(token_losses):
    assert token_losses([[1e6, 0], [0, 1e6], [-1e6, 0]], [1, 0, 0]) == [1e6, 1e6, 1e6]
    assert token_losses([[1e6, 0], [-1e6, 0]], [0, 1]) == [0, 0]
    assert token_losses([[1e6, -1e6]], [1]) == [2e6]
    assert_close(token_losses([[1e6, 1e6, -1e6], [-1e6] * 3], [0, 2]), [LN_2, LN_3])
    assert token_losses([[1e300, 0]], [1]) == [1e300]


@true_of(
    token_losses,
    not_of={
        "the complement": wrong_losses(lambda row, i: -math.log(1 - math.exp(-surprise(row, i, max(row))))),
        "without the target in the sum": WITHOUT_TARGET,
        "bits": BITS,
        "negated": NEGATED,
        "the next token": NEXT,
    },
)
def test_the_probabilities_of_all_targets_add_up_to_1_and_no_surprise_is_below_0(token_losses):
    for logits in rows_of_logits():
        V = len(logits[0])
        for row in logits:
            surprises = token_losses([row] * V, list(range(V)))
            assert min(surprises) >= 0
            assert abs(math.fsum(math.exp(-loss) for loss in surprises) - 1) < 1e-13
            assert surprises.index(min(surprises)) == row.index(max(row))


@true_of(
    token_losses,
    not_of={
        "rows mixed": lambda logits, targets: token_losses(logits[::-1], targets),
        "targets from the first row on": lambda logits, targets: token_losses(
            logits, targets[:1] * len(targets)
        ),
    },
)
def test_no_position_sees_another(token_losses):
    rng = random.Random(3)
    logits, targets = eighths(rng, 5, 6), [3, 1, 4, 5, 0]
    alone = [token_losses([row], [target])[0] for row, target in zip(logits, targets)]
    assert token_losses(logits, targets) == alone


def test_true_is_the_token_1_and_whole_numbers_are_logits():
    """As everywhere in Python: True is an int."""
    assert token_losses([[0, 1, 5]], [True]) == token_losses([[0.0, 1.0, 5.0]], [1])


# --- cross_entropy


@true_of(
    cross_entropy,
    not_of={
        "the sum": lambda X, y: sum(token_losses(X, y)),
        "bits": lambda X, y: sum(BITS(X, y)) / len(y),
        "divided by V": lambda X, y: sum(token_losses(X, y)) / len(X[0]),
        "divided by one less": lambda X, y: sum(token_losses(X, y)) / max(1, len(y) - 1),
        "the worst": lambda X, y: max(token_losses(X, y)),
        "the last": lambda X, y: token_losses(X, y)[-1],
        "the middle one": lambda X, y: sorted(token_losses(X, y))[len(y) // 2],
        "of the mean probability": lambda X, y: (
            -math.log(sum(math.exp(-x) for x in token_losses(X, y)) / len(y))
        ),
        "of the mean logits": lambda X, y: token_losses([[sum(c) / len(c) for c in zip(*X)]], y[:1])[0],
        "the next token": lambda X, y: sum(NEXT(X, y)) / len(y),
    },
)
def test_cross_entropy_is_the_mean_of_the_losses(cross_entropy):
    # the shares are 1/4, 1/2, 1/4 in the first rows, 1/3 each in the last; −log: 2, 1, 1 times ln 2, and ln 3
    logits, targets = [[0, LN_2, 0], [0, LN_2, 0], [1, LN_2 + 1, 1], [9, 9, 9]], [0, 1, 1, 2]
    assert_close(cross_entropy(logits, targets), (4 * LN_2 + LN_3) / 4)
    assert_close(cross_entropy(logits[:1], [2]), 2 * LN_2)
    assert_close(cross_entropy([[0] * 6] * 4, [3, 4, 5, 2]), LN_2 + LN_3)
    assert cross_entropy([[1e6, 0], [1e6, 0]], [1, 0]) == 5e5


# --- perplexity


@true_of(
    perplexity,
    not_of={
        "a power of 2": lambda loss: 2**loss,
        "1 more": lambda loss: math.exp(loss) + 1,
        "expm1": math.expm1,
        "of the negative": lambda loss: math.exp(-loss),
        "overflow": math.exp,
        "a largest float instead of inf": lambda loss: math.exp(min(loss, 709.78)),
        "whole tokens": lambda loss: round(perplexity(loss)) if loss < 700 else math.inf,
    },
)
def test_perplexity_counts_the_tokens_that_are_guessed_among(perplexity):
    assert perplexity(0) == 1
    for V in 1, 2, 6, 2.5, 50257:
        assert math.isclose(perplexity(math.log(V)), V, rel_tol=1e-12)
    assert math.isclose(perplexity(LN_2 + LN_3), 6, rel_tol=1e-14)
    assert math.isclose(perplexity(1), 2.718281828459045, rel_tol=1e-15)
    assert perplexity(709) < math.inf
    assert perplexity(710) == perplexity(1e6) == perplexity(10**400) == perplexity(math.inf) == math.inf
    assert math.isnan(perplexity(math.nan))


@true_of(
    cross_entropy,
    not_of={
        "the sum": lambda X, y: sum(token_losses(X, y)),
        "bits": lambda X, y: sum(BITS(X, y)) / len(y),
        "of the mean probability": lambda X, y: (
            -math.log(sum(math.exp(-x) for x in token_losses(X, y)) / len(y))
        ),
        "so that the perplexities' mean comes out": lambda X, y: math.log(
            sum(map(math.exp, token_losses(X, y))) / len(y)
        ),
    },
)
def test_the_perplexity_of_a_sentence_is_a_geometric_mean(cross_entropy):
    """Shares 1/2, 1/4, 1/8: among 2, 4 and 8; 2 · 4 · 8 is 64, and its third root 4."""
    logits = [[0, 0, -1e6], [0, LN_2, 0], [0, LN_2 + LN_3, 0]]
    assert math.isclose(perplexity(cross_entropy(logits, [0, 2, 0])), 4, rel_tol=1e-12)


# --- all of them

CALLS = [
    (token_losses, [[[1, 2, 0.5], [3, 5, 0]], [1, 0]]),
    (cross_entropy, [[[1, 2, 0.5], [3, 5, 0]], [1, 0]]),
    (perplexity, [1.5]),
]


@pytest.mark.parametrize("function, arguments", CALLS)
def test_what_goes_in_is_not_changed_and_not_handed_on(function, arguments):
    leaves_alone(function, arguments)


def shifted_in_place(logits, targets):
    for row in logits:
        row[:] = [x - max(row) for x in row]
    return token_losses(logits, targets)


def targets_used_up(logits, targets):
    return [surprise(row, targets.pop(0), max(row)) for row in logits]


@pytest.mark.parametrize("near_miss", [shifted_in_place, targets_used_up])
def test_changing_the_logits_or_the_targets_would_be_noticed(near_miss):
    logits, targets = CALLS[0][1]
    assert near_miss([list(row) for row in logits], list(targets))
    assert not holds(
        lambda function: leaves_alone(function, [[list(r) for r in logits], list(targets)]), near_miss
    )


def test_every_function_of_the_module_is_tested_here():
    own = {f for f, g in inspect.getmembers(losses, inspect.isfunction) if g.__module__ == losses.__name__}
    assert own == {f.__name__ for f, _ in CALLS}
