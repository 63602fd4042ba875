"""A sample of the mutants of the mathematics: tests notice them, or survivors.txt says why not."""

import signal
import subprocess
import sys

import pytest

from notebooks import ROOT


@pytest.mark.all_only
@pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="mutate.py stops endless loops by a signal of Unix"
)
def test_the_tests_notice_a_sample_of_the_mutants():
    command = [sys.executable, ROOT / "tests/mutate.py", "--sample", "10"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stdout + finished.stderr
