"""Lessons 12 and 12c: automatic differentiation, number by number. Lesson 12 shows this class."""

import math


class Value:
    """A number in a computation graph; inputs are pairs (value, local derivative)."""

    def __init__(self, data, *inputs):
        self.data, self.inputs, self.gradient = data, inputs, 0.0

    def __repr__(self):
        return f"Value({self.data:.4f}, gradient {self.gradient:.4f})"

    def __add__(self, other):
        other = as_value(other)
        return Value(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = as_value(other)
        return Value(self.data * other.data, (self, other.data), (other, self.data))

    def __pow__(self, n):  # n is a plain number; for n = 0 the result is 1
        return Value(self.data**n, (self, n * self.data ** (n - 1) if n else 0.0))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -as_value(other)

    def __rsub__(self, other):
        return as_value(other) - self

    def __truediv__(self, other):
        return self * as_value(other) ** -1.0

    def __rtruediv__(self, other):
        return as_value(other) / self

    def __gt__(self, other):
        return self.data > as_value(other).data

    def __ge__(self, other):
        return self.data >= as_value(other).data

    def __lt__(self, other):
        return self.data < as_value(other).data

    __radd__, __rmul__ = __add__, __mul__  # the order of the two does not matter


def as_value(x):
    return x if isinstance(x, Value) else Value(x)


def exp(x):
    e = math.exp(x.data)
    return Value(e, (x, e))


def log(x):
    return Value(math.log(x.data), (x, 1 / x.data))


def tanh(x):
    t = math.tanh(x.data)
    return Value(t, (x, 1 - t * t))


def walk(order):
    """The backward pass: each value of the order passes its gradient on to its inputs."""
    order[0].gradient = 1.0
    for value in order:
        for x, derivative in value.inputs:
            x.gradient += derivative * value.gradient


def topological_order(result):
    """All values on which a result depends, each after all of its users."""
    order, seen = [], set()

    def visit(value):
        if value not in seen:
            seen.add(value)
            for x, _ in value.inputs:
                visit(x)
            order.append(value)

    visit(result)
    return order[::-1]


def backward(result):
    walk(topological_order(result))
