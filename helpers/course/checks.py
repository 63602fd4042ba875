"""Checks that a reader runs: does a value agree with another, does my function do what the exercise asks?"""

import copy
import math

from .exercises import EXERCISES


class CheckFailed(AssertionError):
    """A check did not hold; the message says where."""


def check(name, got, expected, within=1e-9, decimals=None):
    """Compare got with expected, shape before value; print one line, or stop with CheckFailed.

    Numbers agree when they differ by at most `within` times the largest expected number, so that a
    tolerance means the same for large and for small tensors. For expected values printed with so
    many decimals give `decimals` instead: then half a unit of the last decimal is allowed.
    """
    wrong = misshapen(got, expected)
    if wrong:
        raise CheckFailed(f"{name}: {wrong}")
    allowed = within * largest(expected) if decimals is None else 0.5 * 10**-decimals * (1 + 1e-9)
    pairs = list(zip(places(got), leaves(got), leaves(expected), strict=True))
    wrong = [(place, g, e) for place, g, e in pairs if not agree(g, e, allowed)]
    if wrong:
        place, g, e = wrong[0]
        raise CheckFailed(
            f"{name}: {place or 'it'} is {spell(g, e)}, expected {spell(e, g)}; "
            f"{len(wrong)} of {len(pairs)} differ"
        )
    how = f"agree within {within:.0e}" if decimals is None else f"agree to {decimals} decimals"
    exact = not any(isinstance(x, float) for x in leaves(expected) + leaves(got))
    print(f"{name}: {len(pairs)} of {len(pairs)} {'equal' if exact else how}")


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def agree(got, expected, allowed):
    """Whether two single values agree; infinities of one sign do, nan never does, whole numbers when equal."""
    if is_number(got) and is_number(expected) and (isinstance(got, float) or isinstance(expected, float)):
        return got == expected or abs(got - expected) <= allowed
    return type(got) is type(expected) and got == expected


def largest(expected):
    """The size of the largest finite number, to which a tolerance is relative."""
    return max((abs(x) for x in leaves(expected) if is_number(x) and math.isfinite(x)), default=0)


def spell(x, other):
    """A value as text, a float with as many digits as it takes to tell it from the other value."""
    if not isinstance(x, float):
        return repr(x)
    texts = ([f"{x:.{d}g}", f"{other:.{d}g}" if is_number(other) else ""] for d in (6, 9, 12))
    return next((mine for mine, its in texts if mine != its), repr(x))


def leaves(value):
    """All entries of nested lists, in order."""
    if not isinstance(value, (list, tuple)):
        return [value]
    return [leaf for entry in value for leaf in leaves(entry)]


def places(value, place=""):
    """Where each of the leaves is: "[0][2]" for column 2 of row 0."""
    if not isinstance(value, (list, tuple)):
        return [place]
    return [p for i, entry in enumerate(value) for p in places(entry, f"{place}[{i}]")]


def misshapen(got, expected, place=""):
    """Say in words where the shapes differ, or None."""
    nested = isinstance(got, (list, tuple)), isinstance(expected, (list, tuple))
    if nested == (False, False):
        return None
    if nested != (True, True) or len(got) != len(expected):
        return f"{place or 'it'} is {kind(got)}, expected {kind(expected)}"
    found = (misshapen(g, e, f"{place}[{i}]") for i, (g, e) in enumerate(zip(got, expected)))
    return next((words for words in found if words), None)


def kind(value):
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    return "a number" if is_number(value) else "None" if value is None else f"a {type(value).__name__}"


def grade(number, function):
    """Run the reader's function on inputs it has not seen and print one line: passed, or where it is wrong."""
    if number not in EXERCISES:
        raise ValueError(f"there is no exercise {number!r}; there are {', '.join(EXERCISES)}")
    if not callable(function):
        print(f"Exercise {number}: give the function itself, its name without brackets, not {function!r:.40}")
        return
    if is_stub(function):
        print(f"Exercise {number}: not tried yet")
        return
    answer, inputs = EXERCISES[number]
    for i, arguments in enumerate(inputs, 1):
        wrong = mistake(function, answer, arguments)
        if wrong:
            name = getattr(function, "__name__", "your function")
            call = f"{name}({', '.join(brief(a) for a in arguments)})"
            print(f"Exercise {number}: input {i} of {len(inputs)}, {call}: {wrong}")
            return
    print(f"Exercise {number}: passed, {len(inputs)} of {len(inputs)} inputs")


def mistake(function, answer, arguments):
    """What is wrong with the reader's result for one input, without giving the right one away; or None."""
    given = copy.deepcopy(arguments)
    try:
        got = function(*given)
    except Exception as error:
        return f"it raised {type(error).__name__}: {' '.join(str(error).split())}"
    expected = answer(*copy.deepcopy(arguments))
    if got is None:
        return "it returned nothing; does it end with return?"
    if given != arguments:
        return "it changed the list it was given; build a new one instead"
    wrong = misshapen(got, expected, "the result")
    if wrong:
        return wrong
    allowed = 1e-9 * largest(expected)
    bad = [p for p, g, e in zip(places(got), leaves(got), leaves(expected)) if not agree(g, e, allowed)]
    if bad:
        return f"result{bad[0]} is wrong, {len(bad)} of {len(leaves(expected))} are" if bad[0] else "the result is wrong"
    return None


def brief(argument):
    """An argument as the message shows it: short ones whole, matrices by their shape, functions by name."""
    if callable(argument):
        return getattr(argument, "__name__", "a function")
    text = repr(argument)
    if len(text) <= 60:
        return text
    sizes = []
    while isinstance(argument, (list, tuple)):
        sizes.append(f"[{len(argument)}]")
        argument = argument[0]
    return "".join(sizes) or text[:57] + "..."


def is_stub(function):
    """Whether the body is still only `...`, whatever the parameters and the docstring are."""

    def plain():
        ...

    def documented():
        """Like plain, with a docstring."""
        ...

    code = getattr(function, "__code__", None)  # what is written in C has none, and is no stub
    if code is None or code.co_code not in (plain.__code__.co_code, documented.__code__.co_code):
        return False
    return set(code.co_consts) <= {None, Ellipsis, function.__doc__}  # `return 80` has the same instructions
