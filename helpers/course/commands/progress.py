"""`python3 -m helpers progress`: what a reader has passed, and where to begin or to go on."""

import ast
import html
import time
from pathlib import Path

from ..exercises.overview import my_progress
from ..lessons.placement import AFTER, ALL_RIGHT, QUESTIONS, indented
from ..state.files import reason, write_once
from .environment import Problem
from .names import PROGRAM, Misuse

MARK = '<meta name="generator" content="Sixteen: passed exercises">'
MAX_ANSWER = 200  # characters
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{mark}
<title>Sixteen: passed exercises</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 58em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif; }}
pre {{ overflow-x: auto; padding: .6em .8em; border: 1px solid #8494a4; font-size: 14px; }}
</style>
</head>
<body>
<h1>Sixteen: passed exercises</h1>
<p>Written on {today}. <code>python3 -m helpers grade FOLDER</code> judges the functions below again.</p>
{overview}
{answers}
</body>
</html>
"""


def show_progress(options):
    """Show what is passed; or ask the ten questions, or write the page for a teacher."""
    if options.where:
        return ask_where_to_begin()
    progress = my_progress()
    if options.html:
        return write_page(Path(options.html), progress)
    print(progress)
    following = progress.next_exercise()
    if following:
        print(f"Open it:  {PROGRAM} open {following[1].partition('_')[0]}")
    if not progress.passed:
        print(f"Find the lesson to begin with, by ten questions:  {PROGRAM} progress --where")


def progress_arguments(parser):
    one = parser.add_mutually_exclusive_group()
    questions = "ask ten questions and name the lesson to begin with"
    one.add_argument("--where", action="store_true", help=questions)
    one.add_argument("--html", metavar="FILE", help="write a page with the passed functions, for a teacher")


# --- where to begin


def ask_where_to_begin():
    """Ask until two answers are wrong, and name the lesson of the first."""
    print("What do these cells print? Their functions come from helpers. Press Enter if you do not know.")
    wrong = []
    for number, question in enumerate(QUESTIONS, 1):
        print(f"\n{number} of {len(QUESTIONS)}:\n\n{indented(question.cell)}\n")
        right = equal(typed_value(), ast.literal_eval(question.answer))
        print("Right." if right else f"It prints {question.answer}.", question.why)
        wrong += [] if right else [question.lesson]
        if len(wrong) == 2:
            break
    print()
    if not wrong:
        print(ALL_RIGHT)
    elif len(wrong) == 1:
        print(f"One answer was wrong: read lesson {wrong[0]}, then begin with lesson {AFTER}.")
    else:
        print(f"Begin with lesson {wrong[0]}.")
    print(f"Open it:  {PROGRAM} open {wrong[0] if wrong else AFTER}")


def typed_value():
    """The value that the reader types; None for an empty line. What is no Python value is asked for again."""
    while True:
        try:
            text = input("It prints: ").strip()
        except EOFError:
            print()
            return None
        if not text:
            return None
        try:
            return ast.literal_eval(text if len(text) <= MAX_ANSWER else "")
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            print("This is no number or list. Type what the cell prints, such as [1, 2], or press Enter.")


def equal(got, due):
    """Whether two values are the same number, or lists of the same numbers."""
    if isinstance(due, list):
        fits = isinstance(got, (list, tuple)) and len(got) == len(due)
        return fits and all(map(equal, got, due))
    return type(got) in (int, float) and got == due


# --- the page for a teacher


def write_page(path, progress):
    """Write the page, or replace one; a file that is something else stays."""
    if path.suffix != ".html":
        raise Misuse(f"{ascii(str(path))} is no name for a page: give one that ends in .html")
    if not progress.passed:
        raise Problem(
            "\n".join([*progress.troubles, "No exercise is passed yet, so there is no page to write."])
        )
    if path.exists() and not is_page(path):
        raise Problem(f"{path} is something else, and stays as it is: give the page another name.")
    try:
        write_once(path, page(progress).encode("utf-8"))
    except OSError as error:
        raise Problem(f"{path} cannot be written ({reason(error)}): give another place.") from None
    print(f"{path} holds the functions that passed {len(progress.passed)} exercises.")
    for trouble in progress.troubles:
        print(trouble)


def page(progress):
    """The overview, then each function that passed, in an element whose id is the number of the exercise."""
    answers = []
    for number, (_, when, code) in progress.in_order():
        answers.append(
            f'<h2>{number}</h2>\n<p>Passed on {when[:10]}.</p>\n<pre id="{number}">{html.escape(code)}</pre>'
        )
    overview = progress.figure()._repr_html_() + f"<p>{progress.sentences()[0]}</p>"
    today = time.strftime("%Y-%m-%d")
    return PAGE.format(mark=MARK, today=today, overview=overview, answers="\n".join(answers))


def is_page(path):
    try:
        with open(path, encoding="utf-8") as file:
            return MARK in file.read(1000)
    except (OSError, UnicodeDecodeError):
        return False


def answers_of_page(text):
    """The cells in a page that this command has written; none in any other."""
    parts = text.split('<pre id="')[1:] if MARK in text[:1000] else []
    return [html.unescape(part.partition(">")[2].partition("</pre>")[0]) for part in parts]
