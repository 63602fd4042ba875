"""For teachers: the generated parts of .github/TEACHING.md, and a copy of the course without solutions."""

import json
import re
import shutil
from pathlib import Path

from ..lessons.contents import cell_sources, title_and_question
from ..lessons.terms import in_alphabetical_order
from ..state.registry import notebook_paths
from .answers import page_text
from .environment import ROOT, Problem
from .readme import replace_section

PAGE = ".github/TEACHING.md"
FIRST_OF_PART = {"I": "00", "II": "12", "III": "17"}
PACES = (200, 100)  # minutes a week
TO_OPEN = """\
# Sixteen

With Python 3.10 or newer, in this folder:

    python3 -m helpers open     # on Windows: py -m helpers open

The first start installs Jupyter into the folder `.venv`. It takes a minute or two and needs the internet.
Then the first lesson opens in the browser. Work through its cells with Shift+Enter.
Save a lesson with Ctrl+S. The lessons are the files in the folder `notebooks`; hand in those.
"""
HANDED_OUT = ["helpers", "requirements.txt", "LICENSE", ".gitignore"]
SYMBOLS = re.compile(r"(?s)<summary>Symbols of this lesson</summary>\s*(.*?)</details>")
ROW = re.compile(r"(?m)^\| *(.*?) *\| *(.*?) *\| *(.*?) *\|$")
SOLUTION = re.compile(r"(?s)\n*<details><summary>Solution</summary>.*?</details>\n?")


def facts(path):
    """What the tables say of a lesson: title, minutes rounded to 5, objectives, graded tasks.

    A lesson that states no objectives is listed with its question, one that states no time without minutes.
    """
    prose, code = "\n".join(cell_sources(path, "markdown")), "\n".join(cell_sources(path))
    title, question = title_and_question(path)
    minutes = re.search(r"\*\*Time\*\*: about (\d+) minutes", prose)
    objectives = re.search(r"(?m)^\*\*You will be able to\*\* (.*)", prose)
    return {
        "name": path.name,
        "title": title,
        "minutes": 5 * round(int(minutes.group(1)) / 5) if minutes else 0,
        "objectives": objectives.group(1) if objectives else f'answer "{question}"',
        "graded": re.findall(r'(?m)^grade\("([\d.\w]+)", \w+\)', code),
        "optional": bool(re.match(r"\d\d[a-z]_", path.name)),
    }


def lesson_table(found):
    """One row for each lesson: minutes, objectives, and the numbers of its tasks and exercises."""
    lines = ["| lesson | minutes | afterwards your students can | your turn | exercises |"]
    lines.append("|---|--:|---|---|---|")
    for lesson in found:
        turns = ", ".join(number for number in lesson["graded"] if number[-1].isalpha())
        exercises = ", ".join(number for number in lesson["graded"] if number[-1].isdecimal())
        link = f"[{lesson['title']}](../notebooks/{lesson['name']})"
        cells = [link, str(lesson["minutes"] or ""), lesson["objectives"], turns, exercises]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append(f"| all | {sum(lesson['minutes'] for lesson in found):,} | | | |")
    return "\n".join(lines) + "\n"


def plan(found, pace):
    """The main lessons, each part of the course spread over weeks of about `pace` minutes."""
    lines = ["| week | part | lessons | minutes |", "|--:|--:|---|--:|"]
    number = 0
    for part, lessons in parts([lesson for lesson in found if not lesson["optional"]]).items():
        total = sum(lesson["minutes"] for lesson in lessons)
        for week in spread(lessons, max(1, round(total / pace))):
            number += 1
            names = ", ".join(lesson["title"] for lesson in week) or "catch up; side lessons"
            minutes = sum(lesson["minutes"] for lesson in week)
            lines.append(f"| {number} | {part} | {names} | {minutes} |")
    return "\n".join(lines) + "\n"


def minutes_a_week(table):
    """What a plan asks for: "90 to 150 minutes a week"."""
    minutes = [int(row.rsplit("|", 2)[1]) for row in table.splitlines()[2:]] or [0]
    return f"{min(minutes)} to {max(minutes)} minutes a week"


def parts(lessons):
    """The lessons of each part of the course that has any: {"I": lessons, ...}."""
    found = {}
    for lesson in lessons:
        part = next(part for part, first in reversed(FIRST_OF_PART.items()) if lesson["name"] >= first)
        found.setdefault(part, []).append(lesson)
    return found


def spread(lessons, weeks):
    """Lessons in order, distributed over weeks by their minutes."""
    total, spent, schedule = sum(lesson["minutes"] for lesson in lessons) or 1, 0, [[] for _ in range(weeks)]
    for lesson in lessons:
        middle = spent + lesson["minutes"] / 2
        schedule[min(weeks - 1, int(weeks * middle / total))].append(lesson)
        spent += lesson["minutes"]
    return schedule


def symbols(path):
    """{symbol: (shape, meaning)} from a lesson's folded tables, in order; a symbol's first row counts."""
    found = {}
    for table in SYMBOLS.findall("\n".join(cell_sources(path, "markdown"))):
        for symbol, shape, meaning in ROW.findall(table)[2:]:
            found.setdefault(symbol, (shape, meaning))
    return found


def term_table(root):
    """The terms of the course in alphabetical order, each with its definition and its lesson."""
    lines = ["| term | meaning | lesson |", "|---|---|---|"]
    for term, sentence, name in in_alphabetical_order(root):
        link = f"[{name.partition('_')[0]}](../notebooks/{name})"
        lines.append(f"| {term} | {sentence.replace('|', '&#124;')} | {link} |")
    return "\n".join(lines) + "\n"


def symbol_table(paths):
    """The symbols of all lessons, lesson by lesson."""
    lines = ["| lesson | symbol | shape, or name in Python | meaning |", "|---|---|---|---|"]
    for path in paths:
        link = f"[{path.name.partition('_')[0]}](../notebooks/{path.name})"
        for symbol, (shape, meaning) in symbols(path).items():
            lines.append(f"| {link} | {symbol} | {shape} | {meaning} |")
    return "\n".join(lines) + "\n"


def sections(root=ROOT):
    """{name: text} of the generated sections."""
    paths = notebook_paths(root / "notebooks")
    found = [facts(path) for path in paths]
    plans = "\n".join(f"{minutes_a_week(plan(found, pace))}:\n\n{plan(found, pace)}" for pace in PACES)
    return {
        "lessons": lesson_table(found),
        "plans": plans,
        "terms": term_table(root),
        "symbols": symbol_table(paths),
    }


def refresh_teaching(root=ROOT):
    """Write the generated sections into the page, if it is there: a copy for students has none."""
    page = root / PAGE
    if not page.is_file():
        return
    text = page.read_text(encoding="utf-8")
    for name, made in sections(root).items():
        text = replace_section(text, name, made)
    page.write_text(text, encoding="utf-8", newline="\n")


# --- notebooks to hand out


def hand_out(folder):
    """Copy the course for students: the notebooks without solutions, and the files needed to run them."""
    folder = Path(folder).resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Problem(f"{folder} is not empty: name a new folder.")
    if ROOT in (folder, *folder.parents):
        raise Problem(f"{folder} lies in the project: name a folder outside it.")
    (folder / "notebooks").mkdir(parents=True)
    notebooks = ROOT / "notebooks"
    for path in notebook_paths(notebooks):
        notebook, count = without_solutions(json.loads(path.read_text(encoding="utf-8")))
        (folder / "notebooks" / path.name).write_text(page_text(notebook), encoding="utf-8", newline="\n")
        print(f"{path.name}: {count} solutions left out")
    for path in [*notebooks.glob("*.txt"), notebooks / "AGENTS.md", notebooks / "stories.safetensors"]:
        shutil.copy(path, folder / "notebooks")
    for name in HANDED_OUT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    (folder / "README.md").write_text(TO_OPEN, encoding="utf-8", newline="\n")
    print(
        f"{folder} is ready, and README.md in it says how to open it. Each lesson still shows the course's "
        "version of a function after its task."
    )


def without_solutions(notebook):
    """The notebook without its folded solutions, and how many it had."""
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text, found = SOLUTION.subn("\n", "".join(cell["source"]))
            if found:
                cell["source"], count = text.strip("\n").splitlines(keepends=True), count + found
    return notebook, count
