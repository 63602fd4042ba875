"""Several processes find out together what one would, and none of it is lost."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

CONFTEST = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests")!r}]
import beside
beside.PROCESSES = 2

def pytest_configure(config):
    beside.share_the_work(config)
"""
ALONE = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # no notebooks here
# The first file waits for the other process, which takes a file meanwhile.
WAITS = """
import os, pathlib, time

def test_a():
    while not pathlib.Path("other").exists():
        time.sleep(0.02)
    assert pathlib.Path("other").read_text() != str(os.getpid())
"""
MEETS = """
import os, pathlib, warnings

def test_a():
    pathlib.Path("other").write_text(str(os.getpid()))
    warnings.warn("mind this")

def test_b():
    {}
"""


@pytest.mark.parametrize("does, code, told", [
    ("pass", 0, [" 14 passed, 1 warning in ", "UserWarning: mind this"]),
    ("assert 3 + 4 == 8", 1, [" 1 failed, 13 passed, 1 warning in ", "test_1.py::test_b - assert (3 + 4) == 8"]),
    ("print('gone', flush=True), os._exit(0)", 1, ["tests have not run, ", " 12 passed in "]),
])  # fmt: skip
def test_what_another_process_finds_out_counts(tmp_path, does, code, told):
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    for i in range(13):
        source = WAITS if i == 0 else MEETS.format(does) if i == 1 else "def test_a():\n    pass"
        (tmp_path / f"test_{i:x}.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, env=ALONE, capture_output=True, text=True, timeout=120)
    assert done.returncode == code
    for line in told:
        assert line in done.stdout


def test_a_name_that_another_process_cannot_know_is_refused(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    for i in range(13):
        source = "import pytest\n\n@pytest.mark.parametrize('f', [lambda: 3], ids=str)\ndef test_a(f):\n    pass"
        (tmp_path / f"test_{i:x}.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, env=ALONE, capture_output=True, text=True, timeout=120)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "test_0.py::test_a[<function <lambda> at 0x" in done.stderr + done.stdout
