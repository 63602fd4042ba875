"""The commands of `python3 -m helpers`: open, test, run, show, reset."""

import argparse
import contextlib
import difflib
import errno
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from .lessons import course_state, previous_lesson
from .environment import ROOT, Problem, prepare
from .paste import paste_block, public_functions
from .readme import refresh
from .state import StateError, reset, save_state

NOTEBOOKS = ROOT / "notebooks"
PROGRAM = ("py" if os.name == "nt" else "python3") + " -m helpers"
FIRST_PORT, PORTS = 8888, 100
CELL_TIMEOUT = 120
# Jupyter takes a moment until it handles Ctrl-C; until then it must not answer with a traceback.
START_LAB = """\
import os, signal, sys
signal.signal(signal.SIGINT, lambda *_: os._exit(0))
from jupyterlab.labapp import main
sys.exit(main())
"""
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class Misuse(Problem):
    """The command line asks for something that does not exist."""


def main(arguments=None):
    """Do what the command line says; the result is the exit code: 0, 2 for a wrong command line, else 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    sys.stdout.reconfigure(errors="backslashreplace")  # an old console must not stop a command
    try:
        return run_command(arguments) or 0
    except Misuse as misuse:
        code, sentence = 2, misuse
    except (Problem, StateError, OSError) as problem:
        code, sentence = 1, problem
    except KeyboardInterrupt:
        code, sentence = 1, "Stopped."
    print(sentence, file=sys.stderr)
    return code


def run_command(arguments):
    parser = command_line()
    if not arguments:
        return parser.print_help()
    name, rest = arguments[0], arguments[1:]
    if not name.startswith("-") and name not in COMMANDS:
        raise unknown("command", name, list(COMMANDS))
    if name == "test" and rest[:1] not in (["-h"], ["--help"]):
        return test(rest)  # everything after it is pytest's, options too
    options = parser.parse_args(arguments)
    return options.do(options)


def command_line():
    parser = argparse.ArgumentParser(prog=PROGRAM, description="The commands of the course.")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name, (do, summary, add_arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        add_arguments(command)
        command.set_defaults(do=do)
    return parser


def unknown(kind, name, known):
    """The error for a name that does not exist, with the names that look like it."""
    near = difflib.get_close_matches(name, known, cutoff=0.5) or [k for k in known if name in k]
    likely, all_of_them = " or ".join(near), ", ".join(known)
    hint = f"did you mean {likely}?" if near else f"there are {all_of_them}."
    return Misuse(f"There is no {kind} {ascii(name)}; {hint}")


# --- lessons


def lessons():
    return sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]*_*.ipynb"))


def find_lesson(asked):
    """The lesson that is meant by "01", "1", its name, its file or a part that only one name has."""
    known = lessons()
    name = Path(asked).name
    name = name[: -len(".ipynb")] if name.endswith(".ipynb") else name
    if name in known:
        return name
    numbered = [k for k in known if name.isdecimal() and k.partition("_")[0].lstrip("0") == name.lstrip("0")]
    found = numbered or [k for k in known if name.lower() in k]
    if len(found) == 1:
        return found[0]
    if found:
        raise Misuse(f"{asked!a} fits several lessons: {', '.join(found)}.")
    raise unknown("lesson", asked, known)


# --- open


def open_lab(options):
    """Start JupyterLab on a lesson, and stay until it is stopped."""
    lesson = find_lesson(options.lesson)
    port = chosen_port(options.port)
    python = prepare()
    command = [python, "-c", START_LAB, f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/lab/tree/notebooks/{lesson}.ipynb"]
    command += ["--log-level=ERROR", "--LabApp.log_level=ERROR"]  # what remains is the address
    command += ["--ServerApp.answer_yes=True"]  # one Ctrl-C is enough
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    if options.no_browser:
        command.append("--no-browser")
    print(f"Starting JupyterLab at port {port}. To stop it, press Ctrl-C here.", flush=True)
    code = run_child(command)
    if code == 0:
        print("JupyterLab has stopped.")
    return code


def chosen_port(asked):
    """The port asked for, or the first free one; Problem when there is none."""
    if asked is not None:
        if not is_free(asked):
            raise Problem(f"Port {asked} is taken or not allowed: give another one, or leave --port out.")
        return asked
    for port in range(FIRST_PORT, FIRST_PORT + PORTS):
        if is_free(port):
            if port != FIRST_PORT:
                print(f"Port {FIRST_PORT} is taken (another JupyterLab, perhaps): using {port}.")
            return port
    raise Problem(f"Ports {FIRST_PORT} to {port} are all taken: close a JupyterLab, or give --port.")


def is_free(port):
    """Whether a server can listen at a port of this machine, by every address that "localhost" has."""
    for family, kind, protocol, _, address in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM):
        try:
            with socket.socket(family, kind, protocol) as probe:
                if os.name != "nt":  # there it would allow a port that is taken
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):  # no IPv6 on this machine
                return False
    return True


def port_number(text):
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


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


# --- test


def test(arguments):
    """Run pytest with the environment's Python; what is tested without arguments stands in .pytest.ini."""
    python = prepare()
    with tempfile.TemporaryDirectory() as state:  # a learner's own state is neither used nor changed
        environment = dict({"SIXTEEN_STATE": state}, **os.environ)
        return run_child([python, "-m", "pytest", "--nbval", *arguments], env=environment)


# --- run


def run_lessons(options):
    """Execute lessons in the order of the course and record their outputs in place."""
    chosen = sorted({find_lesson(asked) for asked in options.lessons}) or lessons()
    python = prepare()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SIXTEEN_STATE"] = str(Path(folder, "state"))  # for us and for the kernels
        for done, lesson in enumerate(chosen):
            print(f"Running {lesson}", flush=True)
            provide_state(lesson, chosen[:done])
            record(lesson, execute(python, lesson, Path(folder)))
    refresh(ROOT)


def provide_state(lesson, done):
    """Leave what the lesson before would have left: run alone or in sequence, a lesson records the same."""
    try:
        before = starts_from(lesson)
    except ValueError:
        raise Problem(f"{lesson} is not in LESSONS of helpers/course.py: add it there first.") from None
    if before and before not in done:
        with contextlib.redirect_stdout(io.StringIO()):
            save_state(before, course_state(before))


def starts_from(lesson):
    """The lesson whose state this one loads; a notebook of variants, 06b, loads that of its lesson, 06."""
    number = lesson.partition("_")[0]
    return previous_lesson(lesson) if number.isdecimal() else find_lesson(number[:2])


def execute(python, lesson, folder):
    """The executed notebook; Problem, naming the cell, when one raises."""
    command = [python, "-m", "nbconvert", "--to=notebook", "--execute", "--allow-errors"]
    command += ["--ExecutePreprocessor.record_timing=False", "--ExecutePreprocessor.kernel_name=python3"]
    command += [f"--ExecutePreprocessor.timeout={CELL_TIMEOUT}"]
    command += ["--log-level=ERROR", f"--output-dir={folder}", f"--output={lesson}"]
    command.append(str(NOTEBOOKS / (f"{lesson}.ipynb")))
    done = subprocess.run(command, cwd=str(ROOT), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
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


def record(lesson, notebook):
    """Write an executed notebook as JupyterLab would: its kernel and its layout, no timing."""
    notebook["metadata"]["kernelspec"] = KERNEL
    for cell in notebook["cells"]:
        cell["metadata"].pop("execution", None)
        if "outputs" in cell:
            cell["outputs"] = merge_streams(cell["outputs"])
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True, separators=(",", ": ")) + "\n"
    path = NOTEBOOKS / (f"{lesson}.ipynb")
    temporary = path.with_suffix(".part")
    try:
        temporary.write_bytes(text.encode("utf-8"))
        os.replace(str(temporary), str(path))
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


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


# --- show and reset


def show(options):
    """Print functions so that they can be pasted; without a name, the names of those there are."""
    known = public_functions()
    for name in options.names:
        if name not in known:
            raise unknown("function to show named", name, known)
    print(paste_block(options.names, options.checked).rstrip() if options.names else "\n".join(known))


def reset_state(options):
    print(reset(options.lesson and find_lesson(options.lesson)))


# --- what the command line takes


def open_arguments(parser):
    which = "01, 1 or a part of its name; default: 00"
    parser.add_argument("lesson", nargs="?", default="00", metavar="LESSON", help=which)
    parser.add_argument("--port", type=port_number, help=f"default: the first free one from {FIRST_PORT}")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def test_arguments(parser):
    parser.usage = "%(prog)s [pytest arguments ...]"
    parser.epilog = "Paths are seen from the project folder. Example: test -x tests/test_state.py"


def run_arguments(parser):
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all of them")


def show_arguments(parser):
    parser.add_argument("names", nargs="*", metavar="NAME", help="a function; default: list them all")
    checked = "with what they say about their arguments, and the checks of it"
    parser.add_argument("--checked", action="store_true", help=checked)


def reset_arguments(parser):
    which = "forget this lesson and the later ones; default: all of them"
    parser.add_argument("lesson", nargs="?", metavar="LESSON", help=which)


COMMANDS = {
    "open": (open_lab, "open the course in JupyterLab", open_arguments),
    "test": (test, "run every test and every cell of every notebook", test_arguments),
    "run": (run_lessons, "for authors: execute notebooks and record their outputs in place", run_arguments),
    "show": (show, "print functions with all they need, ready to be pasted", show_arguments),
    "reset": (reset_state, "go back to the course's own state", reset_arguments),
}
