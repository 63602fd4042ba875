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


def utf_8_first(data):
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return my_decode(data)


def no_error_caught(data):
    for mark, encoding in reading.BOMS.items():
        if data.startswith(mark):
            return data.decode(encoding), encoding
    return data.decode("utf-8"), "utf-8"


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
    "the bytes are decoded as Latin-1, and not as cp1252": (
        'data.decode("cp1252")',
        'data.decode("latin-1")',
    ),
    "ASCII is tried, and not UTF-8: it has no accented letters": (
        'data.decode("utf-8")',
        'data.decode("ascii")',
    ),
    "UTF-8 is tried before the byte order marks": utf_8_first,
    "the UnicodeDecodeError of bytes that are not valid UTF-8 is not caught": no_error_caught,
    "only the first byte order mark is looked for": ("reading.BOMS.items()", "[*reading.BOMS.items()][:1]"),
    'a file with the byte order mark of UTF-8 is called "utf-8": return the encoding of its mark': (
        (
            "return data.decode(encoding), encoding",
            'return data.decode(encoding), encoding.removesuffix("-sig")',
        ),
    ),
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


def compared_with_kept_texts(texts):
    kept = []
    for text in texts:
        if (comparison_key(text) or text) not in kept:
            kept.append(text)
    return kept


def compared_with_neighbour(texts):
    keys = [comparison_key(text) or text for text in texts]
    return [text for text, key, before in zip(texts, keys, [None, *keys]) if key != before]


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
    "the key of a text is looked for among the texts, and not among their keys": compared_with_kept_texts,
    "each text is compared with the one before it only": compared_with_neighbour,
    "texts are compared without capitals and outer spaces, but with punctuation": (
        KEY,
        "text.lower().strip()",
    ),
    "texts with an empty key are left out": (
        RESULT,
        "[text for text in first.values() if comparison_key(text)]",
    ),
    "all texts with an empty key are kept: compare them, too": (" or text", " or object()"),
    "a text with an empty key is compared without the spaces around it": (" or text", " or text.strip()"),
    "the texts are returned normalized: return them as they are": (
        RESULT,
        "[normalize_text(text) for text in first.values()]",
    ),
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


def in_one_pass(lines, names):
    test_set, known, train_set = [], set(), []
    for name, line in lines:
        if name in names:
            test_set.append(line)
            known.add(comparison_key(line) or line)
        elif (comparison_key(line) or line) not in known:
            train_set.append(line)
    return train_set, test_set


def moved(lines, names):
    train_set, test_set = fair_split(lines, names)
    known = {comparison_key(line) or line for line in test_set}
    return train_set, [
        line for name, line in lines if name in names or (comparison_key(line) or line) in known
    ]


def pairs_of(lines, names):
    train_set, test_set = fair_split(lines, names)
    train_pairs = [(name, line) for name, line in lines if name not in names and line in train_set]
    return train_pairs, [(name, line) for name, line in lines if name in names]


def keys_of(lines, names):
    return tuple([comparison_key(line) or line for line in part] for part in fair_split(lines, names))


SPLIT_MISTAKES = {
    "a quoted line that comes before the test line stays: collect all test lines first": in_one_pass,
    "quoted lines are moved into the test set, and not only removed": moved,
    "pairs are returned, and not lines": pairs_of,
    "keys are returned, and not lines": keys_of,
    "only the first of the names is used": (
        ("if name in names", "if name in names[:1]"),
        ("not in names", "not in names[:1]"),
    ),
    "lines with an empty key are never compared: compare the lines themselves then": (
        "(comparison_key(line) or line) not in known",
        "(not comparison_key(line) or comparison_key(line) not in known)",
    ),
    "duplicates are removed from the test set": (" train_set, test_set", " train_set, deduplicate(test_set)"),
    "the lines are sorted: keep their order": (
        " train_set, test_set",
        " sorted(train_set), sorted(test_set)",
    ),
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
            [["? ", "?", "New  York", "new york"]],
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
