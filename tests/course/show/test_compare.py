"""What a check lets pass, what it refuses, and the one line that it says."""

import contextlib
import io
import math

import pytest

from helpers.course.show.compare import CheckFailed, check

INF, NAN = math.inf, math.nan


def said(function, *arguments, **options):
    """What a reader sees: the printed text, or the message of the failed check."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            function(*arguments, **options)
        except CheckFailed as failure:
            print(f"stopped: {failure}")
    return printed.getvalue()


# --- check

AGREEING = [
    # got, expected, options, the line
    (3, 3, {}, "1 of 1 equal"),
    ([[1, 2], [3, 4]], ((1, 2), (3, 4)), {}, "4 of 4 equal"),
    ([True, False], [True, False], {}, "2 of 2 equal"),
    (0.1 + 0.2, 0.3, {}, "1 of 1 agree within 1e-09"),
    ([1, 2.0], [1.0, 2], {}, "2 of 2 agree within 1e-09"),
    ([1.0, 1e-10], [1.0, 0.0], {}, "2 of 2 agree within 1e-09"),
    ([-1e6, 1e-4], [-1e6, 0.0], {}, "2 of 2 agree within 1e-09"),
    ([INF, -INF, 1.0], [INF, -INF, 1.0], {}, "3 of 3 agree within 1e-09"),
    (1.0009, 1.0, {"within": 1e-3}, "1 of 1 agree within 1e-03"),
    (0.125, 0.12, {"decimals": 2}, "1 of 1 agree to 2 decimals"),  # as floats they are 0.005 + 4e-18 apart
    # tensors by name, in whatever order; a dict of other keys is one value
    ({"b": [0.3], "W": [[2.0]]}, {"W": [[2.0]], "b": [0.1 + 0.2]}, {}, "2 of 2 agree within 1e-09"),
    ({(1,): {5: 2}}, {(1,): {5: 2}}, {}, "1 of 1 equal"),
    ([0.22935, 0.00004], [0.2294, 0.0], {"decimals": 4}, "2 of 2 agree to 4 decimals"),
]

DIFFERING = [
    # got, expected, options, where
    (1, [1], {}, "it is a number, expected a list of 1"),
    ([1, 2], [1, 2, 3], {}, "it is a list of 2, expected a list of 3"),
    ([9, 9], [[1, 2]], {}, "it is a list of 2, expected a list of 1"),
    ([[1, 2], [3]], [[1, 2], [3, 4]], {}, "[1] is a list of 1, expected a list of 2"),
    ("like", [1], {}, "it is a str, expected a list of 1"),
    ([1.0], [[1.0]], {}, "[0] is a number, expected a list of 1"),
    ({"W": [1.0]}, 1.0, {}, "it is a dict, expected a number"),
    ([[[1]], [[2]]], [[[1]], [2]], {}, "[1][0] is a list of 1, expected a number"),
    ([[1, 2], [3, 5]], [[1, 2], [3, 4]], {}, "[1][1] is 5, expected 4; 1 of 4 differ"),
    ([9, 2, 9], [1, 2, 3], {}, "[0] is 9, expected 1; 2 of 3 differ"),
    ({"W": [1.0, 2.5]}, {"W": [1.0, 2.0]}, {}, "['W'][1] is 2.5, expected 2; 1 of 2 differ"),
    ({"W": [1.0]}, {"W": [1.0], "b": [0.0]}, {}, "['b'] is None, expected a list of 1"),
    ({"W": [1.0], "V": 2}, {"W": [1.0]}, {}, "['V'] is a number, expected None"),
    ([[1.0]], {"W": [1.0]}, {}, "it is a list of 1, expected a dict"),
    ({(1,): {5: 2}}, {(1,): {5: 3}}, {}, "it is {(1,): {5: 2}}, expected {(1,): {5: 3}}; 1 of 1 differ"),
    (3.5, 3, {}, "it is 3.5, expected 3; 1 of 1 differ"),
    ("like", "I", {}, "it is 'like', expected 'I'; 1 of 1 differ"),
    (True, 1, {}, "it is True, expected 1; 1 of 1 differ"),
    ("1", 1, {}, "it is '1', expected 1; 1 of 1 differ"),
    (NAN, NAN, {}, "it is nan, expected nan; 1 of 1 differ"),
    (INF, -INF, {}, "it is inf, expected -inf; 1 of 1 differ"),
    (1e308, INF, {}, "it is 1e+308, expected inf; 1 of 1 differ"),
    # gradients as small as those of W_Q: one percent off is wrong, and "within 1e-6" would not see it
    ([1.3e-4, 1e-5], [1.3e-4, 1.01e-5], {}, "[1] is 1e-05, expected 1.01e-05; 1 of 2 differ"),
    ([6.9e-9], [7.0e-9], {"within": 1e-3}, "[0] is 6.9e-09, expected 7e-09; 1 of 1 differ"),
    (1 / 3 + 1e-8, 1 / 3, {}, "it is 0.333333343, expected 0.333333333; 1 of 1 differ"),
    (1.0, 1 + 2**-52, {"within": 0}, "it is 1.0, expected 1.0000000000000002; 1 of 1 differ"),
    ([0.2293], [0.2294], {"decimals": 4}, "[0] is 0.2293, expected 0.2294; 1 of 1 differ"),
]


def test_check_prints_one_line():
    for got, expected, options, line in AGREEING:
        assert said(check, "W_1 [64][16]", got, expected, **options) == f"W_1 [64][16]: {line}\n"
    for got, expected, options, where in DIFFERING:
        assert said(check, "W_1 [64][16]", got, expected, **options) == f"stopped: W_1 [64][16]: {where}\n"


def test_a_failed_check_is_an_assertion_and_stops():
    with pytest.raises(AssertionError, match=r"^sum: \[0\]\[1\] is 6, expected 5; 1 of 2 differ$"):
        check("sum", [[4, 6]], [[4, 5]])


def test_check_changes_no_argument():
    got, expected = [[1.0, 2.0]], ((1, 2),)
    check("name", got, expected)
    assert (got, expected) == ([[1.0, 2.0]], ((1, 2),))
