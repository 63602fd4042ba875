"""Lesson 02, hidden side. Reading on gives answers away."""

import random

from ...parameters import random_matrix, random_vector


def _draw(seed, *shapes):
    rng = random.Random(seed)
    return [random_matrix(rng, *s) if len(s) == 2 else random_vector(rng, *s) for s in shapes]


def linear_with_loops(X, W, b):
    return [[sum((x[i] * w[i] for i in range(len(w))), b_o) for w, b_o in zip(W, b)] for x in X]


def project_heads(X, W, H):
    K = len(W) // H
    return [linear_with_loops(X, W[h * K : (h + 1) * K], [0.0] * K) for h in range(H)]


def which_way(X, W, Y):
    turned = [list(column) for column in zip(*W)]
    if len(turned) != len(X[0]):
        return "in out"
    pairs = zip(linear_with_loops(X, W, [0.0] * len(W)), Y)
    return "out in" if all(abs(a - b) < 1e-9 for row, want in pairs for a, b in zip(row, want)) else "in out"


def _example(X, W, turned):
    """Inputs of which_way: Y as a file would hold it, rounded to 12 decimals."""
    matrix = [list(column) for column in zip(*W)] if turned else W
    Y = linear_with_loops(X, matrix, [0.0] * len(matrix))
    return [X, W, [[round(y, 12) for y in row] for row in Y]]


def draw_number(sizes, head, out, into):
    tables = (sizes["V"] + sizes["P"]) * sizes["D"]
    one_head = sizes["D"] * sizes["K"]
    return tables + sizes["H"] * one_head + head * one_head + into * sizes["K"] + out


def middle(W_Q, W_K):
    D = range(len(W_Q[0]))
    return [[sum((q[i] * k[j] for q, k in zip(W_Q, W_K)), 0.0) for j in D] for i in D]


_OURS = {"V": 6, "D": 16, "P": 5, "H": 2, "K": 8}
_THREE_HEADS = {"V": 4, "D": 6, "P": 3, "H": 3, "K": 5}

EXERCISES = {
    "02.1": (
        linear_with_loops,
        [
            [[[1, 0], [0, 1]], [[1, 2], [3, 4]], [0, 0]],
            _draw(1, (3, 2), (4, 2), (4,)),
            _draw(2, (2, 5), (1, 5), (1,)),
            _draw(3, (1, 1), (3, 1), (3,)),
        ],
    ),
    "02.2": (
        project_heads,
        [
            [*_draw(4, (3, 2), (6, 2)), 2],
            [*_draw(5, (2, 5), (6, 5)), 3],
            [*_draw(6, (4, 3), (2, 3)), 1],
            [*_draw(7, (1, 2), (4, 2)), 4],
        ],
    ),
    "02.3": (
        which_way,
        [
            _example(*_draw(8, (2, 3), (4, 3)), False),
            _example(*_draw(9, (2, 3), (3, 4)), True),
            _example(*_draw(10, (2, 4), (4, 4)), False),
            _example(*_draw(11, (2, 4), (4, 4)), True),
            _example([[0, 0], [1, 2]], [[0, 1], [3, 0]], True),
            _example([[1, 2, 3]], [[1, 2, 3], [2, 5, 6], [3, 0, 7]], True),
        ],
    ),
    "02.4": (
        draw_number,
        [
            [_OURS, 0, 0, 0],
            [_OURS, 1, 7, 15],
            [_THREE_HEADS, 1, 4, 2],
            [_THREE_HEADS, 2, 0, 5],
            [{"V": 1, "D": 1, "P": 1, "H": 1, "K": 3}, 0, 2, 0],
        ],
    ),
    "02.5": (middle, [_draw(12, (2, 2), (2, 2)), _draw(13, (3, 5), (3, 5)), _draw(14, (1, 4), (1, 4)), _draw(15, (4, 1), (4, 1))]),
}
