"""Central differences: gradients measured by nudging numbers, without any formula."""

import copy


def central_differences(function, A, h=1e-5):
    """How fast function(A) changes with each number in A: nudge it up, nudge it down, divide by twice the nudge.

    A is a number, or any nest of dicts and lists, and the result is built like it. function takes a whole A and
    gives one number. The error shrinks with h squared, until rounding takes over. TypeError for a leaf that is not a
    number and for a function that gives none (True is neither), ValueError when h is not above 0.
    Source: Press et al. 2007, Numerical Recipes, section 5.7.

    >>> round(central_differences(lambda x: x * x, 3.0), 6)
    6.0
    >>> [[round(d, 6) for d in row] for row in central_differences(lambda A: A[0][0] * A[0][1], [[2.0, 5.0]])]
    [[5.0, 2.0]]
    """
    if not isinstance(h, (int, float)) or not h > 0:
        raise ValueError(f"central_differences: h is {h!r:.60}; give a number above 0")
    box = [copy.deepcopy(A)]  # the reader's own A is never touched

    def number(x, what):
        if isinstance(x, bool) or not isinstance(x, (int, float)):
            raise TypeError(f"central_differences: {what} is {x!r:.60}, not a number")
        return x

    def slopes(nest, key, place):
        entry = nest[key]
        if isinstance(entry, dict):
            return {name: slopes(entry, name, f"{place}[{name!r}]") for name in entry}
        if isinstance(entry, list):
            return [slopes(entry, i, f"{place}[{i}]") for i in range(len(entry))]
        nest[key] = number(entry, place) + h
        up = number(function(box[0]), "what function gives")
        nest[key] = entry - h
        down = number(function(box[0]), "what function gives")
        nest[key] = entry
        return (up - down) / (2 * h)

    return slopes(box, 0, "A")
