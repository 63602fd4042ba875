"""Files of every kind, made here by other means, and hostile ones: what is read, and the sentence for
what is not."""

import base64
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import time
import zipfile
import zlib

import pytest

from helpers.course.reading import budget, documents, pdf
from helpers.course.reading.documents import decode_bytes, read_documents
from helpers.course.state.names_task import read_lines
from notebooks import ROOT


def zipped(**files):
    """A zip file, by the standard library; __ stands for the slash in a name, and _ for the dot."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return made.getvalue()


def docx(*paragraphs, **more):
    """A Word document of paragraphs that are given as XML."""
    body = "".join(f"<w:p>{paragraph}</w:p>" for paragraph in paragraphs)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    document = f'{head}<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>'
    return zipped(word__document_xml=document, **more)


CONTAINER = '<container><rootfiles><rootfile media-type="x" full-path="in/book.opf"/></rootfiles></container>'


def epub(spine, container=CONTAINER, more="", **chapters):
    """A book whose chapters stand in a folder of their own."""
    items = "".join(f'<item id="{name}" href="text/{name}%20x.xhtml"/>' for name in chapters)
    order = "".join(f"<itemref idref='{name}'/>" for name in spine)
    files = {f"in__text__{name} x_xhtml": text for name, text in chapters.items()}
    book = f"<opf:package><manifest>{items}{more}</manifest><spine>{order}</spine></opf:package>"
    return zipped(**{"META-INF__container_xml": container, "in__book_opf": book}, **files)


def pages(*contents, font="/BaseFont /Times-Roman", packed=False, extra=""):
    """A PDF written by hand, object by object, without the table of places that readers like ours do not
    need."""
    objects = [
        "<</Type /Catalog /Pages 2 0 R>>",
        "<</Type /Pages /Resources <</Font <</F 3 0 R>> >> /Kids [KIDS]>>",
    ]
    objects += [f"<</Type /Font /Subtype /Type1 {font}>>"]
    kids, made = "", b"%PDF-1.4\n"
    for content in contents:
        kids += f"{len(objects) + 1} 0 R "
        objects += [f"<</Type /Page /Contents {len(objects) + 2} 0 R>>", content]
    for number, text in enumerate([*objects, *([extra] if extra else [])], 1):
        if isinstance(text, str):
            made += f"{number} 0 obj\n{text.replace('KIDS', kids)}\nendobj\n".encode("latin-1")
        else:
            body = zlib.compress(text) if packed else text
            head = f"/Length {len(body)}" + " /Filter /FlateDecode" * packed
            made += f"{number} 0 obj <<{head}>>\nstream\n".encode() + body + b"\nendstream endobj\n"
    return made + b"trailer <</Root 1 0 R>>\n%%EOF"


def typed(*texts, **how):
    """A PDF of pages that show these texts in letters of 10 points."""
    return pages(*(b"BT /F 10 Tf " + text + b" ET" for text in texts), **how)


def table(rows, **how):
    made = io.StringIO(newline="")
    csv.writer(made, **how).writerows(rows)
    return made.getvalue().encode()


NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        {"cell_type": "markdown", "source": ["# Ann\n", "and *Bob*"]},
        {"cell_type": "code", "source": "1 + 1", "outputs": [{"output_type": "stream", "text": "not this"}]},
    ],
}
PAGE = """<!DOCTYPE html><html><head><title>Names</title><style>p { color: red }</style>
<script>if (1 < 2) { document.write("<p>never</p>") }</script></head>
<body class="a > b"><!-- not <b>this</b> --><h1>Ann &amp; Bob</h1>
<p>Zo&euml; is
   <b>1</b>&#x30;<br/>a &lt; b<template><p>nor this</p></template></p>
<table><tr><td>x</td><td>y</td></tr></table><pre>def f():
    return 1</pre></body></html>"""
SEEN = "Names\nAnn & Bob\nZoë is 10\na < b\nx\ty\ndef f():\n    return 1"
UMLAUTS = "Zoë, Jürgen\nСофия"

# name of the file, what it holds, the text that is in it
READ = {
    "UTF-8": ("a.txt", UMLAUTS.encode(), UMLAUTS),
    "UTF-16, little end first": ("a.txt", b"\xff\xfe" + UMLAUTS.encode("utf-16-le"), UMLAUTS),
    "lines of Windows and of old Macs": ("a.txt", b"Ann\r\nBob\rCy", "Ann\nBob\nCy"),
    "source code": ("a.py", b"def f():\n\treturn 1\n", "def f():\n\treturn 1\n"),
    "CSV": (
        "a.csv",
        table([["name", "says"], ["Ann", 'one, "two"'], ["Bob", "a\nb"]]),
        'name\tsays\nAnn\tone, "two"\nBob\ta b',
    ),
    "TSV": ("a.tsv", table([["a", "b"], ["c", "d"]], delimiter="\t"), "a\tb\nc\td"),
    "JSON": (
        "a.json",
        json.dumps([{"name": "Zoë", "age": 7}, {"name": "Bob", "likes": ["x", "y"]}]).encode(),
        "Zoë\n\nBob\nx\ny",
    ),
    "a name twice in an object": ("a.json", b'{"a": "Ann", "a": "Bob"}', "Ann\nBob"),
    "JSON lines": ("a.jsonl", b'{"text": "Ann"}\n\n{"text": "Bob\\nCy"}\n', "Ann\n\nBob\nCy"),
    "HTML": ("a.html", PAGE.encode(), SEEN),
    "HTML that names its encoding": (
        "a.htm",
        '<meta charset="iso-8859-2"><p>Łódź'.encode("iso-8859-2"),
        "Łódź",
    ),
    "HTML that a page hides": ("a.html", b"<p hidden>one<p style='display:none'>two", "one\ntwo"),
    "HTML in capitals, tags left open": (
        "a.html",
        b"<SCRIPT>x</SCRIPT ><P>one<P>two<LI>three",
        "one\ntwo\nthree",
    ),
    "two comments": ("a.html", b"a<!-- b -->c<!-- d -->e", "ace"),
    "XHTML": ("a.xhtml", b'<script src="x"/><p>a<![CDATA[ <b> ]]></p>', "a <b>"),
    "notebook": ("a.ipynb", json.dumps(NOTEBOOK).encode(), "# Ann\nand *Bob*\n\n1 + 1"),
    "docx": (
        "a.docx",
        docx(
            "<w:r><w:t>Ann &amp;</w:t><w:tab/><w:t xml:space='preserve'> B</w:t></w:r>",
            "<w:r><w:t>Cy</w:t></w:r>",
        ),
        "Ann &\t B\nCy\n",
    ),
    "docx, struck out and said twice": (
        "a.docx",
        docx(
            "<w:del><w:r><w:delText>no</w:delText></w:r></w:del><mc:AlternateContent>"
            "<mc:Choice><w:t>yes</w:t></mc:Choice><mc:Fallback><w:t>yes</w:t></mc:Fallback>"
            "</mc:AlternateContent><w:instrText>PAGE</w:instrText><w:t/>"
        ),
        "yes\n",
    ),
    "docx with notes": (
        "a.docx",
        docx("<w:t>Ann</w:t>", word__footnotes_xml="<w:p><w:t>a note</w:t></w:p>"),
        "Ann\na note\n",
    ),
    "epub": ("a.epub", epub("ba", a="<p>one</p>", b="<h1>Two</h1><p>t&nbsp;wo</p>"), "Two\nt\xa0wo\n\none"),
    "epub, a chapter in another folder": (
        "a.epub",
        epub("b", more='<item id="b" href="../in/text/a%20x.xhtml"/>', a="<p>one</p>"),
        "one",
    ),
    "PDF": (
        "a.pdf",
        typed(b"1 0 0 1 50 700 Tm (Ann \\(7\\)) Tj 0 -12 TD (B\\157b) Tj T* (Cy) Tj"),
        "Ann (7)\nBob\nCy",
    ),
    "PDF, packed, two pages": ("a.pdf", typed(b"(A) Tj", b"(B) Tj", packed=True), "A\n\nB"),
}


def read(folder, name, data):
    """What read_documents gives for one file: its text or None, and its remark or ""."""
    (folder / name).write_bytes(data)
    found, remarks = read_documents(folder / name)
    assert {other for other, _ in [*found, *remarks]} == {name}
    return found[0][1] if found else None, remarks[0][1] if remarks else ""


def test_a_few_damaged_lines_do_not_lose_the_others(tmp_path):
    lines = [b'{"text": "Ann"}', b'{"text": "Bo'] + [b'{"text": "Cy"}'] * 20 + [b"", b"}"]
    remark = "left out 2 of its lines, which are no JSON: 2, 24"
    assert read(tmp_path, "a.jsonl", b"\n".join(lines)) == ("\n\n".join(["Ann"] + ["Cy"] * 20), remark)
    text, remark = read(tmp_path, "a.jsonl", b"\n".join([b'"Ann"'] * 19 + [b"Bo"] * 2))
    assert text is None and re.match("not read: it is no JSON: .* in line 20", remark)


@pytest.mark.parametrize("name, data, text", READ.values(), ids=READ)
def test_what_is_read(name, data, text, tmp_path):
    assert read(tmp_path, name, data) == (text, "")


# --- guesses are told

GUESSED = {
    "Windows-1252 in the first and the last of three chapters": (
        "a.epub",
        epub("aba", a=b"<p>Zo\xeb", b="<p>Ann"),
        "Zoë\n\nAnn\n\nZoë",
    ),
    "Windows-1252 in the last chapter": ("a.epub", epub("ba", a=b"<p>Zo\xeb", b="<p>Ann"), "Ann\n\nZoë"),
    "Windows-1252": ("a.txt", "Zoë – “Jürgen” €".encode("cp1252"), "Zoë – “Jürgen” €"),
    "UTF-8 cut off in a letter": ("a.txt", "Zoë".encode()[:-1], "ZoÃ"),
    "CSV": ("a.csv", b"Zo\xeb,1", "Zoë\t1"),
}


@pytest.mark.parametrize("name, data, text", GUESSED.values(), ids=GUESSED)
def test_a_remark_says_that_an_encoding_is_guessed(name, data, text, tmp_path):
    """And the remark names the argument that helps, which test_a_known_encoding_can_be_given gives."""
    found, remark = read(tmp_path, name, data)
    assert found == text and "Windows-1252, which is a guess" in remark and "fallback=" in remark


DAMAGED = [
    ("a.txt", "Zoë, Bär, ".encode() + b"M\xfcller", "Zoë, Bär, M\ufffdller"),  # a guess would spoil Zoë
    ("a.txt", b"\xef\xbb\xbfcaf\xe9", "caf\ufffd"),  # its mark says what it is
    ("a.html", '<meta charset="latin1"><p>ëä'.encode() + b"\xfc", "ëä\ufffd"),
]


@pytest.mark.parametrize("name, data, text", DAMAGED)
def test_utf_8_that_is_damaged_is_utf_8(name, data, text, tmp_path):
    assert read(tmp_path, name, data) == (text, "read as UTF-8, a \ufffd for whatever was damaged: 1 in all")


KOI8 = {"a.txt": "Привет\n", "a.jsonl": '"Привет"', "a.html": "<p>Привет"}
KOI8["a.ipynb"] = '{"cells": [{"source": "Привет"}]}'


@pytest.mark.parametrize("name, data", KOI8.items())
def test_a_known_encoding_can_be_given(name, data, tmp_path):
    (tmp_path / name).write_bytes(data.encode("koi8-r"))
    (guess, *_), remarks = read_documents(tmp_path)
    assert "Привет" not in guess[1] and "fallback=" in remarks[0][1]
    ((_, text),), remarks = read_documents(tmp_path, fallback="koi8-r")
    assert "Привет" in text and remarks == []
    (tmp_path / name).write_bytes(data.encode())
    assert "Привет" in read_documents(tmp_path, fallback="koi8-r")[0][0][1]  # UTF-8 is still tried first


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_holds_nothing_that_changes_how_a_line_is_shown(tmp_path):
    """Written from right to left, "gpj.txt" looks like a picture; an escape would clear the screen."""
    for name in (b"a\xe2\x80\xaegpj.txt", b"b\x1b[2J.txt", b"c\x81.txt"):
        (tmp_path / os.fsdecode(name)).write_text("Zoë", encoding="utf-8")
    documents, remarks = read_documents(tmp_path)
    assert [name for name, _ in documents] == ["a\ufffdgpj.txt", "b\ufffd[2J.txt", "c\ufffd.txt"]
    assert remarks == []


@pytest.mark.parametrize("fallback", ["klingon", "base64"])
def test_an_unknown_encoding_is_named(fallback, tmp_path):
    with pytest.raises(ValueError, match='fallback is .*, which is no encoding; give one like "cp1252"'):
        read_documents(tmp_path, fallback)


def test_decode():
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert decode_bytes("Zoë → 7".encode(encoding)) == ("Zoë → 7", encoding)
    assert decode_bytes(b"") == ("", "utf-8")
    assert decode_bytes(b"Zo\xeb") == ("Zoë", "cp1252")
    for data in (b"caf\xe9 \x81", b"\xef\xbb\xbfcaf\xe9"):
        with pytest.raises(UnicodeError):
            decode_bytes(data)


# --- hostile files, and those that are not what they seem

DEEP = 200_000
ZEROS = b"\0" * 30_000_000
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;">]><w:document><w:t>&b;</w:t></w:document>'
LOCKED = bytearray(zipped(word__document_xml="<w:t>x</w:t>"))
for _sign, _at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
    LOCKED[LOCKED.find(_sign) + _at] |= 1
SPOILED = bytearray(docx("<w:t>Ann</w:t>"))
SPOILED[SPOILED.find(b"PK\1\2") + 16] ^= 1  # in the sum that says whether all bytes are as they were

REFUSED = {
    "empty": ("a.txt", b"", "it holds no text"),
    "only characters of zero width": ("a.txt", "\u200b\u200d\ufeff\u2060\u00ad".encode(), "it holds no text"),
    "only marks of direction, as JSON": ("a.json", b'["\\u202e", "\\u200b"]', "it holds no text"),
    "a picture called text": ("a.txt", b"\x89PNG\r\n\x1a\n", "it is a picture, not text .*read_picture"),
    "packed": ("a.gz", b"\x1f\x8b\x08\0", "it is packed, not text"),
    "RTF": ("a.rtf", b"{\\rtf1 Ann}", "it is RTF, not text"),
    "a spreadsheet": ("a.xlsx", zipped(xl__a_xml="Ann"), "it is a zip file, not text"),
    "text called docx": ("a.docx", b"Ann", "it does not begin as a zip file does"),
    "text called PDF": ("a.pdf", b"Ann", "it does not begin as a PDF does"),
    "old Word": ("a.docx", b"\xd0\xcf\x11\xe0\xa1", "it is an old Office file, or a locked one"),
    "bytes of anything": ("a.txt", bytes(range(256)), "its bytes spell no text"),
    "UTF-16 without its mark": ("a.txt", "Ann and Bob".encode("utf-16-le"), "it looks like UTF-16"),
    "half a letter of UTF-16": ("a.txt", b"\xff\xfeA\0\0\xd8", "its bytes spell no text"),
    "half a letter in JSON": ("a.json", b'["\\ud800"]', "its bytes spell no text"),
    "HTML in no known encoding": (
        "a.html",
        b'<meta charset="klingon"><p>\xe9',
        "it names the encoding klingon",
    ),
    "no JSON": ("a.json", b'{"a": "b",\n}', "it is no JSON: .* in line 2"),
    "no JSON in the third line": ("a.jsonl", b'{}\n"a"\n{"a": }', "it is no JSON: .* in line 3"),
    "JSON without end": ("a.json", b"[" * DEEP, "it is nested too deeply"),
    "no notebook": ("a.ipynb", b'{"worksheets": []}', "it is no notebook of format 4"),
    "a notebook of numbers": ("a.ipynb", b'{"cells": [{"source": 7}]}', "it is no notebook of format 4"),
    "a quote that never ends": ("a.csv", b'a,b\n"c,d\ne,f\n', "it is no sound table: unexpected end of data"),
    "a script that never ends": ("a.html", b"<p>a</p><script>b", "what begins as script never ends"),
    "a tag that never ends": ("a.html", b"<p>a</p><a href='b'", "what begins as <a href='b' never ends"),
    "entities of its own": ("a.html", b"<!DOCTYPE html [<!ENTITY a 'b'>]><p>&a;", "it declares entities"),
    "no docx": ("a.docx", zipped(a="b"), "it has no word/document.xml in it, as it should"),
    "a billion laughs": ("a.docx", zipped(word__document_xml=LAUGHS), "it declares entities"),
    "a zip bomb": ("a.docx", zipped(word__document_xml=ZEROS), "it holds more than 20,000,000 bytes"),
    "a bomb in chapters": ("a.epub", epub("a" * 30, a=b"<p>a" + b" " * 1_000_000), "it unpacks to more"),
    "a cut zip file": ("a.docx", docx("<w:t>Ann</w:t>")[:-30], "it is damaged: its list of files"),
    "a zip file with a wrong byte": ("a.docx", bytes(SPOILED), "it is damaged: word/document.xml"),
    "a locked zip file": ("a.docx", bytes(LOCKED), "it is locked with a password"),
    "a book without an order": ("a.epub", epub("", a="<p>x"), "it does not say in which order"),
    "a book with an unknown chapter": ("a.epub", epub("ab", a="<p>x"), "it does not say in which order"),
    "a chapter without a file": (
        "a.epub",
        epub("b", more='<item id="b"/>', a="<p>x"),
        "it does not say in which order",
    ),
    "a book that is not named": (
        "a.epub",
        epub("a", "<container/>", a="<p>x"),
        "its META-INF/container.xml does not name",
    ),
    "a book without a path": (
        "a.epub",
        epub("a", "<rootfile/>", a="<p>x"),
        "its META-INF/container.xml does",
    ),
}


@pytest.mark.parametrize("name, data, why", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_in_one_sentence(name, data, why, tmp_path):
    started = time.process_time()
    text, remark = read(tmp_path, name, data)
    assert text is None and re.match(f"not read: {why}", remark) and "\n" not in remark
    assert time.process_time() - started < 5


def test_a_file_that_is_too_large(tmp_path):
    with open(tmp_path / "a.txt", "wb") as file:
        file.truncate(documents.MAX_FILE_BYTES + 1)
    assert read_documents(tmp_path) == ([], [("a.txt", "not read: it holds more than 20,000,000 bytes")])


def test_more_than_all_documents_may_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MAX_CHARACTERS", 10)
    for name in "abc":
        (tmp_path / name).write_text(name * 4)
    found, remarks = read_documents(tmp_path)
    assert found == [("a", "aaaa"), ("b", "bbbb")]
    assert [name for name, _ in remarks] == ["c"] and "more than 10 characters" in remarks[0][1]


# each of these took minutes, or would, where a reader looks back at what it has seen for every sign anew
SLOW = {
    "tags that begin": ("a.html", b"<a " * 100_000),
    "comments that begin": ("a.html", b"<!--" * 100_000),
    "ampersands": ("a.html", b"&" * 400_000),
    "names": ("a.epub", zipped(**{"META-INF__container_xml": "<" + "a" * 400_000 + ">"})),
    "digits": ("a.json", b"[" + b"9" * 400_000 + b"]"),
    "brackets in a PDF": ("a.pdf", b"%PDF-" + b"1 0 obj ((" * 50_000),
    "objects in a PDF": ("a.pdf", b"%PDF-" + b"1 0 obj " * 100_000),
    "streams in a PDF": ("a.pdf", b"%PDF-" + b"1 0 obj <<>> stream\n" * 50_000),
}


@pytest.mark.parametrize("name, data", SLOW.values(), ids=SLOW)
def test_what_would_take_minutes(name, data, tmp_path):
    started = time.process_time()
    assert read(tmp_path, name, data)[1] or name == "a.html"
    assert time.process_time() - started < 5


# --- small files that would take minutes or gigabytes: the budget of a file ends the reading


def packed_stream(number, extra, body):
    body = zlib.compress(body, 9)
    head = f"{number} 0 obj <<{extra} /Length {len(body)} /Filter /FlateDecode>>\nstream\n".encode()
    return head + body + b"\nendstream endobj\n"


def packed_list(places, body):
    """A packed list of objects that all stand at one place, or where they are said to."""
    return packed_stream(9, f"/Type /ObjStm /First {len(places)}", places + body)


def with_fonts(fonts, draws):
    """A page that uses the fonts of object 5."""
    return (
        b"%PDF-1.5 1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj "
        b"3 0 obj <</Contents 4 0 R /Resources <</Font 5 0 R>> >> endobj 4 0 obj <<>> stream\nBT "
        + draws
        + b" (a) Tj ET\nendstream endobj 5 0 obj <<"
        + fonts
        + b">> endobj "
    )


def fonts_that_share(table, n=100_000):
    names = b" ".join(b"/F%d %d 0 R" % (i, i + 100) for i in range(n))
    objects = b"".join(b"%d 0 obj <</ToUnicode 7 0 R>> endobj " % (i + 100) for i in range(n))
    draws = b" ".join(b"/F%d 9 Tf" % i for i in range(n))
    return with_fonts(names, draws) + objects + packed_stream(7, "", table)


COSTLY = {
    "JSON around six million strings": lambda: b"[" * 900 + b",".join([b'""'] * 6_000_000) + b"]" * 900,
    "nine million damaged JSON lines": lambda: b"x\n" * 9_000_000,
    "two million PDF objects at one place": lambda: b"%PDF-1.5 " + packed_list(b"1 0 " * 2_000_000, b"7"),
    "20,000 PDF objects that are one list": lambda: (
        b"%PDF-1.5 " + packed_list(b"1 0 " * 20_000, b"[" + b"1 " * 500_000 + b"]")
    ),
    "20 PDF lists without end, before 18 MB": lambda: b"%PDF-1.5 " + b"1 0 obj[" * 20 + b"1 " * 9_000_000,
    "/Differences of ten million": lambda: with_fonts(
        b"/F <</Encoding <</Differences [" + b"/a" * 9_900_000 + b"]>> >>", b"/F 9 Tf"
    ),
    "100,000 fonts that share a range of 10,000 letters": lambda: fonts_that_share(
        b"1 beginbfrange <00><2710><0041> endbfrange"
    ),
    "widths of 65,536 codes again and again": lambda: with_fonts(
        b"/F <</Subtype /Type0 /DescendantFonts [<</W [" + b"0 65535 500 " * 100_000 + b"]>>]>>", b"/F 9 Tf"
    ),
    "a letter that stands for 20,000": lambda: (
        with_fonts(b"/F <</ToUnicode 7 0 R>>", b"/F 9 Tf (" + b"A" * 1_000_000 + b") Tj")
        + packed_stream(7, "", b"1 beginbfchar <41> <" + b"0041" * 20_000 + b"> endbfchar")
    ),
    "19 MB of spaces in a PDF": lambda: b"%PDF-1.5 1 0 obj" + b" " * 19_000_000,
}
CHILD = """
import json, pathlib, sys, time
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
except (ImportError, ValueError):
    pass
from helpers.course.reading import read_documents
started = time.process_time()
for _ in range(10_000_000):
    pass
counting, started = time.process_time() - started, time.process_time()
found, remarks = read_documents(sys.argv[1])
seconds, status = time.process_time() - started, pathlib.Path("/proc/self/status")
peak = status.read_text().partition("VmHWM:")[2].split()[0] if status.exists() else 0
print(json.dumps([len(found), remarks[0][1], seconds, counting, int(peak) / 1024]))
"""


@pytest.mark.all_only
@pytest.mark.parametrize("make", COSTLY.values(), ids=COSTLY)
def test_a_costly_file_is_refused_within_two_seconds_and_300_mebibytes(make, tmp_path):
    """Two seconds of a machine that counts to ten million in 0.3: a busy one is slower at both."""
    data = make()
    path = tmp_path / ("a.pdf" if data.startswith(b"%PDF") else "a.json" if data[:1] == b"[" else "a.jsonl")
    path.write_bytes(data)
    command = [sys.executable, "-c", CHILD, str(path)]
    for _ in range(5):  # the shortest run counts: what else the machine does only adds to it
        child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
        assert child.returncode == 0, child.stderr[-500:]
        n_found, remark, seconds, counting, mebibytes = json.loads(child.stdout)
        limit = max(2, 2 / 0.3 * counting)
        if seconds < limit:
            break
    refusals = "reading it takes more than [0-9,]+ (steps|bytes of memory)|it is damaged: it does not say"
    assert n_found == 0 and re.match(f"not read: ({refusals})", remark)
    assert seconds < limit and mebibytes < 300


@pytest.mark.parametrize("limit", ["MAX_STEPS", "MAX_MEMORY"])
@pytest.mark.parametrize("kind", ["CSV", "JSON", "JSON lines", "HTML", "notebook", "docx", "epub", "PDF"])
def test_every_reader_charges_the_budget(kind, limit, tmp_path, monkeypatch):
    """With next to none of it, nothing is read."""
    name, data, _ = READ[kind]
    monkeypatch.setattr(budget, limit, 5)
    text, remark = read(tmp_path, name, data)
    assert text is None and re.match("not read: reading it takes more than 5 (steps|bytes of memory)", remark)


def test_invisible_lines_are_no_lines_to_train_on(tmp_path):
    (tmp_path / "a.txt").write_text("\u200b\n\u202e\u202c\n" * 20 + "Ann\n" * 10, encoding="utf-8")
    assert read_lines(tmp_path / "a.txt") == ["Ann"] * 10


# --- folders


def test_one_bad_file_does_not_lose_the_others(tmp_path):
    hidden = {".git/x": b"x", ".env": b"x"}
    files = {"b.txt": b"Bob", "a.json": b"{", "c/d.md": b"Dan", "c/a.pdf": b"", **hidden}
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    found, remarks = read_documents(str(tmp_path))
    assert found == [("b.txt", "Bob"), ("c/d.md", "Dan")]
    assert [name for name, _ in remarks] == ["a.json", "c/a.pdf"]


def link(at, to):
    try:
        os.symlink(to, at)
    except (OSError, NotImplementedError):
        pytest.skip("no links can be made here")


def test_links_are_not_followed(tmp_path):
    secret, folder = tmp_path / "secret.txt", tmp_path / "folder"
    secret.write_text("secret")
    (folder / "in").mkdir(parents=True)
    (folder / "own.txt").write_text("own")
    links = {
        "dead": "nowhere",
        "out.txt": secret,
        "round": folder,
        "same.txt": folder / "own.txt",
        "up": tmp_path,
    }
    for name, to in links.items():
        link(folder / name, to)
    found, remarks = read_documents(folder)
    assert found == [("own.txt", "own")]
    assert remarks == [(name, "not read: it is a link; give what it leads to") for name in links]
    link(tmp_path / "asked_for", folder)
    assert read_documents(tmp_path / "asked_for") == (found, remarks)  # the reader named it


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for_and_a_device_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read_documents(tmp_path) == ([], [("pipe", "not read: it is no ordinary file")])
    assert read_documents("/dev/zero") == ([], [("zero", "not read: it is no ordinary file")])


def test_where_nothing_is(tmp_path):
    assert read_documents(tmp_path) == ([], [])
    assert read_documents(tmp_path / "x.txt") == ([], [("x.txt", "not read: there is no such file")])
    assert "not read: " in read_documents("a\0b")[1][0][1]


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="whatever is here may be read"
)
def test_what_may_not_be_read(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "a.txt").chmod(0)
    assert read_documents(tmp_path) == ([], [("a.txt", "not read: the system says: Permission denied")])


def test_nothing_is_written_into_a_folder_that_is_read(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<w:t>Ann</w:t>", **{"____evil_txt": "x"}))
    before = sorted(tmp_path.rglob("*"))
    assert read_documents(tmp_path)[0] and sorted(tmp_path.rglob("*")) == before


# --- PDF

NAMES = "/Encoding <</Type /Encoding /Differences [65 /eacute /uni20AC 70 /ffi /quotedblleft]>>"
TABLE = """begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar
2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<00660069> <0078>] endbfrange endcmap"""
WIDE = (
    "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<</W [1 [500 500] 16 33 500]>>] /ToUnicode 6 0 R"
)


def wide(content, table=TABLE, font=WIDE):
    made = pages(content, font=font).replace(b"/Type1 /Subtype", b"")
    return made + f"6 0 obj <<>> stream\n{table}\nendstream endobj".encode()


PDFS = {
    "kerning and gaps": (typed(b"[(A) 120 (V) -80 (A) -400 (to) -14 (Y)] TJ"), "AVA toY"),
    "letters put one by one": (typed(b"(A) Tj 5 0 Td (n) Tj 5 0 Td (n) Tj"), "Ann"),
    "widths of its own": (typed(b"(A) Tj 9 0 Td (n) Tj", font="/FirstChar 65 /Widths [900]"), "An"),
    "a page upside down, as browsers write it": (
        pages(b"1 0 0 -1 0 800 cm BT /F 10 Tf 1 0 0 -1 0 50 Tm (up) Tj 1 0 0 -1 0 70 Tm (down) Tj ET"),
        "up\ndown",
    ),
    "a page on its side, enlarged": (
        pages(b"2 0 0 2 0 0 cm BT /F 10 Tf 0 1 -1 0 50 50 Tm (a) Tj 0 -12 Td (b) Tj ET"),
        "a\nb",
    ),
    "a raised letter stays in its line": (typed(b"(x) Tj /F 7 Tf 5 4 Td (2) Tj"), "x2"),
    "a place that is kept and taken up again": (typed(b"(A) Tj q 1 0 0 1 0 90 cm Q 5 0 Td (n) Tj"), "An"),
    "a wrong length": (typed(b"(Ann) Tj").replace(b"/Length ", b"/Length 3 /Was "), "Ann"),
    "the next line by quotes": (typed(b"12 TL (a) Tj (b) ' 1 0 (c) \""), "a\nb\nc"),
    "strings in hex, and with brackets": (typed(b"<416E6> Tj (\\\n(n)\\)) Tj"), "An‘(n))"),
    "quotes of Adobe's own encoding": (typed(b"(it's) Tj"), "it’s"),
    "Windows' encoding": (typed(b"(\x93\xe9\x94 \x80) Tj", font="/Encoding /WinAnsiEncoding"), "“é” €"),
    "names of glyphs": (typed(b"(ABFG) Tj", font=NAMES), "é€ffi“"),
    "a font's table": (wide(b"BT /F 10 Tf <0001000200100011001200200021> Tj ET"), "A😀abcfix"),
    "a form in the page": (
        pages(
            b"/X Do BT /F 9 Tf (b) Tj ET",
            extra="<</Subtype /Form>>\nstream\nBT /F 9 Tf 0 20 Td (a) Tj ET\nendstream",
        ).replace(b"/Font <<", b"/XObject <</X 6 0 R>> /Font <<"),
        "a\nb",
    ),
    "a picture in the line": (typed(b"(a) Tj ET BI /W 1 /H 1 ID \x28\x29)((\xff EI BT /F 9 Tf (b) Tj"), "ab"),
    "what was replaced": (
        typed(b"(old) Tj") + b"5 0 obj <<>> stream\nBT /F 9 Tf (new) Tj ET\nendstream endobj",
        "new",
    ),
    "ASCII, packed and hex": (
        pages(b"").replace(
            b"5 0 obj <</Length 0>>\nstream\n",
            b"5 0 obj <</Filter [/ASCII85Decode /FlateDecode]>>\nstream\n"
            + base64.a85encode(zlib.compress(b"BT /F 9 Tf (Ann) Tj ET"))
            + b"~>",
        ),
        "Ann",
    ),
}


def pdf_text(data):
    """The text and the remark of a PDF, within a budget of its own."""
    return pdf.read_pdf(data, budget.Budget(len(data)))


@pytest.mark.parametrize("data, text", PDFS.values(), ids=PDFS)
def test_what_is_read_of_a_pdf(data, text):
    assert pdf_text(data) == (text, "")


def packed_objects():
    """The objects of a PDF in a packed list, as newer programs write them."""
    own = [
        "<</Type /Catalog /Pages 2 0 R>>",
        "<</Kids [3 0 R]>>",
        "<</Contents 5 0 R /Resources <</Font <</F 4 0 R>> >> >>",
        "<<>>",
    ]
    places = [sum(len(text) + 1 for text in own[:i]) for i in range(len(own))]
    head = " ".join(f"{i} {place}" for i, place in enumerate(places, 1)) + " "
    body = zlib.compress((head + " ".join(own)).encode())
    made = (
        f"%PDF-1.5\n9 0 obj <</Type /ObjStm /N 4 /First {len(head)} /Length {len(body)} /Filter "
        "/FlateDecode>>\nstream\n"
    ).encode()
    return made + body + b"\nendstream endobj 5 0 obj <<>> stream\nBT /F 9 Tf (Ann) Tj ET\nendstream endobj"


def test_objects_in_a_packed_list():
    assert pdf_text(packed_objects()) == ("Ann", "")


MISSING = pages(b"BT /F 9 Tf (" + b"a" * 50 + b"\x01) Tj ET")
PICTURE = typed(b"(a) Tj", b"0 0 1 rg")


def test_what_is_missing_is_told():
    for data, expected, words in (
        (MISSING, "a" * 50 + "\ufffd", "1 code"),
        (PICTURE, "a", "1 of its 2 pages"),
    ):
        text, remark = pdf_text(data)
        assert text == expected and remark.startswith(words)


def across(*lines):
    """A page that draws some words in each line, and others so many points to the right of them."""
    return (
        b"BT /F 10 Tf "
        + b" ".join(b"(%s) Tj %d 0 Td (%s) Tj %d -12 Td" % (a, x, b, -x) for a, x, b in lines)
        + b" ET"
    )


@pytest.mark.parametrize("n, x, told", [(4, 200, True), (2, 200, False), (4, 70, False), (4, 76, True)])
def test_lines_across_columns_are_remarked(n, x, told):
    """Two lines are no column. The left one ends at 55 points: 15 more are a gap of one and a half sizes."""
    text, remark = pdf_text(pages(across(*[(b"left column", x, b"right column")] * n)))
    assert text.split("\n") == ["left column right column"] * n
    assert remark.startswith("1 page has lines with wide gaps") if told else remark == ""


AS_IT_STANDS = [
    ("a.xml", b"<p>Ann</p>", "read with its tags"),
    ("a.css", b"p { color: red }", "read as a style sheet"),
    ("a.SRT", b"1\n00:00:01,000 --> 00:00:02,000\nAnn", "read with the times of its subtitles"),
    ("a.eml", b"To: Ann\n\nBob", "read as a mail: with its headers, and attachments in letters"),
    ("a.xml", b"<p>caf\xe9</p>", "read with its tags; read as Windows-1252"),
]


@pytest.mark.parametrize("name, data, remark", AS_IT_STANDS)
def test_a_remark_says_what_is_read_with_the_text(name, data, remark, tmp_path):
    (tmp_path / name).write_bytes(data)
    [(_, text)], [(_, said)] = read_documents(tmp_path)
    assert text == data.decode("cp1252") and said.startswith(remark)


def test_utf_16_without_a_mark_wants_a_name(tmp_path):
    (tmp_path / "a.txt").write_bytes("Ann\nBob and Zo\u00eb".encode("utf-16-be"))
    assert "looks like UTF-16 without a byte order mark" in read_documents(tmp_path)[1][0][1]
    assert read_documents(tmp_path, "utf-16-be") == ([("a.txt", "Ann\nBob and Zo\u00eb")], [])
    (tmp_path / "a.txt").write_bytes(b"Ann\0" * 9)  # a few zero bytes do not make it UTF-16
    assert "spell no text" in read_documents(tmp_path)[1][0][1]


LOOP = pages(b"/X Do", extra="<</Subtype /Form>>\nstream\n/X Do /X Do\nendstream").replace(
    b"/Font <<", b"/XObject <</X 6 0 R>> /Font <<"
)
PDFS_REFUSED = {
    "a scan": (pages(b"q 0 0 1 rg 0 0 9 9 re f Q"), "its pages hold pictures and no text"),
    "encrypted": (typed(b"(a) Tj") + b"trailer <</Encrypt 9 0 R>>", "it is encrypted"),
    "a font that says nothing": (
        typed(b"(a) Tj", font="/FontDescriptor <</FontFile3 9 0 R>>"),
        "its fonts do not say",
    ),
    "signs for a symbol font": (typed(b"(abc) Tj", font="/BaseFont /Symbol"), "its fonts do not say"),
    "a table without end": (
        wide(b"BT /F 9 Tf <0003> Tj ET", "3 beginbfrange <00> <FFFFFFFF> <00> endbfrange"),
        "it is damaged: a font's",
    ),
    "a bomb": (pages(b" " * 30_000_000, packed=True), "it unpacks to more than 20,000,000 bytes"),
    "an old packing": (pages(b"x").replace(b"/Length 1", b"/Filter /LZWDecode"), "a part of it is packed"),
    "a stream cut off": (
        pages(zlib.compress(b"BT " * 999)[:-9]).replace(b"<</Length", b"<</Filter /FlateDecode /Length"),
        "it is damaged: a stream",
    ),
    "nested without end": (b"%PDF-1.4 1 0 obj " + b"[" * DEEP, "it is nested too deeply"),
    "a page that holds itself": (
        pages(b"x").replace(b"/Kids [4 0 R ]", b"/Kids [2 0 R]"),
        "it is damaged: its list of pages",
    ),
    "a form that draws itself": (LOOP, "it is nested too deeply"),
    "a reference to itself": (
        pages(b"x").replace(b"/Contents 5 0 R", b"/Contents 9 0 R") + b"9 0 obj [9 0 R] endobj",
        "it is damaged: page 1 cannot be read$",
    ),
    "no pages": (b"%PDF-1.4", "it is damaged: it does not say which pages it has"),
    "a string that never ends": (typed(b"(a Tj"), "it is damaged: a string never ends"),
    "a text without a font": (pages(b"BT (a) Tj ET"), "it is damaged: a text has no font"),
    "a number for a text": (typed(b"7 Tj"), "it is damaged: page 1 cannot be read$"),
    "a font that is a number": (
        typed(b"(a) Tj").replace(b"/F 3 0 R", b"/F 7"),
        "it is damaged: the font /F cannot be read$",
    ),
    "packed objects without their number": (
        packed_objects().replace(b"/First", b"/Fist"),
        "it is damaged: its object 9 cannot be read$",
    ),
}


@pytest.mark.parametrize("data, why", PDFS_REFUSED.values(), ids=PDFS_REFUSED)
def test_what_is_refused_of_a_pdf(data, why, tmp_path):
    started = time.process_time()
    text, remark = read(tmp_path, "a.pdf", data)
    assert text is None and re.match(f"not read: ({why})", remark) and "\n" not in remark
    assert time.process_time() - started < 5


PDF_PARTS = b"[ ] << >> ( ) -1 999999999999999 /F <00> null endobj Tj".split() + [b" 0 R"]


def mutated(data, rng):
    """A file with one to four changes: a byte, a piece cut out, put in, or copied from elsewhere."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at, other = rng.randrange(len(data)), rng.randrange(len(data))
        piece = rng.choice(
            [bytes([rng.randrange(256)]), b"", rng.choice(PDF_PARTS), data[other : other + 20]]
        )
        data[at : at + rng.randrange(9)] = piece
    return bytes(data)


def sentence_or_text(data):
    """What read_pdf gives; of an error its sentence, if it is a ValueError. Any other error is a failure."""
    try:
        return pdf_text(data)[0]
    except ValueError as error:
        assert isinstance(error, budget.Unreadable), repr(error)
        return str(error)


ORDINARY = [*(data for data, _ in PDFS.values()), packed_objects(), MISSING, PICTURE]
OF_AN_EXCEPTION = re.compile(r"Error|Exception|index out of|object has no|unpack \(|argument|'\w+'")


SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.all_only) for seed in range(1, 11))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mutated_pdf_is_read_or_refused_in_a_sentence_of_ours(seed):
    rng = random.Random(seed)
    for _ in range(500):
        data = mutated(rng.choice(ORDINARY), rng)
        found = sentence_or_text(data)
        assert not OF_AN_EXCEPTION.search(found) or found in {text for _, text in PDFS.values()}, data


def test_a_truncated_pdf_is_read_or_refused_in_a_sentence_of_ours():
    for data in ORDINARY:
        for end in range(0, len(data), 23):
            assert not OF_AN_EXCEPTION.search(sentence_or_text(data[:end])), data[:end]


@pytest.mark.parametrize("kind", ["docx", "epub", "PDF, packed, two pages"])
def test_a_changed_byte_loses_no_other_file(kind, tmp_path):
    """Whatever a byte becomes, the answer is a text or a sentence."""
    name, data, _ = READ[kind]
    for at in range(0, len(data), 11):
        read(tmp_path, name, data[:at] + bytes([data[at] ^ 0x15]) + data[at + 1 :])
