"""LoRA of lesson 22b: by hand, by finite differences, and as the merged network."""

import random

import pytest

import helpers
from helpers import add, init_lora, linear, lora_backward, lora_linear, matmul, merge_lora, numerical_gradient
from helpers.course.engine import fast_loss
from helpers.course.lessons import lesson_22b_low_rank as lora
from helpers.course.training.loop import start_run

CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2, "n_inner": 6}
DOCUMENTS = [[1, 3, 4, 2], [1, 5, 2]]
PARAMETERS = start_run(DOCUMENTS, CONFIG, list("abcdef"))["parameters"]


def drawn(seed, *sizes):
    rng = random.Random(seed)
    return [[[rng.gauss(0, 1) for _ in range(n)] for _ in range(m)] for m, n in sizes]


def test_a_layer_by_hand():
    # X·Wᵀ = [1·1 + 2·0, 1·0 + 2·1] = [1, 2]; X·Aᵀ = [3]; times B = [30, 60]; times c = [15, 30]
    X, W, A, B = [[1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0]], [[10.0], [20.0]]
    assert lora_linear(X, W, [100.0, 0.0], A, B, 0.5) == [[116.0, 32.0]]
    assert merge_lora(W, A, B, 0.5) == [[6.0, 5.0], [10.0, 11.0]]


def test_merged_is_the_same_layer():
    X, W, A, B = drawn(1, (3, 5), (4, 5), (2, 5), (4, 2))
    beside = lora_linear(X, W, [1.0, 2.0, 3.0, 4.0], A, B, 2.0)
    merged = linear(X, merge_lora(W, A, B, 2.0), [1.0, 2.0, 3.0, 4.0])
    assert sum(beside, []) == pytest.approx(sum(merged, []), rel=1e-12)


def test_the_gradients_are_the_measured_ones():
    X, W, A, B, d_out = drawn(2, (3, 5), (4, 5), (2, 5), (4, 2), (3, 4))

    def loss(A, B):
        Y = linear(X, merge_lora(W, A, B, 1.5))
        return sum(d * y for rows in zip(d_out, Y) for d, y in zip(*rows))

    d_W = matmul([list(column) for column in zip(*d_out)], X)
    d_A, d_B = lora_backward(d_W, A, B, 1.5)
    measured = numerical_gradient(lambda M: loss(M, B), A), numerical_gradient(lambda M: loss(A, M), B)
    assert sum(d_A, []) == pytest.approx(sum(measured[0], []), rel=1e-6, abs=1e-8)
    assert sum(d_B, []) == pytest.approx(sum(measured[1], []), rel=1e-6, abs=1e-8)


def test_a_correction_starts_at_zero_and_only_b_moves_first():
    (W,) = drawn(3, (4, 100))
    A, B = init_lora(4, 100, 3, random.Random(1))
    assert (len(A), len(A[0]), len(B), len(B[0])) == (3, 100, 4, 3)
    assert merge_lora(W, A, B, 2.0) == W
    spread = (sum(x * x for row in A for x in row) / 300) ** 0.5
    assert spread == pytest.approx(0.1, rel=0.15)
    d_A, d_B = lora_backward(W, A, B, 2.0)
    assert not any(map(any, d_A)) and all(map(all, d_B))


def test_the_gradients_of_a_network_s_corrections():
    corrections = lora.start_lora(CONFIG, PARAMETERS, 2, seed=1)
    corrections = {name: add(M, drawn(4, (len(M), len(M[0])))[0]) for name, M in corrections.items()}
    assert [name for name in corrections if name.endswith(".A")] == [
        f"h.{i}.{part}.weight.A"
        for i in (0, 1)
        for part in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
    ]
    loss, gradients = lora.lora_gradients(CONFIG, PARAMETERS, corrections, DOCUMENTS)
    for name in corrections:
        losses = []
        for step in (1e-5, -1e-5):
            M = [list(row) for row in corrections[name]]
            M[-1][1] += step
            losses.append(lora.lora_gradients(CONFIG, PARAMETERS, {**corrections, name: M}, DOCUMENTS)[0])
        assert gradients[name][-1][1] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-4, abs=1e-8)
    assert loss == pytest.approx(sum(losses) / 2, rel=1e-4)


def test_tuning_changes_only_what_is_tuned():
    before = repr(PARAMETERS)
    settings = {**lora.TUNING, "steps": 30, "warmup_steps": 3}
    start = lora.start_lora(CONFIG, PARAMETERS, 1, seed=1)

    def gradients_of(corrections, batch):
        return lora.lora_gradients(CONFIG, PARAMETERS, corrections, batch)

    last = lora.tune(start, DOCUMENTS, gradients_of, 0.05, 1, settings)
    assert repr(PARAMETERS) == before and last.keys() == start.keys()
    first, last = (
        fast_loss(CONFIG, lora.merge_all(CONFIG, PARAMETERS, corrections), DOCUMENTS)
        for corrections in (start, last)
    )
    assert first == fast_loss(CONFIG, PARAMETERS, DOCUMENTS) and last < first - 0.2


def test_only_the_matrices_of_the_blocks_change(monkeypatch):
    monkeypatch.setitem(lora.TUNING, "steps", 5)
    monkeypatch.setitem(lora.TUNING, "warmup_steps", 1)
    before = repr(PARAMETERS)
    tuned = lora.tune_matrices(CONFIG, PARAMETERS, DOCUMENTS, 0.01)
    changed = [name for name in PARAMETERS if tuned[name] != PARAMETERS[name]]
    assert changed == lora.block_matrices(CONFIG) and len(changed) == 8
    assert tuned.keys() == PARAMETERS.keys() and repr(PARAMETERS) == before


def test_the_elements_fit_the_model():
    vocab = helpers.course.state.names_task.course_text()[1]
    config = {**CONFIG, "n_positions": 13}
    learned, held_out = lora.element_sets(config, vocab)
    assert (len(learned), len(held_out)) == (93, 24)
    words = {"".join(vocab[i] for i in document[1:-1]) for document in learned + held_out}
    assert len(words) == 117 and max(map(len, words)) == 12 and "helium" in words
