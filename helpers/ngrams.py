"""What counting alone knows about the next token: the models that a trained one has to beat.

A document is a list of tokens that begins with the one for "here it begins" and ends with the one for
"here it ends".
"""

import math


def count_ngrams(documents: "lists of ids", n: "int > 0") -> "dict":
    """How often each token follows each n − 1 tokens: {context: {token: how often}}.

    n is 1 for letters without a context, 2 for bigrams, 3 for trigrams. At the beginning of a document a
    context is shorter.
    Source: Shannon 1948, section 3; Jurafsky and Martin, Speech and Language Processing, chapter 3.

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
    """How surprised counts are by each token of a document, in nats: −log of its smoothed share.

    counts is what count_ngrams gave for the same n, V the number of tokens in the vocabulary, and amount is
    added to every count, so that what was never seen is unlikely and not impossible. The result has one
    number fewer than the document: nobody guesses its first token. Without any counts every token is as
    likely: ln V.
    Source: Laplace 1774; Jurafsky and Martin, Speech and Language Processing, section 3.6.

    >>> counts = {(0,): {5: 2}}
    >>> [round(math.exp(-x), 9) for x in ngram_losses([0, 5, 1], counts, 2, V=4, alpha=0.5)]
    [0.625, 0.25]
    """
    losses = []
    for i in range(1, len(document)):
        row = counts.get(tuple(document[max(0, i + 1 - n) : i]), {})
        share = (row.get(document[i], 0) + alpha) / (sum(row.values()) + alpha * V)
        losses.append(-math.log(share))
    return losses
