"""The text of simple PDFs. A PDF says where to draw which shape of which font, not what is written: this
is the ugly corner.

Read are objects in the open or in packed lists, streams that are bare, Flate, or written as ASCII; fonts
that say which letters they draw: by a table (ToUnicode), a known encoding, or the names of their glyphs.
All else is refused or remarked.
"""

import base64
import io
import math
import re
import unicodedata
import zlib

from .budget import MEMORY_OF_VALUE, STEPS_OF_VALUE, Budget, Unreadable, damage_in

STEPS_OF_LETTER, MEMORY_OF_LETTER = 6, 24  # of ASCII85, which Python unpacks letter by letter
MAX_DEPTH = 20  # lists in lists, drawings in drawings
MIN_GAP = 0.15  # of the font's size: what is further apart are two words
COLUMN_GAP = 2  # font sizes: what is further apart may be two columns
MIN_COLUMN_LINES = 3  # of a page


# --- objects: numbers, names as "/Name", other words as they are, strings as bytes, references as
# (number,), lists, dicts

TOKEN = re.compile(
    rb"[\0\s]*"
    rb"(?:(<<|>>|\[|\]|\()|/([^\0\s()<>\[\]{}/%]*)|<([0-9A-Fa-f\s]*)>|([^\0\s()<>\[\]{}/%]+)|[{}]"
    rb"|%[^\r\n]*)"
)
NUMBER = re.compile(rb"[+-]?(?:\d{1,15}(?:\.\d*)?|\.\d+)")
OBJECT = re.compile(rb"(\d{1,9})\s{1,99}\d{1,5}\s{1,99}obj\b")
STREAM = re.compile(rb"\s*stream\r?\n")
END_OF_STREAM = re.compile(rb"\s{0,99}endstream")
STRING_PART = re.compile(rb"\\([0-7]{1,3}|\r\n|[\s\S])|[()]|[^\\()]+")
HEX_CODE = re.compile(rb"#([0-9A-Fa-f]{2})")
END_OF_PICTURE = re.compile(rb"\sEI\b")
ESCAPES = {
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"b": b"\b",
    b"f": b"\f",
    b"\n": b"",
    b"\r": b"",
    b"\r\n": b"",
}


def _pdf_values(data, budget, at=0):
    """(value, where it ends), one after the other, as far as they can be told."""
    nest = []
    while True:
        token = TOKEN.match(data, at)
        if not token:
            return
        cost = token.end() - at
        budget.charge(STEPS_OF_VALUE + cost, MEMORY_OF_VALUE + cost)
        at = token.end()
        mark, name, digits, word = token.groups()
        if mark in (b"<<", b"["):
            nest.append([])
            if len(nest) > MAX_DEPTH:
                raise Unreadable("it is nested too deeply")
            continue
        if mark in (b">>", b"]"):
            value = _pdf_list(nest, mark)
        elif mark == b"(":
            value, at = _pdf_string(data, at, budget)
        elif name is not None:
            value = "/" + HEX_CODE.sub(_byte_of_code, name).decode("latin-1")
        elif digits is not None:
            digits = b"".join(digits.split())
            value = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))
        elif word is None:  # a comment, or a brace
            continue
        else:
            value = _pdf_word(word)
        if value == "R" and nest and len(nest[-1]) > 1:
            value = (nest[-1][-2],)
            del nest[-1][-2:]
        if value == "ID" and not nest:  # a picture within a page: its bytes are no words
            end = END_OF_PICTURE.search(data, at)
            at = end.end() if end else len(data)
        if nest:
            nest[-1].append(value)
        else:
            yield value, at


def _pdf_list(nest, mark):
    """The innermost list, which ends here; a dict where it ends with >>."""
    if not nest:
        raise Unreadable("it is damaged: a list ends that never began")
    value = nest.pop()
    if mark == b"]":
        return value
    return {key: entry for key, entry in zip(value[::2], value[1::2]) if isinstance(key, str)}


def _pdf_word(word):
    """A number, or the word itself."""
    if NUMBER.fullmatch(word):
        return float(word) if b"." in word else int(word)
    return word.decode("latin-1")


def _byte_of_code(code):
    return bytes([int(code[1], 16)])


def _pdf_string(data, at, budget):
    """A string in brackets, which may hold brackets, and where it ends."""
    string, depth = bytearray(), 1
    for mark in STRING_PART.finditer(data, at):
        piece = mark[0]
        budget.charge(STEPS_OF_VALUE // 2 + len(piece), len(piece))
        depth += {b"(": 1, b")": -1}.get(piece, 0)
        if depth == 0:
            return bytes(string), mark.end()
        string += _escaped(mark[1]) if mark[1] else piece
    raise Unreadable("it is damaged: a string never ends")


def _escaped(code):
    """The byte after a backslash, as a number or a letter."""
    return bytes([int(code, 8) % 256]) if code[:1] in b"01234567" else ESCAPES.get(code, code)


def _pdf_objects(data, budget):
    """{number: object}; a stream is its dict, with the packed bytes under "stream". What comes later
    replaces what was."""
    objects = {}
    head = OBJECT.search(data)
    while head:
        budget.charge(STEPS_OF_VALUE, MEMORY_OF_VALUE)
        with damage_in(f"its object {int(head[1])}"):
            value, at = _pdf_object(data, head.end(), budget)
            objects[int(head[1])] = value
            if isinstance(value, dict) and value.get("/Type") == "/ObjStm":
                objects.update(_objects_in_stream(value, budget))
        head = OBJECT.search(data, at)
    return objects


def _pdf_object(data, start, budget):
    """The object whose head ends at start, and where it ends."""
    value, at = next(_pdf_values(data, budget, start), (None, start))
    stream = STREAM.match(data, at)
    if not stream or not isinstance(value, dict):
        return value, at
    at, length = stream.end(), value.get("/Length")
    if not (isinstance(length, int) and length >= 0 and END_OF_STREAM.match(data, at + length)):
        length = data.find(b"endstream", at) - at
    if length < 0:
        raise Unreadable("it is damaged: a stream never ends")
    value["stream"] = data[at : at + length]
    return value, at + length


def _objects_in_stream(stream, budget):
    """(number, object) of each object in a packed list of objects."""
    data, first = _unpacked(stream, budget), stream["/First"]
    words = [word for word, _ in _pdf_values(data[:first], budget)]
    for number, offset in zip(words[::2], words[1::2]):
        yield number, next(_pdf_values(data, budget, first + offset), (None, 0))[0]


def _unpacked(stream, budget):
    """The bytes of a stream."""
    data, filters = stream["stream"], stream.get("/Filter", [])
    budget.charge_unpacked(0)
    for packing in [filters] if isinstance(filters, str) else filters:
        if packing == "/FlateDecode" and "/Predictor" not in (stream.get("/DecodeParms") or {}):
            data = _inflated(data, budget)
        elif packing == "/ASCII85Decode":
            size = len(data) + 3 * data.count(b"z")  # a z is four bytes of 0
            budget.charge_unpacked(size)
            budget.charge(steps=STEPS_OF_LETTER * len(data), memory=MEMORY_OF_LETTER * size)
            data = base64.a85decode(data.strip().removeprefix(b"<~").removesuffix(b"~>"))
        elif packing == "/ASCIIHexDecode":
            data = bytes.fromhex(data.strip().rstrip(b">").decode("ascii"))
        else:
            raise Unreadable(f"a part of it is packed in a way that is not read ({packing!s:.40})")
    budget.charge_unpacked(len(data))
    return data


def _inflated(data, budget):
    unpacking = zlib.decompressobj()
    unpacked = unpacking.decompress(data, budget.unpacked + 1)
    budget.charge(len(unpacked))
    if not unpacking.eof and len(unpacked) <= budget.unpacked:
        raise Unreadable("it is damaged: a stream is cut off")
    return unpacked


# --- fonts: which text a code stands for, and how wide it is

# the names of the ASCII signs that are no letters, in their order, and of some others
SIGNS = dict(
    zip(
        "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright "
        "asterisk plus comma hyphen "
        "period slash zero one two three four five six seven eight nine colon semicolon less equal "
        "greater question at".split(),
        map(chr, range(32, 65)),
    )
)
SIGNS.update(
    zip(
        "bracketleft backslash bracketright asciicircum underscore grave braceleft bar braceright "
        "asciitilde quoteleft quoteright "
        "quotedblleft quotedblright quotesinglbase quotedblbase endash emdash bullet ellipsis "
        "guillemotleft guillemotright "
        "exclamdown questiondown germandbls ae oe AE OE oslash Oslash dotlessi lslash Lslash degree "
        "section Euro "
        "copyright registered".split(),
        "[\\]^_`{|}~‘’“”‚„–—•…«»¡¿ßæœÆŒøØıłŁ°§€©®",
    )
)
SIGNS.update({ligature: ligature for ligature in ("ff", "fi", "fl", "ffi", "ffl")})
ACCENTS = dict(
    zip(
        (
            "grave acute circumflex tilde macron breve dotaccent dieresis ring hungarumlaut caron cedilla "
            "ogonek"
        ).split(),
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328",
    )
)
UNREADABLE = "\ufffd"


def _glyph_text(name):
    """What a glyph of this name stands for: "A", "eacute", "uni20AC"."""
    name = name.lstrip("/").partition(".")[0]
    code = re.fullmatch("uni([0-9A-F]{4})|u([0-9A-F]{4,5})", name)
    if code:
        return _letters_of(chr(int(code[1] or code[2], 16)).encode("utf-16-be", "surrogatepass"))
    if name[1:] in ACCENTS and name[0].isalpha():
        return unicodedata.normalize("NFC", name[0] + ACCENTS[name[1:]])
    return name if len(name) == 1 and name.isalpha() else SIGNS.get(name, UNREADABLE)


def _letters_of_table(table, budget):
    """{code: text} as a font's ToUnicode table has it."""
    letters, given = {}, []
    for value, _ in _pdf_values(table, budget):
        if not isinstance(value, str) or value.startswith("/"):
            given.append(value)
            continue
        if value == "endbfchar":
            for code, text in zip(given[::2], given[1::2]):
                letters[int.from_bytes(code, "big")] = _letters_of(text)
        if value == "endbfrange":
            for low, high, texts in zip(given[::3], given[1::3], given[2::3]):
                letters.update(_letters_of_range(low, high, texts, budget))
        given = []
    return letters


def _letters_of_range(low, high, texts, budget):
    """(code, text) of each code from low to high: the texts are given, or only the first of them."""
    low, high = int.from_bytes(low, "big"), int.from_bytes(high, "big")
    if high > 0xFFFF:
        raise Unreadable("it is damaged: a font's table has no end")
    for i in range(high - low + 1):
        text = texts[i] if isinstance(texts, list) else texts
        budget.charge(2 * STEPS_OF_VALUE + 4 * len(text), MEMORY_OF_VALUE + 2 * len(text))
        yield low + i, _letters_of(text, 0 if isinstance(texts, list) else i)


def _letters_of(text, later=0):
    """UTF-16 as a ToUnicode table has it, or the letter that comes so much later."""
    if later:
        text = (int.from_bytes(text, "big") + later).to_bytes(len(text), "big")
    text = text.decode("utf-16-be", "replace")
    unnamed = any(unicodedata.category(c) in ("Cc", "Co", "Cn") and c not in "\t\n" for c in text)
    return UNREADABLE if unnamed else text


def _letters_of_encoding(font, program, get, budget):
    """{code: text} of a font without such a table, as far as its encoding, or that of the font's own
    program, says."""
    encoding = get(font.get("/Encoding"))
    differences = get(encoding.get("/Differences")) if isinstance(encoding, dict) else None
    base = encoding.get("/BaseEncoding") if isinstance(encoding, dict) else encoding
    codec = {"/WinAnsiEncoding": "cp1252", "/MacRomanEncoding": "mac_roman"}.get(base)
    letters = {}
    if codec:
        letters = {code: bytes([code]).decode(codec, "replace") for code in range(32, 256)}
    elif program is not None:
        own = re.finditer(rb"dup\s+(\d{1,3})\s*/(\w+)\s+put", program)
        letters = {int(entry[1]): _glyph_text(entry[2].decode("latin-1")) for entry in own}
    elif not re.search("Symbol|Dingbats", str(font.get("/BaseFont"))):
        letters = {code: chr(code) for code in range(32, 127)}
        letters.update({39: "’", 96: "‘"})  # as Adobe's own encoding has them
    code = 0
    budget.charge(STEPS_OF_VALUE * (256 + len(differences or [])), MEMORY_OF_VALUE * len(differences or []))
    for entry in differences or []:
        if isinstance(entry, int):
            code = entry
        else:
            letters[code] = _glyph_text(entry)
            code += 1
    return letters


def _font_program(font, about, get, budget):
    """The program of a font that comes with the PDF, as far as it can be read; None where the reader must
    have the font."""
    if "/FontFile" in about:
        return _unpacked(get(about["/FontFile"]), budget)
    return b"" if font.get("/Subtype") == "/Type3" or "/FontFile2" in about or "/FontFile3" in about else None


def _number(value):
    """A number of a PDF as a float; float() alone would take strings and words, too."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"{type(value).__name__} where a number belongs")
    return float(value)


def _pdf_font(font, get, budget):
    """{"size": bytes of a code, "letters": {code: text}, "widths": {code: width}, "else": the width of
    all others}."""
    wide = font.get("/Subtype") == "/Type0"
    inner = get(get(font["/DescendantFonts"])[0]) if wide else font
    about = get(inner.get("/FontDescriptor")) or {}
    table = get(font.get("/ToUnicode"))
    budget.charge(10 * STEPS_OF_VALUE, 10 * MEMORY_OF_VALUE)
    if isinstance(table, dict):
        letters = _letters_of_table(_unpacked(table, budget), budget)
    else:
        program = None if wide else _font_program(font, about, get, budget)
        letters = {} if wide else _letters_of_encoding(font, program, get, budget)
    if wide and font.get("/Encoding") != "/Identity-H":
        letters = {}  # codes of several lengths
    if wide:
        widths, usual = _wide_widths(inner, get, budget), get(inner.get("/DW")) or 1000
    else:
        widths, usual = _widths(font, get, budget), about.get("/MissingWidth", 500)
    return {"size": 2 if wide else 1, "letters": letters, "widths": widths, "else": _number(usual)}


def _widths(font, get, budget):
    """{code: width} of a font whose codes are bytes."""
    unit = 1000 * _number(get(font["/FontMatrix"])[0]) if "/FontMatrix" in font else 1
    given, first = get(font.get("/Widths")) or [], get(font.get("/FirstChar")) or 0
    budget.charge(STEPS_OF_VALUE * len(given), MEMORY_OF_VALUE * len(given))
    return {code: _number(get(width)) * unit for code, width in enumerate(given, first)}


def _wide_widths(font, get, budget):
    """{code: width} of a font whose codes are two bytes: lists of widths, or one for a range of codes."""
    widths, given, at = {}, get(font.get("/W")) or [], 0
    while at + 1 < len(given):
        first, then = given[at], get(given[at + 1])
        is_list = isinstance(then, list)
        n = len(then) if is_list else max(0, min(then, 0xFFFF) - first + 1)
        budget.charge(STEPS_OF_VALUE * (n + 1), MEMORY_OF_VALUE * n)
        run = then if is_list else [get(given[at + 2])] * n
        widths.update((first + i, _number(get(width))) for i, width in enumerate(run))
        at += 2 if is_list else 3
    return widths


# --- pages

STILL = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)  # the move to where one is
STATE = {"line": STILL, "at": STILL, "font": None, "size": 1, "apart": 0, "words": 0, "stretch": 1, "lead": 0}
SETTINGS = {"Tc": "apart", "Tw": "words", "TL": "lead", "Tz": "stretch"}
MEMORY_OF_STATE = 5 * MEMORY_OF_VALUE


def _then(A, B):
    """The move A, then the move B, each (a, b, c, d, e, f) as PDF writes them."""
    (a, b, c, d, e, f), (p, q, r, s, t, u) = A, B
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _matrix(values):
    """The last six operands as a move."""
    a, b, c, d, e, f = map(_number, values[-6:])
    return a, b, c, d, e, f


def _write(text, place, page):
    """Put a text on the page: in a new line, or after a space, where it does not follow on what stands
    there."""
    size = math.hypot(place[0], place[1]) or 1.0
    if page["end"] and page["last"]:
        x, y = place[4] - page["end"][0], place[5] - page["end"][1]
        line = max(size, page["size"])
        along, across = (x * place[0] + y * place[1]) / size, (x * place[1] - y * place[0]) / size
        if abs(across) > line / 2 or along < -2 * line:
            text = "\n" + text
            page["lines"] += 1
            page["gap"] = False
        elif along > MIN_GAP * size and not page["last"].isspace() and not text[:1].isspace():
            text = " " + text
            page["across"] += along > COLUMN_GAP * size and not page["gap"]
            page["gap"] = page["gap"] or along > COLUMN_GAP * size
    page["text"].write(text)
    page["last"], page["size"] = text[-1:] or page["last"], size


def _show(string, state, page, budget):
    """Draw a string, and move on by its width."""
    font, size = state["font"], state["size"]
    if font is None:
        raise Unreadable("it is damaged: a text has no font")
    text, width = [], 0.0
    for i in range(0, len(string), font["size"]):
        code = int.from_bytes(string[i : i + font["size"]], "big")
        letters = font["letters"].get(code, UNREADABLE)
        budget.charge(STEPS_OF_VALUE // 2 + len(letters), 4 * len(letters))
        text.append(letters)
        width += font["widths"].get(code, font["else"]) / 1000 * size + state["apart"]
        width += state["words"] if code == 32 and font["size"] == 1 else 0
    scale = (size * state["stretch"], 0.0, 0.0, size, 0.0, 0.0)
    _write("".join(text), _then(scale, _then(state["at"], state["page"])), page)
    _move_on(width, state)
    page["end"] = _then(state["at"], state["page"])[4:]


def _show_all(parts, state, page, budget):
    """Draw strings with gaps between them: a number is a thousandth of the font's size, backwards."""
    for part in parts:
        budget.charge(STEPS_OF_VALUE)
        if isinstance(part, bytes):
            _show(part, state, page, budget)
        else:
            _move_on(-_number(part) / 1000 * state["size"], state)


def _move_on(width, state):
    state["at"] = _then((1.0, 0.0, 0.0, 1.0, width * state["stretch"], 0.0), state["at"])


def _place(operator, given, state):
    """Follow the operators that say where to draw."""
    if operator == "cm":
        state["page"] = _then(_matrix(given), state["page"])
    elif operator == "BT":
        state["line"] = state["at"] = STILL
    elif operator == "Tm":
        state["line"] = state["at"] = _matrix(given)
    elif operator in ("Td", "TD", "T*", "'", '"'):
        x, y = map(_number, given[-2:]) if operator in ("Td", "TD") else (0.0, -state["lead"])
        state["lead"] = -y if operator == "TD" else state["lead"]
        state["line"] = state["at"] = _then((1.0, 0.0, 0.0, 1.0, x, y), state["line"])


def _set(operator, given, resources, state, book):
    """Follow the operators that say how to draw."""
    if operator == "Tf":
        wanted = book["get"](book["get"](resources.get("/Font"))[given[-2]])
        if id(wanted) not in book["fonts"]:
            with damage_in(f"the font {given[-2]!s:.40}"):
                book["fonts"][id(wanted)] = _pdf_font(wanted, book["get"], book["budget"])
        state.update(font=book["fonts"][id(wanted)], size=_number(given[-1]))
    elif operator in SETTINGS:
        state[SETTINGS[operator]] = _number(given[-1]) / (100 if operator == "Tz" else 1)


def _draw_form(name, resources, state, page, book, depth):
    """Draw a page within the page."""
    get = book["get"]
    form = get(get(resources.get("/XObject"))[name])
    if form.get("/Subtype") == "/Form":
        place = _then(_matrix(get(form.get("/Matrix")) or STILL), state["page"])
        content = _unpacked(form, book["budget"])
        _draw(content, get(form.get("/Resources")) or resources, place, page, book, depth + 1)


def _draw(content, resources, place, page, book, depth=0):
    """Follow what a page says, and note the texts that it draws. The page is at place; the font's state
    goes with the page."""
    if depth > MAX_DEPTH:
        raise Unreadable("it is nested too deeply")
    budget, state, kept, given = book["budget"], {**STATE, "page": place}, [], []
    memory = budget.memory
    for value, _ in _pdf_values(content, budget):
        if not isinstance(value, str) or value.startswith("/"):
            given.append(value)
            continue
        budget.memory = memory  # the operands are dropped
        if value == "q":
            budget.charge(memory=MEMORY_OF_STATE)
            kept.append(dict(state))
        elif value == "Q" and kept:
            budget.charge(memory=-MEMORY_OF_STATE)
            state = {**kept.pop(), "line": state["line"], "at": state["at"]}
        elif value == "Do":
            _draw_form(given[-1], resources, state, page, book, depth)
        _place(value, given, state)
        _set(value, given, resources, state, book)
        if value == "TJ":
            _show_all(given[-1], state, page, budget)
        elif value in ("Tj", "'", '"'):
            _show(given[-1], state, page, budget)
        given, memory = [], budget.memory
    budget.memory = memory + MEMORY_OF_STATE * len(kept)


def _pages_of(objects, get):
    """(its contents, what it may use) of every page, in order."""
    roots = [
        value for value in objects.values() if isinstance(value, dict) and value.get("/Type") == "/Catalog"
    ]
    if not roots:
        raise Unreadable("it is damaged: it does not say which pages it has")
    waiting, seen = [(roots[-1]["/Pages"], {})], set()
    while waiting:
        reference, resources = waiting.pop()
        page = get(reference)
        if not isinstance(page, dict) or id(page) in seen:
            raise Unreadable("it is damaged: its list of pages is broken")
        seen.add(id(page))
        resources = get(page.get("/Resources")) or resources
        if "/Kids" in page:
            waiting += [(kid, resources) for kid in reversed(get(page["/Kids"]))]
        else:
            contents = get(page.get("/Contents")) or []
            yield [get(part) for part in contents] if isinstance(contents, list) else [contents], resources


def read_pdf(data, budget):
    """The lines of a PDF as they are drawn, a blank line between pages, and a remark where something is
    missing; charged to a budget.

    >>> page = b"1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj "
    >>> page += b"3 0 obj <</Contents 4 0 R "
    >>> page += b"/Resources <</Font <</F <</BaseFont /Times-Roman>> >> >> >> endobj 4 0 obj << >> stream"
    >>> page += b"\\nBT /F 9 Tf (Ann) Tj 0 -9 Td (Bob) Tj ET\\nendstream endobj"
    >>> read_pdf(page, Budget(len(page)))
    ('Ann\\nBob', '')
    """
    objects = _pdf_objects(data, budget)
    if any(isinstance(value, dict) and "/Encrypt" in value for value in objects.values()) or re.search(
        rb"/Encrypt\b", data
    ):
        raise Unreadable("it is encrypted")

    def get(value):
        for _ in range(MAX_DEPTH):
            if not isinstance(value, tuple):
                return value
            value = objects.get(value[0])
        raise Unreadable("it is damaged: a reference leads nowhere")

    texts, across, book = [], 0, {"get": get, "budget": budget, "fonts": {}}
    with damage_in("its list of pages"):
        for contents, resources in _pages_of(objects, get):
            text, is_across = _text_of_page(contents, resources, book, len(texts) + 1)
            texts.append(text)
            across += is_across
    return "\n\n".join(filter(None, texts)), _remark_on_pages(texts, across)


def _text_of_page(contents, resources, book, number):
    """The lines of one page, and whether many of them are drawn across a gap, as of two columns."""
    page = {"text": io.StringIO(), "last": "", "end": None, "size": 0, "lines": 1, "across": 0, "gap": False}
    with damage_in(f"page {number}"):
        content = b"\n".join(_unpacked(part, book["budget"]) for part in contents)
        _draw(content, resources, STILL, page, book)
    is_across = page["across"] >= max(MIN_COLUMN_LINES, page["lines"] / 3)
    return page["text"].getvalue().strip(), is_across


def _remark_on_pages(texts, across):
    """What is missing in the texts of the pages; an error where that is too much."""
    empty, unread = texts.count(""), sum(text.count(UNREADABLE) for text in texts)
    if empty == len(texts):
        raise Unreadable("its pages hold pictures and no text; is it a scan?")
    if unread > sum(map(len, texts)) / 20:
        raise Unreadable("its fonts do not say which letters they draw")
    codes = "1 code stands" if unread == 1 else f"{unread} codes stand"
    remarks = [f"{codes} for no letter that its font names: look for {UNREADABLE}"] * (unread > 0)
    where = "1 page has" if across == 1 else f"{across} pages have"
    remarks += [f"{where} lines with wide gaps, as across columns or in a table: check them"] * (across > 0)
    remarks += [f"{empty} of its {len(texts)} pages hold no text; are they pictures?"] * (empty > 0)
    return "; ".join(remarks)
