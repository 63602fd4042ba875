"""Cleaning, duplicates, leaks and cutting, by hand."""

import random

import pytest

from helpers import (
    comparison_key,
    deduplicate,
    find_leaks,
    near_duplicates,
    normalize_text,
    shingles,
    split_text,
)

DIRTY = {
    "e\u0301t\u00e9": "\u00e9t\u00e9",  # an accent of its own, and one that is a part of its letter
    "a\u00a0b\tc  d": "a b c d",
    "a\r\nb\rc\u2028d": "a\nb\nc\nd",
    " a \n b ": "a\nb",
    "a\n\n\n\nb": "a\n\nb",
    "a\n \n\t\nb": "a\n\nb",
    "\ufeffa\u200bb\u00adc\x00d": "abcd",
    "x\u00b2 \ufb01": "x\u00b2 \ufb01",  # NFKC would write x2 fi
    "\n\n": "",
    "👩‍🚀": "👩🚀",  # what joins two signs to one is invisible
}


def test_normalize_text():
    for dirty, text in DIRTY.items():
        assert normalize_text(dirty) == text and normalize_text(text) == text


def test_deduplicate():
    assert deduplicate(["Zoe", "Ann.", "ANN", " Ann!", "Bob", "…", "?", "…"]) == [
        "Zoe",
        "Ann.",
        "Bob",
        "…",
        "?",
    ]
    assert deduplicate([]) == []


def test_comparison_key():
    assert comparison_key("Straße, STRASSE_2\n— ﬁn") == "strasse strasse 2 fin"


def test_shingles_are_all_pieces():
    assert shingles("abcde", n=3) == {"abc", "bcd", "cde"}
    assert shingles("ab", n=3) == {"ab"} and shingles("A B!", n=2) == {"a ", " b"}
    assert shingles("?!") == {"?!"} and shingles("") == {""}


def similarity(one, other, n):
    """By the definition: what both have, of what either has."""
    one, other = shingles(one, n), shingles(other, n)
    return len(one & other) / len(one | other)


def test_near_duplicates_are_those_of_the_definition():
    rng = random.Random(3)
    texts = ["".join(rng.choice("ab ") for _ in range(rng.randint(1, 12))) for _ in range(40)]
    for threshold in (0.2, 0.5, 1.0):
        pairs = [
            (i, j)
            for j in range(len(texts))
            for i in range(j)
            if similarity(texts[i], texts[j], 3) >= threshold
        ]
        found = near_duplicates(texts, threshold, 3)
        assert [(i, j) for i, j, _ in found] == pairs != []
        assert all(like == pytest.approx(similarity(texts[i], texts[j], 3)) for i, j, like in found)
    assert near_duplicates(["the cat sat", "the cat sits"], 0.5) == [(0, 1, 0.5)]
    assert near_duplicates(["the cat sat", "the cat sits"], 0.51) == []


def test_find_leaks():
    training = ["The cat sat on the mat.", "Anna"]
    held_out = ["A dog ran off.", "the CAT sat on", "Ann", "anna!", "the cat sat up there"]
    assert find_leaks(training, held_out, 0.5, 6) == [(1, 1.0), (3, 1.0)]
    assert find_leaks(["abcd"], ["abcx"], 0.5, 3) == [(0, 0.5)]  # abc of abc and bcx: the threshold counts
    assert find_leaks(["abcd"], ["abcx"], 0.51, 3) == []
    twenty = "abcdefghijklmnopqrst"
    assert find_leaks([twenty], [twenty + "u"]) == [(0, 0.5)]  # by default 20 characters a shingle
    assert find_leaks(training, held_out, 0.4, 6) == [
        (1, 1.0),
        (3, 1.0),
        (4, 7 / 15),
    ]  # twelve letters alike, of twenty


def test_texts_without_words_are_alike_only_to_the_letter():
    assert find_leaks(["?"], ["!", "?"]) == [(1, 1.0)] and near_duplicates(["?", "!", "?"]) == [(0, 2, 1.0)]


def test_a_text_shorter_than_a_piece_leaks_only_as_a_whole():
    assert find_leaks(["Neon is bright"], ["Neon"]) == [] and find_leaks(
        ["Neon is bright"], ["Neon"], n=4
    ) == [(0, 1.0)]


@pytest.mark.parametrize(
    "text, most, pieces",
    [
        ("", 3, [""]),
        ("abc", 3, ["abc"]),
        ("abcd", 3, ["abc", "d"]),
        ("ab cd", 3, ["ab", "cd"]),
        ("a b c d", 3, ["a b", "c d"]),
        ("abc def", 3, ["abc", "def"]),
        ("ab  cd", 3, ["ab ", "cd"]),
        ("abcdefg hi", 3, ["abc", "def", "g", "hi"]),
    ],
)
def test_split_text(text, most, pieces):
    assert split_text(text, most) == pieces


def test_split_text_drops_only_spaces():
    rng = random.Random(4)
    for _ in range(200):
        text = "".join(rng.choice("abc ") for _ in range(rng.randint(0, 60)))
        pieces = split_text(text, 7)
        assert "".join(pieces).replace(" ", "") == text.replace(" ", "") and max(map(len, pieces)) <= 7


def test_a_space_at_the_beginning_of_a_piece_is_no_place_to_split():
    assert split_text(" abcdef", 3) == [" ab", "cde", "f"]
