"""The whole network forwards and backwards, at points where the course's own would hide a mistake.

There gamma is 1, no token comes twice, and every matrix that could be square is.
"""

import random
from functools import cache

import second_network
from tables import assert_close, leaves_alone, lists_in, refuses, true_of, with_other

from helpers import toy
from helpers.attention_heads import attention_scores
from helpers.backward import (
    attention_scores_backward,
    concatenate_backward,
    layer_norm_backward,
    linear_backward,
    token_losses_backward,
)
from helpers.layers import embedding, layer_norm, linear
from helpers.losses import token_losses
from helpers.matrices import transpose
from helpers.network import TARGETS, TOKENS, draw_parameters
from helpers.toy import CACHED, PARAMETERS, toy_backward, toy_forward

# tokens, targets, eps: a token twice and a large eps; a target for every position; one token; one of many predicts
SENTENCES = [([1, 3, 3, 5, 3], [3, 3, 5], 0.1), ([4, 2, 0], [2, 0, 1], 1e-5), ([5], [5], 0.01), ([1, 3, 4, 5, 2], [0], 1.0)]


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


def forward_with(**parts):
    return with_other(toy, toy_forward, **parts)


@true_of(toy_forward, not_of={
    "eps of its own": lambda p, tokens, targets, eps: toy_forward(p, tokens, targets),
    "every position takes a loss": forward_with(token_losses=lambda logits, targets: (
        token_losses(logits, targets) + [1.0]
    )),
    "gamma forgotten": forward_with(layer_norm=lambda X, gamma, beta, eps: layer_norm(X, [1.0] * len(gamma), beta, eps)),
    "beta forgotten": forward_with(layer_norm=lambda X, gamma, beta, eps: layer_norm(X, gamma, [0.0] * len(gamma), eps)),
    "no mask": forward_with(attention_scores=lambda q, k, mask: attention_scores(q, k)),
    "heads without softmax": forward_with(softmax=lambda row: row),
    "positions from the end": forward_with(embedding=lambda ids, E: embedding(ids if len(E) == 6 else ids[::-1], E)),
    "W_O untransposed": forward_with(linear=lambda X, W, b=None: (
        linear(X, transpose(W) if len(W) == len(W[0]) else W, b)
    )),
})  # fmt: skip
def test_forward_is_the_second_network_s(toy_forward):
    for case, (tokens, targets, eps) in enumerate(SENTENCES):
        found, values = toy_forward(second_network.as_stored(wild()), tokens, targets, eps), expected(case)[2]
        assert list(found) == list(values) and list(found)[-1] == "loss"
        for name in found:
            if name != "scores":
                assert_close(found[name], values[name])
        assert_close(seen(found["scores"]), seen(values["scores"]))


def seen(scores):
    """Without the infinities, whose place the weights tell."""
    return [[row[: t + 1] for t, row in enumerate(head)] for head in scores]


def back_with(**parts):
    return with_other(toy, toy_backward, **parts)


def gamma_outside(d_out, X, gamma, eps=1e-5):
    """Layer norm's gradient with gamma outside the averages: right as long as gamma is 1."""
    _, d_gamma, d_beta = layer_norm_backward(d_out, X, gamma, eps)
    d_X, _, _ = layer_norm_backward(d_out, X, [1.0] * len(gamma), eps)
    return [[d * g for d, g in zip(row, gamma)] for row in d_X], d_gamma, d_beta


def only_the_last(d_out, ids, E):
    """Each row of the table gets one gradient, although its token may come twice."""
    d_E = [[0.0] * len(E[0]) for _ in E]
    for t, i in enumerate(ids):
        d_E[i] = list(d_out[t])
    return d_E


def W_O_untransposed(d_out, X, W):
    return linear_backward(d_out, X, transpose(W) if len(W) == len(W[0]) else W)


WRONG_WAYS_BACK = {
    "gamma outside the averages": back_with(layer_norm_backward=gamma_outside),
    "eps of its own": lambda p, a, tokens, targets, eps: toy_backward(p, a, tokens, targets),
    "one gradient for each token": back_with(embedding_backward=only_the_last),
    "divided by the number of tokens": lambda p, a, tokens, targets, eps: with_other(
        toy, toy_backward, token_losses_backward=lambda d, logits, targets: (
            token_losses_backward([1 / len(tokens)] * len(d), logits, targets)
        )
    )(p, a, tokens, targets, eps),
    "divided by 4": back_with(token_losses_backward=lambda d, logits, targets: (
        token_losses_backward([0.25] * len(d), logits, targets)
    )),
    "W_O untransposed": back_with(linear_backward=W_O_untransposed),
    "queries and keys exchanged": back_with(attention_scores_backward=lambda *given: (
        attention_scores_backward(*given)[::-1]
    )),
    "heads exchanged": back_with(concatenate_backward=lambda d, H: concatenate_backward(d, H)[::-1]),
}  # fmt: skip


@true_of(toy_backward, not_of=WRONG_WAYS_BACK)
def test_backward_is_the_tape_s(toy_backward):
    p = second_network.as_stored(wild())
    for case, (tokens, targets, eps) in enumerate(SENTENCES):
        found = toy_backward(p, toy_forward(p, tokens, targets, eps), tokens, targets, eps)
        for gradients, values in zip(found, expected(case)[:2], strict=True):
            assert gradients.keys() == values.keys()
            for name, value in values.items():
                assert_close(gradients[name], value)


def test_a_mistake_with_gamma_does_not_show_where_gamma_is_1():
    """Why the points above are wild: at the course's own, this wrong gradient is right."""
    p = draw_parameters(random.Random(42))
    a = toy_forward(p, TOKENS, TARGETS)
    right = toy_backward(p, a, TOKENS, TARGETS)
    assert WRONG_WAYS_BACK["gamma outside the averages"](p, a, TOKENS, TARGETS) == right


# --- other sizes: no two of them are equal, so no matrix is square

OTHER_TOKENS, OTHER_TARGETS = [4, 0, 4], [0, 1]


@cache
def oblong():
    """V 5, P 6, D 4, H 3, K 2, F 7; and values of width 1, which are joined to 3."""
    rng = random.Random(3)
    shapes = {
        "E_token": (5, 4), "E_pos": (6, 4), "W_Q": (3, 2, 4), "W_K": (3, 2, 4), "W_V": (3, 1, 4), "W_O": (4, 3),
        "W_1": (7, 4), "b_1": (7,), "W_2": (4, 7), "b_2": (4,), "gamma": (4,), "beta": (4,), "W_lm": (5, 4),
    }  # fmt: skip

    def drawn(size, *sizes):
        return [drawn(*sizes) if sizes else rng.gauss(0, 0.8) for _ in range(size)]

    return {name: drawn(*sizes) for name, sizes in shapes.items()}


@cache
def by_small_steps(h=1e-5):
    """How fast the loss changes with each parameter: nudged up, nudged down."""
    p = second_network.each(float, oblong())

    def slopes(nest):
        found = []
        for i, x in enumerate(nest):
            if isinstance(x, list):
                found.append(slopes(x))
                continue
            nest[i] = x + h
            up = toy_forward(p, OTHER_TOKENS, OTHER_TARGETS)["loss"]
            nest[i] = x - h
            down = toy_forward(p, OTHER_TOKENS, OTHER_TARGETS)["loss"]
            nest[i] = x
            found.append((up - down) / (2 * h))
        return found

    return {name: slopes(W) for name, W in p.items()}


@true_of(toy_backward, not_of={
    name: wrong for name, wrong in WRONG_WAYS_BACK.items() if name not in ("eps of its own", "W_O untransposed")
})  # fmt: skip
def test_backward_is_what_small_steps_find_at_other_sizes(toy_backward):
    p = oblong()
    a = toy_forward(p, OTHER_TOKENS, OTHER_TARGETS)
    gradients, _ = toy_backward(p, a, OTHER_TOKENS, OTHER_TARGETS, 1e-5)
    for name, value in by_small_steps().items():
        assert_close(gradients[name], value, within=1e-7)


# --- what comes back


def test_gradients_come_in_the_order_in_which_they_are_found():
    p = draw_parameters(random.Random(42))
    a = toy_forward(p, TOKENS, TARGETS)
    gradients, activation_gradients = toy_backward(p, a, TOKENS, TARGETS)
    assert list(p) == PARAMETERS and sorted(gradients) == sorted(PARAMETERS)
    assert list(gradients)[0] == "W_lm" and list(gradients)[-2:] == ["E_token", "E_pos"]
    back = [name for name in reversed(a) if name != "probabilities"]
    assert back[-4:] == ["V", "K", "Q", "X"]  # of these three, none is found before another
    assert list(activation_gradients) == [*back[:-4], "Q", "K", "V", "X"]


def test_no_two_results_share_a_list():
    """A number that a reader changes in one place must not change in another."""
    p = draw_parameters(random.Random(42))
    leaves_alone(toy_forward, [p, TOKENS, TARGETS])
    a = toy_forward(p, TOKENS, TARGETS)
    leaves_alone(toy_backward, [p, a, TOKENS, TARGETS])
    found = [*a.values(), *(value for part in toy_backward(p, a, TOKENS, TARGETS) for value in part.values())]
    ids = [id(inner) for value in found + list(p.values()) for inner in lists_in(value)]
    assert len(ids) == len(set(ids))


# --- what is refused


@true_of(toy_forward, not_of={"does not look": lambda p, tokens, targets, eps=1e-5: {"loss": 0.0}})
def test_forward_refuses(toy_forward):
    p = draw_parameters(random.Random(42))
    for name in PARAMETERS:
        rest = {other: W for other, W in p.items() if other != name}
        refuses(toy_forward, [rest, TOKENS, TARGETS], ValueError, f"parameters missing: ['{name}']", "toy_forward")
    refuses(toy_forward, [p, TOKENS, [3, 4, 5, 2, 0, 0]], ValueError, "5 tokens, 6 targets (1 to 5 are needed)")
    refuses(toy_forward, [p, [1, 6], [3]], ValueError, "ids[1] is 6")
    refuses(toy_forward, [p, [1] * 6, [3]], ValueError, "ids[5] is 5")  # five positions
    refuses(toy_forward, [p, TOKENS, [6]], ValueError, "targets[0] is 6")
    refuses(toy_forward, [p, TOKENS, []], ValueError, "5 tokens, 0 targets (1 to 5 are needed)")
    refuses(toy_forward, [p, [], []], ValueError, "0 tokens, 0 targets")
    refuses(toy_forward, [{**p, "W_1": p["W_2"]}, TOKENS, TARGETS], ValueError, "linear", "[5][16]", "[16][64]")
    refuses(toy_forward, [{**p, "W_K": p["W_K"][:1]}, TOKENS, TARGETS], ValueError)
    refuses(toy_forward, [p, TOKENS, TARGETS, -1.0], ValueError, "eps is -1.0")


@true_of(toy_backward, not_of={"does not look": lambda p, a, tokens, targets, eps=1e-5: ({}, {})})
def test_backward_refuses(toy_backward):
    p = draw_parameters(random.Random(42))
    a = toy_forward(p, TOKENS, TARGETS)
    for name in PARAMETERS:
        rest = {other: W for other, W in p.items() if other != name}
        refuses(toy_backward, [rest, a, TOKENS, TARGETS], ValueError, f"missing: ['{name}']", "toy_backward")
    for name in CACHED:
        without = {other: value for other, value in a.items() if other != name}
        refuses(toy_backward, [p, without, TOKENS, TARGETS], ValueError, f"missing: ['{name}']", "what toy_forward gives")
    refuses(toy_backward, [p, a, TOKENS, TARGETS[:3]], ValueError, "what toy_forward gives for 5 tokens and 3 targets")
    refuses(toy_backward, [p, a, TOKENS, []], ValueError, "what toy_forward gives for 5 tokens and 0 targets")
    refuses(toy_backward, [p, a, TOKENS[:4], TARGETS], ValueError, "for 4 tokens and 4 targets")
    refuses(toy_backward, [{**p, "W_O": p["W_2"]}, a, TOKENS, TARGETS], ValueError, "linear_backward")
