"""Counts as a language model: interpolated n-grams, which a network has to beat, and which can write, too."""

import math

from ...ngrams import count_ngrams, ngram_losses

LENGTHS = (2, 3, 4, 5, 6)
STRENGTHS = (1, 3, 10, 30, 100)
ALPHAS = (0.03, 0.1, 0.5, 1.0)
MAX_TOKENS = 20_000  # of the validation and the test set, for the losses
MAX_COUNTED = 1_000_000  # tokens of the training set


def first_tokens(documents, most):
    """As many documents from the first on as hold about so many tokens."""
    kept, total = [], 0
    for document in documents:
        if kept and total + len(document) > most:
            break
        kept.append(document)
        total += len(document)
    return kept


def mean(numbers):
    numbers = list(numbers)
    return math.fsum(numbers) / len(numbers)


def mean_of(losses):
    """The mean of all numbers in some lists."""
    return mean(loss for some in losses for loss in some)


def interpolated_probabilities(tables, context, V, strength):
    """The probabilities of all V tokens after a context, from n-grams of one token, of two, and so on.

    >>> interpolated_probabilities([{(): {0: 2}}, {(0,): {1: 1}}], [0], 2, strength=1)
    [0.41666666666666663, 0.5833333333333334]
    """
    p = [1 / V] * V
    for n, table in enumerate(tables, 1):
        row = table.get(tuple(context[max(0, len(context) + 1 - n) :]))
        if row:
            total = sum(row.values()) + strength
            p = [strength * q / total for q in p]
            for token, count in row.items():
                p[token] += count / total
    return p


def interpolated_losses(document, tables, V, strength):
    """The losses of a document's tokens, but of the first, after the tokens before them."""
    losses = []
    for i in range(1, len(document)):
        p = 1 / V
        for n, table in enumerate(tables, 1):
            row = table.get(tuple(document[max(0, i + 1 - n) : i]))
            if row:
                p = (row.get(document[i], 0) + strength * p) / (sum(row.values()) + strength)
        losses.append(-math.log(p))
    return losses


def interpolated_loss(documents, tables, V, strength):
    """The mean loss of the tokens of some documents."""
    return mean(loss for document in documents for loss in interpolated_losses(document, tables, V, strength))


def best_strength(val_set, tables, V):
    """The strength with which interpolated n-grams predict the validation set best."""
    return min(STRENGTHS, key=lambda strength: interpolated_loss(val_set, tables, V, strength))


def losses_of_positions(documents, train_set, val_set, V, letters=1, back=None):
    """The losses of each document's tokens, from counts by position, and by position and the last tokens
    before it, of which there are `letters`, with the strength that is best on the validation set.

    back: {position: how many tokens before it the last one stands}, where that is not 1
    """
    back = back or {}

    def contexts(document, i):
        last = i - back.get(i, 1)
        firsts = range(last, max(-1, last - letters), -1)
        return [(), (i,), *((i, *document[first : last + 1]) for first in firsts)]

    counts = {}
    for document in train_set:
        for i in range(1, len(document)):
            for context in contexts(document, i):
                row = counts.setdefault(context, {})
                row[document[i]] = row.get(document[i], 0) + 1

    def losses(document, strength):
        found = []
        for i in range(1, len(document)):
            p = 1 / V
            for row in (counts.get(context, {}) for context in contexts(document, i)):
                p = (row.get(document[i], 0) + strength * p) / (sum(row.values()) + strength)
            found.append(-math.log(p))
        return found

    def loss_on_validation_set(strength):
        return mean_of(losses(document, strength) for document in val_set)

    strength = min(STRENGTHS, key=loss_on_validation_set)
    return [losses(document, strength) for document in documents]


def best_counts(train_set, val_set, V):
    """The n-grams that predict the validation set best: their length, their strength and their tables.

    They count at most MAX_COUNTED tokens.
    """
    counted = first_tokens(train_set, MAX_COUNTED)
    judged = first_tokens(val_set, MAX_TOKENS)
    tables, best = [count_ngrams(counted, 1)], None
    for n in LENGTHS:
        tables.append(count_ngrams(counted, n))
        loss, strength = min(
            (interpolated_loss(judged, tables, V, strength), strength) for strength in STRENGTHS
        )
        if best and loss > best[0] - 0.002:  # longer ones are no better
            break
        best = (loss, n, strength)
    _, n, strength = best
    return {"n": n, "strength": strength, "tables": tables[:n], "V": V}


def loss_of_counts(counts, documents):
    documents = first_tokens(documents, MAX_TOKENS)
    return interpolated_loss(documents, counts["tables"], counts["V"], counts["strength"])


def loss_of_bigrams(tables, val_set, test_set, V):
    """The loss of bigrams on the test set, with the additive smoothing that is best on the validation set."""

    def loss(documents, alpha):
        documents = first_tokens(documents, MAX_TOKENS)
        return mean(x for document in documents for x in ngram_losses(document, tables[1], 2, V, alpha))

    return loss(test_set, min(ALPHAS, key=lambda alpha: loss(val_set, alpha)))
