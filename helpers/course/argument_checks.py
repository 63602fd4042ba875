"""Check the arguments of a function against the strings in its signature.

    def linear(X: "T n", W: "m n", b: "m" = None) -> "T m":

What the strings say:

    "T D", "n", "H T k"       a matrix of T rows and D columns, a vector, a list of matrices.
                              Equal names are equal lengths
    "m H*v", "2"              a length may be a product, or a number
    "T D finite", "n >= 0"    no entry is nan or infinite; every entry is at least 0. Also >, < and <=
    "T < V"                   T whole numbers from 0 to V - 1: ids
    "float", "int > 0"        one number, one whole number; `finite` and bounds as above.
                              The name of an int is a length, too
    "float -> float"          a function; what it gives is checked at each call. "function": any function
    "Random"                  a random.Random
    "str", "bytes", "path", "list", "dict", "set", "list of str"
    "list of ids"             whole numbers of at least 0, or []. "lists of ids": documents
    "tree"                    dicts and lists around numbers, in any form
    "tree of vectors"         dicts, also in dicts, of vectors, matrices and lists of matrices
    "dict of vectors"         the same, without dicts in dicts
    "trees alike"             for *trees: trees of vectors with the same names and shapes
    "like parameters"         a tree with the names and shapes of the argument `parameters`; bounds may follow
    "names in parameters"     a list of names that the argument `parameters` has
    "BLOCK_PARAM_SHAPES"                   a dict with the names in the module's dict BLOCK_PARAM_SHAPES = {name: string}, or more.
                              There, "int V" is a whole number of at least 1, and V is a length
    "gpt_param_specs(config)"     a dict with exactly the names of the dict that this function of the module gives

An argument may be None where None is the default, or where the string ends in " or None". Entries are int or
float, nothing else; in lists of more than 100 numbers they need only add up to a float, as Fractions do.
The string after `->` declares the result; a tuple of strings declares several results.
"""

import functools
import inspect
import math
import operator
import os
import random
import re
from itertools import chain
from typing import NamedTuple

MAX_NUMBERS = 50_000_000  # in a list or a result: Python needs more than a gigabyte for them
MANY = 100  # numbers in a list: of more, nobody typed each, and it is enough that they add up to a float
MAX_DEPTH = 10  # lists in lists, dicts in dicts
COMPARE = {"<": operator.gt, "<=": operator.ge, ">": operator.lt, ">=": operator.le}  # the limit comes first
TOO_LARGE = "a number on the way is too large for a float"
CALLED = {1: "a vector (a list of numbers)", 2: "a matrix (a list of rows)", 3: "a list of matrices"}


def checked(function):
    """Wrap a function: its arguments are checked before each call, and errors inside name the function.

    TypeError for a value of the wrong kind, ValueError for one that does not fit.

    >>> @checked
    ... def dot(u: "n", v: "n") -> "float":
    ...     return sum(a * b for a, b in zip(u, v))
    >>> dot([1, 2], [10, 1])
    12
    >>> dot([1, 2], [10])
    Traceback (most recent call last):
    ValueError: dot: u is [2] and v is [1], read as u [n] and v [n]: n is 2 and 1; make them equal
    """

    @functools.wraps(function)
    def wrapper(*arguments, **named):
        call = Call(declared(function))
        call.bind(arguments, named)
        try:
            call.check()
        except (TypeError, ValueError) as error:
            raise type(error)(f"{function.__name__}: {error}") from None
        except Exception as error:  # from a list, dict or number with methods of its own
            raise TypeError(f"{function.__name__}: its arguments cannot be read ({error!r:.60})") from error
        if call.watched:
            arguments, named = call.bound.args, call.bound.kwargs
        try:
            result = function(*arguments, **named)
        except Exception as error:
            if error in call.raised:
                raise
            raise explained(error, function.__name__) from None
        if type(result) is float and result != result and all_finite([*call.given.values()]):
            raise ValueError(f"{function.__name__}: {TOO_LARGE}")
        return result

    wrapper.is_checked = True
    return wrapper


def result_problem(function, arguments, result):
    """What the declared result and this one do not have in common, in a sentence; None if it is as declared.

    arguments is {name: value}, as the function was given them.

    >>> def double(u: "n") -> "n":
    ...     return u + u
    >>> result_problem(double, {"u": [1, 2]}, double([1, 2]))
    'u is [2] and the result is [4], read as u [n] and the result [n]: n is 2 and 4; make them equal'
    """
    call = Call(declared(inspect.unwrap(function)))
    call.given = dict(arguments)
    call.check()
    rules, parts = call.declared.results, result if len(call.declared.results) > 1 else (result,)
    if not isinstance(parts, tuple) or len(parts) != len(rules):
        return f"the result is {brief(result)}; it must be a tuple of {len(rules)}"
    try:
        for rule, part in zip(rules, parts):
            call.check_value(part, "the result", rule)
        call.settle()
    except (TypeError, ValueError) as error:
        return str(error)
    return None


# --- signatures


class Rule(NamedTuple):
    """A string taken apart: "T D finite >= 0" is ("shape", ("T", "D"), True, [(">=", "0")])."""

    kind: str
    names: tuple
    finite: bool
    bounds: list


@functools.cache
def parse(text):
    """The rule that a string of a signature states."""
    words = text.removesuffix(" or None").split()
    if "->" in words:
        return Rule("function", tuple(words[words.index("->") + 1 :]), False, [])
    signs = [i for i, word in enumerate(words) if word in COMPARE]
    bounds = [(words[i], words[i + 1]) for i in signs]
    plain = [word for word in words[: min(signs, default=None)] if word != "finite"]
    made = re.fullmatch(r"(\w+)\((\w+)\)", plain[0])
    if " ".join(plain) in KINDS:
        kind, plain = " ".join(plain), []
    elif plain[0] in ("int", "like", "names"):
        kind, plain = plain[0], plain[-1:]  # "int V", "like parameters", "names in parameters"
    elif made or re.fullmatch("[A-Z_]{2,}", plain[0]):
        kind, plain = "named dict", made.groups() if made else plain
    else:
        kind = "shape"
    return Rule(kind, tuple(plain), "finite" in words, bounds)


class Declared(NamedTuple):
    """What a signature says."""

    function: object
    signature: inspect.Signature
    names: list  # of the arguments
    required: int
    plain: bool  # without *trees and without functions among its arguments
    rules: dict
    optional: set  # the arguments that may be None
    results: list
    as_lengths: set  # every word of the signature's strings


@functools.cache
def declared(function):
    signature = inspect.signature(function)
    given = signature.parameters
    texts = {name: p.annotation for name, p in given.items() if p.annotation is not p.empty}
    results = signature.return_annotation
    results = [] if results is signature.empty else [results] if isinstance(results, str) else list(results)
    rules = {name: parse(text) for name, text in texts.items()}
    return Declared(
        function,
        signature,
        list(given),
        sum(p.default is p.empty for p in given.values()),
        not any(rule.kind in ("function", "trees alike") for rule in rules.values()),
        rules,
        {name for name, text in texts.items() if given[name].default is None or text.endswith(" or None")},
        [parse(text) for text in results],
        set(re.findall(r"\w+", " ".join([*texts.values(), *results]))),
    )


# --- one call


class Call:
    """The arguments of one call by name, and the lengths that they give to the names in the signature."""

    def __init__(self, declared):
        self.declared = declared
        self.lengths = {}  # name: (the length, the argument that gave it, that argument's names and lengths)
        self.products, self.ids, self.watched, self.raised, self.known = [], [], False, [], {}

    def bind(self, arguments, named):
        """Find the arguments by name."""
        declared = self.declared
        if declared.plain and not named and declared.required <= len(arguments) <= len(declared.names):
            self.given = dict(zip(declared.names, arguments))
            return
        try:
            self.bound = declared.signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{declared.function.__name__}: {error}") from None
        self.given = self.bound.arguments
        for name, rule in declared.rules.items():
            if rule.kind == "trees alike":
                self.given.setdefault(name, ())

    def check(self):
        """Stop unless every argument is what the signature says, and the result is not too large."""
        given, optional = self.given, self.declared.optional
        for name, rule in self.declared.rules.items():
            if name in given and (given[name] is not None or name not in optional):
                self.check_value(given[name], name, rule)
        self.settle()
        total = sum(self.size(rule) for rule in self.declared.results)
        if total > MAX_NUMBERS:
            raise ValueError(f"the result would hold {total:,} numbers; the limit is {MAX_NUMBERS:,}")

    def check_value(self, value, name, rule):
        KINDS[rule.kind](self, value, name, rule)

    def settle(self):
        """Compare what could not be compared before all other lengths were known: products, and ids."""
        for product, size, name, names, sizes in self.products:
            factors = product.split("*")
            unknown = [factor for factor in factors if not factor.isdigit() and factor not in self.lengths]
            known = math.prod(self.length(factor) for factor in factors if factor not in unknown)
            if not unknown and known != size:
                raise self.mismatch(product, known, size, name, names, sizes)
            if len(unknown) == 1:
                if size % known:
                    by = product.replace("*" + unknown[0], "")
                    read = f"{name} is {boxed(sizes)}, read as {name} {boxed(names)}"
                    raise ValueError(f"{read}: {by} is {known} and must divide {size}")
                self.lengths[unknown[0]] = size // known, name, names, sizes
        for entries, name, sizes, limit in self.ids:
            top = self.length(limit)
            give = f"give a whole number from 0 to {top - 1}"
            self.check_each(lambda x: isinstance(x, int) and 0 <= x < top, entries, name, give, sizes)
        self.products, self.ids = [], []

    def measured(self, A, name):
        """The same as measured, once for each object."""
        if id(A) not in self.known:
            self.known[id(A)] = measured(A, name)
        return self.known[id(A)]

    def length(self, name):
        """What a name stands for; a product is that of its factors, and a number itself."""
        if name in self.lengths:
            return self.lengths[name][0]
        if "*" in name:
            return math.prod(map(self.length, name.split("*")))
        return int(name) if name.isdigit() else self.lengths[name][0]

    def equate(self, length, size, name, names, sizes):
        """Note what a name stands for, or stop when it stands for another length already."""
        if length in self.lengths:
            if self.lengths[length][0] != size:
                raise self.mismatch(length, self.lengths[length][0], size, name, names, sizes)
        elif "*" in length:
            self.products.append((length, size, name, names, sizes))
        elif not length.isdigit():
            self.lengths[length] = size, name, names, sizes
        elif int(length) != size:
            raise ValueError(f"{name} is {boxed(sizes)}; give {length} entries")

    def mismatch(self, length, wanted, size, name, names, sizes):
        origins = [self.lengths[part][1:] for part in length.split("*") if part in self.lengths]
        shapes = {other: (names, sizes) for other, names, sizes in origins if sizes}
        if not shapes:  # a length that is an int, in a config or by itself
            by = origins[0][0].partition("[")[0]
            read = f"{name} is {boxed(sizes)}, read as {boxed(names)}"
            return ValueError(f"{read}: by {by} {length} is {wanted}, not {size}")
        are = ", ".join(f"{other} is {boxed(others)}" for other, (_, others) in shapes.items())
        read = ", ".join(f"{other} {boxed(letters)}" for other, (letters, _) in shapes.items())
        return ValueError(
            f"{are} and {name} is {boxed(sizes)}, read as {read} and {name} {boxed(names)}: "
            f"{length} is {wanted} and {size}; make them equal"
        )

    def check_bounds(self, rows, name, rule, sizes=()):
        """Stop unless every number keeps the bounds; ids wait for the length that bounds them."""
        entries = [*chain.from_iterable(rows)]
        for sign, limit in rule.bounds:
            if limit.isidentifier():
                self.ids.append((entries, name, sizes, limit))
                continue
            keeps = functools.partial(COMPARE[sign], float(limit))
            self.check_each(keeps, entries, name, f"give a number {sign} {limit}", sizes)
        if rule.finite:
            self.check_each(math.isfinite, entries, name, "give a finite number", sizes)

    def check_each(self, keeps, entries, name, give, sizes):
        if not all(map(keeps, entries)):
            i = next(i for i, x in enumerate(entries) if not keeps(x))
            raise ValueError(f"{place(name, i, sizes)} is {brief(entries[i])}; {give}")

    def rules_of(self, names):
        """The dict of the module with this name; or what a function of the module gives for this argument."""
        found = self.declared.function.__globals__[names[0]]
        try:
            return found if len(names) == 1 else inspect.unwrap(found)(self.given[names[1]])
        except AssertionError as error:
            raise ValueError(error) from None

    def size(self, rule):
        """How many numbers there will be, as far as the lengths are known."""
        if rule.kind == "named dict":
            return sum(self.size(parse(text)) for text in self.rules_of(rule.names).values())
        try:
            return math.prod([self.length(name) for name in rule.names]) if rule.kind == "shape" else 0
        except KeyError:
            return 0


def explained(error, function):
    """The error that says what went wrong in a call whose arguments are as declared."""
    text = f"{function}: {error}"
    if isinstance(error, AssertionError):
        return ValueError(text)
    if isinstance(error, ZeroDivisionError):
        return ValueError(f"{function}: a division by 0 on the way; is eps 0?")
    if isinstance(error, OverflowError):
        return ValueError(f"{function}: {TOO_LARGE}")
    if isinstance(error, (TypeError, ValueError, OSError, MemoryError)):
        ours = type(error) not in (TypeError, ValueError) or re.match(r"\w+: ", str(error))
        return error if ours else type(error)(text)
    cause = f"{type(error).__name__}: {error!s:.60}"
    return ValueError(f"{function}: these arguments do not go together ({cause})")


def all_finite(value):
    """Whether no number in dicts and lists is nan or infinite."""
    if isinstance(value, (dict, list, tuple)):
        return all(map(all_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


# --- lists of numbers


def shape(A, name="A", dimensions=None):
    """The lengths of nested lists, from the outside in: (rows, columns) for a matrix.

    TypeError for anything that is not a list of numbers, ValueError for an empty list, for rows of unequal
    length, and for another number of dimensions than asked for. The message names the place.

    >>> shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    sizes, _ = measured(A, name)
    if dimensions is not None:
        check_dimensions(sizes, name, dimensions)
    return sizes


def check_dimensions(sizes, name, dimensions):
    if len(sizes) != dimensions:
        wanted = CALLED.get(dimensions, f"{dimensions} lists deep")
        raise ValueError(f"{name} is {boxed(sizes)}; it must be {wanted}")


def measured(A, name):
    """The lengths of nested lists, and their innermost lists; an error that names the place otherwise."""
    if not isinstance(A, (list, tuple)):
        raise fault(A, name)
    sizes, rows = [], [A]
    while True:
        n, *others = {*map(len, rows)}
        if others or n == 0 or len(sizes) == MAX_DEPTH or len(rows) * n > MAX_NUMBERS:
            many = ValueError(f"{name} holds more than {MAX_NUMBERS:,} numbers; give it fewer")
            raise fault(A, name) or many
        sizes.append(n)
        if len(rows) * n > MANY and add_up(rows):
            return tuple(sizes), rows
        kinds = {*map(type, chain.from_iterable(rows))}
        if kinds == {float}:
            return tuple(sizes), rows
        if not are(kinds, list, tuple):
            break
        rows = [*chain.from_iterable(rows)]
    if not are(kinds, float, int):
        raise fault(A, name)
    try:
        [*map(float, chain.from_iterable(rows))]
    except OverflowError:
        raise ValueError(f"{name} holds a whole number that is too large for a float") from None
    return tuple(sizes), rows


def add_up(rows):
    """Whether the sum of all entries is a float: a third of the cost of a look at each type."""
    try:
        return type(sum(chain.from_iterable(rows), 0.0)) is float
    except (TypeError, OverflowError):
        return False


def are(kinds, one, other):
    """Whether these types are the two, or subclasses of them. True and False are no numbers."""
    return kinds == {one} or all(issubclass(kind, (one, other)) and kind is not bool for kind in kinds)


def is_number(value):
    return are({type(value)}, float, int)


def fault(A, name, depth=1):
    """The error that says where nested lists hold something else than numbers, or are unequal; or None."""
    if not isinstance(A, (list, tuple)):
        return TypeError(f"{name} is {brief(A)}, not a list")
    if not A:
        return ValueError(f"{name} is empty; give it at least one entry")
    if depth > MAX_DEPTH:
        return too_deep(name)
    if not isinstance(A[0], (list, tuple)):
        wrong = next((i for i, x in enumerate(A) if not is_number(x)), None)
        return None if wrong is None else TypeError(f"{name}[{wrong}] is {brief(A[wrong])}, not a number")
    first = None
    for i, row in enumerate(A):
        inner = f"{name}[{i}]"
        found = fault(row, inner, depth + 1)
        if found:
            return found
        sizes, _ = measured(row, inner)
        first = first or sizes
        if sizes != first:
            return ValueError(f"{name} is ragged: {name}[0] is {boxed(first)} and {inner} is {boxed(sizes)}")
    return None


def too_deep(name):
    return ValueError(f"{name.partition('[')[0]} is nested more than {MAX_DEPTH} deep; give lists of numbers")


def place(name, i, sizes):
    """Where entry i of the list of all numbers stands: "W[0][2]"."""
    where = ""
    for n in reversed(sizes):
        i, at = divmod(i, n)
        where = f"[{at}]{where}"
    return name + where


def boxed(sizes):
    return "".join(f"[{size}]" for size in sizes)


def brief(value):
    try:
        text = repr(value)
    except Exception:  # a whole number of more than 4,300 digits, or a __repr__ that fails
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


# --- what the first words of a rule stand for: functions of (call, value, its name, the rule)


def check_shape(call, value, name, rule):
    sizes, rows = measured(value, name)
    check_dimensions(sizes, name, len(rule.names))
    for length, size in zip(rule.names, sizes):
        call.equate(length, size, name, rule.names, sizes)
    if rule.bounds or rule.finite:
        call.check_bounds(rows, name, rule, sizes)


def check_float(call, value, name, rule):
    if type(value) is not float:
        if not is_number(value):
            raise TypeError(f"{name} is {brief(value)}, not a number")
        try:
            float(value)
        except OverflowError:
            raise ValueError(f"{name} is {brief(value)}, which is too large for a float") from None
    call.check_bounds([[value]], name, rule)


def check_int(call, value, name, rule):
    least = "".join(f" {sign} {limit}" for sign, limit in rule.bounds)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} is {brief(value)}; give a whole number{least}")
    call.check_bounds([[value]], name, rule)
    if rule.names and value < 1:
        raise ValueError(f"{name} is {value}; give a whole number, 1 or more")
    if rule.names or name in call.declared.as_lengths:
        if value > MAX_NUMBERS:
            raise ValueError(f"{name} is {brief(value)}; give at most {MAX_NUMBERS:,}")
        call.equate(*rule.names or [name], value, name, (), ())


def check_function(call, value, name, rule):
    if not callable(value):
        raise TypeError(f"{name} is {brief(value)}; give a function")
    gives = parse(rule.names[0]) if rule.names else None
    ours = getattr(value, "is_checked", False)
    if ours:
        value = inspect.unwrap(value)  # what it gives is checked below

    def watched(*arguments):
        try:
            result = value(*arguments)
        except Exception as error:
            if not ours:
                call.raised.append(error)
            raise
        if gives and (type(result) is not float or gives.kind != "float"):
            try:
                call.check_value(result, f"what {name} gives", gives)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{call.declared.function.__name__}: {error}") from None
        return result

    call.watched, call.given[name] = True, watched


def check_dict_of(call, value, name, rule):
    rules = call.rules_of(rule.names)
    if not isinstance(value, dict):
        raise TypeError(f"{name} is {brief(value)}; give a dict with {listed(rules)}")
    missing = [key for key in rules if key not in value]
    if missing:
        raise ValueError(f"{name} has no {listed(missing)}; give a dict with {listed(rules)}")
    surplus = [str(key) for key in value if key not in rules] if len(rule.names) == 2 else []
    if surplus:
        given = f"{name} has {listed(surplus)}, which is not in a model of this config"
        raise ValueError(f"{given}; give a dict with {listed(rules)}")
    for key, text in rules.items():
        call.check_value(value[key], f"{name}[{key!r}]", parse(text))


def listed(names):
    """All names, or of very many the first few and the last."""
    names = list(names)
    return ", ".join(names if len(names) <= 20 else [*names[:5], "…", names[-1]])


def check_tree(call, value, name, rule, depth=1):
    if not isinstance(value, (dict, list, tuple)):
        return check_float(call, value, name, rule)
    entries = [*(value.values() if isinstance(value, dict) else value)]
    if {*map(type, entries)} == {float}:
        return None
    if depth > MAX_DEPTH:
        raise too_deep(name)
    for key, entry in zip(value if isinstance(value, dict) else range(len(entries)), entries):
        check_tree(call, entry, f"{name}[{key!r}]", rule, depth + 1)


def check_tree_of_vectors(call, value, name, rule):
    check_same(call, value, value, name, name, rule)


def check_dict_of_vectors(call, value, name, rule):
    if not isinstance(value, dict) or any(isinstance(entry, dict) for entry in value.values()):
        raise TypeError(f"{name} is {brief(value)}; give a dict of vectors and matrices")
    check_same(call, value, value, name, name, rule)


def check_trees_alike(call, value, name, rule):
    if not value:
        raise TypeError(f"{name} is empty; give at least one tree of dicts and lists")
    for i, tree in enumerate(value):
        check_same(call, value[0], tree, f"{name}[0]", f"{name}[{i}]", rule)


def check_like(call, value, name, rule):
    other = rule.names[0]
    if other in call.given:
        check_same(call, call.given[other], value, other, name, rule)


def check_same(call, first, second, first_name, second_name, rule, depth=1):
    """Stop unless two trees of vectors have the same names and shapes."""
    if depth > MAX_DEPTH:
        raise too_deep(second_name)
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            names = f"{first_name} has the names {brief([*first])} and {second_name} has {brief([*second])}"
            raise ValueError(f"{names}; make them equal")
        for key in first:
            names = f"{first_name}[{key!r}]", f"{second_name}[{key!r}]"
            check_same(call, first[key], second[key], *names, rule, depth + 1)
    elif isinstance(first, dict) or isinstance(second, dict):
        both = f"{first_name} is {brief(first)} and {second_name} is {brief(second)}"
        raise TypeError(f"{both}; give two dicts of the same names")
    else:
        (sizes, rows), (wanted, _) = call.measured(second, second_name), call.measured(first, first_name)
        if sizes != wanted:
            both = f"{first_name} is {boxed(wanted)} and {second_name} is {boxed(sizes)}"
            raise ValueError(f"{both}; make them equal")
        if rule.bounds:
            call.check_bounds(rows, second_name, rule, sizes)


def check_names(call, value, name, rule):
    names = [*call.given.get(rule.names[0], ())]
    if not isinstance(value, (list, tuple, set)) or not all(key in names for key in value):
        give = f"give a list of names that {rule.names[0]} has"
        raise ValueError(f"{name} is {brief(value)}; {give}: {listed(names)}")


def check_list_of_str(call, value, name, rule):
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} is {brief(value)}; give a list of texts")
    for i, text in enumerate(value):
        KINDS["str"](call, text, f"{name}[{i}]", rule)


def check_list_of_ids(call, value, name, rule):
    KINDS["list"](call, value, name, rule)
    for i, x in enumerate(value):
        if not isinstance(x, int) or isinstance(x, bool) or x < 0:
            raise ValueError(f"{name}[{i}] is {brief(x)}; give a whole number, 0 or more")


def check_lists_of_ids(call, value, name, rule):
    KINDS["list"](call, value, name, rule)
    for i, ids in enumerate(value):
        check_list_of_ids(call, ids, f"{name}[{i}]", rule)


def check_path(call, value, name, rule):
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise TypeError(f"{name} is {brief(value)}; give the path of a file or a folder")


def instance_of(kinds, give):
    """The check that a value is of one of these types."""

    def check(call, value, name, rule):
        if not isinstance(value, kinds):
            raise TypeError(f"{name} is {brief(value)}; give {give}")

    return check


KINDS = {
    "shape": check_shape,
    "float": check_float,
    "int": check_int,
    "function": check_function,
    "Random": instance_of(random.Random, "a random number generator, such as random.Random(42)"),
    "str": instance_of(str, "a text, a str"),
    "list of str": check_list_of_str,
    "bytes": instance_of(bytes, "bytes, as a file that is opened to read 'rb' gives them"),
    "path": check_path,
    "list": instance_of((list, tuple), "a list"),
    "dict": instance_of(dict, "a dict"),
    "set": instance_of(set, "a set"),
    "list of ids": check_list_of_ids,
    "lists of ids": check_lists_of_ids,
    "named dict": check_dict_of,
    "tree": check_tree,
    "tree of vectors": check_tree_of_vectors,
    "dict of vectors": check_dict_of_vectors,
    "trees alike": check_trees_alike,
    "like": check_like,
    "names": check_names,
}
