"""The Pythons of this machine, and what they are asked: to open a lesson first, or to step through all of
them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from notebooks import ROOT

VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def pythons():
    """{version: path} of the Pythons on the PATH and under pyenv, at least the one that runs the tests."""
    named = filter(None, (shutil.which(f"python3.{minor}") for minor in range(10, 20)))
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    found = {}
    for path in [
        sys.executable,
        *(path for path in named if "shims" not in path),
        *sorted(pyenv.glob("3.*/bin/python")),
    ]:
        result = subprocess.run([str(path), "-c", VERSION], capture_output=True, text=True)
        version = tuple(map(int, result.stdout.split("."))) if result.returncode == 0 else (0, 0)
        if version >= (3, 10):
            found.setdefault("%d.%d" % version, str(path))
    return found


PYTHONS = pythons()
THIS = "%d.%d" % sys.version_info[:2]  # nbval steps through all lessons on it, and compares more strictly
OTHERS = [version for version in PYTHONS if version != THIS]
# Opens each lesson first. From 3.12 on sum rounds in another way, so it is one from the other side, if
# there is any.
OPENER = (OTHERS or [THIS])[-1 if sys.version_info < (3, 12) else 0]
STEPPERS = [version for version in OTHERS if version != OPENER][:1]  # it steps through all lessons


def lines_from(version, program, *paths):
    """The lines of JSON that a program of ours prints, which finds no state; it must not complain."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        own = {"SIXTEEN_STATE": folder, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
        command = [PYTHONS[version], "-S", str(ROOT / "tests" / program), *map(str, paths)]
        options = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 1800}
        done = subprocess.run(command, env={**os.environ, **own}, **options)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]
