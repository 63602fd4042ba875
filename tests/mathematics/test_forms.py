"""Written steps, votes, masks and calls, by hand."""

import itertools
import math

import pytest

from helpers import addition_steps, majority, mask_logits, parse_call, softmax


@pytest.mark.parametrize(
    "a, b, n, text",
    [
        (37, 58, 2, "1509:095."),
        (0, 0, 1, "00:00."),
        (99, 1, 2, "1010:100."),
        (905, 187, 3, "120910:1092."),
        (4, 30, 3, "040300:0034."),
    ],
)
def test_the_steps_of_a_sum_by_hand(a, b, n, text):
    assert addition_steps(a, b, n) == text


def test_a_number_with_more_digits_is_refused():
    with pytest.raises(ValueError, match="give numbers of at most 2 digits"):
        addition_steps(100, 5, 2)


def test_the_digits_of_the_columns_are_those_of_the_sum():
    """The second digit of each column, from the last column on, then the last carry."""
    for a, b in itertools.product(range(0, 1000, 37), range(0, 1000, 41)):
        columns, _, total = addition_steps(a, b, 3).rstrip(".").partition(":")
        assert int(columns[-2] + columns[1::2][::-1]) == a + b == int(total)


def test_the_majority_by_hand():
    assert majority(["a", "b", "b"]) == "b"
    assert majority(["b", "a", "c", "a", "b"]) == "b"  # of two, the first
    assert majority(["42", "042", "042"]) == "042"


def test_a_mask_keeps_the_ratios():
    masked = softmax(mask_logits([0.0, math.log(3), 5.0, 700.0], [1, 0]))
    assert masked[2:] == [0.0, 0.0] and math.isclose(masked[1], 0.75) and math.isclose(masked[0], 0.25)
    with pytest.raises(ValueError, match="at least one"):
        mask_logits([1.0], [])


@pytest.mark.parametrize(
    "text, call",
    [
        ("add(17, 25)", ["add", [17, 25]]),
        ("add(7)", ["add", [7]]),
        ("add(007, 1, 2)", ["add", [7, 1, 2]]),
        ("delete(1, 2)", []),
        ("add(1,2)", []),
        ("add(1, 2) ", []),
        ("add(1, 2", []),
        ("add(1, -2)", []),
        ("add(1, \u0662)", []),  # an Arabic digit
        ("add(123456789)", ["add", [123456789]]),
        ("add(1234567890)", []),
        (f"add({'9' * 5000})", []),
        ("add(1, \u00b2)", []),  # a digit for isdigit, and no number for int
        ("add((1)", []),
        ("add()", []),
        ("add", []),
        ("", []),
        ("add(__import__('os'))", []),
    ],
)
def test_only_a_call_of_a_known_name_with_whole_numbers_is_read(text, call):
    assert parse_call(text, ["add"]) == call
