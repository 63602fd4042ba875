"""The exercises of lessons 07 and 07b. This file contains the answers."""

import itertools
import math

from ...layers import layer_norm
from ...matrices import add, dot
from .exercise import Exercise, Shown, draw_inputs


def find_slip(norm):
    """Compare the output with that of each possible norm, on rows where all of them differ."""
    X, gamma, beta = draw_inputs(70, (3, 4), (4,), (4,))
    got = norm(X, gamma, beta, 0.5)
    for slip in ("none", "n - 1", "eps", "rows", "gamma"):
        expected = _norm(slip)(X, gamma, beta, 0.5)
        if all(abs(g - e) < 1e-9 for rows in zip(got, expected) for g, e in zip(*rows)):
            return slip
    raise ValueError("this norm has an unknown mistake")


def _norm(slip):
    """Layer norm with one mistake, or with none; its repr does not say which."""

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

    return Shown("norm", norm)


def _find(*tests):
    """A find_slip that makes these tests in order: (name, rows, gamma, beta, eps, expected last number of
    row 0)."""

    def find(norm):
        for name, X, gamma, beta, eps, due in tests:
            if abs(norm(X, [gamma] * 2, [beta] * 2, eps)[0][1] - due) > 1e-9:
                return name
        return "none"

    return find


def _together(first):
    """A find_slip that calls norm once, with an input that shows every mistake, and names any mistake so."""
    return lambda norm: "none" if find_slip(norm) == "none" else first


_ONE, _TWO = [[0.0, 2.0]], [[0.0, 2.0], [10.0, 30.0]]
_TESTS = {
    "n - 1": ("n - 1", _ONE, 1.0, 0.0, 0.0, 1.0),
    "eps": ("eps", _ONE, 1.0, 0.0, 3.0, 0.5),
    "rows": ("rows", _TWO, 1.0, 0.0, 0.0, 1.0),
    "gamma": ("gamma", _ONE, 2.0, 1.0, 0.0, 3.0),
}


def merge(gamma, beta, W):
    return [[w * g for w, g in zip(row, gamma)] for row in W], [dot(row, beta) for row in W]


def my_norm_row(row, gamma, beta, eps):
    return _norm_row()(row, gamma, beta, eps)


def _norm_row(
    divisor=len, outside=False, above=True, within=True, shift=lambda g, b: b, root=math.sqrt, power=2
):
    """Layer norm of a row with one mistake; above and within say where the mean is subtracted."""

    def norm(row, gamma, beta, eps):
        mean = sum(row, 0.0) / len(row)
        variance = sum(abs(x - mean * within) ** power for x in row) / divisor(row)
        size = root(variance) + eps if outside else root(variance + eps)
        return [g * (x - mean * above) / size + shift(g, b) for x, g, b in zip(row, gamma, beta)]

    return norm


def _half(x, layer, norm):
    return add(x, layer(norm(x)))


def _pre_norm(x, attend, feed, norm_1, norm_2):
    return _half(_half(x, attend, norm_1), feed, norm_2)


def _after(x, attend, feed, norm):
    x = norm(add(x, attend(x)))
    return norm(add(x, feed(x)))


def _inside(x, attend, feed, norm):
    x = add(norm(x), attend(norm(x)))
    return add(norm(x), feed(norm(x)))


def _outputs(x, attend, feed, norm):
    x = add(x, norm(attend(x)))
    return add(x, norm(feed(x)))


def my_pre_norm(x, attend, feed, norm):
    return _pre_norm(x, attend, feed, norm, norm)


# the simple functions of the text, shown by these names
_ATTEND = Shown("attend", lambda x: [[2 * a + 1 for a in row] for row in x])
_FEED = Shown("feed", lambda x: [[a * a for a in row] for row in x])
_NORM = Shown("norm", lambda x: [[a / 2 for a in row] for row in x])

EXERCISES = {
    "07.1": Exercise(
        find_slip,
        [[layer_norm], *([_norm(slip)] for slip in ("eps", "none", "rows", "n - 1", "gamma"))],
        mistakes={
            **{
                f"{name!r} is tested before 'n - 1', and dividing by n − 1 changes that result, too": _find(
                    *(_TESTS[other] for other in (name, *(other for other in _TESTS if other != name)))
                )
                for name in ("eps", "rows", "gamma")
            },
            "all tests use gammas of 1 or betas of 0, so the mistake with gamma does not show": _find(
                *(_TESTS[name] for name in ("n - 1", "eps", "rows"))
            ),
            "all tests use a single row, so the mistake with rows does not show": _find(
                *(_TESTS[name] for name in ("n - 1", "eps", "gamma"))
            ),
            "all values of eps are too small to show the mistake with eps": _find(
                *(_TESTS[name] for name in ("n - 1", "rows", "gamma"))
            ),
            **{
                f"only {' and '.join(map(repr, tested))} can be returned": _find(
                    *(_TESTS[name] for name in tested)
                )
                for n in (1, 2)
                for tested in itertools.combinations(_TESTS, n)
            },
            **{
                f"one input shows all four mistakes, and any difference is called {name!r}": _together(name)
                for name in _TESTS
            },
        },
        choices=("none", "n - 1", "eps", "rows", "gamma"),
    ),
    "07.2": Exercise(
        merge,
        [
            [[2, 3], [10, 0], [[1, 1]]],
            draw_inputs(11, (2,), (2,), (3, 2)),
            draw_inputs(12, (4,), (4,), (2, 4)),
            draw_inputs(13, (3,), (3,), (3, 3)),
            draw_inputs(14, (2,), (2,), (1, 2)),
        ],
        mistakes={
            "gamma multiplies the rows of W instead of its columns": lambda gamma, beta, W: [
                [[w * g for w in row] for row, g in zip(W, gamma)],
                merge(gamma, beta, W)[1],
            ],
            "beta itself is returned as the bias; it has to be multiplied by W": lambda gamma, beta, W: [
                merge(gamma, beta, W)[0],
                list(beta),
            ],
            "beta is multiplied by the new W instead of the old one": lambda gamma, beta, W: [
                merge(gamma, beta, W)[0],
                [dot(row, beta) for row in merge(gamma, beta, W)[0]],
            ],
            "beta is ignored and the bias is 0": lambda gamma, beta, W: [
                merge(gamma, beta, W)[0],
                [0.0] * len(W),
            ],
            "W is divided by gamma": lambda gamma, beta, W: [
                [[w / g for w, g in zip(row, gamma)] for row in W],
                merge(gamma, beta, W)[1],
            ],
        },
        parts=("W_new", "b_new"),
    ),
    "07.a": Exercise(
        my_norm_row,
        [
            [[1.0, 1.0, 4.0], [1, 1, 1], [0, 0, 10], 2.0],
            [[1.0, 3.0, 5.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 0.5],
            [*draw_inputs(15, (3,), (3,), (3,)), 0.5],
            [*draw_inputs(16, (4,), (4,), (4,)), 2.0],
            [[5.0, 5.0], [1.0, 2.0], [0.5, 1.0], 1e-5],
        ],
        mistakes={
            "the variance divides by n − 1": _norm_row(lambda row: len(row) - 1),
            "the sum of the squared distances is not divided by n": _norm_row(lambda row: 1),
            "the mean of the distances is used instead of the mean of their squares": _norm_row(power=1),
            "eps is added after the root instead of inside it": _norm_row(outside=True),
            "eps is forgotten": lambda row, gamma, beta, eps: my_norm_row(row, gamma, beta, 0.0),
            "eps is fixed at 1e-5 instead of the given value": (
                lambda row, gamma, beta, eps: my_norm_row(row, gamma, beta, 1e-5)
            ),
            "the mean is subtracted in the variance, but not from x": _norm_row(above=False),
            "the variance is the mean of the squares: the mean is not subtracted before squaring": _norm_row(
                within=False
            ),
            "the mean is never subtracted: that is RMSNorm with a shift": _norm_row(
                above=False, within=False
            ),
            "gamma multiplies beta, too": _norm_row(shift=lambda g, b: g * b),
            "beta is forgotten": _norm_row(shift=lambda g, b: 0.0),
            "gamma[0] and beta[0] are used for every column": lambda row, gamma, beta, eps: my_norm_row(
                row, [gamma[0]] * len(row), [beta[0]] * len(row), eps
            ),
            "gamma and beta are forgotten": lambda row, gamma, beta, eps: my_norm_row(
                row, [1.0] * len(row), [0.0] * len(row), eps
            ),
            "gamma is forgotten": lambda row, gamma, beta, eps: my_norm_row(row, [1.0] * len(row), beta, eps),
            "gamma and beta are exchanged": lambda row, gamma, beta, eps: my_norm_row(row, beta, gamma, eps),
            "the row is divided by the variance instead of its root": _norm_row(root=lambda x: x),
        },
    ),
    "07.b": Exercise(
        my_pre_norm,
        [
            [[[2.0]], _ATTEND, _FEED, _NORM],
            [[[2.0, -1.0], [0.5, 4.0]], _ATTEND, _FEED, _NORM],
            [draw_inputs(17, (3, 3))[0], _ATTEND, _FEED, _NORM],
        ],
        mistakes={
            "the block is post-norm: each sum goes through the norm": lambda x, attend, feed, norm: _after(
                x, attend, feed, norm
            ),
            "the residual connection begins after the norm, so the normalized rows are added": (
                lambda x, attend, feed, norm: _inside(x, attend, feed, norm)
            ),
            "the outputs of the layers are normalized instead of their inputs": (
                lambda x, attend, feed, norm: _outputs(x, attend, feed, norm)
            ),
            "both norms are missing": lambda x, attend, feed, norm: _pre_norm(
                x, attend, feed, lambda x: x, lambda x: x
            ),
            "the output of attention is not added to x before the feed-forward network": (
                lambda x, attend, feed, norm: add(x, feed(norm(attend(norm(x)))))
            ),
            "the norm before the feed-forward network is missing": lambda x, attend, feed, norm: _pre_norm(
                x, attend, feed, norm, lambda x: x
            ),
            "the norm before attention is missing": lambda x, attend, feed, norm: _pre_norm(
                x, attend, feed, lambda x: x, norm
            ),
            "the residual connection around the feed-forward network is missing": (
                lambda x, attend, feed, norm: feed(norm(add(x, attend(norm(x)))))
            ),
            "the residual connection around attention is missing": lambda x, attend, feed, norm: _half(
                attend(norm(x)), feed, norm
            ),
            "both layers read x: the feed-forward network has to read the sum after attention": (
                lambda x, attend, feed, norm: add(add(x, attend(norm(x))), feed(norm(x)))
            ),
            "x is added to the final result instead of the sum after attention": (
                lambda x, attend, feed, norm: add(x, feed(norm(add(x, attend(norm(x))))))
            ),
            "the feed-forward network comes before attention": lambda x, attend, feed, norm: _pre_norm(
                x, feed, attend, norm, norm
            ),
            "a norm follows the last sum": lambda x, attend, feed, norm: norm(
                _pre_norm(x, attend, feed, norm, norm)
            ),
        },
    ),
}
