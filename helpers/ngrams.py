"""N-gram models with additive smoothing: the baselines that a trained network has to beat.

A document is a list of tokens, from its begin-of-sequence token to its end-of-sequence token.
"""

import math


def count_ngrams(documents: "list of list of int >= 0", n: "int > 0") -> "dict":
    """Count how often each token follows each context of n − 1 tokens: {context: {token: count}}.

    n is 1 for unigrams, 2 for bigrams, 3 for trigrams. At the beginning of a document the context is shorter.
    Source: Jurafsky and Martin, Speech and Language Processing, draft of 2024, section 3.1.

    >>> count_ngrams([[0, 5, 5, 1], [0, 5, 1]], 2)
    {(0,): {5: 2}, (5,): {5: 1, 1: 2}}
    """
    counts = {}
    for document in documents:
        for i in range(1, len(document)):
            context = tuple(document[max(0, i + 1 - n) : i])
            row = counts.setdefault(context, {})
            row[document[i]] = row.get(document[i], 0) + 1
    return counts


def ngram_losses(document: "T", counts: "tree", n: "int > 0", V: "int > 0", alpha: "float > 0 finite") -> "m":
    """The negative log-likelihood of each token but the first, in nats, with additive smoothing.

    counts is the result of count_ngrams for the same n, and V is the size of the vocabulary. alpha is added
    to every count (Laplace smoothing for alpha = 1), so that a token that never followed a context has a
    small probability instead of 0.
    Source: Jurafsky and Martin, Speech and Language Processing, draft of 2024, section 3.6.

    >>> counts = {(0,): {5: 2}}
    >>> [round(math.exp(-x), 9) for x in ngram_losses([0, 5, 1], counts, 2, V=4, alpha=0.5)]
    [0.625, 0.25]
    """
    losses = []
    for i in range(1, len(document)):
        row = counts.get(tuple(document[max(0, i + 1 - n) : i]), {})
        probability = (row.get(document[i], 0) + alpha) / (sum(row.values()) + alpha * V)
        losses.append(-math.log(probability))
    return losses
