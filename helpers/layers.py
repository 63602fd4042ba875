"""Layers: functions from one vector per position to one vector per position."""

import math
from operator import mul

from .activations import gelu, silu


def embedding(ids: "T < V", E: "V D") -> "T D":
    """Look up one row of the embedding table E for each id.

    >>> embedding([2, 0, 2], [[1, 1], [2, 2], [3, 4]])
    [[3, 4], [1, 1], [3, 4]]
    """
    assert min(ids) >= 0, "ids must be >= 0"
    return [list(E[i]) for i in ids]


def linear(X: "T n", W: "m n", b: "m" = None) -> "T m":
    """A linear layer: X·Wᵀ + b.

    W has one row per output, as in PyTorch's nn.Linear. Papers often write X·W, with one column per output.

    >>> linear([[1, 2]], [[10, 0], [0, 10], [1, 1]], [0, 0, 100])
    [[10.0, 20.0, 103.0]]
    """
    assert len({len(row) for row in [*X, *W]}) == 1, "the rows of X and of W must be equally long"
    product = [[sum(map(mul, x, w), 0.0) for w in W] for x in X]
    return product if b is None else [[y + b_o for y, b_o in zip(row, b, strict=True)] for row in product]


def layer_norm(X: "T D", gamma: "D", beta: "D", eps: "float >= 0" = 1e-5) -> "T D":
    """Normalize each row to mean 0 and variance 1, then scale by gamma and shift by beta.

    The variance divides by D, not by D − 1. eps is added to it, so that a constant row does not divide by 0.
    Source: Ba, Kiros and Hinton 2016, section 3.

    >>> layer_norm([[1, 3]], [1, 1], [0, 10], eps=0)
    [[-1.0, 11.0]]
    >>> layer_norm([[5, 5]], [1, 1], [0, 10])
    [[0.0, 10.0]]
    """
    result = []
    for row in X:
        mean = sum(row, 0.0) / len(row)
        variance = sum(((x - mean) ** 2 for x in row), 0.0) / len(row)
        std = math.sqrt(variance + eps)
        result.append([g * (x - mean) / std + b for x, g, b in zip(row, gamma, beta, strict=True)])
    return result


def rms_norm(X: "T D", gamma: "D", eps: "float >= 0" = 1e-5) -> "T D":
    """Divide each row by its root mean square, then scale by gamma: no mean is subtracted, no shift added.

    eps is added to the mean square, so that a row of zeros does not divide by 0.
    Source: Zhang and Sennrich 2019, section 4.

    >>> rms_norm([[1, 7]], [1, 10], eps=0)
    [[0.2, 14.0]]
    """
    result = []
    for row in X:
        rms = math.sqrt(sum((x**2 for x in row), 0.0) / len(row) + eps)
        result.append([g * x / rms for x, g in zip(row, gamma, strict=True)])
    return result


def feed_forward(
    X: "T D", W_1: "F D", b_1: "F or None", W_2: "m F", b_2: "m or None", activation: "float -> float" = gelu
) -> "T m":
    """The position-wise feed-forward network (MLP): linear, activation function, linear.

    Source: Vaswani et al. 2017, section 3.3, there with ReLU; GPT-2 with GELU.

    >>> feed_forward([[3]], [[1], [-1]], [0, 0], [[10, 100]], [5], activation=lambda h: max(h, 0))
    [[35.0]]
    """
    hidden = linear(X, W_1, b_1)  # [T][D] -> [T][F]
    activated = [[activation(h) for h in row] for row in hidden]
    return linear(activated, W_2, b_2)  # [T][F] -> [T][m]


def swiglu(X: "T D", W_gate: "F D", W_up: "F D", W_down: "m F") -> "T m":
    """A feed-forward network with a gate: silu of one linear layer times another, projected back.

    Source: Shazeer 2020, section 2; the names of the matrices are llama.cpp's.

    >>> swiglu([[1, 2]], [[0, 50]], [[3, 0]], [[1], [10]])
    [[300.0, 3000.0]]
    """
    gates = [[silu(g) for g in row] for row in linear(X, W_gate)]  # [T][D] -> [T][F]
    hidden = [
        [g * u for g, u in zip(*rows, strict=True)] for rows in zip(gates, linear(X, W_up), strict=True)
    ]
    return linear(hidden, W_down)  # [T][F] -> [T][m]
