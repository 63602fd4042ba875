"""The tape of the tests' second implementation: its derivatives against central differences."""

import math

import pytest
from scalar_tape import Number, backward, exp, log, sqrt, tanh, total

FORMULAS = {
    "x + y": lambda x, y: x + y,
    "x + 3 and 3 + x": lambda x, y: (x + 3) * (3 + x) * y,
    "x - y": lambda x, y: x - y,
    "x - 3 and 3 - y": lambda x, y: (x - 3) * (3 - y),
    "x * y": lambda x, y: x * y,
    "x * 3 and 3 * y": lambda x, y: x * 3 / (3 * y + x),
    "x / y": lambda x, y: x / y,
    "x / 3 and 3 / y": lambda x, y: x / 3 + 3 / y,
    "exp, log": lambda x, y: exp(x * y) * log(y + x),
    "tanh, sqrt": lambda x, y: tanh(x) / sqrt(y) + y,
    "one number many times": lambda x, y: x * x * x / (x + x * y),
    "total": lambda x, y: total([x, y, x * y]) * total([y, x]),
    "without y": lambda x, y: exp(x),
}


def derivatives(formula, *values):
    tape = []
    inputs = [Number(tape, value) for value in values]
    result = formula(*inputs)
    backward(result)
    return result.value, [number.gradient for number in inputs]


@pytest.mark.parametrize("name", FORMULAS)
def test_derivatives_are_the_central_differences(name):
    formula, h = FORMULAS[name], 1e-5
    for x, y in [(0.7, 1.3), (-0.4, 2.1), (1.9, 0.6)]:
        value, (by_x, by_y) = derivatives(formula, x, y)
        assert value == pytest.approx(formula(x, y), rel=1e-15)  # the same functions take floats
        assert by_x == pytest.approx((formula(x + h, y) - formula(x - h, y)) / (2 * h), rel=1e-8)
        assert by_y == pytest.approx((formula(x, y + h) - formula(x, y - h)) / (2 * h), rel=1e-8)


def test_gelu_written_two_ways_has_one_derivative():
    """½·x·(1 + tanh z) and x·σ(2z)."""

    def z(x):
        return math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)

    for x in (-3.0, -0.752, 0.0, 0.1, 2.0):
        by_tanh = derivatives(lambda n: 0.5 * n * (1 + tanh(z(n))), x)
        by_sigmoid = derivatives(lambda n: n / (1 + exp(-2 * z(n))), x)
        assert by_tanh[0] == pytest.approx(by_sigmoid[0], abs=1e-15)
        assert by_tanh[1] == pytest.approx(by_sigmoid[1], abs=1e-15)


def test_what_was_made_later_or_is_not_used_gets_no_gradient():
    tape = []
    x, unused = Number(tape, 2.0), Number(tape, 3.0)
    result = x * x
    later = result * unused
    backward(result)
    assert (x.gradient, unused.gradient, later.gradient) == (4.0, 0.0, 0.0)


def test_a_hundred_thousand_operations_deep():
    def deep(x):
        for _ in range(100_000):
            x = x + 1.0
        return x * 2.0

    assert derivatives(deep, 0.5) == (200_001.0, [2.0])
