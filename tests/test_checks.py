"""What a check lets pass, what it refuses, and the one line that it says."""

import contextlib
import copy
import functools
import io
import itertools
import math
from types import SimpleNamespace

import pytest
from tables import holds, numbers_in, refuses, true_of, with_other

from helpers import checks
from helpers.checks import CheckFailed, agree, check, grade

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
    (["<BOS>", None], ["<BOS>", None], {}, "2 of 2 equal"),
    ([True, False], [True, False], {}, "2 of 2 equal"),
    (0.1 + 0.2, 0.3, {}, "1 of 1 agree within 1e-09"),
    ([1, 2.0], [1.0, 2], {}, "2 of 2 agree within 1e-09"),
    ([1.0, 1e-10], [1.0, 0.0], {}, "2 of 2 agree within 1e-09"),
    ([1e6, 1e-4], [1e6, 0.0], {}, "2 of 2 agree within 1e-09"),  # relative to the largest, not each to itself
    ([-1e6, 1e-4], [-1e6, 0.0], {}, "2 of 2 agree within 1e-09"),
    ([INF, -INF, 1.0], [INF, -INF, 1.0], {}, "3 of 3 agree within 1e-09"),
    (1.0009, 1.0, {"within": 1e-3}, "1 of 1 agree within 1e-03"),
    ([0.22935, 0.00004], [0.2294, 0.0], {"decimals": 4}, "2 of 2 agree to 4 decimals"),
    (0.45, 0.0, {"decimals": 0}, "1 of 1 agree to 0 decimals"),
]

DIFFERING = [
    # got, expected, options, where
    (1, [1], {}, "it is a number, expected a list of 1"),
    ([1], 1, {}, "it is a list of 1, expected a number"),
    ([1, 2], [1, 2, 3], {}, "it is a list of 2, expected a list of 3"),
    ([1, 2, 3], [1, 2], {}, "it is a list of 3, expected a list of 2"),
    ([9, 9], [[1, 2]], {}, "it is a list of 2, expected a list of 1"),
    ([[1, 2], [3]], [[1, 2], [3, 4]], {}, "[1] is a list of 1, expected a list of 2"),
    ("like", [1], {}, "it is a str, expected a list of 1"),
    ([1, 2, 3, 4], [[1, 2], [3, 4]], {}, "it is a list of 4, expected a list of 2"),
    ([[[1]], [[2]]], [[[1]], [2]], {}, "[1][0] is a list of 1, expected a number"),
    ([[1, 2], [3, 5]], [[1, 2], [3, 4]], {}, "[1][1] is 5, expected 4; 1 of 4 differ"),
    ([9, 2, 9], [1, 2, 3], {}, "[0] is 9, expected 1; 2 of 3 differ"),
    (3.5, 3, {}, "it is 3.5, expected 3; 1 of 1 differ"),
    ("like", "I", {}, "it is 'like', expected 'I'; 1 of 1 differ"),
    (None, 0, {}, "it is None, expected 0; 1 of 1 differ"),
    (None, [0], {}, "it is None, expected a list of 1"),
    (True, 1, {}, "it is True, expected 1; 1 of 1 differ"),
    (0, False, {}, "it is 0, expected False; 1 of 1 differ"),
    ("1", 1, {}, "it is '1', expected 1; 1 of 1 differ"),
    (NAN, NAN, {}, "it is nan, expected nan; 1 of 1 differ"),
    ([1.0, NAN], [1.0, 0.0], {}, "[1] is nan, expected 0; 1 of 2 differ"),
    (INF, -INF, {}, "it is inf, expected -inf; 1 of 1 differ"),
    (1e308, INF, {}, "it is 1e+308, expected inf; 1 of 1 differ"),
    ([INF, 2.0], [INF, 1.0], {}, "[1] is 2, expected 1; 1 of 2 differ"),
    # gradients as small as those of W_Q: one percent off is wrong, and "within 1e-6" would not see it
    ([1.3e-4, 1e-5], [1.3e-4, 1.01e-5], {}, "[1] is 1e-05, expected 1.01e-05; 1 of 2 differ"),
    ([6.9e-9], [7.0e-9], {"within": 1e-3}, "[0] is 6.9e-09, expected 7e-09; 1 of 1 differ"),
    (10**9 + 1, 10**9, {}, "it is 1000000001, expected 1000000000; 1 of 1 differ"),
    (1 / 3 + 1e-8, 1 / 3, {}, "it is 0.333333343, expected 0.333333333; 1 of 1 differ"),
    (1.0, 1 + 2**-52, {"within": 0}, "it is 1.0, expected 1.0000000000000002; 1 of 1 differ"),
    (1.002, 1.0, {"within": 1e-3}, "it is 1.002, expected 1; 1 of 1 differ"),
    ([0.2293], [0.2294], {"decimals": 4}, "[0] is 0.2293, expected 0.2294; 1 of 1 differ"),
    (0.55, 0.0, {"decimals": 0}, "it is 0.55, expected 0; 1 of 1 differ"),
]  # fmt: skip


def agreeing_by(rule):
    """A near miss of check: another rule for when two single values agree."""
    return with_other(checks, check, agree=rule)


def the_shorter_decides(name, got, expected, within=1e-9, decimals=None):
    pairs = zip(numbers_in(got), numbers_in(expected))
    check(name, *map(list, zip(*pairs)), within, decimals)


@true_of(check, not_of={
    "the shorter decides": the_shorter_decides,
    "an absolute tolerance": agreeing_by(lambda g, e, allowed: agree(g, e, max(allowed, 1e-6))),
    "each relative to itself": agreeing_by(lambda g, e, allowed: agree(g, e, allowed if e else 0)),
    "whole numbers nearly": agreeing_by(lambda g, e, allowed: agree(g, e, allowed) or g - 1 == e == 10**9),
    "twice as tolerant": agreeing_by(lambda g, e, allowed: agree(g, e, 2 * allowed)),
    "exactly equal": agreeing_by(lambda g, e, allowed: agree(g, e, 0)),
    "nan equals nan": agreeing_by(lambda g, e, allowed: agree(g, e, allowed) or g != g and e != e),
    "infinities of both signs": agreeing_by(lambda g, e, allowed: agree(g, e, allowed) or g == INF == -e),
    "True is 1": agreeing_by(lambda g, e, allowed: agree(g, e, allowed) or g == e),
    "decimals ignored": lambda name, got, expected, within=1e-9, **_: check(name, got, expected, within),
    "as text": lambda name, got, expected, **_: check(name, str(got), str(expected)),
    "anything goes": lambda *_, **__: None,
})  # fmt: skip
def test_check_tells_what_agrees_from_what_differs(check):
    for got, expected, options, _ in AGREEING:
        assert not said(check, "name", got, expected, **options).startswith("stopped"), (got, expected)
    for got, expected, options, _ in DIFFERING:
        assert said(check, "name", got, expected, **options).startswith("stopped"), (got, expected)


def counted_in_one_row(value):
    return [f"[{i}]" for i, _ in enumerate(numbers_in(value))]


@true_of(check, not_of={
    "two lines": lambda *a, **o: (check(*a, **o), print()),
    "silent": lambda *a, **o: said(check, *a, **o) and None,
    "without the name": lambda name, *a, **o: check("value", *a, **o),
    "places in one row": with_other(checks, check, places=counted_in_one_row),
    "value before shape": with_other(checks, check, misshapen=lambda *_: None),
    "the last place": with_other(checks, check, zip=lambda *a, strict=False: list(zip(*a))[::-1]),
})  # fmt: skip
def test_check_says_one_line(check):
    for got, expected, options, line in AGREEING:
        assert said(check, "W_1 [64][16]", got, expected, **options) == f"W_1 [64][16]: {line}\n"
    for got, expected, options, where in DIFFERING:
        assert said(check, "W_1 [64][16]", got, expected, **options) == f"stopped: W_1 [64][16]: {where}\n"


def test_a_failed_check_is_an_assertion_and_stops():
    with pytest.raises(AssertionError, match=r"^sum: \[0\]\[1\] is 6, expected 5; 1 of 2 differ$"):
        check("sum", [[4, 6]], [[4, 5]])


def test_what_is_checked_is_not_changed():
    got, expected = [[1.0, 2.0]], ((1, 2),)
    check("name", got, expected)
    assert (got, expected) == ([[1.0, 2.0]], ((1, 2),))


# --- grade


def doubled(rows):
    return [[2 * x for x in row] for row in rows]


INPUTS = [[[[1, 2], [3, 4]]], [[[0.5, 0.25]]], [[[1e-6, 0.0]]], [[[1.5] * 16] * 5], [[]]]


@pytest.fixture(autouse=True)
def exercises_of_our_own(monkeypatch):
    monkeypatch.setitem(checks.EXERCISES, "99.1", (doubled, copy.deepcopy(INPUTS)))
    monkeypatch.setitem(checks.EXERCISES, "99.3", (lambda x: ["secret", True], [[5]]))
    monkeypatch.setitem(checks.EXERCISES, "99.4", (lambda T: [[0.0, -INF], [0.0, 0.0]], [[2]]))
    monkeypatch.setitem(checks.EXERCISES, "99.2", (lambda x: [[31337, 0.0625], [x, x]], [[5], [7]]))


def stub(rows): ...


def stub_with_docstring(rows):
    """Double every entry."""
    ...


def stub_with_everything(rows: list, factor: int = 2, *more, flag=False, **options) -> list:
    """Double every entry.

    Two lines and a number, 80."""
    ...


def stub_with_pass(rows):
    pass


def constant(rows):
    return 80


def documented_constant(rows):
    """Always the same."""
    return 80


def without_return(rows):
    doubled(rows)


def one_wrong(rows):
    result = doubled(rows)
    result[-1][0] += 1
    return result


def nearly(rows):
    return [[2 * x + 1e-8 for x in row] for row in rows]


def first_row_only(rows):
    return doubled(rows[:1])


def one_column_too_many(rows):
    return [[*row, 0] for row in doubled(rows)]


def flattened(rows):
    return [x for row in doubled(rows) for x in row]


def in_place(rows):
    for row in rows:
        row[:] = [2 * x for x in row]
    return rows


def whole_numbers_only(rows):
    return [[2 * int(x) for x in row] for row in rows]


def divides_by_zero(rows):
    return rows / 0 if rows == 0 else 1 / 0


def complains_at_length(rows):
    raise ValueError("not\n  like this")


def calls_itself(rows):
    return calls_itself(rows)


def two_arguments(rows, factor):
    return doubled(rows)


def as_words(rows):
    return [[str(2 * x) for x in row] for row in rows]


class Doubler:
    def of(self, rows):
        return doubled(rows)

    def __call__(self, rows):
        return doubled(rows)


SHOWN = "input 1 of 5, {}([[1, 2], [3, 4]]): "
VERDICTS = [
    # the reader's function, what grade says after "Exercise 99.1: "
    (stub, "not tried yet"),
    (stub_with_docstring, "not tried yet"),
    (stub_with_everything, "not tried yet"),
    (stub_with_pass, "not tried yet"),
    (doubled, "passed, 5 of 5 inputs"),
    (lambda rows: [[x + x for x in row] for row in rows], "passed, 5 of 5 inputs"),
    (Doubler().of, "passed, 5 of 5 inputs"),
    (Doubler(), "passed, 5 of 5 inputs"),
    (functools.partial(two_arguments, factor=2), "passed, 5 of 5 inputs"),
    (one_wrong, SHOWN + "result[1][0] is wrong, 1 of 4 are"),
    (first_row_only, SHOWN + "the result is a list of 1, expected a list of 2"),
    (one_column_too_many, SHOWN + "the result[0] is a list of 3, expected a list of 2"),
    (flattened, SHOWN + "the result is a list of 4, expected a list of 2"),
    (without_return, SHOWN + "it returned nothing; does it end with return?"),
    (constant, SHOWN + "the result is a number, expected a list of 2"),
    (documented_constant, SHOWN + "the result is a number, expected a list of 2"),
    (in_place, SHOWN + "it changed the list it was given; build a new one instead"),
    (as_words, SHOWN + "result[0][0] is wrong, 4 of 4 are"),
    (divides_by_zero, SHOWN + "it raised ZeroDivisionError: division by zero"),
    (complains_at_length, SHOWN + "it raised ValueError: not like this"),
    (doubled(INPUTS[1][0]), "give the function itself, its name without brackets, not [[1.0, 0.5]]"),
    (None, "give the function itself, its name without brackets, not None"),
    (functools.partial(one_wrong), SHOWN.format("your function") + "result[1][0] is wrong, 1 of 4 are"),
    (whole_numbers_only, "input 2 of 5, {}([[0.5, 0.25]]): result[0][0] is wrong, 2 of 2 are"),
    (nearly, SHOWN + "result[0][0] is wrong, 4 of 4 are"),
]


def line(function, verdict):
    return f"Exercise 99.1: {verdict.format(getattr(function, '__name__', ''))}\n"


def has_the_instructions_of_a_stub(function):
    stubs = [stub.__code__.co_code, stub_with_docstring.__code__.co_code]
    return hasattr(function, "__code__") and function.__code__.co_code in stubs


@true_of(grade, not_of={
    "stubs are run": with_other(checks, grade, is_stub=lambda f: False),
    "stubs by their instructions only": with_other(checks, grade, is_stub=has_the_instructions_of_a_stub),
    "shape ignored": with_other(checks, grade, misshapen=lambda *_: None),
    "values ignored": with_other(checks, grade, agree=lambda *_: True),
    "an absolute tolerance": with_other(checks, grade, agree=lambda g, e, _: agree(g, e, 1e-6)),
    "its own lists handed out": with_other(checks, grade, copy=SimpleNamespace(deepcopy=lambda x: x)),
    "only the first input": with_other(checks, grade, EXERCISES={"99.1": (doubled, INPUTS[:1])}),
    "stops the notebook": with_other(checks, grade, print=lambda text: check(text, 0, 1)),
    "silent": with_other(checks, grade, print=lambda text: None),
})  # fmt: skip
def test_grade_says_whether_and_where_in_one_line(grade):
    for function, verdict in VERDICTS:
        assert said(grade, "99.1", function) == line(function, verdict)


def test_a_function_that_calls_itself_for_ever_or_takes_other_arguments_is_told_so():
    """The words after the error's name are Python's own and differ between versions."""
    assert f"{SHOWN.format('calls_itself')}it raised RecursionError: maximum recursion" in said(
        grade, "99.1", calls_itself
    )
    assert "it raised TypeError: two_arguments() missing 1 required" in said(grade, "99.1", two_arguments)


def test_functions_of_python_itself_are_run():
    """They have no source that could be a stub's."""
    assert said(grade, "99.1", len) == line(len, SHOWN + "the result is a number, expected a list of 2")
    assert said(grade, "99.1", sorted) == line(sorted, SHOWN + "result[0][0] is wrong, 4 of 4 are")
    assert "it raised TypeError: " in said(grade, "99.1", sum)


def test_long_inputs_are_shown_by_their_shape():
    def last_one_wrong(rows):
        return doubled(rows) if len(rows) < 5 else rows[:4]

    verdict = "input 4 of 5, {}([5][16]): the result is a list of 4, expected a list of 5"
    assert said(grade, "99.1", last_one_wrong) == line(last_one_wrong, verdict)


def test_grading_twice_says_the_same_and_spoils_no_input():
    for function, verdict in itertools.chain(VERDICTS, reversed(VERDICTS)):
        assert said(grade, "99.1", function) == line(function, verdict)
    assert checks.EXERCISES["99.1"][1] == INPUTS


def finding_mistakes_by(rule):
    return with_other(checks, grade, mistake=rule)


@true_of(grade, not_of={
    "shows what was expected": finding_mistakes_by(lambda f, answer, given: f"expected {answer(*given)}"),
    "like check": finding_mistakes_by(lambda f, answer, given: said(check, "it", f(*given), answer(*given))),
})  # fmt: skip
def test_grade_never_gives_the_answer_away(grade):
    """The answer is [[31337, 0.0625], [x, x]]; none of these has found its first row."""
    guesses = [
        0,
        None,
        [],
        [0, 0],
        [[0], [0]],
        [[0, 0], [0, 0]],
        [[0.0, 0], [5, 5]],
        "x",
        [["a", "b"], ["c", "d"]],
        [[None] * 2] * 2,
    ]
    for guess in guesses:
        text = said(grade, "99.2", lambda x: copy.deepcopy(guess))
        assert "31337" not in text and "0.0625" not in text and text.count("\n") == 1
    for guess in ["x", ["x", False], [["x"], True], ["x", [True]], [1, 1], [None, None]]:
        text = said(grade, "99.3", lambda x: copy.deepcopy(guess))
        assert "secret" not in text and "True" not in text and text.count("\n") == 1


@true_of(grade, not_of={"infinite tolerance": with_other(checks, grade, largest=lambda expected: INF)})
def test_an_infinity_in_the_answer_does_not_excuse_the_rest(grade):
    assert "passed" in said(grade, "99.4", lambda T: [[0, -INF], [0, 0]])
    for first in (5.0, INF, -INF, math.nan):
        assert "is wrong" in said(grade, "99.4", lambda T: [[first, -INF], [0.0, 0.0]])


@true_of(
    grade,
    not_of={"an unknown number passes": lambda number, f: number in checks.EXERCISES and grade(number, f)},
)
def test_grade_refuses_an_unknown_number_and_lists_the_known_ones(grade):
    for number in ("0.1", "99", "", "99.10"):
        refuses(grade, [number, doubled], ValueError, f"no exercise {number!r}", "00.1", "99.1, 99.3")


def test_the_tables_above_have_both_kinds():
    """A table of verdicts without failures, or without passes, would prove little."""
    kinds = {verdict.split(",")[0].split(" ")[0] for _, verdict in VERDICTS}
    assert kinds >= {"not", "passed", "input"}
    assert not holds(lambda f: refuses(f, ["99.1", doubled], ValueError), grade)
