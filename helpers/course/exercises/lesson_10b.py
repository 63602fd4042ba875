"""Lessons 10b and 10c: solutions, inputs and known mistakes. Reading on gives answers away."""

import math

from ... import layer_norm_backward, linear, linear_backward, numerical_gradient, transpose
from .. import show
from .exercise import Exercise, draw_inputs, from_source

STEPS = (
    "token_losses_backward",
    "linear_backward",
    "layer_norm_backward",
    "add_backward",
    "activation_backward",
    "split_heads",
    "matmul_backward",
    "softmax_backward",
    "attention_scores_backward",
    "embedding_backward",
)


def suspects(culprit, **reasons):
    """The mistakes of an answer that names a step: any other step, with the reason against it."""
    for name in STEPS:
        if name != culprit and name not in reasons:
            earlier = STEPS.index(name) < STEPS.index(culprit)
            reasons[name] = f"you suspect {name}; but " + (
                "gradients that are computed after it are correct"
                if earlier
                else "gradients that are computed before it are already wrong"
            )
    return {reason: (culprit, name) for name, reason in reasons.items()}


def my_culprit_2():
    return "matmul_backward"


SUSPECTS_2 = suspects(
    "matmul_backward",
    linear_backward=(
        "you suspect the three projections; but they are the same function, and W_Q and W_K are correct"
    ),
    softmax_backward=(
        "you suspect a step on the path through the scores; but W_Q and W_K depend on it, and are correct"
    ),
    attention_scores_backward="you suspect the step that gives d_Q and d_K; but W_Q and W_K are correct",
    split_heads="you suspect the step that gives d_heads; but W_Q and W_K depend on it, and are correct",
    embedding_backward="you suspect the last step; but W_V is wrong before it",
)


def my_culprit_3():
    return "add_backward"


SUSPECTS_3 = suspects(
    "add_backward",
    linear_backward=(
        "you suspect a function that also gives d_normed; but gamma, which comes next, is correct"
    ),
    activation_backward="you suspect a step before W_1 and b_1; but these are correct",
    layer_norm_backward="you suspect the step that gives d_residual; but W_2 depends on it, and is correct",
    split_heads="you suspect a step after W_O; but W_O is already wrong",
)


def my_repaired(d_out, row, gamma, eps):
    D = len(row)
    mean = sum(row) / D
    std = math.sqrt(sum((x - mean) ** 2 for x in row) / D + eps)
    z = [(x - mean) / std for x in row]
    g = [d * s for d, s in zip(d_out, gamma)]
    mean_g, mean_gz = sum(g) / D, sum(a * b for a, b in zip(g, z)) / D
    return [(a - mean_g - b * mean_gz) / std for a, b in zip(g, z)]


G, LAST = "[d * s for d, s in zip(d_out, gamma)]", "[(a - mean_g - b * mean_gz) / std for a, b in zip(g, z)]"
AT_THE_END = "[s * (a - mean_g - b * mean_gz) / std for s, a, b in zip(gamma, g, z)]"
REPAIR_MISTAKES = {
    "the bug is still there: gamma multiplies after the means": ((G, "list(d_out)"), (LAST, AT_THE_END)),
    "gamma multiplies twice, before the means and after them": (LAST, AT_THE_END),
    "gamma is removed, and not moved": (G, "list(d_out)"),
    "only the first mean is computed with gamma": (
        ("sum(a * b for a, b in zip(g, z))", "sum(a * b for a, b in zip(d_out, z))"),
    ),
    "only the second mean is computed with gamma": ("sum(g) / D", "sum(d_out) / D"),
    "gamma multiplies in the last line, and both means are still those of d_out": (
        ("sum(g) / D", "sum(d_out) / D"),
        ("sum(a * b for a, b in zip(g, z))", "sum(a * b for a, b in zip(d_out, z))"),
    ),
    "both means are computed with gamma, but the last line still has d_out in the place of g": (
        ("for a, b in zip(g, z)]", "for a, b in zip(d_out, z)]"),
    ),
    "the incoming gradient is divided by gamma, and not multiplied": (
        G,
        "[d / s for d, s in zip(d_out, gamma)]",
    ),
    "eps is left out": (" + eps", ""),
    "z is multiplied by gamma, and not the incoming gradient": (
        (G, "list(d_out)"),
        ("[(x - mean) / std for x in row]", "[s * (x - mean) / std for s, x in zip(gamma, row)]"),
    ),
}


def my_check(forward, backward, inputs, d_out):
    for i, gradient in enumerate(backward(d_out, *inputs)):

        def loss(x):
            out = forward(*inputs[:i], x, *inputs[i + 1 :])
            return sum(d * y for d, y in zip(show.leaves(d_out), show.leaves(out)))

        found, measured = show.leaves(gradient), show.leaves(numerical_gradient(loss, inputs[i]))
        allowed = 1e-5 * max(map(abs, measured)) + 1e-9
        if len(found) != len(measured) or not all(abs(a - b) <= allowed for a, b in zip(found, measured)):
            return False
    return True


ALLOWED = "1e-5 * max(map(abs, measured)) + 1e-9"
WRONG = "not all(abs(a - b) <= allowed for a, b in zip(found, measured))"
LOSS = "sum(d * y for d, y in zip(show.leaves(d_out), show.leaves(out)))"
EACH, ONE_TOO_MANY = "enumerate(backward(d_out, *inputs))", ("    return True", "        return True")
CHECK_MISTAKES = {
    "every backward pass passes": ("return False", "pass"),
    "every backward pass is refused": ("return True", "return False"),
    "True and False are exchanged": (
        ("return False", "return None"),
        ("return True", "return False"),
        ("return None", "return True"),
    ),
    "only the gradient of the first input is checked": ONE_TOO_MANY,
    "only the gradient of the last input is checked": (EACH, f"list({EACH})[-1:]"),
    "one right gradient is enough: all of them have to agree": (
        (f"len(found) != len(measured) or {WRONG}", f"len(found) == len(measured) and {WRONG[4:]}"),
        ("return False", "return None"),
        ("return True", "return False"),
        ("return None", "return True"),
    ),
    "x takes the place of the first input each time, and not that of input i": (
        ("*inputs[:i], x, *inputs[i + 1 :]", "x, *inputs[1:]"),
    ),
    "d_out is not used: all outputs count as 1": (LOSS, "sum(show.leaves(out))"),
    "only the first output counts: L is a sum over all outputs": (
        (LOSS, "show.leaves(d_out)[0] * show.leaves(out)[0]"),
    ),
    "only the first number of each gradient is checked": (
        "zip(found, measured))",
        "zip(found[:1], measured[:1]))",
    ),
    "only the last number of each gradient is checked": (
        "zip(found, measured))",
        "zip(found[-1:], measured[-1:]))",
    ),
    "only the first number of the first gradient is checked": (
        ("zip(found, measured))", "zip(found[:1], measured[:1]))"),
        ONE_TOO_MANY,
    ),
    "the gradients are compared by one number, such as their sum: errors can cancel in it": (
        WRONG,
        "abs(sum(found) - sum(measured)) > allowed",
    ),
    "absolute values are compared, so a gradient with the wrong sign passes": (
        ("abs(a - b) <= allowed", "abs(abs(a) - abs(b)) <= allowed"),
    ),
    "the difference has no absolute value, so a gradient that is too small passes": (
        "abs(a - b) <= allowed",
        "a - b <= allowed",
    ),
    "the difference has no absolute value, so a gradient that is too large passes": (
        "abs(a - b) <= allowed",
        "b - a <= allowed",
    ),
    "the tolerance is fixed and small, and refuses the rounding errors of large gradients": (ALLOWED, "1e-8"),
    "the tolerance is fixed and very small, and refuses most rounding errors": (ALLOWED, "1e-9"),
    "the tolerance is fixed, or numbers are rounded: large gradients are refused, and small ones pass": (
        (ALLOWED, "1e-5"),
    ),
    "the fixed part of the tolerance is too large, and small gradients pass whatever they are": (
        ("+ 1e-9", "+ 1e-5"),
    ),
    "the relative part of the tolerance is too large: an error of a hundredth passes": (
        ("1e-5 * max", "0.1 * max"),
    ),
    "the relative part of the tolerance is larger than 1e-5": ("1e-5 * max", "1e-3 * max"),
    "the relative part of the tolerance is smaller than 1e-5": ("1e-5 * max", "1e-6 * max"),
    "the mean of the errors is compared: all numbers have to agree": (
        WRONG,
        "not sum(abs(a - b) for a, b in zip(found, measured)) / len(found) <= allowed",
    ),
    "one tolerance is used for all gradients, from the largest number of all of them": (
        ("1e-5 * max(map(abs, measured))", "1e-5 * max(map(abs, show.leaves(backward(d_out, *inputs))))"),
    ),
    "the tolerance is relative to the largest number without its sign, which can be negative": (
        ("max(map(abs, measured))", "max(measured)"),
    ),
    "abs stands outside of max: the largest absolute value can be that of a negative number": (
        ("max(map(abs, measured))", "abs(max(measured))"),
    ),
    "the tolerance is relative to the sum of the absolute values, and not to the largest": (
        ("max(map(abs, measured))", "sum(map(abs, measured))"),
    ),
    "the tolerance is relative to the length (norm) of the gradient, and not to its largest number": (
        ("max(map(abs, measured))", "math.sqrt(sum(b * b for b in measured))"),
    ),
    "a gradient that is too long passes": ("len(found) != len", "len(found) < len"),
    "the loop goes over all inputs, but the last ones may have no gradient": (
        (EACH, "((i, backward(d_out, *inputs)[i]) for i in range(len(inputs)))"),
    ),
    "the tolerance has no fixed part such as 1e-9, and a right gradient of 0 is refused": (" + 1e-9", ""),
    "the tolerance is relative to each number, and not to the largest of the gradient": (
        ("abs(a - b) <= allowed", "abs(a - b) <= 1e-5 * abs(b) + 1e-9"),
    ),
    "the tolerance is relative to each number and has no fixed part such as 1e-9": (
        ("abs(a - b) <= allowed", "abs(a - b) <= 1e-5 * abs(b)"),
    ),
    "the tolerance is relative to the largest number found, and not to the largest measured: inf passes": (
        ("max(map(abs, measured))", "max(map(abs, found))"),
    ),
    "the two have to be equal to the last digit": (ALLOWED, "0.0"),
    "a gradient that is too short passes, because zip stops at its end": (
        "len(found) != len(measured) or ",
        "",
    ),
    "one right number is enough": ("or not all(abs", "or not any(abs"),
}
# Each of them also in a check that asks whether an error is too large: nan is not
ASKED_SO = (("not all(", "any("), (" <= ", " > "))
CHECK_MISTAKES |= {
    f"{cause}. Also, nan passes": (*([edit] if isinstance(edit[0], str) else edit), *ASKED_SO)
    for cause, edit in CHECK_MISTAKES.items()
    if not any(part in str(edit) for part in ("return False", "allowed", "not all("))
}
CHECK_MISTAKES["nan passes, because every comparison with nan is False"] = ASKED_SO


_TWO = from_source("lambda x: [2 * x[0], x[0] * x[1]]")
_SUM = from_source("lambda x: [x[0] + 2 * x[1]]")
_NEGATIVE = from_source("lambda x: [-x[0] - 2 * x[1]]")
_PRODUCT = from_source("lambda a, b: [a[0] * b[0]]")
_LINEAR = from_source("linear", linear=linear)
_MATRICES = draw_inputs(4, (3, 2), (2, 2), (3, 2))

EXERCISES = {
    "10.g": Exercise(
        my_repaired,
        [
            [[4.0, 0.0, 0.0, 0.0], [1.0, 1.0, 3.0, 3.0], [2.0, 1.0, 1.0, 1.0], 0.0],
            [[1.0, -2.0, 0.5], [1.0, 2.0, 6.0], [1.0, 2.0, 3.0], 0.5],
            [*draw_inputs(54, (4,), (4,), (4,)), 0.5],
        ],
        REPAIR_MISTAKES,
        tolerance=1e-6,
    ),
    "10.h": Exercise(
        my_check,
        [
            [
                _TWO,
                from_source("lambda d, x: [[2 * d[0] + x[1] * d[1], x[0] * d[1]]]"),
                [[3.0, 5.0]],
                [1.0, 10.0],
            ],
            [_TWO, from_source("lambda d, x: [[2 * d[0], x[0] * d[1]]]"), [[3.0, 5.0]], [1.0, 10.0]],
            [
                _TWO,
                from_source("lambda d, x: [[2 * d[0] + 9 * d[1], x[0] * d[1]]]"),
                [[3.0, 5.0]],
                [1.0, 10.0],
            ],
            [
                _TWO,
                from_source("lambda d, x: [[2 * d[0] + x[1] * d[1], 1.02 * x[0] * d[1]]]"),
                [[3.0, 0.5]],
                [1.0, 2.0],
            ],
            [_TWO, from_source("lambda d, x: [[2 + x[1], x[0]]]"), [[3.0, 5.0]], [1.0, 10.0]],
            [_TWO, from_source("lambda d, x: [[2 * d[0] + x[1] * d[1]]]"), [[3.0, 5.0]], [1.0, 10.0]],
            [_SUM, from_source("lambda d, x: [[2 * d[0], d[0]]]"), [[3.0, 5.0]], [1.0]],
            [_SUM, from_source("lambda d, x: [[d[0], 2.00003 * d[0]]]"), [[3.0, 5.0]], [1000.0]],
            [_SUM, from_source("lambda d, x: [[d[0], 2.00001 * d[0]]]"), [[3.0, 5.0]], [1000.0]],
            [_SUM, from_source("lambda d, x: [[math.nan, math.nan]]", math=math), [[3.0, 5.0]], [1.0]],
            [_SUM, from_source("lambda d, x: [[math.inf, math.inf]]", math=math), [[3.0, 5.0]], [1.0]],
            [
                from_source("lambda a, b: [1e7 * a[0] + 100 * b[0]]"),
                from_source("lambda d, a, b: [[1e7 * d[0]], [100.005 * d[0]]]"),
                [[3.0], [5.0]],
                [1.0],
            ],
            [_PRODUCT, from_source("lambda d, a, b: [[d[0] * b[0]], [d[0] * b[0]]]"), [[2.0], [5.0]], [1.0]],
            [
                from_source("lambda x: [x[0] ** 3]"),
                from_source("lambda d, x: [[3 * d[0] * x[0] ** 2]]"),
                [[70.0]],
                [9000.0],
            ],
            [from_source("lambda x: [x[0] ** 3]"), from_source("lambda d, x: [[0.0]]"), [[0.0]], [1.0]],
            [from_source("lambda x: [1e-7 * x[0]]"), from_source("lambda d, x: [[0.0]]"), [[2.0]], [1.0]],
            [from_source("lambda x: [7.0]"), from_source("lambda d, x: [[0.0]]"), [[2.0]], [1.0]],
            [_NEGATIVE, from_source("lambda d, x: [[-d[0], -2 * d[0]]]"), [[3.0, 5.0]], [1.0]],
            [_NEGATIVE, from_source("lambda d, x: [[d[0], 2 * d[0]]]"), [[3.0, 5.0]], [1.0]],
            [
                from_source("lambda x: [x[1] - 1000 * x[0]]"),
                from_source("lambda d, x: [[-1000 * d[0], 1.005 * d[0]]]"),
                [[3.0, 5.0]],
                [1.0],
            ],
            [
                from_source("lambda x: [sum(x)]"),
                from_source("lambda d, x: [[1.00002 * d[0]] + [d[0]] * 11]"),
                [[3.0] * 12],
                [100.0],
            ],
            [
                from_source("lambda x: [sum(x)]"),
                from_source("lambda d, x: [[1.00005 * d[0]] + [d[0]] * 11]"),
                [[1.0, -1.0] * 6],
                [100.0],
            ],
            [_SUM, from_source("lambda d, x: [[d[0], 2 * d[0], 0.0]]"), [[3.0, 5.0]], [1.0]],
            [
                from_source("lambda x, i: [x[round(i)] ** 2]"),
                from_source("lambda d, x, i: [[2 * d[0] * x[0], 0.0]]"),
                [[3.0, 5.0], 0],
                [1.0],
            ],
            [  # next to 3,087,000,000 the derivative 1 is measured as 1.001
                from_source("lambda x: [9000 * x[0] ** 3 + x[1]]"),
                from_source("lambda d, x: [[27000 * d[0] * x[0] ** 2, d[0]]]"),
                [[70.0, 2.0]],
                [1.0],
            ],
            [
                _LINEAR,
                from_source("lambda d, X, W: linear_backward(d, X, W)[:2]", linear_backward=linear_backward),
                _MATRICES[:2],
                _MATRICES[2],
            ],
            [
                _LINEAR,
                from_source(
                    "lambda d, X, W: linear_backward(d, X, transpose(W))[:2]",
                    linear_backward=linear_backward,
                    transpose=transpose,
                ),
                _MATRICES[:2],
                _MATRICES[2],
            ],
        ],
        CHECK_MISTAKES,
    ),
    "10.e": Exercise(my_culprit_2, [[]], SUSPECTS_2, example=False, choices=STEPS),
    "10.f": Exercise(my_culprit_3, [[]], SUSPECTS_3, example=False, choices=STEPS),
}
