"""The vision transformer by hand, by its formula, and by finite differences."""

import math
import random

import pytest

import helpers
from helpers import (
    cut_patches,
    init_pictures,
    picture_backward,
    picture_forward,
    shrink_picture,
    token_losses,
    token_losses_backward,
)
from helpers.pictures import PICTURE_ACTIVATION_SHAPES, PICTURE_PARAM_SHAPES

PATCHES = [[0.5, 1.0, 0.0, 2.0], [1.5, 0.0, 1.0, 0.25], [0.0, 0.0, 1.0, 1.0]]


def parameters(seed=1):
    """A small model whose vectors are not 0 and 1 either."""
    rng = random.Random(seed)
    p = init_pictures(q=4, N=3, D=4, F=5, C=3, rng=rng, std=0.5)
    return {n: t if isinstance(t[0], list) else [x + rng.gauss(0, 0.3) for x in t] for n, t in p.items()}


# --- patches


def test_patches_by_hand():
    picture = [[10 * y + x for x in range(6)] for y in range(4)]
    upper, lower = [[0, 1, 10, 11], [2, 3, 12, 13], [4, 5, 14, 15]], [[20, 21, 30, 31], [22, 23, 32, 33]]
    assert cut_patches(picture, 2) == [*upper, *lower, [24, 25, 34, 35]]
    assert cut_patches(picture, 1) == [[number] for row in picture for number in row]


def test_a_smaller_picture_by_hand():
    assert shrink_picture([[1, 3, 5], [3, 5, 7]], 1, 3) == [[2, 4, 6]]
    assert shrink_picture([[0, 2, 9], [4, 6, 9], [1, 1, 1]], 2, 2) == [[0, 5.5], [2.5, 4.25]]
    assert shrink_picture([[0, 2], [4, 6]], 2, 2) == [[0, 2], [4, 6]]


# --- the model


def test_the_model_is_its_formula():
    """Written out with sums of its own, one number at a time."""
    p, H = parameters(), 2
    a = picture_forward(p, PATCHES, H)

    def rows(X, name):
        return [
            [
                math.fsum(x * w for x, w in zip(row, weights)) + b
                for weights, b in zip(p[name + ".weight"], p[name + ".bias"])
            ]
            for row in X
        ]

    def norm(X, name):
        out = []
        for row in X:
            mean = math.fsum(row) / len(row)
            spread = math.sqrt(math.fsum((x - mean) ** 2 for x in row) / len(row) + 1e-5)
            out.append(
                [(x - mean) / spread * g + b for x, g, b in zip(row, p[name + ".weight"], p[name + ".bias"])]
            )
        return out

    X = [[x + e for x, e in zip(*pair)] for pair in zip(rows(PATCHES, "patch"), p["wpe.weight"])]
    qkv, joined = rows(norm(X, "ln_1"), "attn.c_attn"), [[] for _ in X]
    for head in range(H):
        q, k, v = ([row[part + 2 * head : part + 2 * head + 2] for row in qkv] for part in (0, 4, 8))
        for i, query in enumerate(q):
            weights = [math.exp(sum(x * y for x, y in zip(query, key)) / math.sqrt(2)) for key in k]
            joined[i] += [sum(w * row[c] for w, row in zip(weights, v)) / sum(weights) for c in range(2)]
    X = [[x + y for x, y in zip(*pair)] for pair in zip(X, rows(joined, "attn.c_proj"))]
    hidden = rows(norm(X, "ln_2"), "mlp.c_fc")
    gelu = [
        [x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in row]
        for row in hidden
    ]
    X = [[x + y for x, y in zip(*pair)] for pair in zip(X, rows(gelu, "mlp.c_proj"))]
    mean = [math.fsum(column) / 3 for column in zip(*norm(X, "ln_f"))]
    assert a["scores"] == pytest.approx(rows([mean], "head")[0], rel=1e-12)
    assert a.keys() == PICTURE_ACTIVATION_SHAPES.keys() and p.keys() == PICTURE_PARAM_SHAPES.keys()


def test_every_gradient_is_the_measured_one():
    p = parameters()

    def loss(changed):
        return token_losses([picture_forward(changed, PATCHES, 2)["scores"]], [1])[0]

    a = picture_forward(p, PATCHES, 2)
    gradients = picture_backward(token_losses_backward([1.0], [a["scores"]], [1])[0], p, a, PATCHES)
    assert list(gradients) == list(p)
    for name, tensor in p.items():
        measured = helpers.numerical_gradient(lambda t, name=name: loss({**p, name: t}), tensor)
        flat = [sum(t, []) if isinstance(t[0], list) else t for t in (gradients[name], measured)]
        assert flat[0] == pytest.approx(flat[1], rel=1e-5, abs=1e-8), name


def test_every_matrix_is_drawn_in_order_with_the_standard_deviation_given_or_one_tenth():
    lengths = {"q": 4, "N": 2, "D": 6, "3*D": 18, "F": 5, "C": 3}
    for std, given in (0.1, {}), (0.5, {"std": 0.5}):
        found, rng = init_pictures(4, 2, 6, 5, 3, random.Random(7), **given), random.Random(7)
        for name, shape in PICTURE_PARAM_SHAPES.items():
            rows, *columns = (lengths[letter] for letter in shape.split())
            if columns:
                assert found[name] == [[rng.gauss(0, std) for _ in range(columns[0])] for _ in range(rows)]
            else:
                assert len(found[name]) == rows


def test_a_picture_of_one_row():
    assert cut_patches([[1, 2, 3]], 1) == [[1], [2], [3]]
    assert shrink_picture([[2, 4]], 1, 1) == [[3.0]]
