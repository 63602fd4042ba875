"""The hidden side of the exercises: number -> Exercise; see entry.py.

A lesson has a file of its own. A number is an exercise, a letter ("03.a") is a "Your turn" in the text.
"""

from importlib import import_module
from importlib.util import find_spec

from .. import exports
from ..state.registry import VARIANTS, lesson_names

# Looked for by the numbers of the lessons: a browser tab has no folder of modules that could be listed.
NAMES = [f"{__name__}.lesson_{name.partition('_')[0]}" for name in sorted([*lesson_names(), *VARIANTS])]
LESSONS = [import_module(name) for name in NAMES if find_spec(name)]
EXERCISES = {number: entry for lesson in LESSONS for number, entry in lesson.EXERCISES.items()}

__getattr__ = exports(
    __name__,
    {
        "grader": "grade",
        "in_network": "network_with",
        "in_llama": "llama_with my_answers yours",
        "autograd_checks": "row_with unchecked walk_with",
    },
)
