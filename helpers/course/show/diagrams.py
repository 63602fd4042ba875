"""How the parts of a network work, drawn with a lesson's own numbers."""

import math

from .display import rounded
from .svg import ACCENT, FAINT, INK, PAPER, Figure, arrow, box, heading, label, path, shade, signed, through

PALE = "#eef2f6"  # a box for something that is done, not for a number
COLOURS = "white is 0, blue is below, orange is above, full colour is"
TALLEST = 128  # boxes that a column can have and still be seen


def strip(x, y, vector, largest):
    """A row of numbers as boxes, y its middle, with a minus sign in the negative ones."""
    cell, high, parts = 12, 16, []
    for i, value in enumerate(vector):
        fill, ink = shade(value, largest)
        parts.append(box(x + i * cell, y - high / 2, cell - 1, high - 1, fill, "#c5ccd3", 0.5))
        if value < 0:
            parts.append(box(x + (i + 0.5) * cell - 3, y - 1, 5, 1, ink))
    return "".join(parts)


def column(x, y, vector, largest, cell):
    """A row of numbers stood upright, y its middle."""
    wide, top, parts = 18, y - cell * len(vector) / 2, []
    for i, value in enumerate(vector):
        fill, ink = shade(value, largest)
        parts.append(box(x, top + i * cell, wide, cell - 0.5, fill, "#c5ccd3", 0.5))
        if value < 0:
            parts.append(box(x + wide / 2 - 3, top + (i + 0.5) * cell - 0.8, 6, 1, ink))
    return "".join(parts)


def named_box(x, y, text, wide, stroke=FAINT):
    """A box with a word in it, x and y its middle."""
    high = 28
    return box(x - wide / 2, y - high / 2, wide, high, PALE, stroke) + label(x, y + 4, text, 11)


def size_of(*vectors):
    """The largest number in size, for one scale of colours."""
    return max((abs(x) for vector in vectors for x in vector if math.isfinite(x)), default=0)


def text_form(title, lines):
    """The text form: a line each, under the title if there is one."""
    return "\n".join([*([title] if title else []), *lines])


def span(vector):
    """How low and high a row goes, in words."""
    return f" from {rounded(float(min(vector)), 3)} to {rounded(float(max(vector)), 3)}"


def query_meets_keys(query, keys, scores, weights, labels, values, asker="query", title=""):
    """Draw the scores of one query with every key, the weights, and the weighted average of the values.

    scores and weights have one number for each key; values, one row for each.
    """
    if len({*map(len, (keys, scores, weights, labels, values))}) > 1:
        raise ValueError("query_meets_keys: give one key, score, weight, label and value for each position")
    names, pitch, top = [str(name) for name in labels], 46, 66
    middle, start = top + pitch * (len(keys) - 1) / 2, 16 + 12 * len(query)
    wide = round(7.6 * max(map(len, names)))
    keys_at = start + 116 + wide
    bars_at = keys_at + 12 * len(keys[0]) + 16
    parts = [heading(title), label(12, middle - 16, asker, 11, "start")]
    parts.append(strip(12, middle, query, size_of(query)))
    for x, word in ((keys_at, "keys"), (bars_at, "weights")):
        parts.append(label(x, top - 20, word, 11, "start", FAINT))
    for i, (name, key, score, weight) in enumerate(zip(names, keys, scores, weights)):
        y, end = top + pitch * i, keys_at - 14 - wide
        look = (INK, 1 + 3 * weight, "") if math.isfinite(score) else (FAINT, 1, "3 3")
        parts += [arrow(start, middle, end, y, *look), label(keys_at - 8, y + 4, name, 11, "end")]
        x, z, text = start + 0.7 * (end - start), middle + 0.7 * (y - middle), signed(score, 2)
        parts += [box(x - 3.6 * len(text), z - 7, 7.2 * len(text), 14, PAPER), label(x, z + 4, text, 11)]
        parts.append(strip(keys_at, y, key, size_of(*keys)))
        parts.append(box(bars_at, y - 6, 60 * weight, 12, ACCENT))
        parts.append(label(bars_at + 60 * weight + 6, y + 4, signed(weight, 2), 11, "start"))
    average = [sum(w * value[j] for w, value in zip(weights, values)) for j in range(len(values[0]))]
    values_at = bars_at + 110
    parts.append(flow_back(values_at, top, pitch, values, weights, average))
    lines = [
        f"{name}: score {rounded(float(score), 2)}, weight {rounded(float(weight), 2)}"
        for name, score, weight in zip(names, scores, weights)
    ]
    lines.append(f"weighted average of the values: {' '.join(rounded(float(x), 2) for x in average)}")
    alt = f"{title or 'One query and all keys'}: {asker}. {'; '.join(lines)}."
    width = values_at + 86 + 12 * len(average) + max(12 * len(average), 112)
    height = top + pitch * len(keys) - 14
    return Figure(width, height, "".join(parts), alt, text_form(title or asker, lines))


def flow_back(x, top, pitch, values, weights, row):
    """The values right of the weights, and their weighted average: thick lines where the weight is large."""
    largest, middle, result = size_of(*values), top + pitch * (len(values) - 1) / 2, x + 12 * len(row) + 70
    parts = [label(x, top - 20, "values", 11, "start", FAINT), strip(result, middle, row, largest)]
    parts.append(label(result, middle - 16, "weighted average", 11, "start"))
    for i, (value, weight) in enumerate(zip(values, weights)):
        y = top + pitch * i
        parts.append(strip(x, y, value, largest))
        if weight:
            parts.append(arrow(x + 12 * len(row) + 4, y, result - 6, middle, ACCENT, 1 + 3 * weight))
    return "".join(parts)


def heads_split_and_join(T, H, k):
    """Draw how H heads each compute k numbers from a row, and how W_O mixes the concatenated numbers."""
    names = [f"head {h}" for h in range(H)]
    D = H * k
    if D > TALLEST:
        raise ValueError(f"heads_split_and_join: H times k is {D}; at most {TALLEST} numbers can be seen")
    unit, gap, top = max(2, min(10, 200 / D)), 34, 64
    tall, tallest, part = D * unit, D * unit + gap * (H - 1), k * unit
    middle, colours = top + tallest / 2, ["#9ec3e6", "#f3b26b", "#b9b9b9", "#c9a6d6"]
    row_top, row_look = middle - tall / 2, ("#dbe4ee", FAINT)
    parts = [heading(""), box(24, row_top, 22, tall, *row_look)]
    for h, name in enumerate(names):
        y, colour = top + h * (part + gap), colours[h % 4]
        mid, joined = y + part / 2, row_top + h * part
        parts.append(arrow(52, middle, 168, mid))
        parts.append(label(120, (middle + mid) / 2 - 7, "whole row", 10, fill=FAINT, halo=True))
        parts.append(named_box(230, mid, "Q, K, V", 110))
        parts.append(arrow(288, mid, 354, mid))
        parts.append(label(320, mid - 8, "attend", 10))
        parts += [box(360, y, 22, part, colour, FAINT), label(371, y - 8, f"{name} [{T}][{k}]", 10)]
        parts += [arrow(388, mid, 494, joined + part / 2), box(500, joined, 22, part, colour, FAINT)]
    out = 632 + tall
    parts += [arrow(528, middle, 574, middle), box(580, row_top, tall, tall, PALE, FAINT)]
    parts.append(label(580 + tall / 2, middle + 4, "W_O", 12, weight="bold"))
    parts.append(arrow(584 + tall, middle, out - 6, middle))
    parts.append(box(out, row_top, 22, tall, *row_look))
    base, mixes = top + tallest + 18, 580 + tall / 2
    for x, word, rows in (
        (35, "X", T),
        (511, "concat", T),
        (mixes, "mixes the heads", D),
        (out + 11, "output", T),
    ):
        parts += [label(x, base, word, 10), label(x, base + 14, f"[{rows}][{D}]", 10, fill=FAINT)]
    each = ", ".join(f"{name} [{T}][{k}]" for name in names)
    text = f"X [{T}][{D}] -> {each} -> concat [{T}][{D}] -> W_O [{D}][{D}] -> output [{T}][{D}]"
    alt = f"Heads split and join: each of {H} heads reads the whole row of X and computes {k} numbers. {text}"
    return Figure(round(out + 60), round(base + 26), "".join(parts), alt, text)


def hidden_layer_figure(values, names, title=""):
    """Draw the columns of a network that expands and projects back: input, hidden layer, output."""
    sizes = [len(vector) for vector in values]
    if not len(sizes) == len(names) == 3 or max(sizes) > TALLEST:
        raise ValueError(
            f"hidden_layer_figure: {len(names)} names, and columns of {sizes} numbers; give three of each, "
            f"with at most {TALLEST} numbers"
        )
    cell, pitch, top = max(3, min(14, 384 / max(sizes))), 190, 44
    left = round(12 + 3.8 * max(10, 5 + max(map(len, names))))
    tall = [cell * size for size in sizes]
    middle, parts = top + max(tall) / 2, [heading(title)]
    for i, link in enumerate(("W_1", "W_2")):
        a, b, up, far = left + pitch * i + 22, left + pitch * (i + 1) - 22, tall[i] / 2, tall[i + 1] / 2
        corners = [(a, middle - up), (b, middle - far), (b, middle + far), (a, middle + up)]
        parts.append(f'<path d="{through(corners)}Z" fill="{PALE}"/>')
        parts.append(arrow(a + 4, middle, b - 4, middle))
        parts.append(label((a + b) / 2, middle - 10, link, 12, weight="bold"))
    for i, (vector, name, size) in enumerate(zip(values, names, sizes)):
        x = left + pitch * i
        parts.append(column(x - 9, middle, vector, size_of(vector), cell))
        parts.append(label(x, middle + tall[i] / 2 + 18, f"{name} [{size}]", 11))
    lines = [f"{name} [{size}]" + span(vector) for name, size, vector in zip(names, sizes, values)]
    alt = f"{title or 'A wide middle'}: " + ", then ".join(lines) + "."
    width, height = 2 * left + pitch * (len(sizes) - 1), round(top + max(tall) + 30)
    return Figure(
        width, height, "".join(parts), alt, text_form(title, lines), f"{COLOURS} the largest of its column"
    )


def residual_path(row, blocks, title="", start="row"):
    """Draw a vector on the residual stream: each block reads it and adds its output; blocks is [(name,
    output), ...]."""
    blocks = [(str(name), list(written)) for name, written in blocks]
    if not blocks or any(len(written) != len(row) for _, written in blocks) or len(row) > TALLEST:
        raise ValueError(
            f"residual_path: each block writes as many numbers as the row has, {len(row)}; at most {TALLEST}"
        )
    rows = [list(row)]
    for _, written in blocks:
        rows.append([a + b for a, b in zip(rows[-1], written)])
    largest, cell = size_of(*rows, *(written for _, written in blocks)), max(3, min(12, 180 / len(row)))
    wide = round(24 + 7 * max(len(name) for name, _ in blocks))  # of a block
    tall, plus = cell * len(row), 158 + wide
    middle, pitch = 52 + tall / 2, plus + 66
    below, parts = middle + tall + 44, [heading(title)]
    for i, (name, written) in enumerate(blocks):
        x = 40 + pitch * i
        there, written_at = x + plus, x + 108 + wide
        parts.append(arrow(x + 24, middle, there - 13, middle, ACCENT, 3))
        parts.append(named_box(x + 80 + wide / 2, below, name, wide))
        parts.append(path([(x + 60, middle), (x + 60, below), (x + 76, below)]))
        parts.append(label(x + 66, middle + 22, "reads", 10, "start"))
        parts.append(arrow(x + 84 + wide, below, written_at - 4, below))
        parts.append(column(written_at, below, written, largest, cell))
        parts += [path([(written_at + 22, below), (there, below), (there, middle + 15)])]
        parts.append(label(written_at + 9, below + tall / 2 + 16, "what it writes", 10))
        parts.append(plus_sign(there, middle))
        parts.append(arrow(there + 13, middle, x + pitch - 6, middle, ACCENT, 3))
    parts += [column(40 + pitch * i, middle, values, largest, cell) for i, values in enumerate(rows)]
    parts.append(label(49, middle + tall / 2 + 16, start, 10))
    steps = zip(blocks, rows[1:])
    lines = [start + span(row)]
    lines += [f"+ {name} writes{span(w)}: row{span(after)}" for (name, w), after in steps]
    alt = f"{title or 'The path of a row'}: " + "; ".join(lines) + "."
    width, height = 40 + pitch * len(blocks) + 50, round(below + tall / 2 + 28)
    return Figure(
        width, height, "".join(parts), alt, text_form(title, lines), f"{COLOURS} {signed(largest, 3)}"
    )


def plus_sign(x, y, stroke=ACCENT):
    """Where two rows are added."""
    circle = f'<circle cx="{x}" cy="{round(y, 1)}" r="12" fill="{PAPER}" stroke="{stroke}" stroke-width="2"/>'
    return circle + label(x, y + 5, "+", 16, weight="bold", fill=stroke)


def graph(nodes, edges, title="", decimals=4, used=None):
    """Draw a computation from left to right: nodes is {name: (value, gradient)}, edges is [(from, to), ...].

    The value stands above its node and the gradient below; None leaves it out. An edge may have words:
    (from, to, words). The edge `used`, (from, to), is drawn backward, thick and in another colour.
    """
    depth = depths(nodes, edges)
    columns = [[name for name in nodes if depth[name] == d] for d in range(max(depth.values()) + 1)]
    wide, pitch = 22 + 7.2 * max(map(len, nodes)), 92
    across, tallest = wide + 100, max(map(len, columns))
    middle = {}
    for d, names in enumerate(columns):
        for i, name in enumerate(names):
            middle[name] = (24 + wide / 2 + across * d, 84 + pitch * (i + (tallest - len(names)) / 2))
    parts, lines, bends = [heading(title)], [], []
    for start, end, *words in edges:
        (x1, y1), (x2, y2) = middle[start], middle[end]
        left, right, y = x1 + wide / 2 + 3, x2 - wide / 2 - 3, (y1 + y2) / 2 - 7
        if y1 == y2 and depth[end] > depth[start] + 1:  # around the nodes between, above and below in turn
            bends.append(44 if len(bends) % 2 else -40)
            far, near = y1 + bends[-1], y1 + bends[-1] / 6
            line = [(left, near), (left + 14, far), (right - 14, far), (right, near)]
            y = far + (13 if far > y1 else -4)
        else:
            line = [(left, y1), (right, y2)]
        here = (start, end) == used
        parts.append(path(line[::-1], ACCENT, 4) if here else path(line))
        parts += [label((x1 + x2) / 2, y, word, 11, fill=FAINT, halo=True) for word in words]
    for name, (value, gradient) in nodes.items():
        x, y = middle[name]
        parts.append(named_box(x, y, name, wide))
        words = []
        if value is not None:
            parts.append(label(x, y - 21, signed(value, decimals), 11))
            words.append(f"= {rounded(float(value), decimals)}")
        if gradient is not None:
            parts.append(label(x, y + 29, f"d_{name} {signed(gradient, decimals)}", 11, fill=ACCENT))
            words.append(f"d_{name} = {rounded(float(gradient), decimals)}")
        before = [start for start, end, *_ in edges if end == name]
        lines.append(
            " ".join([name, ", ".join(words), f"(from {', '.join(before)})" * bool(before)]).rstrip()
        )
    alt = f"{title or 'A computation, from left to right'}: " + "; ".join(lines) + "."
    width = round(48 + wide + across * (len(columns) - 1))
    height = round(84 + pitch * (tallest - 1) + (68 if len(bends) > 1 else 48))
    return Figure(width, height, "".join(parts), alt, text_form(title, lines))


def depths(nodes, edges):
    """How far right each node stands: one further than the last that leads to it."""
    for start, end, *_ in edges:
        if start not in nodes or end not in nodes:
            raise ValueError(f"graph: the edge {start} to {end} needs two of the nodes {', '.join(nodes)}")
    depth = dict.fromkeys(nodes, 0)
    for _ in nodes:
        longer = {end: depth[start] + 1 for start, end, *_ in edges if depth[end] <= depth[start]}
        if not longer:
            return depth
        depth |= longer
    raise ValueError("graph: the edges lead round in a circle; a computation goes one way")
