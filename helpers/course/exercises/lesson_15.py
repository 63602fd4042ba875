"""The graded tasks of lesson 15. This file holds the answers."""

import math
from itertools import accumulate

from .exercise import Exercise
from .lesson_03 import my_softmax


def _ranked(probabilities):
    return sorted(range(len(probabilities)), key=lambda i: -probabilities[i])


def _kept(probabilities, kept):
    total = sum(probabilities[i] for i in kept)
    assert total > 0, "nothing is kept"
    return [p / total if i in kept else 0.0 for i, p in enumerate(probabilities)]


def my_sample(probabilities, u):
    return next(i for i, cumulative in enumerate(accumulate(probabilities)) if u < cumulative)


def my_temperature(logits, temperature):
    return my_softmax([logit / temperature for logit in logits])


def _powers(logits, temperature):
    powers = [p ** (1 / temperature) for p in my_softmax(logits)]
    return [power / sum(powers) for power in powers]


def my_top_k(probabilities, k):
    return _kept(probabilities, _ranked(probabilities)[:k])


def my_top_p(probabilities, p):
    return _top_p(probabilities, lambda held, q: held < p)


def _top_p(probabilities, takes, order=_ranked, divided=True):
    """top-p that takes a token while something holds of what is held by now and of the token's own
    probability."""
    kept, held = [], 0.0
    for i in order(probabilities):
        if takes(held, probabilities[i]):
            kept.append(i)
            held += probabilities[i]
    return (
        _kept(probabilities, kept)
        if divided
        else [q if i in kept else 0.0 for i, q in enumerate(probabilities)]
    )


def _stops_before(probabilities, ends, left=0):
    """top-p that stops where what is held, with the token that comes, ends it; the first `left` tokens
    are kept anyhow."""
    kept, held = [], 0.0
    for rank, i in enumerate(_ranked(probabilities)):
        held += probabilities[i]
        if not ends(held) or rank < left:
            kept.append(i)
    return _kept(probabilities, kept)


def my_min_p(probabilities, p):
    return _min_p(probabilities, p * max(probabilities))


def _min_p(probabilities, least):
    return _kept(probabilities, [i for i, q in enumerate(probabilities) if q >= least])


_UNDIVIDED = "the kept probabilities are not divided by their sum, so they do not add up to 1"

_HALVES = [0.5, 0.25, 0.25]

EXERCISES = {
    "15.a": Exercise(
        my_sample,
        [
            [_HALVES, 0.6],
            [_HALVES, 0.5],
            [_HALVES, 0.9],
            [_HALVES, 0.0],
            [[0.0, 0.5, 0.5], 0.0],
            [[0.125, 0.125, 0.5, 0.25], 0.3],
            [[0.25, 0.0, 0.75], 0.25],
            [[0.125] * 8, 0.99],
            [[0.25, 0.5, 0.25], 0.1],
        ],
        mistakes={
            "u is compared with each probability, and not with the sum of the probabilities so far": (
                lambda q, u: next((i for i, p in enumerate(q) if u < p), None)
            ),
            "an interval contains its right end, and not its left one: <= stands where < is needed": (
                lambda q, u: next(i for i, end in enumerate(accumulate(q)) if u <= end)
            ),
            "the token after the one whose interval contains u is returned": lambda q, u: my_sample(q, u) + 1,
            "the token before the one whose interval contains u is returned": lambda q, u: (
                my_sample(q, u) - 1
            ),
            "the last token whose interval ends above u is returned, and not the first": lambda q, u: max(
                i for i, end in enumerate(accumulate(q)) if u < end
            ),
            "a probability is added after the comparison, and not before it": lambda q, u: next(
                (i for i, begin in enumerate([0.0, *accumulate(q[:-1])]) if u < begin), None
            ),
            "the first token for which u is above the sum so far is returned": lambda q, u: next(
                (i for i, end in enumerate(accumulate(q)) if u > end), None
            ),
            "the most probable token is returned, whatever u is": lambda q, u: _ranked(q)[0],
            "all intervals have the same length": lambda q, u: int(u * len(q)),
            "the intervals are in the order of the probabilities, and not of the token ids": lambda q, u: (
                _ranked(q)[my_sample(sorted(q, reverse=True), u)]
            ),
            "the intervals are in the opposite order, from the last token to the first": lambda q, u: (
                len(q) - 1 - my_sample(q[::-1], u)
            ),
            "the probability of the token is returned, and not its id": lambda q, u: q[my_sample(q, u)],
            "the sum of the probabilities is returned, and not the id of the token": lambda q, u: [
                *accumulate(q)
            ][my_sample(q, u)],
            "a list with one number for each token is returned, and not one id": lambda q, u: [
                float(i == my_sample(q, u)) for i in range(len(q))
            ],
            "the token with the probability nearest to u is returned": lambda q, u: min(
                range(len(q)), key=lambda i: abs(q[i] - u)
            ),
        },
    ),
    "15.b": Exercise(
        my_temperature,
        [
            [[1.0, 1.0], 0.5],
            [[2.0, 1.0, 0.0], 0.5],
            [[0.5, -1.0, 2.0, 0.0], 2.0],
            [[3.0, 1.0], 1.0],
            [[4.0, 5.0, -3.0], 0.001],
            [[0.0] * 29, 0.001],
        ],
        mistakes={
            "the logits are multiplied by the temperature, and not divided": lambda s, t: my_softmax(
                [x * t for x in s]
            ),
            "the probabilities are divided by the temperature, and not the logits": lambda s, t: [
                p / t for p in my_softmax(s)
            ],
            "the temperature has no effect; divide the logits by it, before softmax": lambda s, t: my_softmax(
                s
            ),
            "the largest logit is not subtracted before exp, which then overflows": lambda s, t: [
                math.exp(x / t) / sum(math.exp(y / t) for y in s) for x in s
            ],
            "the logits are divided by the square root of the temperature": lambda s, t: my_temperature(
                s, math.sqrt(t)
            ),
            "softmax is missing": lambda s, t: [x / t for x in s],
            "powers of probabilities are taken: at a small temperature they all become 0": _powers,
            "softmax is applied twice": lambda s, t: my_softmax(my_temperature(s, t)),
            "the logits are divided by the square of the temperature": lambda s, t: my_temperature(s, t * t),
            "the probabilities are divided by the temperature before a second softmax": lambda s, t: (
                my_temperature(my_softmax(s), t)
            ),
        },
    ),
    "15.c": Exercise(
        my_top_p,
        [
            [[0.5, 0.25, 0.125, 0.125], 0.75],
            [[0.125, 0.5, 0.125, 0.25], 0.7],
            [[0.125, 0.0625, 0.75, 0.0625], 0.5],
            [[0.25, 0.25, 0.5], 1.0],
            [[0.1, 0.6, 0.3], 0.85],
            [[0.375, 0.3125, 0.1875, 0.125], 0.3],
        ],
        mistakes={
            "it stops before the token that reaches p, which must be kept, too": lambda q, p: _stops_before(
                q, lambda held: held >= p
            ),
            (
                "it stops before the token that reaches p, unless this is the first token: it must be kept "
                "in any case"
            ): lambda q, p: _stops_before(q, lambda held: held >= p, left=1),
            "the token with which the sum exceeds p is left out": lambda q, p: _stops_before(
                q, lambda held: held > p
            ),
            "the token with which the sum exceeds p is left out, except for the first": lambda q, p: (
                _stops_before(q, lambda held: held > p, left=1)
            ),
            "one more token is kept although the sum has reached p": lambda q, p: _top_p(
                q, lambda held, x: held <= p
            ),
            "the tokens are taken in the order of their ids, and not the most probable first": (
                lambda q, p: _top_p(q, lambda held, x: held < p, order=lambda q: range(len(q)))
            ),
            "the least probable tokens are taken first": lambda q, p: _top_p(
                q, lambda held, x: held < p, order=lambda q: _ranked(q)[::-1]
            ),
            _UNDIVIDED: lambda q, p: _top_p(q, lambda held, x: held < p, divided=False),
            "p is used as a fraction of the number of tokens, rounded down": lambda q, p: my_top_k(
                q, int(p * len(q))
            ),
            "p is used as a fraction of the number of tokens, rounded up": lambda q, p: my_top_k(
                q, math.ceil(p * len(q))
            ),
            "each probability is compared with p, and not their sum": lambda q, p: _kept(
                q, [i for i, x in enumerate(q) if x < p]
            ),
            "the probabilities are returned unchanged": lambda q, p: q,
            "only the most probable token is kept": lambda q, p: my_top_k(q, 1),
            "the kept probabilities are divided by p, and not by their sum": lambda q, p: [
                x / p for x in _top_p(q, lambda held, x: held < p, divided=False)
            ],
            "p is used as the smallest probability of a token": lambda q, p: _min_p(q, min(p, max(q))),
            "p is used as a fraction of the largest probability, as in min-p": lambda q, p: _min_p(
                q, p * max(q)
            ),
        },
    ),
    "15.d": Exercise(
        my_min_p,
        [
            [[0.5, 0.25, 0.125, 0.125], 0.5],
            [[0.1, 0.2, 0.7], 0.2],
            [[0.1, 0.2, 0.7], 0.0],
            [[0.25, 0.5, 0.25], 1.0],
            [[0.3, 0.1, 0.2, 0.4], 0.45],
        ],
        mistakes={
            ("each probability is compared with p, and not with p times the largest"): lambda q, p: _min_p(
                q, p
            ),
            "the threshold is p, and not p times the largest probability": lambda q, p: _min_p(
                q, min(p, max(q))
            ),
            ("> is used instead of >=: with p = 1 even the most probable token is excluded"): lambda q, p: (
                _kept(q, [i for i, x in enumerate(q) if x > p * max(q)])
            ),
            "a token that is exactly p times as probable as the most probable one is left out": (
                lambda q, p: _kept(q, [i for i, x in enumerate(q) if x > p * max(q) or x == max(q)])
            ),
            _UNDIVIDED: lambda q, p: [x if x >= p * max(q) else 0.0 for x in q],
            "p is multiplied by the probability of the first token, and not by the largest": lambda q, p: (
                _min_p(q, p * q[0])
            ),
            "p is multiplied by the mean of the probabilities, and not by the largest": lambda q, p: _min_p(
                q, p * sum(q) / len(q)
            ),
            "p is subtracted from the largest probability, and not multiplied by it": lambda q, p: _min_p(
                q, max(q) - p
            ),
            "1 - p is used, and not p": lambda q, p: _min_p(q, (1 - p) * max(q)),
            "all tokens are kept; the threshold is p times the largest probability": lambda q, p: q,
            "the probable tokens are excluded, and the improbable ones kept": lambda q, p: _kept(
                q, [i for i, x in enumerate(q) if x < p * max(q) or x == min(q)]
            ),
            "p is used as the sum of the kept probabilities, as in top-p": lambda q, p: _top_p(
                q, lambda held, x: held < p or not held
            ),
        },
    ),
}
