"""`python3 -m helpers grade FOLDER`: a class's notebooks, judged exercise by exercise.

A notebook is a program, and these were written by others. Nothing of theirs runs unless the teacher says
that this machine is a place for it; see .github/TEACHING.md. Then all notebooks are read before any runs.
The program starts again in a copy of the course. From there no command line, variable or folder leads to the
class or to the course. Each notebook runs in processes of its own.
"""

import contextlib
import csv
import functools
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from ..show.display import pluralized
from ..state.registry import notebook_paths
from .environment import ROOT, Problem
from .names import number_between
from .progress import answers_of_page

GRADED = re.compile(r'(?m)^[ \t]*grade\(\s*["\']([\d.\w]+)["\']\s*,')
PLACE = (
    "The notebooks in {} are programs that others have written, and grading runs them. Do that where "
    "nothing is to be lost: "
    '.github/TEACHING.md, "Collect and grade", describes such a place. There, add --here.'
)
OWN_ACCOUNT = (
    "The cells run under your account: they find neither the class nor the course by name, but a program "
    "that searches can read and change what you can. Only another account or a container keeps them apart."
)
NOBODY = "The cells run under the account nobody, which can change nothing of yours."
SECONDS = 120  # for each exercise
MAX_NOTEBOOK = 20_000_000  # bytes
MAX_SAID = 1_000_000  # bytes of verdicts from one process
MAX_TWINS = 2
MAX_LINE = 300  # characters
VERDICTS = ("passed", "wrong", "not tried", "stopped", "look")
HEADING = ["student", "notebook", "exercise", "verdict", "look", "the grader's sentence"]
TABLE = "grades.csv"
COPIED = ("helpers", "notebooks")
OWN = {"state", "models", ".ipynb_checkpoints"}  # folders in notebooks that are not of the course


def grade_class(options):
    """Judge every notebook below a folder; a table on the screen, and the same in grades.csv there."""
    folder = Path(options.folder).resolve()
    if not folder.is_dir():
        raise Problem(f"There is no folder {folder}: give the one with the notebooks of the class.")
    if not notebooks_below(folder):
        raise Problem(f"There is no notebook in {folder}, and no page of passed exercises.")
    if not options.here:
        raise Problem(PLACE.format(folder))
    if (folder / TABLE).is_dir() and not (folder / TABLE).is_symlink():
        raise Problem(f"{folder / TABLE} is a folder, and the table needs that name: move it away.")
    start_in_a_copy({"folder": str(folder), "course": str(ROOT), "seconds": options.seconds})


def start_in_a_copy(asked):
    """Go on as a program whose command line, variables and folder name neither the class nor the course."""
    place = tempfile.mkdtemp(prefix="course-")
    copy_course(ROOT, place)
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    command = [sys.executable, "-m", "helpers.course.commands.grade_class"]
    sys.stdout.flush()
    if os.name == "nt":  # there a program cannot be replaced, and waits for the other
        done = subprocess.run(command, cwd=place, env=environment(kept), input=json.dumps(asked).encode())
        sys.exit(done.returncode)
    end, begin = os.pipe()
    os.write(begin, json.dumps(asked).encode())
    os.close(begin)
    os.dup2(end, 0)
    os.chdir(place)
    os.execve(sys.executable, command, environment(kept))


def grade_arguments(parser):
    where = "where the notebooks are, in folders of their own or not"
    parser.add_argument("folder", metavar="FOLDER", help=where)
    here = "this machine is a place to run programs of strangers"
    parser.add_argument("--here", action="store_true", help=here)
    seconds = number_between("a time", 1, 3600)
    longest = "longest time for an exercise; default: %(default)s"
    parser.add_argument("--seconds", type=seconds, default=SECONDS, metavar="N", help=longest)


def environment(variables):
    return {**variables, "PYTHONUTF8": "1"}


# --- files: links and pipes are never followed or opened


def notebooks_below(folder):
    """The paths of all files that look like notebooks or pages of passed exercises, whatever they are."""
    found = []
    for place, _, names in os.walk(folder):
        if ".ipynb_checkpoints" not in Path(place).parts:
            found += [Path(place, name) for name in names if name.endswith((".ipynb", ".html"))]
    return sorted(found)


def read_notebook(path):
    """The sources of a notebook's cells of code; ValueError, saying what it is, for anything else.

    The cells of a page that `progress --html` has written are the functions that passed.
    """
    try:
        data = read_regular_file(path)
        if path.suffix == ".html":
            return answers_of_page(data.decode("utf-8"))
        cells = json.loads(data.decode("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        return [source.encode("utf-8", "replace").decode() for source in code]
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None
    except (UnicodeError, json.JSONDecodeError, LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError("it is no notebook") from None


def read_regular_file(path):
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise ValueError("it is no file of its own, but a link or a pipe")
    with open(os.open(path, os.O_RDONLY | NOT_FOLLOWED), "rb") as file:
        data = file.read(MAX_NOTEBOOK + 1)
    if len(data) > MAX_NOTEBOOK:
        raise ValueError(f"it holds more than {MAX_NOTEBOOK:,} bytes")
    return data


NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def copy_course(source, place):
    """A copy of the course that cannot be written to, without anybody's own notebooks and states."""
    own = shutil.ignore_patterns(*OWN, "my_*")
    for name in COPIED:
        skip = own if name == "notebooks" else None
        shutil.copytree(Path(source, name), Path(place, name), ignore=skip)
    for path in [Path(place), *Path(place).rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def remove_copy(place):
    for path in [Path(place), *Path(place).rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(place, ignore_errors=True)


def digest(course):
    """A fingerprint of the programs and lessons of a course."""
    found = hashlib.sha256()
    paths = [path for name in COPIED for path in Path(course, name).rglob("*.*")]
    for path in sorted(paths):
        parts = path.relative_to(course).parts
        own = path.name.startswith("my_") or not OWN.isdisjoint(parts[1:2])
        if path.suffix in (".py", ".ipynb") and not own and path.is_file():
            found.update("/".join(parts).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


# --- what the notebooks hold


@functools.lru_cache(maxsize=None)
def exercises_of(lesson):
    """{number: source of its stub} of a lesson."""
    return {number: source for source in read_notebook(lesson) for number in GRADED.findall(source)}


def answers_in(sources):
    """{number: source of the cell that grades it}; the last one counts. Nothing is run."""
    return {number: source for source in sources for number in GRADED.findall(source)}


def lesson_of(answers):
    """The lesson whose exercises a notebook has: the one that shares the most; None if none shares any."""
    lessons = notebook_paths(ROOT / "notebooks")
    best = max(lessons, key=lambda lesson: len(exercises_of(lesson).keys() & answers.keys()))
    return best if exercises_of(best).keys() & answers.keys() else None


def handed_in(folder, path):
    """What a file holds: a notebook, or of a page of passed exercises a notebook for each lesson."""
    notebook = Notebook(folder, path)
    if path.suffix != ".html":
        return [notebook]
    lessons = notebook_paths(ROOT / "notebooks")
    met = [lesson for lesson in lessons if exercises_of(lesson).keys() & notebook.answers.keys()]
    return [Notebook(folder, path, lesson) for lesson in met]


def student_of(path):
    """A student's name: the folder in which the notebook lies, or the notebook's own name."""
    return path.parts[0] if len(path.parts) > 1 else path.stem


class Notebook:
    """A notebook that was handed in: whose it is, its cells, answers and lesson, or why it has none."""

    def __init__(self, folder, path, lesson=None):
        self.path = path.relative_to(folder)
        self.student = student_of(self.path)
        self.cells, self.answers, self.lesson, self.problem = [], {}, None, ""
        try:
            self.cells = read_notebook(path)
            self.answers = answers_in(self.cells)
            self.lesson = lesson or lesson_of(self.answers)
            self.problem = "" if self.lesson else "no lesson of the course"
        except ValueError as error:
            self.problem = str(error)

    def remarks(self, others):
        """{number: what a teacher should look at}: imports of the grader's answers, an answer's twin."""
        given = read_notebook(self.lesson)
        imports = any("helpers.course" in source for source in self.cells if source not in given)
        found = {}
        for number in self.answers:
            twins = sorted({other.student for other in others if self.is_twin(other, number)})
            remarks = ["imports helpers.course"] * imports
            if len(twins) <= MAX_TWINS:  # an answer that many give is the usual one
                remarks += [f"same source as {harmless(name)}" for name in twins]
            found[number] = "; ".join(remarks)
        return found

    def is_twin(self, other, number):
        """Whether another student's answer is the same, but for white space, and is no untouched stub."""
        mine, theirs, stub = (
            "".join(answers.get(number, "").split())
            for answers in (self.answers, other.answers, exercises_of(self.lesson))
        )
        return other.student != self.student and mine == theirs != stub


# --- the table


def harmless(text):
    """A text in one line that neither a terminal nor a spreadsheet takes for a command."""
    line = " ".join(text.encode("utf-8", "backslashreplace").decode("utf-8").split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    line = line if len(line) <= MAX_LINE else line[: MAX_LINE - 1] + "…"
    return "'" + line if line[:1] in ("=", "+", "-", "@") else line


def write_table(folder, rows):
    """The whole table in a new file, which then takes the place of the old one, whatever that is."""
    text = io.StringIO()
    csv.writer(text).writerows([HEADING, *rows, *sums(rows)])
    descriptor, name = tempfile.mkstemp(prefix=".grades-", dir=folder)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="", errors="backslashreplace") as file:
            file.write(text.getvalue())
        os.chmod(name, 0o644)
        os.replace(name, Path(folder, TABLE))
    except BaseException:
        os.unlink(name)
        raise


def sums(rows):
    """A row for each student: how many exercises of the handed-in lessons are passed."""
    counted = {}
    for student, _, number, verdict, *_ in rows:
        if number:
            counted.setdefault(student, {}).setdefault(number, set()).add(verdict)
    for student, found in counted.items():
        passed = sum("passed" in verdicts for verdicts in found.values())
        yield [student, "", "sum", f"{passed} of {len(found)} passed", "", ""]


# --- the program in the copy


def go_on_in_copy():
    asked = json.load(sys.stdin)
    folder, course, copy = asked["folder"], asked["course"], str(ROOT)
    # Neither a student's cell nor a terminal that closes ends the whole; Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        judge_class(Path(folder), course, copy, asked["seconds"])
        return 0
    except KeyboardInterrupt:
        print(f"Stopped. What is judged is in {TABLE}.", file=sys.stderr)
    except (Problem, OSError) as problem:
        print(problem, file=sys.stderr)
    finally:
        os.chdir(tempfile.gettempdir())
        remove_copy(copy)
    return 1


def judge_class(folder, course, copy, seconds):
    """Judge all notebooks and write the table after each verdict. (Without a problem, something has run.)"""
    # all of them before any runs
    notebooks = [notebook for path in notebooks_below(folder) for notebook in handed_in(folder, path)]
    whole, account = digest(course), other_account()
    start = functools.partial(started_child, copy=copy, account=account)
    print(NOBODY if account else OWN_ACCOUNT, flush=True)
    rows = []
    for notebook in notebooks:
        first = len(rows)
        for number, verdict, look, text in verdicts_of(notebook, notebooks, start, seconds):
            whose = [harmless(notebook.student), harmless(notebook.path.as_posix())]
            rows.append([*whose, number, verdict, look, text])
            print("  ".join(part for part in rows[-1][1:] if part), flush=True)
            if not notebook.problem:
                write_table(folder, rows)
        if not notebook.problem and digest(copy) != whole:
            rows[first][4] = "; ".join(filter(None, [rows[first][4], "a cell changed the course's copy"]))
            write_table(folder, rows)
            renew_copy(course, copy, whole)
    write_table(folder, rows)
    for student, *_, passed, _, _ in sums(rows):
        print(f"{student}: {passed}")
    exercises = sum(bool(row[2]) for row in rows)
    files = len({notebook.path for notebook in notebooks})
    judged = f"{pluralized(files, 'notebook')}, {pluralized(exercises, 'exercise')}"
    print(f"{judged}; the table is {harmless(str(folder / TABLE))}.")
    if digest(course) != whole:
        raise Problem(CHANGED.format(course))


CHANGED = "The course in {} has changed while the notebooks ran: get it anew before you use it again."


def renew_copy(course, copy, whole):
    """A fresh copy in place of one that a cell has changed; a Problem if the course itself has changed."""
    if digest(course) != whole:
        raise Problem(CHANGED.format(course))
    for name in COPIED:
        Path(copy).chmod(0o755)
        remove_copy(Path(copy, name))
    copy_course(course, copy)


def verdicts_of(notebook, others, start, seconds):
    """(number, verdict, look, sentence) of each exercise of the lesson that a notebook is a copy of."""
    if notebook.problem:
        yield "", "cannot be read" if not notebook.answers else "look", "", notebook.problem
        return
    exercises, remarks = exercises_of(notebook.lesson), notebook.remarks(others)
    left = [number for number in exercises if number in notebook.answers]
    while left:
        for number, kind, text in said_by_child(notebook, left, start, seconds):
            yield number, kind, remarks[number], harmless(text)
            left.remove(number)
    for number in exercises:
        if number not in notebook.answers:
            yield number, "missing", "", ""


def said_by_child(notebook, numbers, start, seconds):
    """(number, kind, text) from a process that judges these exercises; the one that ends it is "stopped"."""
    token, left = secrets.token_hex(16), list(numbers)
    asked = {"token": token, "numbers": numbers, "cells": notebook.cells, "lesson": str(notebook.lesson)}
    with start(asked) as child:
        for line in lines_in_time(child, seconds):
            number, kind, text = verdict_in(line, token)
            if left and number == left[0] and kind in VERDICTS:
                left.pop(0)
                yield number, kind, text
        late = not has_ended(child)
    if left:
        why = f"it ran longer than {seconds} s" if late else "it ended its process"
        yield left[0], "stopped", why


def has_ended(child):
    try:
        child.wait(0.5)  # the pipe closes a moment before the process ends
    except subprocess.TimeoutExpired:
        return False
    return True


def verdict_in(line, token):
    """What a line of the child says; (None, None, None) for a line that the judge has not written."""
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        said, number, kind, text = json.loads(line)
        if said == token and type(kind) is str and type(text) is str:
            return number, kind, text
    return None, None, None


@contextlib.contextmanager
def started_child(asked, copy, account):
    """The process that judges, in a folder of its own, ended with all that it has started."""
    with tempfile.TemporaryDirectory(prefix="cells-", ignore_cleanup_errors=True) as place:
        if account:
            os.chown(place, account["user"], account["group"])
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        own = {"HOME": place, "TMPDIR": place, "TEMP": place, "SIXTEEN_STATE": str(Path(place, "state"))}
        command = [sys.executable, "-m", "helpers.course.commands.judge_notebook"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        variables = environment({**kept, **own, "PYTHONPATH": copy})
        child = subprocess.Popen(
            command, cwd=place, env=variables, start_new_session=True, **pipes, **account
        )
        try:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps(asked).encode())
                child.stdin.close()
            yield child
        finally:
            with contextlib.suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL) if hasattr(os, "killpg") else child.kill()
            child.wait()
            child.stdout.close()


def lines_in_time(child, seconds):
    """The lines that a process says, until it ends, is silent for too long or says too much."""
    lines, said = [], 0

    def read():
        while line := child.stdout.readline(MAX_SAID):
            lines.append(line)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    until = time.monotonic() + seconds
    while time.monotonic() < until and said < MAX_SAID:
        ended = not reader.is_alive() or child.poll() is not None
        if ended:
            reader.join(1)  # what is left in the pipe; a process that a cell has started may hold it open
        while lines:
            said += len(lines[0])
            until = time.monotonic() + seconds
            yield lines.pop(0)
        if ended:
            return
        reader.join(0.02)


def other_account():
    """The account nobody, where this program may change accounts and nobody can start Python; else {}."""
    with contextlib.suppress(ImportError, KeyError, OSError):
        import pwd

        nobody = pwd.getpwnam("nobody")
        account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        command = [sys.executable, "-c", "import json"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if os.geteuid() == 0 and subprocess.run(command, cwd="/", **quiet, **account).returncode == 0:
            return account
    return {}


if __name__ == "__main__":
    sys.exit(go_on_in_copy())
