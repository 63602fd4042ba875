"""Lesson 07, hidden side. Reading on gives answers away."""

import math
import random

from ...layers import layer_norm
from ...matrices import add, dot
from ...parameters import random_matrix, random_vector


def undo_norm(normed_row, mean, variance, gamma, beta, eps):
    size = math.sqrt(variance + eps)
    return [(y - b) / g * size + mean for y, g, b in zip(normed_row, gamma, beta)]


def find_slip(norm):
    """Compares with each of the norms that it may be, on rows where all of them differ."""
    rng = random.Random(70)
    X, gamma, beta = random_matrix(rng, 3, 4, 1.0), random_vector(rng, 4, 1.0), random_vector(rng, 4, 1.0)
    got = norm(X, gamma, beta, 0.5)
    for slip in ("none", "n - 1", "eps", "rows", "gamma"):
        expected = _norm(slip)(X, gamma, beta, 0.5)
        if all(abs(g - e) < 1e-9 for rows in zip(got, expected) for g, e in zip(*rows)):
            return slip
    raise ValueError("this norm has none of the slips")


def _norm(slip):
    """Layer norm with one slip, or with none."""

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

    return norm


def wired(X, attend, feed, norm, wiring):
    if wiring == "ours":
        X = attend(X)
        return norm(add(X, feed(X)))
    if wiring == "post":
        X = norm(add(X, attend(X)))
        return norm(add(X, feed(X)))
    X = add(X, attend(norm(X)))
    return add(X, feed(norm(X)))


def _attend(X):
    """Each row gets the sum of the rows up to it."""
    return [[sum(column) for column in zip(*X[: t + 1])] for t in range(len(X))]


def _feed(X):
    return [[x * x - 1 for x in row] for row in X]


def _norm_of_rows(X):
    return layer_norm(X, [1.0] * len(X[0]), [0.5] * len(X[0]), 0.1)


def fold(gamma, beta, W):
    return [[[w * g for w, g in zip(row, gamma)] for row in W], [dot(row, beta) for row in W]]


def _undo(seed, D, eps):
    """Inputs of undo_norm: a row behind its norm."""
    rng = random.Random(seed)
    row, gamma, beta = random_vector(rng, D, 2.0), random_vector(rng, D, 1.0), random_vector(rng, D, 1.0)
    mean = sum(row, 0.0) / D
    variance = sum(((x - mean) ** 2 for x in row), 0.0) / D
    return [layer_norm([row], gamma, beta, eps)[0], mean, variance, gamma, beta, eps]


def _foldable(seed, m, D):
    rng = random.Random(seed)
    return [random_vector(rng, D, 1.0), random_vector(rng, D, 1.0), random_matrix(rng, m, D, 1.0)]


EXERCISES = {
    "07.1": (undo_norm, [_undo(1, 3, 0.0), _undo(2, 4, 0.5), _undo(3, 2, 1e-5), _undo(4, 5, 2.0)]),
    "07.2": (find_slip, [[_norm(slip)] for slip in ("eps", "none", "rows", "n - 1", "gamma", "none")]),
    "07.3": (
        wired,
        [
            [random_matrix(random.Random(5 + i), T, 3, 1.0), _attend, _feed, _norm_of_rows, wiring]
            for i, (T, wiring) in enumerate([(2, "ours"), (3, "post"), (3, "pre"), (1, "post"), (4, "ours"), (2, "pre")])
        ],
    ),
    "07.4": (fold, [_foldable(11, 3, 2), _foldable(12, 2, 4), _foldable(13, 3, 3), _foldable(14, 1, 2)]),
}
