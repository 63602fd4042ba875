"""Programs that the commands start: how they are started and waited for, and where they keep their states."""

import contextlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from .environment import ROOT

START = str(Path(__file__).with_name("start.py"))  # what the environment's Python runs


@contextlib.contextmanager
def signals_left_to(children):
    """While it lasts, Ctrl-C is left to the children, who get it too; a request to end is passed on to
    them."""
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: [child.terminate() for child in children])
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def run_child(command, **options):
    """Run a program in the project folder and give back its exit code; Ctrl-C is left to the program."""
    children = []
    with signals_left_to(children):
        children.append(subprocess.Popen(command, cwd=str(ROOT), **options))
        return exit_code(children[0])


def exit_code(child):
    code = child.wait()
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
