"""`grade`: prints the verdict on a reader's function, and gives a failing input to try by hand."""

import copy

from . import EXERCISES
from .judge import argument_names, as_source, called, judge, too_long
from .passed import try_to_note


def grade(number, function, show=False):
    """Run the reader's function on inputs it has not seen, and say that it passed, or where it is wrong.

    show=True prints the failing input in full, and gives it as a list, to try it by hand.
    """
    verdict = judge(number, function)
    print(verdict.text)
    if verdict.kind == "passed":
        try_to_note(number, function)
    if verdict.arguments is None:
        return None
    names = argument_names(EXERCISES[number])
    if show:
        return print_inputs(names, verdict.arguments)
    if too_long(function, verdict.arguments):
        taken = ", ".join(names) + "," * (len(names) == 1)
        print(f'To try this input yourself: {taken} = grade("{number}", {called(function)}, show=True)')
    return None


def print_inputs(names, arguments):
    """Print an input argument by argument, and give a copy of it."""
    for name, argument in zip(names, arguments):
        print(f"{name} = {as_source(argument)}")
    return copy.deepcopy(arguments)
