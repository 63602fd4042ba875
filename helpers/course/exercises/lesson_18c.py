"""Lesson 18c: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import statistics

from .exercise import Exercise, draw_inputs


def my_standard_errors(before, after):
    differences = [b - a for a, b in zip(before, after, strict=True)]
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return statistics.mean(differences) / error


DIFFERENCE, DEVIATION, OF_SEEDS = "b - a for", "statistics.stdev(differences)", "math.sqrt(len(differences))"
ERROR, MEAN, QUOTIENT = f"{DEVIATION} / {OF_SEEDS}", "statistics.mean(differences)", "(differences) / error"
STANDARD_ERROR_MISTAKES = {
    "the two lists are taken as independent; entry i of both has the same seed, so take its difference": (
        (ERROR, "math.sqrt((statistics.variance(before) + statistics.variance(after)) / len(before))"),
    ),
    "the standard errors of the two lists are added; take that of the differences of the seeds": (
        (ERROR, f"(statistics.stdev(before) + statistics.stdev(after)) / {OF_SEEDS}"),
    ),
    "one standard error is subtracted from the other; take that of the differences of the seeds": (
        (ERROR, f"(statistics.stdev(after) - statistics.stdev(before)) / {OF_SEEDS}"),
    ),
    "the root is taken of the whole quotient, and not of the number of seeds alone": (
        (ERROR, f"math.sqrt({DEVIATION} / len(differences))"),
    ),
    "the standard deviation of `before` alone is used, and not that of the differences": (
        (DEVIATION, "statistics.stdev(before)"),
    ),
    "the standard deviation of `after` alone is used, and not that of the differences": (
        (DEVIATION, "statistics.stdev(after)"),
    ),
    "the standard deviation is that of both lists as one; take that of the differences": (
        (DEVIATION, "statistics.stdev(before + after)"),
    ),
    "the standard deviation divides by n, and not by n − 1, as `statistics.stdev` does": (
        DEVIATION,
        "statistics.pstdev(differences)",
    ),
    "the variance takes the place of the standard deviation": (DEVIATION, "statistics.variance(differences)"),
    "the standard deviation is not divided by the root of the number of seeds": (f" / {OF_SEEDS}", ""),
    "the standard deviation is divided by the number of seeds, and not by its root": (
        (OF_SEEDS, "len(differences)"),
    ),
    "the number of seeds is fixed at 3": (OF_SEEDS, "math.sqrt(3)"),
    "the root is taken of n − 1, and not of n": (OF_SEEDS, "math.sqrt(len(differences) - 1)"),
    "the number of seeds is taken twice, for both lists": (OF_SEEDS, "math.sqrt(2 * len(differences))"),
    "the standard deviation is multiplied by the root of the number of seeds": (
        f"/ {OF_SEEDS}",
        f"* {OF_SEEDS}",
    ),
    "the difference is `before` minus `after`": (DIFFERENCE, "a - b for"),
    "the sign is lost": (f"return {MEAN}", f"return abs({MEAN})"),
    "the absolute values of the differences are taken": (DIFFERENCE, "abs(b - a) for"),
    "the differences are squared": (DIFFERENCE, "(b - a) ** 2 for"),
    "the sum of the differences takes the place of their mean": (MEAN, "sum(differences)"),
    "the median of the differences takes the place of their mean": (MEAN, "statistics.median(differences)"),
    "the mean difference is not divided by its standard error": (QUOTIENT, "(differences)"),
    "the mean difference is multiplied by its standard error": (QUOTIENT, "(differences) * error"),
    "the standard error is returned": (f"{MEAN} / error", "error"),
    "the standard error is divided by the mean difference": (f"{MEAN} / error", f"error / {MEAN}"),
    "True or False is returned; return the number of standard errors": (
        f"{MEAN} / error",
        f"abs({MEAN} / error) > 3",
    ),
    "a number is returned for each seed": (f"{MEAN} / error", "[d / error for d in differences]"),
}


EXERCISES = {
    "18.f": Exercise(
        my_standard_errors,
        [
            [[2.4, 2.6, 2.5], [2.5, 2.8, 2.8]],
            [[2.0, 3.0, 1.0, 4.0, 2.0], [1.75, 3.0, 0.5, 3.75, 2.25]],
            draw_inputs(204, (5,), (5,)),
            [[2.47, 2.45, 2.53, 2.49, 2.41, 2.6], [2.48, 2.45, 2.55, 2.48, 2.44, 2.62]],
            draw_inputs(205, (10,), (10,)),
        ],
        STANDARD_ERROR_MISTAKES,
    )
}
