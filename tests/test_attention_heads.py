"""Attention: who listens to whom, by hand where the numbers are small and by its laws where they are not."""

import inspect
import itertools
import math
import random
from decimal import Decimal, localcontext

import pytest
from tables import (
    NOT_MATRICES,
    NOT_VECTORS,
    assert_close,
    eighths,
    holds,
    leaves_alone,
    refuses,
    refuses_each,
    true_of,
    whole_numbers,
)

from helpers import attention_heads
from helpers.attention_heads import attention, causal_mask, concatenate, softmax
from helpers.matrices import matmul, scale, transpose

INF = math.inf

# --- softmax


def softmax_unshifted(scores):
    exponentials = [math.exp(s) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def shares(scores):
    return [s / sum(scores) for s in scores]


def powers_of_two(scores):
    return [2.0**s / sum(2.0**r for r in scores) for s in scores]


def divided_by_the_largest(scores):
    return [math.exp(s - max(scores)) for s in scores]


def masked_as_zero(scores):
    return softmax([0.0 if s == -INF else s for s in scores])


def hard_maximum(scores):
    return [float(s == max(scores)) for s in scores]


@true_of(softmax, not_of={
    "no exponential": shares,
    "powers of two": powers_of_two,
    "divided by the largest": divided_by_the_largest,
    "a sigmoid each": lambda scores: [1 / (1 + math.exp(-s)) for s in scores],
    "-inf replaced by 0": masked_as_zero,
    "only the largest": hard_maximum,
})  # fmt: skip
def test_softmax_by_hand(softmax):
    assert_close(softmax([0, 0]), [0.5, 0.5])
    assert_close(softmax([7]), [1])
    assert_close(softmax([math.log(1), math.log(2), math.log(5)]), [1 / 8, 2 / 8, 5 / 8])
    assert_close(softmax([-INF, math.log(3), 0]), [0, 3 / 4, 1 / 4])
    assert softmax([-INF, 2])[0] == 0  # not nearly: a masked position gets nothing at all


@true_of(softmax, not_of={"largest not subtracted": softmax_unshifted, "smallest subtracted": lambda scores:
                          softmax_unshifted([s - min(scores) for s in scores])})  # fmt: skip
def test_softmax_does_not_overflow(softmax):
    assert_close(softmax([1000, 1000]), [0.5, 0.5])
    assert_close(softmax([-1000, -1000]), [0.5, 0.5])
    assert softmax([-2000, 2000]) == [0, 1]


def rows_of_scores():
    rng = random.Random(1)
    return [[rng.gauss(0, 3) for _ in range(n)] for n in (1, 2, 2, 3, 5, 16)]


@true_of(softmax, not_of={
    "a sigmoid each": lambda scores: [1 / (1 + math.exp(-s)) for s in scores],
    "powers of two": powers_of_two,
    "no exponential": shares,
    "divided by the largest": divided_by_the_largest,
    "by their squares": lambda scores: shares([s * s for s in scores]),
})  # fmt: skip
def test_weights_add_up_to_1_and_differences_become_ratios(softmax):
    for scores in rows_of_scores():
        weights = softmax(scores)
        assert abs(sum(weights) - 1) < 1e-12 and min(weights) > 0
        for (s, w), (r, v) in itertools.combinations(zip(scores, weights), 2):
            assert math.isclose(w / v, math.exp(s - r), rel_tol=1e-12)


@true_of(softmax, not_of={"no exponential": shares, "by their exponentials' squares' roots": lambda scores:
                          shares([math.sqrt(1 + s * s) for s in scores])})  # fmt: skip
def test_a_shift_of_all_scores_changes_nothing_and_their_order_stays(softmax):
    for scores in rows_of_scores():
        assert_close(softmax([s + 11 for s in scores]), softmax(scores))
        ranks = sorted(range(len(scores)), key=scores.__getitem__)
        assert ranks == sorted(range(len(scores)), key=softmax(scores).__getitem__)


@true_of(softmax, not_of={
    "rounded to nine digits": lambda scores: [round(w, 9) for w in softmax(scores)],
    "e cut to 2.71828": lambda scores: shares([2.71828**s for s in scores]),
})  # fmt: skip
def test_softmax_is_its_formula_in_forty_digits(softmax):
    for scores in rows_of_scores():
        with localcontext() as context:
            context.prec = 40
            exponentials = [Decimal(s).exp() for s in scores]
            total = sum(exponentials)
            for weight, e in zip(softmax(scores), exponentials):
                assert math.isclose(weight, e / total, rel_tol=1e-13)


@true_of(softmax, not_of={
    "all masked: all 0": lambda scores: [0.0] * len(scores) if max(scores) == -INF else softmax(scores),
    "all masked: all equal": lambda scores: softmax([0.0] * len(scores) if max(scores) == -INF else scores),
    "all masked: nan": lambda scores: [math.nan] * len(scores) if max(scores) == -INF else softmax(scores),
})  # fmt: skip
def test_softmax_refuses(softmax):
    for scores in ([-INF], [-INF, -INF, -INF]):
        refuses(softmax, [scores], ValueError, "every score is -inf", "leave at least one entry unmasked")
    refuses(softmax, [[0, INF]], ValueError, "scores[1] is inf", "finite")
    refuses(softmax, [[0, math.nan, 1]], ValueError, "scores[1] is nan", "finite")
    refuses(softmax, [[math.nan, 0]], ValueError, "scores[0] is nan", "finite")
    refuses_each(softmax, [None], 0, "scores", NOT_VECTORS)


# --- the mask


def mask_of(seen, hidden=-INF, open_=0.0):
    return lambda T: [[open_ if seen(i, j) else hidden for j in range(T)] for i in range(T)]


hides_itself = mask_of(lambda i, j: j < i or (i, j) == (0, 0))
sees_the_next = mask_of(lambda i, j: j <= i + 1)
sees_the_later = mask_of(lambda i, j: j >= i)
sees_all = mask_of(lambda i, j: True)


@true_of(causal_mask, not_of={
    "hides itself": hides_itself,
    "sees the next": sees_the_next,
    "sees the later": sees_the_later,
    "ones and zeros": mask_of(lambda i, j: j <= i, hidden=0.0, open_=1.0),
    "-1 for -inf": mask_of(lambda i, j: j <= i, hidden=-1.0),
})  # fmt: skip
def test_causal_mask_by_hand(causal_mask):
    assert causal_mask(1) == [[0]]
    assert causal_mask(2) == [[0, -INF], [0, 0]]
    assert causal_mask(4) == [[0, -INF, -INF, -INF], [0, 0, -INF, -INF], [0, 0, 0, -INF], [0, 0, 0, 0]]


@true_of(causal_mask, not_of={"no checks": mask_of(lambda i, j: j <= i)})
def test_causal_mask_refuses(causal_mask):
    for T in (0, -1, 2.0, "3", None, [[0]]):
        refuses(causal_mask, [T], ValueError, f"T is {T!r}", "at least 1")


# --- attention


def attend(divide_by=math.sqrt, weigh=lambda scores: [softmax(row) for row in scores], late_mask=False):
    """Attention with one thing changed."""

    def variant(Q, K, V, mask=None):
        scores = [[sum(q * k for q, k in zip(a, b)) / divide_by(len(b)) for b in K] for a in Q]
        if mask and not late_mask:
            scores = [[s + m for s, m in zip(row, hide)] for row, hide in zip(scores, mask)]
        weights = weigh(scores)
        if mask and late_mask:
            weights = [[w * (m == 0) for w, m in zip(row, hide)] for row, hide in zip(weights, mask)]
        return [[sum(w * v[c] for w, v in zip(row, V)) for c in range(len(V[0]))] for row in weights]

    return variant


def down_the_columns(scores):
    return transpose([softmax(column) for column in zip(*scores)])


def masked_all_the_same(Q, K, V):
    return attention(Q, K, V, [row[: len(K)] for row in causal_mask(9)][: len(Q)])


def mask_replaced(by):
    """Attention that takes the mask's size and puts another mask in its place."""
    return lambda Q, K, V, mask=None: attention(Q, K, V, mask and by(len(mask)))


MASKED_AFTER_SOFTMAX = attend(late_mask=True)
SCALED_BY_K = attend(divide_by=lambda k: k)
UNSCALED = attend(divide_by=lambda k: 1)
OVER_COLUMNS = attend(weigh=down_the_columns)


def test_the_frame_of_the_near_misses_is_right_when_nothing_is_changed():
    for Q, K, V in queries_keys_values():
        assert_close(attend()(Q, K, V), attention(Q, K, V))
        assert_close(attend()(Q[:1] * 2, K[:1] * 2, V[:1] * 2, causal_mask(2)), [V[0], V[0]])


def queries_keys_values():
    """T queries, S keys and values, widths k and v."""
    rng = random.Random(2)
    sizes = [(1, 1, 1, 1), (2, 2, 2, 2), (1, 3, 2, 4), (4, 2, 1, 3), (5, 5, 8, 8)]
    return [(eighths(rng, T, k), eighths(rng, S, k), eighths(rng, S, v)) for T, S, k, v in sizes]


@true_of(attention, not_of={
    "scaled by k": SCALED_BY_K,
    "not scaled": UNSCALED,
    "scaled by the root of the number of keys": lambda Q, K, V: attend(lambda k: math.sqrt(len(K)))(Q, K, V),
    "softmax down the columns": OVER_COLUMNS,
    "no softmax": attend(weigh=lambda scores: scores),
    "values and keys swapped": lambda Q, K, V: attention(Q, V, K),
})  # fmt: skip
def test_attention_by_hand(attention):
    # k = 1: scores 0 and log 3, weights 1/4 and 3/4
    assert_close(attention([[1]], [[0], [math.log(3)]], [[0, 8], [4, 0]]), [[3, 2]])
    # k = 4: products 0 and 2 log 3, divided by 2 again log 3; the second query turns them round
    keys = [[0, 0, 0, 0], [math.log(3), 0, math.log(3), 0]]
    assert_close(attention([[1, 9, 1, 9], [-1, 0, -1, 0]], keys, [[0], [4]]), [[3], [1]])
    assert attention([[5]], [[6]], [[7, 8]]) == [[7, 8]]  # nobody else to listen to


@true_of(attention, not_of={
    "mask ignored": mask_replaced(sees_all),
    "hides itself": mask_replaced(hides_itself),
    "sees the next": mask_replaced(sees_the_next),
    "sees the later": mask_replaced(sees_the_later),
    "masked after softmax": MASKED_AFTER_SOFTMAX,
    "-inf replaced by 0": mask_replaced(mask_of(lambda i, j: True)),
    "softmax down the columns": OVER_COLUMNS,
})  # fmt: skip
def test_without_questions_the_result_is_the_running_mean(attention):
    nothing, K, V = [[0, 0]] * 3, [[1, 2], [3, 4], [5, 6]], [[1, 10], [3, 20], [5, 60]]
    assert_close(attention(nothing, K, V, causal_mask(3)), [[1, 10], [2, 15], [3, 30]])
    assert_close(attention(nothing, K, V), [[3, 30]] * 3)
    assert_close(attention(nothing, K, V, [[0, -INF, 0]] * 3), [[3, 35]] * 3)


@true_of(attention, not_of={
    "uniform": lambda Q, K, V: attention([[0] * len(row) for row in Q], K, V),
    "the smallest wins": lambda Q, K, V: attention(scale(Q, -1), K, V),
    "softmax without shift": attend(weigh=lambda scores: [softmax_unshifted(row) for row in scores]),
})  # fmt: skip
def test_one_huge_score_picks_one_row(attention):
    K, V = [[1, 0], [0, 1], [-1, -1]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert_close(attention([[9000, 0], [0, 9000], [-9000, -9000]], K, V), V)


@true_of(attention, not_of={
    "mask ignored": mask_replaced(sees_all),
    "sees the next": mask_replaced(sees_the_next),
    "sees the later": mask_replaced(sees_the_later),
    "masked after softmax, so that the others' share leaks": MASKED_AFTER_SOFTMAX,
    "softmax down the columns": OVER_COLUMNS,
    "itself hidden": mask_replaced(hides_itself),
})  # fmt: skip
def test_what_comes_later_changes_nothing_earlier(attention):
    rng, T = random.Random(3), 5
    X = scale(eighths(rng, T, 4), 1 / 16)
    before = attention(X, X, X, causal_mask(T))
    for t in range(T):
        changed = X[:t] + [[x + 1 for x in X[t]]] + X[t + 1 :]
        after = attention(changed, changed, changed, causal_mask(T))
        assert after[:t] == before[:t]
        assert all(new != old for new, old in zip(after[t:], before[t:]))  # the others do look at it


@true_of(attention, not_of={
    "masked all the same": masked_all_the_same,
    "counts its keys": lambda Q, K, V: attention(Q, [[k + i for k in row] for i, row in enumerate(K)], V),
    "values backwards": lambda Q, K, V: attention(Q, K, V[::-1]),
})  # fmt: skip
def test_without_a_mask_nobody_knows_the_order(attention):
    """Shuffled queries give shuffled results; shuffled keys, with their values, give the same ones."""
    rng = random.Random(4)
    for Q, K, V in queries_keys_values():
        result = attention(Q, K, V)
        mine, theirs = (rng.sample(range(n), n) for n in (len(Q), len(K)))
        assert_close(attention([Q[i] for i in mine], K, V), [result[i] for i in mine])
        assert_close(attention(Q, [K[i] for i in theirs], [V[i] for i in theirs]), result)


@true_of(attention, not_of={
    "softmax down the columns": OVER_COLUMNS,
    "no softmax": attend(weigh=lambda scores: scores),
    "weights not divided by their sum": attend(weigh=lambda s: [divided_by_the_largest(row) for row in s]),
})  # fmt: skip
def test_an_average_lies_between_its_values(attention):
    for Q, K, V in queries_keys_values():
        for row in attention(Q, K, V):
            assert len(row) == len(V[0])
            assert all(min(column) - 1e-9 <= y <= max(column) + 1e-9 for y, column in zip(row, zip(*V)))


@true_of(attention, not_of={
    "scaled by k": SCALED_BY_K,
    "not scaled": UNSCALED,
    "keys and queries swapped": lambda Q, K, V: attention(K, Q, V),
    "softmax down the columns": OVER_COLUMNS,
})  # fmt: skip
def test_attention_is_its_formula_written_as_loops(attention):
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


@true_of(attention, not_of={
    "zip that truncates": attend(),
    "a row that sees nothing gets zeros": lambda Q, K, V, mask=None: (
        [[0.0] * len(V[0])] * len(Q) if mask == [[-INF, -INF]] * 2 else attention(Q, K, V, mask)
    ),
})  # fmt: skip
def test_attention_refuses(attention):
    Q, K, V = [[1, 2], [3, 4]], [[1, 2], [3, 4]], [[1], [2]]
    for wrong in ([Q, [[1, 2, 3]] * 2, V], [Q, K, [[1]] * 3], [Q, K[:1], V]):
        sizes = [f"{name} is [{len(M)}][{len(M[0])}]" for name, M in zip("QKV", wrong)]
        refuses(attention, wrong, ValueError, *sizes, "equally long rows", "as many rows as K")
    refuses(attention, [Q, K, V, [[0, 0]]], ValueError, "scores are [2][2] and mask is [1][2]")
    refuses(attention, [Q, K, V, [[0], [0]]], ValueError, "scores are [2][2] and mask is [2][1]")
    refuses(attention, [Q, K, V, [[0, -INF], [-INF, -INF]]], ValueError, "every score is -inf")
    refuses(attention, [Q, K, V, [[-INF, -INF]] * 2], ValueError, "every score is -inf")
    for place, name in enumerate(["Q", "K", "V", "mask"]):
        refuses_each(attention, [Q, K, V, [[0, 0]] * 2], place, name, NOT_MATRICES[place == 3 :])


# --- heads side by side


@true_of(concatenate, not_of={
    "under one another": lambda heads: [row for head in heads for row in head],
    "taken in turns": lambda heads: [[x for xs in zip(*rows) for x in xs] for rows in zip(*heads)],
    "last head first": lambda heads: concatenate(heads[::-1]),
    "added": lambda heads: [[sum(xs) for xs in zip(*rows)] for rows in zip(*heads)],
})  # fmt: skip
def test_concatenate_by_hand(concatenate):
    assert concatenate([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]) == [[1, 2, 5, 6], [3, 4, 7, 8]]
    assert concatenate([[[1], [2], [3]], [[4], [5], [6]]]) == [[1, 4], [2, 5], [3, 6]]
    assert concatenate([[[1, 2]]]) == [[1, 2]]


@true_of(concatenate, not_of={
    "taken in turns": lambda heads: [[x for xs in zip(*rows) for x in xs] for rows in zip(*heads)],
    "last head first": lambda heads: concatenate(heads[::-1]),
})  # fmt: skip
def test_each_head_can_be_cut_out_again_and_read_by_its_own_columns(concatenate):
    """Side by side, times a tall matrix, is the sum of each head times its part of the matrix."""
    rng = random.Random(5)
    for H, T, k in (2, 3, 2), (1, 2, 3), (3, 1, 4), (2, 5, 8):
        heads, W = whole_numbers(rng, H, T, k), whole_numbers(rng, H * k, 3)
        joined = concatenate(heads)
        assert [[row[h * k : (h + 1) * k] for row in joined] for h in range(H)] == heads
        products = [matmul(head, W[h * k : (h + 1) * k]) for h, head in enumerate(heads)]
        assert matmul(joined, W) == [[sum(xs) for xs in zip(*rows)] for rows in zip(*products)]


@true_of(
    concatenate,
    not_of={"zip that truncates": lambda heads: [[x for r in rows for x in r] for rows in zip(*heads)]},
)
def test_concatenate_refuses(concatenate):
    head = [[1, 2], [3, 4]]
    refuses(concatenate, [[head, [[5, 6]]]], ValueError, "heads[0] has shape (2, 2), heads[1] has (1, 2)")
    refuses(concatenate, [[head, [[5], [6]]]], ValueError, "heads[0] has shape (2, 2), heads[1] has (2, 1)")
    refuses(concatenate, [head], ValueError, "heads has shape (2, 2)", "a list of matrices")
    refuses(concatenate, [[]], ValueError, "heads is empty")
    refuses(concatenate, [None], TypeError, "heads is None, not a list")
    refuses(concatenate, [[head, [[5, 6], [7, "8"]]]], TypeError, "heads[1][1][1] is '8', not a number")


# --- all of them

CALLS = [
    (softmax, [[1, 2, -INF]]),
    (causal_mask, [2]),
    (attention, [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[1], [2]], [[0, -INF], [0, 0]]]),
    (concatenate, [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]),
]


@pytest.mark.parametrize("function, arguments", CALLS)
def test_what_goes_in_is_not_changed_and_not_handed_on(function, arguments):
    leaves_alone(function, arguments)


def softmax_in_place(scores):
    scores[:] = softmax(scores)
    return list(scores)


def test_changing_or_sharing_would_be_noticed():
    assert not holds(lambda function: leaves_alone(function, [[1, 2]]), softmax_in_place)
    assert not holds(lambda function: leaves_alone(function, [[[[1], [2]]]]), lambda heads: heads[0])


def test_every_function_of_the_module_is_tested_here():
    own = [f for _, f in inspect.getmembers(attention_heads, inspect.isfunction)]
    assert {f.__name__ for f in own if f.__module__ == attention_heads.__name__} == {
        f.__name__ for f, _ in CALLS
    }
