"""Lesson 10b, the bug hunt, hidden side. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs, from_source

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
    """A "Your turn" that asks for the name of a step. slips: other steps, each with the reason against it."""
    for name in _STEPS:
        if name != step and name not in slips:
            earlier = _STEPS.index(name) < _STEPS.index(step)
            slips[name] = f"you suspect {name}; but " + (
                "gradients that are computed after it are correct"
                if earlier
                else "gradients that are computed before it are already wrong"
            )
    sentences = {why: (lambda name=name: name) for name, why in slips.items()}
    return Exercise(lambda: step, [[]], mistakes=sentences, example=False, choices=_STEPS)


def my_directional_derivative(function, A, direction, h):
    return _rate(1)(function, A, direction, h)


def _rate(sign, one_sided=False, per=2, unit=False, times_h=True):
    """my_directional_derivative with a one-sided difference, another divisor, or a direction of length 1."""

    def derivative(function, A, direction, h):
        length = math.sqrt(sum(d * d for row in direction for d in row)) if unit else 1.0
        step = h if times_h else 1.0

        def moved(by):
            return [[a + by * d / length for a, d in zip(*rows)] for rows in zip(A, direction)]

        low = function(A) if one_sided else function(moved(-step))
        return sign * (function(moved(step)) - low) / (per * h)

    return derivative


def _per_entry(function, A, direction, h):
    """The sum of the central differences of all entries, without the direction."""
    return _rate(1)(function, A, [[1.0] * len(row) for row in A], h)


_CUBES = from_source("lambda A: sum(x**3 for row in A for x in row)")
_WAVES = from_source("lambda A: math.sin(A[0][0] + A[-1][-1]) + math.exp(A[0][0])", math=math)

EXERCISES = {
    "10.e": _named(
        "token_losses_backward",
        linear_backward=(
            "you suspect the step of the first red row; but its incoming gradient is already wrong"
        ),
        embedding_backward=(
            "you suspect the last step; a bug there cannot change gradients computed before it"
        ),
    ),
    "10.f": _named(
        "matmul_backward",
        linear_backward=(
            "you suspect the three projections; but they are the same function, and W_Q and W_K are correct"
        ),
        softmax_backward=(
            "you suspect a step on the path through the scores; but W_Q and W_K depend on it, and are correct"
        ),
        attention_scores_backward="you suspect the step that gives d_Q and d_K; but W_Q and W_K are correct",
        split_heads="you suspect the step that gives d_heads; but W_Q and W_K depend on it, and are correct",
        embedding_backward="you suspect the last step; but W_V is wrong before it",
    ),
    "10.g": _named(
        "add_backward",
        linear_backward=(
            "you suspect a function that also gives d_normed; but gamma, which comes next, is correct"
        ),
        activation_backward="you suspect a step before W_1 and b_1; but these are correct",
        layer_norm_backward=(
            "you suspect the step that gives d_residual; but W_2 depends on it, and is correct"
        ),
        split_heads="you suspect a step after W_O; but W_O is already wrong",
    ),
    "10.h": _named(
        "layer_norm_backward",
        add_backward="you suspect a step whose bug would show at any parameters, also at the initial ones",
        linear_backward=(
            "you suspect the step of the first red row; but its incoming gradient is already wrong"
        ),
        activation_backward="you suspect a step after W_2; but W_2 is already wrong",
    ),
    "10.i": Exercise(
        my_directional_derivative,
        [
            [from_source("lambda A: 10 * A[0][0] + A[0][1]"), [[1.0, 1.0]], [[2.0, 3.0]], 0.5],
            [_CUBES, [[1.0, -2.0]], [[0.0, 3.0]], 0.5],
            [_CUBES, *draw_inputs(1, (2, 3), (2, 3)), 0.1],
            [_WAVES, *draw_inputs(2, (3, 2), (3, 2)), 0.25],
            [_WAVES, *draw_inputs(3, (1, 4), (1, 4)), 0.01],
        ],
        mistakes={
            "the difference is one-sided: use h and −h times the direction": _rate(1, one_sided=True, per=1),
            "the one-sided difference is divided by 2·h": _rate(1, one_sided=True),
            "the difference is divided by h, but the two points are 2·h apart": _rate(1, per=1),
            "the direction is scaled to length 1": _rate(1, unit=True),
            "the sign is reversed: subtract the result for −h from the result for h": _rate(-1),
            "A is moved by the whole direction, and not by h times the direction": _rate(1, times_h=False),
            "the direction is not used: every entry is moved by h": _per_entry,
            "the division by h is missing: divide by 2·h": lambda function, A, direction, h: (
                h * my_directional_derivative(function, A, direction, h)
            ),
            "`/ 2 * h` multiplies by h; write `/ (2 * h)`": lambda function, A, direction, h: (
                h * h * my_directional_derivative(function, A, direction, h)
            ),
            "the absolute value is taken; the rate can be negative": lambda function, A, direction, h: abs(
                my_directional_derivative(function, A, direction, h)
            ),
            "the division by 2·h is missing": lambda function, A, direction, h: (
                2 * h * my_directional_derivative(function, A, direction, h)
            ),
        },
    ),
}
