"""Optimizers: steps worked with fractions, and PyTorch's published algorithm with fifty digits."""

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

from tables import assert_close, numbers_in

from helpers.optimizers import adamw_init, adamw_step, sgd_step


def in_lists(nest):
    """A nest of dicts and lists as one of lists, so that two can be compared number by number."""
    if isinstance(nest, dict):
        return in_lists(list(nest.values()))
    return list(map(in_lists, nest)) if isinstance(nest, list) else nest


def close(got, expected, within=1e-12):
    """Assert dicts of the same names in the same order, with the same numbers."""
    assert list(got) == list(expected), f"{list(got)} is not {list(expected)}"
    assert_close(in_lists(got), in_lists(expected), within)


# --- sgd_step


def test_sgd_step_by_hand():
    parameters = {"W": [[1.0, -2.0], [3.0, 0.5]], "b": [0.0, 10.0], "c": [1.0, 1.0]}
    gradients = {"W": [[2.0, 2.0], [-4.0, 0.0]], "c": [8.0, 0.0], "b": [1.0, -6.0]}  # other order, same names
    moved = sgd_step(parameters, gradients, 0.25)
    assert moved == {"W": [[0.5, -2.5], [4.0, 0.5]], "b": [-0.25, 11.5], "c": [-1.0, 1.0]}
    assert list(moved) == ["W", "b", "c"]
    assert sgd_step(parameters, gradients, 0) == parameters


# --- adamw_step


def test_three_steps_with_fractions():
    """β's 1/4 and 1/2, lr 1/2, eps 1, decay 1/2, from 8 with the gradients 5, 1, 3, so that every root
    comes out.

    m is 15/4, 27/16, 171/64; without what is missing of the average (3/4, 15/16, 63/64) it is 5, 9/5, 19/7.
    v is 25/2, 27/4, 63/8; over 1/2, 3/4, 7/8 it is 25, 9, 9. So the ratios are 5/6, 9/20, 19/28, and each
    step keeps 3/4 and takes half of that: 6 − 5/12, then 67/16 − 9/40, then 951/320 − 19/56.
    """
    parameters, optimizer = {"b": [8.0]}, {"step": 0, "m": {"b": [0.0]}, "v": {"b": [0.0]}}
    by_hand = [
        (5, "67/12", "15/4", "25/2"),
        (1, "317/80", "27/16", "27/4"),
        (3, "5897/2240", "171/64", "63/8"),
    ]
    for step, (g, p, m, v) in enumerate(by_hand, 1):
        parameters, optimizer = adamw_step(
            parameters, {"b": [float(g)]}, optimizer, lr=0.5, betas=(0.25, 0.5), eps=1, weight_decay=0.5
        )
        assert optimizer["step"] == step
        for got, fraction in (parameters, p), (optimizer["m"], m), (optimizer["v"], v):
            close(got, {"b": [float(Fraction(fraction))]}, within=1e-15)


def published(parameters, gradients, lr, betas, eps, decay):
    """The algorithm of PyTorch's page on AdamW, line by line with fifty digits, for vectors of numbers.

    For t = 1, …: θ ← θ − γλθ; m ← β₁m + (1 − β₁)g; v ← β₂v + (1 − β₂)g²; m̂ = m / (1 − β₁ᵗ); v̂ = v / (1
    − β₂ᵗ); θ ← θ − γm̂ / (√v̂ + ε).
    """
    with localcontext() as context:
        context.prec = 50
        lr, beta_1, beta_2, eps, decay = map(Decimal, (lr, *betas, eps, decay))
        theta = [Decimal(p) for p in parameters]
        m, v = [Decimal(0)] * len(theta), [Decimal(0)] * len(theta)
        for t, row in enumerate(gradients, 1):
            for i, g in enumerate(map(Decimal, row)):
                theta[i] -= lr * decay * theta[i]
                m[i] = beta_1 * m[i] + (1 - beta_1) * g
                v[i] = beta_2 * v[i] + (1 - beta_2) * g * g
                m_hat, v_hat = m[i] / (1 - beta_1**t), v[i] / (1 - beta_2**t)
                theta[i] -= lr * m_hat / (v_hat.sqrt() + eps)
        return [list(map(float, numbers)) for numbers in (theta, m, v)]


USUAL = (1e-3, (0.9, 0.999), 1e-8, 0.01)


def test_adamw_is_the_published_algorithm_with_fifty_digits():
    """Gradients of every size, down to 1e-9 where eps is larger, and steps until the averages have filled
    up."""
    rng = random.Random(2)
    sizes = [1e3, 1.0, 0.1, 1e-4, 1e-7, 1e-9]
    start = [rng.gauss(0, 1) for _ in sizes]
    history = [[rng.gauss(0.2, 1) * size for size in sizes] for _ in range(40)]
    for options, settings in [
        ({}, USUAL),
        ({"lr": 0.02, "betas": (0.5, 0.8), "eps": 0.1, "weight_decay": 0.4}, (0.02, (0.5, 0.8), 0.1, 0.4)),
        ({"lr": 3.0, "betas": [0, 0], "eps": 1e-3, "weight_decay": 0}, (3.0, (0, 0), 1e-3, 0)),
    ]:
        parameters = {"W": [start[:3], start[3:]]}
        optimizer = {"step": 0, "m": {"W": [[0.0] * 3] * 2}, "v": {"W": [[0.0] * 3] * 2}}
        for steps, g in enumerate(history, 1):
            parameters, optimizer = adamw_step(parameters, {"W": [g[:3], g[3:]]}, optimizer, **options)
            if steps in (1, 2, 3, 40):
                theta, m, v = published(start, history[:steps], *settings)
                for got, exactly in (parameters, theta), (optimizer["m"], m), (optimizer["v"], v):
                    for x, y in zip(numbers_in(got["W"]), exactly, strict=True):
                        assert math.isclose(x, y, rel_tol=1e-11, abs_tol=1e-16 if got is parameters else 0)


def first_step(parameters, gradients, **options):
    return adamw_step(parameters, gradients, adamw_init(parameters), **options)


def test_without_a_gradient_there_is_only_decay_and_none_for_the_undecayed():
    parameters = {"W": [[8.0, -4.0]], "b": [2.0], "gamma": [1.0, 0.0]}
    zeros = {"W": [[0.0, 0.0]], "b": [0.0], "gamma": [0.0, 0.0]}
    options = {"lr": 0.5, "weight_decay": 0.25}  # keeps 7/8
    everything = {"W": [[7.0, -3.5]], "b": [1.75], "gamma": [0.875, 0.0]}
    assert first_step(parameters, zeros, **options) == (everything, {"step": 1, "m": zeros, "v": zeros})
    for no_decay in ("gamma",), ["gamma"], {"gamma"}:
        moved, _ = first_step(parameters, zeros, no_decay=no_decay, **options)
        assert moved == {**everything, "gamma": [1.0, 0.0]}
    moved, _ = first_step(parameters, zeros, no_decay={"W", "b", "gamma"}, **options)
    assert moved == parameters
    moved, _ = first_step(parameters, zeros, lr=0.5, weight_decay=0)
    assert moved == parameters
