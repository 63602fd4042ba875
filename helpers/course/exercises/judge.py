"""The judge: runs the reader's own function on inputs it has not seen and gives a verdict. It prints nothing.

It tells the right value for the example that stands in the text, and where finite differences give it.
"""

import builtins
import contextlib
import copy
import difflib
import dis
import functools
import inspect
import io
import linecache
import math
import symtable
import time
from typing import NamedTuple

import helpers

from .. import ROOT
from ..lessons.contents import cell_sources
from ..show.compare import agree, disagreements, first_misfit, is_number, kind, largest, leaves, spell
from . import EXERCISES

SHOWN = 40  # entries of a list: their text is longer than what a sentence shows
MAX_CALL_LENGTH, MAX_DICT_LENGTH = 900, 350  # characters of a call that is shown whole, and of a dict in it


class Verdict(NamedTuple):
    """What the judge says of a function.

    title      "Exercise 06.1"
    kind       "passed", "wrong", "not tried", "stopped", or "look": it could not be judged
    said       the sentences about the function
    arguments  the input on which the function failed, or None
    """

    title: str
    kind: str
    said: str
    arguments: list = None

    @property
    def text(self):
        """What `grade` prints."""
        return f"{self.title}: {self.said}"


class Fault(NamedTuple):
    """What the matter is with one result: the kind of a verdict, and a sentence.

    may_have_a_cause is false where the reader's function is not the reason.
    """

    kind: str
    sentence: str
    may_have_a_cause: bool = True


def judge(number, function):
    """Run the reader's function on the inputs of an exercise; the verdict."""
    exercise = exercise_with(number)
    title = f"{'Your turn' if number[-1].isalpha() else 'Exercise'} {number}"
    if not callable(function):
        return Verdict(title, "look", no_function(function))
    if is_stub(function):
        return Verdict(title, "not tried", "not tried yet")
    function = exercise.as_function(function)
    started = time.monotonic()
    try:
        return judge_inputs(title, number, function)
    except KeyboardInterrupt:
        ran = f"Your function ran for {time.monotonic() - started:.0f} s; look for a loop that never ends."
        return Verdict(title, "stopped", f"stopped. {ran}")


def exercise_with(number):
    """The exercise with a number; ValueError, which asks for the nearest one, if there is none."""
    if isinstance(number, str) and number in EXERCISES:
        return EXERCISES[number]
    near = difflib.get_close_matches(f"0{number}"[-4:].lower(), EXERCISES, n=1)
    known = f"did you mean {near[0]}?" if near else f"there are {', '.join(EXERCISES)}"
    raise ValueError(f"there is no exercise {number!r}; {known}")


def judge_inputs(title, number, function):
    """Compare the results of a function with the right ones, input by input."""
    exercise = EXERCISES[number]
    for i, arguments in enumerate(exercise.inputs, 1):
        in_text = exercise.example and i == 1
        found = fault_of(number, function, arguments, in_text)
        if found:
            where = f"input {i} of {len(exercise.inputs)}{', the example in the text' * in_text}"
            how = "wrong on" if found.kind == "wrong" else "cannot be judged on"
            shown = exercise.call_text and exercise.call_text(called(function), *arguments)
            said = f"{how} {where}:\n    {shown or call(function, arguments)}\n{found.sentence}"
            cause = found.may_have_a_cause and cause_of(function, exercise, i - 1)
            read = variables_read(function)
            if cause:
                said += f"\nThat is what happens if {cause}."
            elif found.may_have_a_cause and calls_twice(function, exercise):
                said += "\nIt uses finite differences, which are not exact; the derivative has a formula."
            elif read and found.may_have_a_cause:
                said += f"\nIt reads {', '.join(read)} of the notebook; should it use its own arguments?"
            return Verdict(title, found.kind, said, arguments)
    said = f"passed, {len(exercise.inputs)} of {len(exercise.inputs)} inputs"
    if calls_twice(function, exercise):
        said += "\nIt uses finite differences, as the grader does."
        said += " This is correct but slow; the derivative also has a formula."
    return Verdict(title, "passed", said)


# --- one call


def fault_of(number, function, arguments, in_text=False):
    """The Fault of the reader's result for one input, or None if it is right."""
    exercise = EXERCISES[number]
    given = copy.deepcopy(arguments)
    try:
        got = function(*given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return stopped_by(error, function, number)
    due = exercise.expected(arguments)
    try:
        sentence = complaint(function, exercise, given, arguments, got, due, in_text)
    except Exception as error:  # from a method of an object that the reader's function made
        return Fault("look", f"Its result cannot be compared: that raised {type(error).__name__}.", False)
    return Fault("wrong", sentence) if sentence else None


def stopped_by(error, function, number):
    """The Fault of a function that raised an exception. A missing name may be the notebook's fault."""
    lacks_a_name = type(error) is NameError or isinstance(error, ImportError)
    missing = lacks_a_name and getattr(error, "name", None)
    if missing and missing in known_names(number):
        return Fault("look", f"Run the cells above first ({missing} is not defined).", False)
    return Fault("look" if lacks_a_name else "wrong", raised(error, function))


def complaint(function, exercise, given, arguments, got, due, in_text):
    """What is wrong with the result got, or with the arguments after the call, in a sentence; or None."""
    names = argument_names(exercise)
    changed = [name for name, now, old in zip(names, given, arguments) if not same_value(now, old)]
    if got is None and due is not None:
        ends = "." if returns_something(function) else "; does it end with return?"
        return f"It returned None on this input{ends}"
    if changed:
        keys = any(isinstance(old, dict) and old.keys() != now.keys() for now, old in zip(given, arguments))
        told = f"It changed {' and '.join(changed)}, which it was given"
        return f"{told}; build a new {'dict' if keys else 'list'} instead."
    if exercise.choices and isinstance(got, str) and got not in exercise.choices:
        return f"You said {short_repr(got, 40)}, which is none of these: {', '.join(exercise.choices)}."
    if exercise.returns and not isinstance(got, exercise.returns):
        wanted = with_article(exercise.returns.__name__)
        return f"It returned {with_article(type(got).__name__)}; return {wanted}."
    if exercise.also_right:
        got = exercise.also_right(got, due)
    misfit = first_misfit(got, due, parts=exercise.parts)
    if misfit:
        return wrong_shape(*misfit, exercise)
    bad = wrong_entries(got, due, exercise)
    return wrong_values(bad, leaves(due), exercise, in_text) if bad else None


def wrong_entries(got, due, exercise):
    """(place, got, due) of each wrong number or entry; each tensor has a tolerance of its own size."""
    tensors = zip(exercise.parts, got, due, strict=True) if exercise.parts else [("", got, due)]
    return [
        wrong
        for name, mine, right in tensors
        for wrong in disagreements(mine, right, exercise.tolerance * largest(right), name)
    ]


# --- what is wrong, in words


def wrong_shape(place, got, due, exercise):
    yours = f"yours is {short_repr(short_floats(got), 80)}"
    if hasattr(got, "__next__"):
        yours = "put list(...) around it"
    if not place:
        place = "The result"
    elif not exercise.parts:
        place = f"Entry {place} of the result"
    said = f"{place} is {kind(got)}, expected {kind(due)}"
    return f"{said}." if got is None else f"{said}; {yours}."


def wrong_values(bad, expected, exercise, in_text):
    """How many entries are wrong, and the first of them, or where tensors have names, that with the largest
    deviation. The right value is told only if it stands in the text, or if finite differences give it."""
    by_name = len(bad) > 1 and "['" in bad[0][0]  # the order of names means nothing
    place, got, due = max(bad, key=deviation) if by_name else bad[0]
    yours = wrong_type(got, due)
    if not yours:
        yours = in_digits(got, due)
        if exercise.answer_may_be_told:
            source = "the formula gives" if exercise.wants_formula_for else "finite differences give"
            yours += f", {source} {in_digits(due, got)}"
        elif in_text and (is_number(due) or isinstance(due, dict)):
            yours += f", expected {in_digits(due, got)}"
    if not place:
        return f"You said {yours}." if isinstance(got, (bool, str)) else f"Yours: {yours}."
    one, many = ("number", "numbers") if all(map(is_number, expected)) else ("entry", "entries")
    if len(expected) == 1:
        are = f"The one {one} is wrong,"
    elif len(bad) == 1:
        are = f"1 of {len(expected)} {many} is wrong,"
    else:
        which = "the largest deviation" if by_name else "the first"
        are = f"{len(bad)} of {len(expected)} {many} are wrong, {which}"
    return f"{are} at {place}: yours is {yours}."


def deviation(entry):
    """How far a wrong number is from the right one; infinitely far what is no finite number."""
    _, got, due = entry
    try:
        far = abs(got - due)
    except (TypeError, OverflowError):
        return math.inf
    return math.inf if math.isnan(far) else far


WANTED = {"a truth value": "True or False", "a number": "a number", "a string": "a string"}


def wrong_type(got, due):
    """The reader's value with its type, where that is what is wrong; or None."""
    has, wanted = type_of(got), type_of(due)
    if has == wanted or wanted not in WANTED:
        return None
    return f"{short_repr(got, 40)}, which is {has}; it should be {WANTED[wanted]}"


def type_of(value):
    """The type of a value, in words."""
    if isinstance(value, bool):
        return "a truth value"
    if is_number(value):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "no value at all" if value is None else with_article(type(value).__name__)


def with_article(name):
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def in_digits(x, other):
    """A value with as many digits as it takes to tell it from the other one."""
    try:
        return spell(x, other)
    except (ValueError, OverflowError):  # an integer with thousands of digits
        return short_repr(x, 40)


def short_floats(value, around=()):
    """The value with short floats, and of a long list only the beginning, because no more is shown.

    around: the lists that it is in, for a list can hold itself.
    """
    if type(value) in (list, tuple) and id(value) not in around:
        return type(value)(short_floats(entry, (*around, id(value))) for entry in value[:SHOWN])
    return float(f"{value:.6g}") if isinstance(value, float) else value


def short_repr(value, width):
    try:
        text = repr(value)
    except Exception:  # a method of the reader's, or an integer with thousands of digits
        return f"{with_article(type(value).__name__)} that cannot be printed"
    return text if len(text) <= width else text[: width - 3] + "..."


def no_function(value):
    return f"give the function itself, its name without brackets, not {short_repr(value, 40)}"


def raised(error, function):
    """An exception in words: what it was and in which line of the reader's function."""
    try:
        words = " ".join(str(error).split())
    except Exception:  # a class of the reader's
        words = ""
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
    names = {name for name in dir(helpers) if not name.startswith("_")}
    for path in (ROOT / "notebooks").glob(f"{number[:2]}*.ipynb"):
        names = names.union(*map(defined, cell_sources(path)))
    return names - vars(builtins).keys()


def defined(source):
    """The names that a cell binds at its top level."""
    try:
        symbols = symtable.symtable(source, "cell", "exec").get_symbols()
    except (SyntaxError, ValueError):
        return set()
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}


def variables_read(function):
    """The names of the numbers, texts, lists and dicts that a function reads from the notebook."""
    code = getattr(function, "__code__", None)
    steps = dis.get_instructions(code) if code else ()
    names = dict.fromkeys(step.argval for step in steps if step.opname == "LOAD_GLOBAL")
    kinds, read = (int, float, str, list, tuple, dict), getattr(function, "__globals__", {})
    return [
        name
        for name in names
        if isinstance(read.get(name), kinds) and read[name] is not getattr(helpers, name, None)
    ]


def calls_twice(function, exercise):
    """Whether a function that should use a formula for a derivative calls the original function twice."""
    called, names = [], getattr(function, "__globals__", {})
    kept = {name: names[name] for name in exercise.wants_formula_for if name in names}

    def noted(real):
        return lambda *arguments: called.append(real) or real(*arguments)

    names.update({name: noted(real) for name, real in kept.items()})
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            outcome(function, exercise.inputs[0])
    finally:
        names.update(kept)
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


# --- the reader's mistake


def cause_of(function, exercise, i):
    """The mistake behind a wrong result for input i, in words, where the result shows it; or None."""
    with contextlib.redirect_stdout(io.StringIO()):  # the reader's own print was seen once
        return known_mistake(function, exercise, i) or rounding(function, exercise, exercise.inputs[i])


def known_mistake(function, exercise, i):
    """The mistake that gives the same results as the reader's function, if it is one only; or None.

    A number with a fraction identifies a mistake. A label or a whole number does not: there the function
    must do what the mistake does on every input, or on all where neither stops with an error, if one of
    them shows a number with a fraction.
    """
    mine = outcome(function, exercise.inputs[i])
    alike = {}
    for cause in exercise.mistakes:
        if same_outcome(mine, outcome_of_mistake(exercise, cause, i)):
            every_input = range(len(exercise.inputs))
            alike[cause] = [outcome_of_mistake(exercise, cause, j) for j in every_input]
    if not alike:
        return None
    throughout = [outcome(function, other) for other in exercise.inputs]
    always = [cause for cause, theirs in alike.items() if all(map(same_outcome, throughout, theirs))]
    if not always and not has_a_fraction(mine):
        alike = [cause for cause, theirs in alike.items() if alike_but_for_errors(throughout, theirs)]
    found = always or list(alike)
    return found[0] if len(found) == 1 else None


def rounding(function, exercise, arguments):
    """What to say of a result that is the right one, rounded; or None."""
    gave, got, *_ = outcome(function, arguments)
    due = exercise.expected(arguments)
    if gave != "gave" or first_misfit(got, due):
        return None
    if not all(map(is_number, [*leaves(got), *leaves(due)])) or not wrong_entries(got, due, exercise):
        return None  # without a disagreement, something else is wrong: the function changed its argument
    pairs = [(g, e) for g, e in zip(leaves(got), leaves(due)) if g != e]
    for d in range(1, 9):
        if all(math.isfinite(e) and g == round(e, d) for g, e in pairs):
            return f"the result is rounded to {d} decimal{'s' * (d > 1)}; return it unrounded"
    return None


def has_a_fraction(result):
    return any(isinstance(x, float) and math.isfinite(x) and x != int(x) for x in leaves(result[1]))


def alike_but_for_errors(ours, theirs):
    """Whether two functions give the same wherever both give something, a number with a fraction among it."""
    both = [(one, other) for one, other in zip(ours, theirs) if one[0] == other[0] == "gave"]
    return all(same_outcome(*pair) for pair in both) and any(has_a_fraction(one) for one, _ in both)


def outcome(function, arguments):
    """("gave", result, the arguments after the call), or ("raised", error's name, what a helper refused)."""
    given = copy.deepcopy(arguments)
    try:
        return "gave", function(*given), given
    except KeyboardInterrupt:
        raise
    except AssertionError:  # what a lesson's bare function asserts, the helper refuses with a ValueError
        return "raised", "ValueError", ""
    except BaseException as error:
        said = str(error) if type(error) in (ValueError, TypeError) else ""
        # A bare function's strict zip refuses what the helper refuses in words of its own.
        return "raised", type(error).__name__, "" if said.startswith("zip() argument") else said


@functools.cache
def outcome_of_mistake(exercise, cause, i):
    """The outcome of a known mistake for input i: it runs once, however many answers are compared with it."""
    return outcome(exercise.mistaken(cause), exercise.inputs[i])


def same_outcome(one, other):
    """Whether two functions did the same: a result is not the same if one of them changed an argument."""
    if one[0] != other[0] or not same_value(one[1], other[1]):
        return False
    if one[0] == "gave":
        return same_value(one[2], other[2])
    return len({one[2], other[2]} - {""}) < 2  # a bare function's assert says it in other words


def same_value(one, other):
    """Whether two values are built alike and hold the same, but for rounding; nan is itself here."""
    if first_misfit(one, other):
        return False
    allowed = 1e-9 * largest(other)
    pairs = zip(leaves(one), leaves(other))
    return all(a is b or agree(a, b, allowed) or (a != a and b != b) for a, b in pairs)


# --- inputs in words


def argument_names(exercise):
    return list(inspect.signature(exercise.as_function(exercise.solution)).parameters)


def call(function, arguments):
    """The call as it can be pasted; where that is too long, with shapes in place of lists."""
    if not is_long(function, arguments):
        return whole_call(function, arguments)
    return f"{called(function)}({', '.join(map(abbreviated, arguments))})"


def whole_call(function, arguments):
    return f"{called(function)}({', '.join(map(as_source, arguments))})"


def is_long(function, arguments):
    """Whether a call is too long to be shown whole; a dict of parameters hides the other arguments sooner."""
    longest = max((len(as_source(a)) for a in arguments if isinstance(a, dict)), default=0)
    return longest > MAX_DICT_LENGTH or len(whole_call(function, arguments)) > MAX_CALL_LENGTH


def called(function):
    name = getattr(function, "__name__", "your_function")
    return "your_function" if name == "<lambda>" else name


def as_source(argument):
    """An argument as Python text; a function by its name."""
    if isinstance(argument, (list, tuple)):
        inner = ", ".join(map(as_source, argument))
        return f"[{inner}]" if isinstance(argument, list) else f"({inner}{',' * (len(argument) == 1)})"
    if isinstance(argument, float) and math.isinf(argument):
        return "math.inf" if argument > 0 else "-math.inf"
    if not hasattr(argument, "__name__"):
        return repr(argument)
    return f"math.{argument.__name__}" if getattr(argument, "__module__", "") == "math" else argument.__name__


def abbreviated(argument):
    """What is short as it is; a longer list by its shape, a ragged one entry by entry."""
    text = as_source(argument)
    if len(text) <= 60 or not isinstance(argument, (list, tuple)):
        return short_repr(argument, 60) if not callable(argument) else text
    sizes = boxes(argument)
    return sizes if sizes else f"a list of {', '.join(map(abbreviated, argument))}"


def boxes(argument):
    """ "[5][16]" for even lists, "" for a number, None for ragged ones."""
    if not isinstance(argument, (list, tuple)):
        return ""
    inner = {boxes(entry) for entry in argument}
    return f"[{len(argument)}]{inner.pop()}" if len(inner) == 1 and None not in inner else None


def too_long(function, arguments):
    """Whether the call does not show these arguments whole."""
    return is_long(function, arguments) or any(map(unpasteable, arguments))


def unpasteable(argument):
    """Whether an argument is a function without a name and without text of its own."""
    return (
        callable(argument) and not hasattr(argument, "__name__") and not repr(argument).startswith("lambda")
    )


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
