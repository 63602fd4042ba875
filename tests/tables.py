"""What the tests share: refusals of bad input, nested lists compared, and matrices of numbers."""

import copy
import importlib
import inspect
import pathlib

import helpers


def mathematics():
    """{name: function with its checks} of every public function made to be copied, found in the folder:
    none is forgotten."""
    found = {}
    for path in sorted(pathlib.Path(helpers.__file__).parent.glob("*.py")):
        if path.stem not in ("__init__", "__main__"):
            module = importlib.import_module(f"helpers.{path.stem}")
            for name, function in inspect.getmembers(module, inspect.isfunction):
                if function.__module__ == module.__name__ and not name.startswith("_"):
                    found[name] = getattr(helpers, name)
    return found


def refuses(function, arguments, error, *words):
    """Assert that this call raises this very error with all these words, and that no argument changes."""
    before = repr(arguments)
    try:
        result = function(*arguments)
    except Exception as raised:
        kind, message = type(raised), str(raised)
    else:
        kind, message = None, f"no error, but {result!r}"
    assert kind is error, f"{before:.300}: {kind}, {message}"
    missing = [word for word in words if word not in message]
    assert not missing, f"{before:.300}: {missing} not in: {message}"
    assert repr(arguments) == before, f"{before:.300} became {arguments!r:.300}"


def leaves_alone(function, arguments):
    """Assert that the call changes no argument, and no list of the result is a list of an argument."""
    before = copy.deepcopy(arguments)
    result = function(*arguments)
    assert arguments == before, f"{before} became {arguments}"
    shared = set(map(id, lists_in(result))) & set(map(id, lists_in(arguments)))
    assert not shared, (
        f"{before}: the result holds a list of its argument; changing one would change the other"
    )


def lists_in(value):
    """Every list in a nest of lists, the nest itself first."""
    if not isinstance(value, (list, tuple)):
        return []
    return [value, *(inner for entry in value for inner in lists_in(entry))]


def numbers_in(value):
    """Every number in a nest of lists, in order."""
    if not isinstance(value, (list, tuple)):
        return [value]
    return [number for entry in value for number in numbers_in(entry)]


def lengths(value):
    """The lengths of nested lists; unlike helpers.shape it takes ragged ones, and shows where they are."""
    return [lengths(entry) for entry in value] if isinstance(value, (list, tuple)) else "number"


def assert_close(got, expected, within=1e-12, at_least=0.0):
    """Assert the same nested lists, each number within so much of the largest expected one, or at_least."""
    assert lengths(got) == lengths(expected), f"shapes differ: {got} and {expected}"
    pairs = list(zip(numbers_in(got), numbers_in(expected)))
    tolerance = max(within * max(abs(e) for _, e in pairs), at_least)
    assert all(abs(g - e) <= tolerance for g, e in pairs), f"{got} is not {expected}"


# for floats that are exact: whole numbers and eighths, whose sums of products fit into a float's 53 bits
def whole_numbers(rng, *sizes):
    """A nest of lists of small whole numbers."""
    if not sizes:
        return rng.randint(-9, 9)
    return [whole_numbers(rng, *sizes[1:]) for _ in range(sizes[0])]


def eighths(rng, *sizes):
    """A nest of lists of small multiples of 1/8."""
    if not sizes:
        return rng.randint(-99, 99) / 8
    return [eighths(rng, *sizes[1:]) for _ in range(sizes[0])]
