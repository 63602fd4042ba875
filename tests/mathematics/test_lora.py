"""LoRA: by hand, by finite differences, and as the merged layer."""

import random

import pytest

from helpers import (
    init_lora,
    linear,
    lora_backward,
    lora_linear,
    lora_linear_backward,
    matmul,
    merge_lora,
    numerical_gradient,
)


def drawn(seed, *sizes):
    rng = random.Random(seed)
    return [[[rng.gauss(0, 1) for _ in range(n)] for _ in range(m)] for m, n in sizes]


def test_a_layer_by_hand():
    # X·Wᵀ = [1·1 + 2·0, 1·0 + 2·1] = [1, 2]; X·Aᵀ = [3]; times B = [30, 60]; times c = [15, 30]
    X, W, A, B = [[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0]], [[10.0], [20.0]]
    assert lora_linear(X, W, [100.0, 0.0], A, B, 0.5) == [[116.0, 32.0]]
    assert merge_lora(W, A, B, 0.5) == [[6.0, 5.0], [10.0, 11.0]]


def test_merged_is_the_same_layer():
    X, W, A, B = drawn(1, (3, 5), (4, 5), (2, 5), (4, 2))
    beside = lora_linear(X, W, [1.0, 2.0, 3.0, 4.0], A, B, 2.0)
    merged = linear(X, merge_lora(W, A, B, 2.0), [1.0, 2.0, 3.0, 4.0])
    assert sum(beside, []) == pytest.approx(sum(merged, []), rel=1e-12)


def test_the_gradients_are_the_measured_ones():
    X, W, A, B, d_out = drawn(2, (3, 5), (4, 5), (2, 5), (4, 2), (3, 4))

    def loss(A, B, X=X):
        Y = linear(X, merge_lora(W, A, B, 1.5))
        return sum(d * y for rows in zip(d_out, Y) for d, y in zip(*rows))

    d_X, d_A, d_B = lora_linear_backward(d_out, X, W, A, B, 1.5)
    measured = numerical_gradient(lambda M: loss(M, B), A), numerical_gradient(lambda M: loss(A, M), B)
    assert sum(d_A, []) == pytest.approx(sum(measured[0], []), rel=1e-6, abs=1e-8)
    assert sum(d_B, []) == pytest.approx(sum(measured[1], []), rel=1e-6, abs=1e-8)
    d_W = matmul([list(column) for column in zip(*d_out)], X)
    of_merged = lora_backward(d_W, A, B, 1.5)
    assert sum(of_merged[0], []) == pytest.approx(sum(d_A, []), rel=1e-9)
    assert sum(of_merged[1], []) == pytest.approx(sum(d_B, []), rel=1e-9)
    measured_X = numerical_gradient(lambda M: loss(A, B, M), X)
    assert sum(d_X, []) == pytest.approx(sum(measured_X, []), rel=1e-6, abs=1e-8)


def test_a_correction_starts_at_zero_and_only_b_moves_first():
    (W,) = drawn(3, (4, 100))
    A, B = init_lora(4, 100, 3, random.Random(1))
    assert (len(A), len(A[0]), len(B), len(B[0])) == (3, 100, 4, 3)
    assert merge_lora(W, A, B, 2.0) == W
    spread = (sum(x * x for row in A for x in row) / 300) ** 0.5
    assert spread == pytest.approx(0.1, rel=0.15)
    X, d_out = drawn(4, (2, 100), (2, 4))
    _, d_A, d_B = lora_linear_backward(d_out, X, W, A, B, 2.0)
    assert not any(map(any, d_A)) and all(map(all, d_B))


def test_A_is_drawn_with_the_standard_deviation_1_over_root_n():
    A, _ = init_lora(2, 4, 3, random.Random(5))
    rng = random.Random(5)
    assert A == [[rng.gauss(0, 0.5) for _ in range(4)] for _ in range(3)]
