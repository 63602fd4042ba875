"""`python3 -m helpers grade FOLDER`: a class's notebooks, judged exercise by exercise.

A notebook is a program, and these were written by others. Nothing of theirs runs unless the teacher says
that this machine is a place for it; see .github/TEACHING.md. What runs is the course's own lesson with
the student's cell in place of each stub, a notebook a process, in a copy of the course, without the
teacher's variables, for a limited time.
"""

import contextlib
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..state.registry import notebook_paths
from .environment import ROOT, Problem

GRADED = re.compile(r'(?m)^[ \t]*grade\(\s*["\']([\d.\w]+)["\']\s*,\s*(\w+)')
PLACE = (
    "The notebooks in {} are programs that others have written, and grading runs them. Do that where "
    "nothing is to be lost: "
    '.github/TEACHING.md, "Collect and grade", describes such a place. There, add --here.'
)
SECONDS, MEMORY = 300, 4 << 30
VERDICTS = ["passed", "wrong", "not tried", "stopped", "missing"]


def grade_class(folder, here):
    """Judge every notebook below a folder; a table on the screen, and the same in grades.csv there."""
    folder = Path(folder).resolve()
    paths = [path for path in sorted(folder.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]
    if not paths:
        raise Problem(f"There is no notebook in {folder}.")
    if not here:
        raise Problem(PLACE.format(folder))
    rows = []
    for path in paths:
        name = path.relative_to(folder).as_posix()
        for number, verdict in judged(path):
            rows.append([name, number, verdict])
            print(f"{name}  {number}  {verdict}", flush=True)
    with open(folder / "grades.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["notebook", "exercise", "verdict"], *rows])
    print(f"{len(paths)} notebooks, {len(rows)} exercises; the table is {folder / 'grades.csv'}.")


def judged(path):
    """(number, verdict) of each exercise of the lesson that a student's notebook is a copy of."""
    answers = answers_in(path)
    lesson = lesson_of(answers)
    if lesson is None:
        return [("", "no lesson of the course")]
    verdicts = judge_apart(lesson, answers)
    return [
        (number, verdicts.get(number, "stopped") if number in answers else "missing")
        for number in stubs(lesson)
    ]


def cells(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def answers_in(path):
    """{number: source of the cell that grades it}; the last one counts. Nothing is run."""
    try:
        return {number: source for source in cells(path) for number, _ in GRADED.findall(source)}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def stubs(lesson):
    return {number: source for source in cells(lesson) for number, _ in GRADED.findall(source)}


def lesson_of(answers):
    """The lesson whose exercises a notebook has: the one that shares the most."""
    shared = {path: len(stubs(path).keys() & answers.keys()) for path in notebook_paths(ROOT / "notebooks")}
    best = max(shared, key=shared.get)
    return best if shared[best] else None


def judge_apart(lesson, answers):
    """The verdicts from a process of its own, in a copy of the course that is thrown away."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        skip = shutil.ignore_patterns("__pycache__", "state", "my_*", ".ipynb_checkpoints")
        for name in ("helpers", "notebooks"):
            shutil.copytree(ROOT / name, Path(place, name), ignore=skip)
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
        environment = {**kept, "HOME": place, "SIXTEEN_STATE": str(Path(place, "state")), "PYTHONUTF8": "1"}
        command = [
            sys.executable,
            "-m",
            "helpers.course.commands.grade_class",
            str(Path(place, "notebooks", lesson.name)),
        ]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=place, env=environment, start_new_session=True, **pipes) as child:
            try:
                said, _ = child.communicate(json.dumps(answers).encode("utf-8"), timeout=SECONDS)
            except subprocess.TimeoutExpired:
                said = b""
            finally:
                end_group(child)
    with contextlib.suppress(ValueError, LookupError, AttributeError):
        found = json.loads(said.decode("utf-8").splitlines()[-1])
        return {number: verdict for number, verdict in found.items() if verdict in VERDICTS}
    return {}


def end_group(child):
    """The process and whatever it has started."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, 9) if hasattr(os, "killpg") else child.kill()


# --- in the process of its own


def limit():
    """Bounds for what a cell can use, where the system has them."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def judge(lesson, answers):
    """Run the lesson's own cells, and in place of each stub the student's cell; {number: verdict}."""
    from ..exercises.grade import grade  # before anything of the student's runs

    verdicts, names = {}, {"__name__": "__main__"}
    wanted = [
        i
        for i, source in enumerate(cells(lesson))
        for number, _ in GRADED.findall(source)
        if number in answers
    ]
    last = max(wanted)
    for source in cells(lesson)[: last + 1]:
        for number, _ in GRADED.findall(source):
            if number in answers:
                verdicts[number] = verdict(answers[number], number, names, grade)
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<lesson>", "exec"), names)
    return verdicts


def verdict(source, number, names, grade):
    """What the course's own grade says to the function of a student's cell, which sees the lesson's names."""
    theirs, told = dict(names), io.StringIO()
    name = dict(GRADED.findall(source))[number]
    theirs["grade"] = lambda *arguments, **named: None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<answer>", "exec"), theirs)
            function = theirs[name]
        with contextlib.redirect_stdout(told):
            grade(number, function)
    except BaseException:
        return "stopped"
    said = told.getvalue().partition(": ")[2]
    return next((word for word in ("passed", "not tried") if said.startswith(word)), "wrong")


def judge_in_child():
    limit()
    lesson, answers = Path(sys.argv[1]), json.load(sys.stdin)
    os.chdir(lesson.parent)
    told, sys.stdout = sys.stdout, io.StringIO()
    print(json.dumps(judge(lesson, answers)), file=told, flush=True)
    os._exit(0)


if __name__ == "__main__":
    judge_in_child()
