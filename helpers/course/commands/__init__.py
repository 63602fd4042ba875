"""The commands of `python3 -m helpers`: open, test, run, show, reset, say, grade, site."""

import argparse
import contextlib
import difflib
import errno
import glob
import io
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from . import teaching, testing
from .environment import ROOT, Problem, prepare, surroundings
from ..lessons.registry import (
    VARIANTS,
    course_state,
    is_trained,
    lesson_names,
    notebook_paths,
    starts_from,
)
from ..show.source import paste_block, public_functions
from .readme import refresh_readme
from ..lessons.state import save_state, start_over
from ..lessons.files import StateError, replace

NOTEBOOKS = ROOT / "notebooks"
PROGRAM = ("py" if os.name == "nt" else "python3") + " -m helpers"
FIRST_PORT, PORTS = 8888, 100
CELL_TIMEOUT = 120
# What our children run first: a file in the project's folder must not pass for one of Python's modules, and
# Ctrl-C must not be answered with a traceback before Jupyter, or pytest, takes care of it. And what checks
# notebooks imports rfc3987_syntax where it is installed, which takes three seconds to build a grammar that nobody asks.
START = """\
import os, signal, sys
sys.modules["rfc3987_syntax"] = None
sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]
signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
"""
# A token of ours and this machine alone, whatever a configuration says; the address with the token is printed.
# What passes between Jupyter and its kernels is encrypted, else each kernel begins with a warning.
START_LAB = START.replace("STOPPED", "0") + """\
import secrets, zmq
from jupyter_server.auth.identity import IdentityProvider
from jupyterlab.labapp import main
IdentityProvider.token_generated = True
sys.argv.append("--PasswordIdentityProvider.token=" + secrets.token_hex(24))
if zmq.has("curve"):
    sys.argv.append("--MappingKernelManager.transport_encryption=auto")
sys.exit(main())
"""
OURS_ALONE = ["--ServerApp.ip=127.0.0.1", "--ServerApp.allow_remote_access=False", "--ServerApp.sock="]
OURS_ALONE += ["--ServerApp.identity_provider_class=jupyter_server.auth.identity.PasswordIdentityProvider"]
OURS_ALONE += ["--PasswordIdentityProvider.hashed_password=", "--PasswordIdentityProvider.password_required=False"]
START_PYTEST = START.replace("STOPPED", "2") + """\
import pytest
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv[0] = "pytest"
try:
    sys.exit(pytest.main(plugins=PLUGINS))
except KeyboardInterrupt:
    sys.exit(2)
"""
# One of two processes prints no closing line, for that counts both, and no name of a report, for that is a part.
START_HALF = START_PYTEST.replace("PLUGINS", "[Half()]").replace("try:", """\
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
try:""")
START_PYTEST = START_PYTEST.replace("PLUGINS", "[]")
START_NBCONVERT = START.replace("STOPPED", "1") + """\
from nbconvert.nbconvertapp import main
sys.exit(main())
"""
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class Misuse(Problem):
    """The command line asks for something that does not exist."""


def main(arguments=None):
    """Do what the command line says; the result is the exit code: 0, 2 for a wrong command line, else 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    sys.stdout, sys.stderr = sys.stdout or open(os.devnull, "w"), sys.stderr or open(os.devnull, "w")
    sys.stdout.reconfigure(errors="backslashreplace")  # an old console must not stop a command
    try:
        code = run_command(arguments) or 0
        sys.stdout.flush()
        return code
    except Misuse as misuse:
        code, sentence = 2, misuse
    except BrokenPipeError:  # `show gelu | head -1` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
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
    return [path.stem for path in notebook_paths(NOTEBOOKS)]


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
    if (NOTEBOOKS / f"{name}.ipynb").exists():
        raise Misuse(
            f"{ascii(name)} is a notebook of your own: open it from JupyterLab's list of files. "
            "(A lesson of the course stands in LESSONS of helpers/course/lessons/registry.py.)"
        )
    raise unknown("lesson", asked, known)


# --- open


def open_lab(options):
    """Start JupyterLab on a lesson, and stay until it is stopped."""
    lesson = find_lesson(options.lesson)
    asked = options.port and chosen_port(options.port)  # refused before a set-up of a minute, not after
    python = prepare()
    port = asked or chosen_port(None)
    command = [python, "-c", START_LAB, f"--port={port}", "--ServerApp.port_retries=0", *OURS_ALONE]
    command += [f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/lab/tree/notebooks/{lesson}.ipynb"]
    command += ["--log-level=ERROR", "--LabApp.log_level=ERROR"]  # what remains is the address
    command += ["--ServerApp.answer_yes=True"]  # one Ctrl-C is enough
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    if options.no_browser:
        command.append("--no-browser")
    print(f"Starting JupyterLab at port {port}. To stop it, press Ctrl-C here.", flush=True)
    code = run_child(command, env=surroundings())
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
    """Run pytest with the environment's Python on lessons, on what its arguments name, or on everything."""
    lessons, arguments = lessons_asked_for(arguments)
    parts = testing.pytest_arguments(arguments, lessons)
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
        return testing.run_both([python, "-c", START_HALF, *options], parts, folder, environments)


def lessons_asked_for(arguments):
    """(The lessons that the first arguments name, the other arguments); a path or an option is pytest's."""
    count = 0
    for asked in arguments:
        if asked.startswith("-") or testing.is_path(asked) or "/" in asked or "::" in asked or "." in asked:
            break
        count += 1
    return [find_lesson(asked) for asked in arguments[:count]], arguments[count:]


@contextlib.contextmanager
def state_of_its_own():
    """A folder for the states, for us and for the kernels: a reader's own are neither used nor changed."""
    before = os.environ.get("SIXTEEN_STATE")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows: a kernel may still hold a file
        os.environ["SIXTEEN_STATE"] = str(Path(folder, "state"))
        try:
            yield Path(folder)
        finally:
            os.environ.pop("SIXTEEN_STATE")
            if before is not None:
                os.environ["SIXTEEN_STATE"] = before


def provide_states():
    """Leave the states of all lessons, so that one notebook alone can be tested; all in order replace them one by one.

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


# --- run


def run_lessons(options):
    """Execute lessons in the order of the course and record their outputs in place."""
    if options.without_solutions is not None:
        if options.lessons:
            raise Misuse("--without-solutions copies all lessons: leave the others out.")
        return teaching.hand_out(options.without_solutions)
    chosen = sorted({find_lesson(asked) for asked in options.lessons}) or lessons()
    python = prepare()
    with state_of_its_own() as folder:
        for done, lesson in enumerate(chosen):
            print(f"Running {lesson}", flush=True)
            provide_state(lesson, chosen[:done])
            record(lesson, execute(python, lesson, folder))
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
    command = [python, "-c", START_NBCONVERT, "--to=notebook", "--execute", "--allow-errors"]
    command += ["--ExecutePreprocessor.record_timing=False", "--ExecutePreprocessor.kernel_name=python3"]
    command += [f"--ExecutePreprocessor.timeout={CELL_TIMEOUT}"]
    command += ["--log-level=ERROR", f"--output-dir={folder}", f"--output={lesson}"]
    command.append(glob.escape(str(NOTEBOOKS / f"{lesson}.ipynb")))  # nbconvert takes a name for a pattern
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    done = subprocess.run(command, cwd=str(ROOT), env=surroundings(), **pipes)
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
        replace(temporary, path)
    except OSError as error:
        sentence = f"{path} cannot be written ({error.strerror}): allow writing there, or work in a copy of your own."
        raise Problem(sentence) from None
    finally:
        with contextlib.suppress(OSError):
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
    print(paste_block(options.names).rstrip() if options.names else "\n".join(known))


def reset_state(options):
    lesson = options.lesson and find_lesson(options.lesson)
    start_over(VARIANTS.get(lesson, lesson))


# --- site


def make_site(options):
    """Make the site; show it, or test it, where that is asked for."""
    from . import site  # here, because no other command needs it

    if options.test:
        return site.test_site(options.folder, options.offline)
    folder = site.site(options.folder, options.offline)
    return site.serve(folder) if options.serve else None


# --- grade


def grade_notebooks(options):
    """Judge the notebooks of a class."""
    from . import grade_class

    grade_class.grade_class(options.folder, options.here)


# --- say


def say_texts(options):
    """Let the trained model write."""
    from . import say  # here, because no other command needs it

    try:
        say.say(options.prompt, options.temperature, options.number, options.seed)
    except ValueError as error:
        raise Misuse(str(error)) from None


def temperature_number(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError("a temperature is a number above 0; close to 0 it always writes the likeliest letter")
    return value


def count_number(text):
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError("how many is a whole number from 1 to 10,000")
    return int(text)


# --- what the command line takes


def open_arguments(parser):
    which = "01, 1 or a part of its name; default: 00"
    parser.add_argument("lesson", nargs="?", default="00", metavar="LESSON", help=which)
    parser.add_argument("--port", type=port_number, help=f"default: the first free one from {FIRST_PORT}")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


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


def run_arguments(parser):
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="default: all of them")
    copied = "run nothing; copy the course there, its notebooks without solutions"
    parser.add_argument("--without-solutions", metavar="FOLDER", help=copied)


def show_arguments(parser):
    parser.add_argument("names", nargs="*", metavar="NAME", help="a function; default: list them all")


def reset_arguments(parser):
    which = "forget this lesson and the later ones; default: all of them"
    parser.add_argument("lesson", nargs="?", metavar="LESSON", help=which)


def grade_arguments(parser):
    parser.add_argument("folder", metavar="FOLDER", help="where the notebooks are, in folders of their own or not")
    parser.add_argument("--here", action="store_true", help="this machine is a place to run programs of strangers")


def site_arguments(parser):
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="where to put it; default: a folder in .site")
    parser.add_argument("--offline", action="store_true", help="hold everything, and ask no other host for anything")
    parser.add_argument("--serve", action="store_true", help="show it in a browser of this machine")
    parser.add_argument("--test", action="store_true", help="run every lesson of it in a real Chromium, which must be installed")


def say_arguments(parser):
    parser.add_argument("--prompt", default="", metavar="TEXT", help="how each text begins; default: from nothing")
    parser.add_argument("--temperature", type=temperature_number, default=0.8, help="below 1 safer, above 1 bolder; default: 0.8")
    parser.add_argument("-n", dest="number", type=count_number, default=10, metavar="N", help="how many; default: 10")
    parser.add_argument("--seed", type=int, help="a whole number: the same texts each time")


COMMANDS = {
    "open": (open_lab, "open the course in JupyterLab", open_arguments),
    "test": (test, "run the tests: of the whole course, or of one lesson", test_arguments),
    "run": (run_lessons, "for authors: execute notebooks and record their outputs in place", run_arguments),
    "show": (show, "print functions with all they need, ready to be pasted", show_arguments),
    "say": (say_texts, "let the trained model write, training it first if need be", say_arguments),
    "reset": (reset_state, "go back to the course's own state", reset_arguments),
    "grade": (grade_notebooks, "for teachers: judge the exercises in a class's notebooks", grade_arguments),
    "site": (make_site, "make the course a folder of web pages that need nothing installed", site_arguments),
}
