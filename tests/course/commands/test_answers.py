"""Where a reader's answers go in a newer edition: one table of cases, for Python and for the browser tab."""

import json
from pathlib import Path

import pytest

from helpers.course.commands import answers
from notebooks import LESSONS, ROOT

CASES = json.loads(Path(__file__).with_name("moving.json").read_text(encoding="utf-8"))
TAB = ROOT / "helpers/course/commands/site/tab"


def page(sources):
    return {"cells": [{"cell_type": "code", "source": source, "outputs": ["old"]} for source in sources]}


def codes(pages):
    return {lesson: ["".join(cell["source"]) for cell in page["cells"]] for lesson, page in pages.items()}


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_answers_find_their_places(case, monkeypatch):
    monkeypatch.setattr(answers, "RENAMED", case["renamed"])
    pages = {lesson: page(sources) for lesson, sources in case["pages"].items()}
    found = [answer for lesson, sources in case["old"] for answer in answers.answers(page(sources), lesson)]
    moved = answers.move(found, pages)
    assert codes(pages) == case["after"]
    assert [[answer.number, answer.name] for answer, place in moved if not place] == case["left"]
    for lesson, sources in case["pages"].items():
        for cell, before in zip(pages[lesson]["cells"], sources, strict=True):
            assert cell["outputs"] == (["old"] if "".join(cell["source"]) == before else [])


def test_every_exercise_of_the_course_is_a_stub():
    """In every lesson: what is taken for an answer later is what a reader wrote."""
    pages = {path.stem: answers.read_page(path.read_bytes()) for path in LESSONS}
    found = [exercise for exercise in answers.exercises(pages)]
    assert len(found) > 100
    written = [
        exercise.number for exercise in found if not answers.is_unwritten("".join(exercise.cell["source"]))
    ]
    assert written == []


def test_names_of_the_table_of_renamed_exercises_exist_today():
    pages = {path.stem: answers.read_page(path.read_bytes()) for path in LESSONS}
    today = {exercise.name for exercise in answers.exercises(pages)}
    assert {name for names in answers.RENAMED.values() for name in names} <= today
    assert not today & answers.RENAMED.keys()


@pytest.mark.parametrize("data", [b"", b"<<<<<<< HEAD", b"[]", b'{"cells": [1]}', b'{"cells": []}', b"\xff"])
def test_what_is_no_notebook(data):
    assert answers.read_page(data) is None
