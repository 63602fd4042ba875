"""From texts to documents for training: cleaned, each once, none in both parts, none too long."""

import re
import unicodedata
from collections import Counter


def normalize_text(text: "str") -> "str":
    r"""One way to write each letter, no invisible characters, single spaces, at most one blank line.

    Letters are composed (NFC), so that an accent is no character of its own. What is lost: indentation,
    tabs, page breaks.

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
    """A text as one that only compares would read it: small letters and digits, one space between words.

    >>> comparison_key("Who's THERE?\\nAnn!")
    'who s there ann'
    """
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))


def deduplicate(texts: "list of str") -> "list of str":
    """Each text once, the first of those that differ in capitals, punctuation or spaces alone.

    >>> deduplicate(["Ann", "Bob", "ANN!", "Bob "])
    ['Ann', 'Bob']
    """
    first = {}
    for text in texts:
        first.setdefault(comparison_key(text) or text, text)
    return list(first.values())


def shingles(text: "str", n: "int > 0" = 5) -> "set":
    """All pieces of n characters of its plain words, or the whole where they are shorter, as a set.

    A text without any words is a piece as it is.

    >>> sorted(shingles("An ant!", n=4))
    [' ant', 'an a', 'n an']
    """
    words = comparison_key(text) or text
    return {words[i : i + n] for i in range(max(1, len(words) - n + 1))}


def near_duplicates(texts: "list of str", threshold: "float >= 0" = 0.5, n: "int > 0" = 5) -> "list":
    """(i, j, likeness) of every two texts that share so much.

    The likeness of two texts is the share of their shingles that both have: 0 for strangers, 1 for twins.
    Where all are alike, these are all pairs: two million for 2,000 texts.

    >>> near_duplicates(["the cat sat", "a dog ran", "the cat sits"])
    [(0, 2, 0.5)]
    """
    sets, holders, found = [shingles(text, n) for text in texts], {}, []
    for j, mine in enumerate(sets):
        shared = Counter(i for piece in mine for i in holders.get(piece, ()))
        for i, both in sorted(shared.items()):
            similarity = both / (len(mine) + len(sets[i]) - both)
            if similarity >= threshold:
                found.append((i, j, similarity))
        for piece in mine:
            holders.setdefault(piece, []).append(j)
    return found


def find_leaks(
    train_set: "list of str", test_set: "list of str", threshold: "float >= 0" = 0.5, n: "int > 0" = 20
) -> "list":
    """(i, share) of every held-out text of which so large a share stands in the training part.

    A text shorter than n is found where it is a whole training text: no name leaks because a longer one
    holds it.

    >>> find_leaks(["The cat sat on the mat."], ["the cat sat", "A dog ran off."], n=8)
    [(0, 1.0)]
    """
    known = set().union(*(shingles(text, n) for text in train_set))
    found = []
    for i, text in enumerate(test_set):
        pieces = shingles(text, n)
        share = len(pieces & known) / len(pieces)
        if share >= threshold:
            found.append((i, share))
    return found


def split_text(text: "str", max_length: "int > 0") -> "list of str":
    """Pieces of at most so many characters, cut at the last space that fits, else in the middle of a word.

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
