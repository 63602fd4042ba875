"""A row of small pictures: a square for each number, white for 0 and black for 1."""

from .svg import ACCENT, FAINT, Figure, box, heading, label

PIXEL = 8
LETTERS = " .:-=+*#%@"


def ink(number):
    """A number from 0 to 1 as a level from 0 (white) to 20 (black); what lies outside is cut off."""
    return round(20 * min(1, max(0, number)))


def pictures_in_a_row(pictures, labels, title="", cut=0):
    """Draw pictures side by side, each with its label; cut is the side of the patches, whose borders are
    drawn, or 0 for none."""
    if len(pictures) != len(labels):
        raise ValueError(f"there are {len(pictures)} pictures and {len(labels)} labels; give one for each")
    top, x, parts = 40 if title else 14, 14, []
    if title:
        parts.append(heading(title, 14))
    high = max(len(picture) for picture in pictures) * PIXEL
    for picture, name in zip(pictures, labels):
        rows, columns = len(picture), len(picture[0])
        for i, row in enumerate(picture):
            for j, number in enumerate(row):
                grey = f"#{3 * f'{255 - round(255 * ink(number) / 20):02x}'}"
                parts.append(box(x + j * PIXEL, top + i * PIXEL, PIXEL, PIXEL, grey))
        for y in range(0, rows, cut or rows):
            for left in range(0, columns, cut or columns):
                side = (min(cut or columns, columns - left) * PIXEL, min(cut or rows, rows - y) * PIXEL)
                edge = ACCENT if cut else FAINT
                parts.append(box(x + left * PIXEL, top + y * PIXEL, *side, "none", edge))
        parts.append(label(x + columns * PIXEL / 2, top + high + 16, str(name), 12))
        x += max(columns * PIXEL, 7 * len(str(name))) + 14
    sizes = dict.fromkeys(f"{len(picture)} times {len(picture[0])}" for picture in pictures)
    count = "1 picture" if len(pictures) == 1 else f"{len(pictures)} pictures"
    names = ", ".join(map(str, labels))
    alt = f"{title + ': ' if title else ''}{count} of {' or '.join(sizes)} numbers, labelled {names}."
    text = "\n\n".join(
        f"{name}\n"
        + "\n".join("".join(2 * LETTERS[ink(n) * 9 // 20] for n in row).rstrip() for row in picture)
        for picture, name in zip(pictures, labels)
    )
    return Figure(max(x, 30 + 9 * len(title)), top + high + 26, "".join(parts), alt, text)
