"""Lesson 18."""

_NORM = "def my_rms_norm_backward(d_out, X, gamma, eps):\n"
_NORM += "    D, d_X, d_gamma = len(gamma), [], [0.0] * len(gamma)\n"
_ROWS = "    for d, x in zip(d_out, X):\n        r = math.sqrt(sum(a * a for a in x) / D + eps)\n"
_Z = "        z = [a / r for a in x]\n"
_G = "        g = [a * b for a, b in zip(d, gamma)]\n"
_MEAN = "        mean = sum(a * b for a, b in zip(g, z)) / D\n"
_D_X = "        d_X.append([(a - b * mean) / r for a, b in zip(g, z)])\n"
_D_GAMMA = "        d_gamma = [total + a * b for total, a, b in zip(d_gamma, d, z)]\n"
_DONE = "    return d_X, d_gamma"
_ROPE = "def my_rope(X, positions, base):\n    result = []\n    for row, position in zip(X, positions):\n"
_PAIRS = "        rotated = []\n        for j in range(len(row) // 2):\n"
_READ = "            a, b = row[2 * j], row[2 * j + 1]\n"
_ANGLE = "            t = position * base ** (-2 * j / len(row))\n"
_TURN = "            rotated += [a * math.cos(t) - b * math.sin(t), a * math.sin(t) + b * math.cos(t)]\n"
_END = "        result.append(rotated)\n    return result"
_ROWS_OF = "def my_neighbours(W):\n    half = len(W) // 2\n"
_HEADS = "def my_grouped_attention(Q, K, V, mask):\n"

WRONG_ANSWERS = {
    "18.a": {
        "r as a constant": _NORM
        + _ROWS
        + _Z
        + _G
        + "        d_X.append([a / r for a in g])\n"
        + _D_GAMMA
        + _DONE,
        "no gamma in g": _NORM + _ROWS + _Z + "        g = d\n" + _MEAN + _D_X + _D_GAMMA + _DONE,
        "a sum, not a mean": _NORM + _ROWS + _Z + _G + _MEAN.replace(" / D", "") + _D_X + _D_GAMMA + _DONE,
        "not divided by r": _NORM + _ROWS + _Z + _G + _MEAN + _D_X.replace(" / r", "") + _D_GAMMA + _DONE,
        "eps forgotten": _NORM + _ROWS.replace(" + eps", "") + _Z + _G + _MEAN + _D_X + _D_GAMMA + _DONE,
        "d_X alone": _NORM + _ROWS + _Z + _G + _MEAN + _D_X + _D_GAMMA + "    return d_X",
        "the mean of g subtracted": _NORM
        + _ROWS
        + _Z
        + _G
        + _MEAN
        + "        level = sum(g) / D\n"
        + _D_X.replace("a - b", "a - level - b")
        + _D_GAMMA
        + _DONE,
        "gamma's gradient of the last row": _NORM
        + _ROWS
        + _Z
        + _G
        + _MEAN
        + _D_X
        + "        d_gamma = [a * b for a, b in zip(d, z)]\n"
        + _DONE,
        "gamma's gradient of x": _NORM
        + _ROWS
        + _Z
        + _G
        + _MEAN
        + _D_X
        + _D_GAMMA.replace("d, z", "d, x")
        + _DONE,
    },
    "18.b": {
        "halves": _ROPE
        + "        half = len(row) // 2\n        rotated = [0.0] * len(row)\n        for j in range(half):\n"
        + "            a, b = row[j], row[j + half]\n"
        + _ANGLE
        + "            rotated[j] = a * math.cos(t) - b * math.sin(t)\n"
        + "            rotated[j + half] = a * math.sin(t) + b * math.cos(t)\n"
        + _END,
        "the other way": _ROPE + _PAIRS + _READ + _ANGLE.replace("position *", "-position *") + _TURN + _END,
        "one speed": _ROPE + _PAIRS + _READ + "            t = position\n" + _TURN + _END,
        "no factor 2": _ROPE + _PAIRS + _READ + _ANGLE.replace("-2 * j", "-j") + _TURN + _END,
        "base fixed": _ROPE + _PAIRS + _READ + _ANGLE.replace("base", "10000.0") + _TURN + _END,
        "positions from 0": _ROPE.replace("zip(X, positions)", "zip(X, range(len(X)))")
        + _PAIRS
        + _READ
        + _ANGLE
        + _TURN
        + _END,
        "written over": _ROPE
        + "        row = list(row)\n        for j in range(len(row) // 2):\n"
        + _ANGLE
        + "            row[2 * j] = row[2 * j] * math.cos(t) - row[2 * j + 1] * math.sin(t)\n"
        + "            row[2 * j + 1] = row[2 * j] * math.sin(t) + row[2 * j + 1] * math.cos(t)\n"
        + "        result.append(row)\n    return result",
        "two pluses": _ROPE + _PAIRS + _READ + _ANGLE + _TURN.replace(" - ", " + ") + _END,
        "degrees": _ROPE + _PAIRS + _READ + _ANGLE + "            t = math.radians(t)\n" + _TURN + _END,
    },
    "18.c": {
        "the other way": _ROWS_OF + "    return W[0::2] + W[1::2]",
        "unchanged": _ROWS_OF + "    return W",
        "halves exchanged": _ROWS_OF + "    return W[half:] + W[:half]",
        "second half first": _ROWS_OF
        + "    return [row for pair in zip(W[half:], W[:half]) for row in pair]",
        "columns": _ROWS_OF + "    n = len(W[0]) // 2\n"
        "    return [[x for i in range(n) for x in (row[i], row[i + n])] for row in W]",
    },
    "18.d": {
        "in turns": _HEADS
        + "    return [attention(q, K[h % len(K)], V[h % len(K)], mask) for h, q in enumerate(Q)]",
        "the first set": _HEADS + "    return [attention(q, K[0], V[0], mask) for q in Q]",
        "groups of two": _HEADS
        + "    return [attention(q, K[min(h // 2, len(K) - 1)], V[min(h // 2, len(K) - 1)], mask)\n"
        + "            for h, q in enumerate(Q)]",
        "h // G": _HEADS
        + "    return [attention(q, K[h // len(K)], V[h // len(K)], mask) for h, q in enumerate(Q)]",
        "no mask": _HEADS + "    group = len(Q) // len(K)\n"
        "    return [attention(q, K[h // group], V[h // group]) for h, q in enumerate(Q)]",
        "as many as sets": _HEADS + "    return [attention(q, k, v, mask) for q, k, v in zip(Q, K, V)]",
        "joined": _HEADS + "    group = len(Q) // len(K)\n"
        "    heads = [attention(q, K[h // group], V[h // group], mask) for h, q in enumerate(Q)]\n"
        "    return [[x for row in rows for x in row] for rows in zip(*heads)]",
    },
}
