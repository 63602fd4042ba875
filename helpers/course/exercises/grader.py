"""The grader: runs the reader's own function and says what is wrong with it.

It tells the right value for the example that stands in the text, and where finite differences give it.
"""

import ast
import builtins
import contextlib
import copy
import dis
import inspect
import io
import json
import linecache
import math
import re
import sys
import time

from .. import ROOT
from ..show.compare import agree, is_number, largest, leaves, misshapen, places, spell
from . import EXERCISES

MAX_CALL_LENGTH = 900  # characters of a call that is shown whole


def grade(number, function, show=False):
    """Run the reader's function on inputs it has not seen, and say that it passed, or where it is wrong.

    show=True prints the failing input in full, and gives it as a list, to try it by hand.
    """
    if number not in EXERCISES:
        raise ValueError(f"there is no exercise {number!r}; there are {', '.join(EXERCISES)}")
    title = f"{'Your turn' if number[-1].isalpha() else 'Exercise'} {number}"
    if not callable(function):
        print(f"{title}: give the function itself, its name without brackets, not {short_repr(function, 40)}")
        return None
    if is_stub(function):
        print(f"{title}: not tried yet")
        return None
    if isinstance(function, type) and EXERCISES[number].of_class:
        function = EXERCISES[number].of_class(function)
    started = time.monotonic()
    try:
        return grade_inputs(title, number, function, show)
    except KeyboardInterrupt:
        seconds = time.monotonic() - started
        print(f"{title}: stopped. Your function ran for {seconds:.0f} s; look for a loop that never ends.")
        return None


def grade_inputs(title, number, function, show):
    """Compare the results of a function with the right ones, input by input, and print the verdict."""
    exercise = EXERCISES[number]
    for i, arguments in enumerate(exercise.inputs, 1):
        wrong = mistake(function, exercise, arguments, number)
        if wrong:
            example = ", the example in the text" if i == 1 and exercise.example else ""
            text = exercise.call_text and exercise.call_text(called(function), *arguments)
            print(
                f"{title}: wrong on input {i} of {len(exercise.inputs)}{example}:\n    "
                f"{text or call(function, arguments)}\n{wrong}"
            )
            slip = known_slip(function, exercise, arguments) or rounding(function, exercise, arguments)
            if slip:
                print(f"That is what happens if {slip}.")
            return hand_over(exercise, arguments) if show else hint(number, function, exercise, arguments)
    print(f"{title}: passed, {len(exercise.inputs)} of {len(exercise.inputs)} inputs")
    if calls_twice(function, exercise):
        print(
            "It uses finite differences, as the grader does. This is correct but slow; "
            "the derivative also has a formula."
        )
    return None


# --- one call


def mistake(function, exercise, arguments, number):
    """What is wrong with the reader's result for one input, in a sentence or two; or None."""
    given = copy.deepcopy(arguments)
    try:
        with at_hand(function, exercise.without):
            got = function(*given)
    except NotAtHand as error:
        return f"It calls {error}, which this exercise does without."
    except Exception as error:
        return raised(error, function, number)
    changed = [
        name
        for name, now, before in zip(argument_names(exercise), given, arguments)
        if not same_value(now, before)
    ]
    due = exercise.answer(*copy.deepcopy(arguments))
    if got is None and due is not None:
        ends = "." if returns_something(function) else "; does it end with return?"
        return f"It returned None on this input{ends}"
    if changed:
        return f"It changed {' and '.join(changed)}, which it was given; build a new list instead."
    in_text = exercise.example and arguments is exercise.inputs[0]
    return difference(got, due, exercise, in_text)


def difference(got, expected, exercise, in_text=False):
    """Where a result differs from the right one, or None. The right value is told only if it stands in the
    text, or if finite differences gave it."""
    if expected is None and isinstance(got, (list, tuple)):
        return f"{exercise.false_alarm}; yours is {short_repr(got, 80)}."
    if exercise.choices and isinstance(got, str) and got not in exercise.choices:
        return f"You said {short_repr(got, 40)}, which is none of these: {', '.join(exercise.choices)}."
    wrong, part = misshapen_part(got, expected, exercise.parts)
    if wrong:
        here = entry_at(part, wrong.partition(" is ")[0])
        yours = "; put list(...) around it" if hasattr(got, "__next__") else f"; yours is {in_brief(here)}"
        wrong = re.sub(r"^the result(\[.*?\]) (?=is )", r"Entry \1 of the result ", wrong)
        return f"{'T' + wrong[1:] if wrong.startswith('the result') else wrong}{yours}."
    bad = disagreeing(got, expected, exercise)
    if not bad:
        return None
    place, mine, due = bad[0]
    total = len(leaves(expected))
    told = expected_value if in_text else measured_value
    yours = kinds_apart(mine, due) or (f"{spell(mine, due)}{told(place, mine, due, exercise)}")
    if not place:
        return f"You said {yours}." if isinstance(mine, (bool, str)) else f"Yours: {yours}."
    what = "number" if all(is_number(x) for x in leaves(expected)) else "entry"
    many = f"{what[:-1]}ies" if what == "entry" else "numbers"
    are = f"{len(bad)} of {total} {many} are wrong, the first" if total > 1 else f"The one {what} is wrong,"
    if len(bad) == 1 < total:
        are = f"1 of {total} {many} is wrong,"
    return f"{are} at {place}: yours is {yours}."


def misshapen_part(got, expected, parts):
    """Where the shapes differ, by the name of the tensor where the result holds several, and what is there;
    the first is None where they do not differ."""
    if not parts or not isinstance(got, (list, tuple)) or len(got) != len(parts):
        return misshapen(got, expected, "the result"), got
    found = ((misshapen(part, due, name), part) for part, due, name in zip(got, expected, parts))
    return next((row for row in found if row[0]), (None, got))


def entry_at(value, place):
    """The entry of nested lists that a place such as "the result[1][0]" names."""
    for i in re.findall(r"\[(\d+)\]", place):
        value = value[int(i)]
    return value


def in_brief(value):
    """A value with six digits for each float, cut where it is long."""
    return short_repr(short_floats(value), 80)


def short_floats(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(short_floats, value)) if type(value) in (list, tuple) else value
    return float(f"{value:.6g}") if isinstance(value, float) else value


def disagreeing(got, expected, exercise):
    """(place, the reader's value, the right one) wherever they differ, each tensor by a tolerance of its
    own size."""
    if exercise.parts:
        pairs = zip(exercise.parts, got, expected, strict=True)
    else:
        pairs = [("", got, expected)]
    found = []
    for name, mine, due in pairs:
        allowed = exercise.within * largest(due)
        found += [
            (place, g, e)
            for place, g, e in zip(places(mine, name), leaves(mine), leaves(due))
            if not agree(g, e, allowed)
        ]
    return found


def measured_value(place, mine, due, exercise):
    return f", finite differences give {spell(due, mine)}" if exercise.nudged else ""


def expected_value(place, mine, due, exercise):
    if exercise.nudged:
        return measured_value(place, mine, due, exercise)
    return f", expected {spell(due, mine)}" if is_number(due) and math.isfinite(due) else ""


def kinds_apart(mine, due):
    """The reader's value with its type, where that is what is wrong; or None."""
    wanted = [word for word, fits in KINDS.items() if fits(due)]
    if not wanted or KINDS[wanted[0]](mine):
        return None
    return f"{short_repr(mine, 40)}, which is {a_kind(mine)}; it should be {wanted[0]}"


KINDS = {
    "True or False": lambda x: isinstance(x, bool),
    "a number": is_number,
    "a string": lambda x: isinstance(x, str),
}


def a_kind(value):
    names = {
        "NoneType": "no value at all",
        "str": "a string",
        "int": "a number",
        "float": "a number",
        "bool": "a truth value",
    }
    kind = type(value).__name__
    return names.get(kind, f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}")


def raised(error, function, number):
    """An exception in words: what it was and in which line of the reader's function."""
    missing = type(error) is NameError and getattr(error, "name", None)
    if missing and missing in known_names(number):
        return f"Run the cells above first ({missing} is not defined)."
    words = " ".join(str(error).split())
    return f"It raised {type(error).__name__}{': ' if words else ''}{words}{line_of(error, function)}."


def line_of(error, function):
    """The line of the reader's own source at which it stopped, as far as it can be told."""
    code, found = getattr(function, "__code__", None), None
    trace = error.__traceback__
    while trace and code:
        here = trace.tb_frame.f_code
        if here.co_filename == code.co_filename and (here is code or not here.co_name.startswith("<")):
            found = here, trace.tb_lineno
        trace = trace.tb_next
    if not found:
        return ""
    stopped, line = found
    inside = "your function" if stopped is code else stopped.co_name
    text = linecache.getline(stopped.co_filename, line).strip()
    return f" (line {line - stopped.co_firstlineno + 1} of {inside}{': ' if text else ''}{text})"


def known_names(number):
    """What `from helpers import …` gives, and what the cells of the lesson define or import."""
    names = {name for name in vars(sys.modules[__package__.partition(".")[0]]) if not name.startswith("_")}
    for path in (ROOT / "notebooks").glob(f"{number[:2]}*.ipynb"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    names |= defined("".join(cell["source"]))
    return names - vars(builtins).keys()


def defined(source):
    """The names that a cell binds at its top level."""
    try:
        nodes = ast.parse(source).body
    except SyntaxError:
        return set()
    found = set()
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        else:
            found |= {
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
    return found


class NotAtHand(Exception):
    """Something was called that the exercise does without."""


@contextlib.contextmanager
def at_hand(function, without):
    """For a while these names of the reader's notebook refuse to be called."""

    def refusing(name, real):
        def refuse(*arguments, **named):
            raise NotAtHand(name)

        return refuse

    with replaced(function, without, refusing):
        yield


@contextlib.contextmanager
def replaced(function, wanted, other):
    """For a while these names of the reader's notebook mean other(name, what they meant)."""
    names = getattr(function, "__globals__", {})
    kept = {name: names[name] for name in wanted if name in names}
    names.update({name: other(name, real) for name, real in kept.items()})
    try:
        yield
    finally:
        names.update(kept)


def calls_twice(function, exercise):
    """Whether a function that should use a formula for a derivative calls the original function twice."""
    called = []

    def noting(name, real):
        return lambda *arguments: called.append(name) or real(*arguments)

    with contextlib.redirect_stdout(io.StringIO()), replaced(function, exercise.derived, noting):
        outcome(function, exercise.inputs[0])
    return len(called) > 1


def returns_something(function):
    """Whether any return of a function gives something else than None; True where it cannot be told."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("NOP", "EXTENDED_ARG")]
    for before, step in zip([None, *steps], steps):
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return True
        if step.opname == "RETURN_VALUE" and (
            step.is_jump_target or (before.opname, before.argval) != ("LOAD_CONST", None)
        ):
            return True  # where branches meet at a return, one of them brings something
    return False


# --- slips


def known_slip(function, exercise, arguments):
    """The slip that the reader made, in words, where its result shows it; or None.

    A number with a fraction is a fingerprint. A label or a whole number is not: there the function must
    do what the slip does on every input, or on all where neither stops with an error, if one of them
    shows a fingerprint.
    """
    with contextlib.redirect_stdout(io.StringIO()):  # the reader's own print was seen once
        mine = outcome(function, arguments)
        alike = [
            text for text, slip in exercise.slips.items() if same_outcome(mine, outcome(slip, arguments))
        ]
        if not alike:
            return None
        throughout = [outcome(function, other) for other in exercise.inputs]
        theirs = {text: [outcome(exercise.slips[text], other) for other in exercise.inputs] for text in alike}
    always = [text for text in alike if all(map(same_outcome, throughout, theirs[text]))]
    if always:
        return always[0] if len(always) == 1 else None
    found = (
        alike if telling(mine) else [text for text in alike if alike_but_for_errors(throughout, theirs[text])]
    )
    return found[0] if len(found) == 1 else None


def rounding(function, exercise, arguments):
    """What to say of a result that is the right one, rounded; or None."""
    with contextlib.redirect_stdout(io.StringIO()):
        kind, got = outcome(function, arguments)
    due = exercise.answer(*copy.deepcopy(arguments))
    if kind != "gave" or misshapen(got, due) or not all(map(is_number, [*leaves(got), *leaves(due)])):
        return None
    pairs = [(g, e) for g, e in zip(leaves(got), leaves(due)) if g != e]
    if not disagreeing(got, due, exercise):
        return None  # something else is wrong: the function changed its argument
    for d in range(1, 9):
        if all(math.isfinite(e) and g == round(e, d) for g, e in pairs):
            return f"the result is rounded to {d} decimal{'s' * (d > 1)}; return it unrounded"
    return None


def telling(result):
    return any(isinstance(x, float) and math.isfinite(x) and x != int(x) for x in leaves(result[1]))


def alike_but_for_errors(ours, theirs):
    """Whether two functions give the same wherever both give something, a number with a fraction among it."""
    both = [(one, other) for one, other in zip(ours, theirs) if one[0] == other[0] == "gave"]
    return all(same_outcome(*pair) for pair in both) and any(telling(one) for one, _ in both)


def outcome(function, arguments):
    """("gave", result), or ("raised", the name of the error)."""
    try:
        return "gave", function(*copy.deepcopy(arguments))
    except AssertionError:
        return "raised", "ValueError"  # what a lesson's bare function asserts, the helper refuses with this
    except Exception as error:
        return "raised", type(error).__name__


def same_outcome(one, other):
    return one[0] == other[0] and same_value(one[1], other[1])


def same_value(one, other):
    """Whether two values are built alike and hold the same, but for rounding; nan is itself here."""
    if misshapen(one, other):
        return False
    allowed = 1e-9 * largest(other)
    pairs = zip(leaves(one), leaves(other))
    return all(a is b or agree(a, b, allowed) or (a != a and b != b) for a, b in pairs)


# --- inputs in words


def argument_names(exercise):
    return list(inspect.signature(exercise.answer).parameters)


def call(function, arguments):
    """The call as it can be pasted; where that is too long, with shapes in place of lists."""
    whole = f"{called(function)}({', '.join(map(pasted, arguments))})"
    return (
        whole
        if len(whole) <= MAX_CALL_LENGTH
        else f"{called(function)}({', '.join(map(described, arguments))})"
    )


def called(function):
    name = getattr(function, "__name__", "your_function")
    return "your_function" if name == "<lambda>" else name


def pasted(argument):
    """An argument as Python text; a function by its name."""
    if isinstance(argument, (list, tuple)):
        inner = ", ".join(map(pasted, argument))
        return f"[{inner}]" if isinstance(argument, list) else f"({inner}{',' * (len(argument) == 1)})"
    if isinstance(argument, float) and math.isinf(argument):
        return "math.inf" if argument > 0 else "-math.inf"
    if not hasattr(argument, "__name__"):
        return repr(argument)
    return f"math.{argument.__name__}" if getattr(argument, "__module__", "") == "math" else argument.__name__


def described(argument):
    """What is short as it is; a longer list by its shape, a ragged one entry by entry."""
    text = pasted(argument)
    if len(text) <= 60 or not isinstance(argument, (list, tuple)):
        return short_repr(argument, 60) if not callable(argument) else text
    sizes = boxes(argument)
    return sizes if sizes else f"a list of {', '.join(map(described, argument))}"


def boxes(argument):
    """ "[5][16]" for even lists, "" for a number, None for ragged ones."""
    if not isinstance(argument, (list, tuple)):
        return ""
    inner = {boxes(entry) for entry in argument}
    return f"[{len(argument)}]{inner.pop()}" if len(inner) == 1 and None not in inner else None


def short_repr(value, width):
    text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def hint(number, function, exercise, arguments):
    """Say how to get at an input that the call does not give whole."""
    cut = len(", ".join(map(pasted, arguments))) > MAX_CALL_LENGTH - len(called(function)) - 2
    if cut or any(unpasteable(argument) for argument in arguments):
        taken = ", ".join(argument_names(exercise)) + "," * (len(arguments) == 1)
        print(f'To try this input yourself: {taken} = grade("{number}", {called(function)}, show=True)')


def unpasteable(argument):
    """Whether an argument is a function without a name and without text of its own."""
    return (
        callable(argument) and not hasattr(argument, "__name__") and not repr(argument).startswith("lambda")
    )


def hand_over(exercise, arguments):
    """Print an input argument by argument, and give a copy of it."""
    for name, argument in zip(argument_names(exercise), arguments):
        print(f"{name} = {pasted(argument)}")
    return copy.deepcopy(arguments)


def is_stub(function):
    """Whether the body is still only `...`, whatever the parameters and the docstring are."""

    def plain(): ...

    def documented():
        """Like plain, with a docstring."""
        ...

    if isinstance(function, type):  # a class whose methods are all untouched
        methods = [f for name, f in vars(function).items() if inspect.isfunction(f) and name != "__init__"]
        return bool(methods) and all(map(is_stub, methods))
    code = getattr(function, "__code__", None)  # what is written in C has none, and is no stub
    if code is None or code.co_code not in (plain.__code__.co_code, documented.__code__.co_code):
        return False
    return set(code.co_consts) <= {None, Ellipsis, function.__doc__}  # `return 80` has the same instructions
