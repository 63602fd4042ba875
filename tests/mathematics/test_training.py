"""What a training loop needs besides the model: tokens, splits, batches, learning rate, clipping, decay."""

import math
import random

from tables import assert_close

from helpers import (
    accumulate_gradients,
    adamw_init,
    adamw_step,
    batch_gradients,
    build_vocab,
    clip_by_global_norm,
    encode,
    global_norm,
    gpt_forward,
    init_gpt,
    learning_rate,
    mean_loss,
    next_batch,
    no_decay_names,
    numerical_gradient,
    train_val_test_split,
)

CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 5}
PARAMETERS = init_gpt(CONFIG, random.Random(1))
DOCUMENTS = [[1, 3, 2], [1, 4, 5, 3, 2], [1, 2], [1, 5, 5, 2]]


def test_tokens_by_hand():
    vocab = build_vocab(["ba", "", "cab"])
    assert vocab == ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"]
    assert [encode(text, vocab) for text in ("cab", "")] == [[1, 5, 3, 4, 2], [1, 2]]


def test_three_parts_hold_all_documents_once():
    documents = [[1, i, 2] for i in range(20)]
    parts = train_val_test_split(documents, 5, 4, random.Random(1))
    assert [len(part) for part in parts] == [11, 5, 4]
    assert sorted(sum(parts, [])) == documents and parts[0] != sorted(parts[0])
    assert train_val_test_split(documents, 5, 4, random.Random(1)) == parts
    assert train_val_test_split(documents, 5, 4, random.Random(2)) != parts


def test_every_document_comes_once_in_an_epoch():
    rng, order, drawn = random.Random(3), [], []
    for _ in range(6):
        batch, order = next_batch(order, 9, 3, rng)
        drawn += batch
    assert sorted(drawn[:9]) == sorted(drawn[9:]) == list(range(9))
    assert drawn[:9] != drawn[9:] and drawn[:9] != list(range(9))


def test_a_batch_larger_than_the_text_takes_several_epochs():
    batch, order = next_batch([], 3, 7, random.Random(1))
    assert len(batch) == 7 and len(order) == 2 and sorted(batch[:3]) == sorted(batch[3:6]) == [0, 1, 2]
    assert next_batch([2, 0, 1], 3, 3, random.Random(1)) == ([2, 0, 1], [])  # no epoch begins too early


# --- gradients added


def test_a_batch_s_gradients_are_those_of_the_mean_over_all_its_tokens():
    def loss_of(p):
        losses = [x for d in DOCUMENTS for x in gpt_forward(CONFIG, p, d[:-1], d[1:])["losses"]]
        return sum(losses) / len(losses)

    loss, gradients = batch_gradients(CONFIG, PARAMETERS, DOCUMENTS)
    assert_close(loss, loss_of(PARAMETERS))
    for name in ("wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias"):
        nudged = numerical_gradient(
            lambda part, name=name: loss_of({**PARAMETERS, name: part}), PARAMETERS[name]
        )
        assert_close(gradients[name], nudged, within=1e-6)


def test_the_gradients_of_parts_of_a_batch_add_up_to_those_of_the_whole():
    loss, whole = batch_gradients(CONFIG, PARAMETERS, DOCUMENTS)
    pieces = DOCUMENTS[:1], DOCUMENTS[1:]
    tokens = [sum(len(d) - 1 for d in piece) for piece in pieces]
    added = accumulate_gradients(whole, whole, -1.0)
    for piece, n in zip(pieces, tokens):
        added = accumulate_gradients(added, batch_gradients(CONFIG, PARAMETERS, piece)[1], n / sum(tokens))
    assert_close(mean_loss(CONFIG, PARAMETERS, DOCUMENTS), loss)
    for name in whole:
        assert_close(added[name], whole[name], within=1e-12)


# --- the learning rate


def test_rates_by_hand():
    """cos of 0, 45, 90 and 135 degrees on the way down."""
    half = math.sqrt(0.5)
    by_hand = [0.5, 1.0, 1.0, 0.5 + half / 2, 0.5, 0.5 - half / 2]
    assert_close([learning_rate(step, 6, 1.0, 2) for step in range(6)], by_hand)
    assert_close([learning_rate(step, 2, 8.0, 0) for step in range(2)], [8.0, 4.0])
    assert [learning_rate(step, 4, 8.0, 2) for step in (0, 1)] == [4.0, 8.0]  # the warm-up


# --- clipping, decay


def test_clipping_by_hand():
    """3, 4 and 12 together are 13 long."""
    gradients = {"a": [3.0, 4.0], "b": [12.0]}
    assert_close(list(clip_by_global_norm(gradients, 6.5).values()), [[1.5, 2.0], [6.0]])
    assert list(clip_by_global_norm(gradients, 13.0).values()) == [[3.0, 4.0], [12.0]]
    assert list(clip_by_global_norm({"a": [0.3], "b": [0.4]}, 1.0).values()) == [[0.3], [0.4]]


def test_zero_gradients_stay_zero_and_the_norm_takes_any_nest():
    assert clip_by_global_norm({"a": [0.0]}, 1.0) == {"a": [0.0]}
    assert global_norm({"a": [[[2.0]], [[3.0]]], "b": {"c": [6.0]}}) == 7.0


def test_only_matrices_decay():
    """A step without gradients moves what decays, and nothing else."""
    no_decay = no_decay_names(PARAMETERS)
    zeros = accumulate_gradients(PARAMETERS, PARAMETERS, -1.0)
    ones = {
        name: [[x + 1 for x in row] if isinstance(row, list) else row + 1 for row in p]
        for name, p in PARAMETERS.items()
    }
    moved, _ = adamw_step(ones, zeros, adamw_init(ones), lr=0.5, weight_decay=0.5, no_decay=no_decay)
    still = [name for name in ones if moved[name] == ones[name]]
    assert still == no_decay == [n for n in ones if n.endswith(".bias") or "ln_" in n]


def test_the_characters_of_a_vocabulary_are_sorted():
    letters = "thequickbrownfxjmpsvlazydg"
    assert "".join(build_vocab([letters])[3:]) == "abcdefghijklmnopqrstuvwxyz"


def test_a_batch_that_takes_the_whole_order_begins_no_new_epoch():
    rng = random.Random(1)
    before = rng.getstate()
    assert next_batch([2, 0], 3, 2, rng) == ([2, 0], [])
    assert rng.getstate() == before


def test_a_document_may_have_one_token_more_than_there_are_positions():
    """Its last token is only a target."""
    longest = [1, 3, 2, 4, 5, 2]
    assert len(longest) == CONFIG["n_positions"] + 1
    loss, _ = batch_gradients(CONFIG, PARAMETERS, [longest])
    assert math.isclose(loss, mean_loss(CONFIG, PARAMETERS, [longest]), rel_tol=1e-12)
