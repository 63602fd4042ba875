"""`python3 -m helpers test`: the tests of the whole course, or of one lesson, in one process or in two."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from ..state.registry import lesson_names, lessons_through, notebook_paths, starts_from
from .environment import ROOT, child_environment, prepare
from .names import NOTEBOOKS, find_lesson
from .subprocesses import START, exit_code, run_child, signals_left_to, state_of_its_own

ROOMS = ("commands", "exercises", "lessons", "show", "state")
ABOUT_LESSONS = ["tests/pages", *(f"tests/course/{room}" for room in ROOMS)]  # tests of single lessons
ONE_PROCESS = ("-s", "--capture=no", "--pdb", "--trace", "--collect-only", "--co", "--markers", "--version")
ONE_PROCESS += ("--junitxml", "--junit-xml")  # two processes would write the same file
NO_TESTS = 5  # pytest's exit code
# Their cells train for a minute or more each, together as long as all other tests: --all runs them.
TRAIN_LONGEST = ("14c", "16", "16b", "20b", "22", "22b", "22c")


def run_tests(arguments):
    """Run pytest with the environment's Python on lessons, on what its arguments name, or on everything."""
    lessons, arguments = lessons_asked_for(arguments)
    parts = pytest_arguments(arguments, lessons)
    command = [prepare(), START, "pytest", "--nbval", *ignored(arguments)]
    with state_of_its_own() as folder:
        (folder / "trained").mkdir()  # both processes wait for a training once; see tests/notebooks.py
        environment = {**child_environment(), "SIXTEEN_TRAINED": str(folder / "trained")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a hundred processes import the helpers
        if len(parts) == 1:
            return run_child([*command, *parts[0]], env=environment)
        return run_both([[*command, *part] for part in parts], environment, folder)


def lessons_asked_for(arguments):
    """(The lessons that the first arguments name, the other arguments); a path or an option is pytest's."""
    count = 0
    while count < len(arguments) and not is_pytest_s(arguments[count]):
        count += 1
    return [find_lesson(asked) for asked in arguments[:count]], arguments[count:]


def is_pytest_s(argument):
    return argument.startswith("-") or is_path(argument) or any(mark in argument for mark in "/.:")


def is_path(argument):
    """Whether an argument names a file or a folder of tests, seen from the project folder."""
    return not argument.startswith("-") and (ROOT / argument.partition("::")[0]).exists()


def pytest_arguments(arguments, lessons):
    """The arguments of each pytest process: for the tests of some lessons, for all, or for the paths
    named."""
    notebooks = [f"notebooks/{lesson}.ipynb" for lesson in lessons]
    names = [f"--lesson={lesson}" for lesson in lessons]
    if not (ROOT / "tests").is_dir():  # a copy made by --without-solutions
        return [[*notebooks, *(argument for argument in arguments if argument != "--all")]]
    if any(map(is_path, arguments)):
        return [[*notebooks, *arguments]]
    one = os.cpu_count() == 1 or any(argument.partition("=")[0] in ONE_PROCESS for argument in arguments)
    if lessons:
        about = [*ABOUT_LESSONS, *names, *arguments]
        return [[*notebooks, *about]] if one else [[*notebooks, *arguments], about]
    if one:
        return [arguments]
    return [arguments, arguments]  # each takes the files that the other has not taken


def models_of_notebooks():
    """{notebook: the lesson that trains the model which it trains or loads}, where there is one."""
    trained = {f"notebooks/{path.name}": trained_by(path.stem) for path in notebook_paths(NOTEBOOKS)}
    return {name: lesson for name, lesson in trained.items() if lesson}


def trained_by(lesson):
    """The lesson that trains the model which this one trains or loads; None if there is none."""
    start = lesson if lesson in lesson_names() else starts_from(lesson)
    trained = [entry.name for entry in lessons_through(start) if entry.train] if start else []
    return trained[-1] if trained else None


def ignored(arguments):
    """Pytest's options to leave out a reader's own notebooks, unless they are named."""
    named = {Path(argument.partition("::")[0]).name for argument in arguments}
    own = set(NOTEBOOKS.glob("*.ipynb")) - set(notebook_paths(NOTEBOOKS))
    return [f"--ignore={path}" for path in sorted(own) if path.name not in named]


# --- two processes


def run_both(commands, environment, folder):
    """Run two pytest processes at a time, which share the files out; print what the first says, then what the
    second has said, then how many tests passed and failed in both. The exit code is the larger one."""
    of_lessons = commands[0] != commands[1]
    counts = [folder / f"counts_{i}" for i in range(2)]
    shared = folder / "shared"
    shared.mkdir()
    (shared / "groups.json").write_text(json.dumps(models_of_notebooks()), encoding="utf-8")
    color = ["--color=yes"] if sys.stdout.isatty() else []
    options = [*color, "--override-ini=console_output_style=classic"]  # no percentage of what both do
    commands = [
        [*command, *options, f"--counts={path}", f"{share}={shared}"]
        for command, path, share in zip(commands, counts, ("--share", "--share-from-end"))
    ]
    environments = [environment, {**environment, "SIXTEEN_STATE": str(folder / "other")}]
    print("Two processes test at a time. This is the first; what the second says follows.", flush=True)
    children, printed = [], folder / "printed_by_the_second.txt"
    with printed.open("wb") as output, signals_left_to(children):
        options = {"cwd": str(ROOT), "stdin": subprocess.DEVNULL}
        children.append(subprocess.Popen(commands[0], env=environments[0], **options))
        pipes = {"stdout": output, "stderr": output}
        children.append(subprocess.Popen(commands[1], env=environments[1], **pipes, **options))
        children[0].wait()
        print("\nThe second process:", flush=True)
        relay(printed, children[1])
    if "--all" not in commands[0] and not of_lessons:
        print(f"\nNot run without --all: the cells of lessons {', '.join(TRAIN_LONGEST)}.")
    passed, failed = map(sum, zip(*map(counts_in, counts)))
    print(f"\n{passed} passed, {failed} failed", flush=True)
    codes = [exit_code(child) for child in children]
    return code_of_both([code if path.exists() else code or 1 for code, path in zip(codes, counts)])


def relay(path, child):
    """Show what a process writes into a file, until it ends."""
    with path.open(encoding="utf-8", errors="replace") as file:
        ended = False
        while not ended:
            ended = child.poll() is not None  # asked before the file is read, so that no output is lost
            sys.stdout.write(file.read())
            sys.stdout.flush()
            time.sleep(0 if ended else 0.1)


def counts_in(path):
    """(passed, failed) as a process has written them; one that has ended before is a failure."""
    return map(int, path.read_text(encoding="utf-8").split()) if path.exists() else (0, 1)


def code_of_both(codes):
    """The larger code; a process that has found no test does not count, unless neither has."""
    return max((code for code in codes if code != NO_TESTS), default=NO_TESTS)


def test_arguments(parser):
    parser.usage = "%(prog)s [LESSON ...] [--all] [pytest arguments ...]"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = TEST_HELP


TEST_HELP = """\
test             the short tier, before a commit: the cells of the notebooks, but for five that train
                 longest, the mathematics, the exercises, the prose, the state, the commands
test --all       everything; CI runs it on one machine. In addition: every cell on every Python that this
                 machine has, a sample of mutants, the environment, the changes that a reader makes
test 05          one lesson (05, 5, 14b or a part of its name): its notebook, and every test about it
test PATH ...    files or folders, seen from the project folder; of a file that is named all tests run
test --slowest   also the seconds of each file

Anything else goes to pytest: -x stops at the first failure, -k WORD chooses by name, --junitxml=FILE reports.
Without a path, and with two cores, two pytest processes run at a time; the last line counts both.
"""
