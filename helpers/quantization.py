"""Fewer bits for a number: integer codes with a scale, blocks of GGUF files, 16-bit floats, loss scaling."""

import math
import struct


def round_symmetric(row: "n finite", bits: "int > 1") -> "n":
    """Round each number to a multiple of one scale, from −(2^(bits−1) − 1) to 2^(bits−1) − 1 times the scale.

    The largest absolute value keeps its size. Two bits leave three numbers: −scale, 0 and scale.

    >>> round_symmetric([7, -3.4, 0.6, 0.2], bits=4)
    [7.0, -3.0, 1.0, 0.0]
    """
    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0  # a row of zeros: any scale
    return [scale * round(x / scale) for x in row]


def round_min_max(row: "n finite", bits: "int > 0") -> "n":
    """Round each number to the least number of the row plus a multiple of one scale, from 0 to 2^bits − 1.

    The least and the largest number stay as they are, up to the rounding of floats.

    >>> round_min_max([10, 12, 13, 25], bits=4)
    [10.0, 12.0, 13.0, 25.0]
    >>> round_min_max([10, 12, 13, 25], bits=1)
    [10.0, 10.0, 10.0, 25.0]
    """
    least = min(row)
    scale = (max(row) - least) / (2**bits - 1) or 1.0  # a constant row: any scale
    return [least + scale * round((x - least) / scale) for x in row]


def round_matrix(W: "m n", method: "function", bits: "int > 0", group: "int > 0" = None) -> "m n":
    """Round each group of a row by itself, where group is how many numbers share a scale; None is all of W.

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
    """The 32 numbers of a Q8_0 block of a GGUF file: a scale in fp16, then 32 signed bytes.

    >>> decode_q8_0(bytes([0, 56]) + bytes([2, 255] + 30 * [0]))[:3]  # 0x3800 is 0.5; 255 is −1
    [1.0, -0.5, 0.0]
    """
    scale, *codes = struct.unpack("<e32b", block)
    return [scale * code for code in codes]


def decode_q4_1(block: "bytes") -> "32":
    """The 32 numbers of a Q4_1 block of a GGUF file: a scale and a least number in fp16, then 16 bytes.

    A byte holds two codes of 4 bits: the low half is number i, the high half is number i + 16.

    >>> numbers = decode_q4_1(bytes([0, 56]) + bytes([0, 60]) + bytes([0x21] + 15 * [0]))  # 0.5 and 1
    >>> numbers[0], numbers[16], numbers[1]
    (1.5, 2.0, 1.0)
    """
    scale, least, packed = struct.unpack("<ee16s", block)
    codes = [byte & 15 for byte in packed] + [byte >> 4 for byte in packed]
    return [scale * code + least for code in codes]


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


def unscale_gradients(
    scaled: "n", loss_scale: "float > 0", good: "int >= 0", patience: "int > 0" = 20
) -> ("list or None", "float", "int"):
    """The gradients of a scaled loss divided by its scale, or None to skip the step, and the next scale.

    good counts the steps since the loss scale changed. A gradient that is inf or nan halves the loss scale,
    and so many good steps as patience says double it.
    Source: Micikevicius et al. 2017, section 3.2, and NVIDIA's guide to mixed precision training.

    >>> unscale_gradients([8.0, -2.0], loss_scale=4.0, good=0)
    ([2.0, -0.5], 4.0, 1)
    >>> unscale_gradients([8.0, math.inf], loss_scale=4.0, good=7)
    (None, 2.0, 0)
    """
    if not all(map(math.isfinite, scaled)):
        return None, loss_scale / 2, 0
    gradients = [d / loss_scale for d in scaled]
    if good + 1 == patience:
        return gradients, 2 * loss_scale, 0
    return gradients, loss_scale, good + 1
