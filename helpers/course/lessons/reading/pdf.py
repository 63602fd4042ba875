"""The text of simple PDFs. A PDF says where to draw which shape of which font, not what is written: this
is the ugly corner.

Read are objects in the open or in packed lists, streams that are bare, Flate, or written as ASCII; fonts
that say which letters they draw: by a table (ToUnicode), a known encoding, or the names of their glyphs.
All else is refused or remarked.
"""

import base64
import math
import re
import unicodedata
import zlib

MAX_UNPACKED_BYTES = 20_000_000  # bytes of all streams together: a small PDF may unpack to terabytes
MAX_DEPTH = 20  # lists in lists, drawings in drawings
MIN_GAP = 0.15  # of the font's size: what is further apart are two words


# --- objects: numbers, names as "/Name", other words as they are, strings as bytes, references as
# (number,), lists, dicts

TOKEN = re.compile(
    rb"(?:[\0\s]|%[^\r\n]*[\r\n])*"
    rb"(?:(<<|>>|\[|\]|\()|/([^\0\s()<>\[\]{}/%]*)|<([0-9A-Fa-f\s]*)>|([^\0\s()<>\[\]{}/%]+)|[{}])"
)
NUMBER = re.compile(rb"[+-]?(?:\d{1,15}(?:\.\d*)?|\.\d+)")
OBJECT = re.compile(rb"(\d{1,9})\s+\d{1,5}\s+obj\b")
STREAM = re.compile(rb"\s*stream\r?\n")
END_OF_STREAM = re.compile(rb"\s*endstream")
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


def _pdf_values(data, at=0):
    """(value, where it ends), one after the other, as far as they can be told."""
    nest = []
    while True:
        token = TOKEN.match(data, at)
        if not token:
            return
        at = token.end()
        mark, name, digits, word = token.groups()
        if mark in (b"<<", b"["):
            nest.append([])
            if len(nest) > MAX_DEPTH:
                raise ValueError("it is nested too deeply")
            continue
        if mark in (b">>", b"]"):
            if not nest:
                raise ValueError("it is damaged: a list ends that never began")
            value = nest.pop()
            if mark == b">>":
                value = {key: entry for key, entry in zip(value[::2], value[1::2]) if isinstance(key, str)}
        elif mark == b"(":
            value, at = _pdf_string(data, at)
        elif name is not None:
            value = "/" + re.sub(rb"#([0-9A-Fa-f]{2})", lambda code: bytes([int(code[1], 16)]), name).decode(
                "latin-1"
            )
        elif digits is not None:
            digits = b"".join(digits.split())
            value = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))
        elif word is None:
            continue
        elif NUMBER.fullmatch(word):
            value = float(word) if b"." in word else int(word)
        else:
            value = word.decode("latin-1")
        if value == "R" and nest and len(nest[-1]) > 1:
            value = (nest[-1][-2],)
            del nest[-1][-2:]
        if value == "ID" and not nest:  # a picture within a page: its bytes are no words
            end = re.compile(rb"\sEI\b").search(data, at)
            at = end.end() if end else len(data)
        if nest:
            nest[-1].append(value)
        else:
            yield value, at


def _pdf_string(data, at):
    """A string in brackets, which may hold brackets, and where it ends."""
    pieces, depth = [], 1
    for mark in re.compile(rb"\\([0-7]{1,3}|\r\n|[\s\S])|[()]|[^\\()]+").finditer(data, at):
        piece = mark[0]
        depth += {b"(": 1, b")": -1}.get(piece, 0)
        if depth == 0:
            return b"".join(pieces), mark.end()
        if mark[1]:
            piece = (
                bytes([int(mark[1], 8) % 256])
                if mark[1][:1] in b"01234567"
                else ESCAPES.get(mark[1], mark[1])
            )
        pieces.append(piece)
    raise ValueError("it is damaged: a string never ends")


def _pdf_objects(data, room):
    """{number: object}; a stream is its dict, with the packed bytes under "stream". What comes later
    replaces what was."""
    objects = {}
    head = OBJECT.search(data)
    while head:
        value, at = next(_pdf_values(data, head.end()), (None, head.end()))
        stream = STREAM.match(data, at)
        if stream and isinstance(value, dict):
            at = stream.end()
            length = value.get("/Length")
            if not (isinstance(length, int) and END_OF_STREAM.match(data, at + length)):
                length = data.find(b"endstream", at) - at
            if length < 0:
                raise ValueError("it is damaged: a stream never ends")
            value["stream"] = data[at : at + length]
            at += length
        objects[int(head[1])] = value
        if isinstance(value, dict) and value.get("/Type") == "/ObjStm":
            packed = _unpacked(value, room)
            words = [word for word, _ in _pdf_values(packed[: value["/First"]])]
            for number, offset in zip(words[::2], words[1::2]):
                objects[number], _ = next(_pdf_values(packed, value["/First"] + offset), (None, 0))
        head = OBJECT.search(data, at)
    return objects


def _unpacked(stream, room):
    """The bytes of a stream; room[0] is how many more may come of the whole file."""
    data, filters = stream["stream"], stream.get("/Filter", [])
    for packing in [filters] if isinstance(filters, str) else filters:
        if packing == "/FlateDecode" and "/Predictor" not in str(stream.get("/DecodeParms")):
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(data, max(room[0], 1))
            if not unpacking.eof and len(data) < room[0]:
                raise ValueError("it is damaged: a stream is cut off")
        elif packing == "/ASCII85Decode":
            data = base64.a85decode(data.strip().removeprefix(b"<~").removesuffix(b"~>"))
        elif packing == "/ASCIIHexDecode":
            data = bytes.fromhex(data.strip().rstrip(b">").decode("ascii"))
        else:
            raise ValueError(f"a part of it is packed in a way that is not read ({packing})")
    room[0] -= len(data) + 100
    if room[0] < 0:
        raise ValueError(f"it unpacks to more than {MAX_UNPACKED_BYTES:,} bytes")
    return data


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
        return chr(int(code[1] or code[2], 16))
    if name[1:] in ACCENTS and name[0].isalpha():
        return unicodedata.normalize("NFC", name[0] + ACCENTS[name[1:]])
    return name if len(name) == 1 and name.isalpha() else SIGNS.get(name, UNREADABLE)


def _letters_of_table(table, room):
    """{code: text} as a font's ToUnicode table has it."""
    letters, given = {}, []
    for value, _ in _pdf_values(table):
        if not isinstance(value, str) or value.startswith("/"):
            given.append(value)
            continue
        if value == "endbfchar":
            letters.update(
                (int.from_bytes(code, "big"), _letters_of(text))
                for code, text in zip(given[::2], given[1::2])
            )
        if value == "endbfrange":
            for low, high, text in zip(given[::3], given[1::3], given[2::3]):
                low, high = int.from_bytes(low, "big"), int.from_bytes(high, "big")
                room[0] -= high - low
                if room[0] < 0 or high > 0xFFFF:
                    raise ValueError("it is damaged: a font's table has no end")
                for i in range(high - low + 1):
                    letters[low + i] = (
                        _letters_of(text[i]) if isinstance(text, list) else _letters_of(text, i)
                    )
        given = []
    return letters


def _letters_of(text, later=0):
    """UTF-16 as a ToUnicode table has it, or the letter that comes so much later."""
    if later:
        text = (int.from_bytes(text, "big") + later).to_bytes(len(text), "big")
    text = text.decode("utf-16-be", "replace")
    return (
        UNREADABLE
        if any(unicodedata.category(c) in ("Cc", "Co", "Cn") and c not in "\t\n" for c in text)
        else text
    )


def _letters_of_encoding(font, program, get):
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
        own = re.findall(rb"dup\s+(\d{1,3})\s*/(\w+)\s+put", program)
        letters = {int(code): _glyph_text(name.decode("latin-1")) for code, name in own}
    elif not re.search("Symbol|Dingbats", str(font.get("/BaseFont"))):
        letters = {code: chr(code) for code in range(32, 127)}
        letters.update({39: "’", 96: "‘"})  # as Adobe's own encoding has them
    code = 0
    for entry in differences or []:
        if isinstance(entry, int):
            code = entry
        else:
            letters[code] = _glyph_text(entry)
            code += 1
    return letters


def _font_program(font, about, get, room):
    """The program of a font that comes with the PDF, as far as it can be read; None where the reader must
    have the font."""
    if "/FontFile" in about:
        return _unpacked(get(about["/FontFile"]), room)
    return b"" if font.get("/Subtype") == "/Type3" or "/FontFile2" in about or "/FontFile3" in about else None


def _pdf_font(font, get, room):
    """{"size": bytes of a code, "letters": {code: text}, "widths": {code: width}, "else": the width of
    all others}."""
    wide = font.get("/Subtype") == "/Type0"
    inner = get(get(font["/DescendantFonts"])[0]) if wide else font
    about = get(inner.get("/FontDescriptor")) or {}
    table = get(font.get("/ToUnicode"))
    if isinstance(table, dict):
        letters = _letters_of_table(_unpacked(table, room), room)
    else:
        letters = {} if wide else _letters_of_encoding(font, _font_program(font, about, get, room), get)
    if wide and font.get("/Encoding") != "/Identity-H":
        letters = {}  # codes of several lengths
    widths, usual = {}, 1000 if wide else about.get("/MissingWidth", 500)
    if wide:
        usual = get(inner.get("/DW")) or usual
        given = get(inner.get("/W")) or []
        at = 0
        while at + 1 < len(given):
            first, then = given[at], get(given[at + 1])
            run = then if isinstance(then, list) else [get(given[at + 2])] * (min(then, 0xFFFF) - first + 1)
            widths.update(enumerate(run, first))
            at += 2 if isinstance(then, list) else 3
    else:
        unit = 1000 * get(font["/FontMatrix"])[0] if "/FontMatrix" in font else 1
        given = get(font.get("/Widths")) or []
        widths = {
            code: get(width) * unit for code, width in enumerate(given, get(font.get("/FirstChar")) or 0)
        }
    return {"size": 2 if wide else 1, "letters": letters, "widths": widths, "else": usual}


# --- pages


def _then(A, B):
    """The move A, then the move B, each (a, b, c, d, e, f) as PDF writes them."""
    (a, b, c, d, e, f), (p, q, r, s, t, u) = A, B
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _written(pen, text, place):
    """Put a text on the page: in a new line, or behind a space, where it does not follow on what stands
    there."""
    size = math.hypot(place[0], place[1]) or 1.0
    if pen["end"] and pen["text"]:
        x, y = place[4] - pen["end"][0], place[5] - pen["end"][1]
        line = max(size, pen["size"])
        along, across = (x * place[0] + y * place[1]) / size, (x * place[1] - y * place[0]) / size
        last = pen["text"][-1][-1:]
        if abs(across) > line / 2 or along < -2 * line:
            pen["text"].append("\n")
        elif along > MIN_GAP * size and not last.isspace() and not text[:1].isspace():
            pen["text"].append(" ")
    pen["text"].append(text)
    pen["size"] = size


def _draw(content, resources, place, pen, book, depth=0):
    """Follow what a page says, and note the texts that it draws. The page is at place; the font's state
    goes with the page."""
    get, room, fonts = book["get"], book["room"], book["fonts"]
    if depth > MAX_DEPTH:
        raise ValueError("it is nested too deeply")
    still = (1, 0, 0, 1, 0, 0)
    state = {"page": place, "font": None, "size": 1, "apart": 0, "words": 0, "stretch": 1, "lead": 0}
    line, at, kept, given = still, still, [], []

    def show(string):
        nonlocal at
        font = state["font"]
        if font is None:
            raise ValueError("it is damaged: a text has no font")
        text, width = [], 0
        for i in range(0, len(string), font["size"]):
            code = int.from_bytes(string[i : i + font["size"]], "big")
            text.append(font["letters"].get(code, UNREADABLE))
            width += font["widths"].get(code, font["else"]) / 1000 * state["size"] + state["apart"]
            width += state["words"] if code == 32 and font["size"] == 1 else 0
        scaled = _then(
            (state["size"] * state["stretch"], 0, 0, state["size"], 0, 0), _then(at, state["page"])
        )
        _written(pen, "".join(text), scaled)
        at = _then((1, 0, 0, 1, width * state["stretch"], 0), at)
        pen["end"] = _then(at, state["page"])[4:]

    for value, _ in _pdf_values(content):
        if not isinstance(value, str) or value.startswith("/"):
            given.append(value)
            continue
        if value == "q":
            kept.append(dict(state))
        elif value == "Q" and kept:
            state = kept.pop()
        elif value == "cm":
            state["page"] = _then(given[-6:], state["page"])
        elif value == "BT":
            line = at = still
        elif value in ("Td", "TD", "T*", "'", '"'):
            x, y = given[-2:] if value in ("Td", "TD") else (0, -state["lead"])
            state["lead"] = -y if value == "TD" else state["lead"]
            line = at = _then((1, 0, 0, 1, x, y), line)
        elif value == "Tm":
            line = at = tuple(given[-6:])
        elif value == "Tf":
            wanted = get(get(resources.get("/Font"))[given[-2]])
            if id(wanted) not in fonts:
                fonts[id(wanted)] = _pdf_font(wanted, get, room)
            state.update(font=fonts[id(wanted)], size=given[-1])
        elif value in ("Tc", "Tw", "TL", "Tz"):
            name = {"Tc": "apart", "Tw": "words", "TL": "lead", "Tz": "stretch"}[value]
            state[name] = given[-1] / 100 if value == "Tz" else given[-1]
        elif value == "Do":
            drawing = get(get(resources.get("/XObject"))[given[-1]])
            if drawing.get("/Subtype") == "/Form":
                inside = _then(get(drawing.get("/Matrix")) or still, state["page"])
                own = get(drawing.get("/Resources")) or resources
                _draw(_unpacked(drawing, room), own, inside, pen, book, depth + 1)
        if value in ("Tj", "'", '"'):
            show(given[-1])
        elif value == "TJ":
            for part in given[-1]:
                if isinstance(part, bytes):
                    show(part)
                else:
                    at = _then((1, 0, 0, 1, -part / 1000 * state["size"] * state["stretch"], 0), at)
        given = []


def _pages_of(objects, get):
    """(its contents, what it may use) of every page, in order."""
    roots = [
        value for value in objects.values() if isinstance(value, dict) and value.get("/Type") == "/Catalog"
    ]
    if not roots:
        raise ValueError("it is damaged: it does not say which pages it has")
    waiting, seen = [(roots[-1]["/Pages"], {})], set()
    while waiting:
        reference, resources = waiting.pop()
        page = get(reference)
        if not isinstance(page, dict) or id(page) in seen:
            raise ValueError("it is damaged: its list of pages is broken")
        seen.add(id(page))
        resources = get(page.get("/Resources")) or resources
        if "/Kids" in page:
            waiting += [(kid, resources) for kid in reversed(get(page["/Kids"]))]
        else:
            contents = get(page.get("/Contents")) or []
            yield [get(part) for part in contents] if isinstance(contents, list) else [contents], resources


def pdf_text(data: "bytes") -> ("str", "str"):
    """The lines of a PDF as they are drawn, a blank line between pages, and a remark where something is
    missing.

    >>> page = b"1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj "
    >>> page += b"3 0 obj <</Contents 4 0 R "
    >>> page += b"/Resources <</Font <</F <</BaseFont /Times-Roman>> >> >> >> endobj 4 0 obj << >> stream"
    >>> pdf_text(page + b"\\nBT /F 9 Tf (Ann) Tj 0 -9 Td (Bob) Tj ET\\nendstream endobj")
    ('Ann\\nBob', '')
    """
    room = [MAX_UNPACKED_BYTES]
    objects = _pdf_objects(data, room)
    if any(isinstance(value, dict) and "/Encrypt" in value for value in objects.values()) or re.search(
        rb"/Encrypt\b", data
    ):
        raise ValueError("it is encrypted")

    def get(value):
        for _ in range(MAX_DEPTH):
            if not isinstance(value, tuple):
                return value
            value = objects.get(value[0])
        raise ValueError("it is damaged: a reference leads nowhere")

    texts, book = [], {"get": get, "room": room, "fonts": {}}
    for contents, resources in _pages_of(objects, get):
        pen = {"text": [], "end": None, "size": 0}
        _draw(
            b"\n".join(_unpacked(part, room) for part in contents), resources, (1, 0, 0, 1, 0, 0), pen, book
        )
        texts.append("".join(pen["text"]).strip())
    text, empty = "\n\n".join(filter(None, texts)), texts.count("")
    if empty == len(texts):
        raise ValueError("its pages hold pictures and no text; is it a scan?")
    unread = text.count(UNREADABLE)
    if unread > len(text) / 20:
        raise ValueError("its fonts do not say which letters they draw")
    remarks = [f"{unread} letters of odd fonts are missing: look for {UNREADABLE}"] * (unread > 0)
    remarks += [f"{empty} of its {len(texts)} pages hold no text; are they pictures?"] * (empty > 0)
    return text, "; ".join(remarks)
