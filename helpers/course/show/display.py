"""Numbers and tables as a lesson shows them: rounded once, here, so that every machine prints the same
digits."""

import html
import re

COLUMN_NAME, ROW_NAME = 'th scope="col"', 'th scope="row"'  # the two kinds of header cells


def rounded(x, decimals=4):
    """One value as text: a float to so many decimals, never as -0.0000; anything else as it is."""
    if not isinstance(x, float):
        return str(x)
    text = f"{x:.{decimals}f}"
    return text.lstrip("-") if text.strip("-0.") == "" else text


def pluralized(number, noun):
    """A number and its noun.

    >>> pluralized(1, "line"), pluralized(2053, "line")
    ('1 line', '2,053 lines')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


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


def attempt(function, *arguments):
    """Show what a function returns, or the name of the error that it raises; an assert's sentence, too."""
    try:
        return digits(function(*arguments))
    except Exception as error:
        told = f": {error}" if isinstance(error, AssertionError) else ""
        return Text(type(error).__name__ + told)


class Table:
    """Rows under a header: an HTML table in a notebook, aligned text in a terminal."""

    def __init__(self, header, rows, decimals):
        self.header = [str(title) for title in header]
        self.rows = [[rounded(value, decimals) for value in row] for row in rows]
        self.right = [all(looks_numeric(row[i]) for row in rows) for i in range(len(header))]

    def __repr__(self):
        lines = [self.header, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.header))]
        lines.insert(1, ["-" * width for width in widths])
        pad = [str.rjust if right else str.ljust for right in self.right]
        return "\n".join("  ".join(p(c, w) for p, c, w in zip(pad, line, widths)).rstrip() for line in lines)

    def _repr_html_(self):
        return html_table(self.header, self.rows, self.right)


def looks_numeric(value):
    """Whether a cell is a number, or a text that a reader takes for one: 3,456 or −0.5 or 12 % or 1e-06."""
    written = r"[+\-\u2212]?(\d[\d,]*(\.\d+)?(e[+-]?\d+)?|inf|\u221e) ?%?"
    return (
        isinstance(value, (int, float)) or isinstance(value, str) and re.fullmatch(written, value) is not None
    )


def html_table(header, rows, right, colours=()):
    """A table of texts as HTML; right says which columns are flush right, colours may paint each row.

    A first column without a title holds the names of the rows.
    """
    align = ["right" if flush else "left" for flush in right]
    named = bool(header) and header[0] == ""
    corner, first = ("td", ROW_NAME) if named else (COLUMN_NAME, "td")

    def row(tags, cells, look=""):
        marked = (html_cell(*parts) for parts in zip(tags, align, cells))
        return f"<tr{look}>" + "".join(marked) + "</tr>"

    looks = [f' style="background:{colour};color:#000000"' for colour in colours] or [""] * len(rows)
    head = row([corner, *[COLUMN_NAME] * len(header[1:])], header)
    tags = [first, *["td"] * len(header[1:])]
    body = "\n".join(row(tags, cells, look) for cells, look in zip(rows, looks, strict=True))
    return f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def html_cell(tag, align, text):
    plain = ";font-weight:normal" if tag == ROW_NAME else ""
    return f'<{tag} style="text-align:{align}{plain}">{html.escape(text)}</{tag.split()[0]}>'


def table(header, rows, decimals=4):
    """Show rows of values under a header. ValueError when a row is not as long as the header."""
    rows = [list(row) for row in rows]
    for i, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(
                f"rows[{i}] has {len(row)} values and the header has {len(header)}; make them equal"
            )
    return Table(header, rows, decimals)


class Closed:
    """Things under a line that opens them, where the place can fold; as they are where it cannot."""

    def __init__(self, things, title):
        self.things, self.title = things, title

    def __repr__(self):
        return "\n\n".join(map(text_of, self.things))

    def _repr_html_(self):
        body = "\n".join(html_of(thing) for thing in self.things)
        return f"<details><summary>{html.escape(self.title)}</summary>\n{body}\n</details>"


def closed(*things, title="The answer"):
    """Show things folded, so that a reader can predict the answer before opening it.

    The fold is in the output, not in the notebook's metadata, so that running and saving change nothing.
    """
    if not things:
        raise ValueError(
            "closed: there is nothing to fold; give the things to show, such as closed(table(...))"
        )
    return Closed(things, title)


def text_of(thing):
    return thing if isinstance(thing, str) else rounded(thing) if isinstance(thing, float) else repr(thing)


def html_of(thing):
    """A thing's own HTML, or its text, set as it is written."""
    own = thing._repr_html_() if hasattr(thing, "_repr_html_") else None
    return own or f"<pre>{html.escape(text_of(thing))}</pre>"
