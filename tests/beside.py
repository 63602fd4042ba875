"""The whole suite in several processes, which take its files by turns, so that every core is busy to the end.

Each process collects all tests. A file belongs to the one that is first to make a folder for it, and the notebooks, which
hand a state on, count as one file. What the others find out they leave in those folders, and the first shows and counts it
as its own. A few files alone, or tests that are looked at one by one, run in one process as ever.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import pytest

from helpers.course.commands import START_PYTEST

PROCESSES = min(os.cpu_count() or 1, 4)
WORTH_IT = 10  # files: the others need a moment to collect them
VARIABLE = "SIXTEEN_BESIDE"  # where the others find the folder of folders
LONGEST = ["notebooks", "test_notebooks.py", "test_pythons.py", "test_play.py", "test_commands.py", "test_environment.py"]
TOGETHER = {"test_exercises.py": "test_notebooks.py"}  # both look at what each lesson shows when it is opened first


def by_file(items):
    """{name: its tests}, what takes longest first."""
    found = {name: [] for name in LONGEST}
    for item in items:
        name = "notebooks" if item.path.suffix == ".ipynb" else item.path.name
        found.setdefault(TOGETHER.get(name, name), []).append(item)
    return {name: tests for name, tests in found.items() if tests}


def took(place):
    """Whether we are the first to ask for this file."""
    try:
        place.mkdir()
    except FileExistsError:
        return False
    return True


def run(session, tests):
    """One file after another, each taken down before the next."""
    for item, following in zip(tests, [*tests[1:], None]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)


def start(config, folder):
    """Another process, with our arguments, that takes what we do not."""
    arguments = config.invocation_params
    environment = {**os.environ, VARIABLE: str(folder)}
    with (folder / f"{time.monotonic_ns()}.txt").open("wb") as said:
        command = [sys.executable, "-c", START_PYTEST, *map(str, arguments.args)]
        return subprocess.Popen(command, cwd=arguments.dir, env=environment, stdout=said, stderr=said, stdin=subprocess.DEVNULL)


class First:
    """The process that was asked for: it starts the others, and says what all have found out."""

    def __init__(self, config):
        self.config, self.reported = config, set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        option, files = session.config.option, by_file(session.items)
        looked_at = option.collectonly or option.usepdb or option.capture == "no"
        if looked_at or session.testsfailed or PROCESSES == 1 or len(files) < WORTH_IT:
            return None  # as ever
        for item in session.items:
            if " at 0x" in item.nodeid:
                raise pytest.UsageError(f"{item.nodeid} has another name in each process: give it an id without an address")
        self.folder, self.others = pathlib.Path(tempfile.mkdtemp(prefix="beside-")), []
        try:
            self.share(session, files)
        finally:
            self.stop()
        return True

    def share(self, session, files):
        took(self.folder / next(iter(files)))  # ours before there is another
        self.others += [start(self.config, self.folder) for _ in range(PROCESSES - 1)]
        for i, (name, tests) in enumerate(files.items()):
            if i == 0 or took(self.folder / name):
                run(session, tests)
                self.hear(session)
        while any([other.poll() is None for other in self.others]):
            self.hear(session)
            time.sleep(0.05)
        self.hear(session)
        missing = [item.nodeid for item in session.items if item.nodeid not in self.reported]
        if missing:
            said = "\n".join(path.read_text(encoding="utf-8", errors="replace")[-2000:] for path in self.folder.glob("*.txt"))
            session.shouldfail = f"{len(missing)} tests have not run, {missing[0]} the first of them: {said}"
            raise session.Failed(session.shouldfail)

    def hear(self, session):
        """Say what the others have finished since."""
        for path in sorted(self.folder.glob("*/*.json")):
            entries = json.loads(path.read_text(encoding="utf-8"))
            path.unlink()
            for kind, data in entries:
                getattr(self, kind)(data)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)

    def report(self, data):
        hook = self.config.hook
        report = hook.pytest_report_from_serializable(config=self.config, data=data)
        hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        hook.pytest_runtest_logreport(report=report)

    def warning(self, data):
        text, nodeid, when = data
        message = warnings.WarningMessage(text, UserWarning, nodeid, 0)
        told = {"warning_message": message, "when": when, "nodeid": nodeid, "location": None}
        self.config.hook.pytest_warning_recorded.call_historic(kwargs=told)

    def pytest_runtest_logreport(self, report):
        self.reported.add(report.nodeid)

    def stop(self):
        """Where the tests were stopped early the others stop as after a Ctrl-C: with what they have started."""
        for other in self.others:
            if other.poll() is None:
                other.terminate() if os.name == "nt" else other.send_signal(signal.SIGINT)
        for other in self.others:
            try:
                other.wait(10)
            except subprocess.TimeoutExpired:
                other.kill()
                other.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Another:
    """A process beside the first: what it finds out in a file, it leaves in the file's folder."""

    def __init__(self, config, folder):
        self.config, self.folder, self.parent, self.entries = config, folder, os.getppid(), []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        for name, tests in by_file(session.items).items():
            if took(self.folder / name):
                try:
                    run(session, tests)
                finally:
                    self.leave(name)
        return True

    def leave(self, name):
        """Complete at once, for the first looks at any moment."""
        unfinished = self.folder / name / "unfinished"
        unfinished.write_text(json.dumps(self.entries), encoding="utf-8")
        unfinished.replace(self.folder / name / "found.json")
        self.entries = []

    def pytest_runtest_logreport(self, report):
        if os.getppid() != self.parent:
            pytest.exit("the process that asked for the tests has gone")
        self.entries.append(("report", self.config.hook.pytest_report_to_serializable(config=self.config, report=report)))

    def pytest_warning_recorded(self, warning_message, when, nodeid):
        self.entries.append(("warning", (str(warning_message.message), nodeid, when)))


def share_the_work(config):
    folder = os.environ.pop(VARIABLE, None)  # our own children are nobody's others
    config.pluginmanager.register(Another(config, pathlib.Path(folder)) if folder else First(config), "beside")
    return folder
