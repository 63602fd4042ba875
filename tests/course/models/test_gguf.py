"""GGUF files, packed matrices, SmolLM2's tokenizer; hostile files: one sentence each, nothing allocated."""

import contextlib
import copy
import errno
import math
import random
import struct
import tracemalloc

import pytest
from gguf_writer import WORDS, gguf, q4_1, q8_0, text, tiny_llama, tiny_model
from second_llama import close, second_llama

from helpers import decode_q4_1, decode_q8_0
from helpers.course.models import smollm2
from helpers.course.models.gguf import parse_gguf, read_gguf
from helpers.course.models.packed import PackedMatrix
from helpers.course.reading import budget
from helpers.course.reading.budget import Unreadable

SOUND = (
    {"general.name": "tiny", "answer": 42, "list": [1, -2, 3]},
    {"W": (3, [2, 64], q4_1(random.Random(1), 2, 64))},
)


@pytest.mark.parametrize("mapped", [True, False])
def test_what_was_written_is_read(mapped, tmp_path, monkeypatch):
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf(*SOUND))

    def cannot_map(*arguments, **options):
        raise OSError(errno.ENODEV, "no mapping")

    if not mapped:  # as in a browser tab
        monkeypatch.setattr("mmap.mmap", cannot_map)
    found = read_gguf(path)
    assert found.metadata == SOUND[0]
    kind, shape, data = found.tensors["W"]
    assert (kind, shape, bytes(data)) == ("Q4_1", [2, 64], SOUND[1]["W"][2])
    assert type(data.obj).__name__ == ("mmap" if mapped else "bytes")
    assert parse_gguf(gguf(*SOUND, version=2)).metadata == SOUND[0]


def test_a_file_shorter_than_a_header_and_a_text_larger_than_the_budget_are_refused(tmp_path, monkeypatch):
    (tmp_path / "short.gguf").write_bytes(b"GGUF")
    with pytest.raises(Unreadable, match="it has 4 bytes, and the header of a GGUF file has 24"):
        read_gguf(tmp_path / "short.gguf")
    monkeypatch.setattr(budget, "MAX_MEMORY", 10_000)
    with pytest.raises(Unreadable, match="10,000 bytes of memory"):
        parse_gguf(gguf({"a": "x" * 20_000}, {}))


def head(tensors, entries, *parts):
    """The beginning of a file that announces so many tensors and entries of metadata."""
    return struct.pack("<4sIQQ", b"GGUF", 3, tensors, entries) + b"".join(parts)


def listed(kind, n):
    """The beginning of an entry with a list of n values of a kind."""
    return text("a") + struct.pack("<IIQ", 9, kind, n)


W, HUGE = SOUND[1]["W"][2], "1,152,921,504,606,846,976"
HOSTILE = {
    "nothing": (b"", "cut off"),
    "four bytes": (b"GGUF", "cut off"),
    "another format": (b"PK\3\4" + bytes(40), "no GGUF file"),
    "version 1": (gguf(*SOUND, version=1), "version 1 of the format"),
    "big-endian": (gguf(*SOUND, version=0x03000000), "big-endian"),
    "2^60 tensors": (head(2**60, 0), f"announces {HUGE} tensors"),
    "2^60 entries": (head(0, 2**60), "entries of metadata"),
    "a name of 2^60 bytes": (head(0, 1, struct.pack("<Q", 2**60), bytes(9)), "cut off"),
    "a list of 2^60 numbers": (head(0, 1, listed(4, 2**60)), f"announces {HUGE} values"),
    "a list of 2^60 texts": (head(0, 1, listed(8, 2**60)), "announces"),
    "lists in lists": (head(0, 1, listed(9, 1), struct.pack("<IQ", 9, 1) * 499), "nested too deeply"),
    "an unknown type of value": (head(0, 1, text("a"), struct.pack("<I", 77), bytes(8)), "type 77"),
    "a name that is no UTF-8": (head(0, 1, struct.pack("<Q", 1), b"\xff", bytes(20)), "no text in UTF-8"),
    "a shape of 2^60": (gguf({}, {"W": (3, [2**60, 32], W)}), "would end at byte"),
    "a shape beyond 64 bits": (gguf({}, {"W": (3, [2**62, 2**62, 32], W)}), "would end at byte"),
    "no rows": (gguf({}, {"W": (3, [0, 32], W)}), "has no numbers"),
    "nine dimensions": (gguf({}, {"W": (3, [1] * 9, W)}), "9 dimensions"),
    "an unknown type of tensor": (gguf({}, {"W": (99, [2, 64], W)}), "is of type 99"),
    "rows that are no blocks": (gguf({}, {"W": (3, [2, 33], W)}), "blocks of 32"),
    "an offset beyond the end": (gguf(*SOUND, offsets={"W": 2**40}), "would end at byte"),
    "an offset that is no multiple": (gguf(*SOUND, offsets={"W": 8}), "no multiple of 32"),
    "overlapping tensors": (
        gguf({}, {"A": (3, [2, 64], W), "B": (3, [2, 64], W)}, offsets={"B": 32}),
        "'A' and 'B' overlap",
    ),
    "an alignment of 0": (gguf({"general.alignment": 0}, {}), "power of two"),
    "an alignment of 48": (gguf({"general.alignment": 48}, {}), "power of two"),
    "an alignment that is a text": (gguf({"general.alignment": "32"}, {}), "power of two"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_sentence(name):
    data, words = HOSTILE[name]
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable) as error:
            parse_gguf(data)
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()
    said = str(error.value)
    assert words in said and "\n" not in said and len(said) < 200


def test_a_name_that_is_there_twice_is_refused():
    data = gguf({"aa": 1, "ab": 2}, {}).replace(b"ab", b"aa")
    with pytest.raises(Unreadable, match="the entry 'aa' is there twice"):
        parse_gguf(data)
    data = gguf({}, {"WA": (3, [2, 64], W), "WB": (3, [2, 64], W)}).replace(b"WB", b"WA")
    with pytest.raises(Unreadable, match="the tensor 'WA' is there twice"):
        parse_gguf(data)


def test_a_file_that_is_cut_off_anywhere_is_refused_and_one_with_a_changed_byte_never_breaks_the_reader():
    data = gguf(*SOUND)
    for n in range(len(data) - 16):  # the last 16 bytes are padding
        with pytest.raises(Unreadable):
            parse_gguf(data[:n])
    rng = random.Random(4)
    for _ in range(600):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] = rng.randrange(256)
        try:
            parse_gguf(bytes(changed))
        except Unreadable:
            pass


# --- packed matrices: the rows that the blocks say, and their product


@pytest.mark.parametrize(
    "kind, write, decode, size", [("Q4_1", q4_1, decode_q4_1, 20), ("Q8_0", q8_0, decode_q8_0, 34)]
)
def test_a_packed_product_is_that_of_the_rows(kind, write, decode, size):
    rng = random.Random(5)
    m, n = 7, 96
    raw = write(rng, m, n)
    matrix = PackedMatrix(kind, [m, n], memoryview(raw))
    numbers = [x for i in range(0, len(raw), size) for x in decode(raw[i : i + size])]
    rows = [numbers[i : i + n] for i in range(0, m * n, n)]
    assert [list(row) for row in matrix] == rows and len(matrix) == m
    for x in ([rng.gauss(0, 1) for _ in range(n)], [0.0] * n, [1e6] + [1e-3] * (n - 1), [-1.0] * n):
        expected = [sum(a * b for a, b in zip(row, x)) for row in rows]
        assert close(matrix.times(x), expected, 1e-6 * max(1, max(map(abs, x))))
    with pytest.raises(ValueError, match="x has 3 numbers"):
        matrix.times([1.0] * 3)


def test_the_largest_codes_and_numbers_do_not_overflow():
    for kind, raw in (
        ("Q4_1", struct.pack("<ee", 1.0, 0.0) + b"\xff" * 16),
        ("Q8_0", struct.pack("<e", 1.0) + b"\x7f" * 32),
        ("Q8_0", struct.pack("<e", 1.0) + b"\x80" * 32),
    ):
        matrix = PackedMatrix(kind, [2, 32], memoryview(raw * 2))
        for sign in (1.0, -1.0):
            assert close(matrix.times([sign] * 32), [sign * sum(matrix[0])] * 2, 1e-6)


# --- a whole model in a file


def test_a_model_in_a_file_gives_the_logits_of_the_second_implementation():
    model = tiny_model()
    given = model.parameters.items()
    plain = {n: [list(row) for row in W] if isinstance(W, PackedMatrix) else W for n, W in given}
    tokens, cache, logits = [2, 5, 3, 9], None, []
    for token in tokens:
        x, cache = model.read(token, cache)
        logits.append(model.logits(x))
    assert close(logits, second_llama(model.config, plain, tokens), 1e-4)


def test_the_tokenizer_merges_by_rank_and_separates_digits_and_marks():
    model = tiny_model()
    words = [["ab"], ["a", " ab"], ["1", "2"], ["<|im_end|>", "a"], ["\u00e9"]]
    shown = [[model.decode([i]) for i in model.encode(text)] for text in ("ab", "a ab", "12", "<|im_end|>a")]
    assert shown == words[:4]
    assert model.decode(model.encode("\u00e9")) == "\u00e9" and len(model.encode("\u00e9")) == 2
    assert model.encode("<|im_end|>", marks=False) != model.encode("<|im_end|>")
    assert model.encode("a\u0004b") == [2, 3]  # a byte that the vocabulary lacks is left out
    stream = model.tokenizer.stream()
    assert [stream(i) for i in model.encode("a\u00e9")] == ["a", "", "\u00e9"]


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"general.architecture": "gpt2"}, "architecture is 'gpt2'"),
        ({"llama.embedding_length": 60}, "the shape"),
        ({"llama.block_count": 3}, "3 blocks of 9 tensors, and holds 20"),
        ({"llama.block_count": 2**32 - 1}, "announces 4,294,967,295 blocks"),
        ({"llama.block_count": 1}, "no part of a Llama"),
        ({"llama.rope.freq_base": math.nan}, "no positive number"),
        ({"llama.attention.layer_norm_rms_epsilon": math.inf}, "no positive number"),
        ({"tokenizer.ggml.tokens": ["<|im_start|>", "<|im_end|>"] + [""] * (len(WORDS) - 2)}, "empty text"),
        ({"llama.attention.head_count_kv": 0}, "no positive number"),
        ({"llama.attention.head_count": 3}, "n_head"),
        ({"llama.rope.freq_base": "x"}, "give a float"),
        ({"tokenizer.ggml.token_type": [1]}, "different lengths"),
        ({"tokenizer.ggml.tokens": [1, 2]}, "no list of texts"),
        ({"tokenizer.ggml.model": "llama"}, "not of the type gpt2"),
    ],
)
def test_a_file_of_another_model_is_refused(changes, words):
    with pytest.raises(Unreadable, match=words):
        tiny_model(**changes)


@pytest.mark.parametrize(
    "name, at, number",
    [
        ("blk.0.attn_q.weight", 20, b"\x00\x7c"),  # the step and the least number of a second block
        ("blk.0.attn_q.weight", 22, b"\x01\xfe"),
        ("token_embd.weight", 34, b"\x01\xfe"),
        ("output_norm.weight", 0, struct.pack("<f", math.inf)),
    ],
)
def test_infinity_and_nan_are_refused(name, at, number):
    metadata, tensors = tiny_llama()
    kind, shape, data = tensors[name]
    tensors[name] = kind, shape, data[:at] + number + data[at + len(number) :]
    file = parse_gguf(gguf(metadata, tensors))
    with pytest.raises(Unreadable, match=f"{name}.*NaN or infinity"):
        smollm2.Model(file.metadata, file.tensors)


def test_a_tensor_in_bf16_is_known():
    """One number, 1.0: the upper half of its 32 bits."""
    found = parse_gguf(gguf({}, {"b": (30, [1], b"\x80\x3f")}))
    assert found.tensors["b"].kind == "BF16" and bytes(found.tensors["b"].data) == b"\x80\x3f"


def test_a_step_gives_logits_and_a_copy_has_functions_of_its_own():
    model = tiny_model()
    logits, cache = model.step(5, None)
    x, same = model.read(5)
    assert logits == model.logits(x) and cache == same
    unturned = model.copy_with(rope=lambda X, positions, base: X)
    assert unturned.step(5, None)[0] == logits  # at position 0 nothing is rotated
    assert unturned.step(4, cache)[0] != model.step(4, cache)[0]
    assert model.step(5, None)[0] == logits


def test_a_beginning_that_two_texts_share_is_read_once():
    """By the same functions and parameters only. The vectors are those of a model that read nothing else."""
    model, read = tiny_model(), []
    plain = model.forward
    model.forward = lambda *given: read.append(given[2]) or plain(*given)
    zeros = {**model.parameters, "output_norm.weight": [0.0] * model.config["n_embd"]}

    def read_all(model, tokens):
        """The last vector, and how many tokens were really read."""
        cache = None
        read.clear()
        for token in tokens:
            x, cache = model.read(token, cache)
        assert [len(rows) for rows in cache["blk.1.K"]] == [len(tokens)] * model.config["n_kv_head"]
        return x, len(read)

    due = {tokens: read_all(tiny_model(), tokens)[0] for tokens in ((5, 6, 7, 8), (5, 6, 9, 8), (6, 6, 7, 8))}
    for tokens, new in (
        ((5, 6, 7, 8), 4),
        ((5, 6, 7, 8), 0),
        ((5, 6, 9, 8), 2),
        ((5, 6, 7, 8), 2),
        ((6, 6, 7, 8), 4),
        ((5, 6, 7, 8), 4),
    ):
        assert read_all(model, tokens) == (due[tokens], new)
    other, last = copy.copy(model), (5, 6, 7, 8)
    other.parameters = zeros
    assert read_all(other, last) == ([0.0] * model.config["n_embd"], 4)
    assert read_all(model, last) == (due[last], 4)
    assert read_all(model.copy_with(rope=lambda X, *_: X), last)[0] != due[last] == read_all(model, last)[0]


def test_of_a_long_text_only_the_beginning_is_kept():
    model, cache = tiny_model(), None
    for token in [5, 6] * 40:
        _, cache = model.read(token, cache)
    assert len(model.beginning) == 64


def test_what_was_recorded_stands_in_for_a_function_and_the_rest_gets_a_sentence():
    model, recorded = tiny_model(), smollm2.Recorded()
    recorded.results = {"answer('ab', 2)": ["c", "d"]}
    found = []
    for each in (model, recorded):

        @each.recorded
        def answer(text, n):
            return [text] * n

        @each.recorded
        def twice(text):
            return answer(text, 2)

        found.append(answer)
    assert twice.__wrapped__ and found[0]("ab", 2) == ["ab", "ab"]
    assert found[1]("ab", 2) == ["c", "d"]
    assert [*recorded.stream(found[1].__wrapped__, "ab", 2)] == ["c", "d"]
    assert [*model.stream(found[0].__wrapped__, "ab", 2)] == ["ab", "ab"]
    with pytest.raises(LookupError, match="This was not recorded.*fetch smollm2$") as error:
        found[1]("ab", 3)
    assert error.value._render_traceback_() == [str(error.value)]


def test_a_function_inside_another_is_part_of_it(monkeypatch):
    """One line of progress, and one recorded result."""
    model, lines = tiny_model(), []
    monkeypatch.setattr(smollm2, "working", lambda what, n: lines.append(what) or contextlib.nullcontext(len))

    @model.recorded
    def inner(n):
        return n

    @model.recorded
    def outer(n):
        return inner(n) + inner(n)

    assert outer(2) == 4 and len(lines) == 1
    assert inner(2) == 2 and len(lines) == 2


def test_in_a_tab_the_reader_is_told_where_to_upload_the_file(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SIXTEEN_STATE", str(tmp_path))
    for platform, words in (("linux", "fetch smollm2"), ("emscripten", "press Bring SmolLM2's file")):
        monkeypatch.setattr("sys.platform", platform)
        with pytest.raises(LookupError, match=words):
            smollm2.load_smollm2().live(len, "my own question")
        assert words in capsys.readouterr().out


# --- the real model, where its file is


FILE = smollm2.ROOT / "notebooks" / "models" / smollm2.FILE_NAME


@pytest.mark.all_only
@pytest.mark.skipif(not FILE.exists(), reason="the file of SmolLM2 is not here")
def test_the_real_model_gives_the_logits_of_transformers():
    """Float32, transformers 5.23 with torch 2.13, the same file; five most likely after the question."""
    model, cache = smollm2.read_smollm2(FILE), None
    for token in model.encode("The capital of France is"):
        x, cache = model.read(token, cache)
    logits = model.logits(x)
    expected = {7042: 17.3713, 260: 14.8886, 4528: 13.2450, 2250: 13.0095, 1315: 12.9515}
    assert close([logits[i] for i in expected], list(expected.values()), 1e-5)
    assert sorted(range(len(logits)), key=lambda i: -logits[i])[:5] == list(expected)
