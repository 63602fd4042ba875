"""The Pythons of this machine, and what they are asked: to open each lesson first, or to step through all."""

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
    names = ["python2.7", *(f"python3.{minor}" for minor in range(6, 20))]
    named = [path for path in map(shutil.which, names) if path and "shims" not in path]  # pyenv's are slow
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    found = {}
    for path in [sys.executable, *named, *sorted(pyenv.glob("*/bin/python"))]:
        result = subprocess.run([str(path), "-c", VERSION], capture_output=True, text=True)
        if result.returncode == 0:
            found.setdefault(result.stdout.strip(), str(path))
    return found


def numbers(version):
    return tuple(map(int, version.split(".")))


ALL = pythons()
PYTHONS = {version: path for version, path in ALL.items() if numbers(version) >= (3, 10)}
OLD = {version: path for version, path in ALL.items() if version not in PYTHONS}
THIS = "%d.%d" % sys.version_info[:2]  # nbval steps through all lessons on it, and compares more strictly
OTHERS = sorted(PYTHONS.keys() - {THIS}, key=numbers)
OPENER = (OTHERS[1:] or OTHERS or [THIS])[0]  # opens each lesson first
STEPPERS = [version for version in OTHERS if version != OPENER]  # each steps through all lessons


def trained_by(version):
    """The folder for what a Python trains. The oldest trains for itself; the others share with those that
    round as they do: from 3.12 on sum() is more exact."""
    kind = "oldest" if version in OTHERS[:1] else "exact" if numbers(version) >= (3, 12) else "plain"
    folder = pathlib.Path(os.environ["SIXTEEN_TRAINED"], kind)
    folder.mkdir(exist_ok=True)
    return str(folder)


def lines_from(version, program, *paths):
    """The lines of JSON that a program of ours prints, which finds no state; it must not complain."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        own = {"SIXTEEN_STATE": folder, "SIXTEEN_TRAINED": trained_by(version), "PYTHONUTF8": "1"}
        command = [PYTHONS[version], "-S", str(ROOT / "tests" / program), *map(str, paths)]
        options = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 3000}
        done = subprocess.run(command, env={**os.environ, **own}, **options)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]
