"""The tape with faster arithmetic and without its checks, so that new architectures train in reasonable time.

This is machinery. The readable version is helpers/tape.py. This module copies it and the functions that it
records, as fast_gpt does.
"""

import inspect
import types
from importlib import import_module

from .. import tape
from .copies import copies, rebind_defaults
from .fast_gpt import MODULES, exact_sum, fast_linear, fast_matmul

FAST = copies(import_module(f"helpers.{name}") for name in [*MODULES, "rope", "tape"])
FAST |= {"linear": fast_linear, "matmul": fast_matmul, "sum": exact_sum}
rebind_defaults(FAST)


def rebound(function):
    """The same function, which finds the names that it calls in FAST."""
    bare = inspect.unwrap(function)
    copy = types.FunctionType(bare.__code__, FAST, bare.__name__, bare.__defaults__, bare.__closure__)
    copy.__defaults__ = copy.__defaults__ and tuple(
        FAST.get(getattr(d, "__name__", ""), d) for d in copy.__defaults__
    )
    return copy


def copy_of(function):
    return FAST[inspect.unwrap(function).__name__]


FAST["DERIVATIVES"] = {copy_of(f): copy_of(derivative) for f, derivative in tape.DERIVATIVES.items()}
FAST["OPERATIONS"] = {
    name: (FAST[name], rebound(backward)) for name, (_, backward) in tape.OPERATIONS.items()
}


class FastTape(tape.Tape):
    """A Tape that checks nothing: for a network that has run on a Tape before.

    >>> tape = FastTape()
    >>> p = tape.watch({"u": [1.0, 2.0], "v": [3.0, 4.0]})
    >>> tape.backward(tape.dot(p["u"], p["v"]))
    >>> tape.gradients(p)
    {'u': [3.0, 4.0], 'v': [1.0, 2.0]}
    """

    def _keep_copy(self, value, owner):
        pass

    def _check_argument(self, argument, name):
        pass


for name, method in vars(tape.Tape).items():
    if inspect.isfunction(method) and name not in vars(FastTape):
        setattr(FastTape, name, rebound(method))

plain = types.SimpleNamespace(**{name: FAST[name] for name in tape.OPERATIONS})  # the same, not recorded
