"""Attention: each position averages the values of the positions that it attends to."""

import math

from .layers import linear
from .matrices import add, matmul, scale, transpose


def softmax(scores: "n") -> "n":
    """Turn scores into weights that sum to 1: exp(score) divided by the sum of all exp(score).

    The largest score is subtracted first, so that exp does not overflow; the weights stay the same. Some
    scores may be -inf (masked): their weights are 0. At least one must be finite.
    Source: Bridle 1990.

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
    """The matrix to add to the scores: 0 on and below the diagonal, -inf above it.

    With it, a position attends to itself and to earlier positions only.
    Source: Vaswani et al. 2017, section 3.2.3.

    >>> causal_mask(3)
    [[0.0, -inf, -inf], [0.0, 0.0, -inf], [0.0, 0.0, 0.0]]
    """
    return [[0.0 if j <= i else -math.inf for j in range(T)] for i in range(T)]


def sliding_window_mask(T: "int > 0", w: "int > 0") -> "T T":
    """The causal mask of a sliding window: each position attends to itself and to the w − 1 before it.

    Source: Beltagy, Peters and Cohan 2020, section 3.1; Jiang et al. 2023, section 2.

    >>> sliding_window_mask(3, 2)
    [[0.0, -inf, -inf], [0.0, 0.0, -inf], [-inf, 0.0, 0.0]]
    """
    return [[0.0 if i - w < j <= i else -math.inf for j in range(T)] for i in range(T)]


def attention_scores(Q: "T k", K: "S k", mask: "T S" = None) -> "T S":
    """The dot product of every query with every key: Q·Kᵀ / sqrt(k), plus the mask.

    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention_scores([[1, 1, 1, 1]], [[2, 2, 2, 2], [0, 0, 0, 1]])
    [[4.0, 0.5]]
    """
    scores = scale(matmul(Q, transpose(K)), 1 / math.sqrt(len(K[0])))  # [T][k]·[k][S] -> [T][S]
    return scores if mask is None else add(scores, mask)


def attention(Q: "T k", K: "S k", V: "S v", mask: "T S" = None) -> "T v":
    """Scaled dot-product attention: the softmax weights of each query average the values.

    The mask must leave each query at least one position to attend to.
    Source: Vaswani et al. 2017, section 3.2.1.

    >>> attention([[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]])
    [[15.0, 1.0]]
    """
    weights = [softmax(row) for row in attention_scores(Q, K, mask)]  # [T][S]
    return matmul(weights, V)  # [T][S]·[S][v] -> [T][v]


def online_softmax_step(
    largest: "float", total: "float >= 0 finite", average: "v", scores: "n", values: "n v"
) -> ("float", "float", "v"):
    """Add a piece of scores and values to the attention of one query, whose state is three running results.

    largest is the largest score so far, total the sum of exp(score − largest), and average that of the values
    with these weights: -inf, 0 and zeros before the first piece. Where every score so far is -inf (masked),
    the state stays.
    Source: Milakov and Gimelshein 2018, section 3; Dao et al. 2022, section 3.1.

    >>> largest, total, average = online_softmax_step(-math.inf, 0.0, [0.0], [5.0], [[10.0]])
    >>> largest, total, average
    (5.0, 1.0, [10.0])
    >>> online_softmax_step(largest, total, average, [5.0], [[30.0]])
    (5.0, 2.0, [20.0])
    """
    new_largest = max(largest, *scores)
    if new_largest == -math.inf:
        return largest, total, average
    old = total * math.exp(largest - new_largest)  # the old sum, with the new largest score subtracted
    weights = [math.exp(s - new_largest) for s in scores]
    new_total, added = old + sum(weights, 0.0), matmul([weights], values)[0]  # [1][n]·[n][v] -> [v]
    average = [(old * a + b) / new_total for a, b in zip(average, added, strict=True)]
    return new_largest, new_total, average


def online_softmax_attention(Q: "T k", K: "S k", V: "S v", size: "int > 0", mask: "T S" = None) -> "T v":
    """Attention in pieces of `size` keys: the result of attention, with no row of S weights in memory.

    The mask must leave each query at least one position to attend to.
    Source: Dao et al. 2022, section 3.1.

    >>> online_softmax_attention([[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]], size=1)
    [[15.0, 1.0]]
    """
    assert {len(K)} == {len(V), *map(len, mask or [V])}, (
        f"K has {len(K)} rows and V has {len(V)}; make them equal, and the rows of the mask as long"
    )
    result = []
    for query, row in zip(Q, mask or [None] * len(Q), strict=True):
        state = -math.inf, 0.0, [0.0] * len(V[0])
        for start in range(0, len(K), size):
            piece = slice(start, start + size)
            scores = attention_scores([query], K[piece], row and [row[piece]])[0]  # [size]
            state = online_softmax_step(*state, scores, V[piece])
        assert state[1] > 0, "every score of a query is -inf; the mask must leave it a position"
        result.append(state[2])
    return result


def merge_heads(heads: "H T k") -> "T H*k":
    """Concatenate the outputs of all heads at each position.

    The backward pass of merge_heads is split_heads.
    Source: Vaswani et al. 2017, section 3.2.2.

    >>> merge_heads([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    [[1, 2, 5, 6], [3, 4, 7, 8]]
    """
    return [[x for row in rows for x in row] for rows in zip(*heads, strict=True)]


def split_heads(X: "T H*k", H: "int > 0") -> "H T k":
    """Split each row into H equal parts, one per head: the inverse of merge_heads.

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
    """Multi-head self-attention: attention once per head, the outputs concatenated and projected by W_O.

    Source: Vaswani et al. 2017, section 3.2.2.

    >>> W_Q = W_K = [[[1.0]], [[1.0]]]
    >>> multi_head_attention([[2.0]], W_Q, W_K, W_V=[[[1.0]], [[10.0]]], W_O=[[1.0, 1.0]])
    [[22.0]]
    """
    heads = [
        attention(linear(X, W_q), linear(X, W_k), linear(X, W_v), mask)  # [T][v]
        for W_q, W_k, W_v in zip(W_Q, W_K, W_V, strict=True)
    ]
    return linear(merge_heads(heads), W_O)  # [T][H·v] -> [T][m]


def grouped_query_attention(Q: "H T k", K: "G S k", V: "G S v", mask: "T S" = None) -> "H T v":
    """Attention of H heads with G sets of keys and values: H / G neighbouring heads share a set.

    Source: Ainslie et al. 2023, section 2.2.

    >>> Q, K, V = [[[0]], [[0]], [[0]], [[0]]], [[[1]], [[1]]], [[[10]], [[20]]]
    >>> grouped_query_attention(Q, K, V)
    [[[10.0]], [[10.0]], [[20.0]], [[20.0]]]
    """
    H, G = len(Q), len(K)
    assert H % G == 0 and len(V) == G, (
        f"Q has {H} heads, and K and V have {G} and {len(V)} sets; make these equal, and a divisor of {H}"
    )
    return [attention(q, K[h * G // H], V[h * G // H], mask) for h, q in enumerate(Q)]
