"""What the reader has passed, lesson by lesson, and where to go on."""

import contextlib
import html
import json
import pkgutil
import re

from ...llama import llama_forward
from .. import NOTEBOOKS
from ..lessons.contents import cell_sources, title_and_question
from ..lessons.placement import Questions
from ..show.display import closed, pluralized
from ..show.svg import ACCENT, FAINT, INK, PAPER, Figure, box, label
from ..state.registry import notebook_paths
from . import EXERCISES
from .folds import GRADED
from .passed import OTHER_NAMES, all_called, lines_of, read_passes

GRADED_NAME = re.compile(r"""\bgrade\(\s*["'][\w.]+["']\s*,\s*(\w+)""")
COLUMN, SQUARE = 25, 19  # pixels
BROUGHT = "lessons.json"  # beside this file, and only in the site's folder of pages


class Overview:
    """The exercises of all lessons, those passed marked: a figure in a notebook, lines in a terminal.

    In a notebook the ten questions that lead to a lesson are folded below.

    lessons   [(number, file name, title, numbers of its exercises)]
    passed    {number: Pass}
    troubles  sentences about files that cannot be used
    """

    def __init__(self, lessons, passed, troubles=()):
        self.lessons, self.passed, self.troubles = lessons, passed, list(troubles)

    def sentences(self):
        """What is passed, what can be done with it and what is next, then the troubles."""
        if not self.passed:
            said = ["You have not passed an exercise yet."]
        else:
            exercises = sum(len(numbers) for *_, numbers in self.lessons)
            lines = pluralized(sum(written_lines(one.code) for one in self.passed.values()), "line")
            passed = f"You have passed {len(self.passed)} of {exercises} exercises."
            said = [f"{passed} Your functions have {lines}."]
        usable = in_chat_model(self.passed.values())
        if usable:
            are = pluralized(len(usable), "function")
            said.append(f"The chat model of lesson 20 can use {are} of yours: {', '.join(usable)}.")
        following = self.next_exercise()
        if following:
            number, _, title = following
            said.append(f"Next: {number} in {title}.")
        return [*said, *self.troubles]

    def functions(self):
        """The names of the functions that passed."""
        return {EXERCISES[number].solution.__name__ for number in self.passed}

    def next_exercise(self):
        """(number, file name, title) of what to solve next; None if all is passed.

        First what is left in the lesson of the last pass, then in the main lessons after it, then in those
        before it, then in side lessons.
        """
        latest = max(self.passed.values(), key=lambda one: one.when, default=None)
        here = next(
            (i for i, (*_, numbers) in enumerate(self.lessons) if latest and latest.number in numbers), 0
        )

        def far(i):
            number = self.lessons[i][0]
            return i != here, not number.isdecimal(), i < here, i

        for i in sorted(range(len(self.lessons)), key=far):
            _, name, title, numbers = self.lessons[i]
            left = [number for number in numbers if number not in self.passed]
            if left:
                return left[0], name, title
        return None

    def in_order(self):
        """(number, Pass) of each passed exercise, in the order of the course."""
        numbers = [number for *_, numbers in self.lessons for number in numbers]
        return [(number, self.passed[number]) for number in numbers if number in self.passed]

    def figure(self):
        """A column for each lesson, a square for each exercise, filled if it is passed."""
        height = 34 + SQUARE * max(len(numbers) for *_, numbers in self.lessons)
        parts = []
        for i, (lesson, _, _, numbers) in enumerate(self.lessons):
            x = 14 + i * COLUMN
            parts.append(label(x + SQUARE / 2, 20, lesson, 10, fill=INK))
            for j, number in enumerate(numbers):
                done = number in self.passed
                look = (ACCENT, ACCENT) if done else (PAPER, FAINT)
                parts.append(box(x + 1, 27 + SQUARE * j, SQUARE - 3, SQUARE - 3, *look))
                mark = number.partition(".")[2]
                ink = PAPER if done else FAINT
                parts.append(label(x + (SQUARE - 1) / 2, 39 + SQUARE * j, mark, 10, fill=ink))
        passed = ", ".join(number for number, _ in self.in_order()) or "none"
        alt = f"The exercises of each lesson as a column of squares. Filled, because passed: {passed}."
        return Figure(20 + COLUMN * len(self.lessons), height, "".join(parts), alt, self.table())

    def table(self):
        """The lessons as lines: a passed exercise by its letter or number, the others as dots."""
        width = max(len(title) for _, _, title, _ in self.lessons)
        lines = []
        for _, _, title, numbers in self.lessons:
            marks = [number.partition(".")[2] if number in self.passed else "." for number in numbers]
            lines.append(f"{title.ljust(width)}  {' '.join(marks)}".rstrip())
        return "\n".join(lines)

    def __repr__(self):
        shown = [self.table(), ""] if self.passed else []
        return "\n".join([*shown, *self.sentences()])

    def _repr_html_(self):
        page = self.figure()._repr_html_() if self.passed else ""
        page += "".join(f"<p>{html.escape(sentence, quote=False)}</p>" for sentence in self.sentences())
        following = self.next_exercise()
        if following:
            _, name, title = following
            title = html.escape(title, quote=False)
            page = page.replace(f" in {title}.</p>", f' in <a href="{name}">{title}</a>.</p>', 1)
        return page + closed(Questions(), title="Where to begin: ten questions")._repr_html_()


def my_progress():
    """What you have passed, and where to go on."""
    passed, troubles = read_passes()
    paths = [NOTEBOOKS / name for name in brought_along()] or notebook_paths(NOTEBOOKS)
    return Overview(lesson_list(paths if passed else paths[:1], passed), passed, troubles)


def lesson_list(paths, passed=()):
    """(number, file name, title, numbers of its exercises) of each lesson.

    What is passed and has no stub there any more counts for the first lesson of its number.
    """
    found, known = [], brought_along()
    for path in paths:
        title, numbers = known.get(path.name) or title_and_numbers(path)
        found.append((path.name.partition("_")[0], path.name, title, list(numbers)))
    left = set(passed).difference(*(numbers for *_, numbers in found))
    for lesson, _, _, numbers in found:
        numbers += sorted(number for number in left if number.startswith(f"{lesson}."))
    return found


def title_and_numbers(path):
    """The title of a lesson, and the numbers of its exercises."""
    numbers = [number for source in cell_sources(path) for number in GRADED.findall(source)]
    return title_and_question(path)[0], list(dict.fromkeys(numbers))


def brought_along():
    """{file name: (title, numbers)} of all lessons in a browser tab, where each file read is a question to
    the page; elsewhere nothing."""
    with contextlib.suppress(OSError):
        return json.loads(pkgutil.get_data(__package__, BROUGHT))
    return {}


def stub_names(path):
    """{number: name of the function} of the exercises in a lesson as it is published."""
    graded = [cell for cell in cell_sources(path) if GRADED.search(cell)]
    return {GRADED.search(cell)[1]: GRADED_NAME.search(cell)[1] for cell in graded}


def written_lines(code):
    """How many lines the graded function of a cell has."""
    name = GRADED_NAME.search(code)
    return lines_of(code, name[1]) if name else 0


def in_chat_model(passed):
    """The names of the course's functions in a Llama whose place one of these passes can take."""
    called = {function.__name__ for function in all_called([llama_forward])}
    called.discard("linear")  # the chat model's matrices are packed, and it brings its own
    names = [found[1].removeprefix("my_") for one in passed if (found := GRADED_NAME.search(one.code))]
    return sorted({OTHER_NAMES.get(name, name) for name in names} & called)
