"""The reader of pictures. Their files are written here, by the rules of their formats."""

import random
import struct
import time
import tracemalloc
import zlib

import pytest

from helpers.course.reading.images import read_picture

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def header(width, height, depth=8, colour=0, compression=0, filtering=0, interlace=0):
    return chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, compression, filtering, interlace)
    )


def png(width, height, rows, *before, depth=8, colour=0):
    """A PNG of rows of bytes, each with its filter; before are chunks before the pixels."""
    packed = chunk(b"IDAT", zlib.compress(b"".join(rows)))
    return SIGNATURE + header(width, height, depth, colour) + b"".join(before) + packed + chunk(b"IEND", b"")


def read(tmp_path, data, name="x.png"):
    (tmp_path / name).write_bytes(data)
    return read_picture(tmp_path / name)


GOOD = png(2, 2, [bytes([0, 0, 255]), bytes([0, 51, 102])])
RED, GREEN, BLUE = b"\xff\0\0", b"\0\xff\0", b"\0\0\xff"
BLACK, WHITE = bytes(3), b"\xff" * 3
PIXEL = zlib.compress(b"\0\xff")
# rows by hand: brightness from 0 to 1
PICTURES = {
    "grey, 8 bits": (GOOD, [[0, 1], [0.2, 0.4]]),
    "grey, 1 bit": (png(3, 1, [bytes([0, 0b10100000])], depth=1), [[1, 0, 1]]),
    "grey, 2 bits": (png(4, 1, [bytes([0, 0b00011011])], depth=2), [[0, 1 / 3, 2 / 3, 1]]),
    "grey, 4 bits": (png(2, 1, [bytes([0, 0x3F])], depth=4), [[0.2, 1]]),
    "grey, 16 bits": (png(2, 1, [b"\0\x40\x80\x80\x40"], depth=16), [[0x4080 / 65535, 0x8040 / 65535]]),
    "red, green, blue": (png(3, 1, [b"\0" + RED + GREEN + BLUE], colour=2), [[0.299, 0.587, 0.114]]),
    "a palette": (png(2, 1, [b"\0\1\0"], chunk(b"PLTE", BLACK + WHITE), colour=3), [[1, 0]]),
    "a palette of 2 colours, 1 bit": (
        png(2, 1, [b"\0\x40"], chunk(b"PLTE", WHITE + BLACK), depth=1, colour=3),
        [[1, 0]],
    ),
    "a transparent colour of a palette": (
        png(2, 1, [b"\0\0\1"], chunk(b"PLTE", BLACK * 2), chunk(b"tRNS", b"\0"), colour=3),
        [[1, 0]],
    ),
    "a transparent grey": (png(2, 1, [bytes([0, 7, 0])], chunk(b"tRNS", b"\0\7")), [[1, 0]]),
    "a transparent colour": (
        png(2, 1, [bytes([0, 9, 7, 5, 0, 0, 0])], chunk(b"tRNS", b"\0\x09\0\7\0\5"), colour=2),
        [[1, 0]],
    ),
    "grey and opacity": (png(2, 1, [bytes([0, 0, 0, 0, 255])], colour=4), [[1, 0]]),
    "colour and half opacity": (png(1, 1, [bytes([0, 0, 0, 0, 51])], colour=6), [[0.8]]),
    "an unknown chunk that may be skipped": (png(1, 1, [b"\0\xff"], chunk(b"teXt", b"hello")), [[1]]),
    "pixels in two chunks": (
        SIGNATURE
        + header(1, 1)
        + chunk(b"IDAT", PIXEL[:5])
        + chunk(b"IDAT", PIXEL[5:])
        + chunk(b"IEND", b""),
        [[1]],
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_read(tmp_path, name):
    data, expected = PICTURES[name]
    got = read(tmp_path, data)
    assert [len(row) for row in got] == [len(row) for row in expected]
    assert sum(got, []) == pytest.approx(sum(expected, []), abs=1e-12)


def filtered(rows, kind, step):
    """Rows as a writer filters them: each byte less what the filter predicts from the bytes before it."""
    out, above = [], bytes(len(rows[0]))
    for row in rows:
        body = [kind]
        for i, byte in enumerate(row):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            up, guess = above[i], left + above[i] - corner
            distances = [abs(guess - left), abs(guess - up), abs(guess - corner)]
            paeth = (left, up, corner)[distances.index(min(distances))]
            body.append((byte - (0, left, up, (left + up) // 2, paeth)[kind]) % 256)
        out.append(bytes(body))
        above = row
    return out


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("colour, step", [(0, 1), (2, 3), (6, 4)])
def test_every_filter_is_undone(tmp_path, kind, colour, step):
    rng = random.Random(kind)
    rows = [bytes(rng.randrange(256) for _ in range(6 * step)) for _ in range(5)]
    plain = read(tmp_path, png(6, 5, filtered(rows, 0, step), colour=colour))
    assert read(tmp_path, png(6, 5, filtered(rows, kind, step), colour=colour)) == plain


def test_of_equally_near_bytes_the_filter_takes_the_left_one(tmp_path):
    """The last byte: left 4 and corner 10 are both 3 away from 4 + 13 - 10, above 13 is 6 away."""
    rows = [b"\0\x0a\x0d", b"\4\xfa\x10"]  # 250 = 4 - 10, 16 = 20 - 4
    assert sum(read(tmp_path, png(2, 2, rows)), []) == pytest.approx([x / 255 for x in (10, 13, 4, 20)])


ROW, END = chunk(b"IDAT", PIXEL), chunk(b"IEND", b"")


def of_chunks(*chunks):
    return SIGNATURE + b"".join(chunks) + END


BOMB = of_chunks(header(1, 1), chunk(b"IDAT", zlib.compress(bytes(10**7))))
LARGE_PNG = of_chunks(header(10**6, 10**6), ROW)
PALETTE = [png(1, 1, [b"\0\2"], *colours, colour=3) for colours in ([], [chunk(b"PLTE", bytes(8))])]
# files, and words of the sentence that refuses them
REFUSED = [
    (GOOD[:43] + bytes([GOOD[43] ^ 1]) + GOOD[44:], "the checksum of the chunk IDAT is wrong"),
    (GOOD[:20] + b"\7" + GOOD[21:], "the checksum of the chunk IHDR is wrong"),
    (GOOD[:45], "it is cut off"),
    (GOOD[: -len(END)], "it is cut off: its last chunk, IEND, is missing"),
    (SIGNATURE, "it is cut off: its last chunk, IEND, is missing"),
    (SIGNATURE + b"\xff\xff\xff\xffIHDR" + bytes(40), "it is cut off"),
    (GOOD.replace(b"\r\n", b"\n"), "its first eight bytes are not those of a PNG"),
    (BOMB, "unpacks to more than the 2 bytes"),
    (LARGE_PNG, "1,000,000 columns and 1,000,000 rows; at most 1,000,000 pixels"),
    (of_chunks(header(0, 5), ROW), "it has 0 columns and 5 rows"),
    (of_chunks(header(9, 9), ROW), "needs 90 bytes, and it unpacks to 2"),
    (of_chunks(header(1, 1)), "needs 2 bytes, and it unpacks to 0"),
    (of_chunks(header(1, 1), chunk(b"IDAT", b"\0\xff")), "cannot be unpacked"),
    (of_chunks(header(1, 1, colour=5), ROW), "its colour type is 5"),
    (of_chunks(header(1, 1, depth=4, colour=2), ROW), "its bit depth is 4"),
    (of_chunks(header(1, 1, depth=7), ROW), "its bit depth is 7"),
    (of_chunks(header(1, 1, interlace=1), ROW), "it is interlaced"),
    (of_chunks(header(1, 1, compression=1), ROW), "packed or filtered in a way"),
    (png(1, 1, [b"\5\0"]), "a row has the filter 5"),
    (PALETTE[0], "it has no palette"),
    (PALETTE[1], "its palette is no list"),
    (png(1, 1, [b"\0\2"], chunk(b"PLTE", bytes(6)), colour=3), "has the colour 2, and the palette has 2"),
    (of_chunks(ROW), "its first chunk must be IHDR"),
    (of_chunks(header(1, 1), header(1, 1), ROW), "its first chunk must be IHDR, and no other"),
    (of_chunks(chunk(b"IHDR", bytes(12))), "does not have 13 bytes"),
    (png(1, 1, [b"\0\0"], chunk(b"NeWs", b"")), "it needs the chunk NeWs"),
    (of_chunks(header(1, 1), chunk(b"\0\0\0\0", b"")), "the name of a chunk is not four letters"),
    (b"\xff\xd8\xff\xe0" + bytes(20), "it is a JPEG; save it as PNG"),
    (b"GIF89a" + bytes(20), "it is a GIF; save it as PNG"),
    (b"RIFF\4\0\0\0WEBP", "it is a WebP"),
    (b"RIFF\4\0\0\0WAVE", "it is no picture"),
    (b"hello", "it is no picture in PNG"),
    (b"", "it is no picture in PNG"),
    (b"P5 2 1 255\n\0\xff", "it is a PGM or PPM; save it as PNG"),
]


@pytest.mark.parametrize("data, words", REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_refused_gets_one_sentence(tmp_path, data, words):
    with pytest.raises(ValueError) as error:
        read(tmp_path, data)
    said = str(error.value)
    assert said.startswith("x.png is not read: ") and words in said and "\n" not in said


HEAVY = {
    "chunks": SIGNATURE + header(1, 1) + chunk(b"IDAT", b"") * 30_000,
    "a bomb": BOMB,
    "a large PNG": LARGE_PNG,
    "the largest PNG, and more": of_chunks(
        header(1000, 1000), chunk(b"IDAT", zlib.compress(bytes(5 * 10**7)))
    ),
}


@pytest.mark.parametrize("data", HEAVY.values(), ids=HEAVY)
def test_a_long_header_or_a_bomb_takes_neither_time_nor_memory(tmp_path, data):
    started = time.process_time()
    tracemalloc.start()
    with pytest.raises(ValueError, match="is not read: "):
        read(tmp_path, data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000 and time.process_time() - started < 5


def test_every_single_damaged_byte_is_noticed_or_harmless(tmp_path):
    expected = read(tmp_path, GOOD)
    for i in range(len(GOOD)):
        damaged = GOOD[:i] + bytes([GOOD[i] ^ 0x41]) + GOOD[i + 1 :]
        with pytest.raises(ValueError, match="is not read: "):
            assert read(tmp_path, damaged) != expected


def test_every_beginning_of_a_file_is_refused(tmp_path):
    for i in range(len(GOOD)):
        with pytest.raises(ValueError, match="is not read: "):
            read(tmp_path, GOOD[:i])


def test_files_that_are_not_there(tmp_path):
    for path in (tmp_path / "no.png", tmp_path):
        with pytest.raises(ValueError, match="there is no such file"):
            read_picture(path)
    with pytest.raises(ValueError, match="is not read: "):
        read_picture("a\0b")
