"""Lesson 10b, the bug hunt, hidden side. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs, written

_STEPS = (
    "token_losses_backward",
    "linear_backward",
    "layer_norm_backward",
    "add_backward",
    "activation_backward",
    "split_heads",
    "matmul_backward",
    "softmax_backward",
    "attention_scores_backward",
    "embedding_backward",
)


def _named(step, **slips):
    """A "Your turn" that asks for the name of a step; slips name the steps that a hasty reader would
    suspect, and why not."""
    sentences = {why: (lambda name=name: name) for name, why in slips.items()}
    return Exercise(lambda: step, [[]], slips=sentences, example=False, choices=_STEPS)


def directional_derivative(function, A, direction, h):
    return _slope(1)(function, A, direction, h)


def _slope(sign, up_only=False, per=2, unit=False):
    """directional_derivative that nudges one way only, divides by something else, or makes the direction
    a length of 1."""

    def derivative(function, A, direction, h):
        length = math.sqrt(sum(d * d for row in direction for d in row)) if unit else 1.0

        def moved(by):
            return [[a + by * d / length for a, d in zip(*rows)] for rows in zip(A, direction)]

        low = function(A) if up_only else function(moved(-h))
        return sign * (function(moved(h)) - low) / (per * h)

    return derivative


_CUBES = written("lambda A: sum(x**3 for row in A for x in row)")
_WAVES = written("lambda A: math.sin(A[0][0] + A[-1][-1]) + math.exp(A[0][0])", math=math)

EXERCISES = {
    "10.2": Exercise(
        directional_derivative,
        [
            [written("lambda A: 10 * A[0][0] + A[0][1]"), [[1.0, 1.0]], [[2.0, 3.0]], 0.5],
            [_CUBES, [[1.0, -2.0]], [[0.0, 3.0]], 0.5],
            [_CUBES, *draw_inputs(1, (2, 3), (2, 3)), 0.1],
            [_WAVES, *draw_inputs(2, (3, 2), (3, 2)), 0.25],
            [_WAVES, *draw_inputs(3, (1, 4), (1, 4)), 0.01],
        ],
        slips={
            "it is nudged one way only": _slope(1, up_only=True, per=1),
            "the difference is divided by h, and the nudges are 2·h apart": _slope(1, per=1),
            "the direction is brought to a length of 1": _slope(1, unit=True),
            "up and down are exchanged": _slope(-1),
        },
    ),
    "10.e": _named(
        "token_losses_backward",
        linear_backward=(
            "the first red line is taken for the culprit; but what arrived there was already four times too "
            "large"
        ),
    ),
    "10.f": _named(
        "matmul_backward",
        linear_backward=(
            "the projection is suspected; but it is the same function for all three, and W_Q and W_K are "
            "right"
        ),
        softmax_backward="the scores' path is suspected; but it leads to W_Q and W_K, which are right",
        attention_scores_backward=(
            "the step at the scores is suspected; but d_Q and d_K come from it, and W_Q and W_K are right"
        ),
        split_heads="the heads are suspected; but W_Q and W_K are made of what they get, too, and are right",
    ),
    "10.g": _named(
        "add_backward",
        linear_backward=(
            "linear_backward is suspected; but it would be wrong wherever it is used, and gamma, behind the "
            "first, is right"
        ),
        activation_backward=(
            "the feed-forward path is suspected; but W_1 and b_1 lie behind GELU on it, and are right"
        ),
        split_heads="a step behind W_O is suspected; but W_O is wrong already",
    ),
    "10.h": _named(
        "attention_scores_backward",
        softmax_backward=(
            "the Jacobian is suspected; but without it masked scores would get gradients, and E_pos would "
            "have no exact zeros"
        ),
        matmul_backward="the values' step is suspected; but d_weights and d_V come from it, and W_V is right",
    ),
    "10.i": _named(
        "layer_norm_backward",
        add_backward=(
            "a lost copy is suspected; but it would have been missed on the course's weights as well"
        ),
        linear_backward=(
            "the first red line is taken for the culprit; but its gradient is made of what arrived there"
        ),
    ),
}
