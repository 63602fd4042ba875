"""safetensors files: written and read back, compared with bytes by hand, and what is no such file."""

import json
import struct

import pytest

from helpers.course.models.safetensors import read_safetensors, write_safetensors

BY_HAND = {
    "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    "W": {"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 16]},
}
NUMBERS = struct.pack("<4f", 1.0, -2.5, 0.5, 3.0)


def file_of(header, data=NUMBERS):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def read(tmp_path, data):
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    return read_safetensors(path)


def test_a_file_made_by_hand(tmp_path):
    tensors, metadata = read(tmp_path, file_of({**BY_HAND, "__metadata__": {"by": "hand"}}))
    assert tensors == {"a": [1.0, -2.5], "W": [[0.5, 3.0]]} and metadata == {"by": "hand"}


def test_bf16_is_the_upper_half_of_a_float(tmp_path):
    header = {"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}
    data = b"".join(struct.pack("<f", x)[2:] for x in (1.0, -2.5))
    assert read(tmp_path, file_of(header, data))[0] == {"a": [1.0, -2.5]}


def test_written_and_read_back(tmp_path):
    path, tensors = tmp_path / "y", {"W": [[0.5, 1.5], [2.0, -3.0]], "b": [0.25]}
    write_safetensors(path, tensors, {"k": "v"})
    assert read_safetensors(path) == (tensors, {"k": "v"})
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    assert size % 8 == 0 and data[8 + size :] == struct.pack("<5f", 0.5, 1.5, 2.0, -3.0, 0.25)


def changed(**fields):
    return {**BY_HAND, "a": {**BY_HAND["a"], **fields}}


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "shorter"),
        (struct.pack("<Q", 2**63) + b"{}", "header"),
        (struct.pack("<Q", 100) + b"{}", "header"),
        (file_of(b"{ "), "JSON"),
        (file_of(b"\xff\xfe"), "JSON"),
        (file_of(b"[" * 100000), "JSON"),
        (file_of(b"[]", b""), "dict"),
        (file_of(b'{"a": 1, "a": 2}'), "twice"),
        (file_of({**BY_HAND, "__metadata__": {"k": 1}}), "__metadata__"),
        (file_of({**BY_HAND, "__metadata__": []}), "__metadata__"),
        (file_of({"a": 1}), "exactly"),
        (file_of(changed(more=1)), "exactly"),
        (file_of(changed(dtype="I64")), "I64"),
        (file_of(changed(dtype=["F32"])), "F32"),
        (file_of(changed(shape=[-1, -2])), "no vector"),
        (file_of(changed(shape=[True, 2])), "no vector"),
        (file_of(changed(shape=[1, 1, 2])), "no vector"),
        (file_of(changed(shape=[2**62])), "no vector"),
        (file_of(changed(shape=[3])), "does not fit"),
        (file_of(changed(data_offsets=[0, 8.0])), "data_offsets"),
        (file_of(changed(data_offsets=[0])), "data_offsets"),
        (file_of(changed(data_offsets=[8, 16])), "begins at"),  # overlaps W
        (file_of(changed(data_offsets=[-8, 0])), "begins at"),
        (file_of(BY_HAND, NUMBERS + b"more"), "end at"),
        (file_of(BY_HAND, NUMBERS[:-1]), "end at"),
    ],
)
def test_what_is_no_safetensors_file(tmp_path, data, words):
    with pytest.raises(ValueError, match=words):
        read(tmp_path, data)


def test_rows_of_unequal_length_are_not_written(tmp_path):
    with pytest.raises(ValueError, match="W"):
        write_safetensors(tmp_path / "z", {"W": [[1.0, 2.0], [3.0]]})
