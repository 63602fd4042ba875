"""Activation functions, from one number to one number, and the slope of each."""

import math


def relu(x: "float") -> "float":
    """The number itself where it is positive, else 0.

    Source: Nair and Hinton 2010, section 2.

    >>> relu(3), relu(-2)
    (3, 0.0)
    """
    return 0.0 if x <= 0 else x


def relu_derivative(x: "float") -> "float":
    """The slope of relu: 1 where x is positive, else 0 (at 0 itself, by convention).

    Source: differentiated by hand.

    >>> relu_derivative(3), relu_derivative(-2)
    (1.0, 0.0)
    """
    return 0.0 if x <= 0 else 1.0


def gelu(x: "float") -> "float":
    """The smooth switch x·Φ(x), in its tanh form: about x for large x, about 0 for very negative x.

    Source: Hendrycks and Gimpel 2016, section 2; GPT-2.

    >>> gelu(0)
    0.0
    >>> gelu(10) == 10 and abs(gelu(-10)) < 1e-12
    True
    """
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def gelu_derivative(x: "float > -1e150 < 1e150") -> "float":
    """The slope of gelu, its tanh form.

    Source: differentiated by hand; lesson 05 derives it.

    >>> gelu_derivative(0)
    0.5
    >>> gelu_derivative(10), abs(gelu_derivative(-10)) < 1e-12
    (1.0, True)
    """
    c = math.sqrt(2 / math.pi)
    t = math.tanh(c * (x + 0.044715 * x * x * x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)


def gelu_exact(x: "float") -> "float":
    """The smooth switch x·Φ(x), where Φ(x) is the chance that a standard normal draw is below x.

    Source: Hendrycks and Gimpel 2016, section 2; BERT.

    >>> gelu_exact(0)
    0.0
    >>> gelu_exact(10) == 10 and abs(gelu_exact(-10)) < 1e-12
    True
    """
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def gelu_exact_derivative(x: "float") -> "float":
    """The slope of gelu_exact: Φ(x) + x·φ(x), where φ is the bell curve, the slope of Φ.

    Source: differentiated by hand; lesson 05 derives it.

    >>> gelu_exact_derivative(0)
    0.5
    >>> gelu_exact_derivative(10), abs(gelu_exact_derivative(-10)) < 1e-12
    (1.0, True)
    """
    bell = math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + math.erf(x / math.sqrt(2))) + x * bell


def quick_gelu(x: "float") -> "float":
    """The smooth switch in its sigmoid form x·σ(1.702·x), where σ(z) is 1 / (1 + exp(−z)).

    The sigmoid is written with tanh, to which it is equal, so that no exponential overflows.
    Source: Hendrycks and Gimpel 2016, section 2.

    >>> quick_gelu(0)
    0.0
    >>> quick_gelu(30) == 30 and abs(quick_gelu(-30)) < 1e-12
    True
    """
    return x * 0.5 * (1 + math.tanh(0.851 * x))


def quick_gelu_derivative(x: "float") -> "float":
    """The slope of quick_gelu.

    Source: differentiated by hand; lesson 05 derives it.

    >>> quick_gelu_derivative(0)
    0.5
    >>> quick_gelu_derivative(30), abs(quick_gelu_derivative(-30)) < 1e-12
    (1.0, True)
    """
    s = 0.5 * (1 + math.tanh(0.851 * x))
    return s + 1.702 * x * s * (1 - s)
