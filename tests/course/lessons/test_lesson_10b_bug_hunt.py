"""The bug hunt of lesson 10b: each mystery has its bug in the step that the exercise names, and the gradient
report shows it there."""

import random

import pytest

from helpers import softmax_backward, toy_backward, toy_forward, tree_map
from helpers.course.exercises import EXERCISES
from helpers.course.lessons.lesson_10b_bug_hunt import (
    backward_with,
    mysteries,
    overwriting,
    random_numbers,
    suspects,
)
from helpers.course.show.gradients import gradient_report
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters

TENSORS = "W_lm gamma beta W_2 b_2 W_1 b_1 W_O W_Q W_K W_V E_token E_pos".split()

# Worked out from the order of the backward pass: what is made of the step's result is red, what was made
# before it is green.
RED = {
    1: TENSORS,
    2: ["W_V", "E_token", "E_pos"],
    3: TENSORS[TENSORS.index("W_O") :],
    4: TENSORS[TENSORS.index("W_2") :],
}
AT_THE_START = {**RED, 4: []}  # gamma is 1 everywhere


def right(*arguments):
    return toy_backward(*arguments)[0]


def found(backward, parameters):
    return backward(parameters, toy_forward(parameters, TOKENS, TARGETS), TOKENS, TARGETS)


def red(backward, parameters):
    names = gradient_report(found(backward, parameters), found(right, parameters)).red
    return list(dict.fromkeys(name.split("[")[0] for name in names))


@pytest.fixture(scope="module")
def start():
    return draw_parameters(random.Random(42))


@pytest.fixture(scope="module")
def varied(start):
    rng = random.Random(1)
    return tree_map(lambda row: [w + rng.gauss(0, 0.3) for w in row], start)


@pytest.mark.parametrize("number", mysteries)
def test_the_first_wrong_gradient_follows_the_bug(number, start, varied):
    assert red(mysteries[number], start) == AT_THE_START[number]
    assert red(mysteries[number], varied) == RED[number]


@pytest.mark.parametrize("name", suspects)
def test_every_bug_shows_in_random_parameters(name, varied):
    assert red(suspects[name], varied)


def test_a_step_replaced_by_itself_changes_nothing(varied):
    assert found(backward_with(softmax_backward=softmax_backward), varied) == found(right, varied)
    with pytest.raises(
        ValueError, match="toy_backward calls no softmax_forward; it calls activation_backward, "
    ):
        backward_with(softmax_forward=softmax_backward)


def exchanged(backward):
    """The names of the functions that a backward pass has of its own, read from what it calls."""
    (call,) = [cell.cell_contents for cell in backward.__closure__]
    ours = toy_backward.__wrapped__.__globals__
    return [name for name, piece in call.__globals__.items() if ours.get(name) is not piece]


STEPS = ["token_losses_backward", EXERCISES["10.e"], EXERCISES["10.f"], "layer_norm_backward"]


@pytest.mark.parametrize("number, step", list(zip(mysteries, STEPS)))
def test_the_page_names_the_step_that_is_wrong(number, step):
    assert exchanged(mysteries[number]) == [step if isinstance(step, str) else step.expected([])]


@pytest.mark.parametrize("tokens, wrong", [(TOKENS, []), ([1, 3, 4, 3, 2], ["E_token"])])
def test_a_row_that_is_overwritten_shows_only_if_a_token_occurs_twice(varied, tokens, wrong):
    passed = toy_forward(varied, tokens, [3, 4, 3, 2])
    one, other = (backward(varied, passed, tokens, [3, 4, 3, 2]) for backward in (overwriting, right))
    assert gradient_report(one, other).red == wrong


def test_the_same_seed_gives_the_same_noise(start):
    one, again, other = (found(random_numbers(seed), start) for seed in (1, 1, 2))
    assert one == again != other
    noisy = random_numbers(1)
    assert found(noisy, start) != found(noisy, start)
