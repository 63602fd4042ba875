"""The parts of an exercise, and functions that the lessons' files share: inputs, measured derivatives."""

import random
from typing import Callable, NamedTuple

from ...finite_differences import numerical_gradient


class Exercise(NamedTuple):
    """One exercise, or one "Your turn".

    answer       a correct function
    inputs       the arguments of each call: the example in the text, then small inputs, then random ones
    slips        {"W is read [in][out]": a wrong function}; the text continues "That is what happens if"
    within       the tolerance, relative to the largest expected number
    parts        the names of the tensors, where the result holds several
    nudged       the expected result was measured by finite differences, as the reader could do: it may be
                 shown
    without      names that the reader's function must not use
    derived      names of functions: calling one twice means finite differences instead of a formula; the
                 answer passes with a remark
    false_alarm  the message about a result where the answer is None
    choices      the texts of which one must be returned; listed if the reader returns something else
    example      whether the first input stands in the text
    of_class     where the reader writes a class: makes the graded function of it
    call_text    the text of a call, from the function's name and the arguments, where they cannot be pasted
    """

    answer: Callable
    inputs: list
    slips: dict = {}
    within: float = 1e-9
    parts: tuple = ()
    nudged: bool = False
    without: tuple = ()
    derived: tuple = ()
    false_alarm: str = "There is nothing to be found in this input"
    example: bool = True
    choices: tuple = ()
    of_class: Callable = None
    call_text: Callable = None


class Written:
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


def written(text, **names):
    """The function that a text says, shown as this text: it can be pasted."""
    return Written(text, eval(text, dict(names)))


def draw_inputs(seed, *sizes, top=2):
    """For each size a vector or a matrix of numbers with two decimals, from -top to top: short to print,
    and exact."""
    rng = random.Random(seed)

    def numbers(*size):
        if not size:
            return rng.randint(-100 * top, 100 * top) / 100
        return [numbers(*size[1:]) for _ in range(size[0])]

    return [numbers(*size) for size in sizes]


def turned(A):
    return [list(column) for column in zip(*A)]


def times(A, B):
    """A·B."""
    return [[sum((a * b for a, b in zip(row, column)), 0.0) for column in zip(*B)] for row in A]


def weighted(d_out, out):
    """Σ d_out·out: it changes with each number of out at the rate d_out, as the loss would."""
    if isinstance(out, list):
        return sum((weighted(d, o) for d, o in zip(d_out, out, strict=True)), 0.0)
    return d_out * out


def measured_gradients(forward, d_out, *arguments, only=None):
    """How fast Σ d_out·forward(*arguments) changes with each number in each of the arguments, measured;
    or in the only one."""

    def derivatives(i):
        return numerical_gradient(
            lambda A: weighted(d_out, forward(*arguments[:i], A, *arguments[i + 1 :])), arguments[i]
        )

    return derivatives(only) if only is not None else tuple(derivatives(i) for i in range(len(arguments)))
