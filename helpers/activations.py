"""Activation functions and their derivatives, from one number to one number."""

import math


def relu(x: "float") -> "float":
    """Rectified linear unit: x where x is positive, else 0.

    Source: Nair and Hinton 2010, section 2.

    >>> relu(3), relu(-2)
    (3, 0.0)
    """
    return 0.0 if x <= 0 else x


def relu_derivative(x: "float") -> "float":
    """The derivative of relu: 1 where x is positive, else 0.

    relu has no derivative at 0; 0 is the usual convention there.

    >>> relu_derivative(3), relu_derivative(-2)
    (1.0, 0.0)
    """
    return 0.0 if x <= 0 else 1.0


def gelu(x: "float") -> "float":
    """Gaussian error linear unit x·Φ(x), in the tanh approximation that GPT-2 uses.

    Φ is the cumulative distribution function of the standard normal distribution.
    Source: Hendrycks and Gimpel 2016, section 2.

    >>> gelu(0)
    0.0
    >>> gelu(10) == 10 and abs(gelu(-10)) < 1e-12
    True
    """
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def gelu_derivative(x: "float > -1e150 < 1e150") -> "float":
    """The derivative of gelu, by the product rule and the chain rule.

    x**3 overflows outside ±1e150. Source: lesson 09b derives the formula.

    >>> gelu_derivative(0)
    0.5
    >>> gelu_derivative(10), abs(gelu_derivative(-10)) < 1e-12
    (1.0, True)
    """
    c = math.sqrt(2 / math.pi)
    t = math.tanh(c * (x + 0.044715 * x * x * x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)


def gelu_exact(x: "float") -> "float":
    """Gaussian error linear unit x·Φ(x), with Φ computed by the error function, as in BERT.

    Source: Hendrycks and Gimpel 2016, section 2.

    >>> gelu_exact(0)
    0.0
    >>> gelu_exact(10) == 10 and abs(gelu_exact(-10)) < 1e-12
    True
    """
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def gelu_exact_derivative(x: "float") -> "float":
    """The derivative of gelu_exact: Φ(x) + x·φ(x), where φ is the standard normal density.

    Source: derived by the product rule and the chain rule.

    >>> gelu_exact_derivative(0)
    0.5
    >>> gelu_exact_derivative(10), abs(gelu_exact_derivative(-10)) < 1e-12
    (1.0, True)
    """
    density = math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + math.erf(x / math.sqrt(2))) + x * density


def quick_gelu(x: "float") -> "float":
    """Sigmoid approximation of GELU: x·σ(1.702·x), where σ(z) = 1 / (1 + exp(−z)).

    It is computed with σ(z) = (1 + tanh(z / 2)) / 2, which does not overflow.
    Source: Hendrycks and Gimpel 2016, section 2; the name is Hugging Face's.

    >>> quick_gelu(0)
    0.0
    >>> quick_gelu(30) == 30 and abs(quick_gelu(-30)) < 1e-12
    True
    """
    return x * 0.5 * (1 + math.tanh(0.851 * x))


def quick_gelu_derivative(x: "float") -> "float":
    """The derivative of quick_gelu: s + 1.702·x·s·(1 − s), where s = σ(1.702·x).

    Source: derived by the product rule and the chain rule.

    >>> quick_gelu_derivative(0)
    0.5
    >>> quick_gelu_derivative(30), abs(quick_gelu_derivative(-30)) < 1e-12
    (1.0, True)
    """
    s = 0.5 * (1 + math.tanh(0.851 * x))
    return s + 1.702 * x * s * (1 - s)


def silu(x: "float") -> "float":
    """Sigmoid linear unit x·σ(x), also called swish, where σ(z) = 1 / (1 + exp(−z)).

    It is computed with σ(z) = (1 + tanh(z / 2)) / 2, which does not overflow.
    Source: Hendrycks and Gimpel 2016, section 4.

    >>> silu(0)
    0.0
    >>> silu(50) == 50 and abs(silu(-50)) < 1e-12
    True
    """
    return x * 0.5 * (1 + math.tanh(0.5 * x))


def silu_derivative(x: "float") -> "float":
    """The derivative of silu: s + x·s·(1 − s), where s = σ(x).

    Source: derived by the product rule and the chain rule.

    >>> silu_derivative(0)
    0.5
    >>> silu_derivative(50), abs(silu_derivative(-50)) < 1e-12
    (1.0, True)
    """
    s = 0.5 * (1 + math.tanh(0.5 * x))
    return s + x * s * (1 - s)
