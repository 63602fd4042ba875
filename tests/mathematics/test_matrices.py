"""Lists as vectors and matrices: small products worked by hand, and the laws for every size."""

from helpers.matrices import add, dot, matmul, scale, transpose

# m, n, p of A [m][n] and B [n][p]


def test_dot_by_hand():
    assert dot([1, 2, 3], [4, 5, 6]) == 32  # 4 + 10 + 18
    assert dot([2], [-3]) == -6
    assert dot([0.5, 0.25], [4, 8]) == 4
    assert dot([1, 0], [0, 1]) == 0


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


def test_transpose_by_hand():
    assert transpose([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]
    assert transpose([[7]]) == [[7]]
    assert transpose([[1, 2, 3]]) == [[1], [2], [3]]
    assert transpose([[1], [2]]) == [[1, 2]]


def test_add_by_hand():
    assert add([[1, 2], [3, 4]], [[10, 20], [30, 40]]) == [[11, 22], [33, 44]]
    assert add([[0.5]], [[-0.25]]) == [[0.25]]
    assert add([[1, 2, 3]], [[0, -2, 4]]) == [[1, 0, 7]]


def test_scale_by_hand():
    assert scale([[1, -2], [0, 4]], 3) == [[3, -6], [0, 12]]
    assert scale([[8]], 0.25) == [[2]]
    assert scale([[1, 2, 3]], -1) == [[-1, -2, -3]]
    assert scale([[1], [2]], 0) == [[0], [0]]
