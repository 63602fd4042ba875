"""LoRA of a whole network: its gradients, what tuning changes, and the text of lesson 22c."""

import random

import pytest
from gradient_checks import derivative_at
from tables import numbers_in

from helpers import add
from helpers.course.engine import fast_gradients, fast_loss
from helpers.course.lessons import lesson_22c_low_rank as lora
from helpers.course.state.names_task import course_text
from helpers.course.training.loop import start_run

CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 2, "n_head": 2, "n_inner": 6}
DOCUMENTS = [[1, 3, 4, 2], [1, 5, 2]]
PARAMETERS = start_run(DOCUMENTS, CONFIG, list("abcdef"))["parameters"]


def drawn(rng, M):
    """Random numbers in the shape of a matrix."""
    return [[rng.gauss(0, 1) for _ in row] for row in M]


def loss_of(corrections):
    return lora.lora_gradients(CONFIG, PARAMETERS, corrections, DOCUMENTS)[0]


def test_the_gradients_of_a_network_s_corrections():
    corrections, rng = lora.start_lora(CONFIG, PARAMETERS, 2, seed=1), random.Random(4)
    corrections = {name: add(M, drawn(rng, M)) for name, M in corrections.items()}
    assert [name for name in corrections if name.endswith(".A")] == [
        f"h.{i}.{part}.weight.A"
        for i in (0, 1)
        for part in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
    ]
    loss, gradients = lora.lora_gradients(CONFIG, PARAMETERS, corrections, DOCUMENTS)
    for name in corrections:
        measured = derivative_at(loss_of, corrections, name, -1, 1)
        assert gradients[name][-1][1] == pytest.approx(measured, rel=1e-4, abs=1e-8)
    merged = lora.merge_all(CONFIG, PARAMETERS, corrections)
    assert loss == pytest.approx(fast_loss(CONFIG, merged, DOCUMENTS), rel=1e-9)


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
    vocab = course_text()[1]
    config = {**CONFIG, "n_positions": 13}
    learned, held_out = lora.element_sets(config, vocab)
    assert (len(learned), len(held_out)) == (93, 24)
    words = {"".join(vocab[i] for i in document[1:-1]) for document in learned + held_out}
    assert len(words) == 117 and max(map(len, words)) == 12 and "helium" in words


def test_four_bits_round_the_matrices_of_the_blocks_only():
    rounded = lora.four_bits(CONFIG, PARAMETERS)
    changed = [name for name in PARAMETERS if rounded[name] != PARAMETERS[name]]
    assert changed == [name for name in lora.block_matrices(CONFIG) if len(PARAMETERS[name][0]) > 2]
    for name in changed:
        for row, before in zip(rounded[name], PARAMETERS[name]):
            least, step = min(before), (max(before) - min(before)) / 15
            codes = [(x - least) / step for x in row]
            assert codes == pytest.approx([round(code) for code in codes], abs=1e-6)
            assert max(abs(x - y) for x, y in zip(row, before)) <= step * 0.5000001


def test_a_correction_beside_a_matrix_is_the_merged_network():
    """In both passes, also for the parameters around the corrected matrices."""
    corrections, rng = lora.start_lora(CONFIG, PARAMETERS, 2, seed=1), random.Random(4)
    corrections = {name: add(M, drawn(rng, M)) for name, M in corrections.items()}
    names = lora.block_matrices(CONFIG)
    beside = {n: lora.Adapted(PARAMETERS[n], corrections[f"{n}.A"], corrections[f"{n}.B"]) for n in names}
    tokens, targets, f = [1, 3, 4], [3, 4, 2], lora.adapted_names()
    activations = f["gpt_forward"](CONFIG, {**PARAMETERS, **beside}, tokens, targets)
    found = f["gpt_backward"](CONFIG, {**PARAMETERS, **beside}, activations, tokens, targets)
    merged = lora.merge_all(CONFIG, PARAMETERS, corrections)
    loss, due = fast_gradients(CONFIG, merged, [[1, 3, 4, 2]])
    assert activations["loss"] == pytest.approx(loss, rel=1e-9)
    for name in due.keys() - {*names}:
        assert list(numbers_in(found[name])) == pytest.approx(list(numbers_in(due[name])), rel=1e-6, abs=1e-9)
