"""What `grade` notes of a pass: the code, in a file for each exercise, whatever else happens."""

import linecache
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest

import helpers
from helpers.course.commands.judge_notebook import judge_answer
from helpers.course.exercises import passed
from helpers.course.exercises.grade import grade
from helpers.course.exercises.judge import judge
from notebooks import ROOT

RIGHT = "def my_dot(u, v):\n    return sum(a * b for a, b in zip(u, v))\n\n"
GRADE = 'grade("01.b", my_dot)\n'


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


class Notebook:
    """Cells that run as in a kernel, which keeps the source of each under a name of its own."""

    def __init__(self):
        self.names = {"__name__": "__main__", "grade": grade}

    def run(self, source):
        name = f"<cell {len(linecache.cache)}>"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        exec(compile(source, name, "exec"), self.names)


def noted(number="01.b"):
    found, troubles = passed.read_passes()
    assert troubles == []
    return found[number].code if found else None


def test_a_pass_leaves_the_cell(state):
    Notebook().run(RIGHT + GRADE)
    assert noted() == RIGHT + GRADE
    assert os.listdir(state / "passed") == ["01.b.my_dot.py"]
    first = (state / "passed" / "01.b.my_dot.py").read_text("utf-8").splitlines()[0]
    assert re.fullmatch(r"# 01\.b passed on 2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC", first)


def test_what_does_not_pass_leaves_nothing(state, capsys):
    notebook = Notebook()
    notebook.run("def my_dot(u, v):\n    ...\n" + GRADE)
    notebook.run("def my_dot(u, v):\n    return 0\n" + GRADE)
    notebook.run('grade("01.b", 3)')
    said = capsys.readouterr().out
    assert "not tried yet" in said and "wrong on input 1" in said and "not 3" in said
    assert not state.exists()


@pytest.mark.parametrize("ours", [helpers.softmax, helpers.attention])
def test_a_function_of_the_course_is_no_pass_of_the_reader(ours, state):
    passed.note_pass("03.b", ours)
    assert not state.exists()


def test_functions_of_other_cells_come_along():
    """Those that are called, directly or not; the file can be judged by itself."""
    notebook = Notebook()
    notebook.run("import math\ndef pair(a, b):\n    return a * b\ntrain = [0] * 10**6")
    notebook.run(
        "def pairs(u, v):\n    return [pair(a, b) for a, b in zip(u, v)]\n\ndef idle():\n    return 0\n"
    )
    notebook.run("def my_dot(u, v):\n    return sum(pairs(u, v))\n")
    notebook.run(GRADE)
    code = noted()
    order = [code.index(part) for part in ("def pair(", "def pairs(", "def my_dot(", GRADE)]
    assert order == sorted(order) and "idle" not in code and "train" not in code
    assert judge_answer("01.b", ['grade("01.b", my_dot)'], [code], judge)[0] == "passed"


def test_a_class_and_a_function_without_a_name_of_its_own():
    notebook = Notebook()
    notebook.run("class Half:\n    def twice(self):\n        return 2\n")
    passed.note_pass("12.a", notebook.names["Half"])
    assert noted("12.a").startswith("class Half:") and 'grade("12.a", Half)' in noted("12.a")
    passed.note_pass("01.b", math_dot := sum)  # in C: there is no source
    assert noted() == 'grade("01.b", sum)\n' and math_dot is sum


def test_the_same_code_again_keeps_the_time_and_other_code_replaces_it(state, monkeypatch):
    times = iter(["2026-01-01 00:00:01", "2026-01-01 00:00:02", "2026-01-01 00:00:03"])
    monkeypatch.setattr(passed.time, "strftime", lambda *_: next(times))
    notebook = Notebook()
    notebook.run(RIGHT + GRADE)
    when = passed.read_pass(passed.pass_path("01.b", "my_dot")).when
    notebook.run(RIGHT + GRADE)
    assert passed.read_pass(passed.pass_path("01.b", "my_dot")).when == when == "2026-01-01 00:00:01"
    notebook.run("# in another way\n" + RIGHT + GRADE)
    assert passed.read_pass(passed.pass_path("01.b", "my_dot")).when > when and noted().startswith(
        "# in another way"
    )


def broken_disk(*_):
    raise PermissionError(13, "Permission denied")


def test_a_pass_that_cannot_be_noted_is_a_sentence_below_the_verdict(state, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", broken_disk)
        patched.setattr("time.sleep", lambda _: None)
        Notebook().run(RIGHT + GRADE)
    verdict, sentence = capsys.readouterr().out.splitlines()
    assert verdict.startswith("Your turn 01.b: passed, ")
    assert sentence.startswith("This pass is not noted: the disk refused (Permission denied). Make room")
    assert os.listdir(state / "passed") == []  # nothing half-written
    os.rmdir(state / "passed")
    (state / "passed").touch()
    Notebook().run(RIGHT + GRADE)
    assert "not noted: notebooks/state is no folder. Remove it by hand." in capsys.readouterr().out


def test_an_object_that_raises_does_not_stop_grading(capsys):
    class Odd:
        def __call__(self, u, v):
            return sum(a * b for a, b in zip(u, v))

        @property
        def __wrapped__(self):
            raise ZeroDivisionError

    grade("01.b", Odd())
    verdict, sentence = capsys.readouterr().out.splitlines()
    assert "01.b: passed, " in verdict
    assert sentence == "This pass is not noted: its code cannot be read (ZeroDivisionError)."


def test_a_cell_that_is_too_long_is_not_noted(state, capsys):
    Notebook().run("#" * passed.MAX_BYTES + "\n" + RIGHT + GRADE)
    assert "This pass is not noted: the cell holds more than 100,000 bytes. Put" in capsys.readouterr().out
    assert not state.exists()


DAMAGED = {
    "no text": b"\xff\xfe\x00",
    "empty": b"",
    "no head": b"def my_dot(u, v):\n    return 0\n",
    "another exercise": b"# 01.c passed on 2026-01-01 00:00:00 UTC\n",
    "too long": b"# 01.b passed on 2026-01-01 00:00:00 UTC\n" + b"#" * 100_000,
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_costs_one_exercise_and_the_next_pass_mends_it(kind, state):
    notebook = Notebook()
    notebook.run(RIGHT + GRADE)
    passed.pass_path("01.a", "my_embedding").write_bytes(
        passed.pass_path("01.b", "my_dot").read_bytes().replace(b"01.b", b"01.a")
    )
    passed.pass_path("01.b", "my_dot").write_bytes(DAMAGED[kind])
    found, (sentence,) = passed.read_passes()
    assert list(found) == ["01.a"]
    assert sentence.startswith(
        "notebooks/state/passed/01.b.my_dot.py cannot be used: it does not hold what grade has"
    )
    assert sentence.endswith("Run the cell that grades 01.b again, or delete the file.")
    notebook.run(RIGHT + GRADE)
    assert passed.read_passes()[0].keys() == {"01.a", "01.b"}


def test_what_is_no_file_is_named(state):
    (state / "passed" / "01.b.my_dot.py").mkdir(parents=True)
    (state / "passed" / "notes.py").write_text("a reader's own", "utf-8")
    found, (sentence,) = passed.read_passes()
    assert found == {} and "01.b.my_dot.py cannot be used: it is a folder or a device" in sentence
    (state / "passed" / "01.b.my_dot.py").rmdir()
    (state / "passed" / "notes.py").unlink()
    (state / "passed").rmdir()
    (state / "passed").touch()
    found, (sentence,) = passed.read_passes()
    assert found == {} and sentence.startswith("notebooks/state/passed cannot be read (")


def test_line_ends_of_windows_are_read():
    Notebook().run(RIGHT + GRADE)
    path = passed.pass_path("01.b", "my_dot")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert noted() == RIGHT + GRADE


def test_two_notebooks_at_a_time_lose_nothing(state):
    def many(notebook, mark):
        for i in range(20):
            notebook.run(f"# {mark} {i}\n{RIGHT}{GRADE.replace('01.b', f'01.{mark}')}{GRADE}")

    def dot(number, function):
        passed.try_to_note(number, function)

    pages = []
    for mark in "ac":
        notebook = Notebook()
        notebook.names["grade"] = dot
        pages.append(threading.Thread(target=many, args=(notebook, mark)))
    for page in pages:
        page.start()
    for page in pages:
        page.join()
    found, troubles = passed.read_passes()
    assert list(found) == ["01.a", "01.b", "01.c"] and troubles == []
    assert "# a 19" in found["01.a"].code and "# c 19" in found["01.c"].code
    assert re.match("# [ac] 19", found["01.b"].code)
    assert {path.suffix for path in (state / "passed").iterdir()} == {".py"}


def test_forgetting_deletes_what_is_not_kept_and_nothing_else(state):
    (state / "passed").mkdir(parents=True)
    for name in ("01.a.my_embedding.py", "01.b.my_dot.py", "notes.py"):
        (state / "passed" / name).write_bytes(b"damaged")
    assert passed.forget_passes(["01.a"]) == 1
    assert sorted(os.listdir(state / "passed")) == ["01.a.my_embedding.py", "notes.py"]


def test_after_an_update_the_function_tells_which_exercise_it_was(state):
    """Numbers move: what was 01.a may be 01.b today, and what was 03.b may be gone."""
    (state / "passed").mkdir(parents=True)
    gone = RIGHT.replace("my_dot", "my_gone") + 'grade("03.b", my_gone)\n'
    notes = {"01.a.my_dot": RIGHT + GRADE.replace("01.b", "01.a"), "03.b.my_gone": gone}
    for name, code in notes.items():
        head = f"# {name[:4]} passed on 2026-01-01 00:00:00 UTC\n"
        (state / "passed" / f"{name}.py").write_text(head + code, "utf-8")
    assert passed.read_passes() == ({"01.b": ("01.b", "2026-01-01 00:00:00", RIGHT + GRADE)}, [])
    Notebook().run("# newer\n" + RIGHT + GRADE)
    assert noted() == "# newer\n" + RIGHT + GRADE and len(os.listdir(state / "passed")) == 3


def test_in_a_real_kernel_the_whole_cell_is_kept(state):
    """IPython names its cells in its own way, and keeps their source, with its magics as Python."""
    script = f"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in ["from helpers import grade", "def times(a, b): return a * b",
             "%time 1\\ndef my_dot(u, v):\\n    return sum(map(times, u, v))\\n\\n" + {GRADE!r}]:
    assert shell.run_cell(cell).success
"""
    environment = {**os.environ, "IPYTHONDIR": str(state.parent / "ipython"), "PYTHONPATH": str(ROOT)}
    options = {"cwd": state.parent, "env": environment, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", script], **options)
    assert "Your turn 01.b: passed" in done.stdout, done.stderr
    code = noted()
    assert code.startswith("def times(a, b)") and "'time', '1')\ndef my_dot" in code and code.endswith(GRADE)


def test_the_usual_place_is_in_the_project_and_ignored_by_git(monkeypatch):
    monkeypatch.delenv("SIXTEEN_STATE")
    assert passed.pass_path("01.b", "my_dot") == ROOT / "notebooks" / "state" / "passed" / "01.b.my_dot.py"
    assert "notebooks/state/" in pathlib.Path(ROOT, ".gitignore").read_text("utf-8").splitlines()
