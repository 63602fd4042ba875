"""Gradients measured by nudging numbers, and near misses made from the right function, for the tests of
backward passes.

Nothing here is taken from helpers.finite_differences: a slip there must not hide one in a backward pass.
"""

import copy
import random
from functools import cache

from tables import assert_close, numbers_in


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


def weighted(result, weights):
    """One number from a whole result: each of its numbers counts by its own weight, so that nothing
    cancels."""
    return sum(w * y for w, y in zip(numbers_in(weights), numbers_in(result), strict=True))


def weights_for(rng, result):
    """A random weight for each number of a result: 1/8, -9/8 and the like, never 0."""
    if isinstance(result, list):
        return [weights_for(rng, entry) for entry in result]
    return rng.choice((-1, 1)) * rng.randint(1, 16) / 8


def has_the_gradients_of(forward, cases, places, given, seed, h=1, within=0):
    """Make a claim of a backward pass: its results are the slopes of a weighted sum of forward's results.

    cases are lists of forward's arguments, places says which of them have gradients, in the order of the
    results; given turns forward's arguments into those of the backward pass that follow d_out. With whole
    numbers or eighths and a forward that only multiplies and adds, h = 1 makes the slopes exact; then
    within may stay 0.
    """

    @cache
    def expected():
        rng = random.Random(seed)
        return [(case, *measured(case, rng)) for case in cases]

    def measured(case, rng):
        d_out = weights_for(rng, forward(*case))

        def loss(place):
            return lambda nudged: weighted(forward(*case[:place], nudged, *case[place + 1 :]), d_out)

        return d_out, [derivatives(loss(place), case[place], h) for place in places]

    def claim(backward):
        for case, d_out, gradients in expected():
            results = backward(d_out, *given(*case))
            for result, gradient in zip(results if len(places) > 1 else [results], gradients, strict=True):
                assert_close(result, gradient, within)

    return claim


def times(nest, c):
    """Every number of nested lists times c."""
    return [times(entry, c) for entry in nest] if isinstance(nest, list) else nest * c


def but(backward, place, change):
    """The same results but for one, which `change` makes from the right one and the arguments."""

    def variant(*arguments):
        results = list(backward(*arguments))
        results[place] = change(results[place], *arguments)
        return tuple(results)

    return variant
