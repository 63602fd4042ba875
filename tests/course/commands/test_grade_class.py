"""`helpers grade`: only the judge's verdict counts, and no notebook costs another its own.

One class is graded once; each student is one case. Links, pipes and the course are looked at afterwards.
"""

import csv
import json
import os
import subprocess
import sys

import pytest

from helpers.course.commands import grade_class, judge_notebook
from helpers.course.exercises.passed import pass_path
from notebooks import LESSONS, ROOT

LESSON = next(path for path in LESSONS if path.name.startswith("01_"))
A, C = "01.a", "01.c"
HEAD = "def my_embedding(ids, E):\n    "
RIGHT = HEAD + "return [E[i] for i in ids]\n"
WRONG = HEAD + "return E\n"
USES_ONE = HEAD + "return [one(E, i) for i in ids]\n"
GRADE = '\ngrade("01.a", my_embedding)'
PRODUCT = (
    "def my_matmul(A, B):\n    return [[sum(map(mul, row, column)) for column in zip(*B)] for row in A]\n"
)
PRODUCT = "from operator import mul\n" + PRODUCT + 'grade("01.c", my_matmul)'

MAGIC = "display(3)\n%time my_embedding([0], [[1]])\nfiles = !ls"
SAME = "def my_embedding(i, e):\n    return [e[j] for j in i]\n"
PARENT = "import os, pathlib, sys\n"
NAMED_BY_PARENT = """
found = pathlib.Path(f"/proc/{os.getppid()}/cmdline").read_bytes() if os.path.exists("/proc") else b""
found += pathlib.Path(f"/proc/{os.getppid()}/environ").read_bytes() if os.path.exists("/proc") else b""
places = [part.decode() for part in found.replace(b"=", b"\\0").split(b"\\0")] + list(os.environ.values())
places += [os.readlink(f"/proc/{os.getppid()}/cwd")] if os.path.exists("/proc") else []
"""
OVERWRITES = """
for place in [p for p in places if os.path.isdir(p)]:
    for path in pathlib.Path(place).glob("*/*.ipynb"):
        path.write_text("{}")
"""
EDITS = """
import helpers
place = pathlib.Path(helpers.__file__).parent / "course" / "exercises"
os.chmod(place, 0o755)
for path in place.glob("*.py"):
    os.chmod(path, 0o644)
    path.write_text("raise SystemExit")
"""
FORGED = 'import os\nos.write(1, b\'["", "01.a", "passed", ""]\\n{"01.a": "passed"}\\n\')\nos._exit(0)\n'

# student: (cells, verdict on 01.a)
CLASS = {
    "right": ([RIGHT + GRADE], "passed"),
    "wrong": ([WRONG + GRADE], "wrong"),
    "untried": ([HEAD + "..." + GRADE], "not tried"),
    "untouched": (
        [grade_class.exercises_of(ROOT / "notebooks/01_tokens_and_embeddings.ipynb")[A]],
        "not tried",
    ),
    "no Python": ([HEAD + "return [" + GRADE], "look"),
    "missing name": ([HEAD + "return looked_up(ids, E)\n" + GRADE], "look"),
    "function elsewhere": ([RIGHT, GRADE], "passed"),
    "no function": ([GRADE], "look"),
    "helper in another cell": (
        ["import operator", "def one(E, i): return operator.getitem(E, i)", USES_ONE + GRADE],
        "passed",
    ),
    "helper below": ([USES_ONE + GRADE, "one = lambda E, i: E[i]"], "passed"),
    "table filled by a loop": (
        ["order = []\nfor i in range(99):\n    order.append(i)"]
        + [HEAD + "return [E[order[i]] for i in ids]\n" + GRADE],
        "passed",
    ),
    "display and magic": (["%matplotlib inline\n!ls\n" + RIGHT + MAGIC + GRADE], "passed"),
    "an assertion that fails": ([RIGHT + "assert False" + GRADE], "passed"),
    "prints sizes": ([HEAD + "print('sizes:', ids)\n    return [E[i] for i in ids]\n" + GRADE], "passed"),
    "prints passed": ([HEAD + "print('x: passed')\n    return E\n" + GRADE], "wrong"),
    "grades by itself": (
        ["from helpers import grade\n" + RIGHT + 'said = grade("01.a", my_embedding)' + GRADE],
        "passed",
    ),
    "own grade": (["def grade(*all): print('Your turn 01.a: passed')\n" + WRONG + GRADE], "wrong"),
    "forged": ([FORGED + WRONG + GRADE], "stopped"),
    "endless": (['while "for ever":\n    pass\n' + WRONG + GRADE], "stopped"),
    "endless beside": (['while "for ever":\n    pass', RIGHT + GRADE], "passed"),
    "a gigabyte": (
        ["import os\nfor i in range(1000):\n    os.write(1, bytes(2**20))\n" + RIGHT + GRADE],
        "passed",
    ),
    "ends the parent": (["import os\nos.kill(os.getppid(), 15)\n" + RIGHT + GRADE], "passed"),
    "reads a variable": (
        ['import os\nsecret = os.environ["SECRET"]\n' + HEAD + "return secret\n" + GRADE],
        "look",
    ),
    "overwrites the class": ([PARENT + NAMED_BY_PARENT + OVERWRITES + RIGHT + GRADE], "passed"),
    "edits the grader": ([PARENT + EDITS + WRONG + GRADE], "look"),
    "wrong after the edit": ([WRONG + GRADE], "wrong"),
    "imports the answer": (
        ["from helpers.course.exercises.lesson_01 import *\n" + RIGHT.replace("[i]", "[int(i)]") + GRADE],
        "passed",
    ),
    "copied": ([SAME + GRADE], "passed"),
    "the same": ([SAME + GRADE], "passed"),
    "=HYPERLINK(1)": ([RIGHT + GRADE], "passed"),
}


def notebook(cells):
    return {"cells": [{"cell_type": "code", "source": source} for source in cells]}


def hand_in(folder, student, cells):
    (folder / student).mkdir()
    (folder / student / "Homework (final).ipynb").write_text(json.dumps(notebook(cells)), encoding="utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class, graded by the command: (folder, {student: rows}, what it printed, code)."""
    folder = tmp_path_factory.mktemp("class")
    for student, (cells, _) in CLASS.items():
        later = [PRODUCT] if student in ("forged", "endless") else []
        hand_in(folder, student, cells + later)
    (folder / "deep.ipynb").write_text("[" * 100_000, encoding="utf-8")
    (folder / "text.ipynb").write_text("no JSON", encoding="utf-8")
    (folder / "notes.ipynb").write_text("{}", encoding="utf-8")
    (folder / "other.ipynb").write_text(json.dumps(notebook(["x = 0"])), encoding="utf-8")
    (folder / "outside").write_text("not mine", encoding="utf-8")
    if os.name != "nt":
        os.mkfifo(folder / "pipe.ipynb")
        (folder / "link.ipynb").symlink_to("/dev/zero")
        (folder / "grades.csv").symlink_to(folder / "outside")
    if sys.platform == "linux":
        name = os.fsencode(folder) + b"/M\x81ller.ipynb"
        with open(name, "w", encoding="utf-8") as file:
            json.dump(notebook([RIGHT + GRADE]), file)
    code, out = grade(folder, "--here", "--seconds", "6")
    return folder, rows_of(folder), out, code


def grade(folder, *options):
    command = [sys.executable, "-m", "helpers", "grade", str(folder), *options]
    environment = {**os.environ, "SECRET": "0"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=300, **pipes)
    return done.returncode, done.stdout.decode("utf-8")


def rows_of(folder):
    found = {}
    for row in csv.DictReader((folder / "grades.csv").read_text(encoding="utf-8").splitlines()):
        found.setdefault(row["student"], []).append(row)
    return found


@pytest.mark.parametrize("student", CLASS)
def test_the_verdict_on_each_student(graded, student):
    rows = graded[1][student.replace("=", "'=")]
    assert [row["verdict"] for row in rows if row["exercise"] == A] == [CLASS[student][1]], rows[0]


def test_the_grader_s_sentence_and_a_sum_are_told(graded):
    folder, rows, out, code = graded
    assert code == 0, out
    assert "account" in out.splitlines()[0]
    assert "input" in rows["wrong"][0]["the grader's sentence"]
    assert "looked_up" in rows["missing name"][0]["the grader's sentence"]
    assert rows["right"][-1]["exercise"] == "sum" and rows["right"][-1]["verdict"] == "1 of 4 passed"
    assert "right: 1 of 4 passed" in out and str(folder / "grades.csv") in out
    assert {row["verdict"] for row in rows["right"][1:-1]} == {"missing"}


@pytest.mark.parametrize("student", ["forged", "endless"])
def test_what_ends_one_process_costs_no_later_exercise(graded, student):
    verdicts = {row["exercise"]: row["verdict"] for row in graded[1][student]}
    assert verdicts[C] == "passed"


def test_what_a_teacher_should_look_at(graded):
    rows = graded[1]
    assert "imports helpers.course" in rows["imports the answer"][0]["look"]
    assert rows["copied"][0]["look"] == "same source as the same"
    assert rows["the same"][0]["look"] == "same source as copied"
    assert rows["right"][0]["look"] == ""
    assert "copy" in rows["edits the grader"][0]["look"]


def test_no_notebook_and_no_course_is_changed(graded):
    folder = graded[0]
    for student, (cells, _) in CLASS.items():
        kept = json.loads((folder / student / "Homework (final).ipynb").read_text(encoding="utf-8"))
        assert kept["cells"][0]["source"] == cells[0]
    assert "changed while" not in graded[2]
    noted = pass_path("01.a", "my_embedding")
    assert not noted.exists() or "said = grade" not in noted.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["deep", "text", "notes", "other", "pipe", "link"])
def test_what_is_no_notebook_is_a_row(graded, name):
    if os.name == "nt" and name in ("pipe", "link"):
        pytest.skip("made on POSIX only")
    (row,) = graded[1][name]
    assert row["verdict"] == "cannot be read" and row["the grader's sentence"]


def test_a_name_that_is_no_utf_8(graded):
    if sys.platform != "linux":
        pytest.skip("no such name on this system")
    assert graded[1]["M\\udc81ller"][0]["verdict"] == "passed"


def test_the_table_takes_the_place_of_a_link(graded):
    folder = graded[0]
    assert (folder / "outside").read_text(encoding="utf-8") == "not mine"
    assert not (folder / "grades.csv").is_symlink()
    assert not list(folder.glob(".grades-*"))


def test_nothing_runs_before_the_teacher_says_so(tmp_path):
    assert "There is no folder" in grade(tmp_path / "typo", "--here")[1]
    assert "There is no notebook" in grade(tmp_path, "--here")[1]
    hand_in(tmp_path, "right", CLASS["right"][0])
    code, out = grade(tmp_path)
    assert code == 1 and "TEACHING.md" in out and not (tmp_path / "grades.csv").exists()
    (tmp_path / "grades.csv").mkdir()
    assert grade(tmp_path, "--here")[0] == 1


def test_a_crash_while_writing_leaves_the_earlier_table(tmp_path, monkeypatch):
    grade_class.write_table(tmp_path, [["ann", "a.ipynb", A, "passed", "", ""]])
    before = (tmp_path / "grades.csv").read_bytes()
    monkeypatch.setattr(grade_class.os, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        grade_class.write_table(tmp_path, [])
    assert (tmp_path / "grades.csv").read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_of_many_files_that_are_no_notebooks_one_table_is_written(tmp_path, monkeypatch, capsys):
    """Nothing of them runs, so nothing can be lost meanwhile, and the course stays as it is."""
    for i in range(3):
        (tmp_path / f"{i}.ipynb").write_text("{}", encoding="utf-8")
    written, looked = [], []
    monkeypatch.setattr(grade_class, "write_table", lambda folder, rows: written.append(len(rows)))
    monkeypatch.setattr(grade_class, "digest", lambda course: looked.append(course) or "same")
    grade_class.judge_class(tmp_path, str(ROOT), str(ROOT), 1)
    assert written == [3] and len(looked) == 2  # the course, before and after
    assert "3 notebooks, 0 exercises" in capsys.readouterr().out


def test_only_lines_of_the_judge_count():
    said = json.dumps(["token", A, "passed", "text"])
    assert grade_class.verdict_in(said, "token") == (A, "passed", "text")
    for line in (said.replace("token", "guess"), '["token"]', "{}", "x", "[" * 10_000, '["token", 1, 2, 3]'):
        assert grade_class.verdict_in(line, "token") == (None, None, None)


def test_a_text_in_one_harmless_line():
    assert grade_class.harmless("a\nb\x1b[2J") == "a b\\x1b[2J"
    assert grade_class.harmless("=1+1") == "'=1+1" and len(grade_class.harmless("x" * 999)) == 300


def test_the_cells_that_a_function_needs():
    sources = ["import math", "x = math.pi", "y = 2", "t = []", "t.append(y)", "def f(): return x + len(t)"]
    cells = list(judge_notebook.parsed(sources))
    found = judge_notebook.needed({"f"}, cells)
    assert [cell.source for cell in found] == sources
    assert [cell.source for cell in judge_notebook.needed({"x"}, cells)] == sources[:2]


def test_a_teacher_s_own_states_are_not_of_the_course(tmp_path):
    course, own = tmp_path / "course", "notebooks/state/passed/03.b.my_softmax.py"
    for name in ("helpers/a.py", "notebooks/01_one.ipynb"):
        (course / name).parent.mkdir(parents=True)
        (course / name).write_text("1\n", encoding="utf-8")
    before = grade_class.digest(course)
    (course / own).parent.mkdir(parents=True)
    (course / own).write_text("2\n", encoding="utf-8")
    assert grade_class.digest(course) == before
    (course / "helpers/a.py").write_text("3\n", encoding="utf-8")
    assert grade_class.digest(course) != before
