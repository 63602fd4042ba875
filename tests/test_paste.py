"""Every function of the mathematics works on its own, pasted into an empty file: bare, and with its checks."""

import ast
import functools
import importlib
import inspect
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import helpers
from helpers.course import paste

FUNCTIONS = paste.public_functions()
READ_ONCE = functools.cache(paste.read_source)

# Runs in an interpreter that has the standard library and nothing else. A job is a block in pieces, the function whose doctest
# is to be run, the doctest, and the blocks of what only the doctest calls. Each block gets names of its own: nothing is shared.
ALONE = """
import builtins, dis, doctest, functools, importlib, json, sys

compiled = functools.cache(lambda source: compile(source, "pasted", "exec"))
needed = functools.cache(lambda source: mentioned(compiled(source)))

def run(pieces):
    names = {"__name__": "pasted"}
    for piece in pieces:
        exec(compiled(piece), names)
    return names

def mentioned(code):
    found = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return found.union(*(mentioned(inner) for inner in code.co_consts if hasattr(inner, "co_code")))

def failures(block, name, text, others, modules):
    names = run(block)
    missing = set().union(*map(needed, block)) - names.keys() - vars(builtins).keys()
    if missing:
        return f"there is no {missing}"
    seen = {module: importlib.import_module(module) for module in modules}
    seen |= {other: run([source])[other] for other, source in others.items()} | {name: names[name]}
    test = doctest.DocTestParser().get_doctest(text, seen, name, None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=lambda said: None)
    return f"{runner.failures} of {runner.tries} examples fail" if runner.failures or not runner.tries else None

for line in sys.stdin:
    try:
        print(json.dumps(failures(*json.loads(line))))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""


def run_alone(jobs):
    """For each job None, or how it fails; all in one empty interpreter, in which there is no trace of our modules."""
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    command = [sys.executable, "-I", "-S", "-c", ALONE]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", timeout=600)
    assert done.stderr == ""
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(jobs)
    return results


def job(name, block, checked=False):
    """What run_alone takes. A bare block has lost its doctest, which comes from the helper: what it calls is pasted apart."""
    text = inspect.getdoc(getattr(helpers, name))
    examples = "".join(example.source for example in paste.doctest.DocTestParser().get_examples(text))
    others = {n for n in FUNCTIONS if re.search(rf"\b{n}\(", examples)} - {name}
    modules = [module for module in ("math", "random") if f"{module}." in examples]
    pieces = [block] if isinstance(block, str) else block
    return pieces, name, text, {other: paste.paste_block([other], checked) for other in others}, modules


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """The modules are taken apart once, but where a test puts others in their place."""
    monkeypatch.setattr(paste, "read_source", READ_ONCE)


@pytest.fixture(scope="module", params=[False, True], ids=["bare", "checked"])
def checked(request):
    return request.param


def failing(jobs):
    """{what it is: how it fails} of jobs by what they are."""
    return {what: result for what, result in zip(jobs, run_alone(jobs.values()), strict=True) if result}


def test_every_pasted_function_passes_its_doctest(checked):
    assert len(FUNCTIONS) > 50
    assert failing({name: job(name, paste.paste_block([name], checked), checked) for name in FUNCTIONS}) == {}


def test_without_anything_it_needs_a_bare_function_fails():
    jobs = {}
    for name in FUNCTIONS:
        imports, pieces = paste.parts([name])
        for needed in pieces.keys() - {name}:
            left = [text for other, text in pieces.items() if other != needed]
            jobs[name, needed] = job(name, [*imports, *left])
        for line in imports:
            left = [other for other in imports if other != line]
            jobs[name, line] = job(name, [*left, *pieces.values()])
    assert len(jobs) > 100
    assert jobs.keys() - failing(jobs).keys() == set()


def test_without_the_machinery_a_checked_function_fails():
    jobs, free = {}, {"Node"}  # which takes whatever a tape puts into it
    for name in FUNCTIONS:
        if name in free:
            continue
        imports, pieces = paste.parts([name], checked=True)
        del pieces["shapes"]
        jobs[name] = job(name, paste.assemble(imports, pieces.values()), checked=True)
    assert failing(jobs).keys() == set(FUNCTIONS) - free


def test_the_empty_interpreter_knows_nothing_of_ours_and_runs_each_block_apart():
    dot = job("dot", "def dot(u, v):\n    return sum(map(mul, u, v), 0.0)\n")
    whole = job("dot", paste.paste_block(["dot"]))
    imported = job("dot", "from helpers import dot\n")
    wrong = job("dot", "def dot(u, v):\n    return 13\n")
    assert run_alone([whole, dot, imported, wrong]) == [
        None, "there is no {'mul'}", "ModuleNotFoundError: No module named 'helpers'", "1 of 1 examples fail"
    ]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bare_means_short(name):
    """No decorator, no doctest, one sentence said of each function; and the code is the helper's own."""
    block = paste.paste_block([name])
    defined = {node.name: node for node in ast.parse(block).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert name == list(defined)[-1]
    for node in defined.values():
        docstring = ast.get_docstring(node)
        assert not node.decorator_list and docstring.endswith(".") and "\n" not in docstring
        own = inspect.unwrap(defined_as(node.name))
        assert inspect.getdoc(own).startswith(docstring)
        assert code(node) == code(ast.parse(inspect.getsource(own)).body[0])
    assert not re.search(r">>>|@|fmt:|shapes", block)


def defined_as(name):
    """A function or class of the modules made for copying, also one that is not offered by helpers itself."""
    modules = [importlib.import_module(f"helpers.{module}") for module in paste.MODULES]
    return next(vars(module)[name] for module in modules if name in vars(module))


def code(node):
    """The syntax tree of a function, or of a class and its functions, decorators and docstrings aside."""
    for part in ast.walk(node):
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            part.decorator_list = []
            if ast.get_docstring(part) is not None:
                del part.body[0]
    return ast.dump(node)


def test_checked_means_that_what_does_not_fit_is_explained():
    pasted = {"__name__": "pasted"}
    exec(paste.paste_block(["dot"], checked=True), pasted)
    for dot in (pasted["dot"], helpers.dot):
        with pytest.raises(ValueError, match="^dot: u is .2. and v is .1., .*make them equal$"):
            dot([1, 2], [3])
    exec(paste.paste_block(["dot"]), pasted)
    with pytest.raises(AssertionError, match="^u and v must be equally long$"):
        pasted["dot"]([1, 2], [3])


def test_the_functions_are_those_of_the_mathematics():
    assert {"matmul", "linear", "gelu", "layer_norm", "softmax", "attention"} <= set(FUNCTIONS)
    assert not {"load_state", "check", "heat_map", "shapes"} & set(FUNCTIONS)
    files = {path.stem for path in (ROOT / "helpers").glob("*.py")} - {"__init__", "__main__"}
    assert {paste.CONTRACTS, *paste.MODULES} == files


def test_no_name_stands_for_two_things(monkeypatch):
    """A block mixes modules, so a name defined in two of them would silently lose one."""
    names = []
    for module in (paste.CONTRACTS, *paste.MODULES):
        monkeypatch.setattr(paste, "CONTRACTS", module)
        monkeypatch.setattr(paste, "MODULES", ())
        names += READ_ONCE.__wrapped__().definitions
    assert len(names) == len(set(names)) > len(FUNCTIONS)


CONTRACTS_EXAMPLE = '''
def shapes(**rules):
    """
    >>> def inner(): pass
    >>> inner()
    """
    return lambda function: function
'''

EXAMPLE = '''
"""A module with one of everything that a block must bring along, and some that it must not."""
import math
import random as chance
from operator import add as plus, mul

# why three
THREE = 3  # not four
UNUSED = mul
RULE = "a number"


def _helper(x, factor=THREE):
    return plus(x, factor)


# outer of all
@shapes(
    x=RULE,
)  # fmt: skip
def outer(x):
    """Add three. And say so at length.

    >>> outer(inner(0))
    3
    """
    math = [
        0,
    ]  # fmt: skip
    return [_helper(y) for y in [x + math[0]]][0]


def inner(x):
    return chance.Random(x) and x
'''

BARE = paste.LICENCE + '''

from operator import add as plus


# why three
THREE = 3  # not four


def _helper(x, factor=THREE):
    return plus(x, factor)


# outer of all
def outer(x):
    """Add three."""
    math = [
        0,
    ]
    return [_helper(y) for y in [x + math[0]]][0]
'''

CHECKED = paste.LICENCE + '''

import random as chance
from operator import add as plus


def shapes(**rules):
    """
    >>> def inner(): pass
    >>> inner()
    """
    return lambda function: function


# why three
THREE = 3  # not four


RULE = "a number"


def _helper(x, factor=THREE):
    return plus(x, factor)


# outer of all
@shapes(
    x=RULE,
)
def outer(x):
    """Add three. And say so at length.

    >>> outer(inner(0))
    3
    """
    math = [
        0,
    ]
    return [_helper(y) for y in [x + math[0]]][0]


def inner(x):
    return chance.Random(x) and x
'''


@pytest.fixture
def example(tmp_path, monkeypatch):
    (tmp_path / "contracts.py").write_text(CONTRACTS_EXAMPLE, encoding="utf-8")
    (tmp_path / "example.py").write_text(EXAMPLE, encoding="utf-8")
    monkeypatch.setattr(paste, "read_source", READ_ONCE.__wrapped__)
    monkeypatch.setattr(paste, "MODULES", ("example",))
    monkeypatch.setattr(paste, "__file__", str(tmp_path / "course" / "paste.py"))


def test_a_block_holds_what_is_needed_in_order_and_nothing_else(example, checked):
    assert paste.public_functions() == ["outer", "inner"]
    assert paste.paste_block(["outer"], checked) == (CHECKED if checked else BARE)


def test_what_only_the_machinery_s_own_doctest_defines_is_not_taken_for_ours(example):
    assert paste.parts(["inner"], checked=True)[1].keys() == {"inner"}
    assert "inner" not in paste.names_used(CONTRACTS_EXAMPLE)


def test_two_functions_share_what_both_need(checked):
    block = paste.paste_block(["matmul", "softmax"], checked)
    assert block.count("def transpose(") == block.count("\ndef matmul(") == block.count("def softmax(") == 1
    assert block.count("def shapes(") == checked
    assert block.startswith("# ") and "no credit" in block.splitlines()[0]
