"""Losses: how surprised a model is by the tokens that really come next."""

import math


def token_losses(logits: "T V finite", targets: "T < V") -> "T":
    """How surprised each position is by its target, in nats: −log of the target's softmax probability.

    Computed as log Σ exp(logit) − logit of the target, with the largest logit subtracted first, so that
    nothing overflows and no log of 0 is taken.
    Source: Shannon 1948, section 6; Goodfellow, Bengio and Courville 2016, section 6.2.2.3.

    >>> token_losses([[0, 0], [1000, 0]], [1, 0]) == [math.log(2), 0]
    True
    """
    assert min(targets) >= 0, "a target counts the tokens from 0"
    losses = []
    for row, target in zip(logits, targets, strict=True):
        largest = max(row)
        total = sum((math.exp(x - largest) for x in row), 0.0)
        losses.append(math.log(total) - (row[target] - largest))
    return losses


def cross_entropy(logits: "T V finite", targets: "T < V") -> "float":
    """The mean of the token losses: one number for the whole sentence.

    Source: Goodfellow, Bengio and Courville 2016, section 3.13.

    >>> cross_entropy([[0, 0], [1000, 0]], [1, 0]) == math.log(2) / 2
    True
    """
    losses = token_losses(logits, targets)
    return sum(losses, 0.0) / len(losses)


def perplexity(loss: "float") -> "float":
    """Among how many equally likely tokens a model with this loss, in nats, might as well be guessing.

    It is inf where the result is too large for a float.
    Source: Jelinek, Mercer, Bahl and Baker 1977.

    >>> perplexity(0), round(perplexity(math.log(6)), 9)
    (1.0, 6.0)
    """
    return math.inf if loss > 709.78 else math.exp(loss)
