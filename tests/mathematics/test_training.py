"""What stands around a step of training: tokens, parts, batches, added gradients, the rate, clipping,
what may decay."""

import math
import random

import pytest
from tables import assert_close, leaves_alone

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
from helpers.course.engine import fast_gradients

CONFIG = {"vocab_size": 6, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 5}
PARAMETERS = init_gpt(CONFIG, random.Random(1))
DOCUMENTS = [[1, 3, 2], [1, 4, 5, 3, 2], [1, 2], [1, 5, 5, 2]]


def test_tokens_by_hand():
    vocab = build_vocab(["ba", "", "cab"])
    assert vocab == ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"]
    assert [encode(text, vocab) for text in ("cab", "")] == [[1, 5, 3, 4, 2], [1, 2]]
    with pytest.raises(
        ValueError, match="encode: text holds 'x', which the model has never seen; write with a b c"
    ):
        encode("axb", vocab)


def test_three_parts_hold_all_documents_once():
    documents = [[1, i, 2] for i in range(20)]
    parts = train_val_test_split(documents, 5, 4, random.Random(1))
    assert [len(part) for part in parts] == [11, 5, 4]
    assert sorted(sum(parts, [])) == documents and parts[0] != sorted(parts[0])
    assert (
        train_val_test_split(documents, 5, 4, random.Random(1))
        == parts
        != train_val_test_split(documents, 5, 4, random.Random(2))
    )
    with pytest.raises(ValueError, match="nothing is left to train on"):
        train_val_test_split(documents, 16, 4, random.Random(1))


def test_a_deck_gives_every_document_once_before_any_comes_again():
    next_one = next_batch
    rng, order, drawn = random.Random(3), [], []
    for _ in range(6):
        batch, order = next_one(order, 9, 3, rng)
        drawn += batch
    assert sorted(drawn[:9]) == sorted(drawn[9:]) == list(range(9))
    assert drawn[:9] != drawn[9:] and drawn[:9] != list(range(9))


def test_a_batch_larger_than_the_text_takes_more_decks():
    batch, order = next_batch([], 3, 7, random.Random(1))
    assert len(batch) == 7 and len(order) == 2 and sorted(batch[:3]) == sorted(batch[3:6]) == [0, 1, 2]
    leaves_alone(lambda order: next_batch(order, 3, 2, random.Random(1)), [[2, 0, 1]])


# --- gradients added


def test_a_batch_s_gradients_are_those_of_the_mean_over_all_its_tokens():
    gradients_of = batch_gradients

    def loss_of(p):
        losses = [x for d in DOCUMENTS for x in gpt_forward(CONFIG, p, d[:-1], d[1:])["losses"]]
        return sum(losses) / len(losses)

    loss, gradients = gradients_of(CONFIG, PARAMETERS, DOCUMENTS)
    assert_close(loss, loss_of(PARAMETERS))
    for name in ("wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias"):
        nudged = numerical_gradient(
            lambda part, name=name: loss_of({**PARAMETERS, name: part}), PARAMETERS[name]
        )
        assert_close(gradients[name], nudged, within=1e-6)


def test_the_fast_path_gives_the_same_and_pieces_add_up_to_the_whole():
    loss, whole = batch_gradients(CONFIG, PARAMETERS, DOCUMENTS)
    fast_loss, fast = fast_gradients(CONFIG, PARAMETERS, DOCUMENTS)
    pieces = DOCUMENTS[:1], DOCUMENTS[1:]
    tokens = [sum(len(d) - 1 for d in piece) for piece in pieces]
    added = accumulate_gradients(whole, whole, -1.0)
    for piece, n in zip(pieces, tokens):
        added = accumulate_gradients(added, batch_gradients(CONFIG, PARAMETERS, piece)[1], n / sum(tokens))
    assert_close([fast_loss, mean_loss(CONFIG, PARAMETERS, DOCUMENTS)], [loss, loss])
    for name in whole:
        assert_close(fast[name], whole[name], within=1e-11)
        assert_close(added[name], whole[name], within=1e-12)


def test_padding_behind_a_document_changes_nothing():
    alone = gpt_forward(CONFIG, PARAMETERS, [1, 3], [3, 2])
    padded = gpt_forward(CONFIG, PARAMETERS, [1, 3, 0, 0], [3, 2])
    assert padded["losses"] == alone["losses"]


# --- the rate


def test_rates_by_hand():
    rate = learning_rate
    """cos of 0, 45, 90 and 135 degrees on the way down."""
    half = math.sqrt(0.5)
    by_hand = [0.5, 1.0, 1.0, 0.5 + half / 2, 0.5, 0.5 - half / 2]
    assert_close([rate(step, 6, 1.0, 2) for step in range(6)], by_hand)
    assert_close([rate(step, 2, 8.0, 0) for step in range(2)], [8.0, 4.0])


def test_a_warm_up_leaves_a_step_for_the_decay():
    assert learning_rate(1, 3, 1.0, 2) == 1.0
    with pytest.raises(ValueError, match="warmup_steps is 3 and steps is 3"):
        learning_rate(1, 3, 1.0, 3)


def test_no_step_stands_still_and_none_is_too_long():
    rates = [learning_rate(step, 50, 0.1, 7) for step in range(50)]
    assert all(0 < rate <= 0.1 for rate in rates) and rates[6] == rates[7] == 0.1
    assert rates[:7] == sorted(rates[:7]) and rates[7:] == sorted(rates[7:], reverse=True)


# --- clipping, decay


def test_clipping_by_hand():
    clip = clip_by_global_norm
    """3, 4 and 12 together are 13 long."""
    loud = {"a": [3.0, 4.0], "b": [12.0]}
    assert_close(list(clip(loud, 6.5).values()), [[1.5, 2.0], [6.0]])
    assert list(clip(loud, 13.0).values()) == [[3.0, 4.0], [12.0]]
    assert list(clip({"a": [0.3], "b": [0.4]}, 1.0).values()) == [[0.3], [0.4]]


def test_zero_gradients_stay_zero_and_the_norm_takes_any_nest():
    assert clip_by_global_norm({"a": [0.0]}, 1.0) == {"a": [0.0]}
    assert global_norm({"a": [[[2.0]], [[3.0]]], "b": {"c": [6.0]}}) == 7.0
    leaves_alone(clip_by_global_norm, [{"W": [[3.0], [4.0]]}, 1.0])


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
