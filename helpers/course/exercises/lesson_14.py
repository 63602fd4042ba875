"""Lesson 14, hidden side. Reading on gives answers away."""

import math
import string

from .exercise import Exercise

_MARKS = ["<PAD>", "<BOS>", "<EOS>"]
_LETTERS = [*_MARKS, *string.ascii_lowercase]


def my_tokens(text, vocab):
    return [1] + [vocab.index(character) for character in text] + [2]


def my_loss(token, row, V, alpha):
    return _smoothed()(token, row, V, alpha)


def _smoothed(above=True, below="V", log=math.log, sign=-1):
    """my_loss with something left out."""

    def loss(token, row, V, alpha):
        kinds = {"V": V, "seen": len(row), "one": 1, "none": 0}[below]
        share = (row.get(token, 0) + (alpha if above else 0)) / (sum(row.values()) + alpha * kinds)
        return sign * log(share)

    return loss


def my_masked_mean(losses, targets):
    kept = [loss for loss, target in zip(losses, targets) if target]
    return sum(kept) / len(kept)


def mixture_loss(bigrams, letters, w):
    return -sum(math.log((1 - w) * b + w * a) for b, a in zip(bigrams, letters)) / len(letters)


def _mean(losses):
    return sum(losses) / len(losses)


EXERCISES = {
    "14.a": Exercise(
        my_tokens,
        [
            ["ba", [*_MARKS, "a", "b"]],
            ["", [*_MARKS, "a", "b"]],
            ["zoe", _LETTERS],
            ["anna", _LETTERS],
            ["o o", [*_MARKS, " ", "o"]],
        ],
        slips={
            "<EOS> is forgotten": lambda text, vocab: my_tokens(text, vocab)[:-1],
            "<BOS> is forgotten": lambda text, vocab: my_tokens(text, vocab)[1:],
            "both marks are forgotten": lambda text, vocab: my_tokens(text, vocab)[1:-1],
            "the three marks are not counted: a is the first letter, and not token 0": lambda text, vocab: (
                [1, *(vocab.index(c) - 3 for c in text), 2]
            ),
            (
                "each letter is given by its number in Unicode, as ord does, and not by its place in the "
                "vocabulary"
            ): lambda text, vocab: ([1, *map(ord, text), 2]),
            (
                "a letter's number is reckoned from the alphabet, where a is 3, and not looked up: other "
                "texts have other characters"
            ): lambda text, vocab: ([1, *(ord(c) - ord("a") + 3 for c in text), 2]),
            "a letter that comes twice is taken once": lambda text, vocab: my_tokens(
                dict.fromkeys(text), vocab
            ),
        },
    ),
    "14.b": Exercise(
        my_loss,
        [
            [5, {5: 2, 7: 1}, 4, 0.25],
            [6, {5: 2, 7: 1}, 4, 0.25],
            [3, {}, 29, 0.1],
            [3, {3: 40, 4: 9, 2: 1}, 29, 0.5],
            [9, {3: 40, 4: 9, 2: 1}, 29, 0.03],
        ],
        slips={
            "the amount is added to the count, and not to the total": _smoothed(below="none"),
            "the amount is added to the total once, and not V times": _smoothed(below="one"),
            "the total gets the amount only for what was seen": _smoothed(below="seen"),
            (
                "a token that never came is looked up in row all the same: row.get(token, 0) is 0 there"
            ): lambda token, row, V, alpha: -math.log((row[token] + alpha) / (sum(row.values()) + alpha * V)),
            "the minus is forgotten": _smoothed(sign=1),
            "the share is returned, and not its logarithm": _smoothed(log=lambda share: share, sign=1),
            "the logarithm is that of base 2: bits, and not nats": _smoothed(log=math.log2),
        },
    ),
    "14.c": Exercise(
        my_masked_mean,
        [
            [[1.0, 3.0, 0.5], [7, 2, 0]],
            [[1.0, 2.0], [3, 2]],
            [[2.5, 0.25, 1.25, 0.5, 0.125, 0.0625], [9, 4, 2, 0, 0, 0]],
            [[0.5, 9.0, 9.0], [2, 0, 0]],
        ],
        slips={
            "the padding is counted, too": lambda losses, targets: _mean(losses),
            "the padding counts as 0, and the mean is over all": lambda losses, targets: (
                sum(loss for loss, target in zip(losses, targets) if target) / len(losses)
            ),
            (
                "the last loss is left out, whatever its target is: there may be no padding, or more"
            ): lambda losses, targets: _mean(losses[:-1]),
            "<EOS> is left out as well: where a name ends is something to learn": lambda losses, targets: (
                _mean([loss for loss, target in zip(losses, targets) if target not in (0, 2)] or [0.0])
            ),
            "only the padding is counted": lambda losses, targets: _mean(
                [loss for loss, target in zip(losses, targets) if not target] or [0.0]
            ),
            "the sum is returned, and not the mean": lambda losses, targets: sum(
                loss for loss, target in zip(losses, targets) if target
            ),
        },
    ),
    "14.1": Exercise(
        mixture_loss,
        [
            [[0.5, 0.0], [0.1, 0.2], 0.5],
            [[0.5, 0.25], [0.125, 0.0625], 0.25],
            [[0.75, 0.001, 0.3], [0.05, 0.1, 0.2], 0.1],
            [[0.4, 0.3], [0.1, 0.2], 0.0],
            [[0.4, 0.3, 0.2, 0.6], [0.1, 0.2, 0.01, 0.05], 1.0],
        ],
        slips={
            "w goes to the bigrams": lambda bigrams, letters, w: mixture_loss(letters, bigrams, w),
            (
                "the losses are mixed, and not the shares: a share of 0 has no logarithm, so mix first"
            ): lambda bigrams, letters, w: (
                -_mean([(1 - w) * math.log(b) + w * math.log(a) for b, a in zip(bigrams, letters)])
            ),
            "the sum is returned, and not the mean": lambda bigrams, letters, w: (
                mixture_loss(bigrams, letters, w) * len(letters)
            ),
            "the minus is forgotten": lambda bigrams, letters, w: -mixture_loss(bigrams, letters, w),
            "the mean share is taken, and then its logarithm": lambda bigrams, letters, w: (
                -math.log(_mean([(1 - w) * b + w * a for b, a in zip(bigrams, letters)]))
            ),
            "the mean of the shares is returned, without a logarithm": lambda bigrams, letters, w: _mean(
                [(1 - w) * b + w * a for b, a in zip(bigrams, letters)]
            ),
        },
    ),
}
