"""Lesson 11: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
from itertools import permutations

from .exercise import Counting, Exercise, draw_inputs, from_source


def my_adamw_step(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay):
    m = [beta_1 * m_i + (1 - beta_1) * g_i for m_i, g_i in zip(m, g)]
    v = [beta_2 * v_i + (1 - beta_2) * g_i**2 for v_i, g_i in zip(v, g)]
    m_hat = [m_i / (1 - beta_1**step) for m_i in m]
    v_hat = [v_i / (1 - beta_2**step) for v_i in v]
    p = [
        (1 - lr * weight_decay) * p_i - lr * m_i / (math.sqrt(v_i) + eps)
        for p_i, m_i, v_i in zip(p, m_hat, v_hat)
    ]
    return p, m, v


CORRECTION_1, CORRECTION_2 = " / (1 - beta_1**step)", " / (1 - beta_2**step)"
DECAYED, MOVE = "(1 - lr * weight_decay) * p_i", "lr * m_i / (math.sqrt(v_i) + eps)"
RETURN = "return p, m, v"
ADAMW_MISTAKES = {
    **{
        f"the results are returned in the order {', '.join(order)}; the order is p, m, v": (
            RETURN,
            f"return {', '.join(order)}",
        )
        for order in permutations("pmv")
        if order != ("p", "m", "v")
    },
    "the bias correction is missing": ((CORRECTION_1, ""), (CORRECTION_2, "")),
    "m has no bias correction": (CORRECTION_1, ""),
    "the whole sum is squared in v, and not the gradient alone": (
        ("beta_2 * v_i + (1 - beta_2) * g_i**2", "(beta_2 * v_i + (1 - beta_2) * g_i) ** 2"),
    ),
    "the new gradient has the weight 1 in m and in v, not 1 − beta": (
        ("(1 - beta_1) * g_i", "g_i"),
        ("(1 - beta_2) * g_i", "g_i"),
    ),
    "m uses beta_2, and v uses beta_1": (
        ("beta_1 * m_i + (1 - beta_1)", "beta_2 * m_i + (1 - beta_2)"),
        ("beta_2 * v_i + (1 - beta_2)", "beta_1 * v_i + (1 - beta_1)"),
    ),
    "v has no bias correction": (CORRECTION_2, ""),
    "the corrected m and v are returned; the next step needs them without the correction": (
        (RETURN, "return p, m_hat, v_hat"),
    ),
    "the corrected m is returned; the next step needs it without the correction": (" p, m, ", " p, m_hat, "),
    "the corrected v is returned; the next step needs it without the correction": ("p, m, v", "p, m, v_hat"),
    "the bias correction counts the steps from 0, not from 1": (
        ("beta_1**step", "beta_1 ** (step - 1)"),
        ("beta_2**step", "beta_2 ** (step - 1)"),
    ),
    "the bias correction uses step + 1; step is already 1 in the first step": (
        ("beta_1**step", "beta_1 ** (step + 1)"),
        ("beta_2**step", "beta_2 ** (step + 1)"),
    ),
    "the bias correction divides by 1 − beta, not by 1 − betaᵗ: it must fade with the steps": (
        ("beta_1**step", "beta_1"),
        ("beta_2**step", "beta_2"),
    ),
    "m is divided by 1 − beta_1, not by 1 − beta_1ᵗ": ("beta_1**step", "beta_1"),
    "v is divided by 1 − beta_2, not by 1 − beta_2ᵗ": ("beta_2**step", "beta_2"),
    "v is the mean of the absolute gradients, not of their squares": ("g_i**2", "abs(g_i)"),
    "weight decay is added to the gradient: that is L2 regularization, not AdamW": (
        (DECAYED, "p_i"),
        ("    m = [", "    g = [g_i + weight_decay * p_i for g_i, p_i in zip(g, p)]\n    m = ["),
    ),
    "weight decay is not multiplied by lr": ("lr * weight_decay", "weight_decay"),
    "weight decay is multiplied by lr twice": ("lr * weight_decay", "lr * lr * weight_decay"),
    "weight decay is missing": (DECAYED, "p_i"),
    "weight decay makes the parameter larger, not smaller": (" - lr * weight_decay", " + lr * weight_decay"),
    "v is the mean of the gradients, not of their squares": ("g_i**2", "g_i"),
    "the gradient is multiplied by 2 in v, and not squared": ("g_i**2", "g_i * 2"),
    "beta is multiplied by the number of the step; it is raised to this power": (
        ("beta_1**step", "beta_1 * step"),
        ("beta_2**step", "beta_2 * step"),
    ),
    "the root of v is missing": ("math.sqrt(v_i)", "v_i"),
    "eps is added under the root": ("(math.sqrt(v_i) + eps)", "math.sqrt(v_i + eps)"),
    "eps is added to v under the root, before the bias correction": (
        (CORRECTION_2, ""),
        ("(math.sqrt(v_i) + eps)", f"math.sqrt((v_i + eps){CORRECTION_2})"),
    ),
    "eps is added to the root of v before the bias correction; it is added to the root of the corrected v": (
        (CORRECTION_2, ""),
        ("(math.sqrt(v_i) + eps)", "((math.sqrt(v_i) + eps) / math.sqrt(1 - beta_2**step))"),
    ),
    "eps is added to v before the bias correction, and again to the root": (
        ("v_i / (1 - beta_2", "(v_i + eps) / (1 - beta_2"),
    ),
    "eps is added to the quotient, not to the root": (
        "m_i / (math.sqrt(v_i) + eps)",
        "(m_i / math.sqrt(v_i) + eps)",
    ),
    "eps is subtracted": (" + eps", " - eps"),
    "eps is added to the new v, so it is also in the v that is returned": (
        ("(1 - beta_2) * g_i**2", "(1 - beta_2) * g_i**2 + eps"),
        ("(math.sqrt(v_i) + eps)", "math.sqrt(v_i)"),
    ),
    "the learning rate is missing": ("- lr * m_i", "- m_i"),
    "p moves in the direction of the gradient, so the loss rises": ("- lr * m_i", "+ lr * m_i"),
    "weight decay subtracts lr · weight_decay without the factor p": (DECAYED, "p_i - lr * weight_decay"),
    "weight decay is applied to the new p, not to the old one": (
        (f"{DECAYED} - {MOVE}", f"(1 - lr * weight_decay) * (p_i - {MOVE})"),
    ),
    "eps is missing": (" + eps", ""),
    "the factor 1 − beta_2 of v is squared, too; square the gradient alone": (
        ("(1 - beta_2) * g_i**2", "((1 - beta_2) * g_i) ** 2"),
    ),
    "m and v are divided by betaᵗ, not by 1 − betaᵗ": (
        ("(1 - beta_1**step)", "beta_1**step"),
        ("(1 - beta_2**step)", "beta_2**step"),
    ),
    "m is divided by beta_1ᵗ, not by 1 − beta_1ᵗ": ("(1 - beta_1**step)", "beta_1**step"),
    "v is divided by beta_2ᵗ, not by 1 − beta_2ᵗ": ("(1 - beta_2**step)", "beta_2**step"),
    "v is the running mean of m², not of g²": (
        ("g_i**2 for v_i, g_i in zip(v, g)", "m_i**2 for v_i, m_i in zip(v, m)"),
    ),
    "p is computed from the old m": (("    m = ", "    old_m = m\n    m = "), (" m_i in m", " m_i in old_m")),
    "p is computed from the old m and v; use the new ones": (
        ("    m = ", "    old_m, old_v = m, v\n    m = "),
        (" m_i in m", " m_i in old_m"),
        (" v_i in v]", " v_i in old_v]"),
    ),
    "p is computed from g, not from m": ("zip(p, m_hat, v_hat)", "zip(p, g, v_hat)"),
    "m and v are multiplied by 1 − betaᵗ, and not divided by it": (
        ("m_i / (1 -", "m_i * (1 -"),
        ("v_i / (1 -", "v_i * (1 -"),
    ),
    "v is corrected after its root is taken, not before": (
        (CORRECTION_2, ""),
        ("math.sqrt(v_i)", f"math.sqrt(v_i){CORRECTION_2}"),
    ),
    "v is corrected with beta_1, not with beta_2": (CORRECTION_2, CORRECTION_1),
    "m is corrected with beta_2, not with beta_1": (CORRECTION_1, CORRECTION_2),
    "beta_1 and beta_2 are exchanged in the bias correction": (
        (f"m_i{CORRECTION_1}", f"m_i{CORRECTION_2}"),
        (f"v_i{CORRECTION_2}", f"v_i{CORRECTION_1}"),
    ),
    "the new gradient has the weight 1 in m, not 1 − beta_1": ("(1 - beta_1) * g_i", "g_i"),
    "the new gradient has the weight 1 in v, not 1 − beta_2": ("(1 - beta_2) * g_i", "g_i"),
    "v uses beta_1, not beta_2": ("beta_2 * v_i + (1 - beta_2)", "beta_1 * v_i + (1 - beta_1)"),
    "beta_1 and 1 − beta_1 are exchanged in m": (
        ("beta_1 * m_i + (1 - beta_1)", "(1 - beta_1) * m_i + beta_1"),
    ),
    "beta and 1 − beta are exchanged in m and in v": (
        ("beta_1 * m_i + (1 - beta_1)", "(1 - beta_1) * m_i + beta_1"),
        ("beta_2 * v_i + (1 - beta_2)", "(1 - beta_2) * v_i + beta_2"),
    ),
    "m is multiplied by 1 − beta_1ᵗ, and not divided by it": ("m_i / (1 -", "m_i * (1 -"),
    "v is multiplied by 1 − beta_2ᵗ, and not divided by it": ("v_i / (1 -", "v_i * (1 -"),
    "eps is added to the new p: brackets are missing around √v + eps": (
        ("(math.sqrt(v_i) + eps)", "math.sqrt(v_i) + eps"),
    ),
    "the betas are fixed at 0.9 and 0.999, and not the given values": (
        ("    m = [", "    beta_1, beta_2 = 0.9, 0.999\n    m = ["),
    ),
    "eps is fixed at 1e-8, and not the given value": (" + eps", " + 1e-8"),
    "the old m and v are returned": (("    m = [", "    old = m, v\n    m = ["), (RETURN, "return p, *old")),
    "only p is returned; the next step needs m and v, too": (RETURN, "return p"),
    "weight decay multiplies p by (1 − lr) · weight_decay": (DECAYED, "(1 - lr) * weight_decay * p_i"),
    "beta_1 and beta_2 are exchanged": ("beta_1, beta_2, eps", "beta_2, beta_1, eps"),
}


def my_train(p, optimizer, gradient_of, update, steps):
    for _ in range(steps):
        p, optimizer = update(p, gradient_of(p), optimizer)
    return p


TRAIN_MISTAKES = {
    "the gradient is computed once and used in every step": (
        ("gradient_of(p),", "gradient,"),
        ("    for", "    gradient = gradient_of(p)\n    for"),
    ),
    "each step gets the first optimizer state, not the one that the last step returned": ("optimizer ", "_ "),
    "one step is missing": ("range(steps)", "range(steps - 1)"),
    "only one step is made": ("range(steps)", "range(1)"),
    "return is inside the loop, so only one step is made": ("    return p", "        return p"),
    "gradient_of is called twice in a step": (
        "        p, optimizer",
        "        gradient_of(p)\n        p, optimizer",
    ),
    "gradient_of is called twice in a step, and p gets the first of the two gradients": (
        "optimizer)\n",
        "optimizer)\n        gradient_of(p)\n",
    ),
    "p and the optimizer are exchanged: update returns p first": ("p, optimizer = ", "optimizer, p = "),
    "p gets the pair that update returns; it is p and the optimizer": ("p, optimizer = ", "p = "),
    "gradient_of itself is given to update, not the gradient: call it with p": (
        "gradient_of(p)",
        "gradient_of",
    ),
    "every gradient is taken at the first p": (
        ("    for", "    first = p\n    for"),
        ("gradient_of(p)", "gradient_of(first)"),
    ),
    "what update returns is not used": ("p, optimizer = update", "update"),
    "the next gradient is computed at the end of each step, so there is one more than there are steps": (
        ("    for", "    gradient = gradient_of(p)\n    for"),
        ("p, gradient_of(p), optimizer)\n", "p, gradient, optimizer)\n        gradient = gradient_of(p)\n"),
    ),
    "gradient_of is called once more than there are steps, before the first": (
        "    for",
        "    gradient_of(p)\n    for",
    ),
    "update is called twice in a step, the second time with the new p": (
        "p, optimizer = update(p, gradient_of(p), optimizer)",
        "p = update(p, gradient_of(p), optimizer)[0]\n"
        "        optimizer = update(p, gradient_of(p), optimizer)[1]",
    ),
    "every step starts from the first p": (
        ("    for", "    new = p\n    for"),
        ("p, optimizer = ", "new, optimizer = "),
        ("return p", "return new"),
    ),
    "the number of the step is given to update, not the optimizer": (
        ("for _ in", "for step in"),
        ("gradient_of(p), optimizer)", "gradient_of(p), step)"),
    ),
    "there is one step too many": ("range(steps)", "range(steps + 1)"),
    "p and its gradient are exchanged in the call of update": ("p, gradient_of(p)", "gradient_of(p), p"),
    "the optimizer is returned as well": ("return p", "return p, optimizer"),
    "the optimizer is returned, not p": ("return p", "return optimizer"),
    "the p of every step is returned; return the last one": (
        ("    for", "    history = []\n    for"),
        ("optimizer)\n    return p", "optimizer)\n        history.append(p)\n    return history"),
    ),
    "update is not used; p minus its gradient is gradient descent with a learning rate of 1": (
        (
            "p, optimizer = update(p, gradient_of(p), optimizer)",
            "p = [a - b for a, b in zip(p, gradient_of(p))]",
        ),
    ),
}


_ALWAYS_ONE = from_source("lambda p: [1.0 for _ in p]")
_ITSELF = from_source("lambda p: list(p)")
_THIRD = from_source("lambda p: [p[0] / 3]")
_SHORTER = from_source("lambda p, g, optimizer: ([p[0] - g[0] / optimizer], optimizer + 1)")
_DOWN = from_source("lambda p, g, optimizer: ([p[0] - g[0]], optimizer + 1)")
_PLAIN_HALF = from_source("lambda p, g, optimizer: ([a - b / 2 for a, b in zip(p, g)], optimizer + 1)")
_SUM_OF_GRADIENTS = from_source(
    "lambda p, g, optimizer: ([a - 0.1 * (optimizer + b) for a, b in zip(p, g)], optimizer + g[0])"
)
_LONGER_AND_LONGER = from_source(
    "lambda p, g, optimizer: ([a - 0.1 * (optimizer + 1) * b for a, b in zip(p, g)], optimizer + 1)"
)

EXERCISES = {
    "11.a": Exercise(
        my_adamw_step,
        [
            [[1.0], [4.0], [0.0], [0.0], 1, 0.5, 0.5, 0.75, 0.0, 0.0],
            [[1.0, 2.0], [4.0, -4.0], [0.0, 0.0], [0.0, 0.0], 1, 0.5, 0.9, 0.999, 0.0, 0.0],
            [[1.0, -2.0], [0.5, 0.25], [0.1, -0.2], [0.01, 0.04], 3, 0.1, 0.5, 0.75, 0.5, 0.2],
            [*draw_inputs(1, (3,), (3,), (3,)), [0.5, 1.0, 0.25], 7, 0.01, 0.9, 0.999, 1e-8, 0.01],
            [*draw_inputs(2, (4,), (4,), (4,)), [0.1, 2.0, 0.3, 0.04], 200, 0.3, 0.8, 0.9, 0.1, 0.5],
        ],
        ADAMW_MISTAKES,
        parts=("p", "m", "v"),
    ),
    "11.b": Exercise(
        my_train,
        [
            [[9.0], 1, _THIRD, _SHORTER, 2],
            [[8.0], 0, _ITSELF, _PLAIN_HALF, 3],
            [[5.0, 1.0], 0, _ITSELF, _LONGER_AND_LONGER, 4],
            [[4.0], 5, _ITSELF, _LONGER_AND_LONGER, 2],
            [[4.0], 1.0, _ITSELF, _SUM_OF_GRADIENTS, 3],
            [[9.0], 0, Counting("lambda p, given=iter([[0.5], [1.0], [2.0], [4.0]]): next(given)"), _DOWN, 2],
            [[9.0], 0, Counting("lambda p, given=iter([[0.5], [1.0]]): next(given)"), _DOWN, 2],
            [[6.0], 0, _ITSELF, _PLAIN_HALF, 1],
            [[2.0], 0, _ALWAYS_ONE, _LONGER_AND_LONGER, 0],
        ],
        TRAIN_MISTAKES,
    ),
}
