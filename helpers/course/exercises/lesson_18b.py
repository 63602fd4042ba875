"""Lesson 18b: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ...activations import gelu, relu
from ...attention import softmax
from ...backward import softmax_backward
from ...experts import balance_loss, expert_loads, route
from ...layers import feed_forward, linear
from ...matrices import dot
from .exercise import Exercise, draw_inputs, turned


def _probabilities(x, W_router):
    return softmax(linear([x], W_router)[0])


def _output(x, expert, activation=gelu):
    W_1, W_2 = expert
    return feed_forward([x], W_1, None, W_2, None, activation)[0]


def _times(c, y):
    return [c * y_i for y_i in y]


def _total(vectors):
    return [math.fsum(column) for column in zip(*vectors)]


def my_route(x, W_router):
    return route(x, W_router)


def _choice(score, probability=None):
    """route by other scores: score gives them from the logits; probability from the logits and the index."""

    def wrong(x, W_router):
        logits = linear([x], W_router)[0]
        scores = score(logits)
        e = scores.index(max(scores))
        return e, probability(logits, e) if probability else softmax(logits)[e]

    return wrong


def _last_of_equals(x, W_router):
    probabilities = _probabilities(x, W_router)
    e = max(range(len(probabilities)), key=lambda i: (probabilities[i], i))
    return e, probabilities[e]


def my_mixture(x, W_router, experts):
    e, p = route(x, W_router)
    return _times(p, _output(x, experts[e]))


def _with(combine):
    """A mixture from combine(x, its probabilities, the chosen expert's index, experts)."""

    def wrong(x, W_router, experts):
        e, _ = route(x, W_router)
        return combine(x, _probabilities(x, W_router), e, experts)

    return wrong


def _second(probabilities):
    return sorted(range(len(probabilities)), key=lambda i: -probabilities[i])[1]


def _without_activation(x):
    return x


def _at(gradient, probabilities, e):
    """The gradients of the probabilities if that of expert e is given."""
    d_probabilities = [0.0] * len(probabilities)
    d_probabilities[e] = gradient
    return d_probabilities


def _of_probabilities(d_out, y, probabilities, e):
    return _at(dot(d_out, y), probabilities, e)


def my_score_gradients(d_out, y, probabilities, e):
    return softmax_backward(_of_probabilities(d_out, y, probabilities, e), probabilities)


def _counts(probabilities, pick=max):
    chosen = [row.index(pick(row)) for row in probabilities]
    return [chosen.count(e) for e in range(len(probabilities[0]))]


def _means(probabilities):
    return [math.fsum(column) / len(probabilities) for column in zip(*probabilities)]


def my_balance_loss(probabilities):
    return balance_loss(probabilities)


def _experts(seed, N, F, D):
    """N experts as lists of W_1 and W_2."""
    return [draw_inputs(100 * seed + e, (F, D), (D, F)) for e in range(N)]


# two experts whose outputs can be worked out for positive x: 10 · x[0] and 0, and twice 7 · x[1]
SMALL = [[[[100.0, 0.0]], [[0.1], [0.0]]], [[[0.0, 100.0]], [[0.07], [0.07]]]]
TOKENS = [[0.7, 0.2, 0.1], [0.5, 0.1, 0.4], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]
HALVES = [[0.75, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.25]]
DEAD = [[0.5, 0.25, 0.125, 0.125], [0.25, 0.5, 0.125, 0.125]]
MANY = [softmax(row) for row in draw_inputs(7, (9, 4))[0]]
TWO = [softmax(row) for row in draw_inputs(8, (5, 2))[0]]
X3, W3, X4, W4, X2, W2 = draw_inputs(3, (3,), (4, 3), (4,), (4, 4), (2,), (6, 2))
EXERCISES = {
    "18.f": Exercise(
        my_route,
        [
            [[2.0, 1.0], [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]]],
            [[1.0, -1.0], [[0.0, 0.0], [1.0, 1.0]]],
            [X3, W3],
            [X4, W4],
            [X2, W2],
            [[3.0], [[-2.0], [-1.0], [-4.0]]],
            [[40.0, 1.0], [[30.0, 0.0], [30.0, 1.0]]],
        ],
        mistakes={
            "the score is returned, and not its probability": _choice(list, lambda logits, e: logits[e]),
            "the expert with the lowest probability is chosen": _choice(
                lambda logits: [-score for score in logits]
            ),
            "the score farthest from 0 is chosen": _choice(lambda logits: [*map(abs, logits)]),
            "softmax is taken of the chosen score alone, so the probability is always 1": _choice(
                list, lambda logits, e: 1.0
            ),
            "exp of the score is returned; softmax divides it by the sum over all experts": _choice(
                list, lambda logits, e: math.exp(min(logits[e], 700))
            ),
            "the score is divided by the sum of all scores, without exp": _choice(
                list, lambda logits, e: logits[e] / (sum(logits) or math.nan)
            ),
            "the sigmoid of the score is returned, and not softmax": _choice(
                list, lambda logits, e: 1 / (1 + math.exp(-logits[e]))
            ),
            "the scores are divided by √D, as in attention": lambda x, W_router: _choice(
                list, lambda logits, e: softmax([score / math.sqrt(len(x)) for score in logits])[e]
            )(x, W_router),
            "the experts are counted from 1": lambda x, W_router: (
                route(x, W_router)[0] + 1,
                route(x, W_router)[1],
            ),
            "the last of several equal probabilities is chosen": _last_of_equals,
            "the two results are in the other order": lambda x, W_router: route(x, W_router)[::-1],
            "only the index is returned; return the index and its probability": lambda x, W_router: route(
                x, W_router
            )[0],
            "only the probability is returned; return the index before it": lambda x, W_router: route(
                x, W_router
            )[1],
            "all probabilities are returned, and not the expert and its probability": _probabilities,
            "W_router is read [in][out]": lambda x, W_router: route(x, turned(W_router)),
            "the highest probability is returned twice, and no index": lambda x, W_router: (
                (route(x, W_router)[1],) * 2
            ),
        },
    ),
    "18.g": Exercise(
        my_mixture,
        [
            [[2.0, 1.0], [[0.0, 0.0], [-1.0, 0.0]], SMALL],
            [[3.0, 1.0], [[0.0, 0.0], [-1.0, 4.0]], SMALL],
            [X3, W3, _experts(1, 4, 5, 3)],
            [X4, W4, _experts(2, 4, 2, 4)],
            [X2, W2, _experts(3, 6, 3, 2)],
        ],
        mistakes={
            "the output is not multiplied by the probability": _with(
                lambda x, p, e, experts: _output(x, experts[e])
            ),
            "a matrix is returned; return its row 0": _with(
                lambda x, p, e, experts: [_times(p[e], _output(x, experts[e]))]
            ),
            "the outputs of all experts are added; only the chosen expert computes": _with(
                lambda x, p, e, experts: _total(_times(p_i, _output(x, f)) for p_i, f in zip(p, experts))
            ),
            "the outputs of all experts are added, each with the probability of the chosen one": _with(
                lambda x, p, e, experts: _total(_times(p[e], _output(x, f)) for f in experts)
            ),
            "the outputs of all experts are added": _with(
                lambda x, p, e, experts: _total(_output(x, f) for f in experts)
            ),
            "x is multiplied by the probability before the expert; multiply the output": _with(
                lambda x, p, e, experts: _output(_times(p[e], x), experts[e])
            ),
            "the probability is multiplied in twice, before the expert and after it": _with(
                lambda x, p, e, experts: _times(p[e], _output(_times(p[e], x), experts[e]))
            ),
            "the output is multiplied by the square of the probability": _with(
                lambda x, p, e, experts: _times(p[e] ** 2, _output(x, experts[e]))
            ),
            "the output is divided by the probability": _with(
                lambda x, p, e, experts: _times(1 / p[e], _output(x, experts[e]))
            ),
            "the probability is added to the output, and not multiplied": _with(
                lambda x, p, e, experts: [p[e] + y for y in _output(x, experts[e])]
            ),
            "x is added; the residual connection is not a part of the mixture": _with(
                lambda x, p, e, experts: _total([x, _times(p[e], _output(x, experts[e]))])
            ),
            "the expert with the second highest probability works": _with(
                lambda x, p, e, experts: _times(p[_second(p)], _output(x, experts[_second(p)]))
            ),
            "the expert with the lowest probability works": _with(
                lambda x, p, e, experts: _times(min(p), _output(x, experts[p.index(min(p))]))
            ),
            "the right probability is multiplied by the output of another expert, the first": _with(
                lambda x, p, e, experts: _times(p[e], _output(x, experts[0]))
            ),
            "the first expert works, whatever the router says": _with(
                lambda x, p, e, experts: _times(p[0], _output(x, experts[0]))
            ),
            "the output is multiplied by 1 / N, and not by the probability": _with(
                lambda x, p, e, experts: _times(1 / len(p), _output(x, experts[e]))
            ),
            "the output is multiplied by the score; take the probability": lambda x, W_router, experts: (
                _times(max(linear([x], W_router)[0]), _output(x, experts[route(x, W_router)[0]]))
            ),
            "the expert works without its activation function": _with(
                lambda x, p, e, experts: _times(p[e], _output(x, experts[e], _without_activation))
            ),
            "the expert's activation function is ReLU, and not GELU": _with(
                lambda x, p, e, experts: _times(p[e], _output(x, experts[e], relu))
            ),
        },
    ),
    "18.h": Exercise(
        my_score_gradients,
        [
            [[3.0, 4.0], [20.0, 0.0], [0.75, 0.25], 0],
            [[1.0, -2.0], [0.5, 2.0], [0.125, 0.5, 0.375], 1],
            [[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.4], 3],
            [[-0.5, 0.25], [1.5, -3.0], [0.6, 0.1, 0.3], 0],
        ],
        mistakes={
            "the gradients of the probabilities are returned, and not those of the scores": (
                lambda d_out, y, probabilities, e: _of_probabilities(d_out, y, probabilities, e)
            ),
            "only the chosen expert's score gets its gradient; softmax couples the scores": (
                lambda d_out, y, probabilities, e: [
                    g if i == e else 0.0 for i, g in enumerate(my_score_gradients(d_out, y, probabilities, e))
                ]
            ),
            "every probability gets the gradient d_out · y; only the chosen expert's has one": (
                lambda d_out, y, probabilities, e: softmax_backward(
                    [dot(d_out, y)] * len(probabilities), probabilities
                )
            ),
            "d_out and y are added up first, and then multiplied": (
                lambda d_out, y, probabilities, e: softmax_backward(
                    _at(math.fsum(d_out) * math.fsum(y), probabilities, e), probabilities
                )
            ),
            "the gradient of p_e is the sum of d_out; it is the dot product of d_out and y": (
                lambda d_out, y, probabilities, e: softmax_backward(
                    _at(math.fsum(d_out), probabilities, e), probabilities
                )
            ),
            "the gradient of p_e is the sum of y; it is the dot product of d_out and y": (
                lambda d_out, y, probabilities, e: softmax_backward(
                    _at(math.fsum(y), probabilities, e), probabilities
                )
            ),
            "the two arguments of softmax_backward are exchanged": (
                lambda d_out, y, probabilities, e: softmax_backward(
                    probabilities, _of_probabilities(d_out, y, probabilities, e)
                )
            ),
            "the gradient of p_e is multiplied by p_e once more": (
                lambda d_out, y, probabilities, e: softmax_backward(
                    _at(probabilities[e] * dot(d_out, y), probabilities, e), probabilities
                )
            ),
            "each gradient is multiplied by its probability, and the mean is not subtracted": (
                lambda d_out, y, probabilities, e: [
                    p * g for p, g in zip(probabilities, _of_probabilities(d_out, y, probabilities, e))
                ]
            ),
            "the mean is subtracted, and the result is not multiplied by the probabilities": (
                lambda d_out, y, probabilities, e: [
                    g - probabilities[e] * dot(d_out, y)
                    for g in _of_probabilities(d_out, y, probabilities, e)
                ]
            ),
            "the first expert is taken as the chosen one": (
                lambda d_out, y, probabilities, e: my_score_gradients(d_out, y, probabilities, 0)
            ),
            "the last expert is taken as the chosen one": (
                lambda d_out, y, probabilities, e: my_score_gradients(d_out, y, probabilities, -1)
            ),
            "the signs are the other ones": lambda d_out, y, probabilities, e: [
                -g for g in my_score_gradients(d_out, y, probabilities, e)
            ],
            "softmax is applied to the probabilities again": (
                lambda d_out, y, probabilities, e: my_score_gradients(d_out, y, softmax(probabilities), e)
            ),
            "only the gradient of the chosen expert's score is returned": (
                lambda d_out, y, probabilities, e: my_score_gradients(d_out, y, probabilities, e)[e]
            ),
            "only the gradient of p_e is returned": lambda d_out, y, probabilities, e: dot(d_out, y),
        },
    ),
    "18.i": Exercise(
        my_balance_loss,
        [[HALVES], [[[0.5, 0.5], [0.5, 0.5]]], [TOKENS], [DEAD], [MANY], [TWO]],
        mistakes={
            "the sum is not multiplied by N": lambda probabilities: dot(
                expert_loads(probabilities), _means(probabilities)
            ),
            "the loads are squared; multiply each load by the mean probability": lambda probabilities: (
                len(probabilities[0]) * dot(expert_loads(probabilities), expert_loads(probabilities))
            ),
            "the mean probabilities are squared; multiply each by the load": lambda probabilities: (
                len(probabilities[0]) * dot(_means(probabilities), _means(probabilities))
            ),
            "the counts or the sums of the probabilities are not divided by the number of tokens": (
                lambda probabilities: len(probabilities) * balance_loss(probabilities)
            ),
            "neither the counts nor the probabilities are divided by the number of tokens": (
                lambda probabilities: len(probabilities) ** 2 * balance_loss(probabilities)
            ),
            "the sum is multiplied by the number of tokens, and not of experts": lambda probabilities: (
                len(probabilities) * dot(expert_loads(probabilities), _means(probabilities))
            ),
            "the sum is divided by N, and not multiplied": lambda probabilities: (
                dot(expert_loads(probabilities), _means(probabilities)) / len(probabilities[0])
            ),
            "the sum is multiplied by N twice": lambda probabilities: (
                len(probabilities[0]) * balance_loss(probabilities)
            ),
            "the probabilities of the first token are used, and not the means over all tokens": (
                lambda probabilities: (
                    len(probabilities[0]) * dot(expert_loads(probabilities), probabilities[0])
                )
            ),
            "the probabilities of the last token are used, and not the means over all tokens": (
                lambda probabilities: (
                    len(probabilities[0]) * dot(expert_loads(probabilities), probabilities[-1])
                )
            ),
            "1 is subtracted": lambda probabilities: balance_loss(probabilities) - 1,
            "the small factor is multiplied in; return the loss without it": lambda probabilities: (
                0.02 * balance_loss(probabilities)
            ),
            "the sign is the other one": lambda probabilities: -balance_loss(probabilities),
            "the loads and mean probabilities are added, and not multiplied": lambda probabilities: (
                len(probabilities[0]) * math.fsum([*expert_loads(probabilities), *_means(probabilities)])
            ),
            "the products are not added up": lambda probabilities: [
                len(probabilities[0]) * load * mean
                for load, mean in zip(expert_loads(probabilities), _means(probabilities))
            ],
            "the mean over the chosen tokens is taken: the mean probability is over all tokens": (
                lambda probabilities: (
                    len(probabilities[0])
                    * math.fsum(
                        count
                        / len(probabilities)
                        * math.fsum(row[e] for row in probabilities if row.index(max(row)) == e)
                        / (count or 1)
                        for e, count in enumerate(_counts(probabilities))
                    )
                )
            ),
            "only the largest product is returned": lambda probabilities: max(
                len(probabilities[0]) * load * mean
                for load, mean in zip(expert_loads(probabilities), _means(probabilities))
            ),
            "the distance of the loads from 1 / N is measured": lambda probabilities: math.fsum(
                (load - 1 / len(probabilities[0])) ** 2 for load in expert_loads(probabilities)
            ),
        },
    ),
}
