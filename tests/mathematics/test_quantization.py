"""Fewer bits: by hand, by brute force, and by the machine's own 16-bit floats."""

import math
import random
import struct

from helpers import (
    decode_q4_1,
    decode_q8_0,
    round_bf16,
    round_fp16,
    round_matrix,
    round_min_max,
    round_symmetric,
    unscale_gradients,
)


def test_symmetric_rounding_by_hand():
    assert round_symmetric([7, -3.4, 0.6, 0.2], 4) == [7, -3, 1, 0]
    assert round_symmetric([-5, 2, 3, 1], 2) == [-5, 0, 5, 0]  # −1, 0 and 1 times 5
    assert round_symmetric([0, 0], 3) == [0, 0]


def test_min_max_rounding_by_hand():
    assert round_min_max([10, 12, 13.4, 25], 4) == [10, 12, 13, 25]
    assert round_min_max([-1, 0, 2], 1) == [-1, -1, 2]
    assert round_min_max([3, 3], 2) == [3, 3]


def test_every_number_is_the_nearest_of_those_that_can_be_stored():
    rng = random.Random(3)
    row = [rng.gauss(0, 1) for _ in range(40)]
    top, low = max(map(abs, row)), min(row)
    for bits in (2, 3, 5):
        largest = 2 ** (bits - 1) - 1
        can = [top * code / largest for code in range(-largest, largest + 1)]
        for x, y in zip(row, round_symmetric(row, bits), strict=True):
            assert abs(x - y) <= min(abs(x - c) for c in can) + 1e-12
        can = [low + (max(row) - low) * code / (2**bits - 1) for code in range(2**bits)]
        for x, y in zip(row, round_min_max(row, bits), strict=True):
            assert abs(x - y) <= min(abs(x - c) for c in can) + 1e-12


def test_groups_by_hand():
    W = [[1, 2, 10, 30, 9], [5, 5, 5, 9, 1]]
    assert round_matrix(W, round_min_max, 1, 2) == [[1, 2, 10, 30, 9], [5, 5, 5, 9, 1]]
    assert round_matrix(W, round_min_max, 1) == [[1, 1, 1, 30, 1], [1, 1, 1, 1, 1]]


def test_a_block_of_4_bits_by_hand():
    block = struct.pack("<ee", 0.5, -1) + bytes([0x21, 0xF0]) + bytes(14)
    numbers = decode_q4_1(block)
    assert numbers[:3] == [-0.5, -1, -1] and numbers[16:19] == [0, 6.5, -1] and len(numbers) == 32


def test_a_block_of_8_bits_by_hand():
    block = struct.pack("<e32b", 0.25, *range(-16, 16))
    assert decode_q8_0(block) == [code / 4 for code in range(-16, 16)]


def test_fp16_is_the_machine_s():
    for bits in range(0, 0x7C00, 7):  # every seventh positive number of fp16
        (x,) = struct.unpack("<e", struct.pack("<H", bits))
        assert round_fp16(x) == x and round_fp16(-x) == -x
    assert round_fp16(65520) == float("inf") and round_fp16(-1e9) == -float("inf") and round_fp16(2**-26) == 0


def test_bf16_keeps_eight_digits_of_two():
    assert [round_bf16(x) for x in (1.0, 1.0078125, 3.0, -257.0)] == [1.0, 1.0078125, 3.0, -256.0]
    assert round_bf16(1.00390625) == 1.0 and round_bf16(1.01171875) == 1.015625  # halves go to the even one
    assert round_bf16(1.006) == 1.0078125 and 0 < round_bf16(1e-30) < 1.01e-30


def test_loss_scaling_by_hand():
    assert unscale_gradients([8.0, -2.0], 4.0, 0) == ([2.0, -0.5], 4.0, 1)
    assert unscale_gradients([8.0], 4.0, 19) == ([2.0], 8.0, 0)
    assert unscale_gradients([8.0], 4.0, 2, 3) == ([2.0], 8.0, 0)
    for bad in (math.inf, -math.inf, math.nan):
        assert unscale_gradients([1.0, bad], 4.0, 19) == (None, 2.0, 0)


def test_good_steps_are_counted():
    assert unscale_gradients([8.0], 4.0, 2) == ([2.0], 4.0, 3)


def test_a_matrix_of_one_row():
    assert round_matrix([[1, 2, 30]], round_min_max, 1) == [[1, 1, 30]]
