"""Attention: each position takes a weighted average of the positions it may see."""

import math
from operator import mul

from .layers import linear
from .matrices import shape


def softmax(scores):
    """Turn scores into positive weights that add up to 1, keeping their order.

    Shapes: scores [n], result [n]. The largest score is subtracted first, so nothing overflows.
    ValueError when every score is -inf (a fully masked row: there is nothing to choose from),
    and for a score of nan or inf.
    Source: Bridle 1990; the shift by the maximum is folklore.

    >>> softmax([5, 5])
    [0.5, 0.5]
    >>> softmax([1000, -math.inf])
    [1.0, 0.0]
    """
    shape(scores, "scores", 1)
    largest = max(scores)
    if largest == -math.inf:
        raise ValueError("softmax: every score is -inf; leave at least one entry unmasked")
    exponentials = [math.exp(s - largest) for s in scores]
    total = sum(exponentials, 0.0)
    if math.isnan(total):
        raise ValueError("softmax: scores hold nan or inf; a score is finite, or -inf where it is masked")
    return [e / total for e in exponentials]


def causal_mask(T):
    """What is added to the scores so that no position sees a later one: 0 on and below the diagonal, -inf above.

    Shapes: result [T][T]. ValueError when T is not a whole number above 0.
    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3)
    [[0.0, -inf, -inf], [0.0, 0.0, -inf], [0.0, 0.0, 0.0]]
    """
    if not isinstance(T, int) or T < 1:
        raise ValueError(f"causal_mask: T is {T!r}; give the number of positions, at least 1")
    return [[0.0 if j <= i else -math.inf for j in range(T)] for i in range(T)]


def attention_scores(Q, K, mask=None):
    """How well each query fits each key: Q·Kᵀ / sqrt(k), plus the mask.

    Shapes: Q [T][k], K [S][k], mask [T][S] or None, result [T][S]. ValueError when they do not fit.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention_scores([[1, 1, 1, 1]], [[2, 2, 2, 2], [0, 0, 0, 1]])
    [[4.0, 0.5]]
    """
    (T, k), (S, n) = shape(Q, "Q", 2), shape(K, "K", 2)
    if k != n:
        raise ValueError(f"attention: Q is [{T}][{k}] and K is [{S}][{n}]; their rows must be equally long")
    root = math.sqrt(k)
    scores = [[sum(map(mul, q, key), 0.0) / root for key in K] for q in Q]  # [T][S]
    if mask is None:
        return scores
    if shape(mask, "mask", 2) != (T, S):
        raise ValueError(f"attention: the scores are [{T}][{S}] and mask is {shape(mask)}; make them equal")
    return [[s + m for s, m in zip(*rows, strict=True)] for rows in zip(scores, mask, strict=True)]


def attention(Q, K, V, mask=None):
    """Each row of Q scores the rows of K; its softmax weights average the rows of V.

    Shapes: Q [T][k], K [S][k], V [S][v], mask [T][S] or None, result [T][v].
    ValueError when shapes do not fit, or when the mask leaves a row nothing to see.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention([[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]])
    [[15.0, 1.0]]
    """
    weights = [softmax(row) for row in attention_scores(Q, K, mask)]
    if shape(V, "V", 2)[0] != len(K):
        raise ValueError(f"attention: K has {len(K)} rows and V has {len(V)}; give V one row for each row of K")
    columns = list(zip(*V, strict=True))  # matmul(weights, V), whose shapes were checked above
    return [[sum(map(mul, row, column), 0.0) for column in columns] for row in weights]  # [T][v]


def concatenate(heads):
    """Put the heads' outputs side by side: each position's rows become one long row.

    Shapes: heads [H][T][k], result [T][H·k]. ValueError when the heads differ in shape.
    Source: Vaswani et al. 2017, section 3.2.2.

    >>> concatenate([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    [[1, 2, 5, 6], [3, 4, 7, 8]]
    """
    shape(heads, "heads", 3)
    return [[x for row in rows for x in row] for rows in zip(*heads, strict=True)]


def multi_head_attention(X, W_Q, W_K, W_V, W_O, mask=None):
    """Several heads of attention on the same rows, side by side, joined by W_O.

    Shapes: X [T][D], W_Q and W_K [H][k][D], W_V [H][v][D], W_O [m][H·v], mask [T][T] or None, result [T][m].
    ValueError when shapes do not fit.
    Source: Vaswani et al. 2017, section 3.2.2.

    >>> multi_head_attention([[2.0]], [[[1.0]], [[1.0]]], [[[1.0]], [[1.0]]], [[[1.0]], [[10.0]]], [[1.0, 1.0]])
    [[22.0]]
    """
    sizes = [len(W) if isinstance(W, (list, tuple)) else 0 for W in (W_Q, W_K, W_V)]
    if 0 in sizes or len(set(sizes)) > 1:
        raise ValueError(f"multi_head_attention: W_Q, W_K, W_V hold {sizes} heads; give lists of as many matrices")
    heads = []
    try:
        for q, k, v in zip(W_Q, W_K, W_V, strict=True):
            heads.append(attention(linear(X, q), linear(X, k), linear(X, v), mask))
        return linear(concatenate(heads), W_O)  # [T][H·v] -> [T][m]
    except (TypeError, ValueError) as error:  # linear calls every matrix W: say which one it was
        named = ((W_Q, "W_Q", 3), (W_K, "W_K", 3), (W_V, "W_V", 3), (W_O, "W_O", 2))
        shapes = ", ".join(f"{name} is {shape(W, name, dimensions)}" for W, name, dimensions in named)
        raise type(error)(f"{error} ({shapes})") from None
