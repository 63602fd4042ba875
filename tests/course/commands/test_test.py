"""`test`: what pytest is asked, two processes as one, and a lesson alone."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from projects import FIND_HELPERS, LESSON_0, LESSON_1, helpers, posix, ready, settings, write_lesson

from helpers.course.commands import names, start
from helpers.course.commands import test as testing

SMALL_TESTS = """
import os, pathlib, sys

def test_good():
    assert list(pathlib.Path(os.environ["SIXTEEN_STATE"]).glob("*.pkl")) == []
    assert not sys.dont_write_bytecode

def test_bad():
    assert not os.environ
"""


@pytest.fixture
def tested(tmp_path):
    project = ready(tmp_path)
    (project / "tests").mkdir()
    (project / "tests" / "test_small.py").write_text(SMALL_TESTS, encoding="utf-8")
    write_lesson(project, LESSON_0, "1 + 1")
    return project


def test_pytest_gets_the_arguments_and_gives_the_code(tested, monkeypatch):
    """What a process has compiled is kept for the others."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    done = helpers(tested, "test", "-q", "-k", "bad or good", "tests/test_small.py")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout and "Two processes" not in done.stdout


def test_two_processes_end_in_one_line_and_the_larger_code(tested):
    skips = "import pytest\n\ndef test_skipped():\n    pytest.skip('not here')\n"
    (tested / "tests" / "test_more.py").write_text(skips, encoding="utf-8")
    write_lesson(tested, LESSON_0, "1 + 1", "1 / 0")
    done = helpers(tested, "test", "--slowest")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "2 passed, 2 failed")
    for name in (f"notebooks/{LESSON_0}.ipynb", "tests/test_small.py", "tests/test_more.py"):
        assert re.search(rf"(?m)^ *[\d.]+ +{name}", done.stdout)


def test_one_exit_code_of_two():
    codes = {(0, 0): 0, (0, 1): 1, (0, 5): 0, (5, 5): 5, (2, 1): 2, (5, 1): 1}
    assert {pair: testing.code_of_both(pair) for pair in codes} == codes


@pytest.mark.all_only
def test_a_process_that_dies_is_a_failure_and_one_without_tests_is_none(tested):
    done = helpers(tested, "test", "-k", "good")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 passed, 0 failed")
    assert helpers(tested, "test", "-k", "no_such_test").returncode == 5
    dies = "import os\n\ndef test_it():\n    os._exit(0)\n"
    (tested / "tests" / "test_small.py").write_text(dies, encoding="utf-8")
    done = helpers(tested, "test")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "1 passed, 1 failed")


@posix
@pytest.mark.all_only
def test_ctrl_c_stops_both_processes(tested):
    waits = "import pathlib, time\n{}pathlib.Path({!r}).touch(); time.sleep(100)"
    marks = [tested / "tests" / name for name in ("waits_0", "waits_1")]
    write_lesson(tested, LESSON_0, waits.format("", str(marks[0])))
    text = waits.format("def test_it(): ", str(marks[1]))  # both processes collect it, one runs it
    (tested / "tests" / "test_small.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "helpers", "test"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    asked = subprocess.Popen(command, cwd=tested, env=settings(tested), **pipes)
    try:
        while not all(mark.exists() for mark in marks):
            assert asked.poll() is None
            time.sleep(0.05)
        os.killpg(asked.pid, signal.SIGINT)
        said, _ = asked.communicate(timeout=60)
        assert asked.returncode == 2 and said.count("KeyboardInterrupt") >= 2, said
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(asked.pid, signal.SIGKILL)


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name in ("tests/test_a.py", "notebooks/05_gelu.ipynb", "notebooks/05_mine.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(testing, "ROOT", tmp_path)
    monkeypatch.setattr(testing, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(testing.os, "cpu_count", lambda: 2)


@pytest.fixture
def run_share(tmp_path):
    """The files whose tests a process runs, when both have collected some files with one test each."""
    (tmp_path / "groups.json").write_text(json.dumps(testing.models_of_notebooks()), encoding="utf-8")

    def run(option, files, stops=False):
        ran = []

        def protocol(item, nextitem):
            ran.append(item.nodeid.partition("::")[0])
            session.shouldfail = stops and "stopping after 1 failure"

        session = SimpleNamespace(testsfailed=0, shouldfail=False, shouldstop=False, Failed=RuntimeError)
        session.config = SimpleNamespace(option=SimpleNamespace(collectonly=False))
        session.config.hook = SimpleNamespace(pytest_runtest_protocol=protocol)
        session.items = [SimpleNamespace(nodeid=f"{file}::test", config=session.config) for file in files]
        for item in session.items:
            item.get_closest_marker = lambda name: False
        with contextlib.suppress(RuntimeError):
            start.Share(tmp_path, option).pytest_runtestloop(session)
        return ran

    return run


NAMES = ("14_training", "16_stories", "19_quantization")
SHARED = [*(f"notebooks/{name}.ipynb" for name in NAMES), "tests/test_a.py", "tests/test_b.py"]


def test_two_processes_share_the_files(run_share):
    """One from the front, one from the end; 19 loads the model that 14 trains, so one process runs both."""
    assert run_share("--share-from-end", SHARED[3:4]) == SHARED[3:4]
    assert run_share("--share", SHARED[:3]) == [SHARED[0], SHARED[2], SHARED[1]]
    assert run_share("--share-from-end", SHARED) == SHARED[4:]


def test_both_processes_stop_at_a_failure(run_share):
    assert run_share("--share-from-end", SHARED, stops=True) == SHARED[4:]
    assert run_share("--share", SHARED) == []


GELU = ["notebooks/05_gelu.ipynb"]
ABOUT = [*testing.ABOUT_LESSONS, "--lesson=05_gelu"]
PARTS = [
    # arguments, lessons, the arguments of each process
    (["-x", "tests/test_a.py::test_x"], [], [["-x", "tests/test_a.py::test_x"]]),
    (["--pdb"], [], [["--pdb"]]),
    (["--all"], [], [["--all"], ["--all"]]),
    (["--junitxml=r.xml", "--all"], [], [["--junitxml=r.xml", "--all"]]),
    (["-x"], ["05_gelu"], [[*GELU, "-x"], [*ABOUT, "-x"]]),
    (["-s"], ["05_gelu"], [[*GELU, *ABOUT, "-s"]]),
]


@pytest.mark.parametrize("arguments, asked, expected", PARTS)
def test_what_each_process_is_asked(files, monkeypatch, arguments, asked, expected):
    assert testing.pytest_arguments(arguments, asked) == expected
    monkeypatch.setattr(testing.os, "cpu_count", lambda: 1)
    assert len(testing.pytest_arguments(arguments, asked)) == 1


def test_lessons_are_told_from_what_is_pytest_s():
    assert testing.lessons_asked_for(["3", "gelu", "-x", "10"]) == (["03_attention", "05_gelu"], ["-x", "10"])
    for arguments in ([], ["-k", "10"], ["tests"], ["tests/test_nothing.py"], ["test_nothing.py::test_x"]):
        assert testing.lessons_asked_for(arguments) == ([], arguments)
    with pytest.raises(names.Misuse):
        testing.lessons_asked_for(["99", "-x"])


@pytest.mark.all_only
def test_the_plain_way_is_the_same(tested):
    """Without our command: pytest in the project folder, with .pytest.ini and nothing else, whose
    patterns brackets disturb."""
    tested = tested.rename(tested.with_name("the course"))
    write_lesson(tested, "my_copy", "1 / 0")
    command = [sys.executable, "-m", "pytest", "--nbval", "-k", "not bad", "notebooks", "tests"]
    plain = {**settings(tested), "SIXTEEN_STATE": str(tested.parent / "state"), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, cwd=tested, env=plain, capture_output=True, text=True)
    assert done.returncode == 0 and "2 passed, 1 deselected" in done.stdout
    assert not list(tested.rglob(".pytest_cache"))


@pytest.mark.all_only
def test_no_cell_waits_for_ever(tested):
    ini = tested / ".pytest.ini"
    text = ini.read_text(encoding="utf-8")
    assert text.count("--nbval-cell-timeout=900") == 1
    ini.write_text(text.replace("--nbval-cell-timeout=900", "--nbval-cell-timeout=1"), encoding="utf-8")
    write_lesson(tested, LESSON_0, "import time; time.sleep(100)")
    done = helpers(tested, "test", "notebooks")
    assert done.returncode == 1 and "Timeout of 1 seconds exceeded" in done.stdout


@pytest.mark.all_only
def test_a_reader_s_notebooks_and_states_are_left_alone(tested, tmp_path):
    """A lesson loads what the lesson before leaves, whatever states a reader has. A copy of theirs is tested
    only when it is named."""
    source = FIND_HELPERS + f'from helpers import load_state\nload_state("{LESSON_0}")["tokens"]'
    write_lesson(tested, LESSON_1, source)
    assert helpers(tested, "run", "1").returncode == 0
    shutil.copy(write_lesson(tested, "12_notes", "1 / 0"), tested / "notebooks" / "Untitled.ipynb")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / f"{LESSON_0}.pkl").write_bytes(b"the reader's own")
    environment = {**settings(tested), "SIXTEEN_STATE": str(mine)}
    command = [sys.executable, "-m", "helpers", "test", "-k", "not bad"]
    done = subprocess.run(command, cwd=tested, env=environment, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "3 passed, 0 failed"), done.stdout
    assert [path.read_bytes() for path in mine.iterdir()] == [b"the reader's own"]
    assert "1 failed" in helpers(tested, "test", "notebooks/12_notes.ipynb").stdout
