"""Lesson 14b: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ...texts import comparison_key, deduplicate
from ..reading.documents import BOMS, decode_bytes
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


def _mark_anywhere(data):
    for mark, encoding in BOMS.items():
        if mark in data:
            return data.decode(encoding, "replace"), encoding
    return _without_marks(data)


def _latin_1(data):
    text, encoding = decode_bytes(data)
    return (data.decode("latin-1"), "latin-1") if encoding == "cp1252" else (text, encoding)


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


def fair_split(lines, names):
    return _split(lines, names)


def _split(lines, names, words=_words, cleaned="training"):
    """fair_split that compares in its own way, or takes what leaks out of another part."""
    test_set = [line for name, line in lines if name in names]
    train_set = [line for name, line in lines if name not in names]
    if cleaned == "training":
        known = {words(line) for line in test_set}
        train_set = [line for line in train_set if words(line) not in known]
    elif cleaned == "test":
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
            [b"Zo\xff\xfe"],
            ["Zo\ufeffe".encode()],
        ],
        mistakes={
            "byte order marks are not looked for": _without_marks,
            (
                "a byte order mark is looked for anywhere in the data: it counts only at the beginning"
            ): _mark_anywhere,
            "Windows-1252 is tried before UTF-8, and almost no bytes fail in it": _otherwise(
                lambda data: (data.decode("cp1252", "replace"), "cp1252")
            ),
            "Windows-1252 is tried first, and byte order marks are not looked for": lambda data: (
                data.decode("cp1252", "replace"),
                "cp1252",
            ),
            "bytes that do not fit UTF-8 are replaced, and Windows-1252 is not tried": _otherwise(
                lambda data: (data.decode("utf-8", "replace"), "utf-8")
            ),
            "bytes that do not fit UTF-8 are left out, and Windows-1252 is not tried": _otherwise(
                lambda data: (data.decode("utf-8", "ignore"), "utf-8")
            ),
            "the last guess is Latin-1, and not Windows-1252": _latin_1,
            "encoding and text are returned in the other order": lambda data: decode_bytes(data)[::-1],
            "the text is returned without the name of its encoding": lambda data: decode_bytes(data)[0],
            (
                "the byte order mark is cut off before decoding, and with it the order of the bytes"
            ): _mark_taken_off,
            "a short byte order mark is found where a longer one begins with the "
            "same bytes": _shortest_mark_first,
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
        mistakes={
            "texts are compared as they are, with capitals and punctuation": lambda texts: list(
                dict.fromkeys(texts)
            ),
            "the last of the duplicates is kept, and not the first": _last,
            "the keys are returned, and not the texts": lambda texts: list(
                dict.fromkeys(comparison_key(text) or text for text in texts)
            ),
            "the texts are returned in small letters": lambda texts: [
                text.lower() for text in deduplicate(texts)
            ],
            "the texts are sorted: keep their order": lambda texts: sorted(deduplicate(texts)),
            "texts with an empty key count as equal: compare the texts themselves": _by_words_alone,
            "the texts are in the order of their last occurrences": lambda texts: list(
                {_words(text): text for text in reversed(texts)}.values()
            )[::-1],
            "all texts with a duplicate are removed, and none of them is kept": lambda texts: [
                text for text in texts if [*map(_words, texts)].count(_words(text)) == 1
            ],
        },
    ),
    "14.1": Exercise(
        fair_split,
        [
            [[("a", "Ann"), ("b", "Bob"), ("a", "bob!"), ("b", "Cy")], ["b"]],
            [[("one", "x"), ("two", "y"), ("three", "X"), ("two", "z"), ("one", "Z!")], ["two", "three"]],
            [[("a", "c"), ("a", "c"), ("b", "d"), ("a", "e"), ("b", "d"), ("b", "E")], ["b"]],
            [[("a", "?"), ("a", "!"), ("b", "?")], ["b"]],
            [[("ab", "x"), ("a", "y"), ("b", "z")], ["ab"]],
            [[("a", "x")], []],
        ],
        parts=("training set", "test set"),
        mistakes={
            "the training set keeps the lines that are also in the test set": lambda lines, names: _split(
                lines, names, cleaned="none"
            ),
            (
                "lines that are in both sets are removed from the test set, and not from the training set"
            ): lambda lines, names: _split(lines, names, cleaned="test"),
            "lines are compared as they are, with capitals and punctuation": lambda lines, names: _split(
                lines, names, words=lambda line: line
            ),
            "lines with an empty key count as equal: compare the lines themselves": lambda lines, names: (
                _split(lines, names, words=comparison_key)
            ),
            "the two sets are returned in the other order": lambda lines, names: _split(lines, names)[::-1],
            "a name is also found inside a longer name": lambda lines, names: _split(
                lines, {name for name, _ in lines if name in "".join(names)}
            ),
            "duplicates within a set are removed, too": lambda lines, names: tuple(
                map(deduplicate, _split(lines, names))
            ),
        },
    ),
}
