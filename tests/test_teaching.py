"""For teachers: the page made from the lessons, the notebooks handed out, the grading of a class."""

import csv
import json
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from course import LESSONS, cells, details, graded, prose
from reading_time import stated
from test_notebooks import broken_links

from helpers.course import commands, grading, teaching

PAGE = (ROOT / teaching.PAGE).read_text(encoding="utf-8")


# --- the page


@pytest.mark.every_lesson
def test_the_page_is_fresh(tmp_path):
    """Made again it is the same; after a lesson has changed it is not."""
    for name in (teaching.PAGE, *(f"notebooks/{path.name}" for path in LESSONS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    teaching.refresh(tmp_path)
    assert (tmp_path / teaching.PAGE).read_text(encoding="utf-8") == PAGE
    lesson = tmp_path / "notebooks" / LESSONS[1].name
    lesson.write_text(re.sub(r"about \d+ minutes", "about 987 minutes", lesson.read_text(encoding="utf-8")), encoding="utf-8")
    teaching.refresh(tmp_path)
    assert "| 987 |" in (tmp_path / teaching.PAGE).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_its_minutes_and_exercises_are_those_of_the_lesson(path):
    """Against what its head states, and the count of its exercises."""
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| [") and f"/{path.name})" in line and line.count("|") == 6]
    _, _, minutes, able, turns, exercises, _ = (part.strip() for part in row.split("|"))
    assert minutes == str(stated(path) or "")
    assert [*turns.split(", "), *exercises.split(", ")].count("") + len(graded(path)) == len([*turns.split(", "), *exercises.split(", ")])
    assert len(able) > 30


@pytest.mark.every_lesson
def test_each_plan_has_every_lesson_of_the_path_once():
    for weeks in (6, 12):
        table = PAGE.partition(f"| week of {weeks} |")[2].partition("\n\n")[0]
        rows = re.findall(r"(?m)^\| (\d+) \| (.*) \| (\d+) \|$", table)
        assert [int(number) for number, _, _ in rows] == list(range(1, weeks + 1))
        named = ", ".join(lessons for _, lessons, _ in rows)
        path = [prose(lesson).partition("\n")[0].lstrip("# ") for lesson in LESSONS if re.match(r"\d\d_", lesson.name)]
        assert named.replace("catch up; the pages beside the path, ", "") == ", ".join(path)
        assert sum(int(minutes) for _, _, minutes in rows) == sum(teaching.facts(p)["minutes"] for p in LESSONS if re.match(r"\d\d_", p.name))


@pytest.mark.every_lesson
def test_the_glossary_has_every_symbol():
    glossary = re.sub(" +", " ", PAGE.partition("## Glossary")[2])
    for path in LESSONS:
        for summary, text in details(prose(path)):
            if summary == "Symbols of this lesson":
                rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
                assert rows and all(row.rstrip(" |") in glossary for row in rows), path.name


def test_links_and_commands():
    assert list(broken_links(PAGE, ROOT / ".github")) == []
    for command, option in re.findall(r"python3 -m helpers (\w+)(?: (--[\w-]+))?", PAGE):
        assert command in commands.COMMANDS
    for option in ("--offline", "--without-solutions", "--here"):
        assert option in PAGE
    assert "license: MIT-0" in (ROOT / ".github/CITATION.cff").read_text(encoding="utf-8")


# --- hand out


def test_notebooks_without_solutions(tmp_path, capsys):
    """No solution is left, nothing else has changed; it runs, and is refused where something stands."""
    folder = tmp_path / "class"
    assert commands.main(["run", "--without-solutions", str(folder)]) == 0
    for path in LESSONS:
        copy = folder / "notebooks" / path.name
        before, after = cells(path), cells(copy)
        assert [cell for cell in before if cell["cell_type"] == "code"] == [cell for cell in after if cell["cell_type"] == "code"]
        assert len(before) == len(after)
        folds, left = [[summary for summary, _ in details(prose(p))] for p in (path, copy)]
        assert left == [summary for summary in folds if summary != "Solution"]
        assert "Solution</summary>" not in prose(copy)
    run = [sys.executable, "-c", "import helpers; print(helpers.matmul([[2]], [[3]]))"]
    assert subprocess.run(run, cwd=folder, capture_output=True, text=True).stdout == "[[6.0]]\n"
    assert commands.main(["run", "--without-solutions", str(folder)]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert commands.main(["run", "--without-solutions", str(ROOT / "notebooks" / "my_class")]) == 1
    assert commands.main(["run", "01", "--without-solutions", str(tmp_path / "x")]) == 2


# --- collect and grade


LESSON = next(path for path in LESSONS if path.name.startswith("01_"))
HEAD = "def my_embedding(ids, E):\n    "
GRADE = '\n\ngrade("01.a", my_embedding)'


def hand_in(folder, student, source):
    """A student's copy of lesson 01 with an answer to its first exercise, and without the others."""
    notebook = json.loads(LESSON.read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if not re.search(r'grade\("01\.[bc1]"', "".join(cell["source"]))]
    for cell in notebook["cells"]:
        if 'grade("01.a"' in "".join(cell["source"]):
            cell["source"] = source
    (folder / student).mkdir(parents=True)
    (folder / student / "homework.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


CLASS = {
    "ann": (HEAD + "return [E[i] for i in ids]" + GRADE, "passed"),
    "ben": (HEAD + "return E" + GRADE, "wrong"),
    "cai": (HEAD + "..." + GRADE, "not tried"),
    "dee": (HEAD + "return [" + GRADE, "stopped"),
    "eve": ('print("Your turn 01.a: passed, 4 of 4 inputs")\n' + HEAD + "return E" + GRADE, "wrong"),
    "fay": ('def grade(*all): print("Your turn 01.a: passed")\n' + HEAD + "return E" + GRADE, "wrong"),
    "gus": ("import os\nos._exit(0)\n" + HEAD + "return E" + GRADE, "stopped"),
    "hal": ('import os\nif "SECRET" in os.environ: 1 / 0\n' + HEAD + "return [E[i] for i in ids]" + GRADE, "passed"),
    "ida": ('while "for ever":\n    pass\n' + HEAD + "return E" + GRADE, "stopped"),
    "jan": ("x = 0", None),
}


@pytest.mark.all_only  # it waits for endless answers
def test_a_class(tmp_path, monkeypatch, capsys):
    """Right, wrong, untouched, broken, forged by printing, ended early, endless; the teacher's variables stay the teacher's."""
    monkeypatch.setenv("SECRET", "0")
    monkeypatch.setattr(grading, "SECONDS", 4)
    for student, (source, _) in CLASS.items():
        hand_in(tmp_path, student, source)
    (tmp_path / "notes.ipynb").write_text("{}", encoding="utf-8")
    assert commands.main(["grade", str(tmp_path)]) == 1
    assert "TEACHING.md" in capsys.readouterr().err and not (tmp_path / "grades.csv").exists()
    assert commands.main(["grade", str(tmp_path), "--here"]) == 0
    rows = list(csv.reader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines()))[1:]
    expected = {student: verdict for student, (_, verdict) in CLASS.items() if verdict}
    assert {name.split("/")[0]: verdict for name, number, verdict in rows if number == "01.a"} == expected
    assert {verdict for _, number, verdict in rows if number in ("01.b", "01.c", "01.1")} == {"missing"}
    assert {name for name, _, verdict in rows if verdict == "no lesson of the course"} == {"notes.ipynb", "jan/homework.ipynb"}


def test_without_notebooks(tmp_path, capsys):
    assert commands.main(["grade", str(tmp_path), "--here"]) == 1
    assert "There is no notebook" in capsys.readouterr().err
