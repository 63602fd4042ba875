"""Losses: how surprised a model is by the tokens that really come next."""

import math

from .matrices import shape


def token_losses(logits, targets):
    """How surprised each position is by its target, in nats: −log of the target's softmax probability.

    Shapes: logits [T][V], targets [T], result [T]. ValueError when there is not one target per row, for a
    target that is no column of logits, and for logits of nan or inf. Computed as log Σ exp(logit) − logit of
    the target, with the largest logit subtracted first, so that nothing overflows and no log of 0 is taken.
    Source: Shannon 1948, section 6; Goodfellow, Bengio and Courville 2016, section 6.2.2.3.

    >>> token_losses([[0, 0], [1000, 0]], [1, 0]) == [math.log(2), 0]
    True
    """
    (T, V), (n,) = shape(logits, "logits", 2), shape(targets, "targets", 1)
    if n != T:
        raise ValueError(f"token_losses: logits is [{T}][{V}] and targets is [{n}]; give one target for each row")
    losses = []
    for t, (row, target) in enumerate(zip(logits, targets, strict=True)):
        if not isinstance(target, int) or not 0 <= target < V:
            raise ValueError(
                f"targets[{t}] is {target!r}; logits is [{T}][{V}], so it is a whole number from 0 to {V - 1}"
            )
        if not all(map(math.isfinite, row)):
            raise ValueError(f"token_losses: logits[{t}] holds nan or inf; every logit is a finite number")
        largest = max(row)
        losses.append(math.log(sum((math.exp(x - largest) for x in row), 0.0)) - (row[target] - largest))
    return losses


def cross_entropy(logits, targets):
    """The mean of the token losses: one number for the whole sentence.

    Shapes: logits [T][V], targets [T]. Errors as in token_losses.
    Source: Goodfellow, Bengio and Courville 2016, section 3.13.

    >>> cross_entropy([[0, 0], [1000, 0]], [1, 0]) == math.log(2) / 2
    True
    """
    losses = token_losses(logits, targets)
    return sum(losses, 0.0) / len(losses)


def perplexity(loss):
    """Among how many equally likely tokens a model with this loss, in nats, might as well be guessing.

    Takes and gives one number. It is inf where the result is too large for a float. TypeError for anything else.
    Source: Jelinek, Mercer, Bahl and Baker 1977.

    >>> perplexity(0), round(perplexity(math.log(6)), 9)
    (1.0, 6.0)
    """
    try:
        return math.exp(loss)
    except OverflowError:
        return math.inf
    except TypeError:
        raise TypeError(f"perplexity: loss is {loss!r:.60}, not a number; take the mean of the losses first") from None
