"""A matrix product whose entries are pointed at: which row and which column make one, product by product."""

from .display import rounded
from .player import moving, target
from .svg import ACCENT, FAINT, INK, MINUS, PAPER, Figure, box, heading, label, shade, signed

HIGH, LOW, NARROW = 24, 12, 16  # a box with a number is so high; one without, so low and so narrow
MAX_INNER = 6  # more columns of A have no numbers in their boxes
ROW, COLUMN = "#dbe4ee", "#fde8d0"  # the tints of the row and of the column that make an entry


def product_in_steps(
    A, B, rows=None, columns=None, names=("A", "B", "A·B"), decimals=0, full=None, still=None
):
    """Show A·B, step by step through its entries: the row of A, the column of B, their products and the sum.

    B stands above the product, so that each entry is where its row meets its column. rows and columns are
    the labels of the product, counted from 0 if not given; still is the (row, column) that a reader sees
    first, and where nothing moves; if not given, the first and the last. A product whose numbers all find
    room is filled entry by entry; of a larger one, colours show the numbers.
    """
    C = [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]
    full = full or max(abs(x) for M in (A, B, C) for row in M for x in row)
    rows = [str(name) for name in (range(len(A)) if rows is None else rows)]
    columns = [str(name) for name in (range(len(B[0])) if columns is None else columns)]
    places = [(i, j) for i in range(len(A)) for j in range(len(B[0]))]
    steps = [product_at(A, B, C, place, rows, columns, names, decimals, full) for place in places]
    start = places.index(still) if still else 0
    at = steps[start if still else -1][1]
    choices = {"row": rows, "column": columns}
    if len(B) <= MAX_INNER:
        choices = {"entry": [f"row {rows[i]}, column {columns[j]}" for i, j in places]}
    return moving(steps, choices, at, start, pause=900)


def product_at(A, B, C, place, rows, columns, names, decimals, full):
    """(words, figure) of one entry."""
    i, j = place
    a, b = A[i], [row[j] for row in B]
    products = [x * y for x, y in zip(a, b)]
    n, p, numbers = len(B), len(C[0]), len(B) <= MAX_INNER
    shown = [signed(float(x), decimals) for M in (A, B, C, [products]) for row in M for x in row]
    wide = 8 + 6 * max(map(len, [*shown, *columns]))
    across, down = (wide, HIGH) if numbers else (NARROW, LOW)
    names_of_rows = [f"row {rows[i]} of {names[0]}", f"column {columns[j]} of {names[1]}", "products"]
    longest = max(rows, key=len), max(columns, key=len)  # one place for all entries: nothing jumps
    long_names = [f"row {longest[0]} of {names[0]}", f"column {longest[1]} of {names[1]}"]
    left = round(20 + 6.6 * max(map(len, [*rows, *long_names])))
    right, top = left + n * across + 34, 64
    under = top + n * down + 44  # where A and the product begin
    foot = under + len(A) * HIGH + 20

    def matrix(M, x, y, wide, high, with_numbers=True, tinted=lambda r, c: PAPER, known=lambda r, c: True):
        for r, row in enumerate(M):
            for c, value in enumerate(row):
                fill, ink = (tinted(r, c), INK) if numbers else shade(value, full)
                yield box(x + c * wide, y + r * high, wide - 1, high - 1, fill, "#c5ccd3", 0.5)
                text = signed(float(value), decimals) if with_numbers else MINUS * (value < 0)
                text = text if known(r, c) else "?"
                if text:
                    yield label(x + (c + 0.5) * wide, y + (r + 0.5) * high + 4, text, 10, fill=ink)

    def frame(x, y, width, height):
        return box(x - 1, y - 1, width + 1, height + 1, "none", INK, 2)

    title = f"{names[2]}: row {rows[i]} and column {columns[j]}"
    parts = [
        heading(title),
        *matrix(B, right, top, wide, down, numbers, lambda r, c: COLUMN if c == j else PAPER),
        *matrix(C, right, under, wide, HIGH, known=lambda r, c: not numbers or (r, c) <= place),
    ]
    parts += matrix(A, left, under, across, HIGH, numbers, lambda r, c: ROW if r == i else PAPER)
    for name, x, y in zip(names, (left, right, right), (under, top - 16, under)):
        parts.append(label(x, y - 10, name, 12, "start", weight="bold"))
    for c, name in enumerate(columns):
        parts.append(label(right + (c + 0.5) * wide, top - 8, name, 10, fill=FAINT))
    for r, name in enumerate(rows):
        parts.append(label(left - 8, under + (r + 0.5) * HIGH + 4, name, 11, "end"))
    tints = (ROW, COLUMN, PAPER)
    parts += matrix([a, b, products], left, foot, wide, HIGH, tinted=lambda r, c: tints[r])
    for r, name in enumerate(names_of_rows):
        parts.append(label(left - 8, foot + (r + 0.5) * HIGH + 4, name, 11, "end"))
    total = signed(float(C[i][j]), decimals)
    for x, anchor, text in ((left - 8, "end", "sum"), (left + 4, "start", total)):
        parts.append(label(x, foot + 3.5 * HIGH + 4, text, 12, anchor, ACCENT, "bold"))
    below = " blue below;" * any(text.startswith(MINUS) for text in shown)
    key = f"orange is above 0,{below} full colour is {signed(float(full), min(decimals, 2))}"
    if numbers:
        key = "blue: the row of A; orange: the column of B".replace("A", names[0]).replace("B", names[1])
    elif decimals:
        key += f"; rounded to {decimals} decimals, the sum from the exact numbers"
    parts.append(label(left, foot + 4 * HIGH + 16, key, 10, "start", FAINT))
    parts.append(frame(left, under + i * HIGH, n * across, HIGH))
    parts.append(frame(right + j * wide, top, wide, n * down))
    parts.append(frame(right + j * wide, under + i * HIGH, wide, HIGH))
    for r in range(len(C)):
        for c in range(p):
            to = (r * p + c,) if numbers else (r, c)
            parts.append(target(right + c * wide, under + r * HIGH, wide, HIGH, *to))
    pairs = [f"{factor(x, decimals)}·{factor(y, decimals)}" for x, y in zip(a, b)]
    pairs = pairs if numbers else [*pairs[:2], "…", pairs[-1]]
    words = f"Row {rows[i]}, column {columns[j]}: {' + '.join(pairs)} = {total}."
    alt = (
        f"A matrix product, {names[0]} times {names[1]}. {title}; below, their products and the sum. {words}"
    )
    width = max(right + p * wide, left + n * wide, left + 6 * len(key), 24 + 9 * len(title)) + 12
    return words, Figure(width, foot + 4 * HIGH + 24, "".join(parts), alt, f"{title}\n{words}")


def factor(x, decimals):
    """A number of a product; a negative one in brackets."""
    text = rounded(float(x), decimals).replace("-", MINUS)
    return f"({text})" if x < 0 else text
