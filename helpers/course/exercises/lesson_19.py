"""Lesson 19, hidden side. Reading on gives answers away."""

import struct

from .exercise import Exercise, draw_inputs


def my_round_symmetric(row, bits):
    step = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0
    return [step * round(x / step) for x in row]


def _symmetric(row, most, largest=lambda row: max(map(abs, row)), whole=round):
    step = largest(row) / most or 1.0
    return [step * whole(x / step) for x in row]


def _min_max(row, bits):
    least = min(row)
    step = (max(row) - least) / (2**bits - 1) or 1.0
    return [least + step * round((x - least) / step) for x in row]


def _codes(row, bits):
    step = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0
    return [round(x / step) for x in row]


def my_bytes(rows, columns, bits, group):
    groups = -(-columns // group)
    return rows * (columns * bits // 8 + 2 * groups)


def my_q4_1(block):
    step, least, packed = struct.unpack("<ee16s", block)
    codes = [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]
    return [step * code + least for code in codes]


def _decoded(block, codes, value=lambda step, least, code: step * code + least):
    step, least, packed = struct.unpack("<ee16s", block)
    return [value(step, least, code) for code in codes(packed)]


def _halves(packed):
    return [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]


def _block(step, least, start):
    return struct.pack("<ee16s", step, least, bytes((start + 37 * i) % 256 for i in range(16)))


EXERCISES = {
    "19.a": Exercise(
        my_round_symmetric,
        [
            [[7, -3.4, 0.6, 0.2], 4],
            [[0.0, 0.0, 0.0], 3],
            [[1.0, -4.5, 0.5], 3],
            [[5.0, -1.0, 2.0, 0.4], 2],
            [draw_inputs(190, (6,))[0], 5],
            [draw_inputs(191, (5,))[0], 8],
        ],
        slips={
            "the step is computed from the largest number, and not from the largest absolute value": (
                lambda row, bits: _symmetric(row, 2 ** (bits - 1) - 1, max)
            ),
            "the codes are returned, and not codes times the step": _codes,
            "numbers are cut off, and not rounded": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1) - 1, whole=int
            ),
            "the largest code is 2^(bits − 1), one too many": lambda row, bits: _symmetric(
                row, 2 ** (bits - 1)
            ),
            "the largest code is 2^bits − 1, so the codes have one bit too many": lambda row, bits: (
                _symmetric(row, 2**bits - 1)
            ),
            "the codes begin at the least number: that is min–max": _min_max,
        },
    ),
    "19.b": Exercise(
        my_bytes,
        [[2, 8, 4, 4], [3, 16, 4, 5], [1, 32, 8, 32], [10, 64, 2, 16], [576, 1536, 4, 32], [4, 24, 3, 7]],
        slips={
            "the steps are forgotten": lambda rows, columns, bits, group: rows * columns * bits // 8,
            "a shorter last group has no step": lambda rows, columns, bits, group: (
                rows * (columns * bits // 8 + 2 * (columns // group))
            ),
            "a step is counted with 1 byte": lambda rows, columns, bits, group: (
                rows * (columns * bits // 8 - (-columns // group))
            ),
            "each row has one step": lambda rows, columns, bits, group: rows * (columns * bits // 8 + 2),
            "each group stores two numbers, as in min–max": lambda rows, columns, bits, group: (
                rows * (columns * bits // 8 - 4 * (-columns // group))
            ),
            "bits are counted, and not bytes": lambda rows, columns, bits, group: (
                8 * my_bytes(rows, columns, bits, group)
            ),
            "groups go on from row to row": lambda rows, columns, bits, group: (
                rows * columns * bits // 8 - 2 * (-rows * columns // group)
            ),
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
        slips={
            "the upper halves come first": lambda block: _decoded(
                block, lambda packed: [b >> 4 for b in packed] + [b & 15 for b in packed]
            ),
            "the two numbers of a byte are neighbours": lambda block: _decoded(
                block, lambda packed: [code for b in packed for code in (b & 15, b >> 4)]
            ),
            "the least number is not added": lambda block: _decoded(
                block, _halves, lambda step, least, code: step * code
            ),
            "the step and the least number are exchanged": lambda block: _decoded(
                block, _halves, lambda step, least, code: least * code + step
            ),
            "8 is subtracted from each code, as in Q4_0": lambda block: _decoded(
                block, _halves, lambda step, least, code: step * (code - 8) + least
            ),
            "the codes are returned": lambda block: _decoded(block, _halves, lambda step, least, code: code),
            "the upper halves are not shifted": lambda block: _decoded(
                block, lambda packed: [b & 15 for b in packed] + [b & 240 for b in packed]
            ),
        },
    ),
}
