"""Lesson 19: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import struct

from ... import round_min_max, round_symmetric
from .exercise import Exercise, draw_inputs


def my_round_symmetric(row, bits):
    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0
    return [scale * round(x / scale) for x in row]


def codes(row, bits):
    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0
    return [round(x / scale) for x in row]


MAX_OF_ROW, TOP_CODE = "max(map(abs, row))", "(2 ** (bits - 1) - 1)"
ROUND_MISTAKES = {
    "the scale comes from the largest number, not the largest absolute value": (MAX_OF_ROW, "max(row)"),
    "the codes are returned, and not codes times the scale": codes,
    "numbers are truncated, and not rounded": ("round(x", "int(x"),
    "numbers are rounded down, and not to the nearest code": ("round(x", "math.floor(x"),
    "the largest code is 2^(bits − 1), one too many": (TOP_CODE, "2 ** (bits - 1)"),
    "the largest code is 2^bits − 1, so the codes have one bit too many": (TOP_CODE, "(2**bits - 1)"),
    "the largest code is always 7, whatever bits is": (TOP_CODE, "7"),
    "the sum of the row takes the place of its largest absolute value": (MAX_OF_ROW, "sum(map(abs, row))"),
    "the numbers are not rounded": ("round(x / scale)", "(x / scale)"),
    "the codes begin at the smallest number: that is min–max": round_min_max,
    "the scale comes from the first number, not the largest absolute value": (MAX_OF_ROW, "abs(row[0])"),
    "the scale is that of min–max": (f"{MAX_OF_ROW} / {TOP_CODE}", "(max(row) - min(row)) / (2**bits - 1)"),
    "numbers are rounded up, and not to the nearest code": ("round(x", "math.ceil(x"),
    "numbers are rounded to integers, without a scale": ("scale * round(x / scale)", "float(round(x))"),
    "the scale of a row of zeros is 0, and you divide by it": (" or 1.0", ""),
    "the code is multiplied by the largest absolute value": ("scale * round", f"{MAX_OF_ROW} * round"),
}


def my_round_groups(W, bits, group):
    rounded = []
    for row in W:
        starts = range(0, len(row), group)
        rounded.append([x for i in starts for x in round_symmetric(row[i : i + group], bits)])
    return rounded


def one_scale(W, bits, group):
    flat, n = round_symmetric([x for row in W for x in row], bits), len(W[0])
    return [flat[i : i + n] for i in range(0, len(flat), n)]


def across_rows(W, bits, group):
    [flat], n = my_round_groups([[x for row in W for x in row]], bits, group), len(W[0])
    return [flat[i : i + n] for i in range(0, len(flat), n)]


STARTS, GROUP = "range(0, len(row), group)", "round_symmetric(row[i : i + group], bits)"
ROW = f"[x for i in starts for x in {GROUP}]"
GROUPS_MISTAKES = {
    "the whole matrix shares one scale": one_scale,
    "each row has one scale": (ROW, "round_symmetric(row, bits)"),
    "groups go on from row to row": across_rows,
    "groups run down the columns": ((" W", " transpose(W)"), ("return rounded", "return transpose(rounded)")),
    "the groups of a row are not joined to one row": (ROW, f"[{GROUP} for i in starts]"),
    "a shorter last group is left out": (STARTS, "range(0, len(row) - group + 1, group)"),
    "group is the number of groups": ("    for row", "    group = max(1, len(W[0]) // group)\n    for row"),
    "each number is a group of its own": ("    for row", "    group = 1\n    for row"),
    "the groups overlap, because they begin at each number of a row": (STARTS, "range(len(row))"),
    "group number i begins at number i, and not at i · group": (STARTS, "range(math.ceil(len(row) / group))"),
    "only the first row is rounded": ("return rounded", "return rounded[0]"),
    "each group becomes a row": (f"append({ROW})", f"extend({GROUP} for i in starts)"),
    "`group` takes the place of `bits`": ("], bits", "], group"),
    "the matrix is returned as one row": ("append", "extend"),
    "the codes are returned, and not codes times the scale": ("round_symmetric", "codes"),
    "min–max takes the place of symmetric rounding": ("round_symmetric", "round_min_max"),
}


def my_q4_1(block):
    scale, least, packed = struct.unpack("<ee16s", block)
    codes = [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]
    return [scale * code + least for code in codes]


LOWER, UPPER = "[byte & 15 for byte in packed]", "[byte >> 4 for byte in packed]"
CODES = f"{LOWER} + {UPPER}"
Q4_1_MISTAKES = {
    "the upper halves come first": (CODES, f"{UPPER} + {LOWER}"),
    "a byte's two numbers are neighbours": (CODES, "[x for byte in packed for x in (byte & 15, byte >> 4)]"),
    "each byte gives its upper half first": (CODES, "[x for byte in packed for x in (byte >> 4, byte & 15)]"),
    "the smallest number is not added": (" + least", ""),
    "the smallest number is subtracted": ("+ least", "- least"),
    "the smallest number is added before the multiplication": ("code + least", "(code + least)"),
    "the scale and the smallest number are exchanged": ("scale, least, packed", "least, scale, packed"),
    "8 is subtracted from each code, as in Q4_0": ("scale * code", "scale * (code - 8)"),
    "the codes are returned": ("scale * code + least", "code"),
    "the upper halves are not shifted": ("byte >> 4", "byte & 240"),
    "a whole byte is taken as one code": (CODES, "packed"),
    "a whole byte is taken as one code, twice": (CODES, "packed + packed"),
    "the upper halves are shifted by more than 4 bits": (">> 4", ">> 8"),
    "the bytes are read from the last to the first": ("    codes", "    packed = packed[::-1]\n    codes"),
    "the lower half is taken as 3 bits (& 7)": ("& 15", "& 7"),
    "the codes are read as signed numbers, from −8 to 7": (" * code", " * (code - 16 if code > 7 else code)"),
    "only the lower halves are decoded": (f" + {UPPER}", ""),
    "the two floats are read with the highest byte first": ("<ee", ">ee"),
}


def draw_block(scale, least, start):
    return struct.pack("<ee16s", scale, least, bytes((start + 37 * i) % 256 for i in range(16)))


def my_unscale(scaled, loss_scale, good, patience):
    if not all(map(math.isfinite, scaled)):
        return None, loss_scale / 2, 0
    gradients = [d / loss_scale for d in scaled]
    if good + 1 == patience:
        return gradients, 2 * loss_scale, 0
    return gradients, loss_scale, good + 1


BAD = "not all(map(math.isfinite, scaled))"
SKIP = f"    if {BAD}:\n        return None, loss_scale / 2, 0\n"
DOUBLE = "    if good + 1 == patience:\n        return gradients, 2 * loss_scale, 0\n"
UNSCALE_MISTAKES = {
    "nan counts as a good gradient": (BAD, "any(map(math.isinf, scaled))"),
    "inf counts as a good gradient": (BAD, "any(map(math.isnan, scaled))"),
    "−inf counts as a good gradient": (BAD, "math.inf in scaled or any(map(math.isnan, scaled))"),
    "no step is ever skipped": (SKIP, ""),
    "what is not finite becomes 0": ("None", "[d / loss_scale if math.isfinite(d) else 0.0 for d in scaled]"),
    "zeros take the place of None when a step is skipped": ("None", "[0.0] * len(scaled)"),
    "an empty list takes the place of None when a step is skipped": ("None", "[]"),
    "the number of good steps is not returned": ((" / 2, 0", " / 2"), (", 0", ""), (", good + 1", "")),
    "the loss scale stays as it is when a step is skipped": (" / 2", ""),
    "the loss scale is doubled at inf": ("/ 2", "* 2"),
    "the count of good steps goes on after a skipped step": ("/ 2, 0", "/ 2, good"),
    "a skipped step is counted as a good one": ("/ 2, 0", "/ 2, good + 1"),
    "the gradients are divided by the next loss scale": (
        ("d / loss_scale", "d / (2 * loss_scale if good + 1 == patience else loss_scale)"),
    ),
    "the gradients are multiplied by the loss scale": ("d / loss_scale", "d * loss_scale"),
    "the gradients are not divided": ("d / loss_scale", "d"),
    "the loss scale is doubled one step too early": ("== patience", ">= patience - 1"),
    "the loss scale is divided by 4 when a step is skipped, and not by 2": ("/ 2", "/ 4"),
    "the loss scale is squared, and not doubled": ("2 * loss_scale", "loss_scale**2"),
    "the count begins at 1 after the loss scale was doubled": ("2 * loss_scale, 0", "2 * loss_scale, 1"),
    "a skipped step returns two things, and not three": ("/ 2, 0", "/ 2"),
    "the loss scale is not doubled after so many good steps as patience says": (DOUBLE, ""),
    "the count does not go back to 0 after doubling": ("2 * loss_scale, 0", "2 * loss_scale, good + 1"),
    "a good step is not counted": ("loss_scale, good + 1", "loss_scale, good"),
    "halving and doubling are exchanged": (("/ 2", "* 2"), ("2 * loss_scale", "loss_scale / 2")),
    "the factor is 10, and not 2": (("/ 2", "/ 10"), ("2 * loss_scale", "10 * loss_scale")),
}


EXERCISES = {
    "19.a": Exercise(
        my_round_symmetric,
        [
            [[6, -3.4, 1.5, 0.6], 3],
            [[0.0, 0.0, 0.0], 3],
            [[1.0, -4.5, 0.5], 3],
            [[5.0, -1.0, 2.0, 0.4], 2],
            [draw_inputs(190, (6,))[0], 5],
            [draw_inputs(191, (5,))[0], 8],
        ],
        ROUND_MISTAKES,
    ),
    "19.b": Exercise(
        my_round_groups,
        [
            [[[6, -3.4, 3, 0.4], [-9, 4, 1.5, 0.6]], 3, 2],
            [draw_inputs(192, (2, 5))[0], 4, 2],
            [draw_inputs(193, (3, 4))[0], 3, 4],
            [draw_inputs(194, (4, 6))[0], 3, 3],
            [[[0.0, 0.0, 1.0, -0.3]], 4, 2],
            [draw_inputs(195, (2, 7))[0], 5, 3],
        ],
        GROUPS_MISTAKES,
    ),
    "19.c": Exercise(
        my_q4_1,
        [
            [bytes([0, 56, 0, 60, 0x21] + 15 * [0])],
            [draw_block(0.25, -1.0, 5)],
            [draw_block(1.0, 0.0, 100)],
            [draw_block(0.125, -0.75, 201)],
        ],
        Q4_1_MISTAKES,
        call_text=lambda name, block: f'{name}(bytes.fromhex("{block.hex(" ")}"))',
    ),
    "19.d": Exercise(
        my_unscale,
        [
            [[8.0, -2.0], 4.0, 0, 20],
            [[8.0, math.inf], 4.0, 7, 20],
            [[1.0, -3.0, 0.5], 2.0, 4, 5],
            [[math.nan, 1.0], 8.0, 4, 5],
            [[1.0, -math.inf], 1024.0, 0, 3],
            [[0.0, 0.25], 0.5, 1, 3],
            [[6.0], 1.0, 0, 1],
        ],
        UNSCALE_MISTAKES,
        parts=("gradients", "next loss scale", "good steps"),
    ),
}
