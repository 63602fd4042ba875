"""A Llama for a conversation: products with whole numbers of 11 bits, and attention of one new token.

The products take a third of the time of those of packed.py, and are rounded more. There a row has a step and
a least number for each 32 columns, which floats multiply after each sum of 32 products. Here the numbers of
a row are whole numbers, multiples of one scale of the row, and 64 numbers of the vector are whole numbers,
too, multiples of one unit. A column is one large whole number, with 24 bits for each row. 64 products of
columns are added in these 24 bits, and their sums in 48 bits. Floats appear once a row.
"""

import functools
import math
import struct
from operator import mul

from ...llama import llama_forward
from .packed import BLOCK_SIZES, GROUP, PackedMatrix, codes_of, floats_of, packed_linear
from .smollm2 import fast

LANE = 3  # bytes for each row in a column
WIDE = 2 * LANE  # bytes for each row in the sum of all columns
MAX_NUMBER = 2**10  # no whole number of a row is larger
TERMS = 64  # numbers of the vector with one unit: so many products are added in a lane
SUM = 2 ** (8 * LANE - 1) // MAX_NUMBER - TERMS  # of the sizes of these, before they are rounded
FRACTION = 8  # bits after the point while a column is built
ADDED = MAX_NUMBER * 2**FRACTION + 2 ** (FRACTION - 1)
ROUNDING = 1.5 * 2**52  # added to a float, it leaves the whole number in the lowest bytes
SIGNIFICAND = struct.pack("<d", 2**52)  # a whole number in its lowest bytes is one of the float, too
CODE_BITS = {"Q4_1": 4, "Q8_0": 8}
RUN = 2**16 - 1  # a factor is at most 2^(10 + FRACTION) / (2^CODE_BITS - 1)
# Matrices that are multiplied with the same vector, one after the other: their rows make one matrix
TOGETHER = (
    ("attn_q.weight", "attn_k.weight", "attn_v.weight"),
    ("attn_output.weight",),
    ("ffn_gate.weight", "ffn_up.weight"),
    ("ffn_down.weight",),
)


# --- products


class Rows:
    """Some rows in blocks of 4 or 8 bits, for products that are fast and less exact."""

    def __init__(self, kind, n, data, read=None):
        """read(count) gives the next bytes of what `kept` gave; without it, the numbers are computed."""
        self.kind, self.n, self.data = kind, n, data
        self.m = rows_in(kind, n, data)
        self.x, self.y = None, None
        one = ones(self.m, LANE)
        self.halves, self.middle = one << 8 * LANE - 1, one * MAX_NUMBER
        self.mask = ones((self.m + 1) // 2, WIDE) * (2 ** (8 * LANE) - 1)
        self.scales, columns = self.read_from(read) if read else self.build()
        columns = [column - self.middle for column in columns]
        self.groups = [columns[i : i + TERMS] for i in range(0, n, TERMS)]

    def times(self, x):
        """The product of the rows with a vector; that of the last vector is kept."""
        if x != self.x:
            self.y, self.x = self.product(x), list(x)
        return self.y

    def product(self, x):
        unit, parts = whole_numbers(x)
        if not unit:
            return [0.0] * self.m
        even = odd = 0  # rows 0, 2, 4, … and 1, 3, 5, …
        for (factor, whole), columns in zip(parts, self.groups, strict=True):
            total = sum(map(mul, whole, columns)) + self.halves  # with half of a lane added, none is negative
            evens = total & self.mask
            even += evens * factor
            odd += (total ^ evens) * factor
        added = 2**52 + 2 ** (8 * LANE - 1) * math.fsum(factor for factor, _ in parts)
        result = [0.0] * self.m
        for first, sums in ((0, even), (1, odd >> 8 * LANE)):
            numbers = from_lanes(sums, len(self.scales[first::2]), WIDE)
            result[first::2] = [(y - added) * (unit * s) for y, s in zip(numbers, self.scales[first::2])]
        return result

    def build(self):
        """The scale of each row, and the columns, with MAX_NUMBER added to each number of a row."""
        rows, n_groups, bits = self.m, self.n // GROUP, CODE_BITS[self.kind]
        (steps, leasts), highest = floats_of(self.kind, self.data), 2**bits - 1
        lows, factors, scales = [], [], []
        for i in range(0, rows * n_groups, n_groups):
            step, least = steps[i : i + n_groups], leasts[i : i + n_groups]
            largest = max([b + highest * a for a, b in zip(step, least)] + [-min(least)])
            scales.append((largest or 1.0) / (MAX_NUMBER - 1))
            part = 2**FRACTION / scales[-1]
            # MAX_NUMBER is added to each number, so that none is negative, and a half, so that >> rounds
            lows += [b * part + ADDED for b in least]
            factors += [a * part for a in step]
        return scales, self.columns(rounded_bytes(lows), rounded_bytes(factors))

    def columns(self, lows, factors):
        codes, one, n_groups = codes_of(self.kind, self.data), ones(self.m, LANE), self.n // GROUP
        masks = [one << b for b in range(CODE_BITS[self.kind])]
        keep = one * (2 ** (8 * LANE) - 2**FRACTION)
        for g in range(n_groups):
            low, factor = (joined([part[g::n_groups] for part in parts]) for parts in (lows, factors))
            shifted = [factor << b for b in range(len(masks))]
            for some in codes:
                yield (low + products(some[g::n_groups], shifted, masks) & keep) >> FRACTION

    def kept(self):
        """The scales and the columns as bytes, piece by piece."""
        yield struct.pack(f"<{self.m}d", *self.scales)
        for columns in self.groups:
            for column in columns:
                raw = (column + self.middle).to_bytes(LANE * self.m, "little")
                yield raw[0::LANE] + raw[1::LANE]

    def read_from(self, read):
        """What `build` gives, from what `kept` gave."""
        scales = list(struct.unpack(f"<{self.m}d", read(8 * self.m)))
        return scales, (joined([read(self.m), read(self.m)]) for _ in range(self.n))


def rows_in(kind, n, data):
    """How many rows of n numbers the data are."""
    return len(data) // (n // GROUP * BLOCK_SIZES[kind])


class RowMatrix(PackedMatrix):
    """A packed matrix whose product is a part of that of some rows."""

    def __init__(self, matrix, rows, first):
        super().__init__(matrix.kind, (matrix.m, matrix.n), matrix.data)
        self.rows, self.first = rows, first

    def times(self, x):
        return self.rows.times(x)[self.first : self.first + self.m]


def whole_numbers(x):
    """(unit, parts): for each 64 numbers of x a factor and whole numbers, which approximate x as
    unit · factor · whole number.

    >>> unit, [(factor, whole)] = whole_numbers([3.0, -1.0, 0.0])
    >>> [round(unit * factor * number, 3) for number in whole]
    [3.0, -1.0, 0.0]
    """
    groups = [x[i : i + TERMS] for i in range(0, len(x), TERMS)]
    needed = [math.fsum(map(abs, group)) / SUM for group in groups]
    most = 2 ** (8 * (WIDE - LANE) - 1) // len(groups)  # so no sum leaves its lane
    unit, parts = max(needed) / most, []
    for group, least in zip(groups, needed):
        if not least:
            parts.append((1, []))
            continue
        factor = math.ceil(least / unit)
        scale = 1 / (unit * factor)
        parts.append((factor, [round(value * scale) for value in group]))
    return unit, parts


def products(codes, factors, masks):
    """In each lane a code times the factor there, without a loop over the lanes.

    masks[b] has bit b of each lane, and factors[b] the factors, shifted by b. Where a code has the bit, it
    becomes a run of ones that selects the factor.

    >>> masks, factors = [[ones(2, 3) << b for b in range(3)], [lanes([100, 200], 3) << b for b in range(3)]]
    >>> products(bytes([5, 2]), factors, masks) == lanes([500, 400], 3)
    True
    """
    codes = joined([codes])
    return sum((codes & mask) * RUN & factor for mask, factor in zip(masks, factors))


def rounded_bytes(numbers):
    """Floats, rounded to whole numbers: the lowest byte of each, then the next of each, LANE times."""
    raw = struct.pack(f"<{len(numbers)}d", *map(ROUNDING.__add__, numbers))
    return [raw[byte::8] for byte in range(LANE)]


def joined(parts):
    """Whole numbers as one, LANE bytes apart, from the lowest byte of each, the next of each, …

    >>> joined([bytes([3, 1])]) == 3 + 1 * 256**LANE
    True
    """
    spread = bytearray(LANE * len(parts[0]))
    for byte, part in enumerate(parts):
        spread[byte::LANE] = part
    return int.from_bytes(spread, "little")


def lanes(numbers, lane):
    """Whole numbers as one, so many bytes apart; a negative number borrows from the next.

    >>> lanes([3, -1], 2) == 3 - 2**16
    True
    """
    low = 2 ** (8 * lane - 2)  # added, so that no lane is negative, and subtracted
    raw = struct.pack(f"<{len(numbers)}q", *map(low.__add__, numbers))
    spread = bytearray(lane * len(numbers))
    for byte in range(lane):
        spread[byte::lane] = raw[byte::8]
    return int.from_bytes(spread, "little") - low * ones(len(numbers), lane)


def from_lanes(total, n, lane):
    """The n whole numbers of one, so many bytes apart, as floats, and 2^52 more; none is negative.

    >>> [y - 2**52 for y in from_lanes(3 + 2 * 2**40, 2, 5)]
    [3.0, 2.0]
    """
    raw, spread = total.to_bytes(lane * n, "little"), bytearray(SIGNIFICAND * n)
    for byte in range(lane):
        spread[byte::8] = raw[byte::lane]
    return struct.unpack(f"<{n}d", spread)


@functools.lru_cache(256)
def ones(n, lane):
    return int.from_bytes((b"\1" + bytes(lane - 1)) * n, "little")


def quicker(model, make=Rows):
    """Let a model read one token at a time in less time; make(kind, n, data) gives the product of rows.

    Gives a list of what was made.
    """
    made = []
    blocks = [
        [f"blk.{i}.{name}" for name in some] for i in range(model.config["n_layer"]) for some in TOGETHER
    ]
    for names in [["token_embd.weight"], *blocks]:
        matrices = {name: model.parameters[name] for name in names}
        for part in (
            [matrices] if same_kind(matrices.values()) else [{name: W} for name, W in matrices.items()]
        ):
            if all(map(is_quick, part.values())):
                W = next(iter(part.values()))
                made.append(make(W.kind, W.n, b"".join(W.data for W in part.values())))
                first = 0
                for name, W in part.items():
                    model.parameters[name] = RowMatrix(W, made[-1], first)
                    first += W.m
    model.forward = fast(
        llama_forward, rope=quick_rope, cached_attention=attention_of_one, swiglu=quick_swiglu
    )
    return made


def same_kind(matrices):
    return len({(type(W), getattr(W, "kind", 0), getattr(W, "n", 0)) for W in matrices}) == 1


def is_quick(W):
    """Whether the rows of a matrix can be taken: no step has a minus sign, as in all files of llama.cpp."""
    return isinstance(W, PackedMatrix) and max(bytes(W.data[1 :: BLOCK_SIZES[W.kind]])) < 128


def quick_swiglu(X: "T D", W_gate: "F D", W_up: "F D", W_down: "m F") -> "T m":
    """A feed-forward network with a gate, as swiglu, without a call of silu for each number.

    >>> quick_swiglu([[1, 2]], [[0, 50]], [[3, 0]], [[1], [10]])
    [[300.0, 3000.0]]
    """
    tanh = math.tanh
    hidden = [
        [g * 0.5 * (1 + tanh(0.5 * g)) * u for g, u in zip(*rows, strict=True)]
        for rows in zip(packed_linear(X, W_gate), packed_linear(X, W_up), strict=True)
    ]
    return packed_linear(hidden, W_down)


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


ROW_LANE, MAX_IN_ROW = 5, 2**15  # bytes and largest whole number of keys and values
SHARES = 2**22  # in which the attention weights are divided


class KeyRows(list):
    """The keys of all tokens, and their columns as large whole numbers with 40 bits for each token."""

    def __init__(self, old, new):
        super().__init__([*old, *new])
        known = type(old) is KeyRows
        self.columns, self.units = (old.columns, [*old.units]) if known else ([0] * len(self[0]), [])
        for row in new if known else self:
            unit, whole = one_unit(row)
            shift = 8 * ROW_LANE * len(self.units)
            self.columns = [column + (x << shift) for column, x in zip(self.columns, whole)]
            self.units.append(unit)

    def weights(self, query):
        """The attention weight of each key, times a number that is the same for all."""
        unit, whole = one_unit(query)
        scale = unit / math.sqrt(len(query))
        sums = signed_lanes(sum(map(mul, whole, self.columns)), len(self))
        scores = list(map(mul, sums, self.units))
        largest = max(scores)
        return [math.exp((score - largest) * scale) for score in scores]


class ValueRows(list):
    """The values of all tokens, each also as one large whole number with 40 bits for each of its numbers."""

    def __init__(self, old, new):
        super().__init__([*old, *new])
        known = type(old) is ValueRows
        self.units, self.packed = ([*old.units], [*old.packed]) if known else ([], [])
        for row in new if known else self:
            unit, whole = one_unit(row)
            self.units.append(unit)
            self.packed.append(lanes(whole, ROW_LANE))

    def mean(self, weights):
        """The mean of the values, each with its weight."""
        shares = list(map(mul, weights, self.units))
        parts = SHARES / math.fsum(shares)
        total = sum(map(mul, map(round, map(parts.__mul__, shares)), self.packed))
        unit = 1 / (parts * math.fsum(weights))
        return [y * unit for y in signed_lanes(total, len(self[0]))]


def one_unit(row):
    """(unit, whole numbers) that approximate a row; none is larger than MAX_IN_ROW."""
    unit = max(map(abs, row)) / MAX_IN_ROW or 1.0
    return unit, [round(x / unit) for x in row]


def signed_lanes(total, n):
    half = 2 ** (8 * ROW_LANE - 1)
    added = 2.0**52 + half
    return [y - added for y in from_lanes(total + ones(n, ROW_LANE) * half, n, ROW_LANE)]


def attention_of_one(
    Q: "H 1 k", K: "G 1 k", V: "G 1 k", keys: "list", values: "list", base: "float > 0 finite"
) -> ("H 1 k", "list", "list"):
    """Grouped-query attention of one new token with RoPE and a KV cache, as in cached_attention.

    >>> attention_of_one([[[0.0, 0.0]]], [[[0.0, 0.0]]], [[[3.0, 0.0]]], [[[3, 4]]], [[[1.0, 0.0]]], 1e4)[0]
    [[[2.0, 0.0]]]
    """
    position, share = [len(keys[0])], len(Q) // len(K)
    keys = [KeyRows(old, quick_rope(new, position, base)) for old, new in zip(keys, K, strict=True)]
    values = [ValueRows(old, new) for old, new in zip(values, V, strict=True)]
    result = []
    for h, head in enumerate(Q):
        ((query,), g) = quick_rope(head, position, base), h // share
        result.append([values[g].mean(keys[g].weights(query))])
    return result, keys, values
