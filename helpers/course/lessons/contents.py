"""The course map: the title and the question of every lesson, read from the notebooks."""

import json

from .. import ROOT
from ..show.display import Table
from ..state.registry import notebook_paths


def lesson_titles(root=ROOT):
    """(file name, title, question) of every lesson: its first heading, and the question below the heading."""
    return [(path.name, *title_and_question(path)) for path in notebook_paths(root / "notebooks")]


def title_and_question(path):
    """Title and question from the first cell; the file's name and "" if the cell is missing or damaged."""
    heading, _, rest = "".join(cell_sources(path, "markdown")[:1]).partition("\n")
    if not rest.strip():
        return path.stem, ""
    return heading.lstrip("# "), rest.strip().splitlines()[0].partition("?")[0] + "?"


def cell_sources(path, kind="code"):
    """The source of each cell of one kind; an empty list if the notebook cannot be read."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]
    except (OSError, ValueError, LookupError, TypeError):
        return []


class CourseMap(Table):
    """A table of the lessons whose first column links to them."""

    def _repr_html_(self):
        page = super()._repr_html_()
        for name, (title, _) in zip(self.names, self.rows):
            page = page.replace(f">{title}<", f'><a href="{name}">{title}</a><', 1)
        return page


def course_map():
    """The lessons in the notebooks folder, each with the question that it answers."""
    found = lesson_titles()
    shown = CourseMap(["lesson", "question"], [[title, question] for _, title, question in found], 4)
    shown.names = [name for name, _, _ in found]
    return shown
