"""Lesson 05, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu_exact, quick_gelu, relu
from .exercise import Exercise


def my_silu(x):
    return x * 0.5 * (1 + math.tanh(0.5 * x))


def _overflowing(x):
    return x / (1 + math.exp(-x))


def my_hat(x):
    return max(0.0, 1 - abs(x - 1))


def _hat(weights=(1, -2, 1), knots=(0, 1, 2), activation=relu):
    """A weighted sum of ReLUs with these knots."""
    return lambda x: sum(w * activation(x - k) for w, k in zip(weights, knots))


def my_gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _gelu(root=math.sqrt(2 / math.pi), cube=0.044715, half=0.5, one=1.0, power=3, front=lambda x: x):
    return lambda x: half * front(x) * (one + math.tanh(root * (x + cube * x**power)))


def _tanh_of(x):
    return math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


EXERCISES = {
    "05.a": Exercise(
        my_hat,
        [[0.5], [1.0], [1.5], [2.0], [3.0], [-1.0], [0.0], [2.5], [100.0]],  # a due 0 must be exactly 0
        slips={
            "the weight at x = 1 is −1: after x = 1 the slope is then 0": _hat((1, -1, 1)),
            "the weight at x = 1 is positive: the slope has to fall there": _hat((1, 2, 1)),
            "the third ReLU is missing: after x = 2 the function goes on falling": _hat((1, -2)),
            "the third ReLU has the weight −1: after x = 2 the function falls faster": _hat((1, -2, -1)),
            "the second and the third ReLU have each other's weight": _hat((1, 1, -2)),
            "all knots are 1 too far to the left: the knot of relu(x + 1) is −1": _hat(knots=(-1, 0, 1)),
            "the knots are 0, −1 and −2: the knot of relu(x + 1) is −1": _hat(knots=(0, -1, -2)),
            "ReLU is missing: a sum of straight lines is a straight line": _hat(activation=lambda x: x),
        },
    ),
    "05.b": Exercise(
        my_gelu,
        [[1.0], [0.0], [-1.0], [0.5], [3], [-2.5], [12.0], [-12.0]],
        slips={
            "this is the exact form with erf; the task asks for the form with tanh": gelu_exact,
            "this is the sigmoid form; the task asks for the form with tanh": quick_gelu,
            "the factor ½ is missing": _gelu(half=1.0),
            "the term with x³ is missing": _gelu(cube=0.0),
            "x² is used instead of x³": _gelu(power=2),
            "the factor x is missing": _gelu(front=lambda x: 1),
            "a bracket closes too early: √(2/π) multiplies only x, and not the term with x³": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * x + 0.044715 * x**3))
            ),
            "a bracket closes too early: ½·x multiplies only the 1, and not tanh": lambda x: (
                0.5 * x + _tanh_of(x)
            ),
            "a bracket closes too early: tanh is applied only to √(2/π)": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi)) * (x + 0.044715 * x**3))
            ),
            "a bracket closes too late: the square root includes x + 0.044715·x³": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi * (x + 0.044715 * x**3))))
            ),
            "(x + 0.044715·x) is cubed; only the second x should be": lambda x: (
                0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x) ** 3))
            ),
            "0.044715 is cubed as well; only x should be": _gelu(cube=0.044715**3),
            "the square root includes only the 2: √2/π instead of √(2/π)": _gelu(math.sqrt(2) / math.pi),
            "the factor √(2/π) is missing": _gelu(root=1.0),
            "the square root of 2/π is missing": _gelu(root=2 / math.pi),
            "the 1 before tanh is missing": _gelu(one=0.0),
            "x multiplies only the 1, and not tanh": lambda x: 0.5 * (x + _tanh_of(x)),
            "the minus sign is wrong: the formula has 1 + tanh(…)": lambda x: 0.5 * x * (1 - _tanh_of(x)),
            "0.044715 is mistyped: your result fits 0.044751": _gelu(cube=0.044751),
            "0.044715 is mistyped: your result fits 0.0447": _gelu(cube=0.0447),
            "0.044715 is mistyped: your result fits 0.44715": _gelu(cube=0.44715),
            "0.044715 is mistyped: your result fits 0.0044715": _gelu(cube=0.0044715),
            "π is rounded to 3.14; use math.pi": _gelu(root=math.sqrt(2 / 3.14)),
            "√(π/2) is used instead of √(2/π)": _gelu(root=math.sqrt(math.pi / 2)),
        },
    ),
    "05.c": Exercise(
        my_silu,
        [[1.0], [0.0], [2.0], [-1.3], [-12.0], [9.0], [1000.0], [-1000.0]],
        slips={
            "`math.exp(-x)` overflows for a very negative x": _overflowing,
            "`math.exp(x)` overflows for a very large x": lambda x: x * math.exp(x) / (1 + math.exp(x)),
            "σ(x) uses tanh(x) instead of tanh(x/2)": lambda x: x * 0.5 * (1 + math.tanh(x)),
            "the factor x is missing: this is σ(x)": lambda x: 0.5 * (1 + math.tanh(0.5 * x)),
            "this is GELU; the task asks for x·σ(x)": my_gelu,
            "the factor ½ of σ(x) is missing": lambda x: x * (1 + math.tanh(0.5 * x)),
            "the 1 of ½·(1 + tanh(x/2)) is missing": lambda x: x * 0.5 * math.tanh(0.5 * x),
            "the sign of x in σ is wrong: this is x·σ(−x)": lambda x: x * 0.5 * (1 - math.tanh(0.5 * x)),
            "this is GELU in its sigmoid form, with the factor 1.702": quick_gelu,
        },
    ),
}
