"""Mixture of experts: by hand, by properties, and by finite differences."""

import math
import random

from gradient_checks import derivatives
from tables import assert_close

from helpers import (
    balance_loss,
    balance_loss_backward,
    dispatch,
    expert_loads,
    gelu,
    mixture,
    mixture_backward,
    route,
    softmax,
)


def drawn(rng, *sizes):
    return [drawn(rng, *sizes[1:]) for _ in range(sizes[0])] if sizes else rng.uniform(-1, 1)


def case(seed=3):
    """X, probabilities, W_1 and W_2 of five tokens and three experts, one of which gets no token."""
    rng = random.Random(seed)
    probabilities = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.5, 0.1, 0.4], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]
    return drawn(rng, 5, 2), probabilities, drawn(rng, 3, 4, 2), drawn(rng, 3, 6, 4)


# --- by hand


def test_the_route_by_hand():
    assert route([5, 1], [[0, 0], [1, -5]]) == (0, 0.5)  # two scores of 0: the first of equals
    expert, probability = route([1, 2], [[0, 0], [math.log(3), 0], [0, 0]])  # 3 / (1 + 3 + 1)
    assert expert == 1 and abs(probability - 0.6) < 1e-12


def test_each_token_is_at_its_most_probable_expert():
    assert dispatch([[0.4, 0.3, 0.3], [0.1, 0.2, 0.7], [0.5, 0.5, 0.0]]) == [[0, 2], [], [1]]
    rng = random.Random(1)
    probabilities = [softmax(row) for row in drawn(rng, 20, 4)]
    assert sorted(sum(dispatch(probabilities), [])) == [*range(20)]


def test_the_mixture_by_hand():
    W_1, W_2 = [[[100]]] * 3, [[[1]], [[0]], [[-0.5]]]
    probabilities = [[0.75, 0.25, 0], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.5, 0]]
    assert mixture([[1], [2], [3], [4]], probabilities, W_1, W_2) == [[75], [0], [-75], [200]]


def test_the_mixture_is_the_chosen_network_of_each_token():
    X, probabilities, W_1, W_2 = case()
    for x, p, row in zip(X, probabilities, mixture(X, probabilities, W_1, W_2), strict=True):
        e = p.index(max(p))
        hidden = [gelu(sum(w * x_i for w, x_i in zip(weights, x))) for weights in W_1[e]]
        assert_close(row, [p[e] * sum(w * h for w, h in zip(weights, hidden)) for weights in W_2[e]])


def test_the_loads_by_hand():
    assert expert_loads([[0.75, 0.25], [0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]) == [0.75, 0.25]


def test_the_balance_loss_by_hand():
    three_and_one = [[0.75, 0.25]] * 3 + [[0.25, 0.75]]
    assert balance_loss(three_and_one) == 2 * (0.75 * 0.625 + 0.25 * 0.375)
    assert balance_loss([[1.0, 0.0], [0.0, 1.0]]) == 1  # even loads
    assert balance_loss([[1.0, 0.0, 0.0]] * 5) == 3  # all tokens at one of three experts, for certain


# --- backward passes


def test_mixture_backward_is_what_finite_differences_give():
    arguments = case()
    d_out = drawn(random.Random(9), 5, 6)

    def loss(place):
        def of(value):
            out = mixture(*arguments[:place], value, *arguments[place + 1 :])
            return sum(d * y for rows in zip(d_out, out) for d, y in zip(*rows))

        return of

    got = mixture_backward(d_out, *arguments)
    for place, gradient in enumerate(got):
        assert_close(gradient, derivatives(loss(place), arguments[place], 1e-3), 1e-8)
    assert not any(d for W in (got[2][1], got[3][1]) for row in W for d in row)  # no token: exactly 0


def test_balance_loss_backward_is_what_finite_differences_give():
    probabilities = case()[1]
    measured = derivatives(balance_loss, probabilities, 1e-3)  # no choice changes by so little
    assert_close(balance_loss_backward(1.0, probabilities), measured, 1e-10)
    assert_close(
        balance_loss_backward(-0.5, probabilities), [[-0.5 * d for d in row] for row in measured], 1e-10
    )


def test_the_balance_loss_of_one_token():
    """All of the load is the first expert's: 2 · 1 · 0.75."""
    assert balance_loss([[0.75, 0.25]]) == 1.5
    assert balance_loss_backward(1.0, [[0.75, 0.25]]) == [[2.0, 0.0]]
