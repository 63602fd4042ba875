"""Attention: each position takes a weighted average of the positions it may see."""

import math

from .matrices import add, matmul, scale, shape, transpose


def softmax(scores):
    """Turn scores into positive weights that add up to 1, keeping their order.

    Shapes: scores [n], result [n]. The largest score is subtracted first, so nothing overflows.
    ValueError when every score is -inf (a fully masked row: there is nothing to choose from).
    Source: Bridle 1990; the shift by the maximum is folklore.

    >>> softmax([5, 5])
    [0.5, 0.5]
    >>> softmax([1000, -math.inf])
    [1.0, 0.0]
    """
    shape(scores, "scores", 1)
    largest = max(scores)
    if not math.isfinite(largest):
        raise ValueError(f"softmax: the largest score is {largest}; it must be finite, so leave one entry unmasked")
    exponentials = [math.exp(s - largest) for s in scores]
    total = sum(exponentials, 0.0)
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


def attention(Q, K, V, mask=None):
    """Each row of Q scores the rows of K; its softmax weights average the rows of V.

    Shapes: Q [T][k], K [S][k], V [S][v], mask [T][S] or None, result [T][v].
    ValueError when shapes do not fit, or when the mask leaves a row nothing to see.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention([[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]])
    [[15.0, 1.0]]
    """
    scores = scale(matmul(Q, transpose(K)), 1 / math.sqrt(shape(K, "K", 2)[1]))
    if mask is not None:
        scores = add(scores, mask)
    return matmul([softmax(row) for row in scores], V)


def concatenate(heads):
    """Put the heads' outputs side by side: each position's rows become one long row.

    Shapes: heads [H][T][k], result [T][H·k]. ValueError when the heads differ in shape.
    Source: Vaswani et al. 2017, section 3.2.2.

    >>> concatenate([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    [[1, 2, 5, 6], [3, 4, 7, 8]]
    """
    shape(heads, "heads", 3)
    return [[x for row in rows for x in row] for rows in zip(*heads, strict=True)]
