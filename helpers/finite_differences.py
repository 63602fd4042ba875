"""Central differences: gradients measured by nudging numbers, without any formula."""

import copy


def numerical_gradient(function: "A -> float", A: "tree", h: "float > 0" = 1e-5) -> "tree":
    """How fast function(A) changes with each number in A: nudge it up, nudge it down, divide by twice the
    nudge.

    A is a number, or any nest of dicts and lists, and the result is built like it. function takes a whole A
    and gives one number. The error shrinks with h squared, until rounding takes over.
    Source: Press et al. 2007, Numerical Recipes, section 5.7.

    >>> round(numerical_gradient(lambda x: x * x, 3.0), 6)
    6.0
    >>> [[round(d, 6) for d in row] for row in numerical_gradient(lambda A: A[0][0] * A[0][1], [[2.0, 5.0]])]
    [[5.0, 2.0]]
    """
    copied = [copy.deepcopy(A)]  # the caller's A is never touched

    def derivatives(nest, key):
        x = nest[key]
        if isinstance(x, dict):
            return {name: derivatives(x, name) for name in x}
        if isinstance(x, list):
            return [derivatives(x, i) for i in range(len(x))]
        nest[key] = x + h
        up = function(copied[0])
        nest[key] = x - h
        down = function(copied[0])
        nest[key] = x
        return (up - down) / (2 * h)

    return derivatives(copied, 0)
