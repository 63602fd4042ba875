"""What lesson 22b shows of policy gradients and of PPO's clipped ratio."""

import pytest

from helpers.course.lessons.lesson_22b_policy import clipped_cases, contributions_table, spread_of_rows


def test_the_spread_is_that_of_a_distribution():
    # the mean is (1, 1); squared distances 2, 5 and 9 with the probabilities 1/2, 1/4 and 1/4: 4.5
    assert spread_of_rows([0.5, 0.25, 0.25], [[0.0, 0.0], [3.0, 0.0], [1.0, 4.0]]) == pytest.approx(4.5**0.5)


def test_the_clipped_ratio_in_its_four_cases():
    """By hand: min(ρA, clip(ρ)A) with ε = 0.2, and the derivative A where ρA is the smaller one."""
    rows = [line.split() for line in repr(clipped_cases(0.2)).splitlines()[2:]]
    assert rows == [
        ["1.5", "2", "2.4", "0.0"],
        ["0.5", "2", "1.0", "2.0"],
        ["1.5", "-2", "-3.0", "-2.0"],
        ["0.5", "-2", "-1.6", "0.0"],
    ]


def test_the_table_of_contributions_has_their_mean_and_spread():
    lines = repr(contributions_table([0.5, 0.5], {"reward": [[4.0, 1.0], [2.0, -1.0]]})).splitlines()
    assert lines[2].split() == ["reward", "3.00", "0.00", "1.41"]  # each is (1, 1) or (-1, -1) from the mean
