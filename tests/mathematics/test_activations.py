"""Activation functions and their derivatives: in forty digits, by their laws, by known numbers."""

import math
from decimal import Decimal, localcontext

import pytest
from published import published_feed_forward

from helpers.activations import (
    gelu,
    gelu_derivative,
    gelu_exact,
    gelu_exact_derivative,
    quick_gelu,
    quick_gelu_derivative,
    relu,
    relu_derivative,
    silu,
    silu_derivative,
)

PUBLISHED = published_feed_forward()
INF = math.inf

SMOOTH = {
    gelu: gelu_derivative,
    gelu_exact: gelu_exact_derivative,
    quick_gelu: quick_gelu_derivative,
    silu: silu_derivative,
}
DERIVATIVE_OF = {relu: relu_derivative, **SMOOTH}


def of_each(functions):
    return pytest.mark.parametrize("f", functions, ids=lambda function: function.__name__)


# --- forty digits: the formulas in decimals, where rounding does not reach

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
DIGITS = 60  # to work with; about forty are left where large terms cancel


def erf_in_digits(z):
    """Its power series, 2/√π · (z - z³/3 + z⁵/10 - z⁷/42 + ...), as far as a term can be seen."""
    term, n, total = z, 0, Decimal(0)
    while abs(term) > Decimal(10) ** -DIGITS:
        total += term / (2 * n + 1)
        n += 1
        term *= -z * z / n
    return 2 / PI.sqrt() * total


def exact_in_digits(x):
    return x * (1 + erf_in_digits(x / Decimal(2).sqrt())) / 2


def tanh_in_digits(x):
    """(1 + tanh z) / 2 written as the sigmoid of 2z."""
    z = (2 / PI).sqrt() * (x + Decimal("0.044715") * x**3)
    return x / (1 + (-2 * z).exp())


def quick_in_digits(x):
    return x / (1 + (Decimal("-1.702") * x).exp())


def silu_in_digits(x):
    return x / (1 + (-x).exp())


IN_DIGITS = {
    gelu: tanh_in_digits,
    gelu_exact: exact_in_digits,
    quick_gelu: quick_in_digits,
    silu: silu_in_digits,
}
POINTS = [-6, -4, -2.7, -2, -1.5, -0.752, -0.5, -0.1, -1e-9, 0, 1e-9, 0.12, 0.43, 1, 1.5, 2.27, 2.7, 4, 6]


@of_each(SMOOTH)
def test_a_function_and_its_derivative_are_the_formula_in_forty_digits(f):
    """The derivative by a central difference with so small a step that thirty digits of it are right."""
    formula, step = IN_DIGITS[f], Decimal(10) ** -18
    with localcontext() as context:
        context.prec = DIGITS
        for x in POINTS:
            value = formula(Decimal(x))
            slope = (formula(Decimal(x) + step) - formula(Decimal(x) - step)) / (2 * step)
            assert math.isclose(f(x), float(value), rel_tol=1e-13, abs_tol=1e-14), x
            assert math.isclose(SMOOTH[f](x), float(slope), rel_tol=1e-13, abs_tol=1e-14), x


# --- known numbers


def test_gelu_prints_the_published_table():
    for x, relu_of_x, value in PUBLISHED["gelu_table_x_relu_gelu_tanh"]:
        assert round(gelu(x), 4) == value
        assert relu(x) == relu_of_x


def test_relu_and_its_derivative_by_hand():
    for x in 3, 7.5, 1e-300, 1e300, INF:
        assert relu(x) == x and relu(-x) == 0
        assert relu_derivative(x) == 1 and relu_derivative(-x) == 0
    assert relu(0) == relu_derivative(0) == relu_derivative(-0.0) == 0
    assert str(relu(-0.0)) == str(relu(-1.0)) == "0.0"  # never -0.0, which would print with a minus sign


# --- laws


@of_each(DERIVATIVE_OF)
def test_far_to_the_right_f_is_x_and_far_to_the_left_0(f):
    for x in 50, 1e3, 1e9, 1e50, 1e100:
        assert f(x) == x and abs(f(-x)) < 1e-19
        assert DERIVATIVE_OF[f](x) == 1 and abs(DERIVATIVE_OF[f](-x)) < 1e-19
    for x in 1e155, 1e200, 1.7e308:  # nothing overflows
        assert f(x) == x and f(-x) == 0
    assert f(INF) == INF
