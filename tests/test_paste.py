"""Every function of the mathematics works on its own, pasted into an empty file."""

import subprocess
import sys

import pytest

from helpers import paste

FUNCTIONS = paste.public_functions()

# Appended to a block: the block's own doctests, and how many examples the named function has.
RUN_DOCTESTS = """
if __name__ == "__main__":
    import doctest, sys
    own = doctest.DocTestFinder().find(globals()[sys.argv[1]], sys.argv[1])[0]
    failed, attempted = doctest.testmod()
    print(len(own.examples), failed)
"""


def run_alone(folder, block, name):
    """Run a block and its doctests in an interpreter that has the standard library and nothing else."""
    file = folder / "pasted.py"
    file.write_text(block + RUN_DOCTESTS, encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(file), name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_pasted_function_passes_its_doctest(name, tmp_path):
    done = run_alone(tmp_path, paste.paste_block([name]), name)
    assert done.returncode == 0, done.stderr
    examples, failed = map(int, done.stdout.split())
    assert examples > 0, f"{name} has no doctest"
    assert failed == 0


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if len(paste.parts([name])[1]) > 1])
def test_without_something_it_needs_it_fails(name, tmp_path):
    imports, pieces = paste.parts([name])
    first_needed = next(iter(pieces))
    assert first_needed != name
    del pieces[first_needed]
    done = run_alone(tmp_path, paste.assemble(imports, pieces.values()), name)
    assert done.returncode != 0 or done.stdout.split()[-1] != "0"


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if paste.parts([name])[0]])
def test_without_its_imports_it_fails(name, tmp_path):
    _, pieces = paste.parts([name])
    done = run_alone(tmp_path, paste.assemble([], pieces.values()), name)
    assert done.returncode != 0 or done.stdout.split()[-1] != "0"


def test_the_functions_are_those_that_lessons_import():
    assert {"shape", "matmul", "linear", "gelu", "layer_norm", "softmax", "attention"} <= set(FUNCTIONS)
    assert not {"load_state", "check", "heat_map"} & set(FUNCTIONS)


def test_no_name_stands_for_two_things():
    """A block mixes modules, so a name defined in two of them would silently lose one."""
    names = []
    for module in paste.MODULES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(paste, "MODULES", (module,))
            names += paste.read_source().definitions
    assert len(names) == len(set(names))


EXAMPLE = '''
"""A module with one of everything that a block must bring along, and some that it must not."""
import math
import random as chance
from operator import add as plus, mul

# why three
THREE = 3  # not four
UNUSED = mul


def _helper(x, factor=THREE):
    return plus(x, factor)


def outer(x):
    """
    >>> outer(inner(0))
    3
    """
    math = 0
    return [_helper(y) for y in [x + math]][0]


def inner(x):
    return chance.Random(x) and x
'''

EXPECTED = paste.LICENCE + '''

import random as chance
from operator import add as plus


# why three
THREE = 3  # not four


def _helper(x, factor=THREE):
    return plus(x, factor)


def inner(x):
    return chance.Random(x) and x


def outer(x):
    """
    >>> outer(inner(0))
    3
    """
    math = 0
    return [_helper(y) for y in [x + math]][0]
'''


def test_a_block_holds_what_is_needed_in_order_and_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "example.py").write_text(EXAMPLE, encoding="utf-8")
    monkeypatch.setattr(paste, "MODULES", ("example",))
    monkeypatch.setattr(paste, "__file__", str(tmp_path / "paste.py"))
    assert paste.public_functions() == ["outer", "inner"]
    assert paste.paste_block(["outer"]) == EXPECTED


def test_two_functions_share_what_both_need():
    block = paste.paste_block(["matmul", "softmax"])
    assert block.count("def shape(") == block.count("def matmul(") == block.count("def softmax(") == 1
    assert block.startswith("# ") and "no credit" in block.splitlines()[0]
