"""Lesson 07, hidden side. Reading on gives answers away."""

import math

from ...layers import layer_norm
from ...matrices import add, dot
from .entry import Exercise, Written, draw, written


def undo_norm(normed_row, mean, variance, gamma, beta, eps):
    return _undone(lambda variance, eps: math.sqrt(variance + eps))(normed_row, mean, variance, gamma, beta, eps)


def _undone(size, back=lambda y, g, b: (y - b) / g):
    """undo_norm with another size, or with another way back through gamma and beta."""
    return lambda normed_row, mean, variance, gamma, beta, eps: [
        back(y, g, b) * size(variance, eps) + mean for y, g, b in zip(normed_row, gamma, beta)
    ]


def _normed_again(normed_row, mean, variance, gamma, beta, eps):
    return [g * (y - mean) / math.sqrt(variance + eps) + b for y, g, b in zip(normed_row, gamma, beta)]


def _root(variance, eps):
    return math.sqrt(variance + eps)


def find_slip(norm):
    """Compares with each of the norms that it may be, on rows where all of them differ."""
    X, gamma, beta = draw(70, (3, 4), (4,), (4,))
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
    """find_slip by looks in this order: (name, rows, gamma, beta, eps, what the last number of row 0 should be)."""

    def find(norm):
        for name, X, gamma, beta, eps, due in looks:
            if abs(norm(X, [gamma] * 2, [beta] * 2, eps)[0][1] - due) > 1e-9:
                return name
        return "none"

    return find


_ONE, _TWO = [[0.0, 2.0]], [[0.0, 2.0], [10.0, 30.0]]
_LOOKS = {
    "n - 1": ("n - 1", _ONE, 1.0, 0.0, 0.0, 1.0),
    "eps": ("eps", _ONE, 1.0, 0.0, 3.0, 0.5),
    "rows": ("rows", _TWO, 1.0, 0.0, 0.0, 1.0),
    "gamma": ("gamma", _ONE, 2.0, 1.0, 0.0, 3.0),
}


def wired(X, attend, feed, norm, wiring):
    if wiring == "ours":
        X = attend(X)
        return norm(add(X, feed(X)))
    if wiring == "post":
        X = norm(add(X, attend(X)))
        return norm(add(X, feed(X)))
    X = add(X, attend(norm(X)))
    return add(X, feed(norm(X)))


def _wired(**others):
    """wired with something else for one of the wirings."""

    def other(X, attend, feed, norm, wiring):
        return others.get(wiring, lambda *parts: wired(*parts, wiring))(X, attend, feed, norm)

    return other


def _pre_normed_path(X, attend, feed, norm):
    X = norm(X)
    X = norm(add(X, attend(X)))
    return add(X, feed(X))


def _post_one_norm(X, attend, feed, norm):
    X = add(X, attend(X))
    return norm(add(X, feed(X)))


def _ours_with_path(X, attend, feed, norm):
    X = add(X, attend(X))
    return norm(add(X, feed(X)))


def _post_inside(X, attend, feed, norm):
    X = add(X, norm(attend(X)))
    return add(X, norm(feed(X)))


def _second_from_X(first, last):
    """Both paths begin at X."""

    def wiring(X, attend, feed, norm):
        A = first(X, attend, norm)
        return last(X, A, feed, norm)

    return wiring


_BOTH_FROM_X = _wired(
    post=_second_from_X(lambda X, attend, norm: norm(add(X, attend(X))), lambda X, A, feed, norm: norm(add(X, feed(A)))),
    pre=_second_from_X(lambda X, attend, norm: add(X, attend(norm(X))), lambda X, A, feed, norm: add(X, feed(norm(A)))),
)
_SUM_SO_FAR = "lambda X: [[sum(column) for column in zip(*X[: t + 1])] for t in range(len(X))]"
_SQUARE = "lambda X: [[x * x - 1 for x in row] for row in X]"
_NORM = "lambda X: layer_norm(X, [1.0] * len(X[0]), [0.5] * len(X[0]), 0.1)"


def _block(seed, T, wiring):
    return [draw(seed, (T, 3))[0], written(_SUM_SO_FAR), written(_SQUARE), written(_NORM, layer_norm=layer_norm), wiring]


def fold(gamma, beta, W):
    return [[[w * g for w, g in zip(row, gamma)] for row in W], [dot(row, beta) for row in W]]


def _undo(seed, D, eps):
    """Inputs of undo_norm: a row behind its norm."""
    row, gamma, beta = draw(seed, (D,), (D,), (D,))
    mean = round(sum(row, 0.0) / D, 2)
    return [row, mean, round(abs(mean) + 0.75, 2), gamma, beta, eps]


def my_norm_row(row, gamma, beta, eps):
    return _norm_row()(row, gamma, beta, eps)


def _norm_row(less=0, outside=False, centre=True, shift=lambda g, b: b, root=math.sqrt):
    """Layer norm of a row, with one thing done otherwise."""

    def norm(row, gamma, beta, eps):
        mean = sum(row, 0.0) / len(row) if centre else 0.0
        variance = sum((x - mean) ** 2 for x in row) / (len(row) - less)
        size = root(variance) + eps if outside else root(variance + eps)
        return [g * (x - mean) / size + shift(g, b) for x, g, b in zip(row, gamma, beta)]

    return norm


EXERCISES = {
    "07.1": Exercise(
        undo_norm,
        [[[-1.0, 11.0], 2.0, 1.0, [1, 1], [0, 10], 0], _undo(1, 3, 0.0), _undo(2, 4, 0.5), _undo(3, 2, 1e-5), _undo(4, 5, 2.0)],
        slips={
            "eps is forgotten": _undone(lambda variance, eps: math.sqrt(variance)),
            "eps is added behind the root": _undone(lambda variance, eps: math.sqrt(variance) + eps),
            "gamma is taken off before beta": _undone(_root, lambda y, g, b: y / g - b),
            "the variance stands for its root": _undone(lambda variance, eps: variance + eps),
            "gamma is forgotten": _undone(_root, lambda y, g, b: y - b),
            "the row is normalised once more": _normed_again,
        },
    ),
    "07.2": Exercise(
        find_slip,
        [[layer_norm], *([_norm(slip)] for slip in ("eps", "none", "rows", "n - 1", "gamma"))],
        slips={
            "eps is tried before n − 1, which changes that result, too": _find(
                *(_LOOKS[name] for name in ("eps", "n - 1", "rows", "gamma"))
            ),
            "only gammas of 1 and betas of 0 are tried": _find(*(_LOOKS[name] for name in ("n - 1", "eps", "rows"))),
            "only one row at a time is tried": _find(*(_LOOKS[name] for name in ("n - 1", "eps", "gamma"))),
            "no eps is tried that is large enough to show": _find(*(_LOOKS[name] for name in ("n - 1", "rows", "gamma"))),
        },
    ),
    "07.3": Exercise(
        wired,
        [
            [[[1.0]], written("lambda x: scale(x, 2)", scale=lambda A, c: [[c * a for a in row] for row in A]),
             written("lambda x: scale(x, 3)", scale=lambda A, c: [[c * a for a in row] for row in A]),
             written("lambda x: x"), "ours"],
            _block(6, 2, "post"),
            _block(7, 2, "pre"),
            _block(5, 2, "ours"),
            _block(8, 1, "post"),
            _block(9, 4, "ours"),
            _block(10, 3, "pre"),
        ],
        slips={
            "in \"pre\" the path itself is normalised": _wired(pre=_pre_normed_path),
            "in \"post\" the first norm is left out": _wired(post=_post_one_norm),
            "in \"ours\" a path leads around attention": _wired(ours=_ours_with_path),
            "in \"post\" the norm stands inside the sum": _wired(post=_post_inside),
            "the second path begins at X, and not behind attention": _BOTH_FROM_X,
        },
    ),
    "07.4": Exercise(
        fold,
        [
            [[2, 3], [10, 0], [[1, 1]]],
            draw(11, (2,), (2,), (3, 2)),
            draw(12, (4,), (4,), (2, 4)),
            draw(13, (3,), (3,), (3, 3)),
            draw(14, (2,), (2,), (1, 2)),
        ],
        slips={
            "gamma stretches the rows of W, and not its columns": lambda gamma, beta, W: [
                [[w * g for w in row] for row, g in zip(W, gamma)], fold(gamma, beta, W)[1]
            ],
            "beta itself is the bias": lambda gamma, beta, W: [fold(gamma, beta, W)[0], list(beta)],
            "beta goes through the new W, and not the old": lambda gamma, beta, W: [
                fold(gamma, beta, W)[0], [dot(row, beta) for row in fold(gamma, beta, W)[0]]
            ],
            "beta is dropped": lambda gamma, beta, W: [fold(gamma, beta, W)[0], [0.0] * len(W)],
            "W is divided by gamma": lambda gamma, beta, W: [
                [[w / g for w, g in zip(row, gamma)] for row in W], fold(gamma, beta, W)[1]
            ],
        },
        parts=("W_new", "b_new"),
    ),
    "07.a": Exercise(
        my_norm_row,
        [
            [[1, 3], [1, 1], [0, 10], 0],
            [[1.0, 3.0, 5.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 0.5],
            [*draw(15, (3,), (3,), (3,)), 0.5],
            [*draw(16, (4,), (4,), (4,)), 2.0],
            [[5.0, 5.0], [1.0, 2.0], [0.5, 1.0], 1e-5],
        ],
        slips={
            "the variance divides by n − 1": _norm_row(less=1),
            "eps is added behind the root": _norm_row(outside=True),
            "eps is forgotten": lambda row, gamma, beta, eps: my_norm_row(row, gamma, beta, 0.0),
            "the mean is not taken off": _norm_row(centre=False),
            "gamma stretches beta, too": _norm_row(shift=lambda g, b: g * b),
            "beta is forgotten": _norm_row(shift=lambda g, b: 0.0),
            "the variance stands for its root": _norm_row(root=lambda x: x),
        },
        example=False,
    ),
}
