"""The toy network forward and backward, where the course's own numbers would hide a mistake.

There gamma is 1, no token comes twice, and every matrix that could be square is.
"""

import random
from functools import cache

import pytest
import second_network
from gradient_checks import derivatives
from networks_on_tape import in_small_steps
from tables import assert_close, lengths, lists_in

import helpers
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from helpers.toy import TOY_PARAM_SHAPES, toy_backward, toy_forward

# tokens, targets, eps: a token twice and a large eps; a target for every position; one token; one target
SENTENCES = [
    ([1, 3, 3, 5, 3], [3, 3, 5], 0.1),
    ([4, 2, 0], [2, 0, 1], 1e-5),
    ([5], [5], 0.01),
    ([1, 3, 4, 5, 2], [0], 1.0),
]


def wild():
    """Parameters in which nothing is small, equal or zero, as tests/second_network.py keeps them."""
    rng = random.Random(7)
    p, _ = second_network.drawn()
    return second_network.each(lambda x: 3 * x + rng.gauss(0, 0.3), p)


@cache
def expected(case):
    """Gradients, activation gradients and activations of one of SENTENCES, by the tape."""
    gradients, activation_gradients, activations = second_network.on_tape(wild(), *SENTENCES[case])
    del activation_gradients["probabilities"]
    return second_network.as_stored(gradients), activation_gradients, activations


def test_forward_is_the_second_network_s():
    for case, (tokens, targets, eps) in enumerate(SENTENCES):
        found, values = toy_forward(second_network.as_stored(wild()), tokens, targets, eps), expected(case)[2]
        assert list(found) == list(values) and list(found)[-1] == "loss"
        for name in found:
            if name != "scores":
                assert_close(found[name], values[name])
        assert_close(seen(found["scores"]), seen(values["scores"]))


def seen(scores):
    """The scores without the infinities of the mask."""
    return [[row[: t + 1] for t, row in enumerate(head)] for head in scores]


def test_backward_is_the_tape_s():
    p = second_network.as_stored(wild())
    for case, (tokens, targets, eps) in enumerate(SENTENCES):
        found = toy_backward(p, toy_forward(p, tokens, targets, eps), tokens, targets, eps)
        for gradients, values in zip(found, expected(case)[:2], strict=True):
            assert gradients.keys() == values.keys()
            for name, value in values.items():
                assert_close(gradients[name], value)


# --- at other sizes, where no matrix need be square


def gauss(rng, *sizes):
    return [gauss(rng, *sizes[1:]) for _ in range(sizes[0])] if sizes else rng.gauss(0, 0.7)


def toys():
    """Parameters, tokens, targets, eps: repeated tokens, and fewer targets than tokens."""
    rng = random.Random(57)  # no tensor's gradients are so small that rounding shows
    # D wide, H heads, widths k and v, F hidden, V words, P positions
    for sizes, tokens, targets, eps in (
        ((4, 2, 3, 2, 5, 6, 5), [1, 3, 3, 5, 2], [3, 3, 5, 2], 0.5),
        ((3, 1, 3, 3, 3, 3, 3), [0, 1, 0], [1, 0, 2], 0.1),  # every matrix is square
        ((3, 4, 1, 2, 2, 4, 6), [2, 0, 3, 0], [3, 1], 1e-5),
        ((3, 3, 2, 1, 2, 2, 1), [1], [0], 0.5),
        ((3, 2, 1, 1, 2, 5, 8), [4, 0, 4, 1, 4, 2, 3], [0, 4, 1, 4, 2, 3], 2.0),
    ):
        D, H, k, v, F, V, P = sizes
        shapes = {
            "E_token": (V, D),
            "E_pos": (P, D),
            "W_Q": (H, k, D),
            "W_K": (H, k, D),
            "W_V": (H, v, D),
            "W_O": (D, H * v),
            "W_1": (F, D),
            "b_1": (F,),
            "W_2": (D, F),
            "b_2": (D,),
            "gamma": (D,),
            "beta": (D,),
            "W_lm": (V, D),
        }
        yield {name: gauss(rng, *size) for name, size in shapes.items()}, tokens, targets, eps


@pytest.mark.parametrize("network", list(toys()), ids=range(5))
def test_toy_backward_gives_the_measured_gradients(network):
    parameters, *others = network
    gradients, _ = toy_backward(parameters, toy_forward(*network), *others)
    measured = derivatives(lambda p: in_small_steps(helpers, p, *others), parameters, 5e-4)
    assert set(gradients) == set(measured)
    for name, gradient in measured.items():
        assert_close(gradients[name], gradient, within=1e-9)


def test_the_default_eps_is_the_same_forward_and_backward():
    p, tokens, targets, _ = next(toys())
    a = toy_forward(p, tokens, targets)
    assert a == toy_forward(p, tokens, targets, 1e-5)
    assert toy_backward(p, a, tokens, targets) == toy_backward(p, a, tokens, targets, 1e-5)


def test_what_influences_no_loss_gets_exactly_0():
    """Nothing is predicted at the last position, which no other attends to; two words are not used."""
    p, tokens, targets, eps = next(toys())
    gradients, activations = toy_backward(p, toy_forward(p, tokens, targets, eps), tokens, targets, eps)
    assert activations["X"][4] == gradients["E_pos"][4] == gradients["E_token"][tokens[4]] == [0.0] * 4
    assert gradients["E_token"][0] == gradients["E_token"][4] == [0.0] * 4
    for name in "QKV":
        assert all(not any(head[4]) for head in activations[name])
    assert all(any(row) for row in gradients["E_pos"][:4])


def values_of(pair):
    return [list(results.values()) for results in pair]


def test_toy_backward_changes_nothing_and_hands_nothing_on():
    p, tokens, targets, eps = next(toys())
    a = toy_forward(p, tokens, targets, eps)
    before = repr((p, a, tokens, targets))
    lists = list(map(id, lists_in(values_of(results := toy_backward(p, a, tokens, targets, eps)))))
    assert repr((p, a, tokens, targets)) == before
    assert len(set(lists)) == len(lists)
    assert not set(lists) & set(map(id, lists_in([*values_of([p, a]), tokens, targets])))
    for name, gradient in [*results[0].items(), *results[1].items()]:
        assert lengths(gradient) == lengths({**p, **a}[name])


# --- what comes back


def test_gradients_come_in_the_order_in_which_they_are_found():
    p = draw_parameters(random.Random(42))
    a = toy_forward(p, TOKENS, TARGETS)
    gradients, activation_gradients = toy_backward(p, a, TOKENS, TARGETS)
    assert list(p) == list(TOY_PARAM_SHAPES) and sorted(gradients) == sorted(TOY_PARAM_SHAPES)
    assert list(gradients)[0] == "W_lm" and list(gradients)[-2:] == ["E_token", "E_pos"]
    back = [name for name in reversed(a) if name != "probabilities"]
    assert back[-4:] == ["V", "K", "Q", "X"]  # of these three, none is found before another
    assert list(activation_gradients) == [*back[:-4], "Q", "K", "V", "X"]
