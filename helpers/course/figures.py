"""Figures without a plotting library: SVG inside an <img>, which JupyterLab shows in untrusted notebooks too.

A figure paints its own background, because inside <img> it cannot see the page's theme. Every
coordinate is rounded before it is formatted: the recorded image must be the same on every machine.
"""

import base64
import math
from html import escape

from .display import rounded
from ..contracts import shape

PAPER, INK, FAINT, ACCENT = "#ffffff", "#1f2933", "#55616e", "#b45309"
BLACK = "#000000"  # on colours: black or white, one of them is always legible (a contrast of 4.5 or more)
NEGATIVE, POSITIVE = (33, 102, 172), (191, 87, 0)  # blue and orange: told apart by every kind of colour vision
MINUS = "\u2212"
FONT = "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\""


class Figure:
    """A picture for the notebook, an alt text for who cannot see it, a text form for the terminal."""

    def __init__(self, width, height, body, alt, text, caption=""):
        self.width, self.height, self.body, self.alt, self.text, self.caption = width, height, body, alt, text, caption

    def svg(self):
        width, height = self.full_width(), self.height + (20 if self.caption else 0)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" {FONT}>'
            f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>{self.body}'
            f'{label(width - 12, height - 10, self.caption, 10, "end", FAINT)}</svg>'
        )

    def full_width(self):
        """The width with the caption, which may be wider than what it stands under."""
        return max(self.width, 24 + 6 * len(self.caption))

    def _repr_html_(self):
        data = base64.b64encode(self.svg().encode("utf-8")).decode("ascii")
        return f'<img alt="{escape(self.alt)}" width="{self.full_width()}" src="data:image/svg+xml;base64,{data}">'

    def __repr__(self):
        return self.text


def label(x, y, text, size=12, anchor="middle", fill=INK, weight="normal", halo=False):
    """One line of text; y is its baseline; a halo keeps it legible on top of lines."""
    around = f' stroke="{PAPER}" stroke-width="4" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{round(x, 1)}" y="{round(y, 1)}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{fill}" font-weight="{weight}"{around}>{escape(text)}</text>'
    )


def box(x, y, width, height, fill, stroke="none", thickness=1):
    """One rectangle."""
    x, y, width, height = (round(value, 1) for value in (x, y, width, height))
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{stroke}" stroke-width="{thickness}"/>'


def arrow(x1, y1, x2, y2, stroke=FAINT):
    """A line with a head at its second end, which must lie to the right or left of the first."""
    back = x2 + math.copysign(6, x1 - x2)
    back, above, below, x1, y1, x2, y2 = (round(value, 1) for value in (back, y2 - 4, y2 + 4, x1, y1, x2, y2))
    return (
        f'<path d="M{x1} {y1}L{x2} {y2}M{back} {above}L{x2} {y2}L{back} {below}" '
        f'fill="none" stroke="{stroke}" stroke-width="1.5"/>'
    )


def shade(value, largest):
    """The colour of a value and the ink that is legible on it: white at 0, blue below, orange above."""
    if not math.isfinite(value):
        return "#d9d9d9", INK
    strength = min(1, round(20 * abs(value) / largest) / 20) if largest else 0
    red, green, blue = (round(255 + strength * (c - 255)) for c in (POSITIVE if value > 0 else NEGATIVE))
    bright = 0.3 * red + 0.59 * green + 0.11 * blue
    return f"#{red:02x}{green:02x}{blue:02x}", BLACK if bright > 112 else PAPER


def heat_map(M, rows=None, columns=None, title="", decimals=3, mark=(), numbers=True, full=None):
    """Draw a matrix as coloured boxes with the numbers in them.

    rows and columns label the axes (counted from 0 if not given); mark lists (row, column) places to
    outline; numbers=False leaves the boxes empty but for a minus sign, for matrices too wide to read;
    full is the size that gets the full colour (the largest entry if not given).
    """
    m, n = shape(M, "M", 2)
    rows = [str(r) for r in (range(m) if rows is None else rows)]
    columns = [str(c) for c in (range(n) if columns is None else columns)]
    if (len(rows), len(columns)) != (m, n):
        raise ValueError(f"M is [{m}][{n}], with {len(rows)} row and {len(columns)} column labels; give one for each")
    for place in mark:
        if place not in [(i, j) for i in range(m) for j in range(n)]:
            raise ValueError(f"mark has {place}; M is [{m}][{n}], a place is (row, column) counted from 0")
    if full is not None and not full > 0:
        raise ValueError(f"full is {full!r}; it is the size of the full colour, a number above 0")
    largest = max((abs(x) for row in M for x in row if math.isfinite(x)), default=0) if full is None else full
    wide, high = (14 + 7 * max(decimals + 2, *map(len, columns)), 26) if numbers else (12, 16)
    left, top = round(22 + 8 * max(map(len, rows))), 48 if title else 26
    parts = [label(12, 22, title, 14, "start", weight="bold")] if title else []
    if numbers:
        parts += [label(left + (j + 0.5) * wide, top - 6, c, 11, fill=FAINT) for j, c in enumerate(columns)]
    for i, row in enumerate(M):
        parts.append(label(left - 8, top + (i + 0.5) * high + 4, rows[i], 12, "end"))
        for j, value in enumerate(row):
            fill, ink = shade(value, largest)
            text = signed(value, decimals) if numbers else MINUS * (value < 0)
            parts.append(box(left + j * wide, top + i * high, wide - 1, high - 1, fill))
            if text:
                parts.append(label(left + (j + 0.5) * wide - 0.5, top + (i + 0.5) * high + 4, text, 11, fill=ink))
    for i, j in mark:
        parts.append(box(left + j * wide, top + i * high, wide - 1, high - 1, "none", INK, 2))
    cells = [[rounded(float(x), decimals) for x in row] for row in M]
    finite = [x for row in M for x in row if math.isfinite(x)] or [0]
    alt = f"Heat map{': ' + title if title else ''}. {m} rows ({', '.join(rows)}), {n} columns; "
    alt += f"values from {rounded(float(min(finite)), decimals)} to {rounded(float(max(finite)), decimals)}."
    text = grid(title, rows, columns, cells)
    width = max(left + n * wide + 12, 24 + 9 * len(title))  # a title may be wider than its matrix
    return Figure(width, top + m * high + 8, "".join(parts), alt, text, key(M, largest, decimals))


def signed(value, decimals):
    """A number as a figure shows it, with a minus sign as wide as a plus."""
    return rounded(float(value), decimals).replace("-", MINUS).replace("inf", "\u221e")


def key(M, largest, decimals):
    """What the colours of a heat map mean, as far as it uses them."""
    entries = [x for row in M for x in row]
    words = ["white is 0"] if largest else []
    words += ["blue is below"] if any(math.isfinite(x) and x < 0 for x in entries) else []
    words += ["orange is above"] if any(math.isfinite(x) and x > 0 for x in entries) else []
    words += [f"full colour is {signed(largest, decimals)}"] if largest else []
    words += ["grey is " + MINUS + "\u221e"] if -math.inf in entries else []
    return ", ".join(words)


def grid(title, rows, columns, cells):
    """The text form of a labelled matrix."""
    lines = [["", *columns], *([r, *row] for r, row in zip(rows, cells))]
    first = max(len(r) for r in rows)
    width = max(len(text) for line in lines for text in line[1:])
    body = [line[0].ljust(first) + "".join("  " + text.rjust(width) for text in line[1:]) for line in lines]
    return "\n".join(([title] if title else []) + body)


def stack(*figures, between=()):
    """Put figures under one another, flush right, with a sign such as + or = before each but the first."""
    if not figures or len(between) >= len(figures):
        raise ValueError(f"stack: {len(figures)} figures and {len(between)} signs; a sign goes between two")
    signs = ["", *between, *[""] * (len(figures) - 1 - len(between))]
    one_caption = len({f.caption for f in figures}) == 1  # said once, below the last
    width, y, parts = max(f.width if one_caption else f.full_width() for f in figures), 0, []
    for sign, figure in zip(signs, figures, strict=True):
        if sign:
            parts.append(label(width / 2, y + 22, sign, 24, weight="bold", fill=ACCENT))
        x = width - figure.width
        parts.append(f'<svg x="{x}" y="{y}" width="{figure.width}" height="{figure.height}">{figure.body}</svg>')
        y += figure.height
        if figure.caption and not one_caption:
            parts.append(label(width - 12, y + 10, figure.caption, 10, "end", FAINT))
            y += 20
    texts = [f"{sign}\n{figure.text}".lstrip("\n") for sign, figure in zip(signs, figures)]
    alt = " ".join(f.alt for f in figures)
    return Figure(width, y, "".join(parts), alt, "\n\n".join(texts), figures[0].caption if one_caption else "")


LINES = [("#1f66ac", ""), ("#bf5700", "7 4"), ("#3d3d3d", "2 3"), ("#7b3294", "9 3 2 3")]  # colour and dashes


def curves(series, title="", x_label="", y_label="", mark=()):
    """Draw lines through points: series is {name: [(x, y), ...]}, mark lists (x, y, words) to point out.

    The lines differ in colour and in dashes, and the legend shows both.
    """
    series = {name: list(line) for name, line in series.items()}
    points = [point for line in series.values() for point in line]
    if len(series) > len(LINES) or not all(len(line) > 1 for line in series.values()) or not points:
        raise ValueError(f"series has {len(series)} lines; give 1 to {len(LINES)}, each with at least two points")
    if not all(math.isfinite(number) for point in points for number in point):
        raise ValueError("series holds a point that is nan or infinite and cannot be drawn; leave it out")
    xs, ys = ticks([x for x, *_ in [*points, *mark]]), ticks([y for _, y, *_ in [*points, *mark]])
    left, top, wide, high = 70, 48, 620, 270

    def place(x, y):
        across = (x - xs[0]) / (xs[-1] - xs[0])
        return left + across * wide, top + high - (y - ys[0]) / (ys[-1] - ys[0]) * high

    parts = [label(12, 22, title, 14, "start", weight="bold")]
    for x in xs:
        parts += [rule(*place(x, ys[0]), *place(x, ys[-1])), label(place(x, 0)[0], top + high + 18, tick_text(x, xs), 11)]
    for y in ys:
        parts += [rule(*place(xs[0], y), *place(xs[-1], y)), label(left - 8, place(0, y)[1] + 4, tick_text(y, ys), 11, "end")]
    parts.append(label(left + wide / 2, top + high + 38, x_label, 12, fill=FAINT))
    parts.append(label(max(left, 12 + 3.5 * len(y_label)), top - 8, y_label, 12, fill=FAINT))  # a long one stays inside
    for i, (name, line) in enumerate(series.items()):
        colour, dashes = LINES[i]
        look = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'
        path = " ".join(f"{round(px, 1)},{round(py, 1)}" for px, py in (place(*point) for point in line))
        y = top + 14 + 22 * i
        parts.append(f'<polyline points="{path}" {look}/><path d="M706 {y}H740" {look}/>')
        parts.append(label(748, y + 4, name, 12, "start"))
    for x, y, words in mark:
        px, py = place(x, y)
        parts.append(f'<circle cx="{round(px, 1)}" cy="{round(py, 1)}" r="4.5" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>')
        below = 2 * y < ys[0] + ys[-1]
        parts.append(label(px, py + (20 if below else -10), words, 11, halo=True))
    width = round(760 + 8 * max(map(len, series)))
    alt = f"Curves: {title}. " + "; ".join(f"{name} from {ends(line)}" for name, line in series.items())
    alt += "".join(f"; marked: {words}" for *_, words in mark) + "."
    text = [title, *(f"{name}: {ends(line)}" for name, line in series.items()), *(f"marked: {m[2]}" for m in mark)]
    return Figure(width, top + high + 50, "".join(parts), alt, "\n".join(text))


def ends(line):
    """Where a line begins and ends, and how low and high it goes, in words."""
    ys = [y for _, y in line]
    x1, y1, x2, y2, low, high = (f"{round(value, 4) + 0.0:.10g}" for value in (*line[0], *line[-1], min(ys), max(ys)))
    return f"({x1}, {y1}) to ({x2}, {y2}), lowest {low}, highest {high}"


def ticks(values):
    """Five or so round numbers that enclose the values."""
    low, high = min(values), max(values)
    rough = (high - low or 1) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * i for i in range(first, max(last, first + 1) + 1)]


def tick_text(value, all_ticks):
    """A tick's number with as many decimals as the step needs."""
    decimals = max(0, -math.floor(math.log10(all_ticks[1] - all_ticks[0]) + 1e-9))
    return f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", MINUS)


def rule(x1, y1, x2, y2):
    x1, y1, x2, y2 = (round(value, 1) for value in (x1, y1, x2, y2))
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="#e3e7eb" stroke-width="1"/>'


# The network from left to right: lesson, what it does, what comes out, its shape, and the boxes that are
# drawn for it: columns of boxes, each as high as it has numbers.
STEPS = [
    ("", "", "tokens", "[5]", [[1]]),
    ("01", "embed", "X", "[5][16]", [[16]]),
    ("02", "project", "Q, K, V", "6 x [5][8]", [[8, 8], [8, 8], [8, 8]]),
    ("03", "attend", "heads", "2 x [5][8]", [[8, 8]]),
    ("04", "join", "attention", "[5][16]", [[16]]),
    ("06", "expand", "hidden", "[5][64]", [[64]]),
    ("05", "GELU", "activated", "[5][64]", [[64]]),
    ("06", "contract", "feed forward", "[5][16]", [[16]]),
    ("07", "add, norm", "normed", "[5][16]", [[16]]),
    ("08", "score", "probabilities", "[5][6]", [[6]]),
]
BACKWARD = [
    ("09", "back through the feed-forward network", 416, 898),
    ("10", "back through attention", 20, 396),
    ("11", "then update every weight", None, None),
]
PITCH, MIDDLE, UNIT = 94, 148, 2.2  # from box to box, the axis, the height of one number


def network_map(lesson=""):
    """Draw the network of Part I from left to right, with the steps of one lesson ("01" to "11") marked."""
    parts = [label(14, 22, "The network of Part I; a number in a circle is a lesson", 14, "start", weight="bold")]
    lines = ["lesson  step       gives          shape"]
    for i, (number, step, name, size, blocks) in enumerate(STEPS):
        x, here = 20 + i * PITCH, number == lesson != ""
        if i:
            parts += [arrow(x - PITCH + 36, MIDDLE, x - 4, MIDDLE, tint(here)), badge(x - 31, MIDDLE - 26, number, here)]
            parts.append(label(x - 31, MIDDLE + 16, step, 10, fill=tint(here)))
        parts.append(station(x, blocks, here))
        parts.append(label(x + 16, 240, name, 10, weight="bold" if here else "normal"))
        parts.append(label(x + 16, 254, size, 10, fill=FAINT))
        lines.append(f"{number:6}  {step:9}  {name:13}  {size:11}" + HERE * here)
    parts.append(residual_path(20 + 4 * PITCH + 16, 20 + 8 * PITCH - 31))
    for number, what, left, right in BACKWARD:
        here = number == lesson
        if left is not None:
            parts.append(arrow(right, 286, left, 286, tint(here)))
        x, y = (462, 332) if left is None else ((left + right) / 2, 286)
        parts.append(badge(x if left is not None else x - 82, y, number, here))
        parts.append(label(x, y + (24 if left is not None else 4), what, 10, fill=tint(here)))
        lines.append(f"{number:6}  {what:40}" + HERE * here)
    known = {number for number, *_ in STEPS[1:] + BACKWARD}
    if lesson in known:
        parts.append(label(918, 22, f"you are here: lesson {lesson}", 12, "end", ACCENT, "bold"))
    alt = "The network of Part I as a chain: " + ", ".join(f"{name} {size}" for _, _, name, size, _ in STEPS)
    alt += "; then back again to update the weights." + (f" You are here: lesson {lesson}." if lesson in known else "")
    return Figure(936, 352, "".join(parts), alt, "\n".join(line.rstrip() for line in lines))


HERE = " <- you are here"


def tint(here):
    return ACCENT if here else FAINT


def station(x, columns, here):
    """The boxes for what one step gives, side by side and centred on the axis."""
    parts, wide, gap = [], (32 - 2 * (len(columns) - 1)) / len(columns), 6
    for i, blocks in enumerate(columns):
        y = MIDDLE - (sum(blocks) * UNIT + gap * (len(blocks) - 1)) / 2
        for block in blocks:
            look = ("#fde8d0", ACCENT, 2) if here else ("#dbe4ee", FAINT, 1)
            parts.append(box(x + i * (wide + 2), y, wide, block * UNIT, *look))
            y += block * UNIT + gap
    return "".join(parts)


def badge(x, y, number, here):
    """A lesson's number in a circle, filled when the reader is there."""
    fill, ink = (ACCENT, PAPER) if here else (PAPER, FAINT)
    circle = f'<circle cx="{round(x, 1)}" cy="{round(y, 1)}" r="11" fill="{fill}" stroke="{tint(here)}"/>'
    return circle + label(x, y + 4, number, 11, fill=ink, weight="bold")


def residual_path(x1, x2):
    """The way around the feed-forward network, from the attention output to the addition."""
    y, end = MIDDLE - 88, MIDDLE - 40
    dashes = f'fill="none" stroke="{FAINT}" stroke-width="1.5"'
    path = f'<path d="M{x1} {MIDDLE - 20}V{y}H{x2}V{end}" {dashes} stroke-dasharray="4 3"/>'
    head = f'<path d="M{x2 - 4} {end - 6}L{x2} {end}L{x2 + 4} {end - 6}" {dashes}/>'
    return path + head + label((x1 + x2) / 2, y - 6, "residual: the attention output, added back", 10, fill=FAINT)
