"""Lesson 14b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import comparison_key
from .. import reading
from .exercise import Exercise


def my_decode(data):
    for mark, encoding in reading.BOMS.items():
        if data.startswith(mark):
            return data.decode(encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252"), "cp1252"


def encoding_first(data):
    text, encoding = my_decode(data)
    return encoding, text


def text_only(data):
    return my_decode(data)[0]


MARKS = """    for mark, encoding in reading.BOMS.items():
        if data.startswith(mark):
            return data.decode(encoding), encoding
"""
AS_UTF_8, AS_CP1252 = 'data.decode("utf-8"), "utf-8"', 'data.decode("cp1252"), "cp1252"'
DECODE_MISTAKES = {
    "byte order marks are not looked for": (MARKS, ""),
    "a byte order mark counts anywhere, not only at the beginning": ("data.startswith(mark)", "mark in data"),
    "Windows-1252 is tried before UTF-8, and almost no bytes fail in it": (AS_UTF_8, AS_CP1252),
    "Windows-1252 is tried first, and byte order marks are not looked for": (
        (MARKS, ""),
        (AS_UTF_8, AS_CP1252),
    ),
    "bytes that do not fit UTF-8 are replaced, and Windows-1252 is not tried": ('-8"),', '-8", "replace"),'),
    "bytes that do not fit UTF-8 are left out, and Windows-1252 is not tried": ('-8"), ', '-8", "ignore"), '),
    "the last guess is Latin-1, and not Windows-1252": (AS_CP1252, 'data.decode("latin-1"), "latin-1"'),
    "encoding and text are returned in the other order": encoding_first,
    "the text is returned without the name of its encoding": text_only,
    "the byte order mark is cut off, and with it the byte order": (".decode(enc", "[len(mark) :].decode(enc"),
    "a short byte order mark is found where a longer one begins with the same bytes": (
        ("reading.BOMS.items()", "sorted(reading.BOMS.items(), key=lambda pair: len(pair[0]))"),
    ),
}


def my_deduplicate(texts):
    first = {}
    for text in texts:
        first.setdefault(comparison_key(text) or text, text)
    return list(first.values())


KEY = "comparison_key(text) or text"
KEEP, RESULT = f"first.setdefault({KEY}, text)", "list(first.values())"
DEDUPLICATE_MISTAKES = {
    "texts are compared as they are, with capitals and punctuation": (KEY, "text"),
    "the last of the duplicates is kept, and not the first": (KEEP, f"first[{KEY}] = text"),
    "the keys are returned, and not the texts": ("values", "keys"),
    "the texts are returned in small letters": (RESULT, "[text.lower() for text in first.values()]"),
    "the texts are sorted: keep their order": (RESULT, "sorted(first.values())"),
    "texts with an empty key count as equal: compare the texts themselves": (" or text", ""),
    "the texts are in the order of their last occurrences": (KEEP, f"first[{KEY}] = first.pop({KEY}, text)"),
    "all texts with a duplicate are removed, and none of them is kept": (
        (KEEP, f"first.setdefault({KEY}, []).append(text)"),
        (RESULT, "[equal[0] for equal in first.values() if len(equal) == 1]"),
    ),
}


def fair_split(lines, names):
    test_set = [line for name, line in lines if name in names]
    known = {comparison_key(line) or line for line in test_set}
    train_set = [
        line for name, line in lines if name not in names and (comparison_key(line) or line) not in known
    ]
    return train_set, test_set


def cleaned_test(lines, names):
    test_set, train_set = fair_split(lines, [name for name, _ in lines if name not in names])
    return train_set, test_set


SPLIT_MISTAKES = {
    "the training set keeps lines of the test set": (" and (comparison_key(line) or line) not in known", ""),
    "lines that are in both sets are removed from the test set, and not from the training set": cleaned_test,
    "lines are compared as they are, with capitals and punctuation": (
        ("{comparison_key(line) or line", "{line"),
        ("(comparison_key(line) or line)", "line"),
    ),
    "lines with an empty key count as equal: compare the lines themselves": (
        (" or line for", " for"),
        (" or line)", ")"),
    ),
    "the two sets are returned in the other order": (" train_set, test_set", " test_set, train_set"),
    "a name is also found inside a longer name": (
        ("if name in names", 'if name in "".join(names)'),
        ("not in names", 'not in "".join(names)'),
    ),
    "duplicates are removed, too": (" train_set, test_set", " deduplicate(train_set), deduplicate(test_set)"),
}

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
        DECODE_MISTAKES,
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
        DEDUPLICATE_MISTAKES,
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
        SPLIT_MISTAKES,
        parts=("training set", "test set"),
    ),
}
