"""Layers: functions from one vector per position to one vector per position."""

import math
from operator import mul

from .activations import gelu


def embedding(ids: "T < V", E: "V D") -> "T D":
    """Look up one row of the table E for each id.

    A negative id is refused: Python would silently count from the end.

    >>> embedding([2, 0, 2], [[1, 1], [2, 2], [3, 4]])
    [[3, 4], [1, 1], [3, 4]]
    """
    assert min(ids) >= 0, "an id counts the rows of E from 0"
    return [list(E[i]) for i in ids]


def linear(X: "T n", W: "m n", b: "m" = None) -> "T m":
    """X·Wᵀ + b: every output is the dot product of a row of X with a row of W, plus a bias.

    W has one row per output.
    Source: the convention of PyTorch's nn.Linear; papers write x·W with W [n][m].

    >>> linear([[1, 2]], [[10, 0], [0, 10], [1, 1]], [0, 0, 100])
    [[10.0, 20.0, 103.0]]
    """
    assert len({len(row) for row in [*X, *W]}) == 1, "the rows of X and of W must be equally long"
    product = [[sum(map(mul, x, w), 0.0) for w in W] for x in X]
    return product if b is None else [[y + b_o for y, b_o in zip(row, b, strict=True)] for row in product]


def layer_norm(X: "T D", gamma: "D", beta: "D", eps: "float >= 0" = 1e-5) -> "T D":
    """Shift and scale each row to mean 0 and (but for eps) variance 1, then stretch by gamma and shift by
    beta.

    The variance divides by D, and eps keeps a constant row from dividing by zero.
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
        size = math.sqrt(variance + eps)
        result.append([g * (x - mean) / size + b for x, g, b in zip(row, gamma, beta, strict=True)])
    return result


def rms_norm(X: "T D", gamma: "D", eps: "float >= 0" = 1e-5) -> "T D":
    """Scale each row to a mean square of (but for eps) 1, then stretch by gamma: layer_norm without mean
    and shift.

    eps keeps a row of zeros from dividing by zero.
    Source: Zhang and Sennrich 2019, section 4.

    >>> rms_norm([[1, 7]], [1, 10], eps=0)
    [[0.2, 14.0]]
    """
    result = []
    for row in X:
        size = math.sqrt(sum((x**2 for x in row), 0.0) / len(row) + eps)
        result.append([g * x / size for x, g in zip(row, gamma, strict=True)])
    return result


def feed_forward(
    X: "T D", W_1: "F D", b_1: "F or None", W_2: "m F", b_2: "m or None", activation: "float -> float" = gelu
) -> "T m":
    """Widen each row, bend every number, narrow again: linear, activation, linear.

    A bias may be None.
    Source: Vaswani et al. 2017, section 3.3, there with ReLU; GPT-2 with GELU.

    >>> feed_forward([[3]], [[1], [-1]], [0, 0], [[10, 100]], [5], activation=lambda h: max(h, 0))
    [[35.0]]
    """
    hidden = linear(X, W_1, b_1)  # [T][D] -> [T][F]
    activated = [[activation(h) for h in row] for row in hidden]
    return linear(activated, W_2, b_2)  # [T][F] -> [T][m]
