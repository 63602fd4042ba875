"""For teachers: the page .github/TEACHING.md, made from the lessons, and notebooks without solutions to hand out."""

import json
import re
import shutil
from pathlib import Path

from .environment import ROOT, Problem
from .lessons import notebook_paths

PAGE = ".github/TEACHING.md"
MADE = "<!-- {}: made by python3 -m helpers run -->\n"
END = "<!-- end of {} -->"
HANDED_OUT = ["helpers", "requirements.txt", "LICENSE", ".gitignore"]
SOLUTION = re.compile(r"(?s)\n*<details><summary>Solution</summary>.*?</details>\n?")


def texts(path, kind="markdown"):
    """The source of each cell of one kind; none where a reader has left no notebook."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]
    except (ValueError, LookupError, TypeError):
        return []


def facts(path):
    """What a teacher asks of a lesson: title, minutes, what the reader will be able to do, what is graded."""
    prose, code = "\n".join(texts(path)), "\n".join(texts(path, "code"))
    title = re.search(r"(?m)^# (.*)", prose)
    minutes = re.search(r"\*\*Time\*\*: about (\d+) minutes", prose)
    able = re.search(r"(?m)^\*\*You will be able to\*\* (.*)", prose)
    return {
        "name": path.name,
        "title": title.group(1) if title else path.stem,
        "minutes": int(minutes.group(1)) if minutes else 0,
        "able": able.group(1) if able else "see the whole network work, and find your way in the course.",
        "graded": re.findall(r'(?m)^grade\("([\d.\w]+)", \w+\)', code),
        "optional": bool(re.match(r"\d\d[a-z]_", path.name)),
    }


def lesson_table(found):
    lines = ["| lesson | minutes | afterwards your students can | in the text | exercises |", "|---|--:|---|---|---|"]
    for lesson in found:
        turns = ", ".join(number for number in lesson["graded"] if number[-1].isalpha())
        exercises = ", ".join(number for number in lesson["graded"] if number[-1].isdecimal())
        link = f"[{lesson['title']}](../notebooks/{lesson['name']})"
        lines.append(f"| {link} | {lesson['minutes'] or ''} | {lesson['able']} | {turns} | {exercises} |")
    lines.append(f"| all | {sum(lesson['minutes'] for lesson in found):,} | | | |")
    return "\n".join(lines) + "\n"


def plan(found, weeks):
    """The lessons in order, cut where each week has its share of the minutes; those beside the path are left to volunteers."""
    path = [lesson for lesson in found if not lesson["optional"]]
    whole, spent, cut = sum(lesson["minutes"] for lesson in path) or 1, 0, [[] for _ in range(weeks)]
    for lesson in path:
        middle = spent + lesson["minutes"] / 2
        cut[min(weeks - 1, int(weeks * middle / whole))].append(lesson)
        spent += lesson["minutes"]
    lines = [f"| week of {weeks} | lessons | minutes |", "|--:|---|--:|"]
    for number, week in enumerate(cut, 1):
        names = ", ".join(lesson["title"] for lesson in week) or "catch up; the pages beside the path"
        lines.append(f"| {number} | {names} | {sum(lesson['minutes'] for lesson in week)} |")
    return "\n".join(lines) + "\n"


def glossary(paths):
    """Every symbol that a lesson's table explains, in alphabetical order, with its lesson."""
    rows = {}
    for path in paths:
        for table in re.findall(r"(?s)<summary>Symbols of this lesson</summary>\s*(.*?)</details>", "\n".join(texts(path))):
            for row in re.findall(r"(?m)^\| *(.*?) *\| *(.*?) *\| *(.*?) *\|$", table)[2:]:
                rows.setdefault(row, path)
    lines = ["| symbol | shape, or name in Python | meaning | lesson |", "|---|---|---|---|"]
    for (symbol, shape, meaning), path in sorted(rows.items(), key=lambda row: (row[0][0].strip("`").lower(), row[1].name)):
        number = path.name.partition("_")[0]
        lines.append(f"| {symbol} | {shape} | {meaning} | [{number}](../notebooks/{path.name}) |")
    return "\n".join(lines) + "\n"


def sections(root=ROOT):
    """{name: text} of what is made from the lessons."""
    paths = notebook_paths(root / "notebooks")
    found = [facts(path) for path in paths]
    plans = "\n".join(plan(found, weeks) for weeks in (6, 12))
    return {"lessons": lesson_table(found), "plans": plans, "glossary": glossary(paths)}


def refresh(root=ROOT):
    """Write the lessons' own figures and words into the page, where it is: a copy that was handed out has none."""
    page = root / PAGE
    if not page.is_file():
        return
    text = page.read_text(encoding="utf-8")
    for name, made in sections(root).items():
        before, start, rest = text.partition(MADE.format(name))
        _, end, after = rest.partition(END.format(name))
        if not end:
            raise ValueError(f"{PAGE} has lost the lines around what is made of {name}; put them back")
        text = before + start + made + end + after
    page.write_text(text, encoding="utf-8", newline="\n")


# --- notebooks to hand out


def hand_out(folder):
    """A copy of the course whose notebooks have no folded solutions: what it takes to learn with, and no more."""
    folder = Path(folder).resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Problem(f"{folder} is not empty: name a new folder.")
    if ROOT in (folder, *folder.parents):
        raise Problem(f"{folder} lies in the project: name a folder outside it.")
    (folder / "notebooks").mkdir(parents=True)
    for path in notebook_paths(ROOT / "notebooks"):
        notebook, count = without_solutions(json.loads(path.read_text(encoding="utf-8")))
        text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True, separators=(",", ": ")) + "\n"
        (folder / "notebooks" / path.name).write_text(text, encoding="utf-8", newline="\n")
        print(f"{path.name}: {count} solutions left out")
    for path in (ROOT / "notebooks").glob("*.txt"):
        shutil.copy(path, folder / "notebooks")
    for name in HANDED_OUT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    print(f"{folder} is ready. The lessons still show the course's version of each function in the cell after it is asked for.")


def without_solutions(notebook):
    """The notebook without the folds named Solution, and how many there were."""
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text, found = SOLUTION.subn("\n", "".join(cell["source"]))
            if found:
                cell["source"], count = text.strip("\n").splitlines(keepends=True), count + found
    return notebook, count
