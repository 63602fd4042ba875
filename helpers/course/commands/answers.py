"""A reader's answers, moved from the pages of an earlier edition into the lessons of this one.

An answer is a cell with a `grade` line whose function is written. It goes to the exercise whose function has
the same name. site/tab/update.js does the same in a browser tab; tests/course/commands/moving.json has the
cases for both.
"""

import json
import re
from typing import NamedTuple

GRADE = re.compile(
    r"""(?m)^([ \t]*(?:\w+[ \t]*=[ \t]*)?grade\([ \t]*["'])(\d+\w?\.\w+)(["'][ \t]*,[ \t]*)(\w+)"""
)
GONE = {("14.c", "my_train"), ("21.a", "my_block")}  # 11.b and 13.a have these names, and are others
NO_CODE = re.compile(r'"""[\s\S]*?"""|' + r"'''[\s\S]*?'''|#.*")
FUNCTION = re.compile(r"(?m)^([ \t]*)def (\w+)[\s\S]*?\)[^():\n]*:([^\n]*(?:\n\1[ \t]+.*|\n[ \t]*(?=\n|$))*)")


class Answer(NamedTuple):
    """A written exercise: its number and its function's name there, its cell, and the page that holds it."""

    number: str
    name: str
    source: str
    lesson: str


class Place(NamedTuple):
    """An exercise of a lesson: number, function, and the cell that grades it."""

    number: str
    name: str
    lesson: str
    cell: dict


def read_page(data):
    """The notebook in some bytes; None if they are no notebook."""
    try:
        page = json.loads(data)
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in page["cells"]]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return page if cells else None


def page_text(page):
    """A notebook as the course writes it."""
    return json.dumps(page, indent=1, ensure_ascii=False, sort_keys=True, separators=(",", ": ")) + "\n"


def sources(page):
    return [(cell["cell_type"], "".join(cell["source"]).strip()) for cell in page["cells"]]


def changed_cells(page, published):
    """The cells of a page, (type, source), that do not stand in the published one."""
    known = set(sources(published))
    return [cell for cell in sources(page) if cell[1] and cell not in known]


def graded(source):
    """(number, name) of the exercise that a cell grades, or None."""
    found = GRADE.search(source)
    return found and (found[2], found[4])


def is_unwritten(source):
    """Whether the body of every function in a cell is still only `...`."""
    code = re.sub(r"\n\s*\n", "\n", NO_CODE.sub("", source))
    bodies = [body.strip() for _, name, body in FUNCTION.findall(code) if name != "__init__"]
    return bool(bodies) and all(body in ("...", "pass", "") for body in bodies)


def answers(page, lesson):
    """The answers in a page. Of two to one exercise, the later one counts."""
    found, cells = {}, [source for kind, source in sources(page) if kind == "code"]
    for i, source in enumerate(cells):
        if not graded(source):
            continue
        number, name = graded(source)
        defines = re.compile(rf"(?m)^(?:def|class)\s+{name}\b|^{name}\s*=")
        if not defines.search(source):  # the function may stand in a cell of its own
            above = [cell for cell in cells[:i] if defines.search(cell) and not graded(cell)]
            source = "\n\n".join([*above[-1:], source])
        if not is_unwritten(source):
            found[number, name] = Answer(number, name, source, lesson)
    return list(found.values())


def exercises(pages):
    """The exercises in {lesson: page}."""
    found = []
    for lesson, page in pages.items():
        for cell in page["cells"]:
            named = cell["cell_type"] == "code" and graded("".join(cell["source"]))
            if named:
                found.append(Place(*named, lesson, cell))
    return found


def move(found, pages):
    """Put answers into {lesson: page}, in place; returns [(answer, its place or None)].

    The name of the function decides; where it occurs twice, the number and then the lesson do.
    """
    open_exercises, places = exercises(pages), {}
    for rank in (3, 2, 1, 0):
        for answer in found:
            if answer[:2] in GONE:
                continue
            named = [exercise for exercise in open_exercises if exercise.name == answer.name]
            fitting = [exercise for exercise in named if agreement(answer, exercise) == rank]
            if len(fitting) == 1 and answer not in places:
                open_exercises.remove(fitting[0])
                places[answer] = fitting[0]
    return [(answer, places.get(answer) and put(answer, places[answer])) for answer in found]


def agreement(answer, exercise):
    return 2 * (answer.number == exercise.number) + (answer.lesson == exercise.lesson)


def put(answer, exercise):
    """Write an answer into the stub of its exercise; None if another answer stands there."""
    source = GRADE.sub(lambda line: f"{line[1]}{exercise.number}{line[3]}{line[4]}", answer.source, count=1)
    there = "".join(exercise.cell["source"])
    if there.strip() == source.strip():
        return exercise
    if not is_unwritten(there):
        return None
    exercise.cell.update(source=source.splitlines(keepends=True), outputs=[], execution_count=None)
    return exercise
