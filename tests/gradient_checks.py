"""Gradients measured by finite differences, for the tests of backward passes.

Nothing here is taken from helpers.finite_differences: a slip there must not hide one in a backward pass.
"""

import copy
import functools
import math
from operator import getitem

from tables import numbers_in


def derivatives(loss, nest, h):
    """How fast loss(nest) rises with each number in a nest of dicts and lists.

    Four nudges of each: the error shrinks with the fourth power of h, and is none at all for a polynomial of
    degree 4 or less whose values are exact.
    """
    box = [copy.deepcopy(nest)]

    def at(place, key):
        entry = place[key]
        if isinstance(entry, dict):
            return {name: at(entry, name) for name in entry}
        if isinstance(entry, list):
            return [at(entry, i) for i in range(len(entry))]

        def nudged(by):
            place[key] = entry + by
            return loss(box[0])

        derivative = (8 * (nudged(h) - nudged(-h)) - (nudged(2 * h) - nudged(-2 * h))) / (12 * h)
        place[key] = entry
        return derivative

    return at(box, 0)


def derivative_at(loss, parameters, name, *place, h=1e-5):
    """How fast loss(parameters) rises with one number of one tensor: the difference of two nudges."""
    ends = []
    for nudge in (h, -h):
        moved = {**parameters, name: copy.deepcopy(parameters[name])}
        functools.reduce(getitem, place[:-1], moved[name])[place[-1]] += nudge
        ends.append(loss(moved))
    return (ends[0] - ends[1]) / (2 * h)


def weighted(result, weights):
    """The sum of a result's numbers, each times its own weight, so that nothing cancels.

    A masked score, -inf, is a constant and does not count.
    """
    pairs = zip(numbers_in(weights), numbers_in(result), strict=True)
    return sum(w * y for w, y in pairs if y != -math.inf)


def weights_for(rng, result):
    """A random weight for each number of a result: 1/8, -9/8 and the like; 0 for a masked score alone."""
    if isinstance(result, list):
        return [weights_for(rng, entry) for entry in result]
    return 0.0 if result == -math.inf else rng.choice((-1, 1)) * rng.randint(1, 16) / 8
