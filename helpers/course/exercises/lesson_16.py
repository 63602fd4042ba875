"""Lesson 16: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ..training import stories
from .exercise import Exercise


def my_entropy(rule):
    nats = tokens = 0
    for plot in rule["plots"]:
        nats += math.log(len(rule["plots"]))
        for kind, slots in stories.slots_of(plot).items():
            nats += math.log(math.perm(len(rule[kind]), len(slots)))
        tokens += len(plot.split()) + 1
    return nats / tokens


CHOICE = 'math.log(len(rule["plots"]))'
CHOOSE = f"        nats += {CHOICE}\n"
ENTROPY_MISTAKES = {
    "the choice of the plot is missing: it costs ln of the number of plots": (CHOOSE, ""),
    "the choice of the plot is counted once; it costs ln of their number for each plot": (
        (CHOOSE, ""),
        ("nats = tokens = 0", f"nats, tokens = {CHOICE}, 0"),
    ),
    "<EOS> is not counted: a story has one token more than words": (" + 1", ""),
    "the result is for a whole story, and not per token": ("/ tokens", '/ len(rule["plots"])'),
    "the nats of all plots are added, but not divided by the tokens": (" / tokens", ""),
    "every plot has its own mean per token; add all nats, add all tokens, then divide": (
        ("nats = tokens = 0", "nats, means = 0, []"),
        ("tokens += len(plot.split()) + 1", "means.append(nats / (len(plot.split()) + 1))\n        nats = 0"),
        ("nats / tokens", "sum(means) / len(means)"),
    ),
    "the same word can fill two slots of one kind; they get different words: math.perm": ("math.perm", "pow"),
    "the order of A and B does not count: math.comb counts pairs once, math.perm twice": ("perm", "comb"),
    "two slots of one kind are counted as one": (", len(slots)", ", 1"),
    "the logarithm has base 2, which gives bits and not nats": ("/ tokens", "/ tokens / math.log(2)"),
    "the logarithm has base 10: math.log is the natural one": ("/ tokens", "/ tokens / math.log(10)"),
    "the result is rounded: return it as it is": ("nats / tokens", "round(nats / tokens, 4)"),
}


def my_vocab(stories):
    words = {word for story in stories for word in story.split()}
    return ["<PAD>", "<BOS>", "<EOS>", *sorted(words)]


SPECIAL = '"<PAD>", "<BOS>", "<EOS>"'
VOCAB_MISTAKES = {
    "the tokens are characters; split each story into words": (".split()", ""),
    "a word that occurs several times is listed several times": (("{word", "[word"), ("()}", "()]")),
    "the words stand in the order in which they occur; sort them": (
        ("{word", "dict.fromkeys(word"),
        ("()}", "())"),
        ("sorted(words)", "words"),
    ),
    "the special tokens are missing": (f"{SPECIAL}, ", ""),
    "the special tokens stand last, not first": (f"{SPECIAL}, *sorted(words)", f"*sorted(words), {SPECIAL}"),
    "the special tokens are sorted, too": (f"[{SPECIAL}, *sorted(words)]", f"sorted({{{SPECIAL}, *words}})"),
    "the full stop is missing: it is a word of its own": ("sorted(words)", 'sorted(words - {"."})'),
    "only the words of the first story are listed": ("in stories for", "in stories[:1] for"),
}


def my_right(logits, targets, kinds, kind):
    chosen = [(row, target) for row, target, k in zip(logits, targets, kinds) if k == kind]
    return sum(row.index(max(row)) == target for row, target in chosen) / len(chosen)


RIGHT_MISTAKES = {
    "all positions are counted, and not only those of this kind": (" if k == kind", ""),
    "the number of right words is divided by the number of all positions": ("len(chosen)", "len(targets)"),
    "the result is a number of words, and not a fraction": (" / len(chosen)", ""),
    "the smallest logit is taken, and not the largest": ("max", "min"),
    "the targets are moved by one position": ("zip(logits, targets", "zip(logits, targets[:1] + targets"),
    "logits[i] is compared with targets[i + 1]; logits[i] and targets[i] belong together": (
        ("zip(logits, targets,", "zip(logits, targets[1:] + targets[-1:],"),
    ),
    "the probability of the right word is counted": ("row.index(max(row)) == target", "softmax(row)[target]"),
    "the fraction of wrong words is returned": ("== target", "!= target"),
    "the result is a percentage, and not a fraction": ("return sum", "return 100 * sum"),
}


def my_ablate(W, k, head):
    mine = range(head * k, (head + 1) * k)
    return [[0.0 if i in mine else w for i, w in enumerate(row)] for row in W]


MINE = "range(head * k, (head + 1) * k)"
ABLATE_MISTAKES = {
    "the rows of the head are set to 0, and not the columns: W is [out][in]": (
        ("i in mine", "o in mine"),
        ("for row in W", "for o, row in enumerate(W)"),
    ),
    "the other heads are ablated, and this one is kept": ("in mine", "not in mine"),
    "the columns begin at head, and not at head * k": (MINE, "range(head, head + k)"),
    "only the first column of the head is set to 0": (MINE, "[head * k]"),
    "one column too many is set to 0: the last one is head * k + k - 1": ("+ 1) * k", "+ 1) * k + 1"),
    "heads are counted from 1; they are counted from 0": (MINE, "range((head - 1) * k, head * k)"),
    "W is returned unchanged": ("0.0 if i in mine else w", "w"),
}


SMALL = {
    "names": {"mia": "she", "tom": "he"},
    "things": ["ball", "hat", "kite", "boat"],
    "plots": ["A has a THING .", "A wants a THING ."],
}
PAIRS = {
    "names": {"mia": "she", "zoe": "she", "tom": "he"},
    "colours": ["red", "blue"],
    "things": ["hat", "kite"],
    "plots": ["A sees B .", "A has a COLOUR THING . SHE(A) likes it ."],
}
ONE = {
    "names": {"mia": "she", "zoe": "she", "tom": "he", "ben": "he"},
    "plots": ["A thanks B . B is happy ."],
}


LOGITS = [[0.5, 2.0, 1.0], [3.0, 0.0, 1.0], [0.1, 0.2, 0.3], [1.0, 0.0, -1.0]]
W4 = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5]]
W6 = [[round(0.5 + 6 * i + j, 1) for j in range(6)] for i in range(6)]

EXERCISES = {
    "16.a": Exercise(my_entropy, [[SMALL], [ONE], [PAIRS], [stories.RULE]], ENTROPY_MISTAKES),
    "16.b": Exercise(
        my_vocab,
        [
            [["a hat .", "a kite ."]],
            [["zoe has a boat .", "ben has a hat . zoe is sad ."]],
            [["the box . the bag ."]],
        ],
        VOCAB_MISTAKES,
    ),
    "16.c": Exercise(
        my_right,
        [
            [[[1.0, 2.0], [3.0, 0.0]], [1, 1], ["name", "name"], "name"],
            [LOGITS, [1, 0, 0, 0], ["name", "grammar", "name", "name"], "name"],
            [LOGITS, [1, 2, 2, 0], ["thing", "thing", "name", "grammar"], "thing"],
            [LOGITS, [0, 0, 2, 0], ["colour", "grammar", "grammar", "grammar"], "colour"],
            [LOGITS, [1, 0, 0, 0], ["name"] * 4, "name"],
        ],
        RIGHT_MISTAKES,
    ),
    "16.d": Exercise(
        my_ablate, [[[[1, 2], [3, 4]], 1, 1], [W4, 2, 0], [W4, 2, 1], [W6, 2, 2], [W6, 3, 1]], ABLATE_MISTAKES
    ),
}
