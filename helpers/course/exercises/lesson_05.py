"""Lesson 05, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu_exact, quick_gelu, relu
from .exercise import Exercise


def silu(x):
    return x * 0.5 * (1 + math.tanh(0.5 * x))


def _overflowing(x):
    return x / (1 + math.exp(-x))


def my_hat(x):
    return max(0.0, 1 - abs(x - 1))


def _hat(weights=(1, -2, 1), bends=(0, 1, 2), bend=relu):
    """A sum of bends, with these weights and at these places."""
    return lambda x: sum(w * bend(x - b) for w, b in zip(weights, bends))


def my_gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _gelu(root=math.sqrt(2 / math.pi), cube=0.044715, half=0.5, one=1.0, power=3, front=lambda x: x):
    return lambda x: half * front(x) * (one + math.tanh(root * (x + cube * x**power)))


def _tanh_of(x):
    return math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


EXERCISES = {
    "05.1": Exercise(
        silu,
        [[1.0], [0.0], [2.0], [-1.3], [-12.0], [9.0], [800.0], [-800.0]],
        slips={
            "exp(−x) is computed as it stands: it overflows for a very negative x": _overflowing,
            "σ(x) is written with tanh(x), and not with tanh(x/2)": lambda x: (
                x * 0.5 * (1 + math.tanh(x))
            ),
            "only σ(x) is computed: the factor x is missing": lambda x: 0.5 * (1 + math.tanh(0.5 * x)),
            "this is GELU in its sigmoid form, with the factor 1.702": quick_gelu,
        },
    ),
    "05.a": Exercise(
        my_hat,
        [
            [0.5],
            [1.0],
            [1.5],
            [2.0],
            [3.0],
            [-1.0],
            [0.0],
            [2.5],
            [100.0],
        ],  # exact: where 0 is due, 0 has to come
        slips={
            "the middle one is taken off once: behind x = 1 the slope is then 0": _hat((1, -1, 1)),
            "the middle one is added, and not taken off": _hat((1, 2, 1)),
            "the last one is forgotten: behind x = 2 it goes on falling": _hat((1, -2)),
            "the last one is taken off, and not added": _hat((1, -2, -1)),
            "everything bends one step too far to the left: relu(x + 1) bends at −1": _hat(bends=(-1, 0, 1)),
            "the bends stand at 0, −1 and −2: relu(x + 1) bends at −1": _hat(bends=(0, -1, -2)),
            "relu is left out: straight lines add up to a straight line": _hat(bend=lambda x: x),
        },
        example=False,
    ),
    "05.b": Exercise(
        my_gelu,
        [[1.0], [0.0], [-1.0], [0.5], [3], [-2.5], [12.0], [-12.0]],
        slips={
            "the exact form is computed, with erf; here the tanh form is asked for": gelu_exact,
            "the sigmoid form is computed; here the tanh form is asked for": quick_gelu,
            "the half in front is forgotten": _gelu(half=1.0),
            "x³ is forgotten": _gelu(cube=0.0),
            "x² stands where x³ is due": _gelu(power=2),
            "the x in front is forgotten": _gelu(front=lambda x: 1),
            "a bracket closes too early: √(2/π) multiplies x alone, and not x³": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * x + 0.044715 * x**3))
            ),
            "a bracket closes too early: ½·x multiplies the 1 alone, and not tanh": lambda x: (
                0.5 * x + _tanh_of(x)
            ),
            "a bracket closes too early: tanh is taken of √(2/π) alone": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi)) * (x + 0.044715 * x**3))
            ),
            "a bracket closes too late: the root is taken of all that stands within tanh": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi * (x + 0.044715 * x**3))))
            ),
            "a bracket opens too late: all of x + 0.044715·x is cubed": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x) ** 3))
            ),
            "0.044715 is cubed, too": _gelu(cube=0.044715**3),
            "the root is taken of 2 alone: √2/π, and not √(2/π)": _gelu(root=math.sqrt(2) / math.pi),
            "√(2/π) is forgotten": _gelu(root=1.0),
            "2/π stands there without its root": _gelu(root=2 / math.pi),
            "the 1 beside tanh is forgotten": _gelu(one=0.0),
        },
    ),
}
