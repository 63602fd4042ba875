"""Products with whole numbers, and attention of one new token, compared with the course's own."""

import io
import random
import struct

import pytest
from gguf_writer import q4_1, q8_0, tiny_model

from helpers import cached_attention, rope, swiglu
from helpers.course.models.packed import PackedMatrix
from helpers.course.models.rows import RowMatrix, Rows, attention_of_one, quick_rope, quick_swiglu, quicker


def matrix(kind, m=7, n=96, seed=5):
    raw = {"Q4_1": q4_1, "Q8_0": q8_0}[kind](random.Random(seed), m, n)
    return PackedMatrix(kind, [m, n], memoryview(raw))


def rows_of(*matrices):
    return Rows(matrices[0].kind, matrices[0].n, b"".join(W.data for W in matrices))


def largest_possible(W, i):
    """The largest number that a row could hold, with the steps and least numbers of its blocks."""
    size = {"Q4_1": 20, "Q8_0": 34}[W.kind]
    tops = []
    for start in range(i * W.n // 32 * size, (i + 1) * W.n // 32 * size, size):
        step = struct.unpack_from("<e", W.data, start)[0]
        least = struct.unpack_from("<e", W.data, start + 2)[0] if W.kind == "Q4_1" else -128 * step
        tops += [-least, least + step * (15 if W.kind == "Q4_1" else 255)]
    return max(tops)


@pytest.mark.parametrize("kind", ["Q4_1", "Q8_0"])
@pytest.mark.parametrize("m", [1, 2, 7])
def test_a_product_is_that_of_the_rows_as_far_as_the_rounding_allows(kind, m):
    """A number of a row is wrong by at most 0.55 of the 1,023rd part of the largest, with codes of 8 bits by
    1.05, because a code multiplies a rounded step. A number of x is wrong by half of the 8,128th part of the
    sum of 64."""
    W, rng = matrix(kind, m), random.Random(6)
    fine = 0.55 if kind == "Q4_1" else 1.05
    for x in (
        [rng.gauss(0, 1) for _ in range(96)],
        [rng.gauss(0, 10 ** -(i // 32)) for i in range(96)],
        [0.0] * 95 + [1e-30],
        [1e30] + [-1.0] * 95,
        [0.0] * 96,
    ):
        sums = [sum(map(abs, x[i : i + 64])) for i in (0, 64)]
        for i, y in enumerate(rows_of(W).times(x)):
            row = W[i]
            error = fine * largest_possible(W, i) / 1023 * sum(map(abs, x))
            for g in range(2):
                unit = sums[g] / 8128 + max(sums) / 8128 / 10**6
                error += 0.5 * unit * sum(map(abs, row[64 * g : 64 * g + 64]))
            assert abs(y - sum(a * b for a, b in zip(row, x))) <= error * (1 + 1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_sum_leaves_its_lane(sign):
    """All codes and all of x as large as they can be, of both signs."""
    block = b"\x00\x3c\x00\x00" + b"\xff" * 16  # 32 times 15
    W = PackedMatrix("Q4_1", [3, 1536], memoryview(block * 48 * 3))
    assert rows_of(W).times([sign] * 1536) == pytest.approx([sign * 15 * 1536] * 3, rel=1e-3)
    lowest = b"\x00\x00\x00\xbc" + b"\xff" * 16  # 32 times -1
    W = PackedMatrix("Q4_1", [3, 96], memoryview((block * 3 + lowest * 3) + block * 3))
    assert rows_of(W).times([sign] * 96) == pytest.approx([sign * y for y in (1440, -96, 1440)], rel=1e-3)


@pytest.mark.parametrize("kind", ["Q4_1", "Q8_0"])
def test_rows_that_were_kept_are_the_rows(kind):
    W = matrix(kind)
    rows = rows_of(W)
    kept = b"".join(rows.kept())
    assert len(kept) == 8 * W.m + 2 * W.m * W.n  # a scale for each row, two bytes for each number
    again = Rows(kind, W.n, W.data, io.BytesIO(kept).read)
    assert again.groups == rows.groups and again.scales == rows.scales
    assert again.times([1.0] * 96) == rows.times([1.0] * 96)


def test_matrices_together_give_what_each_gives_alone():
    A, B, x = matrix("Q4_1"), matrix("Q4_1", 4, seed=8), [random.Random(1).gauss(0, 1) for _ in range(96)]
    both = rows_of(A, B)
    assert RowMatrix(A, both, 0).times(x) == rows_of(A).times(x)
    assert RowMatrix(B, both, 7).times(x) == rows_of(B).times(x)
    assert RowMatrix(B, both, 7)[3] == B[3]


def test_a_vector_that_was_changed_is_multiplied_anew():
    W, x = rows_of(matrix("Q4_1")), [1.0] * 96
    before = W.times(x)
    x[5] = 9.0
    assert W.times(x) == rows_of(matrix("Q4_1")).times(x) != before


def test_attention_of_one_token_after_the_other_is_cached_attention():
    """Also where the keys and values before come from a file, as lists."""
    rng = random.Random(2)
    keys, values = [[], []], [[], []]
    quick = from_lists = (keys, values)
    for _ in range(5):
        Q, K, V = ([[[rng.gauss(0, 3) for _ in range(6)]] for _ in range(heads)] for heads in (4, 2, 2))
        due, keys, values = cached_attention(Q, K, V, keys, values, 50.0)
        found, *quick = attention_of_one(Q, K, V, *quick, 50.0)
        again, *from_lists = attention_of_one(Q, K, V, *from_lists, 50.0)
        assert found == again and quick == [keys, values]
        from_lists = [[[*rows] for rows in some] for some in from_lists]
        for mine, theirs in zip(found, due, strict=True):
            assert mine[0] == pytest.approx(theirs[0], abs=0.005)
    assert quick_rope(keys[0], [*range(5)], 50.0) == rope(keys[0], [*range(5)], 50.0)


def test_the_quick_gate_gives_the_same_digits():
    rng = random.Random(3)
    X, gate, up, down = ([[rng.gauss(0, 9) for _ in range(5)] for _ in range(m)] for m in (2, 5, 5, 3))
    assert quick_swiglu(X, gate, up, down) == swiglu(X, gate, up, down)


def test_attention_leaves_the_cache_before_as_it_was():
    zero = [[[0.0, 0.0]]]
    _, keys, values = attention_of_one(zero, [[[1.0, 2.0]]], [[[3.0, 4.0]]], [[]], [[]], 50.0)
    longer = attention_of_one([[[1.0, 1.0]]], [[[5.0, 6.0]]], [[[7.0, 8.0]]], keys, values, 50.0)
    assert attention_of_one([[[1.0, 1.0]]], [[[5.0, 6.0]]], [[[7.0, 8.0]]], keys, values, 50.0) == longer


def test_a_quicker_model_gives_nearly_the_same_logits():
    exact, quick, cache, other = tiny_model(), tiny_model(), None, None
    quicker(quick)
    for token in exact.encode("<|im_start|>abba"):
        x, cache = exact.read(token, cache)
        y, other = quick.read(token, other)
    assert quick.logits(y) == pytest.approx(exact.logits(x), abs=0.05)
    assert quick.logits(y) != exact.logits(x)


def test_a_matrix_with_negative_steps_stays_as_it_is():
    model = tiny_model()
    W = model.parameters["blk.0.attn_output.weight"]
    data = bytearray(W.data)
    data[1] |= 128
    model.parameters["blk.0.attn_output.weight"] = PackedMatrix(W.kind, [W.m, W.n], memoryview(bytes(data)))
    quicker(model)
    assert type(model.parameters["blk.0.attn_output.weight"]) is PackedMatrix
    assert type(model.parameters["blk.0.attn_k.weight"]) is RowMatrix


def test_matrices_of_two_kinds_are_multiplied_one_by_one():
    model = tiny_model()
    V = model.parameters["blk.0.attn_v.weight"]
    model.parameters["blk.0.attn_v.weight"] = matrix("Q8_0", V.m, V.n)
    quicker(model)
    q, v = (model.parameters[f"blk.0.attn_{name}.weight"] for name in "qv")
    assert q.rows is not v.rows and v.kind == "Q8_0"
