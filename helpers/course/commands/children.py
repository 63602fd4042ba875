"""Programs that the commands start: what they run first, and where they keep their states."""

import contextlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from .environment import ROOT

# Child processes run this first. A file in the project's folder must not shadow one of Python's modules.
# Ctrl-C must not print a traceback before Jupyter or pytest handles it. The notebook validator imports
# rfc3987_syntax where it is installed, which spends three seconds on a grammar that is never used.
START = """\
import os, signal, sys
sys.modules["rfc3987_syntax"] = None
sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]
signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
"""


def run_child(command, **options):
    """Run a program in the project folder and give back its exit code; Ctrl-C is left to the program."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with subprocess.Popen(command, cwd=str(ROOT), **options) as child:
            signal.signal(signal.SIGTERM, lambda *_: child.terminate())
            code = child.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 1


@contextlib.contextmanager
def state_of_its_own():
    """A folder for the states, for us and for the kernels: a reader's own are neither used nor changed."""
    before = os.environ.get("SIXTEEN_STATE")
    with tempfile.TemporaryDirectory(
        ignore_cleanup_errors=True
    ) as folder:  # Windows: a kernel may still hold a file
        os.environ["SIXTEEN_STATE"] = str(Path(folder, "state"))
        try:
            yield Path(folder)
        finally:
            os.environ.pop("SIXTEEN_STATE")
            if before is not None:
                os.environ["SIXTEEN_STATE"] = before
