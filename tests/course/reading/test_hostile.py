"""Small files that would hold the reader: each is refused before the work, within seconds and megabytes."""

import io
import math
import struct
import time
import tracemalloc
import zipfile
import zlib

import pytest

from helpers.course.reading.documents import read_documents
from helpers.course.reading.images import read_picture
from helpers.course.state.files import Refused, unpickle

MAX_SECONDS, MAX_TRACED_BYTES = 2, 300_000_000  # of a file below 1 MB


def chunk(name, body):
    return len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")


def png(width, height, depth, colour, stride):
    """A black picture whose rows all have the filter Paeth, the most work."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    pixels = zlib.compress((b"\x04" + bytes(stride)) * height)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def docx(compression):
    """A Word document whose text unpacks to 200 MB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        with archive.open("word/document.xml", "w") as part:
            for _ in range(200):
                part.write(b"<w:t>" + b"a" * 1_000_000)
    return file.getvalue()


def pdf(*objects):
    """A PDF of one page: its font is object 5, its content object 4; these and what they need are given."""
    pages = (
        b"1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj 2 0 obj <</Kids [3 0 R]>> endobj "
        b"3 0 obj <</Contents 4 0 R /Resources <</Font <</F 5 0 R>> >> >> endobj "
    )
    return b"%PDF-1.4 " + pages + b" ".join(objects)


def stream(number, data, filters=b""):
    return b"%d 0 obj <</Filter [%b] /Length %d>> stream\n%b\nendstream endobj" % (
        number,
        filters,
        len(data),
        data,
    )


FONT = b"5 0 obj <</Type /Font /Subtype /Type1 /ToUnicode 6 0 R>> endobj"
PAGE = stream(4, b"BT /F 9 Tf (a) Tj ET")
# A table that gives each of 65,536 codes a text of 100,000 letters.
LONG_RANGE = b"1 beginbfrange <0000> <FFFF> <%b> endbfrange" % (b"0061" * 100_000)
ZEROS = zlib.compress(b"z" * 18_000_000)  # each z of ASCII85 is four bytes

FILES = {  # made when a test needs them: it takes seconds
    "range.pdf": lambda: pdf(PAGE, FONT, stream(6, zlib.compress(LONG_RANGE), b"/FlateDecode")),
    "zeros.pdf": lambda: pdf(stream(4, ZEROS, b"/FlateDecode /ASCII85Decode"), FONT, stream(6, b"")),
    "bzip2.docx": lambda: docx(zipfile.ZIP_BZIP2),
    "lzma.docx": lambda: docx(zipfile.ZIP_LZMA),
    "deflate.docx": lambda: docx(zipfile.ZIP_DEFLATED),
}
PICTURES = {
    "colours.png": png(1000, 1000, 8, 6, 4000),
    "deep.png": png(1000, 1000, 16, 6, 8000),
    "tall.png": png(1, 1_000_000, 8, 0, 1),
}


def seconds_of(function, *arguments):
    """(what a call gives, its seconds of processor in the shortest of five runs)."""
    seconds = math.inf
    for _ in range(5):
        started = time.process_time()
        result = function(*arguments)
        seconds = min(seconds, time.process_time() - started)
        if seconds < MAX_SECONDS:
            break
    return result, seconds


def memory_of(function, *arguments):
    """The largest memory of a call; tracing makes it some ten times slower."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


RARE = ("bzip2.docx", "lzma.docx")  # seconds to make, and refused where deflate.docx is


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.all_only] * (name in RARE)) for name in FILES]
)
def test_a_document_that_would_hold_the_reader_is_refused(name, tmp_path):
    data = FILES[name]()
    (tmp_path / name).write_bytes(data)
    (documents, remarks), seconds = seconds_of(read_documents, tmp_path / name)
    assert len(data) < 1_000_000 and documents == []
    assert [remark[:9] for _, remark in remarks] == ["not read:"]
    assert seconds < MAX_SECONDS
    if name != "range.pdf":  # its danger is the time
        assert memory_of(read_documents, tmp_path / name) < MAX_TRACED_BYTES


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_read_or_refused_in_time(name, tmp_path):
    (tmp_path / name).write_bytes(PICTURES[name])

    def read(path):
        try:
            return len(read_picture(path))
        except ValueError as error:
            return str(error)

    result, seconds = seconds_of(read, tmp_path / name)
    assert result == 1000 if name == "colours.png" else "make it smaller" in result
    assert seconds < MAX_SECONDS  # 1.2 s on a quiet machine


def test_a_pickle_of_empty_lists_is_refused():
    data = b"\x80\x05](" + b"]" * 900_000 + b"e."
    with pytest.raises(Refused, match="more than 2000000 values"):
        unpickle(data, max_bytes=10**8, max_values=2_000_000)
