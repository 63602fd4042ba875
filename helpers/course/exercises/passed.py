"""What a reader has passed: one file for each exercise, with the code that passed.

The files are in notebooks/state/passed, and nothing sends them anywhere. A file is named after the exercise
and its function, because an update may give the exercise another number. Each is replaced as a whole. So two
notebooks that are open at the same time lose nothing of each other's, and a damaged file costs one exercise.
"""

import ast
import contextlib
import inspect
import linecache
import re
import time
from pathlib import Path
from typing import NamedTuple

from .. import ROOT
from ..state.files import Refused, read_file, reason, remove_leftovers, state_path, write_file
from . import EXERCISES
from .judge import called

# The name of the course's function that an exercise writes under another name
OTHER_NAMES = {"two_heads": "multi_head_attention"}
# {number: the names of the notebook in which the exercise passed}, as long as this Python runs
AROUND = {}
MAX_BYTES = 100_000  # of a file
NAME = re.compile(r"(\d\d\.\w+)\.(\w+)\.py")
HEAD = re.compile(r"# (\d\d\.\w+) passed on (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC\n")


class Pass(NamedTuple):
    """An exercise that the reader has passed: its number, when (UTC), and the code."""

    number: str
    when: str
    code: str


def pass_path(number, name):
    """The file of an exercise whose function has this name."""
    return state_path(f"passed/{number}.{name}.pkl").with_name(f"{number}.{name}.py")


def try_to_note(number, function):
    """Note a pass. Grading goes on whatever happens; a sentence says why a pass was not noted."""
    try:
        note_pass(number, function)
    except Refused as refused:
        print(f"This pass is not noted: {'. '.join(refused.args)}.")
    except Exception as error:  # an object of the reader's can raise anything
        print(f"This pass is not noted: its code cannot be read ({type(error).__name__}).")


def note_pass(number, function):
    """Keep the code that passed; Refused where that fails. The course's own functions do not count."""
    code = code_of(function)
    if code is None or number not in EXERCISES:
        return
    AROUND[number] = getattr(inspect.unwrap(function), "__globals__", {})
    path = pass_path(number, EXERCISES[number].solution.__name__)
    if not re.search(rf"\bgrade\(\s*[\"']{re.escape(number)}[\"']", code):
        code = f'{code}\n\ngrade("{number}", {called(function)})\n'.lstrip()
    with contextlib.suppress(Refused):
        if read_pass(path).code == code:
            return
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    data = f"# {number} passed on {now} UTC\n{code}".encode("utf-8", "backslashreplace")
    if len(data) > MAX_BYTES:
        raise Refused(
            f"the cell holds more than {MAX_BYTES:,} bytes", "Put the function into a cell of its own"
        )
    write_file(path, data)


def read_pass(path):
    """The Pass that a file holds; Refused, saying what is wrong, for anything else."""
    data, text = read_file(path, MAX_BYTES) or b"", ""
    with contextlib.suppress(UnicodeDecodeError):
        text = data.decode("utf-8").replace("\r\n", "\n")
    head = HEAD.match(text)
    if len(data) > MAX_BYTES or not head or head[1] != NAME.fullmatch(path.name)[1]:
        raise Refused("it does not hold what grade has written")
    return Pass(*head.groups(), text[head.end() :])


def read_passes():
    """({number: Pass}, sentences about files that cannot be used).

    The numbers are those of this edition. An exercise that it does not have any more is left out.
    """
    found, troubles = {}, []
    try:
        paths = noted_paths()
    except OSError as error:
        return {}, [f"notebooks/state/passed cannot be read ({reason(error)})."]
    for path in paths:
        old, name = NAME.fullmatch(path.name).groups()
        number = number_now(old, name)
        try:
            one = read_pass(path)
        except Refused as refused:
            what = f"notebooks/state/passed/{path.name} cannot be used: {refused.args[0]}."
            troubles.append(f"{what} Run the cell that grades {number or old} again, or delete the file.")
            continue
        if number == old or number and number not in found:
            code = re.sub(rf"(\bgrade\(\s*[\"']){re.escape(old)}(?=[\"'])", rf"\g<1>{number}", one.code)
            found[number] = Pass(number, one.when, code)
    return found, troubles


def number_now(number, name):
    """The number of the exercise that had this number in the edition that noted it; None if it is gone."""

    def named(number):
        return EXERCISES[number].solution.__name__ == name

    if (number, name) == ("14.c", "my_train"):  # 11.b has this name now, and is another exercise
        return None
    return number if number in EXERCISES and named(number) else next(filter(named, EXERCISES), None)


def noted_paths():
    """The files of passed exercises, whatever they hold; other files in the folder are the reader's own."""
    folder = state_path("passed/any").parent
    return sorted(path for path in (folder.iterdir() if folder.exists() else []) if NAME.fullmatch(path.name))


def forget_passes(keep=()):
    """Delete the files of all exercises but those to keep; how many were deleted."""
    paths = [path for path in noted_paths() if NAME.fullmatch(path.name)[1] not in keep]
    for path in paths:
        remove_leftovers(path)
        path.unlink(missing_ok=True)
    return len(paths)


# --- the code of a function


def code_of(function):
    """The cell that defines a function, after the functions of other cells that it calls.

    "" where Python has kept no source; None for a function that the course defines.
    """
    parts = parts_of(function)
    files = {part.__code__.co_filename for part in parts}
    if any(Path(file).is_relative_to(ROOT / "helpers") for file in files):
        return None
    own = {part.__module__ for part in parts}
    others = [other for other in all_called(parts) if other.__module__ in own]
    sources = [definition_of(other) for other in reversed(others) if other.__code__.co_filename not in files]
    cell = "".join("".join(linecache.getlines(file)) for file in sorted(files))
    return "\n\n".join([*filter(None, sources), cell]) if cell else ""


def all_called(functions):
    """The functions that these functions call by their global names, directly or not."""
    found = list(functions)
    for function in found:
        called_here = [function.__globals__.get(name) for name in names_in(function.__code__)]
        found += [
            other for other in dict.fromkeys(filter(inspect.isfunction, called_here)) if other not in found
        ]
    return found[len(functions) :]


def parts_of(function):
    """The function itself, or the methods of a class; nothing for what is not written in Python."""
    function = inspect.unwrap(function)
    members = vars(function).values() if isinstance(function, type) else [function]
    return [member for member in members if inspect.isfunction(member)]


def names_in(code):
    """The global names in a function, those of the functions inside it included."""
    inside = [constant for constant in code.co_consts if inspect.iscode(constant)]
    return [*code.co_names, *(name for part in inside for name in names_in(part))]


def definition_of(function):
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def lines_of(source, name):
    """How many lines of code a function or class has: no empty ones, no comments, no docstring."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.parse(source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                first, body = node.body[0], source.splitlines()[node.lineno - 1 : node.end_lineno]
                if ast.get_docstring(node) is not None:
                    del body[first.lineno - node.lineno : first.end_lineno - node.lineno + 1]
                return sum(bool(line.strip()) and not line.strip().startswith("#") for line in body)
    return 0
