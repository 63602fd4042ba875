"""Figures as a browser reads them: each <img> is taken apart, its SVG parsed, every part put in its place."""

import base64
import html
import json
import re
from typing import NamedTuple
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# The whole of what a figure gives to a notebook: one image that stands in a box that scrolls.
IMAGE = re.compile(
    r'<div style="overflow-x:auto"><img alt="([^"<>]*)" width="(\d+)" '
    r'style="width:100%;max-width:\2px;min-width:\d+px" '
    r'src="data:image/svg\+xml;base64,([A-Za-z0-9+/]+=*)"></div>'
)


class Image(NamedTuple):
    alt: str
    width: int
    svg: str


def images(markup):
    """The figures in a piece of HTML."""
    for alt, width, data in IMAGE.findall(markup):
        yield Image(html.unescape(alt), int(width), base64.b64decode(data, validate=True).decode("utf-8"))


def image(figure):
    """The one image that a figure is."""
    markup = figure._repr_html_()
    assert IMAGE.fullmatch(markup), markup
    return next(images(markup))


# The whole of a figure that moves: the still one, what each step says, the steps, and the script.
MOVING = re.compile(
    r"(?s)<div>(<div style[^>]*><img [^>]*></div>)"
    r"<details><summary>The steps in words</summary><ol>(.*?)</ol></details>"
    r'<script type="application/json">([^<]*)</script><script>(.*?)</script></div>'
)


class Step(NamedTuple):
    words: str
    image: Image


def moving_steps(markup):
    """For each figure that moves in a piece of HTML its steps, put together as a browser does it."""
    for still, listed, told, _ in MOVING.findall(markup):
        first, data = next(images(still)), json.loads(told)
        pieces = [piece for piece in re.split(r"(?=[ <>\n])", first.svg + "\n") if piece]
        known, moves = [*dict.fromkeys(pieces), *data["pool"]], iter(data["moves"])
        for move in moves:
            back = next(moves) if move < 0 else 0
            for _ in range(-move):
                pieces.append(pieces[-back])
            pieces += [known[move]] if move >= 0 else []
        words = [html.unescape(item) for item in re.findall(r"<li>(.*?)</li>", listed)]
        drawn = "".join(pieces).split("\n")[1:]
        yield [
            Step(said, Image(said, int(re.search(r'width="(\d+)"', svg)[1]), svg))
            for said, svg in zip(words, drawn, strict=True)
        ]


class Part(NamedTuple):
    """An element, and how far the pictures that hold it move it."""

    element: ElementTree.Element
    across: float
    down: float

    @property
    def kind(self):
        return self.element.tag.removeprefix(SVG)

    def get(self, name, default=None):
        return self.element.get(name, default)


def parts(svg):
    """Every part of a picture, in the order in which they are painted."""

    def walk(element, across, down):
        for child in element:
            yield Part(child, across, down)
            if child.tag == SVG + "svg":
                yield from walk(child, across + float(child.get("x")), down + float(child.get("y")))

    return list(walk(ElementTree.fromstring(svg), 0.0, 0.0))


def labels(svg):
    """The texts of a picture that say something."""
    return [part for part in parts(svg) if part.kind == "text" and part.element.text]


def drawn(figure, kind):
    """All parts of one kind."""
    return [part for part in parts(image(figure).svg) if part.kind == kind]


def texts(figure):
    return [part.element.text or "" for part in drawn(figure, "text")]


def outline(part):
    """Left, top, right and bottom of what is drawn, in the whole picture."""
    left, top, right, bottom = OUTLINES[part.kind](part)
    return left + part.across, top + part.down, right + part.across, bottom + part.down


def outline_of_text(part):
    """About where a text stands. A letter is 0.55 times as wide as high."""
    x, y, size = (float(part.get(name)) for name in ("x", "y", "font-size"))
    width = 0.55 * size * len(part.element.text or "")
    left = {"start": x, "middle": x - width / 2, "end": x - width}[part.get("text-anchor")]
    return left, y - 0.75 * size, left + width, y + 0.2 * size


def outline_of_box(part):
    if part.get("width") == "100%":  # the background
        return 0.0, 0.0, 0.0, 0.0
    x, y, width, height = (float(part.get(name)) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def outline_of_circle(part):
    x, y, radius = (float(part.get(name)) for name in ("cx", "cy", "r"))
    return x - radius, y - radius, x + radius, y + radius


def outline_of_line(part):
    """Of a line through points; H goes to a place across and stays at its height."""
    places = re.sub(r"(-?[\d.]+)H(-?[\d.]+)", r"\1L\2 \1", part.get("d") or part.get("points"))
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", places)]
    xs, ys = numbers[::2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)


OUTLINES = {
    "text": outline_of_text,
    "rect": outline_of_box,
    "svg": outline_of_box,
    "circle": outline_of_circle,
    "path": outline_of_line,
    "polyline": outline_of_line,
}


def overlap(one, other):
    """Whether two rooms share more than a pixel."""
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 1
        and min(one[3], other[3]) - max(one[1], other[1]) > 1
    )


def luminance(colour):
    """How bright a colour is to the eye, by the definition of the Web Content Accessibility Guidelines."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour, other):
    darker, lighter = sorted([luminance(colour), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)
