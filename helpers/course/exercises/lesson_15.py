"""Lesson 15: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import argsort_descending, renormalize, softmax
from .exercise import Exercise, from_source


def my_generate(logits_of, choose, tokens, longest, end):
    text = [*tokens]
    while len(text) < longest and text[-1] != end:
        text.append(choose(logits_of(text)[-1]))
    return text


STEP, CHECKS = "text.append(choose(logits_of(text)[-1]))", "len(text) < longest and text[-1] != end"
GENERATE_MISTAKES = {
    "return stands inside the loop: only one token is added": ("    return text", "        return text"),
    "the loop goes on while one of the two conditions holds: both must hold": (" and ", " or "),
    "the first row of logits is used; the next token needs the last one": ("(text)[-1]", "(text)[0]"),
    "choose gets all rows of logits; the next token needs the last one only": ("(text)[-1]", "(text)"),
    "the model gets only the last token, and not the whole text so far": ("(text)[-1]", "(text[-1:])[-1]"),
    "the row of logits after the given list is used for each token; the next token needs the newest row": (
        "(text)[-1]",
        "(tokens)[-1]",
    ),
    "the text never contains `end`: the loop stops before it adds it": (
        (CHECKS, "len(text) < longest and (token := choose(logits_of(text)[-1])) != end"),
        (STEP, "text.append(token)"),
    ),
    "`end` is not added: the text stops one token before it": (
        (STEP, f"{STEP}\n        if text[-1] == end:\n            return text[:-1]"),
    ),
    "the loop does not stop at `end`": (" and text[-1] != end", ""),
    "the loop does not stop at `longest` tokens": ("len(text) < longest and ", ""),
    "the text gets one token longer than `longest`": ("< longest", "<= longest"),
    "the text gets one token shorter than `longest`": ("< longest", "< longest - 1"),
    "`longest` counts the new tokens only, and not the whole list": (
        "len(text) <",
        "len(text) - len(tokens) <",
    ),
    "a token is added before anything is checked": (
        (f"while {CHECKS}:", "while True:"),
        (STEP, f"{STEP}\n        if not ({CHECKS}):\n            break"),
    ),
    "the loop also stops if `end` stands earlier in the list, and not only last": (
        ("text[-1] != end", "end not in text"),
    ),
    "a given list that already ends with `end` gets more tokens: check before the first token is added": (
        (CHECKS, "len(text) < longest"),
        (STEP, f"{STEP}\n        if text[-1] == end:\n            break"),
    ),
    "the length is checked only after a token is added: a list that is long enough gets one more": (
        (CHECKS, "text[-1] != end"),
        (STEP, f"{STEP}\n        if len(text) >= longest:\n            break"),
    ),
    "!= is used instead of <: a list that is longer than `longest` gets more tokens": (
        "< longest",
        "!= longest",
    ),
    "`longest` counts the new tokens only, and the loop stops before it adds `end`": (
        (f"while {CHECKS}:", "for _ in range(longest):"),
        (STEP, "token = choose(logits_of(text)[-1])\n        if token == end:\n            break"),
        ("break", "break\n        text.append(token)"),
    ),
    "`longest` counts the new tokens only, and the loop does not stop at `end`": (
        (f"while {CHECKS}:", "for _ in range(longest):"),
    ),
    "`longest` counts the new tokens only, and a given list that ends with `end` gets more tokens": (
        (f"while {CHECKS}:", "for _ in range(longest):"),
        (STEP, f"{STEP}\n        if text[-1] == end:\n            break"),
    ),
    "only the new tokens are returned, and a given list that ends with `end` gets more": (
        (CHECKS, "len(text) < longest"),
        (STEP, f"{STEP}\n        if text[-1] == end:\n            break"),
        ("return text", "return text[len(tokens) :]"),
    ),
    "only the new tokens are returned": ("return text", "return text[len(tokens) :]"),
    "the token with the largest logit is always added; choose has to choose it": (
        ("choose(logits_of(text)[-1])", "argsort_descending(logits_of(text)[-1])[0]"),
    ),
    "only one token is added: a loop is needed": ("while", "if"),
    "softmax is applied; choose gets the row of logits as it is": (
        "choose(logits_of(text)[-1])",
        "choose(softmax(logits_of(text)[-1]))",
    ),
}


def my_sample(probabilities, u):
    cumulative = 0.0
    for i, q in enumerate(probabilities):
        cumulative += q
        if u < cumulative:
            return i
    return len(probabilities) - 1


ADD, COMPARE = "        cumulative += q\n", "        if u < cumulative:\n            return i\n"
LAST = "    return len(probabilities) - 1\n"
SAMPLE_MISTAKES = {
    "u is compared with each probability, and not with the sum of the probabilities so far": (
        ("+= q", "= q"),
        (LAST, ""),
    ),
    "u is compared with each probability, not with the sum so far; the last return only hides this": (
        "+= q",
        "= q",
    ),
    "nothing is returned where rounding leaves the sum below u": (LAST, ""),
    "the loop runs while the sum is below u; it must also run while they are equal": (
        ("for i, q in enumerate(probabilities):", "i = -1\n    while cumulative < u:\n        i += 1"),
        (ADD + COMPARE + LAST, "        cumulative += probabilities[i]\n    return i\n"),
    ),
    "an interval contains its right end, and not its left one: <= stands where < is needed": ("u <", "u <="),
    "the token after the one whose interval contains u is returned": ("return i", "return i + 1"),
    "the token before the one whose interval contains u is returned": ("return i", "return i - 1"),
    "the last token whose interval ends above u is returned": (
        ("cumulative = 0.0", "cumulative = last = 0.0"),
        ("return i", "last = i\n    return last"),
    ),
    "a probability is added after the comparison, and not before it": (ADD + COMPARE + LAST, COMPARE + ADD),
    "a probability is added after the comparison, and not before it; the last return only hides this": (
        ADD + COMPARE,
        COMPARE + ADD,
    ),
    "a probability is added after the comparison, and <= stands where < is needed": (
        ADD + COMPARE + LAST,
        COMPARE.replace("<", "<=") + ADD,
    ),
    "a probability is added after the comparison, and <= stands for <; the last return hides this": (
        ADD + COMPARE,
        COMPARE.replace("<", "<=") + ADD,
    ),
    "an interval contains its right end, and not its left one, except where the probability is 0": (
        "u <",
        "q and u <=",
    ),
    "the first of two equally probable tokens is returned in any case": (
        "return i",
        "return probabilities.index(q)",
    ),
    "an interval does not contain its left end: < stands where <= is needed": (
        (ADD + COMPARE, "        if cumulative < u < cumulative + q:\n            return i\n" + ADD),
    ),
    "the first token for which u is above the sum so far is returned": ("u <", "u >"),
    "the most probable token is always returned": ("return i", "return argsort_descending(probabilities)[0]"),
    "u is rounded down to two decimals, as by the sampler with the bug": (
        "    cumulative = 0.0\n",
        "    cumulative, u = 0.0, math.floor(100 * u) / 100\n",
    ),
    "u is rounded to two decimals": ("    cumulative = 0.0\n", "    cumulative, u = 0.0, round(u, 2)\n"),
    "all intervals have the same length": ("return i", "return int(u * len(probabilities))"),
    "the intervals are in the order of the probabilities, and not of the token ids": (
        ("i, q in enumerate(probabilities)", "i in argsort_descending(probabilities)"),
        ("+= q", "+= probabilities[i]"),
    ),
    "the intervals are in reverse order": ("enumerate(probabilities)", "[*enumerate(probabilities)][::-1]"),
    "the probability of the token is returned, and not its id": ("return i", "return q"),
    "the sum of the probabilities is returned, not the id of the token": ("return i", "return cumulative"),
    "a list with one number for each token is returned, and not one id": (
        ("return i", "return [float(j == i) for j in range(len(probabilities))]"),
    ),
    "the token with the probability nearest to u is returned": (
        ("return i", "return min(range(len(probabilities)), key=lambda j: abs(probabilities[j] - u))"),
    ),
}


def my_temperature(logits, temperature):
    return softmax([logit / temperature for logit in logits])


DIVIDED = "[logit / temperature for logit in logits]"
TEMPERATURE_MISTAKES = {
    "the exponentials are not divided by their sum": (
        f"softmax({DIVIDED})",
        "[math.exp(min(logit / temperature, 700)) for logit in logits]",
    ),
    "// rounds the quotient down: divide with /": ("/ temperature", "// temperature"),
    "the logits are multiplied by the temperature, and not divided": ("/ temperature", "* temperature"),
    "the probabilities are divided": (f"softmax({DIVIDED})", "[p / temperature for p in softmax(logits)]"),
    "the temperature has no effect (to subtract it has none, either): divide the logits by it": (
        " / temperature",
        "",
    ),
    "the largest logit is not subtracted before exp, which then overflows": (
        f"return softmax({DIVIDED})",
        f"powers = [math.exp(s) for s in {DIVIDED}]\n    return [power / sum(powers) for power in powers]",
    ),
    "the logits are divided by the root of the temperature": ("/ temperature", "/ math.sqrt(temperature)"),
    "softmax is missing": (f"softmax({DIVIDED})", DIVIDED),
    "powers of probabilities are taken: at a small temperature they all become 0": (
        f"return softmax({DIVIDED})",
        "powers = [p ** (1 / temperature) for p in softmax(logits)]\n"
        "    return [power / sum(powers) for power in powers]",
    ),
    "powers of probabilities are taken, and not divided by their sum": (
        f"softmax({DIVIDED})",
        "[p ** (1 / temperature) for p in softmax(logits)]",
    ),
    "powers of the logits are taken: divide the logits by the temperature": (
        f"softmax({DIVIDED})",
        "softmax([math.copysign(abs(s) ** min(1 / temperature, 100), s) for s in logits])",
    ),
    "softmax is applied twice": (f"softmax({DIVIDED})", f"softmax(softmax({DIVIDED}))"),
    "the temperature is replaced by 0.01 where it is smaller": ("/ temperature", "/ max(temperature, 0.01)"),
    "at a small temperature only the most probable token is left; the rule for ratios holds there, too": (
        "    return",
        "    if temperature < 0.01:\n"
        "        return [float(i == logits.index(max(logits))) for i in range(len(logits))]\n    return",
    ),
    "at a small temperature the most probable tokens share all; the rule for ratios holds there, too": (
        "    return",
        "    if temperature < 0.01:\n"
        "        return [(s == max(logits)) / logits.count(max(logits)) for s in logits]\n    return",
    ),
    "the logits are divided by the square of the temperature": ("/ temperature", "/ temperature**2"),
    "the probabilities are divided before a second softmax": ("in logits", "in softmax(logits)"),
}


def my_top_p(probabilities, p):
    kept, cumulative = [], 0.0
    for i in argsort_descending(probabilities):
        if cumulative < p:
            kept.append(i)
            cumulative += probabilities[i]
    return renormalize(probabilities, kept)


UNDIVIDED = "the kept probabilities are not divided by their sum, so they do not add up to 1"
RANKED, RESULT = "argsort_descending(probabilities)", "renormalize(probabilities, kept)"
COMPARE_FIRST = """        if cumulative < p:
            kept.append(i)
            cumulative += probabilities[i]
"""
ADD_ALL = "        kept.append(i)\n        cumulative += probabilities[i]"
ADD_FIRST = """        cumulative += probabilities[i]
        if cumulative < p:
            kept.append(i)
"""
TOP_P_MISTAKES = {
    "it stops before the token that reaches p, which must be kept, too": (COMPARE_FIRST, ADD_FIRST),
    "it stops before the token that reaches p, unless this is the first token: it must be kept in any case": (
        (COMPARE_FIRST, ADD_FIRST),
        ("< p", "< p or not kept"),
    ),
    "the token with which the sum exceeds p is left out": ((COMPARE_FIRST, ADD_FIRST), ("< p", "<= p")),
    "the token with which the sum exceeds p is left out, except for the first": (
        (COMPARE_FIRST, ADD_FIRST),
        ("< p", "<= p or not kept"),
    ),
    "one more token is kept although the sum has reached p": ("< p", "<= p"),
    "return stands only inside the loop: where all tokens are needed, nothing is returned": (
        (
            f"{COMPARE_FIRST}    return {RESULT}",
            f"        if cumulative >= p:\n            return {RESULT}\n{ADD_ALL}",
        ),
    ),
    "return stands only inside the loop: where rounding leaves the sum below p, nothing is returned": (
        (
            f"{COMPARE_FIRST}    return {RESULT}",
            f"{ADD_ALL}\n        if cumulative >= p:\n            return {RESULT}",
        ),
    ),
    "a token that is as probable as a kept one is kept, too, although the sum has reached p": (
        (
            RESULT,
            "renormalize(probabilities, [i for i, q in enumerate(probabilities)"
            " if q >= probabilities[kept[-1]]])",
        ),
    ),
    "places in the ranking are kept, and not the ids of the tokens at these places": (
        "append(i)",
        "append(len(kept))",
    ),
    "only the first of equally probable tokens is found, again and again": (
        "append(i)",
        "append(probabilities.index(probabilities[i]))",
    ),
    "a token with which the sum would exceed p is skipped, and less probable ones are kept": (
        "cumulative < p",
        "cumulative + probabilities[i] <= p",
    ),
    "the loop goes past the last token where rounding leaves the sum a little below p": (
        (f"for i in {RANKED}:", f"ranked = {RANKED}\n    while cumulative < p:"),
        (
            COMPARE_FIRST,
            "        kept.append(ranked[len(kept)])\n        cumulative += probabilities[kept[-1]]\n",
        ),
    ),
    "the tokens are taken in the order of their ids": (RANKED, "range(len(probabilities))"),
    "the least probable tokens are taken first": (RANKED, f"{RANKED}[::-1]"),
    UNDIVIDED: (RESULT, "[q if i in kept else 0.0 for i, q in enumerate(probabilities)]"),
    "p is used as a fraction of the number of tokens, rounded down": (
        (RESULT, f"renormalize(probabilities, {RANKED}[: int(p * len(probabilities))])"),
    ),
    "p is used as a fraction of the number of tokens, rounded up": (
        (RESULT, f"renormalize(probabilities, {RANKED}[: math.ceil(p * len(probabilities))])"),
    ),
    "the probabilities of the kept tokens are given to renormalize, and not their ids": (
        ("append(i)", "append(probabilities[i])"),
    ),
    "each probability is compared with p, and not their sum": ("if cumulative", "if probabilities[i]"),
    "the probabilities are returned unchanged": (RESULT, "probabilities"),
    "only the most probable token is kept": (", kept)", ", kept[:1])"),
    "the kept probabilities are divided by p, and not by their sum": (
        (RESULT, "[q / p if i in kept else 0.0 for i, q in enumerate(probabilities)]"),
    ),
    "p is used as the smallest probability of a token": (
        ("cumulative < p", "probabilities[i] >= min(p, max(probabilities))"),
    ),
    "the ids of the kept tokens are returned, and not one probability for each token": (RESULT, "kept"),
    "the other tokens are removed from the list; they stay in it with the probability 0": (
        (RESULT, f"[q for q in {RESULT} if q > 0]"),
    ),
    "the probabilities are sorted; each must stay at the index of its token": (
        (RESULT, "sorted(renormalize(probabilities, kept), reverse=True)"),
    ),
    "each probability is compared with p, so it can happen that no token is kept": (
        ("cumulative < p", "probabilities[i] >= p"),
    ),
    "p is used as in min-p": ("cumulative < p", "probabilities[i] >= p * max(probabilities)"),
}


def my_min_p(probabilities, p):
    threshold = p * max(probabilities)
    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= threshold])


THRESHOLD = "p * max(probabilities)"
RENORMALIZED = "renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= threshold])"
MIN_P_MISTAKES = {
    "the probabilities of the kept tokens are given to renormalize, and not their ids": (
        "[i for i, q",
        "[q for i, q",
    ),
    "each probability is compared with p, and not with p times the largest": (THRESHOLD, "p"),
    "the threshold is p, and not p times the largest probability": (THRESHOLD, "min(p, max(probabilities))"),
    "> is used instead of >=: with p = 1 even the most probable token is excluded": (">=", ">"),
    "a token at the threshold is left out": (">= threshold", "> threshold or q == max(probabilities)"),
    UNDIVIDED: (RENORMALIZED, "[q if q >= threshold else 0.0 for q in probabilities]"),
    "p is multiplied by the wrong probability: it belongs to the largest one": (
        ">= threshold",
        "* p >= max(probabilities)",
    ),
    "p is multiplied by the first probability, not by the largest": (THRESHOLD, "p * probabilities[0]"),
    "p is multiplied by the mean probability": (THRESHOLD, "p * sum(probabilities) / len(probabilities)"),
    "p is subtracted from the largest probability": (THRESHOLD, "max(probabilities) - p"),
    "1 - p is used, and not p": (THRESHOLD, "(1 - p) * max(probabilities)"),
    "all tokens are kept; the threshold is p times the largest probability": (" if q >= threshold", ""),
    "only the improbable tokens are kept": (">= threshold", "< threshold or q == min(probabilities)"),
    "the ids of the kept tokens are returned, and not one probability for each token": (
        (RENORMALIZED, RENORMALIZED.removeprefix("renormalize(probabilities, ").removesuffix(")")),
    ),
    "the other tokens are removed from the list; they stay in it with the probability 0": (
        (RENORMALIZED, f"[q for q in {RENORMALIZED} if q > 0]"),
    ),
    "the kept probabilities add up to p, as in top-p": (RENORMALIZED, "my_top_p(probabilities, p or 0.01)"),
}


HALVES = [0.5, 0.25, 0.25]

# Models whose largest logit is certain; every loop below ends, also one that overlooks `longest` or `end`.
AFTER_LAST = from_source("lambda tokens: [[float(i == token + 1) for i in range(6)] for token in tokens]")
AFTER_ALL = from_source(
    "lambda tokens: [[float(i == (sum(tokens[:t]) + t) % 6) for i in range(6)]"
    " for t in range(1, len(tokens) + 1)]"
)
GREEDY, OPPOSITE, EXACT = (
    from_source("lambda row: row.index(max(row))"),
    from_source("lambda row: row.index(min(row))"),
    from_source("lambda row: row.index(1.0) if 1.0 in row else 0"),  # needs the logits as they are
)

EXERCISES = {
    "15.a": Exercise(
        my_generate,
        [
            [AFTER_LAST, GREEDY, [0, 1], 9, 4],
            [AFTER_LAST, GREEDY, [0], 3, 5],
            [AFTER_LAST, GREEDY, [2, 4], 9, 4],
            [AFTER_LAST, GREEDY, [0, 1, 2], 3, 5],
            [AFTER_ALL, GREEDY, [1, 3], 9, 1],
            [AFTER_LAST, OPPOSITE, [2], 4, 0],
            [AFTER_ALL, GREEDY, [0, 4], 4, 3],
            [AFTER_LAST, EXACT, [1], 5, 0],
            [AFTER_LAST, GREEDY, [0, 1, 2], 2, 5],
        ],
        GENERATE_MISTAKES,
    ),
    "15.b": Exercise(
        my_sample,
        [
            [HALVES, 0.6],
            [HALVES, 0.5],
            [HALVES, 0.9],
            [HALVES, 0.0],
            [[0.0, 0.5, 0.5], 0.0],
            [[0.125, 0.125, 0.5, 0.25], 0.3],
            [[0.25, 0.0, 0.75], 0.25],
            [[0.125] * 8, 0.99],
            [[0.25, 0.5, 0.25], 0.1],
            [[0.005, 0.995], 0.007],
            [[0.126, 0.874], 0.1255],
            [[0.00015, 0.99985], 0.0001999],  # rounded down to 4 decimals, u is in the first interval
            [[0.1] * 10, 1 - 2**-53],  # their sum, rounded, and the largest number of rng.random()
        ],
        SAMPLE_MISTAKES,
    ),
    "15.c": Exercise(
        my_temperature,
        [
            [[1.0986122886681098, 0.0], 0.5],
            [[2.0, 1.0, 0.0], 0.5],
            [[0.5, -1.0, 2.0, 0.0], 2.0],
            [[3.0, 1.0], 1.0],
            [[4.0, 5.0, -3.0], 0.001],
            [[0.0] * 29, 0.001],
            [[1.0, 1.005], 0.001],
        ],
        TEMPERATURE_MISTAKES,
    ),
    "15.d": Exercise(
        my_top_p,
        [
            [[0.125, 0.5, 0.25, 0.125], 0.75],
            [[0.125, 0.5, 0.125, 0.25], 0.7],
            [[0.5, 0.25, 0.125, 0.125], 0.8],
            [[0.125, 0.0625, 0.75, 0.0625], 0.5],
            [[0.25, 0.25, 0.5], 1.0],
            [[0.1, 0.6, 0.3], 0.85],
            [[0.375, 0.3125, 0.1875, 0.125], 0.3],
            [[0.1] * 10, 1.0],  # their sum is rounded to a little less than 1
        ],
        TOP_P_MISTAKES,
    ),
    "15.e": Exercise(
        my_min_p,
        [
            [[0.125, 0.5, 0.25, 0.125], 0.5],
            [[0.1, 0.2, 0.7], 0.2],
            [[0.1, 0.2, 0.7], 0.0],
            [[0.25, 0.5, 0.25], 1.0],
            [[0.3, 0.1, 0.2, 0.4], 0.45],
        ],
        MIN_P_MISTAKES,
    ),
}
