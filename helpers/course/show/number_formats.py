"""Numbers with few bits: on a line with the values that can be stored, and as the bytes of a block."""

from .svg import ACCENT, FAINT, INK, Figure, box, heading, label, path

PALE, ORANGE = "#dbe4ee", "#fde8d0"


def number_line(numbers, scales, title=""):
    """Draw numbers above a line for each way to store them, each joined to the nearest value.

    scales is {name of the line: scale}, for the multiples of a scale up to the largest absolute value; or
    {name: list of codes}, whose largest absolute value stands for that of the numbers.
    """
    numbers = list(numbers)
    largest = max(map(abs, numbers))
    evenly = [scale for scale in scales.values() if not isinstance(scale, list)]
    if not largest or not all(scale > 0 for scale in evenly):
        raise ValueError("number_line: give a number other than 0, and scales above 0")
    left, wide, pitch, top = 150, 620, 74, 44 if title else 14
    parts = [heading(title)] if title else []
    lines = []
    for i, (name, scale) in enumerate(scales.items()):
        y = top + pitch * i + 40
        if isinstance(scale, list):
            marks, scale = sorted(scale), largest / max(map(abs, scale))
        else:
            marks = list(range(-round(largest / scale), round(largest / scale) + 1))

        def place(x):
            return left + wide * (x / largest + 1) / 2

        codes = [min(marks, key=lambda mark: abs(x / scale - mark)) for x in numbers]
        parts.append(label(12, y + 4, name, 12, "start"))
        parts.append(path([(left - 8, y), (left + wide + 8, y)], FAINT, 1.5, head=False))
        for mark in marks:
            x = place(mark * scale)
            parts.append(path([(x, y - 5), (x, y + 5)], INK, 1.5, head=False))
            if len(marks) <= 33 and isinstance(mark, int) or mark in (marks[0], 0, marks[-1]):
                parts.append(label(x, y + 19, str(mark).replace("-", "\u2212"), 10, fill=FAINT))
        for x, code in zip(numbers, codes, strict=True):
            parts.append(path([(place(x), y - 22), (place(code * scale), y - 6)], ACCENT, 1, head=False))
            parts.append(f'<circle cx="{round(place(x), 1)}" cy="{y - 24}" r="3.5" fill="{ACCENT}"/>')
        lines.append(f"{name}: codes {', '.join(map(str, codes))}")
    alt = f"{title or 'Numbers on a line'}: " + "; ".join(lines) + "."
    height = top + pitch * len(scales) + 4
    return Figure(left + wide + 30, height, "".join(parts), alt, "\n".join([title] * bool(title) + lines))


def byte_boxes(data, parts, title=""):
    """Draw bytes as boxes, with the parts that they belong to above: {name: how many bytes}."""
    if sum(parts.values()) != len(data):
        raise ValueError(f"byte_boxes: data has {len(data)} bytes; the parts must have as many")
    left, wide, y = 130, 34, 66 if title else 36
    drawn = [heading(title)] if title else []
    drawn.append(label(12, y + 17, "byte in base 16", 11, "start", FAINT))
    start = 0
    for i, (name, length) in enumerate(parts.items()):
        x = left + wide * start
        for j in range(start, start + length):
            drawn.append(box(left + wide * j, y, wide - 2, 26, (PALE, ORANGE)[i % 2], FAINT))
            drawn.append(label(left + wide * j + wide / 2 - 1, y + 17, f"{data[j]:02x}", 11))
        drawn.append(label(x + wide * length / 2 - 1, y - 10, name, 11, weight="bold"))
        start += length
    lines = [f"{', '.join(f'{name} {length} bytes' for name, length in parts.items())}", data.hex(" ")]
    alt = f"{title or 'Bytes'}: " + "; ".join(lines) + "."
    width, height = left + wide * len(data) + 12, y + 36
    return Figure(width, height, "".join(drawn), alt, "\n".join([title] * bool(title) + lines))
