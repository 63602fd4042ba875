"""The numerical gradient against derivatives worked by hand, and the law of its error."""

import math

import pytest

from helpers import numerical_gradient

# --- the numbers


def test_quadratics_are_exact():
    """(x + h)² − (x − h)² is 4xh, so that the h² has no part in it; with powers of two nothing is rounded."""

    def two_numbers(A):
        return A[0] ** 2 + 3 * A[0] * A[1] - 2 * A[1] ** 2 + 4 * A[1] + 1

    for h in 1.0, 0.25, 2**-10:
        assert numerical_gradient(lambda A: A[0] * A[0], [3.0], h) == [6]
        assert numerical_gradient(lambda A: 5 * A[0] ** 2 - 7 * A[0] + 9, [-2.0], h) == [-27]
        # x² + 3xy − 2y² + 4y + 1 at (2, −1): 2x + 3y, 3x − 4y + 4
        assert numerical_gradient(two_numbers, [2.0, -1.0], h) == [1, 14]
        # x(x + y + z) at (1, 2, 4): 2x + y + z, x, x
        assert numerical_gradient(lambda A: A[0] * sum(A), [1.0, 2.0, 4.0], h) == [8, 1, 1]


def test_the_default_h_gives_nine_digits():
    for x in 0.3, 1.0, 2.0:
        assert math.isclose(numerical_gradient(math.exp, x), math.exp(x), rel_tol=1e-9)
    # (x + h)³ − (x − h)³ over 2h is 3x² + h², so at 0 the result is h² itself
    assert math.isclose(numerical_gradient(lambda x: x**3, 0.0), 1e-10, rel_tol=1e-9)


# --- the nests


def test_the_result_is_built_like_the_nest():
    def f(A):
        return (
            A["W"][0][1] * A["b"][0]
            + 3 * A["W"][1][2]
            + A["heads"][1][0]["v"] * A["scale"]
            + A["gpt"]["lr"] ** 2
        )

    A = {
        "scale": 4,
        "W": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        "b": [7.0],
        "heads": [[], [{"v": 8.0}, 9.0], [1.0, 2.0, 3.0]],  # ragged
        "gpt": {"lr": 0.5, "nothing": {}},
    }
    derivatives = numerical_gradient(f, A, 0.25)
    assert derivatives == {
        "scale": 8,
        "W": [[0, 7, 0], [0, 0, 3]],
        "b": [2],
        "heads": [[], [{"v": 4}, 0], [0, 0, 0]],
        "gpt": {"lr": 1, "nothing": {}},
    }
    assert list(derivatives) == list(A)  # in the same order


def test_a_number_gives_a_number():
    assert numerical_gradient(lambda x: 5 * x, 3, 0.5) == 5
    assert numerical_gradient(lambda A: 1.0, []) == []
    assert numerical_gradient(lambda A: 1.0, {}) == {}


# --- what is left alone


def test_the_argument_is_not_changed_not_even_while_the_function_runs_or_when_it_raises():
    A = [[1.0, 2.0], [3.0, 4.0]]

    def root(B):
        assert A == [[1.0, 2.0], [3.0, 4.0]]
        return math.sqrt(3.05 - B[1][0])

    numerical_gradient(root, A)
    with pytest.raises(ValueError):
        numerical_gradient(root, A, 0.1)
    assert A == [[1.0, 2.0], [3.0, 4.0]]


def test_the_function_sees_one_number_nudged_at_a_time_up_then_down():
    seen = []
    numerical_gradient(lambda A: seen.append(list(A)) or 0.0, [0.1, 0.2, 0.3], 0.7)
    assert seen == [
        [0.1 + 0.7, 0.2, 0.3],
        [0.1 - 0.7, 0.2, 0.3],
        [0.1, 0.2 + 0.7, 0.3],
        [0.1, 0.2 - 0.7, 0.3],
        [0.1, 0.2, 0.3 + 0.7],
        [0.1, 0.2, 0.3 - 0.7],
    ]
