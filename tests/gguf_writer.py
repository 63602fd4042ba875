"""A writer of tiny GGUF files for the tests: it shares no code with the reader."""

import random
import struct

from helpers.course.models import smollm2
from helpers.course.models.gguf import parse_gguf


def text(s):
    data = s.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def value(x):
    """A value of the metadata, with its type."""
    if isinstance(x, str):
        return struct.pack("<I", 8) + text(x)
    if isinstance(x, bool):
        return struct.pack("<IB", 7, x)
    if isinstance(x, int):
        return struct.pack("<II", 4, x)
    if isinstance(x, float):
        return struct.pack("<If", 6, x)
    kind = 8 if isinstance(x[0], str) else 5
    body = b"".join(map(text, x)) if kind == 8 else struct.pack(f"<{len(x)}i", *x)
    return struct.pack("<IIQ", 9, kind, len(x)) + body


def gguf(metadata, tensors, version=3, offsets=None, alignment=32):
    """The bytes of a file; tensors is {name: (number of the type, shape with the rows first, bytes)}."""
    head = struct.pack("<4sIQQ", b"GGUF", version, len(tensors), len(metadata))
    head += b"".join(text(name) + value(x) for name, x in metadata.items())
    data = b""
    for name, (kind, shape, raw) in tensors.items():
        offset = (offsets or {}).get(name, len(data))
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape[::-1])
        head += struct.pack("<IQ", kind, offset)
        data += raw + bytes(-len(raw) % alignment)
    return head + bytes(-len(head) % alignment) + data


def q4_1(rng, rows, columns):
    return b"".join(
        struct.pack("<ee", rng.uniform(0.01, 0.1), rng.uniform(-0.5, 0)) + rng.randbytes(16)
        for _ in range(rows * columns // 32)
    )


def q8_0(rng, rows, columns):
    return b"".join(
        struct.pack("<e", rng.uniform(0.001, 0.01)) + rng.randbytes(32) for _ in range(rows * columns // 32)
    )


def f32(numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


MARKS = ["<|im_start|>", "<|im_end|>"]
WORDS = [*MARKS, *"abcdefghij0123", "\u0120", "ab", "\u0120ab", "\u010a", "\u00c3", "\u00a9"]
MERGES = ["a b", "\u0120 ab"]


def tiny_llama(seed=1, **changes):
    """The parts of a Llama file of two blocks: metadata and tensors."""
    rng, D, F, G = random.Random(seed), 64, 96, 32
    metadata = {
        "general.architecture": "llama",
        "llama.embedding_length": D,
        "llama.block_count": 2,
        "llama.attention.head_count": 2,
        "llama.attention.head_count_kv": 1,
        "llama.feed_forward_length": F,
        "llama.rope.freq_base": 10000.0,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": WORDS,
        "tokenizer.ggml.token_type": [3, 3] + [1] * (len(WORDS) - 2),
        "tokenizer.ggml.merges": MERGES,
        "tokenizer.ggml.eos_token_id": 1,
    }
    V = len(WORDS)
    tensors = {"token_embd.weight": (8, [V, D], q8_0(rng, V, D))}
    matrices = {"attn_q": (D, D), "attn_k": (G, D), "attn_v": (G, D), "attn_output": (D, D)}
    matrices |= {"ffn_gate": (F, D), "ffn_up": (F, D), "ffn_down": (D, F)}
    for i in range(2):
        for name, (m, n) in matrices.items():
            tensors[f"blk.{i}.{name}.weight"] = (3, [m, n], q4_1(rng, m, n))
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"blk.{i}.{name}.weight"] = (0, [D], f32([rng.uniform(0.5, 2) for _ in range(D)]))
    tensors["output_norm.weight"] = (0, [D], f32([rng.uniform(0.5, 2) for _ in range(D)]))
    return {**metadata, **changes}, tensors


def tiny_model(**changes):
    """A Llama of two blocks, read from a file of this writer."""
    found = parse_gguf(gguf(*tiny_llama(**changes)))
    return smollm2.Model(found.metadata, found.tensors)
