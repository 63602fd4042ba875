"""Fewer bits for a number: whole-number codes with a step, the blocks of GGUF files, and 16-bit floats."""

import math
import struct


def round_symmetric(row: "n finite", bits: "int > 1") -> "n":
    """Round each number to a multiple of one step, from −(2^(bits−1) − 1) to 2^(bits−1) − 1 times the step.

    The largest absolute value keeps its size. Two bits leave three numbers: −step, 0 and step.

    >>> round_symmetric([7, -3.4, 0.6, 0.2], bits=4)
    [7.0, -3.0, 1.0, 0.0]
    """
    step = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0  # a row of zeros: any step
    return [step * round(x / step) for x in row]


def round_min_max(row: "n finite", bits: "int > 0") -> "n":
    """Round each number to the least number of the row plus a multiple of one step, from 0 to 2^bits − 1.

    The least and the largest number stay as they are, up to the rounding of floats.

    >>> round_min_max([10, 12, 13, 25], bits=4)
    [10.0, 12.0, 13.0, 25.0]
    >>> round_min_max([10, 12, 13, 25], bits=1)
    [10.0, 10.0, 10.0, 25.0]
    """
    least = min(row)
    step = (max(row) - least) / (2**bits - 1) or 1.0  # a constant row: any step
    return [least + step * round((x - least) / step) for x in row]


def round_matrix(W: "m n", method: "function", bits: "int > 0", group: "int > 0" = None) -> "m n":
    """Round each group of a row by itself, where group is how many numbers share a step; None is all of W.

    The last group of a row may be shorter.

    >>> W = [[1, 2, 10, 30], [5, 5, 5, 9]]
    >>> round_matrix(W, round_min_max, bits=1, group=2)
    [[1.0, 2.0, 10.0, 30.0], [5.0, 5.0, 5.0, 9.0]]
    >>> round_matrix(W, round_min_max, bits=1)
    [[1.0, 1.0, 1.0, 30.0], [1.0, 1.0, 1.0, 1.0]]
    """
    n = len(W[0])
    assert {len(row) for row in W} == {n}, "the rows of W must be equally long"
    if group is None:
        flat = method([w for row in W for w in row], bits)
        return [flat[i : i + n] for i in range(0, len(flat), n)]
    return [[x for i in range(0, n, group) for x in method(row[i : i + group], bits)] for row in W]


def decode_q8_0(block: "bytes") -> "32":
    """The 32 numbers of a Q8_0 block of a GGUF file: a step in fp16, then 32 signed bytes.

    >>> decode_q8_0(bytes([0, 56]) + bytes([2, 255] + 30 * [0]))[:3]  # 0x3800 is 0.5; 255 is −1
    [1.0, -0.5, 0.0]
    """
    step, *codes = struct.unpack("<e32b", block)
    return [step * code for code in codes]


def decode_q4_1(block: "bytes") -> "32":
    """The 32 numbers of a Q4_1 block of a GGUF file: a step and a least number in fp16, then 16 bytes.

    A byte holds two codes of 4 bits: the low half is number i, the high half is number i + 16.

    >>> numbers = decode_q4_1(bytes([0, 56]) + bytes([0, 60]) + bytes([0x21] + 15 * [0]))  # 0.5 and 1
    >>> numbers[0], numbers[16], numbers[1]
    (1.5, 2.0, 1.0)
    """
    step, least, packed = struct.unpack("<ee16s", block)
    codes = [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]
    return [step * code + least for code in codes]


def round_fp16(x: "float") -> "float":
    """The nearest number of 16 bits with 5 bits of exponent (fp16); above 65,504 the result is inf.

    Source: IEEE 754-2008, binary16.

    >>> round_fp16(0.1), round_fp16(1e-8), round_fp16(70000)
    (0.0999755859375, 0.0, inf)
    """
    if abs(x) >= 65520:  # nearer to 2^16, which is no number of this format
        return math.copysign(math.inf, x)
    return struct.unpack("<e", struct.pack("<e", x))[0]


def round_bf16(x: "float > -3e38 < 3e38") -> "float":
    """The nearest number of 16 bits with 8 bits of exponent (bf16): the upper half of a float of 32 bits.

    Source: Kalamkar et al. 2019, section 3.

    >>> round_bf16(0.1), round_bf16(1e-8) > 0, round_bf16(1.003)
    (0.10009765625, True, 1.0)
    """
    (bits,) = struct.unpack("<I", struct.pack("<f", x))
    bits += 0x7FFF + (bits >> 16 & 1)  # round to the nearest, and halves to the even one
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
