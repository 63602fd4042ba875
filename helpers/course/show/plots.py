"""Figures of numbers, without a plotting library: heat maps, figures under one another, curves."""

import math

from ..argument_checks import shape
from .player import target
from .svg import (
    ACCENT,
    FAINT,
    INFINITY,
    INK,
    MINUS,
    PAPER,
    Figure,
    box,
    heading,
    label,
    rounded_text,
    rule,
    shade,
    signed,
)

MAX_SIDE = 64  # rows or columns that can be read with numbers in them; without numbers, MAX_SIDE² boxes


def heat_map(M, rows=None, columns=None, title="", decimals=3, mark=(), numbers=True, full=None):
    """Draw a matrix as coloured boxes with the numbers in them.

    rows and columns label the axes (counted from 0 if not given); mark lists (row, column) places to
    outline; numbers=False leaves the boxes empty but for a minus sign, for matrices too wide to read;
    full is the size that gets the full colour (the largest entry if not given). More than 64 rows or
    columns have no numbers in their boxes; ValueError for more than 64 times 64 boxes.
    """
    m, n = shape(M, "M", 2)
    if m * n > MAX_SIDE * MAX_SIDE:
        raise ValueError(
            f"M is [{m}][{n}], {m * n:,} boxes; at most {MAX_SIDE * MAX_SIDE:,} can be drawn: "
            "give a part of it"
        )
    numbers = numbers and max(m, n) <= MAX_SIDE
    named = numbers or columns is not None
    rows = [str(r) for r in (range(m) if rows is None else rows)]
    columns = [str(c) for c in (range(n) if columns is None else columns)]
    if (len(rows), len(columns)) != (m, n):
        raise ValueError(
            f"M is [{m}][{n}], with {len(rows)} row and {len(columns)} column labels; give one for each"
        )
    mark = list(mark)
    for place in mark:
        if place not in [(i, j) for i in range(m) for j in range(n)]:
            raise ValueError(f"mark has {place}; M is [{m}][{n}], a place is (row, column) counted from 0")
    if full is not None and not full > 0:
        raise ValueError(f"full is {full!r}; it is the size of the full colour, a number above 0")
    largest = max((abs(x) for row in M for x in row if math.isfinite(x)), default=0) if full is None else full
    cells = [[rounded_text(x, decimals) for x in row] for row in M]
    longest = max(len(text) for row in cells for text in row) - 1  # a minus sign finds room at the edge
    wide, high = (14 + 7 * max(decimals + 2, longest, *map(len, columns)), 26) if numbers else (12, 16)
    left, top = round(22 + 8 * max(map(len, rows))), 48 if title else 26
    parts = [heading(title)] if title else []
    if named and (numbers or max(map(len, columns)) <= 2):  # boxes without numbers are narrow
        size = 11 if numbers else 10
        parts += [label(left + (j + 0.5) * wide, top - 6, c, size, fill=FAINT) for j, c in enumerate(columns)]
    for i, row in enumerate(M):
        parts.append(label(left - 8, top + (i + 0.5) * high + 4, rows[i], 12, "end"))
        for j, value in enumerate(row):
            fill, ink = shade(value, largest)
            text = signed(value, decimals) if numbers else MINUS * (value < 0)
            edge = "none" if numbers else "#c5ccd3"  # so that a box without a number is seen to be there
            parts.append(box(left + j * wide, top + i * high, wide - 1, high - 1, fill, edge, 0.5))
            if text:
                x, y = left + (j + 0.5) * wide - 0.5, top + (i + 0.5) * high + 4
                parts.append(label(x, y, text, 11, fill=ink))
    for i, j in mark:
        parts.append(box(left + j * wide, top + i * high, wide - 1, high - 1, "none", INK, 2))
    finite = [x for row in M for x in row if math.isfinite(x)] or [0]
    alt = sentence("Heat map" + (": " + title if title else ""))
    alt += f" {m} rows ({', '.join(rows)}), {n} columns; "
    alt += f"values from {rounded_text(min(finite), decimals)} to {rounded_text(max(finite), decimals)}"
    alt += "".join(not_finite(M, rows, columns)) + "."
    outlined = f"Outlined: {where(mark, rows, columns)}." if mark else ""
    text = grid(title, rows, columns, cells) + ("\n" + outlined if mark else "")
    width = max(left + n * wide + 12, 24 + 9 * len(title))  # a title may be wider than its matrix
    alt = f"{alt} {outlined}".rstrip()
    return Figure(width, top + m * high + 8, "".join(parts), alt, text, key(M, largest, decimals), left)


def sentence(text):
    """A title with a full stop, unless it ends in a sign of its own."""
    return text if text.endswith(("?", "!", ".")) else text + "."


def not_finite(M, rows, columns):
    """What stands in no range: how many entries are infinite or no number, and where."""
    for sign, belongs in (
        (MINUS + INFINITY, (-math.inf).__eq__),
        (INFINITY, math.inf.__eq__),
        ("nan", math.isnan),
    ):
        found = [(i, j) for i, row in enumerate(M) for j, x in enumerate(row) if belongs(x)]
        if found:
            entries = "1 entry" if len(found) == 1 else f"{len(found)} entries"
            yield f", and {sign} in {entries}, {where(found, rows, columns)}"


def where(places, rows, columns):
    """Places in a matrix, in words: by the names of its rows and columns."""
    m, n = len(rows), len(columns)
    if m > 1 and set(places) == {(i, j) for i in range(m) for j in range(i + 1, n)}:
        return "above the diagonal"
    if m == n > 1 and set(places) == {(i, i) for i in range(m)}:
        return "the diagonal"
    words = []
    for i in dict.fromkeys(i for i, _ in places):
        found = [columns[j] for r, j in places if r == i]
        of_row = (
            "all columns" if len(found) == n > 1 else f"column{'s' * (len(found) > 1)} {', '.join(found)}"
        )
        words.append(f"row {rows[i]}, {of_row}")
    return "; ".join(words)


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
    """Put figures under one another, their boxes flush left, with a sign such as + or = before each but
    the first."""
    if not figures or len(between) >= len(figures):
        raise ValueError(f"stack: {len(figures)} figures and {len(between)} signs; a sign goes between two")
    signs = ["", *between, *[""] * (len(figures) - 1 - len(between))]
    one_caption = len({f.caption for f in figures}) == 1  # said once, below the last
    left, y, parts = max(f.left for f in figures), 0, []
    width = max(left - f.left + (f.width if one_caption else f.full_width()) for f in figures)
    middle = left + min(f.width - f.left for f in figures) / 2
    for sign, figure in zip(signs, figures, strict=True):
        if sign:
            parts.append(label(middle, y + 20, sign, 24, weight="bold", fill=ACCENT))
            y += 24  # above the title, which may be wide
        x = left - figure.left
        parts.append(
            f'<svg x="{x}" y="{y}" width="{figure.width}" height="{figure.height}">{figure.body}</svg>'
        )
        y += figure.height
        if figure.caption and not one_caption:
            parts.append(label(left - 0.5, y + 10, figure.caption, 10, "start", FAINT))
            y += 20
    texts = [f"{sign}\n{figure.text}".lstrip("\n") for sign, figure in zip(signs, figures)]
    alt = " ".join(f.alt for f in figures)
    return Figure(
        width, y, "".join(parts), alt, "\n\n".join(texts), figures[0].caption if one_caption else "", left
    )


def beside(*figures):
    """Put figures next to one another, their tops in one line, with the caption of the first."""
    if not figures:
        raise ValueError("beside: give at least one figure")
    x, parts = 0, []
    for figure in figures:
        parts.append(
            f'<svg x="{x}" y="0" width="{figure.width}" height="{figure.height}">{figure.body}</svg>'
        )
        x += figure.width
    alt, text = " ".join(f.alt for f in figures), "\n\n".join(f.text for f in figures)
    height = max(f.height for f in figures)
    return Figure(x, height, "".join(parts), alt, text, figures[0].caption, figures[0].left)


LINES = [("#1f66ac", ""), ("#bf5700", "7 4"), ("#3d3d3d", "2 3"), ("#7b3294", "9 3 2 3")]  # colour and dashes


def curves(
    series,
    title="",
    x_label="",
    y_label="",
    mark=(),
    dots=False,
    cursor=None,
    size=(620, 270),
    powers=False,
    stops=None,
):
    """Draw lines through points: series is {name: [(x, y), ...]}, mark lists (x, y, words) to point out.

    The lines differ in colour and in dashes, and the legend shows both. dots=True shows each point, where
    a few were measured. cursor is an x: a line down the figure, with a circle on each line that has this x.
    size is that of the frame around the lines. powers=True writes 10 to the power of y at the ticks: y is
    a logarithm to base 10. stops is {x: options}: in a figure that moves, a press near x chooses them.
    """
    series = {name: list(line) for name, line in series.items()}
    points = [point for line in series.values() for point in line]
    if len(series) > len(LINES) or not all(len(line) > 1 for line in series.values()) or not points:
        raise ValueError(
            f"series has {len(series)} lines; give 1 to {len(LINES)}, each with at least two points"
        )
    if not all(math.isfinite(number) for point in points for number in point):
        raise ValueError("series holds a point that is nan or infinite and cannot be drawn; leave it out")
    if max(abs(number) for point in points for number in point) > 1e12:
        raise ValueError(
            "series holds a number above 1e12 in size; the other points would not show; draw its logarithm"
        )
    xs = ticks([x for x, *_ in [*points, *mark]])
    heights = [y for _, y, *_ in [*points, *mark]]
    ys = range(math.floor(min(heights)), math.ceil(max(heights)) + 1) if powers else ticks(heights)
    left, top, (wide, high) = 70, 48, size

    def place(x, y):
        across = (x - xs[0]) / (xs[-1] - xs[0]) * wide
        return left + across, top + high - (y - ys[0]) / (ys[-1] - ys[0]) * high

    parts = [heading(title)]
    for x in xs:
        parts.append(rule(*place(x, ys[0]), *place(x, ys[-1])))
        parts.append(label(place(x, 0)[0], top + high + 18, tick_text(x, xs), 11))
    for y in ys:
        parts.append(rule(*place(xs[0], y), *place(xs[-1], y)))
        text = f"{10**y:,}" if powers else tick_text(y, ys)
        parts.append(label(left - 8, place(xs[0], y)[1] + 4, text, 11, "end"))
    parts.append(label(left + wide / 2, top + high + 38, x_label, 12, fill=FAINT))
    middle = max(left, 12 + 3.5 * len(y_label))  # a long one stays inside
    parts.append(label(middle, top - 8, y_label, 12, fill=FAINT))
    for i, (name, line) in enumerate(series.items()):
        colour, dashes = LINES[i]
        look = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"'
        joined = " ".join(f"{round(px, 1)},{round(py, 1)}" for px, py in (place(*point) for point in line))
        for x, y in [place(*point) for point in line] if dots else []:
            parts.append(f'<circle cx="{round(x, 1)}" cy="{round(y, 1)}" r="3.5" fill="{colour}"/>')
        y = top + 14 + 22 * i
        parts.append(f'<polyline points="{joined}" {look}/>')
        parts.append(f'<path d="M{left + wide + 16} {y}H{left + wide + 50}" {look}/>')
        parts.append(label(left + wide + 58, y + 4, name, 12, "start"))
    if cursor is not None:
        x, _ = place(cursor, 0)
        parts.append(box(x - 0.8, top, 1.6, high, FAINT))
        parts += [ring(*place(*point)) for point in points if point[0] == cursor]
    reached = [place(x, 0)[0] for x in stops or ()]
    halves = [left, *((a + b) / 2 for a, b in zip(reached, reached[1:])), left + wide]
    for (x, options), start, end in zip((stops or {}).items(), halves, halves[1:]):
        parts.append(target(start, top, end - start, high, *options, press=True))
    spots = [place(*point) for point in points]
    for x, y, words in mark:
        parts.append(pointed_out(*place(x, y), words, spots, left + wide))
    width = round(left + wide + 70 + 8 * max(map(len, series)))
    if powers:
        series = {name: [(x, round(10**y)) for x, y in line] for name, line in series.items()}
    told = {name: ends(line) for name, line in series.items()}
    alt = f"{sentence('Curves: ' + title if title else 'Curves')} "
    alt += "; ".join(f"{name} from {line}" for name, line in told.items())
    alt += "".join(f"; marked: {words}" for *_, words in mark) + "."
    text = [title, *(f"{name}: {line}" for name, line in told.items()), *(f"marked: {m[2]}" for m in mark)]
    return Figure(width, top + high + 50, "".join(parts), alt, "\n".join(text))


def pointed_out(x, y, words, spots, right):
    """A circle with words above it: centred, or to the left where the frame ends or a line runs into them.

    At the top of the frame they stand below it.
    """
    half = 3.4 * len(words)
    at = y + 18 if y < 72 else y - 18
    taken = any(0 < px - x < half + 4 and abs(py - at) < 10 for px, py in spots)
    middle = x - half if taken or x + half > right else x
    return ring(x, y) + label(middle, at + 4, words, 11, halo=True)


def ring(x, y):
    circle = f'<circle cx="{round(x, 1)}" cy="{round(y, 1)}" r="4.5" fill="{PAPER}"'
    return f'{circle} stroke="{INK}" stroke-width="2"/>'


def ends(line):
    """Where a line begins and ends, and how low and high it goes, in words."""
    ys = [y for _, y in line]
    x1, y1, x2, y2, low, high = (
        f"{round(value, 4) + 0.0:.10g}" for value in (*line[0], *line[-1], min(ys), max(ys))
    )
    return f"({x1}, {y1}) to ({x2}, {y2}), lowest {low}, highest {high}"


def ticks(values):
    """Five or so round numbers that enclose the values."""
    low, high = min(values), max(values)
    rough = max(high - low or 1, 1e-9 * abs(high)) / 5  # steps that such large numbers can take at all
    power = 10 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * i for i in range(first, max(last, first + 1) + 1)]


def tick_text(value, all_ticks):
    """A tick's number with as many decimals as the step needs."""
    decimals = max(0, -math.floor(math.log10(all_ticks[1] - all_ticks[0]) + 1e-9))
    return f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", MINUS)
