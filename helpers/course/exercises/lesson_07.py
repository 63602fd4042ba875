"""Lessons 07 and 07b: solutions, inputs and known mistakes of exercises. Reading on gives answers away."""

import math

from ... import add, dot, layer_norm
from .exercise import Exercise, Shown, draw_inputs, from_source


def my_norm_row(row, gamma, beta, eps):
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    std = math.sqrt(variance + eps)
    return [g * (x - mean) / std + b for x, g, b in zip(row, gamma, beta)]


NORM_MISTAKES = {
    "the variance divides by n − 1": ("for x in row) / len(row)", "for x in row) / (len(row) - 1)"),
    "the sum of the squared distances is not divided by n": ("for x in row) / len(row)", "for x in row)"),
    "the mean of the distances is used instead of the mean of their squares": (
        ("(x - mean) ** 2", "abs(x - mean)"),
    ),
    "the mean of the distances takes the place of the standard deviation": (
        ("(x - mean) ** 2", "abs(x - mean)"),
        ("math.sqrt(variance + eps)", "variance + eps"),
    ),
    "the mean is rounded down: `//` divides without a fraction": ("sum(row) /", "sum(row) //"),
    "the variance is rounded down: `//` divides without a fraction": (
        ("for x in row) / len(row)", "for x in row) // len(row)"),
    ),
    "the variance is always 0: square each distance first, then add the squares": (
        ("sum((x - mean) ** 2 for x in row)", "sum(x - mean for x in row) ** 2"),
    ),
    "each entry is treated as a row: `row` is one row, and the result is one row": (
        ("    mean = sum(row)", "    row = [sum(x) / len(x) for x in row]\n    mean = sum(row)"),
    ),
    "the length of row[0] is taken: `row` is one row, so row[0] is a number": (
        ("    mean = sum(row)", "    n = len(row[0])\n    mean = sum(row)"),
    ),
    "eps is added after the root instead of inside it": (" + eps)", ") + eps"),
    "eps is added to the standard deviation, and then the root is taken again": (
        ("math.sqrt(variance + eps)", "math.sqrt(math.sqrt(variance) + eps)"),
    ),
    "eps is forgotten": (" + eps", ""),
    "eps is fixed at 1e-5 instead of the given value": ("+ eps", "+ 1e-5"),
    "the mean is subtracted in the variance, but not from x": ("g * (x - mean)", "g * x"),
    "the variance is the mean of the squares: the mean is not subtracted before squaring": (
        ("(x - mean) ** 2", "x**2"),
    ),
    "the mean is never subtracted: that is RMSNorm with a shift": ("sum(row) / len(row)", "0.0"),
    "gamma multiplies beta, too": ("+ b ", "+ g * b "),
    "beta is forgotten": ("+ b ", ""),
    "gamma[0] and beta[0] are used for every column": (("g * ", "gamma[0] * "), ("+ b ", "+ beta[0] ")),
    "gamma and beta are forgotten": (("g * (x - mean)", "(x - mean)"), ("+ b ", "")),
    "gamma is forgotten": ("g * (x - mean)", "(x - mean)"),
    "gamma and beta are exchanged": ("gamma, beta)]", "beta, gamma)]"),
    "the row is divided by the variance instead of its root": ("math.sqrt(variance + eps)", "variance + eps"),
    "only the mean is divided by std: brackets are missing around x - mean": (
        "g * (x - mean)",
        "g * x - mean",
    ),
    "gamma multiplies x before the mean is subtracted": ("g * (x - mean)", "(g * x - mean)"),
    "beta is added to std: brackets are wrong": ("/ std + b", "/ (std + b)"),
    "x is subtracted from the mean, so the signs are reversed": ("g * (x - mean)", "g * (mean - x)"),
    "beta is subtracted": ("+ b ", "- b "),
    "eps is squared": ("+ eps", "+ eps**2"),
    "eps is added twice, inside the root and after it": (" + eps)", " + eps) + eps"),
    "the variance is the mean of the squares minus the mean: subtract the square of the mean": (
        ("sum((x - mean) ** 2 for x in row) / len(row)", "sum(x * x for x in row) / len(row) - mean"),
    ),
    "x is divided by gamma": ("g * (x - mean)", "(x - mean) / g"),
    "the variance is divided by 4, the length of the example, instead of len(row)": (
        ("for x in row) / len(row)", "for x in row) / 4"),
    ),
    "both sums are divided by 4, the length of the example, instead of len(row)": (
        ("sum(row) / len(row)", "sum(row) / 4"),
        ("for x in row) / len(row)", "for x in row) / 4"),
    ),
    "a row of equal entries becomes 0: eps prevents the division by 0, and beta is still added": (
        ("    std =", "    if variance == 0:\n        return [0.0] * len(row)\n    std ="),
    ),
    "the result is a matrix with one row: return the row itself": (
        ("return [", "return [["),
        ("beta)]", "beta)]]"),
    ),
}


def my_residual(X, layer):
    return add(X, layer(X))


RESIDUAL = "add(X, layer(X))"
RESIDUAL_MISTAKES = {
    "the input is not added to the output of the layer": (RESIDUAL, "layer(X)"),
    "the layer gets the input twice: the input has to be added after the layer": (
        RESIDUAL,
        "layer(add(X, X))",
    ),
    "the output of the layer is added twice, and the input not at all": (RESIDUAL, "add(layer(X), layer(X))"),
    "the input is added twice": (RESIDUAL, "add(add(X, X), layer(X))"),
    "the layer is applied twice": (RESIDUAL, "add(X, layer(layer(X)))"),
    "the sum is divided by 2": (RESIDUAL, "[[x / 2 for x in row] for row in add(X, layer(X))]"),
    "the two lists of rows are joined with +, and their numbers are not added": (RESIDUAL, "X + layer(X)"),
    "only the rows of the input are returned": (RESIDUAL, "X"),
    "the input is added to itself, and the layer is not used": (RESIDUAL, "add(X, X)"),
    "the output of the layer is subtracted": (
        RESIDUAL,
        "[[a - b for a, b in zip(*p)] for p in zip(X, layer(X))]",
    ),
    "the layer gets the finished sum, and its input is not added": (RESIDUAL, "layer(add(X, layer(X)))"),
    "the input is subtracted from the output of the layer: it has to be added": (
        RESIDUAL,
        "[[b - a for a, b in zip(*p)] for p in zip(X, layer(X))]",
    ),
    "the layer gets the finished sum: it has to get X": (RESIDUAL, "add(X, layer(add(X, layer(X))))"),
    "the layer is applied to its own output, and X is not added": (
        (RESIDUAL, "add(layer(X), layer(layer(X)))"),
    ),
    "there are two residual connections, one after the other": (
        (f"return {RESIDUAL}", f"X = {RESIDUAL}\n    return {RESIDUAL}"),
    ),
    "the layer is not called: write layer(X)": (RESIDUAL, "add(X, layer)"),
    "the entries are multiplied: they have to be added": (
        RESIDUAL,
        "[[a * b for a, b in zip(*p)] for p in zip(X, layer(X))]",
    ),
    "the lists of each row are joined with +, and their numbers are not added": (
        RESIDUAL,
        "[a + b for a, b in zip(X, layer(X))]",
    ),
    "the layer gets one row at a time, and the lists of each row are joined with +": (
        RESIDUAL,
        "[row + layer([row])[0] for row in X]",
    ),
    "the layer gets a row: it needs a matrix, the whole X": (RESIDUAL, "[add(row, layer(row)) for row in X]"),
    "the layer gets one row at a time: it needs the whole matrix": (
        RESIDUAL,
        "[add([row], layer([row]))[0] for row in X]",
    ),
}


def my_pre_norm(x, attend, feed, norm):
    x = add(x, attend(norm(x)))  # example: 2 + (2·1 + 1) = 5
    return add(x, feed(norm(x)))  # 5 + 2.5² = 11.25


FIRST, LAST = "add(x, attend(norm(x)))", "add(x, feed(norm(x)))"
PRE_NORM_MISTAKES = {
    "the block is post-norm: each sum goes through the norm": (
        (FIRST, "norm(add(x, attend(x)))"),
        (LAST, "norm(add(x, feed(x)))"),
    ),
    "the residual connection begins after the norm, so the normalized rows are added": (
        (FIRST, "add(norm(x), attend(norm(x)))"),
        (LAST, "add(norm(x), feed(norm(x)))"),
    ),
    "the residual connection around attention begins after the norm": (
        FIRST,
        "add(norm(x), attend(norm(x)))",
    ),
    "the residual connection around the feed-forward network begins after the norm": (
        (LAST, "add(norm(x), feed(norm(x)))"),
    ),
    "the outputs of the layers are normalized instead of their inputs": (
        (FIRST, "add(x, norm(attend(x)))"),
        (LAST, "add(x, norm(feed(x)))"),
    ),
    "both norms are missing": ((FIRST, "add(x, attend(x))"), (LAST, "add(x, feed(x))")),
    "the output of attention is not added to x before the feed-forward network": (
        (f"x = {FIRST}", "attended = attend(norm(x))"),
        (LAST, "add(x, feed(norm(attended)))"),
    ),
    "the norm before the feed-forward network is missing": (LAST, "add(x, feed(x))"),
    "the norm before attention is missing": (FIRST, "add(x, attend(x))"),
    "the residual connection around the feed-forward network is missing": (LAST, "feed(norm(x))"),
    "the residual connection around attention is missing": (FIRST, "attend(norm(x))"),
    "both residual connections are missing": ((FIRST, "attend(norm(x))"), (LAST, "feed(norm(x))")),
    "the outputs of the layers are normalized, too: only their inputs are": (
        (FIRST, "add(x, norm(attend(norm(x))))"),
        (LAST, "add(x, norm(feed(norm(x))))"),
    ),
    "the norm comes after attention: it has to come before it": ((FIRST, "add(x, norm(attend(x)))"),),
    "both layers read x: the feed-forward network has to read the sum after attention": (
        (f"x = {FIRST}", f"middle = {FIRST}"),
        (LAST, "add(middle, feed(norm(x)))"),
    ),
    "x is added to the final result instead of the sum after attention": (
        (f"x = {FIRST}", f"middle = {FIRST}"),
        (LAST, "add(x, feed(norm(middle)))"),
    ),
    "the feed-forward network comes before attention": (
        (f"return {LAST}", f"return {FIRST}"),
        (f"x = {FIRST}", f"x = {LAST}"),
    ),
    "a norm follows the last sum": (LAST, f"norm({LAST})"),
}


def merge(gamma, beta, W):
    W_new = [[w * g for w, g in zip(row, gamma)] for row in W]
    b_new = [dot(row, beta) for row in W]
    return W_new, b_new


MERGE_MISTAKES = {
    "gamma multiplies the rows of W instead of its columns": (
        "[[w * g for w, g in zip(row, gamma)] for row in W]",
        "[[w * g for w in row] for row, g in zip(W, gamma)]",
    ),
    "beta itself is returned as the bias; it has to be multiplied by W": (
        ("[dot(row, beta) for row in W]", "list(beta)"),
    ),
    "beta is multiplied by the new W instead of the old one": (") for row in W]", ") for row in W_new]"),
    "beta is ignored and the bias is 0": ("dot(row, beta)", "0.0"),
    "W is divided by gamma": ("w * g", "w / g"),
    "W is returned unchanged: its columns have to be multiplied by gamma": ("w * g", "w"),
    "gamma is added to W": ("w * g", "w + g"),
    "gamma and beta are exchanged": (
        ("zip(row, gamma)", "zip(row, beta)"),
        ("dot(row, beta)", "dot(row, gamma)"),
    ),
    "the bias is W times gamma, not W times beta": ("dot(row, beta)", "dot(row, gamma)"),
    "the bias has the wrong sign": ("dot(row, beta)", "-dot(row, beta)"),
    "the bias is the mean of the products of W and beta, not their sum": (
        ("dot(row, beta)", "dot(row, beta) / len(row)"),
    ),
    "b_new is a matrix with one row: return the row itself": (
        ("[dot(row, beta) for row in W]", "[[dot(row, beta) for row in W]]"),
    ),
    "b_new is returned first": ("return W_new, b_new", "return b_new, W_new"),
    "W_new is transposed": ("return W_new", "return [list(column) for column in zip(*W_new)]"),
}


# the simple functions of the text, shown by these names
_ATTEND = Shown("attend", lambda x: [[2 * a + 1 for a in row] for row in x])
_FEED = Shown("feed", lambda x: [[a * a for a in row] for row in x])
_NORM = Shown("norm", lambda x: [[a / 2 for a in row] for row in x])

EXERCISES = {
    "07.2": Exercise(
        merge,
        [
            [[2, 3], [10, 0], [[1, 1]]],
            draw_inputs(11, (2,), (2,), (3, 2)),
            draw_inputs(12, (4,), (4,), (2, 4)),
            draw_inputs(13, (3,), (3,), (3, 3)),
            draw_inputs(14, (2,), (2,), (1, 2)),
        ],
        MERGE_MISTAKES,
        parts=("W_new", "b_new"),
    ),
    "07.a": Exercise(
        my_norm_row,
        [
            [[4.0, 4.0, 4.0, 8.0], [1, 1, 1, 2], [0, 0, 0, 10], 1.0],
            [[1.0, 3.0, 6.5], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 0.5],
            [*draw_inputs(15, (3,), (3,), (3,)), 0.5],
            [*draw_inputs(16, (4,), (4,), (4,)), 2.0],
            [[5.0, 5.0], [1.0, 2.0], [0.5, 1.0], 1e-5],
        ],
        NORM_MISTAKES,
    ),
    "07.b": Exercise(
        my_pre_norm,
        [
            [[[2.0]], _ATTEND, _FEED, _NORM],
            [[[2.0, -1.0], [0.5, 4.0]], _ATTEND, _FEED, _NORM],
            [draw_inputs(17, (3, 3))[0], _ATTEND, _FEED, _NORM],
        ],
        PRE_NORM_MISTAKES,
    ),
    "07.c": Exercise(
        my_residual,
        [
            [[[1.0, 2.0]], from_source("lambda X: [[10 * x for x in row] for row in X]")],
            [[[1.0, -2.0], [0.5, 3.0]], from_source("lambda X: [[x * x for x in row] for row in X]")],
            [*draw_inputs(18, (3, 2)), from_source("lambda X: [[1 - x for x in row] for row in X[::-1]]")],
        ],
        RESIDUAL_MISTAKES,
    ),
}
