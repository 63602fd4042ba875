"""Lesson 10 and its bug hunt, 10b, hidden side. Reading on gives answers away."""

import math

from ...activations import gelu
from ...attention_heads import softmax
from ...matrices import add, matmul, scale, transpose
from .entry import Exercise, Written, draw, nudges, times, turned, written


def log_softmax_backward(d_out, log_weights):
    total = sum(d_out)
    return [d - math.exp(w) * total for d, w in zip(d_out, log_weights, strict=True)]


def _logs(scores):
    """The logarithms of their weights, to six decimals."""
    top = max(scores)
    total = sum(math.exp(s - top) for s in scores)
    return [round(s - top - math.log(total), 6) for s in scores]


def _softmax_backward(d_out, weights):
    average = sum(w * d for w, d in zip(weights, d_out))
    return [w * (d - average) for w, d in zip(weights, d_out)]


def tied_backward(d_X, tokens, d_logits, normed, E):
    return _tied()(d_X, tokens, d_logits, normed, E)


def _tied(looked_up="add", scored=True, share=1.0):
    """tied_backward that leaves out a use, or overwrites where it should add."""

    def backward(d_X, tokens, d_logits, normed, E):
        d_E = matmul(transpose(d_logits), normed) if scored else [[0.0] * len(row) for row in E]
        kept = [list(row) for row in d_E]
        for row, token in zip(d_X, tokens, strict=True):
            if looked_up == "add":
                d_E[token] = [a + b for a, b in zip(d_E[token], row, strict=True)]
            elif looked_up == "once":
                d_E[token] = [a + b for a, b in zip(kept[token], row, strict=True)]
            elif looked_up == "overwrite":
                d_E[token] = list(row)
        return scale(d_E, share)

    return backward


def _tied_inputs(seed, tokens, V, D):
    d_X, d_logits, normed, E = draw(seed, (len(tokens), D), (len(tokens), V), (len(tokens), D), (V, D))
    return [d_X, tokens, d_logits, normed, E]


def temperature_backward(d_out, scores, tau):
    return -_slope_along_scores(d_out, scores, tau) / tau**2


def _slope_along_scores(d_out, scores, tau):
    """Σ d_divided·scores, over the scores that are not masked."""
    d_divided = _softmax_backward(d_out, softmax([s / tau for s in scores]))
    return sum(d * s for d, s in zip(d_divided, scores) if s > -math.inf)


def _zero_times_infinity(d_out, scores, tau):
    d_divided = _softmax_backward(d_out, softmax([s / tau for s in scores]))
    return -sum(d * s for d, s in zip(d_divided, scores)) / tau**2


def shared_keys_backward(d_scores, Q, K):
    return _shared(lambda Q, K: 1 / math.sqrt(len(K[0])))(d_scores, Q, K)


def _shared(factor):
    def backward(d_scores, Q, K):
        total = [[0.0] * len(K[0]) for _ in K]
        for d, queries in zip(d_scores, Q, strict=True):
            total = add(total, scale(matmul(transpose(d), queries), factor(Q, K)))
        return total

    return backward


def _root(Q, K):
    return 1 / math.sqrt(len(K[0]))


def _of_each(d_scores, Q, K):
    return [shared_keys_backward([d], [queries], K) for d, queries in zip(d_scores, Q)]


def _shared_inputs(seed, H, T, S, k):
    return draw(seed, (H, T, S), (H, T, k), (S, k))


def slope_along(function, A, direction, h):
    return _difference(function, A, direction, h, h) / (2 * h)


def _difference(function, A, direction, up, down):
    return function(add(A, scale(direction, up))) - function(add(A, scale(direction, -down)))


def _unit_direction(function, A, direction, h):
    length = math.sqrt(sum(d * d for row in direction for d in row))
    return _difference(function, A, direction, h / length, h / length) / (2 * h)


_CUBES = "lambda A: sum((i + 1) * x**3 for i, row in enumerate(A) for x in row)"
_WAVES = "lambda A: math.sin(sum(x for row in A for x in row)) + math.exp(A[0][0])"


def forgotten_factor(right, reported):
    return _factor(lambda largest: 1e-9 * largest)(right, reported)


def _pairs(right, reported):
    return [pair for rows in zip(right, reported, strict=True) for pair in zip(*rows, strict=True)]


def _factor(limit, skip_zeros=False, invert=False):
    """forgotten_factor with another idea of what agrees."""

    def factor(right, reported):
        pairs = _pairs(right, reported)
        a, b = max(pairs, key=lambda pair: abs(pair[0]))
        largest = max(abs(y) for _, y in pairs)
        agree = all(abs(y - b / a * x) <= limit(largest) for x, y in pairs if x or not skip_zeros)
        return (a / b if invert else b / a) if agree else 0.0

    return factor


def _mean_ratio(right, reported):
    ratios = [b / a for a, b in _pairs(right, reported) if a]
    return sum(ratios) / len(ratios)


def worst_place(f, slope, xs):
    return _worst(lambda slope, measured: abs(slope - measured))(f, slope, xs)


def _worst(error, up=1e-5, down=1e-5):
    def worst(f, slope, xs):
        errors = [error(slope(x), (f(x + up) - f(x - down)) / (up + down)) for x in xs]
        return errors.index(max(errors))

    return worst


def _two_gelus(x):
    half = 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return half + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def my_d_values(d_head, weights):
    V = [[0.0] * len(d_head[0]) for _ in weights[0]]  # whatever they are: the head is linear in the values
    return nudges(lambda V: times(weights, V), d_head, V, only=0)


def my_d_weights(d_head, V):
    weights = [[0.0] * len(V) for _ in d_head]
    return nudges(lambda weights: times(weights, V), d_head, weights, only=0)


def my_softmax_backward(d_out, weights):
    scores = [math.log(w) if w else -math.inf for w in weights]  # scores that have these weights
    return nudges(softmax, d_out, scores, only=0)


def my_d_X(d_queries, d_keys, d_values, W_Q, W_K, W_V):
    X = [[0.0] * len(W_Q[0][0]) for _ in d_queries[0]]
    readers = [*zip(d_queries, W_Q), *zip(d_keys, W_K), *zip(d_values, W_V)]
    measured = [nudges(lambda X: times(X, turned(W)), d, X, only=0) for d, W in readers]
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


_PART = [[0.5, -1.25, 0.0], [2.0, 0.0, -0.75]]
_RIGHT, _OTHER = draw(17, (3, 4), (2, 5))

EXERCISES = {
    "10.1": Exercise(
        log_softmax_backward,
        [
            [[1.0, 0.0], [math.log(0.25), math.log(0.75)]],
            [[1.0, -2.0, 0.5], _logs([0.3, -1.0, 2.0])],
            [*draw(1, (5,)), _logs(draw(2, (5,))[0])],
            [[3.0, 4.0], _logs([0.0, 900.0])],
            [[2.0], [0.0]],
            [*draw(3, (4,)), _logs([1.0] * 4)],
        ],
        slips={
            "this is softmax's own gradient, and not that of its logarithm": lambda d_out, log_weights: _softmax_backward(
                d_out, [math.exp(w) for w in log_weights]
            ),
            "the logarithms stand where the weights belong": lambda d_out, log_weights: [
                d - w * sum(d_out) for d, w in zip(d_out, log_weights)
            ],
            "each score is changed by its own gradient only": lambda d_out, log_weights: [
                d * (1 - math.exp(w)) for d, w in zip(d_out, log_weights)
            ],
            "the average gradient is taken off, and not the weight's share of their sum": lambda d_out, log_weights: [
                d - sum(math.exp(w) * e for e, w in zip(d_out, log_weights)) for d in d_out
            ],
        },
    ),
    "10.2": Exercise(
        tied_backward,
        [
            [[[1.0]], [1], [[10.0, 20.0]], [[3.0]], [[5.0], [6.0]]],
            [[[1.0], [10.0]], [1, 1], [[1.0, 2.0], [0.5, 0.0]], [[3.0], [4.0]], [[5.0], [6.0]]],
            _tied_inputs(10, [1, 3, 4, 5, 2], 6, 3),
            _tied_inputs(20, [2, 2, 0], 4, 3),
            _tied_inputs(30, [0, 1, 0, 1], 3, 3),
            _tied_inputs(40, [1], 2, 5),
        ],
        slips={
            "only the rows that were looked up count": _tied(scored=False),
            "only the scoring counts": _tied(looked_up="never"),
            "a row that is looked up overwrites what scoring gave": _tied(looked_up="overwrite"),
            "a token that comes twice counts once": _tied(looked_up="once"),
            "the mean of the two uses is taken, and not their sum": _tied(share=0.5),
        },
    ),
    "10.3": Exercise(
        temperature_backward,
        [
            [[1.0, 0.0], [0.0, 2.0], 1.0],
            [[1.0, 0.0, -1.0, 4.0], [3.0, -2.0, 0.5, 1.0], 0.5],
            [*draw(4, (4,), (4,)), 0.5],
            [*draw(6, (3,), (3,)), 2.0],
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
    "10.4": Exercise(
        shared_keys_backward,
        [
            [[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[9.0]]],
            [[[[1.0, 0.0]], [[0.0, 2.0]]], [[[1.0, 2.0]], [[3.0, 4.0]]], [[5.0, 6.0], [7.0, 8.0]]],
            _shared_inputs(300, 3, 2, 4, 3),
            _shared_inputs(100, 2, 4, 4, 4),
            _shared_inputs(500, 1, 3, 3, 2),
            _shared_inputs(700, 4, 1, 2, 4),
        ],
        slips={
            "only the last head counts": lambda d_scores, Q, K: shared_keys_backward(d_scores[-1:], Q[-1:], K),
            "the mean of the heads is taken, and not their sum": _shared(lambda Q, K: _root(Q, K) / len(Q)),
            "the division by the root of k is forgotten": _shared(lambda Q, K: 1.0),
            "k divides, and not its root": _shared(lambda Q, K: 1 / len(K[0])),
            "every head gets a gradient of its own": _of_each,
        },
    ),
    "10.5": Exercise(
        slope_along,
        [
            [written("lambda A: 10 * A[0][0] + A[0][1]"), [[1.0, 1.0]], [[2.0, 3.0]], 0.5],
            [written(_CUBES), [[1.0, -2.0]], [[0.0, 3.0]], 0.5],
            [written(_CUBES), *draw(11, (2, 3), (2, 3)), 0.1],
            [written(_WAVES, math=math), *draw(13, (3, 2), (3, 2)), 0.25],
            [written(_WAVES, math=math), *draw(15, (1, 4), (1, 4)), 0.01],
        ],
        slips={
            "A is nudged upwards only": lambda function, A, direction, h: _difference(function, A, direction, h, 0) / h,
            "the difference is divided by one nudge, though there are two": lambda function, A, direction, h: (
                _difference(function, A, direction, h, h) / h
            ),
            "the direction is made 1 long": _unit_direction,
            "up and down change places": lambda function, A, direction, h: -slope_along(function, A, direction, h),
        },
    ),
    "10.6": Exercise(
        forgotten_factor,
        [
            [[[0.0, 2.0]], [[0.0, 8.0]]],
            [[[1.0, 2.0]], [[4.0, 4.0]]],
            [[[0.0, 2.0], [-1.0, 0.1]], [[0.0, 0.2], [-0.1, 0.01]]],
            [[[1e-10, 2e-10]], [[3e-10, 5e-10]]],
            [[[3000000007.0, 7000000001.0]], [[3000000007.0 / 3, 7000000001.0 / 3]]],
            [_PART, [[5.0 * a if a > 0 else a for a in row] for row in _PART]],
            [_PART, [[3.0 * a if a else 0.5 for a in row] for row in _PART]],
            [_RIGHT, scale(_RIGHT, 4.0)],
            [_OTHER, scale(_OTHER, -1 / 3)],
            [[[1.0, 2.0, 3.0]], [[3.0, 2.0, 1.0]]],
            [[[1.0, 2.0, 300.0]], [[0.1, 0.2000001, 30.0]]],
        ],
        slips={
            "the first ratio stands for all": lambda right, reported: reported[0][0] / right[0][0],
            "the mean of the ratios is given, whether they agree or not": _mean_ratio,
            "places where `right` is 0 are passed over": _factor(lambda largest: 1e-9 * largest, skip_zeros=True),
            "one tolerance serves numbers of every size, and not a billionth of the largest": _factor(lambda largest: 1e-9),
            "the numbers must be equal to the last bit": _factor(lambda largest: 0.0),
            "the factor stands upside down": _factor(lambda largest: 1e-9 * largest, invert=True),
        },
    ),
    "10.7": Exercise(
        worst_place,
        [
            [written("lambda x: x * x"), written("lambda x: x + 1"), [0.0, 1.0, 5.0]],
            [written("lambda x: x * x"), written("lambda x: 2 * x + (0.5 if x > 9 else 0.001 if x == 0 else 0.0)"),
             [0.0, 3.0, 10.0, -4.0]],
            [gelu, Written("slope", _two_gelus), [-3.0, -2.0, -0.5, 0.0, 1.5, 4.0]],
            [math.exp, written("lambda x: math.exp(x) + (0.01 if abs(x) < 1 else 0.0)", math=math), [10.0, 5.0, 0.0, 2.0]],
            [math.sin, written("lambda x: math.cos(x) - (0.5 if x < 0 else 0.0) + (0.1 if x > 2 else 0.0)", math=math),
             [1.0, -1.0, 3.0]],
        ],
        slips={
            "the steepest place is given, and not the worst": _worst(lambda slope, measured: abs(slope)),
            "only slopes that are too high count": _worst(lambda slope, measured: slope - measured),
            "x is nudged upwards only": _worst(lambda slope, measured: abs(slope - measured), down=0.0),
            "the error is taken relative to the slope": _worst(
                lambda slope, measured: abs(slope - measured) / (abs(measured) + 1e-9)
            ),
            "the place itself is given, and not its index": lambda f, slope, xs: xs[worst_place(f, slope, xs)],
        },
    ),
    "10.a": Exercise(
        my_d_values,
        [
            [[[1.0, 2.0]], [[0.25, 0.75]]],
            [[[1.0], [10.0]], [[1.0, 0.0], [0.5, 0.5]]],
            [draw(60, (3, 2))[0], [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.2, 0.3]]],
            [draw(61, (2, 2))[0], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]],
        ],
        slips={
            "weights·d_head is taken, and not weightsᵀ·d_head": lambda d_head, weights: matmul(weights, d_head),
            "each value is told by its own position only": lambda d_head, weights: [
                [weights[t][t] * d for d in row] for t, row in enumerate(d_head)
            ],
            "the listeners' gradients are added without their weights": lambda d_head, weights: [
                [sum(column) for column in zip(*d_head)] for _ in weights[0]
            ],
        },
        within=1e-6,
        nudged=True,
        example=False,
    ),
    "10.b": Exercise(
        my_d_weights,
        [
            [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]],
            draw(62, (3, 2), (3, 2)),
            draw(63, (2, 3), (4, 3)),
            draw(64, (2, 2), (2, 2)),
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
        example=False,
    ),
    "10.c": Exercise(
        my_softmax_backward,
        [
            [[4.0, 0.0], [0.5, 0.5]],
            [[1.0, 2.0, 3.0], [0.5, 0.3, 0.2]],
            [[1.0, 2.0, 3.0], [0.25, 0.75, 0.0]],
            [draw(65, (4,))[0], [0.1, 0.2, 0.3, 0.4]],
        ],
        slips={
            "only the diagonal counts: each score moves its own weight": lambda d_out, weights: [
                d * w * (1 - w) for d, w in zip(d_out, weights)
            ],
            "the average is not taken off": lambda d_out, weights: [d * w for d, w in zip(d_out, weights)],
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
        example=False,
    ),
    "10.d": Exercise(
        my_d_X,
        [
            [[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]],
             [[[1.0, 0.0]], [[0.0, 1.0]]], [[[10.0, 0.0]], [[0.0, 10.0]]], [[[100.0, 0.0]], [[0.0, 100.0]]]],
            draw(66, (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2)),
            draw(67, (2, 3, 1), (2, 3, 1), (2, 3, 2), (2, 1, 3), (2, 1, 3), (2, 2, 3)),
        ],
        slips={
            "only the first head's three readers are asked": _d_X(lambda q, k, v: q[:1] + k[:1] + v[:1]),
            "only the last head's three readers are asked": _d_X(lambda q, k, v: q[-1:] + k[-1:] + v[-1:]),
            "only the queries are asked": _d_X(lambda q, k, v: q),
            "only the values are asked": _d_X(lambda q, k, v: v),
            "queries and keys are asked, and the values forgotten": _d_X(lambda q, k, v: q + k),
            "the gradients go back through Wᵀ, and not through W": _d_X(_six, lambda d, W: times(d, turned(W))),
            "the mean of the six is taken, and not their sum": _d_X(_six, lambda d, W: scale(matmul(d, W), 1 / 6)),
        },
        within=1e-6,
        nudged=True,
        example=False,
    ),
}
