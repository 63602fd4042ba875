"""Layers: functions from one vector per position to one vector per position."""

import math
from operator import mul

from .activations import gelu
from .matrices import shape


def embedding(ids, E):
    """Look up one row of the table E for each id.

    Shapes: ids [T], E [V][D], result [T][D]. ValueError for an id that is no row of E
    (a negative one too: Python would silently count from the end).

    >>> embedding([2, 0, 2], [[1, 1], [2, 2], [3, 4]])
    [[3, 4], [1, 1], [3, 4]]
    """
    (T,), (V, D) = shape(ids, "ids", 1), shape(E, "E", 2)
    for t, i in enumerate(ids):
        if not isinstance(i, int) or not 0 <= i < V:
            raise ValueError(f"ids[{t}] is {i!r}; E is [{V}][{D}], so an id is a whole number from 0 to {V - 1}")
    return [list(E[i]) for i in ids]


def linear(X, W, b=None):
    """X·Wᵀ + b: every output is the dot product of a row of X with a row of W, plus a bias.

    Shapes: X [T][n], W [m][n] (one row per output), b [m] or None, result [T][m].
    ValueError when the rows of X and W differ in length, or b does not have one entry per row of W.
    Source: the convention of PyTorch's nn.Linear; papers write x·W with W [n][m].

    >>> linear([[1, 2]], [[10, 0], [0, 10], [1, 1]], [0, 0, 100])
    [[10.0, 20.0, 103.0]]
    """
    (T, n), (m, k) = shape(X, "X", 2), shape(W, "W", 2)
    if n != k:
        raise ValueError(f"linear: X is [{T}][{n}] and W is [{m}][{k}]; the rows of X and W must be equally long")
    if b is None:
        return [[sum(map(mul, x, w), 0.0) for w in W] for x in X]
    if shape(b, "b", 1) != (m,):
        raise ValueError(f"linear: W is [{m}][{k}] and b is [{len(b)}]; b needs one entry per row of W")
    return [[sum(map(mul, x, w), 0.0) + b_i for w, b_i in zip(W, b, strict=True)] for x in X]


def layer_norm(X, gamma, beta, eps=1e-5):
    """Shift and scale each row to mean 0 and variance 1, then stretch by gamma and shift by beta.

    Shapes: X [T][D], gamma [D], beta [D], result [T][D]. The variance divides by D, and eps keeps
    a constant row from dividing by zero. ValueError when gamma or beta is not as long as a row,
    when eps is no number of at least 0, and for a constant row when eps is 0.
    Source: Ba, Kiros and Hinton 2016, section 3.

    >>> layer_norm([[1, 3]], [1, 1], [0, 10], eps=0)
    [[-1.0, 11.0]]
    >>> layer_norm([[5, 5]], [1, 1], [0, 10])
    [[0.0, 10.0]]
    """
    T, D = shape(X, "X", 2)
    if not shape(gamma, "gamma", 1) == shape(beta, "beta", 1) == (D,):
        raise ValueError(
            f"layer_norm: X is [{T}][{D}], gamma is [{len(gamma)}], beta is [{len(beta)}]; "
            "both need one entry per column of X"
        )
    if not isinstance(eps, (int, float)) or not eps >= 0:
        raise ValueError(f"layer_norm: eps is {eps!r:.60}; give a number of at least 0")
    result = []
    for t, row in enumerate(X):
        mean = sum(row, 0.0) / D
        variance = sum(((x - mean) ** 2 for x in row), 0.0) / D
        if variance + eps == 0:
            raise ValueError(f"layer_norm: row {t} of X is constant and eps is 0; give an eps above 0")
        size = math.sqrt(variance + eps)
        result.append([g * (x - mean) / size + b for x, g, b in zip(row, gamma, beta, strict=True)])
    return result


def rms_norm(X, gamma, eps=1e-5):
    """Scale each row to a mean square of 1, then stretch by gamma: layer_norm without the mean and the shift.

    Shapes: X [T][D], gamma [D], result [T][D]. eps keeps a row of zeros from dividing by zero. ValueError when
    gamma is not as long as a row, when eps is no number of at least 0, and for a row of zeros when eps is 0.
    Source: Zhang and Sennrich 2019, section 4.

    >>> rms_norm([[1, 7]], [1, 10], eps=0)
    [[0.2, 14.0]]
    """
    T, D = shape(X, "X", 2)
    if shape(gamma, "gamma", 1) != (D,):
        raise ValueError(
            f"rms_norm: X is [{T}][{D}] and gamma is [{len(gamma)}]; gamma needs one entry per column of X"
        )
    if not isinstance(eps, (int, float)) or not eps >= 0:
        raise ValueError(f"rms_norm: eps is {eps!r:.60}; give a number of at least 0")
    result = []
    for t, row in enumerate(X):
        size = math.sqrt(sum(map(mul, row, row), 0.0) / D + eps)
        if size == 0:
            raise ValueError(f"rms_norm: row {t} of X is all 0 and eps is 0; give an eps above 0")
        result.append([g * x / size for x, g in zip(row, gamma, strict=True)])
    return result


def feed_forward(X, W_1, b_1, W_2, b_2, activation=gelu):
    """Widen each row, bend every number, narrow again: linear, activation, linear.

    Shapes: X [T][D], W_1 [F][D], b_1 [F], W_2 [m][F], b_2 [m], result [T][m]; a bias may be None.
    activation goes from one number to one number. ValueError when shapes do not fit, TypeError when
    activation is no function.
    Source: Vaswani et al. 2017, section 3.3, there with ReLU; GPT-2 with GELU.

    >>> feed_forward([[3]], [[1], [-1]], [0, 0], [[10, 100]], [5], activation=lambda h: max(h, 0))
    [[35.0]]
    """
    (F, D), (m, k) = shape(W_1, "W_1", 2), shape(W_2, "W_2", 2)
    if F != k:
        raise ValueError(f"feed_forward: W_1 is [{F}][{D}] and W_2 is [{m}][{k}]; W_2 needs {F} columns")
    if not callable(activation):
        raise TypeError(f"feed_forward: activation is {activation!r:.60}; give a function of one number")
    hidden = linear(X, W_1, b_1)  # [T][D] -> [T][F]
    activated = [[activation(h) for h in row] for row in hidden]
    return linear(activated, W_2, b_2)  # [T][F] -> [T][m]
