"""The README against the project: course map, picture, links, commands."""

import re
import shutil

import pytest
from conftest import ROOT
from course import LESSONS, prose
from test_notebooks import broken_links

from helpers.course import readme

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.every_lesson
def test_course_map_and_picture_are_fresh(tmp_path):
    """Refreshing a copy changes nothing; after a lesson's title has changed, it does."""
    for name in ("README.md", readme.PICTURE, *(f"notebooks/{path.name}" for path in LESSONS)):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    readme.refresh(tmp_path)
    for name in ("README.md", readme.PICTURE):
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes()
    lesson = tmp_path / "notebooks" / LESSONS[1].name
    lesson.write_text(lesson.read_text(encoding="utf-8").replace("# 01 ", "# 01 New "), encoding="utf-8")
    readme.refresh(tmp_path)
    assert "01 New " in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_map_survives_what_readers_leave(tmp_path):
    """A copy of a lesson, notes, an empty file; and a lesson whose first cell has gone."""
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    for path in LESSONS:
        shutil.copy(path, notebooks)
    expected = readme.lessons(ROOT)
    shutil.copy(LESSONS[3], notebooks / "03_attention-Copy1.ipynb")
    (notebooks / "12_notes.ipynb").write_text('{"cells": [{"cell_type": "code", "source": "print(1)"}]}', encoding="utf-8")
    (notebooks / "13_empty.ipynb").touch()
    (notebooks / "14_folder.ipynb").mkdir()
    assert readme.lessons(tmp_path) == expected
    for text in ("", "[]", '{"cells": []}', '{"cells": [{"source": "# Mine"}]}', '{"cells": 1}'):
        (notebooks / LESSONS[3].name).write_text(text, encoding="utf-8")
        assert readme.lessons(tmp_path)[3] == (LESSONS[3].name, LESSONS[3].stem, "")
        assert readme.lessons(tmp_path)[:3] == expected[:3]


@pytest.mark.every_lesson
def test_the_list_of_differences_is_that_of_lesson_00():
    lists = [re.search(r"(?s)<!-- differences.*?<!-- end of differences -->", t).group() for t in (TEXT, prose(LESSONS[0]))]
    assert lists[0] == lists[1] and lists[0].count("\n- ") >= 5


@pytest.mark.every_lesson
def test_links_and_picture_exist():
    assert list(broken_links(TEXT, ROOT)) == ["../../deployments/github-pages"]  # GitHub reads it from the repository's address
    contributing = ROOT / ".github/CONTRIBUTING.md"
    for name in re.findall(r"`((?:helpers|tests|notebooks)/[\w/.]+)`", TEXT + contributing.read_text(encoding="utf-8")):
        assert (ROOT / name).exists(), name


def test_commands_named_exist():
    named = set(re.findall(r"python3 -m helpers (\w+)", TEXT))
    source = (ROOT / "helpers/course/commands.py").read_text(encoding="utf-8")
    assert named >= {"open", "test", "show", "reset", "run", "grade", "site"}
    assert all(f'"{name}"' in source for name in named)
