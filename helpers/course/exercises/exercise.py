"""What an exercise consists of; its known mistakes are edits of the solution. Inputs that lessons share."""

import copy
import functools
import inspect
import math
import random
import string
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Callable

import helpers


class Exercises(Mapping):
    """{number: Exercise}, which imports a lesson's file when one of its exercises is asked for."""

    def __getitem__(self, number):
        for lesson in lessons_of(number.partition(".")[0]):
            if number in lesson.EXERCISES:
                return lesson.EXERCISES[number]
        raise KeyError(number)

    def __iter__(self):
        return (number for n in range(100) for lesson in lessons_of(f"{n:02}") for number in lesson.EXERCISES)

    def __len__(self):
        return sum(1 for _ in self)


def lessons_of(number):
    """The modules of a lesson and its side lessons: "12" gives lesson_12 and lesson_12b.

    Each name is tried: a browser tab has no folder that could be listed.
    """
    for letter in ("", *string.ascii_lowercase):
        name = f"{__package__}.lesson_{number}{letter}"
        if is_a_module(name):
            yield import_module(name)


@functools.cache
def is_a_module(name):
    return find_spec(name) is not None


EXERCISES = Exercises()


@dataclass(eq=False)
class Exercise:
    """One exercise, or one "Your turn".

    solution            a function, or a class, as the notebook's fold shows it
    inputs              the arguments of each call: the example in the text, small inputs, random ones
    mistakes            {"W is read [in][out]": edit}; the text continues "That is what happens if"
    tolerance           relative to the largest expected number
    parts               the names of the tensors, where the result holds several
    answer_may_be_told  finite differences give the expected result, so the reader could find it, too
    wants_formula_for   names of functions: calling one twice means finite differences instead of a
                        formula; the answer passes with a remark
    choices             the texts of which one must be returned; listed if another is returned
    returns             the type of the result, where the text asks for it: a list is no tuple then
    example             whether the first input stands in the text
    of_class            where the solution is a class: makes the graded function of it
    also_right          from a result and the expected one: the expected one, if the result is right, too
    call_text           the text of a call, from the function's name and the arguments, where they cannot
                        be pasted

    An edit is ("old", "new"), or a tuple of such pairs, applied in order to the source of the solution. Each
    "old" stands there exactly once. Where the structure changes, a function takes the place of the edit.
    """

    solution: Callable
    inputs: list
    mistakes: dict = field(default_factory=dict)
    tolerance: float = 1e-9
    parts: tuple = ()
    answer_may_be_told: bool = False
    wants_formula_for: tuple = ()
    example: bool = True
    choices: tuple = ()
    returns: type = None
    of_class: Callable = None
    also_right: Callable = None
    call_text: Callable = None

    def as_function(self, written):
        """What is called with the inputs: a function itself, and of a class the function made of it."""
        return self.of_class(written) if self.of_class and isinstance(written, type) else written

    def expected(self, arguments):
        """What the solution gives; it gets its own copy of the arguments."""
        return self.as_function(self.solution)(*copy.deepcopy(arguments))

    @functools.cache
    def mistaken(self, cause):
        """The solution with one of its known mistakes, made when it is first needed."""
        edit = self.mistakes[cause]
        return self.as_function(edit if callable(edit) else edited(self.solution, edit))


def edited(solution, edit):
    """The function, or class, whose source is that of the solution with other text in some places.

    The text may use `math` and every function of the helpers.
    """
    source = inspect.getsource(solution)
    for old, new in [edit] if isinstance(edit[0], str) else edit:
        if source.count(old) != 1:
            raise ValueError(f"{old!r} stands {source.count(old)} times in\n{source}")
        source = source.replace(old, new)
    names = {"math": math, **vars(helpers), **vars(sys.modules[solution.__module__])}
    exec(compile(source, f"<{solution.__name__}, edited>", "exec"), names)
    return names[solution.__name__]


class Shown:
    """A function that is shown as the text it was written as, or by a name that gives nothing away.

    A copy of it is itself, so the same argument can be used in many calls.
    """

    def __init__(self, text, function):
        self.text, self.function = text, function

    def __call__(self, *arguments):
        return self.function(*arguments)

    def __repr__(self):
        return self.text

    def __deepcopy__(self, memo):
        return self


Shown.__name__ = "function"  # what an error of Python calls one: unsupported operand for 'function'


class Counting(Shown):
    """A function that gives something else at each call, from an iterator in its text. A copy begins anew."""

    def __init__(self, text):
        super().__init__(text, eval(text))

    def __deepcopy__(self, memo):
        return Counting(self.text)

    def __eq__(self, other):
        return isinstance(other, Counting) and self.text == other.text


Counting.__name__ = "function"


def from_source(text, **names):
    """The function that a text says, shown as this text: it can be pasted."""
    return Shown(text, eval(text, dict(names)))


def draw_inputs(seed, *sizes, top=2):
    """For each size a vector or a matrix of numbers with two decimals, from -top to top: short to print,
    and exact."""
    rng = random.Random(seed)

    def numbers(*size):
        if not size:
            return rng.randint(-100 * top, 100 * top) / 100
        return [numbers(*size[1:]) for _ in range(size[0])]

    return [numbers(*size) for size in sizes]
