"""Pictures out of PNG files: rows of brightness from 0 (black) to 1 (white).

Nothing that a file says of itself is believed: its size is limited before anything is unpacked, and it never
unpacks to more than its size needs.
"""

import os
import re
import zlib
from pathlib import Path

from .budget import Unreadable

MAX_PICTURE_BYTES = 20_000_000
MAX_PIXELS = 1_000_000
MAX_SIDE = 10_000  # pixels: each row and each column has a cost of its own
MAX_RAW_BYTES = 4_000_000  # of a PNG's pixels, unpacked: about a second of work
SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # colour type: numbers of a pixel
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}  # bits of a number
OTHERS = {
    rb"\xff\xd8\xff": "a JPEG",
    rb"GIF8": "a GIF",
    rb"BM": "a BMP",
    rb"P[1-7]\s": "a PGM or PPM",
    rb"RIFF....WEBP": "a WebP",
    rb"%PDF-": "a PDF",
    rb"II\*\0|MM\0\*": "a TIFF",
    rb"....ftyp(heic|heix|mif1)": "a HEIC",
}


def read_picture(path):
    """Read a picture, a PNG: rows of brightness from 0 (black) to 1 (white).

    Colours become their brightness, and what is transparent becomes white. ValueError, with one sentence, for
    a file that is damaged, too large, or of another kind.
    """
    path = Path(path)
    try:
        if not path.is_file():
            raise Unreadable("there is no such file")
        with open(path, "rb") as file:
            n = os.fstat(file.fileno()).st_size
            if n > MAX_PICTURE_BYTES:
                raise Unreadable(f"it holds more than {MAX_PICTURE_BYTES:,} bytes")
            data = file.read(n)
        if not data.startswith(SIGNATURE):
            raise Unreadable(no_signature(data))
        return read_png(data)
    except Unreadable as error:
        raise ValueError(f"{path.name} is not read: {error}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is none that the system knows"
        raise ValueError(f"{path.name!a:.60} is not read: the system says: {why}") from None


def refuse_large(width, height):
    if not width or not height:
        raise Unreadable(f"it has {width} columns and {height} rows")
    most = f"{MAX_SIDE:,} of each" if max(width, height) > MAX_SIDE else ""
    most = f"{MAX_PIXELS:,} pixels" if width * height > MAX_PIXELS else most
    if most:
        has = f"it has {width:,} columns and {height:,} rows"
        raise Unreadable(f"{has}; at most {most} are read, so make it smaller")


def brightness(red, green, blue):
    """How bright a colour looks, by the weights of ITU-R BT.601."""
    return (299 * red + 587 * green + 114 * blue) / 1000


def no_signature(data):
    """What a file is that does not begin like a PNG."""
    for beginning, what in OTHERS.items():
        if re.match(beginning, data, re.DOTALL):
            return f"it is {what}; save it as PNG"
    if data.startswith(SIGNATURE[:4]):
        return "it begins like a PNG, but its first eight bytes are not those of a PNG"
    return "it is no picture in PNG"


# --- PNG


def read_png(data):
    """The rows of a PNG: its chunks are checked, unpacked, unfiltered."""
    header, palette, clear, packed = None, None, None, bytearray()
    for name, body in png_chunks(data):
        if (header is None) != (name == b"IHDR"):
            raise Unreadable("its first chunk must be IHDR, and no other")
        if name == b"IHDR":
            header = png_header(body)
        elif name == b"PLTE":
            palette = png_palette(body)
        elif name == b"tRNS":
            clear = body
        elif name == b"IDAT":
            packed += body
        elif name[0] & 32 == 0 and name != b"IEND":  # a capital letter: whoever does not know it must stop
            raise Unreadable(f"it needs the chunk {name.decode('ascii')}, which is not known here")
    width, height, depth, colour = header
    if colour == 3 and palette is None:
        raise Unreadable("its pixels are numbers of a palette, and it has no palette")
    channels = CHANNELS[colour]
    stride = (width * channels * depth + 7) // 8  # bytes of a row
    if stride * height > MAX_RAW_BYTES:
        raise Unreadable(
            f"its pixels take {stride * height:,} bytes, and at most {MAX_RAW_BYTES:,} are read; make it "
            "smaller, or save it with 8 bits a colour"
        )
    rows = png_rows(png_unpacked(packed, (stride + 1) * height), stride, max(1, channels * depth // 8))
    pixel = png_pixels(depth, colour, palette, clear)
    return [pixel(png_numbers(row, depth, width * channels)) for row in rows]


def png_chunks(data):
    """(name, body) of every chunk up to IEND; their checksums are checked first."""
    at, name = len(SIGNATURE), None
    while name != b"IEND":
        if at == len(data):
            raise Unreadable("it is cut off: its last chunk, IEND, is missing")
        length, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        end = at + 12 + length
        if at + 12 > len(data) or end > len(data):
            raise Unreadable("it is cut off: a chunk is longer than what is left of the file")
        if not (name.isalpha() and name.isascii()):
            raise Unreadable("it is damaged: the name of a chunk is not four letters")
        if zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise Unreadable(f"it is damaged: the checksum of the chunk {name.decode('ascii')} is wrong")
        yield name, data[at + 8 : end - 4]
        at = end


def png_header(body):
    """(width, height, depth, colour type), if this is a picture that can be read."""
    if len(body) != 13:
        raise Unreadable("its IHDR does not have 13 bytes")
    width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
    depth, colour, compression, filtering, interlace = body[8:]
    refuse_large(width, height)
    if colour not in CHANNELS:
        raise Unreadable(f"its colour type is {colour}, which no PNG has")
    if depth not in DEPTHS[colour]:
        raise Unreadable(f"its bit depth is {depth}, which colour type {colour} does not allow")
    if compression or filtering:
        raise Unreadable("it is packed or filtered in a way that no PNG is")
    if interlace:
        raise Unreadable("it is interlaced; save it without interlacing")
    return width, height, depth, colour


def png_palette(body):
    if not body or len(body) % 3 or len(body) > 768:
        raise Unreadable("its palette is no list of 1 to 256 colours")
    return [brightness(*body[i : i + 3]) / 255 for i in range(0, len(body), 3)]


def png_unpacked(packed, n):
    """The n bytes that the picture needs; a file that holds fewer or more is refused, and none unpacks to
    more than one byte too many."""
    unpacker, unpacked = zlib.decompressobj(), b""
    try:
        unpacked = unpacker.decompress(packed, n + 1)
    except zlib.error:
        raise Unreadable("it is damaged: its pixels cannot be unpacked") from None
    if len(unpacked) > n:
        raise Unreadable(f"it unpacks to more than the {n:,} bytes that its size needs")
    if len(unpacked) < n:
        raise Unreadable(f"its size needs {n:,} bytes, and it unpacks to {len(unpacked):,}")
    return unpacked


def png_rows(data, stride, step):
    """Unfilter: each row says by its first byte what was subtracted from it; step is the bytes of a pixel."""
    above = bytes(stride)
    for start in range(0, len(data), stride + 1):
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + stride])
        if kind > 4:
            raise Unreadable(f"it is damaged: a row has the filter {kind}, and there are 0 to 4")
        yield unfilter(kind, row, above, step)
        above = row


def unfilter(kind, row, above, step):
    """Add to each byte of a row, in place, what was subtracted: 1 left, 2 above, 3 their mean, 4 Paeth."""
    if kind == 2:
        row[:] = [(x + b) & 255 for x, b in zip(row, above)]
    elif kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 3:
        for i, b in enumerate(above):
            a = row[i - step] if i >= step else 0
            row[i] = (row[i] + (a + b) // 2) & 255
    elif kind == 4:
        for first in range(step):  # each byte of a pixel by itself
            row[first::step] = add_paeth(row[first::step], above[first::step])
    return row


def add_paeth(row, above):
    """Add to each number the one of left (a), above (b) and above left (c) that is nearest to a + b - c."""
    numbers, a, c = [], 0, 0
    for x, b in zip(row, above):
        to_a, to_b = b - c, a - c  # the distances of a + b - c
        to_c = abs(to_a + to_b)
        to_a, to_b = abs(to_a), abs(to_b)
        nearest = a if to_a <= to_b and to_a <= to_c else b if to_b <= to_c else c
        a, c = (x + nearest) & 255, b
        numbers.append(a)
    return numbers


def png_numbers(row, depth, n):
    """The numbers in the bytes of a row."""
    if depth == 8:
        return row
    if depth == 16:
        return [256 * a + b for a, b in zip(row[::2], row[1::2])]
    shifts = range(8 - depth, -1, -depth)
    return [byte >> shift & (1 << depth) - 1 for byte in row for shift in shifts][:n]


def png_pixels(depth, colour, palette, clear):
    """The function from the numbers of a row to the brightness of its pixels, on white."""
    top = (1 << depth) - 1
    if colour == 3:
        alphas = [alpha / 255 for alpha in clear or b""] + [1] * len(palette)
        seen = [1 + (light - 1) * alpha for light, alpha in zip(palette, alphas)]

        def pixels(numbers):
            if max(numbers) >= len(seen):
                raise Unreadable(f"a pixel has the colour {max(numbers)}, and the palette has {len(seen)}")
            return [seen[number] for number in numbers]

        return pixels
    n, grey = CHANNELS[colour], colour in (0, 4)
    hidden = clear and tuple(int.from_bytes(clear[i : i + 2], "big") for i in range(0, len(clear), 2))

    def pixels(numbers):
        channels = [numbers[first::n] for first in range(n)]
        lights = [x / top for x in (channels[0] if grey else map(brightness, *channels[:3]))]
        if colour in (4, 6):
            return [1 + (light - 1) * (alpha / top) for light, alpha in zip(lights, channels[-1])]
        if not hidden:
            return [1 + (light - 1) for light in lights]
        pairs = zip(lights, zip(*channels))
        return [1 + (light - 1) * (pixel != hidden) for light, pixel in pairs]

    return pixels
