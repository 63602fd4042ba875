"""Lesson 21: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import random

from ..lessons.lesson_21_circuits import ablation, induction_score, patch
from .exercise import Exercise


def my_induction_score(weights, n):
    return induction_score(weights, n)


def _score(shift=1, start=0, end=0, divide="rows", turned=False):
    """my_induction_score with something done otherwise."""

    def score(weights, n):
        T = len(weights)
        places = [(t, t - n + shift) for t in range(n + start, T - end)]
        found = [weights[s][t] if turned else weights[t][s] for t, s in places]
        return sum(found) / {"rows": len(found), "all": T, "period": n, "none": 1}[divide]

    return score


def _any_copy(weights, n):
    """Attention to the tokens after all earlier copies."""
    rows = [sum(weights[t][s + 1] for s in range(t - n, -1, -n)) for t in range(n, len(weights))]
    return sum(rows) / len(rows)


def _largest(weights, n):
    """How often the token after the earlier copy gets the largest weight."""
    rows = [weights[t][t - n + 1] == max(weights[t]) for t in range(n, len(weights))]
    return sum(rows) / len(rows)


def my_ablation(head, name, rows):
    return ablation(head)(name, rows)


def my_patch(saved, target, position, name, rows):
    return patch(target, position, saved)(name, rows)


def _everywhere(saved, target, position, name, rows):
    if name not in saved:
        return rows
    return [*rows[:position], saved[name][position], *rows[position + 1 :]]


def _always(saved, target, position, name, rows):
    return [*rows[:position], saved[target][position], *rows[position + 1 :]]


def _in_place(saved, target, position, name, rows):
    if name == target:
        rows[position] = saved[target][position]
    return rows


def _patched(change):
    """my_patch with the rows of the right activation changed otherwise."""
    return lambda saved, target, position, name, rows: (
        change(saved[target], position, rows) if name == target else rows
    )


def _attention(T, seed):
    """Attention weights with two decimals: each row sums to 1, and has nothing above the diagonal."""
    rng, rows = random.Random(seed), []
    for t in range(T):
        cuts = sorted(rng.randint(0, 100) for _ in range(t))
        parts = [(b - a) / 100 for a, b in zip([0, *cuts], [*cuts, 100])]
        rows.append([*parts, *[0.0] * (T - t - 1)])
    return rows


_SMALL = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.5, 0.5, 0.0, 0.0, 0.0],
    [0.1, 0.9, 0.0, 0.0, 0.0],
    [0.2, 0.6, 0.1, 0.1, 0.0],
    [0.0, 0.1, 0.7, 0.1, 0.1],
]
_A = {"0": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "0.1": [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]}
_B = [[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]]

EXERCISES = {
    "21.a": Exercise(
        my_induction_score,
        [[_SMALL, 3], [_attention(7, 1), 3], [_attention(9, 2), 2], [_attention(12, 3), 5]],
        mistakes={
            "the weight of the earlier copy itself is taken; take the one of the token after it": _score(0),
            "the weight of the token before the earlier copy is taken, not of the one after it": _score(-1),
            "the weight of the token two after the earlier copy is taken": _score(2),
            "rows and columns are exchanged: weights[t][s] is how much t attends to s": _score(turned=True),
            "the sum is not divided by the number of tokens": _score(divide="none"),
            "the sum is divided by all T tokens; only T - n have an earlier copy": _score(divide="all"),
            "the sum is divided by n; T - n tokens have an earlier copy": _score(divide="period"),
            "t starts one token too early: the first token with an earlier copy is token n": _score(start=-1),
            "the result is in percent": lambda w, n: 100 * my_induction_score(w, n),
            "the first token that has an earlier copy is left out: t starts at n": _score(start=1),
            "the last token is left out: t goes to T - 1": _score(end=1),
            "all earlier copies are counted; count the one that is n tokens back": _any_copy,
            "it counts how often this weight is the largest; take the mean of the weights": _largest,
            "this is the previous-token score: t - 1, and not t - n + 1": lambda w, n: (
                sum(w[t][t - 1] for t in range(1, len(w))) / (len(w) - 1)
            ),
            "this is the previous-token score over the repeats: t - 1, and not t - n + 1": lambda w, n: (
                sum(w[t][t - 1] for t in range(n, len(w))) / (len(w) - n)
            ),
            "the largest of the weights is taken, and not their mean": lambda w, n: max(
                w[t][t - n + 1] for t in range(n, len(w))
            ),
        },
    ),
    "21.b": Exercise(
        my_ablation,
        [
            ["0.1", "0.1", [[1.0, 2.0], [3.0, 4.0]]],
            ["0.1", "0.0", [[1.0, 2.0], [3.0, 4.0]]],
            ["0.1", "1.1", [[1.0, 2.0], [3.0, 4.0]]],
            ["0.1", "0", [[1.0, 2.0], [3.0, 4.0]]],
            ["1.0", "1.0", [[0.5, -1.0, 2.0]]],
            ["1.0", "1", [[0.5, -1.0, 2.0]]],
            ["1.0", "0.1", [[0.5, -1.0, 2.0]]],
            ["1.1", "1.10", [[0.5, -1.0, 2.0]]],
        ],
        mistakes={
            "every activation becomes 0; only the rows of this head do": lambda head, name, rows: [
                [0.0] * len(row) for row in rows
            ],
            "all other activations become 0, and this head stays": lambda head, name, rows: (
                rows if name == head else [[0.0] * len(row) for row in rows]
            ),
            "nothing changes; return zeros where name is the head": lambda head, name, rows: rows,
            "the stream after the block becomes 0 as well: compare the whole name": lambda head, name, rows: (
                [[0.0] * len(row) for row in rows] if head.startswith(name) else rows
            ),
            "a name that begins with this one becomes 0: compare the whole name": lambda head, name, rows: (
                [[0.0] * len(row) for row in rows] if name.startswith(head) else rows
            ),
            "the whole block becomes 0: compare the whole name, such as 0.1": lambda head, name, rows: (
                [[0.0] * len(row) for row in rows] if name[0] == head[0] else rows
            ),
            "the head of this number becomes 0 in every block": lambda head, name, rows: (
                [[0.0] * len(row) for row in rows] if name[-1] == head[-1] else rows
            ),
            "the rows become 1; what adds nothing is 0": lambda head, name, rows: (
                [[1.0] * len(row) for row in rows] if name == head else rows
            ),
            "only the first row becomes 0, and not all rows": lambda head, name, rows: (
                [[0.0] * len(rows[0]), *rows[1:]] if name == head else rows
            ),
            "only the last row becomes 0, and not all rows": lambda head, name, rows: (
                [*rows[:-1], [0.0] * len(rows[-1])] if name == head else rows
            ),
        },
    ),
    "21.c": Exercise(
        my_patch,
        [
            [{"0.1": _A["0.1"]}, "0.1", 1, "0.1", _B],
            [_A, "0.1", 1, "0", _B],
            [_A, "0", 0, "0", _B],
            [_A, "0", 2, "0", _B],
            [_A, "0", 2, "0.1", _B],
            [_A, "0", 2, "1.0", _B],
        ],
        mistakes={
            "all rows are replaced; replace the one at this position": _patched(lambda s, t, rows: s),
            "the row is added; it takes the place of the old one": _patched(
                lambda s, t, rows: [*rows[:t], [a + b for a, b in zip(rows[t], s[t])], *rows[t + 1 :]]
            ),
            "every name is patched; patch only where name is target": _everywhere,
            "other activations get the row of target as well; patch only where name is target": _always,
            "the given list is changed: build a new one with [*rows[:position], ...]": _in_place,
            "nothing changes; where name is target, one row comes from saved": _patched(
                lambda s, t, rows: rows
            ),
            "the rows up to this position are replaced; replace one": _patched(
                lambda s, t, rows: [*s[: t + 1], *rows[t + 1 :]]
            ),
            "the rows from this position on are replaced; replace one": _patched(
                lambda s, t, rows: [*rows[:t], *s[t:]]
            ),
            "all other rows are replaced, and this one stays": _patched(
                lambda s, t, rows: [*s[:t], rows[t], *s[t + 1 :]]
            ),
            "the row becomes 0, which is an ablation; take the row of saved": _patched(
                lambda s, t, rows: [*rows[:t], [0.0] * len(rows[t]), *rows[t + 1 :]]
            ),
            "the first row of saved is taken; take the one at this position": _patched(
                lambda s, t, rows: [*rows[:t], s[0], *rows[t + 1 :]]
            ),
            "the last row of saved is taken; take the one at this position": _patched(
                lambda s, t, rows: [*rows[:t], s[-1], *rows[t + 1 :]]
            ),
            "the mean of both rows is taken; the row of saved takes the place of the old one": _patched(
                lambda s, t, rows: [*rows[:t], [(a + b) / 2 for a, b in zip(rows[t], s[t])], *rows[t + 1 :]]
            ),
            "the row is removed; the one of saved takes its place": _patched(
                lambda s, t, rows: [*rows[:t], *rows[t + 1 :]]
            ),
            "the row is inserted, so that there is one more; it takes the place of the old one": _patched(
                lambda s, t, rows: [*rows[:t], s[t], *rows[t:]]
            ),
            "only the new row is returned; return all rows": _patched(lambda s, t, rows: [s[t]]),
            "the row before this position is replaced; positions count from 0": _patched(
                lambda s, t, rows: [s[t] if i == t - 1 else row for i, row in enumerate(rows)]
            ),
            "the row before this position comes from saved; positions count from 0": _patched(
                lambda s, t, rows: [s[i] if i == t - 1 else row for i, row in enumerate(rows)]
            ),
            "the row after this position is replaced; positions count from 0": _patched(
                lambda s, t, rows: [s[t] if i == t + 1 else row for i, row in enumerate(rows)]
            ),
        },
    ),
}
