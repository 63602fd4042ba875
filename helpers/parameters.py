"""Parameters: initialize them, count them, and map a function over a tree of them."""

import math
import random
from array import array


def random_vector(rng: "Random", n: "int > 0", sigma: "float >= 0" = 0.1) -> "n":
    """Draw n numbers from a normal distribution with mean 0 and standard deviation sigma.

    rng is a random.Random, so that the same seed gives the same numbers.

    >>> len(random_vector(random.Random(42), 3))
    3
    >>> random_vector(random.Random(42), 2, sigma=0)
    [0.0, 0.0]
    """
    return [rng.gauss(0, sigma) for _ in range(n)]


def random_matrix(
    rng: "Random", rows: "int > 0", columns: "int > 0", sigma: "float >= 0" = 0.1
) -> "rows columns":
    """Draw a matrix, row by row, from a normal distribution with mean 0 and standard deviation sigma.

    >>> random_matrix(random.Random(42), 2, 3, sigma=0)
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return [random_vector(rng, columns, sigma) for _ in range(rows)]


def glorot_uniform(rng: "Random", rows: "int > 0", columns: "int > 0") -> "rows columns":
    """Draw a matrix uniformly from −limit to limit, with limit = sqrt(6 / (rows + columns)).

    Source: Glorot and Bengio 2010, section 4.2.1.

    >>> all(-1 <= w <= 1 for w in glorot_uniform(random.Random(42), 2, 4)[0])
    True
    """
    limit = math.sqrt(6 / (rows + columns))
    return [[rng.uniform(-limit, limit) for _ in range(columns)] for _ in range(rows)]


def count_parameters(parameters: "tree") -> "int":
    """Count the numbers in a tree of dicts and lists.

    >>> count_parameters({"W": [[1, 2, 3], [4, 5, 6]], "b": [7, 8]})
    8
    """
    if isinstance(parameters, dict):
        parameters = parameters.values()
    elif not isinstance(parameters, (list, tuple)):
        return 1
    return sum(count_parameters(entry) for entry in parameters)


def single_precision(p: "n") -> "n":
    """Round each number of a vector to the nearest 32-bit float (single precision, fp32).

    Source: IEEE 754-2008, binary32.

    >>> single_precision([0.5, 0.1])
    [0.5, 0.10000000149011612]
    """
    return array("f", p).tolist()


def tree_map(function: "function", *trees: "tree P") -> "tree":
    """Map a function over the vectors of parameter trees with the same structure.

    A tree is a vector, a list of trees or a dict of trees. The leaves are vectors, lists of numbers; in JAX
    they are arrays. The result is a new tree.

    >>> def add(u, v):
    ...     return [a + b for a, b in zip(u, v)]
    >>> tree_map(add, {"W": [[1, 2]], "b": [3]}, {"W": [[10, 20]], "b": [30]})
    {'W': [[11, 22]], 'b': [33]}
    """
    first = trees[0]
    if isinstance(first, dict):
        assert all(tree.keys() == first.keys() for tree in trees), "the trees must have the same names"
        return {name: tree_map(function, *(tree[name] for tree in trees)) for name in first}
    if isinstance(first[0], list):
        return [tree_map(function, *rows) for rows in zip(*trees, strict=True)]
    return function(*trees)
