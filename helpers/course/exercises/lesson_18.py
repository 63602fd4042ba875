"""Lesson 18: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import attention, causal_mask, layer_norm_backward
from ..lessons.lesson_18_six_steps import rope_by_halves
from .exercise import Exercise, draw_inputs


def my_rms_norm_backward(d_out, X, gamma, eps):
    D, d_X, d_gamma = len(gamma), [], [0.0] * len(gamma)
    for d, x in zip(d_out, X):
        r = math.sqrt(sum(a * a for a in x) / D + eps)
        z = [a / r for a in x]
        g = [a * b for a, b in zip(d, gamma)]
        mean = sum(a * b for a, b in zip(g, z)) / D
        d_X.append([(a - b * mean) / r for a, b in zip(g, z)])
        d_gamma = [total + a * b for total, a, b in zip(d_gamma, d, z)]
    return d_X, d_gamma


def backward_of_layer_norm(d_out, X, gamma, eps):
    d_X, d_gamma, _ = layer_norm_backward(d_out, X, gamma, eps)
    return d_X, d_gamma


G, D_X = "[a * b for a, b in zip(d, gamma)]", "[(a - b * mean) / r for a, b in zip(g, z)]"
D_GAMMA = "d_gamma = [total + a * b for total, a, b in zip(d_gamma, d, z)]"
NORM_MISTAKES = {
    "r is treated as a constant: only g / r is left": ("a - b * mean", "a"),
    "the second term is added, not subtracted": ("a - b", "a + b"),
    "the result is not divided by r": ("(a - b * mean) / r", "a - b * mean"),
    "gamma is forgotten in d_X: g is d_out": (G, "d"),
    "gamma multiplies the result, and not d_out: the mean of g·z is then another": (
        (G, "d"),
        (D_X, "[c * (a - b * mean) / r for a, b, c in zip(g, z, gamma)]"),
    ),
    "the sum of g·z is used, not its mean": ("zip(g, z)) / D", "zip(g, z))"),
    "the mean of g·z divides by D − 1": ("zip(g, z)) / D", "zip(g, z)) / (D - 1)"),
    "eps is forgotten": (" + eps", ""),
    "the square root is forgotten in d_X": (("math.sqrt", ""), (" + a * b", " + a * b * math.sqrt(r)")),
    "this is the backward pass of layer norm: the mean is subtracted, too": backward_of_layer_norm,
    "d_gamma is a sum of d_out·x: it needs z = x / r": ("d, z)", "d, x)"),
    "d_gamma is the mean over the rows, not the sum": ("total + a * b", "total + a * b / len(X)"),
    "d_gamma is that of the last row only: all rows use gamma": ("total + a * b", "a * b"),
    "d_gamma is that of the first row only": (D_GAMMA, f"if len(d_X) == 1:\n            {D_GAMMA}"),
    "d_gamma contains gamma: it is a sum of g·z, not of d_out·z": ("d, z)", "g, z)"),
    "d_gamma has one row for each position: the rows have to be added up": (
        ("[0.0] * len(gamma)", "[]"),
        (D_GAMMA, "d_gamma.append([a * b for a, b in zip(d, z)])"),
    ),
    "the mean of g is subtracted, too: this is a part of layer norm": ("a - b", "a - sum(g) / D - b"),
    "only d_X is returned: return d_X, d_gamma": ("return d_X, d_gamma", "return d_X"),
    "d_gamma is the sum of d_out": ("total + a * b", "total + a"),
}


def my_rope(X, positions, base):
    result = []
    for row, position in zip(X, positions):
        rotated = []
        for j in range(len(row) // 2):
            a, b = row[2 * j], row[2 * j + 1]
            t = position * base ** (-2 * j / len(row))
            rotated += [a * math.cos(t) - b * math.sin(t), a * math.sin(t) + b * math.cos(t)]
        result.append(rotated)
    return result


ANGLE = "position * base ** (-2 * j / len(row))"
FIRST, SECOND = "a * math.cos(t) - b * math.sin(t)", "a * math.sin(t) + b * math.cos(t)"
ROPE_MISTAKES = {
    "the pairs are numbers j and j + k/2: here a pair is two neighbours": rope_by_halves,
    "the rotation goes the other way: check the signs of the two sines": ("t = position", "t = -position"),
    "both sines have a plus sign": (FIRST, "a * math.cos(t) + b * math.sin(t)"),
    "both sines have a minus sign": (SECOND, "-a * math.sin(t) + b * math.cos(t)"),
    "sine and cosine are exchanged": (
        (f"{FIRST}, {SECOND}", "a * math.sin(t) - b * math.cos(t), a * math.cos(t) + b * math.sin(t)"),
    ),
    "the second number is computed from the rotated first one: keep both old numbers": (
        (f"rotated += [{FIRST}", f"a = {FIRST}\n            rotated += [a"),
    ),
    "every pair is rotated by the same angle": (ANGLE, "position"),
    "base is fixed at 10000": ("base **", "10000.0 **"),
    "the exponent is −j/k, without the factor 2": ("-2 * j", "-j"),
    "the exponent is −4j/k: the index of the number was doubled again": ("-2 * j", "-4 * j"),
    "the exponent has no minus sign": ("-2 * j", "2 * j"),
    "the two numbers of a pair have different angles": (
        (ANGLE, f"{ANGLE}\n            u = {ANGLE.replace('-2 * j', '(-2 * j - 1)')}"),
        (SECOND, "a * math.sin(u) + b * math.cos(u)"),
    ),
    "positions are counted from 0, and `positions` is not used": ("(X, positions)", "(X, range(len(X)))"),
    "every row has the first position": ("t = position", "t = positions[0]"),
    "positions are counted from 1": ("t = position", "t = (position + 1)"),
    "the angle is taken in degrees: math.cos takes radians": (ANGLE, f"math.radians({ANGLE})"),
    "the angle is divided by base ** (2j), and not by base ** (2j/k)": (" / len(row)", ""),
    "the rotation is added to the old row": ("(rotated)", "([old + new for old, new in zip(row, rotated)])"),
    "only the first pair is rotated": (ANGLE, "0 if j else position"),
    "the first numbers of all pairs come first": ("(rotated)", "(rotated[0::2] + rotated[1::2])"),
}


def my_neighbours(W):
    half = len(W) // 2
    return [row for pair in zip(W[:half], W[half:]) for row in pair]


PAIRS = "zip(W[:half], W[half:])"
ROWS = f"[row for pair in {PAIRS} for row in pair]"
NEIGHBOURS_MISTAKES = {
    "this goes the other way, from neighbours to halves": (ROWS, "W[0::2] + W[1::2]"),
    "the rows are unchanged": (ROWS, "W"),
    "the second half comes first in each pair": (PAIRS, "zip(W[half:], W[:half])"),
    "the two halves are exchanged": (ROWS, "W[half:] + W[:half]"),
    "the columns are reordered: a row belongs to one output": (
        ("len(W)", "len(W[0])"),
        (ROWS, "[[x for pair in zip(row[:half], row[half:]) for x in pair] for row in W]"),
    ),
    "every second row is exchanged with its neighbour": (ROWS, "[W[i ^ 1] for i in range(len(W))]"),
    "the order of the rows is reversed": (ROWS, "W[::-1]"),
    "the pairs are a row and the one at the same place from the end": (PAIRS, "zip(W[:half], W[::-1])"),
    "each pair is a list of its own: put all rows into one list": (ROWS, f"[list(pair) for pair in {PAIRS}]"),
    "the rows of a pair are joined into one long row": (ROWS, f"[a + b for a, b in {PAIRS}]"),
}


def my_grouped_attention(Q, K, V, mask):
    group = len(Q) // len(K)
    return [attention(q, K[h // group], V[h // group], mask) for h, q in enumerate(Q)]


def mean(matrices):
    return [[sum(numbers) / len(numbers) for numbers in zip(*rows)] for rows in zip(*matrices)]


SETS = "K[h // group], V[h // group]"
HEADS = f"[attention(q, {SETS}, mask) for h, q in enumerate(Q)]"
GROUPED_MISTAKES = {
    "head h has set h % G: the heads of a group are neighbours": (SETS, "K[h % len(K)], V[h % len(K)]"),
    "head h has set h // G: divide by H // G, the number of heads in a group": ("len(Q) // len(K)", "len(K)"),
    "all heads have the first set": (SETS, "K[0], V[0]"),
    "all heads have the last set": (SETS, "K[-1], V[-1]"),
    "a group always has two heads": (SETS, "K[min(h // 2, len(K) - 1)], V[min(h // 2, len(K) - 1)]"),
    "a group always has three heads": (SETS, "K[min(h // 3, len(K) - 1)], V[min(h // 3, len(K) - 1)]"),
    "the sets are in reversed order": (SETS, "K[-1 - h // group], V[-1 - h // group]"),
    "the keys are in groups, but head h takes its values from set h % G": ("V[h // group]", "V[h % len(K)]"),
    "the values are in groups, but head h takes its keys from set h % G": ("K[h // group]", "K[h % len(K)]"),
    "keys and values are exchanged": (SETS, "V[h // group], K[h // group]"),
    "the mask is forgotten": (", mask) for", ") for"),
    "only the first head of each group is computed": ("enumerate(Q)", "enumerate(Q) if h % group == 0"),
    "there is one output for each set": (HEADS, "[attention(q, k, v, mask) for q, k, v in zip(Q, K, V)]"),
    "the sets are averaged, and all heads use the mean": (SETS, "mean(K), mean(V)"),
    "the heads are joined: return one matrix for each head": (HEADS, f"merge_heads({HEADS})"),
}


def draw_heads(seed, H, G, T, k, v=None):
    """Q, K, V of H heads and G sets for T tokens."""
    parts = draw_inputs(seed, *[(T, k)] * (H + G), *[(T, v or k)] * G)
    return [parts[:H], parts[H : H + G], parts[H + G :], causal_mask(T)]


EXERCISES = {
    "18.a": Exercise(
        my_rms_norm_backward,
        [
            [[[2.0, 1.0]], [[1.0, 1.0]], [1.0, 10.0], 0.0],
            [[[1.0, 1.0, 1.0], [-1.0, 2.0, 0.0]], [[1.0, 2.0, 2.0], [2.0, 2.0, 1.0]], [2.0, 1.0, 4.0], 1.0],
            [*draw_inputs(181, (3, 4), (3, 4), (4,)), 0.5],
            [*draw_inputs(182, (2, 2), (2, 2), (2,)), 0.1],
            [*draw_inputs(183, (1, 5), (1, 5), (5,)), 2.0],
        ],
        NORM_MISTAKES,
        tolerance=1e-6,
        parts=("d_X", "d_gamma"),
        answer_may_be_told=True,
    ),
    "18.b": Exercise(
        my_rope,
        [
            [[[1.0, 0.0, 1.0, 0.0]], [2], 100.0],
            [[[3.0, 4.0]], [0], 10000.0],
            [[[1.0, 2.0], [3.0, 4.0]], [1, 5], 100.0],
            [*draw_inputs(186, (3, 4)), [0, 1, 2], 100.0],
            [*draw_inputs(187, (2, 6)), [7, 3], 50.0],
            [*draw_inputs(188, (1, 8)), [11], 10000.0],
        ],
        ROPE_MISTAKES,
    ),
    "18.c": Exercise(
        my_neighbours,
        [
            [[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]],
            [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]],
            draw_inputs(189, (8, 3)),
            draw_inputs(190, (4, 2)),
            draw_inputs(191, (10, 2)),
        ],
        NEIGHBOURS_MISTAKES,
    ),
    "18.d": Exercise(
        my_grouped_attention,
        [
            [[[[0.0]], [[0.0]], [[0.0]], [[0.0]]], [[[1.0]], [[1.0]]], [[[10.0]], [[20.0]]], [[0.0]]],
            draw_heads(192, 4, 2, 3, 2),
            draw_heads(193, 6, 3, 2, 2, 3),
            draw_heads(194, 6, 2, 2, 1),
            draw_heads(195, 3, 1, 3, 2),
            draw_heads(196, 2, 2, 2, 2),
        ],
        GROUPED_MISTAKES,
    ),
}
