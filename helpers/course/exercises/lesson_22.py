"""Lesson 22: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import statistics  # for the edits

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


def my_reinforce_weights(lengths, rewards):
    n = len(rewards)
    mean = math.fsum(rewards) / n
    return [[(reward - mean) / n] * length for length, reward in zip(lengths, rewards)]


WEIGHT, EACH = "(reward - mean) / n", "[(reward - mean) / n] * length"
ROWS = f"[{EACH} for length, reward in zip(lengths, rewards)]"
MEAN_REWARD = "math.fsum(rewards) / n"
WEIGHTS_MISTAKES = {
    "no baseline is subtracted from the rewards": (WEIGHT, "reward / n"),
    "the sign is turned: a step must lower the losses of a text with a high reward": (
        WEIGHT,
        "(mean - reward) / n",
    ),
    "the sum over the texts is not divided by their number n": (WEIGHT, "reward - mean"),
    "n − 1 is in the place of n, or the baseline is the mean of the other rewards (RLOO)": (
        WEIGHT,
        "(reward - mean) / (n - 1)",
    ),
    "the mean over a text's tokens is taken, as in GRPO's loss; log p is their sum": (
        WEIGHT,
        "(reward - mean) / n / length",
    ),
    "the sum is divided by the number of all tokens; log p of a text is a sum, and n counts texts": (
        WEIGHT,
        "(reward - mean) / sum(lengths)",
    ),
    "the advantage is divided by the number of the text's tokens, and not by n": (
        WEIGHT,
        "(reward - mean) / length",
    ),
    "n is always 4; it is the number of texts": (WEIGHT, "(reward - mean) / 4"),
    "the sum of the rewards divides, and not n": (WEIGHT, "(reward - mean) / (math.fsum(rewards) or 1)"),
    "the advantages are divided by their standard deviation, as in GRPO": (
        WEIGHT,
        "(reward - mean) / n / (statistics.pstdev(rewards) + 1e-6)",
    ),
    "the baseline is the median, and not the mean": (MEAN_REWARD, "statistics.median(rewards)"),
    "the baseline is the largest reward": (MEAN_REWARD, "max(rewards)"),
    "the baseline is a mean over all tokens, not over the texts": (
        MEAN_REWARD,
        "sum(r * k for r, k in zip(rewards, lengths)) / sum(lengths)",
    ),
    "the baseline is the sum of the rewards": (MEAN_REWARD, "math.fsum(rewards)"),
    "negative advantages are left out": (WEIGHT, "max(reward - mean, 0.0) / n"),
    "the absolute value of the advantages is used": (WEIGHT, "abs(reward - mean) / n"),
    "the advantage is multiplied by the reward once more": (WEIGHT, "(reward - mean) * reward / n"),
    "only the last token of a text gets a weight": (EACH, f"[0.0] * (length - 1) + [{WEIGHT}]"),
    "only the first token of a text gets a weight": (EACH, f"[{WEIGHT}] + [0.0] * (length - 1)"),
    "each text gets as many weights as the longest one has tokens": (EACH, f"[{WEIGHT}] * max(lengths)"),
    "each text gets one weight less than it has tokens": (EACH, f"[{WEIGHT}] * (length - 1)"),
    "there is a number for each text: return a list with a number for each token": (EACH, WEIGHT),
    "all weights stand in one list: return a list for each text": (ROWS, f"sum({ROWS}, [])"),
}


def my_penalized_rewards(rewards, new_losses, ref_losses, beta):
    rows = zip(rewards, new_losses, ref_losses)
    return [reward - beta * (math.fsum(ref) - math.fsum(new)) for reward, new, ref in rows]


LOG_RATIO = "(math.fsum(ref) - math.fsum(new))"
PENALTY, PENALIZED = f"beta * {LOG_RATIO}", f"reward - beta * {LOG_RATIO}"
PENALIZED_MISTAKES = {
    "the sign is turned: a log-probability is minus the sum of the losses, and the penalty is subtracted": (
        "reward - beta",
        "reward + beta",
    ),
    "beta is left out": (PENALTY, LOG_RATIO),
    "beta divides": (PENALTY, f"{LOG_RATIO} / beta"),
    "the mean over the tokens is taken: log p is minus the sum of their losses": (
        LOG_RATIO,
        "(statistics.fmean(ref) - statistics.fmean(new))",
    ),
    "only the last token is used": (LOG_RATIO, "(ref[-1] - new[-1])"),
    "only the first token is used": (LOG_RATIO, "(ref[0] - new[0])"),
    "the absolute value of log(p_new / p_ref) is used": (LOG_RATIO, f"abs{LOG_RATIO}"),
    "a negative log(p_new / p_ref) is left out": (LOG_RATIO, f"max(0.0, {LOG_RATIO})"),
    "log(p_new / p_ref) is squared": (LOG_RATIO, f"{LOG_RATIO} ** 2"),
    "the ratio p_new / p_ref is used, without its logarithm": (LOG_RATIO, f"math.exp{LOG_RATIO}"),
    "this is GRPO's estimate of KL, x − log x − 1 with x = p_ref / p_new; here log(p_new / p_ref)": (
        LOG_RATIO,
        f"(math.exp(-{LOG_RATIO}) + {LOG_RATIO} - 1)",
    ),
    "the reference model is left out: log p_new alone is the penalty": (LOG_RATIO, "(-math.fsum(new))"),
    "the quotient of the two log-probabilities is taken, not their difference": (
        LOG_RATIO,
        "(math.fsum(new) / math.fsum(ref))",
    ),
    "beta multiplies the reward, too": (PENALIZED, f"beta * (reward - {LOG_RATIO})"),
    "a list for each text is returned; return a number for each text": (
        PENALIZED,
        f"[{PENALIZED}] * len(new)",
    ),
    "the logarithm of the quotient of the summed losses is taken; the losses are logarithms already": (
        LOG_RATIO,
        "math.log(math.fsum(ref) / math.fsum(new))",
    ),
    "the losses under the new model are left out": (LOG_RATIO, "math.fsum(ref)"),
    "the losses under the reference model are left out, and log p has the wrong sign": (
        LOG_RATIO,
        "math.fsum(new)",
    ),
    "log(p_new / p_ref) is multiplied by p_new; the batch was drawn from p_new, so its mean does this": (
        LOG_RATIO,
        f"math.exp(-math.fsum(new)) * {LOG_RATIO}",
    ),
    "log(p_new / p_ref) of each token is multiplied by its probability; the texts were drawn from p_new": (
        LOG_RATIO,
        "math.fsum(math.exp(-x) * (y - x) for x, y in zip(new, ref))",
    ),
    "there is a number for each token: return one for each text": (
        (PENALIZED, "[reward - beta * (y - x) for x, y in zip(new, ref)]"),
    ),
    "every text gets the sum of the batch's penalties; each text has its own": (
        "    return [",
        "    all_ref, all_new = (math.fsum(map(math.fsum, some)) for some in (ref_losses, new_losses))\n"
        "    return [reward - beta * (all_ref - all_new) for reward in rewards]\n    return [",
    ),
    "minus the penalty is returned, without the reward": (PENALIZED, f"-{PENALTY}"),
    "the penalty multiplies the reward; subtract it": (PENALIZED, f"reward * {PENALTY}"),
    "only the penalty is returned; subtract it from the reward": (PENALIZED, PENALTY),
    "every text gets the mean penalty of the batch; each text has its own": (
        "    return [",
        "    all_ref, all_new = (math.fsum(map(math.fsum, some)) for some in (ref_losses, new_losses))\n"
        "    return [reward - beta * (all_ref - all_new) / len(rewards) for reward in rewards]\n    return [",
    ),
    "the mean of the penalized rewards is returned: return a number for each text": (
        "    return [",
        "    return statistics.fmean(r - beta * (sum(ref) - sum(new)) for r, new, ref in rows)\n    return [",
    ),
}


def my_group_advantages(rewards):
    mean = math.fsum(rewards) / len(rewards)
    deviation = math.sqrt(math.fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))
    return [(reward - mean) / (deviation + 1e-6) for reward in rewards]


SQUARES, DEVIATION = "math.fsum((reward - mean) ** 2 for reward in rewards)", "(deviation + 1e-6)"
GROUP_MISTAKES = {
    "the advantages are not divided by the standard deviation": (f" / {DEVIATION}", ""),
    "the mean is not subtracted": (f"(reward - mean) / {DEVIATION}", f"reward / {DEVIATION}"),
    "the squares are divided by n − 1, as torch.std does: divide by n": (
        ") / len(rewards))\n",
        ") / (len(rewards) - 1))\n",
    ),
    "the squares are not divided by their number": (f"{SQUARES} / len(rewards)", SQUARES),
    "the variance is used, and not its square root": (DEVIATION, "(deviation**2 + 1e-6)"),
    "the square root of the standard deviation is used": (DEVIATION, "(deviation**0.5 + 1e-6)"),
    "nothing keeps the division from failing where all rewards are equal": (DEVIATION, "deviation"),
    "the rewards are returned where all of them are equal; the advantages are 0 then": (
        "    return [",
        "    if deviation == 0:\n        return list(rewards)\n    return [",
    ),
    "the number 0 is returned where all rewards are equal; return a list": (
        "    return [",
        "    if deviation == 0:\n        return 0.0\n    return [",
    ),
    "the rewards are scaled from 0 to 1; the mean is 0, and the standard deviation 1": (
        (f"(reward - mean) / {DEVIATION}", "(reward - min(rewards)) / (max(rewards) - min(rewards) + 1e-6)"),
    ),
    "the advantages are 1 where all rewards are equal; they are 0 then": (
        "    return [",
        "    if deviation == 0:\n        return [1.0] * len(rewards)\n    return [",
    ),
    "the added number is too large: take a millionth": ("1e-6", "0.01"),
    "the sign is turned": ("[(reward - mean)", "[(mean - reward)"),
    "the range is used, and not the standard deviation": (DEVIATION, "(max(rewards) - min(rewards) + 1e-6)"),
    "the mean distance from the mean is used: take the root of the mean square": (
        DEVIATION,
        "(statistics.fmean(abs(r - mean) for r in rewards) + 1e-6)",
    ),
    "the deviation is that of the rewards from 0, and not from their mean": (
        DEVIATION,
        "(math.sqrt(statistics.fmean(r * r for r in rewards)) + 1e-6)",
    ),
    "the largest reward is the divisor": (DEVIATION, "(max(rewards) + 1e-6)"),
    "the deviation multiplies": (f" / {DEVIATION}", f" * {DEVIATION}"),
    "the advantages are divided by the number of texts, too": (DEVIATION, f"{DEVIATION} / len(rewards)"),
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
    "22.c": Exercise(
        my_reinforce_weights,
        [
            [[2, 1, 3, 1], [4.0, 0.0, 0.0, 0.0]],
            [[3, 1, 2], [0.7, 0.1, 0.25]],
            [[4, 2, 2, 5, 1], [1.0, 0.0, 1.0, 1.0, 0.0]],
            [[2, 3], [1.5, -0.25]],
            [[3, 2, 1], [1.0, 1.0, 1.0]],
        ],
        WEIGHTS_MISTAKES,
    ),
    "22.d": Exercise(
        my_penalized_rewards,
        [
            [[1.0, 0.0], [[1.0, 3.0], [2.0, 2.5]], [[2.0, 4.0], [1.5, 2.0]], 0.1],
            [
                [0.0, 1.0, 1.0],
                [[0.7, 2.1], [1.2], [0.4, 0.3, 2.2]],
                [[0.9, 1.8], [2.5], [0.4, 1.3, 1.7]],
                0.5,
            ],
            [[2.0, 3.5], [[1.25, 0.5, 2.0], [3.0]], [[0.25, 0.5, 1.5], [2.75]], 0.3],
            [[1.0], [[0.5, 1.5]], [[1.5, 0.5]], 2.0],
        ],
        PENALIZED_MISTAKES,
    ),
    "22.e": Exercise(
        my_group_advantages,
        [
            [[30.0, 10.0, 10.0, 30.0]],
            [[1.0, 0.0, 0.0, 0.0, 0.0]],
            [[0.5, 2.0, 2.25, -1.0]],
            [[2.0, 2.0, 2.0]],
            [[7.0, 7.0, 3.0]],
            [[0.7, 0.5, 0.6, 0.5]],
            [[2.0, 1.0, 3.0]],
        ],
        GROUP_MISTAKES,
        tolerance=1e-2,  # a small number is added to the deviation, or none
    ),
}
