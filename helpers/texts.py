"""Preparing a training corpus: normalization, deduplication, leak detection, splitting."""

import re
import unicodedata
from collections import Counter


def normalize_text(text: "str") -> "str":
    r"""Normalize Unicode to NFC, remove control characters, and collapse spaces and blank lines.

    NFC writes a letter with its accent as one character. Indentation, tabs and page breaks are lost.

    >>> normalize_text("Zoe\u0308  and\u00a0\tAnn\r\n\r\n\r\n\u200bBob ")
    'Zoë and Ann\n\nBob'
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    text = re.sub(r"[\r\f\v\x85\u2028\u2029]", "\n", text)
    text = re.sub(r"[^\S\n]+", " ", text)
    text = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    lines = [line.strip(" ") for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def comparison_key(text: "str") -> "str":
    """Normalize for comparison: lower case, no punctuation, single spaces.

    >>> comparison_key("Who's THERE?\\nAnn!")
    'who s there ann'
    """
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))


def deduplicate(texts: "list of str") -> "list of str":
    """Remove duplicates; texts that differ only in case, punctuation or spaces count as equal.

    The first of equal texts is kept.

    >>> deduplicate(["Ann", "Bob", "ANN!", "Bob "])
    ['Ann', 'Bob']
    """
    first = {}
    for text in texts:
        first.setdefault(comparison_key(text) or text, text)
    return list(first.values())


def shingles(text: "str", n: "int > 0" = 5) -> "set":
    """The set of all substrings of n characters of the text's comparison key.

    A shorter key is its own only shingle. A text without letters and digits is not normalized.
    Source: Broder 1997, there with words in place of characters.

    >>> sorted(shingles("An ant!", n=4))
    [' ant', 'an a', 'n an']
    """
    words = comparison_key(text) or text
    return {words[i : i + n] for i in range(max(1, len(words) - n + 1))}


def near_duplicates(texts: "list of str", threshold: "float >= 0" = 0.5, n: "int > 0" = 5) -> "list":
    """All pairs of texts with a Jaccard similarity of at least the threshold, as (i, j, similarity).

    The similarity is the number of shingles in both texts divided by the number in either. N identical
    texts give N·(N − 1) / 2 pairs.

    >>> near_duplicates(["the cat sat", "a dog ran", "the cat sits"])
    [(0, 2, 0.5)]
    """
    sets = [shingles(text, n) for text in texts]
    index, pairs = {}, []  # index: shingle -> the earlier texts that contain it
    for j, found in enumerate(sets):
        in_both = Counter(i for shingle in found for i in index.get(shingle, ()))
        for i, both in sorted(in_both.items()):
            similarity = both / (len(found) + len(sets[i]) - both)
            if similarity >= threshold:
                pairs.append((i, j, similarity))
        for shingle in found:
            index.setdefault(shingle, []).append(j)
    return pairs


def find_leaks(
    train_set: "list of str", test_set: "list of str", threshold: "float >= 0" = 0.5, n: "int > 0" = 20
) -> "list":
    """The test texts whose shingles are in the training set, as (i, fraction), from the threshold on.

    A text shorter than n has one shingle, the whole text. It leaks only if it is a whole training text, not
    if a longer one contains it.

    >>> find_leaks(["The cat sat on the mat."], ["the cat sat", "A dog ran off."], n=8)
    [(0, 1.0)]
    """
    known = set().union(*(shingles(text, n) for text in train_set))
    leaks = []
    for i, text in enumerate(test_set):
        found = shingles(text, n)
        fraction = len(found & known) / len(found)
        if fraction >= threshold:
            leaks.append((i, fraction))
    return leaks


def split_text(text: "str", max_length: "int > 0") -> "list of str":
    """Split a text into pieces of at most max_length characters, at spaces where possible.

    A space at which the text is split is dropped. A longer word is split inside.

    >>> split_text("a table of ten places", 10)
    ['a table of', 'ten places']
    >>> split_text("Donaudampfschiff", 10)
    ['Donaudampf', 'schiff']
    """
    pieces, start = [], 0
    while len(text) - start > max_length:
        space = text.rfind(" ", start, start + max_length + 1)
        end = space if space > start else start + max_length
        pieces.append(text[start:end])
        start = end + (text[end] == " ")
    return [*pieces, text[start:]]
