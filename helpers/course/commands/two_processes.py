"""What the test command starts: pytest in one process, or in two at a time whose results are added up."""

import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from ..state.registry import notebook_paths
from .environment import ROOT

# The first process takes Part I's notebooks and these tests, the second everything else, so that both
# take about as long. The tests that open each lesson first stand together, because they share what they
# find out.
FIRST = ["course/commands", "course/exercises", "course/state", "pages"]
PART_II = "12"
ONE_PROCESS = ("-s", "--capture=no", "--pdb", "--trace", "--collect-only", "--co", "--markers", "--version")
REPORT = ("--junitxml", "--junit-xml")  # pytest has both names
INTERRUPTED, NO_TESTS = 2, 5  # pytest's exit codes


def pytest_arguments(arguments, lessons):
    """The arguments of each pytest process: for the tests of some lessons, for all, or for the paths
    named."""
    notebooks = [f"notebooks/{lesson}.ipynb" for lesson in lessons]
    names = [f"--lesson={lesson}" for lesson in lessons]
    halves = [notebooks, ["tests", *names]] if lessons else halves_of_all()
    if not (ROOT / "tests").is_dir():  # a copy made by --without-solutions
        return [[*notebooks, *(argument for argument in arguments if argument != "--all")]]
    if any(is_path(argument) for argument in arguments):
        return [[*notebooks, *arguments]]
    if os.cpu_count() == 1 or any(argument in ONE_PROCESS for argument in arguments) or not all(halves):
        return [[*notebooks, "tests", *names, *arguments] if lessons else arguments]
    kept = [argument for argument in arguments if argument != "--all"] if lessons else arguments
    return [[*halves[0], *kept], [*halves[1], *arguments]]


def halves_of_all():
    """No file of tests is named in them: of one that is named, all tests run."""
    early, late = [], []
    for path in notebook_paths(ROOT / "notebooks"):
        (early if path.name < PART_II else late).append(f"notebooks/{path.name}")
    early += [f"tests/{name}" for name in FIRST]
    return [early, [*late, "tests", *(f"--ignore=tests/{name}" for name in FIRST)]]


def is_path(argument):
    """Whether an argument names a file or a folder of tests, seen from the project folder."""
    return not argument.startswith("-") and (ROOT / argument.partition("::")[0]).exists()


def without_report(arguments):
    """(The arguments without the name of a report, that name or None.)"""
    kept, name, rest = [], None, iter(arguments)
    for argument in rest:
        option, equals, value = argument.partition("=")
        if option in REPORT:
            name = value if equals else next(rest, None)
        else:
            kept.append(argument)
    return kept, name


def run_both(start, asked, folder, environments):
    """Run two pytest processes at a time, show what the first prints, then what the second has printed;
    the exit code.

    start: the beginning of the command; asked: the arguments of each; folder: for what they write down.
    """
    began = time.monotonic()
    reports = [folder / f"report_{i}.xml" for i in range(2)]
    stripped = [without_report(arguments) for arguments in asked]
    color = ["--color=yes"] if sys.stdout.isatty() else []
    commands = [
        [*start, *color, *arguments, f"--junitxml={report}"]
        for (arguments, _), report in zip(stripped, reports)
    ]
    printed = folder / "printed_by_the_second.txt"
    print("Two processes test at a time. This is the first; what the second says follows.", flush=True)
    with printed.open("wb") as output, signals_left_to([]) as children:
        options = {"cwd": str(ROOT), "stdin": subprocess.DEVNULL}
        children.append(subprocess.Popen(commands[0], env=environments[0], **options))
        children.append(
            subprocess.Popen(commands[1], env=environments[1], stdout=output, stderr=output, **options)
        )
        children[0].wait()
        print("\nThe second process:", flush=True)
        relay(printed, children[1])
    codes = [child.returncode or (0 if report.exists() else 1) for child, report in zip(children, reports)]
    suites = [suite for report in reports for suite in suites_of(report)]
    if stripped[0][1]:
        write_report(suites, ROOT / stripped[0][1])
    print("\n" + closing_line(suites, time.monotonic() - began), flush=True)
    return exit_code(codes)


class signals_left_to:
    """While it lasts, Ctrl-C is left to the children, who get it too; a request to end is passed on to
    them."""

    def __init__(self, children):
        self.children = children

    def __enter__(self):
        self.before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: [child.terminate() for child in self.children])
        return self.children

    def __exit__(self, *error):
        for name, handler in self.before.items():
            signal.signal(name, handler)


def relay(path, child):
    """Show what a process writes into a file, until it ends."""
    with path.open(encoding="utf-8", errors="replace") as file:
        ended = False
        while not ended:
            ended = child.poll() is not None  # asked before the file is read, so that no output is lost
            sys.stdout.write(file.read())
            sys.stdout.flush()
            time.sleep(0 if ended else 0.1)


def exit_code(codes):
    """Of both: 2 where one was interrupted, else the larger; a process without tests does not count."""
    counted = [code for code in codes if code != NO_TESTS]
    if not counted:
        return NO_TESTS
    return INTERRUPTED if INTERRUPTED in counted else max(code if code >= 0 else 1 for code in counted)


def suites_of(report):
    """The suites in a report; one with an error where a process has ended without a report."""
    try:
        return list(ElementTree.parse(report).getroot())
    except (OSError, ElementTree.ParseError):
        suite = ElementTree.Element("testsuite", name="pytest", tests="1", errors="1")
        case = ElementTree.SubElement(suite, "testcase", classname="pytest", name="process")
        ElementTree.SubElement(case, "error", message="pytest has ended without a report")
        return [suite]


def write_report(suites, path):
    root = ElementTree.Element("testsuites")
    root.extend(suites)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def closing_line(suites, seconds):
    """One line for all suites, as pytest ends with."""
    names = ("tests", "failures", "errors", "skipped")
    count = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in names}
    passed = count["tests"] - count["failures"] - count["errors"] - count["skipped"]
    named = {
        "failed": count["failures"],
        "passed": passed,
        "skipped": count["skipped"],
        "error": count["errors"],
    }
    said = ", ".join(f"{number} {name}" for name, number in named.items() if number) or "no tests ran"
    said = said.replace(" error", " errors") if count["errors"] > 1 else said
    return f" {said} in {seconds:.2f}s ".center(shutil.get_terminal_size().columns, "=")
