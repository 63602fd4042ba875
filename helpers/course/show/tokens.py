"""A text as its tokens: a box for each."""

import unicodedata

from .svg import ACCENT, FAINT, INK, Figure, box, heading, label

FILLS = ("#dbe4ee", "#fde8d0")  # in turn, so that neighbours are told apart
WIDE, LEFT, PITCH = 832, 12, 30


def token_boxes(rows, title="", aligned=False, new=None, words=None):
    """Draw texts as boxes, one a token: rows is {name of a text: its tokens}. A token is a text or bytes.

    A space is shown as ␣ and a new line as ↵. Bytes that are no whole characters are shown as numbers in
    base 16. Aligned rows have equally many tokens, and the boxes of the same index are
    equally wide. A token that equals new has a thick edge. words are the numbers of the words to which the
    tokens of one row belong: then the colours change from word to word, else from token to token.
    """
    rows = {str(name): [visible(token) for token in tokens] for name, tokens in rows.items()}
    parts, y = [], 14
    if title:
        parts.append(heading(title))
        y = 40
    first = LEFT + max((7 * len(name) + 14 for name in rows if name), default=0)
    columns = [max(map(width_of, column)) for column in zip(*rows.values(), strict=True)] if aligned else []
    for name, tokens in rows.items():
        parts.append(label(LEFT, y + 15, name, 11, "start", FAINT))
        x = first
        for i, text in enumerate(tokens):
            wide = (columns[i] if aligned else width_of(text)) + 8
            if x > first and x + wide > WIDE - LEFT:
                x, y = first, y + PITCH - 4
            edge = (ACCENT, 3) if new and text == visible(new) else (FAINT,)
            parts.append(box(x, y, wide, 22, FILLS[(words[i] if words else i) % 2], *edge))
            parts.append(label(x + wide / 2, y + 15, text, 11, fill=INK))
            x += wide + 2
        y += PITCH
    lines = [f"{name}: {' | '.join(tokens)}".removeprefix(": ") for name, tokens in rows.items()]
    alt = " ".join([f"{title}." if title else "Tokens.", ". ".join(lines) + "."])
    return Figure(WIDE, y + 6, "".join(parts), alt, "\n".join([title] * bool(title) + lines))


def visible(token):
    """A token as it can be seen: what is no text in UTF-8 by its bytes, a no-break space as nbsp."""
    if isinstance(token, bytes):
        try:
            token = token.decode("utf-8")
        except UnicodeDecodeError:
            return token.hex(" ").upper()
    return token.replace(" ", "\u2423").replace("\n", "\u21b5").replace("\u00a0", "nbsp")


def width_of(text):
    """About how wide a text is, in pixels: Chinese characters are wider, and marks on letters add nothing."""
    widths = {"W": 12.0, "F": 12.0}
    return sum(
        0 if unicodedata.combining(c) else widths.get(unicodedata.east_asian_width(c), 7.0) for c in text
    )
