"""Rotary position embeddings (RoPE): the position of a query or a key as a rotation of its numbers."""

import math


def rope(X: "T k", positions: "T finite", base: "float > 0 finite" = 10000.0) -> "T k":
    """Rotate each pair of neighbours in a row by an angle that grows with the row's position.

    Pair j turns by position · base^(−2j/k). The rows are queries or keys of one head, and k must be even.
    After the rotation, the dot product of a query and a key depends only on the distance between their
    positions. Some programs pair the halves of a row instead of neighbours.
    Source: Su et al. 2021, section 3.2.

    >>> rope([[3, 4]], [0])
    [[3.0, 4.0]]
    >>> [[round(x, 6) for x in row] for row in rope([[3, 4]], [math.pi / 2])]  # a quarter turn
    [[-4.0, 3.0]]
    """
    result = []
    for row, position in zip(X, positions, strict=True):
        k, turned = len(row), []
        assert k % 2 == 0, f"a row of X has {k} numbers, and rope rotates pairs: give an even number"
        for i in range(0, k, 2):
            angle = position * base ** (-i / k)
            cos, sin, (a, b) = math.cos(angle), math.sin(angle), row[i : i + 2]
            turned += [a * cos - b * sin, a * sin + b * cos]
        result.append(turned)
    return result
