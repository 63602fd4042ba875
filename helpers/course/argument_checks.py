"""Check the arguments of a function against the strings in its signature.

    def linear(X: "T n", W: "m n", b: "m" = None) -> "T m":

    linear: X is [5][16] and W is [64][8], read as X [T][n] and W [m][n]: n is 16 and 8; make them equal

"T D", "n", "H T k"       nested lists of numbers: T rows of D, a vector, H matrices. Equal names are equal
                          lengths. A length may be a number or a product: "2", "m H*v"
"float", "int"            one number, one whole number. The name of an int is a length; "int V" names it V
"n >= 0", "float >= 0 finite"   each number meets the conditions: >, >=, <, <=, finite
"T < V"                   T whole numbers from 0 to V - 1: ids
"float -> float"          a function; each of its results is checked. "function" may return anything
"str", "bytes", "path", "Random", "list"   a value of this type
"list of str"             a list, which may be empty, of what any other string says
"tree"                    a number, or dicts and lists of numbers, nested in any form
"tree P"                  a vector, a matrix or a list of matrices, or dicts of them, also nested. Trees of
                          equal names have equal keys and shapes
"names in parameters"     a list of keys of the argument `parameters`
"BLOCK_PARAM_SHAPES"      a dict with at least the keys of the module's dict {key: string}
"gpt_param_shapes(config)" a dict with exactly the keys of the dict that this function returns

An argument may be None if None is its default or its string ends in " or None". A number is an int or a
float, not a bool. The string after `->` declares the result; a tuple of strings declares several results.
"""

import functools
import inspect
import math
import operator
import os
import random
import re
import reprlib
from itertools import chain
from types import SimpleNamespace

MAX_NUMBERS = 50_000_000  # in a list or a result: Python needs more than a gigabyte for them
MANY = 100  # of more numbers only the sum is checked
MAX_DEPTH = 10  # of lists in lists
LIST = (list, tuple)
PLAIN = (int, float, str, bytes, dict, *LIST)
ARRAYS = ["a number", "a vector (a list of numbers)", "a matrix (a list of rows)", "a list of matrices"]
CONDITIONS = {">": operator.lt, ">=": operator.le, "<": operator.gt, "<=": operator.ge}  # of (limit, number)
TYPES = {
    "str": (str, "a text, a str"),
    "bytes": (bytes, "bytes, such as a file opened with mode 'rb' returns"),
    "path": ((str, os.PathLike), "the path of a file or a folder"),
    "Random": (random.Random, "a random number generator, such as random.Random(42)"),
    "list": (LIST, "a list"),
}
NOT_KNOWN = (None,)
OTHER_WORDS = {"tree", "list", "names", "int", "->", "function", *TYPES}
PASSED, MAX_PASSED = {}, 1000  # lengths of dicts that were in order, and what the names in them stood for


def checked(function):
    """Wrap a function: check its arguments before each call, and name the function in every error.

    TypeError for a value of the wrong type, ValueError for one that does not fit.
    """

    @functools.wraps(function)
    def wrapper(*arguments, **named):
        given = None
        try:
            given = check_arguments(function, arguments, named)
            result = function(*given.args, **given.kwargs)
            if type(result) is float and math.isnan(result) and not any_not_finite(given.arguments):
                raise OverflowError
            return result
        except Exception as error:
            name, says = f"{function.__name__}: ", str(error)
            if (
                hasattr(error, "callback")
                or isinstance(error, (OSError, UnicodeError))
                or says.startswith(name)
            ):
                raise
            if isinstance(error, OverflowError):
                says = "a number on the way is too large for a float"
            elif isinstance(error, ZeroDivisionError):
                asks = "; is eps 0?" if "eps" in inspect.signature(function).parameters else ""
                says = f"a division by 0 on the way{asks}"
            elif says.startswith("zip()") or not isinstance(error, (TypeError, ValueError, AssertionError)):
                says = f"these arguments do not go together ({error!r:.80})"
            if given and not isinstance(error, AssertionError):
                says += what_was_given(given.arguments, says)
            raise (TypeError if isinstance(error, TypeError) else ValueError)(name + says) from None

    wrapper.is_checked = True
    return wrapper


def what_was_given(arguments, says):
    """The beginning of each argument, for a sentence that names none of them."""
    if any(re.search(rf"\b{name}\b", says) for name in arguments):
        return ""
    shown = {name: reprlib.repr(value) for name, value in arguments.items() if isinstance(value, PLAIN)}
    return "".join(f"; {name} is {text:.30}{'…' * (len(text) > 30)}" for name, text in shown.items())


def checked_on_error(function):
    """Call a checked function without its checks. Only if that fails, the checks name the argument."""
    bare = inspect.unwrap(function)

    @functools.wraps(function)
    def wrapper(*arguments, **named):
        try:
            return bare(*arguments, **named)
        except Exception:
            return function(*arguments, **named)

    return wrapper


def check_arguments(function, arguments, named):
    """The arguments by name. Those that refer to lengths of others are checked after the others."""
    signature, rules, results = declared(function)
    bound = signature.bind(*arguments, **named)
    call = SimpleNamespace(function=function, arguments=bound.arguments, lengths={}, trees={})
    for name, rule in rules:
        if name in bound.arguments:
            check_argument(bound.arguments[name], name, rule, call)
    if any("(" in rule for rule in results):
        total = sum(count(rule, call) for rule in results)
    else:
        total = count_by_lengths(function, tuple((name, of[0]) for name, of in call.lengths.items()))
    if total > MAX_NUMBERS:
        raise ValueError(f"the result would hold {total:,} numbers; the limit is {MAX_NUMBERS:,}")
    return bound


@functools.cache
def declared(function):
    """The signature, the pairs (argument, rule) in the order of the checks, and the rules of the results."""
    signature, rules = inspect.signature(function), []
    for name, parameter in signature.parameters.items():
        if parameter.annotation is not parameter.empty:
            several = "list of " if parameter.kind is parameter.VAR_POSITIONAL else ""
            rules.append((name, several + parameter.annotation + " or None" * (parameter.default is None)))
    rules.sort(key=lambda rule: bool(re.search(r"\*|< [A-Za-z]", rule[1])))
    results = signature.return_annotation
    return signature, rules, results if isinstance(results, tuple) else [results] * isinstance(results, str)


@functools.cache
def parse(rule):
    """The words of a rule, none for "float", and its conditions."""
    words, *conditions = re.split(" (?=finite|[<>])", rule.removesuffix(" or None"))
    return words.removeprefix("float").split(), conditions


def check_argument(value, name, rule, call):
    """Stop unless a value is what the rule says; note the lengths that it gives."""
    if value is None and rule.endswith(" or None"):
        return
    words, conditions = parse(rule)
    if is_as_expected(value, words, conditions, call.lengths):
        return
    match words:
        case ["function"] | [*_, "->", _]:
            call.arguments[name] = watch_results(value, name, words[-1], call)
        case ["int", *names]:
            if not isinstance(value, int) or isinstance(value, bool):
                raise ValueError(f"{name} is {value!r:.60}; give a whole number")
            check_conditions([*conditions, f"<= {MAX_NUMBERS}"], [value], name, (), call)
            call.lengths[names[0] if names else name] = value, name, value, ()
        case [kind] if kind in TYPES:
            types, wanted = TYPES[kind]
            if not isinstance(value, types) or (kind == "path" and value == ""):
                raise TypeError(f"{name} is {value!r:.60}; give {wanted}")
        case ["list", "of", *inner]:
            check_argument(value, name, "list", call)
            entry_rule = " ".join([*inner, *conditions])
            for i, entry in enumerate(value):
                check_argument(entry, f"{name}[{i}]", entry_rule, call)
        case ["names", "in", other]:
            check_argument(value, name, "list of str", call)
            names = call.arguments[other]
            require(names.__contains__, value, name, [len(value)], f"; give names that {other} has")
        case ["tree", tree]:
            lengths, rows = tree_lengths(value)
            first, its_name, its_lengths = call.trees.setdefault(tree, (value, name, lengths))
            if not lengths or lengths != its_lengths or not are_met(conditions, rows):
                rules = rules_of_tree(first, its_name)
                check_dict(value, name, rules, call, conditions=" ".join(["", *conditions]))
        case ["tree"] if isinstance(value, (dict, *LIST)):
            for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                if type(part) is not list or {*map(type, part)} != {float}:
                    check_argument(part, f"{name}[{key!r}]", "tree", call)
        case ["tree"]:
            check_argument(value, name, "float", call)
        case [word] if rules := rules_of_dict(word, call):
            check_dict_once(value, name, word, rules, call)
        case _:
            sizes, rows = measure(value, name, len(words))
            compare(words, sizes, name, call.lengths)
            if conditions:
                check_conditions(conditions, [*chain.from_iterable(rows)], name, sizes, call)


def is_as_expected(A, words, conditions, lengths):
    """The quick way: whether A holds lists of floats of known lengths that meet the conditions.

    Where it says no, the slow way finds what is wrong, or that nothing is.
    """
    sizes = [int(word) if word.isdigit() else lengths.get(word, NOT_KNOWN)[0] for word in words]
    if not sizes or None in sizes:
        return False
    if type(A) is not list or len(A) != sizes[0] or not all(sizes):
        return False
    rows = [A]
    for n in sizes[1:]:
        rows = [*chain.from_iterable(rows)]
        if {*map(type, rows)} != {list} or {*map(len, rows)} != {n}:
            return False
    return are_floats(rows) and are_met(conditions, rows)


def are_met(conditions, rows):
    """Whether all floats in some lists meet conditions; False also where the sum does not tell.

    It does not if it is inf or nan: inf may be allowed, and min and max overlook a nan.
    """
    if not conditions:
        return True
    if not math.isfinite(sum(chain.from_iterable(rows))):
        return False
    for sign, _, limit in (condition.partition(" ") for condition in conditions):
        if sign != "finite":
            extreme = (min if sign in (">", ">=") else max)(chain.from_iterable(rows))
            if limit.isidentifier() or not CONDITIONS[sign](float(limit), extreme):
                return False
    return True


def tree_lengths(value, numbers=False):
    """The lengths of the lists in a tree of floats, and its innermost lists; None if it is no such tree.

    A tree has vectors and matrices; with numbers=True also numbers.
    """
    rows, few = [], []

    def lengths(part):
        if numbers and type(part) is float:
            few.append([part])
            return ()
        if type(part) is dict:
            return frozenset([(key, lengths(inner)) for key, inner in part.items()])
        if type(part[0]) is not list:
            (rows if len(part) > MANY else few).append(part)
            return (len(part),)
        if type(part[0][0]) is list:
            [inner] = {lengths(matrix) for matrix in part}
            return (len(part), *inner)
        [n] = {*map(len, part)}
        (rows if len(part) * n > MANY else few).extend(part)
        return (len(part), n)

    try:
        found = lengths(value)
        types = [*map(type, chain.from_iterable(few))]
        are_all = {*map(type, [*rows, *few])} == {list} and types.count(float) == len(types)
        return found if are_all and (not rows or are_floats(rows)) else None, [*rows, *few]
    except (TypeError, ValueError, LookupError, OverflowError):
        return None, []


def shape(A, name="A", dimensions=None):
    """The lengths of nested lists, from the outside in: (rows, columns) for a matrix.

    >>> shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    return measure(A, name, dimensions)[0]


def measure(A, name, dimensions=None):
    """The lengths of nested lists, and their innermost lists. With 0 dimensions A is a number."""
    if isinstance(A, LIST) == (dimensions == 0):
        raise TypeError(f"{name} is {A!r:.60}, not a {'number' if dimensions == 0 else 'list'}")
    sizes, rows = (), [A] if isinstance(A, LIST) else [[A]]
    while sizes == () or isinstance(rows[0][0], LIST):
        rows = [*chain.from_iterable(rows)] if sizes else rows
        n = len(rows[0])
        if n == 0 or not {*map(type, rows)} <= {list, tuple} or {*map(len, rows)} != {n}:
            require(lambda row: isinstance(row, LIST), rows, name, sizes, ", not a list", TypeError)
            require(len, rows, name, sizes, "; give it at least one entry")
            ragged = f"; {name} is ragged: its first list is [{n}]"
            require(lambda row: len(row) == n, rows, name, sizes, ragged)
        if len(sizes) == MAX_DEPTH or len(rows) * n > MAX_NUMBERS:
            raise ValueError(f"{name} is over {MAX_DEPTH} lists deep or holds over {MAX_NUMBERS:,} numbers")
        sizes = (*sizes, n)
    sizes = sizes if isinstance(A, LIST) else ()
    if not are_floats(rows):
        numbers = [*chain.from_iterable(rows)]
        require(is_number, numbers, name, sizes, ", not a number", TypeError)
        [*map(float, numbers)]  # OverflowError for an int that is too large
    if dimensions not in (None, len(sizes)):
        raise ValueError(f"{name} is {boxed(sizes)}; it must be {ARRAYS[dimensions]}")
    return sizes, rows


def are_floats(rows):
    """Whether all entries are floats. Of many numbers only the sum is checked: a bool or Fraction passes."""
    try:
        if len(rows) * len(rows[0]) > MANY:
            return type(sum(chain.from_iterable(rows), 0.0)) is float
        types = [*map(type, chain.from_iterable(rows))]
        return types.count(float) == len(types)
    except TypeError:
        return False


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def any_not_finite(value):
    """Whether an inf or a nan is in a value, or in the dicts and lists in it."""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(any_not_finite, value.values()))
    return isinstance(value, LIST) and any(map(any_not_finite, value))


def require(holds, entries, name, sizes, otherwise, error=ValueError):
    """Stop at the first entry for which holds(entry) is false, and name its place, such as W[0][2]."""
    if not all(map(holds, entries)):
        i = wrong = next(i for i, entry in enumerate(entries) if not holds(entry))
        place = ""
        for n in reversed(sizes):
            i, place = i // n, f"[{i % n}]{place}"
        raise error(f"{name}{place} is {entries[wrong]!r:.60}{otherwise}")


def boxed(sizes):
    return "".join(f"[{size}]" for size in sizes)


def check_conditions(conditions, numbers, name, sizes, call):
    for condition in conditions:
        sign, _, limit = condition.partition(" ")
        if sign == "finite":
            holds, give = math.isfinite, "a finite number"
        elif limit in call.lengths:
            ids = range(call.lengths[limit][0])
            holds, give = (lambda x: x in ids and isinstance(x, int)), f"a whole number from 0 to {ids[-1]}"
        else:
            holds, give = functools.partial(CONDITIONS[sign], float(limit)), f"a number {condition}"
        require(holds, numbers, name, sizes, f"; give {give}")


def compare(words, sizes, name, lengths):
    """Note the lengths that names stand for, or stop where one stands for another length already."""
    for word, size in zip(words, sizes):
        if word.isidentifier() and lengths.setdefault(word, (size, name, sizes, words))[0] == size:
            continue
        factors = word.split("*")
        new = [factor for factor in factors if factor not in lengths and not factor.isdigit()]
        known = product_of([factor for factor in factors if factor not in new], lengths)
        if new and size % known == 0:
            lengths[new[0]] = size // known, name, sizes, words
        elif word.isdigit() and size != known:
            raise ValueError(f"{name} is {boxed(sizes)}; it must be {boxed(words)}")
        elif new or size != known:
            origins = [lengths[factor] for factor in factors if factor in lengths]
            origins = {other: its for _, other, *its in [*origins, (size, name, sizes, words)]}
            are = [f"{other} is {boxed(its) if names else its}" for other, (its, names) in origins.items()]
            read = [f"{other} {boxed(names)}" for other, (_, names) in origins.items() if names]
            wrong = f"{known} must divide {size}" if new else f"{word} is {known} and {size}; make them equal"
            raise ValueError(f"{' and '.join(are)}, read as {' and '.join(read)}: {wrong}")


def product_of(factors, lengths):
    """The product of names and numbers; 0 where a name has no length."""
    return math.prod(int(f) if f.isdigit() else lengths.get(f, [0])[0] for f in factors)


def count(rule, call):
    """How many numbers a result has, as far as the lengths are known."""
    if rules := rules_of_dict(rule, call):
        return sum(count(inner, call) for inner in rules.values())
    return product_of([factor for word in parse(rule)[0] for factor in word.split("*")], call.lengths)


@functools.lru_cache(maxsize=1000)
def count_by_lengths(function, sizes):
    """How many numbers the results have, where no other argument tells."""
    call = SimpleNamespace(function=function, lengths={name: (size,) for name, size in sizes})
    return sum(count(rule, call) for rule in declared(function)[2])


def watch_results(value, name, result_rule, call):
    """A function whose results are checked. Errors of a function that the caller wrote stay as they are."""
    if not callable(value):
        raise TypeError(f"{name} is {value!r:.60}; give a function")
    bare = inspect.unwrap(value)

    def wrapper(*arguments):
        try:
            result = bare(*arguments)
        except Exception as error:
            if bare is value:
                error.callback = True
            raise
        if result_rule != "function" and (type(result) is not float or result_rule != "float"):
            check_argument(result, f"what {name} gives", result_rule, call)
        return result

    return wrapper


def rules_of_dict(rule, call):
    """{key: rule}: a dict of the function's module, or what a function there gives; None for other rules."""
    found, _, argument = rule.rstrip(")").partition("(")
    found = call.function.__globals__.get(found)
    return found(call.arguments[argument]) if argument else found if isinstance(found, dict) else None


def rules_of_tree(tree, name):
    """{key: rule} for a tree like this one, a dict in a dict for one in it: {"W": "2 3", "b": "2"}."""
    if isinstance(tree, dict):
        return {key: rules_of_tree(part, f"{name}[{key!r}]") for key, part in tree.items()}
    return " ".join(map(str, measure(tree, name)[0]))


def check_dict_once(value, name, word, rules, call):
    """Check a dict by its rules. One of floats passes at once if one with the same lengths has passed."""
    lengths, _ = tree_lengths(value, numbers=True)
    known = tuple((other, of[0]) for other, of in call.lengths.items())
    argument = call.arguments[word.rstrip(")").partition("(")[2]] if "(" in word else None
    key = call.function, name, word, repr(argument), known, lengths
    if lengths and key in PASSED:
        call.lengths |= PASSED[key]
        return
    check_dict(value, name, rules, call, exact="(" in word)
    if lengths and len(PASSED) < MAX_PASSED and all(gives_lengths(rule, call) for rule in rules.values()):
        PASSED[key] = dict(call.lengths)


def gives_lengths(rule, call):
    """Whether a rule says nothing of numbers but how many there are: "H T k"."""
    words, conditions = parse(rule)
    return not (conditions or OTHER_WORDS & {*words} or rules_of_dict(rule, call))


def check_dict(value, name, rules, call, exact=True, conditions=""):
    if isinstance(rules, str):
        return check_argument(value, name, rules + conditions, call)
    give = f"give a dict with {', '.join(map(str, rules)):.300}"
    if not isinstance(value, dict):
        raise TypeError(f"{name} is {value!r:.60}; {give}")
    missing = [str(key) for key in rules if key not in value]
    surplus = [str(key) for key in value if key not in rules and exact]
    if missing or surplus:
        has = f"has no {', '.join(missing):.300}" if missing else f"has {', '.join(surplus):.300} as well"
        raise ValueError(f"{name} {has}; {give}{' only' * exact}")
    for key, inner in rules.items():
        check_dict(value[key], f"{name}[{key!r}]", inner, call, exact, conditions)
