"""Lists as vectors and matrices: small products worked by hand, and the laws for every size."""

import random

from tables import whole_numbers

from helpers.matrices import add, dot, matmul, scale, transpose

# m, n, p of A [m][n] and B [n][p]
SIZES = [(2, 2, 2), (1, 1, 1), (1, 5, 1), (3, 1, 4), (1, 3, 4), (4, 3, 1), (2, 3, 4), (5, 16, 8)]


def pairs(seed=1):
    """A and B of every size, in whole numbers: their products are exact."""
    rng = random.Random(seed)
    return [(whole_numbers(rng, m, n), whole_numbers(rng, n, p)) for m, n, p in SIZES]


def test_dot_by_hand():
    assert dot([1, 2, 3], [4, 5, 6]) == 32  # 4 + 10 + 18
    assert dot([2], [-3]) == -6
    assert dot([0.5, 0.25], [4, 8]) == 4
    assert dot([1, 0], [0, 1]) == 0


def test_dot_is_symmetric_and_linear():
    rng = random.Random(2)
    for n in (1, 2, 16):
        u, v, w = whole_numbers(rng, 3, n)
        assert dot(u, v) == dot(v, u)
        assert dot([3 * a + b for a, b in zip(u, w)], v) == 3 * dot(u, v) + dot(w, v)


def test_matmul_by_hand():
    assert matmul([[1, 2], [3, 4]], [[5, 6], [7, 8]]) == [
        [19, 22],
        [43, 50],
    ]  # 5 + 14, 6 + 16; 15 + 28, 18 + 32
    assert matmul([[2]], [[3]]) == [[6]]
    assert matmul([[1, 2, 3]], [[4], [5], [6]]) == [[32]]
    assert matmul([[1], [2]], [[3, 4]]) == [[3, 4], [6, 8]]
    # row 0: 1 + 8, 2, 4, 1 + 2; row 1: -4, 3, 3 - 2, 6 - 1
    A, B = [[1, 0, 2], [0, 3, -1]], [[1, 2, 0, 1], [0, 1, 1, 2], [4, 0, 2, 1]]
    assert matmul(A, B) == [[9, 2, 4, 3], [-4, 3, 1, 5]]


def test_matmul_is_associative():
    rng = random.Random(3)
    for A, B in pairs():
        C = whole_numbers(rng, len(B[0]), 3)
        assert matmul(matmul(A, B), C) == matmul(A, matmul(B, C))


def test_matmul_is_linear():
    rng = random.Random(4)
    for A, B in pairs():
        C = whole_numbers(rng, len(B), len(B[0]))
        assert matmul(A, add(B, C)) == add(matmul(A, B), matmul(A, C))
        assert matmul(scale(A, 7), B) == scale(matmul(A, B), 7) == matmul(A, scale(B, 7))


def test_transpose_by_hand():
    assert transpose([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]
    assert transpose([[7]]) == [[7]]
    assert transpose([[1, 2, 3]]) == [[1], [2], [3]]
    assert transpose([[1], [2]]) == [[1, 2]]


def test_the_transpose_of_a_product_is_the_product_of_the_transposes_in_reverse():
    for A, B in pairs():
        assert transpose(transpose(A)) == A
        assert transpose(matmul(A, B)) == matmul(transpose(B), transpose(A))


def test_add_by_hand():
    assert add([[1, 2], [3, 4]], [[10, 20], [30, 40]]) == [[11, 22], [33, 44]]
    assert add([[0.5]], [[-0.25]]) == [[0.25]]
    assert add([[1, 2, 3]], [[0, -2, 4]]) == [[1, 0, 7]]


def test_scale_by_hand():
    assert scale([[1, -2], [0, 4]], 3) == [[3, -6], [0, 12]]
    assert scale([[8]], 0.25) == [[2]]
    assert scale([[1, 2, 3]], -1) == [[-1, -2, -3]]
    assert scale([[1], [2]], 0) == [[0], [0]]
