"""Vectors and matrices as lists: a vector is a list of numbers, a matrix is a list of rows."""

from operator import mul


def shape(A, name="A", dimensions=None):
    """The lengths of nested lists, from the outside in: (rows, columns) for a matrix.

    One such line at the top of a function checks an argument: TypeError for anything that is
    not a list of numbers, ValueError for an empty list, for rows of unequal length, and for
    another number of dimensions than asked for. The message names the place.

    >>> shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    try:
        if dimensions == 2 and {*map(type, A)} == {list} == {type(A)} and len({*map(len, A)}) == 1 and A[0]:
            float(sum(map(sum, A), 0.0))  # a sound matrix, the usual case, costs little to recognise
            return len(A), len(A[0])
    except TypeError:
        pass  # what is wrong, and where, is found below
    if not isinstance(A, (list, tuple)):
        raise TypeError(f"{name} is {A!r:.60}, not a list")
    if not A:
        raise ValueError(f"{name} is empty; give it at least one entry")
    if type(A[0]) is float or not isinstance(A[0], (list, tuple)):
        try:
            float(sum(A, 0.0))  # adding up fails unless every entry is a number, and costs next to nothing
        except TypeError:
            i = next(i for i, x in enumerate(A) if not isinstance(x, (int, float)))
            raise TypeError(f"{name}[{i}] is {A[i]!r:.60}, not a number") from None
        lengths = (len(A),)
    else:
        try:
            inner = [shape(row) for row in A]
        except (TypeError, ValueError):
            inner = [shape(row, f"{name}[{i}]") for i, row in enumerate(A)]  # once more, to name the place
        if inner.count(inner[0]) < len(inner):
            i, other = next((i, lengths) for i, lengths in enumerate(inner) if lengths != inner[0])
            raise ValueError(f"{name} is ragged: {name}[0] has shape {inner[0]}, {name}[{i}] has {other}")
        lengths = (len(A), *inner[0])
    if dimensions is not None and dimensions != len(lengths):
        wanted = {1: "a vector (a list of numbers)", 2: "a matrix (a list of rows)", 3: "a list of matrices"}
        raise ValueError(f"{name} has shape {lengths}; it must be {wanted[dimensions]}")
    return lengths


def expect_shape(A, name, wanted):
    """Stop unless nested lists have this shape: the check of an argument that must fit the others.

    Errors as in shape, and ValueError for another shape than wanted; both shapes are named.

    >>> expect_shape([[1, 2, 3], [4, 5, 6]], "A", (2, 3))
    """
    got = shape(A, name, len(wanted))
    if got != wanted:
        raise ValueError(f"{name} has shape {got}; with the other arguments it must have {wanted}")


def dot(u, v):
    """Multiply two vectors entry by entry and add up: one number.

    Shapes: u [n], v [n]. ValueError when the lengths differ.

    >>> dot([1, 2, 3], [10, 0, 1])
    13.0
    """
    (n,), (m,) = shape(u, "u", 1), shape(v, "v", 1)
    if n != m:
        raise ValueError(f"dot: u is [{n}] and v is [{m}]; give two vectors of the same length")
    return sum(map(mul, u, v), 0.0)


def matmul(A, B):
    """Multiply two matrices: entry (i, j) is the dot product of row i of A and column j of B.

    Shapes: A [m][n], B [n][p], result [m][p]. ValueError when A's columns are not B's rows.

    >>> matmul([[1, 2], [3, 4]], [[1, 0, 10], [0, 1, 10]])
    [[1.0, 2.0, 30.0], [3.0, 4.0, 70.0]]
    """
    (m, n), (k, p) = shape(A, "A", 2), shape(B, "B", 2)
    if n != k:
        raise ValueError(f"matmul: A is [{m}][{n}] and B is [{k}][{p}]; A needs as many columns as B has rows")
    columns = list(zip(*B, strict=True))
    return [[sum(map(mul, row, column), 0.0) for column in columns] for row in A]


def transpose(A):
    """Turn rows into columns.

    Shapes: A [m][n], result [n][m].

    >>> transpose([[1, 2, 3], [4, 5, 6]])
    [[1, 4], [2, 5], [3, 6]]
    """
    shape(A, "A", 2)
    return [list(column) for column in zip(*A, strict=True)]


def add(A, B):
    """Add two matrices entry by entry.

    Shapes: A [m][n], B [m][n], result [m][n]; nothing is broadcast. ValueError when they differ.

    >>> add([[1, 2], [3, 4]], [[10, 20], [30, 40]])
    [[11, 22], [33, 44]]
    """
    (m, n), (k, p) = shape(A, "A", 2), shape(B, "B", 2)
    if (m, n) != (k, p):
        raise ValueError(f"add: A is [{m}][{n}] and B is [{k}][{p}]; give two matrices of the same shape")
    return [[a + b for a, b in zip(row_A, row_B, strict=True)] for row_A, row_B in zip(A, B, strict=True)]


def scale(A, c):
    """Multiply every entry of a matrix by the number c.

    Shapes: A [m][n], result [m][n]. TypeError when c is not a number.

    >>> scale([[1, 2], [3, 4]], 10)
    [[10, 20], [30, 40]]
    """
    shape(A, "A", 2)
    if not isinstance(c, (int, float)):
        raise TypeError(f"scale: c is {c!r:.60}, not a number")
    return [[c * a for a in row] for row in A]
