"""Lesson 22: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import statistics

from ...preferences import advantages, dpo_loss, dpo_margin, masked_loss, policy_gradient_loss
from .exercise import Exercise


def my_policy_loss(losses, advantages):
    return policy_gradient_loss(losses, advantages)


def _policy(of_text=math.fsum, of_advantage=lambda a: a, below="texts"):
    """my_policy_loss with something done otherwise."""

    def policy(losses, advantages):
        terms = [of_advantage(a) * of_text(some) for some, a in zip(losses, advantages)]
        tokens = sum(map(len, losses))
        return math.fsum(terms) / {"texts": len(terms), "tokens": tokens, "one": 1}[below]

    return policy


def _weighted_mean(losses, advantages):
    return math.fsum(a * math.fsum(some) for some, a in zip(losses, advantages)) / (
        math.fsum(advantages) or 1
    )


def _centred(losses, given):
    return policy_gradient_loss(losses, advantages(given))


def _last_tokens(losses, advantages):
    return math.fsum(a * some[-1] for some, a in zip(losses, advantages)) / len(losses)


def my_dpo_loss(new_liked, old_liked, new_disliked, old_disliked, beta):
    return dpo_loss(dpo_margin(new_liked, old_liked, new_disliked, old_disliked, beta))


def _dpo(margin):
    """DPO's loss of another margin of the five arguments."""
    return lambda *numbers: dpo_loss(margin(*numbers))


def _after(change):
    """Something else than -log sigmoid of DPO's margin."""
    return lambda *numbers: change(dpo_margin(*numbers))


def _sigmoid(x):
    return 1 / (1 + math.exp(-x))


def my_masked_loss(losses, mask):
    return masked_loss(losses, mask)


def _masked(keep=lambda m: m, shift=0, below="kept"):
    """my_masked_loss with something done otherwise."""

    def masked(losses, mask):
        mask = [*mask[shift:], *mask[:shift]]
        kept = [loss for loss, m in zip(losses, mask) if keep(m)]
        return math.fsum(kept) / {"kept": max(len(kept), 1), "all": len(losses), "one": 1}[below]

    return masked


EXERCISES = {
    "22.a": Exercise(
        my_policy_loss,
        [
            [[[1.5, 2.0], [6.0]], [1.0, -0.5]],
            [[[2.0], [1.0, 1.0], [0.5, 0.25, 0.25]], [1.0, 0.0, -1.0]],
            [[[0.7, 3.1, 2.2], [1.4, 0.6], [2.5, 2.5, 0.1, 0.9]], [0.75, -0.25, -0.5]],
            [[[3.0, 5.0]], [2.0]],
        ],
        mistakes={
            "the sign is wrong: a positive advantage must lower the loss of its text": _policy(
                of_advantage=lambda a: -a
            ),
            "the mean of a text's losses is taken, and not their sum": _policy(statistics.fmean),
            "the sum over the texts is not divided by their number": _policy(below="one"),
            "the sum is divided by the number of tokens, and not by the number of texts": _policy(
                below="tokens"
            ),
            "the advantages are not used": _policy(of_advantage=lambda a: 1.0),
            "the absolute value of the advantages is used": _policy(of_advantage=abs),
            "negative advantages are left out": _policy(of_advantage=lambda a: max(a, 0.0)),
            "the sum is divided by the sum of the advantages": lambda losses, advantages: _weighted_mean(
                losses, advantages
            ),
            "only the loss of each text's last token is used": _last_tokens,
            "only the loss of each text's first token is used": _policy(lambda some: some[0]),
            "the loss of each text's last token is left out": _policy(lambda some: math.fsum(some[:-1])),
            "the mean is subtracted from the advantages; they are given as they are to be used": _centred,
            "the advantages are squared": _policy(of_advantage=lambda a: a * a),
            "the largest loss of each text is used, and not the sum": _policy(max),
            "the losses are turned into probabilities: sum them as they are": _policy(
                lambda some: math.exp(-math.fsum(some))
            ),
        },
    ),
    "22.b": Exercise(
        my_dpo_loss,
        [
            [-5.0, -6.0, -9.0, -7.0, 0.4],
            [-4.0, -4.0, -8.0, -8.0, 0.3],
            [-6.5, -6.0, -3.0, -4.0, 1.0],
            [-2.25, -4.5, -7.0, -6.5, 0.1],
            [-10.0, -8.0, -12.0, -9.0, 2.0],
        ],
        mistakes={
            "the margin has the wrong sign: it is the liked text's gain minus the disliked one's, and a gain "
            "is new minus old": _dpo(lambda a, b, c, d, beta: dpo_margin(c, d, a, b, beta)),
            "the first model is left out: a gain is new minus old": _dpo(
                lambda a, b, c, d, beta: beta * (a - c)
            ),
            "old_liked and old_disliked are exchanged": _dpo(
                lambda a, b, c, d, beta: beta * ((a - c) - (d - b))
            ),
            "beta is left out": _dpo(lambda a, b, c, d, beta: (a - b) - (c - d)),
            "the margin is divided by beta, and not multiplied": _dpo(
                lambda a, b, c, d, beta: ((a - b) - (c - d)) / beta
            ),
            "only the liked text's gain is multiplied by beta": _dpo(
                lambda a, b, c, d, beta: beta * (a - b) - (c - d)
            ),
            "the gains are added; the disliked text's gain must be subtracted": _dpo(
                lambda a, b, c, d, beta: beta * ((a - b) + (c - d))
            ),
            "the disliked text is left out": _dpo(lambda a, b, c, d, beta: beta * (a - b)),
            "the liked text is left out": _dpo(lambda a, b, c, d, beta: -beta * (c - d)),
            "the margin is returned: the loss is -log sigmoid of it": _after(lambda m: m),
            "minus the margin is returned: the loss is -log sigmoid of the margin": _after(lambda m: -m),
            "the sigmoid is returned: the loss is -log of it": _after(_sigmoid),
            "the sign is wrong: the loss is -log sigmoid, and is positive": _after(
                lambda m: math.log(_sigmoid(m))
            ),
            "1 - sigmoid is returned, and not -log sigmoid": _after(lambda m: 1 - _sigmoid(m)),
            "the logarithm has base 2: math.log is the natural one": _after(
                lambda m: dpo_loss(m) / math.log(2)
            ),
            "the result is a hinge, max(0, 1 - margin), and not -log sigmoid": _after(
                lambda m: max(0.0, 1 - m)
            ),
        },
    ),
    "22.c": Exercise(
        my_masked_loss,
        [
            [[3.0, 1.0, 4.0, 2.5, 5.5], [0, 1, 0, 1, 1]],
            [[2.0, 2.5, 0.5, 4.0], [0, 0, 0, 1]],
            [[0.25, 2.5, 3.0, 1.75, 0.5], [0, 1, 0, 1, 1]],
            [[1.5, 0.5], [1, 1]],
        ],
        mistakes={
            "the sum is divided by the number of all tokens, and not of those whose mask is 1": _masked(
                below="all"
            ),
            "the sum is not divided: take the mean": _masked(below="one"),
            "the mask is read the other way: 1 means that the token counts": _masked(lambda m: not m),
            "the mask is not used": _masked(lambda m: True),
            "the mask is moved by one token: losses[i] and mask[i] belong together": _masked(shift=1),
            "the mask is moved by one token the other way: losses[i] and mask[i] belong together": _masked(
                shift=-1
            ),
            "every token from the first 1 of the mask on counts": lambda losses, mask: statistics.fmean(
                losses[list(mask).index(1) :]
            ),
            "only the last token counts": lambda losses, mask: losses[-1],
            "only the first token whose mask is 1 counts": lambda losses, mask: losses[list(mask).index(1)],
            "all losses are summed; only those whose mask is 1 count": lambda losses, mask: (
                math.fsum(losses) / sum(mask)
            ),
            "the last token is left out": lambda losses, mask: (
                math.fsum(loss * m for loss, m in zip(losses[:-1], mask)) / sum(mask)
            ),
            "the first number of the mask is left out: losses[i] and mask[i] belong together": (
                lambda losses, mask: math.fsum(loss * m for loss, m in zip(losses, mask[1:])) / sum(mask)
            ),
            "the losses are returned as a list: take their mean": lambda losses, mask: [
                loss for loss, m in zip(losses, mask) if m
            ],
            "the masked losses are returned as a list: take the mean of those that count": (
                lambda losses, mask: [loss * m for loss, m in zip(losses, mask)]
            ),
            "the median is taken, and not the mean": lambda losses, mask: statistics.median(
                loss for loss, m in zip(losses, mask) if m
            ),
        },
    ),
}
