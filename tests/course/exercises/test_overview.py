"""What a reader has done, counted by hand for an invented course and for the real one."""

import subprocess
import sys

import pytest

from helpers.course.exercises import EXERCISES, my_progress
from helpers.course.exercises import overview as overviews
from helpers.course.exercises.overview import Overview
from helpers.course.exercises.passed import Pass, note_pass
from helpers.course.exercises.yours import run_tiny_llama
from notebooks import LESSONS, ROOT, graded

COURSE = [
    ("00", "00_start.ipynb", "00 Start", ["00.a"]),
    ("01", "01_x.ipynb", "01 Tables & rows", ["01.a", "01.b", "01.1"]),
    ("01b", "01b_y.ipynb", "01b Beside", ["01.c"]),
    ("02", "02_z.ipynb", "02 End", ["02.a"]),
]
CODE = '''\
def helper():
    return 0

def my_softmax(x):
    """One line."""

    # a comment
    return x


grade("{}", my_softmax)
'''


def course(*numbers, troubles=()):
    """The invented course, of which these exercises were passed in this order."""
    passed = {n: Pass(n, f"2026-01-01 00:00:{i:02}", CODE.format(n)) for i, n in enumerate(numbers)}
    return Overview(COURSE, passed, troubles)


NEXT = {
    (): "00.a in 00 Start",
    ("00.a",): "01.a in 01 Tables & rows",
    ("00.a", "01.b"): "01.a in 01 Tables & rows",
    ("01.a", "01.b", "01.1"): "02.a in 02 End",
    ("01.c",): "02.a in 02 End",
    ("02.a", "00.a", "01.a"): "01.b in 01 Tables & rows",
    ("01.a", "02.a"): "00.a in 00 Start",
    ("00.a", "01.a", "01.b", "01.1", "02.a"): "01.c in 01b Beside",
}


@pytest.mark.parametrize("numbers", NEXT)
def test_the_next_step_is_after_the_last_pass_then_before_it_then_beside_the_path(numbers):
    assert f"Next: {NEXT[numbers]}." in course(*numbers).sentences()


def test_what_is_said_with_nothing_and_with_everything_passed():
    assert repr(course()) == "You have not passed an exercise yet.\nNext: 00.a in 00 Start."
    everything = [number for *_, numbers in COURSE for number in numbers]
    assert course(*everything).sentences() == [
        "You have passed 6 of 6 exercises. Your functions have 12 lines.",  # two of my_softmax count
        "The chat model of lesson 20 can use 1 function of yours: softmax.",
    ]


def test_the_terminal_and_the_notebook_show_the_same():
    shown = course("00.a", "01.b", troubles=["<b> & more."])
    assert repr(shown).splitlines()[:4] == [
        "00 Start          a",
        "01 Tables & rows  . b .",
        "01b Beside        .",
        "02 End            .",
    ]
    page = shown._repr_html_()
    assert 'Next: 01.a in <a href="01_x.ipynb">01 Tables &amp; rows</a>.' in page
    assert "&lt;b&gt; &amp; more." in page and "Filled, because passed: 00.a, 01.b." in page
    assert shown.figure().svg().count("<rect") == 1 + 6 and "Course" not in page


@pytest.mark.parametrize("code", ["", "no Python (", "grade('01.a', my_x)", "def my_x(): pass", "\0"])
def test_any_code_can_be_counted(code):
    assert overviews.written_lines(code) == 0 and overviews.in_chat_model([Pass("01.a", "", code)]) == []


def test_a_signature_of_several_lines_is_one_function():
    code = "def my_x(\n    a,\n):\n    return a\nprint(1)\ngrade('01.a', my_x)"
    assert overviews.written_lines(code) == 4


def test_the_chat_model_can_use_what_it_calls():
    """Each solution of which this is said runs in a small Llama; lesson 20's other side says so."""
    passes = {n: Pass(n, "", f'grade("{n}", {e.solution.__name__})') for n, e in EXERCISES.items()}
    said = {n for n, one in passes.items() if overviews.in_chat_model([one])}
    assert {"03.b", "03.c", "18.a", "18.c"} <= said and not {"01.b", "02.a", "05.a", "12.a"} & said
    for number in said:
        (name,) = overviews.in_chat_model([passes[number]])
        run_tiny_llama(name, EXERCISES[number].solution)


@pytest.mark.every_lesson
def test_the_real_course(monkeypatch, tmp_path):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    assert [(name, numbers) for _, name, _, numbers in overviews.lesson_list(LESSONS)] == [
        (path.name, [number for number, *_ in graded(path)]) for path in LESSONS
    ]
    assert "not passed an exercise yet.\nNext: 00.a in 00 " in repr(my_progress())
    note_pass("03.b", EXERCISES["03.b"].solution)  # the course's own is no pass
    assert my_progress().passed == {}


def test_a_pass_whose_stub_is_gone_still_counts(tmp_path):
    """Because the reader has deleted the cell, or damaged the notebook, or because of a newer edition."""
    paths = [tmp_path / LESSONS[1].name, tmp_path / LESSONS[2].name]
    paths[0].write_text('{"cells": []}', "utf-8")
    paths[1].write_text("no JSON", "utf-8")
    assert overviews.lesson_list(paths, ["01.a", "02.9", "02.a", "07.a"]) == [
        ("01", LESSONS[1].name, LESSONS[1].stem, ["01.a"]),
        ("02", LESSONS[2].name, LESSONS[2].stem, ["02.9", "02.a"]),
    ]


def test_with_nothing_passed_the_exercises_of_later_lessons_are_not_looked_for():
    """Lesson 00 runs this in a browser tab, where each notebook that is read takes a while."""
    script = "import sys; from helpers.course.exercises import my_progress; my_progress()._repr_html_();"
    script += "print([name for name in sys.modules if '.lesson_' in name or '.smollm2' in name])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
