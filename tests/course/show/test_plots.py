"""Heat maps, stacks and curves: small ones by hand, what is refused, and what the alternative text promises.

What is true of every figure is looked up in the recorded ones, in tests/pages/test_figures.py.
"""

import math

import pytest
from figures import drawn, image, outline, texts
from tables import leaves_alone, refuses

from helpers.course.show.plots import beside, curves, heat_map, stack, ticks

INF, MINUS = math.inf, "\u2212"


def boxes(figure):
    """The boxes that stand for numbers: neither the background nor an outline."""
    return [b for b in drawn(figure, "rect") if b.get("width") != "100%" and b.get("fill") != "none"]


def outlines(figure):
    return [b for b in drawn(figure, "rect") if b.get("fill") == "none"]


# --- heat maps

BY_HAND = """\
T
       x     y
a    1.0  -0.5
bb   0.0  -inf"""


def test_a_heat_map_by_hand():
    figure = heat_map([[1, -0.5], [-0.0, -INF]], ["a", "bb"], ["x", "y"], "T", 1)
    assert repr(figure) == BY_HAND
    numbers = ["1.0", MINUS + "0.5", "0.0", MINUS + "\u221e"]
    assert texts(figure)[:9] == ["T", "x", "y", "a", *numbers[:2], "bb", *numbers[2:]]
    hidden = f"and {MINUS}\u221e in 1 entry, row bb, column y"
    assert image(figure).alt == f"Heat map: T. 2 rows (a, bb), 2 columns; values from -0.5 to 1.0, {hidden}."
    assert repr(heat_map([[1, 2, 3]], decimals=0)) == "   0  1  2\n0  1  2  3"


def test_labels_come_out_as_they_went_in():
    rows, columns, title = ["<BOS>", "transformers", "Zoë"], ['"quoted"', "R&D"], "a < b & c > 'd'?"
    figure = heat_map([[1, 2]] * 3, iter(rows), columns, title)
    assert {*rows, *columns, title} <= set(texts(figure))
    assert image(figure).alt.startswith(f"Heat map: {title} 3 rows ({', '.join(rows)}), 2 columns")


def test_a_figure_gets_no_smaller_than_can_be_read():
    """In a narrow page it shrinks: a reader of a wide figure sees its legend. Below 70 % it scrolls."""
    figure = heat_map([[0.5] * 8], ["a long name"])
    full = image(figure).width
    shown = figure._repr_html_()
    assert (
        f"max-width:{full}px" in shown
        and 0.69 * full < int(shown.split("min-width:")[1].split("px")[0]) < full
    )


def test_a_matrix_of_nothing_but_zeros_or_infinities_is_drawn():
    assert {b.get("fill") for b in boxes(heat_map([[0, 0.0]]))} == {"#ffffff"}
    masked = heat_map([[-INF, INF], [math.nan, -INF]], decimals=1)
    assert texts(masked)[3:8] == [MINUS + "\u221e", "\u221e", "1", "nan", MINUS + "\u221e"]
    assert "values from 0.0 to 0.0" in masked.alt


OUTLINED = [
    ([(1, 2)], "row like, column z"),
    ([(0, 0), (0, 2)], "row I, columns x, z"),
    ([(0, 1), (1, 0), (1, 1), (1, 2)], "row I, column y; row like, all columns"),
]


@pytest.mark.parametrize("mark, words", OUTLINED)
def test_an_outline_is_drawn_and_described_in_words(mark, words):
    figure = heat_map([[1, 2, 3], [4, 5, 6]], ["I", "like"], ["x", "y", "z"], mark=mark)
    assert figure.alt.endswith(f". Outlined: {words}.")
    assert repr(figure).splitlines()[-1] == f"Outlined: {words}."
    assert [outline(o) for o in outlines(figure)] == [outline(boxes(figure)[3 * i + j]) for i, j in mark]


def test_the_alternative_text_says_where_the_infinite_stands():
    """Five positions: 4 + 3 + 2 + 1 entries are above the diagonal."""
    mask = [[0.0] * (i + 1) + [-INF] * (4 - i) for i in range(5)]
    hidden = f"{MINUS}\u221e in 10 entries, above the diagonal."
    assert heat_map(mask).alt.endswith(f"values from 0.000 to 0.000, and {hidden}")
    mask[4][0] = INF
    assert "above the diagonal, and \u221e in 1 entry, row 4, column 0." in heat_map(mask).alt
    diagonal = heat_map([[INF, 1.0], [1.0, INF]]).alt
    assert diagonal.endswith("and \u221e in 2 entries, the diagonal.")


def test_a_matrix_too_large_to_read_has_a_minus_in_each_negative_box_and_no_numbers():
    M = [[0.5, -0.5, 0.0], [-0.0, -1e-9, -INF], [INF, 1e-9, -7]]
    figure = heat_map(M, numbers=False)
    assert texts(figure)[:-1] == ["0", MINUS, "1", MINUS, MINUS, "2", MINUS]
    assert repr(figure).count("0.500") == 2  # the terminal has the numbers all the same
    assert "1.000" in texts(heat_map([[1.0] * 64])) and "1.000" not in texts(heat_map([[1.0] * 65]))
    assert len(boxes(heat_map([[1.0] * 64] * 64))) == 4096
    refuses(heat_map, [[[0.5] * 4097]], ValueError, "M is [1][4097], 4,097 boxes; at most 4,096 can be drawn")


def test_boxes_without_numbers_have_the_columns_names_that_fit():
    """A box is 12 pixels wide, which is room for two small letters."""
    M = [[0.5, 0.5], [0.5, 0.5]]
    assert texts(heat_map(M, ["r", "s"], ["a", "10"], numbers=False))[:4] == ["a", "10", "r", "s"]
    assert "abc" not in texts(heat_map(M, ["r", "s"], ["a", "abc"], numbers=False))


def test_heat_map_refuses():
    M = [[1, 2, 3], [4, 5, 6]]
    for given, words in [
        ({"rows": ["a"]}, "M is [2][3], with 1 row and 3 column labels; give one for each"),
        ({"mark": [(0, 0), (2, 0)]}, "mark has (2, 0); M is [2][3], a place is (row, column)"),
        ({"mark": [(-1, 0)]}, "mark has (-1, 0)"),
        ({"full": 0}, "full is 0; it is the size of the full colour, a number above 0"),
        ({"full": math.nan}, "full is nan"),
    ]:
        refuses(lambda M: heat_map(M, **given), [M], ValueError, words)
    for bad, error, words in [
        (None, TypeError, "M is None"),
        ([1, 2], ValueError, "M is [2]; it must be a matrix"),
        ([[1, 2], [3]], ValueError, "M is ragged"),
        ([], ValueError, "M is []; give it at least one entry"),
    ]:
        refuses(heat_map, [bad], error, words)
    leaves_alone(heat_map, [[[1, -2.5]], ["a"], ["x", "y"], "T", 2, [(0, 1)]])


# --- several figures in one


def test_stack_puts_figures_under_one_another_with_their_boxes_at_one_line():
    wide, narrow = heat_map([[1] * 9] * 2, full=3), heat_map([[1]], ["one"], full=3)
    figure = stack(wide, narrow, wide, between="+=")
    assert outline(boxes(figure)[0])[0] == outline(boxes(figure)[18])[0] == outline(boxes(figure)[19])[0]
    assert repr(figure) == f"{wide!r}\n\n+\n{narrow!r}\n\n=\n{wide!r}"
    assert figure.alt == " ".join([wide.alt, narrow.alt, wide.alt])


def test_stack_and_beside_refuse():
    one = heat_map([[1]])
    for given, between in ([], ""), ([one], "+"), ([one, one], "+="):
        words = f"{len(given)} figures and {len(between)} signs"
        refuses(lambda given, between: stack(*given, between=between), [given, between], ValueError, words)
    with pytest.raises(ValueError, match="at least one figure"):
        beside()
    pair = beside(one, one)
    assert pair.width == 2 * one.width and repr(pair) == f"{one!r}\n\n{one!r}"


# --- curves


TICKS = [
    ([0, 1], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ([-2, 2], [-2, -1, 0, 1, 2]),
    ([3, 4700], [0, 1000, 2000, 3000, 4000, 5000]),
    ([-0.17, 0.03], [-0.2, -0.15, -0.1, -0.05, 0, 0.05]),
    ([5, 5], [5, 5.2]),
    ([10, 0], [0, 2, 4, 6, 8, 10]),
    ([1e12, 1e12], [1e12, 1e12 + 200]),
]


@pytest.mark.parametrize("values, expected", TICKS)
def test_ticks_are_round_numbers_around_the_values(values, expected):
    assert [round(tick, 9) for tick in ticks(values)] == expected


def points(figure):
    """The points of each line, in pixels."""
    lines = [line.get("points").split() for line in drawn(figure, "polyline")]
    return [[tuple(map(float, point.split(","))) for point in line] for line in lines]


def read_off(figure):
    """The lines as a reader reads them off: pixels turned into numbers by the numbers at the axes."""
    numbers = [t for t in drawn(figure, "text") if t.get("font-size") == "11"]
    values = [float(t.element.text.replace(MINUS, "-")) for t in numbers]
    along_x = [(float(t.get("x")), v) for t, v in zip(numbers, values) if t.get("text-anchor") == "middle"]
    along_y = [(float(t.get("y")) - 4, v) for t, v in zip(numbers, values) if t.get("text-anchor") == "end"]
    return [[(between(x, along_x), between(y, along_y)) for x, y in line] for line in points(figure)]


def between(pixel, axis):
    (p, v), (q, w) = axis[0], axis[-1]
    return v + (pixel - p) / (q - p) * (w - v)


LINES = {
    "gelu": [(x / 2, max(0, x / 2) - 0.1) for x in range(-8, 9)],
    "straight": [(-4, -4), (4, 4)],
    "steep": [(0, 3), (0.1, -3)],
}


def test_curves_can_be_read_off():
    figure = curves(LINES, dots=True)
    for read, line in zip(read_off(figure), LINES.values(), strict=True):
        assert len(read) == len(line)
        assert all(abs(x - a) < 0.01 and abs(y - b) < 0.02 for (x, y), (a, b) in zip(read, line))
    dots = [(float(c.get("cx")), float(c.get("cy"))) for c in drawn(figure, "circle")]
    assert dots == sum(points(figure), []) and drawn(curves(LINES), "circle") == []


def test_a_cursor_stands_at_its_x_and_circles_the_points_there():
    figure = curves(LINES, cursor=0, size=(100, 50))
    rings = [(float(c.get("cx")), float(c.get("cy"))) for c in drawn(figure, "circle")]
    assert rings == [points(figure)[0][8], points(figure)[2][0]]
    (line,) = [outline(box) for box in drawn(figure, "rect") if box.get("width") == "1.6"]
    assert line[3] - line[1] == 50 and line[0] < rings[0][0] < line[2]


def test_a_press_on_the_lines_chooses_the_nearest_stop():
    figure = curves(LINES, size=(100, 50), stops={-4: (None, 0), 0: (None, 1), 4: (None, 2)})
    strips = [box for box in drawn(figure, "rect") if box.get("data-press")]
    left = float(strips[0].get("x"))
    ends = [(float(box.get("x")) - left, float(box.get("width")), box.get("data-to")) for box in strips]
    assert ends == [(0, 25, "- 0"), (25, 50, "- 1"), (75, 25, "- 2")]


def test_powers_of_ten_are_written_at_the_ticks_of_logarithms():
    """The ranks 2,678 and 1 have the logarithms 3.43 and 0."""
    figure = curves({"rank": [(0, math.log10(2678)), (1, 0.0)]}, powers=True)
    assert figure.alt == "Curves. rank from (0, 2678) to (1, 1), lowest 1, highest 2678."
    shown = texts(figure)
    assert ["1", "10", "100", "1,000", "10,000"] == [text for text in shown if text.strip("0,") == "1"]


def test_what_curves_say_and_mark():
    figure = curves({"line": [(0, 0), (10, 5)]}, "T", "x", "y", [(10, 5, "the end"), (0, 0, "the start")])
    circles = [(float(c.get("cx")), float(c.get("cy"))) for c in drawn(figure, "circle")]
    assert circles == points(figure)[0][::-1]
    assert {"T", "x", "y", "the start", "the end"} <= set(texts(figure))
    text = "T\nline: (0, 0) to (10, 5), lowest 0, highest 5\nmarked: the end\nmarked: the start"
    assert repr(figure) == text
    line = "line from (0, 0) to (10, 5), lowest 0, highest 5"
    assert figure.alt == f"Curves: T. {line}; marked: the end; marked: the start."


def test_curves_refuses():
    two = [(0, 0), (1, 1)]
    for series in {}, {"a": [(0, 0)]}, {"a": two, "b": []}, dict.fromkeys("abcde", two):
        words = f"series has {len(series)} lines; give 1 to 4, each with at least two points"
        refuses(curves, [series], ValueError, words)
    for number in (INF, math.nan):
        refuses(curves, [{"a": [(0, 0), (1, number)]}], ValueError, "nan or infinite", "leave it out")
    for number in (1e13, -1e308):
        refuses(curves, [{"a": [(0, 0), (1, number)]}], ValueError, "above 1e12 in size", "logarithm")
