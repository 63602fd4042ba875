"""Lesson 14c: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs


def my_learning_rate(step, steps, lr, warmup_steps):
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr / 2 * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - warmup_steps)))


WARM_UP = "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
GONE = "(step - warmup_steps) / (steps - warmup_steps)"
DECAYED = f"lr / 2 * (1 + math.cos(math.pi * {GONE}))"
LEARNING_RATE_MISTAKES = {
    "the warm-up begins at 0, so that the first step changes nothing": ("step + 1", "step"),
    "the cosine is one step ahead, and so the last rate is 0": ("warmup_steps) / (", "warmup_steps + 1) / ("),
    "the last learning rate is 0, as with one step fewer": ("(steps - warmup", "(steps - 1 - warmup"),
    "the warm-up is one step too long, so that the learning rate exceeds lr": ("step < w", "step <= w"),
    "the factor 1/2 is missing: 1 + cos is 2 at the maximum": ("lr / 2", "lr"),
    "π is left out": ("math.pi * ", ""),
    "π is taken as 180: math.cos takes radians": ("math.pi", "180"),
    "the cosine goes through a quarter of its period": (DECAYED, f"lr * math.cos(math.pi / 2 * {GONE})"),
    "1 − cos rises where 1 + cos falls": ("1 + math.cos", "1 - math.cos"),
    "the cosine is spread over all steps, also those of the warm-up": ("(steps - warmup_steps)", "steps"),
    "there is no warm-up": (WARM_UP, ""),
    "there is no cosine": (DECAYED, "lr"),
    "the cosine is computed from step 0, and not from the end of the warm-up": (GONE, "step / steps"),
    "1 + is left out: without it the rate becomes negative": (
        DECAYED,
        f"lr / 2 * math.cos(math.pi * {GONE})",
    ),
    "the cosine goes through a whole period: it takes π, and not 2π": ("math.pi", "2 * math.pi"),
    "the smaller one of warm-up and cosine is taken, and the cosine also falls before its start": (
        (WARM_UP, ""),
        (f"return {DECAYED}", f"return min(lr * (step + 1) / max(1, warmup_steps), {DECAYED})"),
    ),
    "the warm-up divides by warmup_steps + 1, and so it reaches lr one step later": (
        "(step + 1) / warmup_steps",
        "(step + 1) / (warmup_steps + 1)",
    ),
    "lr is left out of both formulas": (
        ("lr * (step + 1)", "(step + 1)"),
        (f"return {DECAYED}", f"return (1 + math.cos(math.pi * {GONE})) / 2"),
    ),
    "lr is left out of the warm-up": ("lr * (step + 1)", "(step + 1)"),
    "lr is left out of the cosine": ((f"return {DECAYED}", f"return (1 + math.cos(math.pi * {GONE})) / 2"),),
    "the learning rate falls in a straight line": (DECAYED, "lr * (steps - step) / (steps - warmup_steps)"),
}


def my_clip(gradients, max_norm):
    norm = math.sqrt(sum(g * g for vector in gradients for g in vector))
    factor = max_norm / norm if norm > max_norm else 1.0
    return [[factor * g for g in vector] for vector in gradients]


def clip_each_vector(gradients, max_norm):
    return [my_clip([vector], max_norm)[0] for vector in gradients]


NORM = "math.sqrt(sum(g * g for vector in gradients for g in vector))"
CLIP_MISTAKES = {
    "the norms of the vectors are added: the global norm is the root of the sum of all squares": (
        (NORM, "sum(math.sqrt(sum(g * g for g in vector)) for vector in gradients)"),
    ),
    "each vector is clipped by its own norm, which changes the direction": clip_each_vector,
    "each number is clipped, which changes the direction": ("factor * g", "max(-max_norm, min(max_norm, g))"),
    "gradients whose norm is below the maximum are scaled up": ("if norm > max_norm", "if norm > 0"),
    "the square root is missing, so the norm is a sum of squares": ("math.sqrt", ""),
    "the norm is the largest absolute value": (NORM, "max(abs(g) for vector in gradients for g in vector)"),
    "the norm is the sum of absolute values": (NORM, "sum(abs(g) for vector in gradients for g in vector)"),
    "the norm is compared with 1, and not with max_norm": ("norm > max_norm", "norm > 1"),
    "the factor is norm / max_norm, and not max_norm / norm": ("max_norm / norm if", "norm / max_norm if"),
    "the gradients are divided by the norm, and not multiplied by max_norm / norm": ("max_norm / ", "1 / "),
    "the gradients are set to 0 where their norm is too large": ("max_norm / norm if", "0.0 if"),
    "the norm is a root mean square: its squares are added, and not averaged": (
        (NORM, f"{NORM} / math.sqrt(sum(map(len, gradients)))"),
    ),
    "a small number is added to the norm, as PyTorch does; leave it out": ("/ norm if", "/ (norm + 1e-6) if"),
    "the norm is 0 and is divided by: gradients that are all 0 stay as they are": (
        ("max_norm / norm if norm > max_norm else 1.0", "min(1.0, max_norm / norm)"),
    ),
}


def my_dropout(row, rate, u):
    return [0.0 if chance < rate else x / (1 - rate) for x, chance in zip(row, u)]


DROPPED = "0.0 if chance < rate else "
DROPOUT_MISTAKES = {
    "the kept numbers are not divided by 1 - rate": (" / (1 - rate)", ""),
    "the kept numbers are multiplied by 1 - rate": ("x / (1 - rate)", "x * (1 - rate)"),
    "the kept numbers are divided by the rate": ("(1 - rate)", "rate"),
    "the numbers to drop are kept, and the others dropped": ("chance < rate", "chance >= rate"),
    "the numbers above the rate are dropped; drop those below it": ("chance < rate", "chance > rate"),
    "a number is dropped also where u equals the rate": ("chance < rate", "chance <= rate"),
    "the dropped numbers are left out; set them to 0": (
        (DROPPED, ""),
        ("zip(row, u)", "zip(row, u) if chance >= rate"),
    ),
    "nothing is dropped": (DROPPED, ""),
    "the kept numbers are divided by the share kept in this row: divide by 1 - rate, for every row": (
        "(1 - rate)",
        "(sum(chance >= rate for chance in u) / len(u))",
    ),
    "rate is taken as the probability of keeping a number": (
        ("chance < rate", "chance < 1 - rate"),
        ("x / (1 - rate)", "x / rate"),
    ),
    "the mask is returned, not the row": ("x / (1", "1 / (1"),
    "the dropped numbers are only made smaller": ("0.0 if", "rate * x if"),
    "the numbers are compared with the rate; compare u": ("chance < rate", "x < rate"),
    "rate is taken as the probability of keeping, in the comparison only": (
        "chance < rate",
        "chance < 1 - rate",
    ),
    "the kept numbers are multiplied by 1 + rate": ("x / (1 - rate)", "x * (1 + rate)"),
    "the kept numbers are divided by the root of 1 - rate": ("(1 - rate)", "math.sqrt(1 - rate)"),
    "the kept numbers are divided by 1 - u: divide by 1 - rate": ("(1 - rate)", "(1 - chance)"),
    "the row is multiplied by u": (f"{DROPPED}x / (1 - rate)", "x * chance"),
}


def my_line(xs, ys):
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    below = sum((x - mean_x) ** 2 for x in xs)
    return [mean_y - above / below * mean_x, above / below]


ABOVE, BELOW = "(x - mean_x) * (y - mean_y)", "(x - mean_x) ** 2 for x in xs"
LINE_MISTAKES = {
    "the slope comes before the intercept": (
        (
            "[mean_y - above / below * mean_x, above / below]",
            "[above / below, mean_y - above / below * mean_x]",
        ),
    ),
    "the line goes through the first and the last point": (
        ("above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))", "above = ys[-1] - ys[0]"),
        ("below = sum((x - mean_x) ** 2 for x in xs)", "below = xs[-1] - xs[0]"),
        ("mean_y - above / below * mean_x", "ys[0] - above / below * xs[0]"),
    ),
    "the slope is that of the first and the last point": (
        ("above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))", "above = ys[-1] - ys[0]"),
        ("below = sum((x - mean_x) ** 2 for x in xs)", "below = xs[-1] - xs[0]"),
    ),
    "the means are not subtracted, so that the line goes through 0": (
        ("= sum(xs) / len(xs), sum(ys) / len(ys)", "= 0.0, 0.0"),
    ),
    "the intercept is the mean of y, which is the height of the line at the mean of x": (
        ("mean_y - above / below * mean_x", "mean_y"),
    ),
    "the intercept is the first y": ("mean_y - above / below * mean_x", "ys[0]"),
    "the means are not subtracted in the slope": ((ABOVE, "x * y"), (BELOW, "x**2 for x in xs")),
    "the slope is the quotient of the spreads of y and x, which does not see whether y falls": (
        (
            "sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))",
            "math.sqrt(sum((y - mean_y) ** 2 for y in ys))",
        ),
        ("sum((x - mean_x) ** 2 for x in xs)", "math.sqrt(sum((x - mean_x) ** 2 for x in xs))"),
    ),
    "the mean is not subtracted in the sum below": (BELOW, "x**2 for x in xs"),
    "the quotient is upside down": (
        "[mean_y - above / below * mean_x, above / below]",
        "[mean_y - below / above * mean_x, below / above]",
    ),
    "the sum below is that of the squares of y": (BELOW, "(y - mean_y) ** 2 for y in ys"),
    "x and y are exchanged": (("xs, ys):", "ys, xs):"),),
    "the sign of the slope is wrong": (ABOVE, "(mean_x - x) * (y - mean_y)"),
    "the slope is added in the intercept, and not subtracted": ("mean_y - above", "mean_y + above"),
    "the sum below is not squared, and its absolute values are added": (BELOW, "abs(x - mean_x) for x in xs"),
    "the mean of the slopes from each point to the next is taken": (
        (
            "above = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))",
            "above = sum((d - b) / (c - a) for a, b, c, d in zip(xs, ys, xs[1:], ys[1:]))",
        ),
        ("below = sum((x - mean_x) ** 2 for x in xs)", "below = len(xs) - 1"),
    ),
}


EXERCISES = {
    "14.h": Exercise(
        my_dropout,
        [
            [[3.0, 6.0, 9.0], 0.25, [0.9, 0.1, 0.6]],
            [[3.0, 5.0, 7.0, 9.0], 0.5, [0.9, 0.1, 0.6, 0.3]],
            [[3.0, 6.0], 0.25, [0.25, 0.2]],
            [[1.0, 2.0, 3.0], 0.0, [0.0, 0.5, 0.9]],
            [*draw_inputs(141, (6,)), 0.2, [0.1, 0.9, 0.5, 0.05, 0.3, 0.7]],
            [*draw_inputs(142, (5,)), 0.75, [0.8, 0.9, 0.1, 0.76, 0.2]],
        ],
        DROPOUT_MISTAKES,
    ),
    "14.f": Exercise(
        my_learning_rate,
        [
            [3, 6, 1.0, 2],
            [0, 20, 0.5, 5],
            [3, 6, 0.5, 2],
            [0, 6, 1.0, 2],
            [1, 6, 1.0, 2],
            [2, 6, 1.0, 2],
            [5, 6, 1.0, 2],
            [0, 10, 0.5, 0],
            [60, 100, 0.01, 10],
        ],
        LEARNING_RATE_MISTAKES,
    ),
    "14.g": Exercise(
        my_clip,
        [
            [[[4.0], [3.0]], 2.5],
            [[[0.5], [0.25]], 2.5],
            [[[3.0, 0.0], [0.0, 4.0, 0.0]], 1.0],
            [[[0.3], [-0.4]], 0.25],
            [[[1.2], [1.6]], 2.5],
            [[[0.0], [0.0]], 1.0],
            [draw_inputs(1, (3,), (2,)), 0.5],
        ],
        CLIP_MISTAKES,
    ),
    "14.i": Exercise(
        my_line,
        [
            [[0.0, 1.0, 2.0, 5.0], [2.0, 1.0, 6.0, 11.0]],
            [[0.0, 1.0, 2.0], [1.0, 3.0, 8.0]],
            [[1.0, 2.0, 4.0, 7.0], [5.0, 4.5, 4.0, 1.0]],
            [[-1.0, 0.5, 2.0], [-4.0, 0.25, 1.0]],
            draw_inputs(143, (5,), (5,)),
        ],
        LINE_MISTAKES,
    ),
}
