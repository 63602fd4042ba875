"""Products with one scale a row, and attention of one new token, compared with the course's own."""

import random

import pytest
from gguf_writer import q4_1, q8_0, tiny_model

from helpers import grouped_query_attention, rope
from helpers.course.models.packed import PackedMatrix
from helpers.course.models.rows import RowMatrix, attention_of_one, quick_rope, quicker


def matrix(kind, m=7, n=96, seed=5):
    raw = {"Q4_1": q4_1, "Q8_0": q8_0}[kind](random.Random(seed), m, n)
    return PackedMatrix(kind, [m, n], memoryview(raw))


@pytest.mark.parametrize("kind", ["Q4_1", "Q8_0"])
def test_a_product_is_that_of_the_rows_as_far_as_the_rounding_allows(kind):
    """A number of a row is wrong by at most 4.25 or 64.5 of its 2^14 or 2^18 parts, and x by half of its
    least part, of which there are at least 2^13."""
    W, rng = matrix(kind), random.Random(6)
    fine, parts = (4.25, 2**14) if kind == "Q4_1" else (64.5, 2**18)
    for x in ([rng.gauss(0, 1) for _ in range(96)], [0.0] * 95 + [1e-30], [1e30] + [-1.0] * 95, [0.0] * 96):
        largest = max(map(abs, x))
        for y, row in zip(RowMatrix(W).times(x), (W[i] for i in range(7)), strict=True):
            top = max(map(abs, row))
            error = fine * top / parts * sum(map(abs, x)) + largest / 2**14 * 1.01 * sum(map(abs, row))
            assert abs(y - sum(a * b for a, b in zip(row, x))) <= error


def test_no_sum_leaves_its_lane():
    """All codes and all of x as large as they can be, of both signs."""
    block = b"\x00\x3c\x00\x00" + b"\xff" * 16  # 32 times 15
    W = PackedMatrix("Q4_1", [2, 1536], memoryview(block * 48 * 2))
    assert RowMatrix(W).times([1.0] * 1536) == pytest.approx([15 * 1536] * 2, rel=1e-3)
    assert RowMatrix(W).times([-1.0] * 1536) == pytest.approx([-15 * 1536] * 2, rel=1e-3)


def test_parts_of_the_rows_give_parts_of_the_product():
    W, x = matrix("Q4_1"), [random.Random(1).gauss(0, 1) for _ in range(96)]
    assert RowMatrix(W, 0, 3).times(x) + RowMatrix(W, 3).times(x) == RowMatrix(W).times(x)


def test_attention_of_one_token_is_grouped_query_attention():
    rng = random.Random(2)
    Q, K, V = (
        [[[rng.gauss(0, 3) for _ in range(6)] for _ in range(tokens)] for _ in range(heads)]
        for heads, tokens in ((4, 1), (2, 5), (2, 5))
    )
    for mine, theirs in zip(attention_of_one(Q, K, V), grouped_query_attention(Q, K, V), strict=True):
        assert mine[0] == pytest.approx(theirs[0], abs=1e-12)
    assert quick_rope(K[0], [*range(5)], 50.0) == rope(K[0], [*range(5)], 50.0)


def test_a_quicker_model_gives_nearly_the_same_logits():
    exact, quick, cache, other = tiny_model(), tiny_model(), None, None
    quicker(quick)
    for token in exact.encode("<|im_start|>abba"):
        x, cache = exact.read(token, cache)
        y, other = quick.read(token, other)
    assert quick.logits(y) == pytest.approx(exact.logits(x), abs=0.02)
    assert quick.logits(y) != exact.logits(x)


def test_a_matrix_with_negative_steps_stays_as_it_is():
    model = tiny_model()
    W = model.parameters["blk.0.attn_q.weight"]
    data = bytearray(W.data)
    data[1] |= 128
    model.parameters["blk.0.attn_q.weight"] = PackedMatrix(W.kind, [W.m, W.n], memoryview(bytes(data)))
    quicker(model)
    assert type(model.parameters["blk.0.attn_q.weight"]) is PackedMatrix
    assert type(model.parameters["blk.0.attn_k.weight"]) is RowMatrix
