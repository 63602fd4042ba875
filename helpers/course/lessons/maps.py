"""Where the reader is: the network of Part I, and the path of its lessons."""

from ..show.svg import ACCENT, FAINT, INK, PAPER, Figure, arrow, box, label, path
from .registry import VARIANTS, lesson_names

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
# What the lessons of Part II do with this network, told to a reader who is there: lesson, words, the
# paths that they mark.
BEYOND = {
    "12": ("the way back, found by a machine", ("09", "10")),
    "13": ("this network becomes GPT-2", ()),
    "14": ("GPT-2 learns names", ()),
    "15": ("GPT-2 speaks", ()),
}
PITCH, MIDDLE, UNIT = 94, 148, 2.2  # from box to box, the axis, the height of one number


def network_map(lesson=""):
    """Draw the network of Part I from left to right, with the steps of one lesson ("01" to "15") marked."""
    parts = [
        label(14, 22, "The network of Part I; a number in a circle is a lesson", 14, "start", weight="bold")
    ]
    lines = ["lesson  step       gives          shape"]
    for i, (number, step, name, size, blocks) in enumerate(STEPS):
        x, here = 20 + i * PITCH, number == lesson != ""
        if i:
            parts += [
                arrow(x - PITCH + 36, MIDDLE, x - 4, MIDDLE, tint(here)),
                badge(x - 31, MIDDLE - 26, number, here),
            ]
            parts.append(label(x - 31, MIDDLE + 16, step, 10, fill=tint(here)))
        parts.append(station(x, blocks, here))
        parts.append(label(x + 16, 240, name, 10, weight="bold" if here else "normal"))
        parts.append(label(x + 16, 254, size, 10, fill=FAINT))
        lines.append(f"{number:6}  {step:9}  {name:13}  {size:11}" + HERE * here)
    parts.append(way_around(20 + 4 * PITCH + 16, 20 + 8 * PITCH - 31))
    beyond, marked = BEYOND.get(lesson, ("", ()))
    for number, what, left, right in BACKWARD:
        here = number == lesson or number in marked
        if left is not None:
            parts.append(arrow(right, 286, left, 286, tint(here)))
        x, y = (462, 332) if left is None else ((left + right) / 2, 286)
        parts.append(badge(x if left is not None else x - 82, y, number, here))
        parts.append(label(x, y + (24 if left is not None else 4), what, 10, fill=tint(here)))
        lines.append(f"{number:6}  {what:40}" + HERE * (number == lesson))
    if beyond:
        parts += [badge(680, 332, lesson, True), label(698, 336, beyond, 10, "start", ACCENT)]
        lines.append(f"{lesson:6}  {beyond:40}" + HERE)
    known = {number for number, *_ in STEPS[1:] + BACKWARD} | BEYOND.keys()
    if lesson in known:
        parts.append(label(918, 22, f"you are here: lesson {lesson}", 12, "end", ACCENT, "bold"))
    alt = "The network of Part I as a chain: " + ", ".join(f"{name} {size}" for _, _, name, size, _ in STEPS)
    alt += "; then back again to update the weights." + (
        f" You are here: lesson {lesson}." if lesson in known else ""
    )
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


def way_around(x1, x2):
    """The way around the feed-forward network, from the attention output to the addition."""
    y = MIDDLE - 88
    line = path([(x1, MIDDLE - 20), (x1, y), (x2, y), (x2, MIDDLE - 40)], dashes="4 3")
    return line + label((x1 + x2) / 2, y - 6, "residual: the attention output, added back", 10, fill=FAINT)


# The lessons as they lie on the path: there (the network forward), and back; then Part II. A lesson with
# a letter hangs below the one with its number; its name is that of its file, where SHORT has no shorter
# one.
THERE = [
    ("00", "start here"),
    ("01", "embeddings"),
    ("02", "queries and keys"),
    ("03", "attention"),
    ("04", "many heads"),
    ("05", "GELU"),
    ("06", "feed-forward"),
    ("07", "layer norm"),
    ("08", "the loss"),
]
BACK = [("09", "back through feed-forward"), ("10", "back through attention"), ("11", "AdamW: a step")]
ONWARD = [("12", "gradients by machine"), ("13", "GPT-2"), ("14", "training"), ("15", "it speaks")]
SHORT = {
    "06b": "its variants",
    "10b": "bug hunt",
    "12b": "a tape over lists",
    "13b": "two blocks",
    "14b": "your own text",
    "14c": "what each knob does",
    "15b": "writing with a cache",
}
ORDER = "The network's order is 06, 05, 06: widen, bend with GELU, narrow. The bend has its own lesson, before them."


def lessons_beside():
    """{number: [(number, name)]} of the lessons with a letter, under the lesson whose number they have."""
    found, on_the_path = {}, dict([*THERE, *BACK, *ONWARD])
    for file in sorted([*lesson_names(), *VARIANTS]):
        number, _, words = file.partition("_")
        if number not in on_the_path and number[:2] in on_the_path:
            found.setdefault(number[:2], []).append((number, SHORT.get(number, words.replace("_", " "))))
    return found


def course_figure(lesson=""):
    """Draw the lessons as a path: forward to the loss, back again to a better network, and on to a
    language model."""
    step, there, back, onward = 100, 74, 188, 376
    places = {number: (56 + step * i, there) for i, (number, _) in enumerate(THERE)}
    places |= {number: (56 + step * (7.4 - 2.7 * i), back) for i, (number, _) in enumerate(BACK)}
    places |= {number: (76 + step * 2.5 * i, onward) for i, (number, _) in enumerate(ONWARD)}
    beside_all = lessons_beside()
    for main, beside in beside_all.items():
        x, y = places[main]
        places |= {number: (x + 130 * i, y + 58) for i, (number, _) in enumerate(beside)}
    parts = [label(14, 22, "Part I: one training step, every number real", 14, "start", weight="bold")]
    parts.append(
        label(14, onward - 42, "Part II: a language model that learns and speaks", 14, "start", weight="bold")
    )
    for row in THERE, ONWARD:
        chain = [places[number] for number, _ in row]
        parts += [arrow(a + 14, y, b - 14, y) for (a, y), (b, _) in zip(chain, chain[1:])]
    turn, start = 56 + step * 8, places["11"][0]
    parts.append(
        path([(turn + 14, there), (turn + 44, there), (turn + 44, back), (places["09"][0] + 14, back)])
    )
    parts += [
        arrow(places[a][0] - 14, back, places[b][0] + 14, back) for a, b in (("09", "10"), ("10", "11"))
    ]
    parts.append(path([(start - 14, back), (56, back), (56, there + 34)], dashes="4 3"))
    parts.append(label(62, back - 10, "and again, better", 10, "start", FAINT))
    for main, beside in beside_all.items():
        x, y = places[main]
        parts.append(path([(x, y + 28), (x, y + 44)], dashes="2 3", head=False))
        for side in (places[number][0] for number, _ in beside[1:]):
            parts.append(path([(x, y + 36), (side, y + 36), (side, y + 44)], dashes="2 3", head=False))
    last_row = [entry for beside in beside_all.values() for entry in beside]
    names = dict([*THERE, *BACK, *ONWARD, *last_row])
    for number, name in names.items():
        x, y = places[number]
        here = number == lesson
        weight = "bold" if here else "normal"
        parts += [badge(x, y, number, here), label(x, y + 24, name, 10, fill=tint(here), weight=weight)]
    parts.append(label(14, 300, ORDER, 11, "start"))
    lines = [f"{number:4} {name}" + HERE * (number == lesson) for number, name in sorted(names.items())]
    rows = (THERE, BACK, ONWARD, last_row)
    listed = [", ".join(f"{number} {name}" for number, name in row) for row in rows]
    alt = f"The lessons as a path: forward {listed[0]}; then back {listed[1]}; then Part II, a language model: {listed[2]}"
    alt += f"; beside the path {listed[3]}. {ORDER}"
    alt += f" You are here: lesson {lesson}." if lesson in names else ""
    return Figure(936, 476, "".join(parts), alt, "\n".join(["The lessons", *lines, ORDER]))
