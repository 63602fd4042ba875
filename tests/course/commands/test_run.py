"""`run`: what it records, in which order, and what stays when a cell or a disk fails."""

import json

import nbformat
import pytest
from projects import FIND_HELPERS, LESSON_0, LESSON_1, code_cells, helpers, ready, write_lesson

from helpers.course import commands
from helpers.course.commands import environment
from helpers.course.commands import run as running
from helpers.course.state import files

PRINTS = 'import sys\nfor text in ["one", " and two\\n", "\u00d7 3\\n"]:\n    print(text, end="", flush=True)'


@pytest.fixture
def project(tmp_path):
    return ready(tmp_path)


def test_run_records_a_lesson_as_jupyterlab_would(project):
    timing = {"execution": {"iopub.status.busy": "2020-01-01T00:00:00"}, "tags": ["kept"]}
    sources = [PRINTS, 'print("before"); display(4); print("after")', "6 * 7", ""]
    path = write_lesson(project, LESSON_0, *sources, metadata=timing)
    (project / "nbconvert.py").write_text("raise SystemExit('the wrong one')", encoding="utf-8")
    done = helpers(project, "run")
    assert (done.returncode, done.stderr) == (0, "")
    cells = code_cells(path)
    printed = {"name": "stdout", "output_type": "stream", "text": ["one and two\n", "\u00d7 3\n"]}
    assert cells[0]["outputs"] == [printed]
    assert [output["output_type"] for output in cells[1]["outputs"]] == ["stream", "display_data", "stream"]
    assert cells[2]["outputs"][0]["data"] == {"text/plain": ["42"]}
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, None]
    assert all(cell["metadata"] == {"tags": ["kept"]} for cell in cells)
    text = path.read_bytes().decode("utf-8")
    assert json.loads(text)["metadata"]["kernelspec"] == running.KERNEL
    assert text == nbformat.writes(nbformat.reads(text, as_version=4)) + "\n"  # what JupyterLab saves
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert "| [00 A title](notebooks/00_start_here.ipynb) | What is asked? |" in readme


def test_what_is_printed_to_two_streams_stays_two_outputs():
    """And what is printed in one go is one, as the lesson above shows."""
    outputs = [{"name": name, "output_type": "stream", "text": ["a"]} for name in ("stdout", "stderr")]
    assert running.merge_streams(outputs) == outputs


def test_run_alone_finds_what_the_lesson_before_would_have_left(project):
    write_lesson(project, LESSON_0, "1 / 0")
    load_state = FIND_HELPERS + f'from helpers import load_state\nload_state("{LESSON_0}")["tokens"]'
    path = write_lesson(project, LESSON_1, load_state)
    done = helpers(project, "run", "1")
    assert done.returncode == 0, done.stderr
    line, output = code_cells(path)[0]["outputs"]
    assert LESSON_0 in line["text"][0] and output["data"] == {"text/plain": ["[1, 3, 4, 5, 2]"]}
    assert not (project / "notebooks" / "state").exists()


@pytest.mark.all_only
def test_a_cell_that_raises_leaves_the_lesson_as_it_was(project):
    path = write_lesson(project, LESSON_1, '"fine"', 'raise ValueError("seven")', "1 / 0")
    before, files = path.read_bytes(), set(path.parent.iterdir())
    done = helpers(project, "run", LESSON_1)
    assert done.returncode == 1 and f"{LESSON_1}, code cell 2 raises ValueError: seven" in done.stderr
    assert path.read_bytes() == before and set(path.parent.iterdir()) == files


@pytest.fixture
def written(monkeypatch):
    """What would be written when every lesson is executed at once: [(lesson, notebook)]."""
    found = []
    monkeypatch.setenv("SIXTEEN_STATE", "")  # run sets it; put back at the end
    monkeypatch.setattr(running, "prepare", lambda: "python")
    monkeypatch.setattr(running, "execute", lambda python, lesson, folder: {"cells": []})
    monkeypatch.setattr(running, "write_notebook", lambda *given: found.append(given))
    monkeypatch.setattr(running, "refresh_readme", lambda root: None)
    monkeypatch.setattr(running.teaching, "refresh_teaching", lambda root: None)
    return found


def test_lessons_run_in_the_order_of_the_course(written):
    assert commands.main(["run", "02", "0", "1", "01"]) == 0
    assert [lesson[:2] for lesson, _ in written] == ["00", "01", "02"]


def test_run_writes_the_solution_below_the_cell_that_grades_it(written, monkeypatch):
    fold = "<details><summary>Solution</summary>\n\n```python\n{}```\n</details>"
    task = {"cell_type": "code", "source": ['grade("00.a", my_loss)']}
    old = {"cell_type": "markdown", "source": [fold.format("an older solution\n")]}
    monkeypatch.setattr(running, "execute", lambda *_: {"cells": [task, old]})
    assert commands.main(["run", "00"]) == 0
    [(_, notebook)] = written
    solution = "def my_loss(p):\n    return -math.log(p)\n"
    assert "".join(notebook["cells"][1]["source"]) == fold.format(solution)


def denied(*_):
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    "replace, error", [(denied, environment.Problem), (lambda *_: 1 / 0, ZeroDivisionError)]
)
def test_what_fails_while_writing_leaves_the_old_lesson(tmp_path, monkeypatch, replace, error):
    monkeypatch.setattr(running, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(files, "replace", replace)
    (tmp_path / "03_attention.ipynb").write_text("old", encoding="utf-8")
    with pytest.raises(error, match="03_attention.ipynb|zero"):
        running.write_notebook("03_attention", {"metadata": {}, "cells": []})
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["old"]
