"""Lesson 18: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import (
    LLAMA_BLOCK_SHAPES,
    add,
    attention,
    causal_mask,
    grouped_query_attention,
    linear,
    merge_heads,
    rms_norm,
    rope,
    silu,
    split_heads,
    swiglu,
)
from ..lessons.lesson_18_six_steps import rope_by_halves
from .exercise import Exercise, draw_inputs
from .lesson_06 import SILU, SWIGLU_MISTAKES


def my_rms_norm(X, gamma, eps):
    result = []
    for x in X:
        r = math.sqrt(sum(a * a for a in x) / len(x) + eps)
        result.append([g * a / r for a, g in zip(x, gamma)])
    return result


MEAN_SQUARE, EACH_ROW = "sum(a * a for a in x) / len(x)", "    for x in X:\n"
NORM_MISTAKES = {
    "r is the root of the sum of squares, not of their mean": (" / len(x)", ""),
    "the mean square divides by D − 1": ("/ len(x)", "/ (len(x) - 1)"),
    "eps is added to the root, and not under it": (f"({MEAN_SQUARE} + eps)", f"({MEAN_SQUARE}) + eps"),
    "eps is added to the sum of squares, and not to their mean": (
        f"{MEAN_SQUARE} + eps",
        "(sum(a * a for a in x) + eps) / len(x)",
    ),
    "eps is forgotten": (" + eps)", ")"),
    "the square root is forgotten": ("math.sqrt", ""),
    "the mean is subtracted: that is layer norm": (
        EACH_ROW,
        f"{EACH_ROW}        x = [a - sum(x) / len(x) for a in x]\n",
    ),
    "r is the standard deviation: no mean is subtracted under the root": (
        MEAN_SQUARE,
        "sum((a - sum(x) / len(x)) ** 2 for a in x) / len(x)",
    ),
    "the mean is squared, and not each number": (MEAN_SQUARE, "(sum(x) / len(x)) ** 2"),
    "the row is divided by the mean of the absolute values": (
        f"math.sqrt({MEAN_SQUARE} + eps)",
        "(sum(abs(a) for a in x) / len(x) + eps)",
    ),
    "the row is divided by its largest absolute value": (
        f"math.sqrt({MEAN_SQUARE} + eps)",
        "(max(abs(a) for a in x) + eps)",
    ),
    "the sum is divided by the number of rows, and not by the length of a row": ("/ len(x)", "/ len(X)"),
    "the root of the sum is divided by D: the mean is taken before the root": (
        (f"math.sqrt({MEAN_SQUARE} + eps)", "(math.sqrt(sum(a * a for a in x) + eps) / len(x))"),
    ),
    "the r of the first row is used for all rows: each row has its own": (
        (MEAN_SQUARE, "sum(a * a for a in X[0]) / len(x)"),
    ),
    "the r of the last row is used for all rows: each row has its own": (
        (MEAN_SQUARE, "sum(a * a for a in X[-1]) / len(x)"),
    ),
    "gamma is indexed by the row, and not by the place in the row": (
        ("g * a / r for a, g in zip(x, gamma)", "gamma[len(result)] * a / r for a in x"),
    ),
    "one r is used for all rows: each row has its own": (
        MEAN_SQUARE,
        "sum(a * a for row in X for a in row) / len(x) / len(X)",
    ),
    "gamma is forgotten": ("g * a / r", "a / r"),
    "1 is added to gamma": ("g * a / r", "(1 + g) * a / r"),
    "gamma is added, and not multiplied": ("g * a / r", "g + a / r"),
    "gamma divides, and does not multiply": ("g * a / r", "a / r / g"),
    "gamma multiplies the row before r is computed": (
        (EACH_ROW, f"{EACH_ROW}        x = [g * a for a, g in zip(x, gamma)]\n"),
        ("g * a / r", "a / r"),
    ),
    "the row is multiplied by r, and not divided": ("a / r", "a * r"),
    "only the first row is returned": ("return result", "return result[:1]"),
    "the rows are joined into one list": ("append(", "extend("),
}


def my_swiglu(X, W_gate, W_up, W_down):
    gates = [[silu(g) for g in row] for row in linear(X, W_gate)]
    hidden = [[g * u for g, u in zip(*rows)] for rows in zip(gates, linear(X, W_up))]
    return linear(hidden, W_down)


def with_silu(edit):
    """An edit of lesson 06's solution, which writes silu out, as an edit of this one."""
    pairs = [edit] if isinstance(edit[0], str) else edit
    return tuple((old.replace(SILU, "silu(g)"), new) for old, new in pairs)


def multiplied_as_it_is(X, W):
    """A product in which entry [i][j] of W belongs to number i of a row; what has no partner is left out."""
    return f"[[sum(a * b for a, b in zip(x, column)) for column in zip(*{W})] for x in {X}]"


DOWN, IN_WIDTHS = "linear(hidden, W_down)", [("X", "W_gate"), ("X", "W_up"), ("hidden", "W_down")]
MORE_SWIGLU_MISTAKES = {
    "W_down is left out": (DOWN, "hidden"),
    "a weight is read [in][out]: row i of W_gate and W_up has the weights of hidden unit i": tuple(
        (f"linear({X}, {W})", multiplied_as_it_is(X, W)) for X, W in IN_WIDTHS
    ),
    "silu is applied to X, and not to the gates": (
        (SILU, "g"),
        ("linear(X, W_gate)", "linear([[silu(x) for x in row] for row in X], W_gate)"),
    ),
    "silu is applied to X, before gates and up values are made of it": (
        (SILU, "g"),
        ("linear(X, W_gate)", "linear([[silu(x) for x in row] for row in X], W_gate)"),
        ("linear(X, W_up)", "linear([[silu(x) for x in row] for row in X], W_up)"),
    ),
    "silu is applied to the result, and not to the gates": (
        (SILU, "g"),
        (DOWN, f"[[silu(y) for y in row] for row in {DOWN}]"),
    ),
    "the products of a row are added: each of them is a hidden unit": (
        "[g * u for g, u in zip(*rows)]",
        "[sum(g * u for g, u in zip(*rows))]",
    ),
    "X is added: the block adds it, and not SwiGLU": (DOWN, f"add(X, {DOWN})"),
    "the sigmoid lacks the 1 that is added to tanh": (SILU, "g * 0.5 * math.tanh(g / 2)"),
    "the sigmoid has exp(g) in place of exp(−g)": (SILU, "g * 0.5 * (1 - math.tanh(g / 2))"),
    "the exact GELU is applied to the gate instead of silu": (
        SILU,
        "g * 0.5 * (1 + math.erf(g / math.sqrt(2)))",
    ),
}
SWIGLU_MISTAKES = {cause: with_silu(edit) for cause, edit in (SWIGLU_MISTAKES | MORE_SWIGLU_MISTAKES).items()}


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
    "the second number is a·sin t − b·cos t: the sign of b is wrong": (
        (SECOND, "a * math.sin(t) - b * math.cos(t)"),
    ),
    "the pair is mirrored, and not rotated: both signs of b are wrong": (
        (FIRST, "a * math.cos(t) + b * math.sin(t)"),
        (SECOND, "a * math.sin(t) - b * math.cos(t)"),
    ),
    "both sines have a minus sign": (SECOND, "-a * math.sin(t) + b * math.cos(t)"),
    "sine and cosine are exchanged": (
        (f"{FIRST}, {SECOND}", "a * math.sin(t) - b * math.cos(t), a * math.cos(t) + b * math.sin(t)"),
    ),
    "the second number is computed from the rotated first one: keep both old numbers": (
        (f"rotated += [{FIRST}", f"a = {FIRST}\n            rotated += [a"),
    ),
    "the position is inside the power: only the base is raised to it": (
        ANGLE,
        "(position * base) ** (-2 * j / len(row))",
    ),
    "pairs are counted from 1 in the exponent: the first pair has j = 0": ("-2 * j /", "-2 * (j + 1) /"),
    "every pair is rotated by the same angle": (ANGLE, "position"),
    "base is fixed at 10000": ("base **", "10000.0 **"),
    "the exponent is −j/k, without the factor 2": ("-2 * j", "-j"),
    "the exponent is −4j/k, and not −2j/k: j counts pairs, and k is the length of the row": (
        "-2 * j",
        "-4 * j",
    ),
    "base is fixed at 100": ("base **", "100.0 **"),
    "k is fixed at 4, the length of the first row: it is the length of each row": ("/ len(row)", "/ 4"),
    "k is the number of rows: it is the length of a row": ("/ len(row)", "/ len(X)"),
    "the exponent is divided with //, which rounds it down": ("j / len(row)", "j // len(row)"),
    "each pair is a list of its own: a row is one list of numbers": (
        (f"rotated += [{FIRST}, {SECOND}]", f"rotated.append([{FIRST}, {SECOND}])"),
    ),
    "the angle is converted to degrees: math.cos takes radians": (
        "t = position",
        "t = math.degrees(1) * position",
    ),
    "the exponent has no minus sign": ("-2 * j", "2 * j"),
    "the two numbers of a pair have different angles": (
        (ANGLE, f"{ANGLE}\n            u = {ANGLE.replace('-2 * j', '(-2 * j - 1)')}"),
        (SECOND, "a * math.sin(u) + b * math.cos(u)"),
    ),
    "positions are counted from 0, and `positions` is not used": ("(X, positions)", "(X, range(len(X)))"),
    "every row has the first position": ("t = position", "t = positions[0]"),
    "positions are counted from 1": ("t = position", "t = (position + 1)"),
    "1 is subtracted from each position": ("t = position", "t = (position - 1)"),
    "the angle is taken in degrees: math.cos takes radians": (ANGLE, f"math.radians({ANGLE})"),
    "the angle is divided by base ** (2j), and not by base ** (2j/k)": (" / len(row)", ""),
    "the rotation is added to the old row": ("(rotated)", "([old + new for old, new in zip(row, rotated)])"),
    "only the first pair is rotated": (ANGLE, "0 if j else position"),
    "the first numbers of all pairs come first": ("(rotated)", "(rotated[0::2] + rotated[1::2])"),
}


def my_six_step_block(p, X, H, G, base):
    normed = rms_norm(X, p["attn_norm.weight"])
    Q = split_heads(linear(normed, p["attn_q.weight"]), H)
    K = split_heads(linear(normed, p["attn_k.weight"]), G)
    V = split_heads(linear(normed, p["attn_v.weight"]), G)
    Q = [rope(head, list(range(len(X))), base) for head in Q]
    K = [rope(head, list(range(len(X))), base) for head in K]
    heads = grouped_query_attention(Q, K, V, causal_mask(len(X)))
    X = add(X, linear(merge_heads(heads), p["attn_output.weight"]))
    normed = rms_norm(X, p["ffn_norm.weight"])
    return add(X, swiglu(normed, p["ffn_gate.weight"], p["ffn_up.weight"], p["ffn_down.weight"]))


ROTATED_Q, ROTATED_K, ROTATED_V = (
    f"    {X} = [rope(head, list(range(len(X))), base) for head in {X}]\n" for X in "QKV"
)
FIRST_NORM, SECOND_NORM = (f'rms_norm(X, p["{part}_norm.weight"])' for part in ("attn", "ffn"))
ATTENDED = 'linear(merge_heads(heads), p["attn_output.weight"])'
SIX_STEP_HEADS = "grouped_query_attention(Q, K, V, causal_mask(len(X)))"
POSITIONS, LAYER_NORM = "list(range(len(X)))", 'layer_norm(X, p["{}_norm.weight"], [0.0] * len(X[0]))'
QUERIES, KEYS, VALUES = (f'linear(normed, p["attn_{part}.weight"])' for part in "qkv")
ADDED = f"    X = add(X, {ATTENDED})\n"
SIX_STEP_MISTAKES = {
    "RoPE rotates before the split into heads: then the pairs of a later head have other angles": (
        (ROTATED_Q, ""),
        (ROTATED_K, ""),
        (QUERIES, f"rope({QUERIES}, {POSITIONS}, base)"),
        (KEYS, f"rope({KEYS}, {POSITIONS}, base)"),
    ),
    "RoPE rotates the normalized rows, and not the queries and keys": (
        (ROTATED_Q, ""),
        (ROTATED_K, ""),
        (QUERIES, f"linear(rope(normed, {POSITIONS}, base), p['attn_q.weight'])"),
        (KEYS, f"linear(rope(normed, {POSITIONS}, base), p['attn_k.weight'])"),
    ),
    "RoPE rotates the normalized rows, before queries, keys and values are made of them": (
        (ROTATED_Q, ""),
        (ROTATED_K, ""),
        (FIRST_NORM, f"rope({FIRST_NORM}, {POSITIONS}, base)"),
    ),
    "RoPE rotates X at the entry of the block, and not the queries and keys": (
        (ROTATED_Q, ""),
        (ROTATED_K, ""),
        (f"    normed = {FIRST_NORM}\n", f"    X = rope(X, {POSITIONS}, base)\n    normed = {FIRST_NORM}\n"),
    ),
    "the positions run backwards: the first row has position 0": (
        (ROTATED_Q, ROTATED_Q.replace(POSITIONS, f"{POSITIONS}[::-1]")),
        (ROTATED_K, ROTATED_K.replace(POSITIONS, f"{POSITIONS}[::-1]")),
    ),
    "the position of a row is taken to be the index of its head": (
        (ROTATED_Q, "    Q = [rope(head, [h] * len(X), base) for h, head in enumerate(Q)]\n"),
        (ROTATED_K, "    K = [rope(head, [h] * len(X), base) for h, head in enumerate(K)]\n"),
    ),
    "the values are made with the matrix of the keys": ("attn_v", "attn_k"),
    "the keys are made with the matrix of the values, and the values with that of the keys": (
        (KEYS, KEYS.replace("attn_k", "attn_v").replace('"', "'")),
        (VALUES, VALUES.replace("attn_v", "attn_k")),
    ),
    "the keys and values are split into H heads: there are G sets": (
        (f"{KEYS}, G", f"{KEYS}, H"),
        (f"{VALUES}, G", f"{VALUES}, H"),
    ),
    "the norms are layer norms, which also subtract the mean": (
        (FIRST_NORM, LAYER_NORM.format("attn")),
        (SECOND_NORM, LAYER_NORM.format("ffn")),
    ),
    "each norm is applied after the addition, to the residual stream": (
        (FIRST_NORM, "X"),
        (f"add(X, {ATTENDED})", f'rms_norm(add(X, {ATTENDED}), p["attn_norm.weight"])'),
        (SECOND_NORM, "X"),
        ("return add(X, swiglu(normed,", "return rms_norm(add(X, swiglu(normed,"),
        ('p["ffn_down.weight"])', 'p["ffn_down.weight"])), p["ffn_norm.weight"]'),
    ),
    "the last sum begins at X, and not at X′": (
        (ADDED, f"    middle = add(X, {ATTENDED})\n"),
        (SECOND_NORM, 'rms_norm(middle, p["ffn_norm.weight"])'),
    ),
    "SwiGLU gets the output of attention, which is never added to the residual stream": (
        (ADDED, f"    middle = {ATTENDED}\n"),
        (SECOND_NORM, 'rms_norm(middle, p["ffn_norm.weight"])'),
    ),
    "RoPE is missing": ((ROTATED_Q, ""), (ROTATED_K, "")),
    "RoPE rotates the queries, and not the keys": (ROTATED_K, ""),
    "RoPE rotates the keys, and not the queries": (ROTATED_Q, ""),
    "RoPE rotates the values, too": (ROTATED_K, ROTATED_K + ROTATED_V),
    "RoPE has another base than `base`": (
        (ROTATED_Q, ROTATED_Q.replace("base", "10000.0")),
        (ROTATED_K, ROTATED_K.replace("base", "10000.0")),
    ),
    "the causal mask is missing": (", causal_mask(len(X)))", ")"),
    "head h takes the set h % G; neighbouring heads share a set": (
        (SIX_STEP_HEADS, "[attention(q, K[h % G], V[h % G], causal_mask(len(X))) for h, q in enumerate(Q)]"),
    ),
    "all heads take the first set": (
        (SIX_STEP_HEADS, "[attention(q, K[0], V[0], causal_mask(len(X))) for q in Q]"),
    ),
    "keys and values are exchanged": ("(Q, K, V,", "(Q, V, K,"),
    "the first norm is missing": (FIRST_NORM, "X"),
    "the second norm is missing": (SECOND_NORM, "X"),
    "SwiGLU reads the normalized rows of attention: normalize again": (f"    normed = {SECOND_NORM}\n", ""),
    "ε is 0 or nearly 0, and not 1e-5": (
        (FIRST_NORM, FIRST_NORM[:-1] + ", 0.0)"),
        (SECOND_NORM, SECOND_NORM[:-1] + ", 0.0)"),
    ),
    "the base is fixed at 100": (
        (ROTATED_Q, ROTATED_Q.replace("base", "100.0")),
        (ROTATED_K, ROTATED_K.replace("base", "100.0")),
    ),
    "ε is 1e-6, and not 1e-5": (
        (FIRST_NORM, FIRST_NORM[:-1] + ", 1e-6)"),
        (SECOND_NORM, SECOND_NORM[:-1] + ", 1e-6)"),
    ),
    "the second norm has the weights of the first": ('"ffn_norm', '"attn_norm'),
    "the first norm has the weights of the second": ('"attn_norm', '"ffn_norm'),
    "the weights of the two norms are exchanged": (
        (FIRST_NORM, "rms_norm(X, p['ffn_norm.weight'])"),
        (SECOND_NORM, "rms_norm(X, p['attn_norm.weight'])"),
    ),
    "the values are made of X, and not of the normalized rows": (
        "V = split_heads(linear(normed",
        "V = split_heads(linear(X",
    ),
    "the first residual connection is missing": (f"add(X, {ATTENDED})", ATTENDED),
    "the second residual connection is missing": (
        "return add(X, swiglu(normed, p",
        "return (swiglu(normed, p",
    ),
    "the first residual connection begins at the normalized rows": (
        f"add(X, {ATTENDED})",
        f"add(normed, {ATTENDED})",
    ),
    "the second residual connection begins at the normalized rows": ("add(X, swiglu", "add(normed, swiglu"),
    "the output matrix of attention is left out": (ATTENDED, "merge_heads(heads)"),
    "SwiGLU reads the first X, and not X plus the output of attention": (
        (f"    X = add(X, {ATTENDED})\n", f"    middle = add(X, {ATTENDED})\n"),
        ("add(X, swiglu", "add(middle, swiglu"),
    ),
    "SwiGLU reads the output of attention, and not X plus this output": (
        (SECOND_NORM, f'rms_norm({ATTENDED}, p["ffn_norm.weight"])'),
    ),
    "the feed-forward network is left out": (
        'add(X, swiglu(normed, p["ffn_gate.weight"], p["ffn_up.weight"], p["ffn_down.weight"]))',
        "X",
    ),
    "X is returned as it came: neither output is added": (
        (ADDED, ""),
        ('add(X, swiglu(normed, p["ffn_gate.weight"], p["ffn_up.weight"], p["ffn_down.weight"]))', "X"),
    ),
    "gate and up are exchanged": ('"ffn_gate.weight"], p["ffn_up.', '"ffn_up.weight"], p["ffn_gate.'),
    "each norm comes after its part, and not before it": (
        (FIRST_NORM, "X"),
        (f"add(X, {ATTENDED})", f'add(X, rms_norm({ATTENDED}, p["attn_norm.weight"]))'),
        (SECOND_NORM, "X"),
        ("add(X, swiglu(normed,", "add(X, rms_norm(swiglu(normed,"),
        ('p["ffn_down.weight"])', 'p["ffn_down.weight"]), p["ffn_norm.weight"])'),
    ),
}


BY_HAND = {name: [[1.0, 0.0], [0.0, 1.0]] for name in LLAMA_BLOCK_SHAPES}
BY_HAND |= {"attn_norm.weight": [1.0, 1.0], "ffn_norm.weight": [1.0, 1.0]}
BY_HAND |= {
    "ffn_gate.weight": [[0.0, 50.0]],
    "ffn_up.weight": [[5.0, 0.0]],
    "ffn_down.weight": [[1.0], [1.0]],
}


def draw_block(seed, H, G, k, F, T, base=100.0):
    """The parameters of a block, and T rows for it."""
    sizes = {"D": H * k, "G*k": G * k, "F": F}
    shapes = [[sizes[letter] for letter in shape.split()] for shape in LLAMA_BLOCK_SHAPES.values()]
    *weights, X = draw_inputs(seed, *shapes, (T, H * k))
    return [dict(zip(LLAMA_BLOCK_SHAPES, weights)), X, H, G, base]


def six_step_text(name, p, X, H, G, base):
    """The call in words: the parameters are too many to be read."""
    what = "the matrices by hand" if len(X) == 1 else f"parameters of width {len(X[0])}"
    return f"{name}({what}, {X}, {H}, {G}, {base:g})"


EXERCISES = {
    "18.a": Exercise(
        my_rms_norm,
        [
            [[[1.0, 7.0]], [1.0, 10.0], 0.0],
            [[[3.0, 4.0], [0.0, 0.0]], [1.0, 2.0], 0.5],
            [*draw_inputs(181, (3, 4), (4,)), 0.5],
            [*draw_inputs(182, (2, 2), (2,)), 0.1],
            [*draw_inputs(183, (1, 5), (5,)), 2.0],
        ],
        NORM_MISTAKES,
    ),
    "18.b": Exercise(
        my_swiglu,
        [
            [[[1.0, 2.0]], [[0.0, 0.5]], [[3.0, 0.0]], [[1.0], [10.0]]],
            draw_inputs(184, (2, 3), (4, 3), (4, 3), (3, 4)),
            draw_inputs(185, (1, 2), (5, 2), (5, 2), (2, 5)),
            [
                [[-1.0], [1.0]],
                [[1000.0]],
                [[1.0]],
                [[1.0]],
            ],  # not 0 alone: a tolerance is relative to the largest
            draw_inputs(198, (3, 4), (2, 4), (2, 4), (4, 2)),
            [[[-1.0], [1.0]], [[8.5]], [[1.0]], [[1.0]]],  # silu is not 0 yet at −8.5
        ],
        SWIGLU_MISTAKES,
    ),
    "18.c": Exercise(
        my_rope,
        [
            [[[1.0, 0.0, 0.0, 1.0]], [2], 100.0],
            [[[3.0, 4.0]], [0], 10000.0],
            [[[1.0, 2.0], [3.0, 4.0]], [1, 5], 100.0],
            [*draw_inputs(186, (3, 4)), [0, 1, 2], 100.0],
            [*draw_inputs(187, (2, 6)), [7, 3], 50.0],
            [*draw_inputs(188, (1, 8)), [11], 10000.0],
        ],
        ROPE_MISTAKES,
    ),
    "18.d": Exercise(
        my_six_step_block,
        [
            [BY_HAND, [[1.0, 7.0]], 1, 1, 100.0],
            draw_block(201, 4, 2, 2, 3, 3),
            draw_block(202, 2, 1, 4, 3, 3, 50.0),
            draw_block(203, 3, 3, 2, 2, 4),
        ],
        SIX_STEP_MISTAKES,
        call_text=six_step_text,
    ),
}
