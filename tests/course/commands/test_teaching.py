"""For teachers: the generated tables of the page, and the notebooks handed out."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from reading_time import stated

from helpers.course import commands
from helpers.course.commands import teaching
from notebooks import LESSONS, ROOT, cells, details, graded, prose

PAGE = (ROOT / teaching.PAGE).read_text(encoding="utf-8")


# --- the page


def rows(section):
    """The rows of the tables in a generated section, each as a list of its cells; without headers."""
    text = PAGE.partition(f"<!-- {section}: ")[2].partition(f"<!-- end of {section} -->")[0]
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    found = [[cell.strip() for cell in line] for line in lines]
    return [line for line in found if line[0] not in ("lesson", "week")]


@pytest.mark.every_lesson
def test_the_page_is_fresh(tmp_path):
    """Refreshing a copy changes nothing. After a change of a lesson's minutes, it changes the table."""
    for name in (teaching.PAGE, *(f"notebooks/{path.name}" for path in LESSONS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    teaching.refresh_teaching(tmp_path)
    fresh = (tmp_path / teaching.PAGE).read_text(encoding="utf-8") == PAGE
    assert fresh, f"{teaching.PAGE} is not what the lessons say: `python3 -m helpers run 00` updates it"
    lesson = tmp_path / "notebooks" / LESSONS[1].name
    text = re.sub(r"about \d+ minutes", "about 123 minutes", lesson.read_text(encoding="utf-8"))
    lesson.write_text(text, encoding="utf-8")
    teaching.refresh_teaching(tmp_path)
    assert "| 125 |" in (tmp_path / teaching.PAGE).read_text(encoding="utf-8")


def test_a_lesson_that_states_no_objectives_and_no_time_is_listed(tmp_path):
    lesson = tmp_path / "05b_small.ipynb"
    cell = {"cell_type": "markdown", "source": "# 05b Small\n\nWhy is it small? It is new."}
    lesson.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    found = teaching.facts(lesson)
    assert [found[name] for name in ("title", "minutes", "graded", "optional")] == ["05b Small", 0, [], True]
    assert "Why is it small?" in found["objectives"]
    assert "05b Small" in teaching.lesson_table([found]) and teaching.plan([found], 100).count("\n") == 2


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_its_minutes_and_exercises_are_those_of_the_lesson(path):
    """Against the notebook as the tests read it."""
    (line,) = [line for line in PAGE.splitlines() if f"/{path.name})" in line and line.count("|") == 6]
    _, _, minutes, objectives, turns, exercises, _ = (part.strip() for part in line.split("|"))
    assert int(minutes or 0) % 5 == 0 and abs(int(minutes or 0) - (stated(path) or 0)) <= 2
    numbers = [number for number, _, _ in graded(path)]
    assert re.findall(r"\d+\.\w+", f"{turns} {exercises}") == sorted(numbers, key=lambda n: n[-1].isdecimal())
    assert len(objectives) > 30


@pytest.mark.every_lesson
def test_each_plan_has_every_lesson_of_the_path_once():
    main = [lesson for lesson in LESSONS if re.match(r"\d\d_", lesson.name)]
    titles = [prose(lesson).partition("\n")[0].lstrip("# ") for lesson in main]
    weeks = rows("plans")
    starts = [i for i, row in enumerate(weeks) if row[0] == "1"]
    assert len(starts) == 2
    for plan in (weeks[: starts[1]], weeks[starts[1] :]):
        assert [int(row[0]) for row in plan] == [*range(1, len(plan) + 1)]
        named = [lessons for *_, lessons, _ in plan if lessons != "catch up; side lessons"]
        assert ", ".join(named) == ", ".join(titles)
        minutes = [teaching.facts(lesson)["minutes"] for lesson in main]
        assert sum(int(row[-1]) for row in plan) == sum(minutes)
        page = (ROOT / teaching.PAGE).read_text(encoding="utf-8")
        asked = sorted(int(row[-1]) for row in plan)
        assert f"\n{asked[0]} to {asked[-1]} minutes a week:\n" in page
        first = {part: lessons[:2] for _, part, lessons, _ in reversed(plan)}
        assert first == {"I": "00", "II": "12", "III": "17"}


@pytest.mark.every_lesson
def test_the_page_has_every_symbol_once_in_each_lesson():
    """Lesson by lesson, in the order of the lesson's own tables."""
    expected = []
    for path in LESSONS:
        tables = [text for summary, text in details(prose(path)) if summary == "Symbols of this lesson"]
        lines = [line for text in tables for line in text.splitlines() if line.startswith("| ")]
        symbols = dict.fromkeys(line.split("|")[1].strip() for line in lines)
        link = f"[{path.name.partition('_')[0]}](../notebooks/{path.name})"
        expected += [(link, symbol) for symbol in symbols if symbol != "symbol"]
    assert len(expected) > 80
    assert [tuple(row[:2]) for row in rows("symbols")] == expected


def test_a_page_without_its_marks_is_refused(tmp_path):
    (tmp_path / ".github").mkdir()
    (tmp_path / teaching.PAGE).write_text("My own page.", encoding="utf-8")
    with pytest.raises(ValueError, match="has lost the line"):
        teaching.refresh_teaching(tmp_path)


def test_the_licence_is_the_same_in_the_citation():
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT No Attribution")
    assert "license: MIT-0" in (ROOT / ".github/CITATION.cff").read_text(encoding="utf-8")


# --- hand out


def test_notebooks_without_solutions(tmp_path, capsys):
    """No solution is left, and nothing else has changed. The copy runs. A folder with files is refused."""
    folder = tmp_path / "class"
    assert commands.main(["run", "--without-solutions", str(folder)]) == 0
    for path in LESSONS:
        copy = folder / "notebooks" / path.name
        assert cells(path, "code") == cells(copy, "code")
        assert len(cells(path)) == len(cells(copy))
        folds, left = [[summary for summary, _ in details(prose(p))] for p in (path, copy)]
        assert left == [summary for summary in folds if summary != "Solution"]
        assert "Solution</summary>" not in prose(copy)
    assert all((folder / "notebooks" / name).exists() for name in ("AGENTS.md", "stories.safetensors"))
    assert "python3 -m helpers open" in (folder / "README.md").read_text(encoding="utf-8")
    run = [sys.executable, "-c", "import helpers; print(helpers.matmul([[2]], [[3]]))"]
    assert subprocess.run(run, cwd=folder, capture_output=True, text=True).stdout == "[[6.0]]\n"
    assert commands.main(["run", "--without-solutions", str(folder)]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert commands.main(["run", "--without-solutions", str(ROOT / "notebooks" / "my_class")]) == 1
    assert commands.main(["run", "01", "--without-solutions", str(tmp_path / "x")]) == 2
