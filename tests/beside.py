"""What takes a while runs in processes of its own, one after another, beside the tests that come first.

A test that takes the fixture `beside` names its job by a parameter: `path`, a notebook to be opened first, or
`version`, another Python to step through all lessons. conftest.py starts the jobs of the tests that were asked for.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from course import LESSONS, ROOT

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
THIS = "%d.%d" % sys.version_info[:2]  # nbval steps through all lessons on it, and compares more strictly
OTHERS = [version for version in PYTHONS if version != THIS]
OPENER = (OTHERS or [THIS])[0]  # opens each lesson first
STEPPERS = OTHERS[1:]  # step through all lessons


def start(job, state):
    """A process that opens one notebook first, or steps through all lessons on another Python."""
    environment = {**os.environ, "SIXTEEN_STATE": str(state), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    environment["SIXTEEN_TRAINED"] = str(state.parent / "trained.pkl")  # see opened_first.py
    if isinstance(job, pathlib.Path):
        command = [PYTHONS[OPENER], "-S", str(ROOT / "tests/opened_first.py"), str(job)]
    else:
        command = [PYTHONS[job], "-S", str(ROOT / "tests/cell_runner.py"), *map(str, LESSONS)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


class Beside(threading.Thread):
    """The jobs, in the order in which their tests come."""

    def __init__(self, jobs):
        super().__init__(daemon=True)
        self.ready, self.printed, self.process = {job: threading.Event() for job in jobs}, {}, None
        self.stopped, self.starting = False, threading.Lock()

    def run(self):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for i, job in enumerate(self.ready):
                with self.starting:
                    if self.stopped:
                        return
                    self.process = start(job, pathlib.Path(folder, str(i)))
                self.printed[job] = self.process.communicate()
                self.ready[job].set()

    def stop(self):
        """Where the tests were stopped early: end the job at work, and begin no other."""
        with self.starting:
            self.stopped = True
        if self.process:
            self.process.kill()
            self.join(5)

    def result(self, job):
        """The lines of JSON that a job printed; it must not complain."""
        assert self.ready[job].wait(timeout=600)
        out, errors = self.printed[job]
        assert errors == ""
        return [json.loads(line) for line in out.splitlines()]
