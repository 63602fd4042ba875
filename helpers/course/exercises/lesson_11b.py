"""Lesson 11b: solution, inputs and known mistakes of its exercise. Reading on gives answers away."""

import math

from .exercise import Exercise


def my_lower_bound(sentences):
    bounds = []
    for t in range(len(sentences[0])):
        read = [sorted(words[:t]) for words in sentences]
        pairs = [(known, words[t]) for known, words in zip(read, sentences)]
        losses = [-math.log(pairs.count(pair) / read.count(pair[0])) for pair in pairs]
        bounds.append(sum(losses) / len(losses))
    return bounds


READ, SHARE = "sorted(words[:t])", "pairs.count(pair) / read.count(pair[0])"
MEAN = "sum(losses) / len(losses)"
BOUND_MISTAKES = {
    "the order of the words is used; with even attention the network does not know it": (READ, "words[:t]"),
    "words are read as a set; the network knows how often each word came": (READ, "set(words[:t])"),
    "only the number of words is used; the network also knows which they are": (READ, "t"),
    "only the word before is used; the network has read all earlier ones": (READ, "words[max(0, t - 1) : t]"),
    "only the first word is used; the network has read all earlier ones": (READ, "words[:1][:t]"),
    "the word at position t is among the words read, so nothing is left to guess": (
        READ,
        "sorted(words[: t + 1])",
    ),
    "the words after position t are read, too": (READ, "sorted(words[:t] + words[t + 1 :])"),
    "the share is taken of all sentences, and not of those with the same words read": (
        SHARE,
        "pairs.count(pair) / len(pairs)",
    ),
    "the possible words are equally probable; some come more often than others": (
        SHARE,
        "1 / len({word for known, word in pairs if known == pair[0]})",
    ),
    "the loss is 1 − p, and not −ln p": (f"-math.log({SHARE})", f"1 - {SHARE}"),
    "the probabilities are averaged before the logarithm": (
        ("-math.log(", "("),
        (MEAN, f"-math.log({MEAN})"),
    ),
    "the sign is wrong: a loss is −ln p": ("-math.log", "math.log"),
    "the logarithm has the base 2; a loss has the natural logarithm": ("math.log", "math.log2"),
    "the losses are added, and not averaged": (MEAN, "sum(losses)"),
    "the mean is that of the different cases; each sentence counts once": (
        "for pair in pairs]\n",
        "for i, pair in enumerate(pairs) if pair not in pairs[:i]]\n",
    ),
    "the largest loss is returned, and not the mean": (MEAN, "max(losses)"),
    "the smallest loss is returned, and not the mean": (MEAN, "min(losses)"),
    "the first position is left out; there no word has been read yet": ("range(len", "range(1, len"),
    "the last position is left out": ("len(sentences[0])", "len(sentences[0]) - 1"),
    "the mean over all positions is returned, and not one number for each": (
        "return bounds",
        "return sum(bounds) / len(bounds)",
    ),
    "the function returns after the first position": (
        "bounds.append(",
        "return [sum(losses) / len(losses)]\n        bounds.append(",
    ),
    "the losses of the sentences are returned, and not their mean": (MEAN, "losses"),
}

ABA = [[a, b, a] for a in "xyz" for b in "xyz" if a != b]

EXERCISES = {
    "11.c": Exercise(
        my_lower_bound,
        [
            [[["a", "b"], ["b", "a"]]],
            [ABA],
            [[["a", "a", "b", "c"], ["a", "b", "b", "d"], ["b", "a", "b", "d"]]],
            [[["a", "b", "c"], ["b", "a", "c"], ["a", "b", "a"], ["a", "c", "c"], ["a", "c", "c"]]],
            [[["u", "v", "u"], ["v", "u", "u"], ["u", "v", "v"], ["u", "v", "u"]]],
        ],
        BOUND_MISTAKES,
    )
}
