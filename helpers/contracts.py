"""What a function accepts, said in one line above it: @shapes(A="m n", B="n p").

Equal letters must be equal lengths. The outermost call is checked, and the calls inside it are trusted: composing
functions costs nothing. Every refusal names the function, the argument, what it is and what would fit. The rules:

    "T D"                  a matrix, T rows of D numbers; "n" is a vector, "H T k" a list of matrices; "H*v" a product
    "T < V"                T whole numbers from 0 to V-1
    "T D finite"           neither nan nor infinity; "n >= 0", "n > 0" and "n < 1" bound every number, too
    "number", "whole"      one number; one whole number, 0 or more; bounds may follow
    "function"             something to call; "function to number": what it gives is checked, too
    "stream"               a random.Random
    "text", "texts"        one text, a str; a list of them
    "bytes", "path"        what a file holds; where a file or a folder is, a str or a Path
    "nest", "tensors"      dicts and lists around numbers; dicts, in dicts or not, of vectors, matrices and lists of them
    "like p"               built like the argument p
    "nests alike"          several such nests, for an argument like *trees
    "names of p"           names that the dict p has
    {"W": "m n"}           a dict with at least these names
    "length V"             a whole number above 0, and what V stands for from there on
    letters_of             a function that makes of the argument config a dict of rules: exactly these names

None is allowed where it is the default, or where a rule ends in "or None". What no rule can say stands in the function,
as an assert. arithmetic=True says that every number is multiplied or added on the way: what is none fails there, and is
looked for only then.
"""

import functools
import inspect
import math
import operator
import os
import random
from typing import Callable, NamedTuple

COMPARE = {"<": operator.lt, ">": operator.gt, ">=": operator.ge}
CALLED = {1: "a vector (a list of numbers)", 2: "a matrix (a list of rows)", 3: "a list of matrices"}
MAX_DEPTH = 10
trusting = False  # while a checked function is at work


def shapes(arithmetic=False, **rules):
    """Check the arguments of the outermost call by these rules.

    TypeError for a value of the wrong kind, ValueError for one that does not fit.

    >>> @shapes(u="n", v="n")
    ... def dot(u, v):
    ...     return sum(a * b for a, b in zip(u, v))
    >>> dot([1, 2], [10, 1])
    12
    >>> dot([1, 2], [10])
    Traceback (most recent call last):
    ValueError: dot: u is [2] and v is [1], read as u [n] and v [n]: n is 2 and 1; make them equal
    """
    parsed = {name: rule if callable(rule) else parse(rule) for name, rule in rules.items()}
    calls_back = any(str(rule).startswith("function") for rule in rules.values())
    watches = any(str(rule).startswith("function to") for rule in rules.values())

    def decorate(function):
        signature = inspect.signature(function)
        by_place = {name: p for name, p in signature.parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD}
        plain = len(by_place) == len(signature.parameters)
        required = {name for name, parameter in by_place.items() if parameter.default is parameter.empty}
        optional = {
            name for name, parameter in by_place.items()
            if parameter.default is None or str(rules.get(name)).endswith("or None")
        }  # fmt: skip

        def by_name(arguments, named):
            given = dict(zip(by_place, arguments), **named)
            if plain and len(given) == len(arguments) + len(named) and required <= given.keys() <= by_place.keys():
                return given
            try:
                bound = signature.bind(*arguments, **named)  # the long way, for *trees and for errors
            except TypeError as error:
                raise TypeError(f"{function.__name__}: {error}") from None
            bound.apply_defaults()  # no trees at all are ()
            return bound.arguments

        @functools.wraps(function)
        def checked(*arguments, **named):
            global trusting
            if trusting:
                return function(*arguments, **named)
            call = Call(function.__name__, parsed, optional, by_name(arguments, named))
            call.check(thorough=not arithmetic)
            if watches:
                arguments, named = (), call.given
            trusting = not calls_back  # what the caller's own function calls is checked
            try:
                return function(*arguments, **named)
            except Exception as error:
                trusting = False
                call.check(thorough=True)
                raise call.explained(error) from None
            finally:
                trusting = False

        checked.rules = rules  # for tests that try what they do not allow
        return checked

    return decorate


class Rule(NamedTuple):
    """A rule taken apart: "T D finite >= 0" is the letters T and D, finite, and the bound (">=", "0")."""

    kind: Callable | None  # the check of a value that has no shape
    what: tuple
    finite: bool
    bounds: list
    watch: bool


def parse(rule):
    return {name: parse(inner) for name, inner in rule.items()} if isinstance(rule, dict) else parse_text(rule)


@functools.cache
def parse_text(rule):
    words = rule.removesuffix(" or None").removesuffix(" to number").split()
    signs = [i for i, word in enumerate(words) if word in COMPARE]
    what = tuple(word for word in words[: min(signs, default=None)] if word != "finite")
    bounds = [(words[i], words[i + 1]) for i in signs]
    return Rule(KINDS.get(what[0]), what, "finite" in words, bounds, rule.endswith(" to number"))


class Call:
    """One call of a checked function: the lengths that its arguments give to the letters."""

    def __init__(self, function, rules, optional, given):
        self.function, self.rules, self.optional, self.given = function, rules, optional, given

    def check(self, thorough):
        """Stop unless every argument keeps its rule; thorough looks at every number, too."""
        given, self.thorough, self.measured = self.given, thorough, {}
        self.lengths = {}  # letter -> (its length, the argument that gave it, that argument's letters and shape)
        try:
            for name, rule in self.rules.items():
                if name in given and (given[name] is not None or name not in self.optional):
                    self.check_value(given[name], name, rule)
                    if type(rule) is Rule and rule.watch:
                        given[name] = watched(given[name], f"{self.function}: what {name} gives")
        except (TypeError, ValueError) as error:
            if not thorough:
                self.check(thorough=True)  # which may know better: what looked like [2][5] is [2][5][16]
            raise type(error)(f"{self.function}: {error}") from None

    def check_value(self, value, name, rule):
        if callable(rule):
            rule = self.rules_by_config(rule)
            check_dict(value, name, rule, only=True)
        if type(rule) is dict:
            check_dict(value, name, rule)
            for key, inner in rule.items():
                self.check_value(value[key], f"{name}[{key!r}]", inner)
            return
        if rule.kind:
            rule.kind(value, name, rule.what[-1], self)
        else:
            sizes = self.sizes(value, name, len(rule.what), self.thorough or rule.finite or rule.bounds)
            for letter, size in zip(rule.what, sizes):
                if letter not in self.lengths and letter.isalpha():
                    self.lengths[letter] = size, name, rule.what, sizes
                elif size != self.length(letter):
                    raise self.mismatch(letter, name, rule.what, sizes)
        if (rule.finite or rule.bounds) and (self.thorough or rule.kind is not check_like):
            check_bounds(value, name, rule, self.lengths)

    def rules_by_config(self, rule):
        """What a function makes of the config, which was found sound by itself."""
        try:
            return parse(inspect.unwrap(rule)(self.given["config"]))
        except AssertionError as error:
            raise ValueError(error) from None

    def sizes(self, value, name, dimensions, thorough):
        """The shape of a value, which is not measured twice."""
        key = id(value), dimensions, bool(thorough)
        if key not in self.measured:
            self.measured[key] = (shape if thorough else lists)(value, name, dimensions)
        return self.measured[key]

    def length(self, letter):
        """What a letter stands for by now; "H*v" is a product, "2" itself."""
        if letter in self.lengths:
            return self.lengths[letter][0]
        return int(letter) if letter.isdigit() else math.prod(map(self.length, letter.split("*")))

    def mismatch(self, letter, name, what, sizes):
        wanted, size = self.length(letter), sizes[what.index(letter)]
        if letter.isdigit():
            return ValueError(f"{name} is {boxed(sizes)}; give {wanted} entries")
        parts = [part for part in letter.split("*") if not part.isdigit()]
        given_by = {other: (letters, others) for _, other, letters, others in map(self.lengths.get, parts)}
        if not any(others for _, others in given_by.values()):  # lengths that a config says
            return ValueError(f"{name} is {boxed(sizes)}, read as {boxed(what)}: by config {letter} is {wanted}, not {size}")
        are = ", ".join(f"{other} is {boxed(others)}" for other, (_, others) in given_by.items())
        read = ", ".join(f"{other} {boxed(letters)}" for other, (letters, _) in given_by.items())
        return ValueError(
            f"{are} and {name} is {boxed(sizes)}, read as {read} and {name} {boxed(what)}: "
            f"{letter} is {wanted} and {size}; make them equal"
        )

    def explained(self, error):
        """What went wrong in a call whose arguments keep all rules."""
        if isinstance(error, AssertionError):
            return ValueError(f"{self.function}: {error}")
        if isinstance(error, ZeroDivisionError):
            return ValueError(f"{self.function}: a division by 0 on the way; is eps 0?")
        if isinstance(error, OverflowError):
            return ValueError(f"{self.function}: a number on the way is too large for a float")
        return error


def watched(function, what):
    """The same function; TypeError when it gives something else than a number."""

    @functools.wraps(function, assigned=["__name__"], updated=[])
    def watch(*arguments):
        result = function(*arguments)
        check_number(result, what)
        return result

    return watch


# --- values without a shape


def check_dict(value, name, rule, only=False):
    if not isinstance(value, dict):
        raise TypeError(f"{name} is {brief(value)}; give a dict with {listed(rule)}")
    missing = [key for key in rule if key not in value]
    if missing:
        raise ValueError(f"{name} has no {listed(missing)}; give a dict with {listed(rule)}")
    surplus = [str(key) for key in value if key not in rule] if only else []
    if surplus:
        raise ValueError(f"{name} has {listed(surplus)}, which is not in a model of this config; give a dict with {listed(rule)}")


def listed(names):
    """All names, or of very many the first few and the last."""
    names = list(names)
    return ", ".join(names if len(names) <= 20 else [*names[:5], "…", names[-1]])


def check_number(value, name, *_):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise TypeError(f"{name} is {brief(value)}, not a number")


def check_whole(value, name, *_):
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} is {brief(value)}; give a whole number, 0 or more")


def check_length(value, name, letter, call):
    check_whole(value, name)
    if not value:
        raise ValueError(f"{name} is 0; give a whole number, 1 or more")
    call.lengths[letter] = value, name, (), ()


def check_function(value, name, *_):
    if not callable(value):
        raise TypeError(f"{name} is {brief(value)}; give a function")


def check_stream(value, name, *_):
    if not isinstance(value, random.Random):
        raise TypeError(f"{name} is {brief(value)}; give a stream of its own, random.Random(42)")


def check_text(value, name, *_):
    if not isinstance(value, str):
        raise TypeError(f"{name} is {brief(value)}; give a text, a str")


def check_texts(value, name, *_):
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} is {brief(value)}; give a list of texts")
    for i, text in enumerate(value):
        check_text(text, f"{name}[{i}]")


def check_bytes(value, name, *_):
    if not isinstance(value, bytes):
        raise TypeError(f"{name} is {brief(value)}; give bytes, as a file that is opened to read 'rb' gives them")


def check_path(value, name, *_):
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise TypeError(f"{name} is {brief(value)}; give the path of a file or a folder")


def check_nest(value, name, _, call):
    """Stop unless dicts and lists, however deep, hold numbers."""
    if isinstance(value, dict):
        for key, entry in value.items():
            check_nest(entry, f"{name}[{key!r}]", _, call)
    elif not isinstance(value, (list, tuple)):
        check_number(value, name)
    elif call.thorough and not sound_matrix(value):
        for i, entry in enumerate(value):
            check_nest(entry, f"{name}[{i}]", _, call)


def check_tensors(value, name, _, call):
    check_same(value, value, name, name, call)


def check_alike(value, name, _, call):
    if not value:
        raise TypeError(f"{name} is empty; give at least one nest of dicts and lists")
    for i, nest in enumerate(value):
        check_same(value[0], nest, f"{name}[0]", f"{name}[{i}]", call)


def check_like(value, name, other, call):
    if other in call.given:
        check_same(call.given[other], value, other, name, call)


def check_same(first, second, first_name, second_name, call):
    """Stop unless two nests of dicts and lists of numbers are built alike."""
    if not call.thorough and first is not second and plainly_alike(first, second):
        return
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            raise ValueError(f"{first_name} has the names {list(first)} and {second_name} has {list(second)}; make them equal")
        for key in first:
            check_same(first[key], second[key], f"{first_name}[{key!r}]", f"{second_name}[{key!r}]", call)
    elif isinstance(first, dict) or isinstance(second, dict):
        both = f"{first_name} is {brief(first)} and {second_name} is {brief(second)}"
        raise TypeError(f"{both}; give two dicts of the same names")
    else:
        sizes = [call.sizes(nest, name, None, call.thorough) for nest, name in ((first, first_name), (second, second_name))]
        if sizes[0] != sizes[1]:
            raise ValueError(f"{first_name} is {boxed(sizes[0])} and {second_name} is {boxed(sizes[1])}; make them equal")


def plainly_alike(first, second):
    """Whether two nests are built alike, the usual case, at little cost; False where a longer look has to tell."""
    if type(first) is dict:
        same_names = type(second) is dict and first.keys() == second.keys()
        return same_names and all(plainly_alike(first[key], second[key]) for key in first)
    if type(first) is not list or type(second) is not list or len(first) != len(second) or not first:
        return False
    if type(first[0]) is not list:
        return type(second[0]) is not list
    if not first[0] or type(first[0][0]) is list:
        return all(map(plainly_alike, first, second))
    return {*map(type, second)} == {list} and [*map(len, first)] == [*map(len, second)]


def check_names(value, name, other, call):
    names = call.given.get(other, ())
    if not isinstance(value, (list, tuple, set)) or not all(key in names for key in value):
        raise ValueError(f"{name} is {brief(value)}; give a list of names that {other} has: {', '.join(names)}")


KINDS = {
    "number": check_number, "whole": check_whole, "length": check_length, "function": check_function, "stream": check_stream,
    "text": check_text, "texts": check_texts, "bytes": check_bytes, "path": check_path,
    "nest": check_nest, "tensors": check_tensors, "nests": check_alike, "like": check_like, "names": check_names,
}  # fmt: skip


def check_bounds(value, name, rule, lengths):
    """Stop unless every number in a value is finite, where that is asked, and keeps the bounds."""
    found = numbers(value)
    for sign, limit in rule.bounds:
        if limit in lengths:  # ids, which count from 0
            top = lengths[limit][0]
            for x in found:
                if not isinstance(x, int) or not 0 <= x < top:
                    raise ValueError(f"{place(value, x, name)} is {brief(x)}; give a whole number from 0 to {top - 1}")
        else:
            for x in found:
                if not COMPARE[sign](x, float(limit)):
                    raise ValueError(f"{place(value, x, name)} is {brief(x)}; give a number {sign} {limit}")
    for x in found if rule.finite else ():
        if not math.isfinite(x):
            raise ValueError(f"{place(value, x, name)} is {x}; give a finite number")


def numbers(nest):
    """The numbers of a nest that was found sound, from left to right."""
    entries = list(nest.values()) if isinstance(nest, dict) else nest
    if not isinstance(entries, (list, tuple)):
        return [entries]
    if not isinstance(entries[0], (list, tuple, dict)):
        return entries
    return [x for entry in entries for x in numbers(entry)]


def place(nest, wanted, name):
    """Where in dicts and lists the first such object is: "W[0][2]"."""
    if nest is wanted:
        return name
    for key, entry in nest.items() if isinstance(nest, dict) else enumerate(nest):
        if any(x is wanted for x in numbers(entry)):
            return place(entry, wanted, f"{name}[{key!r}]")


def boxed(sizes):
    return "".join(f"[{size}]" for size in sizes)


def brief(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- shapes


def shape(A, name="A", dimensions=None):
    """The lengths of nested lists, from the outside in: (rows, columns) for a matrix.

    TypeError for anything that is not a list of numbers, ValueError for an empty list, for rows of unequal length,
    and for another number of dimensions than asked for. The message names the place.

    >>> shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    sizes = sound_matrix(A) or measure(A, name)
    if dimensions not in (None, len(sizes)):
        raise ValueError(f"{name} is {boxed(sizes)}; it must be {CALLED.get(dimensions, f'{dimensions} lists deep')}")
    return sizes


def lists(A, name, dimensions=None):
    """The same, without a look at the numbers, and so at little cost, where the lists are sound."""
    if dimensions == 1 and type(A) is list and A:
        return (len(A),)
    if dimensions == 3 and type(A) is list and {*map(type, A)} == {list}:
        inner = {even_rows(matrix) for matrix in A}
        return (len(A), *inner.pop()) if len(inner) == 1 and None not in inner else shape(A, name, 3)
    return (dimensions in (2, None) and even_rows(A)) or shape(A, name, dimensions)


def even_rows(A):
    """(rows, columns) of a list of equally long lists, whatever they hold; None for anything else."""
    if type(A) is list and {*map(type, A)} == {list} and len({*map(len, A)}) == 1 and A[0]:
        return len(A), len(A[0])


def sound_matrix(A):
    """The shape of a matrix of numbers, the usual case; None for anything else."""
    try:
        sizes = even_rows(A)
        if sizes:
            float(sum(map(sum, A), 0.0))  # adding up fails unless every entry is a number
        return sizes
    except (TypeError, OverflowError):
        return None


def measure(A, name, depth=1):
    """The shape of any nest, or the error that says where it is none."""
    if not isinstance(A, (list, tuple)):
        raise TypeError(f"{name} is {brief(A)}, not a list")
    if not A:
        raise ValueError(f"{name} is empty; give it at least one entry")
    if depth > MAX_DEPTH:
        raise ValueError(f"{name.partition('[')[0]} is nested more than {MAX_DEPTH} deep; give lists of numbers")
    if isinstance(A[0], (list, tuple)):
        inner = [sound_matrix(row) or measure(row, f"{name}[{i}]", depth + 1) for i, row in enumerate(A)]
        for i, sizes in enumerate(inner):
            if sizes != inner[0]:
                raise ValueError(f"{name} is ragged: {name}[0] is {boxed(inner[0])} and {name}[{i}] is {boxed(sizes)}")
        return len(A), *inner[0]
    try:
        float(sum(A, 0.0))
    except TypeError:
        i = next(i for i, x in enumerate(A) if not isinstance(x, (int, float)))
        raise TypeError(f"{name}[{i}] is {brief(A[i])}, not a number") from None
    except OverflowError:
        raise ValueError(f"{name} holds a whole number that is too large for a float") from None
    return (len(A),)
