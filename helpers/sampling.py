"""Sampling: from a model's logits to the next token."""

from .attention import softmax


def argsort_descending(probabilities: "n >= 0 finite") -> "n < n":
    """The tokens' ids, the likeliest first; of equally likely ones, the one with the smaller id.

    >>> argsort_descending([0.25, 0.5, 0.25])
    [1, 0, 2]
    """
    return sorted(range(len(probabilities)), key=lambda i: -probabilities[i])


def renormalize(probabilities: "n >= 0 finite", kept: "m < n") -> "n":
    """Forbid all tokens but these, and share out what is left so that it adds up to 1 again.

    ValueError when those that are kept have no probability at all.

    >>> renormalize([0.5, 0.25, 0.25], [1, 2])
    [0.0, 0.5, 0.5]
    """
    kept = set(kept)
    total = sum((p for i, p in enumerate(probabilities) if i in kept), 0.0)
    assert total > 0, "the tokens that are kept have probability 0; keep one that can come"
    return [p / total if i in kept else 0.0 for i, p in enumerate(probabilities)]


def greedy(probabilities: "n >= 0 finite") -> "n":
    """All for the likeliest token; of equally likely ones, for the one with the smallest id.

    >>> greedy([0.2, 0.4, 0.4])
    [0.0, 1.0, 0.0]
    """
    return renormalize(probabilities, argsort_descending(probabilities)[:1])


def softmax_with_temperature(logits: "n finite", temperature: "float > 0 finite") -> "n":
    """The softmax of the logits, divided by a temperature first: below 1 the likely gets likelier, above
    1 less so.

    For a temperature of 0, the likeliest alone, there is greedy.
    Source: Ackley, Hinton and Sejnowski 1985.

    >>> softmax_with_temperature([0, 0], 0.5), softmax_with_temperature([1000, 0], 0.1)
    ([0.5, 0.5], [1.0, 0.0])
    """
    largest = max(logits)  # subtracted before the division, which could overflow
    return softmax([(s - largest) / temperature for s in logits])


def top_k(probabilities: "n >= 0 finite", k: "int > 0") -> "n":
    """Only the k likeliest tokens may come.

    Of equally likely tokens the ones with smaller ids are kept.
    Source: Fan, Lewis and Dauphin 2018.

    >>> top_k([0.5, 0.125, 0.25, 0.125], 2) == [2 / 3, 0, 1 / 3, 0]
    True
    """
    V = len(probabilities)
    assert 1 <= k <= V, f"k is {k}; give a whole number from 1 to {V}, the number of tokens"
    return renormalize(probabilities, argsort_descending(probabilities)[:k])


def top_p(probabilities: "n >= 0 finite", p: "float > 0 finite") -> "n":
    """Only the likeliest tokens may come: as many as it takes to hold a share p of the probability together.

    0 < p ≤ 1.
    Source: Holtzman, Buys, Du, Forbes and Choi 2020.

    >>> top_p([0.5, 0.25, 0.125, 0.125], 0.75) == [2 / 3, 1 / 3, 0, 0]
    True
    """
    assert 0 < p <= 1, f"p is {p}; give a number above 0 and up to 1"
    kept, held = [], 0.0
    for i in argsort_descending(probabilities):
        if held < p:
            kept.append(i)
            held += probabilities[i]
    return renormalize(probabilities, kept)


def min_p(probabilities: "n >= 0 finite", p: "float >= 0 finite") -> "n":
    """Only tokens may come that are at least p times as likely as the likeliest.

    0 ≤ p ≤ 1.
    Source: Nguyen et al. 2024.

    >>> min_p([0.5, 0.25, 0.125, 0.125], 0.5) == [2 / 3, 1 / 3, 0, 0]
    True
    """
    assert 0 <= p <= 1, f"p is {p}; give a number from 0 to 1"
    least = p * max(probabilities)
    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= least])


def sample(probabilities: "n >= 0 finite", rng: "Random") -> "int >= 0":
    """Draw one token: each comes as often as its probability says.

    ValueError when the probabilities do not add up to 1. rng is a random.Random, so that the same seed
    draws the same tokens.

    >>> import random
    >>> [sample([0, 1, 0], random.Random(seed)) for seed in range(3)]
    [1, 1, 1]
    """
    assert abs(sum(probabilities, 0.0) - 1) < 1e-9, "the probabilities must add up to 1"
    point, passed = rng.random(), 0.0
    for i, p in enumerate(probabilities):
        passed += p
        if point < passed:
            return i
    return argsort_descending(probabilities)[0]  # when rounding left the sum a hair below the point
