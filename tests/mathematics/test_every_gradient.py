"""Every backward pass against finite differences, from the tape's table: a row in OPERATIONS is tested here.

The signature of a function says how to call it. The sizes of the three cases: all equal, so that no shape
notices a matrix that should be transposed; all different; and 1 wherever that is possible.
"""

import importlib
import inspect
import math
import random

import pytest
from gradient_checks import derivatives, weighted, weights_for
from sound_calls import sound_call
from tables import assert_close

from helpers import silu
from helpers.tape import DERIVATIVES, OPERATIONS

# G divides H, and rope needs an even k.
SIZES = [
    dict.fromkeys("DFGHSTVkmnpv", 2),
    {"D": 5, "F": 6, "G": 2, "H": 4, "S": 7, "T": 3, "V": 8, "k": 2, "m": 4, "n": 6, "p": 3, "v": 5},
    dict.fromkeys("DFGHSTVmnpv", 1) | {"k": 2},
]
MASKS = ["no mask", "causal", "one position each", "finite numbers"]


def arguments_of(name, sizes, mask):
    """A sound call's arguments in order."""
    given = sound_call(name, sizes, SIZES[sizes], {"activation": silu, "base": 50.0})
    if "mask" in given:
        given["mask"] = changed_mask(mask, given["mask"], random.Random(sizes))
    return list(given.values())


def changed_mask(mask, finite, rng):
    kept = [rng.randrange(len(row)) for row in finite]
    return {
        "no mask": None,
        "causal": [[0.0 if s <= t else -math.inf for s in range(len(row))] for t, row in enumerate(finite)],
        "one position each": [
            [0.0 if s == k else -math.inf for s in range(len(row))] for k, row in zip(kept, finite)
        ],
        "finite numbers": finite,
    }[mask]


def masks_of(name):
    return MASKS if "mask" in inspect.signature(OPERATIONS[name][0]).parameters else MASKS[:1]


CASES = [(name, sizes, mask) for name in OPERATIONS for sizes in range(3) for mask in masks_of(name)]


@pytest.mark.parametrize("name, sizes, mask", CASES)
def test_a_backward_pass_gives_the_measured_gradients(name, sizes, mask):
    forward, backward_pass = OPERATIONS[name]
    forward = inspect.unwrap(forward)
    given = arguments_of(name, sizes, mask)
    out = forward(*given)
    d_out = weights_for(random.Random(sizes), out)
    gradients = backward_pass(d_out, out, *given)
    assert any(gradient is not None for gradient in gradients)
    for i, gradient in enumerate(gradients):
        if gradient is not None:

            def loss(argument, i=i):
                return weighted(forward(*given[:i], argument, *given[i + 1 :]), d_out)

            assert_close(gradient, derivatives(loss, given[i], 5e-4), within=1e-7, at_least=1e-10)


@pytest.mark.parametrize("function", DERIVATIVES, ids=lambda function: function.__name__)
def test_a_derivative_is_the_measured_one(function):
    for x in (-5.0, -1.25, -0.1, 0.3, 1.0, 2.5):
        assert math.isclose(DERIVATIVES[function](x), derivatives(function, x, 1e-3), abs_tol=1e-9)


# --- which functions have a backward pass, and its defaults

MODULES = ["activations", "attention", "backward", "layers", "losses", "matrices", "rope"]
PUBLIC = {
    name: function
    for module in [importlib.import_module(f"helpers.{name}") for name in MODULES]
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
}
# merge_heads and split_heads are each other's backward pass.
WITHOUT_BACKWARD = {"causal_mask", "sliding_window_mask", "merge_heads", "split_heads"}
# The backward pass of attention in pieces is told in words in lesson 23.
WITHOUT_BACKWARD |= {"online_softmax_step", "online_softmax_attention"}


def backward_of(name):
    found = [PUBLIC[f"{name}_{kind}"] for kind in ("backward", "derivative") if f"{name}_{kind}" in PUBLIC]
    return found[0] if found else None


FORWARD = [name for name in PUBLIC if not name.endswith(("_backward", "_derivative"))]


def test_every_function_of_a_network_has_a_backward_pass_or_a_derivative():
    missing = {name for name in FORWARD if not backward_of(name)} - WITHOUT_BACKWARD
    assert not missing, f"write {{NAME}}_backward for these, or enter them in WITHOUT_BACKWARD: {missing}"
    assert not [name for name in WITHOUT_BACKWARD if name not in FORWARD or backward_of(name)]
    named = {backward_of(name).__name__ for name in FORWARD if backward_of(name)}
    assert set(PUBLIC) - set(FORWARD) - named == {"activation_backward"}  # its derivative is an argument


@pytest.mark.parametrize("name", list(filter(backward_of, FORWARD)))
def test_a_backward_pass_has_the_defaults_of_its_forward_pass(name):
    own, forward = (inspect.signature(f).parameters for f in (backward_of(name), PUBLIC[name]))
    for argument in own.keys() & forward.keys():
        if forward[argument].default is not inspect.Parameter.empty:
            assert own[argument].default == forward[argument].default


@pytest.mark.parametrize("name", ["activation_backward", "feed_forward_backward"])
def test_the_default_derivative_is_that_of_the_default_activation(name):
    activation = inspect.signature(PUBLIC["feed_forward"]).parameters["activation"].default
    assert inspect.signature(PUBLIC[name]).parameters["derivative"].default == DERIVATIVES[activation]
