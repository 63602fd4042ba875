"""Every function of the mathematics works on its own, pasted into an empty file."""

import functools
import importlib
import inspect
import json
import re
import subprocess
import sys

import pytest

import helpers
from helpers.course.show import source
from notebooks import ROOT

FUNCTIONS = source.public_functions()
BLOCK_SHAPES = ["QKV_PARAM_SHAPES", "OUTPUT_PARAM_SHAPES", "BLOCK_PARAM_SHAPES"]
READ_ONCE = functools.cache(source.read_source)

# Runs in an interpreter that has the standard library and nothing else. A job is a block, the function whose
# doctest is to be run, and the doctest. Each block gets names of its own: nothing is shared.
ALONE = """
import builtins, dis, doctest, json, sys

def mentioned(code):
    found = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return found.union(*(mentioned(inner) for inner in code.co_consts if hasattr(inner, "co_code")))

def failures(block, name, text):
    names, code = {"__name__": "pasted"}, compile(block, "pasted", "exec")
    exec(code, names)
    missing = mentioned(code) - names.keys() - vars(builtins).keys()
    if missing:
        return f"there is no {missing}"
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=lambda said: None)
    fine = runner.tries and not runner.failures
    return None if fine else f"{runner.failures} of {runner.tries} examples fail"

for line in sys.stdin:
    try:
        print(json.dumps(failures(*json.loads(line))))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""


def run_alone(jobs):
    """For each job None, or how it fails; all in one empty interpreter, in which there is no trace of our
    modules."""
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    command = [sys.executable, "-I", "-S", "-c", ALONE]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", timeout=600)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """The modules are taken apart once, but where a test puts others in their place."""
    monkeypatch.setattr(source, "read_source", READ_ONCE)


def test_every_pasted_function_passes_its_doctest():
    assert len(FUNCTIONS) > 50
    jobs = [(source.paste_block([name]), name, inspect.getdoc(getattr(helpers, name))) for name in FUNCTIONS]
    failed = {name: result for name, result in zip(FUNCTIONS, run_alone(jobs), strict=True) if result}
    assert failed == {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_block_shows_the_function_as_it_stands(name):
    block = source.paste_block([name])
    assert inspect.getsource(defined_as(name)).rstrip() in block
    assert not re.search(r"^@|fmt:|^from (helpers|\.)", block, re.M)


def defined_as(name):
    """A function or class of the modules made for copying, without the checks that helpers puts around it."""
    modules = [importlib.import_module(f"helpers.{module}") for module in source.MODULES]
    return next(vars(module)[name] for module in modules if name in vars(module))


def test_a_pasted_function_refuses_lengths_that_differ():
    pasted = {"__name__": "pasted"}
    exec(source.paste_block(["dot"]), pasted)
    with pytest.raises(AssertionError, match="^u and v must be equally long$"):
        pasted["dot"]([1, 2], [3])


@pytest.mark.parametrize(
    "name, dicts",
    [
        ("adamw_step", ["OPTIMIZER"]),
        ("gpt_param_shapes", ["GPT_CONFIG", *BLOCK_SHAPES]),
        ("decode_step", ["GPT_CONFIG", *BLOCK_SHAPES]),
        ("dot", []),
    ],
)
def test_a_block_has_the_dicts_and_functions_that_a_signature_names(name, dicts):
    """Also those that one of the dicts is made of, each before its first use."""
    found = source.block_parts([name])[1]
    assert [piece for piece in found if piece.isupper()] == dicts
    assert ("gpt_param_shapes" in found) == ("GPT_CONFIG" in dicts)


def test_the_functions_are_those_of_the_mathematics():
    assert {"matmul", "linear", "gelu", "layer_norm", "softmax", "attention"} <= set(FUNCTIONS)
    assert not {"load_state", "check", "heat_map", "checked"} & set(FUNCTIONS)
    files = {path.stem for path in (ROOT / "helpers").glob("*.py")} - {"__init__", "__main__"}
    assert {*source.MODULES} == files


def test_no_name_is_defined_in_two_modules(monkeypatch):
    """A block mixes modules, so a name defined in two of them would silently lose one."""
    names = []
    for module in source.MODULES:
        monkeypatch.setattr(source, "MODULES", (module,))
        names += READ_ONCE.__wrapped__().definitions
    assert len(names) == len(set(names)) > len(FUNCTIONS)


EXAMPLE = '''
"""A module with one of everything that a block must bring along, and some that it must not."""
import math
import random as chance
from operator import add as plus, mul


# why three
THREE = 3  # not four


UNUSED = mul


RULES = {"x": "int"}


def made(x):
    return x


def _helper(x, factor=THREE):
    return plus(x, factor)


# outer of all
def outer(x: "RULES") -> ("made(x)", "T n"):
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
IMPORTS = "\n\nimport random as chance\nfrom operator import add as plus\n\n\n"


@pytest.fixture
def example(tmp_path, monkeypatch):
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "example.py").write_text(EXAMPLE, encoding="utf-8")
    monkeypatch.setattr(source, "read_source", READ_ONCE.__wrapped__)
    monkeypatch.setattr(source, "MODULES", ("example",))
    monkeypatch.setattr(source, "ROOT", tmp_path)


def test_a_block_holds_what_is_needed_in_order_and_nothing_else(example):
    assert source.public_functions() == ["made", "outer", "inner"]
    needed = EXAMPLE[EXAMPLE.index("# why three") :].replace("UNUSED = mul\n\n\n", "")
    assert source.paste_block(["outer"]) == source.LICENCE + IMPORTS + needed


def test_two_functions_share_what_both_need():
    block = source.paste_block(["matmul", "softmax"])
    assert block.count("def transpose(") == block.count("\ndef matmul(") == block.count("def softmax(") == 1
    assert block.startswith("# ") and "no credit" in block.splitlines()[0]
