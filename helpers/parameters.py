"""Parameters: drawn from a given random stream, and counted."""

import math
import random

from .matrices import shape


def random_vector(rng, n, sigma=0.1):
    """Draw n numbers from a normal distribution around 0.

    rng is a random.Random, so that the same seed gives the same numbers; sigma is the standard deviation.
    TypeError for another rng, ValueError when n is not a whole number above 0 or sigma not a number from 0 up.

    >>> len(random_vector(random.Random(42), 3))
    3
    >>> random_vector(random.Random(42), 2, sigma=0)
    [0.0, 0.0]
    """
    if not isinstance(rng, random.Random):
        raise TypeError(f"rng is {rng!r:.60}; give it a stream of its own, random.Random(42)")
    if not isinstance(n, int) or n < 1:
        raise ValueError(f"n is {n!r}; a vector needs a whole number of entries, at least 1")
    if not isinstance(sigma, (int, float)) or not sigma >= 0:
        raise ValueError(f"sigma is {sigma!r:.60}; it is a number, 0 or more")
    return [rng.gauss(0, sigma) for _ in range(n)]


def random_matrix(rng, rows, columns, sigma=0.1):
    """Draw a matrix row by row from a normal distribution around 0.

    Shapes: result [rows][columns]. Errors as in random_vector.

    >>> random_matrix(random.Random(42), 2, 3, sigma=0)
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    for name, size in [("rows", rows), ("columns", columns)]:
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} is {size!r}; a matrix needs a whole number of them, at least 1")
    return [random_vector(rng, columns, sigma) for _ in range(rows)]


def glorot_uniform(rng, rows, columns):
    """Draw a matrix evenly between −limit and limit, where limit is sqrt(6 / (rows + columns)).

    Shapes: result [rows][columns]. TypeError when rng is no random.Random, ValueError when a size is not
    a whole number above 0.
    Source: Glorot and Bengio 2010, section 4.2.1.

    >>> all(-1 <= w <= 1 for w in glorot_uniform(random.Random(42), 2, 4)[0])
    True
    """
    if not isinstance(rng, random.Random):
        raise TypeError(f"rng is {rng!r:.60}; give it a stream of its own, random.Random(42)")
    for name, size in [("rows", rows), ("columns", columns)]:
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} is {size!r}; a matrix needs a whole number of them, at least 1")
    limit = math.sqrt(6 / (rows + columns))
    return [[rng.uniform(-limit, limit) for _ in range(columns)] for _ in range(rows)]


def count_parameters(parameters):
    """Count the numbers in a dict of parameters, or in any nest of dicts and lists.

    TypeError for a leaf that is not a number, naming it.

    >>> count_parameters({"W": [[1, 2, 3], [4, 5, 6]], "b": [7, 8]})
    8
    """
    if isinstance(parameters, dict):
        return sum(count_parameters(entry) for entry in parameters.values())
    if isinstance(parameters, (list, tuple)):
        return sum(count_parameters(entry) for entry in parameters)
    if isinstance(parameters, (int, float)):
        return 1
    raise TypeError(f"parameters hold {parameters!r:.60}, which is not a number, a list or a dict")


def tree_map(function, tree, *others, place="tree"):
    """Apply a function of numbers at every place of equally built nests: dicts, in dicts or not, of lists of numbers.

    The result is a new nest of the same build. place is what messages call the nests. ValueError when they differ in
    names or shapes, naming the place; TypeError for anything else than a list where the numbers should be.

    >>> tree_map(lambda a, b: a + b, {"W": [[1, 2]], "b": [3]}, {"W": [[10, 20]], "b": [30]})
    {'W': [[11, 22]], 'b': [33]}
    """
    nests = (tree, *others)
    if isinstance(tree, dict):
        if any(not isinstance(other, dict) or other.keys() != tree.keys() for other in others):
            raise ValueError(f"{place} has the names {list(tree)}; give every nest the same ones")
        return {
            name: tree_map(function, *(nest[name] for nest in nests), place=f"{place}[{name!r}]") for name in tree
        }
    sizes = [shape(nest, place) for nest in nests]
    if any(size != sizes[0] for size in sizes):
        raise ValueError(f"{place} has the shapes {sizes}; give every nest the same shape")

    def mapped(dimensions, *nests):
        if dimensions == 1:
            return list(map(function, *nests))
        return [mapped(dimensions - 1, *rows) for rows in zip(*nests, strict=True)]

    return mapped(len(sizes[0]), *nests)
