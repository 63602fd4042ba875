"""A check that a reader runs: does a value agree with another? The grader compares values in the same way."""

import math

from ..argument_checks import is_number, shape


class CheckFailed(AssertionError):
    """A check did not hold; the message says where."""


def check(name, got, expected, within=1e-9, decimals=None):
    """Compare got with expected, shape before value; print one line, or stop with CheckFailed.

    Numbers agree when they differ by at most `within` times the largest expected number, so that a
    tolerance means the same for large and for small tensors. For expected values printed with so
    many decimals give `decimals` instead: then half a unit of the last decimal is allowed.
    """
    misfit = first_misfit(got, expected)
    if misfit:
        place, g, e = misfit
        raise CheckFailed(f"{name}: {place or 'it'} is {kind(g)}, expected {kind(e)}")
    allowed = within * largest(expected) if decimals is None else 0.5 * 10**-decimals * (1 + 1e-9)
    wrong, n = disagreements(got, expected, allowed), len(leaves(expected))
    if wrong:
        place, g, e = wrong[0]
        raise CheckFailed(
            f"{name}: {place or 'it'} is {spell(g, e)}, expected {spell(e, g)}; {len(wrong)} of {n} differ"
        )
    how = f"agree within {within:.0e}" if decimals is None else f"agree to {decimals} decimals"
    exact = not any(isinstance(x, float) for x in leaves(expected) + leaves(got))
    print(f"{name}: {n} of {n} {'equal' if exact else how}")


def disagreements(got, expected, allowed, name=""):
    """(place, got, expected) of all single values that do not agree, in values of the same shape."""
    triples = zip(places(expected, name), leaves(got), leaves(expected), strict=True)
    return [(place, g, e) for place, g, e in triples if not agree(g, e, allowed)]


def agree(got, expected, allowed):
    """Whether two single values agree; infinities of one sign do, nan never does, whole numbers when
    equal."""
    if is_number(got) and is_number(expected) and (isinstance(got, float) or isinstance(expected, float)):
        try:
            return got == expected or abs(got - expected) <= allowed
        except OverflowError:  # an integer too large for a float
            return False
    same_type = type(got) is type(expected) or isinstance(got, dict) and isinstance(expected, dict)
    return same_type and got == expected  # a Counter is a dict


def largest(expected):
    """The size of the largest finite number, to which a tolerance is relative."""
    return max((abs(x) for x in leaves(expected) if is_number(x) and math.isfinite(x)), default=0)


def spell(x, other):
    """A value as text, a float with as many digits as it takes to tell it from the other value."""
    if not isinstance(x, float):
        return repr(x)
    texts = ([f"{x:.{d}g}", f"{other:.{d}g}" if is_number(other) else ""] for d in (6, 9, 12))
    return next((mine for mine, its in texts if mine != its), repr(x))


def named(value):
    """Whether a value is a dict of tensors by name, whose numbers are compared one by one."""
    return isinstance(value, dict) and bool(value) and all(isinstance(key, str) for key in value)


def leaves(value):
    """All entries of nested lists, in order; of a dict of tensors in the order of the names."""
    if named(value):
        return [leaf for name in sorted(value) for leaf in leaves(value[name])]
    if not isinstance(value, (list, tuple)):
        return [value]
    if is_row_of_floats(value):
        return [*value]
    return [leaf for entry in value for leaf in leaves(entry)]


def is_row_of_floats(row):
    """Whether a list holds floats only, as most rows do: they need not be looked at one by one."""
    return {*map(type, row)} == {float}


def places(value, place=""):
    """Where each of the leaves is: "[0][2]" for column 2 of row 0."""
    if named(value):
        return [p for name in sorted(value) for p in places(value[name], f"{place}[{name!r}]")]
    if not isinstance(value, (list, tuple)):
        return [place]
    return [p for i, entry in enumerate(value) for p in places(entry, f"{place}[{i}]")]


def first_misfit(got, expected, place="", parts=()):
    """(place, got, expected) where one has a list and the other has none, or one of another length; or None.

    The place is "[0][2]", or "d_W[2]" where the parts have names. A dict of tensors needs the same names.
    """
    if named(got) and named(expected):
        for name in sorted({*got, *expected}):
            mine, due = got.get(name), expected.get(name)
            found = first_misfit(mine, due, f"{place}[{name!r}]")
            if found or name not in got or name not in expected:
                return found or (f"{place}[{name!r}]", mine, due)
        return None
    lists = [isinstance(value, (list, tuple)) or named(value) for value in (got, expected)]
    if lists == [False, False]:
        return None
    if lists != [True, True] or named(got) or named(expected) or len(got) != len(expected):
        return place, got, expected
    if is_row_of_floats(got) and is_row_of_floats(expected):
        return None
    inside = map(first_misfit, got, expected, parts or [f"{place}[{i}]" for i in range(len(expected))])
    return next(filter(None, inside), None)


def kind(value):
    if isinstance(value, (list, tuple)):
        return f"a {'list' if isinstance(value, list) else 'tuple'} of {len(value)}"
    return "a number" if is_number(value) else "None" if value is None else f"a {type(value).__name__}"
