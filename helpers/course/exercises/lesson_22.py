"""Lesson 22: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import statistics  # for the edits

from .exercise import Exercise


def my_policy_loss(losses, advantages):
    total = 0.0
    for some, a in zip(losses, advantages):
        total += a * sum(some)
    return total / len(losses)


POLICY_MISTAKES = {
    "the sign is wrong: a positive advantage must lower the loss of its text": ("+=", "-="),
    "the mean of a text's losses is taken, and not their sum": ("sum(some)", "sum(some) / len(some)"),
    "the sum over the texts is not divided by their number": (" / len(losses)", ""),
    "the sum is divided by the number of tokens, not of texts": ("len(losses)", "sum(map(len, losses))"),
    "the advantages are not used": ("a * sum", "sum"),
    "the absolute value of the advantages is used": ("a * sum", "abs(a) * sum"),
    "negative advantages are left out": ("a * sum", "max(a, 0.0) * sum"),
    "the sum is divided by the sum of the advantages": ("len(losses)", "(sum(advantages) or 1)"),
    "only the loss of each text's last token is used": ("sum(some)", "some[-1]"),
    "only the loss of each text's first token is used": ("sum(some)", "some[0]"),
    "the loss of each text's last token is left out": ("sum(some)", "sum(some[:-1])"),
    "the mean is subtracted from the advantages": ("a * sum", "(a - statistics.fmean(advantages)) * sum"),
    "the advantages are squared": ("a * sum", "a * a * sum"),
    "the largest loss of each text is used, and not the sum": ("sum(some)", "max(some)"),
    "the losses are turned into probabilities: sum them as they are": ("sum(some)", "math.exp(-sum(some))"),
}


def my_dpo_loss(new_liked, old_liked, new_disliked, old_disliked, beta):
    margin = beta * ((new_liked - old_liked) - (new_disliked - old_disliked))
    return math.log(1 + math.exp(-margin))


GAINS, LOSS = "(new_liked - old_liked) - (new_disliked - old_disliked)", "math.log(1 + math.exp(-margin))"
DPO_MISTAKES = {
    "the margin has the wrong sign: it is the liked text's gain minus the disliked one's, and a gain "
    "is new minus old": ("exp(-margin)", "exp(margin)"),
    "the first model is left out: a gain is new minus old": (GAINS, "new_liked - new_disliked"),
    "the two old numbers are exchanged": (GAINS, "(new_liked - old_disliked) - (new_disliked - old_liked)"),
    "beta is left out": ("beta * ", ""),
    "the margin is divided by beta, and not multiplied": ("beta * ", "1 / beta * "),
    "only the liked text's gain is multiplied by beta": ("beta * ((new_liked - ", "(beta * (new_liked - "),
    "the gains are added; the disliked text's gain must be subtracted": (") - (", ") + ("),
    "the disliked text is left out": (" - (new_disliked - old_disliked)", ""),
    "the liked text is left out": ("(new_liked - old_liked) - ", "-"),
    "the margin is returned: the loss is -log sigmoid of it": (LOSS, "margin"),
    "minus the margin is returned: the loss is -log sigmoid of the margin": (LOSS, "-margin"),
    "the sigmoid is returned: the loss is -log of it": (LOSS, "1 / (1 + math.exp(-margin))"),
    "the sign is wrong: the loss is -log sigmoid, and is positive": (LOSS, f"-{LOSS}"),
    "1 - sigmoid is returned, and not -log sigmoid": (LOSS, "1 - 1 / (1 + math.exp(-margin))"),
    "the logarithm has base 2: math.log is the natural one": ("math.log", "math.log2"),
    "the result is a hinge, max(0, 1 - margin), and not -log sigmoid": (LOSS, "max(0.0, 1 - margin)"),
}


def my_masked_loss(losses, mask):
    return sum(loss * m for loss, m in zip(losses, mask)) / sum(mask)


PAIRS = "for loss, m in zip(losses, mask)"
MEAN = f"sum(loss * m {PAIRS}) / sum(mask)"
MASKED_MISTAKES = {
    "the sum is divided by the number of all tokens, not of those with mask 1": ("sum(mask)", "len(mask)"),
    "the sum is not divided: take the mean": (" / sum(mask)", ""),
    "the mask is read the other way: 1 means that the token counts": (
        ("loss * m", "loss * (1 - m)"),
        ("sum(mask)", "max(1, len(mask) - sum(mask))"),
    ),
    "the mask is not used": (MEAN, "sum(losses) / len(losses)"),
    "the mask is moved by one token; mask[i] belongs to losses[i]": ("s, mask))", "s, mask[1:] + mask[:1]))"),
    "the mask is moved by one token the other way": ("s, mask))", "s, mask[-1:] + mask[:-1]))"),
    "every token from the first 1 of the mask on counts": (MEAN, "statistics.fmean(losses[mask.index(1) :])"),
    "only the last token counts": (MEAN, "losses[-1]"),
    "only the first token whose mask is 1 counts": (MEAN, "losses[mask.index(1)]"),
    "all losses are summed; only those whose mask is 1 count": ("loss * m", "loss"),
    "the last token is left out": ("zip(losses, mask)", "zip(losses[:-1], mask)"),
    "the first number of the mask is left out: mask[i] is for losses[i]": ("s, mask))", "s, mask[1:]))"),
    "the losses are returned as a list: take their mean": (MEAN, f"[loss {PAIRS} if m]"),
    "the masked losses are returned as a list: take their mean": (MEAN, f"[loss * m {PAIRS}]"),
    "the median is taken, and not the mean": (MEAN, f"statistics.median(loss {PAIRS} if m)"),
}


EXERCISES = {
    "22.a": Exercise(
        my_policy_loss,
        [
            [[[1.5, 2.0], [6.0]], [1.0, -0.5]],
            [[[2.0], [1.0, 1.0], [0.5, 0.25, 0.25]], [1.0, 0.0, -1.0]],
            [[[0.7, 3.1, 2.2], [1.4, 0.6], [2.5, 2.5, 0.1, 0.9]], [0.75, -0.25, -0.5]],
            [[[3.0, 5.0]], [2.0]],
        ],
        POLICY_MISTAKES,
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
        DPO_MISTAKES,
    ),
    "22.c": Exercise(
        my_masked_loss,
        [
            [[3.0, 1.0, 4.0, 2.5, 5.5], [0, 1, 0, 1, 1]],
            [[2.0, 2.5, 0.5, 4.0], [0, 0, 0, 1]],
            [[0.25, 2.5, 3.0, 1.75, 0.5], [0, 1, 0, 1, 1]],
            [[1.5, 0.5], [1, 1]],
        ],
        MASKED_MISTAKES,
    ),
}
