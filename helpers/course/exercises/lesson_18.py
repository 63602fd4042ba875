"""The answers, inputs and known mistakes of lesson 18. Reading on gives answers away."""

import math

from ...attention import attention, causal_mask
from ...backward import layer_norm_backward, rms_norm_backward
from ...layers import rms_norm
from ...rope import rope
from .exercise import Exercise, draw_inputs, measured_gradients


def my_rms_norm_backward(d_out, X, gamma, eps):
    return measured_gradients(lambda X, gamma: rms_norm(X, gamma, eps), d_out, X, gamma)


def _norm(d_out, X, gamma, eps, g_of=None, mean_by=None, root=True, sign=-1, gamma_last=False, again=True):
    """rms_norm_backward with one of its parts changed; d_gamma stays right."""
    D, d_X = len(gamma), []
    for d_row, row in zip(d_out, X):
        mean_square = sum(x * x for x in row) / D + eps
        r = math.sqrt(mean_square) if root else mean_square
        z = [x / r for x in row]
        g = g_of(d_row, gamma) if g_of else [d * c for d, c in zip(d_row, gamma)]
        if gamma_last:
            g = d_row
        mean = sum(a * b for a, b in zip(g, z)) / (mean_by or D)
        new = [(a + sign * b * mean) / (r if again else 1) for a, b in zip(g, z)]
        d_X.append([a * c for a, c in zip(new, gamma)] if gamma_last else new)
    return d_X, rms_norm_backward(d_out, X, gamma, eps)[1]


def _centred(d_out, X, gamma, eps):
    """The mean of g is subtracted, too, as in the backward pass of layer norm."""
    d_X, d_gamma = rms_norm_backward(d_out, X, gamma, eps)
    for d_row, row, d_x in zip(d_out, X, d_X):
        r = math.sqrt(sum(x * x for x in row) / len(row) + eps)
        mean = sum(d * c for d, c in zip(d_row, gamma)) / len(row)
        d_x[:] = [x - mean / r for x in d_x]
    return d_X, d_gamma


def _d_gamma(change):
    def slip(d_out, X, gamma, eps):
        return rms_norm_backward(d_out, X, gamma, eps)[0], change(d_out, X, gamma, eps)

    return slip


def _columns(*matrices):
    """For each column the sum over all rows of the product of the entries."""
    return [
        sum(math.prod(entries) for entries in zip(*columns)) for columns in zip(*(zip(*m) for m in matrices))
    ]


def _normed(X, eps):
    return rms_norm(X, [1.0] * len(X[0]), eps)


def my_rope(X, positions, base):
    return _rope(X, positions, base)


def _rope(X, positions, base, angle=None, turn=None, pairs=None):
    """rope with another angle, another rotation or other pairs."""
    angle = angle or (lambda position, j, k, base: position * base ** (-2 * j / k))
    turn = turn or (lambda a, b, cos, sin: (a * cos - b * sin, a * sin + b * cos))
    result = []
    for row, position in zip(X, positions):
        k, out = len(row), list(row)
        for j in range(k // 2):
            first, second = pairs(j, k) if pairs else (2 * j, 2 * j + 1)
            t = angle(position, j, k, base)
            out[first], out[second] = turn(row[first], row[second], math.cos(t), math.sin(t))
        result.append(out)
    return result


def _one_after_the_other(X, positions, base):
    """The second number is computed from the first one that is already rotated."""

    def turn(a, b, cos, sin):
        a = a * cos - b * sin
        return a, a * sin + b * cos

    return _rope(X, positions, base, turn=turn)


def my_neighbours(W):
    half = len(W) // 2
    return [list(row) for pair in zip(W[:half], W[half:]) for row in pair]


def my_grouped_attention(Q, K, V, mask):
    return _grouped(lambda h, H, G: h * G // H, Q, K, V, mask)


def _grouped(set_of, Q, K, V, mask, values_of=None):
    H, G = len(Q), len(K)
    chosen = [(set_of(h, H, G), (values_of or set_of)(h, H, G)) for h in range(H)]
    return [attention(q, K[i], V[j], mask) for q, (i, j) in zip(Q, chosen)]


def _sets_of(set_of, values_of=None):
    return lambda Q, K, V, mask: _grouped(set_of, Q, K, V, mask, values_of)


def _averaged(Q, K, V, mask):
    """A set that is the mean of the heads' sets; here of all sets."""

    def mean(parts):
        return [[sum(x) / len(x) for x in zip(*rows)] for rows in zip(*parts)]

    return [attention(q, mean(K), mean(V), mask) for q in Q]


def _heads(seed, H, G, T, k, v=None):
    """Q, K, V of H heads and G sets for T tokens."""
    parts = draw_inputs(seed, *[(T, k)] * (H + G), *[(T, v or k)] * G)
    return [parts[:H], parts[H : H + G], parts[H + G :], causal_mask(T)]


EXERCISES = {
    "18.a": Exercise(
        my_rms_norm_backward,
        [
            [[[2.0, 1.0]], [[1.0, 1.0]], [1.0, 10.0], 0.0],
            [[[1.0, 1.0, 1.0], [-1.0, 2.0, 0.0]], [[1.0, 2.0, 2.0], [2.0, 2.0, 1.0]], [2.0, 1.0, 4.0], 1.0],
            [*draw_inputs(181, (3, 4), (3, 4), (4,)), 0.5],
            [*draw_inputs(182, (2, 2), (2, 2), (2,)), 0.1],
            [*draw_inputs(183, (1, 5), (1, 5), (5,)), 2.0],
        ],
        mistakes={
            "r is treated as a constant: only g / r is left": lambda *given: _norm(*given, sign=0),
            "the second term is added, not subtracted": lambda *given: _norm(*given, sign=1),
            "the result is not divided by r": lambda *given: _norm(*given, again=False),
            "gamma is forgotten in d_X: g is d_out": lambda *given: _norm(*given, g_of=lambda d, gamma: d),
            "gamma multiplies the result, and not d_out: the mean of g·z is then another": lambda *given: (
                _norm(*given, gamma_last=True)
            ),
            "the sum of g·z is used, not its mean": lambda *given: _norm(*given, mean_by=1),
            "the mean of g·z divides by D − 1": lambda *given: (
                _norm(*given, mean_by=max(1, len(given[2]) - 1)) if len(given[2]) > 1 else _norm(*given)
            ),
            "eps is forgotten": lambda d_out, X, gamma, eps: (
                _norm(d_out, X, gamma, 0.0)[0],
                rms_norm_backward(d_out, X, gamma, 0.0)[1],
            ),
            "the square root is forgotten in d_X": lambda *given: _norm(*given, root=False),
            "this is the backward pass of layer norm: the mean is subtracted, too": lambda *given: (
                layer_norm_backward(*given)[:2]
            ),
            "d_gamma is a sum of d_out·x: it needs z = x / r": _d_gamma(
                lambda d_out, X, gamma, eps: _columns(d_out, X)
            ),
            "d_gamma is the mean over the rows, not the sum": _d_gamma(
                lambda d_out, X, gamma, eps: [s / len(X) for s in _columns(d_out, _normed(X, eps))]
            ),
            "d_gamma is that of the last row only: all rows use gamma": _d_gamma(
                lambda d_out, X, gamma, eps: _columns(d_out[-1:], _normed(X[-1:], eps))
            ),
            "d_gamma is that of the first row only: all rows use gamma": _d_gamma(
                lambda d_out, X, gamma, eps: _columns(d_out[:1], _normed(X[:1], eps))
            ),
            "d_gamma contains gamma: it is a sum of g·z, not of d_out·z": _d_gamma(
                lambda d_out, X, gamma, eps: [s * c for s, c in zip(_columns(d_out, _normed(X, eps)), gamma)]
            ),
            "d_gamma has one row for each position: the rows have to be added up": _d_gamma(
                lambda d_out, X, gamma, eps: [
                    [d * z for d, z in zip(*rows)] for rows in zip(d_out, _normed(X, eps))
                ]
            ),
            "the mean of g is subtracted, too: this is a part of layer norm": _centred,
            "only d_X is returned: return d_X, d_gamma": lambda *given: rms_norm_backward(*given)[0],
            "d_gamma is the sum of d_out": _d_gamma(lambda d_out, X, gamma, eps: _columns(d_out)),
        },
        tolerance=1e-6,
        parts=("d_X", "d_gamma"),
        answer_may_be_told=True,
    ),
    "18.b": Exercise(
        my_rope,
        [
            [[[1.0, 0.0, 1.0, 0.0]], [2], 100.0],
            [[[3.0, 4.0]], [0], 10000.0],
            [[[1.0, 2.0], [3.0, 4.0]], [1, 5], 100.0],
            [*draw_inputs(186, (3, 4)), [0, 1, 2], 100.0],
            [*draw_inputs(187, (2, 6)), [7, 3], 50.0],
            [*draw_inputs(188, (1, 8)), [11], 10000.0],
        ],
        mistakes={
            "the pairs are numbers j and j + k/2: here a pair is two neighbours": lambda X, p, b: _rope(
                X, p, b, pairs=lambda j, k: (j, j + k // 2)
            ),
            "the rotation goes the other way: check the signs of the two sines": lambda X, p, b: rope(
                X, [-position for position in p], b
            ),
            "both sines have a plus sign": lambda X, p, b: _rope(
                X, p, b, turn=lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)
            ),
            "both sines have a minus sign": lambda X, p, b: _rope(
                X, p, b, turn=lambda a, b, cos, sin: (a * cos - b * sin, b * cos - a * sin)
            ),
            "sine and cosine are exchanged": lambda X, p, b: _rope(
                X, p, b, turn=lambda a, b, cos, sin: (a * sin - b * cos, a * cos + b * sin)
            ),
            "the second number is computed from the rotated first one: keep both old numbers": (
                _one_after_the_other
            ),
            "every pair is rotated by the same angle": lambda X, p, b: rope(X, p, 1.0),
            "base is fixed at 10000": lambda X, p, b: rope(X, p),
            "the exponent is −j/k, without the factor 2": lambda X, p, b: _rope(
                X, p, b, angle=lambda position, j, k, base: position * base ** (-j / k)
            ),
            "the exponent is −4j/k: the index of the number was doubled again": lambda X, p, b: _rope(
                X, p, b, angle=lambda position, j, k, base: position * base ** (-4 * j / k)
            ),
            "the exponent has no minus sign": lambda X, p, b: _rope(
                X, p, b, angle=lambda position, j, k, base: position * base ** (2 * j / k)
            ),
            "the two numbers of a pair have different angles": lambda X, p, b: [
                [
                    x * math.cos(t * b ** (-i / len(row)))
                    + (1 if i % 2 else -1) * row[i ^ 1] * math.sin(t * b ** (-i / len(row)))
                    for i, x in enumerate(row)
                ]
                for row, t in zip(X, p)
            ],
            "positions are counted from 0, and `positions` is not used": lambda X, p, b: rope(
                X, list(range(len(X))), b
            ),
            "every row has the first position": lambda X, p, b: rope(X, p[:1] * len(X), b),
            "positions are counted from 1": lambda X, p, b: rope(X, [position + 1 for position in p], b),
            "the angle is taken in degrees: math.cos takes radians": lambda X, p, b: _rope(
                X, p, b, angle=lambda position, j, k, base: math.radians(position * base ** (-2 * j / k))
            ),
            "the angle is divided by base ** (2j), and not by base ** (2j/k)": lambda X, p, b: _rope(
                X, p, b, angle=lambda position, j, k, base: position * base ** (-2 * j)
            ),
            "the rotated numbers are added to the old ones": lambda X, p, b: [
                [x + y for x, y in zip(*rows)] for rows in zip(X, rope(X, p, b))
            ],
            "only the first pair is rotated": lambda X, p, b: [
                [*new[:2], *old[2:]] for old, new in zip(X, rope(X, p, b))
            ],
            "all first numbers of the pairs come first, and then all second ones": lambda X, p, b: [
                row[0::2] + row[1::2] for row in rope(X, p, b)
            ],
        },
    ),
    "18.c": Exercise(
        my_neighbours,
        [
            [[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]],
            [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]],
            draw_inputs(189, (8, 3)),
            draw_inputs(190, (4, 2)),
            draw_inputs(191, (10, 2)),
        ],
        mistakes={
            "this goes the other way, from neighbours to halves": lambda W: W[0::2] + W[1::2],
            "the rows are unchanged": lambda W: [list(row) for row in W],
            "the second half comes first in each pair": lambda W: [
                row for pair in zip(W[len(W) // 2 :], W[: len(W) // 2]) for row in pair
            ],
            "the two halves are exchanged": lambda W: W[len(W) // 2 :] + W[: len(W) // 2],
            "the columns are reordered: a row belongs to one output": lambda W: [
                [x for i in range(len(row) // 2) for x in (row[i], row[i + len(row) // 2])] for row in W
            ],
            "every second row is exchanged with its neighbour": lambda W: [W[i ^ 1] for i in range(len(W))],
            "the order of the rows is reversed": lambda W: W[::-1],
            "the pairs are a row and the one at the same place from the end": lambda W: [
                row for j in range(len(W) // 2) for row in (W[j], W[-1 - j])
            ],
            "each pair is a list of its own: put all rows into one list": lambda W: [
                [W[j], W[j + len(W) // 2]] for j in range(len(W) // 2)
            ],
            "the rows of a pair are joined into one long row": lambda W: [
                W[j] + W[j + len(W) // 2] for j in range(len(W) // 2)
            ],
        },
    ),
    "18.d": Exercise(
        my_grouped_attention,
        [
            [[[[0.0]], [[0.0]], [[0.0]], [[0.0]]], [[[1.0]], [[1.0]]], [[[10.0]], [[20.0]]], [[0.0]]],
            _heads(192, 4, 2, 3, 2),
            _heads(193, 6, 3, 2, 2, 3),
            _heads(194, 6, 2, 2, 1),
            _heads(195, 3, 1, 3, 2),
            _heads(196, 2, 2, 2, 2),
        ],
        mistakes={
            "head h has set h % G: the heads of a group are neighbours": _sets_of(lambda h, H, G: h % G),
            "head h has set h // G: divide by H // G, the number of heads in a group": _sets_of(
                lambda h, H, G: h // G
            ),
            "all heads have the first set": _sets_of(lambda h, H, G: 0),
            "all heads have the last set": _sets_of(lambda h, H, G: G - 1),
            "a group has two heads, whatever H and G are": _sets_of(lambda h, H, G: min(h // 2, G - 1)),
            "a group has three heads, whatever H and G are": _sets_of(lambda h, H, G: min(h // 3, G - 1)),
            "the sets are in reversed order": _sets_of(lambda h, H, G: G - 1 - h * G // H),
            "the keys are in groups, but every head takes its values from set h % G": _sets_of(
                lambda h, H, G: h * G // H, lambda h, H, G: h % G
            ),
            "the values are in groups, but every head takes its keys from set h % G": _sets_of(
                lambda h, H, G: h % G, lambda h, H, G: h * G // H
            ),
            "keys and values are exchanged": lambda Q, K, V, mask: _grouped(
                lambda h, H, G: h * G // H, Q, V, K, mask
            ),
            "the mask is forgotten": lambda Q, K, V, mask: my_grouped_attention(Q, K, V, None),
            "only the first head of each group is computed": lambda Q, K, V, mask: my_grouped_attention(
                Q, K, V, mask
            )[:: len(Q) // len(K)],
            "there is one output for each set: zip stops after the last set": lambda Q, K, V, mask: [
                attention(q, k, v, mask) for q, k, v in zip(Q, K, V)
            ],
            "the sets are averaged, and all heads use the mean": _averaged,
            "the heads are joined: return one matrix for each head": lambda Q, K, V, mask: [
                [x for row in rows for x in row] for rows in zip(*my_grouped_attention(Q, K, V, mask))
            ],
        },
    ),
}
