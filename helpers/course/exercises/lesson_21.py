"""Lesson 21: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import random

from .exercise import Exercise


def my_induction_score(weights, n):
    T = len(weights)
    return sum(weights[t][t - n + 1] for t in range(n, T)) / (T - n)


WEIGHT = "weights[t][t - n + 1]"
SCORE_MISTAKES = {
    "the weight of the earlier copy itself is taken; take the one of the token after it": ("- n + 1", "- n"),
    "the weight of the token before the earlier copy is taken, not of the one after it": (" - n +", " - n -"),
    "the weight of the token two after the earlier copy is taken": ("t - n + 1", "t - n + 2"),
    "rows and columns are exchanged: in weights[t][s], t attends to s": (WEIGHT, "weights[t - n + 1][t]"),
    "the sum is not divided by the number of tokens": (" / (T - n)", ""),
    "the sum is divided by all T tokens; only T - n have an earlier copy": ("(T - n)", "T"),
    "the sum is divided by T - n + 1; T - n tokens have an earlier copy": ("(T - n)", "(T - n + 1)"),
    "the sum is divided by n; T - n tokens have an earlier copy": ("(T - n)", "n"),
    "t starts one token too early: the first token with an earlier copy is token n": (
        ("range(n, T)", "range(n - 1, T)"),
        ("(T - n)", "(T - n + 1)"),
    ),
    "the result is in percent": ("return sum", "return 100 * sum"),
    "the first token that has an earlier copy is left out: t starts at n": (
        ("range(n, T)", "range(n + 1, T)"),
        ("(T - n)", "(T - n - 1)"),
    ),
    "the last token is left out: t goes to T - 1": (("(n, T)", "(n, T - 1)"), ("(T - n)", "(T - n - 1)")),
    "all earlier copies are counted": (WEIGHT, "sum(weights[t][s + 1] for s in range(t - n, -1, -n))"),
    "it counts how often this weight is the largest": (WEIGHT, f"({WEIGHT} == max(weights[t]))"),
    "this is the previous-token score: t - 1, and not t - n + 1": (
        ("t - n + 1", "t - 1"),
        ("range(n, T)", "range(1, T)"),
        ("(T - n)", "(T - 1)"),
    ),
    "this is the previous-token score over the repeats: t - 1, and not t - n + 1": ("t - n + 1", "t - 1"),
    "the largest of the weights is taken, and not their mean": (("sum(", "max("), (" / (T - n)", "")),
}


def my_ablation(head, name, rows):
    if name == head:
        return [[0.0] * len(row) for row in rows]
    return rows


THIS_HEAD, ZEROS = "name == head", "[[0.0] * len(row) for row in rows]"
ABLATION_MISTAKES = {
    "every activation becomes 0; only the rows of this head do": (THIS_HEAD, "True"),
    "all other activations become 0, and this head stays": (THIS_HEAD, "name != head"),
    "nothing changes; return zeros where name is the head": (THIS_HEAD, "False"),
    "the stream after the block becomes 0, too: compare the whole name": (THIS_HEAD, "head.startswith(name)"),
    "a name that begins with this one becomes 0: compare the whole name": (" == head", ".startswith(head)"),
    "the whole block becomes 0: compare the whole name, such as 0.1": (THIS_HEAD, "name[0] == head[0]"),
    "the head of this number becomes 0 in every block": (THIS_HEAD, "name[-1] == head[-1]"),
    "the rows become 1; what adds nothing is 0": ("0.0", "1.0"),
    "only the first row becomes 0, and not all rows": (ZEROS, "[[0.0] * len(rows[0]), *rows[1:]]"),
    "only the last row becomes 0, and not all rows": (ZEROS, "[*rows[:-1], [0.0] * len(rows[-1])]"),
}


def my_patch(saved, target, position, name, rows):
    if name != target:
        return rows
    return [*rows[:position], saved[target][position], *rows[position + 1 :]]


NEW_ROW, AFTER = "saved[target][position]", "*rows[position + 1 :]"
PATCHED = f"[*rows[:position], {NEW_ROW}, {AFTER}]"
BOTH_ROWS = f"for a, b in zip(rows[position], {NEW_ROW})"
PATCH_MISTAKES = {
    "all rows are replaced; replace the one at this position": (PATCHED, "saved[target]"),
    "the row is added; it takes the place of the old one": (NEW_ROW, f"[a + b {BOTH_ROWS}]"),
    "every name is patched; patch only where name is target": (
        ("name != target", "name not in saved"),
        ("saved[target]", "saved[name]"),
    ),
    "other activations get the row, too; patch only where name is target": ("name != target", "False"),
    "the given list is changed": (f"return {PATCHED}", f"rows[position] = {NEW_ROW}\n    return rows"),
    "nothing changes; where name is target, one row comes from saved": (PATCHED, "rows"),
    "all rows up to this position are replaced": (PATCHED, f"[*saved[target][: position + 1], {AFTER}]"),
    "all rows from this position on are replaced": (PATCHED, "[*rows[:position], *saved[target][position:]]"),
    "all other rows are replaced, and this one stays": (
        (PATCHED, "[*saved[target][:position], rows[position], *saved[target][position + 1 :]]"),
    ),
    "the row becomes 0, as in an ablation; take the row of saved": (NEW_ROW, "[0.0] * len(rows[position])"),
    "the first row of saved is taken; take the one at this position": (NEW_ROW, "saved[target][0]"),
    "the last row of saved is taken; take the one at this position": (NEW_ROW, "saved[target][-1]"),
    "the mean of both rows is taken; take the row of saved": (NEW_ROW, f"[(a + b) / 2 {BOTH_ROWS}]"),
    "the row is removed; the one of saved takes its place": (f"{NEW_ROW}, ", ""),
    "the row is inserted, so that there is one more; it takes the place of the old one": (" + 1 :", ":"),
    "only the new row is returned; return all rows": (PATCHED, f"[{NEW_ROW}]"),
    "the row before this position is replaced; positions count from 0": (
        (PATCHED, f"[{NEW_ROW} if i == position - 1 else row for i, row in enumerate(rows)]"),
    ),
    "the row before this position comes from saved; positions count from 0": (
        (PATCHED, "[saved[target][i] if i == position - 1 else row for i, row in enumerate(rows)]"),
    ),
    "the row after this position is replaced; positions count from 0": (
        (PATCHED, f"[{NEW_ROW} if i == position + 1 else row for i, row in enumerate(rows)]"),
    ),
}


def draw_attention(T, seed):
    """Attention weights with two decimals: each row sums to 1, and has nothing above the diagonal."""
    rng, rows = random.Random(seed), []
    for t in range(T):
        cuts = sorted(rng.randint(0, 100) for _ in range(t))
        parts = [(b - a) / 100 for a, b in zip([0, *cuts], [*cuts, 100])]
        rows.append([*parts, *[0.0] * (T - t - 1)])
    return rows


SMALL = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.5, 0.5, 0.0, 0.0, 0.0],
    [0.1, 0.9, 0.0, 0.0, 0.0],
    [0.2, 0.6, 0.1, 0.1, 0.0],
    [0.0, 0.1, 0.7, 0.1, 0.1],
]
A = {"0": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "0.1": [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]}
B = [[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]]

EXERCISES = {
    "21.a": Exercise(
        my_induction_score,
        [[SMALL, 3], [draw_attention(7, 1), 3], [draw_attention(9, 2), 2], [draw_attention(12, 3), 5]],
        SCORE_MISTAKES,
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
        ABLATION_MISTAKES,
    ),
    "21.c": Exercise(
        my_patch,
        [
            [{"0.1": A["0.1"]}, "0.1", 1, "0.1", B],
            [A, "0.1", 1, "0", B],
            [A, "0", 0, "0", B],
            [A, "0", 2, "0", B],
            [A, "0", 2, "0.1", B],
            [A, "0", 2, "1.0", B],
        ],
        PATCH_MISTAKES,
    ),
}
