"""Lesson 23: distances in stories, windows in a GPT-2, and the model that finds a passkey."""

import math
import random

import pytest
from tables import assert_close

from helpers import Tape, gpt_forward, numerical_gradient, rope
from helpers.course.engine import operations
from helpers.course.lessons import lesson_23_long_texts as long_texts
from helpers.course.show.gradients import gradient_report
from helpers.course.training.stories import encode_story, stories_model

STORY = "mia has a red hat . tom wants the hat . so mia gives the red hat to tom ."


def test_the_distance_is_that_from_the_word_before_to_the_only_mention():
    words = STORY.split()
    assert [(words[i], d) for i, d in long_texts.look_ups(STORY)] == [
        ("hat", 4),
        ("mia", 11),
        ("red", 11),
        ("tom", 11),
    ]


@pytest.fixture(scope="module")
def model():
    return stories_model()


def test_without_windows_and_with_wide_ones_the_losses_are_those_of_the_model(model):
    tokens = encode_story("ben sees a cat in the kitchen . the cat has a red ball .", model["vocab"])
    due = gpt_forward(model["config"], model["parameters"], tokens[:-1], tokens[1:])["losses"]
    assert_close(long_texts.windowed_losses(model, tokens, (None, None)), due, within=1e-10)
    assert_close(long_texts.windowed_losses(model, tokens, (16, None)), due, within=1e-10)
    narrow = long_texts.windowed_losses(model, tokens, (2, 2))
    assert_close(narrow[:2], due[:2], within=1e-10)  # two positions: the window holds them all
    assert abs(narrow[-3] - due[-3]) > 0.01


def test_a_window_reaches_further_with_each_block(model):
    """With two blocks and windows of w, a word changes the losses of the 2·(w − 1) words after the next."""
    texts = [f"{name} sees a cat in the kitchen . the cat has a red ball ." for name in ("ben", "tom")]
    losses = [long_texts.windowed_losses(model, encode_story(text, model["vocab"]), (3, 3)) for text in texts]
    changed = [i for i, pair in enumerate(zip(*losses)) if abs(pair[0] - pair[1]) > 1e-9]
    # ben or tom is token 1: its own loss changes, and those that positions 1 to 5 predict
    assert changed == [0, 1, 2, 3, 4, 5]


def test_a_text_holds_one_digit_and_its_question():
    rng = random.Random(5)
    for question in (long_texts.DIGIT, long_texts.LETTER):
        for T in (1, 4, 30):
            tokens, answer = long_texts.passkey_text(rng, T, question)
            digits = [t for t in tokens[:-1] if t >= long_texts.LETTERS]
            assert len(tokens) == T + 1 and tokens[-1] == question and len(digits) == 1
            assert answer == (digits[0] if question == long_texts.DIGIT else tokens[-2])


@pytest.mark.parametrize("model", [{}, {"windows": (2, None)}, {"normed": True, "base": 50.0}])
def test_the_gradients_of_the_model_are_those_of_finite_differences(model):
    layers = len(model.get("windows", (None,)))
    parameters = long_texts.passkey_parameters(random.Random(1), layers)
    tokens, target = long_texts.passkey_text(random.Random(2), 3, long_texts.DIGIT)

    def loss_of(f, p):
        return f.dot(f.token_losses(long_texts.passkey_logits(f, p, tokens, **model), [target]), [1.0])

    recording = Tape()
    nodes = recording.watch(parameters)
    recording.backward(loss_of(recording, nodes))
    measured = numerical_gradient(lambda p: loss_of(operations(), p), parameters)
    report = gradient_report(recording.gradients(nodes), measured)
    assert report.agreeing == report.numbers


def test_moving_all_positions_changes_no_answer():
    parameters = long_texts.passkey_parameters(random.Random(1))
    tokens, _ = long_texts.passkey_text(random.Random(2), 6, long_texts.LETTER)

    def moved(X, positions, base):
        return rope(X, [t + 100 for t in positions], base)

    due = long_texts.passkey_logits(operations(), parameters, tokens)
    assert_close(long_texts.passkey_logits(operations(), parameters, tokens, rope=moved), due, within=1e-9)


def test_with_norms_no_score_exceeds_the_root_of_the_width():
    parameters = long_texts.passkey_parameters(random.Random(1))
    large = {
        name: [[9 * w for w in row] for row in W] if "W_" in name else W for name, W in parameters.items()
    }
    bound = math.sqrt(long_texts.D / long_texts.HEADS)
    assert long_texts.largest_score(large, n=3) > 10 * bound
    assert 0.5 * bound < long_texts.largest_score(large, n=3, normed=True) <= bound


def test_a_model_that_knows_nothing_is_never_right_and_training_lowers_the_loss():
    zeros = {
        name: [[0.0] * len(row) for row in W] if isinstance(W[0], list) else W
        for name, W in long_texts.passkey_parameters(random.Random(1)).items()
    }
    assert long_texts.right_answers(zeros, 4, n=5) == 0.0  # token 0 is a letter
    losses = [loss for _, loss, _ in long_texts.train_passkey(steps=40)]
    assert sum(losses[-10:]) < 0.9 * sum(losses[:10])
