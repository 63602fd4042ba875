"""Lesson 25: solution, inputs and known mistakes of its exercise. Reading on gives answers away."""

import math

from ... import softmax
from .exercise import Exercise, from_source


def my_preference(step, ref_step, prompt, first, second, beta):
    def log_probability(step, answer):
        cache, total = None, 0.0
        for token in prompt:
            logits, cache = step(token, cache)
        for token in answer:
            total += math.log(softmax(logits)[token])
            logits, cache = step(token, cache)
        return total

    def reward(answer):
        return beta * (log_probability(step, answer) - log_probability(ref_step, answer))

    return 1 / (1 + math.exp(reward(second) - reward(first)))


COUNTED, READ = (
    "total += math.log(softmax(logits)[token])",
    "            logits, cache = step(token, cache)\n        return",
)
REWARD = "beta * (log_probability(step, answer) - log_probability(ref_step, answer))"
SIGMOID, MARGIN = "1 / (1 + math.exp(reward(second) - reward(first)))", "(reward(first) - reward(second))"
FIRST_BEFORE_SECOND = (SIGMOID, f"1 / (1 + math.exp(-{MARGIN}))")
BEGINS, PROMPT_READ = (
    "def log_probability(step, answer):\n        cache, total = None, 0.0",
    "for token in prompt:\n            logits, cache = step(token, cache)",
)


def with_one_cache(step, ref_step, prompt, first, second, beta):
    def reward(answer):
        cache, total = None, 0.0
        for token in prompt:
            logits, cache = step(token, cache)
            ref_logits, cache = ref_step(token, cache)
        for token in answer:
            total += math.log(softmax(logits)[token]) - math.log(softmax(ref_logits)[token])
            logits, cache = step(token, cache)
            ref_logits, cache = ref_step(token, cache)
        return beta * total

    return 1 / (1 + math.exp(reward(second) - reward(first)))


MISTAKES = {
    "the reference model is left out; the reward of an answer compares both models": (
        REWARD,
        "beta * log_probability(step, answer)",
    ),
    "the reference model and beta are left out; the reward of an answer compares both models": (
        REWARD,
        "log_probability(step, answer)",
    ),
    "the trained model is left out": (REWARD, "beta * log_probability(ref_step, answer)"),
    "beta is left out": (REWARD, REWARD.removeprefix("beta * ")),
    "beta divides the log-probabilities; it multiplies them": (
        REWARD,
        f"{REWARD.removeprefix('beta * ')} / beta",
    ),
    "the quotient of the log-probabilities is taken; take their difference": (
        REWARD,
        "beta * log_probability(step, answer) / log_probability(ref_step, answer)",
    ),
    "the two answers, or the two models, are exchanged": (SIGMOID, f"1 / (1 + math.exp({MARGIN}))"),
    "the margin is returned, and not a probability": (SIGMOID, MARGIN),
    "DPO's loss of the pair is returned, and not the probability": (
        SIGMOID,
        f"math.log(1 + math.exp(-{MARGIN}))",
    ),
    "it is only said which reward is larger": (SIGMOID, f"float({MARGIN} > 0)"),
    "the rewards are divided by each other; the sigmoid takes their difference": (
        SIGMOID,
        "reward(first) / (reward(first) + reward(second))",
    ),
    "the mean over the tokens of an answer is taken; its log-probability is a sum": (
        "return total",
        "return total / len(answer)",
    ),
    "the probabilities are added; the log-probability of an answer is a sum of logarithms": (
        COUNTED,
        "total += softmax(logits)[token]",
    ),
    "the logits are added without a softmax": (COUNTED, "total += logits[token]"),
    "each token is judged by the logits after it; the logits before it predict it": (
        f"{COUNTED}\n{READ}",
        f"logits, cache = step(token, cache)\n            {COUNTED}\n        return",
    ),
    "the tokens of the answer are not read: each needs the logits after the one before it": (
        READ,
        "        return",
    ),
    "the answer is read without its cache": (
        READ,
        "            logits, cache = step(token, None)\n        return",
    ),
    "the cache of first is carried on into second; each answer begins with the prompt and the cache None": (
        (BEGINS, f"caches = {{}}\n\n    {BEGINS.replace('None, 0.0', 'caches.get(step), 0.0')}"),
        ("return total", "caches[step] = cache\n        return total"),
        FIRST_BEFORE_SECOND,
    ),
    "the reference model goes on with the cache of the trained model; each model has its own": (
        (BEGINS, BEGINS.replace("answer", "answer, cache=None").replace("cache, total = None,", "total =")),
        ("return total", "return total, cache"),
        (
            f"return {REWARD}",
            "total, cache = log_probability(step, answer)\n"
            "        return beta * (total - log_probability(ref_step, answer, cache)[0])",
        ),
    ),
    "both models write into one cache; each model has its own": with_one_cache,
    "one cache is carried through both answers and both models; begin each with None": (
        (BEGINS, f"cache = None\n\n    {BEGINS.replace('cache, total = None,', 'nonlocal cache; total =')}"),
        FIRST_BEFORE_SECOND,
    ),
    "the prompt is not read, so the first token of an answer has no logits and is left out": (
        (f"{PROMPT_READ}\n        for token in answer:", "for last, token in zip(answer, answer[1:]):"),
        (
            f"{COUNTED}\n            logits, cache = step(token, cache)",
            f"logits, cache = step(last, cache)\n            {COUNTED}",
        ),
    ),
    "the first token of an answer is left out; the logits after the prompt predict it": (
        ("for token in answer:", "for n, token in enumerate(answer):"),
        (COUNTED, "total += math.log(softmax(logits)[token]) if n else 0.0"),
    ),
    "only the last token of an answer counts": (COUNTED, COUNTED.replace("+=", "=")),
    "only the first token of an answer counts": ("for token in answer:", "for token in answer[:1]:"),
    "the last token of an answer is left out; the end is a part of it": (
        "for token in answer:",
        "for token in answer[:-1]:",
    ),
    "only the last token of the prompt is read, or the cache is not passed on to it": (
        "for token in prompt:",
        "for token in prompt[-1:]:",
    ),
    "the prompt is read as part of the answer, and the answer is missing": (
        "for token in answer:",
        "for token in prompt:",
    ),
}

ALWAYS = from_source("lambda token, cache: ([1.0, -1.0], cache)")
EVEN = from_source("lambda token, cache: ([0.0, 0.0], cache)")
SUMS = from_source(
    "lambda token, cache: ([(cache or 0) * 0.25, token - 1.0, 0.5 - (cache or 0) * 0.5], "
    "(cache or 0) % 5 + token + 1)"
)
COUNTS = from_source(
    "lambda token, cache: ([0.5 * token, (cache or 0) * 0.5 - 1, 0.25], (cache or 0) + 2 - token)"
)

EXERCISES = {
    "25.a": Exercise(
        my_preference,
        [
            [ALWAYS, EVEN, [1], [0], [1], 0.5],
            [SUMS, COUNTS, [2, 0], [1, 1, 0], [0, 2], 0.3],
            [SUMS, COUNTS, [1], [2, 0], [2, 0, 1, 1], 1.0],
            [COUNTS, SUMS, [0, 1, 2], [1], [2, 2], 0.5],
            [SUMS, COUNTS, [0], [1, 2], [1, 2], 0.7],
        ],
        MISTAKES,
    )
}
