"""Layers: functions from one vector per position to one vector per position."""

import math
from operator import mul

from .activations import gelu
from .contracts import shapes


@shapes(E="V D", ids="T < V")
def embedding(ids, E):
    """Look up one row of the table E for each id.

    Shapes: ids [T], E [V][D], result [T][D]. ValueError for an id that is no row of E
    (a negative one too: Python would silently count from the end).

    >>> embedding([2, 0, 2], [[1, 1], [2, 2], [3, 4]])
    [[3, 4], [1, 1], [3, 4]]
    """
    assert min(ids) >= 0, "an id counts the rows of E from 0"
    return [list(E[i]) for i in ids]


@shapes(arithmetic=True, X="T n", W="m n", b="m")
def linear(X, W, b=None):
    """X·Wᵀ + b: every output is the dot product of a row of X with a row of W, plus a bias.

    Shapes: X [T][n], W [m][n] (one row per output), b [m] or None, result [T][m].
    ValueError when the rows of X and W differ in length, or b does not have one entry per row of W.
    Source: the convention of PyTorch's nn.Linear; papers write x·W with W [n][m].

    >>> linear([[1, 2]], [[10, 0], [0, 10], [1, 1]], [0, 0, 100])
    [[10.0, 20.0, 103.0]]
    """
    assert len({len(row) for row in [*X, *W]}) == 1, "the rows of X and of W must be equally long"
    product = [[sum(map(mul, x, w), 0.0) for w in W] for x in X]
    return product if b is None else [[y + b_o for y, b_o in zip(row, b, strict=True)] for row in product]


@shapes(arithmetic=True, X="T D", gamma="D", beta="D", eps="number >= 0")
def layer_norm(X, gamma, beta, eps=1e-5):
    """Shift and scale each row to mean 0 and (but for eps) variance 1, then stretch by gamma and shift by beta.

    Shapes: X [T][D], gamma [D], beta [D], result [T][D]. The variance divides by D, and eps keeps
    a constant row from dividing by zero. ValueError when gamma or beta is not as long as a row,
    when eps is below 0, and for a constant row when eps is 0.
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


@shapes(arithmetic=True, X="T D", gamma="D", eps="number >= 0")
def rms_norm(X, gamma, eps=1e-5):
    """Scale each row to a mean square of (but for eps) 1, then stretch by gamma: layer_norm without mean and shift.

    Shapes: X [T][D], gamma [D], result [T][D]. eps keeps a row of zeros from dividing by zero. ValueError when
    gamma is not as long as a row, when eps is below 0, and for a row of zeros when eps is 0.
    Source: Zhang and Sennrich 2019, section 4.

    >>> rms_norm([[1, 7]], [1, 10], eps=0)
    [[0.2, 14.0]]
    """
    result = []
    for row in X:
        size = math.sqrt(sum((x**2 for x in row), 0.0) / len(row) + eps)
        result.append([g * x / size for x, g in zip(row, gamma, strict=True)])
    return result


@shapes(arithmetic=True, X="T D", W_1="F D", b_1="F or None", W_2="m F", b_2="m or None", activation="function to number")
def feed_forward(X, W_1, b_1, W_2, b_2, activation=gelu):
    """Widen each row, bend every number, narrow again: linear, activation, linear.

    Shapes: X [T][D], W_1 [F][D], b_1 [F], W_2 [m][F], b_2 [m], result [T][m]; a bias may be None.
    activation goes from one number to one number. ValueError when shapes do not fit, TypeError when
    activation is no function.
    Source: Vaswani et al. 2017, section 3.3, there with ReLU; GPT-2 with GELU.

    >>> feed_forward([[3]], [[1], [-1]], [0, 0], [[10, 100]], [5], activation=lambda h: max(h, 0))
    [[35.0]]
    """
    hidden = linear(X, W_1, b_1)  # [T][D] -> [T][F]
    activated = [[activation(h) for h in row] for row in hidden]
    return linear(activated, W_2, b_2)  # [T][F] -> [T][m]
