"""The folds with the solutions in the notebooks, written from the solutions themselves."""

import inspect
import re
import symtable

import helpers

from . import EXERCISES
from .judge import defined

GRADED = re.compile(r'(?m)^grade\("(\d+\.\w+)", \w+\)')
SOLUTION = re.compile(r"(?s)(<details><summary>Solution</summary>\s*```python\n)(.*?)(```)")


def solution_text(number, defined_before=None):
    """The solution as its fold shows it.

    What it uses of `helpers` is imported first, if the cells before it, which define these names, do not.
    """
    text = inspect.getsource(EXERCISES[number].solution)
    if defined_before is None:
        return text
    missing = sorted(name for name in names_read(text) - defined_before if hasattr(helpers, name))
    return f"from helpers import {', '.join(missing)}\n\n{text}" if missing else text


def names_read(source):
    """The names that a function, or class, reads from outside of it."""
    top = symtable.symtable(source, "solution", "exec")
    scopes = [top]
    for scope in scopes:
        scopes += scope.get_children()
    found = {s.get_name() for scope in scopes[1:] for s in scope.get_symbols() if s.is_global()}
    return found - {s.get_name() for s in top.get_symbols() if s.is_assigned()}


def refresh_solutions(notebook):
    """Write the solution of each exercise into the fold below the cell that grades it, in place."""
    number, names = None, set()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            names |= defined(source)
            graded = GRADED.search(source)
            number = graded and graded[1]
        elif number and SOLUTION.search(source):
            text = solution_text(number, names)
            new = SOLUTION.sub(lambda fold: fold[1] + text + fold[3], source, count=1)
            cell["source"] = new.splitlines(keepends=True)
            number = None
    return notebook
