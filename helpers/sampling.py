"""Decoding: from the logits of a model to the next token.

Ties are broken in favour of the smaller token id.
"""

from .attention import softmax


def argsort_descending(probabilities: "n >= 0 finite") -> "n < n":
    """The token ids, sorted by decreasing probability.

    >>> argsort_descending([0.25, 0.5, 0.25])
    [1, 0, 2]
    """
    return sorted(range(len(probabilities)), key=lambda i: -probabilities[i])


def renormalize(probabilities: "n >= 0 finite", kept: "m < n") -> "n":
    """Set the probabilities of all other tokens to 0 and rescale those that are kept to sum to 1.

    kept holds token ids; together they must have a positive probability.

    >>> renormalize([0.5, 0.25, 0.25], [1, 2])
    [0.0, 0.5, 0.5]
    """
    kept = set(kept)
    total = sum((p for i, p in enumerate(probabilities) if i in kept), 0.0)
    assert total > 0, "the tokens that are kept have probability 0; keep at least one with more"
    return [p / total if i in kept else 0.0 for i, p in enumerate(probabilities)]


def greedy(probabilities: "n >= 0 finite") -> "n":
    """Greedy decoding: probability 1 for the most probable token.

    >>> greedy([0.2, 0.4, 0.4])
    [0.0, 1.0, 0.0]
    """
    return renormalize(probabilities, argsort_descending(probabilities)[:1])


def softmax_with_temperature(logits: "n finite", temperature: "float > 0 finite") -> "n":
    """softmax(logits / temperature): sharper for a temperature below 1, flatter above 1.

    The limit for temperature 0 is greedy.
    Source: Ackley, Hinton and Sejnowski 1985.

    >>> softmax_with_temperature([0, 0], 0.5), softmax_with_temperature([1000, 0], 0.1)
    ([0.5, 0.5], [1.0, 0.0])
    """
    largest = max(logits)  # subtracted before the division, which could overflow
    return softmax([(s - largest) / temperature for s in logits])


def top_k(probabilities: "n >= 0 finite", k: "int > 0") -> "n":
    """Top-k sampling: keep the k most probable tokens and renormalize.

    Source: Fan, Lewis and Dauphin 2018.

    >>> top_k([0.5, 0.125, 0.25, 0.125], 2) == [2 / 3, 0, 1 / 3, 0]
    True
    """
    V = len(probabilities)
    assert 1 <= k <= V, f"k is {k}; give a whole number from 1 to {V}, the number of tokens"
    return renormalize(probabilities, argsort_descending(probabilities)[:k])


def top_p(probabilities: "n >= 0 finite", p: "float > 0 finite") -> "n":
    """Nucleus sampling: keep the fewest most probable tokens whose probabilities sum to p or more.

    The kept probabilities are renormalized. 0 < p ≤ 1.
    Source: Holtzman, Buys, Du, Forbes and Choi 2020.

    >>> top_p([0.5, 0.25, 0.125, 0.125], 0.75) == [2 / 3, 1 / 3, 0, 0]
    True
    """
    assert 0 < p <= 1, f"p is {p}; give a number above 0 and up to 1"
    kept, cumulative = [], 0.0
    for i in argsort_descending(probabilities):
        if cumulative < p:
            kept.append(i)
            cumulative += probabilities[i]
    return renormalize(probabilities, kept)


def min_p(probabilities: "n >= 0 finite", p: "float >= 0 finite") -> "n":
    """Min-p sampling: keep the tokens that are at least p times as probable as the most probable one.

    The kept probabilities are renormalized. 0 ≤ p ≤ 1.
    Source: Nguyen et al. 2024.

    >>> min_p([0.5, 0.25, 0.125, 0.125], 0.5) == [2 / 3, 1 / 3, 0, 0]
    True
    """
    assert 0 <= p <= 1, f"p is {p}; give a number from 0 to 1"
    threshold = p * max(probabilities)
    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= threshold])


def sample(probabilities: "n >= 0 finite", rng: "Random") -> "int >= 0":
    """Draw one token id from a categorical distribution.

    The probabilities must sum to 1. rng is a random.Random, so that the same seed draws the same tokens.

    >>> import random
    >>> [sample([0, 1, 0], random.Random(seed)) for seed in range(3)]
    [1, 1, 1]
    """
    assert abs(sum(probabilities, 0.0) - 1) < 1e-9, "the probabilities must add up to 1"
    u, cumulative = rng.random(), 0.0
    for i, p in enumerate(probabilities):
        cumulative += p
        if u < cumulative:
            return i
    return argsort_descending(probabilities)[0]  # rounding left the sum below u


def residual_distribution(p: "n >= 0 finite", q: "n >= 0 finite") -> "n":
    """The positive part of p − q, rescaled to sum to 1: what is drawn after a rejected draft.

    p and q are distributions, and they must differ.
    Source: Leviathan, Kalman and Matias 2023, section 2.3.

    >>> residual_distribution([0.5, 0.25, 0.25], [0.25, 0.5, 0.25])
    [1.0, 0.0, 0.0]
    """
    missing = [max(a - b, 0.0) for a, b in zip(p, q, strict=True)]
    total = sum(missing, 0.0)
    assert total > 0, "p and q are equal; a token that q drafts is never rejected then"
    return [m / total for m in missing]


def speculative_step(
    draft: "list of int >= 0", p: "list of V >= 0 finite", q: "list of V >= 0 finite", rng: "Random"
) -> "list":
    """One step of speculative decoding: the drafted tokens up to the first rejection, and one token more.

    draft was drawn from the rows of q, [m][V]. p [m + 1][V] holds the model's distributions at the same
    places, and after the whole draft. The tokens have the probabilities that p gives them.
    Source: Leviathan, Kalman and Matias 2023, algorithm 1; Chen et al. 2023, algorithm 2.

    >>> import random
    >>> speculative_step([1], [[0, 1, 0], [0, 0, 1]], [[0.5, 0.5, 0]], random.Random(1))  # accepted
    [1, 2]
    >>> speculative_step([0], [[0, 1, 0], [0, 0, 1]], [[0.5, 0.5, 0]], random.Random(1))  # rejected
    [1]
    """
    assert len(p) == len(draft) + 1 == len(q) + 1, (
        f"draft has {len(draft)} tokens, p {len(p)} rows and q {len(q)}; "
        "give q a row for each token, and p one more"
    )
    assert len({len(row) for row in [*p, *q]}) == 1, "the rows of p and q must be equally long"
    tokens = []
    for token, p_row, q_row in zip(draft, p, q):
        if rng.random() * q_row[token] >= p_row[token]:  # accepted with probability min(1, p / q)
            return [*tokens, sample(residual_distribution(p_row, q_row), rng)]
        tokens.append(token)
    return [*tokens, sample(p[-1], rng)]
