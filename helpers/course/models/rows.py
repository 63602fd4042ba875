"""A Llama for a conversation: products with one scale for each row, and attention of one new token.

The products are twice as fast as those of packed.py, and rounded a little more.

There a row has a step and a least number for each 32 columns, which floats multiply after each sum of 32
products. Here these are whole numbers, multiples of one scale of the row. A column is one large whole number
again, 40 or 48 bits for each row, and all columns go into one sum. Floats appear once a row.
"""

import functools
import math
import struct
import sys
from array import array
from operator import mul

from ...llama import llama_forward
from .packed import BLOCK_SIZES, GROUP, HIGH, LOW, SHIFTED, PackedMatrix
from .smollm2 import fast

BITS = {"Q4_1": 15, "Q8_0": 19}  # of the whole numbers of a row, and a sign
LANE = {"Q4_1": 5, "Q8_0": 6}  # bytes for each row
CODE_BITS = {"Q4_1": 4, "Q8_0": 8}
MASK = 2**13 - 1  # a factor is at most 2^BITS / (2^CODE_BITS - 1)


class RowMatrix(PackedMatrix):
    """The rows of a packed matrix from first to last, with a faster and less exact product."""

    def __init__(self, matrix, first=0, last=None):
        super().__init__(matrix.kind, (matrix.m, matrix.n), matrix.data)
        self.first, self.rows = first, (self.m if last is None else last) - first
        self.columns = None

    def times(self, x):
        """The product of these rows with a vector."""
        if self.columns is None:
            self.build()
        largest = max(map(abs, x))
        if not largest:
            return [0.0] * self.rows
        unit, lane = largest / self.most, LANE[self.kind]
        total = sum(map(mul, [round(value / unit) for value in x], self.columns))
        # two's complement: with half of the lane added, each lane is positive
        raw, spread = (total + self.halves).to_bytes(lane * self.rows + 1, "little"), bytearray(8 * self.rows)
        for byte in range(lane):
            spread[byte::8] = raw[byte : lane * self.rows : lane]
        half = 2 ** (8 * lane - 1)
        return [(y - half) * (unit * scale) for y, scale in zip(int64s(bytes(spread)), self.scales)]

    def build(self):
        """The columns as large whole numbers, the scales of the rows, and the largest number for a vector."""
        rows, lane, n_groups = self.rows, LANE[self.kind], self.n // GROUP
        size, highest = BLOCK_SIZES[self.kind], 2 ** CODE_BITS[self.kind] - 1
        data = self.data[self.first * n_groups * size : (self.first + rows) * n_groups * size]
        steps, leasts = self.floats(data, rows * n_groups)
        largest, most = (
            [
                max(row)
                for row in zip(*[iter([max(b + highest * a, -b) for a, b in zip(steps, leasts)])] * n_groups)
            ],
            2 ** (BITS[self.kind] - 1),
        )
        self.scales = [(number or 1.0) / most for number in largest]
        parts, middle = [1 / scale for scale in self.scales], highest / 2
        bits = [ones(rows, lane) << b for b in range(CODE_BITS[self.kind])]
        self.columns = []
        for g in range(n_groups):
            exact = list(map(mul, steps[g::n_groups], parts))
            whole = list(map(round, exact))
            # what a step is rounded by is made up for at the middle code
            low = [
                round(b * part + middle * (a - w))
                for b, part, a, w in zip(leasts[g::n_groups], parts, exact, whole)
            ]
            low, factor = lanes(low, lane), lanes(whole, lane)
            factors = [factor << b for b in range(len(bits))]
            for codes in self.codes(data, g, n_groups * size):
                self.columns.append(low + products(codes, factors, bits, lane))
        self.most = 2 ** (8 * lane - 1) // (self.n * (most + highest)) - 1  # so no sum leaves its lane
        self.halves = ones(rows, lane) << 8 * lane - 1

    def floats(self, data, n):
        """The steps and the least numbers of n blocks."""
        size = BLOCK_SIZES[self.kind]
        pair = bytearray(4 * n)
        for i in range(4 if self.kind == "Q4_1" else 2):
            pair[i::4] = data[i::size]
        numbers = struct.unpack(f"<{2 * n}e", pair)
        steps = numbers[::2]
        return steps, numbers[1::2] if self.kind == "Q4_1" else [-128 * step for step in steps]

    def codes(self, data, g, stride):
        """The codes of the 32 columns of a group, a byte for each row."""
        start = g * BLOCK_SIZES[self.kind] + (4 if self.kind == "Q4_1" else 2)
        n = 16 if self.kind == "Q4_1" else 32
        packed = [data[start + i :: stride].tobytes() for i in range(n)]
        if self.kind == "Q8_0":
            return [column.translate(SHIFTED) for column in packed]
        return [column.translate(LOW) for column in packed] + [column.translate(HIGH) for column in packed]


def lanes(numbers, lane):
    """Whole numbers as one, so many bytes apart; a negative number borrows from the next.

    >>> lanes([3, -1], 2) == 3 - 2**16
    True
    """
    width = min(lane, 4)
    low = 2 ** (8 * width - 2)  # added, so that no lane is negative, and subtracted
    spread = bytearray(lane * len(numbers))
    raw = int64s(array("q", map(low.__add__, numbers)).tobytes()).tobytes()
    for byte in range(width):
        spread[byte::lane] = raw[byte::8]
    return int.from_bytes(spread, "little") - low * ones(len(numbers), lane)


def ones(n, lane):
    return int.from_bytes((b"\1" + bytes(lane - 1)) * n, "little")


def products(codes, factors, bits, lane):
    """In each lane a code times the factor there, without a loop over the lanes.

    bits[b] has bit b of each lane, and factors[b] the factors, shifted by b. Where a code has the bit, it
    becomes a run of ones that selects the factor.

    >>> bits, factors = [[ones(2, 3) << b for b in range(3)], [lanes([100, 200], 3) << b for b in range(3)]]
    >>> products(bytes([5, 2]), factors, bits, 3) == lanes([500, 400], 3)
    True
    """
    spread = bytearray(lane * len(codes))
    spread[0::lane] = codes
    codes = int.from_bytes(spread, "little")
    return sum((codes & bit) * MASK & factor for bit, factor in zip(bits, factors))


def int64s(raw):
    """Whole numbers of 64 bits, the lowest byte first."""
    numbers = array("q", raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def quicker(model, make=RowMatrix):
    """Let a model read one token at a time with matrices that make(matrix) gives, in less time."""
    model.parameters = {
        name: make(W) if isinstance(W, PackedMatrix) and steps_are_positive(W) else W
        for name, W in model.parameters.items()
    }
    for W in model.parameters.values():
        if isinstance(W, RowMatrix):
            W.build()
    model.forward = fast(llama_forward, rope=quick_rope, grouped_query_attention=attention_of_one)


def steps_are_positive(W):
    """Whether no step has a minus sign, as in all files that llama.cpp writes."""
    return max(bytes(W.data[1 :: BLOCK_SIZES[W.kind]])) < 128


# --- attention of one new token


def quick_rope(X: "T k", positions: "T finite", base: "float > 0 finite" = 10000.0) -> "T k":
    """Rotary positions, with the angles of a position computed once.

    >>> quick_rope([[3, 4]], [0])
    [[3.0, 4.0]]
    """
    result = []
    for row, position in zip(X, positions, strict=True):
        turned = []
        for (cos, sin), a, b in zip(
            cosines_and_sines(position, base, len(row)), row[0::2], row[1::2], strict=True
        ):
            turned += [a * cos - b * sin, a * sin + b * cos]
        result.append(turned)
    return result


@functools.lru_cache(64)
def cosines_and_sines(position, base, k):
    angles = [position * base ** (-i / k) for i in range(0, k, 2)]
    return [(math.cos(angle), math.sin(angle)) for angle in angles]


def attention_of_one(Q: "H 1 k", K: "G S k", V: "G S v", mask: "None" = None) -> "H 1 v":
    """Grouped-query attention of one new token to all tokens.

    >>> attention_of_one([[[0.0]], [[0.0]]], [[[1.0], [2.0]]], [[[10.0], [20.0]]])
    [[[15.0]], [[15.0]]]
    """
    share, result = len(Q) // len(K), []
    for g, (keys, values) in enumerate(zip(K, V, strict=True)):
        columns = list(zip(*values))
        for (query,) in Q[g * share : (g + 1) * share]:
            query = [number / math.sqrt(len(query)) for number in query]
            scores = [sum(map(mul, query, key)) for key in keys]
            largest = max(scores)
            weights = [math.exp(score - largest) for score in scores]
            total = sum(weights)
            result.append([[sum(map(mul, weights, column)) / total for column in columns]])
    return result
