"""The gradient report: what is green agrees, and one wrong number among thousands is enough for red."""

import html
import inspect
import math
import sys
from xml.etree import ElementTree

import pytest
from tables import leaves_alone, refuses

from helpers.course.show.gradients import GREEN, RED, GradientReport, gradient_report, tensors

# --- the near misses


def agreeing(report):
    """(name, shape, numbers that agree, numbers) of each line."""
    return [line[:4] for line in report.lines]


# --- what agrees


def test_a_number_agrees_up_to_the_tolerance_and_no_further():
    """1/4 + 1/8 · 8 is 5/4, in powers of two, so that nothing is rounded; the largest is a negative one."""
    wanted = [-8.0, 0.0, 1.0]
    for got, agree in [
        ([-8.0, 0.0, 1.0], 3),
        ([-9.25, 1.25, 2.25], 3),
        ([-6.75, -1.25, -0.25], 3),
        ([-9.25 - 2**-40, 1.25, 2.25], 2),
        ([-6.75 + 2**-40, -1.25, -0.25], 2),
        ([-8.0, 1.25 + 2**-40, 2.25], 2),
        ([-8.0, 0.0, 2.25 + 2**-40], 2),
        ([-8.0, 0.0, -0.25 - 2**-40], 2),
        ([8.0, 1.3, -1.0], 0),
        ([-16.0, 2.0, 2.5], 0),  # would be within an eighth of the gradient's own largest
    ]:
        report = gradient_report({"b": got}, {"b": wanted}, 0.25, 0.125)
        assert agreeing(report) == [("b", "[3]", agree, 3)]
        assert report.red == ([] if agree == 3 else ["b"])
        assert (report.agreeing, report.numbers) == (agree, 3)


def test_each_tensor_has_a_tolerance_of_its_own():
    """Gradients of W_Q are at most 1.3e-4 here, those of W_lm thousands of times that: 1 % off is wrong
    in both."""
    tiny, off = [[1.3e-4, -2e-5]], [[1.313e-4, -2e-5]]
    large = [[1000.0, 0.5]]
    report = gradient_report({"W_Q": [tiny, off], "W_lm": large}, {"W_Q": [tiny, tiny], "W_lm": large})
    assert agreeing(report) == [
        ("W_Q[0]", "[1][2]", 2, 2),
        ("W_Q[1]", "[1][2]", 1, 2),
        ("W_lm", "[1][2]", 2, 2),
    ]
    assert report.red == ["W_Q[1]"]
    # a large head beside a tiny one
    report = gradient_report({"W_Q": [large, off]}, {"W_Q": [large, tiny]})
    assert report.red == ["W_Q[1]"]
    # what central differences leave of an exact 0, and of the fifth digit
    report = gradient_report(
        {"b": [0.0, 0.0], "c": [1000.0, 0.0]}, {"b": [9e-10, -9e-10], "c": [1000.009, -0.009]}
    )
    assert report.red == []
    assert gradient_report({"b": [0.0, 0.0]}, {"b": [2e-9, 0.0]}).red == ["b"]
    assert gradient_report({"c": [1000.0, 0.0]}, {"c": [1000.011, -0.011]}).red == ["c"]


def test_each_head_has_a_line_of_its_own_and_lines_stand_in_the_order_of_the_gradients():
    W_K = [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]
    gradients = {
        "b": [1.0, 2.0, 3.0],
        "W_K": W_K,
        "E": [[1.0], [2.0]],
        "W_1": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    }
    differences = {**dict(reversed(gradients.items())), "loss": 1.0, "gamma": [9.0]}  # more than is asked for
    report = gradient_report(gradients, differences)
    assert agreeing(report) == [
        ("b", "[3]", 3, 3),
        ("W_K[0]", "[1][2]", 2, 2),
        ("W_K[1]", "[1][2]", 2, 2),
        ("W_K[2]", "[1][2]", 2, 2),
        ("E", "[2][1]", 2, 2),
        ("W_1", "[2][3]", 6, 6),
    ]
    assert (report.red, report.agreeing, report.numbers) == ([], 17, 17)
    wrong = gradient_report({**gradients, "W_K": [W_K[0], W_K[0], W_K[2]], "E": [[1.0], [-2.0]]}, differences)
    assert (wrong.red, wrong.agreeing, wrong.numbers) == (["W_K[1]", "E"], 14, 17)


def test_one_wrong_number_among_thousands_is_red():
    for i, j in (0, 0), (63, 15), (17, 0), (0, 9):
        W = [[r + c / 16 for c in range(16)] for r in range(64)]
        wrong = [list(row) for row in W]
        wrong[i][j] += 0.01
        report = gradient_report({"W": wrong}, {"W": W})
        assert report.red == ["W"] and (report.agreeing, report.numbers) == (1023, 1024)


def test_nan_and_infinity_agree_with_nothing():
    nan, inf = math.nan, math.inf
    for got, wanted in [
        ([nan, 1.0], [0.0, 1.0]),
        ([1.0, nan], [1.0, 0.0]),
        ([0.0, 1.0], [nan, 1.0]),
        ([1.0, 0.0], [1.0, nan]),
        ([nan, nan], [nan, nan]),
        ([inf, 1.0], [0.0, 1.0]),
        ([1.0, 5.0], [1.0, inf]),
        ([5.0, 1.0], [-inf, 1.0]),
        ([inf, 1.0], [inf, 1.0]),
    ]:
        report = gradient_report({"b": got, "c": [1.0]}, {"b": wanted, "c": [1.0]})
        assert report.red == ["b"] and report.agreeing < report.numbers == 3
        assert repr(report).splitlines()[1].endswith("no")


# --- what is refused


def test_gradient_report_refuses():
    G = {"W": [[1.0, 2.0]], "b": [3.0]}
    words = "b is not among the differences", "hold W, c"
    refuses(gradient_report, [G, {"W": [[1.0, 2.0]], "c": [3.0]}], ValueError, *words)
    refuses(gradient_report, [G, {}], ValueError, "W is not among the differences", "hold nothing")
    refuses(gradient_report, [{}, G], ValueError, "gradients is empty", "at least one")
    heads = [[[1.0]], [[2.0]]]
    for got, wanted, words in [
        ([1.0, 2.0], [1.0], ("(2,)", "(1,)")),
        ([1.0], [1.0, 2.0], ("(1,)", "(2,)")),
        ([[1.0, 2.0]], [[1.0], [2.0]], ("(1, 2)", "(2, 1)")),
        ([[1.0, 2.0]], [1.0, 2.0], ("(1, 2)", "(2,)")),
        (heads, heads[:1], ("(2, 1, 1)", "(1, 1, 1)")),
        (heads[:1], heads, ("(1, 1, 1)", "(2, 1, 1)")),
        (heads, [[1.0], [2.0]], ("(2, 1, 1)", "(2, 1)")),
        ([[1.0], [2.0]], heads, ("(2, 1)", "(2, 1, 1)")),
    ]:
        words = f"W_Q: the gradient has shape {words[0]}, the differences {words[1]}"
        refuses(gradient_report, [{"b": [1.0], "W_Q": got}, {"b": [1.0], "W_Q": wanted}], ValueError, words)
    refuses(
        gradient_report,
        [{"W": [[1.0], ["2"]]}, {"W": [[1.0], [2.0]]}],
        TypeError,
        "W[1][0] is '2', not a number",
    )
    refuses(
        gradient_report,
        [{"b": [1.0]}, {"b": [None]}],
        TypeError,
        "the differences of b[0] is None, not a number",
    )
    refuses(gradient_report, [{"W": [[1.0], [2.0, 3.0]]}, {"W": [[1.0], [2.0]]}], ValueError, "W is ragged")
    refuses(gradient_report, [{"loss": 1.0}, {"loss": 1.0}], TypeError, "loss is 1.0, not a list")


# --- what is shown

LINES = [
    ("W_Q[0]", "[8][16]", 128, 128, 1.3e-4),
    ("b_1", "[64]", 63, 64, 0.04567),
    ("E<i>", "[6][16]", 0, 96, 0.0),
]
ROWS = [
    ["tensor", "shape", "agree", "largest", "all agree"],
    ["W_Q[0]", "[8][16]", "128 of 128", "0.000130", "yes"],
    ["b_1", "[64]", "63 of 64", "0.045670", "no"],
    ["E<i>", "[6][16]", "0 of 96", "0", "no"],
    ["all", "", "191 of 288", "", "no"],
]


def test_a_terminal_shows_aligned_text_with_a_line_for_each_tensor_and_a_total():
    Report = GradientReport
    assert repr(Report(LINES)) == (
        "tensor  shape    agree       largest   all agree\n"
        "W_Q[0]  [8][16]  128 of 128  0.000130  yes\n"
        "b_1     [64]     63 of 64    0.045670  no\n"
        "E<i>    [6][16]  0 of 96     0         no\n"
        "all              191 of 288            no"
    )
    assert repr(Report(LINES[:1])).splitlines()[-1].split() == ["all", "128", "of", "128", "yes"]


def contrast(one, other):
    """The contrast ratio of two colours, from WCAG 2: 4.5 is needed to read text."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_a_notebook_shows_a_table_whose_colours_match_its_words():
    Report = GradientReport
    text = Report(LINES)._repr_html_()
    table = ElementTree.fromstring(text)
    tags = {element.tag for element in table.iter()}
    assert table.tag == "table" and tags == {"table", "thead", "tbody", "tr", "th", "td"}
    assert [[cell.text or "" for cell in row] for row in table.iter("tr")] == ROWS
    assert html.escape("E<i>") in text and "<i>" not in text
    for row in table.find("tbody"):
        style = dict(part.split(":") for part in row.get("style").split(";"))
        assert style["background"] == (GREEN if row[-1].text == "yes" else RED)
        # a dark page's own colour would be white, which nobody can read on the pale background
        assert contrast(style["background"], style["color"]) > 7
    whole = ElementTree.fromstring(Report(LINES[:1])._repr_html_())
    assert [row[-1].text for row in whole.find("tbody")] == ["yes", "yes"]


def test_green_is_greenish_and_red_reddish_and_the_names_are_those_of_the_lines():
    red, green = ([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (RED, GREEN))
    assert (
        green[1] == max(green) and red[0] == max(red) and max(red[1:]) < red[0] and max(green[::2]) < green[1]
    )
    assert GradientReport(LINES).red == ["b_1", "E<i>"]


def test_the_largest_is_that_of_the_gradient_without_its_sign():
    report = gradient_report({"b": [0.5, -3.0, 2.0]}, {"b": [0.5, -4.0, 2.0]})
    assert report.lines == [("b", "[3]", 2, 3, 3.0)]
    report = gradient_report({"b": [0.0, 0]}, {"b": [0, 0.0]})
    assert repr(report).splitlines()[1].split() == ["b", "[2]", "2", "of", "2", "0", "yes"]


# --- the small parts


def test_tensors_names_the_heads():
    W_Q = [[[1.0, 2.0]], [[3.0, 4.0]]]
    found = list(tensors({"b": [5.0], "W_Q": W_Q, "W": [[6.0]]}))
    assert found == [("b", [5.0]), ("W_Q[0]", W_Q[0]), ("W_Q[1]", W_Q[1]), ("W", [[6.0]])]


# --- all of them

CALLS = [
    (gradient_report, [{"W": [[1, 2], [3, 5]]}, {"W": [[1, 2], [3, 4]]}]),
    (tensors, [{"W": [[1, 2], [3, 5]]}]),
]


@pytest.mark.parametrize("function, arguments", CALLS)
def test_arguments_are_not_changed_and_not_part_of_the_result(function, arguments):
    leaves_alone(function, arguments)


def test_every_function_of_the_module_is_tested_here():
    module = sys.modules[gradient_report.__module__]
    members = inspect.getmembers(module, inspect.isfunction)
    own = {name for name, function in members if function.__module__ == module.__name__}
    assert own == {f.__name__ for f, _ in CALLS}
