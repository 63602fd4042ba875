"""Lesson 15, hidden side. Reading on gives answers away."""

import math

from .exercise import Exercise
from .lesson_03 import my_softmax


def _ranked(probabilities):
    return sorted(range(len(probabilities)), key=lambda i: -probabilities[i])


def _kept(probabilities, kept):
    total = sum(probabilities[i] for i in kept)
    assert total > 0, "nothing is kept"
    return [p / total if i in kept else 0.0 for i, p in enumerate(probabilities)]


def my_temperature(logits, temperature):
    return my_softmax([logit / temperature for logit in logits])


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


_UNDIVIDED = "what is left is not divided by its sum, so it does not add up to 1"

EXERCISES = {
    "15.a": Exercise(
        my_temperature,
        [
            [[1.0, 1.0], 0.5],
            [[2.0, 1.0, 0.0], 0.5],
            [[0.5, -1.0, 2.0, 0.0], 2.0],
            [[3.0, 1.0], 1.0],
            [[4.0, 5.0, -3.0], 0.001],
        ],
        slips={
            "the logits are multiplied by the temperature, and not divided": lambda s, t: my_softmax(
                [x * t for x in s]
            ),
            "the temperature divides the probabilities, behind softmax": lambda s, t: [
                p / t for p in my_softmax(s)
            ],
            "the temperature is left out": lambda s, t: my_softmax(s),
            "exp is taken of the logits without subtracting the largest, and overflows": lambda s, t: [
                math.exp(x / t) / sum(math.exp(y / t) for y in s) for x in s
            ],
            "the logits are divided by the root of the temperature": lambda s, t: my_temperature(
                s, math.sqrt(t)
            ),
            "softmax is missing": lambda s, t: [x / t for x in s],
        },
    ),
    "15.b": Exercise(
        my_top_k,
        [
            [[0.5, 0.25, 0.125, 0.125], 2],
            [[0.125, 0.5, 0.125, 0.25], 2],
            [[0.2, 0.3, 0.5], 1],
            [[0.2, 0.3, 0.5], 3],
            [[0.25, 0.25, 0.25, 0.25], 2],
        ],
        slips={
            "the first k tokens are kept, and not the likeliest": lambda q, k: _kept(q, list(range(k))),
            _UNDIVIDED: lambda q, k: [x if i in _ranked(q)[:k] else 0.0 for i, x in enumerate(q)],
            "the k least likely are kept": lambda q, k: _kept(q, _ranked(q)[::-1][:k]),
            "one too many is kept": lambda q, k: _kept(q, _ranked(q)[: k + 1]),
            "what comes back is in the order of rank, and not of the tokens": lambda q, k: sorted(
                my_top_k(q, k), reverse=True
            ),
            "all that are as likely as the last one are kept, which can be more than k": lambda q, k: _min_p(
                q, sorted(q)[-k]
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
        slips={
            "it stops before the token that reaches p, and that one is to be kept": lambda q, p: (
                _stops_before(q, lambda held: held >= p)
            ),
            (
                "it stops before the token that reaches p, unless it is the first: it is to be kept in any "
                "case"
            ): lambda q, p: _stops_before(q, lambda held: held >= p, left=1),
            "the token that goes beyond p is left out": lambda q, p: _stops_before(q, lambda held: held > p),
            "the token that goes beyond p is left out, unless it is the first": lambda q, p: _stops_before(
                q, lambda held: held > p, left=1
            ),
            "one more is taken although p is reached": lambda q, p: _top_p(q, lambda held, x: held <= p),
            "the tokens are taken in their own order, and not the likeliest first": lambda q, p: _top_p(
                q, lambda held, x: held < p, order=lambda q: range(len(q))
            ),
            "the least likely are taken first": lambda q, p: _top_p(
                q, lambda held, x: held < p, order=lambda q: _ranked(q)[::-1]
            ),
            _UNDIVIDED: lambda q, p: _top_p(q, lambda held, x: held < p, divided=False),
            "p is taken for the least probability of a token": lambda q, p: _min_p(q, min(p, max(q))),
            "p is taken for a share of the largest, as in min-p": lambda q, p: _min_p(q, p * max(q)),
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
        slips={
            (
                "p is compared with the probabilities themselves, and not with a share of the largest"
            ): lambda q, p: _min_p(q, p),
            "p is taken as it is, and not as a share of the largest": lambda q, p: _min_p(q, min(p, max(q))),
            (
                "> stands where >= belongs: not even the likeliest is more than 1 times as likely as itself"
            ): lambda q, p: _kept(q, [i for i, x in enumerate(q) if x > p * max(q)]),
            "a token that is exactly p times as likely as the likeliest is left out": lambda q, p: _kept(
                q, [i for i, x in enumerate(q) if x > p * max(q) or x == max(q)]
            ),
            _UNDIVIDED: lambda q, p: [x if x >= p * max(q) else 0.0 for x in q],
            "the likely are forbidden, and the unlikely kept": lambda q, p: _kept(
                q, [i for i, x in enumerate(q) if x < p * max(q) or x == min(q)]
            ),
            "p is taken for the share to be held together, as in top-p": lambda q, p: _top_p(
                q, lambda held, x: held < p or not held
            ),
        },
    ),
}
