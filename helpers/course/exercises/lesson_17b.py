"""Lesson 17b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from .exercise import Exercise


def my_loss_per_byte(losses, ids, vocab):
    tokens = [vocab[i] for i in ids]
    size = sum(len(token) if isinstance(token, bytes) else 1 for token in tokens)
    return sum(losses) / size


def mean_of_ratios(losses, ids, vocab):
    sizes = [len(vocab[i]) if isinstance(vocab[i], bytes) else 1 for i in ids]
    return sum(loss / size for loss, size in zip(losses, sizes)) / len(ids)


def sum_of_ratios(losses, ids, vocab):
    return mean_of_ratios(losses, ids, vocab) * len(ids)


SIZES = "sum(len(token) if isinstance(token, bytes) else 1 for token in tokens)"
PER_BYTE_MISTAKES = {
    "the loss is divided by the number of tokens: that is the loss per token": (SIZES, "len(ids)"),
    "each token's loss is divided by its own bytes, and the mean is taken: divide the totals": mean_of_ratios,
    "each token's loss is divided by its own bytes, and these are added up: divide the totals": sum_of_ratios,
    "`losses` is indexed with an id: `losses[i]` is the loss of the token at position i": (
        ("sum(losses)", "sum(losses[i] for i in ids)"),
    ),
    "the result is in bits per byte: do not divide by ln 2": ("return sum", "return 1 / math.log(2) * sum"),
    "a special token counts as many bytes as its name has letters; it counts as one": (
        SIZES,
        "sum(map(len, tokens))",
    ),
    "a special token counts as no byte; it counts as one": ("else 1", "else 0"),
    "the special tokens are left out, with their losses": (
        ("else 1", "else 0"),
        ("sum(losses)", "sum(loss for loss, token in zip(losses, tokens) if isinstance(token, bytes))"),
    ),
    "characters are counted, and not bytes": (
        "len(token) if",
        'len(token.decode("utf-8", errors="replace")) if',
    ),
    "the bytes of the whole vocabulary are counted, and not those of the text": (
        "[vocab[i] for i in ids]",
        "vocab",
    ),
    "a token that occurs several times is counted once": ("for i in ids", "for i in set(ids)"),
    "the sum of the losses is returned, and not divided": (" / size", ""),
    "the result is upside down: divide the losses by the bytes": ("sum(losses) / size", "size / sum(losses)"),
    "the mean loss is divided by the bytes: take the sum": ("sum(losses) /", "sum(losses) / len(losses) /"),
    "the ids are added up, and not the bytes of the tokens": (SIZES, "sum(ids)"),
    "the loss per token is multiplied by bytes / tokens, and not by tokens / bytes": (
        "sum(losses) / size",
        "sum(losses) / len(ids) * size / len(ids)",
    ),
    "the sum is rounded down by //": ("sum(losses) / size", "sum(losses) // size"),
    "every token counts as one byte more than it has": ("len(token) if", "len(token) + 1 if"),
}


EXERCISES = {
    "17.e": Exercise(
        my_loss_per_byte,
        [
            [[6.0, 9.0, 5.0, 2.0], [1, 2, 1, 0], ["<EOS>", b"the", b" cat"]],
            [[0.5, 1.5, 4.0, 0.75, 0.25], [1, 3, 2, 1, 0], ["<EOS>", b"a", b"stand", b" b", b"unused"]],
            [[3.0, 2.5], [1, 2], ["<PAD>", b"sun", b"ny"]],  # no special token in the text
            [[1.25, 4.5, 0.5, 2.0], [2, 1, 2, 0], ["<EOS>", "\u732b".encode(), "\u00e9".encode()]],
            [[0.5, 0.25, 6.0, 1.0], [3, 4, 2, 1], ["<PAD>", "<EOS>", b" then", b"\xe7", b"\x8c\xab"]],
            [[2.0, 1.0, 3.0, 0.5, 1.5], [2, 1, 3, 3, 1], ["<BOS>", "<EOS>", b"one", b"!"]],  # two lines
        ],
        PER_BYTE_MISTAKES,
    )
}
