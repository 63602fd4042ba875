"""Lesson 08: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import softmax
from .exercise import Exercise, draw_inputs, from_source


def my_token_loss(row, target):
    largest = max(row)
    total = sum(math.exp(y - largest) for y in row)
    return math.log(total) - (row[target] - largest)


LOSS = "math.log(total) - (row[target] - largest)"
PROBABILITY = "math.exp(row[target] - largest) / total"
TOKEN_LOSS_MISTAKES = {
    "the largest logit is not subtracted first, so that exp overflows": ("max(row)", "0.0"),
    "the formula is computed as it stands: exp overflows, or the quotient becomes 0 / 0 or log 0": (
        ("max(row)", "0.0"),
        (LOSS, f"-math.log({PROBABILITY})"),
    ),
    "a fixed number, 1000, is subtracted instead of the largest logit": ("max(row)", "1000.0"),
    "the first logit is subtracted instead of the largest one": ("max(row)", "row[0]"),
    "the last logit is subtracted instead of the largest one": ("max(row)", "row[-1]"),
    "another number than the largest logit is subtracted, such as the mean of the row": (
        ("max(row)", "sum(row) / len(row)"),
    ),
    "the smallest logit is subtracted instead of the largest one": ("max", "min"),
    "the target's logit is subtracted instead of the largest one": ("max(row)", "row[target]"),
    "a number above all logits is subtracted, such as 0 or the largest absolute value": (
        ("max(row)", "max(map(abs, row))"),
    ),
    "the logit with the largest absolute value is subtracted, and it can be the smallest logit": (
        ("max(row)", "max(row, key=abs)"),
    ),
    "softmax comes first: its result for the target is rounded to 0, and 0 has no logarithm": (
        (LOSS, "-math.log(softmax(row)[target])"),
    ),
    "softmax comes first; where it gives the target 0, the distance to the largest logit is taken": (
        (LOSS, f"-math.log({PROBABILITY}) if {PROBABILITY} else largest - row[target]"),
    ),
    "exp is left out: the result is the logarithm of the sum of the logits, minus the target's logit": (
        (LOSS, "math.log(sum(row)) - row[target]"),
    ),
    "the sum is left out: log Σ eʸ is taken as the largest logit": (LOSS, "largest - row[target]"),
    "the sign is wrong": (LOSS, "(row[target] - largest) - math.log(total)"),
    "the target's logit is added instead of subtracted": ("- (row", "+ (row"),
    "the largest logit is subtracted inside the sum, but not from the target's logit": (
        (" - largest)\n", ")\n"),
    ),
    **{
        (
            f"the probability is kept from falling below {least}, so that no loss can exceed "
            f"{-math.log(least):.1f}"
        ): (LOSS, f"-math.log(max({PROBABILITY}, {least}))")
        for least in (1e-300, 1e-20, 1e-16, 1e-15, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)
    },
    "the result is the target's probability and not its negative logarithm": (LOSS, PROBABILITY),
    "the loss is in bits and not in nats (log2 for log)": (LOSS, f"({LOSS}) / math.log(2)"),
    "the logarithm has base 10": (LOSS, f"({LOSS}) / math.log(10)"),
    "log2 and the natural exp are mixed": ("log(", "log2("),
    "the result is rounded to 4 decimals": (LOSS, f"round({LOSS}, 4)"),
    "the result is 1 − p and not −log p": (LOSS, f"1 - {PROBABILITY}"),
    "the logarithm of the sum is missing": ("math.log(total)", "total"),
    "the loss is divided by the length of the row": (LOSS, f"({LOSS}) / len(row)"),
    "the target is left out of the sum": ("for y in row", "for i, y in enumerate(row) if i != target"),
    "the target's logit is not used: the result is log Σ eʸ without the largest logit": (
        (LOSS, "math.log(total)"),
    ),
    "x is taken as eˣ: exp of the target's logit is subtracted, and not the logit": (
        (LOSS, "math.log(total) - math.exp(row[target] - largest)"),
    ),
    "the largest logit is subtracted from the target's logit and also added back: one of them is enough": (
        (LOSS, "largest + math.log(total) - (row[target] - largest)"),
    ),
    "the target's token id is taken instead of its logit": ("row[target]", "target"),
    "the target's logit is not subtracted": ("- (row[target] - largest)", "+ largest"),
    "positions are counted from 1": ("[target]", "[target - 1]"),
    "the logarithm is taken of each number, and not of their sum": (
        ("math.exp(y - largest)", "math.log(math.exp(y - largest))"),
        ("math.log(total)", "total"),
    ),
}


def my_descent_step(f, x, learning_rate):
    h = 1e-5
    new = []
    for i in range(len(x)):
        up, down = list(x), list(x)
        up[i] += h
        down[i] -= h
        derivative = (f(up) - f(down)) / (2 * h)
        new.append(x[i] - learning_rate * derivative)
    return new


DIFFERENCE = "(f(up) - f(down)) / (2 * h)"
MOVED = "up, down = list(x), list(x)\n        up[i] += h\n        down[i] -= h\n"
DESCENT_MISTAKES = {
    "`up` and `down` are made before the loop, and a number that was moved stays moved": (
        (MOVED, MOVED.partition("\n")[2].lstrip()),
        ("new = []\n", "new = []\n    up, down = list(x), list(x)\n"),
    ),
    "the step goes uphill: the gradient is added": ("x[i] - ", "x[i] + "),
    "the learning rate is left out": ("learning_rate * ", ""),
    "the difference is one-sided: f(x + h) − f(x), divided by h": (DIFFERENCE, "(f(up) - f(x)) / h"),
    "the difference is one-sided: f(x) − f(x − h), divided by h": (DIFFERENCE, "(f(x) - f(down)) / h"),
    "h is 0.1, which is too large": ("1e-5", "0.1"),
    "h is 0.01, which is too large": ("1e-5", "0.01"),
    "h is 1e-12, which is too small: rounding errors change the difference": ("1e-5", "1e-12"),
    "h is 1e-10, which is too small: rounding errors change the difference": ("1e-5", "1e-10"),
    "h is 1e-11, which is too small: rounding errors change the difference": ("1e-5", "1e-11"),
    "h is 1e-15, which is too small: rounding errors change the difference": ("1e-5", "1e-15"),
    "f gets one number, such as x[i] + h, but it takes the whole list": (
        ("f(up) - f(down)", "f(up[i]) - f(down[i])"),
    ),
    "x is multiplied by the factor (1 − learning rate · derivative)": (
        ("x[i] - learning_rate * derivative", "x[i] * (1 - learning_rate * derivative)"),
    ),
    "the learning rate is used twice": ("learning_rate * ", "learning_rate**2 * "),
    "the difference f(x + h) − f(x − h) is divided by h and not by 2·h": ("(2 * h)", "h"),
    "the difference has no parentheses, so only f(x − h) is divided by 2·h": (
        ("(f(up) - f(down))", "f(up) - f(down)"),
    ),
    "a new copy of x is made in the loop, so that only the last number is moved": (
        ("        up, down", "        new = list(x)\n        up, down"),
        ("new.append(x[i] - learning_rate * derivative)", "new[i] -= learning_rate * derivative"),
    ),
    "the learning rate is 0.1 and not the one that was given": ("learning_rate * ", "0.1 * "),
    "the difference is not divided by 2·h": (" / (2 * h)", ""),
    "the derivative is nearly 0: `/ 2 * h` multiplies by h, or `up` and `down` are the same list": (
        ("(2 * h)", "2 * h"),
    ),
    "f(x + h) − f(x) is divided by 2·h (x + h was lowered by h, and not by 2·h?)": ("f(down)", "f(x)"),
    "the result is the step alone; it is not added to x": ("x[i] - ", "-"),
    "the result is the gradient and not the new x": ("x[i] - learning_rate * ", ""),
    "all numbers are moved together, which measures one derivative for all of them": (
        (MOVED, "up, down = [y + h for y in x], [y - h for y in x]\n"),
    ),
    "a number is not put back to its old value before the next one is moved": (
        ("list(x), list(x)\n", "list(moved), list(moved)\n        moved[i] -= h\n"),
        ("new = []\n", "new = []\n    moved = list(x)\n"),
    ),
    "each number is changed at once, so that the next derivative is measured at another x": (
        ("list(x), list(x)", "new + x[i:], new + x[i:]"),
    ),
    "the derivative is divided by the learning rate": (
        ("learning_rate * derivative", "derivative / learning_rate"),
    ),
    "`return` stands in the loop, so only the first number is moved": (
        "    return new",
        "        return new",
    ),
    "the step starts at x + h and not at x: the raised number was kept": ("(x[i] - ", "(up[i] - "),
    "the learning rate multiplies x and not the derivative": (
        ("x[i] - learning_rate * derivative", "learning_rate * x[i] - derivative"),
    ),
    "h is 0.001, which is too large": ("1e-5", "0.001"),
    "only the sign of each derivative is used": ("* derivative", "* math.copysign(1.0, derivative)"),
}


EXERCISES = {
    "08.a": Exercise(
        my_token_loss,
        [
            [[0.0, 1000.0], 0],
            [[1000.0, 0.0], 1],
            [[0.0, 0.0], 1],
            [[1.0, 2.0, 3.0], 0],
            [*draw_inputs(8, (4,)), 2],
            [*draw_inputs(9, (6,)), 5],
            [[1000.0, 998.0, 0.0], 1],
            [[0.0, 0.0, 0.0, 1000.0], 3],
            [[900.0, 0.0, 0.0, 0.0, 0.0], 2],
            [[-1000.0, -1001.0], 1],
            [[-1000.0, 5.0, 4.0], 1],
            [[1000.0, 1000.0, 0.0], 2],
            [[0.0, 740.0], 0],
        ],
        TOKEN_LOSS_MISTAKES,
    ),
    "08.b": Exercise(
        my_descent_step,
        [
            [from_source("lambda x: x[0] ** 2 + 10 * x[1]"), [3.0, 2.5], 0.1],
            [from_source("lambda x: x[0] ** 4 + x[0] * x[1]"), [2.0, -1.0], 0.01],
            [from_source("lambda x: x[0] ** 3"), [-2.0], 0.5],
            [from_source("lambda x: x[0] ** 5"), [2.0], 0.5],
            [from_source("lambda x: x[0] * x[1] * x[2] ** 2 - x[0] ** 4"), [1.2345, -0.5, 2.0], 0.02],
        ],
        DESCENT_MISTAKES,
        tolerance=1e-7,
    ),
}
