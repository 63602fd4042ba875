"""The course's own numbers against tests/second_network.py, which has nothing of the helpers.

Its sums are math.fsum's, which rounds once, or a scalar tape's, which also gives the gradients. A lesson
that adds to the state adds there and becomes LESSON.
"""

import math
import random
from functools import cache
from itertools import islice

import second_network
from published import published_feed_forward
from second_network import as_stored
from tables import lengths, numbers_in

from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from helpers.course.state.registry import course_state
from helpers.optimizers import adamw_init, adamw_step
from helpers.toy import toy_backward, toy_forward

PUBLISHED = published_feed_forward()
LESSON = "11_adamw"  # the last lesson whose state is compared
WITHIN, GRADIENT_WITHIN = 1e-13, 1e-12  # of each tensor's largest entry


@cache
def reference():
    """What the state holds after LESSON, by section and name; the parameters are those before the step."""
    p, rng_state = second_network.drawn()
    gradients, activation_gradients, _ = second_network.on_tape(p)
    del activation_gradients["probabilities"]  # a side branch here: the course's losses come from the logits
    return {
        "parameters": as_stored(p),
        "activations": second_network.forward(p),
        "rng_state": rng_state,
        "gradients": as_stored(gradients),
        "activation_gradients": activation_gradients,
    }


@cache
def first_step():
    """Parameters, m and v after one step of AdamW, from the tape's gradients."""
    p, _ = second_network.drawn()
    numbers, g = second_network.flat(p), second_network.flat(second_network.on_tape(p)[0])
    zeros = [0.0] * len(numbers)
    moved = second_network.adamw(numbers, g, zeros, zeros, 1, 1e-3)
    return [as_stored(second_network.refilled(p, found)) for found in moved]


# --- the comparison


def furthest_apart(got, expected):
    """The largest difference, relative to the largest number expected; inf if there is a nan."""
    if lengths(got) != lengths(expected):
        return math.inf
    pairs = list(zip(numbers_in(got), numbers_in(expected)))
    gaps = [0.0 if g == e else abs(g - e) for g, e in pairs]
    largest = max(abs(e) for _, e in pairs if math.isfinite(e))
    return math.inf if any(map(math.isnan, gaps)) else max(gaps) / (largest or 1.0)


def assert_agree(got, expected, within):
    """Assert that two sections have the same names, and the same numbers under each."""
    assert got.keys() == expected.keys()
    for name, value in expected.items():
        apart = furthest_apart(got[name], value)
        assert apart <= within, f"{name} is off by {apart:.1e}"


def test_every_parameter_and_activation_is_the_reference_s():
    state, expected = course_state(LESSON), reference()
    for name, value in expected["activations"].items():
        apart = furthest_apart(state["activations"][name], value)
        assert apart <= WITHIN, f"{name} is off by {apart:.1e}"
    assert list(state["activations"]) == list(expected["activations"])
    assert state["rng_state"] == expected["rng_state"]  # and the next lesson goes on from there
    drawn = course_state("10_backward_through_attention")["parameters"]
    assert list(drawn) == list(expected["parameters"]) == list(state["parameters"])
    assert_agree(drawn, expected["parameters"], WITHIN)


def printed(row):
    return [round(x, 4) for x in row]


def test_the_published_row():
    """What multi-head attention gives for `I`, as a published notebook prints it."""
    for activations in course_state(LESSON)["activations"], reference()["activations"]:
        assert printed(activations["attention_output"][1]) == PUBLISHED["multi_head_output_row_1"]


def test_the_published_feed_forward_network():
    found = course_state(LESSON)["activations"]
    assert printed(found["hidden"][0][:8]) == PUBLISHED["hidden_row_0_first_8"]
    assert printed(found["activated"][0][:4]) == PUBLISHED["activated_row_0_first_4"]
    assert [printed(row) for row in found["feed_forward_output"]] == PUBLISHED["feed_forward_output"]


# --- backward


def test_every_gradient_is_the_tape_s():
    state, expected = course_state(LESSON), reference()
    for section in "gradients", "activation_gradients":
        assert_agree(state[section], expected[section], GRADIENT_WITHIN)


def test_what_no_loss_looks_at_has_no_gradient_at_all():
    """<PAD> is not in the sentence, <EOS> and the last position stand behind the last prediction."""
    gradients = course_state(LESSON)["gradients"]
    for name, untouched in (("E_token", [0, 2]), ("E_pos", [4])):
        assert [i for i, row in enumerate(gradients[name]) if not any(row)] == untouched
        assert all(all(row) for i, row in enumerate(gradients[name]) if i not in untouched)


# --- the step


def test_the_first_step_is_the_reference_s():
    state = course_state(LESSON)
    assert list(state["optimizer"]) == ["step", "m", "v"]
    assert state["optimizer"]["step"] == 1 and type(state["optimizer"]["step"]) is int
    found = state["parameters"], state["optimizer"]["m"], state["optimizer"]["v"]
    for got, expected in zip(found, first_step(), strict=True):
        assert_agree(got, expected, GRADIENT_WITHIN)


# --- four steps


def curve(lr):
    """The loss before each step, for ever."""
    parameters = draw_parameters(random.Random(42))
    optimizer = adamw_init(parameters)
    while True:
        activations = toy_forward(parameters, TOKENS, TARGETS)
        yield activations["loss"]
        gradients, _ = toy_backward(parameters, activations, TOKENS, TARGETS)
        parameters, optimizer = adamw_step(parameters, gradients, optimizer, lr)


def test_four_steps_have_the_reference_s_losses():
    for steps, (got, expected) in enumerate(islice(zip(curve(1e-2), second_network.training(1e-2)), 5)):
        assert abs(got - expected) <= 1e-9, f"after {steps} steps: {got} is not {expected}"
