"""The course map, read from the notebooks, for lesson 00 and the README; the README's generated parts."""

import json
import pathlib

from ..show.display import Table
from ..lessons.registry import notebook_paths
from ..lessons.maps import network_map

from .. import ROOT
START, END = "<!-- {}: made by python3 -m helpers run -->\n", "<!-- end of {} -->"
PICTURE = ".github/network.svg"
EXAMPLE = "gelu"  # the function that the README prints, as `python3 -m helpers show gelu` does


def lessons(root=ROOT):
    """(file name, title, question) of every lesson: its first heading, and the question below the heading."""
    return [(path.name, *title_and_question(path)) for path in notebook_paths(root / "notebooks")]


def title_and_question(path):
    """Title and question from the first cell; the file's name and "" if the cell is missing or damaged."""
    try:
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        heading, _, rest = "".join(first).partition("\n")
        return heading.lstrip("# "), rest.strip().splitlines()[0].partition("?")[0] + "?"
    except (ValueError, LookupError, TypeError):
        return path.stem, ""


class CourseMap(Table):
    """A table of the lessons whose first column links to them."""

    def _repr_html_(self):
        page = super()._repr_html_()
        for name, (title, _) in zip(self.names, self.rows):
            page = page.replace(f">{title}<", f'><a href="{name}">{title}</a><', 1)
        return page


def course_map():
    """The lessons in the notebooks folder, each with the question that it answers."""
    found = lessons()
    shown = CourseMap(["lesson", "question"], [[title, question] for _, title, question in found], 4)
    shown.names = [name for name, _, _ in found]
    return shown


def markdown_map(root=ROOT):
    """The course map as the README shows it."""
    lines = ["| lesson | the question |", "|---|---|"]
    lines += [f"| [{title}](notebooks/{name}) | {question} |" for name, title, question in lessons(root)]
    return "\n".join(lines) + "\n"


def example():
    """One function of the helpers, as the command `show` prints it."""
    from ..show.source import paste_block  # here, because lessons import this module and do not need the parser

    return f"```python\n{paste_block([EXAMPLE]).strip()}\n```\n"


def replace_section(text, name, made):
    """The text with new content between the two comments that mark a generated section."""
    before, start, rest = text.partition(START.format(name))
    _, end, after = rest.partition(END.format(name))
    if not end:
        start, end = START.format(name).strip(), END.format(name)
        raise ValueError(f"The page has lost the line {start!r} or {end!r}: put both back.")
    return before + start + made + end + after


def refresh(root=ROOT):
    """Write the course map and the example into the README, and draw the picture that it shows."""
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, made in {"course map": markdown_map(root), "example": example()}.items():
        text = replace_section(text, name, made)
    readme.write_text(text, encoding="utf-8", newline="\n")
    (root / PICTURE).write_text(network_map().svg() + "\n", encoding="utf-8", newline="\n")
