"""Run a notebook as the first that a reader opens, then let its own `grade` judge answers to its exercises.

    python tests/opened_first.py notebooks/05_gelu.ipynb [--whole]

Prints the cells that show something else than recorded, and what the reader is told about every answer,
as JSON. Of a lesson that computes for long it runs what the answers need, and all of it when asked to.
Set SIXTEEN_STATE to an empty folder.
"""

import functools
import json
import os
import pathlib
import re
import symtable
import sys

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[:2])

from cell_runner import differences, run_cell  # noqa: E402
from wrong_answers import WRONG_ANSWERS  # noqa: E402

from notebooks import graded, train_once  # noqa: E402

# They compute for more than a few seconds.
LONG = {
    "20b",
    "22b",
    "00",
    "07",
    "10",
    "10b",
    "11",
    "12",
    "12b",
    "13",
    "13b",
    "14",
    "14b",
    "14c",
    "15",
    "15b",
    "17",
    "16",
}


def is_long(path):
    return path.stem.partition("_")[0] in LONG


def uses(source):
    """The names of the notebook that a cell reads, in its functions, too."""
    top = symtable.symtable(source, "cell", "exec")
    scopes = [top]
    for scope in scopes:
        scopes += scope.get_children()
    return {
        s.get_name()
        for scope in scopes
        for s in scope.get_symbols()
        if (s.is_referenced() if scope is top else s.is_global())
    }


def gives(source):
    """The names that a cell binds, and those in whose entries it writes."""
    bound = {
        s.get_name()
        for s in symtable.symtable(source, "cell", "exec").get_symbols()
        if s.is_assigned() or s.is_imported()
    }
    return bound | set(re.findall(r"(?m)^(\w+)\[.*\] [-+*]?= ", source))


def needed(wanted, sources):
    """The places of the sources that give the wanted names, and what those use, in their order."""
    chosen = []
    while True:
        found = [i for i, source in enumerate(sources) if gives(source) & wanted]
        if found == chosen:
            return found
        chosen, wanted = found, wanted.union(*(uses(sources[i]) for i in found))


def needed_by_answers(path, cells):
    wanted = {"grade"}.union(*(uses(source) - gives(source) for *_, source in answers(path)))
    return [cells[i] for i in needed(wanted, ["".join(cell["source"]) for cell in cells])]


def exercises(path):
    return graded(path, r"[\d.]+")


def turns(path):
    """The stubs that stand in the text, which have letters."""
    return graded(path, r"\d+\.[a-z]")


def answers(path):
    """(number, what it is, source) for each folded solution, each untouched stub, each wrong answer."""
    for number, stub, folds in graded(path):
        yield number, "stub", stub.split("\ngrade(")[0]
        solutions = [
            re.search(r"(?s)```python\n(.*?)```", text) for summary, text in folds if summary == "Solution"
        ]
        yield from ((number, "solution", solution.group(1)) for solution in solutions if solution)
        yield from ((number, name, source) for name, source in WRONG_ANSWERS.get(number, {}).items())


def verdict(source, number, namespace):
    """What the check says to a reader who wrote this function."""
    name = re.search(r"(?m)^(?:def|class) (\w+)", source).group(1)
    return run_cell(f'{source}\n\ngrade("{number}", {name})', dict(namespace))["printed"]


def main(path, whole):
    train_once()
    namespace, here = {}, os.getcwd()
    choose = list if whole or not is_long(path) else functools.partial(needed_by_answers, path)
    different = list(differences(path, namespace, choose))
    os.chdir(here)
    said = [(number, what, verdict(source, number, namespace)) for number, what, source in answers(path)]
    print(json.dumps({"different": different, "said": said}))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), "--whole" in sys.argv)
