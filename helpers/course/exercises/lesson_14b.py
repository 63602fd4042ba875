"""Lesson 14b, where text comes from, hidden side. Reading on gives answers away."""

from ...documents import MARKS, decode
from ...texts import plain_words, unique
from .entry import Exercise


def my_decode(data):
    return decode(data)


def _by_mark(data):
    return next(((data.decode(encoding), encoding) for mark, encoding in MARKS.items() if data.startswith(mark)), None)


def _otherwise(read):
    """my_decode that looks for a mark, and then does this."""
    return lambda data: _by_mark(data) or read(data)


def _without_marks(data):
    text = data.decode("utf-8", "replace")
    return (text, "utf-8") if text.encode("utf-8") == data else (data.decode("cp1252", "replace"), "cp1252")


def _shortest_mark_first(data):
    for mark, encoding in sorted(MARKS.items(), key=lambda pair: len(pair[0])):
        if data.startswith(mark):
            return data.decode(encoding), encoding
    return decode(data)


def my_unique(texts):
    return unique(texts)


def _last(texts):
    return list({plain_words(text) or text: text for text in texts}.values())


def _by_words_alone(texts):
    first = {}
    for text in texts:
        first.setdefault(plain_words(text), text)
    return list(first.values())


def my_leaks(training, held_out):
    known = {plain_words(text) for text in training}
    return [i for i, text in enumerate(held_out) if plain_words(text) in known]


def _within(training, held_out):
    return [i for i, text in enumerate(held_out) if any(plain_words(text) in plain_words(other) for other in training)]


EXERCISES = {
    "14.d": Exercise(
        my_decode,
        [
            [b"caf\xe9"],
            ["Zoë".encode()],
            [b"plain"],
            ["→ Zoë".encode("utf-8-sig")],
            ["Zoë".encode("utf-16")],
            ["Zoë".encode("utf-32")],
            ["“Zoë”".encode("cp1252")],
            [b"Zo\xc3"],
            ["a \ufffd stands here".encode()],
        ],
        slips={
            "marks are not looked for": _without_marks,
            "Windows-1252 is tried first, and hardly anything fails in it": _otherwise(
                lambda data: (data.decode("cp1252", "replace"), "cp1252")
            ),
            "what does not fit UTF-8 is replaced, and no other encoding is tried": _otherwise(
                lambda data: (data.decode("utf-8", "replace"), "utf-8")
            ),
            "what does not fit UTF-8 is left out": _otherwise(lambda data: (data.decode("utf-8", "ignore"), "utf-8")),
            "a short mark is found where a longer one begins alike": _shortest_mark_first,
        },
    ),
    "14.e": Exercise(
        my_unique,
        [
            [["Ann", "Bob", "ANN!", "Bob "]],
            [["b", "a", "b"]],
            [["Zoe", "zoe", "ZOE", "Ann"]],
            [["?", "!", "?", "A?", "a!"]],
            [[]],
        ],
        slips={
            "texts are compared to the letter": lambda texts: list(dict.fromkeys(texts)),
            "the last one is kept, and not the first": _last,
            "plain words are given back, and not the texts": lambda texts: list(
                dict.fromkeys(plain_words(text) or text for text in texts)
            ),
            "they are sorted": lambda texts: sorted(unique(texts)),
            "texts without words are all taken for one": _by_words_alone,
        },
    ),
    "14.f": Exercise(
        my_leaks,
        [
            [["Neon!", "Argon"], ["helium", "NEON"]],
            [["Anna", "the cat"], ["Ann", "The cat.", "cat", "anna"]],
            [["a b"], ["a", "b", "A B"]],
            [[], ["a"]],
            [["a"], []],
        ],
        slips={
            "texts are compared to the letter": lambda training, held_out: [
                i for i, text in enumerate(held_out) if text in training
            ],
            "the texts are given, and not their numbers": lambda training, held_out: [
                held_out[i] for i in my_leaks(training, held_out)
            ],
            "the numbers are those of the training texts": lambda training, held_out: my_leaks(held_out, training),
            "a text is also found inside a longer one": _within,
        },
    ),
}
