"""Lesson 19, hidden side. Reading on gives answers away."""

import math
import struct

from .exercise import Exercise, draw_inputs


def my_round_symmetric(row, bits):
    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0
    return [scale * round(x / scale) for x in row]


def _symmetric(row, most, largest=lambda row: max(map(abs, row)), whole=round):
    scale = largest(row) / most or 1.0
    return [scale * whole(x / scale) for x in row]


def _min_max(row, bits):
    least = min(row)
    scale = (max(row) - least) / (2**bits - 1) or 1.0
    return [least + scale * round((x - least) / scale) for x in row]


def _codes(row, bits):
    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0
    return [round(x / scale) for x in row]


def _absmax(row):
    return max(map(abs, row))


def _divided_by_zero(row, bits):
    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1)
    return [scale * round(x / scale) for x in row]


def my_round_groups(W, bits, group):
    return [
        [x for i in range(0, len(row), group) for x in my_round_symmetric(row[i : i + group], bits)]
        for row in W
    ]


def _whole_matrix(W, bits, group):
    flat, n = my_round_symmetric([w for row in W for w in row], bits), len(W[0])
    return [flat[i : i + n] for i in range(0, len(flat), n)]


def _across_rows(W, bits, group):
    flat, n = [w for row in W for w in row], len(W[0])
    done = my_round_groups([flat], bits, group)[0]
    return [done[i : i + n] for i in range(0, len(done), n)]


def _down_columns(W, bits, group):
    turned = my_round_groups([list(column) for column in zip(*W)], bits, group)
    return [list(row) for row in zip(*turned)]


def _nested(W, bits, group):
    return [[my_round_symmetric(row[i : i + group], bits) for i in range(0, len(row), group)] for row in W]


def my_q4_1(block):
    scale, least, packed = struct.unpack("<ee16s", block)
    codes = [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]
    return [scale * code + least for code in codes]


def _decoded(block, codes, value=lambda scale, least, code: scale * code + least, form="<ee16s"):
    scale, least, packed = struct.unpack(form, block)
    return [value(scale, least, code) for code in codes(packed)]


def _halves(packed):
    return [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]


def _block(scale, least, start):
    return struct.pack("<ee16s", scale, least, bytes((start + 37 * i) % 256 for i in range(16)))


def my_unscale(scaled, loss_scale, good, patience):
    if not all(math.isfinite(d) for d in scaled):
        return None, loss_scale / 2, 0
    gradients = [d / loss_scale for d in scaled]
    if good + 1 == patience:
        return gradients, 2 * loss_scale, 0
    return gradients, loss_scale, good + 1


def _unscaled(
    scaled, loss_scale, good, patience, *, bad=None, skipped=None, use=None, factor=2.0, after=0, late=0
):
    """The answer with one thing changed: what counts as bad, what is given then, the scale to divide by."""
    if any(map(bad or (lambda d: not math.isfinite(d)), scaled)):
        return skipped(scaled, loss_scale, good) if skipped else (None, loss_scale / factor, after)
    full = good + 1 >= patience + late
    now = loss_scale * factor if full else loss_scale
    gradients = [d / (use(loss_scale, now) if use else loss_scale) for d in scaled]
    return gradients, now, 0 if full else good + 1


def _slip(**changed):
    return lambda scaled, loss_scale, good, patience: _unscaled(scaled, loss_scale, good, patience, **changed)


def _no_zero_after_doubling(scaled, loss_scale, good, patience):
    gradients, now, _ = my_unscale(scaled, loss_scale, good, patience)
    return gradients, now, 0 if gradients is None else good + 1


def _never_doubled(scaled, loss_scale, good, patience):
    gradients, now, _ = my_unscale(scaled, loss_scale, good, patience)
    return (gradients, now, 0) if gradients is None else (gradients, loss_scale, good + 1)


def _exchanged(scaled, loss_scale, good, patience):
    gradients, now, count = my_unscale(scaled, loss_scale, good, patience)
    return gradients, loss_scale * loss_scale / now, count


def _squared(scaled, loss_scale, good, patience):
    gradients, now, count = my_unscale(scaled, loss_scale, good, patience)
    return gradients, loss_scale**2 if now > loss_scale else now, count


def _one_after_doubling(scaled, loss_scale, good, patience):
    gradients, now, count = my_unscale(scaled, loss_scale, good, patience)
    return gradients, now, 1 if now > loss_scale else count


def _two_when_skipped(scaled, loss_scale, good, patience):
    result = my_unscale(scaled, loss_scale, good, patience)
    return result[:2] if result[0] is None else result


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
        mistakes={
            "the scale is computed from the largest number, and not from the largest absolute value": (
                lambda row, bits: _symmetric(row, 2 ** (bits - 1) - 1, max)
            ),
            "the codes are returned, and not codes times the scale": _codes,
            "numbers are truncated, and not rounded": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1) - 1, whole=int
            ),
            "numbers are rounded down, and not to the nearest code": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1) - 1, whole=math.floor
            ),
            "the largest code is 2^(bits − 1), one too many": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1)
            ),
            "the largest code is 2^bits − 1, so the codes have one bit too many": lambda row, bits: (
                _symmetric(row, 2**bits - 1)
            ),
            "the largest code is always 7, whatever bits is": lambda row, bits: _symmetric(row, 7),
            "the sum of the row takes the place of its largest absolute value": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1) - 1, lambda row: sum(map(abs, row))
            ),
            "the numbers are not rounded": lambda row, bits: list(row),
            "the codes begin at the smallest number: that is min–max": _min_max,
            "the scale is computed from the first number, and not from the largest absolute value": (
                lambda row, bits: _symmetric(row, 2 ** (bits - 1) - 1, lambda row: abs(row[0]))
            ),
            "the scale is computed from the range of the row, as min–max does it": (
                lambda row, bits: _symmetric(row, 2**bits - 1, lambda row: max(row) - min(row))
            ),
            "numbers are rounded up, and not to the nearest code": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1) - 1, whole=math.ceil
            ),
            "numbers are rounded to integers, without a scale": lambda row, bits: [
                float(round(x)) for x in row
            ],
            "the scale of a row of zeros is 0, and you divide by it": _divided_by_zero,
            "the code is multiplied by the largest absolute value, and not by the scale": lambda row, bits: [
                _absmax(row) * code for code in _codes(row, bits)
            ],
        },
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
        mistakes={
            "the whole matrix shares one scale": _whole_matrix,
            "each row has one scale": lambda W, bits, group: my_round_groups(W, bits, len(W[0])),
            "groups go on from row to row": _across_rows,
            "groups run down the columns": _down_columns,
            "the groups of a row are not joined to one row": _nested,
            "a shorter last group is left out": lambda W, bits, group: [
                row[: len(row) // group * group] for row in my_round_groups(W, bits, group)
            ],
            "group is taken as the number of groups in a row": lambda W, bits, group: my_round_groups(
                W, bits, max(1, len(W[0]) // group)
            ),
            "each number is a group of its own": lambda W, bits, group: my_round_groups(W, bits, 1),
            "the groups overlap, because they begin at each number of a row": lambda W, bits, group: [
                [x for i in range(len(row)) for x in my_round_symmetric(row[i : i + group], bits)]
                for row in W
            ],
            "group number i begins at number i of the row, and not at i · group": lambda W, bits, group: [
                [
                    x
                    for i in range(math.ceil(len(row) / group))
                    for x in my_round_symmetric(row[i : i + group], bits)
                ]
                for row in W
            ],
            "only the first row is rounded": lambda W, bits, group: my_round_groups(W, bits, group)[0],
            "each group becomes a row": lambda W, bits, group: [
                my_round_symmetric(row[i : i + group], bits) for row in W for i in range(0, len(row), group)
            ],
            "`group` takes the place of `bits`": lambda W, bits, group: my_round_groups(W, group, group),
            "the matrix is returned as one row": lambda W, bits, group: [
                x for row in my_round_groups(W, bits, group) for x in row
            ],
            "the codes are returned, and not codes times the scale": lambda W, bits, group: [
                [x for i in range(0, len(row), group) for x in _codes(row[i : i + group], bits)] for row in W
            ],
            "min–max takes the place of symmetric rounding": lambda W, bits, group: [
                [x for i in range(0, len(row), group) for x in _min_max(row[i : i + group], bits)]
                for row in W
            ],
        },
    ),
    "19.c": Exercise(
        my_q4_1,
        [
            [bytes([0, 56, 0, 60, 0x21] + 15 * [0])],
            [_block(0.25, -1.0, 5)],
            [_block(1.0, 0.0, 100)],
            [_block(0.125, -0.75, 201)],
        ],
        call_text=lambda name, block: f'{name}(bytes.fromhex("{block.hex(" ")}"))',
        mistakes={
            "the upper halves come first": lambda block: _decoded(
                block, lambda packed: [b >> 4 for b in packed] + [b & 15 for b in packed]
            ),
            "the two numbers of a byte are neighbours": lambda block: _decoded(
                block, lambda packed: [code for b in packed for code in (b & 15, b >> 4)]
            ),
            "the two numbers of a byte are neighbours, and the upper half comes first": lambda block: (
                _decoded(block, lambda packed: [code for b in packed for code in (b >> 4, b & 15)])
            ),
            "the smallest number is not added": lambda block: _decoded(
                block, _halves, lambda scale, least, code: scale * code
            ),
            "the smallest number is subtracted": lambda block: _decoded(
                block, _halves, lambda scale, least, code: scale * code - least
            ),
            "the smallest number is added before the multiplication": lambda block: _decoded(
                block, _halves, lambda scale, least, code: scale * (code + least)
            ),
            "the scale and the smallest number are exchanged": lambda block: _decoded(
                block, _halves, lambda scale, least, code: least * code + scale
            ),
            "8 is subtracted from each code, as in Q4_0": lambda block: _decoded(
                block, _halves, lambda scale, least, code: scale * (code - 8) + least
            ),
            "the codes are returned": lambda block: _decoded(block, _halves, lambda scale, least, code: code),
            "the upper halves are not shifted": lambda block: _decoded(
                block, lambda packed: [b & 15 for b in packed] + [b & 240 for b in packed]
            ),
            "a whole byte is taken as one code": lambda block: _decoded(block, list),
            "a whole byte is taken as one code, twice": lambda block: _decoded(
                block, lambda packed: [*packed, *packed]
            ),
            "the upper halves are shifted by more than 4 bits": lambda block: _decoded(
                block, lambda packed: [b & 15 for b in packed] + [0 for b in packed]
            ),
            "the bytes are read from the last to the first": lambda block: _decoded(
                block, lambda packed: _halves(packed[::-1])
            ),
            "the lower half is taken as 3 bits (& 7)": lambda block: _decoded(
                block, lambda packed: [b & 7 for b in packed] + [b >> 4 for b in packed]
            ),
            "the codes are read as signed numbers, from −8 to 7": lambda block: _decoded(
                block, _halves, lambda scale, least, code: scale * (code - 16 * (code > 7)) + least
            ),
            "only the lower halves are decoded": lambda block: _decoded(
                block, lambda packed: [b & 15 for b in packed]
            ),
            "the two floats are read with the highest byte first": lambda block: _decoded(
                block, _halves, form=">ee16s"
            ),
        },
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
        parts=("gradients", "next loss scale", "good steps"),
        mistakes={
            "nan counts as a good gradient": _slip(bad=math.isinf),
            "inf counts as a good gradient": _slip(bad=math.isnan),
            "−inf counts as a good gradient": _slip(bad=lambda d: d == math.inf or math.isnan(d)),
            "no step is ever skipped": _slip(bad=lambda d: False),
            "gradients that are not finite become 0, and the step is not skipped": _slip(
                skipped=lambda scaled, loss_scale, good: (
                    [d / loss_scale if math.isfinite(d) else 0.0 for d in scaled],
                    loss_scale / 2,
                    0,
                )
            ),
            "zeros take the place of None when a step is skipped": _slip(
                skipped=lambda scaled, loss_scale, good: ([0.0] * len(scaled), loss_scale / 2, 0)
            ),
            "an empty list takes the place of None when a step is skipped": _slip(
                skipped=lambda scaled, loss_scale, good: ([], loss_scale / 2, 0)
            ),
            "the number of good steps is not returned": lambda scaled, loss_scale, good, patience: my_unscale(
                scaled, loss_scale, good, patience
            )[:2],
            "the loss scale stays as it is when a step is skipped": _slip(
                skipped=lambda scaled, loss_scale, good: (None, loss_scale, 0)
            ),
            "the loss scale is doubled at inf": _slip(
                skipped=lambda scaled, loss_scale, good: (None, loss_scale * 2, 0)
            ),
            "the count of good steps goes on after a skipped step": _slip(
                skipped=lambda scaled, loss_scale, good: (None, loss_scale / 2, good)
            ),
            "a skipped step is counted as a good one": _slip(
                skipped=lambda scaled, loss_scale, good: (None, loss_scale / 2, good + 1)
            ),
            "the gradients are divided by the next loss scale": _slip(use=lambda old, new: new),
            "the gradients are multiplied by the loss scale": _slip(use=lambda old, new: 1 / old),
            "the gradients are not divided": _slip(use=lambda old, new: 1.0),
            "the loss scale is doubled one step too early": _slip(late=-1),
            "the loss scale is divided by 4 when a step is skipped, and not by 2": _slip(
                skipped=lambda scaled, loss_scale, good: (None, loss_scale / 4, 0)
            ),
            "the loss scale is squared, and not doubled": _squared,
            "the count begins at 1 after the loss scale was doubled": _one_after_doubling,
            "a skipped step returns two things, and not three": _two_when_skipped,
            "the loss scale is not doubled after so many good steps as patience says": _never_doubled,
            "the count does not go back to 0 after the loss scale was doubled": _no_zero_after_doubling,
            "a good step is not counted": lambda scaled, loss_scale, good, patience: (
                *my_unscale(scaled, loss_scale, good, patience)[:2],
                0 if not all(map(math.isfinite, scaled)) or good + 1 == patience else good,
            ),
            "halving and doubling are exchanged": _exchanged,
            "the factor is 10, and not 2": _slip(factor=10.0),
        },
    ),
}
