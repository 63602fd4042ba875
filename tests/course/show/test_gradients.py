"""The gradient report: what is green agrees, and one wrong number among thousands makes a line red."""

import html
import math
from xml.etree import ElementTree

import pytest
from figures import contrast
from tables import leaves_alone, refuses

from helpers.course.show.gradients import GREEN, RED, GradientReport, gradient_report, tensors


def agreeing(report):
    """(name, shape, numbers that agree, numbers) of each line."""
    return [line[:4] for line in report.lines]


# --- what agrees


@pytest.mark.parametrize(
    "got, agree",
    [
        ([-9.25, 1.25, 2.25], 3),
        ([-6.75, -1.25, -0.25], 3),
        ([-9.25 - 2**-40, 1.25, 2.25], 2),
        ([-8.0, 1.25 + 2**-40, 2.25], 2),
        ([-8.0, 0.0, -0.25 - 2**-40], 2),
        ([8.0, 1.3, -1.0], 0),
        ([-16.0, 2.0, 2.5], 0),  # 2 is an eighth of the largest number here, but that is not the measure
    ],
)
def test_a_number_agrees_up_to_the_tolerance_and_no_further(got, agree):
    """1/4 + 1/8 · 8 is 5/4, in powers of two, so that nothing is rounded; the largest is a negative one."""
    report = gradient_report({"b": got}, {"b": [-8.0, 0.0, 1.0]}, 0.25, 0.125)
    assert agreeing(report) == [("b", "[3]", agree, 3)]
    assert report.red == ([] if agree == 3 else ["b"])
    assert (report.agreeing, report.numbers) == (agree, 3)


def test_each_head_and_each_tensor_has_a_tolerance_of_its_own():
    """Gradients of W_Q are at most 1.3e-4 here: 1 % off is wrong beside a head of thousands, too."""
    tiny, off, large = [[1.3e-4, -2e-5]], [[1.313e-4, -2e-5]], [[1000.0, 0.5]]
    report = gradient_report({"W_Q": [large, off], "W_lm": large}, {"W_Q": [large, tiny], "W_lm": large})
    assert agreeing(report) == [
        ("W_Q[0]", "[1][2]", 2, 2),
        ("W_Q[1]", "[1][2]", 1, 2),
        ("W_lm", "[1][2]", 2, 2),
    ]
    assert report.red == ["W_Q[1]"]


def test_the_default_tolerances():
    """1e-9, which central differences leave of an exact 0, and 1e-5 of the largest difference."""
    assert (
        gradient_report({"b": [0.0], "c": [1000.0, 0.0]}, {"b": [9e-10], "c": [1000.009, -0.009]}).red == []
    )
    assert gradient_report({"b": [0.0, 0.0]}, {"b": [1.05e-9, 0.0]}).red == ["b"]
    assert gradient_report({"c": [1000.0, 0.0]}, {"c": [1000.011, -0.011]}).red == ["c"]


def test_nan_and_infinity_agree_with_nothing():
    nan, inf = math.nan, math.inf
    for got, wanted in [
        ([nan, 1.0], [0.0, 1.0]),
        ([0.0, 1.0], [nan, 1.0]),
        ([nan, nan], [nan, nan]),
        ([inf, 1.0], [0.0, 1.0]),
        ([5.0, 1.0], [-inf, 1.0]),
        ([inf, 1.0], [inf, 1.0]),
    ]:
        report = gradient_report({"b": got, "c": [1.0]}, {"b": wanted, "c": [1.0]})
        assert report.red == ["b"] and repr(report).splitlines()[1].endswith("no")


def test_tensors_names_the_heads_and_nothing_is_changed():
    W_Q = [[[1.0, 2.0]], [[3.0, 4.0]]]
    found = list(tensors({"b": [5.0], "W_Q": W_Q, "W": [[6.0]]}))
    assert found == [("b", [5.0]), ("W_Q[0]", W_Q[0]), ("W_Q[1]", W_Q[1]), ("W", [[6.0]])]
    leaves_alone(gradient_report, [{"W": [[1, 2], [3, 5]]}, {"W": [[1, 2], [3, 4]]}])


# --- what is refused


def test_names_and_shapes_that_do_not_match_are_refused():
    G, heads = {"W": [[1.0, 2.0]], "b": [3.0]}, [[[1.0]], [[2.0]]]
    for gradients, differences, words in [
        (G, {"W": [[1.0, 2.0]], "c": [3.0]}, ("b is not among the differences", "hold W, c")),
        ({}, G, ("gradients is empty", "at least one")),
        ({"b": [1.0, 2.0]}, {"b": [1.0]}, ("b: the gradient has shape (2,), the differences (1,)",)),
        ({"W": heads}, {"W": heads[:1]}, ("(2, 1, 1)", "(1, 1, 1)")),
        ({"W": [[1.0], [2.0]]}, {"W": heads}, ("(2, 1)", "(2, 1, 1)")),
        ({"W": [[1.0], [2.0, 3.0]]}, {"W": [[1.0], [2.0]]}, ("W is ragged",)),
    ]:
        refuses(gradient_report, [gradients, differences], ValueError, *words)


def test_what_is_no_number_is_refused():
    refuses(gradient_report, [{"W": [["2"]]}, {"W": [[1.0]]}], TypeError, "W[0][0] is '2', not a number")
    refuses(gradient_report, [{"b": [1.0]}, {"b": [None]}], TypeError, "the differences of b")
    refuses(gradient_report, [{"loss": 1.0}, {"loss": 1.0}], TypeError, "loss is 1.0, not a list")


# --- what is shown

LINES = [
    ("W_Q[0]", "[8][16]", 128, 128, 1.3e-4),
    ("b_1", "[64]", 63, 64, 0.04567),
    ("E<i>", "[6][16]", 0, 96, 0.0),
]


def test_a_terminal_shows_aligned_text():
    assert repr(GradientReport(LINES)) == (
        "tensor  shape    agree       largest   all agree\n"
        "W_Q[0]  [8][16]  128 of 128  0.000130  yes\n"
        "b_1     [64]     63 of 64    0.045670  no\n"
        "E<i>    [6][16]  0 of 96     0         no\n"
        "all              191 of 288            no"
    )
    assert repr(GradientReport(LINES[:1])).splitlines()[-1].split() == ["all", "128", "of", "128", "yes"]


def test_a_notebook_shows_the_same_words_on_their_colours():
    text = GradientReport(LINES)._repr_html_()
    table = ElementTree.fromstring(text)
    rows = [[cell.text or "" for cell in row] for row in table.iter("tr")]
    assert [" ".join(filter(None, row)).split() for row in rows] == (
        [line.split() for line in repr(GradientReport(LINES)).splitlines()]
    )
    assert html.escape("E<i>") in text and "<i>" not in text
    for row in table.find("tbody"):
        style = dict(part.split(":") for part in row.get("style").split(";"))
        assert style["background"] == (GREEN if row[-1].text == "yes" else RED)
        assert contrast(style["background"], style["color"]) > 7


def test_the_largest_is_that_of_the_gradient_without_its_sign():
    report = gradient_report({"b": [0.5, -3.0, 2.0]}, {"b": [0.5, -4.0, 2.0]})
    assert report.lines == [("b", "[3]", 2, 3, 3.0)]
