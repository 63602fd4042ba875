"""Byte pairs by hand, by published merges, and by a second way of computing them."""

import functools
import inspect
import random
import re

import pytest

from helpers import (
    apply_merges,
    decode_tokens,
    encode_pieces,
    merge_pair,
    most_frequent_pair,
    split_bytes,
    train_byte_pairs,
)
from helpers.course.models.tokenizer import split_pieces

EVERY_CHARACTER = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))  # without surrogates


def spelled(**counts):
    return {tuple(word): count for word, count in counts.items()}


# Sennrich et al. 2016, algorithm 1, has these words and counts; here "." is the mark at their ends.
PUBLISHED_WORDS = {
    ("l", "o", "w", "."): 5,
    ("l", "o", "w", "e", "r", "."): 2,
    ("n", "e", "w", "e", "s", "t", "."): 6,
    ("w", "i", "d", "e", "s", "t", "."): 3,
}
# es 9, est 9, est. 9, lo 7, low 7, ne 6, new 6, newest. 6, low. 5, wi 3: the counts by hand
PUBLISHED_MERGES = "e s|es t|est .|l o|lo w|n e|ne w|new est.|low .|w i"


# --- the functions, by hand


def test_the_most_frequent_pair_by_hand():
    assert most_frequent_pair(spelled(the=5, then=2, hen=3)) == ("h", "e")
    assert most_frequent_pair({("a", "b"): 1, ("c", "d"): 9, ("d", "c"): 9}) == ("c", "d")
    assert most_frequent_pair(spelled(abab=2, cd=3)) == ("a", "b")
    assert most_frequent_pair({("xy", "z"): 1}) == ("xy", "z")
    assert most_frequent_pair(spelled(aaa=1, bc=2, cb=1)) == ("a", "a")


def test_where_there_is_no_pair():
    assert most_frequent_pair({}) is None and most_frequent_pair({("a",): 5, (): 3}) is None
    assert train_byte_pairs({("a",): 5}, 3) == [] and train_byte_pairs(spelled(ab=1), 3) == [("a", "b")]


def test_a_pair_is_joined_by_hand():
    assert merge_pair(tuple("banana"), ("a", "n")) == ("b", "an", "an", "a")
    assert merge_pair(tuple("aaa"), ("a", "a")) == ("aa", "a")
    assert merge_pair(tuple("aaaa"), ("a", "a")) == ("aa", "aa")
    assert merge_pair(("x", "ab", "c"), ("a", "bc")) == ("x", "ab", "c")
    assert merge_pair(("n", "o"), ("o", "n")) == ("n", "o")
    assert merge_pair((b"\xe7", b"\x8c"), (b"\xe7", b"\x8c")) == (b"\xe7\x8c",)
    assert merge_pair((), ("a", "b")) == () and merge_pair(("a",), ("a", "a")) == ("a",)
    assert merge_pair(["n", "o"], ["n", "o"]) == ("no",) == merge_pair(["n", "o"], ("n", "o"))


def test_the_published_words_give_their_merges():
    merges = train_byte_pairs(PUBLISHED_WORDS, 10)
    assert "|".join(" ".join(pair) for pair in merges) == PUBLISHED_MERGES
    assert train_byte_pairs(PUBLISHED_WORDS, 3) == merges[:3]
    assert train_byte_pairs(spelled(the=5, then=2, hen=3), 4) == [
        ("h", "e"),
        ("t", "he"),
        ("he", "n"),
        ("the", "n"),
    ]


def test_merges_are_applied_by_their_rank():
    ranks = {("a", "b"): 0, ("c", "d"): 1, ("ab", "c"): 2}
    assert apply_merges(tuple("abcd"), ranks) == ("ab", "cd") and apply_merges(tuple("abc"), ranks) == (
        "abc",
    )
    assert apply_merges(tuple("abc"), {("b", "c"): 0, ("a", "b"): 1}) == ("a", "bc")
    assert apply_merges(tuple("then"), {("h", "e"): 0, ("t", "he"): 1, ("he", "n"): 2}) == ("the", "n")
    assert apply_merges(("x",), ranks) == ("x",) and apply_merges((), ranks) == ()
    assert apply_merges(["x"], ranks) == ("x",)  # a word given as a list comes back as a tuple


# --- a second way: a text in which a mark stands between tokens


def joined_in(text, pair):
    """The same by one regular expression: tokens end with a line break."""
    a, b = map(re.escape, pair)
    return re.sub(rf"(?m)^{a}\n{b}$", "".join(pair), text)


def second_training(words, n):
    """Every word as often as it occurs, and pairs counted anew."""
    texts = ["\n".join(word) for word, count in words.items() for _ in range(count)]
    merges = []
    for _ in range(n):
        found = [pair for text in texts for pair in zip(text.split("\n"), text.split("\n")[1:])]
        if not found:
            break
        merges.append(max(dict.fromkeys(found), key=found.count))
        texts = [joined_in(text, merges[-1]) for text in texts]
    return merges


def drawn_words(rng):
    return {tuple(rng.choices("abc", k=rng.randint(1, 7))): rng.randint(1, 4) for _ in range(6)}


def test_a_second_training_learns_the_same_merges():
    for seed in range(30):
        words = drawn_words(random.Random(seed))
        assert train_byte_pairs(words, 6) == second_training(words, 6)


def test_merges_applied_one_after_the_other_give_the_same_tokens():
    """For merges that were learned: a pair can only stand in a word after the merges that made its tokens."""
    for seed in range(10):
        rng = random.Random(seed)
        merges = train_byte_pairs(drawn_words(rng), 8)
        ranks = {pair: rank for rank, pair in enumerate(merges)}
        for _ in range(20):
            word = tuple(rng.choices("abcd", k=rng.randint(1, 12)))
            assert apply_merges(word, ranks) == functools.reduce(merge_pair, merges, word)


# --- bytes


def test_a_character_may_be_spread_over_tokens():
    assert decode_tokens([b"caf", b"\xc3", b"\xa9"]) == "caf\u00e9" and decode_tokens([]) == ""
    assert decode_tokens([b"\xe7\x8c", b"\xab!"]) == "\u732b!"
    assert decode_tokens([b"\xff", b"a"]) == "\ufffda"


def test_every_code_point_comes_back():
    """All 1,112,064 of them, some of them in pieces, and some with merges that cross characters."""
    assert len(EVERY_CHARACTER) == 1_112_064
    decode = inspect.unwrap(decode_tokens)  # its check looks at each of four million tokens
    assert decode(split_bytes(EVERY_CHARACTER)) == EVERY_CHARACTER
    pieces = split_pieces(EVERY_CHARACTER[::29])
    assert decode(encode_pieces(pieces, {})) == "".join(pieces) == EVERY_CHARACTER[::29]
    part = EVERY_CHARACTER[0x2F00:0x3100]
    merges = train_byte_pairs({split_bytes(part): 1}, 50)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = encode_pieces([part], ranks)
    assert decode_tokens(tokens) == part and len(tokens) < len(part.encode())
    assert any("\ufffd" in token.decode("utf-8", "replace") for token in tokens)


def test_no_token_crosses_from_piece_to_piece():
    ranks = {(b"a", b"b"): 0, (b"b", b"a"): 1}
    assert encode_pieces(["a", "b"], ranks) == [b"a", b"b"] and encode_pieces(["ab"], ranks) == [b"ab"]
    assert encode_pieces(["", "ab", ""], ranks) == [b"ab"] and encode_pieces([], ranks) == []


def test_the_bytes_of_a_text_by_hand():
    assert split_bytes("a\u00e9") == (b"a", b"\xc3", b"\xa9") and split_bytes("") == ()
    assert split_bytes("\u732b") == (b"\xe7", b"\x8c", b"\xab")


@pytest.mark.parametrize("code", (0xD800, 0xDFFF))
def test_a_surrogate_is_refused(code):
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        split_bytes(chr(code))
