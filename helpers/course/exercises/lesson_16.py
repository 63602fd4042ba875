"""Lesson 16: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ...attention import softmax
from ..training.stories import RULE, entropy_of_rule, slots_of, word_vocab
from .exercise import Exercise


def my_entropy(rule):
    return entropy_of_rule(rule)


def _entropy(plots="each", ways=math.perm, end=1, per="token", log=math.log, equal=False):
    """my_entropy with something left out or done otherwise."""

    def entropy(rule):
        costs, lengths = [], []
        for plot in rule["plots"]:
            counted = plots == "each" or plots == "once" and not costs
            nats = log(len(rule["plots"])) if counted else 0.0
            nats += sum(log(ways(len(rule[kind]), len(slots))) for kind, slots in slots_of(plot).items())
            costs.append(nats)
            lengths.append(len(plot.split()) + end)
        if equal:
            return sum(cost / length for cost, length in zip(costs, lengths)) / len(costs)
        return sum(costs) / {"token": sum(lengths), "story": len(costs), "none": 1}[per]

    return entropy


_SMALL = {
    "names": {"mia": "she", "tom": "he"},
    "things": ["ball", "hat", "kite", "boat"],
    "plots": ["A has a THING .", "A wants a THING ."],
}
_PAIRS = {
    "names": {"mia": "she", "zoe": "she", "tom": "he"},
    "colours": ["red", "blue"],
    "things": ["hat", "kite"],
    "plots": ["A sees B .", "A has a COLOUR THING . SHE(A) likes it ."],
}
_ONE = {
    "names": {"mia": "she", "zoe": "she", "tom": "he", "ben": "he"},
    "plots": ["A thanks B . B is happy ."],
}


def my_vocab(stories):
    return word_vocab(stories)


_SPECIAL = ["<PAD>", "<BOS>", "<EOS>"]


def _words(stories):
    return [word for story in stories for word in story.split()]


def _vocab(words=_words, special=_SPECIAL, order=sorted):
    """my_vocab with something left out or done otherwise."""

    def vocab(stories):
        return [*special, *order(words(stories))]

    return vocab


def _once(words):
    return list(dict.fromkeys(words))


def my_right(logits, targets, kinds, kind):
    return _right()(logits, targets, kinds, kind)


def _right(best=max, only=True, below="kind", move=0):
    """my_right with something left out or done otherwise."""

    def right(logits, targets, kinds, kind):
        last = len(targets) - 1
        targets = [targets[min(max(i + move, 0), last)] for i in range(last + 1)]
        entries = [(row, t) for row, t, k in zip(logits, targets, kinds) if k == kind or not only]
        found = sum(row.index(best(row)) == t for row, t in entries)
        return found / {"kind": len(entries), "all": len(targets), "one": 1}[below]

    return right


def _probability(logits, targets, kinds, kind):
    entries = [(row, t) for row, t, k in zip(logits, targets, kinds) if k == kind]
    return sum(softmax(row)[t] for row, t in entries) / len(entries)


def my_ablate(W, k, head):
    return _ablated()(W, k, head)


def _ablated(rows=False, others=False, first=None, count=None):
    """my_ablate with something done otherwise."""

    def ablated(W, k, head):
        start = head * k if first is None else first(k, head)
        mine = range(start, start + (k if count is None else count(k)))
        return [
            [0.0 if ((o if rows else i) in mine) != others else w for i, w in enumerate(row)]
            for o, row in enumerate(W)
        ]

    return ablated


_LOGITS = [[0.5, 2.0, 1.0], [3.0, 0.0, 1.0], [0.1, 0.2, 0.3], [1.0, 0.0, -1.0]]
_W4 = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5]]
_W6 = [[round(0.5 + 6 * i + j, 1) for j in range(6)] for i in range(6)]

EXERCISES = {
    "16.a": Exercise(
        my_entropy,
        [[_SMALL], [_ONE], [_PAIRS], [RULE]],
        mistakes={
            "the choice of the plot is missing: it costs ln of the number of plots": _entropy(plots="none"),
            "the choice of the plot is counted once; it costs ln of their number for each plot": _entropy(
                plots="once"
            ),
            "<EOS> is not counted: a story has one token more than words": _entropy(end=0),
            "the result is for a whole story, and not per token": _entropy(per="story"),
            "the nats of all plots are added, but not divided by the tokens": _entropy(per="none"),
            "every plot has its own mean per token; add all nats, add all tokens, then divide": _entropy(
                equal=True
            ),
            "the same word can fill two slots of one kind; they get different words: math.perm": _entropy(
                ways=pow
            ),
            "the order of A and B does not count: math.comb counts pairs once, math.perm twice": _entropy(
                ways=math.comb
            ),
            "two slots of one kind are counted as one": _entropy(ways=lambda n, slots: n),
            "the logarithm has base 2, which gives bits and not nats": _entropy(log=math.log2),
            "the logarithm has base 10: math.log is the natural one": _entropy(log=math.log10),
        },
    ),
    "16.b": Exercise(
        my_vocab,
        [
            [["a hat .", "a kite ."]],
            [["zoe has a boat .", "ben has a hat . zoe is sad ."]],
            [["the box . the bag ."]],
        ],
        mistakes={
            "the tokens are characters; split each story into words": _vocab(
                lambda stories: set("".join(stories))
            ),
            "a word that occurs several times is listed several times": _vocab(),
            "the words stand in the order in which they occur; sort them": _vocab(order=_once),
            "the special tokens are missing": _vocab(special=[], order=lambda words: sorted(set(words))),
            "the special tokens come first: <PAD>, <BOS>, <EOS>": lambda stories: [
                *sorted(set(_words(stories))),
                *_SPECIAL,
            ],
            "the special tokens are sorted, too; they keep their order": lambda stories: sorted(
                {*_SPECIAL, *_words(stories)}
            ),
            "the full stop is missing: it is a word of its own": lambda stories: [
                *_SPECIAL,
                *sorted({*_words(stories)} - {"."}),
            ],
            "only the words of the first story are listed": lambda stories: word_vocab(stories[:1]),
        },
    ),
    "16.c": Exercise(
        my_right,
        [
            [[[1.0, 2.0], [3.0, 0.0]], [1, 1], ["name", "name"], "name"],
            [_LOGITS, [1, 0, 0, 0], ["name", "grammar", "name", "name"], "name"],
            [_LOGITS, [1, 2, 2, 0], ["thing", "thing", "name", "grammar"], "thing"],
            [_LOGITS, [0, 0, 2, 0], ["colour", "grammar", "grammar", "grammar"], "colour"],
            [_LOGITS, [1, 0, 0, 0], ["name"] * 4, "name"],
        ],
        mistakes={
            "all positions are counted, and not only those of this kind": _right(only=False),
            "the number of right words is divided by the number of all positions": _right(below="all"),
            "the result is a number of words, and not a fraction": _right(below="one"),
            "the smallest logit is taken, and not the largest": _right(best=min),
            "the targets are moved by one position; logits[i] and targets[i] belong together": _right(
                move=-1
            ),
            "logits[i] is compared with targets[i + 1]; logits[i] and targets[i] belong together": _right(
                move=1
            ),
            "a probability is returned; count where the right word has the largest logit": _probability,
            "the fraction of wrong words is returned": lambda *a: 1 - my_right(*a),
            "the result is a percentage, and not a fraction": lambda *a: 100 * my_right(*a),
        },
    ),
    "16.d": Exercise(
        my_ablate,
        [[[[1, 2], [3, 4]], 1, 1], [_W4, 2, 0], [_W4, 2, 1], [_W6, 2, 2], [_W6, 3, 1]],
        mistakes={
            "the rows of the head are set to 0, and not the columns: W is [out][in]": _ablated(rows=True),
            "the other heads are ablated, and this one is kept": _ablated(others=True),
            "the columns begin at head, and not at head * k": _ablated(first=lambda k, head: head),
            "only the first column of the head is set to 0": _ablated(count=lambda k: 1),
            "one column too many is set to 0: the last one is head * k + k - 1": _ablated(
                count=lambda k: k + 1
            ),
            "heads are counted from 1; they are counted from 0": _ablated(
                first=lambda k, head: (head - 1) * k
            ),
            "W is returned unchanged": lambda W, k, head: [list(row) for row in W],
        },
    ),
}
