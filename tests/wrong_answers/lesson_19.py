"""Lesson 19."""

_ROUND = "def my_round_symmetric(row, bits):\n"
_ABSMAX = _ROUND + "    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1) or 1.0\n"
_GROUPS = "def my_round_groups(W, bits, group):\n    from helpers import round_symmetric\n"
_BLOCK = "def my_q4_1(block):\n    import struct\n    scale, least, packed = struct.unpack('<ee16s', block)\n"
_HALVES = "    codes = [b & 15 for b in packed] + [b >> 4 for b in packed]\n"
_UNSCALE = "def my_unscale(scaled, loss_scale, good, patience):\n    import math\n"
_SKIP = "    if not all(map(math.isfinite, scaled)):\n        return None, loss_scale / 2, 0\n"
_DIVIDE = "    gradients = [d / loss_scale for d in scaled]\n"
_GROW = "    if good + 1 == patience:\n        return gradients, 2 * loss_scale, 0\n"
_GO_ON = "    return gradients, loss_scale, good + 1"

WRONG_ANSWERS = {
    "19.a": {
        "no absolute value": _ROUND + "    scale = max(row) / (2 ** (bits - 1) - 1) or 1.0\n"
        "    return [scale * round(x / scale) for x in row]",
        "codes": _ABSMAX + "    return [round(x / scale) for x in row]",
        "cut off": _ABSMAX + "    return [scale * int(x / scale) for x in row]",
        "one code too many": _ROUND + "    scale = max(map(abs, row)) / 2 ** (bits - 1) or 1.0\n"
        "    return [scale * round(x / scale) for x in row]",
        "one bit too many": _ROUND + "    scale = max(map(abs, row)) / (2 ** bits - 1) or 1.0\n"
        "    return [scale * round(x / scale) for x in row]",
        "seven": _ROUND + "    scale = max(map(abs, row)) / 7 or 1.0\n"
        "    return [scale * round(x / scale) for x in row]",
        "divided by 0": _ROUND + "    scale = max(map(abs, row)) / (2 ** (bits - 1) - 1)\n"
        "    return [scale * round(x / scale) for x in row]",
        "range": _ROUND + "    scale = (max(row) - min(row)) / (2 ** bits - 1) or 1.0\n"
        "    return [scale * round(x / scale) for x in row]",
        "first number": _ROUND + "    scale = abs(row[0]) / (2 ** (bits - 1) - 1) or 1.0\n"
        "    return [scale * round(x / scale) for x in row]",
        "not rounded": _ABSMAX + "    return [scale * (x / scale) for x in row]",
    },
    "19.b": {
        "whole matrix": _GROUPS + "    n = len(W[0])\n"
        "    flat = round_symmetric([w for row in W for w in row], bits)\n"
        "    return [flat[i : i + n] for i in range(0, len(flat), n)]",
        "rows": _GROUPS + "    return [round_symmetric(row, bits) for row in W]",
        "across rows": _GROUPS + "    n, flat = len(W[0]), [w for row in W for w in row]\n"
        "    done = [x for i in range(0, len(flat), group) for x in round_symmetric(flat[i : i + group], bits)]\n"
        "    return [done[i : i + n] for i in range(0, len(done), n)]",
        "nested": _GROUPS + "    return [[round_symmetric(row[i : i + group], bits)\n"
        "             for i in range(0, len(row), group)] for row in W]",
        "last group left out": _GROUPS + "    return [[x for i in range(0, len(row) - group + 1, group)\n"
        "             for x in round_symmetric(row[i : i + group], bits)] for row in W]",
        "overlapping": _GROUPS + "    return [[x for i in range(len(row))\n"
        "             for x in round_symmetric(row[i : i + group], bits)] for row in W]",
        "groups as rows": _GROUPS + "    return [round_symmetric(row[i : i + group], bits)\n"
        "            for row in W for i in range(0, len(row), group)]",
        "first row": _GROUPS + "    for row in W:\n"
        "        return [x for i in range(0, len(row), group) for x in round_symmetric(row[i : i + group], bits)]",
        "number of groups": _GROUPS + "    g = max(1, len(W[0]) // group)\n"
        "    return [[x for i in range(0, len(row), g) for x in round_symmetric(row[i : i + g], bits)] for row in W]",
        "one row": _GROUPS + "    return [x for row in W for i in range(0, len(row), group)\n"
        "            for x in round_symmetric(row[i : i + group], bits)]",
    },
    "19.c": {
        "upper halves first": _BLOCK + "    codes = [b >> 4 for b in packed] + [b & 15 for b in packed]\n"
        "    return [scale * code + least for code in codes]",
        "neighbours": _BLOCK + "    codes = [c for b in packed for c in (b & 15, b >> 4)]\n"
        "    return [scale * code + least for code in codes]",
        "neighbours, upper first": _BLOCK + "    codes = [c for b in packed for c in (b >> 4, b & 15)]\n"
        "    return [scale * code + least for code in codes]",
        "no least": _BLOCK + _HALVES + "    return [scale * code for code in codes]",
        "least first": _BLOCK + _HALVES + "    return [scale * (code + least) for code in codes]",
        "exchanged": _BLOCK + _HALVES + "    return [least * code + scale for code in codes]",
        "codes": _BLOCK + _HALVES + "    return codes",
        "whole bytes": _BLOCK + "    return [scale * code + least for code in packed]",
        "whole bytes twice": _BLOCK + "    return [scale * code + least for code in packed + packed]",
        "last byte first": _BLOCK
        + "    packed = packed[::-1]\n"
        + _HALVES
        + "    return [scale * code + least for code in codes]",
        "big-endian": _BLOCK.replace("<", ">")
        + _HALVES
        + "    return [scale * code + least for code in codes]",
        "signed": _BLOCK + _HALVES + "    return [scale * (c - 16 if c > 7 else c) + least for c in codes]",
    },
    "19.d": {
        "nan": _UNSCALE
        + "    if any(map(math.isinf, scaled)):\n        return None, loss_scale / 2, 0\n"
        + _DIVIDE
        + _GROW
        + _GO_ON,
        "minus inf": _UNSCALE + "    if math.inf in scaled or any(map(math.isnan, scaled)):\n"
        "        return None, loss_scale / 2, 0\n" + _DIVIDE + _GROW + _GO_ON,
        "no skip": _UNSCALE + _DIVIDE + _GROW + _GO_ON,
        "not halved": _UNSCALE + _SKIP.replace(" / 2", "") + _DIVIDE + _GROW + _GO_ON,
        "count goes on": _UNSCALE + _SKIP.replace("2, 0", "2, good") + _DIVIDE + _GROW + _GO_ON,
        "empty list": _UNSCALE + _SKIP.replace("None", "[]") + _DIVIDE + _GROW + _GO_ON,
        "zeros": _UNSCALE + _SKIP.replace("None", "[0.0] * len(scaled)") + _DIVIDE + _GROW + _GO_ON,
        "a step late": _UNSCALE + _SKIP + _DIVIDE + _GROW.replace("good + 1", "good") + _GO_ON,
        "divided by the new": _UNSCALE
        + _SKIP
        + "    new = 2 * loss_scale if good + 1 == patience else loss_scale\n"
        "    return [d / new for d in scaled], new, 0 if new > loss_scale else good + 1",
        "multiplied": _UNSCALE + _SKIP + _DIVIDE.replace("/", "*") + _GROW + _GO_ON,
        "not divided": _UNSCALE + _SKIP + "    gradients = scaled\n" + _GROW + _GO_ON,
        "never doubled": _UNSCALE + _SKIP + _DIVIDE + _GO_ON,
        "count stays": _UNSCALE + _SKIP + _DIVIDE + _GROW + "    return gradients, loss_scale, good",
        "squared": _UNSCALE + _SKIP + _DIVIDE + _GROW.replace("2 * loss_scale", "loss_scale ** 2") + _GO_ON,
        "divided by 4": _UNSCALE + _SKIP.replace("/ 2", "/ 4") + _DIVIDE + _GROW + _GO_ON,
        "no reset": _UNSCALE + _SKIP + _DIVIDE + _GROW.replace(", 0", ", good + 1") + _GO_ON,
        "two results": _UNSCALE
        + "    if not all(map(math.isfinite, scaled)):\n        return None, loss_scale / 2\n"
        "    return [d / loss_scale for d in scaled], loss_scale",
        "first only": _UNSCALE
        + "    if not math.isfinite(scaled[0]):\n        return None, loss_scale / 2, 0\n"
        + _DIVIDE
        + _GROW
        + _GO_ON,
    },
}
