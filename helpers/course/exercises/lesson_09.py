"""Lesson 09: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import matmul, scale, softmax, transpose
from .exercise import Exercise, draw_inputs


def my_d_logits(logits, targets):
    d_logits = []
    for row, target in zip(logits, targets):
        d_row = softmax(row)
        d_row[target] -= 1
        d_logits.append([d / len(targets) for d in d_row])
    return d_logits


D_LOGITS_MISTAKES = {
    "the factor 1 / n of the mean is left out": ("d / len(targets)", "d"),
    "the factor of the mean is 1 / 4, whatever the number of targets": ("len(targets)", "4"),
    "the mean divides by the length of a row, and not by the number of targets": ("len(targets)", "len(row)"),
    "the mean divides by the number of all logits, and not by the number of targets": (
        ("len(targets)", "(len(targets) * len(row))"),
    ),
    "the factor of the mean is 1 / 2, whatever the number of targets": ("len(targets)", "2"),
    "only the 1 is divided by n: the probabilities have to be divided, too": (
        ("-= 1", "-= 1 / len(targets)"),
        ("d / len(targets)", "d"),
    ),
    "the 1 at the target is not subtracted": ("        d_row[target] -= 1\n", ""),
    "the target's logit is subtracted: its derivative, 1, belongs there": ("-= 1", "-= row[target]"),
    "the 1 at the target is added": ("-= 1", "+= 1"),
    "the sign is wrong": ("d / len", "-d / len"),
    "every row uses the first target": ("zip(logits, targets)", "zip(logits, targets[:1] * len(targets))"),
    "`return` stands in the loop, so there is only the first row": (
        ("    return d_logits", "        return d_logits"),
    ),
    "the logits are used without softmax": ("softmax(row)", "list(row)"),
    "exp(logit) is left out: it is the derivative of Σⱼ exp(logit_j) with respect to a logit": (
        ("softmax(row)", "[1 / sum(map(math.exp, row))] * len(row)"),
    ),
    "Σ adds over the logits of all rows, and not of one row": (
        ("softmax(row)", "[math.exp(x) / sum(math.exp(y) for r in logits for y in r) for x in row]"),
    ),
    "exp is used without the division of softmax": ("softmax(row)", "[math.exp(x) for x in row]"),
    "1 is subtracted after the division by n": ("-= 1", "-= len(targets)"),
    "the entry of the target is 1 − p instead of p − 1": ("[target] -= 1", "[target] = 1 - d_row[target]"),
    "only the target has an entry: the path through log Σⱼ exp(logit_j) is missing": (
        ("softmax(row)", "[0.0] * len(row)"),
    ),
    "the entry of the target is −1: it has the path through log Σⱼ exp(logit_j), too": (
        ("[target] -= 1", "[target] = -1"),
    ),
    "the target's entry has 1/p: this is the derivative with respect to the probability, not the logit": (
        ("d_row[target] -= 1", "d_row[target] = -1 / d_row[target]"),
    ),
    "only the target has an entry, −1/p: the derivative with respect to the probability, not the logit": (
        ("d_row[target] -= 1", "d_row = [-(i == target) / p for i, p in enumerate(d_row)]"),
    ),
    "1 is subtracted from every entry, and not only at the target": (
        ("d_row[target] -= 1", "d_row = [p - 1 for p in d_row]"),
    ),
    "1 is subtracted at every target in each row, and not only at the row's own": (
        ("d_row[target] -= 1", "d_row = [p - (i in targets) for i, p in enumerate(d_row)]"),
    ),
    "1 is subtracted from the target's logit before softmax, and not from its probability": (
        ("d_row = softmax(row)", "d_row = softmax([x - (i == target) for i, x in enumerate(row)])"),
        ("        d_row[target] -= 1\n", ""),
    ),
    "every entry is p·(1 − p)": ("d_row[target] -= 1", "d_row = [p * (1 - p) for p in d_row]"),
    "1 is subtracted one entry before the target": ("d_row[target]", "d_row[target - 1]"),
    "only the entry of the target is filled in": (
        ("d_row[target] -= 1", "d_row = [(p - 1) * (i == target) for i, p in enumerate(d_row)]"),
    ),
}


def my_linear_backward(d_out, X, W):
    d_X = matmul(d_out, W)
    d_W = matmul(transpose(d_out), X)
    d_b = [sum(column) for column in transpose(d_out)]
    return d_X, d_W, d_b


D_W = "matmul(transpose(d_out), X)"
LINEAR_MISTAKES = {
    "d_X is d_out·Wᵀ instead of d_out·W": ("matmul(d_out, W)", "matmul(d_out, transpose(W))"),
    "d_W has the shape [in][out]": (D_W, "matmul(transpose(X), d_out)"),
    "d_b is the mean of the rows of d_out, and not their sum": ("sum(column)", "sum(column) / len(column)"),
    "d_b adds the entries of each row, and not of each column": ("in transpose(d_out)]", "in d_out]"),
    "d_b uses only the first row of d_out": ("sum(column)", "column[0]"),
    "d_W is divided by the number of positions": (D_W, f"scale({D_W}, 1 / len(X))"),
    "everything is divided by the number of positions": (
        (
            "return d_X, d_W, d_b",
            "return scale(d_X, 1 / len(X)), scale(d_W, 1 / len(X)), [d / len(X) for d in d_b]",
        ),
    ),
    "d_W and d_b are divided by the number of positions": (
        (D_W, f"scale({D_W}, 1 / len(X))"),
        ("sum(column)", "sum(column) / len(column)"),
    ),
    "d_W is the product of two sums, and not the sum of products": (
        (D_W, "[[sum(d) * sum(x) for x in transpose(X)] for d in transpose(d_out)]"),
    ),
    "the local derivatives are returned, without the incoming gradient": (
        ("return d_X, d_W, d_b", "return W, X, [1.0] * len(W)"),
    ),
    "d_W uses only the first position": (D_W, "matmul(transpose(d_out[:1]), X[:1])"),
    "d_W uses only the last position": (D_W, "matmul(transpose(d_out[-1:]), X[-1:])"),
    "d_b is 1 for every entry; the incoming gradient is left out": ("sum(column)", "1.0"),
    "d_W has the wrong sign": (D_W, f"scale({D_W}, -1)"),
    "d_W is computed with W instead of X": (D_W, "matmul(transpose(d_out), [W[0]] * len(d_out))"),
    "the transpose of d_out is missing in d_W": (D_W, "matmul(d_out, X)"),
    "d_b is d_out itself: the bias is used at every position, so its gradients are added": (
        ("[sum(column) for column in transpose(d_out)]", "d_out"),
    ),
    "d_X adds the rows of W; the incoming gradient is left out": (
        ("matmul(d_out, W)", "[[sum(column) for column in transpose(W)] for _ in X]"),
    ),
    "d_W adds the rows of X; the incoming gradient is left out": (
        (D_W, "[[sum(column) for column in transpose(X)] for _ in W]"),
    ),
    "d_X and d_W are swapped": ("return d_X, d_W", "return d_W, d_X"),
    "d_W and d_b are swapped": ("return d_X, d_W, d_b", "return d_X, d_b, d_W"),
}


EXERCISES = {
    "09.a": Exercise(
        my_d_logits,
        [
            [[[1.0, 0.0, 2.0], [0.5, 0.5, 0.0]], [2, 0]],
            [[[math.log(2), 0.0, 0.0], [0.0, 0.0, math.log(2)]], [1, 2]],
            [[[0.0, 0.0]], [1]],
            [*draw_inputs(50, (3, 4)), [3, 0, 3]],
            [*draw_inputs(51, (4, 3)), [1, 1, 0, 2]],
            [[[1000.0, 1000.0, 0.0]], [1]],
            [[[0.0, 1000.0, 990.0], [-1000.0, -999.0, -1001.0]], [0, 0]],
        ],
        D_LOGITS_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
        wants_formula_for=("cross_entropy", "token_losses", "my_token_loss"),
    ),
    "09.b": Exercise(
        my_linear_backward,
        [
            [[[1.0, 2.0]], [[3.0, 4.0]], [[10.0, 20.0], [0.0, 10.0]]],
            [[[1.0], [2.0]], [[3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0]]],
            draw_inputs(52, (2, 3), (2, 2), (3, 2)),
            draw_inputs(53, (3, 2), (3, 2), (2, 2)),
            draw_inputs(49, (2, 2), (2, 2), (2, 2)),
        ],
        LINEAR_MISTAKES,
        tolerance=1e-6,
        parts=("d_X", "d_W", "d_b"),
        answer_may_be_told=True,
    ),
}
