"""Rewards and preferences: tables worked by hand, properties, finite differences, and a policy that can be
listed whole."""

import itertools
import math
import random

import pytest
from gradient_checks import derivatives
from tables import assert_close

from helpers import (
    advantages,
    dpo_loss,
    dpo_loss_backward,
    dpo_margin,
    group_advantages,
    kl_divergence,
    masked_loss,
    penalized_reward,
    policy_gradient_loss,
    token_losses_backward,
)
from helpers.attention import softmax


def test_an_advantage_is_the_reward_minus_the_mean():
    assert advantages([1, 0, 0, 1]) == [0.5, -0.5, -0.5, 0.5]
    assert advantages([0, 0, 6]) == [-2, -2, 4] and advantages([3]) == [0]


@pytest.mark.parametrize("a, b", [(1, 100), (7, -3), (0.5, 0)])
def test_grpo_does_not_react_to_the_scale_of_the_rewards(a, b):
    rewards = [3.0, 1.0, 4.0, 1.0, 5.0]
    # by hand: mean 2.8, squares 0.04, 3.24, 1.44, 3.24, 4.84, variance 2.56, deviation 1.6
    by_hand = [0.125, -1.125, 0.75, -1.125, 1.375]
    moved = [a * r + b for r in rewards]
    assert_close(group_advantages(moved), by_hand, 1e-5)
    assert group_advantages([2.0, 2.0]) == [0.0, 0.0]
    assert group_advantages([0.0, 2.0], eps=3.0) == [-0.25, 0.25]  # the deviation is 1


def test_the_policy_gradient_loss_by_hand():
    assert policy_gradient_loss([[1.0, 2.0], [4.0]], [0.5, -0.5]) == -0.25
    assert policy_gradient_loss([[1.0, 2.0], [4.0], []], [1.0, 0.0, 5.0]) == 1.0


def test_the_mean_over_all_texts_is_the_gradient_of_the_expected_reward():
    """A policy of two tokens out of three: all nine texts, their rewards, and the exact gradient."""
    rng = random.Random(3)
    first, second = [0.3, -0.8, 0.1], [[0.5, 0.0, -1.0], [0.2, 0.9, 0.4], [-0.3, 0.3, 0.0]]
    texts = list(itertools.product(range(3), repeat=2))
    reward = {text: rng.choice((0.0, 1.0, 4.0)) for text in texts}

    def chance(text, first):
        return softmax(first)[text[0]] * softmax(second[text[0]])[text[1]]

    def expected_reward(first):
        return sum(chance(text, first) * reward[text] for text in texts)

    for baseline in (0.0, 2.0, expected_reward(first)):
        total = [0.0] * 3
        for text in texts:
            # what a step against the loss does: minus the gradient of advantage · loss
            [row] = token_losses_backward([-(reward[text] - baseline)], [first], [text[0]])
            total = [t + chance(text, first) * x for t, x in zip(total, row)]
        assert_close(total, derivatives(expected_reward, first, 1e-3), 1e-6)


def test_kl_is_zero_for_equal_distributions_and_has_a_direction():
    p, q = [0.5, 0.5], [0.9, 0.1]
    assert kl_divergence(p, p) == 0
    assert math.isclose(kl_divergence(p, q), 0.5 * math.log(5 / 9) + 0.5 * math.log(5))
    assert math.isclose(kl_divergence(q, p), 0.9 * math.log(1.8) + 0.1 * math.log(0.2))
    assert kl_divergence(p, q) > kl_divergence(q, p) > 0


def test_a_text_that_the_new_model_prefers_pays():
    assert penalized_reward(1.0, -4.0, -6.0, 0.25) == 0.5
    assert penalized_reward(1.0, -6.0, -4.0, 0.25) == 1.5
    assert penalized_reward(1.0, -6.0, -4.0, 0.0) == 1.0


def test_the_mean_penalty_is_the_kl_divergence():
    new, old = [0.7, 0.2, 0.1], [0.3, 0.3, 0.4]
    paid = sum(-a * penalized_reward(0.0, math.log(a), math.log(b), 2.0) for a, b in zip(new, old))
    assert math.isclose(paid, 2 * kl_divergence(new, old))


def test_the_best_policy_of_the_penalty_is_the_first_one_times_exp_of_the_reward():
    """No policy on a fine grid has a higher mean of the penalized reward."""
    old, rewards, beta = [0.5, 0.3, 0.2], [0.0, 1.0, 0.5], 0.7
    scaled = [p * math.exp(r / beta) for p, r in zip(old, rewards)]
    best = [x / sum(scaled) for x in scaled]

    def value(policy):
        return sum(
            a * penalized_reward(r, math.log(a), math.log(b), beta) for a, b, r in zip(policy, old, rewards)
        )

    grid = [(i / 30, j / 30, (30 - i - j) / 30) for i in range(1, 29) for j in range(1, 30 - i)]
    assert all(value(policy) < value(best) for policy in grid)
    # and this is why DPO needs no reward: beta · log(best / old) is the reward plus a constant
    differences = [beta * math.log(a / b) - r for a, b, r in zip(best, old, rewards)]
    assert_close(differences, [differences[0]] * 3, 1e-12)


def test_dpo_s_margin_by_hand():
    assert dpo_margin(-5, -6, -9, -7, 0.5) == 1.5
    assert dpo_margin(-9, -7, -5, -6, 0.5) == -1.5
    assert dpo_margin(-1, -1, -2, -2, 9) == dpo_margin(1, 0, 1, 0, 2) == 0


def test_dpo_s_loss_begins_at_ln_2_and_does_not_overflow():
    assert dpo_loss(0) == math.log(2)
    assert math.isclose(dpo_loss(1.5), math.log(1 + math.exp(-1.5)))
    assert math.isclose(dpo_loss(-1.5) - dpo_loss(1.5), 1.5)
    assert dpo_loss(-2000.0) == 2000.0 and dpo_loss(2000.0) == 0.0
    assert dpo_loss_backward(-2000.0) == -1.0 and dpo_loss_backward(2000.0) == 0.0


def test_the_derivative_of_dpo_s_loss():
    for margin in (-3.0, -0.5, 0.0, 0.7, 4.0):
        assert math.isclose(dpo_loss_backward(margin), derivatives(dpo_loss, margin, 1e-3), rel_tol=1e-6)


def test_a_masked_loss_is_the_mean_of_what_counts():
    assert masked_loss([5.0, 3.0, 1.0], [0, 1, 1]) == 2.0
    assert masked_loss([5.0, 3.0, 1.0], [1, 0, 0]) == 5.0


def test_the_default_eps_of_group_advantages_is_a_millionth():
    """The standard deviation of these rewards is a millionth, too."""
    assert_close(group_advantages([-1e-6, 1e-6]), [-0.5, 0.5])
