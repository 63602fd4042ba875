"""The ten questions: each cell prints its answer, and the lessons are in order."""

import contextlib
import io
import re

import pytest

import helpers
from helpers.course.lessons.placement import AFTER, QUESTIONS, Questions
from notebooks import LESSONS


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.lesson)
def test_the_cell_prints_the_answer(question):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(question.cell, {**vars(helpers), "math": __import__("math")})
    assert printed.getvalue() == question.answer + "\n"


def test_ten_questions_in_the_order_of_the_course():
    lessons = [question.lesson for question in QUESTIONS]
    assert len(lessons) == 10 and lessons == sorted(set(lessons)) and lessons[-1] < AFTER
    assert {*lessons, AFTER} <= {path.name.partition("_")[0] for path in LESSONS}


def test_in_a_notebook_each_answer_is_folded_and_links_to_its_lesson():
    page = Questions()._repr_html_()
    in_view = re.sub(r"(?s)<details>.*?</details>", "", page)
    assert page.count("<details>") == 10 and not [q for q in QUESTIONS if f"<code>{q.answer}" in in_view]
    links = re.findall(r'<a href="([\w.]+)">', page)
    names = {path.name.partition("_")[0]: path.name for path in LESSONS}
    assert links == [names[question.lesson] for question in QUESTIONS]


def test_in_a_terminal_the_answers_come_last():
    text = repr(Questions())
    assert all(line in text for question in QUESTIONS for line in question.cell.splitlines())
    assert text.index("The answers:") > text.index("adamw_step")
