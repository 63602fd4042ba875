"""The same printed digits on every Python from 3.10 up that this machine has, without Jupyter.

It takes a while, so it begins as soon as pytest knows that these tests are asked for: see conftest.py.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

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
THIS = "%d.%d" % sys.version_info[:2]  # nbval runs every cell on it, and compares more strictly
OTHERS = {version: path for version, path in PYTHONS.items() if version != THIS}


class Beside(threading.Thread):
    """Runs all lessons on one Python after another, while the other tests run: {version: cells that differ}."""

    def __init__(self):
        super().__init__(daemon=True)
        self.found, self.ready = {}, {version: threading.Event() for version in OTHERS}
        self.process = None

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            for version, python in OTHERS.items():
                self.process = start(python, LESSONS, pathlib.Path(folder, version))
                self.found[version] = self.process.communicate()
                self.ready[version].set()

    def wait(self, version):
        assert self.ready[version].wait(timeout=600)
        return lines(*self.found[version])


def start(python, paths, state):
    environment = {**os.environ, "SIXTEEN_STATE": str(state), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    command = [python, "-S", str(ROOT / "tests/cell_runner.py"), *map(str, paths)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


def lines(out, errors):
    """The cells that show something else than recorded."""
    assert errors == ""
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("version", OTHERS)
def test_every_cell_shows_the_recorded_digits(version, beside):
    assert beside.wait(version) == []


def test_one_other_digit_is_noticed(copy_of_course, tmp_path):
    lesson = copy_of_course / "notebooks" / LESSONS[1].name
    text = lesson.read_text(encoding="utf-8")
    assert text.count("0.077545") > 1
    lesson.write_text(text.replace("0.077545", "0.077546", 1), encoding="utf-8")
    found = lines(*start(sys.executable, [lesson], tmp_path).communicate(timeout=120))
    assert len(found) == 2  # the digit, and the line about computed numbers
