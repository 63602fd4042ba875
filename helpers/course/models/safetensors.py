"""safetensors files: eight bytes that say how long the header is, a header in JSON, then the numbers.

The format is Hugging Face's. Nothing in a file is trusted: every size, shape and offset is checked before
a tensor is read.
"""

import json
import math
import struct
from array import array

MAX_HEADER = 10_000_000  # bytes
MAX_FILE = 200_000_000
BYTES = {"F32": 4, "BF16": 2}


def write_safetensors(path, tensors, metadata=None):
    """Write {name: vector or matrix} as 32-bit floats; metadata is {text: text}."""
    header, parts, offset = {"__metadata__": dict(metadata)} if metadata else {}, [], 0
    for name, tensor in tensors.items():
        is_matrix = isinstance(tensor[0], (list, tuple))
        numbers = array("f", [x for row in tensor for x in row] if is_matrix else tensor)
        shape = [len(tensor), len(tensor[0])] if is_matrix else [len(tensor)]
        if math.prod(shape) != len(numbers):
            raise ValueError(f"write_safetensors: the rows of {name} differ in length")
        data = little_endian(numbers).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
        parts.append(data)
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


def read_safetensors(path):
    """({name: vector or matrix}, metadata) of a file whose tensors are F32 or BF16.

    ValueError, saying what is wrong, for any other file.
    """
    with open(path, "rb") as file:
        data = file.read(MAX_FILE + 1)
    header, metadata, start = read_entries(data)
    return {name: read_tensor(entry, data, start) for name, entry in header.items()}, metadata


def read_entries(data):
    """(the checked header entries by name, metadata, where the numbers start) of a file's bytes; no number
    is read yet."""
    header, start = read_header(data)
    metadata = header.pop("__metadata__", {})
    if type(metadata) is not dict or any(type(value) is not str for value in metadata.values()):
        raise ValueError("not a safetensors file: __metadata__ is not a dict of strings")
    check_layout({name: check_entry(name, entry) for name, entry in header.items()}, len(data) - start)
    return header, metadata, start


def read_header(data):
    """The header of a file's bytes, and where the numbers start."""
    if len(data) > MAX_FILE:
        raise ValueError(f"the file is larger than {MAX_FILE:,} bytes")
    if len(data) < 8:
        raise ValueError("not a safetensors file: it is shorter than 8 bytes")
    (size,) = struct.unpack("<Q", data[:8])
    if not 2 <= size <= min(MAX_HEADER, len(data) - 8):
        raise ValueError(f"not a safetensors file: its header would have {size} bytes")
    try:
        header = json.loads(data[8 : 8 + size].decode("utf-8"), object_pairs_hook=without_duplicates)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a safetensors file: its header is no JSON ({error!s:.60})") from None
    if type(header) is not dict:
        raise ValueError("not a safetensors file: its header is not a dict")
    return header, 8 + size


def without_duplicates(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name occurs twice")
    return dict(pairs)


def check_entry(name, entry):
    """The two offsets of a tensor, if its header entry is in order."""
    problem = f"not a safetensors file: tensor {name!a:.40} "
    if type(entry) is not dict or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ValueError(problem + "needs exactly dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if type(dtype) is not str or dtype not in BYTES:
        raise ValueError(problem + f"has the type {dtype!a:.20}; this reader knows {' and '.join(BYTES)}")
    if type(shape) is not list or len(shape) not in (1, 2) or not all(map(is_size, shape)):
        raise ValueError(problem + "is no vector or matrix of at least one number")
    if type(offsets) is not list or len(offsets) != 2 or any(type(x) is not int for x in offsets):
        raise ValueError(problem + "has no two data_offsets")
    if offsets[1] - offsets[0] != math.prod(shape) * BYTES[dtype]:
        raise ValueError(problem + "has a shape that does not fit its data_offsets")
    return offsets


def is_size(x):
    return type(x) is int and 1 <= x <= MAX_FILE


def check_layout(offsets, size):
    """ValueError unless the tensors fill the rest of the file, without gaps and without overlap."""
    end = 0
    for name, (first, last) in sorted(offsets.items(), key=lambda entry: entry[1]):
        if first != end:
            raise ValueError(f"not a safetensors file: tensor {name!a:.40} begins at {first}, not at {end}")
        end = last
    if end != size:
        raise ValueError(f"not a safetensors file: its tensors end at {end}, its data at {size}")


def read_tensor(entry, data, start):
    first, last = (start + offset for offset in entry["data_offsets"])
    raw = data[first:last]
    if entry["dtype"] == "BF16":  # the upper two bytes of a 32-bit float
        wide = bytearray(2 * len(raw))
        wide[2::4], wide[3::4] = raw[0::2], raw[1::2]
        raw = bytes(wide)
    numbers = little_endian(array("f", raw)).tolist()
    if len(entry["shape"]) == 1:
        return numbers
    rows, columns = entry["shape"]
    return [numbers[i * columns : (i + 1) * columns] for i in range(rows)]


def little_endian(numbers):
    """The same numbers with their bytes in the order of the file: only rare computers need the swap."""
    if struct.pack("=H", 1) != struct.pack("<H", 1):
        numbers.byteswap()
    return numbers
