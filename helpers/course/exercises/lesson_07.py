"""Lesson 07, hidden side. Reading on gives answers away."""

import math

from ...layers import layer_norm
from ...matrices import dot
from .exercise import Exercise, Written, draw_inputs


def find_slip(norm):
    """Compares with each of the norms that it may be, on rows where all of them differ."""
    X, gamma, beta = draw_inputs(70, (3, 4), (4,), (4,))
    got = norm(X, gamma, beta, 0.5)
    for slip in ("none", "n - 1", "eps", "rows", "gamma"):
        expected = _norm(slip)(X, gamma, beta, 0.5)
        if all(abs(g - e) < 1e-9 for rows in zip(got, expected) for g, e in zip(*rows)):
            return slip
    raise ValueError("this norm has none of the slips")


def _norm(slip):
    """Layer norm with one slip, or with none; it shows nothing but its name."""

    def norm(X, gamma, beta, eps=1e-5):
        if slip == "none":
            return layer_norm(X, gamma, beta, eps)
        every, result = [x for row in X for x in row], []
        for row in X:
            pool = every if slip == "rows" else row
            mean = sum(pool, 0.0) / len(pool)
            variance = sum(((x - mean) ** 2 for x in pool), 0.0) / (len(pool) - (slip == "n - 1"))
            size = math.sqrt(variance) + eps if slip == "eps" else math.sqrt(variance + eps)
            shifts = [g * b for g, b in zip(gamma, beta)] if slip == "gamma" else beta
            result.append([g * (x - mean) / size + b for x, g, b in zip(row, gamma, shifts, strict=True)])
        return result

    return Written("norm", norm)


def _find(*looks):
    """find_slip by looks in this order: (name, rows, gamma, beta, eps, what the last number of row 0
    should be)."""

    def find(norm):
        for name, X, gamma, beta, eps, due in looks:
            if abs(norm(X, [gamma] * 2, [beta] * 2, eps)[0][1] - due) > 1e-9:
                return name
        return "none"

    return find


def _together(first):
    """find_slip by one look at the rows of find_slip, where every slip shows: whatever it sees, it gives
    this name."""
    return lambda norm: "none" if find_slip(norm) == "none" else first


_ONE, _TWO = [[0.0, 2.0]], [[0.0, 2.0], [10.0, 30.0]]
_LOOKS = {
    "n - 1": ("n - 1", _ONE, 1.0, 0.0, 0.0, 1.0),
    "eps": ("eps", _ONE, 1.0, 0.0, 3.0, 0.5),
    "rows": ("rows", _TWO, 1.0, 0.0, 0.0, 1.0),
    "gamma": ("gamma", _ONE, 2.0, 1.0, 0.0, 3.0),
}


def fold(gamma, beta, W):
    return [[[w * g for w, g in zip(row, gamma)] for row in W], [dot(row, beta) for row in W]]


def my_norm_row(row, gamma, beta, eps):
    return _norm_row()(row, gamma, beta, eps)


def _norm_row(less=0, outside=False, above=True, within=True, shift=lambda g, b: b, root=math.sqrt):
    """Layer norm of a row, with one thing done otherwise; above and within the root the mean may stay
    where it is."""

    def norm(row, gamma, beta, eps):
        mean = sum(row, 0.0) / len(row)
        variance = sum((x - mean * within) ** 2 for x in row) / (len(row) - less)
        size = root(variance) + eps if outside else root(variance + eps)
        return [g * (x - mean * above) / size + shift(g, b) for x, g, b in zip(row, gamma, beta)]

    return norm


EXERCISES = {
    "07.1": Exercise(
        find_slip,
        [[layer_norm], *([_norm(slip)] for slip in ("eps", "none", "rows", "n - 1", "gamma"))],
        slips={
            "eps is tried before n − 1, which changes that result, too": _find(
                *(_LOOKS[name] for name in ("eps", "n - 1", "rows", "gamma"))
            ),
            "only gammas of 1 and betas of 0 are tried": _find(
                *(_LOOKS[name] for name in ("n - 1", "eps", "rows"))
            ),
            "only one row at a time is tried": _find(*(_LOOKS[name] for name in ("n - 1", "eps", "gamma"))),
            **{
                (
                    "all are tried in one call, where each of them shows: whatever differs is then taken "
                    f"for {name!r}"
                ): (_together(name))
                for name in _LOOKS
            },
            "no eps is tried that is large enough to show": _find(
                *(_LOOKS[name] for name in ("n - 1", "rows", "gamma"))
            ),
        },
    ),
    "07.2": Exercise(
        fold,
        [
            [[2, 3], [10, 0], [[1, 1]]],
            draw_inputs(11, (2,), (2,), (3, 2)),
            draw_inputs(12, (4,), (4,), (2, 4)),
            draw_inputs(13, (3,), (3,), (3, 3)),
            draw_inputs(14, (2,), (2,), (1, 2)),
        ],
        slips={
            "gamma stretches the rows of W, and not its columns": lambda gamma, beta, W: [
                [[w * g for w in row] for row, g in zip(W, gamma)],
                fold(gamma, beta, W)[1],
            ],
            "beta itself is the bias": lambda gamma, beta, W: [fold(gamma, beta, W)[0], list(beta)],
            "beta goes through the new W, and not the old": lambda gamma, beta, W: [
                fold(gamma, beta, W)[0],
                [dot(row, beta) for row in fold(gamma, beta, W)[0]],
            ],
            "beta is dropped": lambda gamma, beta, W: [fold(gamma, beta, W)[0], [0.0] * len(W)],
            "W is divided by gamma": lambda gamma, beta, W: [
                [[w / g for w, g in zip(row, gamma)] for row in W],
                fold(gamma, beta, W)[1],
            ],
        },
        parts=("W_new", "b_new"),
    ),
    "07.a": Exercise(
        my_norm_row,
        [
            [[1.0, 3.0], [1, 1], [0, 10], 0.0],
            [[1.0, 3.0, 5.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 0.5],
            [*draw_inputs(15, (3,), (3,), (3,)), 0.5],
            [*draw_inputs(16, (4,), (4,), (4,)), 2.0],
            [[5.0, 5.0], [1.0, 2.0], [0.5, 1.0], 1e-5],
        ],
        slips={
            "the variance divides by n − 1": _norm_row(less=1),
            "eps is added behind the root": _norm_row(outside=True),
            "eps is forgotten": lambda row, gamma, beta, eps: my_norm_row(row, gamma, beta, 0.0),
            "the mean is taken off in the variance alone, and not from x": _norm_row(above=False),
            (
                "the variance is the mean of the squares, and not of the squared distances from the mean"
            ): _norm_row(within=False),
            "the mean is not taken off, neither from x nor in the variance": _norm_row(
                above=False, within=False
            ),
            "gamma stretches beta, too": _norm_row(shift=lambda g, b: g * b),
            "beta is forgotten": _norm_row(shift=lambda g, b: 0.0),
            "the variance stands for its root": _norm_row(root=lambda x: x),
        },
    ),
}
