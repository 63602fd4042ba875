"""Byte-pair encoding: join the most frequent pair of neighbouring tokens into one token, again and again.

A token is bytes or a text. A word is a tuple of tokens: at first single bytes or letters, then longer ones.
"""

from collections import Counter


def most_frequent_pair(words: "tree") -> "list or None":
    """The pair of neighbouring tokens that occurs most often in {word: count}; None if there is no pair.

    Of several pairs with the same count, it is the one that comes first.

    >>> most_frequent_pair({("t", "h", "e"): 5, ("h", "e", "n"): 3})
    ('h', 'e')
    """
    counts = Counter()
    for word, count in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] += count
    return max(counts, key=counts.get, default=None)


def merge_pair(word: "list", pair: "list") -> "list":
    """Join every occurrence of a pair in a word into one token, from left to right.

    >>> merge_pair(("b", "a", "n", "a", "n", "a"), ("a", "n"))
    ('b', 'an', 'an', 'a')
    """
    merged, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == tuple(pair):
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


def train_byte_pairs(words: "tree", n: "int > 0") -> "list":
    """Learn n merges from {word: count}: each joins the pair that is most frequent after the earlier merges.

    There are fewer than n if no pair is left. Two words never have the same text: they start as single
    bytes or letters.
    Source: Sennrich et al. 2016, algorithm 1, there with a mark at the end of each word.

    >>> train_byte_pairs({("t", "h", "e"): 5, ("h", "e", "n"): 3}, 2)
    [('h', 'e'), ('t', 'he')]
    """
    merges = []
    while len(merges) < n:
        pair = most_frequent_pair(words)
        if pair is None:
            break
        merges.append(pair)
        words = {merge_pair(word, pair): count for word, count in words.items()}
    return merges


def apply_merges(word: "list", ranks: "tree") -> "list":
    """Join the pairs of a word, of those in ranks always the one that was learned first: the lowest rank.

    ranks is {pair: its place among the merges}.

    >>> apply_merges(("t", "h", "e", "n"), {("h", "e"): 0, ("t", "h"): 1, ("he", "n"): 2})
    ('t', 'hen')
    """
    while True:
        known = [pair for pair in zip(word, word[1:]) if pair in ranks]
        if not known:
            return tuple(word)
        word = merge_pair(word, min(known, key=ranks.get))


def split_bytes(text: "str") -> "list":
    """The bytes of a text in UTF-8, each as a token.

    A surrogate is no character of UTF-8: UnicodeEncodeError.

    >>> split_bytes("aé")
    (b'a', b'\\xc3', b'\\xa9')
    """
    return tuple(bytes([byte]) for byte in text.encode("utf-8"))


def encode_pieces(pieces: "list of str", ranks: "tree") -> "list of bytes":
    """Tokenize the pieces of a text, one after the other: no token crosses from one piece to the next.

    >>> encode_pieces(["then", " he"], {(b"h", b"e"): 0, (b"t", b"he"): 1})
    [b'the', b'n', b' ', b'he']
    """
    return [token for piece in pieces for token in apply_merges(split_bytes(piece), ranks)]


def decode_tokens(tokens: "list of bytes") -> "str":
    """The text of tokens: all bytes joined first, since a character may be spread over several tokens.

    Bytes that are no UTF-8 become U+FFFD, the replacement character.

    >>> decode_tokens([b"a", b"\\xc3", b"\\xa9"])
    'aé'
    """
    return b"".join(tokens).decode("utf-8", errors="replace")
