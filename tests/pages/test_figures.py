"""What is true of every figure that a notebook shows, looked up in its recorded outputs.

nbval compares each recorded figure byte for byte with what the cell draws. So nothing is drawn here.
"""

import functools
import itertools
import re
from xml.etree import ElementTree

import pytest
from figures import IMAGE, MOVING, SVG, contrast, images, labels, moving_steps, outline, overlap, parts

from helpers.course.show import svg
from helpers.course.show.player import MAX_BYTES, PLAYER
from notebooks import LESSONS, NAMES, cells

NO_COLOUR = "none"
# What is drawn on white: one tint for each of two neighbours, lines that differ in colour and in dashes,
# heads, the grey of a masked entry, the edge of an empty box, and the lines of a grid.
TINTS = {"#dbe4ee", "#fde8d0", "#eef2f6", "#d9d9d9", "#c5ccd3", "#e3e7eb"}
LINES = {"#1f66ac", "#bf5700", "#3d3d3d", "#7b3294"}
HEADS = {"#9ec3e6", "#f3b26b"}
SHADES = {svg.shade(sign * n / 20, 1.0)[0] for n in range(21) for sign in (1, -1)}
GREYS = {"#" + 3 * f"{255 - round(255 * n / 20):02x}" for n in range(21)}  # the pixels of a picture
PALETTE = {svg.PAPER, svg.INK, svg.FAINT, svg.ACCENT, svg.BLACK, NO_COLOUR}
PALETTE |= TINTS | LINES | HEADS | SHADES | GREYS


def markups(path):
    """(the cell's name, the HTML) of each output of a notebook."""
    outputs = [(cell["id"], output) for cell in cells(path, "code") for output in cell["outputs"]]
    return [(name, "".join(output.get("data", {}).get("text/html", ""))) for name, output in outputs]


@functools.cache
def recorded(path):
    """(the cell's name, the figure) of each figure that a notebook holds."""
    return [(name, figure) for name, markup in markups(path) for figure in images(markup)]


@functools.cache
def sampled(path):
    """The still figures, and about six steps of each figure that moves."""
    found = [*recorded(path)]
    for name, markup in markups(path):
        for steps in moving_steps(markup):
            found += [(f"{name}, {s.words}", s.image) for s in steps[:: max(1, len(steps) // 6)]]
    return found


def faults(path, find, figures=sampled):
    """{name of a figure: what the function finds wrong with it}"""
    found = {name: list(find(figure)) for name, figure in figures(path)}
    return {name: wrong for name, wrong in found.items() if wrong}


def every_lesson(test):
    return pytest.mark.parametrize("path", LESSONS, ids=NAMES)(test)


@every_lesson
def test_every_image_is_a_figure(path):
    """In the one form that JupyterLab shows in a notebook that it does not trust."""
    shown = "".join(markup for _, markup in markups(path))
    assert len(IMAGE.findall(shown)) == len(re.findall("<img|<svg", shown))


def words(text):
    return set(re.findall(r"[^\W\d_]{3,}", text))


def poor_alt(figure):
    """The alternative text is long enough to say something, and has two in five words of the figure.

    The smallest words are captions: they say what the colours mean.
    """
    written = words(" ".join(t.element.text for t in labels(figure.svg) if t.get("font-size") != "10"))
    if len(figure.alt) < 40 or len(written & words(figure.alt)) < 0.4 * len(written):
        yield figure.alt
    yield from re.findall(r"<\w+[ /]|\bNone\b|\bnan\b|[:;?]\.|:;", figure.alt)


@every_lesson
def test_the_alternative_text_says_what_the_figure_shows(path):
    assert faults(path, poor_alt, recorded) == {}


@every_lesson
def test_a_figure_that_moves_says_what_each_step_changes(path):
    """In words that differ from those of the step before. It is not too large, and its script is ours."""
    for _, markup in markups(path):
        for found, steps in zip(MOVING.finditer(markup), moving_steps(markup), strict=True):
            words = [step.words for step in steps]
            assert all(len(said) >= 15 for said in words)
            assert [a for a, b in zip(words, words[1:]) if a == b] == []
            assert len(found[0].encode("utf-8")) <= MAX_BYTES and found[4] == PLAYER
        assert markup.count("<script") == 2 * len(MOVING.findall(markup))


def misframed(figure):
    """The picture has the image's width, its own scale, and a background that hides the page's colour."""
    root = ElementTree.fromstring(figure.svg)
    full = {"width": "100%", "height": "100%", "rx": "6", "fill": svg.PAPER}
    if root.get("viewBox") != f"0 0 {root.get('width')} {root.get('height')}":
        yield "another scale"
    if int(root.get("width")) != figure.width:
        yield "another width"
    if root[0].tag != SVG + "rect" or root[0].attrib != full:
        yield "no background"


@every_lesson
def test_a_figure_paints_its_own_background(path):
    assert faults(path, misframed) == {}


def unrounded(figure):
    """Numbers with a second decimal, or with an exponent: their last digits differ between machines."""
    for part in parts(figure.svg):
        for name, value in part.element.attrib.items():
            numbers = [] if name in ("fill", "stroke") else re.findall(r"-?\d[\d.e-]*|nan|inf", value)
            yield from (number for number in numbers if not re.fullmatch(r"-?\d+(\.\d)?", number))


@every_lesson
def test_coordinates_are_rounded(path):
    assert faults(path, unrounded) == {}


def cut_off(figure):
    """What needs more room than the picture has."""
    root = ElementTree.fromstring(figure.svg)
    width, height = float(root.get("width")), float(root.get("height"))
    for part in parts(figure.svg):
        left, top, right, bottom = outline(part)
        if left < 0 or top < 0 or right > width or bottom > height:
            yield part.element.text or part.element.attrib


@every_lesson
def test_nothing_is_cut_off(path):
    assert faults(path, cut_off) == {}


def on_each_other(figure):
    rooms = [(outline(label), label.element.text) for label in labels(figure.svg)]
    for (one, words), (other, its_words) in itertools.combinations(rooms, 2):
        if overlap(one, other):
            yield words, its_words


@every_lesson
def test_no_label_lies_on_another(path):
    assert faults(path, on_each_other) == {}


def illegible(figure):
    """Labels below 10 pixels, or with too little contrast to what was painted under them last.

    4.5 to 1 is what the Web Content Accessibility Guidelines ask of text.
    """
    painted = []
    for part in parts(figure.svg):
        left, top, right, bottom = outline(part)
        if part.kind in ("rect", "circle") and part.get("fill", NO_COLOUR) != NO_COLOUR:
            painted.append((left, top, right, bottom, part.get("fill")))
        if part.kind == "text" and part.element.text:
            x, y = (left + right) / 2, (top + bottom) / 2
            under = [fill for a, b, c, d, fill in painted if a <= x <= c and b <= y <= d]
            if float(part.get("font-size")) < 10 or contrast(part.get("fill"), [svg.PAPER, *under][-1]) < 4.5:
                yield part.element.text


@every_lesson
def test_labels_are_legible(path):
    assert faults(path, illegible) == {}


@every_lesson
def test_coloured_rows_of_tables_are_legible(path):
    looks = re.findall(r"background:(#\w{6});color:(#\w{6})", "".join(html for _, html in markups(path)))
    assert all(contrast(*colours) >= 4.5 for colours in looks)


def foreign_colours(figure):
    used = {part.get(name, NO_COLOUR) for part in parts(figure.svg) for name in ("fill", "stroke")}
    return used - PALETTE


@every_lesson
def test_colours_are_those_of_the_palette(path):
    assert faults(path, foreign_colours) == {}


@pytest.mark.every_lesson
def test_colours_of_the_palette_can_be_told_apart():
    """White is 0, blue is below, orange is above: the sign is seen in more than red and green."""
    for n in range(1, 21):
        blue, orange = svg.shade(-n / 20, 1.0)[0], svg.shade(n / 20, 1.0)[0]
        assert int(blue[5:7], 16) > int(blue[1:3], 16) and int(orange[5:7], 16) < int(orange[1:3], 16)
    assert all(contrast(*svg.shade(n / 100, 1.0)) >= 4.5 for n in range(-100, 101))
