"""Lesson 19b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import round_bf16
from .exercise import Exercise, from_source


def my_round_digits(x, digits):
    if x == 0:
        return 0.0
    step = 2.0 ** (math.frexp(x)[1] - digits)
    return step * round(x / step)


ZERO = "    if x == 0:\n        return 0.0\n"
DIGITS_MISTAKES = {
    "one digit too many is kept: frexp gives a fraction below 1": ("- digits", "- digits - 1"),
    "one digit too few is kept": ("- digits", "- digits + 1"),
    "eight digits are kept, whatever `digits` is": ("- digits", "- 8"),
    "the power of two from frexp is left out of the result": ("step * round", "2.0**-digits * round"),
    "the logarithm of a negative number is taken: take that of abs(x)": (
        ("math.frexp(x)[1]", "math.floor(math.log2(x)) + 1"),
    ),
    "numbers are rounded up, and not to the nearest one": ("round(x", "math.ceil(x"),
    "the digits after the point are counted, and not the significant ones": (
        ("math.frexp(x)[1] - digits", "-digits"),
    ),
    "decimal digits are kept, and not binary ones": (
        ("2.0 ** (math.frexp(x)[1] - digits)", "10.0 ** (math.floor(math.log10(abs(x))) + 1 - digits)"),
    ),
    "`round(x, digits)` counts decimal places; the digits are binary": (
        "step * round(x / step)",
        "round(x, digits)",
    ),
    "the fraction of frexp is rounded to decimal places; the digits are binary": (
        ("step * round(x / step)", "round(math.frexp(x)[0], digits) * 2.0 ** math.frexp(x)[1]"),
    ),
    "the exponent has the other sign": ("(math.frexp(x)[1]", "(-math.frexp(x)[1]"),
    "a negative number becomes 0": ("x == 0", "x <= 0"),
    "digits are cut off, and not rounded": ("round(x", "int(x"),
    "numbers are rounded down, and not to the nearest one": ("round(x", "math.floor(x"),
    "the step is not multiplied back": ("step * round", "round"),
    "nothing is rounded": ("step * round(x / step)", "x"),
    "0 is not treated by itself: it has no first digit": ((ZERO, "    math.log2(abs(x))\n"),),
    "the sign is lost": ("step * round(x / step)", "step * round(abs(x) / step)"),
}


def my_bf16_step(weights, gradients_of, lr):
    gradients = gradients_of([round_bf16(w) for w in weights])
    return [w - lr * d for w, d in zip(weights, gradients, strict=True)]


def thousand_steps(weights, gradients_of, lr):
    for _ in range(1000):
        weights = my_bf16_step(weights, gradients_of, lr)
    return weights


ROUNDED, UPDATE = "[round_bf16(w) for w in weights]", "w - lr * d for w"
BF16_STEP_MISTAKES = {
    "the gradients are computed at the weights with more bits, and not at weights in bf16": (
        ROUNDED,
        "weights",
    ),
    "the gradients are computed at the weights with more bits, and then rounded": (
        (ROUNDED, "weights"),
        (UPDATE, "w - lr * round_bf16(d) for w"),
    ),
    "the update is subtracted from the rounded weights": (UPDATE, "round_bf16(w) - lr * d for w"),
    "the weights are stored in bf16, so small updates are lost": (
        (UPDATE, "round_bf16(round_bf16(w) - lr * d) for w"),
    ),
    "the weights are rounded to fp16, and not to bf16": (ROUNDED, "[round_fp16(w) for w in weights]"),
    "the new weights are rounded, so that small updates are lost": (UPDATE, "round_bf16(w - lr * d) for w"),
    "the update is added, and not subtracted": (UPDATE, "w + lr * d for w"),
    "the learning rate is left out": (UPDATE, "w - d for w"),
    "the gradients are returned": (UPDATE, "d for w"),
    "the updates are returned, and not the new weights": (UPDATE, "-lr * d for w"),
    "the weights are returned without an update": (UPDATE, "w for w"),
    "the gradients are rounded, which the function was not asked to do": (
        UPDATE,
        "w - lr * round_bf16(d) for w",
    ),
    "the gradients are computed for one weight at a time; each can depend on all weights": (
        (
            "gradients_of([round_bf16(w) for w in weights])",
            "[gradients_of([round_bf16(w)])[0] for w in weights]",
        ),
    ),
    "the gradients are computed at the weights with more bits, and the update changes the rounded ones": (
        (ROUNDED, "weights"),
        (UPDATE, "round_bf16(w) - lr * d for w"),
    ),
    "a thousand steps are made, and not one": thousand_steps,
    "the learning rate is rounded to bf16": (UPDATE, "w - round_bf16(lr) * d for w"),
    "the update is rounded to bf16": (UPDATE, "w - round_bf16(lr * d) for w"),
}


def my_unscale(scaled, loss_scale, good, patience):
    if not all(map(math.isfinite, scaled)):
        return None, loss_scale / 2, 0
    gradients = [d / loss_scale for d in scaled]
    if good + 1 == patience:
        return gradients, 2 * loss_scale, 0
    return gradients, loss_scale, good + 1


BAD = "not all(map(math.isfinite, scaled))"
SKIP = f"    if {BAD}:\n        return None, loss_scale / 2, 0\n"
DOUBLE = "    if good + 1 == patience:\n        return gradients, 2 * loss_scale, 0\n"
UNSCALE_MISTAKES = {
    "nan counts as a good gradient; `in` and == do not find it, because nan is not equal to nan": (
        (BAD, "any(map(math.isinf, scaled))"),
    ),
    "only the first gradient is tested": (BAD, "not math.isfinite(scaled[0])"),
    "inf counts as a good gradient": (BAD, "any(map(math.isnan, scaled))"),
    "only inf is looked for, so −inf and nan count as good": (BAD, "math.inf in scaled"),
    "nan is only found if it comes first: max of [1.0, nan] is 1.0": (
        (BAD, "not math.isfinite(max(map(abs, scaled)))"),
    ),
    "the sum is tested, and not each gradient: two finite ones can add up to inf": (
        (BAD, "not math.isfinite(sum(scaled))"),
    ),
    "the loss scale is divided by // and ends at 0": ("loss_scale / 2", "loss_scale // 2"),
    "−inf counts as a good gradient": (BAD, "math.inf in scaled or any(map(math.isnan, scaled))"),
    "what is not finite is left out, and the step is made with the others": (
        (SKIP, "    scaled = [d for d in scaled if math.isfinite(d)]\n"),
    ),
    "the loss scale is doubled after every good step": (DOUBLE, "    loss_scale = 2 * loss_scale\n"),
    "the divided gradients take the place of None when a step is skipped": (
        ("None", "[d / loss_scale for d in scaled]"),
    ),
    "no step is ever skipped": (SKIP, ""),
    "what is not finite becomes 0": ("None", "[d / loss_scale if math.isfinite(d) else 0.0 for d in scaled]"),
    "the scaled gradients take the place of None when a step is skipped": ("None", "scaled"),
    "a step with a bad gradient returns the other gradients; it must return None": (
        ("None", "[d / loss_scale for d in scaled if math.isfinite(d)]"),
    ),
    "a list of None takes the place of None when a step is skipped": ("None", "[None] * len(scaled)"),
    "zeros take the place of None when a step is skipped": ("None", "[0.0] * len(scaled)"),
    "an empty list takes the place of None when a step is skipped": ("None", "[]"),
    "the number of good steps is not returned": ((" / 2, 0", " / 2"), (", 0", ""), (", good + 1", "")),
    "the loss scale stays as it is when a step is skipped": (" / 2", ""),
    "the loss scale is doubled at inf": ("/ 2", "* 2"),
    "the count of good steps goes on after a skipped step": ("/ 2, 0", "/ 2, good"),
    "a skipped step is counted as a good one": ("/ 2, 0", "/ 2, good + 1"),
    "the count begins at 1 after a skipped step": ("/ 2, 0", "/ 2, 1"),
    "the gradients are divided by the next loss scale": (
        ("d / loss_scale", "d / (2 * loss_scale if good + 1 == patience else loss_scale)"),
    ),
    "the gradients are multiplied by the loss scale": ("d / loss_scale", "d * loss_scale"),
    "the gradients are not divided": ("d / loss_scale", "d"),
    "the loss scale is doubled one step too early": ("== patience", ">= patience - 1"),
    "the loss scale is divided by 4 when a step is skipped, and not by 2": ("/ 2", "/ 4"),
    "the loss scale is squared, and not doubled": ("2 * loss_scale", "loss_scale**2"),
    "the count begins at 1 after the loss scale was doubled": ("2 * loss_scale, 0", "2 * loss_scale, 1"),
    "a skipped step returns two things, and not three": ("/ 2, 0", "/ 2"),
    "the loss scale is not doubled at the `patience`-th good step in a row": (DOUBLE, ""),
    "the count does not go back to 0 after doubling": ("2 * loss_scale, 0", "2 * loss_scale, good + 1"),
    "a good step is not counted": ("loss_scale, good + 1", "loss_scale, good"),
    "halving and doubling are exchanged": (("/ 2", "* 2"), ("2 * loss_scale", "loss_scale / 2")),
    "the factor is 10, and not 2": (("/ 2", "/ 10"), ("2 * loss_scale", "10 * loss_scale")),
}


NAN = float("nan")  # another object than math.nan, as a computed one is: `math.nan in [NAN]` is False

EXERCISES = {
    "19.e": Exercise(
        my_round_digits,
        [
            [0.1, 8],
            [1.003, 8],
            [0.0, 8],
            [-5.4, 4],
            [3.3, 1],
            [1e-8, 11],
            [-70000.0, 8],
            [0.75, 3],
            [2.718281828, 3],
        ],
        DIGITS_MISTAKES,
    ),
    "19.f": Exercise(
        my_bf16_step,
        [
            [[1.003, 0.1], from_source("lambda p: [2 * w for w in p]"), 0.001],
            [[1.0], from_source("lambda p: [-0.5 for w in p]"), 0.001],
            [[0.3337, -2.01, 5.004], from_source("lambda p: [w * p[0] for w in p]"), 0.01],
            [[10.03], from_source("lambda p: [w * w for w in p]"), 0.0003],
        ],
        BF16_STEP_MISTAKES,
    ),
    "19.g": Exercise(
        my_unscale,
        [
            [[8.0, -2.0], 4.0, 0, 20],
            [[8.0, math.inf], 4.0, 7, 20],
            [[8.0], 4.0, 19, 20],
            [[1.0, -3.0, 0.5], 2.0, 4, 5],
            [[NAN, 1.0], 8.0, 4, 5],
            [[1.0, -math.inf], 1024.0, 0, 3],
            [[0.0, 0.25], 0.5, 1, 3],
            [[6.0], 1.0, 0, 1],
            [[1.0, NAN], 16.0, 2, 9],
            [[math.inf, 2.0], 1.0, 2, 9],
            [[1e308, 1e308], 2.0, 2, 9],
        ],
        UNSCALE_MISTAKES,
        parts=("gradients", "next loss scale", "good steps"),
    ),
}
