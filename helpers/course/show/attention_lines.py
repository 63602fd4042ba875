"""Attention as lines from one position to itself and the positions before it."""

from .player import moving, target
from .svg import ACCENT, FAINT, INK, Figure, heading, label, path, signed

MAX_WORDS = 6  # of more, only the lines of one position are drawn


def heads_over_words(maps, words):
    """Show what each position attends to in each head: maps is {name of a head: its attention weights}.

    It begins at the last position of the first head: position 0 can attend only to itself.
    """
    steps = [
        lines_of_attention(weights, words, position, f"head {head}, position {position}: {words[position]}")
        for head, weights in maps.items()
        for position in range(len(words))
    ]
    return moving(steps, {"head": maps, "position": numbered(words)}, start=len(words) - 1, pause=700)


def numbered(words):
    return [f"{position}: {word}" for position, word in enumerate(words)]


def lines_of_attention(weights, words, position, title):
    """(words, figure) of the attention of one position. A line is as thick as its weight; others are pale.

    Pointing at a word on the left sets the second choice of a figure that moves to its position.
    """
    named = [f"{word} ({i})" if words.count(word) > 1 else word for i, word in enumerate(words)]
    wide, pitch, top = 8 * max(map(len, named)), 34 if len(words) <= MAX_WORDS else 26, 76
    left, right = 24 + wide, 264 + wide
    parts = [
        label(x, 46, text, 11, "start", FAINT) for x, text in ((12, "this position"), (right, "attends to"))
    ]
    for i, word in enumerate(named):
        y, here = top + pitch * i, i == position
        look = (ACCENT, "bold") if here else (INK, "normal")
        parts += [label(left - 8, y + 4, word, 12, "end", *look), label(right, y + 4, word, 12, "start")]
        weight = round(weights[position][i], 2)
        parts.append(label(right + wide + 44, y + 4, signed(weight, 2) if i <= position else "", 12, "end"))
        for j in range(i + 1 if here or len(words) <= MAX_WORDS else 0):
            shown = round(weights[i][j], 2)
            if shown:
                look = (ACCENT if here else "#c5ccd3", 8 * shown)
                parts.append(path([(left, y), (right - 8, top + pitch * j)], *look, head=False))
        parts.append(target(12, y - pitch / 2, left - 12, pitch, None, i))
    end = top + pitch * len(words)
    largest = sorted(range(position + 1), key=lambda j: (-round(weights[position][j], 2), j))[:4]
    rest = 1 - sum(weights[position][j] for j in largest)
    shares = ", ".join(f"{weights[position][j]:.2f} to {named[j]}" for j in sorted(largest))
    shares += f", and {rest:.2f} to the others" if rest >= 0.005 else ""
    said = f"{title[0].upper()}{title[1:]} attends {shares}."
    alt = (
        f"Lines of attention from this position: {title}; it attends to the words {', '.join(words)}. {said}"
    )
    width = max(right + wide + 60, 24 + 9 * len(title))
    return said, Figure(width, end, heading(title) + "".join(parts), alt, said)
