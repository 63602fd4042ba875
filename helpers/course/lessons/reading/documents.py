"""Texts out of files: a file or a folder in; out come the texts, and a sentence for whatever could not be
read.

Nothing in a file is run or looked up elsewhere, and whatever grows on reading stops at MAX_FILE_BYTES.
"""

import csv
import html
import io
import json
import os
import posixpath
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote

from .pdf import pdf_text

MAX_FILE_BYTES = 20_000_000  # of one file, and of what it unpacks to: a small zip file may hold terabytes
MAX_CHARACTERS = 100_000_000  # characters of all documents together

# what a text may begin with to say how it is written
BOMS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# what is no text, by how it begins
BEGINNINGS = {
    b"PK\3\4": "a zip file",
    b"%PDF-": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "packed",
    b"\xd0\xcf\x11\xe0": "an old Office file, or a locked one",
    b"{\\rtf": "RTF",
}
GUESSED = (
    "read as Windows-1252, which is a guess: look at its accents; "
    'where they are wrong, say fallback="its encoding"'
)
MUST_BE = {".docx": "a zip file", ".epub": "a zip file", ".pdf": "a PDF"}


# --- text, as it stands


def decode_bytes(data: "bytes", fallback: "str" = "cp1252") -> ("str", "str"):
    r"""The text that bytes spell, and the encoding that was taken.

    A mark at the beginning decides; else UTF-8, if it fits; else the fallback, which is a guess.
    UnicodeError where the fallback does not fit either: five bytes are no letter in cp1252.

    >>> decode_bytes(b"caf\xc3\xa9"), decode_bytes(b"caf\xe9")
    (('café', 'utf-8'), ('café', 'cp1252'))
    """
    for mark, encoding in BOMS.items():
        if data.startswith(mark):
            return data.decode(encoding), encoding
    text = data.decode("utf-8", "replace")
    if text.encode("utf-8") == data:
        return text, "utf-8"
    return data.decode(fallback), fallback


def _plain_text(data, fallback):
    """The text of a file that is nothing but text, and a remark where its encoding was guessed."""
    text, remark = _damaged_utf8(data)
    if not remark:
        text, encoding = decode_bytes(data, fallback)
        remark = GUESSED if encoding == "cp1252" else ""
    if len(re.findall("[\0-\x08\x0e-\x1a\x1c-\x1f]", text)) > len(text) / 1000:
        raise ValueError("its bytes spell no text")
    return text, remark


def _damaged_utf8(data):
    """The text of bytes that are UTF-8 but for a few, and a remark; "" for both where they are not: a
    guess would spoil the rest."""
    text = data.decode("utf-8", "replace")
    lost = text.count("\ufffd") - data.count("\ufffd".encode("utf-8"))
    fitting = len(re.findall(r"[^\0-\x7f]", text)) - lost
    if lost and (lost < fitting or data.startswith(b"\xef\xbb\xbf")):
        remark = f"read as UTF-8, a \ufffd for whatever was damaged: {lost:,} in all"
        return text.removeprefix("\ufeff"), remark
    return "", ""


# --- tables and JSON


def _table_text(data, fallback):
    """A line for each row of a table, tabs between its cells; the separator is what divides the first
    rows alike."""
    text, remark = _plain_text(data, fallback)
    lines = text.splitlines()[:20]
    counts = {separator: {line.count(separator) for line in lines} for separator in ",;\t|"}
    alike = [separator for separator, found in counts.items() if len(found) == 1 and found != {0}]
    separator = alike[0] if alike else max(counts, key=lambda separator: min(counts[separator], default=0))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValueError(f"it is no sound table: {error}") from None
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows), remark


def _json_text(data, fallback):
    """The strings of a JSON file, a blank line between those of different records."""
    text, remark = _plain_text(data, fallback)
    value = _parsed(text)
    return _paragraphs(value if isinstance(value, list) else [value]), remark


def _json_lines_text(data, fallback):
    """The strings of a file that has a JSON record in each line; a few damaged lines are left out, and
    the remark says which."""
    text, remark = _plain_text(data, fallback)
    records, damaged = [], {}
    for i, line in enumerate(text.split("\n"), 1):
        try:
            records += [_parsed(line, i)] if line.strip() else []
        except ValueError as error:
            damaged[i] = error
    if len(damaged) > len(records) / 10:  # then it is something else
        raise next(iter(damaged.values()))
    if damaged:
        first = ", ".join(map(str, [*damaged][:5])) + (", …" if len(damaged) > 5 else "")
        remark = f"left out {len(damaged):,} of its lines, which are no JSON: {first}" + (
            f"; {remark}" if remark else ""
        )
    return _paragraphs(records), remark


def _parsed(text, line=1):
    """What JSON says, objects as tuples of their values: a name that stands there twice does not lose one
    of them."""
    try:
        # float, for a whole number of a million digits would take hours
        return json.loads(
            text, parse_int=float, object_pairs_hook=lambda pairs: tuple(value for _, value in pairs)
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error.msg} in line {line + error.lineno - 1}") from None


def _paragraphs(records):
    """The strings of each record one a line, a blank line between records."""
    found = ("\n".join(_strings_in(record)) for record in records)
    return "\n\n".join(text for text in found if text)


def _strings_in(value):
    """All strings in a nest of lists and tuples, from left to right."""
    if isinstance(value, str):
        yield value
    for entry in value if isinstance(value, (list, tuple)) else ():
        yield from _strings_in(entry)


def _notebook_text(data, fallback):
    """The cells of a notebook, a blank line between them."""
    text, remark = _plain_text(data, fallback)
    try:
        sources = [cell["source"] for cell in json.loads(text, parse_int=float)["cells"]]
        return "\n\n".join("".join(source) for source in sources), remark
    except (ValueError, LookupError, TypeError):
        raise ValueError("it is no notebook of format 4") from None


# --- HTML and XML

MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
TAG_END = re.compile(r"""=\s*"[^"]*"|=\s*'[^']*'|(>)""")
SKIPPED = {"script", "style", "template"}
BLOCKS = set(
    "address article aside blockquote body br dd div dl dt fieldset figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 head "
    "header hr html li main nav ol option p pre section table textarea tfoot thead title tr ul".split()
)


def _markup(page):
    """(tag, the text behind it) from left to right. No tag is trusted to have an end, and no entity is
    looked up elsewhere."""
    tag, at = "", 0
    while True:
        start = MARKUP.search(page, at)
        yield tag, html.unescape(page[at : start.start() if start else len(page)])
        if not start:
            return
        at = _end_of_tag(page, start.start())
        tag = page[start.end() : at - 1]
        if re.match(r"(?i)!ENTITY|!DOCTYPE[^>]*\[", tag):
            raise ValueError("it declares entities of its own, which are not read")
        if tag.startswith("![CDATA["):
            yield "", tag[len("![CDATA[") : -2]
        if _name_of(tag) in SKIPPED and not tag.endswith("/"):
            at = _must(re.compile(rf"</{_name_of(tag)}(?=[\s>])", re.I).search(page, at), tag).start()


def _end_of_tag(page, start):
    """Where a tag, a comment or a piece of CDATA is over."""
    for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>")):
        if page.startswith(opening, start):
            return _must(re.compile(closing).search(page, start + 2), opening).end()
    at = start
    while True:
        match = _must(TAG_END.search(page, at), page[start : start + 20])
        at = match.end()
        if match[1]:
            return at


def _must(match, tag):
    """A match; an error that names the tag where there is none: what follows could not be told from it."""
    if match is None:
        raise ValueError(f"what begins as {tag:.20} never ends")
    return match


def _name_of(tag):
    """The name at the beginning of a tag, with the slash before it, in small letters."""
    return re.match(r"/?[^\s/>]*", tag)[0].lower()


def _page_text(page):
    """The text of a page, hidden or not: a line for each block, single spaces but in <pre>."""
    parts, verbatim = ["\n"], False
    for tag, text in _markup(page):
        name = _name_of(tag)
        if name.strip("/") == "pre":
            verbatim = name == "pre"
        if name.strip("/") in BLOCKS and parts[-1][-1] != "\n":
            parts.append("\n")
        elif name in ("/td", "/th"):
            parts.append("\t")
        if not verbatim:
            text = re.sub(r"[ \t\r\n\f]+", " ", text)
            text = text.lstrip(" ") if parts[-1][-1] in " \t\n" else text
        if text:
            parts.append(text)
    return "\n".join(line.rstrip() for line in "".join(parts).split("\n")).strip("\n")


def _html_text(data, fallback):
    """The text of a page, in the encoding that it names where it is no UTF-8; in the fallback where it
    names none."""
    named = re.search(rb"""charset\s*=\s*["']?([\w-]+)""", data[:2000])
    charset = named[1].decode("ascii").lower() if named else fallback
    text, remark = _plain_text(
        data, "windows-1252" if charset in ("iso-8859-1", "latin1") else charset
    )  # as browsers do
    return _page_text(text), remark


# --- zip files


def _part(archive, name):
    """One file of a zip file."""
    if name not in archive.namelist():
        raise ValueError(f"it has no {name} in it, as it should")
    if archive.getinfo(name).flag_bits & 1:
        raise ValueError("it is locked with a password")
    with archive.open(name) as file:
        return _bounded(file)


WORD_BREAKS = {"/w:p": "\n", "w:br": "\n", "w:cr": "\n", "w:tab": "\t", "w:nobreakhyphen": "-"}
# text that stands in the file twice: again for old programs, and again where it was moved away from
SAID_TWICE = {"mc:fallback", "w:movefrom"}


def _docx_text(data, _):
    """The paragraphs of a Word document, then its footnotes; what was struck out is left out."""
    texts, skipping = [], ""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        notes = [name for name in ("word/footnotes.xml", "word/endnotes.xml") if name in archive.namelist()]
        for name in ["word/document.xml", *notes]:
            for tag, text in _markup(decode_bytes(_part(archive, name))[0]):
                what = _name_of(tag)
                if skipping:
                    skipping = "" if what == "/" + skipping else skipping
                elif what in SAID_TWICE and not tag.endswith("/"):
                    skipping = what
                else:
                    texts.append(WORD_BREAKS.get(what, ""))
                    texts.append(text if what == "w:t" and not tag.endswith("/") else "")
    return "".join(texts), ""


def _epub_text(data, fallback):
    """The chapters of a book in the order of its spine, a blank line between them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        book = next(
            (
                each["full-path"]
                for name, each in _tags_of(archive, "META-INF/container.xml")
                if name == "rootfile"
            ),
            "",
        )
        tags = _tags_of(archive, book)
        files = {each.get("id"): unquote(each.get("href", "")) for name, each in tags if name == "item"}
        spine = [files.get(each.get("idref")) for name, each in tags if name == "itemref"]
        if not spine or None in spine:
            raise ValueError("it does not say in which order its chapters come")
        pages, room = [], MAX_FILE_BYTES
        for file in spine:
            page = _part(archive, posixpath.normpath(posixpath.join(posixpath.dirname(book), file)))
            room -= len(page) + 1000
            if room < 0:
                raise ValueError(f"it holds more than {MAX_FILE_BYTES:,} bytes")
            pages.append(_html_text(page, fallback))
    remarks = [remark for _, remark in pages if remark]
    return "\n\n".join(text for text, _ in pages), remarks[0] if remarks else ""


def _tags_of(archive, name):
    """(name without its prefix, {attribute: value}) of every tag of an XML file in a zip file."""
    attribute = re.compile(r"""(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
    return [
        (
            _name_of(tag).rpartition(":")[2],
            {key: html.unescape(one or other) for key, one, other in attribute.findall(tag)},
        )
        for tag, _ in _markup(decode_bytes(_part(archive, name))[0])
    ]


READERS = {
    ".csv": _table_text,
    ".tsv": _table_text,
    ".json": _json_text,
    ".jsonl": _json_lines_text,
    ".ndjson": _json_lines_text,
    ".html": _html_text,
    ".htm": _html_text,
    ".xhtml": _html_text,
    ".ipynb": _notebook_text,
    ".docx": _docx_text,
    ".epub": _epub_text,
    ".pdf": lambda data, _: pdf_text(data),
}


# --- files and folders


def _name_in(path, root):
    """The name of a file, from the folder on; what no letter stands for is replaced."""
    name = path.relative_to(root).as_posix() if path != root else path.name
    return os.fsencode(name).decode("utf-8", "replace")


def _leads_elsewhere(path, root):
    """Whether what stands under the root is a link, in or out of it."""
    return os.path.realpath(path) != os.path.join(os.path.realpath(root), path.relative_to(root))


def _explained(error):
    """What went wrong, in words: our own, or those for what the standard library says."""
    if isinstance(error, UnicodeError):
        return "its bytes spell no text"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, OSError):
        return f"the system says: {error.strerror or error}"
    return str(error) if type(error) is ValueError else f"it is damaged ({type(error).__name__}: {error})"


def _read_document(path, fallback):
    """(text, remark) of one file; an error that says why where it cannot be read."""
    data, kind = _bytes_of(path), path.suffix.lower()
    found = next((what for beginning, what in BEGINNINGS.items() if data.startswith(beginning)), "text")
    wanted = MUST_BE.get(kind, "text")
    if found != wanted:
        raise ValueError(
            f"it is {found}, not {wanted}" if found != "text" else f"it does not begin as {wanted} does"
        )
    text, remark = READERS.get(kind, _plain_text)(data, fallback)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text.encode("utf-8")  # fails for half a character, which JSON may hold
    if not text.strip():
        raise ValueError("it holds no text")
    return text, remark


def _bytes_of(path):
    """What an ordinary file holds, if that is not too much."""
    if not path.exists():
        raise ValueError("there is no such file")
    if not path.is_file():
        raise ValueError("it is no ordinary file")
    with open(path, "rb") as file:
        return _bounded(file)


def _bounded(file):
    """What an open file holds, if that is not too much: what it says of its own size is not believed."""
    data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"it holds more than {MAX_FILE_BYTES:,} bytes")
    return data


def read_documents(path: "path", fallback: "str" = "cp1252") -> ("list", "list"):
    """Read a file, or all files in a folder and its folders: the documents, and remarks.

    Both are lists of pairs: (name, text) and (name, sentence).

    A remark says why a file was not read, or what to look at in one that was. What is read, by the end of
    the name:

    - .csv .tsv: a line for each row, tabs between the cells
    - .json .jsonl .ndjson: the strings, without keys and numbers, a blank line between records
    - .html .htm .xhtml: what stands between the tags, shown or hidden, without scripts
    - .ipynb: the cells, without what they show
    - .docx: the paragraphs, without headers and comments; .epub: the chapters in order
    - .pdf: the lines of simple ones, as printed
    - anything else, source code and Markdown among it: as it stands, if it is text

    Hidden files are passed over; links in a folder are not followed. Bytes that are not
    UTF-8 are read in the encoding `fallback`, such as "koi8-r". Where the fallback is cp1252, which is the
    default and a guess, a remark says so.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, data in {"ann.txt": b"Ann", "bob.txt": b"\\x89PNG"}.items():
    ...         with open(os.path.join(folder, name), "wb") as file:
    ...             _ = file.write(data)
    ...     read_documents(folder)
    ([('ann.txt', 'Ann')], [('bob.txt', 'not read: it is a picture, not text')])
    """
    try:
        "".encode(fallback)
    except (LookupError, ValueError):
        raise ValueError(
            f'fallback is {fallback!r:.40}, which is no encoding; give one like "cp1252" or "koi8-r"'
        ) from None
    root, documents, remarks = Path(path), [], []
    waiting, room = [root], MAX_CHARACTERS
    while waiting:
        here = waiting.pop()
        try:
            if here != root and _leads_elsewhere(here, root):
                raise ValueError("it is a link; give what it leads to")
            if here.is_dir():
                waiting += sorted((entry for entry in here.iterdir() if entry.name[:1] != "."), reverse=True)
                continue
            text, remark = _read_document(here, fallback)
            room -= len(text)
            if room < 0:
                raise ValueError(f"all together there are more than {MAX_CHARACTERS:,} characters")
            documents.append((_name_in(here, root), text))
        except Exception as error:
            remark = f"not read: {_explained(error)}"
        if remark:
            remarks.append((_name_in(here, root), remark))
    return documents, remarks
