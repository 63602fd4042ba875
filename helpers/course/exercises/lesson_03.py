"""The graded tasks of lesson 03. This file holds the answers."""

import math

from ...attention import attention_scores
from ...matrices import add, matmul, transpose
from .exercise import Exercise, draw_inputs, times, turned


def _mask(sees, yes=0.0, no=-math.inf):
    return lambda T: [[yes if sees(i, j) else no for j in range(T)] for i in range(T)]


def my_softmax(scores):
    largest = max(scores)
    exponentials = [math.exp(s - largest) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def my_causal_mask(T):
    return _mask(lambda i, j: j <= i)(T)


def my_attention(Q, K, V, mask):
    return _attention(Q, K, V, mask)


def _attention(Q, K, V, mask, divisor=lambda Q, K, V: math.sqrt(len(K[0])), late=False, soften=None):
    """attention with another divisor, another softmax, or with the mask after softmax."""
    scores = [[s / divisor(Q, K, V) for s in row] for row in times(Q, turned(K))]
    if mask and not late:
        scores = [[s + m for s, m in zip(*rows)] for rows in zip(scores, mask)]
    weights = soften(scores) if soften else [my_softmax(row) for row in scores]
    if mask and late:
        weights = [[w if m == 0 else 0.0 for w, m in zip(*rows)] for rows in zip(weights, mask)]
    return times(weights, V)


def _weights(Q, K, mask):
    return [my_softmax(row) for row in attention_scores(Q, K, mask)]


def _swapped(Q, K, V, mask):
    return matmul(_weights(K, Q, mask), V)


def _not_transposed(Q, K, V, mask):
    scores = [[s / math.sqrt(len(K[0])) for s in row] for row in matmul(Q, K)]
    return matmul([my_softmax(row) for row in (add(scores, mask) if mask else scores)], V)


def _none_added(Q, K, V, mask):
    scores = add(attention_scores(Q, K), mask)
    return matmul([my_softmax(row) for row in scores], V)


def _by_column(scores):
    return turned([my_softmax(column) for column in turned(scores)])


def _over_all(scores):
    flat, n = my_softmax([s for row in scores for s in row]), len(scores[0])
    return [flat[i : i + n] for i in range(0, len(flat), n)]


def _divided_by(divisor):
    return lambda Q, K, V, mask: _attention(Q, K, V, mask, divisor)


def _shifted(choose):
    """A softmax that subtracts a number other than the largest."""

    def softmax(scores):
        exponentials = [math.exp(s - choose(scores)) for s in scores]
        return [e / sum(exponentials) for e in exponentials]

    return softmax


def _finite(scores):
    return [s for s in scores if math.isfinite(s)]


LARGE_NEGATIVE = {"−1e9": -1e9, "−1e10": -1e10, "−1e30": -1e30, "−10,000": -1e4}
_NOT_LATER = [[0.0, -math.inf, -math.inf], [0.0, 0.0, -math.inf], [0.0, 0.0, 0.0]]
_ITSELF_AND_FIRST = [[0.0, -math.inf, -math.inf], [0.0, 0.0, -math.inf], [0.0, -math.inf, 0.0]]

EXERCISES = {
    "03.a": Exercise(
        my_causal_mask,
        [[2], [3], [1], [5]],
        mistakes={
            "the mask hides earlier positions; it must hide later ones": _mask(lambda i, j: j >= i),
            "a position cannot attend to itself": _mask(lambda i, j: j < i),
            "a position can attend to the next position, too": _mask(lambda i, j: j <= i + 1),
            "1 and 0 are used; the mask is added to scores, so it needs 0 and −∞": _mask(
                lambda i, j: j <= i, 1.0, 0.0
            ),
            "0 and −∞ are swapped": _mask(lambda i, j: j > i),
            "the sign is wrong: +∞ would give later positions all the weight": _mask(
                lambda i, j: j <= i, no=math.inf
            ),
            "no position is hidden": _mask(lambda i, j: True),
        }
        | {
            f"{name} is used for −∞. Other code does this, but only -math.inf always gives "
            "the weight 0": _mask(lambda i, j: j <= i, no=no)
            for name, no in LARGE_NEGATIVE.items()
        },
    ),
    "03.b": Exercise(
        my_softmax,
        [
            [[5.0, 5.0]],
            [[1.0, 2.0, 3.0]],
            [[5]],
            [[-1.5, 0.25, 2.0, 0.25]],
            [[1000.0, 1001.0]],
            [[-1000.0, -1002.0]],
            [[3.0, -math.inf, 1.0]],
            [[-math.inf, 0.5]],
            [[0.0, 1000.0]],
            [[1000.0, 0.0]],
            [[0.0, 1.5, 2000.0]],
            [[0.0, 2000.0, 2000.0, 0.0]],
            [[2000.0, 0.0, 1.5]],
        ],
        mistakes={
            "the largest score is not subtracted first: exp overflows, or every exponential is 0": _shifted(
                lambda s: 0.0
            ),
            "the first score is subtracted; it may be far below the largest": _shifted(lambda s: s[0]),
            "the last score is subtracted; it may be far below the largest": _shifted(lambda s: s[-1]),
            "the smallest score is subtracted; subtract the largest": _shifted(min),
            "the smallest finite score is subtracted; subtract the largest": _shifted(
                lambda s: min(_finite(s))
            ),
            "the mean of the scores is subtracted; subtract the largest": _shifted(lambda s: sum(s) / len(s)),
            "a number below the largest score is subtracted, such as the mean": _shifted(
                lambda s: sum(_finite(s)) / len(_finite(s))
            ),
            "the scores are divided by the largest; subtract it": lambda scores: my_softmax(
                [s / max(scores) for s in scores]
            ),
            "the scores are divided by their sum, without exp": lambda scores: [
                s / sum(scores) for s in scores
            ],
            "the exponentials are not divided by their sum": lambda scores: [
                math.exp(s - max(scores)) for s in scores
            ],
            "the exponentials are divided by the largest; divide by the sum": lambda scores: [
                math.exp(s) / max(map(math.exp, scores)) for s in scores
            ],
            "the exponentials are divided by the number of scores; divide by their sum": lambda scores: [
                math.exp(s - max(scores)) / len(scores) for s in scores
            ],
            "2 is raised to the scores; softmax uses e": lambda scores: [
                2 ** (s - max(scores)) / sum(2 ** (x - max(scores)) for x in scores) for s in scores
            ],
            "the signs of the scores are reversed": lambda scores: my_softmax([-s for s in scores]),
        },
    ),
    "03.c": Exercise(
        my_attention,
        [
            [[[0, 0]], [[1, 2], [3, 4]], [[10, 0], [20, 2]], None],
            [[[1.0, 0.5], [0.0, 2.0]], [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [[10.0], [20.0], [40.0]], None],
            [*draw_inputs(6, (3, 2), (3, 2), (3, 2)), _NOT_LATER],
            [*draw_inputs(7, (3, 4), (3, 4), (3, 1)), _NOT_LATER],
            [*draw_inputs(8, (2, 3), (4, 3), (4, 2)), None],
            [*draw_inputs(10, (3, 2), (3, 2), (3, 2)), None],
            [*draw_inputs(11, (3, 3), (3, 3), (3, 2)), _ITSELF_AND_FIRST],
            [*draw_inputs(9, (3, 3), (3, 3), (3, 3), top=90), _NOT_LATER],
        ],
        mistakes={
            "the causal mask is added; add the mask that is given": lambda Q, K, V, mask: _attention(
                Q, K, V, my_causal_mask(len(Q)) if len(Q) == len(K) else None
            ),
            "the mask is not added": lambda Q, K, V, mask: _attention(Q, K, V, None),
            "the scores are not divided by √k": _divided_by(lambda Q, K, V: 1),
            "the scores are divided by k, not by its root": _divided_by(lambda Q, K, V: len(K[0])),
            "the scores are divided by √8; k is the width of the keys": _divided_by(
                lambda Q, K, V: math.sqrt(8)
            ),
            "the scores are divided by the root of the number of queries; k is the width of the keys": (
                _divided_by(lambda Q, K, V: math.sqrt(len(Q)))
            ),
            "the scores are divided by the root of the number of keys; k is the width of the keys": (
                _divided_by(lambda Q, K, V: math.sqrt(len(K)))
            ),
            "the scores are divided by the root of the width of the values; k is the width of the keys": (
                _divided_by(lambda Q, K, V: math.sqrt(len(V[0])))
            ),
            "the scores are multiplied by √k": _divided_by(lambda Q, K, V: len(K[0]) ** -0.5),
            "the mask comes after softmax, so the weights no longer sum to 1": (
                lambda Q, K, V, mask: _attention(Q, K, V, mask, late=True)
            ),
            "softmax is applied to the columns; apply it to each row": (
                lambda Q, K, V, mask: _attention(Q, K, V, mask, soften=_by_column)
            ),
            "softmax is applied to the whole matrix; apply it to each row": (
                lambda Q, K, V, mask: _attention(Q, K, V, mask, soften=_over_all)
            ),
            "softmax is left out": lambda Q, K, V, mask: _attention(Q, K, V, mask, soften=lambda s: s),
            "the weights average the keys; they must average the values": (
                lambda Q, K, V, mask: _attention(Q, K, K, mask)
            ),
            "queries and keys are swapped": _swapped,
            "K is not transposed": _not_transposed,
            "the mask is added without a test; if `mask` is None, nothing is added": _none_added,
            "the attention weights are returned; multiply them by V": lambda Q, K, V, mask: _weights(
                Q, K, mask
            ),
            "the attention scores are returned; softmax and the values are missing": (
                lambda Q, K, V, mask: attention_scores(Q, K, mask)
            ),
        },
    ),
}
