"""Find the small changes of a function that no test notices.

    python tests/mutate.py helpers/attention.py     # from the project's root; several files, too
    python tests/mutate.py                          # every module of the mathematics
    python tests/mutate.py --sample 20              # so many mutants of each module, the same each time

Each function of a module is changed in one place at a time: a mutant. The examples in the module's docstrings
and the test files named after the module run on each mutant, in this process, until one fails: the mutant is
noticed. Mutants that survive must stand in survivors.txt, each with the reason why no test can or need notice
it; a reason for a mutant that is noticed is an error, too. Tests that start another Python cannot notice
anything, because the change is made in this one.
"""

import argparse
import ast
import importlib
import inspect
import pathlib
import random
import signal
import sys
import time
import types
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

ROOT = pathlib.Path(__file__).resolve().parent.parent
SURVIVORS = ROOT / "tests/survivors.txt"
# Tests of a module in a file that is not named after it.
EVERY_GRADIENT = ["tests/mathematics/test_every_gradient.py"]
ALSO = {f"helpers/{name}.py": EVERY_GRADIENT for name in ("activations", "backward", "layers")}
ALSO["helpers/course/argument_checks.py"] = ["tests/mathematics/test_bad_calls.py"]
ALSO["helpers/course/state/files.py"] = ["tests/course/state/test_load_and_save.py"]
ALSO |= {
    f"helpers/course/reading/{name}.py": [f"tests/course/reading/test_{other}.py" for other in others]
    for name, others in {
        "budget": ["documents", "images", "hostile"],
        "documents": ["hostile"],
        "pdf": ["documents", "hostile"],
        "images": ["hostile"],
    }.items()
}

# --- the changes of one part of a syntax tree

OPPOSITES = [(ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or), (ast.Is, ast.IsNot)]
OPPOSITES += [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)]
OTHER_OPERATOR = {ast.Pow: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv}
OTHER_OPERATOR |= {one: other for pair in OPPOSITES for one, other in (pair, pair[::-1])}
# The order of their arguments does not matter.
COMMUTATIVE = {"add", "dot", "max", "min"}
# Fields that are not changed: a condition and a message that only bad calls see, and annotations.
LEFT_ALONE = {"msg", "exc", "cause", "annotation", "returns", "decorator_list"}


def changes(node, arguments):
    """(kind of change, what stands there instead) for each small change of one part."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in OTHER_OPERATOR:
            yield "other operator", ast.BinOp(left, OTHER_OPERATOR[type(op)](), right)
            yield "left part alone", left
            yield "right part alone", right
        case ast.BoolOp(op, values):
            yield "other operator", ast.BoolOp(OTHER_OPERATOR[type(op)](), values)
            yield "first part alone", values[0]
        case ast.Compare(left, [op, *ops], right) if type(op) in OTHER_OPERATOR:
            yield "other comparison", ast.Compare(left, [OTHER_OPERATOR[type(op)](), *ops], right)
        case ast.UnaryOp(_, operand):
            yield "sign left out", operand
        case ast.IfExp(_, body, orelse):
            yield "always the first", body
            yield "always the second", orelse
        case ast.If(test, body, orelse):
            yield "condition negated", ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Constant(bool(value)):
            yield "negated", ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield "another number", ast.Constant(value + 1 if value in (0, 1, 2) else value * 1.1)
        case ast.Call(function, given, named):
            yield from changed_calls(function, given, named)
        case ast.Subscript(value, ast.Slice(lower, upper, step), context):
            if lower:
                yield "slice from the start", ast.Subscript(value, ast.Slice(None, upper, step), context)
            if upper:
                yield "slice to the end", ast.Subscript(value, ast.Slice(lower, None, step), context)
        case ast.Subscript(value, index, ast.Load()) if not isinstance(index, ast.Constant):
            before = ast.BinOp(index, ast.Sub(), ast.Constant(1))
            yield "one place before", ast.Subscript(value, before, ast.Load())
        case ast.Tuple(parts, ast.Load()):
            yield from (("parts swapped", ast.Tuple(s, ast.Load())) for s in neighbours_swapped(parts))
        case ast.comprehension(target, each, [_, *_], is_async):
            yield "condition left out", ast.comprehension(target, each, [], is_async)
        case ast.Name(name, ast.Load()) if name in arguments and len(arguments) > 1:
            yield "another argument", ast.Name(arguments[arguments.index(name) - 1], ast.Load())
        case ast.Assert():
            yield "assert left out", ast.Pass()
        case ast.Raise() | ast.Expr(ast.Call()):
            yield "statement left out", ast.Pass()
        case ast.AugAssign(target, _, value):
            yield "= for +=", ast.Assign([target], value)


def changed_calls(function, given, named):
    lenient = [word for word in named if word.arg != "strict"]
    if len(lenient) < len(named):
        yield "not strict", ast.Call(function, given, lenient)
    if ast.unparse(function) not in COMMUTATIVE:
        yield from (("arguments swapped", ast.Call(function, s, named)) for s in neighbours_swapped(given))
    if given and not isinstance(given[0], (ast.GeneratorExp, ast.Starred)):
        yield "call left out", given[0]
    if len(given) > 1:
        kind = "start of the sum left out" if ast.unparse(function) == "sum" else "last argument left out"
        yield kind, ast.Call(function, given[:-1], named)


def neighbours_swapped(parts):
    return [[*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]] for i in range(len(parts) - 1)]


def places(node):
    """(list or dict, key) of each part below a node, so that a part can be put back."""
    if isinstance(node, (ast.JoinedStr, ast.Assert)) or (
        isinstance(node, ast.keyword) and node.arg == "strict"
    ):
        return
    for field, value in ast.iter_fields(node):
        if field not in LEFT_ALONE:
            holders = (
                [(value, i) for i in range(len(value))] if isinstance(value, list) else [(vars(node), field)]
            )
            for holder, key in holders:
                if isinstance(holder[key], ast.AST):
                    yield holder, key
                    yield from places(holder[key])


# --- the mutants of a module


class Mutant(NamedTuple):
    """identity is the line of survivors.txt without its reason; code is a function with the changed code."""

    identity: str
    line: int
    function: types.FunctionType
    code: types.FunctionType


def functions(module):
    """(name, class or None, syntax tree, function) of each function and method that a module defines."""
    for node in ast.parse(inspect.getsource(module)).body:
        in_class = isinstance(node, ast.ClassDef)
        owner = getattr(module, node.name) if in_class else module
        for tree in list(node.body) if in_class else [node]:
            if isinstance(tree, ast.FunctionDef):
                member = vars(owner)[tree.name]
                member = getattr(member, "fget", None) or getattr(member, "__func__", member)
                function = inspect.unwrap(member)
                if isinstance(function, types.FunctionType):
                    yield f"{node.name}.{tree.name}" if in_class else tree.name, node, tree, function


def mutants(module, path):
    """Each mutant of a module; no two mutants of a function are the same code."""
    for name, node, tree, function in functions(module):
        if tree is not node:  # a method is compiled in a class of its name, for the names that begin with __
            node.body, node.bases, node.keywords = [tree], [], []
        node.decorator_list, tree.decorator_list = [], []
        arguments, seen = [argument.arg for argument in tree.args.args], {ast.dump(tree)}
        for holder, key in places(tree):
            part, line = holder[key], getattr(holder[key], "lineno", tree.lineno)
            for kind, instead in changes(part, arguments):
                holder[key] = instead
                if ast.dump(tree) not in seen:
                    seen.add(ast.dump(tree))
                    text = f"{path} {name}: {kind}: {one_line(part)} -> {one_line(instead)}"
                    yield Mutant(text, line, function, compiled(node, tree, function))
                holder[key] = part


def compiled(node, tree, function):
    names = dict(function.__globals__)
    exec(compile(ast.fix_missing_locations(ast.Module([node], [])), "<mutant>", "exec"), names)
    return names[node.name] if tree is node else inspect.unwrap(vars(names[node.name])[tree.name])


def one_line(part, longest=70):
    text = " ".join(ast.unparse(ast.fix_missing_locations(part)).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


# --- the tests


class TooLong(BaseException):
    """A test took too long: a change can make a loop endless. No test catches a BaseException."""


class RunTests:
    """A pytest plugin: it runs the collected tests on each mutant instead of once."""

    def __init__(self, module, path, sample=None):
        self.module, self.path, self.sample = module, path, sample
        self.noticed, self.survivors = [], []
        self.seconds_of, self.reliable = {}, set()  # of each test; the tests that pass after they failed
        self.callers = {}  # of each function: the tests that call it

    def pytest_runtestloop(self, session):
        found = list(mutants(self.module, self.path))
        if self.sample:
            known = reasons()
            found = [mutant for mutant in found if not reason_of(mutant, known)]
            found = random.Random(1).sample(found, min(self.sample, len(found)))
        else:
            self.watch(session.items, {mutant.function for mutant in found})
        for mutant in found:
            found_out = self.is_noticed(mutant, session.items)
            (self.noticed if found_out else self.survivors).append(mutant)
        return True

    def watch(self, items, functions):
        """Run each test once on the right functions; note which functions it calls, and how long it takes."""
        watched = {id(function.__code__): function for function in functions}
        self.callers = {function: [] for function in functions}

        def note(frame, event, _):
            called.add(watched.get(id(frame.f_code)))

        for item in items:
            called, began = set(), time.process_time()
            sys.settrace(note)  # it gets the beginning of each call, and returns None: no line is traced
            try:
                self.must_pass(item)
            finally:
                sys.settrace(None)
            self.seconds_of[item] = time.process_time() - began
            for function in called - {None}:
                self.callers[function].append(item)

    def must_pass(self, item):
        if not self.passes(item, 600):
            raise pytest.UsageError(f"{item.nodeid} fails although nothing is changed")

    def passes(self, item, seconds):
        """Whether a test passes in so many seconds; it has run before, perhaps."""

        def stop(*_):
            raise TooLong

        item._initrequest()
        if hasattr(item, "dtest"):  # a doctest empties its names when it ends
            item.dtest.globs = dict(vars(self.module))
        for cached in vars(self.module).values():
            getattr(cached, "cache_clear", lambda: None)()
        # seconds of processor, so that a busy machine changes nothing; a test that only waits gets more
        limits = {signal.ITIMER_PROF: seconds, signal.ITIMER_REAL: 30 * seconds}
        signal.signal(signal.SIGPROF, stop)
        signal.signal(signal.SIGALRM, stop)
        for timer, limit in limits.items():
            signal.setitimer(timer, limit)
        try:
            return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))
        except TooLong:
            return False
        finally:
            for timer in limits:
                signal.setitimer(timer, 0)

    def is_noticed(self, mutant, items):
        """Whether a test fails; tests that failed before, or have the function's name, come first."""
        function, code = mutant.function, mutant.code
        if function not in self.callers:
            self.callers[function] = sorted(items, key=lambda item: function.__name__ not in item.name)
        tests = self.callers[function]
        if code.__defaults__ != function.__defaults__:
            tests = list(items)  # a test may read the signature and not call the function
        with Changed(function, code):
            for i, item in enumerate(tests):
                if not self.passes(item, 5 + 10 * self.seconds_of.get(item, 1)):
                    tests.insert(0, tests.pop(i))
                    break
            else:
                return False
        if tests[0] not in self.reliable:
            self.must_pass(tests[0])
            self.reliable.add(tests[0])
        return True


class Changed:
    """While it is entered, a function has the code and the defaults of another."""

    def __init__(self, function, other):
        self.function, self.other = function, other

    def exchange(self, *_):
        for name in "__code__", "__defaults__", "__kwdefaults__":
            here, there = getattr(self.function, name), getattr(self.other, name)
            setattr(self.function, name, there)
            setattr(self.other, name, here)

    __enter__ = __exit__ = exchange


# --- the reasons


def reasons():
    """{identity or kind of change: why no test notices it}."""
    lines = SURVIVORS.read_text(encoding="utf-8").splitlines()
    pairs = [line.rpartition(" | ")[::2] for line in lines if line and not line.startswith("#")]
    return dict(pairs)


def reason_of(mutant, known):
    kind = mutant.identity.partition(": ")[2].partition(":")[0]
    return known.get(mutant.identity) or known.get(f"every function: {kind}")


# --- the command


def tests_of(path):
    """The test files of a module that exist."""
    folder = pathlib.PurePath(path).parent.relative_to("helpers")
    folder = folder if folder.parts else pathlib.PurePath("mathematics")
    named = f"tests/{folder}/test_{pathlib.PurePath(path).stem}.py"
    return [name for name in [named, *ALSO.get(path, [])] if (ROOT / name).exists()]


def run(path, sample=None):
    """Run the tests of a module on its mutants."""
    module = importlib.import_module(".".join(pathlib.PurePath(path).with_suffix("").parts))
    plugin = RunTests(module, path, sample)
    quiet = ["-qq", "--no-header", "--no-summary", "--assert=plain", "-p", "no:cacheprovider"]
    code = pytest.main([*quiet, "--doctest-modules", path, *tests_of(path)], plugins=[plugin])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit(f"{path}: its tests cannot run")
    return plugin


def report(path, plugin, seconds):
    """Print what is wrong; return the module's row of the table. Its last number but one must be 0."""
    known = reasons()
    explained = [mutant for mutant in plugin.survivors if reason_of(mutant, known)]
    alive = {mutant.identity for mutant in explained}
    unexplained = [mutant for mutant in plugin.survivors if mutant.identity not in alive]
    wrong = [line for line in known if line.startswith(f"{path} ") and line not in alive]
    wrong = [] if plugin.sample else wrong
    for mutant in unexplained:
        print(f"survives, line {mutant.line}: {mutant.identity}")
    for line in wrong:
        print(f"noticed or gone, but has a reason: {line}")
    count, noticed = len(plugin.noticed) + len(plugin.survivors), len(plugin.noticed)
    return path, count, noticed, len(explained), len(unexplained) + len(wrong), round(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", metavar="helpers/MODULE.py")
    parser.add_argument("--sample", type=int, metavar="COUNT", help="only so many mutants of each module")
    given = parser.parse_args()
    everything = [f"helpers/{path.name}" for path in sorted((ROOT / "helpers").glob("[a-z]*.py"))]
    rows = []
    for path in given.paths or everything:
        began = time.process_time()
        rows.append(report(path, run(path, given.sample), time.process_time() - began))
    print(f"\n{'module':34}{'mutants':>9}{'noticed':>9}{'reasons':>9}{'wrong':>9}{'seconds':>9}")
    for name, *numbers in [*rows, ("all", *map(sum, list(zip(*rows))[1:]))]:
        print(f"{name:34}" + "".join(f"{number:9,}" for number in numbers))
    return any(row[-2] for row in rows)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    sys.exit(main())
