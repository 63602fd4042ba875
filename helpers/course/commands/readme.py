"""The generated parts of the README: the course map, an example, pictures of a story and of the network."""

from ...gpt import gpt_forward
from ...parameters import count_parameters
from .. import ROOT
from ..lessons.contents import lesson_titles
from ..lessons.maps import network_map
from ..show.source import paste_block
from ..show.svg import ACCENT, FAINT, PAPER, Figure, box, label
from ..training.stories import stories_model

START, END = "<!-- {}: made by python3 -m helpers run -->\n", "<!-- end of {} -->"
PICTURE, STORY_PICTURE = ".github/network.svg", ".github/story.svg"
PROMPT = "mia has a red"
STORY = """\
mia has a red ball . she hides the ball in the bag .
tom looks in the bag . what does he find ?
the red ball ! tom gives the ball back to mia ."""  # what the command `say` of the README prints
MIN_WEIGHT = 0.75  # of the attention to an earlier word that the picture shows
EXAMPLE = "gelu"  # the function that the README prints, as `python3 -m helpers show gelu` does


def markdown_map(root=ROOT):
    """The course map as the README shows it."""
    lines = ["| lesson | the question |", "|---|---|"]
    lines += [
        f"| [{title}](notebooks/{name}) | {question} |" for name, title, question in lesson_titles(root)
    ]
    return "\n".join(lines) + "\n"


def example():
    """One function of the helpers, as the command `show` prints it."""
    return f"```python\n{paste_block([EXAMPLE]).strip()}\n```\n"


def replace_section(text, name, made):
    """The text with new content between the two comments that mark a generated section."""
    before, start, rest = text.partition(START.format(name))
    _, end, after = rest.partition(END.format(name))
    if not end:
        start, end = START.format(name).strip(), END.format(name)
        raise ValueError(f"The page has lost the line {start!r} or {end!r}: put both back.")
    return before + start + made + end + after


def refresh_readme(root=ROOT):
    """Write the course map and the example into the README, and draw the picture that it shows."""
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, made in {"course map": markdown_map(root), "example": example()}.items():
        text = replace_section(text, name, made)
    readme.write_text(text, encoding="utf-8", newline="\n")
    for name, figure in {PICTURE: network_map(), STORY_PICTURE: story_figure()}.items():
        (root / name).write_text(figure.svg() + "\n", encoding="utf-8", newline="\n")


# --- the picture of a story


def story_figure():
    """A story of the shipped model, with lines from words to the earlier places that its heads attend to."""
    model, words = stories_model(), STORY.split()
    read, count = words_read(model, words), count_parameters(model["parameters"])
    places, parts = word_places(), []
    for i, (j, _) in read.items():
        parts.append(curve(places[i], places[j]))
    for i, (word, (x, y, wide)) in enumerate(zip(words, places)):
        if i in read or i in [j for j, _ in read.values()]:
            parts.append(box(x - 5, y - 18, wide + 10, 26, "#fde8d0" if i in read else PAPER, ACCENT))
        weight = "bold" if i < len(PROMPT.split()) else "normal"
        parts.append(label(x + wide / 2, y, word, 18, weight=weight, halo=i not in read))
    for i, (_, weight) in read.items():
        x, y, wide = places[i]
        parts.append(label(x + wide / 2, y + 23, f"{weight:.2f}", 11, fill=ACCENT))
    title = f"A model of {count:,} parameters continues \u201c{PROMPT}\u201d"
    legend = [
        "A line leads from a word to its earlier place, to which a head attends to predict the word.",
        "The number is the attention weight. Lines are drawn from 0.75 on, and not for \u201cthe\u201d.",
    ]
    parts.append(label(24, 34, title, 16, "start", weight="bold"))
    parts += [label(24, 296 + 18 * i, line, 12, "start", FAINT) for i, line in enumerate(legend)]
    return Figure(690, 330, "".join(parts), "", STORY)


def words_read(model, words):
    """{i: (j, weight)}: to predict word i, a head attends with this weight to word j, the same word."""
    ids = [model["vocab"].index(word) for word in ["<BOS>", *words]]
    read = gpt_forward(model["config"], model["parameters"], ids)
    heads = [head for name in read if name.endswith("attn.weights") for head in read[name]]
    found = {}
    for i, word in enumerate(words):
        earlier = [(head[i][j + 1], j) for head in heads for j in range(i) if words[j] == word != "the"]
        weight, j = max(earlier, default=(0, 0))
        if weight >= MIN_WEIGHT:
            found[i] = j, weight
    return found


def word_places():
    """(left end, baseline, width) of each word of the story, line by line."""
    places = []
    for row, line in enumerate(STORY.splitlines()):
        x = 24
        for word in line.split():
            places.append((x, 92 + 76 * row, 11 * len(word)))
            x += 11 * len(word) + 16
    return places


def curve(later, earlier):
    """A line from a word to a word before it: above their line, or from line to line."""
    (x1, y1, wide1), (x2, y2, wide2) = later, earlier
    x1, x2 = x1 + wide1 / 2, x2 + wide2 / 2
    ends = (y2 - 46, y2 - 20) if y1 == y2 else (y2 + 50, y2 + 10)
    line = f"M{x1} {y1 - 20}C{x1} {y1 - (46 if y1 == y2 else 60)} {x2} {ends[0]} {x2} {ends[1]}"
    return f'<path d="{line}" fill="none" stroke="{ACCENT}" stroke-width="2.5" opacity="0.75"/>'
