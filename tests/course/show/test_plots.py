"""Figures, read back as a browser reads them: the <img> is taken apart and its SVG parsed."""

import base64
import html
import itertools
import math
import random
import re
from xml.etree import ElementTree

import pytest
from tables import leaves_alone, refuses, with_other

from helpers.course.lessons.maps import (
    BACK,
    BACKWARD,
    ONWARD,
    STEPS,
    THERE,
    TODAY,
    badge,
    course_figure,
    network_map,
)
from helpers.course.show import svg
from helpers.course.show.plots import curves, heat_map, stack, ticks
from helpers.course.show.stairs import stairs
from helpers.course.show.svg import ACCENT, FAINT, INK, PAPER, Figure, arrow, box, label, shade
from helpers.course.state.registry import VARIANTS
from notebooks import NAMES

INF, MINUS = math.inf, "\u2212"
SVG = "{http://www.w3.org/2000/svg}"


def image(figure):
    """The parts of the <img>: alternative text, width, SVG; it must stand alone in a box that scrolls."""
    found = re.fullmatch(
        r'<div style="overflow-x:auto"><img alt="([^"<>]+)" width="(\d+)" style="max-width:none" '
        r'src="data:image/svg\+xml;base64,([A-Za-z0-9+/]+=*)"></div>',
        figure._repr_html_(),
    )
    assert found, figure._repr_html_()
    return html.unescape(found[1]), int(found[2]), base64.b64decode(found[3], validate=True).decode("utf-8")


def drawn(figure, tag):
    """All elements of one kind, in the order in which they are painted."""
    return list(ElementTree.fromstring(image(figure)[2]).iter(SVG + tag))


def texts(figure):
    return [element.text or "" for element in drawn(figure, "text")]


def place(element):
    return tuple(float(element.get(name)) for name in ("x", "y", "width", "height"))


def boxes(figure):
    """The boxes that stand for numbers: neither the background nor an outline."""
    return [b for b in drawn(figure, "rect") if b.get("width") != "100%" and b.get("fill") != "none"]


def outlines(figure):
    return [b for b in drawn(figure, "rect") if b.get("fill") == "none"]


def but(draw, **changes):
    """A near miss: the figures of a function, with some of their parts passed through other functions."""

    def variant(*arguments, **options):
        figure = draw(*arguments, **options)
        for name, change in changes.items():
            part = getattr(figure, name)
            setattr(figure, name, of_result(change, part) if callable(part) else change(part))
        return figure

    return variant


def of_result(change, method):
    return lambda: change(method())


def sub(pattern, by, count=0):
    """What re.sub does to a text that comes later."""
    return lambda text: re.sub(pattern, by, text, count=count)


def some_numbers(m=4, n=6, seed=1):
    rng = random.Random(seed)
    return [[rng.gauss(0, 0.1) for _ in range(n)] for _ in range(m)]


# --- every figure

FIGURES = [
    lambda: heat_map(some_numbers(), title="E_token [4][6]", mark=[(1, 2)]),
    lambda: heat_map(some_numbers(5, 16), numbers=False),
    lambda: heat_map([[1]]),
    lambda: heat_map([[0.0, -INF], [0.0, 0.0]], ["<BOS>", "I & I"], ['"a"', "b"], "<mask>", 0),
    lambda: stack(heat_map([[1, 2]], title="a < b"), heat_map(some_numbers(2, 2)), between="<"),
    lambda: curves({"x < 1": [(0, -1 / 3), (1 / 3, 0.5)]}, "a & b", "<x>", "y", [(0.2, 1 / 7, "<here>")]),
    lambda: network_map(),
    lambda: network_map("06"),
    lambda: curves({"a": [(0.001, 1), (0.5, 2), (40, 1.5)]}, "Rates?", dots=True, log_x=True),
    lambda: course_figure("10b"),
]


def as_drawn(figure):
    return figure


def test_a_figure_is_one_image_with_alternative_text_and_a_text_form():
    for draw in FIGURES:
        figure = as_drawn(draw())
        alt, width, svg = image(figure)
        root = ElementTree.fromstring(svg)
        assert root.tag == SVG + "svg"
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert int(root.get("width")) == width and int(root.get("height")) > 0
        assert len(alt) > 20 and re.search(
            r"\d rows|\[5]\[16]|highest \d|11 AdamW", alt
        )  # how large the thing is
        assert repr(figure).strip() and "<text" not in repr(figure)


def test_a_figure_paints_its_own_background_first():
    for draw in FIGURES:
        first = next(iter(ElementTree.fromstring(image(as_drawn(draw()))[2])))
        assert first.tag == SVG + "rect" and first.get("fill") == PAPER
        assert (first.get("width"), first.get("height")) == ("100%", "100%")


def coordinates_are_rounded(figure):
    """Outside of texts no number has a second decimal or an exponent, and none is nan or inf."""
    for element in ElementTree.fromstring(image(figure)[2]).iter():
        for name, value in element.attrib.items():
            numbers = [] if name in ("fill", "stroke") else re.findall(r"-?\d[\d.e-]*", value)
            rounded = all(re.fullmatch(r"-?\d+(\.\d)?", number) for number in numbers)
            if not rounded or value in ("nan", "inf"):
                return False
    return True


def test_coordinates_have_one_decimal_at_most():
    for draw in FIGURES:
        assert coordinates_are_rounded(draw())
    for element in label(1 / 3, 2 / 3, "1.234"), box(*[1 / 3] * 4, INK), badge(1 / 3, 2 / 3, "01", False):
        assert coordinates_are_rounded(Figure(9, 9, element, "a shape of some kind", "a shape"))
    for end in (10.1, 10.3), (-7.77, 3.14159), (0.0, 9 / 7):
        assert coordinates_are_rounded(Figure(9, 9, arrow(0, 0.3, *end), "an arrow of some kind", "an arrow"))
    unrounded_map = with_other(svg, network_map, round=lambda x, digits=0: x)
    assert not coordinates_are_rounded(unrounded_map("02"))
    assert not coordinates_are_rounded(but(heat_map, body=sub('x="', 'x="0.12'))([[1]]))


def moved_by(factor, M):
    return [[x * (1 + factor) for x in row] for row in M]


def test_the_last_bit_of_a_number_is_not_seen():
    """Machines differ in it, and a recorded picture is compared exactly. A hundredth is seen."""
    for M in some_numbers(5, 16), [[1 / (i + 1)] * 5 for i in range(5)], [[0.4, -0.3], [0.0, 1e-9]]:
        figure = heat_map(M)
        for nudged in moved_by(2**-52, M), moved_by(-(2**-53), M):
            assert nudged != M
            assert image(heat_map(nudged)) == image(figure) and repr(heat_map(nudged)) == repr(figure)
        assert image(heat_map(moved_by(1e-2, M))) != image(figure)


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
    assert "1.0" in texts(figure)[9]  # what the full colour stands for
    hidden = f"and {MINUS}\u221e in 1 entry, row bb, column y"
    assert image(figure)[0] == f"Heat map: T. 2 rows (a, bb), 2 columns; values from -0.5 to 1.0, {hidden}."


def test_rows_and_columns_are_counted_from_0_when_they_have_no_names():
    assert repr(heat_map([[1, 2, 3]], decimals=0)) == "   0  1  2\n0  1  2  3"
    assert repr(heat_map([[1], [2]], rows=iter("ab"), columns=[7], decimals=0)) == "   7\na  1\nb  2"


def test_labels_come_out_as_they_went_in():
    rows, columns, title = ["<BOS>", "transformers", "Zoë"], ['"quoted"', "R&D"], "a < b & c > 'd'"
    figure = heat_map([[1, 2]] * 3, rows, columns, title)
    assert {*rows, *columns, title} <= set(texts(figure))
    alt = image(figure)[0]
    assert all(name in alt for name in [*rows, title]) and "3 rows" in alt and "2 columns" in alt


def test_boxes_stand_in_rows_and_columns():
    for m, n in (1, 1), (1, 4), (3, 1), (5, 16):
        figure = heat_map(some_numbers(m, n))
        found = list(map(place, boxes(figure)))
        columns, rows = sorted({x for x, *_ in found}), sorted({y for _, y, *_ in found})
        assert [(x, y) for x, y, *_ in found] == [(x, y) for y in rows for x in columns]
        assert (len(rows), len(columns)) == (m, n)
        assert all(
            0 < x and x + w <= figure.width and 0 < y and y + h <= figure.height for x, y, w, h in found
        )
        assert all(b - a >= found[0][2] for a, b in zip(columns, columns[1:]))
        assert all(b - a >= found[0][3] for a, b in zip(rows, rows[1:]))


def red_and_blue(element):
    return int(element.get("fill")[1:3], 16), int(element.get("fill")[5:7], 16)


def test_colours_show_sign_and_size():
    weak, strong, blue, deep, zero, minus_zero, hidden = boxes(
        heat_map([[0.2, 1.0, -0.2, -1.0, 0.0, -0.0, -INF]])
    )
    assert all(red_and_blue(b)[0] > red_and_blue(b)[1] for b in (weak, strong))
    assert all(red_and_blue(b)[0] < red_and_blue(b)[1] for b in (blue, deep))
    assert red_and_blue(strong)[1] < red_and_blue(weak)[1] and red_and_blue(deep)[0] < red_and_blue(blue)[0]
    assert zero.get("fill") == minus_zero.get("fill") == "#ffffff"
    assert hidden.get("fill") not in {b.get("fill") for b in (weak, strong, blue, deep, zero)}
    half, whole, more = boxes(heat_map([[0.2, 0.4, 3.0]], full=0.4))
    assert whole.get("fill") == more.get("fill") == strong.get("fill") != half.get("fill")


def test_a_matrix_of_nothing_but_zeros_or_infinities_is_drawn():
    assert {b.get("fill") for b in boxes(heat_map([[0, 0.0]]))} == {"#ffffff"}
    masked = heat_map([[-INF, INF], [math.nan, -INF]], decimals=1)
    assert texts(masked)[3:8] == [MINUS + "\u221e", "\u221e", "1", "nan", MINUS + "\u221e"]
    assert "values from 0.0 to 0.0" in image(masked)[0]


def test_marks_outline_their_boxes():
    figure = heat_map(some_numbers(3, 4), mark=[(1, 2), (2, 0)])
    expected = [place(boxes(figure)[1 * 4 + 2]), place(boxes(figure)[2 * 4 + 0])]
    assert list(map(place, outlines(figure))) == expected
    assert all(o.get("stroke") == INK and o.get("stroke-width") == "2" for o in outlines(figure))
    assert [b.get("fill") for b in drawn(figure, "rect")[-2:]] == ["none", "none"]  # above the boxes
    assert outlines(heat_map(some_numbers(3, 4))) == []


def test_an_outline_is_described_in_words_too():
    rows, columns = ["I", "like"], ["x", "y", "z"]
    for mark, words in [
        ([(1, 2)], "row like, column z"),
        ([(0, 0), (0, 2)], "row I, columns x, z"),
        ([(1, 0), (1, 1), (1, 2)], "row like, all columns"),
        ([(0, 1), (1, 0)], "row I, column y; row like, column x"),
    ]:
        figure = heat_map([[1, 2, 3], [4, 5, 6]], rows, columns, mark=mark)
        assert image(figure)[0].endswith(f". Outlined: {words}.")
        assert repr(figure).splitlines()[-1] == f"Outlined: {words}."
    diagonal = heat_map([[1, 2], [3, 4]], ["a", "b"], ["x", "y"], mark=[(0, 0), (1, 1)])
    assert image(diagonal)[0].endswith(". Outlined: the diagonal.")


def test_the_alternative_text_says_where_the_infinite_stands():
    """Five positions: 4 + 3 + 2 + 1 entries are above the diagonal."""
    mask = [[0.0] * (i + 1) + [-INF] * (4 - i) for i in range(5)]
    hidden = f"{MINUS}\u221e in 10 entries, above the diagonal."
    assert image(heat_map(mask))[0].endswith(f"values from 0.000 to 0.000, and {hidden}")
    mask[4][0] = INF
    assert "above the diagonal, and \u221e in 1 entry, row 4, column 0." in image(heat_map(mask))[0]
    mask[4][0] = -INF
    assert f"{MINUS}\u221e in 11 entries, row 0, columns 1, 2, 3, 4; row 1, " in image(heat_map(mask))[0]
    assert image(heat_map([[0.0, math.nan]]))[0].endswith("to 0.000, and nan in 1 entry, row 0, column 1.")


def test_what_nobody_can_read_is_drawn_without_numbers_or_refused():
    assert "1.000" in texts(heat_map([[1.0] * 64]))
    assert "1.000" not in texts(heat_map([[1.0] * 65])) and "1.000" not in texts(heat_map([[1.0]] * 65))
    assert len(boxes(heat_map([[1.0] * 64] * 64))) == 4096
    refuses(heat_map, [[[0.5] * 4097]], ValueError, "M is [1][4097], 4,097 boxes; at most 4,096 can be drawn")


def test_without_numbers_a_minus_stands_in_each_negative_box_and_in_no_other():
    M = [[0.5, -0.5, 0.0], [-0.0, -1e-9, -INF], [INF, 1e-9, -7]]
    figure = heat_map(M, numbers=False)
    signs = [(float(t.get("x")), float(t.get("y"))) for t in drawn(figure, "text") if t.text == MINUS]
    inside = [
        [x < sx < x + w and y < sy < y + h for sx, sy in signs] for x, y, w, h in map(place, boxes(figure))
    ]
    assert [any(row) for row in inside] == [False, True, False, False, True, True, False, False, True]
    assert repr(figure).count("0.500") == 2  # the terminal has the numbers all the same


def test_heat_map_refuses():
    M = [[1, 2, 3], [4, 5, 6]]
    for rows, columns, words in [
        (["a"], None, "M is [2][3], with 1 row and 3 column labels"),
        (["a", "b", "c"], None, "with 3 row and 3 column labels"),
        (None, ["x", "y"], "with 2 row and 2 column labels"),
        (["x", "y", "z"], ["a", "b"], "with 3 row and 2 column labels"),
        ([], None, "with 0 row and 3 column labels"),
    ]:
        refuses(heat_map, [M, rows, columns], ValueError, words, "give one for each")

    def with_mark(M, mark):
        return heat_map(M, mark=mark)

    def with_full(M, full):
        return heat_map(M, full=full)

    for place in (2, 0), (0, 3), (-1, 0), (9, 9):
        refuses(with_mark, [M, [(0, 0), place]], ValueError, f"mark has {place}", "M is [2][3]")
    refuses(with_mark, [M, (0, 1)], ValueError, "mark has 0", "(row, column)")
    for full in (0, -1, math.nan):
        refuses(with_full, [M, full], ValueError, f"full is {full}", "above 0")
    for bad, error, words in [
        (None, TypeError, "M is None"),
        ([1, 2], ValueError, "M is [2]; it must be a matrix"),
        ([[1, 2], [3]], ValueError, "M is ragged"),
        ([[1, 2], [3, "4"]], TypeError, "M[1][1] is '4'"),
        ([], ValueError, "M is []; give it at least one entry"),
    ]:
        refuses(heat_map, [bad], error, words)


def test_large_numbers_stay_in_their_boxes():
    for number, text in (12345.678, "12345.678"), (-1e308, f"{MINUS}1.0e+308"), (2e9, "2.0e+09"):
        figure = heat_map([[number, 0.0]])
        assert text in texts(figure) and figure.width < 400
        assert place(boxes(figure)[0])[2] > 6.5 * len(text)


def test_arguments_are_not_changed():
    leaves_alone(heat_map, [[[1, -2.5]], ["a"], ["x", "y"], "T", 2, [(0, 1)]])


def luminance(colour):
    """How bright a colour is to the eye, by the definition of the Web Content Accessibility Guidelines."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour, other):
    darker, lighter = sorted([luminance(colour), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_by_hand():
    assert round(contrast("#000000", "#ffffff"), 9) == 21 and contrast("#777777", "#777777") == 1
    assert round(contrast("#767676", "#ffffff"), 2) == 4.54  # the lightest grey that passes on white


def test_numbers_are_legible_on_every_shade():
    for value in [n / 100 for n in range(-100, 101)] + [INF, -INF, math.nan]:
        assert contrast(*shade(value, 1.0)) >= 4.5, value
    assert all(contrast(ink, PAPER) >= 4.5 for ink in (INK, ACCENT, FAINT))


def span(text):
    """From where to where a text reaches; a letter is at least half as wide as high."""
    x, width = float(text.get("x")), 0.5 * float(text.get("font-size")) * len(text.text or "")
    start = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor")]
    return start, start + width


def is_cut_off(figure):
    """Whether a text needs more room than the picture has."""
    return any(start < 0 or end > image(figure)[1] for start, end in map(span, drawn(figure, "text")))


def lie_on_each_other(figure):
    """The texts of a line of which one begins before another ends."""
    lines = {}
    for text in drawn(figure, "text"):
        lines.setdefault(text.get("y"), []).append((span(text), text.text))
    return [
        (left, right)
        for line in lines.values()
        for ((_, end), left), ((start, _), right) in itertools.pairwise(sorted(line))
        if start < end
    ]


def test_no_text_lies_on_another():
    for draw in FIGURES:
        assert lie_on_each_other(draw()) == []


def test_no_text_is_cut_off():
    for M in [[1]], [[-0.5], [2]], [[1, -INF]], some_numbers(5, 16):
        assert not is_cut_off(heat_map(M, title="a title that is longer than its matrix is wide"))


def test_no_caption_of_a_stack_is_cut_off():
    """The captions differ, so each stands under its own figure, and is wider than that."""
    assert not is_cut_off(stack(heat_map([[1]]), heat_map([[2]])))
    assert stack(heat_map([[1]]), heat_map([[1]])).width == heat_map([[1]]).width


# --- figures under one another


def test_stack_puts_figures_under_one_another_in_order():
    wide, narrow = heat_map([[1] * 9] * 2, full=3), heat_map([[1]], ["one"], full=3)
    title = heat_map([[2]], title="two", full=3)
    figure = stack(wide, narrow, title, between="+=")
    inner = [place(svg) for svg in drawn(figure, "svg")[1:]]
    assert [y for _, y, *_ in inner] == [0, wide.height, wide.height + narrow.height]
    assert [size[2:] for size in inner] == [(f.width, f.height) for f in (wide, narrow, title)]
    firsts = [place(next(b for b in svg.iter(SVG + "rect")))[0] for svg in drawn(figure, "svg")[1:]]
    assert len({x + first for (x, *_), first in zip(inner, firsts)}) == 1  # their boxes begin at one line
    assert min(x for x, *_ in inner) == 0
    assert figure.width == max(x + w for x, _, w, _ in inner)
    assert figure.height == wide.height + narrow.height + title.height
    signs = {t.text: float(t.get("y")) for t in drawn(figure, "text") if t.text in ("+", "=")}
    assert 0 < signs["+"] - wide.height < 30 and 0 < signs["="] - wide.height - narrow.height < 30
    assert repr(figure) == f"{wide!r}\n\n+\n{narrow!r}\n\n=\n{title!r}"
    assert image(figure)[0] == " ".join([wide.alt, narrow.alt, title.alt])


def test_a_stack_needs_no_signs_and_can_be_stacked():
    one, other = heat_map([[1]], full=3), heat_map([[2]], full=3)
    assert repr(stack(one, other)) == f"{one!r}\n\n{other!r}"
    assert stack(one).height == one.height and stack(one).width == one.width
    assert stack(stack(one, other), one).height == 3 * one.height
    assert len(boxes(stack(stack(one, other), one))) == 3


def captions(figure):
    """What the colours mean, and how far down that stands."""
    found = [text for text in drawn(figure, "text") if (text.text or "").startswith("white is 0")]
    return [(text.text, float(text.get("y"))) for text in found]


def test_what_all_captions_say_is_said_once_and_else_each_stands_under_its_figure():
    one, two, plain = heat_map([[1]]), heat_map([[2]]), network_map()
    assert one.height == two.height == 60 and one.caption != two.caption and not plain.caption
    ((caption, y),) = captions(stack(one, heat_map([[1], [1]])))
    assert caption == one.caption and y > 60 + 86
    figure = stack(one, two, plain)
    (first, y), (second, z) = captions(figure)
    assert (first, second) == (one.caption, two.caption)
    assert 60 < y < 80 < 140 < z < 160  # each has 20 pixels of its own
    assert [place(svg)[1] for svg in drawn(figure, "svg")[1:]] == [0, 80, 160]
    assert figure.height == 160 + plain.height


def test_stack_refuses():
    def stacked(given, between):
        return stack(*given, between=between)

    one = heat_map([[1]])
    for given, between in ([], ""), ([one], "+"), ([one, one], "+="):
        words = f"{len(given)} figures and {len(between)} signs"
        refuses(stacked, [given, between], ValueError, words)


# --- curves

# values, the round numbers around them
TICKS = [
    ([0, 1], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ([-2, 2], [-2, -1, 0, 1, 2]),
    ([0.05, 0.97], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ([3, 4700], [0, 1000, 2000, 3000, 4000, 5000]),
    ([-0.17, 0.03], [-0.2, -0.15, -0.1, -0.05, 0, 0.05]),
    ([5, 5], [5, 5.2]),
    ([0, 0.3], [0, 0.1, 0.2, 0.3]),
    ([10, 0], [0, 2, 4, 6, 8, 10]),
    ([1e12, 1e12], [1e12, 1e12 + 200]),
]


def test_ticks_are_round_numbers_around_the_values():
    for values, expected in TICKS:
        assert [round(tick, 9) for tick in ticks(values)] == expected


def pixels(figure):
    """The points of each line."""
    lines = [line.get("points").split() for line in drawn(figure, "polyline")]
    return [[tuple(map(float, point.split(","))) for point in line] for line in lines]


def read_off(figure):
    """The lines as a reader reads them off: pixels turned into numbers by the numbers at the axes."""
    numbers = [t for t in drawn(figure, "text") if t.get("font-size") == "11"]
    values = [float(t.text.replace(MINUS, "-")) for t in numbers]
    along_x = [(float(t.get("x")), v) for t, v in zip(numbers, values) if t.get("text-anchor") == "middle"]
    along_y = [(float(t.get("y")) - 4, v) for t, v in zip(numbers, values) if t.get("text-anchor") == "end"]
    return [[(between(x, along_x), between(y, along_y)) for x, y in line] for line in pixels(figure)]


def between(pixel, axis):
    (p, v), (q, w) = axis[0], axis[-1]
    return v + (pixel - p) / (q - p) * (w - v)


LINES = {
    "gelu": [(x / 2, max(0, x / 2) - 0.1) for x in range(-8, 9)],
    "straight": [(-4, -4), (4, 4)],
    "steep": [(0, 3), (0.1, -3)],
}


def test_curves_can_be_read_off():
    for read, line in zip(read_off(curves(LINES)), LINES.values(), strict=True):
        assert len(read) == len(line)
        assert all(abs(x - a) < 0.01 and abs(y - b) < 0.02 for (x, y), (a, b) in zip(read, line))


def test_lines_differ_in_colour_and_dashes_and_the_legend_shows_both():
    figure = curves(LINES)
    lines, samples = drawn(figure, "polyline"), [p for p in drawn(figure, "path") if p.get("fill") == "none"]
    looks = [(line.get("stroke"), line.get("stroke-dasharray")) for line in lines]
    assert len({colour for colour, _ in looks}) == len({dashes for _, dashes in looks}) == 3
    assert [(path.get("stroke"), path.get("stroke-dasharray")) for path in samples] == looks
    assert [text for text in texts(figure) if text in LINES] == list(LINES)
    assert all(f"{name} from (" in image(figure)[0] and f"{name}: (" in repr(figure) for name in LINES)


def test_marked_points_lie_on_their_line_and_are_named():
    figure = curves({"line": [(0, 0), (10, 5)]}, "T", "x", "y", [(10, 5, "the end"), (0, 0, "the start")])
    circles = [(float(c.get("cx")), float(c.get("cy"))) for c in drawn(figure, "circle")]
    assert circles == pixels(figure)[0][::-1]
    assert {"T", "x", "y", "the start", "the end"} <= set(texts(figure))
    text = "T\nline: (0, 0) to (10, 5), lowest 0, highest 5\nmarked: the end\nmarked: the start"
    assert repr(figure) == text
    alt = "Curves: T. line from (0, 0) to (10, 5), lowest 0, highest 5; marked: the end; marked: the start."
    assert image(figure)[0] == alt


def spots(figure):
    return [(float(c.get("cx")), float(c.get("cy"))) for c in drawn(figure, "circle")]


def test_dots_show_each_point_in_the_colour_of_its_line():
    few = {"a": [(0, 1), (1, 3), (2, 2)], "b": [(0, 2), (2, 0)]}
    figure = curves(few, dots=True)
    assert spots(figure) == sum(pixels(figure), [])
    colours = [line.get("stroke") for line in drawn(figure, "polyline")]
    assert [c.get("fill") for c in drawn(figure, "circle")] == [colours[0]] * 3 + [colours[1]] * 2
    assert spots(curves(few)) == []


# values, the powers of ten around them
POWERS = [
    ([0.001, 1.0], ["0.001", "0.01", "0.1", "1"]),
    ([0.002, 30], ["0.001", "0.01", "0.1", "1", "10", "100"]),
    ([5, 5], ["1", "10"]),
    ([100, 100], ["100", "1,000"]),
]


def test_each_power_of_ten_has_the_same_width_on_a_logarithmic_axis():
    for (low, high), words in POWERS:
        figure = curves({"a": [(low, 0), (high, 1)]}, log_x=True)
        marks = [t for t in drawn(figure, "text") if t.get("text-anchor") == "middle" and t.get("y") == "336"]
        assert [t.text for t in marks] == words
        across = [float(t.get("x")) for t in marks]
        steps = [b - a for a, b in itertools.pairwise(across)]
        assert max(steps) - min(steps) < 0.2 and (across[0], across[-1]) == (70, 690)
    thirds = pixels(curves({"a": [(0.001, 0), (0.01, 0), (0.1, 0), (1, 0)]}, log_x=True))[0]
    assert [x for x, _ in thirds] == [70, 276.7, 483.3, 690]
    assert "a: (0.001, 0) to (1, 2)" in repr(curves({"a": [(0.001, 0), (1, 2)]}, log_x=True))


def test_a_logarithmic_axis_refuses_0():
    def logarithmic(series):
        return curves(series, log_x=True)

    for x in (0, -1):
        refuses(logarithmic, [{"a": [(x, 1), (1, 2)]}], ValueError, f"x = {x}", "numbers above 0")


def test_a_title_that_asks_is_not_followed_by_a_full_stop():
    for alt in image(heat_map([[1]], title="which?"))[0], image(curves({"a": [(0, 0), (1, 1)]}, "which?"))[0]:
        assert "which? " in alt
    assert image(heat_map([[1]], title="which"))[0].startswith("Heat map: which. ")


def lies_on_something(figure, words):
    """Whether a label touches a line, a circle or another label; a letter is 6.5 wide, 8 high above its
    baseline."""

    def room(text):
        x, y, half = float(text.get("x")), float(text.get("y")), 3.25 * len(text.text)
        return x - half, x + half, y - 8, y + 2

    labels = [room(t) for t in drawn(figure, "text") if t.text in words]
    assert len(labels) == len(words)
    for i, (left, right, top, bottom) in enumerate(labels):
        assert 70 <= left and right <= 690 and 48 <= top and bottom <= 318  # within the frame
        for line in pixels(figure):
            for (x1, y1), (x2, y2) in zip(line, line[1:]):
                between = [(x1 + (x2 - x1) * k / 200, y1 + (y2 - y1) * k / 200) for k in range(201)]
                if any(left < x < right and top < y < bottom for x, y in between):
                    return True
        if any(a < right and left < b and c < bottom and top < d for a, b, c, d in labels[:i]):
            return True
        for circle in drawn(figure, "circle"):
            x, y = float(circle.get("cx")), float(circle.get("cy"))
            if left - 4 < x < right + 4 and top - 4 < y < bottom + 4:
                return True
    return False


# series and marks as lessons have them: a crossing, a valley, a steep line, two lines that touch, near
# the frame
POINTED = [
    (
        {"a": [(0, 0), (50, 19)], "b": [(n, n * n / 60) for n in range(51)]},
        [(22.8, 8.66, "equal at T = 22.8")],
    ),
    (
        {"valley": [(x, abs(x)) for x in range(-9, 10)]},
        [(0, 0, "just right"), (-6, 6, "too small"), (6, 6, "too large")],
    ),
    (
        {"step": [(x / 4, 1 / (1 + math.exp(-2 * x))) for x in range(-30, 31)]},
        [(0, 0.5, "a gradient of eps")],
    ),
    (
        {"loss": [(x / 9, x * x / 81) for x in range(-18, 19)], "rate": [(-2, 0), (2, 0)]},
        [(0, 0, "here"), (1, 1, "1.0000")],
    ),
    (
        {"wave": [(x / 9, math.sin(x / 9)) for x in range(-36, 37)]},
        [(-0.2, -0.1987, "smallest"), (0.2, 0.1987, "largest")],
    ),
    ({"line": [(0, 0), (10, 5)]}, [(10, 5, "the very end"), (0, 0, "the very start")]),
]


def test_what_is_pointed_out_lies_on_no_line_no_circle_and_no_other_words():
    for series, mark in POINTED:
        assert not lies_on_something(curves(series, mark=mark), [words for *_, words in mark])


def test_the_text_of_curves_has_four_decimals_and_no_minus_before_0():
    figure = curves({"a": [(0, 1 / 3), (0.5, -1e-9), (1.25, -0.17004), (2, -1e-9)]}, "T")
    told = "(0, 0.3333) to (2, 0), lowest -0.17, highest 0.3333"
    assert repr(figure) == f"T\na: {told}"
    assert image(figure)[0] == f"Curves: T. a from {told}."
    assert "to (1, 1048576), lowest 0," in repr(curves({"a": [(0, 0), (1, 2**20)]}))


def test_the_last_bit_of_a_height_is_not_seen():
    wave = [(x / 10, math.sin(x / 10)) for x in range(1, 40)]
    nudged = [(x, y * (1 + 2**-52)) for x, y in wave]
    assert nudged != wave
    assert image(curves({"wave": nudged})) == image(curves({"wave": wave}))
    assert repr(curves({"wave": nudged})) == repr(curves({"wave": wave}))
    assert image(curves({"wave": [(x, y * 1.01) for x, y in wave]})) != image(curves({"wave": wave}))


def test_curves_refuses():
    two = [(0, 0), (1, 1)]
    for series in {}, {"a": [(0, 0)]}, {"a": two, "b": []}, dict.fromkeys("abcde", two):
        words = f"series has {len(series)} lines; give 1 to 4, each with at least two points"
        refuses(curves, [series], ValueError, words)
    for number in (INF, math.nan):
        refuses(curves, [{"a": [(0, 0), (1, number)]}], ValueError, "nan or infinite", "leave it out")
    for number in (1e13, -1e308):
        refuses(curves, [{"a": [(0, 0), (1, number)]}], ValueError, "above 1e12 in size", "logarithm")
    assert repr(curves({"a": zip([0, 1], [0, 1])})) == repr(curves({"a": two}))


# --- the network

# how many steps each lesson has: 06 expands and contracts
MARKED = {f"{n:02}": 1 for n in range(1, 12)} | {"06": 2, "": 0, "00": 0}


def badges(figure):
    """(lesson, whether it is filled) of each circle; the number is the text right after the circle."""
    elements = list(ElementTree.fromstring(image(figure)[2]))
    return [
        (number.text, circle.get("fill") == ACCENT)
        for circle, number in zip(elements, elements[1:])
        if circle.tag == SVG + "circle"
    ]


def test_the_steps_of_the_lesson_are_marked_and_no_others():
    for lesson, how_many in MARKED.items():
        found = badges(network_map(lesson))
        assert sorted(number for number, _ in found) == sorted([f"{n:02}" for n in range(1, 12)] + ["06"])
        assert [number for number, filled in found if filled] == [lesson] * how_many


def test_you_are_here_is_said_in_the_picture_in_the_text_and_in_the_alternative_text():
    for lesson, how_many in MARKED.items():
        figure = network_map(lesson)
        lines = [line for line in repr(figure).splitlines() if line.endswith("<- you are here")]
        assert [line[:2] for line in lines] == [lesson] * how_many
        assert (f"you are here: lesson {lesson}" in texts(figure)) == (how_many > 0)
        assert any("you are here" in text for text in texts(figure)) == (how_many > 0)
        if lesson != "00":
            assert (f"You are here: lesson {lesson}." in image(figure)[0]) == (how_many > 0)


def test_the_map_shows_every_step_with_its_shape_in_order():
    # what design and lessons call the results, and the shapes of five tokens
    expected = [
        ("tokens", "[5]"),
        ("X", "[5][16]"),
        ("Q, K, V", "6 x [5][8]"),
        ("heads", "2 x [5][8]"),
        ("attention", "[5][16]"),
        ("hidden", "[5][64]"),
        ("activated", "[5][64]"),
        ("feed forward", "[5][16]"),
        ("normed", "[5][16]"),
        ("probabilities", "[5][6]"),
    ]
    figure = network_map()
    shown = texts(figure)
    for name, size in expected:
        assert shown[shown.index(name) + 1] == size and f"{name} {size}" in image(figure)[0]
    places = [repr(figure).index(f"  {name}  ") for name, _ in expected]
    assert places == sorted(places)
    assert len(STEPS) == len(expected) and {step[0] for step in BACKWARD} == {"09", "10", "11"}


def test_a_box_is_as_high_as_its_row_has_entries():
    heights = [place(b)[3] for b in boxes(network_map(""))]
    # tokens, X, Q and K and V of two heads, two heads, attention, hidden, activated, then 16, 16 and 6
    entries = [1, 16, *[8] * 6, *[8] * 2, 16, 64, 64, 16, 16, 6]
    assert heights == [round(2.2 * n, 1) for n in entries]


# --- the course


@pytest.mark.every_lesson
def test_every_lesson_is_on_the_path_and_the_path_is_in_order():
    figure = course_figure()
    numbers = [name.split("_")[0] for name in NAMES]
    assert [circle.split()[0] for circle in repr(figure).splitlines()[1:-1]] == numbers
    assert sorted(number for number, _ in badges(figure)) == numbers
    on_the_way = [number for number, _ in [*THERE, *BACK, *ONWARD, *TODAY]]
    assert on_the_way == sorted(on_the_way) and set(numbers) - set(on_the_way) == {
        n for n in numbers if n[-1].isalpha()
    }
    assert "13b  two blocks" in repr(figure)
    order = "network (06) applies GELU (05)"
    assert order in repr(figure) and order in image(figure)[0]
    assert not is_cut_off(figure)


def test_a_lesson_without_a_short_name_has_that_of_its_file(monkeypatch):
    monkeypatch.setitem(VARIANTS, "04z_other_heads", "04_multi_head_attention")
    figure = course_figure("04z")
    assert "04z  other heads" in repr(figure) and "side lessons 04z other heads," in image(figure)[0]
    assert not is_cut_off(figure)


def test_the_path_shows_where_the_reader_is():
    for lesson in "00", "05", "06b", "10b", "11", "12", "14c":
        figure = course_figure(lesson)
        assert [number for number, filled in badges(figure) if filled] == [lesson]
        assert image(figure)[0].endswith(f"You are here: lesson {lesson}.")
        assert [
            line[:4].strip() for line in repr(figure).splitlines() if line.endswith("<- you are here")
        ] == [lesson]


# --- a loss that falls in stairs


STAIRS = (
    [(0, 4.0), (50, 2.0), (100, 1.0)],
    {"uniform": 4.0, "floor": 0.5},
    {50: "mia has a hat.", 100: "the end."},
)


def test_stairs_lie_on_a_logarithmic_scale_between_the_bars():
    """Each halving of the loss is the same way down; the bar of a loss is as high as the curve is there."""
    figure = stairs(*STAIRS, title="stairs")
    [line] = drawn(figure, "polyline")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert x1 - x0 == x2 - x1 and math.isclose(y1 - y0, y2 - y1, abs_tol=0.2) and y1 > y0
    bars = sorted(float(re.match(r"M\S+ (\S+?)L", bar.get("d"))[1]) for bar in drawn(figure, "path"))
    assert math.isclose(bars[0], y0, abs_tol=0.2) and math.isclose(bars[1] - y2, y2 - y1, abs_tol=0.2)


def test_each_story_of_the_stairs_is_drawn_and_read_with_its_step():
    alt, width = image(stairs(*STAIRS, title="stairs"))[:2]
    shown = texts(stairs(*STAIRS))
    assert {"mia has a hat.", "the end.", "step 50, loss 2.00", "step 100, loss 1.00"} <= set(shown)
    assert shown.count("1") == shown.count("2") == 2  # at the curve and at the story
    assert "Step 50, loss 2.00: mia has a hat." in alt and int(width) <= 830


@pytest.mark.parametrize(
    "curve, bars, stories, said",
    [
        ([], {}, {}, "at least one point"),
        ([(0, 0.0)], {}, {}, "losses above 0"),
        ([(0, 1.0)], {"floor": math.nan}, {}, "losses above 0"),
        ([(0, 1.0)], {}, {5: "a story"}, "the story of step 5 belongs to no point"),
    ],
)
def test_stairs_refuse_what_cannot_be_drawn(curve, bars, stories, said):
    with pytest.raises(ValueError, match=said):
        stairs(curve, bars, stories)
