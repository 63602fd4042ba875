"""The same printed digits on every Python from 3.10 up that this machine has, without Jupyter."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from course import LESSONS

VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def pythons():
    """{version: path} of the Pythons on the PATH and under pyenv, at least the one that runs the tests."""
    names = [shutil.which(f"python3.{minor}") for minor in range(10, 20)]
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    found = {}
    for path in [sys.executable, *filter(None, names), *sorted(pyenv.glob("3.*/bin/python"))]:
        result = subprocess.run([str(path), "-c", VERSION], capture_output=True, text=True)
        version = tuple(map(int, result.stdout.split("."))) if result.returncode == 0 else (0, 0)
        if version >= (3, 10):
            found.setdefault("%d.%d" % version, str(path))
    return found


PYTHONS = pythons()


def run(python, paths, state):
    """The cells that show something else than recorded."""
    environment = {**os.environ, "SIXTEEN_STATE": str(state), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    command = [python, "-S", str(ROOT / "tests/cell_runner.py"), *map(str, paths)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert result.stderr == ""
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("python", PYTHONS.values(), ids=PYTHONS)
def test_every_cell_shows_the_recorded_digits(python, tmp_path):
    assert run(python, LESSONS, tmp_path) == []


def test_one_other_digit_is_noticed(copy_of_course, tmp_path):
    lesson = copy_of_course / "notebooks" / LESSONS[1].name
    text = lesson.read_text(encoding="utf-8")
    assert text.count("0.077545") > 1
    lesson.write_text(text.replace("0.077545", "0.077546", 1), encoding="utf-8")
    assert len(run(sys.executable, [lesson], tmp_path)) == 2  # the digit, and the line about computed numbers
