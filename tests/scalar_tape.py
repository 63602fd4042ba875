"""Numbers that note how they were computed, so that the derivatives of a result can be found backwards.

The tests' own automatic differentiation: one object per number, every operation noted on a tape in the
order in which it happened. It knows nothing of the helpers, and nothing of matrices. The functions take
floats too.
"""

import math
from functools import reduce
from operator import add


class Number:
    """A value, the numbers that it was computed from, and its derivative with respect to each of them."""

    __slots__ = ("tape", "value", "inputs", "gradient")

    def __init__(self, tape, value, inputs=()):
        self.tape, self.value, self.inputs, self.gradient = tape, value, inputs, 0.0
        tape.append(self)

    def __add__(self, other):
        if isinstance(other, Number):
            return Number(self.tape, self.value + other.value, ((self, 1.0), (other, 1.0)))
        return Number(self.tape, self.value + other, ((self, 1.0),))

    def __sub__(self, other):
        if isinstance(other, Number):
            return Number(self.tape, self.value - other.value, ((self, 1.0), (other, -1.0)))
        return Number(self.tape, self.value - other, ((self, 1.0),))

    def __mul__(self, other):
        if isinstance(other, Number):
            return Number(self.tape, self.value * other.value, ((self, other.value), (other, self.value)))
        return Number(self.tape, self.value * other, ((self, other),))

    def __truediv__(self, other):
        if isinstance(other, Number):
            share = self.value / other.value
            return Number(self.tape, share, ((self, 1 / other.value), (other, -share / other.value)))
        return Number(self.tape, self.value / other, ((self, 1 / other),))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return Number(self.tape, other - self.value, ((self, -1.0),))

    def __rtruediv__(self, other):
        share = other / self.value
        return Number(self.tape, share, ((self, -share / self.value),))


def exp(x):
    if not isinstance(x, Number):
        return math.exp(x)
    result = math.exp(x.value)
    return Number(x.tape, result, ((x, result),))


def log(x):
    if not isinstance(x, Number):
        return math.log(x)
    return Number(x.tape, math.log(x.value), ((x, 1 / x.value),))


def sqrt(x):
    if not isinstance(x, Number):
        return math.sqrt(x)
    result = math.sqrt(x.value)
    return Number(x.tape, result, ((x, 0.5 / result),))


def total(terms):
    """The sum of a list: of floats rounded once, of numbers rounded at every addition."""
    return reduce(add, terms) if isinstance(terms[0], Number) else math.fsum(terms)


def backward(result):
    """Give every number on the tape its gradient; the tape is unwound, and empty afterwards."""
    result.gradient, tape = 1.0, result.tape
    while tape:
        number = tape.pop()
        gradient = number.gradient
        for each, derivative in number.inputs:
            each.gradient += derivative * gradient
