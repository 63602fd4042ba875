"""Lesson 14b, where text comes from, hidden side. Reading on gives answers away."""

from ...texts import comparison_key, deduplicate
from ..lessons.reading.documents import BOMS, decode_bytes
from .exercise import Exercise


def my_decode(data):
    return decode_bytes(data)


def _by_mark(data):
    return next(
        ((data.decode(encoding), encoding) for mark, encoding in BOMS.items() if data.startswith(mark)), None
    )


def _otherwise(read):
    """my_decode that looks for a mark, and then does this."""
    return lambda data: _by_mark(data) or read(data)


def _without_marks(data):
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "cp1252"


def _mark_taken_off(data):
    for mark, encoding in BOMS.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    return decode_bytes(data)


def _shortest_mark_first(data):
    for mark, encoding in sorted(BOMS.items(), key=lambda pair: len(pair[0])):
        if data.startswith(mark):
            return data.decode(encoding), encoding
    return decode_bytes(data)


def my_deduplicate(texts):
    return deduplicate(texts)


def _last(texts):
    return list({comparison_key(text) or text: text for text in texts}.values())


def _by_words_alone(texts):
    first = {}
    for text in texts:
        first.setdefault(comparison_key(text), text)
    return list(first.values())


def _words(text):
    return comparison_key(text) or text


def my_find_leaks(train_set, test_set):
    known = {_words(text) for text in train_set}
    return [i for i, text in enumerate(test_set) if _words(text) in known]


def _leaks_by_words_alone(train_set, test_set):
    known = {comparison_key(text) for text in train_set}
    return [i for i, text in enumerate(test_set) if comparison_key(text) in known]


def _within(train_set, test_set):
    return [
        i
        for i, text in enumerate(test_set)
        if any(comparison_key(text) in comparison_key(other) for other in train_set)
    ]


def fair_split(lines, names):
    return _split(lines, names)


def _split(lines, names, words=_words, cleaned="training"):
    """fair_split that compares in its own way, or takes what leaks out of another part."""
    test_set = [line for name, line in lines if name in names]
    train_set = [line for name, line in lines if name not in names]
    if cleaned == "training":
        known = {words(line) for line in test_set}
        train_set = [line for line in train_set if words(line) not in known]
    elif cleaned == "held out":
        known = {words(line) for line in train_set}
        test_set = [line for line in test_set if words(line) not in known]
    return train_set, test_set


EXERCISES = {
    "14.d": Exercise(
        my_decode,
        [
            [b"caf\xe9"],
            ["Zoë".encode()],
            [b"plain"],
            ["→ Zoë".encode("utf-8-sig")],
            [b"\xff\xfe" + "Zoë".encode("utf-16-le")],
            [b"\xfe\xff" + "Zoë".encode("utf-16-be")],
            [b"\xff\xfe\0\0" + "Zoë".encode("utf-32-le")],
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
            "what does not fit UTF-8 is left out": _otherwise(
                lambda data: (data.decode("utf-8", "ignore"), "utf-8")
            ),
            (
                "the mark is taken off, and with it what it says: which byte of a letter comes first"
            ): _mark_taken_off,
            "a short mark is found where a longer one begins alike": _shortest_mark_first,
        },
    ),
    "14.e": Exercise(
        my_deduplicate,
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
                dict.fromkeys(comparison_key(text) or text for text in texts)
            ),
            "small letters are given back, and not the texts": lambda texts: [
                text.lower() for text in deduplicate(texts)
            ],
            "they are sorted": lambda texts: sorted(deduplicate(texts)),
            "texts without words are all taken for one": _by_words_alone,
        },
    ),
    "14.f": Exercise(
        my_find_leaks,
        [
            [["Neon!", "Argon"], ["helium", "NEON"]],
            [["Anna", "the cat"], ["Ann", "The cat.", "cat", "anna"]],
            [["Ann"], ["Annabel", "ann!"]],
            [["a b"], ["a", "b", "A B"]],
            [["b", "a"], ["a", "c", "a"]],
            [["?", "a"], ["!", "?"]],
            [[], ["a"]],
            [["a"], []],
        ],
        slips={
            "texts are compared to the letter": lambda train_set, test_set: [
                i for i, text in enumerate(test_set) if text in train_set
            ],
            "the texts are given, and not their numbers": lambda train_set, test_set: [
                test_set[i] for i in my_find_leaks(train_set, test_set)
            ],
            "the numbers are those of the training texts": lambda train_set, test_set: my_find_leaks(
                test_set, train_set
            ),
            "a text is also found inside a longer one, and one without words in any": _within,
            "a text is also found inside a longer one": lambda train_set, test_set: [
                i
                for i, text in enumerate(test_set)
                if any(_words(text) in _words(other) for other in train_set)
            ],
            "a text is also found where it holds a training text": lambda train_set, test_set: [
                i
                for i, text in enumerate(test_set)
                if any(_words(other) in _words(text) for other in train_set)
            ],
            "equal texts are given the number of the first": lambda train_set, test_set: [
                test_set.index(test_set[i]) for i in my_find_leaks(train_set, test_set)
            ],
            "texts without words are all taken for one": _leaks_by_words_alone,
        },
    ),
    "14.2": Exercise(
        fair_split,
        [
            [[("a", "Ann"), ("b", "Bob"), ("a", "bob!"), ("b", "Cy")], ["b"]],
            [[("one", "x"), ("two", "y"), ("three", "X"), ("two", "z"), ("one", "Z!")], ["two", "three"]],
            [[("a", "c"), ("a", "c"), ("b", "d"), ("a", "e"), ("b", "d"), ("b", "E")], ["b"]],
            [[("a", "?"), ("a", "!"), ("b", "?")], ["b"]],
            [[("ab", "x"), ("a", "y"), ("b", "z")], ["ab"]],
            [[("a", "x")], []],
        ],
        parts=("training", "held out"),
        slips={
            "the training part keeps what leaks": lambda lines, names: _split(lines, names, cleaned="none"),
            (
                "what leaks is taken out of the held-out part: the book is no longer whole"
            ): lambda lines, names: _split(lines, names, cleaned="held out"),
            "lines are compared to the letter": lambda lines, names: _split(
                lines, names, words=lambda line: line
            ),
            "lines without words are all taken for one": lambda lines, names: _split(
                lines, names, words=comparison_key
            ),
            "the two parts are given in the other order": lambda lines, names: _split(lines, names)[::-1],
            "a name is also found inside a longer one": lambda lines, names: _split(
                lines, {name for name, _ in lines if name in "".join(names)}
            ),
            "duplicates within a part are dropped, too": lambda lines, names: tuple(
                map(deduplicate, _split(lines, names))
            ),
        },
    ),
}
