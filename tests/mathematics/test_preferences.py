"""Rewards and preferences: tables worked by hand, properties, finite differences, and a policy that can be
listed whole."""

import math

import pytest
from gradient_checks import derivatives
from tables import assert_close

from helpers import (
    advantages,
    clipped_objective,
    dpo_loss,
    dpo_loss_backward,
    dpo_margin,
    group_advantages,
    kl_divergence,
    masked_loss,
    penalized_reward,
    policy_gradient_loss,
)


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


@pytest.mark.parametrize(
    "ratio, advantage, objective, slope",
    [  # eps is 0.25; the four cases outside of 0.75 to 1.25, then inside
        (1.5, 2.0, 2.5, 0.0),  # good, and already more probable: clipped
        (0.5, 2.0, 1.0, 2.0),  # good, and less probable
        (1.5, -2.0, -3.0, -2.0),  # bad, and more probable
        (0.5, -2.0, -1.5, 0.0),  # bad, and already less probable: clipped
        (1.125, 2.0, 2.25, 2.0),
        (0.875, -2.0, -1.75, -2.0),
    ],
)
def test_ppo_clips_in_two_of_four_cases(ratio, advantage, objective, slope):
    assert clipped_objective(ratio, advantage, 0.25) == objective
    measured = derivatives(lambda x: clipped_objective(x, advantage, 0.25), ratio, 1e-3)
    assert math.isclose(measured, slope, abs_tol=1e-9)


def test_ppo_s_default_eps():
    """Schulman et al. 2017, section 6.1: 0.2 is best in their comparison."""
    assert clipped_objective(2.0, 1.0) == 1.2 and clipped_objective(0.0, -1.0) == -0.8


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
