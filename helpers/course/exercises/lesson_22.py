"""Lesson 22: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise


def my_answer_weights(tokens, marker):
    first = tokens.index(marker)  # the target of this position is the first token of the answer
    n = len(tokens) - 1 - first
    return [0.0] * first + [1 / n] * n


FIRST, LENGTH = "tokens.index(marker)", "len(tokens) - 1 - first"
MASKED = "[0.0] * first + [1 / n] * n"
ANSWER_WEIGHTS_MISTAKES = {
    "the mask is shifted by one, and the first token of the answer does not count: target t is token t + 1": (
        (FIRST, f"{FIRST} + 1"),
    ),
    "the mask is shifted by one, and the marker counts: target t is token t + 1": ((FIRST, f"{FIRST} - 1"),),
    "there is a weight of 0 after the last one; seven tokens have six targets": (
        (MASKED, "[0.0] * first + [1 / n] * n + [0.0]"),
    ),
    "the mask is shifted by one to the right, and a weight of the answer is lost at the end": (
        (MASKED, "([0.0] * (first + 1) + [1 / n] * n)[: len(tokens) - 1]"),
    ),
    "the mask is shifted by one to the left: <EOS> has the weight 0": (
        (MASKED, "[0.0] * (first - 1) + [1 / n] * n + [0.0]"),
    ),
    "there is a weight for each token; the first token is no target": (
        (MASKED, "[0.0] * (first + 1) + [1 / n] * n"),
    ),
    "the weights of the answer stand first; the prompt comes before the answer": (
        (MASKED, "[1 / n] * n + [0.0] * first"),
    ),
    "the prompt counts, too: all targets have the same weight": (
        (MASKED, "[1 / (len(tokens) - 1)] * (len(tokens) - 1)"),
    ),
    "the prompt counts, and the answer does not": ((MASKED, "[1 / first] * first + [0.0] * n"),),
    "the mean is over all positions; divide by the number of the answer's tokens": (
        (MASKED, "[0.0] * first + [1 / (len(tokens) - 1)] * n"),
    ),
    "the mean is over all tokens, the first one included; divide by the number of the answer's tokens": (
        (MASKED, "[0.0] * first + [1 / len(tokens)] * n"),
    ),
    "the weights are 1, so the sum is no mean; divide by the number of the answer's tokens": (
        (MASKED, "[0.0] * first + [1.0] * n"),
    ),
    "the end of the answer, <EOS>, has the weight 0; the model has to learn to end": (
        (MASKED, "[0.0] * first + [1 / (n - 1) if n > 1 else 0.0] * (n - 1) + [0.0]"),
    ),
    "only the first token of the answer has a weight": ((MASKED, "[0.0] * first + [1.0] + [0.0] * (n - 1)"),),
    "only the last token has a weight": ((MASKED, "[0.0] * (first + n - 1) + [1.0]"),),
    "the prompt is left out of the list; return a weight for each target": ((MASKED, "[1 / n] * n"),),
    "the weights of the prompt are -100, as labels in PyTorch are; a weight of 0 leaves a loss out": (
        (MASKED, "[-100.0] * first + [1 / n] * n"),
    ),
}


def my_dpo_loss(new_chosen, ref_chosen, new_rejected, ref_rejected, beta):
    margin = beta * ((new_chosen - ref_chosen) - (new_rejected - ref_rejected))
    return max(-margin, 0.0) + math.log(1 + math.exp(-abs(margin)))


GAINS = "(new_chosen - ref_chosen) - (new_rejected - ref_rejected)"
LOSS = "max(-margin, 0.0) + math.log(1 + math.exp(-abs(margin)))"
DPO_MISTAKES = {
    "exp overflows: log(1 + exp(−m)) is also −m + log(1 + exp(m))": (LOSS, "math.log(1 + math.exp(-margin))"),
    "the sigmoid becomes 0, and its logarithm is taken: for a margin below −700 the loss is −margin": (
        LOSS,
        "-math.log(math.exp(margin) / (1 + math.exp(margin)))",
    ),
    "the term max(−m, 0) is missing: log(1 + exp(−|m|)) alone is the loss of |m|": (
        "max(-margin, 0.0) + ",
        "",
    ),
    "exp overflows for a large margin: −m + log(1 + exp(m)) is also log(1 + exp(−m))": (
        LOSS,
        "-margin + math.log(1 + math.exp(margin))",
    ),
    "the loss is 0 where exp overflows; for a margin below −700 the loss is −margin": (
        "    return ",
        "    try:\n        return math.log(1 + math.exp(-margin))\n    except OverflowError:\n"
        "        return 0.0\n    return ",
    ),
    "only the term max(−m, 0) is returned; log(1 + exp(−|m|)) is missing": (
        " + math.log(1 + math.exp(-abs(margin)))",
        "",
    ),
    "the argument of exp is cut at 700; for a margin below −700 the loss is −margin": (
        (LOSS, "math.log(1 + math.exp(min(-margin, 700.0)))"),
    ),
    "a small number stands within the logarithm; it changes the loss of a large negative margin": (
        (LOSS, "-math.log((1 / (1 + math.exp(-margin)) if margin > -700 else 0.0) + 1e-12)"),
    ),
    "the logarithm of the quotient of log-probabilities is taken; they are logarithms already: subtract": (
        (GAINS, "math.log(new_chosen / ref_chosen) - math.log(new_rejected / ref_rejected)"),
    ),
    "the margin is cut at a fixed number": (LOSS, "math.log(1 + math.exp(-max(margin, -30.0)))"),
    "the derivative of the loss with respect to the margin is returned": (
        LOSS,
        "1 / (1 + math.exp(-margin)) - 1",
    ),
    "beta multiplies the new log-probabilities only; it multiplies the whole margin": (
        f"beta * ({GAINS})",
        "beta * (new_chosen - new_rejected) - (ref_chosen - ref_rejected)",
    ),
    "the margin has the wrong sign: it is the chosen text's gain minus the rejected one's, and a gain "
    "is new minus ref": ("margin = beta", "margin = -beta"),
    "the reference model is left out: a gain is new minus ref": (GAINS, "new_chosen - new_rejected"),
    "the two ref numbers are exchanged": (GAINS, "(new_chosen - ref_rejected) - (new_rejected - ref_chosen)"),
    "beta is left out": ("beta * ", ""),
    "the margin is divided by beta, and not multiplied": ("beta * ", "1 / beta * "),
    "beta multiplies the loss: it belongs to the margin": (("beta * ", ""), (LOSS, f"beta * ({LOSS})")),
    "only the chosen text's gain is multiplied by beta": ("beta * ((new_chosen - ", "(beta * (new_chosen - "),
    "the gains are added; the rejected text's gain must be subtracted": (") - (", ") + ("),
    "a gain is a difference of log-probabilities, not their quotient": (
        GAINS,
        "new_chosen / ref_chosen - new_rejected / ref_rejected",
    ),
    "the log-probabilities are turned into probabilities: use them as they are": (
        GAINS,
        "math.exp(new_chosen) - math.exp(ref_chosen) - (math.exp(new_rejected) - math.exp(ref_rejected))",
    ),
    "the rejected text is left out": (" - (new_rejected - ref_rejected)", ""),
    "the chosen text is left out": ("(new_chosen - ref_chosen) - ", "-"),
    "the margin is returned: the loss is -log sigmoid of it": (LOSS, "margin"),
    "minus the margin is returned: the loss is -log sigmoid of the margin": (LOSS, "-margin"),
    "the sigmoid is returned: the loss is -log of it": (LOSS, "1 / (1 + math.exp(-margin))"),
    "the sign is wrong: the loss is -log sigmoid, and is positive": (LOSS, f"-({LOSS})"),
    "1 - sigmoid is returned, and not -log sigmoid": (LOSS, "1 - 1 / (1 + math.exp(-margin))"),
    "the logarithm has base 2: math.log is the natural one": (LOSS, f"({LOSS}) / math.log(2)"),
    "the result is a hinge, max(0, 1 - margin), and not -log sigmoid": (LOSS, "max(0.0, 1 - margin)"),
    "the result is a square, as in IPO, another method: DPO's loss is -log sigmoid": (
        LOSS,
        "(margin / beta - 1 / (2 * beta)) ** 2",
    ),
}


EXERCISES = {
    "22.a": Exercise(
        my_answer_weights,
        [
            [[1, 7, 3, 4, 8, 5, 2], 8],
            [[1, 6, 4, 3, 9, 9, 5, 7, 2], 6],
            [[1, 5, 12, 11, 3, 3, 2], 11],
            [[1, 4, 2], 4],
            [[1, 10, 7, 6, 5, 4, 10, 9, 8, 3, 2], 8],
        ],
        ANSWER_WEIGHTS_MISTAKES,
    ),
    "22.b": Exercise(
        my_dpo_loss,
        [
            [-5.0, -6.0, -9.0, -7.0, 0.4],
            [-4.0, -4.0, -8.0, -8.0, 0.3],
            [-6.5, -6.0, -3.0, -4.0, 1.0],
            [-2.25, -4.5, -7.0, -6.5, 0.1],
            [-10.0, -8.0, -12.0, -9.0, 2.0],
            [-900.0, -500.0, -100.0, -700.0, 1.0],
            [-100.0, -700.0, -900.0, -500.0, 1.0],
            [-7.0, -5.0, -4.0, -5.0, 1.0],
            [-900.0, -500.0, -100.0, -700.0, 2.0],
        ],
        DPO_MISTAKES,
    ),
}
