"""Lesson 17: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

from collections import Counter

from ...byte_pairs import apply_merges, decode_tokens, merge_pair, most_frequent_pair, train_byte_pairs
from .exercise import Exercise


def _words(**counts):
    return {tuple(word): count for word, count in counts.items()}


def _counts(words, once=False, apart=False):
    """How often each pair occurs; once: each word counts once; apart: pairs do not overlap."""
    counts = Counter()
    for word, count in words.items():
        pairs = list(zip(word[::2], word[1::2])) if apart else list(zip(word, word[1:]))
        for pair in pairs:
            counts[pair] += 1 if once else count
    return counts


def my_most_frequent_pair(words):
    return most_frequent_pair(words)


def _last_of_equals(words):
    counts = _counts(words)
    return max(reversed(counts), key=counts.get)


def _in_different_words(words):
    counts = Counter()
    for word, count in words.items():
        for pair in dict.fromkeys(zip(word, word[1:])):
            counts[pair] += count
    return max(counts, key=counts.get)


def _most_frequent_tokens(words):
    counts = Counter()
    for word, count in words.items():
        for token in word:
            counts[token] += count
    return tuple(token for token, _ in counts.most_common(2))


def my_merge_pair(word, pair):
    return merge_pair(word, pair)


def _overlapping(word, pair):
    merged, i = [], 0
    while i < len(word):
        found = tuple(word[i : i + 2]) == tuple(pair)
        merged.append(word[i] + word[i + 1] if found else word[i])
        i += 1
    return tuple(merged)


def _only_first(word, pair):
    for i in range(len(word) - 1):
        if tuple(word[i : i + 2]) == tuple(pair):
            return (*word[:i], word[i] + word[i + 1], *word[i + 2 :])
    return tuple(word)


def _from_the_right(word, pair):
    merged, i = [], len(word)
    while i > 0:
        found = i > 1 and tuple(word[i - 2 : i]) == tuple(pair)
        merged.append(word[i - 2] + word[i - 1] if found else word[i - 1])
        i -= 2 if found else 1
    return tuple(reversed(merged))


def _without_the_last(word, pair):
    merged, i = [], 0
    while i < len(word) - 1:
        found = tuple(word[i : i + 2]) == tuple(pair)
        merged.append(word[i] + word[i + 1] if found else word[i])
        i += 2 if found else 1
    return tuple(merged)


def _by_text(word, pair):
    """Joins wherever the letters of the joined word say so, also across two other tokens."""
    new = pair[0] + pair[1]
    text, merged = new[:0].join(word), []
    while text:
        length = len(new) if text.startswith(new) else 1
        merged.append(text[:length])
        text = text[length:]
    return tuple(merged)


def _either_order(word, pair):
    merged, i = [], 0
    while i < len(word):
        found = i + 1 < len(word) and {*word[i : i + 2]} == {*pair}
        merged.append(word[i] + word[i + 1] if found else word[i])
        i += 2 if found else 1
    return tuple(merged)


def my_train_byte_pairs(words, n):
    return train_byte_pairs(words, n)


def _of_the_first_count(words, n):
    return [pair for pair, _ in _counts(words).most_common(n)]


def _first_pair_only(words, n):
    return [most_frequent_pair(words)] * n


def _counts_forgotten(words, n):
    merges, words = [], dict.fromkeys(words, 1)
    return merges + train_byte_pairs(words, n)


def _one_occurrence(words, n):
    merges = []
    for _ in range(n):
        pair = most_frequent_pair(words)
        merges.append(pair)
        words = {_only_first(word, pair): count for word, count in words.items()}
    return merges


def my_apply_merges(word, ranks):
    return apply_merges(word, ranks)


def _by(key):
    """apply_merges that joins the pair with the least key(pair, rank) first."""

    def wrong(word, ranks):
        while known := [pair for pair in zip(word, word[1:]) if pair in ranks]:
            word = merge_pair(word, min(known, key=lambda pair: key(pair, ranks[pair])))
        return tuple(word)

    return wrong


def _once(word, ranks):
    known = [pair for pair in zip(word, word[1:]) if pair in ranks]
    return merge_pair(word, min(known, key=ranks.get)) if known else tuple(word)


def _one_sweep(word, ranks):
    merged = []
    for token in word:
        if merged and (merged[-1], token) in ranks:
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


def my_decode_tokens(tokens):
    return decode_tokens(tokens)


def _each(errors):
    return lambda tokens: "".join(token.decode("utf-8", errors=errors) for token in tokens)


RANKS = {("h", "e"): 0, ("t", "he"): 1, ("he", "n"): 2}
LONGER = {("a", "b"): 0, ("c", "d"): 1, ("ab", "c"): 2}
EXERCISES = {
    "17.a": Exercise(
        my_most_frequent_pair,
        [
            [_words(the=5, then=2, hen=3)],
            [_words(abab=2, cd=3)],
            [_words(xy=2, ab=2)],
            [{("b", "an", "an", "a"): 1, ("an", "a"): 4, ("c",): 9}],
            [_words(aaa=2, ab=3, bc=1)],
            [_words(low=5, lower=2, newest=6, widest=3)],
        ],
        mistakes={
            "each word is counted once, whatever its count": lambda words: max(
                _counts(words, once=True), key=_counts(words, once=True).get
            ),
            "a pair that occurs twice in a word is counted once there": _in_different_words,
            "of pairs with the same count the last one wins": _last_of_equals,
            "the result is the joined token, and not the pair": lambda words: "".join(
                most_frequent_pair(words)
            ),
            "the result is the count, and not the pair": lambda words: max(_counts(words).values()),
            "the pairs do not overlap, but a token in the middle is in two pairs": lambda words: max(
                _counts(words, apart=True), key=_counts(words, apart=True).get
            ),
            "the result is the rarest pair": lambda words: min(_counts(words), key=_counts(words).get),
            "the result is the greatest pair in the order of the alphabet": lambda words: max(_counts(words)),
            "of pairs with the same count the greatest in the order of the alphabet wins": lambda words: max(
                _counts(words), key=lambda pair: (_counts(words)[pair], pair)
            ),
            "single tokens are counted, and not pairs": _most_frequent_tokens,
            "the dict of all counts is returned": lambda words: dict(_counts(words)),
        },
    ),
    "17.b": Exercise(
        my_merge_pair,
        [
            [("b", "a", "n", "a", "n", "a"), ("a", "n")],
            [("a", "a", "a", "b"), ("a", "a")],
            [("t", "he", "n"), ("t", "he")],
            [("x", "ab", "c", "a", "bc"), ("a", "bc")],
            [("n", "o"), ("o", "n")],
            [("c",), ("c", "c")],
            [(b"\xe7", b"\x8c", b"\xab"), (b"\x8c", b"\xab")],
        ],
        mistakes={
            "a token that was joined is used a second time: move on by two after joining": _overlapping,
            "only the first occurrence is joined": _only_first,
            "the word is read from right to left": _from_the_right,
            "the loop ends before the last token": _without_the_last,
            "the letters are compared, and not the tokens": _by_text,
            "the pair is also joined in the other order": _either_order,
            "nothing is joined": lambda word, pair: tuple(word),
            "the result is one text, and not a tuple of tokens": lambda word, pair: "".join(
                merge_pair(word, pair)
            ),
        },
    ),
    "17.c": Exercise(
        my_train_byte_pairs,
        [
            [_words(the=5, then=2, hen=3), 2],
            [_words(the=5, then=2, hen=3), 4],
            [_words(low=5, lower=2, newest=6, widest=3), 10],
            [_words(banana=3, bandana=2), 4],
            [_words(aaaa=2, ab=3), 2],
        ],
        mistakes={
            "all merges come from the first count: count again after each merge": _of_the_first_count,
            "the pair is never joined in the words, so it is found again": _first_pair_only,
            "the counts of the words are lost": _counts_forgotten,
            "only the first occurrence in each word is joined": _one_occurrence,
            "there is one merge too few": lambda words, n: train_byte_pairs(words, n - 1),
            "there is one merge too many": lambda words, n: train_byte_pairs(words, n + 1),
            "the result holds the joined tokens, and not the pairs": lambda words, n: [
                a + b for a, b in train_byte_pairs(words, n)
            ],
            "the merges are in the other order": lambda words, n: train_byte_pairs(words, n)[::-1],
            "the result is the last pair only": lambda words, n: train_byte_pairs(words, n)[-1],
        },
    ),
    "17.d": Exercise(
        my_apply_merges,
        [
            [tuple("then"), RANKS],
            [tuple("hens"), RANKS],
            [tuple("abcd"), LONGER],
            [tuple("abc"), {("b", "c"): 0, ("a", "b"): 1}],
            [tuple("banana"), {("a", "n"): 0, ("an", "a"): 1, ("b", "an"): 2, ("an", "an"): 3}],
            [("x",), RANKS],
            [(b"\xe7", b"\x8c", b"\xab"), {(b"\x8c", b"\xab"): 0, (b"\xe7", b"\x8c\xab"): 1}],
        ],
        mistakes={
            "the leftmost known pair is joined first, and not that with the lowest rank": _by(
                lambda pair, rank: 0
            ),
            "the highest rank comes first": _by(lambda pair, rank: -rank),
            "the longest token comes first, and not the lowest rank": _by(
                lambda pair, rank: -len(pair[0] + pair[1])
            ),
            "of the longest tokens the one with the lowest rank comes first": _by(
                lambda pair, rank: (-len(pair[0] + pair[1]), rank)
            ),
            "only one pair is joined: repeat until none is known": _once,
            "the word is read once from left to right, whatever the ranks": _one_sweep,
            "nothing is joined": lambda word, ranks: tuple(word),
            "the pair that is first in the order of the alphabet is joined first": _by(
                lambda pair, rank: pair
            ),
        },
    ),
    "17.e": Exercise(
        my_decode_tokens,
        [
            [[b"caf", b"\xc3", b"\xa9"]],
            [[b"a", b" b", b""]],
            [[b"\xe7\x8c", b"\xab\xf0\x9f", b"\x98\x80"]],
            [[b"\xff", b"ok", b"\xc3"]],
            [[]],
        ],
        mistakes={
            "each token is decoded by itself: join the bytes first": _each("replace"),
            "each token is decoded by itself, and what is not valid is dropped": _each("ignore"),
            "bytes that are not valid are dropped": lambda tokens: b"".join(tokens).decode(
                "utf-8", errors="ignore"
            ),
            "each byte becomes a character of its own, as in Latin-1": lambda tokens: b"".join(tokens).decode(
                "latin-1"
            ),
            "spaces are put between the tokens": lambda tokens: b" ".join(tokens).decode(
                "utf-8", errors="replace"
            ),
            "the bytes are returned, and not a text": lambda tokens: b"".join(tokens),
            "invalid bytes are written as \\x and a number": lambda tokens: b"".join(tokens).decode(
                "utf-8", errors="backslashreplace"
            ),
        },
    ),
}
