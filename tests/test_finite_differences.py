"""Central differences: against slopes worked with pencil and paper, and the law by which their error
falls."""

import copy
import inspect
import math
from types import SimpleNamespace

import pytest
from tables import assert_close, holds, leaves_alone, refuses, true_of, with_other

from helpers import finite_differences, numerical_gradient

# --- near misses


def nudged(A, path, by):
    """A copy of a nest in which one number is nudged."""
    if not path:
        return A + by
    A = copy.copy(A)
    A[path[0]] = nudged(A[path[0]], path[1:], by)
    return A


def differing(rule):
    """Differences by another rule: of a function, a nest, the place of a number in it, and h."""

    def near_miss(function, A, h=1e-5):
        def derivatives(entry, path):
            if isinstance(entry, dict):
                return {name: derivatives(inner, (*path, name)) for name, inner in entry.items()}
            if isinstance(entry, list):
                return [derivatives(inner, (*path, i)) for i, inner in enumerate(entry)]
            return rule(lambda by: function(nudged(A, path, by)), h, entry)

        return derivatives(A, ())

    return near_miss


CENTRAL = differing(lambda at, h, x: (at(h) - at(-h)) / (2 * h))
FORWARD = differing(lambda at, h, x: (at(h) - at(0)) / h)
BACKWARD = differing(lambda at, h, x: (at(0) - at(-h)) / h)
NOT_HALVED = differing(lambda at, h, x: (at(h) - at(-h)) / h)
NEGATED = differing(lambda at, h, x: (at(-h) - at(h)) / (2 * h))
HALF_STEPS = differing(lambda at, h, x: (at(h / 2) - at(-h / 2)) / h)
H_FIXED = differing(lambda at, h, x: (at(1e-5) - at(-1e-5)) / 2e-5)
FIVE_POINTS = differing(lambda at, h, x: (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h))
H_TIMES_X = differing(lambda at, h, x: (at(h * x) - at(-h * x)) / (2 * h * x))


def put_back(how):
    """Differences of a list of numbers that put each one back in their own way."""

    def near_miss(function, A, h=1e-5):
        A, derivatives = list(A), []
        for i, x in enumerate(A):
            A[i] += h
            up = function(A)
            A[i] -= 2 * h
            derivatives.append((up - function(A)) / (2 * h))
            A[i] = how(A[i], h, x)
        return derivatives

    return near_miss


NUDGE_LEFT_IN = put_back(lambda now, h, before: now)
PUT_BACK_BY_ADDING = put_back(lambda now, h, before: now + h)


# --- the numbers


@true_of(
    numerical_gradient,
    not_of={
        "forward": FORWARD,
        "backward": BACKWARD,
        "divided by h": NOT_HALVED,
        "down minus up": NEGATED,
        "the nudge left in": NUDGE_LEFT_IN,
        "the first number's slope for all": lambda f, A, h=1e-5: [numerical_gradient(f, A, h)[0]] * len(A),
    },
)
def test_quadratics_are_exact(numerical_gradient):
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


@true_of(
    numerical_gradient,
    not_of={
        "forward": FORWARD,
        "half steps": HALF_STEPS,
        "h fixed": H_FIXED,
        "five points": FIVE_POINTS,
        "h times x": H_TIMES_X,
        "divided by h": NOT_HALVED,
    },
)
def test_a_cubic_is_off_by_h_squared(numerical_gradient):
    """((x + h)³ − (x − h)³) / 2h is 3x² + h²."""
    for h in 1.0, 0.5, 0.25, 0.125:
        assert numerical_gradient(lambda A: A[0] ** 3, [2.0], h) == [12 + h * h]
    assert numerical_gradient(lambda x: x**3, -3, 1) == 28


@true_of(
    numerical_gradient,
    not_of={
        "forward": FORWARD,
        "backward": BACKWARD,
        "h fixed": H_FIXED,
        "five points": FIVE_POINTS,
        "divided by h": NOT_HALVED,
    },
)
def test_half_the_nudge_makes_a_quarter_of_the_error(numerical_gradient):
    """Forward differences halve it, five points divide it by 16."""
    for function, x, derivative in (
        (math.exp, 1.0, math.e),
        (math.sin, 0.5, math.cos(0.5)),
        (math.log, 2.0, 0.5),
    ):
        errors = [abs(numerical_gradient(function, x, h) - derivative) for h in (0.1, 0.05, 0.025, 0.0125)]
        for larger, smaller in zip(errors, errors[1:]):
            assert 3.95 < larger / smaller < 4.05
    # e^x is off by e^x · h²/6, the next term of its series
    assert math.isclose(abs(numerical_gradient(math.exp, 0.0, 0.01) - 1), 0.01**2 / 6, rel_tol=1e-4)


@true_of(
    numerical_gradient,
    not_of={
        "forward": FORWARD,
        "h of 1e-2": lambda f, A: numerical_gradient(f, A, 1e-2),
        "h of 1e-13, where rounding has taken over": lambda f, A: numerical_gradient(f, A, 1e-13),
    },
)
def test_without_a_word_the_nudge_gives_nine_digits(numerical_gradient):
    for x in 0.3, 1.0, 2.0:
        assert math.isclose(numerical_gradient(math.exp, x), math.exp(x), rel_tol=1e-9)
        assert math.isclose(numerical_gradient(math.sin, x), math.cos(x), rel_tol=1e-9)


@true_of(numerical_gradient, not_of={"forward": FORWARD, "h fixed": H_FIXED, "divided by h": NOT_HALVED})
def test_at_a_kink_it_gives_the_mean_of_both_sides(numerical_gradient):
    assert numerical_gradient(lambda x: max(x, 0), 0.0, 0.5) == 0.5
    assert numerical_gradient(abs, 0.0, 0.5) == 0
    assert numerical_gradient(lambda x: 3.0, 1.0) == 0  # a constant
    assert numerical_gradient(abs, -1 / 8, 0.5) == -0.25  # astride: (3/8 − 5/8) / 1


# --- the nests


def flattened(function, A, h=1e-5):
    """The right slopes in one list."""

    def leaves(derivatives):
        inner = derivatives.values() if isinstance(derivatives, dict) else derivatives
        return (
            [x for entry in inner for x in leaves(entry)]
            if isinstance(derivatives, (dict, list))
            else [derivatives]
        )

    return leaves(numerical_gradient(function, A, h))


def only_lists(function, A, h=1e-5):
    return [numerical_gradient(lambda x: function([*A[:i], x, *A[i + 1 :]]), x, h) for i, x in enumerate(A)]


def transposed(function, A, h=1e-5):
    derivatives = numerical_gradient(function, A, h)
    return (
        {**derivatives, "W": [list(column) for column in zip(*derivatives["W"])]}
        if "W" in derivatives
        else derivatives
    )


@true_of(
    numerical_gradient,
    not_of={
        "one list": flattened,
        "lists only": only_lists,
        "transposed": transposed,
        "by sorted names": lambda f, A, h: dict(sorted(numerical_gradient(f, A, h).items())),
        "the last name forgotten": lambda f, A, h: dict(list(numerical_gradient(f, A, h).items())[:-1]),
        "divided by h": NOT_HALVED,
    },
)
def test_the_result_is_built_like_the_nest(numerical_gradient):
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


@true_of(
    numerical_gradient,
    not_of={"a list for a number": lambda f, A, h=1e-5: [CENTRAL(f, A, h)], "lists only": only_lists},
)
def test_a_number_gives_a_number(numerical_gradient):
    assert numerical_gradient(lambda x: 5 * x, 3, 0.5) == 5
    assert numerical_gradient(lambda x: 5 * x, 3.0, 0.5) == 5
    assert numerical_gradient(lambda A: 1.0, []) == []
    assert numerical_gradient(lambda A: 1.0, {}) == {}
    assert numerical_gradient(lambda A: sum(A) and 7, [1, 2], 1) == [0, 0]  # whole numbers all through


# --- what is left alone


def nudging_in_place(function, A, h=1e-5):
    """Puts everything back at the end, if the end is reached."""
    return with_other(finite_differences, numerical_gradient, copy=SimpleNamespace(deepcopy=lambda A: A))(
        function, A, h
    )


@true_of(
    numerical_gradient,
    not_of={
        "nudging in place": nudging_in_place,
        "a copy of the outer list": lambda f, A, h=1e-5: nudging_in_place(f, copy.copy(A), h),
    },
)
def test_the_argument_is_never_touched_not_even_when_the_function_gives_up(numerical_gradient):
    A = [[1.0, 2.0], [3.0, 4.0]]

    def gives_up(B):
        assert A == [[1.0, 2.0], [3.0, 4.0]]  # not even for a while
        return math.sqrt(3.05 - B[1][0])

    for h in 1e-5, 0.1:
        try:
            numerical_gradient(gives_up, A, h)
        except ValueError:
            assert h == 0.1
        else:
            assert h == 1e-5
        assert A == [[1.0, 2.0], [3.0, 4.0]]


@true_of(
    numerical_gradient,
    not_of={
        "the nudge left in": NUDGE_LEFT_IN,
        "put back by adding h, rounded": PUT_BACK_BY_ADDING,
        "down before up": differing(lambda at, h, x: (-at(-h) + at(h)) / (2 * h)),
        "up only": FORWARD,
        "half steps": HALF_STEPS,
    },
)
def test_the_function_sees_one_number_nudged_at_a_time_up_then_down(numerical_gradient):
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


def test_an_error_of_the_function_comes_through_as_it_is():
    with pytest.raises(KeyError, match="nobody"):
        numerical_gradient(lambda A: A["nobody"], {"W": [1.0]})


# --- refusals


def total(A):
    return 1.0


@true_of(
    numerical_gradient,
    not_of={
        "no checks": CENTRAL,
        "made a number": lambda f, A, h=1e-5: numerical_gradient(lambda A: float(f(A)), A, h),
        "the first of a list": lambda f, A, h=1e-5: numerical_gradient(
            lambda A: f(A)[0] if isinstance(f(A), list) else f(A), A, h
        ),
    },
)
def test_a_function_that_gives_no_number_is_refused(numerical_gradient):
    for x in None, "1", [1.0], [[1.0]], (1.0,), 2j, True, {"loss": 1.0}:
        for A in 1.0, [1.0, 2.0], {"W": [[1.0]]}:
            refuses(
                numerical_gradient, [lambda A: x, A], TypeError, f"what function gives is {x!r}, not a number"
            )
    # a number in one direction only
    for bad in None, "x":
        for on_the_bad_side in (lambda x: x < 1), (lambda x: x > 1):
            arguments = [lambda x: bad if on_the_bad_side(x) else 1.0, 1.0]
            refuses(numerical_gradient, arguments, TypeError, f"what function gives is {bad!r}, not a number")


# --- all of them

CALLS = [(numerical_gradient, [lambda A: A["W"][0][1] * A["b"][0], {"W": [[1, 2], [3, 5]], "b": [0.5]}])]


@pytest.mark.parametrize("function, arguments", CALLS)
def test_what_goes_in_is_not_changed_and_not_handed_on(function, arguments):
    leaves_alone(function, arguments)


def test_a_nudge_left_in_would_be_noticed():
    def left(function, A):
        A["b"][0] += 1e-5
        return 0.0

    assert not holds(lambda f: leaves_alone(f, copy.deepcopy(CALLS[0][1])), left)


def test_the_slopes_of_a_small_network_by_the_chain_rule():
    """tanh(w·x + b)², differentiated by hand: 2 tanh (1 − tanh²), times x for w."""
    x, w, b = 0.7, 0.3, -0.1
    y = math.tanh(w * x + b)
    derivatives = numerical_gradient(lambda p: math.tanh(p["w"] * x + p["b"][0]) ** 2, {"w": w, "b": [b]})
    d = 2 * y * (1 - y * y)
    assert_close([derivatives["w"], derivatives["b"][0]], [d * x, d], within=1e-9)


def test_every_function_of_the_module_is_tested_here():
    own = {
        f
        for f, g in inspect.getmembers(finite_differences, inspect.isfunction)
        if g.__module__ == finite_differences.__name__
    }
    assert own == {f.__name__ for f, _ in CALLS}
