"""Lesson 17: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from collections import Counter

from ... import merge_pair, most_frequent_pair
from .exercise import Exercise


def my_merge_pair(word, pair):
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == tuple(pair):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


def merge_first(word, pair):
    for i in range(len(word) - 1):
        if tuple(word[i : i + 2]) == tuple(pair):
            return (*word[:i], word[i] + word[i + 1], *word[i + 2 :])
    return tuple(word)


def merge_letters(word, pair):
    new = "".join(pair)
    text, merged = "".join(word), []
    while text:
        length = len(new) if text.startswith(new) else 1
        merged.append(text[:length])
        text = text[length:]
    return tuple(merged)


def merge_while_looping(word, pair):
    merged = list(word)
    for i in range(len(word) - 1):
        if tuple(merged[i : i + 2]) == tuple(pair):
            merged[i : i + 2] = [merged[i] + merged[i + 1]]
        else:
            merged[i], merged[i + 1]  # IndexError, where the list is shorter now
    return tuple(merged)


def merge_by_replacing(word, pair):
    new = "".join(pair)
    return tuple("".join(word).replace(new, f" {new} ").split())


def merge_with_empty_tokens(word, pair):
    new = "".join(pair)
    return tuple("".join(word).replace(new, f"|{new}|").split("|"))


def merge_with_separators(word, pair):
    return tuple("|".join(word).replace("|".join(pair), "".join(pair)).split("|"))


FOUND = "tuple(word[i : i + 2]) == tuple(pair)"
MERGE_MISTAKES = {
    "a token that was joined is used a second time: move on by two after joining": ("i += 2", "i += 1"),
    "only the first occurrence is joined": merge_first,
    "the pairs are cut at every second token, and not looked for everywhere": (
        (
            "            merged.append(word[i])\n            i += 1\n",
            "            merged += word[i : i + 2]\n            i += 2\n",
        ),
    ),
    "the word is read from right to left": (
        ("merged, i = [], 0", "word, merged, i = word[::-1], [], 0"),
        ("== tuple(pair)", "== tuple(pair)[::-1]"),
        ("word[i] + word[i + 1]", "word[i + 1] + word[i]"),
        ("tuple(merged)", "tuple(merged[::-1])"),
    ),
    "the loop ends before the last token": ("len(word)", "len(word) - 1"),
    "the letters are compared, and not the tokens": merge_letters,
    "the pair is also joined in the other order": (FOUND, "sorted(word[i : i + 2]) == sorted(pair)"),
    "nothing is joined": (FOUND, "False"),
    "the last token has no right neighbour: `word[i + 1]` goes past the end": (
        (FOUND, "word[i] == pair[0] and word[i + 1] == pair[1]"),
    ),
    "the list becomes shorter while the loop counts to its old length": merge_while_looping,
    "the last token is appended after the loop, also where it was joined already": (
        ("len(word)", "len(word) - 1"),
        ("tuple(merged)", "(*merged, word[-1])"),
    ),
    "the list has no token at i + 1 when i is its last index": (
        (FOUND, "(word[i], word[i + 1]) == tuple(pair)"),
    ),
    "the word is joined to one text, in which its other tokens lose their borders": merge_by_replacing,
    "the word is joined to one text, and split into texts, some of them empty: go through the tokens": (
        merge_with_empty_tokens
    ),
    "the word is joined to one text, where a longer token can end with the first token of the pair": (
        merge_with_separators
    ),
    'tokens may be bytes, and `"".join` joins only texts; `+` joins both': (
        ("word[i] + word[i + 1]", '"".join(pair)'),
    ),
    "a token that was joined is used a second time, and the loop ends before the last token": (
        ("i += 2", "i += 1"),
        ("len(word)", "len(word) - 1"),
    ),
    "joined texts are compared: two other tokens can give the same text as the pair": (
        (FOUND, "i + 1 < len(word) and word[i] + word[i + 1] == pair[0] + pair[1]"),
    ),
    "only the first token of the pair is compared": (FOUND, "i + 1 < len(word) and word[i] == pair[0]"),
    "the pair itself is put in, and not the token that joins it": ("word[i] + word[i + 1]", "pair"),
    "the result is one text, and not a tuple of tokens": ("tuple(merged)", '"".join(merged)'),
}


def my_train_byte_pairs(words, n):
    merges = []
    while len(merges) < n:
        pair = most_frequent_pair(words)
        if pair is None:
            break
        merges.append(pair)
        words = {merge_pair(word, pair): count for word, count in words.items()}
    return merges


def frequent_at_first(words, n):
    counts = Counter()
    for word, count in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += count
    return [pair for pair, _ in counts.most_common(n)]


NO_PAIR = "        if pair is None:\n            break\n"
JOIN = "        words = {merge_pair(word, pair): count for word, count in words.items()}\n"
TRAIN_MISTAKES = {
    "all merges come from the first count: count again after each merge": frequent_at_first,
    "the pair is never joined in the words, so it is found again": (JOIN, ""),
    "the counts of the words are lost": ("   merges = []", "   merges, words = [], dict.fromkeys(words, 1)"),
    "only the first occurrence in each word is joined": ("merge_pair", "merge_first"),
    "the counts of the words become 1 with the first merge": (
        "): count for word, count in",
        "): 1 for word, count in",
    ),
    "the words that a merge does not change are lost": (
        ("in words.items()}", "in words.items() if merge_pair(word, pair) != word}"),
    ),
    "the old words stay in the dict, next to the new ones": (JOIN, JOIN.replace("{merge", "words | {merge")),
    "the words are sorted by their counts, so that another one of equally frequent pairs comes first": (
        (" in words.items()}", " in sorted(words.items(), key=lambda item: -item[1])}"),
    ),
    "the order of the words is reversed, so that another one of equally frequent pairs comes first": (
        (" in words.items()}", " in reversed(words.items())}"),
    ),
    "each pair is joined in the words as they were given, which undoes the earlier merges": (
        ("    merges = []", "    merges, given = [], words"),
        ("in words.items()", "in given.items()"),
    ),
    "the words become a list, which has no counts": (
        JOIN,
        "        words = [merge_pair(word, pair) for word in words]\n",
    ),
    "it stops at a pair that occurs once: such a pair counts, too": (
        (
            NO_PAIR,
            "        if pair is None or sum(count * sum(p == pair for p in zip(word, word[1:])) "
            "for word, count in words.items()) < 2:\n            break\n",
        ),
    ),
    "the merges are a set, which has no order": ("return merges", "return set(merges)"),
    "it goes on when no pair is left": (NO_PAIR, ""),
    "None is put into the list when no pair is left": (
        (NO_PAIR, ""),
        (JOIN, f"        if pair is None:\n            continue\n{JOIN}"),
    ),
    "there is one merge too few": ("< n", "< n - 1"),
    "there is one merge too many": ("<", "<="),
    "the result holds the joined tokens, and not the pairs": ("append(pair)", "append(pair[0] + pair[1])"),
    "the merges are in the other order": ("return merges", "return merges[::-1]"),
    "the result is the last pair only": ("return merges", "return pair"),
    "the result is the words after the merges, and not the list of pairs": ("return merges", "return words"),
    "the result is a dict of ranks, and not the list of pairs": (
        ("return merges", "return {pair: rank for rank, pair in enumerate(merges)}"),
    ),
}


def my_apply_merges(word, ranks):
    while True:
        known = [pair for pair in zip(word, word[1:]) if pair in ranks]
        if not known:
            return tuple(word)
        word = merge_pair(word, min(known, key=ranks.get))


def read_once(word, ranks):
    merged = []
    for token in word:
        if merged and (merged[-1], token) in ranks:
            merged[-1] += token
        else:
            merged.append(token)
    return tuple(merged)


def in_order_of_dict(word, ranks):
    for pair in ranks:
        word = merge_pair(word, pair)
    return tuple(word)


def longest_from_the_left(word, ranks):
    known, cut = {first + second for first, second in ranks}, []
    while word:
        for n in range(len(word), 0, -1):
            token = word[0][:0].join(word[:n])
            if n == 1 or token in known:
                break
        cut.append(token)
        word = word[n:]
    return tuple(cut)


def last_of_equal_pairs(word, ranks):
    word = list(word)
    while known := [i for i, pair in enumerate(zip(word, word[1:])) if pair in ranks]:
        i = min(known, key=lambda i: (ranks[word[i], word[i + 1]], -i))
        word[i : i + 2] = [word[i] + word[i + 1]]
    return tuple(word)


def min_over_all(word, ranks):
    while len(word) > 1:
        pair = min(zip(word, word[1:]), key=ranks.get)
        if pair not in ranks:
            break
        word = merge_pair(word, pair)
    return tuple(word)


def left_to_right_once(word, ranks):
    for pair in zip(word, word[1:]):
        if pair in ranks:
            word = merge_pair(word, pair)
    return tuple(word)


def rank_zero_for_unknown(word, ranks):
    while len(word) > 1:
        pair = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, 0))
        if pair not in ranks:
            break
        word = merge_pair(word, pair)
    return tuple(word)


def listed_once(word, ranks):
    for pair in sorted({*zip(word, word[1:])} & ranks.keys(), key=ranks.get):
        word = merge_pair(word, pair)
    return tuple(word)


NEXT = "min(known, key=ranks.get)"
APPLY_MISTAKES = {
    "the leftmost known pair is joined first, and not that with the lowest rank": (NEXT, "known[0]"),
    "the highest rank comes first": ("min(", "max("),
    "the longest token comes first": (NEXT, "max(known, key=lambda pair: len(pair[0] + pair[1]))"),
    "of the longest tokens the one with the lowest rank comes first": (
        (NEXT, "max(known, key=lambda pair: (len(pair[0] + pair[1]), -ranks[pair]))"),
    ),
    "the longest known token is taken from the left, again and again": longest_from_the_left,
    "only one pair is joined: repeat until none is known": ("word = merge_pair", "return merge_pair"),
    "the word is read once from left to right, whatever the ranks": read_once,
    "nothing is joined": ("not known", "True"),
    "the merges are joined in the order of the dict, whatever their ranks": in_order_of_dict,
    "the pairs of the word are listed once, and not again after each merge": listed_once,
    "of equal pairs the last one is joined first: go from left to right": last_of_equal_pairs,
    "`min` needs at least one pair: return when no pair of the word is known": (
        ("        if not known:\n            return tuple(word)\n", ""),
    ),
    "`min` gets no pair where several tokens are left and none of their pairs is known": (
        ("while True", "while len(word) > 1"),
        ("        if not known:\n            return tuple(word)\n", ""),
        ("key=ranks.get))", "key=ranks.get))\n    return tuple(word)"),
    ),
    "a rank of 0 counts as false: ask whether the pair is `in ranks`": (
        ("if pair in ranks", "if ranks.get(pair)"),
    ),
    "the pair that is first in the order of the alphabet is joined first": (NEXT, "min(known)"),
    "`min` also compares pairs without a rank, for which `ranks.get` gives None": min_over_all,
    "the word's first pairs are joined from left to right: look again after each merge": left_to_right_once,
    "a pair that was not learned gets the rank 0 and comes first: leave it out": rank_zero_for_unknown,
    "`ranks[pair]` needs a pair that was learned: compare only those in `ranks`": (
        (" if pair in ranks", ""),
        (NEXT, "min(known, key=lambda pair: ranks[pair])"),
    ),
}


def words_of(**counts):
    return {tuple(word): count for word, count in counts.items()}


RANKS = {("h", "e"): 0, ("t", "he"): 1, ("he", "n"): 2}
LONGER = {("a", "b"): 0, ("c", "d"): 1, ("ab", "c"): 2}
EXERCISES = {
    "17.a": Exercise(
        my_merge_pair,
        [
            [("b", "a", "n", "a", "n", "a"), ("a", "n")],
            [("a", "a", "a", "b"), ("a", "a")],
            [("t", "he", "n"), ("t", "he")],
            [("x", "a", "bc"), ("ab", "c")],
            [("x", "ab", "c", "a", "bc"), ("a", "bc")],
            [("n", "o"), ("o", "n")],
            [("c",), ("c", "c")],
            [("ba", "n", "a", "n"), ("a", "n")],
            [(b"\xe7", b"\x8c", b"\xab"), (b"\x8c", b"\xab")],
        ],
        MERGE_MISTAKES,
        returns=tuple,
    ),
    "17.b": Exercise(
        my_train_byte_pairs,
        [
            [words_of(the=5, then=2, hen=3), 2],
            [words_of(the=5, then=2, hen=3), 4],
            [words_of(low=5, lower=2, newest=6, widest=3), 10],
            [words_of(banana=3, bandana=2), 4],
            [words_of(aaaa=2, ab=3), 2],
            [words_of(ab=1, c=4), 3],
            [words_of(xy=9, abab=1, cd=2), 3],
            [words_of(xy=9, cd=2, abab=1), 3],
        ],
        TRAIN_MISTAKES,
    ),
    "17.c": Exercise(
        my_apply_merges,
        [
            [tuple("then"), RANKS],
            [tuple("hens"), RANKS],
            [tuple("abcd"), LONGER],
            [tuple("abc"), {("b", "c"): 0, ("a", "b"): 1}],
            [tuple("banana"), {("a", "n"): 0, ("an", "a"): 1, ("b", "an"): 2, ("an", "an"): 3}],
            [("a", "a", "a"), {("a", "a"): 0}],
            [("x",), RANKS],
            [tuple("abc"), {("a", "b"): 0, ("b", "c"): 1, ("a", "bc"): 2}],
            [tuple("abc"), {("a", "b"): 1, ("b", "c"): 0}],
            [tuple("abcd"), {("abc", "d"): 3, ("ab", "c"): 2, ("b", "c"): 1, ("a", "b"): 0}],
            [(b"\xe7", b"\x8c", b"\xab"), {(b"\x8c", b"\xab"): 0, (b"\xe7", b"\x8c\xab"): 1}],
        ],
        APPLY_MISTAKES,
        returns=tuple,
    ),
}
