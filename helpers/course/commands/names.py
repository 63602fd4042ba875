"""What the command line names: lessons, functions and commands, and the near matches of a name that does
not exist; numbers between bounds."""

import argparse
import difflib
import os
from pathlib import Path

from .. import NOTEBOOKS
from ..state.registry import notebook_paths
from .environment import Problem

PROGRAM = ("py" if os.name == "nt" else "python3") + " -m helpers"


class Misuse(Problem):
    """The command line asks for something that does not exist."""


def unknown(kind, name, known):
    """The error for a name that does not exist, with the names that look like it."""
    near = difflib.get_close_matches(name, known, cutoff=0.5) or [k for k in known if name in k]
    likely, all_of_them = " or ".join(near), ", ".join(known)
    hint = f"did you mean {likely}?" if near else f"there are {all_of_them}."
    return Misuse(f"There is no {kind} {ascii(name)}; {hint}")


def lesson_stems():
    return [path.stem for path in notebook_paths(NOTEBOOKS)]


def find_lesson(asked):
    """The lesson that is meant by "01", "1", its name, its file or a part that only one name has."""
    known = lesson_stems()
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
            "(A lesson of the course stands in LESSONS or SIDE_LESSONS of helpers/course/state/registry.py.)"
        )
    raise unknown("lesson", asked, known)


def number_between(what, low, high, kind=int, above=False):
    """A parser of numbers from low to high for argparse; with above=True, low itself is refused."""
    bounds = f"above {low}, at most {high:,}" if above else f"from {low} to {high:,}"

    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high or (above and value == low):
            whole = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"{what} is a {whole} {bounds}")
        return value

    return parse
