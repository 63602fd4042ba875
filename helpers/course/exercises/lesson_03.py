"""Lesson 03: solutions, inputs and known mistakes of its tasks. Reading on gives answers away."""

import math

from ... import add, attention_scores, causal_mask, linear, matmul, scale, softmax, transpose
from .exercise import Exercise, draw_inputs


def my_causal_mask(T):
    return [[0.0 if j <= i else -math.inf for j in range(T)] for i in range(T)]


LARGE_NEGATIVE = {"−1e9": "-1e9", "−1e10": "-1e10", "−1e30": "-1e30", "−10,000": "-1e4"}
WEIGHT_0 = "is used for −∞. Other code does this, but only -math.inf always gives the weight 0"
MASK_MISTAKES = {
    "the mask hides earlier positions; it must hide later ones": ("j <= i", "j >= i"),
    "a position cannot attend to itself": ("j <= i", "j < i"),
    "a position can attend to the next position, too": ("j <= i", "j <= i + 1"),
    "1 and 0 are used; the mask is added to scores, so it needs 0 and −∞": (
        ("0.0", "1.0"),
        ("-math.inf", "0.0"),
    ),
    "1 is used for positions that may be attended to; the mask is added to scores, so use 0": ("0.0", "1.0"),
    "a product with ∞ is used, and 0 · ∞ is nan; choose between two numbers": (
        ("0.0 if j <= i else -math.inf", "-math.inf * (j > i)"),
    ),
    "0 and −∞ are swapped": ("j <= i", "j > i"),
    "the sign is wrong: +∞ would give later positions all the weight": ("-math.inf", "math.inf"),
    "all rows are the same list, so a change in one changes all; make a new list for each row": (
        (
            "return [[0.0 if j <= i else -math.inf for j in range(T)] for i in range(T)]",
            "return [[0.0] + [-math.inf] * (T - 1)] * T",
        ),
    ),
    "only the next position is hidden; all later ones must be": ("j <= i", "j != i + 1"),
    "no position is hidden": ("-math.inf", "0.0"),
    **{f"{name} {WEIGHT_0}": ("-math.inf", number) for name, number in LARGE_NEGATIVE.items()},
}


def my_softmax(scores):
    largest = max(scores)
    exponentials = [math.exp(s - largest) for s in scores]
    total = sum(exponentials)
    return [e / total for e in exponentials]


FINITE = "[s for s in scores if math.isfinite(s)]"
SOFTMAX_MISTAKES = {
    "the largest score is not subtracted first: exp overflows, or every exponential is 0": (" - largest", ""),
    "the first score is subtracted; it may be far below the largest": ("= max(scores)", "= scores[0]"),
    "the last score is subtracted; it may be far below the largest": ("= max(scores)", "= scores[-1]"),
    "the smallest score is subtracted; subtract the largest": ("= max(scores)", "= min(scores)"),
    "the smallest finite score is subtracted; subtract the largest": ("= max(scores)", f"= min({FINITE})"),
    "the mean of the scores is subtracted; subtract the largest": ("= max", "= sum(scores) / len"),
    "the sum of the scores is subtracted; subtract the largest": ("= max(scores)", "= sum(scores)"),
    "the same number is subtracted from all scores of every list; subtract the largest of each": (
        ("= max(scores)", "= 1000.0"),
    ),
    "the largest score is taken without its sign; subtract max(scores)": (
        ("= max(scores)", "= max(abs(s) for s in scores)"),
    ),
    "a number below the largest score is subtracted, such as the mean": (
        ("= max(scores)", f"= sum({FINITE}) / len({FINITE})"),
    ),
    "0 counts as a score, too; if all scores are far below 0, every exponential is 0": (
        ("= max(scores)", "= max(0, *scores)"),
    ),
    "large scores are limited to 700, so those above it become equal; subtract the largest instead": (
        ("s - largest", "min(s, 700)"),
    ),
    "the largest score is subtracted in the numerator only; the total needs the same exponentials": (
        ("sum(exponentials)", "sum(math.exp(s) for s in scores)"),
    ),
    "the scores are divided by the largest; subtract it": (
        ("[math.exp(s - largest) for s in scores]", "softmax([s / largest for s in scores])"),
    ),
    "the scores are divided by their sum, without exp": ("math.exp(s - largest)", "s"),
    "the exponentials are not divided by their sum": ("e / total", "e"),
    "the exponentials are divided by the largest; divide by the sum": (("s - largest", "s"), ("sum", "max")),
    "the exponentials are divided by the number of scores; divide by their sum": (
        ("sum(exponentials)", "len(scores)"),
    ),
    "2 is raised to the scores; softmax uses e": ("math.exp(s - largest)", "2 ** (s - largest)"),
    "the signs of the scores are reversed": ("    largest", "    scores = [-s for s in scores]\n    largest"),
}


def my_attention(Q, K, V, mask):
    scores = scale(matmul(Q, transpose(K)), 1 / math.sqrt(len(K[0])))
    if mask is not None:
        scores = add(scores, mask)
    weights = [softmax(row) for row in scores]
    return matmul(weights, V)


ADD_MASK = """    if mask is not None:
        scores = add(scores, mask)
"""
SOFTMAX = "    weights = [softmax(row) for row in scores]\n"
MASK_WEIGHTS = """    if mask is not None:
        weights = [[w if m == 0 else 0.0 for w, m in zip(*rows)] for rows in zip(weights, mask)]
"""
OVER_ALL = """    shares, n = softmax([s for row in scores for s in row]), len(K)
    weights = [shares[i : i + n] for i in range(0, len(shares), n)]
"""
ATTENTION_MISTAKES = {
    "the causal mask is added; add the mask that is given": (
        ("if mask is not None", "if len(Q) == len(K)"),
        ("scores, mask", "scores, causal_mask(len(Q))"),
    ),
    "a causal mask is made from the number of queries; add the mask that is given": (
        ("if mask is not None", "if True"),
        ("scores, mask", "scores, causal_mask(len(Q))"),
    ),
    "the mask is not added": (ADD_MASK, ""),
    "the mask is divided by √k, too; add it after the division": (
        ("scale(matmul(Q, transpose(K)), 1 / math.sqrt(len(K[0])))", "matmul(Q, transpose(K))"),
        (ADD_MASK, ADD_MASK + "    scores = scale(scores, 1 / math.sqrt(len(K[0])))\n"),
    ),
    "the mask is subtracted; add it": ("add(scores, mask)", "add(scores, scale(mask, -1))"),
    "the scores are not divided by √k": ("1 / math.sqrt(len(K[0]))", "1"),
    "the scores are divided by k, not by its root": ("math.sqrt(len(K[0]))", "len(K[0])"),
    "the scores are divided by √8; k is the width of the keys": ("len(K[0])", "8"),
    "the scores are divided by the root of the number of queries; k is the width of the keys": ("K[0]", "Q"),
    "the scores are divided by the root of the number of keys; k is the width of the keys": ("(K[0])", "(K)"),
    "the scores are divided by the root of the width of the values; k is the width of the keys": ("K[", "V["),
    "the scores are multiplied by √k": ("1 / math.sqrt", "math.sqrt"),
    "the mask comes after softmax, so the weights no longer sum to 1": (
        (ADD_MASK, ""),
        (SOFTMAX, SOFTMAX + MASK_WEIGHTS),
    ),
    "the mask comes after softmax: a row whose other weights became 0 cannot be divided by its sum": (
        (ADD_MASK, ""),
        (
            SOFTMAX,
            SOFTMAX + MASK_WEIGHTS + "    weights = [[w / sum(row) for w in row] for row in weights]\n",
        ),
    ),
    "the mask is added to the weights, after softmax; add it to the scores": (
        (ADD_MASK, ""),
        (SOFTMAX, SOFTMAX + ADD_MASK.replace("scores", "weights")),
    ),
    "the scores are multiplied by the mask; add it": (
        ("add(scores, mask)", "[[s * m for s, m in zip(*rows)] for rows in zip(scores, mask)]"),
    ),
    "the weights are multiplied by the transpose of V (`linear` transposes, too); use `matmul` and V": (
        ("matmul(w", "linear(w"),
    ),
    "the exponentials are not divided by their sum": (
        ("[softmax(row) for row in scores]", "[[math.exp(s) for s in row] for row in scores]"),
    ),
    "the weights are divided by √k, after softmax; divide the scores": (
        ("1 / math.sqrt(len(K[0]))", "1"),
        (SOFTMAX, f"{SOFTMAX}    weights = scale(weights, 1 / math.sqrt(len(K[0])))\n"),
    ),
    "the largest score gets the whole weight; softmax gives each score a share": (
        ("[softmax(row) for row in scores]", "[[float(s == max(row)) for s in row] for row in scores]"),
    ),
    "softmax is applied to the columns; apply it to each row": (
        ("[softmax(row) for row in scores]", "transpose([softmax(column) for column in transpose(scores)])"),
    ),
    "softmax is applied to the whole matrix; apply it to each row": (SOFTMAX, OVER_ALL),
    "softmax gets the whole matrix; it takes one row": (
        "[softmax(row) for row in scores]",
        "[s - max(scores) for s in scores]",
    ),
    "softmax is left out": ("[softmax(row) for row in scores]", "scores"),
    "the weights average the keys; they must average the values": ("weights, V", "weights, K"),
    "queries and keys are swapped": ("matmul(Q, transpose(K))", "matmul(K, transpose(Q))"),
    "K is not transposed": ("transpose(K)", "K"),
    "the mask is added without a test; if `mask` is None, nothing is added": (
        (ADD_MASK, "    scores = add(scores, mask)\n"),
    ),
    "the attention weights are returned; multiply them by V": ("matmul(weights, V)", "weights"),
    "the attention scores are returned; softmax and the values are missing": ("matmul(weights, V)", "scores"),
}

NOT_LATER = [[0.0, -math.inf, -math.inf], [0.0, 0.0, -math.inf], [0.0, 0.0, 0.0]]
ITSELF_AND_FIRST = [[0.0, -math.inf, -math.inf], [0.0, 0.0, -math.inf], [0.0, -math.inf, 0.0]]

EXERCISES = {
    "03.a": Exercise(my_causal_mask, [[2], [3], [1], [5]], MASK_MISTAKES),
    "03.b": Exercise(
        my_softmax,
        [
            [[5.0, 5.0]],
            [[1.0, 2.0, 3.0]],
            [[5]],
            [[-1.5, 0.25, 2.0, 0.25]],
            [[1000.0, 1001.0]],
            [[-1000.0, -1002.0]],
            [[3.0, -math.inf, 1.0]],
            [[-math.inf, 0.5]],
            [[0.0, 1000.0]],
            [[1000.0, 0.0]],
            [[0.0, 1.5, 2000.0]],
            [[0.0, 2000.0, 2000.0, 0.0]],
            [[2000.0, 0.0, 1.5]],
        ],
        SOFTMAX_MISTAKES,
    ),
    "03.c": Exercise(
        my_attention,
        [
            [[[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]], None],
            [[[1.0, 0.5], [0.0, 2.0]], [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [[10.0], [20.0], [40.0]], None],
            [*draw_inputs(6, (3, 2), (3, 2), (3, 2)), NOT_LATER],
            [*draw_inputs(7, (3, 4), (3, 4), (3, 1)), NOT_LATER],
            [*draw_inputs(8, (2, 3), (4, 3), (4, 2)), None],
            [*draw_inputs(10, (3, 2), (3, 2), (3, 2)), None],
            [*draw_inputs(11, (3, 3), (3, 3), (3, 2)), ITSELF_AND_FIRST],
            [*draw_inputs(12, (2, 3), (2, 3), (2, 2)), [[-1.0, 0.0], [0.5, -2.0]]],
            [*draw_inputs(9, (3, 3), (3, 3), (3, 3), top=90), NOT_LATER],
        ],
        ATTENTION_MISTAKES,
    ),
}
