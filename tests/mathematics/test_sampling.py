"""Rules that choose a token: by hand, by their laws, and a draw that is counted."""

import inspect
import math
import random
from fractions import Fraction

import pytest
from tables import assert_close

from helpers import (
    argsort_descending,
    greedy,
    min_p,
    renormalize,
    residual_distribution,
    sample,
    softmax_with_temperature,
    speculative_step,
    top_k,
    top_p,
)

FIVE = [0.125, 0.5, 0.0625, 0.25, 0.0625]


def test_the_order_by_hand():
    assert argsort_descending(FIVE) == [1, 3, 0, 2, 4]
    assert argsort_descending([0.25] * 4) == [0, 1, 2, 3]


def test_renormalized_by_hand():
    assert_close(renormalize(FIVE, [0, 3]), [1 / 3, 0.0, 0.0, 2 / 3, 0.0])
    assert_close(renormalize(FIVE, [3, 0, 3]), [1 / 3, 0.0, 0.0, 2 / 3, 0.0])


def test_top_k_by_hand():
    assert top_k(FIVE, 1) == [0.0, 1.0, 0.0, 0.0, 0.0] == greedy(FIVE)
    assert_close(top_k(FIVE, 2), [0.0, 2 / 3, 0.0, 1 / 3, 0.0])
    assert_close(top_k(FIVE, 4), [2 / 15, 8 / 15, 1 / 15, 4 / 15, 0.0])  # of two equals, the first
    assert_close(top_k(FIVE, 5), FIVE)


def test_top_p_by_hand():
    assert_close(top_p(FIVE, 0.5), [0.0, 1.0, 0.0, 0.0, 0.0])
    assert_close(top_p(FIVE, 0.51), [0.0, 2 / 3, 0.0, 1 / 3, 0.0])
    assert_close(top_p(FIVE, 0.75), [0.0, 2 / 3, 0.0, 1 / 3, 0.0])
    assert_close(top_p(FIVE, 1), FIVE)
    assert_close(top_p(FIVE, 1e-9), [0.0, 1.0, 0.0, 0.0, 0.0])  # one is always left


def test_min_p_by_hand():
    assert_close(min_p(FIVE, 0.5), [0.0, 2 / 3, 0.0, 1 / 3, 0.0])
    assert_close(min_p(FIVE, 0.25), [1 / 7, 4 / 7, 0.0, 2 / 7, 0.0])
    assert_close(min_p(FIVE, 0), FIVE)
    assert_close(min_p(FIVE, 1), [0.0, 1.0, 0.0, 0.0, 0.0])


def test_temperature_by_hand():
    assert_close(softmax_with_temperature([math.log(3), 0.0], 1.0), [3 / 4, 1 / 4])
    assert_close(softmax_with_temperature([math.log(3), 0.0], 0.5), [9 / 10, 1 / 10])
    assert_close(softmax_with_temperature([math.log(16), 0.0], 2.0), [4 / 5, 1 / 5])
    assert_close(softmax_with_temperature([1000.0, 999.0, -1000.0], 0.001), [1.0, 0.0, 0.0])
    assert_close(softmax_with_temperature([1e308, -1e308], 1e-5), [1.0, 0.0])


def test_every_rule_gives_a_distribution():
    rng = random.Random(1)
    rules = [(greedy,), (top_k, 3), (top_p, 0.6), (min_p, 0.3), (renormalize, [2, 4])]
    for _ in range(50):
        weights = [rng.random() ** 4 for _ in range(8)]
        q = [w / sum(weights) for w in weights]
        for rule, *settings in rules:
            found = rule(q, *settings)
            assert len(found) == 8 and min(found) >= 0 and math.isclose(sum(found), 1)
            allowed = [(p, x) for p, x in zip(q, found) if x]
            assert all(
                math.isclose(x / p, allowed[0][1] / allowed[0][0]) for p, x in allowed
            )  # no favourites among what is left


def test_the_sets_are_those_of_exact_arithmetic():
    """In fractions, by the definitions: of all sets that hold p, the smallest; of all tokens, those at
    least p times the largest."""
    rng = random.Random(2)
    for _ in range(200):
        whole = [rng.randint(0, 16) for _ in range(6)]
        n = sum(whole) or 1
        if n & (n - 1) or not sum(whole):  # only such as floats hold exactly
            whole[0] += (1 << n.bit_length()) - sum(whole)
            n = sum(whole)
        exact, p = [Fraction(w, n) for w in whole], Fraction(rng.randint(1, 64), 64)
        q = [float(x) for x in exact]
        order = sorted(range(6), key=lambda i: -exact[i])
        fewest = next(m for m in range(1, 7) if sum(exact[i] for i in order[:m]) >= p)
        assert {i for i, x in enumerate(top_p(q, float(p))) if x} == {i for i in order[:fewest] if whole[i]}
        assert {i for i, x in enumerate(min_p(q, float(p))) if x} == {
            i for i in range(6) if exact[i] >= p * max(exact)
        }


# --- a draw


def chi_square(probabilities, n=10_000):
    """Squares of the gaps to what is expected, in units of it: about one less than there are tokens, if
    the draw is fair."""
    rng, came = random.Random(3), [0] * len(probabilities)
    for _ in range(n):
        came[sample(probabilities, rng)] += 1
    assert all(c == 0 for c, p in zip(came, probabilities) if not p)
    return sum((c - n * p) ** 2 / (n * p) for c, p in zip(came, probabilities) if p)


def test_a_draw_is_fair():
    """Five degrees of freedom: above 20.5 in one fair draw of a thousand."""
    for q in ([0.3, 0.25, 0.2, 0.15, 0.06, 0.04], [0.04, 0.0, 0.3, 0.26, 0.1, 0.3]):
        assert chi_square(q) < 20.5


def test_a_draw_takes_one_number_of_its_stream_and_what_is_sure_comes():
    first, second = random.Random(4), random.Random(4)
    drawn = sample([0.25, 0.75], first)
    assert drawn == (second.random() >= 0.25) and first.random() == second.random()
    assert {sample([0.0, 0.0, 1.0, 0.0], random.Random(seed)) for seed in range(50)} == {2}


class Late(random.Random):
    """A stream whose next number is the largest below 1."""

    def random(self):
        return math.nextafter(1.0, 0.0)


def test_where_rounding_leaves_the_sum_below_the_point_no_forbidden_token_comes():
    tenths = [0.1] * 10 + [0.0]
    assert sum(tenths) < 1
    assert tenths[sample(tenths, Late())] > 0
    assert sample([0.1, 0.4] + [0.1] * 5, Late()) == 1  # the most probable one


def test_a_token_of_probability_0_is_never_drawn():
    class Zero(random.Random):
        def random(self):
            return 0.0

    assert sample([0.0, 0.0, 1.0], Zero()) == 2


# --- speculative decoding


def test_the_residual_distribution_by_hand():
    assert_close(residual_distribution([0.5, 0.5], [0.75, 0.25]), [0, 1])
    assert_close(residual_distribution([0.4, 0.4, 0.2, 0], [0.1, 0.3, 0.1, 0.5]), [0.6, 0.2, 0.2, 0])
    with pytest.raises(AssertionError, match="p and q are equal"):
        inspect.unwrap(residual_distribution)([0.5, 0.5], [0.5, 0.5])


class Numbers(random.Random):
    """A stream of given numbers."""

    def __init__(self, *numbers):
        super().__init__()
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


def test_a_speculative_step_by_hand():
    p, q = [[0.25, 0.75], [0.5, 0.5], [0.875, 0.125]], [[0.5, 0.5], [0.5, 0.5]]
    # token 0 is accepted with probability 1/2, token 1 always
    assert speculative_step([0, 1], p, q, Numbers(0.49, 0.99, 0.8)) == [0, 1, 0]
    assert speculative_step([0, 1], p, q, Numbers(0.49, 0.99, 0.9)) == [0, 1, 1]
    assert speculative_step([0, 1], p, q, Numbers(0.5, 0.0)) == [1]  # the residual of p is all token 1
    assert speculative_step([1, 1], p, q, Numbers(0.99, 0.99, 0.0)) == [1, 1, 0]
    assert speculative_step([], p[:1], [], Numbers(0.3)) == [1]
    with pytest.raises(AssertionError, match="p one more"):
        inspect.unwrap(speculative_step)([0, 1], p[:2], q, Numbers())


def outcomes(p, q, n=24):
    """The probabilities of the results of a step with one draft: drafts by q, and all numbers on a grid."""
    found, grid = {}, [(i + 0.5) / n for i in range(n)]
    for token, chance in enumerate(q[0]):
        for first in grid if chance else []:
            for second in grid:
                tokens = speculative_step([token], p, q, Numbers(first, second, 1.0))
                found[tuple(tokens)] = found.get(tuple(tokens), 0) + chance / n**2
    return found


def test_the_first_token_of_a_step_has_exactly_the_probabilities_of_the_model():
    """Every way that a step can go, weighted: a grid of 24 hits each probability in eighths and thirds."""
    p = [[0.125, 0.5, 0.25, 0.125], [0.25, 0.25, 0.25, 0.25]]
    for q in ([0.5, 0.25, 0.25, 0.0], [0.125, 0.125, 0.25, 0.5], [0.125, 0.5, 0.25, 0.125]):
        found = [0.0] * 4
        for tokens, chance in outcomes(p, [q]).items():
            found[tokens[0]] += chance
        assert_close(found, p[0], within=1e-12)
