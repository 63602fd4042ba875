"""Vectors and matrices as lists: a vector is a list of numbers, a matrix is a list of rows."""

from operator import mul

from .contracts import shapes


@shapes(arithmetic=True, u="n", v="n")
def dot(u, v):
    """Multiply two vectors entry by entry and add up: one number.

    Shapes: u [n], v [n]. ValueError when the lengths differ.

    >>> dot([1, 2, 3], [10, 0, 1])
    13.0
    """
    assert len(u) == len(v), "u and v must be equally long"
    return sum(map(mul, u, v), 0.0)


@shapes(A="m n")
def transpose(A):
    """Turn rows into columns.

    Shapes: A [m][n], result [n][m]. ValueError when the rows differ in length.

    >>> transpose([[1, 2, 3], [4, 5, 6]])
    [[1, 4], [2, 5], [3, 6]]
    """
    return [list(column) for column in zip(*A, strict=True)]


@shapes(arithmetic=True, A="m n", B="n p")
def matmul(A, B):
    """Multiply two matrices: entry (i, j) is the dot product of row i of A and column j of B.

    Shapes: A [m][n], B [n][p], result [m][p]. ValueError when A's columns are not B's rows.

    >>> matmul([[1, 2], [3, 4]], [[1, 0, 10], [0, 1, 10]])
    [[1.0, 2.0, 30.0], [3.0, 4.0, 70.0]]
    """
    assert all(len(row) == len(B) for row in A), "each row of A needs one number for each row of B"
    columns = transpose(B)
    return [[sum(map(mul, row, column), 0.0) for column in columns] for row in A]


@shapes(A="m n", B="m n")
def add(A, B):
    """Add two matrices entry by entry.

    Shapes: A [m][n], B [m][n], result [m][n]; nothing is broadcast. ValueError when they differ.

    >>> add([[1, 2], [3, 4]], [[10, 20], [30, 40]])
    [[11, 22], [33, 44]]
    """
    return [[a + b for a, b in zip(row_A, row_B, strict=True)] for row_A, row_B in zip(A, B, strict=True)]


@shapes(A="m n", c="number")
def scale(A, c):
    """Multiply every entry of a matrix by the number c.

    Shapes: A [m][n], c a number, result [m][n]. TypeError when c is not a number.

    >>> scale([[1, 2], [3, 4]], 10)
    [[10, 20], [30, 40]]
    """
    return [[c * a for a in row] for row in A]
