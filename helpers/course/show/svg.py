"""What every figure is made of: SVG inside an <img>, which JupyterLab shows in untrusted notebooks too.

A figure paints its own background, because inside <img> it cannot see the page's theme. Every
coordinate is rounded before it is formatted: the recorded image must be the same on every machine.
"""

import base64
import math
from html import escape

from .display import rounded

PAPER, INK, FAINT, ACCENT = "#ffffff", "#1f2933", "#55616e", "#b45309"
BLACK = "#000000"  # on colours: black or white, one of them is always legible (a contrast of 4.5 or more)
# blue and orange: told apart by every kind of colour vision
NEGATIVE, POSITIVE = (33, 102, 172), (191, 87, 0)
MINUS, INFINITY = "\u2212", "\u221e"
FONT = "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\""


class Figure:
    """A picture for the notebook, an alt text for who cannot see it, a text form for the terminal.

    left is where what is drawn begins, right of its labels: figures under one another begin at one line.
    """

    def __init__(self, width, height, body, alt, text, caption="", left=0):
        self.width, self.height, self.body, self.left = width, height, body, left
        self.alt, self.text, self.caption = alt, text, caption

    def svg(self):
        width, height = self.full_width(), self.height + (20 if self.caption else 0)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" {FONT}>'
            f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>{self.body}'
            f"{label(width - 12, height - 10, self.caption, 10, 'end', FAINT)}</svg>"
        )

    def full_width(self):
        """The width with the caption, which may be wider than what it stands under."""
        return max(self.width, 24 + 6 * len(self.caption))

    def _repr_html_(self):
        """The image, smaller in a narrow page, down to 70 %; the rest scrolls in its box."""
        data, width = base64.b64encode(self.svg().encode("utf-8")).decode("ascii"), self.full_width()
        style = f"width:100%;max-width:{width}px;min-width:{width * 7 // 10}px"
        image = f'<img alt="{escape(self.alt)}" width="{width}" style="{style}" '
        return f'<div style="overflow-x:auto">{image}src="data:image/svg+xml;base64,{data}"></div>'

    def __repr__(self):
        return self.text


def label(x, y, text, size=12, anchor="middle", fill=INK, weight="normal", halo=False):
    """One line of text; y is its baseline; a halo keeps it legible on top of lines."""
    around = f' stroke="{PAPER}" stroke-width="4" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{round(x, 1)}" y="{round(y, 1)}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{fill}" font-weight="{weight}"{around}>{escape(text)}</text>'
    )


def heading(title, x=12, y=22):
    """The title of a figure."""
    return label(x, y, title, 14, "start", weight="bold")


def box(x, y, width, height, fill, stroke="none", thickness=1):
    """One rectangle."""
    x, y, width, height = (round(value, 1) for value in (x, y, width, height))
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{thickness}"/>'
    )


def arrow(x1, y1, x2, y2, stroke=FAINT, thickness=1.5, dashes=""):
    """A straight line with a head at its second end."""
    return path([(x1, y1), (x2, y2)], stroke, thickness, dashes)


def path(points, stroke=FAINT, thickness=1.5, dashes="", head=True):
    """A line through points, with a head at the last."""
    (x1, y1), (x2, y2) = points[-2:]
    long = math.hypot(x2 - x1, y2 - y1)
    across, down = (x2 - x1) / long, (y2 - y1) / long
    wings = [(x2 - 6 * across + side * 4 * down, y2 - 6 * down - side * 4 * across) for side in (1, -1)]
    looks = f'fill="none" stroke="{stroke}" stroke-width="{round(thickness, 1)}"'
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    tip = f'<path d="{through([wings[0], (x2, y2), wings[1]])}" {looks}/>' if head else ""
    return f'<path d="{through(points)}" {looks}{dashed}/>' + tip


def through(points):
    return "M" + "L".join(f"{round(x, 1)} {round(y, 1)}" for x, y in points)


def shade(value, largest):
    """The colour of a value and the ink that is legible on it: white at 0, blue below, orange above."""
    if not math.isfinite(value):
        return "#d9d9d9", INK
    strength = min(1, round(20 * (abs(value) / largest)) / 20) if largest else 0
    red, green, blue = (round(255 + strength * (c - 255)) for c in (POSITIVE if value > 0 else NEGATIVE))
    bright = 0.3 * red + 0.59 * green + 0.11 * blue
    return f"#{red:02x}{green:02x}{blue:02x}", BLACK if bright > 112 else PAPER


def rule(x1, y1, x2, y2):
    x1, y1, x2, y2 = (round(value, 1) for value in (x1, y1, x2, y2))
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="#e3e7eb" stroke-width="1"/>'


def signed(value, decimals):
    """A number as a figure shows it, with a minus sign as wide as a plus."""
    return rounded_text(value, decimals).replace("-", MINUS).replace("inf", INFINITY)


def rounded_text(value, decimals):
    """A number rounded, and one that would be wider than its box by its power of ten."""
    value = float(value)
    return f"{value:.1e}" if 1e9 <= abs(value) < math.inf else rounded(value, decimals)
