"""The generated parts of the README: the course map, an example, the picture of the network."""

from .. import ROOT
from ..lessons.contents import lesson_titles
from ..lessons.maps import network_map
from ..show.source import paste_block

START, END = "<!-- {}: made by python3 -m helpers run -->\n", "<!-- end of {} -->"
PICTURE = ".github/network.svg"
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
    (root / PICTURE).write_text(network_map().svg() + "\n", encoding="utf-8", newline="\n")
