"""The cross-entropy loss of next-token prediction, for each token and as a mean."""

import math


def token_losses(logits: "T V finite", targets: "T < V") -> "T":
    """The negative log-likelihood of each target, in nats: −log of its softmax probability.

    Computed as log Σ exp(logit) − logit of the target, with the largest logit subtracted first, so that exp
    does not overflow and log never gets 0.
    Source: Goodfellow, Bengio and Courville 2016, section 6.2.2.3.

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
    """The cross-entropy loss: the mean of the token losses, in nats.

    Source: Goodfellow, Bengio and Courville 2016, section 3.13.

    >>> cross_entropy([[0, 0], [1000, 0]], [1, 0]) == math.log(2) / 2
    True
    """
    losses = token_losses(logits, targets)
    return sum(losses, 0.0) / len(losses)


def perplexity(loss: "float") -> "float":
    """exp(loss), for a loss in nats: a uniform guess among this many tokens has the same loss.

    It is inf for a loss above 709.78, where exp leaves the range of floats.
    Source: Jelinek, Mercer, Bahl and Baker 1977.

    >>> perplexity(0), round(perplexity(math.log(6)), 9)
    (1.0, 6.0)
    """
    return math.inf if loss > 709.78 else math.exp(loss)
