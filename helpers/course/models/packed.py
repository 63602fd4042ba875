"""Matrices of a file in 4 or 8 bits: read row by row, or multiplied without unpacking a number.

A column of codes is one large whole number, 32 bits for each row. Its product with a whole number is then one
multiplication for Python, which computes the products of all rows. A sum of such products is one addition.
Products of 32 columns at a time leave room in the 32 bits. What is rounded is only the vector, to a whole
number of 22 bits and a sign; for codes of 8 bits, to two of 18 bits.
"""

import functools
import struct
import sys
from array import array
from operator import mul

from ...matrices import add
from ...quantization import decode_q4_1, decode_q8_0

GROUP = 32  # numbers that share a step, in both kinds of blocks
LOW, HIGH = bytes(byte & 15 for byte in range(256)), bytes(byte >> 4 for byte in range(256))
SHIFTED = bytes((byte + 128) % 256 for byte in range(256))  # signed bytes as 0 to 255
FULL_EXPONENT = bytes(byte & 0x7C == 0x7C for byte in range(256))  # NaN or infinity
BLOCK_SIZES = {"Q4_1": 20, "Q8_0": 34}
# The largest whole number of a vector: 32 of them times the largest code must stay below 2^31.
MAX_WHOLE = {"Q4_1": 2**22, "Q8_0": 2**18}
PASSES = {"Q4_1": 1, "Q8_0": 2}  # the second multiplies by what the first has rounded away


def steps_are_finite(kind, data):
    """Whether the 16-bit floats of all blocks, each step and each least number, are numbers."""
    ends = (1, 3) if kind == "Q4_1" else (1,)  # the byte of a float that holds its exponent
    exponents = (bytes(data[end :: BLOCK_SIZES[kind]]).translate(FULL_EXPONENT) for end in ends)
    return not any(1 in found for found in exponents)


class PackedMatrix:
    """A matrix in blocks of 4 or 8 bits. As a list it has rows of floats; times(x) is its product with x."""

    def __init__(self, kind, shape, data):
        self.kind, (self.m, self.n), self.data = kind, shape, data
        self.groups = None

    def __len__(self):
        return self.m

    def __getitem__(self, i):
        if not 0 <= i < self.m:
            raise IndexError(f"row {i} of a matrix of {self.m} rows")
        size = BLOCK_SIZES[self.kind]
        decode = decode_q4_1 if self.kind == "Q4_1" else decode_q8_0
        row = self.data[i * self.n // GROUP * size : (i + 1) * self.n // GROUP * size]
        return [x for start in range(0, len(row), size) for x in decode(row[start : start + size])]

    def times(self, x):
        """The product with a vector."""
        if len(x) != self.n:
            raise ValueError(f"x has {len(x)} numbers, and the matrix has {self.n} columns; make them equal")
        if self.groups is None:
            self.groups = list(self.packed())
        result, largest = [0.0] * self.m, MAX_WHOLE[self.kind]
        for (columns, steps, leasts), start in zip(self.groups, range(0, self.n, GROUP), strict=True):
            part = x[start : start + GROUP]
            unit = max(map(abs, part)) / largest
            for _ in range(PASSES[self.kind] if unit else 0):
                whole = [round(value / unit) for value in part]
                shift = unit * sum(whole)
                rows = zip(result, steps, self.sums(whole, columns), leasts, strict=True)
                result = [y + step * (unit * s) + least * shift for y, step, s, least in rows]
                part = [value - unit * w for value, w in zip(part, whole, strict=True)]
                unit /= largest
        return result

    def sums(self, whole, columns):
        """For each row the sum of its codes times the whole numbers, in one sum of products."""
        signs = int.from_bytes(b"\0\0\0\x80" * self.m, "little")  # the highest of the 32 bits of each row
        total = sum(map(mul, whole, columns))
        # two's complement: add 2^31 to each row's sum, then flip the highest bit
        return int32s(((total + signs) ^ signs).to_bytes(4 * self.m, "little"))

    def packed(self):
        """For each group: its 32 columns as whole numbers; the step and the least number of each row."""
        data, n_groups = bytes(self.data), self.n // GROUP
        steps, leasts = (array("f", numbers) for numbers in floats_of(self.kind, data))
        codes = codes_of(self.kind, data)
        for g in range(n_groups):
            yield [one_number(some[g::n_groups]) for some in codes], steps[g::n_groups], leasts[g::n_groups]


def floats_of(kind, data):
    """The steps and the least numbers of all blocks."""
    size = BLOCK_SIZES[kind]
    n = len(data) // size
    pair = bytearray(4 * n)
    for i in range(4 if kind == "Q4_1" else 2):
        pair[i::4] = data[i::size]
    numbers = struct.unpack(f"<{2 * n}e", pair)
    return numbers[::2], numbers[1::2] if kind == "Q4_1" else [-128 * step for step in numbers[::2]]


def codes_of(kind, data):
    """The codes of all blocks: for each of the 32 numbers of a block, a byte for each block."""
    size = BLOCK_SIZES[kind]
    if kind == "Q8_0":
        return [data[i::size].translate(SHIFTED) for i in range(2, size)]
    packed = [data[i::size] for i in range(4, size)]
    return [codes.translate(LOW) for codes in packed] + [codes.translate(HIGH) for codes in packed]


def one_number(codes):
    """The bytes as one whole number, 32 bits apart.

    >>> one_number(bytes([3, 1])) == 3 + 2**32
    True
    """
    spread = bytearray(4 * len(codes))
    spread[0::4] = codes
    return int.from_bytes(spread, "little")


def int32s(raw):
    numbers = array("i", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def packed_linear(X: "T n", W: "m n", b: "m" = None) -> "T m":
    """X·Wᵀ + b, where W is a packed matrix or a list of rows.

    >>> packed_linear([[1, 2]], [[10, 0], [0, 10]], [0, 5])
    [[10.0, 25.0]]
    """
    if isinstance(W, PackedMatrix):
        product = [W.times(x) for x in X]
    else:
        product = [[sum(map(mul, x, w), 0.0) for w in W] for x in X]
    return product if b is None else add(product, [b] * len(X))
