"""Numbers and tables as a lesson shows them: the same text on every machine, and no noise in it."""

import math
from xml.etree import ElementTree

from tables import refuses

from helpers.course.show.display import closed, digits, rounded, table

ROUNDED = [
    # value, decimals, text
    (0.00004, 4, "0.0000"),
    (-0.00001, 4, "0.0000"),
    (-0.0, 4, "0.0000"),
    (-0.4, 0, "0"),
    (-0.00006, 4, "-0.0001"),
    (-0.0144, 4, "-0.0144"),
    (0.12345, 2, "0.12"),
    (1234567.891, 2, "1234567.89"),
    (math.inf, 4, "inf"),
    (math.nan, 4, "nan"),
    (0, 4, "0"),
    (-3, 4, "-3"),
    (True, 4, "True"),
    (None, 4, "None"),
    ("-0.0", 4, "-0.0"),
    ((5, 16), 4, "(5, 16)"),
]


def test_rounded():
    for x, decimals, text in ROUNDED:
        assert rounded(x, decimals) == text


def test_digits_of_a_number_and_of_a_vector_eight_a_line():
    assert repr(digits(-0.00001)) == "0.0000"
    assert repr(digits(2 / 3, 6)) == "0.666667"
    assert repr(digits(7)) == "7"
    assert repr(digits([0.5, -0.25, 10.0], 2)) == " 0.50  -0.25  10.00"
    assert repr(digits((1, -2))) == " 1  -2"
    nine = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -9.5]
    assert repr(digits(nine, 1)) == " 1.0   2.0   3.0   4.0   5.0   6.0   7.0   8.0\n-9.5"
    assert repr(digits([0] * 16)) == "\n".join(["  ".join("00000000")] * 2)


def test_digits_of_a_matrix_is_a_line_for_each_row():
    assert repr(digits([[0.5, -math.inf], [0.125, 10.0]], 2)) == " 0.50   -inf\n 0.12  10.00"
    assert repr(digits([[1, 2, 3]], 2)) == "1  2  3"
    assert repr(digits([[0.0] * 16] * 5, 1)).splitlines() == ["  ".join(["0.0"] * 16)] * 5  # not cut at eight


def test_digits_of_a_list_of_matrices_and_of_nothing():
    heads = [[[1 / 3, -0.5]], [[10.0, 0.0], [2 / 3, 0.0]]]
    assert repr(digits(heads, 2)) == " 0.33  -0.50\n\n10.00   0.00\n 0.67   0.00"
    assert repr(digits([])) == "[]"
    assert repr(digits([[]])) == ""


PARAMETERS = """\
name     shape    numbers
-------  -------  -------
E_token  (6, 16)       96
b_1      (64,)         64"""

SWITCHES = """\
     x    gelu  what
------  ------  -----
-2.000  -0.045  off
 0.000   0.000  <BOS>
10.000  10.000  on"""


def test_table_in_a_terminal():
    rows = [["E_token", (6, 16), 96], ["b_1", (64,), 64]]
    assert repr(table(["name", "shape", "numbers"], rows)) == PARAMETERS
    mixed = [[-2.0, -0.0454, "off"], [-0.0, -0.00001, "<BOS>"], [10.0, 10.0, "on"]]
    assert repr(table(["x", "gelu", "what"], mixed, 3)) == SWITCHES
    tokens = table(["id", "token"], enumerate(["<PAD>", "<BOS>"]))
    assert repr(tokens) == "id  token\n--  -----\n 0  <PAD>\n 1  <BOS>"


def cells(html_table):
    """(tag, alignment, text) of each cell, row by row; the table must be well-formed."""
    rows = ElementTree.fromstring(html_table).iter("tr")
    return [[(c.tag, c.get("style"), c.text) for c in row] for row in rows]


def test_numbers_given_as_text_are_flush_right_like_numbers():
    columns = [
        (["3,456", "96"], "right"),
        (["12 %", "\u22120.5"], "right"),
        (["1e-06", "inf", 3], "right"),
        (["2 of 3", "10"], "left"),
        (["-", "5"], "left"),
        (["[5][16]", "[5]"], "left"),
    ]
    for column, side in columns:
        shown = cells(table(["title"], [[entry] for entry in column])._repr_html_())
        assert {style for row in shown for _, style, _ in row} == {f"text-align:{side}"}, column
    assert repr(table(["parameters"], [["3,456"], ["96"]])).splitlines()[2:] == ["     3,456", "        96"]


def test_header_cells_have_a_scope_and_a_first_column_without_a_title_names_its_rows():
    def scopes(header):
        rows = ElementTree.fromstring(table(header, [["x", 1]])._repr_html_()).iter("tr")
        return [[(cell.tag, cell.get("scope")) for cell in row] for row in rows]

    column, value = ("th", "col"), ("td", None)
    assert scopes(["a", "b"]) == [[column, column], [value, value]]
    assert scopes(["", "b"]) == [[value, column], [("th", "row"), value]]


def test_table_in_a_notebook():
    left, right = "text-align:left", "text-align:right"
    rows = [["<BOS>", -0.00001, 1], ['"I"', 2 / 3, 20]]
    got = table(["token", "a < b & c", "n"], rows)._repr_html_()
    assert cells(got) == [
        [("th", left, "token"), ("th", right, "a < b & c"), ("th", right, "n")],
        [("td", left, "<BOS>"), ("td", right, "0.0000"), ("td", right, "1")],
        [("td", left, '"I"'), ("td", right, "0.6667"), ("td", right, "20")],
    ]
    assert "<BOS>" not in got


def test_table_refuses_rows_of_another_length():
    refuses(table, [["a", "b"], [[1, 2], [3]]], ValueError, "rows[1] has 1 values", "the header has 2")


def test_rows_are_read_once_and_left_alone():
    rows = [[1, 2.5], [3, 4.5]]
    shown = table(["a", "b"], iter(rows))
    rows[0][0] = 99
    assert repr(shown) == repr(shown) and "99" not in repr(shown) and "99" not in shown._repr_html_()


# --- folded


class Shown:
    """A thing with HTML of its own."""

    def __repr__(self):
        return "a text < a picture"

    def _repr_html_(self):
        return "<img alt='a picture'/>"


def fold(thing):
    """The attributes of the fold, its title, and what is in it."""
    root = ElementTree.fromstring(thing._repr_html_())
    assert root.tag == "details" and root[0].tag == "summary"
    return root.attrib, root[0].text, [(part.tag, part.text) for part in root[1:]]


def test_closed_output_is_folded_and_complete():
    attributes, title, parts = fold(closed(Shown(), 0.5, "a < b"))
    assert (attributes, title) == ({}, "The answer")
    assert parts == [("img", None), ("pre", "0.5000"), ("pre", "a < b")]
    assert fold(closed(digits([0.5, 1.0]), title="Which < one?"))[1] == "Which < one?"
    assert fold(closed(table(["n"], [[1]])))[2][0][0] == "table"


def test_closed_output_is_plain_text_in_a_terminal():
    assert repr(closed(Shown())) == "a text < a picture"
    assert repr(closed("a", 0.5, [1, 2])) == "a\n\n0.5000\n\n[1, 2]"
    refuses(closed, [], ValueError, "nothing to fold", "give the things to show")
