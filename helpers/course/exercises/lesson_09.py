"""Lesson 09: answers, inputs and known mistakes of its exercises. It holds the solutions."""

import math
from operator import mul

from ...activations import gelu, gelu_exact_derivative, quick_gelu_derivative, relu_derivative
from ...attention import softmax
from ...finite_differences import numerical_gradient
from ...layers import layer_norm, linear
from ...losses import cross_entropy
from .exercise import Exercise, draw_inputs, measured_gradients, times, turned


def my_d_logits(logits, targets):
    return measured_gradients(lambda L: cross_entropy(L, targets), 1.0, logits, only=0)


def _d_logits(divisor=lambda logits, targets: len(targets), sign=1, first=softmax, less=1):
    """my_d_logits with one step done otherwise."""

    def backward(logits, targets):
        n = divisor(logits, targets)
        return [
            [sign * (p - less * (i == t)) / n for i, p in enumerate(first(row))]
            for row, t in zip(logits, targets, strict=True)
        ]

    return backward


def my_linear_backward(d_out, X, W):
    return measured_gradients(linear, d_out, X, W, [0.0] * len(W))


def _linear_backward(d_X=lambda d, X, W: times(d, W), d_W=lambda d, X, W: times(turned(d), X), d_b=None):
    d_b = d_b or (lambda d: [sum(column) for column in zip(*d)])
    return lambda d_out, X, W: (d_X(d_out, X, W), d_W(d_out, X, W), d_b(d_out))


def my_layer_norm_backward_row(d_out, row, gamma, eps):
    return measured_gradients(
        lambda row: layer_norm([row], gamma, [0.0] * len(row), eps)[0], d_out, row, only=0
    )


def _norm_backward(
    mean_g=1,
    mean_gz=1,
    gamma_at="inside",
    eps_counts=True,
    over_std=True,
    divide=True,
    less=0,
    with_x=False,
    power=1,
    means_of_d=False,
):
    """The backward pass of layer norm for a row, with one step done otherwise; mean_g and mean_gz: how
    often each term is subtracted."""

    def backward(d_out, row, gamma, eps):
        n = len(row)
        mean = sum(row) / n
        std = math.sqrt(sum((x - mean) ** 2 for x in row) / (n - less) + (eps if eps_counts else 0.0))
        z = [(x - mean) / std for x in row]
        g = [d * s for d, s in zip(d_out, gamma)] if gamma_at == "inside" else list(d_out)
        count = n if divide else 1
        averaged = d_out if means_of_d else g
        first = mean_g * sum(averaged) / count
        second = mean_gz * sum(a * b for a, b in zip(averaged, z)) / count
        factor = row if with_x else z
        result = [(a - first - b * second) / (std**power if over_std else 1) for a, b in zip(g, factor)]
        return [s * d for s, d in zip(gamma, result)] if gamma_at == "outside" else result

    return backward


def _rms_backward(d_out, row, gamma, eps):
    n = len(row)
    size = math.sqrt(sum(x * x for x in row) / n + eps)
    z, g = [x / size for x in row], [d * s for d, s in zip(d_out, gamma)]
    mean_gz = sum(map(mul, g, z)) / n
    return [(a - b * mean_gz) / size for a, b in zip(g, z)]


def my_gamma_beta_backward(d_out, Z):
    ones, zeros = [1.0] * len(Z[0]), [0.0] * len(Z[0])
    return measured_gradients(
        lambda gamma, beta: [[g * z + b for g, z, b in zip(gamma, row, beta)] for row in Z],
        d_out,
        ones,
        zeros,
    )


def _gamma_beta(d_gamma=None, d_beta=None):
    """my_gamma_beta_backward with one of its two results computed otherwise."""
    d_gamma = d_gamma or (lambda d_out, Z: [sum(map(mul, *pair)) for pair in zip(zip(*d_out), zip(*Z))])
    d_beta = d_beta or (lambda d_out, Z: [sum(column) for column in zip(*d_out)])
    return lambda d_out, Z: (d_gamma(d_out, Z), d_beta(d_out, Z))


ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715


def my_gelu_derivative(x):
    return numerical_gradient(_tanh_form, float(x))


def _tanh_form(x):
    """gelu under another name: calls of gelu are counted."""
    return 0.5 * x * (1 + math.tanh(ROOT * (x + CUBIC * x**3)))


def _gelu_derivative(
    inner=lambda x: ROOT * (1 + 3 * CUBIC * x * x), outer=lambda t: 1 - t * t, first=0.5, second=0.5
):
    """my_gelu_derivative with one factor or term written otherwise."""

    def derivative(x):
        t = math.tanh(ROOT * (x + CUBIC * x**3))
        return first * (1 + t) + second * x * outer(t) * inner(x)

    return derivative


def _tanh_part(x):
    """The derivative of tanh(√(2/π)·(x + 0.044715·x³))."""
    t = math.tanh(ROOT * (x + CUBIC * x**3))
    return (1 - t * t) * ROOT * (1 + 3 * CUBIC * x * x)


EXERCISES = {
    "09.a": Exercise(
        my_d_logits,
        [
            [[[0.0] * 5, [0.0] * 5], [1, 0]],
            [[[0.0, 0.0]], [1]],
            [[[1.0, 0.0, 2.0], [0.5, 0.5, 0.0]], [2, 0]],
            [*draw_inputs(50, (3, 4)), [3, 0, 3]],
            [*draw_inputs(51, (4, 3)), [1, 1, 0, 2]],
        ],
        slips={
            "the factor 1 / n of the mean is left out": _d_logits(lambda logits, targets: 1),
            "the factor of the mean is 1 / 4, whatever the number of targets": _d_logits(
                lambda logits, targets: 4
            ),
            "the mean divides by the length of a row, and not by the number of targets": _d_logits(
                lambda logits, targets: len(logits[0])
            ),
            "the mean divides by the number of all logits, and not by the number of targets": _d_logits(
                lambda logits, targets: len(logits) * len(logits[0])
            ),
            "the 1 at the target is not subtracted": _d_logits(less=0),
            "the 1 at the target is added": _d_logits(less=-1),
            "the sign is wrong": _d_logits(sign=-1),
            "the logits are used without softmax": _d_logits(first=list),
            "exp is used without the division of softmax": _d_logits(
                first=lambda row: [math.exp(x) for x in row]
            ),
            "1 is subtracted after the division by n": lambda logits, targets: [
                [p / len(targets) - (i == t) for i, p in enumerate(softmax(row))]
                for row, t in zip(logits, targets)
            ],
            "the entry of the target is 1 − p instead of p − 1": lambda logits, targets: [
                [(1 - p if i == t else p) / len(targets) for i, p in enumerate(softmax(row))]
                for row, t in zip(logits, targets)
            ],
            "1 is subtracted from every entry, and not only at the target": lambda logits, targets: [
                [(p - 1) / len(targets) for p in softmax(row)] for row in logits
            ],
            "1 is subtracted one entry before the target": lambda logits, targets: [
                [(p - (i == (t - 1) % len(row))) / len(targets) for i, p in enumerate(softmax(row))]
                for row, t in zip(logits, targets)
            ],
            "only the entry of the target is filled in": lambda logits, targets: [
                [(p - 1) / len(targets) if i == t else 0.0 for i, p in enumerate(softmax(row))]
                for row, t in zip(logits, targets)
            ],
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
            draw_inputs(49, (2, 2), (2, 2), (2, 2)),
        ],
        slips={
            "d_X is d_out·Wᵀ instead of d_out·W": _linear_backward(d_X=lambda d, X, W: times(d, turned(W))),
            "d_W has the shape [in][out]": _linear_backward(d_W=lambda d, X, W: times(turned(X), d)),
            "d_b is the mean of the rows of d_out, and not their sum": _linear_backward(
                d_b=lambda d: [sum(column) / len(d) for column in zip(*d)]
            ),
            "d_b adds the entries of each row, and not of each column": _linear_backward(
                d_b=lambda d: [sum(row) for row in d]
            ),
            "d_b uses only the first row of d_out": _linear_backward(d_b=lambda d: list(d[0])),
            "d_W is divided by the number of positions": _linear_backward(
                d_W=lambda d, X, W: [[v / len(d) for v in row] for row in times(turned(d), X)]
            ),
            "d_W uses only the first position": _linear_backward(
                d_W=lambda d, X, W: times(turned(d[:1]), X[:1])
            ),
            "d_W uses only the last position": _linear_backward(
                d_W=lambda d, X, W: times(turned(d[-1:]), X[-1:])
            ),
            "d_b is 1 for every entry; the incoming gradient is left out": _linear_backward(
                d_b=lambda d: [1.0] * len(d[0])
            ),
            "d_W has the wrong sign": _linear_backward(
                d_W=lambda d, X, W: [[-v for v in row] for row in times(turned(d), X)]
            ),
            "d_W is computed with W instead of X": _linear_backward(
                d_W=lambda d, X, W: times(turned(d), [W[0]] * len(d))
            ),
            "d_X and d_W are swapped": lambda d, X, W: (
                times(turned(d), X),
                times(d, W),
                [sum(column) for column in zip(*d)],
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
            "the part through the mean is left out: mean(g) is not subtracted": _norm_backward(mean_g=0),
            "the part through std is left out: z·mean(g·z) is not subtracted": _norm_backward(mean_gz=0),
            "only the direct part is there": _norm_backward(mean_g=0, mean_gz=0),
            "mean(g) is added instead of subtracted": _norm_backward(mean_g=-1),
            "z·mean(g·z) is added instead of subtracted": _norm_backward(mean_gz=-1),
            "both means are added instead of subtracted": _norm_backward(mean_g=-1, mean_gz=-1),
            "gamma is applied after the means and not before them": _norm_backward(gamma_at="outside"),
            "gamma is left out": _norm_backward(gamma_at="nowhere"),
            "eps is left out": _norm_backward(eps_counts=False),
            "the result is not divided by std": _norm_backward(over_std=False),
            "the result is divided by the variance and not by std": _norm_backward(power=2),
            "the means are taken of d_out and not of g = gamma·d_out": _norm_backward(means_of_d=True),
            "this is RMSNorm: the row is not centred": _rms_backward,
            "sums are subtracted instead of means": _norm_backward(divide=False),
            "the variance is divided by D − 1 and not by D": _norm_backward(less=1),
            "mean(g·z) is multiplied by the row and not by z": _norm_backward(with_x=True),
        },
        within=1e-6,
        nudged=True,
    ),
    "09.d": Exercise(
        my_gamma_beta_backward,
        [
            [[[1.0, 2.0], [3.0, 4.0]], [[-1.0, 1.0], [2.0, -1.0]]],
            [[[1.0, 2.0, 3.0]], [[2.0, 0.0, -1.0]]],
            draw_inputs(57, (3, 2), (3, 2)),
            draw_inputs(58, (2, 4), (2, 4)),
            draw_inputs(59, (3, 3), (3, 3)),
        ],
        slips={
            "the two gradients are swapped": lambda d_out, Z: _gamma_beta()(d_out, Z)[::-1],
            "the sum goes over the entries of a row, and not over the positions": lambda d_out, Z: (
                [sum(d * z for d, z in zip(*rows)) for rows in zip(d_out, Z)],
                [sum(row) for row in d_out],
            ),
            "d_gamma is summed over the entries of a row, and not over the positions": _gamma_beta(
                d_gamma=lambda d_out, Z: [sum(d * z for d, z in zip(*rows)) for rows in zip(d_out, Z)]
            ),
            "the mean over the positions is taken, and not the sum": lambda d_out, Z: tuple(
                [v / len(Z) for v in part] for part in _gamma_beta()(d_out, Z)
            ),
            "d_beta is summed over the entries of a row, and not over the positions": _gamma_beta(
                d_beta=lambda d_out, Z: [sum(row) for row in d_out]
            ),
            "d_gamma is a mean over the positions, and not a sum": _gamma_beta(
                d_gamma=lambda d_out, Z: [v / len(Z) for v in _gamma_beta()(d_out, Z)[0]]
            ),
            "d_beta is a mean over the positions, and not a sum": _gamma_beta(
                d_beta=lambda d_out, Z: [v / len(Z) for v in _gamma_beta()(d_out, Z)[1]]
            ),
            "d_beta is the number of positions; the incoming gradient is left out": _gamma_beta(
                d_beta=lambda d_out, Z: [float(len(Z))] * len(Z[0])
            ),
            "d_gamma is the sum of z; it is not multiplied by d_out": _gamma_beta(
                d_gamma=lambda d_out, Z: [sum(column) for column in zip(*Z)]
            ),
            "d_gamma is not multiplied by z": _gamma_beta(
                d_gamma=lambda d_out, Z: [sum(column) for column in zip(*d_out)]
            ),
            "d_beta is multiplied by z, too": _gamma_beta(d_beta=lambda d_out, Z: _gamma_beta()(d_out, Z)[0]),
            "d_beta is 1 for every entry; the incoming gradient is left out": _gamma_beta(
                d_beta=lambda d_out, Z: [1.0] * len(Z[0])
            ),
            "only the first position counts": lambda d_out, Z: _gamma_beta()(d_out[:1], Z[:1]),
            "only the last position counts: `=` instead of `+=`": lambda d_out, Z: _gamma_beta()(
                d_out[-1:], Z[-1:]
            ),
            "d_gamma is the product of two sums, and not the sum of products": _gamma_beta(
                d_gamma=lambda d_out, Z: [sum(a) * sum(b) for a, b in zip(zip(*d_out), zip(*Z))]
            ),
            "the contributions of the positions are not added": lambda d_out, Z: (
                [[d * z for d, z in zip(*rows)] for rows in zip(d_out, Z)],
                [list(row) for row in d_out],
            ),
        },
        within=1e-6,
        parts=("d_gamma", "d_beta"),
        nudged=True,
    ),
    "09.e": Exercise(
        my_gelu_derivative,
        [[1.0], [-1.0], [0.5], [-0.75], [2.5], [-3.0], [8.0], [0.0]],
        slips={
            "the inner derivative is left out: √(2/π)·(1 + 3·0.044715·x²)": _gelu_derivative(lambda x: 1.0),
            "the inner derivative is only √(2/π); the factor from x + 0.044715·x³ is left out": (
                _gelu_derivative(lambda x: ROOT)
            ),
            "the factor 3 from x³ is left out": _gelu_derivative(lambda x: ROOT * (1 + CUBIC * x * x)),
            "the factor √(2/π) of the inner derivative is left out": _gelu_derivative(
                lambda x: 1 + 3 * CUBIC * x * x
            ),
            "the derivative of x³ is taken as 3·x³ instead of 3·x²": _gelu_derivative(
                lambda x: ROOT * (1 + 3 * CUBIC * x**3)
            ),
            "the derivative of x³ is taken as 3·x instead of 3·x²": _gelu_derivative(
                lambda x: ROOT * (1 + 3 * CUBIC * x)
            ),
            "the inner function stands where its derivative belongs": _gelu_derivative(
                lambda x: ROOT * (x + CUBIC * x**3)
            ),
            "the 1 of the inner derivative is left out": _gelu_derivative(lambda x: ROOT * 3 * CUBIC * x * x),
            "the derivative of tanh is 1 − t instead of 1 − t²": _gelu_derivative(outer=lambda t: 1 - t),
            "the derivative of tanh is taken as 1 + t²": _gelu_derivative(outer=lambda t: 1 + t * t),
            "the derivative of tanh is left out": _gelu_derivative(outer=lambda t: 1.0),
            "the ½ of the first term is left out": _gelu_derivative(first=1.0),
            "the ½ of the second term is left out": _gelu_derivative(second=1.0),
            "both factors ½ are left out": _gelu_derivative(first=1.0, second=1.0),
            "the second term of the product rule is left out": _gelu_derivative(second=0.0),
            "the first term of the product rule is left out": _gelu_derivative(first=0.0),
            "the sign of the second term is wrong": _gelu_derivative(second=-0.5),
            "the factor x of the second term is left out": lambda x: (
                _gelu_derivative(second=0.0)(x) + 0.5 * _tanh_part(x)
            ),
            "the factor 3 from x³ is 2": _gelu_derivative(lambda x: ROOT * (1 + 2 * CUBIC * x * x)),
            "the 1 of 1 + t is left out": lambda x: _gelu_derivative()(x) - 0.5,
            "tanh² is taken of x and not of u": lambda x: (
                _gelu_derivative(second=0.0)(x)
                + 0.5 * x * (1 - math.tanh(x) ** 2) * ROOT * (1 + 3 * CUBIC * x * x)
            ),
            "this is the derivative of the sigmoid form of GELU": quick_gelu_derivative,
            "this is the derivative of ReLU": relu_derivative,
            "the result is gelu(x) itself": gelu,
            "this is the derivative of the exact form of GELU": gelu_exact_derivative,
            "two forms are mixed: Φ of the tanh form and the density of the exact form": lambda x: (
                _gelu_derivative(second=0.0)(x) + x * math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
            ),
        },
        within=1e-6,
        nudged=True,
        derived=("gelu", "my_gelu"),
    ),
}
