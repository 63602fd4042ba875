"""The tuning of lesson 22: gradients with a weight for each token, names, and conversations with a mask."""

import math
import random

import pytest
from gradient_checks import derivatives
from tables import assert_close, numbers_in

from helpers import batch_gradients, gpt_forward, init_gpt, policy_gradient_loss, softmax
from helpers.course.lessons import lesson_22_answers as answers
from helpers.course.lessons.lesson_22_answers import all_facts, conversation, sentence_of
from helpers.course.lessons.lesson_22_tuning import (
    EVERY,
    groups,
    log_probabilities,
    losses_of_tokens,
    measure_names,
    spell_name,
    token_weights,
    weighted_gradients,
)

SMALL = {"vocab_size": 5, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 3}
PARAMETERS = init_gpt(SMALL, random.Random(1))


def test_weights_for_all_tokens_are_those_of_the_mean():
    documents = [[1, 3, 4, 2], [1, 4, 2]]
    found = weighted_gradients(SMALL, PARAMETERS, documents, [[0.2] * 3, [0.2] * 2])
    assert_close(list(found.values()), list(batch_gradients(SMALL, PARAMETERS, documents)[1].values()), 1e-9)


def test_the_weights_of_tokens_are_the_derivatives_of_the_policy_gradient_loss():
    losses, given = [[1.0, 2.0], [4.0]], [0.75, -0.5]
    assert token_weights([[1, 3, 2], [1, 2]], given) == [[0.375, 0.375], [-0.25]]
    measured = derivatives(lambda x: policy_gradient_loss(x, given), losses, 1e-3)
    assert_close(list(numbers_in(measured)), [0.375, 0.375, -0.25], 1e-9)


def test_a_name_without_an_end_is_marked():
    vocab = ["<PAD>", "<BOS>", "<EOS>", "a", "b"]
    assert [spell_name(d, vocab) for d in ([1, 4, 3, 2], [1, 4, 3], [1, 2])] == ["ba", "ba…", ""]


def test_groups_leave_out_what_is_not_whole():
    seen = list(range(2 * EVERY + 1))
    assert groups(seen) == [(EVERY, seen[:EVERY]), (2 * EVERY, seen[EVERY : 2 * EVERY])]


def test_the_mask_of_a_conversation_is_1_for_the_answer_and_the_end():
    vocab = ["<PAD>", "<BOS>", "<EOS>", *". ? <model> <user> a ball colour has is mia red the what".split()]
    text, question = "mia has a red ball .", "what colour is the ball ?"
    tokens, mask = conversation(text, question, vocab, "red")
    counted = [vocab[token] for token, m in zip(tokens[1:], mask) if m]
    assert counted == ["red", "<EOS>"] and len(mask) == len(tokens) - 1
    prompt, nothing = conversation(text, question, vocab)
    assert tokens[: len(prompt)] == prompt and vocab[prompt[-1]] == "<model>" and not any(nothing)


def test_held_out_facts_are_not_trained_on():
    known, held_out = all_facts()
    assert len(known) + len(held_out) == 8 * 4 * 8 and len(held_out) == 64
    assert not {sentence_of(fact) for fact in known} & {sentence_of(fact) for fact in held_out}


def test_the_log_probability_of_a_document_is_minus_the_sum_of_its_losses():
    documents = [[1, 3, 4, 2], [1, 4, 2]]
    for tokens, losses, found in zip(
        documents,
        losses_of_tokens(SMALL, PARAMETERS, documents),
        log_probabilities(SMALL, PARAMETERS, documents),
    ):
        alone = [gpt_forward(SMALL, PARAMETERS, tokens[: i + 1])["logits"][-1] for i in range(len(losses))]
        p = math.prod(softmax(row)[target] for row, target in zip(alone, tokens[1:]))
        assert found == pytest.approx(math.log(p), rel=1e-9) and len(losses) == len(tokens) - 1


def test_what_is_measured_of_names():
    """A model with equal logits: each of five tokens has a fifth, so that a name ends after an a with 0.2."""
    zeros = {name: [[0.0] * 4] * len(x) if name == "wte.weight" else x for name, x in PARAMETERS.items()}
    model = {"config": SMALL, "vocab": ["<PAD>", "<BOS>", "<EOS>", "a", "b"], "parameters": zeros}
    found = measure_names(model, zeros, lambda name: 1.0, [[1, 4, 3, 2], [1, 3, 4, 2]])
    assert found["end after a"] == pytest.approx(0.2) and found["ends in a"] == pytest.approx(math.log(5))
    assert found["reward"] == 1 and len(found["texts"]) == 300 and 0 < found["letters"] <= 4


def test_a_story_in_each_step_is_half_of_the_loss(monkeypatch):
    """The gradients that tuning takes are those of the mean of the answer's loss and of the story's."""
    seen = []
    monkeypatch.setattr(answers, "weighted_gradients", lambda *given: seen.append(given[2:]) or given[1])
    monkeypatch.setattr(answers, "descend", lambda p, of_batch, *more, **named: [(1, None, of_batch(p)[1])])
    facts = [{"name": "mia", "colour": "red", "thing": "ball"}]
    vocab = [
        "<PAD>",
        "<BOS>",
        "<EOS>",
        *"<user> <model> mia has a red ball . what colour is the of ?".split(),
    ]
    model = {"config": SMALL, "vocab": vocab, "parameters": {}}
    answers.tune_on_answers(model, facts, old=["mia has a ball ."])
    answers.tune_on_answers(model, facts, masked=False)
    (documents, weights), (_, unmasked) = seen
    assert [len(d) for d in documents] == [19, 7]
    assert weights[0] == [0] * 16 + [0.25, 0.25] and weights[1] == pytest.approx([1 / 12] * 6)
    assert unmasked == [pytest.approx([1 / 18] * 18)]


def test_the_reader_s_weights_take_the_place_of_the_mask(monkeypatch):
    seen = []
    monkeypatch.setattr(answers, "weighted_gradients", lambda *given: seen.append(given[2:]) or given[1])
    monkeypatch.setattr(answers, "descend", lambda p, of_batch, *more, **named: [(1, None, of_batch(p)[1])])
    facts = [{"name": "mia", "colour": "red", "thing": "ball"}]
    words = "<user> <model> mia has a red ball . what colour is the of ?".split()
    model = {"config": SMALL, "vocab": ["<PAD>", "<BOS>", "<EOS>", *words], "parameters": {}}
    asked = []

    def weights_of(tokens, marker):
        asked.append((tokens[-3:], marker))
        return [0.0] * (len(tokens) - 2) + [1.0]

    answers.tune_on_answers(model, facts, weights_of=weights_of)
    red, marker = model["vocab"].index("red"), model["vocab"].index("<model>")
    assert asked == [([marker, red, 2], marker)] and seen[0][1] == [[0.0] * 17 + [1.0]]
