"""Lesson 05, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu, gelu_exact, gelu_exact_slope, gelu_sigmoid, gelu_sigmoid_slope, relu
from ...differences import central_differences
from .entry import Exercise, written


def leaky_relu(x, a):
    return [x, 1.0] if x > 0 else [a * x, a]


def silu(x):
    s = 0.5 * (1 + math.tanh(0.5 * x))
    return [x * s, s + x * s * (1 - s)]


def _overflowing(x):
    s = 1 / (1 + math.exp(-x))
    return [x * s, s + x * s * (1 - s)]


def _silu(slope, stretch=0.5):
    """silu with another slope, or with another sigmoid."""

    def value_and_slope(x):
        s = 0.5 * (1 + math.tanh(stretch * x))
        return [x * s, slope(x, s)]

    return value_and_slope


def zero_between(f, low, high):
    rising = f(low) < 0
    while high - low > 1e-13 * max(1, abs(low)):
        middle = (low + high) / 2
        if f(middle) == 0:
            return middle
        low, high = (middle, high) if (f(middle) < 0) == rising else (low, middle)
    return (low + high) / 2


def _bisection(keeps_upper, until=1e-12):
    def zero(f, low, high):
        while high - low > until:
            middle = (low + high) / 2
            low, high = (middle, high) if keeps_upper(f(low), f(middle)) else (low, middle)
        return (low + high) / 2

    return zero


def activate(f, rows):
    activated = [[f(h) for h in row] for row in rows]
    return [activated, sum(row.count(0) for row in activated)]


def _activate(count):
    def counted(f, rows):
        activated = [[f(h) for h in row] for row in rows]
        return [activated, count(rows, activated)]

    return counted


def _of_columns(f, rows):
    activated = [[f(h) for h in column] for column in zip(*rows)]
    return [activated, sum(row.count(0) for row in activated)]


def my_gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _gelu(root=math.sqrt(2 / math.pi), cube=0.044715, half=0.5, one=1.0):
    return lambda x: half * x * (one + math.tanh(root * (x + cube * x**3)))


def my_gelu_slope(x):
    return central_differences(gelu, float(x))


def _tanh_of(x):
    return math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


def _slope(inner):
    """The slope of gelu with something else for the slope of what stands within tanh."""
    return lambda x: 0.5 * (1 + _tanh_of(x)) + 0.5 * x * (1 - _tanh_of(x) ** 2) * inner(x)


EXERCISES = {
    "05.1": Exercise(
        leaky_relu,
        [[-3.0, 0.1], [2.5, 0.1], [-0.5, 0.01], [0.0, 0.2], [-1.0, 2.0], [3.0, 2.0], [-2.0, -1.0], [-4.0, 0.0]],
        slips={
            "the larger of x and a·x is taken: not the same for an a above 1": lambda x, a: [max(x, a * x), 1.0 if x > 0 else a],
            "0 counts as positive": lambda x, a: [x, 1.0] if x >= 0 else [a * x, a],
            "the slope is multiplied by x": lambda x, a: [x, 1.0] if x > 0 else [a * x, a * x],
            "the slope is left out": lambda x, a: x if x > 0 else a * x,
        },
    ),
    "05.2": Exercise(
        silu,
        [[1.0], [0.0], [2.0], [-1.3], [-12.0], [9.0], [800.0], [-800.0]],
        slips={
            "exp(−x) is computed as it stands: it overflows for a very negative x": _overflowing,
            "the slope of the sigmoid alone is taken, without the product rule": _silu(lambda x, s: s * (1 - s)),
            "one half of the product rule is left out": _silu(lambda x, s: x * s * (1 - s)),
            "the slope of x is all that is taken, and σ counts as a constant": _silu(lambda x, s: s),
            "σ(x) is written with tanh(x), and not with tanh(x/2)": _silu(lambda x, s: s + x * s * (1 - s), 1.0),
            "this is GELU in its sigmoid form, with the factor 1.702": lambda x: [gelu_sigmoid(x), gelu_sigmoid_slope(x)],
        },
    ),
    "05.3": Exercise(
        zero_between,
        [
            [gelu_exact_slope, -1.0, 0.0],
            [written("lambda x: x"), -1.0, 1.0],
            [math.cos, 1.0, 2.0],
            [math.log, 0.3, 3.0],
            [math.sin, 6.0, 7.0],
            [math.sin, 1.0, 6.0],
            [math.log, 0.5, 1.5],
            [written("lambda x: 3 - x"), 0.0, 4.0],
        ],
        slips={
            "f is taken to rise": _bisection(lambda low, middle: middle < 0),
            "a middle that is exactly 0 is passed over": _bisection(lambda low, middle: (low < 0) == (middle < 0)),
            "a middle that is exactly 0 leads to the wrong half": _bisection(lambda low, middle: not low * middle < 0),
            "the halving stops long before 1e-12": _bisection(lambda low, middle: (low < 0) == (middle < 0), 1e-6),
        },
    ),
    "05.4": Exercise(
        activate,
        [
            [relu, [[1.0, -2.0, 3.0]]],
            [math.trunc, [[0.5, -1.7, 2.0], [-0.2, 3.1, 0.0]]],
            [abs, [[-1.5], [0.0], [-0.0], [4.0]]],
            [math.tanh, [[1e-9, -1e-9, 0.0, 1.0]]],
            [math.exp, [[0.0, 1.0], [-1.0, 0.0], [2.0, -0.5]]],
        ],
        slips={
            "the zeros are counted before f, and not behind it": _activate(lambda rows, out: sum(row.count(0) for row in rows)),
            "columns stand for rows": _of_columns,
            "what is nearly 0 counts as 0": _activate(lambda rows, out: sum(abs(h) < 1e-6 for row in out for h in row)),
            "the zeros are counted row by row, and not added up": _activate(lambda rows, out: [row.count(0) for row in out]),
        },
    ),
    "05.a": Exercise(
        my_gelu,
        [[0.0], [1.0], [-1.0], [0.5], [3], [-2.5], [12.0], [-12.0]],
        slips={
            "the exact form is computed, with erf; here the tanh form is asked for": gelu_exact,
            "the sigmoid form is computed; here the tanh form is asked for": gelu_sigmoid,
            "the half in front is forgotten": _gelu(half=1.0),
            "x³ is forgotten": _gelu(cube=0.0),
            "√(2/π) is forgotten": _gelu(root=1.0),
            "2/π stands there without its root": _gelu(root=2 / math.pi),
            "the 1 beside tanh is forgotten": _gelu(one=0.0),
        },
        example=False,
    ),
    "05.b": Exercise(
        my_gelu_slope,
        [[0.0], [1.0], [-1.0], [0.5], [-0.75], [2.5], [-3.0], [8.0]],
        slips={
            "the inner slope, of what stands within tanh, is forgotten": _slope(lambda x: 1.0),
            "the inner slope lacks the factor 3 of x³": _slope(
                lambda x: math.sqrt(2 / math.pi) * (1 + 0.044715 * x * x)
            ),
            "the inner slope lacks √(2/π)": _slope(lambda x: 1 + 3 * 0.044715 * x * x),
            "x is nudged, and tanh counts as a constant": lambda x: 0.5 * (1 + _tanh_of(x)),
            "the first half of the product rule is forgotten": lambda x: (
                _slope(lambda x: math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x))(x) - 0.5 * (1 + _tanh_of(x))
            ),
            "the slope of the exact form is computed": gelu_exact_slope,
        },
        within=1e-6,
        nudged=True,
        example=False,
    ),
}
