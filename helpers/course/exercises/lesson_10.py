"""Lesson 10, hidden side. Reading on gives answers away."""

import math

from ...attention import softmax
from ...matrices import matmul, scale, transpose
from .exercise import Exercise, draw_inputs, measured_gradients, times, turned


def _softmax_backward(d_out, weights):
    average = sum(w * d for w, d in zip(weights, d_out))
    return [w * (d - average) for w, d in zip(weights, d_out)]


def temperature_backward(d_out, scores, tau):
    return -_slope_along_scores(d_out, scores, tau) / tau**2


def _slope_along_scores(d_out, scores, tau):
    """Σ d_divided·scores, over the scores that are not masked."""
    d_divided = _softmax_backward(d_out, softmax([s / tau for s in scores]))
    return sum(d * s for d, s in zip(d_divided, scores) if s > -math.inf)


def _zero_times_infinity(d_out, scores, tau):
    d_divided = _softmax_backward(d_out, softmax([s / tau for s in scores]))
    return -sum(d * s for d, s in zip(d_divided, scores)) / tau**2


def my_d_values(d_head, weights):
    V = [[0.0] * len(d_head[0]) for _ in weights[0]]  # whatever they are: the head is linear in the values
    return measured_gradients(lambda V: times(weights, V), d_head, V, only=0)


def my_d_weights(d_head, V):
    weights = [[0.0] * len(V) for _ in d_head]
    return measured_gradients(lambda weights: times(weights, V), d_head, weights, only=0)


def my_softmax_backward(d_out, weights):
    scores = [math.log(w) if w else -math.inf for w in weights]  # scores that have these weights
    return measured_gradients(softmax, d_out, scores, only=0)


def my_d_X(d_queries, d_keys, d_values, W_Q, W_K, W_V):
    X = [[0.0] * len(W_Q[0][0]) for _ in d_queries[0]]
    readers = [*zip(d_queries, W_Q), *zip(d_keys, W_K), *zip(d_values, W_V)]
    measured = [measured_gradients(lambda X: times(X, turned(W)), d, X, only=0) for d, W in readers]
    return [[sum(entries) for entries in zip(*rows)] for rows in zip(*measured)]


def _d_X(readers, through=lambda d, W: times(d, W)):
    """my_d_X that asks some of the readers only, or goes another way back."""

    def backward(d_queries, d_keys, d_values, W_Q, W_K, W_V):
        asked = readers([*zip(d_queries, W_Q)], [*zip(d_keys, W_K)], [*zip(d_values, W_V)])
        parts = [through(d, W) for d, W in asked]
        return [[sum(entries) for entries in zip(*rows)] for rows in zip(*parts)]

    return backward


def _six(q, k, v):
    return q + k + v


EXERCISES = {
    "10.1": Exercise(
        temperature_backward,
        [
            [[1.0, 0.0], [0.0, 2.0], 1.0],
            [[1.0, 0.0, -1.0, 4.0], [3.0, -2.0, 0.5, 1.0], 0.5],
            [*draw_inputs(4, (4,), (4,)), 0.5],
            [*draw_inputs(6, (3,), (3,)), 2.0],
            [[5.0, -1.0], [700.0, 705.0], 1.5],
            [[1.0, 0.5, 3.0], [0.25, 1.0, -math.inf], 2.0],
        ],
        slips={
            "a masked score, −∞, is multiplied by its gradient 0: that is no number": _zero_times_infinity,
            "the sign is the other one": lambda d_out, scores, tau: -temperature_backward(d_out, scores, tau),
            "tau is not squared": lambda d_out, scores, tau: temperature_backward(d_out, scores, tau) * tau,
            "tau² is forgotten": lambda d_out, scores, tau: temperature_backward(d_out, scores, tau) * tau**2,
            "softmax is taken of the scores as they are, not divided by tau": lambda d_out, scores, tau: (
                temperature_backward(d_out, scores, 1.0) / tau**2
            ),
            "softmax is passed over on the way back": lambda d_out, scores, tau: (
                -sum(d * s for d, s in zip(d_out, scores)) / tau**2
            ),
        },
    ),
    "10.a": Exercise(
        my_d_values,
        [
            [[[1.0, 2.0]], [[0.25, 0.75]]],
            [[[1.0], [10.0]], [[1.0, 0.0], [0.5, 0.5]]],
            [draw_inputs(60, (3, 2))[0], [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.2, 0.3]]],
            [draw_inputs(61, (2, 2))[0], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]],
        ],
        slips={
            "weights·d_head is taken, and not weightsᵀ·d_head": lambda d_head, weights: matmul(
                weights, d_head
            ),
            "each value gets a gradient from its own position only": lambda d_head, weights: [
                [weights[t][t] * d for d in row] for t, row in enumerate(d_head)
            ],
            "the listeners' gradients are added without their weights": lambda d_head, weights: [
                [sum(column) for column in zip(*d_head)] for _ in weights[0]
            ],
        },
        within=1e-6,
        nudged=True,
    ),
    "10.b": Exercise(
        my_d_weights,
        [
            [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]],
            draw_inputs(62, (3, 2), (3, 2)),
            draw_inputs(63, (2, 3), (4, 3)),
            draw_inputs(64, (2, 2), (2, 2)),
        ],
        slips={
            "d_head·V is taken, and not d_head·Vᵀ": lambda d_head, V: matmul(d_head, V),
            "the result is turned on its side": lambda d_head, V: matmul(V, transpose(d_head)),
            "the products are not added up over the columns": lambda d_head, V: [
                [d[-1] * v[-1] for v in V] for d in d_head
            ],
            "d_head is divided by the root of the width": lambda d_head, V: scale(
                matmul(d_head, transpose(V)), 1 / math.sqrt(len(V[0]))
            ),
        },
        within=1e-6,
        nudged=True,
    ),
    "10.c": Exercise(
        my_softmax_backward,
        [
            [[4.0, 0.0], [0.5, 0.5]],
            [[1.0, 2.0, 3.0], [0.5, 0.3, 0.2]],
            [[1.0, 2.0, 3.0], [0.25, 0.75, 0.0]],
            [draw_inputs(65, (4,))[0], [0.1, 0.2, 0.3, 0.4]],
        ],
        slips={
            "only the diagonal counts: each score moves its own weight": lambda d_out, weights: [
                d * w * (1 - w) for d, w in zip(d_out, weights)
            ],
            "the average is not taken off": lambda d_out, weights: [d * w for d, w in zip(d_out, weights)],
            "the average is added, and not taken off": lambda d_out, weights: [
                w * (d + sum(w * e for w, e in zip(weights, d_out))) for d, w in zip(d_out, weights)
            ],
            "the sign is the other one": lambda d_out, weights: [
                -d for d in _softmax_backward(d_out, weights)
            ],
            "the plain mean is taken off, and not the weighted one": lambda d_out, weights: [
                w * (d - sum(d_out) / len(d_out)) for d, w in zip(d_out, weights)
            ],
            "the weight in front is forgotten": lambda d_out, weights: [
                d - sum(w * e for w, e in zip(weights, d_out)) for d in d_out
            ],
            "the sum of the gradients is taken off, and not their weighted average": lambda d_out, weights: [
                w * (d - sum(d_out)) for d, w in zip(d_out, weights)
            ],
        },
        within=1e-6,
        nudged=True,
    ),
    "10.d": Exercise(
        my_d_X,
        [
            [
                [[[1.0]], [[2.0]]],
                [[[3.0]], [[4.0]]],
                [[[5.0]], [[6.0]]],
                [[[1.0, 0.0]], [[0.0, 1.0]]],
                [[[10.0, 0.0]], [[0.0, 10.0]]],
                [[[100.0, 0.0]], [[0.0, 100.0]]],
            ],
            draw_inputs(66, (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2)),
            draw_inputs(67, (2, 3, 1), (2, 3, 1), (2, 3, 2), (2, 1, 3), (2, 1, 3), (2, 2, 3)),
        ],
        slips={
            "only the first head's three readers are asked": _d_X(lambda q, k, v: q[:1] + k[:1] + v[:1]),
            "only the last head's three readers are asked": _d_X(lambda q, k, v: q[-1:] + k[-1:] + v[-1:]),
            "only the queries are asked": _d_X(lambda q, k, v: q),
            "only the values are asked": _d_X(lambda q, k, v: v),
            "queries and keys are asked, and the values forgotten": _d_X(lambda q, k, v: q + k),
            (
                "queries, keys and values of a head all go back through its W_Q"
            ): lambda d_queries, d_keys, d_values, W_Q, *_: _d_X(_six)(
                d_queries, d_keys, d_values, W_Q, W_Q, W_Q
            ),
            "all heads go back through the matrices of the first": lambda *given: _d_X(_six)(
                *given[:3], *([Ws[0]] * len(Ws) for Ws in given[3:])
            ),
            "the gradients go back through Wᵀ, and not through W": _d_X(
                _six, lambda d, W: times(d, turned(W))
            ),
            "the mean of the six is taken, and not their sum": _d_X(
                _six, lambda d, W: scale(matmul(d, W), 1 / 6)
            ),
        },
        within=1e-6,
        nudged=True,
        example=False,
    ),
}
