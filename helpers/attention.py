"""Attention: each position takes a weighted average of the positions it may see."""

import math

from .layers import linear
from .matrices import add, matmul, scale, transpose


def softmax(scores: "n") -> "n":
    """Turn scores into weights that add up to 1, keeping their order.

    The largest score is subtracted first, so nothing overflows. ValueError for a row of -inf alone (fully
    masked: there is nothing to choose from), and for nan or inf.
    Source: Bridle 1990; the shift by the maximum is folklore.

    >>> softmax([5, 5])
    [0.5, 0.5]
    >>> softmax([1000, -math.inf])
    [1.0, 0.0]
    """
    largest = max(scores)
    exponentials = [math.exp(s - largest) for s in scores]
    total = sum(exponentials, 0.0)
    assert total >= 1, (
        "every score is -inf, or one is nan or inf; the largest must be finite and gives exp(0) = 1"
    )
    return [e / total for e in exponentials]


def causal_mask(T: "int > 0") -> "T T":
    """What is added to the scores so that no position sees a later one: 0 on and below the diagonal, -inf
    above.

    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3)
    [[0.0, -inf, -inf], [0.0, 0.0, -inf], [0.0, 0.0, 0.0]]
    """
    return [[0.0 if j <= i else -math.inf for j in range(T)] for i in range(T)]


def attention_scores(Q: "T k", K: "S k", mask: "T S" = None) -> "T S":
    """How well each query fits each key: Q·Kᵀ / sqrt(k), plus the mask.

    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention_scores([[1, 1, 1, 1]], [[2, 2, 2, 2], [0, 0, 0, 1]])
    [[4.0, 0.5]]
    """
    scores = scale(matmul(Q, transpose(K)), 1 / math.sqrt(len(K[0])))  # [T][k]·[k][S] -> [T][S]
    return scores if mask is None else add(scores, mask)


def attention(Q: "T k", K: "S k", V: "S v", mask: "T S" = None) -> "T v":
    """Each row of Q scores the rows of K; its softmax weights average the rows of V.

    ValueError when the mask leaves a row nothing to attend to.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention([[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]])
    [[15.0, 1.0]]
    """
    weights = [softmax(row) for row in attention_scores(Q, K, mask)]  # [T][S]
    return matmul(weights, V)  # [T][S]·[S][v] -> [T][v]


def merge_heads(heads: "H T k") -> "T H*k":
    """Concatenate the heads' outputs: at each position, the rows of all heads become one row.

    The backward pass of merge_heads is split_heads.
    Source: Vaswani et al. 2017, section 3.2.2.

    >>> merge_heads([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    [[1, 2, 5, 6], [3, 4, 7, 8]]
    """
    return [[x for row in rows for x in row] for rows in zip(*heads, strict=True)]


def split_heads(X: "T H*k", H: "int > 0") -> "H T k":
    """Cut each row into H equal parts, one for each head.

    The backward pass of split_heads is merge_heads.

    >>> split_heads([[1, 2, 5, 6], [3, 4, 7, 8]], 2)
    [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    """
    k = len(X[0]) // H
    assert all(len(row) == H * k for row in X), f"H is {H} and must divide {len(X[0])} columns of X"
    return [[row[h * k : (h + 1) * k] for row in X] for h in range(H)]


def multi_head_attention(
    X: "T D", W_Q: "H k D", W_K: "H k D", W_V: "H v D", W_O: "m H*v", mask: "T T" = None
) -> "T m":
    """Several heads of attention on the same rows, side by side, joined by W_O.

    Source: Vaswani et al. 2017, section 3.2.2.

    >>> multi_head_attention([[2.0]], [[[1.0]], [[1.0]]], [[[1.0]], [[1.0]]], [[[1.0]], [[10.0]]], [[1.0, 1.0]])
    [[22.0]]
    """
    heads = [
        attention(linear(X, W_q), linear(X, W_k), linear(X, W_v), mask)  # [T][v]
        for W_q, W_k, W_v in zip(W_Q, W_K, W_V, strict=True)
    ]
    return linear(merge_heads(heads), W_O)  # [T][H·v] -> [T][m]
