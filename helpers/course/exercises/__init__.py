"""The exercises by number, each lesson's in a file of its own: EXERCISES["09.c"] loads lesson_09 only.

    judge     runs a reader's function and gives a verdict
    grade     prints it
    passed    notes what the reader has passed, with the code
    overview  shows it, lesson by lesson
    exercise  what an exercise consists of
    folds     writes the solutions into the folds of the notebooks
    yours     runs the course's networks with the reader's functions in them
    lesson_…  solutions, unseen inputs and known mistakes; reading them gives answers away

A number ("06.1") is an exercise, a letter ("03.a") is a "Your turn" in the text.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

from .. import exports
from ..state.registry import SIDE_LESSONS, lesson_names

__getattr__ = exports(__name__, {"overview": "my_progress"})


class Exercises(Mapping):
    """{number: Exercise}, which imports a lesson's file when one of its exercises is asked for."""

    def __getitem__(self, number):
        for lesson in lessons_of(number[:2]):
            if number in lesson.EXERCISES:
                return lesson.EXERCISES[number]
        raise KeyError(number)

    def __iter__(self):
        return (number for lesson in lessons_of("") for number in lesson.EXERCISES)

    def __len__(self):
        return sum(1 for _ in self)


def lessons_of(start):
    """The modules of the lessons whose number begins so: "12" gives lesson_12 and lesson_12b.

    They are looked for by the numbers of the lessons: a browser tab has no folder that could be listed.
    """
    numbers = [name.partition("_")[0] for name in sorted([*lesson_names(), *SIDE_LESSONS])]
    names = [f"{__name__}.lesson_{number}" for number in numbers if number.startswith(start)]
    return [import_module(name) for name in names if find_spec(name)]


EXERCISES = Exercises()
