"""`python3 -m helpers run`: execute lessons and record their outputs in place."""

import contextlib
import glob
import io
import json
import subprocess

from ..exercises.folds import refresh_solutions
from ..state.files import write_once
from ..state.load_and_save import save_state
from ..state.registry import course_state, starts_from
from . import teaching
from .answers import page_text
from .environment import ROOT, Problem, child_environment, prepare
from .names import NOTEBOOKS, Misuse, find_lesson, lesson_stems
from .readme import refresh_readme
from .subprocesses import START, state_of_its_own

CELL_TIMEOUT = 1800  # seconds: lesson 16 trains for two minutes, and longer on a busy machine
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def run_lessons(options):
    """Execute lessons in the order of the course; record their outputs and write the solutions, in place."""
    if options.without_solutions is not None:
        if options.lessons:
            raise Misuse("--without-solutions copies all lessons: leave the others out.")
        return teaching.hand_out(options.without_solutions)
    chosen = sorted({find_lesson(asked) for asked in options.lessons}) or lesson_stems()
    python = prepare()
    with state_of_its_own() as folder:
        for done, lesson in enumerate(chosen):
            print(f"Running {lesson}", flush=True)
            provide_state(lesson, chosen[:done])
            before = outputs_of(lesson)
            write_notebook(lesson, refresh_solutions(execute(python, lesson, folder)))
            tell_changes(before, outputs_of(lesson))
    refresh_readme(ROOT)
    teaching.refresh_teaching(ROOT)


def provide_state(lesson, done):
    """Leave what the lesson before would have left: run alone or in sequence, a lesson records the same."""
    before = starts_from(lesson)
    if before and before not in done:
        with contextlib.redirect_stdout(io.StringIO()):
            save_state(before, course_state(before, trained=True))


def execute(python, lesson, folder):
    """The executed notebook; Problem, naming the cell, when one raises."""
    command = [python, START, "nbconvert", "--to=notebook", "--execute", "--allow-errors"]
    command += ["--ExecutePreprocessor.record_timing=False", "--ExecutePreprocessor.kernel_name=python3"]
    command += [f"--ExecutePreprocessor.timeout={CELL_TIMEOUT}"]
    command += ["--log-level=ERROR", f"--output-dir={folder}", f"--output={lesson}"]
    command.append(glob.escape(str(NOTEBOOKS / f"{lesson}.ipynb")))  # nbconvert takes a name for a pattern
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    done = subprocess.run(command, cwd=str(ROOT), env=child_environment(), **pipes)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason was given"]
        raise Problem(f"{lesson} could not be run, and is left as it was: {said[-1]}")
    notebook = json.loads((folder / (f"{lesson}.ipynb")).read_text(encoding="utf-8"))
    raise_first_error(lesson, notebook)
    return notebook


def raise_first_error(lesson, notebook):
    code_cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code_cells, 1):
        errors = [output for output in cell["outputs"] if output["output_type"] == "error"]
        if errors:
            what = "{ename}: {evalue}".format(**errors[0])
            raise Problem(f"{lesson}, code cell {number} raises {what}; the notebook is left as it was.")


def write_notebook(lesson, notebook):
    """Write an executed notebook as JupyterLab would: its kernel and its layout, no timing."""
    notebook["metadata"]["kernelspec"] = KERNEL
    for cell in notebook["cells"]:
        cell["metadata"].pop("execution", None)
        if "outputs" in cell:
            cell["outputs"] = merge_streams(cell["outputs"])
    path = NOTEBOOKS / f"{lesson}.ipynb"
    try:
        write_once(path, page_text(notebook).encode("utf-8"))
    except OSError as error:
        what = f"{path} cannot be written ({error.strerror})"
        raise Problem(f"{what}: allow writing there, or work in a copy of your own.") from None


def outputs_of(lesson):
    """{cell: what it shows} of a recorded lesson; the counter of a cell's runs is left out."""
    cells = json.loads((NOTEBOOKS / f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = {i: cell["outputs"] for i, cell in enumerate(cells) if cell["cell_type"] == "code"}
    return {i: [{**each, "execution_count": None} for each in outputs] for i, outputs in shown.items()}


def tell_changes(before, after):
    changed = [str(i) for i, outputs in after.items() if before.get(i) != outputs]
    print(f"  outputs changed in cells {', '.join(changed)}, from 0" if changed else "  no output changed")


def merge_streams(outputs):
    """One output for what was printed in one go, however many messages it came in."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            last["text"] = "".join(last["text"] + output["text"]).splitlines(keepends=True)
        else:
            merged.append(output)
    return merged


def run_arguments(parser):
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all of them")
    copied = "run nothing; copy the course there, its notebooks without solutions"
    parser.add_argument("--without-solutions", metavar="FOLDER", help=copied)
