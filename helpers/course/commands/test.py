"""`python3 -m helpers test`: the tests of the whole course, or of one lesson."""

import argparse
import contextlib
import io
import shutil
from pathlib import Path

from ..state.load_and_save import save_state
from ..state.registry import course_state, is_trained, lesson_names, notebook_paths
from . import two_processes
from .children import START, run_child, state_of_its_own
from .environment import prepare, surroundings
from .names import NOTEBOOKS, find_lesson, lesson_stems

START_PYTEST = (
    START.replace("STOPPED", "2")
    + """\
import pytest
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "pytest"
try:
    sys.exit(pytest.main(plugins=PLUGINS))
except KeyboardInterrupt:
    sys.exit(2)
"""
)
# One of two processes prints no closing line, for that counts both, and no name of a report, for that is
# a part.
START_HALF = START_PYTEST.replace("PLUGINS", "[Half()]").replace(
    "try:",
    """\
class Half:
    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        config.pluginmanager.get_plugin("terminalreporter").summary_stats = lambda: None
    @pytest.hookimpl(wrapper=True)
    def pytest_terminal_summary(self, config):
        config.option.verbose, before = -1, config.option.verbose
        try:
            return (yield)
        finally:
            config.option.verbose = before
try:""",
)
START_PYTEST = START_PYTEST.replace("PLUGINS", "[]")


def run_tests(arguments):
    """Run pytest with the environment's Python on lessons, on what its arguments name, or on everything."""
    lessons, arguments = lessons_asked_for(arguments)
    parts = two_processes.pytest_arguments(arguments, lessons)
    python = prepare()
    with state_of_its_own() as folder:
        with contextlib.suppress(Exception):  # the tests say better what is wrong
            provide_states()
            shutil.copytree(folder / "state", folder / "other")
        (folder / "trained").mkdir()
        told = {"SIXTEEN_TESTED": str(folder), "SIXTEEN_TRAINED": str(folder / "trained")}
        environment = {**surroundings(), **told}
        options = ["--nbval", *ignored(arguments)]
        if len(parts) == 1:
            return run_child([python, "-c", START_PYTEST, *options, *parts[0]], env=environment)
        environments = [environment, dict(environment, SIXTEEN_STATE=str(folder / "other"))]
        return two_processes.run_both([python, "-c", START_HALF, *options], parts, folder, environments)


def lessons_asked_for(arguments):
    """(The lessons that the first arguments name, the other arguments); a path or an option is pytest's."""
    count = 0
    for asked in arguments:
        if (
            asked.startswith("-")
            or two_processes.is_path(asked)
            or "/" in asked
            or "::" in asked
            or "." in asked
        ):
            break
        count += 1
    return [find_lesson(asked) for asked in arguments[:count]], arguments[count:]


def provide_states():
    """Leave the states of all lessons, so that one notebook alone can be tested; all in order replace
    them one by one.

    What takes long to train is left to the notebook that trains it, or to the one that is opened first.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        for lesson in lesson_names():
            if not is_trained(lesson):
                save_state(lesson, course_state(lesson))


def ignored(arguments):
    """Pytest's options to leave out a reader's own notebooks, unless they are named."""
    named = {Path(argument.partition("::")[0]).name for argument in arguments}
    own = set(NOTEBOOKS.glob("*.ipynb")) - set(notebook_paths(NOTEBOOKS))
    return [f"--ignore={path}" for path in sorted(own) if path.name not in named]


def test_arguments(parser):
    parser.usage = "%(prog)s [LESSON ...] [--all] [pytest arguments ...]"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = TEST_HELP


TEST_HELP = """\
test             the short tier, before a commit: every cell of every notebook, the mathematics, the
                 exercises, the prose, the state, the commands
test --all       everything; CI runs it. In addition: tests of tests (near misses, mutations), every cell on
                 every Python that this machine has, the environment, the changes that a reader makes
test 05          one lesson (05, 5, 14b or a part of its name): its notebook, and every test about it
test PATH ...    files or folders, seen from the project folder; of a file that is named all tests run

Anything else goes to pytest: -x stops at the first failure, -k WORD chooses by name, --junitxml=FILE reports.
Without a path, and with two cores, two pytest processes run at a time; the last line counts both.
"""
