"""`helpers progress`: what is passed, the ten questions, the page for a teacher; `reset --progress`."""

import csv
import io
import os
import subprocess
import sys

import pytest

from helpers.course import commands
from helpers.course.commands import grade_class, progress
from helpers.course.exercises import EXERCISES, passed
from helpers.course.lessons.placement import QUESTIONS
from notebooks import ROOT

DOT = 'def my_dot(u, v):\n    """</pre><b> & "quotes" &lt;"""\n    return sum(a * b for a, b in zip(u, v))\n'
CODES = {
    "01.b": DOT + '\ngrade("01.b", my_dot)\n',
    "03.b": 'def my_softmax(row):\n    return row\n\ngrade("03.b", my_softmax)\n',  # not right any more
}


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def solved(state):
    (state / "passed").mkdir(parents=True)
    for number, code in CODES.items():
        head = f"# {number} passed on 2026-01-02 03:04:05 UTC\n"
        name = EXERCISES[number].solution.__name__
        (state / "passed" / f"{number}.{name}.py").write_text(head + code, "utf-8")


def run(capsys, *arguments):
    code = commands.main(["progress", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_beginner_is_told_where_to_begin(capsys):
    code, out, _ = run(capsys)
    assert code == 0 and "not passed an exercise yet" in out
    assert "-m helpers open 00\n" in out and "-m helpers progress --where\n" in out


def test_a_reader_sees_what_is_passed_and_the_next_step(solved, state, capsys):
    (state / "passed" / "01.a.my_embedding.py").write_bytes(b"\xff")
    code, out, _ = run(capsys)
    assert code == 0 and f"passed 2 of {len(EXERCISES)} exercises. Your functions have 4 lines.\n" in out
    assert "can use 1 function of yours: softmax.\n" in out and "-m helpers open 01\n" in out
    assert out.count("01.a.my_embedding.py cannot be used") == 1 and "--where" not in out


# --- where to begin


def answer(monkeypatch, capsys, *answers):
    """What the questions lead to after these answers; then the input ends."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{text}\n" for text in answers)))
    code, out, _ = run(capsys, "--where")
    assert code == 0
    return out


RIGHT = [question.answer for question in QUESTIONS]


def test_right_answers_lead_to_part_two(monkeypatch, capsys):
    out = answer(monkeypatch, capsys, *RIGHT)
    assert out.count("Right.") == 10 and "begin with lesson 12" in out and "open 12\n" in out


def test_the_first_of_two_wrong_answers_is_where_to_begin(monkeypatch, capsys):
    out = answer(monkeypatch, capsys, *RIGHT[:3], "[[2], [4]]", RIGHT[4], "", *RIGHT[6:])
    assert "Begin with lesson 03.\n" in out and "open 03\n" in out and "7 of 10" not in out
    assert "It prints [[2.0], [3.0]]. All scores are 0" in out


def test_one_wrong_answer_is_a_gap(monkeypatch, capsys):
    out = answer(monkeypatch, capsys, *RIGHT[:6], "5", *RIGHT[7:])
    assert "One answer was wrong: read lesson 07, then begin with lesson 12.\n" in out and "open 07\n" in out


@pytest.mark.parametrize(
    "text", ["one", "[1, 2", "exit()", "[" * 500, "9" * 10_000, "\x00", "{[]: 1}", "1+1j*"]
)
def test_an_answer_that_does_not_parse_is_asked_for_again(text, monkeypatch, capsys):
    out = answer(monkeypatch, capsys, text, *RIGHT)
    assert out.count("no number or list") == 1 and out.count("Right.") == 10


def test_other_ways_of_writing_an_answer_are_right_and_no_input_is_no_answer(monkeypatch, capsys):
    out = answer(monkeypatch, capsys, "(4,6)", " [[13, 16.0]] ", "[[True, 2, 3]]")
    assert out.count("Right.") == 2 and "Begin with lesson 02." in out


# --- the page


def test_the_page_holds_the_code_as_it_is(solved, tmp_path, capsys):
    path = tmp_path / "ada.html"
    for _ in range(2):  # the second replaces the first
        code, out, _ = run(capsys, "--html", str(path))
        assert code == 0 and "holds the functions that passed 2 exercises" in out
    text = path.read_text("utf-8")
    assert progress.answers_of_page(text) == list(CODES.values())
    assert "<b>" not in text and text.count("</pre>") == 2 and "2026-01-02" in text
    assert [name for name in os.listdir(tmp_path) if name != "state"] == ["ada.html"]


def test_what_is_no_page_is_read_as_nothing():
    assert progress.answers_of_page("<pre id='x'>y</pre>") == []
    assert progress.answers_of_page(progress.MARK + '<pre id="01.a">' * 3) == ["", "", ""]
    assert progress.answers_of_page(" " * 1000 + progress.MARK + '<pre id="01.a">x</pre>') == []


REFUSED = {
    "ada.txt": "ends in .html",
    "other.html": "something else, and stays",
    "file/ada.html": "cannot be written",
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_other_file_is_touched(name, solved, tmp_path, capsys):
    for other in ("other.html", "file"):
        (tmp_path / other).write_text("<p>mine", "utf-8")
    code, out, err = run(capsys, "--html", str(tmp_path / name))
    assert code in (1, 2) and out == "" and REFUSED[name] in err and len(err.splitlines()) == 1
    assert (tmp_path / "other.html").read_text("utf-8") == (tmp_path / "file").read_text("utf-8") == "<p>mine"


def test_without_a_pass_there_is_no_page(tmp_path, capsys):
    code, _, err = run(capsys, "--html", str(tmp_path / "ada.html"))
    assert code == 1 and "no page" in err and os.listdir(tmp_path) == []


def test_class_grading_judges_the_page_again(solved, tmp_path, capsys):
    """Lesson by lesson, beside notebooks; pages of others do not count."""
    folder = tmp_path / "class"
    folder.mkdir()
    run(capsys, "--html", str(folder / "ada.html"))
    (folder / "other.html").write_text("<pre id='01.b'>grade('01.b', 1)", "utf-8")
    (folder / "bytes.html").write_bytes(b"\xff\xff")
    command = [sys.executable, "-m", "helpers", "grade", str(folder), "--here"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=200)
    with open(folder / grade_class.TABLE, encoding="utf-8", newline="") as file:
        rows = {row["exercise"]: row for row in csv.DictReader(file)}
    assert rows.pop("sum")["verdict"] == f"1 of {len(rows)} passed"
    assert {number: row["verdict"] for number, row in rows.items() if row["verdict"] != "missing"} == {
        "01.b": "passed",
        "03.b": "wrong",
    }
    assert {row["student"] for row in rows.values()} == {"ada"}
    assert {number[:2] for number in rows} == {"01", "03"} and "\n1 notebook" in done.stdout


# --- forgetting


def test_reset_forgets_passes_only_when_it_is_told_to(solved, state, capsys):
    (state / "05_gelu.pkl").write_bytes(b"damaged")
    assert commands.main(["reset"]) == 0
    assert passed.read_passes()[0].keys() == CODES.keys() and not (state / "05_gelu.pkl").exists()
    (state / "05_gelu.pkl").write_bytes(b"damaged")
    assert commands.main(["reset", "--progress", "02"]) == 0
    assert passed.read_passes()[0].keys() == {"01.b"}
    assert commands.main(["reset", "--progress"]) == 0
    assert passed.read_passes()[0] == {} and (state / "05_gelu.pkl").exists()
    assert "Forgot 1 passed exercise. The notebooks stay" in capsys.readouterr().out
