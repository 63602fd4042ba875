"""Run a notebook as the first that a reader opens, then let its own `grade` judge answers to its exercises.

    python tests/opened_first.py notebooks/05_gelu.ipynb

Prints the cells that show something else than recorded, and what the reader is told about every answer, as JSON.
Set SIXTEEN_STATE to an empty folder.
"""

import json
import os
import pathlib
import re
import sys

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[:2])

from cell_runner import differences, run_cell  # noqa: E402
from course import graded, train_once  # noqa: E402
from wrong_answers import WRONG_ANSWERS  # noqa: E402


def exercises(path):
    return graded(path, r"[\d.]+")


def turns(path):
    """The stubs that stand in the text, which have letters."""
    return graded(path, r"\d+\.[a-z]")


def answers(path):
    """(number, what it is, source) for each folded solution, each untouched stub, each wrong answer."""
    for number, stub, folds in graded(path):
        yield number, "stub", stub.split("\ngrade(")[0]
        solutions = [re.search(r"(?s)```python\n(.*?)```", text) for summary, text in folds if summary == "Solution"]
        yield from ((number, "solution", solution.group(1)) for solution in solutions if solution)
        yield from ((number, name, source) for name, source in WRONG_ANSWERS.get(number, {}).items())


def verdict(source, number, namespace):
    """What the check says to a reader who wrote this function."""
    name = re.search(r"def (\w+)", source).group(1)
    return run_cell(f'{source}\n\ngrade("{number}", {name})', dict(namespace))["printed"]


def main(path):
    train_once()
    namespace, here = {}, os.getcwd()
    different = list(differences(path, namespace))
    os.chdir(here)
    said = [(number, what, verdict(source, number, namespace)) for number, what, source in answers(path)]
    print(json.dumps({"different": different, "said": said}))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
