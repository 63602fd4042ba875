"""Lesson 03b: solution, inputs and known mistakes of its task. Reading on gives the answer away."""

import math

from .exercise import Exercise


def my_mean_loss(probabilities, targets):
    losses = [-math.log(row[target]) for row, target in zip(probabilities, targets)]
    return sum(losses) / len(losses)


LOSSES, MEAN = (
    "[-math.log(row[target]) for row, target in zip(probabilities, targets)]",
    "sum(losses) / len(losses)",
)
MEAN_LOSS_MISTAKES = {
    "the losses are added; return their mean": (MEAN, "sum(losses)"),
    "the minus sign is missing": ("-math.log", "math.log"),
    "the logarithm has base 2; `math.log` has the base e": ("-math.log(", "-math.log2("),
    "the mean of the probabilities is taken first; take the mean of the losses": (
        (LOSSES, "[row[target] for row, target in zip(probabilities, targets)]"),
        (MEAN, "-math.log(sum(losses) / len(losses))"),
    ),
    "the mean of the probabilities is returned; the logarithm is missing": (
        "-math.log(row[target])",
        "row[target]",
    ),
    "the largest probability of each row is used; use that of the target": ("row[target]", "max(row)"),
    "each target is compared with the row after its own": ("zip(probabilities", "zip(probabilities[1:]"),
    "the sum is divided by the number of rows; only the rows with a target have a loss": (
        ("/ len(losses)", "/ len(probabilities)"),
    ),
    "e to the power of the loss is returned: that is the perplexity": (MEAN, f"math.exp({MEAN})"),
    "the losses are returned; return their mean": (MEAN, "losses"),
    "only the last loss is returned": (MEAN, "losses[-1]"),
    "only the first loss is returned": (MEAN, "losses[0]"),
    "1 - p is used; the loss is -ln(p)": ("-math.log(row[target])", "1 - row[target]"),
}


EXERCISES = {
    "03.d": Exercise(
        my_mean_loss,
        [
            [[[0.5, 0.5], [0.25, 0.75], [0.1, 0.9]], [0, 0]],
            [[[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], [1, 2]],
            [[[0.05, 0.95]], [1]],
            [
                [[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.3, 0.2], [0.5, 0.1, 0.2, 0.2]],
                [3, 0, 2],
            ],
        ],
        MEAN_LOSS_MISTAKES,
    )
}
