"""The tuning of lesson 22: gradients with a weight for each token, names, and conversations with a mask."""

import random

from gradient_checks import derivatives
from tables import assert_close, numbers_in

from helpers import batch_gradients, init_gpt, policy_gradient_loss
from helpers.course.lessons.lesson_22_answers import all_facts, conversation, sentence_of
from helpers.course.lessons.lesson_22_tuning import (
    EVERY,
    groups,
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
