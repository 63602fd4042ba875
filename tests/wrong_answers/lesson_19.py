"""Lesson 19."""

_ROUND = "def my_round_symmetric(row, bits):\n"
_BYTES = "def my_bytes(rows, columns, bits, group):\n"
_BLOCK = "def my_q4_1(block):\n    import struct\n    step, least, packed = struct.unpack('<ee16s', block)\n"

WRONG_ANSWERS = {
    "19.a": {
        "no absolute value": _ROUND + "    step = max(row) / (2 ** (bits - 1) - 1) or 1.0\n"
        "    return [step * round(x / step) for x in row]",
        "codes": _ROUND + "    step = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0\n"
        "    return [round(x / step) for x in row]",
        "cut off": _ROUND + "    step = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0\n"
        "    return [step * int(x / step) for x in row]",
        "one code too many": _ROUND + "    step = max(map(abs, row)) / 2 ** (bits - 1) or 1.0\n"
        "    return [step * round(x / step) for x in row]",
        "one bit too many": _ROUND + "    step = max(map(abs, row)) / (2 ** bits - 1) or 1.0\n"
        "    return [step * round(x / step) for x in row]",
    },
    "19.b": {
        "no steps": _BYTES + "    return rows * columns * bits // 8",
        "short groups forgotten": _BYTES + "    return rows * (columns * bits // 8 + 2 * (columns // group))",
        "a byte": _BYTES + "    return rows * (columns * bits // 8 + -(-columns // group))",
        "bits": _BYTES + "    return 8 * rows * (columns * bits // 8 + 2 * -(-columns // group))",
    },
    "19.c": {
        "upper halves first": _BLOCK + "    codes = [b >> 4 for b in packed] + [b & 15 for b in packed]\n"
        "    return [step * code + least for code in codes]",
        "neighbours": _BLOCK + "    codes = [c for b in packed for c in (b & 15, b >> 4)]\n"
        "    return [step * code + least for code in codes]",
        "no least": _BLOCK + "    codes = [b & 15 for b in packed] + [b >> 4 for b in packed]\n"
        "    return [step * code for code in codes]",
    },
}
