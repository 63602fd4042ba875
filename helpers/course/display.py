"""Numbers and tables as a lesson shows them: rounded once, here, so that every machine prints the same digits."""

import html


def rounded(x, decimals=4):
    """One value as text: a float to so many decimals, never as -0.0000; anything else as it is."""
    if not isinstance(x, float):
        return str(x)
    text = f"{x:.{decimals}f}"
    return text.lstrip("-") if text.strip("-0.") == "" else text


class Text:
    """A text that a cell shows as it is, without quotes."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def digits(x, decimals=4):
    """Show a number, a vector (eight a line), a matrix (a line per row) or a list of matrices, rounded."""
    if not isinstance(x, (list, tuple)) or len(x) == 0:
        return Text(rounded(x, decimals))
    if nested(x) and nested(x[0]):
        return Text("\n\n".join(repr(digits(matrix, decimals)) for matrix in x))
    if nested(x):
        cells = [[rounded(entry, decimals) for entry in row] for row in x]
    else:
        cells = [[rounded(entry, decimals) for entry in x[i : i + 8]] for i in range(0, len(x), 8)]
    width = max((len(cell) for row in cells for cell in row), default=0)
    return Text("\n".join("  ".join(cell.rjust(width) for cell in row) for row in cells))


def nested(x):
    return len(x) > 0 and isinstance(x[0], (list, tuple))


class Table:
    """Rows under a header: an HTML table in a notebook, aligned text in a terminal."""

    def __init__(self, header, rows, decimals):
        self.header = [str(title) for title in header]
        self.rows = [[rounded(value, decimals) for value in row] for row in rows]
        numeric = (int, float)
        self.right = [all(isinstance(row[i], numeric) for row in rows) for i in range(len(header))]

    def __repr__(self):
        lines = [self.header, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.header))]
        lines.insert(1, ["-" * width for width in widths])
        pad = [str.rjust if right else str.ljust for right in self.right]
        return "\n".join("  ".join(p(c, w) for p, c, w in zip(pad, line, widths)).rstrip() for line in lines)

    def _repr_html_(self):
        align = ["right" if right else "left" for right in self.right]

        def row(tag, cells):
            marked = (f'<{tag} style="text-align:{a}">{html.escape(c)}</{tag}>' for a, c in zip(align, cells))
            return "<tr>" + "".join(marked) + "</tr>"

        body = "\n".join(row("td", cells) for cells in self.rows)
        return f"<table>\n<thead>{row('th', self.header)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def table(header, rows, decimals=4):
    """Show rows of values under a header. ValueError when a row is not as long as the header."""
    rows = [list(row) for row in rows]
    for i, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(f"rows[{i}] has {len(row)} values and the header has {len(header)}; make them equal")
    return Table(header, rows, decimals)
