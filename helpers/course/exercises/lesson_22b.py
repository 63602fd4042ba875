"""Lesson 22b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import statistics  # for the edits

from .exercise import Exercise


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
    "the sum of the rewards is divided by the number of tokens; n counts texts": (
        MEAN_REWARD,
        "math.fsum(rewards) / sum(lengths)",
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
    "this is GRPO's estimate of KL for each token, x − log x − 1; here log(p_new / p_ref)": (
        LOG_RATIO,
        "math.fsum(math.exp(x - y) - (x - y) - 1 for x, y in zip(new, ref))",
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
