"""GGUF files, read without trusting them: the metadata, and the type, shape and bytes of each tensor.

A file is mapped, not read: opening it takes no time, and no number is copied before it is asked for. Each
size in the file is compared with the bytes that are there before anything is made of it.
Format: the page docs/gguf.md of the repository ggml.
"""

import errno
import mmap
import os
import stat
import struct
from math import prod
from typing import NamedTuple

from ..reading.budget import MEMORY_OF_STRING, STEPS_OF_VALUE, Budget, Unreadable

# In the metadata: the number of a type, and its letter for struct. 8 is a text, 9 a list.
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
# Of a tensor: the number of its type, its name, how many numbers a block holds, and how many bytes.
BLOCKS = {0: ("F32", 1, 4), 1: ("F16", 1, 2), 3: ("Q4_1", 32, 20), 8: ("Q8_0", 32, 34), 30: ("BF16", 1, 2)}
MAX_LISTS_IN_LISTS = 3
MAX_DIMENSIONS = 4
MAX_ALIGNMENT = 2**16
MAX_ENTRIES = 100_000  # of the metadata, and of the table of tensors


class Tensor(NamedTuple):
    """A tensor of a file: its type, its shape with the rows first, and a view of its bytes."""

    kind: str
    shape: list
    data: memoryview


class Gguf(NamedTuple):
    """A file that was read: its metadata and its tensors, by name."""

    metadata: dict
    tensors: dict


def read_gguf(path):
    """The metadata and the tensors of a GGUF file; Unreadable, with a sentence, for anything else."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("it is a folder or a device, not a file")
        if status.st_size < 24:
            raise Unreadable(f"it has {status.st_size} bytes, and the header of a GGUF file has 24")
        return parse_gguf(mapped(file))


def mapped(file):
    """The bytes of a file, read when they are touched; at once where it cannot be mapped, as in a tab."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        if error.errno != errno.ENODEV:
            raise
        return file.read()


def parse_gguf(data):
    """The same, from a file's bytes."""
    data = memoryview(data)
    reader = Reader(data)
    if reader.bytes(4) != b"GGUF":
        raise Unreadable("it is no GGUF file: it does not begin with the letters GGUF")
    version = reader.scalar("I")
    if version not in (2, 3):
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big") in (2, 3)
        what = "its numbers are big-endian" if swapped else f"it is version {version} of the format"
        raise Unreadable(f"{what}; only versions 2 and 3, little-endian, are read")
    n_tensors, n_entries = reader.scalar("Q"), reader.scalar("Q")
    reader.require_entries(n_tensors, 24, "tensors")  # a name, a number of dimensions, a type, an offset
    reader.require_entries(n_entries, 12, "entries of metadata")
    metadata = {}
    for _ in range(n_entries):
        name = reader.text("the name of an entry")
        if name in metadata:
            raise Unreadable(f"the entry {name!a:.60} is there twice")
        metadata[name] = reader.value(reader.scalar("I"), name)
    return Gguf(metadata, read_tensors(reader, n_tensors, alignment_of(metadata)))


def alignment_of(metadata):
    """The number of bytes that every tensor's offset is a multiple of."""
    alignment = metadata.get("general.alignment", 32)
    if type(alignment) is not int or not 1 <= alignment <= MAX_ALIGNMENT or alignment & (alignment - 1):
        raise Unreadable(
            f"its alignment is {alignment!r:.40}; it must be a power of two, at most {MAX_ALIGNMENT}"
        )
    return alignment


def read_tensors(reader, n, alignment):
    """The table of tensors: name -> Tensor. No tensor may leave the file or overlap another one."""
    found = {}
    for _ in range(n):
        name = reader.text("the name of a tensor")
        if name in found:
            raise Unreadable(f"the tensor {name!a:.60} is there twice")
        dimensions = reader.scalar("I")
        if not 1 <= dimensions <= MAX_DIMENSIONS:
            raise Unreadable(
                f"the tensor {name!a:.60} has {dimensions} dimensions; 1 to {MAX_DIMENSIONS} are read"
            )
        shape = [reader.scalar("Q") for _ in range(dimensions)][::-1]  # the file names the columns first
        found[name] = shape, reader.scalar("I"), reader.scalar("Q")
    start = -(-reader.place // alignment) * alignment
    tensors, places = {}, []
    for name, (shape, kind, offset) in found.items():
        where = f"the tensor {name!a:.60}"
        if kind not in BLOCKS:
            known = ", ".join(block[0] for block in BLOCKS.values())
            raise Unreadable(f"{where} is of type {kind}, which is not read; known are {known}")
        kind, per_block, block_size = BLOCKS[kind]
        if 0 in shape:
            raise Unreadable(f"{where} is {boxed_shape(shape)}: it has no numbers")
        if shape[-1] % per_block:
            raise Unreadable(
                f"{where} has rows of {shape[-1]:,} numbers, and {kind} has blocks of {per_block}"
            )
        if offset % alignment:
            raise Unreadable(f"{where} begins at {offset:,}, which is no multiple of {alignment}")
        size, first = prod(shape) // per_block * block_size, start + offset
        if first + size > len(reader.data):
            raise Unreadable(
                f"{where} is {boxed_shape(shape)} and would end at byte {first + size:,}, "
                f"but the file ends at {len(reader.data):,}"
            )
        tensors[name] = Tensor(kind, shape, reader.data[first : first + size])
        places.append((first, first + size, name))
    places.sort()
    for (_, end, name), (begin, _, other) in zip(places, places[1:]):
        if begin < end:
            raise Unreadable(f"the tensors {name!a:.60} and {other!a:.60} overlap")
    return tensors


def boxed_shape(shape):
    return "".join(f"[{length:,}]" for length in shape)


class Reader:
    """What is left of a file: a place in its bytes, and a budget of work and memory."""

    def __init__(self, data):
        self.data, self.place, self.budget = data, 0, Budget(len(data))

    def left(self):
        return len(self.data) - self.place

    def bytes(self, n):
        if n > self.left():
            raise Unreadable(f"it is cut off: {n:,} more bytes are announced, and {self.left():,} are left")
        self.place += n
        return self.data[self.place - n : self.place].tobytes()

    def scalar(self, letter):
        size = struct.calcsize("<" + letter)
        self.budget.charge(steps=STEPS_OF_VALUE)
        return struct.unpack("<" + letter, self.bytes(size))[0]

    def require_entries(self, n, least, what):
        """n entries of at least so many bytes must fit into what is left, and be a number that is sane."""
        if n * least > self.left():
            raise Unreadable(f"it announces {n:,} {what}, and {self.left():,} bytes are left")
        if n > MAX_ENTRIES:
            raise Unreadable(f"it announces {n:,} {what}; at most {MAX_ENTRIES:,} are read")

    def text(self, what):
        n = self.scalar("Q")
        self.budget.charge(steps=min(n, self.left()), memory=MEMORY_OF_STRING + min(n, self.left()))
        try:
            return self.bytes(n).decode("utf-8")
        except UnicodeDecodeError:
            raise Unreadable(f"{what} is no text in UTF-8") from None

    def value(self, kind, name, depth=0):
        if kind == TEXT:
            return self.text(f"the entry {name!a:.60}")
        if kind == LIST:
            if depth == MAX_LISTS_IN_LISTS:
                raise Unreadable(f"the entry {name!a:.60} holds lists that are nested too deeply")
            kind, n = self.scalar("I"), self.scalar("Q")
            least = {TEXT: 8, LIST: 12}.get(kind) or struct.calcsize("<" + self.letter(kind, name))
            if n * least > self.left():
                raise Unreadable(
                    f"the entry {name!a:.60} announces {n:,} values, and {self.left():,} bytes are left"
                )
            if kind in (TEXT, LIST):
                self.budget.charge(memory=8 * n)
                return [self.value(kind, name, depth + 1) for _ in range(n)]
            self.budget.charge(steps=n, memory=40 * n)
            return list(struct.unpack(f"<{n}{self.letter(kind, name)}", self.bytes(n * least)))
        return self.scalar(self.letter(kind, name))

    def letter(self, kind, name):
        if kind not in SCALARS:
            raise Unreadable(f"the entry {name!a:.60} is of type {kind}, which GGUF does not have")
        return SCALARS[kind]
