"""Texts out of files: a file or a folder in; out come the texts, and a sentence for whatever could not be
read.

Nothing in a file is run or looked up elsewhere. A file holds at most MAX_FILE_BYTES, and reading it costs at
most its Budget.
"""

import csv
import html
import io
import json
import os
import posixpath
import re
import unicodedata
import zipfile
from pathlib import Path
from urllib.parse import unquote

from .budget import MEMORY_OF_STRING, MEMORY_OF_VALUE, STEPS_OF_VALUE, Budget, Unreadable, damage_in
from .pdf import read_pdf

MAX_FILE_BYTES = 20_000_000  # of one file, and of each file in a zip file
MEMORY_OF_LIST = 88  # of one or two values
MEMORY_OF_DICT = 300
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
    "read as Windows-1252, which is a guess: check the accented letters; "
    'if they are wrong, give its encoding as fallback="…"'
)
# what is read as it stands although more than text stands in it
AS_IT_STANDS = {
    ".xml": "with its tags",
    ".svg": "with its tags",
    ".rss": "with its tags",
    ".css": "as a style sheet: rules and no prose",
    ".srt": "with the times of its subtitles",
    ".vtt": "with the times of its subtitles",
    ".eml": "as a mail: with its headers, and attachments in letters",
    ".mbox": "as mails: with their headers, and attachments in letters",
    ".tex": "with its commands",
}
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


CONTROLS = [chr(code) for code in range(32) if chr(code) not in "\t\n\v\f\r\x1b"]


def _plain_text(data, fallback, _):
    """The text of a file that is nothing but text, and a remark where its encoding was guessed."""
    if _is_utf_16(data) and not fallback.lower().startswith(("utf-16", "utf_16", "utf16")):
        raise Unreadable(
            'it looks like UTF-16 without a byte order mark: give its encoding, "utf-16-le" or "utf-16-be"'
        )
    if _is_utf_16(data):
        return data.decode(fallback), ""
    text, remark = _damaged_utf8(data)
    if not remark:
        text, encoding = decode_bytes(data, fallback)
        remark = GUESSED if encoding == "cp1252" else ""
    if sum(map(text.count, CONTROLS)) > len(text) / 1000:
        raise Unreadable("its bytes spell no text")
    return text, remark


def _is_utf_16(data):
    """Whether bytes look like UTF-16 that does not say so: in most pairs of bytes, one and the same is 0."""
    zeros = [data[start::2].count(0) for start in (0, 1)]
    return (
        not data.startswith(tuple(BOMS))
        and len(data) >= 4
        and max(zeros) > len(data) * 0.3
        and min(zeros) <= max(zeros) / 9
    )


def _damaged_utf8(data):
    """The text of bytes that are UTF-8 but for a few, and a remark; "" for both where they are not: a
    guess would spoil the rest."""
    text = data.decode("utf-8", "replace")
    lost = text.count("\ufffd") - data.count("\ufffd".encode("utf-8"))
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore")) if lost else 0
    if lost and (lost < beyond_ascii - lost or data.startswith(b"\xef\xbb\xbf")):
        remark = f"read as UTF-8, a \ufffd for whatever was damaged: {lost:,} in all"
        return text.removeprefix("\ufeff"), remark
    return "", ""


# --- tables and JSON


def _table_text(data, fallback, budget):
    """A line for each row of a table, tabs between its cells; the separator is what divides the first
    rows alike."""
    text, remark = _plain_text(data, fallback, budget)
    separator, written, memory = _separator(text), io.StringIO(), budget.memory
    lines = _charged_lines(text, separator, budget)
    try:
        for row in csv.reader(lines, delimiter=separator, strict=True):
            written.write("\t".join(" ".join(cell.split()) for cell in row) + "\n")
            budget.memory = memory
    except csv.Error as error:
        raise Unreadable(f"it is no sound table: {error}") from None
    return written.getvalue()[:-1], remark


def _separator(text):
    """What divides the first rows into equally many cells; else what stands in each of them."""
    lines = [line for _, line in zip(range(20), io.StringIO(text, newline=""))]
    counts = {separator: {line.count(separator) for line in lines} for separator in ",;\t|"}
    alike = [separator for separator, found in counts.items() if len(found) == 1 and found != {0}]
    return alike[0] if alike else max(counts, key=lambda separator: min(counts[separator], default=0))


def _charged_lines(text, separator, budget):
    """The lines of a table; the cells that they make are charged first."""
    for line in io.StringIO(text, newline=""):
        cells = 1 + line.count(separator)
        budget.charge(len(line) + cells * STEPS_OF_VALUE, cells * MEMORY_OF_STRING)
        yield line


def _json_text(data, fallback, budget):
    """The strings of a JSON file, a blank line between those of different records."""
    text, remark = _plain_text(data, fallback, budget)
    value = _parsed(text, budget)
    found = map(_record_text, value if isinstance(value, list) else [value])
    return "\n\n".join(text for text in found if text), remark


def _json_lines_text(data, fallback, budget):
    """The strings of a file that has a JSON record in each line; a few damaged lines are left out, and
    the remark says which."""
    text, remark = _plain_text(data, fallback, budget)
    n_lines = text.count("\n") + 1
    budget.charge(memory=n_lines * MEMORY_OF_STRING)
    found, damaged, first_error, memory = [], [], None, budget.memory
    for i, line in enumerate(text.split("\n"), 1):
        try:
            found += [_record_text(_parsed(line, budget, i))] if line.strip() else []
            budget.memory = memory
        except NoJSON as error:
            first_error = first_error or error
            damaged.append(i)
        if len(damaged) > (n_lines - len(damaged)) / 10:  # too many, even if no other line is damaged
            break
    if len(damaged) > len(found) / 10:  # then it is something else
        raise first_error
    return "\n\n".join(text for text in found if text), _remark_on_lines(damaged, remark)


def _remark_on_lines(damaged, remark):
    """The remark with the numbers of the lines that were left out, if there are any."""
    if not damaged:
        return remark
    first = ", ".join(map(str, damaged[:5])) + (", …" if len(damaged) > 5 else "")
    left_out = f"left out {len(damaged):,} of its lines, which are no JSON: {first}"
    return left_out + (f"; {remark}" if remark else "")


class NoJSON(Unreadable):
    """A text that is no JSON; in JSON lines, others may be."""


def _parsed(text, budget, line=1, memory_of_object=MEMORY_OF_LIST, pairs=None):
    """What JSON says, objects as tuples of their values: a name that stands there twice does not lose one
    of them. Of numbers only that they are there: their digits would take time and memory."""
    budget.charge(len(text) + 4 * STEPS_OF_VALUE, _memory_of_json(text, memory_of_object))
    try:
        return json.loads(text, parse_int=bool, parse_float=bool, object_pairs_hook=pairs or _values_of_pairs)
    except json.JSONDecodeError as error:
        raise NoJSON(f"it is no JSON: {error.msg} in line {line + error.lineno - 1}") from None


def _values_of_pairs(pairs):
    return tuple(value for _, value in pairs)


def _memory_of_json(text, memory_of_object):
    """At most what the values of a JSON text take, without their characters."""
    memory = text.count('"') // 2 * (MEMORY_OF_STRING + 8) + text.count(",") * 8
    return memory + text.count("[") * MEMORY_OF_LIST + text.count("{") * memory_of_object


def _record_text(record):
    """All strings in a nest of lists and tuples, from left to right, one a line."""
    strings, waiting = [], [record]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            strings.append(value)
        elif isinstance(value, (list, tuple)):
            waiting += reversed(value)
    return "\n".join(strings)


def _notebook_text(data, fallback, budget):
    """The cells of a notebook, a blank line between them."""
    text, remark = _plain_text(data, fallback, budget)
    try:
        notebook = _parsed(text, budget, memory_of_object=MEMORY_OF_DICT, pairs=_cells_or_source)
        return "\n\n".join("".join(cell["source"]) for cell in notebook["cells"]), remark
    except (NoJSON, LookupError, TypeError):
        raise Unreadable("it is no notebook of format 4") from None


def _cells_or_source(pairs):
    """Of an object in a notebook only what its text is made of."""
    return {name: value for name, value in pairs if name in ("cells", "source")}


# --- HTML and XML

MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
TAG_END = re.compile(r"""=\s*"[^"]*"|=\s*'[^']*'|(>)""")
LONG_NUMBER = re.compile(r"&#(?:0*[1-9][0-9]{8,}|[xX]0*[1-9A-Fa-f][0-9A-Fa-f]{8,});?")
ATTRIBUTE = re.compile(r"""(?<![\w:-])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
SKIPPED = {"script", "style", "template"}
BLOCKS = set(
    "address article aside blockquote body br dd div dl dt fieldset figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 head "
    "header hr html li main nav ol option p pre section table textarea tfoot thead title tr ul".split()
)


def _markup(page, budget):
    """(tag, the text after it) from left to right. No tag is trusted to have an end, and no entity is
    looked up elsewhere."""
    tag, at, before = "", 0, 0
    while True:
        start = MARKUP.search(page, at)
        yield tag, _unescaped(page[at : start.start() if start else len(page)])
        if not start:
            return
        at = _end_of_tag(page, start.start())
        budget.charge(at - before + 3 * STEPS_OF_VALUE)
        before = at
        tag = page[start.end() : at - 1]
        if re.match(r"(?i)!ENTITY|!DOCTYPE[^>]*\[", tag):
            raise Unreadable("it declares entities of its own, which are not read")
        if tag.startswith("![CDATA["):
            yield "", tag[len("![CDATA[") : -2]
        if _name_of(tag) in SKIPPED and not tag.endswith("/"):
            at = _must(re.compile(rf"</{_name_of(tag)}(?=[\s>])", re.I).search(page, at), tag).start()


def _unescaped(text):
    """The text with characters for its entities; no character has a number of nine digits."""
    return html.unescape(LONG_NUMBER.sub("\ufffd", text)) if "&" in text else text


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
        raise Unreadable(f"what begins as {tag:.20} never ends")
    return match


def _name_of(tag):
    """The name at the beginning of a tag, with the slash before it, in small letters."""
    return re.match(r"/?[^\s/>]*", tag)[0].lower()


def _page_text(page, budget):
    """The text of a page, hidden or not: a line for each block, single spaces but in <pre>."""
    parts, verbatim, memory = ["\n"], False, budget.memory
    for tag, text in _markup(page, budget):
        budget.charge(memory=MEMORY_OF_STRING + 8 if text else 8)
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
    text = "".join(parts)
    parts.clear()
    budget.memory = memory
    budget.charge(memory=MEMORY_OF_STRING * text.count("\n"))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _html_text(data, fallback, budget):
    """The text of a page, in the encoding that it names where it is no UTF-8; in the fallback where it
    names none."""
    named = re.search(rb"""charset\s*=\s*["']?([\w-]+)""", data[:2000])
    charset = named[1].decode("ascii").lower() if named else fallback
    charset = "windows-1252" if charset in ("iso-8859-1", "latin1") else charset  # as browsers do
    try:
        text, remark = _plain_text(data, charset, budget)
    except LookupError:
        raise Unreadable(f"it names the encoding {charset:.40}, which Python does not know") from None
    return _page_text(text, budget), remark


# --- zip files


def _open_zip(data, budget):
    """A zip file; the list of what it holds is charged first."""
    budget.charge(memory=10 * MEMORY_OF_VALUE * data.count(b"PK\1\2"))
    with damage_in("its list of files"):
        return zipfile.ZipFile(io.BytesIO(data))


def _part(archive, name, budget):
    """One file of a zip file."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise Unreadable(f"it has no {name:.100} in it, as it should") from None
    if info.flag_bits & 1:
        raise Unreadable("it is locked with a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # others unpack without a bound
        raise Unreadable("it is packed in a way that is not read; only deflate is")
    with damage_in(f"{name:.100} in it"), archive.open(info) as file:
        data = _bounded(file)
    budget.charge_unpacked(len(data))
    return data


WORD_BREAKS = {"/w:p": "\n", "w:br": "\n", "w:cr": "\n", "w:tab": "\t", "w:nobreakhyphen": "-"}
# text that stands in the file twice: again for old programs, and again where it was moved away from
SAID_TWICE = {"mc:fallback", "w:movefrom"}


def _docx_text(data, _, budget):
    """The paragraphs of a Word document, then its footnotes; what was struck out is left out."""
    with _open_zip(data, budget) as archive:
        notes = [name for name in ("word/footnotes.xml", "word/endnotes.xml") if name in archive.namelist()]
        pages = (_part(archive, name, budget) for name in ["word/document.xml", *notes])
        return "".join(_word_text(decode_bytes(page)[0], budget) for page in pages), ""


def _word_text(page, budget):
    """The paragraphs of one XML file of a Word document."""
    texts, skipping = [], ""
    for tag, text in _markup(page, budget):
        what = _name_of(tag)
        if skipping:
            skipping = "" if what == "/" + skipping else skipping
        elif what in SAID_TWICE and not tag.endswith("/"):
            skipping = what
        elif what in WORD_BREAKS or (what == "w:t" and not tag.endswith("/")):
            budget.charge(memory=MEMORY_OF_STRING)
            texts.append(WORD_BREAKS.get(what, text))
    return "".join(texts)


def _epub_text(data, fallback, budget):
    """The chapters of a book in the order of its spine, a blank line between them."""
    with _open_zip(data, budget) as archive:
        texts, remarks = [], []
        for file in _chapters(archive, budget):
            text, remark = _html_text(_part(archive, file, budget), fallback, budget)
            texts.append(text)
            remarks.append(remark)
    return "\n\n".join(texts), next(filter(None, remarks), "")


def _chapters(archive, budget):
    """The names of a book's chapters in the order of its spine."""
    roots = [each for _, each in _tags_of(archive, "META-INF/container.xml", budget) if each.get("full-path")]
    if not roots:
        raise Unreadable("its META-INF/container.xml does not name the file that lists its chapters")
    book = roots[0]["full-path"]
    tags = _tags_of(archive, book, budget)
    files = {each.get("id"): unquote(each["href"]) for _, each in tags if "href" in each}
    spine = [files.get(each.get("idref")) for name, each in tags if name == "itemref"]
    if not spine or None in spine:
        raise Unreadable("it does not say in which order its chapters come")
    return [posixpath.normpath(posixpath.join(posixpath.dirname(book), file)) for file in spine]


def _tags_of(archive, name, budget):
    """(name without its prefix, {attribute: value}) of every tag of an XML file in a zip file."""
    found = []
    for tag, _ in _markup(decode_bytes(_part(archive, name, budget))[0], budget):
        budget.charge(memory=4 * MEMORY_OF_VALUE + tag.count("=") * 2 * MEMORY_OF_VALUE)
        attributes = {key: _unescaped(one or other) for key, one, other in ATTRIBUTE.findall(tag)}
        found.append((_name_of(tag).rpartition(":")[2], attributes))
    return found


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
    ".pdf": lambda data, _, budget: read_pdf(data, budget),
}


# --- files and folders


def _name_in(path, root):
    """The name of a file, from the folder on. What cannot be printed, or turns a line around, is replaced."""
    name = path.relative_to(root).as_posix() if path != root else path.name
    name = os.fsencode(name).decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def _leads_elsewhere(path, root):
    """Whether what stands under the root is a link, in or out of it."""
    return os.path.realpath(path) != os.path.join(os.path.realpath(root), path.relative_to(root))


def _explained(error):
    """What went wrong, as a sentence."""
    if isinstance(error, Unreadable):
        return str(error)
    if isinstance(error, UnicodeError):
        return "its bytes spell no text"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, MemoryError):
        return "reading it takes more memory than there is"
    if isinstance(error, OSError):
        return f"the system says: {error.strerror or error}"
    return "it is damaged"


def _read_document(path, fallback):
    """(text, remark) of one file; an error that says why where it cannot be read."""
    data, kind = _bytes_of(path), path.suffix.lower()
    found = next((what for beginning, what in BEGINNINGS.items() if data.startswith(beginning)), "text")
    wanted = MUST_BE.get(kind, "text")
    if found != wanted:
        hint = " (for pictures: read_picture, lesson 20b)" if found == "a picture" else ""
        raise Unreadable(
            f"it is {found}, not {wanted}{hint}" if found != "text" else f"it does not begin as {wanted} does"
        )
    text, remark = READERS.get(kind, _plain_text)(data, fallback, Budget(len(data)))
    if kind in AS_IT_STANDS:
        remark = f"read {AS_IT_STANDS[kind]}" + (f"; {remark}" if remark else "")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text.encode("utf-8")  # fails for half a character, which JSON may hold
    if not has_visible_character(text):
        raise Unreadable("it holds no text")
    return text, remark


def has_visible_character(text):
    """Whether a text holds more than spaces, control characters, accents, and characters of zero width.

    >>> has_visible_character("\\u200b a"), has_visible_character("\\u200b\\u202e ")
    (True, False)
    """
    categories = map(unicodedata.category, text)
    return any(kind[0] not in "ZM" and kind not in ("Cc", "Cf", "Cs") for kind in categories)


def _bytes_of(path):
    """What an ordinary file holds, if that is not too much."""
    if not path.exists():
        raise Unreadable("there is no such file")
    if not path.is_file():
        raise Unreadable("it is no ordinary file")
    with open(path, "rb") as file:
        return _bounded(file)


def _bounded(file):
    """What an open file holds, if that is not too much: what it says of its own size is not believed."""
    data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise Unreadable(f"it holds more than {MAX_FILE_BYTES:,} bytes")
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
    ...     for name, data in {"ann.txt": b"Ann", "bob.txt": b"%PDF-"}.items():
    ...         with open(os.path.join(folder, name), "wb") as file:
    ...             _ = file.write(data)
    ...     read_documents(folder)
    ([('ann.txt', 'Ann')], [('bob.txt', 'not read: it is a PDF, not text')])
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
                raise Unreadable("it is a link; give what it leads to")
            if here.is_dir():
                waiting += sorted((entry for entry in here.iterdir() if entry.name[:1] != "."), reverse=True)
                continue
            text, remark = _read_document(here, fallback)
            room -= len(text)
            if room < 0:
                raise Unreadable(f"all together there are more than {MAX_CHARACTERS:,} characters")
            documents.append((_name_in(here, root), text))
        except Exception as error:
            remark = f"not read: {_explained(error)}"
        if remark:
            remarks.append((_name_in(here, root), remark))
    return documents, remarks
