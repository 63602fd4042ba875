"""Lesson 15: two samplers, one of which has a bug. Reading on gives the answer away."""

import math
from itertools import accumulate

from ...sampling import sample

sampler_a = sample


def sampler_b(probabilities, rng):
    """The token whose interval contains a random number, with a bug: it is rounded down to two decimals."""
    u = math.floor(100 * rng.random()) / 100
    return next(i for i, end in enumerate(accumulate(probabilities)) if u < end)
