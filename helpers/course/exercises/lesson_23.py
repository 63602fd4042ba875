"""Lesson 23: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs


def my_online_step(m, s, a, scores, values):
    new_m = max(m, *scores)
    old = s * math.exp(m - new_m)
    weights = [math.exp(score - new_m) for score in scores]
    new_s = old + sum(weights)
    sums = [sum(w * x for w, x in zip(weights, column)) for column in zip(*values)]
    return new_m, new_s, [(old * x + y) / new_s for x, y in zip(a, sums)]


OLD, NEW_AVERAGE = "old = s * math.exp(m - new_m)", "[(old * x + y) / new_s for x, y in zip(a, sums)]"
ONLINE_MISTAKES = {
    "the running sum is not rescaled when a larger score comes": (OLD, "old = s"),
    "the running sum is rescaled, and the old average counts as if it were not": (
        NEW_AVERAGE,
        "[(s * x + y) / new_s for x, y in zip(a, sums)]",
    ),
    "the old results are multiplied by exp(new m − old m), the inverse of the factor": (
        "math.exp(m - new_m)",
        "(math.exp(new_m - m) if s else 0.0)",
    ),
    "the old sum is forgotten: the result is that of the new piece alone": (OLD, "old = 0.0"),
    "the largest score is that of the new piece, also where an earlier one was larger": (
        "max(m, *scores)",
        "max(scores)",
    ),
    "the running results keep the old m": ("return new_m", "return m"),
    "nothing is subtracted from the new scores": ("score - new_m", "score"),
    "the old m is subtracted from the new scores": ("score - new_m", "score - (m if s else new_m)"),
    "the average is not divided by the sum": (" / new_s for", " for"),
    "the average is divided by the new weights alone": (" / new_s for", " / sum(weights) for"),
    "the old average is not multiplied by the old sum": ("(old * x + y)", "(math.exp(m - new_m) * x + y)"),
    "all values have the same weight": ("w * x for w, x", "x for w, x"),
    "the old average is added to the average of the piece": (
        NEW_AVERAGE,
        "[x + y / sum(weights) for x, y in zip(a, sums)]",
    ),
    "the average is the mean of the old one and that of the piece": (
        NEW_AVERAGE,
        "[(x + y / sum(weights)) / 2 for x, y in zip(a, sums)]",
    ),
    "the old average is forgotten, and only its sum is kept": (NEW_AVERAGE, "[y / new_s for y in sums]"),
    "a is kept as a sum: it must be multiplied by the old s, and divided by the new one": (
        NEW_AVERAGE,
        "[math.exp(m - new_m) * x + y for x, y in zip(a, sums)]",
    ),
}


def my_rule(p, q, token):
    accept = min(1.0, p[token] / q[token])
    missing = [max(a - b, 0.0) for a, b in zip(p, q)]
    return accept, [m / sum(missing) for m in missing]


ACCEPT, AFTER = "min(1.0, p[token] / q[token])", "[m / sum(missing) for m in missing]"
RULE_MISTAKES = {
    "after a rejection a token is drawn from p: then the tokens with q > p come too often": (AFTER, "p"),
    "after a rejection a token is drawn from q": (AFTER, "q"),
    "after a rejection a token is drawn from p without the rejected token": (
        AFTER,
        "[0.0 if i == token else a / (1 - p[token]) for i, a in enumerate(p)]",
    ),
    "p is returned where this token is never rejected, although other tokens may be": (
        AFTER,
        f"({AFTER} if accept < 1 else p)",
    ),
    "zeros are returned where this token is never rejected, although other tokens may be": (
        AFTER,
        f"({AFTER} if accept < 1 else [0.0] * len(p))",
    ),
    "all tokens with p > q get the same probability": (
        AFTER,
        "[(a > b) / sum(x > y for x, y in zip(p, q)) for a, b in zip(p, q)]",
    ),
    "the tokens with p > q keep the ratios of p, and not of what is missing": (
        AFTER,
        "[a * (a > b) / sum(x for x, y in zip(p, q) if x > y) for a, b in zip(p, q)]",
    ),
    "the missing probabilities are divided by 1 − the probability of accepting, and not by their sum": (
        "m / sum(missing)",
        "m / ((1 - accept) or 1)",
    ),
    "the missing probabilities do not sum to 1: divide them by their sum": (" / sum(missing)", ""),
    "abs() gives tokens with q > p a missing probability, and they have none": (
        "max(a - b, 0.0)",
        "abs(a - b)",
    ),
    "negative differences stay: a probability is at least 0": ("max(a - b, 0.0)", "(a - b)"),
    "the difference is q − p: it is largest for the tokens that come too often": ("a - b", "b - a"),
    "a draft is accepted with probability p, although it was drafted with probability q": (
        ACCEPT,
        "p[token]",
    ),
    "the fraction is q / p": ("p[token] / q[token]", "q[token] / p[token]"),
    "the fraction p / q can be above 1, and a probability cannot": (ACCEPT, "p[token] / q[token]"),
    "all other tokens get the same probability after a rejection": (
        AFTER,
        "[(i != token) / (len(p) - 1) for i in range(len(p))]",
    ),
    "all other tokens get 1 after a rejection, and a distribution sums to 1": (
        AFTER,
        "[float(i != token) for i in range(len(p))]",
    ),
    "only the token that misses most is drawn after a rejection; others with p > q miss something, too": (
        AFTER,
        "[float(m == max(missing)) for m in missing]",
    ),
    "no draft is ever accepted: as many as possible must be": (ACCEPT, "0.0"),
    "every draft is accepted: then the tokens have the probabilities q": (ACCEPT, "1.0"),
    "a draft is accepted only if it is at least as probable under p as under q": (
        ACCEPT,
        "float(p[token] >= q[token])",
    ),
    "the probability of a rejection is returned": (ACCEPT, f"1 - {ACCEPT}"),
}


rule = my_rule  # as the lesson calls it


def my_check(draft, p, q, u):
    for i, token in enumerate(draft):
        accept, rest = rule(p[i], q[i], token)
        if u[i] >= accept:
            return draft[:i], rest
    return draft, p[len(draft)]


REJECTED = "return draft[:i], rest"
CHECK_MISTAKES = {
    "the rejected token is kept": ("draft[:i], rest", "draft[: i + 1], rest"),
    "the tokens after the rejected one are kept": ("draft[:i], rest", "draft[:i] + draft[i + 1 :], rest"),
    "after a rejection the next token is drawn from p": ("draft[:i], rest", "draft[:i], p[i]"),
    "after a rejection the next token is drawn from the model's distribution one place later": (
        "draft[:i], rest",
        "draft[:i], p[i + 1]",
    ),
    "after the last draft the distribution is that of the last draft: p has one row more": (
        "p[len(draft)]",
        "p[len(draft) - 1]",
    ),
    "a draft is accepted where u[i] is above the probability, and not below it": (
        "u[i] >= accept",
        "u[i] < accept",
    ),
    "a draft is accepted where u[i] is equal to the probability, and not below it": (
        "u[i] >= accept",
        "u[i] > accept",
    ),
    "after a rejection the next token is drawn from q": ("draft[:i], rest", "draft[:i], q[i]"),
    "after the last draft the distribution is that after a rejection": ("p[len(draft)]", "rest"),
    "all drafts are kept": (REJECTED, "pass"),
    "one rejection rejects the whole draft": ("draft[:i], rest", "[], rest"),
    "every draft is compared with the first random number": ("u[i] >=", "u[0] >="),
    "a draft is compared with the row of p after it: row i belongs to draft i": (
        "rule(p[i],",
        "rule(p[i + 1],",
    ),
    "every draft is compared with the first row of p": ("rule(p[i],", "rule(p[0],"),
    "every draft is compared with the first row of q": ("q[i], token", "q[0], token"),
    "p and q are exchanged": ("rule(p[i], q[i],", "rule(q[i], p[i],"),
}


def draw_rows(seed, n, V):
    """n distributions over V tokens, in sixteenths and more."""
    rows = draw_inputs(seed, (n, V))[0]
    weights = [[abs(x) + 0.25 for x in row] for row in rows]
    return [[w / sum(row) for w in row] for row in weights]


FOUR, OTHER, EVEN = [0.1, 0.4, 0.3, 0.2], [0.4, 0.1, 0.2, 0.3], [0.25] * 4

EXERCISES = {
    "23.a": Exercise(
        my_online_step,
        [
            [0.0, 1.0, [10.0], [math.log(3)], [[30.0]]],
            [-math.inf, 0.0, [0.0], [2.0, 2.0], [[1.0], [3.0]]],
            [2.0, 1.5, [1.0, -2.0], [1.0, 0.5], [[4.0, 0.0], [2.0, 6.0]]],
            [0.5, 1.25, [3.0], [1.0, -math.inf, 2.0], [[1.0], [9.0], [5.0]]],
            [1000.0, 2.0, [1.0], [1001.0, 999.0], [[2.0], [7.0]]],
            [-math.inf, 0.0, [0.0], [-1000.0, -1001.0], [[2.0], [7.0]]],
            [0.25, 2.5, *draw_inputs(231, (3,), (4,), (4, 3))],
        ],
        ONLINE_MISTAKES,
        parts=("m", "s", "a"),
    ),
    "23.b": Exercise(
        my_rule,
        [
            [[0.5, 0.5], [0.8, 0.2], 0],
            [[0.5, 0.5], [0.8, 0.2], 1],
            [FOUR, OTHER, 0],
            [FOUR, OTHER, 1],
            [OTHER, FOUR, 1],
            [*draw_rows(232, 2, 5), 2],
        ],
        RULE_MISTAKES,
        parts=("the probability of accepting", "the distribution after a rejection"),
    ),
    "23.c": Exercise(
        my_check,
        [
            [[0], [[0.5, 0.5], [0.25, 0.75]], [[0.8, 0.2]], [0.7]],
            [[0], [[0.5, 0.5], [0.25, 0.75]], [[0.8, 0.2]], [0.6]],
            [[1], [[0.75, 0.25], [0.5, 0.5]], [[0.5, 0.5]], [0.5]],  # u is equal to the probability
            [[1, 0, 3], [FOUR, FOUR, EVEN, FOUR], [OTHER, OTHER, OTHER], [0.9, 0.2, 0.5]],
            [[1, 0, 3], [FOUR, FOUR, EVEN, FOUR], [OTHER, OTHER, OTHER], [0.9, 0.3, 0.5]],
            [[2, 1, 3], [OTHER, FOUR, FOUR, OTHER], [FOUR, OTHER, OTHER], [0.5, 0.9, 0.7]],
            [[0, 2], draw_rows(233, 3, 3), draw_rows(234, 2, 3), [0.05, 0.95]],
        ],
        CHECK_MISTAKES,
        parts=("the accepted tokens", "the distribution of the next token"),
    ),
}
