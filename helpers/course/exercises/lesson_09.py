"""Lesson 09, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu, gelu_derivative, gelu_exact_derivative
from ...attention import softmax
from ...backward import layer_norm_backward, token_losses_backward
from ...layers import layer_norm, linear
from ...losses import cross_entropy
from .exercise import Exercise, draw_inputs, measured_gradients, times, turned


def rms_row_backward(d_out, x, gamma, eps):
    return _rms()(d_out, x, gamma, eps)


def _rms(
    gamma_outside=False, centred=False, mean=True, eps_counts=True, pull=True, over_size=True, with_x=False
):
    """The gradient behind RMSNorm, with one step left out or done otherwise."""

    def backward(d_out, x, gamma, eps):
        n = len(x)
        size = math.sqrt(sum(v * v for v in x) / n + (eps if eps_counts else 0.0))
        z = [v / size for v in x]
        g = list(d_out) if gamma_outside else [d * s for d, s in zip(d_out, gamma)]
        strength = sum(a * b for a, b in zip(g, z)) / (n if mean else 1)
        taken = [(v if with_x else b) * strength if pull else 0.0 for b, v in zip(z, x)]
        shared = sum(g) / n if centred else 0.0
        result = [(a - shared - t) / (size if over_size else 1) for a, t in zip(g, taken)]
        return [s * d for s, d in zip(gamma, result)] if gamma_outside else result

    return backward


def my_d_logits(logits, targets):
    return measured_gradients(lambda L: cross_entropy(L, targets), 1.0, logits, only=0)


def my_linear_backward(d_out, X, W):
    return measured_gradients(linear, d_out, X, W, [0.0] * len(W))


def _linear_backward(d_X=lambda d, X, W: times(d, W), d_W=lambda d, X, W: times(turned(d), X), d_b=None):
    d_b = d_b or (lambda d: [sum(column) for column in zip(*d)])
    return lambda d_out, X, W: (d_X(d_out, X, W), d_W(d_out, X, W), d_b(d_out))


def my_layer_norm_backward_row(d_out, row, gamma, eps):
    return measured_gradients(
        lambda row: layer_norm([row], gamma, [0.0] * len(row), eps)[0], d_out, row, only=0
    )


def _norm_backward(mean_g=1, mean_gz=1, gamma_at="inside", eps_counts=True, over_size=True, divide=True):
    """The gradient behind layer norm, with one step done otherwise; mean_g and mean_gz: how often each is
    taken off."""

    def backward(d_out, row, gamma, eps):
        n = len(row)
        mean = sum(row) / n
        size = math.sqrt(sum((x - mean) ** 2 for x in row) / n + (eps if eps_counts else 0.0))
        z = [(x - mean) / size for x in row]
        g = [d * s for d, s in zip(d_out, gamma)] if gamma_at == "inside" else list(d_out)
        count = n if divide else 1
        first = mean_g * sum(g) / count
        second = mean_gz * sum(a * b for a, b in zip(g, z)) / count
        result = [(a - first - b * second) / (size if over_size else 1) for a, b in zip(g, z)]
        return [s * d for s, d in zip(gamma, result)] if gamma_at == "outside" else result

    return backward


def my_activation_backward(d_out, X):
    return measured_gradients(lambda X: [[gelu(x) for x in row] for row in X], d_out, X, only=0)


def _bent(rate):
    return lambda d_out, X: [[rate(d, x) for d, x in zip(*rows)] for rows in zip(d_out, X)]


EXERCISES = {
    "09.1": Exercise(
        rms_row_backward,
        [
            [[5.0, 0.0], [1.0, 7.0], [1.0, 1.0], 0.0],
            [[1.0, 2.0], [3.0, -1.0], [1.0, 1.0], 0.0],
            [[1.0, 0.0, -2.0], [2.0, 2.0, 2.0], [0.5, 1.0, 3.0], 0.1],
            [*draw_inputs(20, (4,), (4,), (4,)), 0.5],
            [*draw_inputs(23, (6,), (6,), (6,)), 1e-5],
            [draw_inputs(26, (3,))[0], [0.0, 0.0, 0.0], draw_inputs(27, (3,))[0], 4.0],
        ],
        slips={
            "the mean of g is taken off as well: that belongs to layer norm": _rms(centred=True),
            "the row is centred first: that is layer norm": lambda d_out, x, gamma, eps: layer_norm_backward(
                [d_out], [x], gamma, eps
            )[0][0],
            "the sum of g·z is taken, and not the mean": _rms(mean=False),
            "gamma stands outside the mean": _rms(gamma_outside=True),
            "eps is forgotten": _rms(eps_counts=False),
            "size is held still: only the direct path counts": _rms(pull=False),
            "the result is not divided by size": _rms(over_size=False),
            "x stands where z belongs": _rms(with_x=True),
        },
    ),
    "09.a": Exercise(
        my_d_logits,
        [
            [[[0.0, 0.0], [0.0, 0.0]], [1, 0]],
            [[[0.0, 0.0]], [1]],
            [[[1.0, 0.0, 2.0], [0.5, 0.5, 0.0]], [2, 0]],
            [*draw_inputs(50, (3, 4)), [3, 0, 3]],
            [*draw_inputs(51, (4, 3)), [1, 1, 0, 2]],
        ],
        slips={
            "the mean's share, 1 / n, is forgotten": lambda logits, targets: token_losses_backward(
                [1.0] * len(targets), logits, targets
            ),
            "the mean's share is ¼ whatever the number of targets": lambda logits, targets: (
                token_losses_backward([1 / 4] * len(targets), logits, targets)
            ),
            "the 1 at the target is not taken off": lambda logits, targets: [
                [p / len(targets) for p in softmax(row)] for row in logits
            ],
            "the sign is the other one": lambda logits, targets: token_losses_backward(
                [-1 / len(targets)] * len(targets), logits, targets
            ),
            "the logits stand where their softmax belongs": lambda logits, targets: [
                [(y - (i == t)) / len(targets) for i, y in enumerate(row)] for row, t in zip(logits, targets)
            ],
            (
                "the mean divides by the number of tokens, and not by the number of rows"
            ): lambda logits, targets: token_losses_backward(
                [1 / len(logits[0])] * len(targets), logits, targets
            ),
        },
        within=1e-6,
        nudged=True,
    ),
    "09.b": Exercise(
        my_linear_backward,
        [
            [[[1.0, 2.0]], [[3.0, 4.0]], [[10.0, 20.0], [0.0, 10.0]]],
            [[[1.0], [2.0]], [[3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0]]],
            draw_inputs(52, (2, 3), (2, 2), (3, 2)),
            draw_inputs(53, (3, 2), (3, 2), (2, 2)),
        ],
        slips={
            "d_X goes back through Wᵀ, and not through W": _linear_backward(
                d_X=lambda d, X, W: times(d, turned(W))
            ),
            "d_W stands [in][out]": _linear_backward(d_W=lambda d, X, W: times(turned(X), d)),
            "d_b is the mean of the rows, and not their sum": _linear_backward(
                d_b=lambda d: [sum(column) / len(d) for column in zip(*d)]
            ),
            "d_b adds up each row, and not each column": _linear_backward(
                d_b=lambda d: [sum(row) for row in d]
            ),
            "only the first position's row of d_out counts for d_b": _linear_backward(
                d_b=lambda d: list(d[0])
            ),
            "d_W is made with W, and not with X": _linear_backward(
                d_W=lambda d, X, W: times(turned(d), [W[0]] * len(d))
            ),
        },
        within=1e-6,
        parts=("d_X", "d_W", "d_b"),
        nudged=True,
    ),
    "09.c": Exercise(
        my_layer_norm_backward_row,
        [
            [[4.0, 0.0, 0.0, 0.0], [1.0, 1.0, 3.0, 3.0], [2.0, 1.0, 1.0, 1.0], 0.0],
            [[1.0, 0.0, 0.0], [1.0, 2.0, 6.0], [1.0, 1.0, 1.0], 0.5],
            [[1.0, -2.0, 0.5], [1.0, 2.0, 6.0], [1.0, 2.0, 3.0], 0.0],
            [*draw_inputs(54, (4,), (4,), (4,)), 0.5],
            [*draw_inputs(55, (5,), (5,), (5,)), 1e-5],
            [*draw_inputs(56, (3,), (3,), (3,)), 4.0],
        ],
        slips={
            "the mean is held still: mean(g) is not taken off": _norm_backward(mean_g=0),
            "size is held still: z·mean(g·z) is not taken off": _norm_backward(mean_gz=0),
            "only the direct path counts: mean and size are held still": _norm_backward(mean_g=0, mean_gz=0),
            "mean(g) is added, and not taken off": _norm_backward(mean_g=-1),
            "z·mean(g·z) is added, and not taken off": _norm_backward(mean_gz=-1),
            "both means are added, and not taken off": _norm_backward(mean_g=-1, mean_gz=-1),
            "gamma stands outside the means": _norm_backward(gamma_at="outside"),
            "gamma is forgotten": _norm_backward(gamma_at="nowhere"),
            "eps is forgotten": _norm_backward(eps_counts=False),
            "the result is not divided by size": _norm_backward(over_size=False),
            "sums are taken, and not means": _norm_backward(divide=False),
        },
        within=1e-6,
        nudged=True,
    ),
    "09.d": Exercise(
        my_activation_backward,
        [
            [[[10.0]], [[0.0]]],
            [[[1.0, 1.0, 1.0]], [[0.0, 1.0, -1.0]]],
            [[[10.0, -2.0]], [[0.5, -0.5]]],
            draw_inputs(57, (2, 3), (2, 3)),
            draw_inputs(58, (3, 4), (3, 4)),
        ],
        slips={
            "d_out is multiplied by gelu itself, and not by its slope": _bent(lambda d, x: d * gelu(x)),
            "the slope is taken at d_out, and not at X": _bent(lambda d, x: d * gelu_derivative(d)),
            "d_out and X have changed places": _bent(lambda d, x: x * gelu_derivative(d)),
            "the slope is taken behind the bend, at gelu(x)": _bent(
                lambda d, x: d * gelu_derivative(gelu(x))
            ),
            "the slopes are given, and d_out is forgotten": _bent(lambda d, x: gelu_derivative(x)),
            "the slope is added, and not multiplied": _bent(lambda d, x: d + gelu_derivative(x)),
            "the slope of the exact form is used": _bent(lambda d, x: d * gelu_exact_derivative(x)),
        },
        within=1e-6,
        nudged=True,
    ),
}
