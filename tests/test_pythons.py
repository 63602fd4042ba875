"""The same printed digits on every Python from 3.10 up that this machine has, without Jupyter.

In every run of the suite nbval steps through all cells on the Python of the tests, and another one opens
each lesson first that does not compute for long. All cells on all the others take minutes: they run with
--all.
"""

import json
import subprocess
import sys

import pytest
from conftest import ROOT
from course import LESSONS
from opened_first import is_long
from pythons import OPENER, STEPPERS, lines_from

pytestmark = pytest.mark.all_only


@pytest.mark.parametrize("version", STEPPERS)
def test_every_cell_shows_the_recorded_digits(version):
    assert lines_from(version, "cell_runner.py", *LESSONS) == []


@pytest.mark.parametrize("path", [*filter(is_long, LESSONS)], ids=lambda path: path.stem)
def test_a_long_lesson_opened_first_runs_on_its_own(path):
    assert lines_from(OPENER, "opened_first.py", path, "--whole")[0]["different"] == []


def test_one_other_digit_is_noticed(copy_of_course, tmp_path, monkeypatch):
    lesson = copy_of_course / "notebooks" / LESSONS[1].name
    text = lesson.read_text(encoding="utf-8")
    assert text.count("0.2336  0.1362  0.3698") == 1
    lesson.write_text(text.replace("0.2336  0.1362  0.3698", "0.2336  0.1363  0.3698"), encoding="utf-8")
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    command = [sys.executable, "-S", str(ROOT / "tests/cell_runner.py"), str(lesson)]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.stderr == "" and len(found) == 1
