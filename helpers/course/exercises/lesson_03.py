"""Lesson 03, hidden side. Reading on gives answers away."""

import math

from ...attention import attention
from .exercise import Exercise, draw_inputs, times, turned


def window_mask(T, w):
    return _mask(lambda i, j: 0 <= i - j < w)(T)


def _mask(sees, yes=0.0, no=-math.inf):
    return lambda T: [[yes if sees(i, j) else no for j in range(T)] for i in range(T)]


def attention_at(t, Q, K, V):
    weights = my_softmax([sum(q * k for q, k in zip(Q[t], key)) / math.sqrt(len(key)) for key in K[: t + 1]])
    return times([weights], V[: t + 1])[0]


def _attention_at(seen=lambda t: t + 1, root=lambda k, t: math.sqrt(k), soften=None):
    """attention_at that sees so many positions, divides by something else, or has a softmax of its own."""

    def at(t, Q, K, V):
        n = min(seen(t), len(K))
        scores = [sum(q * k for q, k in zip(Q[t], key)) / root(len(key), t) for key in K[:n]]
        weights = (soften or my_softmax)(scores)
        return times([weights], V[:n])[0]

    return at


def _masked_late(t, Q, K, V):
    weights = my_softmax([sum(q * k for q, k in zip(Q[t], key)) / math.sqrt(len(key)) for key in K])
    return times([weights[: t + 1]], V[: t + 1])[0]


def my_softmax(scores):
    largest = max(scores)
    exponentials = [math.exp(s - largest) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def _unshifted(scores):
    exponentials = [math.exp(s) for s in scores]
    return [e / sum(exponentials) for e in exponentials]


def my_causal_mask(T):
    return _mask(lambda i, j: j <= i)(T)


def my_attention(Q, K, V, mask):
    return _attention(Q, K, V, mask)


def _attention(Q, K, V, mask, divide=math.sqrt, late=False):
    """attention with another division, or with the mask behind softmax."""
    scores = [[s / divide(len(K[0])) for s in row] for row in times(Q, turned(K))]
    if mask and not late:
        scores = [[s + m for s, m in zip(*rows)] for rows in zip(scores, mask)]
    weights = [my_softmax(row) for row in scores]
    if mask and late:
        weights = [[w if m == 0 else 0.0 for w, m in zip(*rows)] for rows in zip(weights, mask)]
    return times(weights, V)


def _softmax_by_column(Q, K, V, mask):
    scores = [[s / math.sqrt(len(K[0])) for s in row] for row in times(Q, turned(K))]
    scores = [[s + m for s, m in zip(*rows)] for rows in zip(scores, mask)] if mask else scores
    return times(turned([my_softmax(column) for column in turned(scores)]), V)


_NOT_LATER = [[0.0, -math.inf, -math.inf], [0.0, 0.0, -math.inf], [0.0, 0.0, 0.0]]

EXERCISES = {
    "03.1": Exercise(
        attention_at,
        [
            [
                2,
                [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.5, 0.0]],
                [[1.0, 0.0], [1.0, 1.0], [3.0, 0.0], [5.0, 5.0]],
                [[10.0], [30.0], [20.0], [90.0]],
            ],
            [
                1,
                [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]],
                [[1.0, 0.0], [3.0, 0.0], [5.0, 5.0]],
                [[10.0], [20.0], [90.0]],
            ],
            [0, [[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0, 7.0]]],
            [2, *draw_inputs(1, (3, 4), (3, 4), (3, 2))],
            [1, *draw_inputs(2, (5, 3), (5, 3), (5, 4))],
            [0, *draw_inputs(3, (4, 2), (4, 2), (4, 5))],
            [3, *draw_inputs(4, (6, 5), (6, 5), (6, 1))],
            [3, *draw_inputs(5, (4, 4), (4, 4), (4, 3), top=90)],
            [
                1,
                [[40.0, 30.0], [30.0, 40.0]],
                [[30.0, 40.0], [40.0, 40.0]],
                [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            ],
        ],
        slips={
            "later positions are seen, too": lambda t, Q, K, V: attention(Q, K, V)[t],
            "all rows come back, and not row t alone": lambda t, Q, K, V: attention(
                Q, K, V, my_causal_mask(len(Q))
            ),
            "the position does not see itself": _attention_at(lambda t: t),
            "the position does not see itself, unless it is the first": _attention_at(lambda t: max(t, 1)),
            "the scores are divided by √8, however wide the keys are": _attention_at(
                root=lambda k, t: math.sqrt(8)
            ),
            "exp is taken of the scores as they are: subtract the largest first": _attention_at(
                soften=_unshifted
            ),
            "the scores are not divided by the root of k": _attention_at(root=lambda k, t: 1),
            "the scores are divided by k, and not by its root": _attention_at(root=lambda k, t: k),
            "the scores are divided by the root of the number of keys": _attention_at(
                root=lambda k, t: math.sqrt(t + 1)
            ),
            (
                "the later positions are cut off behind softmax, so that the weights no longer add up to 1"
            ): _masked_late,
        },
        example=False,
    ),
    "03.2": Exercise(
        window_mask,
        [[3, 2], [5, 3], [6, 1], [3, 7], [4, 4], [1, 1]],
        slips={
            "the mask is causal, without a window": lambda T, w: my_causal_mask(T),
            "the position itself is not counted among the w": lambda T, w: _mask(
                lambda i, j: 0 <= i - j <= w
            )(T),
            "a position sees as far forward as back": lambda T, w: _mask(lambda i, j: abs(i - j) < w)(T),
            "rows and columns change places": lambda T, w: _mask(lambda i, j: 0 <= j - i < w)(T),
            "1 stands for seen and 0 for unseen": lambda T, w: _mask(lambda i, j: 0 <= i - j < w, 1.0, 0.0)(
                T
            ),
        },
    ),
    "03.a": Exercise(
        my_causal_mask,
        [[2], [3], [1], [5]],
        slips={
            "earlier positions are hidden, and not later ones": _mask(lambda i, j: j >= i),
            "a position does not see itself": _mask(lambda i, j: j < i),
            "1 stands for seen and 0 for unseen": _mask(lambda i, j: j <= i, 1.0, 0.0),
            "0 and −∞ change places": _mask(lambda i, j: j > i),
            "nothing is hidden": _mask(lambda i, j: True),
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
        ],
        slips={
            "nothing is subtracted first, so that exp overflows, or everything becomes 0": _unshifted,
            "the scores are divided by their sum, without exp": lambda scores: [
                s / sum(scores) for s in scores
            ],
            "the powers are not divided by their sum": lambda scores: [
                math.exp(s - max(scores)) for s in scores
            ],
            "each is divided by the largest, and not by the sum": lambda scores: [
                math.exp(s) / max(map(math.exp, scores)) for s in scores
            ],
            "2 is raised to the scores, and not e": lambda scores: [
                2 ** (s - max(scores)) / sum(2 ** (x - max(scores)) for x in scores) for s in scores
            ],
        },
    ),
    "03.c": Exercise(
        my_attention,
        [
            [[[1.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]], [[10.0, 0.0, 1.0], [20.0, 2.0, 1.0]], None],
            [*draw_inputs(6, (3, 2), (3, 2), (3, 2)), _NOT_LATER],
            [*draw_inputs(7, (3, 4), (3, 4), (3, 1)), _NOT_LATER],
            [*draw_inputs(8, (2, 3), (4, 3), (4, 2)), None],
            [*draw_inputs(9, (3, 3), (3, 3), (3, 3), top=90), _NOT_LATER],
        ],
        slips={
            "the mask is not added": lambda Q, K, V, mask: _attention(Q, K, V, None),
            "the scores are not divided by the root of k": lambda Q, K, V, mask: _attention(
                Q, K, V, mask, lambda k: 1
            ),
            "the scores are divided by k, and not by its root": lambda Q, K, V, mask: _attention(
                Q, K, V, mask, lambda k: k
            ),
            "the scores are divided by √8, however wide the keys are": lambda Q, K, V, mask: _attention(
                Q, K, V, mask, lambda k: math.sqrt(8)
            ),
            "the mask comes behind softmax, so that the weights no longer add up to 1": (
                lambda Q, K, V, mask: _attention(Q, K, V, mask, late=True)
            ),
            "softmax is taken down the columns, and not along the rows": _softmax_by_column,
            "the weights average the keys, and not the values": lambda Q, K, V, mask: _attention(
                Q, K, K, mask
            ),
        },
        example=False,
    ),
}
