"""The course map, read from the notebooks themselves, for lesson 00 and for the README."""

import json
import pathlib

from .display import Table
from .lessons import notebook_paths
from .maps import network_map

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
START, END = "<!-- course map: made by python3 -m helpers run -->\n", "<!-- end of course map -->"
PICTURE = ".github/network.svg"


def lessons(root=ROOT):
    """(file name, title, question) of every lesson: the first heading, and the first sentence under it."""
    return [(path.name, *title_and_question(path)) for path in notebook_paths(root / "notebooks")]


def title_and_question(path):
    """As the first cell has them; the file's name, and nothing, where a reader has left no such cell."""
    try:
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        heading, _, rest = "".join(first).partition("\n")
        return heading.lstrip("# "), rest.strip().splitlines()[0].partition("?")[0] + "?"
    except (ValueError, LookupError, TypeError):
        return path.stem, ""


class CourseMap(Table):
    """The lessons as a table whose first column leads to them."""

    def _repr_html_(self):
        page = super()._repr_html_()
        for name, (title, _) in zip(self.names, self.rows):
            page = page.replace(f">{title}<", f'><a href="{name}">{title}</a><', 1)
        return page


def course_map():
    """The lessons that are here, with the question that each answers."""
    found = lessons()
    shown = CourseMap(["lesson", "question"], [[title, question] for _, title, question in found], 4)
    shown.names = [name for name, _, _ in found]
    return shown


def markdown_map(root=ROOT):
    """The course map as the README shows it."""
    lines = ["| lesson | the question |", "|---|---|"]
    lines += [f"| [{title}](notebooks/{name}) | {question} |" for name, title, question in lessons(root)]
    return "\n".join(lines) + "\n"


def refresh(root=ROOT):
    """Write the course map into the README, and the picture that it shows."""
    readme = root / "README.md"
    before, start, rest = readme.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"README.md has lost the lines {START.strip()!r} and {END!r}; put them back around the course map")
    readme.write_text(before + start + markdown_map(root) + end + after, encoding="utf-8", newline="\n")
    (root / PICTURE).write_text(network_map().svg() + "\n", encoding="utf-8", newline="\n")
