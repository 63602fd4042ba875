"""Vectors and matrices as lists: a vector is a list of numbers, a matrix is a list of rows.

Sums begin at 0.0, so dot products are floats, also those of integers.
"""

from operator import mul


def dot(u: "n", v: "n") -> "float":
    """The dot product: multiply two vectors entry by entry and sum the products.

    >>> dot([1, 2, 3], [10, 0, 1])
    13.0
    """
    assert len(u) == len(v), "u and v must be equally long"
    return sum(map(mul, u, v), 0.0)


def transpose(A: "m n") -> "n m":
    """Swap rows and columns.

    >>> transpose([[1, 2, 3], [4, 5, 6]])
    [[1, 4], [2, 5], [3, 6]]
    """
    return [list(column) for column in zip(*A, strict=True)]


def matmul(A: "m n", B: "n p") -> "m p":
    """Multiply two matrices: entry (i, j) is the dot product of row i of A and column j of B.

    >>> matmul([[1, 2], [3, 4]], [[1, 0, 10], [0, 1, 10]])
    [[1.0, 2.0, 30.0], [3.0, 4.0, 70.0]]
    """
    assert all(len(row) == len(B) for row in A), "each row of A needs one number for each row of B"
    columns = transpose(B)
    return [[sum(map(mul, row, column), 0.0) for column in columns] for row in A]


def add(A: "m n", B: "m n") -> "m n":
    """Add two matrices entry by entry, without broadcasting.

    >>> add([[1, 2], [3, 4]], [[10, 20], [30, 40]])
    [[11, 22], [33, 44]]
    """
    return [[a + b for a, b in zip(row_A, row_B, strict=True)] for row_A, row_B in zip(A, B, strict=True)]


def scale(A: "m n", c: "float") -> "m n":
    """Multiply every entry of a matrix by the number c.

    >>> scale([[1, 2], [3, 4]], 10)
    [[10, 20], [30, 40]]
    """
    return [[c * a for a in row] for row in A]
