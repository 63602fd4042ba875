"""Attention: by hand where the numbers are small, and by its laws where they are not."""

import math
import random
from decimal import Decimal, localcontext

import pytest
from tables import assert_close, eighths, whole_numbers

from helpers.attention import (
    attention,
    attention_scores,
    causal_mask,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    online_softmax_attention,
    online_softmax_step,
    sliding_window_mask,
    softmax,
    split_heads,
)
from helpers.matrices import matmul

INF = math.inf

# --- softmax


def test_softmax_by_hand():
    assert_close(softmax([0, 0]), [0.5, 0.5])
    assert_close(softmax([7]), [1])
    assert_close(softmax([math.log(1), math.log(2), math.log(5)]), [1 / 8, 2 / 8, 5 / 8])
    assert_close(softmax([-INF, math.log(3), 0]), [0, 3 / 4, 1 / 4])
    assert softmax([-INF, 2])[0] == 0  # not nearly: a masked position gets nothing at all


def test_softmax_does_not_overflow():
    assert_close(softmax([1000, 1000]), [0.5, 0.5])
    assert_close(softmax([-1000, -1000]), [0.5, 0.5])
    assert softmax([-2000, 2000]) == [0, 1]


@pytest.mark.parametrize("scores", [[-INF, -INF], [math.nan, 0], [INF, 0]])
def test_softmax_without_a_finite_largest_score_gives_no_weights(scores):
    with pytest.raises(AssertionError, match="the largest must be finite"):
        softmax(scores)


def rows_of_scores():
    rng = random.Random(1)
    return [[rng.gauss(0, 3) for _ in range(n)] for n in (1, 2, 2, 3, 5, 16)]


def test_softmax_is_its_formula_in_forty_digits():
    for scores in rows_of_scores():
        with localcontext() as context:
            context.prec = 40
            exponentials = [Decimal(s).exp() for s in scores]
            total = sum(exponentials)
            for weight, e in zip(softmax(scores), exponentials):
                assert math.isclose(weight, e / total, rel_tol=1e-13)


# --- the mask


def test_causal_mask_by_hand():
    assert causal_mask(1) == [[0]]
    assert causal_mask(2) == [[0, -INF], [0, 0]]
    assert causal_mask(4) == [[0, -INF, -INF, -INF], [0, 0, -INF, -INF], [0, 0, 0, -INF], [0, 0, 0, 0]]


def test_sliding_window_mask_by_hand():
    assert sliding_window_mask(3, 1) == [[0, -INF, -INF], [-INF, 0, -INF], [-INF, -INF, 0]]
    assert sliding_window_mask(4, 2) == [
        [0, -INF, -INF, -INF],
        [0, 0, -INF, -INF],
        [-INF, 0, 0, -INF],
        [-INF, -INF, 0, 0],
    ]
    assert sliding_window_mask(4, 4) == sliding_window_mask(4, 9) == causal_mask(4)


# --- scores


def test_scores_by_hand():
    Q, K = [[2, 0, 4, 0], [1, 1, 0, 0]], [[1, 0, 1, 0], [3, 0, 0, 9], [0, -1, -2, 0]]
    assert attention_scores(Q, K) == [[3, 3, -4], [0.5, 1.5, -0.5]]
    assert attention_scores(Q, K, [[0, 0, 0], [10, -2, 0]]) == [[3, 3, -4], [10.5, -0.5, -0.5]]
    assert attention_scores(Q, K, [[0, -INF, -INF], [0, 0, -INF]]) == [[3, -INF, -INF], [0.5, 1.5, -INF]]
    assert_close(attention_scores([[1, 1]], [[1, 0], [3, -1]]), [[1 / math.sqrt(2), 2 / math.sqrt(2)]])


# --- attention


def queries_keys_values():
    """T queries, S keys and values, widths k and v."""
    rng = random.Random(2)
    sizes = [(1, 1, 1, 1), (2, 2, 2, 2), (1, 3, 2, 4), (4, 2, 1, 3), (5, 5, 8, 8)]
    return [(eighths(rng, T, k), eighths(rng, S, k), eighths(rng, S, v)) for T, S, k, v in sizes]


def test_attention_by_hand():
    assert_close(attention([[1]], [[0], [math.log(3)]], [[0, 8], [4, 0]]), [[3, 2]])
    # k = 4: products 0 and 2 log 3, divided by 2 again log 3; the second query turns them round
    keys = [[0, 0, 0, 0], [math.log(3), 0, math.log(3), 0]]
    assert_close(attention([[1, 9, 1, 9], [-1, 0, -1, 0]], keys, [[0], [4]]), [[3], [1]])
    assert attention([[5]], [[6]], [[7, 8]]) == [[7, 8]]


def test_with_queries_of_0_the_result_is_the_running_mean():
    zeros, K, V = [[0, 0]] * 3, [[1, 2], [3, 4], [5, 6]], [[1, 10], [3, 20], [5, 60]]
    assert_close(attention(zeros, K, V, causal_mask(3)), [[1, 10], [2, 15], [3, 30]])
    assert_close(attention(zeros, K, V), [[3, 30]] * 3)
    assert_close(attention(zeros, K, V, [[0, -INF, 0]] * 3), [[3, 35]] * 3)


def test_attention_is_its_formula_written_as_loops():
    for Q, K, V in queries_keys_values():
        result = []
        for q in Q:
            scores = []
            for key in K:
                scores.append(sum(a * b for a, b in zip(q, key)) / len(q) ** 0.5)
            exponentials = [math.exp(s - 100) for s in scores]  # any number may be subtracted
            row = [0.0] * len(V[0])
            for e, value in zip(exponentials, V):
                row = [r + e * v / sum(exponentials) for r, v in zip(row, value)]
            result.append(row)
        assert_close(attention(Q, K, V), result, within=1e-10)


# --- heads side by side


def test_merge_heads_by_hand():
    assert merge_heads([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]) == [[1, 2, 5, 6], [3, 4, 7, 8]]
    assert merge_heads([[[1], [2], [3]], [[4], [5], [6]]]) == [[1, 4], [2, 5], [3, 6]]
    assert merge_heads([[[1, 2]]]) == [[1, 2]]


def test_split_heads_by_hand():
    X = [[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]
    assert split_heads(X, 3) == [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]
    assert split_heads(X, 2) == [[[1, 2, 5], [3, 4, 7]], [[6, 9, 10], [8, 11, 12]]]
    assert split_heads(X, 1) == [X]


def test_merged_heads_can_be_split_again_and_each_is_multiplied_by_its_own_columns():
    """Concatenating and multiplying by W is the sum of the heads, each times its part of W."""
    rng = random.Random(5)
    for H, T, k in (2, 3, 2), (1, 2, 3), (3, 1, 4), (2, 5, 8):
        heads, W = whole_numbers(rng, H, T, k), whole_numbers(rng, H * k, 3)
        joined = merge_heads(heads)
        assert split_heads(joined, H) == heads
        products = [matmul(head, W[h * k : (h + 1) * k]) for h, head in enumerate(heads)]
        assert matmul(joined, W) == [[sum(xs) for xs in zip(*rows)] for rows in zip(*products)]


# --- several heads at once


def some_networks():
    """T, D, H, k, v, m: positions, width, heads, width of queries and of values, width of the result.

    Only where the matrices are square could a transposed one be taken for them.
    """
    rng = random.Random(7)
    sizes = [(2, 2, 2, 1, 1, 2), (3, 4, 2, 2, 2, 4), (5, 16, 2, 8, 8, 16), (4, 6, 3, 2, 2, 6)]
    sizes += [(1, 3, 1, 2, 2, 3), (3, 4, 1, 4, 4, 4), (4, 3, 2, 5, 2, 7), (2, 5, 3, 1, 4, 1)]
    for T, D, H, k, v, m in sizes:
        W_Q, W_K, W_V, W_O = (
            scale_all(eighths(rng, *size), 1 / 8) for size in ((H, k, D), (H, k, D), (H, v, D), (m, H * v))
        )
        yield scale_all(eighths(rng, T, D), 1 / 8), W_Q, W_K, W_V, W_O


def scale_all(nest, c):
    return [scale_all(entry, c) for entry in nest] if isinstance(nest, list) else c * nest


def written_as_loops(X, W_Q, W_K, W_V, W_O, mask):
    """Multi-head attention with every index written out."""
    T, D, H, k, v = len(X), len(X[0]), len(W_Q), len(W_Q[0]), len(W_V[0])
    Y = [[0.0] * len(W_O) for _ in range(T)]
    for h in range(H):
        for t in range(T):
            query = [sum(X[t][i] * W_Q[h][o][i] for i in range(D)) for o in range(k)]
            exponentials = []
            for s in range(T):
                score = 0.0
                for o in range(k):
                    score += query[o] * sum(X[s][i] * W_K[h][o][i] for i in range(D))
                hidden = mask is not None and mask[t][s] == -INF
                exponentials.append(0.0 if hidden else math.exp(score / math.sqrt(k)))
            for c in range(v):
                values = [sum(X[s][i] * W_V[h][c][i] for i in range(D)) for s in range(T)]
                mean = sum(exponentials[s] * values[s] for s in range(T)) / sum(exponentials)
                for o in range(len(W_O)):
                    Y[t][o] += W_O[o][h * v + c] * mean
    return Y


def test_several_heads_are_their_formula_written_as_loops():
    for network in some_networks():
        for mask in None, causal_mask(len(network[0])):
            Y = written_as_loops(*network, mask)
            assert_close(multi_head_attention(*network, mask), Y, within=1e-11)


def test_in_several_heads_too_what_comes_later_changes_nothing_earlier():
    for X, *weights in some_networks():
        mask = causal_mask(len(X))
        before = multi_head_attention(X, *weights, mask)
        for t in range(len(X)):
            changed = X[:t] + [[x + 1 for x in X[t]]] + X[t + 1 :]
            after = multi_head_attention(changed, *weights, mask)
            assert after[:t] == before[:t]
            assert all(new != old for new, old in zip(after[t:], before[t:]))  # the others attend to it


# --- heads that share keys and values


def test_neighbouring_heads_share_keys_and_values():
    """Three heads for each set; queries of 0 give the mean of the values, or the running mean."""
    zeros = [[[0.0], [0.0]]] * 6
    K, V = [[[1.0], [2.0]], [[3.0], [4.0]]], [[[4.0], [8.0]], [[20.0], [60.0]]]
    assert grouped_query_attention(zeros, K, V) == [[[6], [6]]] * 3 + [[[40], [40]]] * 3
    assert grouped_query_attention(zeros, K, V, causal_mask(2)) == [[[4], [6]]] * 3 + [[[20], [40]]] * 3


def test_each_head_is_attention_with_its_own_set():
    rng = random.Random(8)
    for H, G in (4, 4), (4, 2), (6, 2), (3, 1):
        Q, K, V = scale_all(eighths(rng, H, 2, 4), 1 / 8), eighths(rng, G, 3, 4), eighths(rng, G, 3, 5)
        mask = [[0, 0, -INF], [0, 0, 0]]
        alone = [attention(Q[h], K[h // (H // G)], V[h // (H // G)], mask) for h in range(H)]
        assert grouped_query_attention(Q, K, V, mask) == alone


# --- attention in pieces


def test_a_step_of_online_softmax_by_hand():
    start = -INF, 0.0, [0.0, 0.0]
    first = online_softmax_step(*start, [0.0], [[10.0, 1.0]])
    assert first == (0.0, 1.0, [10.0, 1.0])
    largest, total, average = online_softmax_step(*first, [math.log(3)], [[30.0, 5.0]])
    assert_close([largest, total, *average], [math.log(3), 4 / 3, 25.0, 4.0])  # weights 1/4 and 3/4
    # a smaller score changes no largest one; the sum grows by 1/3
    largest, total, average = online_softmax_step(largest, total, average, [0.0, -INF], [[45.0, 9.0], [1, 1]])
    assert_close([largest, total, *average], [math.log(3), 5 / 3, 29.0, 5.0])


def test_a_piece_that_is_masked_changes_nothing_and_large_scores_do_not_overflow():
    start = -INF, 0.0, [0.0]
    assert online_softmax_step(*start, [-INF, -INF], [[1.0], [2.0]]) == start
    state = online_softmax_step(*start, [1000.0], [[10.0]])
    assert online_softmax_step(*state, [-INF], [[7.0]]) == state
    assert_close([*online_softmax_step(*state, [2000.0], [[30.0]])[2]], [30.0])
    assert_close(online_softmax_step(*state, [1000.0], [[30.0]])[2], [20.0])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_attention_in_pieces_is_attention_for_every_size_of_the_pieces(size):
    for Q, K, V in queries_keys_values():
        T, S = len(Q), len(K)
        masks = [None, [[0.0 if j <= i else -INF for j in range(S)] for i in range(T)]]
        masks += [[[0.0 if j == max(0, min(i, S - 1)) else -INF for j in range(S)] for i in range(T)]]
        for mask in masks:
            found = online_softmax_attention(Q, K, V, size, mask)
            assert_close(found, attention(Q, K, V, mask), within=1e-12)


def test_a_query_that_may_attend_to_nothing_is_refused():
    with pytest.raises(AssertionError, match="must leave it a position"):
        online_softmax_attention([[1.0]], [[1.0], [2.0]], [[1.0], [2.0]], 1, [[-INF, -INF]])
