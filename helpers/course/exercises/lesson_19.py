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
    "`^` is not a power in Python: 2 to the power of x is `2 ** x`": ("2 ** (bits", "2 ^ (bits"),
    "the largest code is always 7, whatever bits is": (TOP_CODE, "7"),
    "the largest code is always 3, whatever bits is": (TOP_CODE, "3"),
    "the scale is the whole range of the row, divided by the number of steps between codes": (
        (f"{MAX_OF_ROW} / {TOP_CODE}", "(max(row) - min(row)) / (2**bits - 2)"),
    ),
    "the scale is divided with //, which rounds it down": (f"{MAX_OF_ROW} /", f"{MAX_OF_ROW} //"),
    "the largest code is bits, and not 2^(bits − 1) − 1": (TOP_CODE, "bits"),
    "the sum of the row takes the place of its largest absolute value": (MAX_OF_ROW, "sum(map(abs, row))"),
    "the sign is lost": ("round(x / scale)", "round(abs(x) / scale)"),
    "numbers are divided with //, which rounds down": ("round(x / scale)", "(x // scale)"),
    "the scale is 2^(bits − 1) − 1 itself: divide the largest absolute value by it": (
        (f"{MAX_OF_ROW} / {TOP_CODE}", f"float({TOP_CODE})"),
    ),
    "the scale is rounded to an integer": (f"{MAX_OF_ROW} / {TOP_CODE}", f"round({MAX_OF_ROW} / {TOP_CODE})"),
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


def short_joined(W, bits, group):
    rounded = []
    for row in W:
        ends = [*range(group, len(row) - group + 1, group), len(row)]
        rounded.append([x for i, j in zip([0, *ends], ends) for x in round_symmetric(row[i:j], bits)])
    return rounded


def number_of_groups(W, bits, group):
    return my_round_groups(W, bits, math.ceil(len(W[0]) / group))


def groups_of_rows(W, bits, group):
    runs = [one_scale(W[i : i + group], bits, group) for i in range(0, len(W), group)]
    return [row for run in runs for row in run]


def rest_as_it_is(W, bits, group):
    whole = [len(row) // group * group for row in W]
    heads = [row[:n] for row, n in zip(W, whole)]
    return [head + row[n:] for head, row, n in zip(my_round_groups(heads, bits, group), W, whole)]


def strided(W, bits, group):
    rounded = [list(row) for row in W]
    for row in rounded:
        for k in range(min(group, len(row))):
            row[k::group] = round_symmetric(row[k::group], bits)
    return rounded


STARTS, GROUP = "range(0, len(row), group)", "round_symmetric(row[i : i + group], bits)"
ROW = f"[x for i in starts for x in {GROUP}]"
GROUPS_MISTAKES = {
    "the whole matrix shares one scale": one_scale,
    "each row has one scale": (ROW, "round_symmetric(row, bits)"),
    "groups go on from row to row": across_rows,
    "groups run down the columns": ((" W", " transpose(W)"), ("return rounded", "return transpose(rounded)")),
    "the groups of a row are not joined to one row": (ROW, f"[{GROUP} for i in starts]"),
    "a shorter last group is left out": (STARTS, "range(0, len(row) - group + 1, group)"),
    "the numbers of a shorter last group are not rounded": rest_as_it_is,
    "group is the number of groups of a row, and not how many numbers a group has": number_of_groups,
    "a group is a run of rows, and not of the numbers of one row": groups_of_rows,
    "numbers that are `group` apart share a scale; a group is a run of neighbours": strided,
    "a slice ends one number too late": ("i : i + group", "i : i + group + 1"),
    "each number is a group of its own": ("    for row", "    group = 1\n    for row"),
    "the groups overlap, because they begin at each number of a row": (STARTS, "range(len(row))"),
    "group number i begins at number i, and not at i · group": (STARTS, "range(math.ceil(len(row) / group))"),
    "numbers that are `group` apart share a scale, and not neighbours": (
        (STARTS, "range(group)"),
        ("row[i : i + group]", "row[i::group]"),
    ),
    "a shorter last group is joined to the group before it": short_joined,
    "a slice ends at `group`, and not at i + group": ("i : i + group", "i:group"),
    "a slice ends one number too early": ("i : i + group", "i : i + group - 1"),
    "a group goes on to the end of the row": ("row[i : i + group]", "row[i:]"),
    "only the first row is rounded": ("return rounded", "return rounded[0]"),
    "`return` stands in the loop, so only the first row is rounded": (
        ("    return rounded", "        return rounded"),
    ),
    "only the last row is returned": ("return rounded", "return rounded[-1]"),
    "only the last row is returned, and its groups are not joined": (
        (ROW, f"[{GROUP} for i in starts]"),
        ("return rounded", "return rounded[-1]"),
    ),
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
    "a byte is divided by 10; a half of a byte is a digit in base 16": (
        ("byte & 15", "byte % 10"),
        ("byte >> 4", "byte // 10"),
    ),
    "8 is subtracted from each code": ("scale * code", "scale * (code - 8)"),
    "8 is subtracted from each code, and the smallest number is not added": (
        ("scale * code + least", "scale * (code - 8)"),
    ),
    "`& 4` keeps one bit; the four lower bits are `& 15`": ("& 15", "& 4"),
    "`& 16` keeps the lowest bit of the upper half; the four lower bits are `& 15`": ("& 15", "& 16"),
    "the codes are returned": ("scale * code + least", "code"),
    "the scale and the smallest number are read as one byte each; each is a float of two bytes": (
        ('struct.unpack("<ee16s", block)', "(block[0], block[1], block[4:])"),
    ),
    "the scale and the smallest number are the first byte of each; each is a float of two bytes": (
        ('struct.unpack("<ee16s", block)', "(block[0], block[2], block[4:])"),
    ),
    "the scale and the smallest number are read as integers of two bytes; each is a float": (
        ('"<ee16s"', '"<HH16s"'),
    ),
    "the scale and the smallest number are those of the example, whatever the block is": (
        ("    codes", "    scale, least = 0.5, 1.0\n    codes"),
    ),
    "the upper half is divided by 16 with /, which leaves a fraction": ("byte >> 4", "byte / 16"),
    "the scale is left out": ("scale * code", "code"),
    "the upper halves are not shifted": ("byte >> 4", "byte & 240"),
    "a whole byte is taken as one code": (CODES, "packed"),
    "a whole byte is taken as one code, twice": (CODES, "packed + packed"),
    "the upper halves are shifted up with <<; >> moves them down": (">> 4", "<< 4"),
    "the upper halves are shifted by more than 4 bits": (">> 4", ">> 8"),
    "the bytes are read from the last to the first": ("    codes", "    packed = packed[::-1]\n    codes"),
    "the lower half is taken as 3 bits (& 7)": ("& 15", "& 7"),
    "the codes are read as signed numbers, from −8 to 7": (" * code", " * (code - 16 if code > 7 else code)"),
    "only the lower halves are decoded": (f" + {UPPER}", ""),
    "the two floats are read with the highest byte first": ("<ee", ">ee"),
}


def draw_block(scale, least, start):
    return struct.pack("<ee16s", scale, least, bytes((start + 37 * i) % 256 for i in range(16)))


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
            [[[6, -3.4, 3, 0.4, 9, -4], [-9, 4, 1.5, 0.6, 0, 3.5]], 3, 2],
            [[[4.0, 1.0, -3.0, 9.0, -2.0, 5.0, 1.2]], 3, 4],  # a last group of 3, whose rounding shows
            [draw_inputs(192, (2, 5))[0], 4, 2],
            [draw_inputs(193, (3, 4))[0], 3, 4],
            [draw_inputs(194, (4, 6))[0], 3, 3],
            [[[0.0, 0.0, 1.0, -0.3]], 4, 2],
            [draw_inputs(195, (2, 7))[0], 5, 3],
            [[[2.0, -0.7, 0.4], [-0.3, 1.0, 0.2]], 3, 8],  # the groups are longer than the rows
        ],
        GROUPS_MISTAKES,
    ),
    "19.d": Exercise(
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
}
