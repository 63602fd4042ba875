"""Rewards and preferences: tables worked by hand, properties, finite differences, and a policy that can be
listed whole."""

import itertools
import math
import random

import pytest
from gradient_checks import derivatives
from tables import assert_close, numbers_in

from helpers import (
    advantages,
    batch_gradients,
    dpo_loss,
    dpo_loss_backward,
    dpo_margin,
    gpt_backward,
    gpt_forward,
    group_advantages,
    init_gpt,
    kl_divergence,
    masked_loss,
    penalized_reward,
    policy_gradient_loss,
    token_losses_backward,
)
from helpers.attention import softmax
from helpers.course.lessons.lesson_22_answers import all_facts, conversation, sentence_of
from helpers.course.lessons.lesson_22_tuning import groups, spell_name, token_weights, weighted_gradients
from helpers.parameters import tree_map

SMALL = {"vocab_size": 5, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 3}
PARAMETERS = init_gpt(SMALL, random.Random(1))


@pytest.mark.parametrize(
    "rewards, expected",
    [([1, 0, 0, 1], [0.5, -0.5, -0.5, 0.5]), ([0, 0, 6], [-2, -2, 4]), ([3], [0]), ([5, 5], [0, 0])],
)
def test_an_advantage_is_the_reward_minus_the_mean(rewards, expected):
    assert advantages(rewards) == expected


@pytest.mark.parametrize("a, b", [(1, 100), (7, -3), (0.5, 0)])
def test_grpo_does_not_react_to_the_scale_of_the_rewards(a, b):
    rewards = [3.0, 1.0, 4.0, 1.0, 5.0]
    # by hand: mean 2.8, squares 0.04, 3.24, 1.44, 3.24, 4.84, variance 2.56, deviation 1.6
    by_hand = [0.125, -1.125, 0.75, -1.125, 1.375]
    moved = [a * r + b for r in rewards]
    assert_close(group_advantages(moved), by_hand, 1e-5)
    assert group_advantages([2.0, 2.0]) == [0.0, 0.0]


def test_the_policy_gradient_loss_by_hand():
    assert policy_gradient_loss([[1.0, 2.0], [4.0]], [0.5, -0.5]) == -0.25
    assert policy_gradient_loss([[1.0, 2.0], [4.0], []], [1.0, 0.0, 5.0]) == 1.0


def test_the_mean_over_all_texts_is_the_gradient_of_the_expected_reward():
    """A policy of two tokens out of three: all nine texts, their rewards, and the exact gradient."""
    rng = random.Random(3)
    first, second = [0.3, -0.8, 0.1], [[0.5, 0.0, -1.0], [0.2, 0.9, 0.4], [-0.3, 0.3, 0.0]]
    texts = list(itertools.product(range(3), repeat=2))
    reward = {text: rng.choice((0.0, 1.0, 4.0)) for text in texts}

    def chance(text, first):
        return softmax(first)[text[0]] * softmax(second[text[0]])[text[1]]

    def expected_reward(first):
        return sum(chance(text, first) * reward[text] for text in texts)

    for baseline in (0.0, 2.0, expected_reward(first)):
        total = [0.0] * 3
        for text in texts:
            # what a step against the loss does: minus the gradient of advantage · loss
            [row] = token_losses_backward([-(reward[text] - baseline)], [first], [text[0]])
            total = [t + chance(text, first) * x for t, x in zip(total, row)]
        assert_close(total, derivatives(expected_reward, first, 1e-3), 1e-6)


def test_kl_is_zero_for_equal_distributions_and_has_a_direction():
    p, q = [0.5, 0.5], [0.9, 0.1]
    assert kl_divergence(p, p) == 0
    assert math.isclose(kl_divergence(p, q), 0.5 * math.log(5 / 9) + 0.5 * math.log(5))
    assert math.isclose(kl_divergence(q, p), 0.9 * math.log(1.8) + 0.1 * math.log(0.2))
    assert kl_divergence(p, q) > kl_divergence(q, p) > 0


def test_a_text_that_the_new_model_prefers_pays():
    assert penalized_reward(1.0, -4.0, -6.0, 0.25) == 0.5
    assert penalized_reward(1.0, -6.0, -4.0, 0.25) == 1.5
    assert penalized_reward(1.0, -6.0, -4.0, 0.0) == 1.0


def test_the_mean_penalty_is_the_kl_divergence():
    new, old = [0.7, 0.2, 0.1], [0.3, 0.3, 0.4]
    paid = sum(-a * penalized_reward(0.0, math.log(a), math.log(b), 2.0) for a, b in zip(new, old))
    assert math.isclose(paid, 2 * kl_divergence(new, old))


def test_the_best_policy_of_the_penalty_is_the_first_one_times_exp_of_the_reward():
    """No policy on a fine grid has a higher mean of the penalized reward."""
    old, rewards, beta = [0.5, 0.3, 0.2], [0.0, 1.0, 0.5], 0.7
    scaled = [p * math.exp(r / beta) for p, r in zip(old, rewards)]
    best = [x / sum(scaled) for x in scaled]

    def value(policy):
        return sum(
            a * penalized_reward(r, math.log(a), math.log(b), beta) for a, b, r in zip(policy, old, rewards)
        )

    grid = [(i / 60, j / 60, (60 - i - j) / 60) for i in range(1, 59) for j in range(1, 60 - i) if i + j < 60]
    assert all(value(policy) < value(best) for policy in grid)
    # and this is why DPO needs no reward: beta · log(best / old) is the reward plus a constant
    differences = [beta * math.log(a / b) - r for a, b, r in zip(best, old, rewards)]
    assert_close(differences, [differences[0]] * 3, 1e-12)


@pytest.mark.parametrize(
    "numbers, margin",
    [
        ((-5, -6, -9, -7, 0.5), 1.5),
        ((-9, -7, -5, -6, 0.5), -1.5),
        ((-1, -1, -2, -2, 9), 0),
        ((1, 0, 1, 0, 2), 0),
    ],
)
def test_dpo_s_margin_by_hand(numbers, margin):
    assert dpo_margin(*numbers) == margin


def test_dpo_s_loss_begins_at_ln_2_and_does_not_overflow():
    assert dpo_loss(0) == math.log(2)
    assert math.isclose(dpo_loss(1.5), math.log(1 + math.exp(-1.5)))
    assert math.isclose(dpo_loss(-1.5) - dpo_loss(1.5), 1.5)
    assert dpo_loss(-2000.0) == 2000.0 and dpo_loss(2000.0) == 0.0
    assert dpo_loss_backward(-2000.0) == -1.0 and dpo_loss_backward(2000.0) == 0.0


@pytest.mark.parametrize("margin", [-3.0, -0.5, 0.0, 0.7, 4.0])
def test_the_derivative_of_dpo_s_loss(margin):
    [measured] = derivatives(lambda x: dpo_loss(x[0]), [margin], 1e-3)
    assert math.isclose(dpo_loss_backward(margin), measured, rel_tol=1e-6)


def test_a_masked_loss_is_the_mean_of_what_counts():
    assert masked_loss([5.0, 3.0, 1.0], [0, 1, 1]) == 2.0
    assert masked_loss([5.0, 3.0, 1.0], [1, 0, 0]) == 5.0
    with pytest.raises(Exception, match="leaves no token"):
        masked_loss([5.0], [0])


# --- gradients with a weight for each token


def test_gpt_backward_takes_the_gradient_of_another_loss():
    tokens, targets, weights = [1, 3, 4, 2], [3, 4, 2], [0.5, -2.0, 0.0]
    wild = tree_map(lambda row: [10 * x + 0.1 for x in row], PARAMETERS)

    def loss(p):
        losses = gpt_forward(SMALL, p, tokens, targets)["losses"]
        return sum(w * x for w, x in zip(weights, losses))

    found = gpt_backward(SMALL, wild, gpt_forward(SMALL, wild, tokens, targets), tokens, targets, weights)
    for name in ("wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias", "h.0.mlp.c_proj.weight"):
        measured = derivatives(lambda t, name=name: loss({**wild, name: t}), wild[name], 1e-3)
        assert_close(found[name], measured, 1e-5)


def test_weights_for_all_tokens_are_those_of_the_mean():
    documents = [[1, 3, 4, 2], [1, 4, 2]]
    found = weighted_gradients(SMALL, PARAMETERS, documents, [[0.2] * 3, [0.2] * 2])
    assert_close(list(found.values()), list(batch_gradients(SMALL, PARAMETERS, documents)[1].values()), 1e-9)


def test_the_weights_of_tokens_are_the_derivatives_of_the_policy_gradient_loss():
    losses, given = [[1.0, 2.0], [4.0]], [0.75, -0.5]
    assert token_weights([[1, 3, 2], [1, 2]], given) == [[0.375, 0.375], [-0.25]]
    measured = derivatives(lambda x: policy_gradient_loss(x, given), losses, 1e-3)
    assert_close(list(numbers_in(measured)), [0.375, 0.375, -0.25], 1e-9)


# --- names and conversations


def test_a_name_without_an_end_is_marked():
    vocab = ["<PAD>", "<BOS>", "<EOS>", "a", "b"]
    assert [spell_name(d, vocab) for d in ([1, 4, 3, 2], [1, 4, 3], [1, 2])] == ["ba", "ba…", ""]


def test_groups_leave_out_what_is_not_whole():
    assert groups([1, 2, 3, 4, 5], 2) == [(2, [1, 2]), (4, [3, 4])]


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
