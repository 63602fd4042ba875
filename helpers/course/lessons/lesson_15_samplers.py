"""Lesson 15: two samplers, one of which has a bug. Reading on gives the answer away."""

import math
from itertools import accumulate


def sampler_a(probabilities, rng):
    """The token whose interval contains a random number."""
    return token_at(probabilities, rng.random())


def sampler_b(probabilities, rng):
    """The same, with the bug of the lesson: the random number is rounded down to two decimals."""
    return token_at(probabilities, math.floor(100 * rng.random()) / 100)


def token_at(probabilities, u):
    ends = accumulate(probabilities)
    return next((i for i, end in enumerate(ends) if u < end), len(probabilities) - 1)
