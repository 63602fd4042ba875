"""The numerical gradient, by central differences: to check a backward pass."""

import copy


def numerical_gradient(function: "A -> float", A: "tree", h: "float > 0" = 1e-5) -> "tree":
    """The numerical gradient of function at A: (f(x + h) − f(x − h)) / (2·h) for each number x in A.

    A is a number, or dicts and lists of numbers, nested to any depth; the result has the same structure.
    function takes the whole of A. A is not changed. The truncation error is proportional to h²; the rounding
    error, about 1e-16·f / h, grows when h shrinks.
    Source: Press et al. 2007, Numerical Recipes, section 5.7.

    >>> round(numerical_gradient(lambda x: x * x, 3.0), 6)
    6.0
    >>> [[round(d, 6) for d in row] for row in numerical_gradient(lambda A: A[0][0] * A[0][1], [[2.0, 5.0]])]
    [[5.0, 2.0]]
    """
    root = [copy.deepcopy(A)]  # in a list, so that parent[key] can also be A itself

    def differences(parent, key):
        x = parent[key]
        if isinstance(x, dict):
            return {name: differences(x, name) for name in x}
        if isinstance(x, list):
            return [differences(x, i) for i in range(len(x))]
        parent[key] = x + h
        f_plus = function(root[0])
        parent[key] = x - h
        f_minus = function(root[0])
        parent[key] = x
        return (f_plus - f_minus) / (2 * h)

    return differences(root, 0)
