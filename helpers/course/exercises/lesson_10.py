"""The answers, inputs and known mistakes of lesson 10. Reading on gives answers away."""

import math

from ...attention import causal_mask, softmax
from ...backward import (
    embedding_backward,
    feed_forward_backward,
    layer_norm_backward,
    linear_backward,
    multi_head_attention_backward,
)
from ...finite_differences import numerical_gradient
from ...matrices import add, matmul, scale, transpose
from ...toy import toy_forward
from .exercise import Exercise, draw_inputs, measured_gradients, times, turned, weighted

PARAMETERS = "W_lm gamma beta W_2 b_2 W_1 b_1 W_O W_Q W_K W_V E_token E_pos".split()


def _softmax_backward(d_out, weights):
    average = sum(w * d for w, d in zip(weights, d_out))
    return [w * (d - average) for w, d in zip(weights, d_out)]


def my_matmul_backward(d_out, A, B):
    return measured_gradients(times, d_out, A, B)


def my_softmax_backward(d_out, weights):
    scores = [math.log(w) if w else -math.inf for w in weights]  # scores that have these weights
    return measured_gradients(softmax, d_out, scores, only=0)


def my_d_keys(d_scores, Q):
    K = [[0.0] * len(Q[0]) for _ in d_scores[0]]  # any numbers: the scores are linear in the keys
    root = math.sqrt(len(Q[0]))
    return measured_gradients(lambda K: scale(times(Q, turned(K)), 1 / root), d_scores, K, only=0)


def my_d_X(d_queries, d_keys, d_values, W_Q, W_K, W_V):
    X = [[0.0] * len(W_Q[0][0]) for _ in d_queries[0]]
    users = [*zip(d_queries, W_Q), *zip(d_keys, W_K), *zip(d_values, W_V)]
    measured = [measured_gradients(lambda X: times(X, turned(W)), d, X, only=0) for d, W in users]
    return [[sum(entries) for entries in zip(*rows)] for rows in zip(*measured)]


def _d_X(users, backward=lambda d, W: times(d, W)):
    """my_d_X with some of the users only, or with another backward pass of the linear layer."""

    def total(d_queries, d_keys, d_values, W_Q, W_K, W_V):
        chosen = users([*zip(d_queries, W_Q)], [*zip(d_keys, W_K)], [*zip(d_values, W_V)])
        parts = [backward(d, W) for d, W in chosen]
        return [[sum(entries) for entries in zip(*rows)] for rows in zip(*parts)]

    return total


def _all_users(q, k, v):
    return q + k + v


def _two_heads(q, k, v):
    return [users[h] for users in (q, k, v) for h in range(2)]


def my_backward_pass(p, a, d_logits, tokens):
    def result(p):
        return weighted(d_logits, toy_forward(p, tokens, tokens)["logits"])

    measured = numerical_gradient(result, p)
    return tuple(measured[name] for name in PARAMETERS)


def backward_pass(p, a, d_logits, tokens, meet=add, to_attention=lambda d_X, d_attention_output: d_X):
    """The six steps in order; meet computes the gradient where the residual connection begins."""
    positions = list(range(len(tokens)))
    d_normed, d_W_lm, _ = linear_backward(d_logits, a["normed"], p["W_lm"])
    d_residual, d_gamma, d_beta = layer_norm_backward(d_normed, a["residual"], p["gamma"])
    d_branch, d_W_1, d_b_1, d_W_2, d_b_2 = feed_forward_backward(
        d_residual, a["attention_output"], p["W_1"], p["b_1"], p["W_2"]
    )
    d_attention_output = meet(d_residual, d_branch)
    d_X, d_W_Q, d_W_K, d_W_V, d_W_O = multi_head_attention_backward(
        d_attention_output, a["X"], p["W_Q"], p["W_K"], p["W_V"], p["W_O"], causal_mask(len(tokens))
    )
    d_X = to_attention(d_X, d_attention_output)
    d_E_token = embedding_backward(d_X, tokens, p["E_token"])
    d_E_pos = embedding_backward(d_X, positions, p["E_pos"])
    return (
        *(d_W_lm, d_gamma, d_beta, d_W_2, d_b_2, d_W_1, d_b_1),
        *(d_W_O, d_W_Q, d_W_K, d_W_V, d_E_token, d_E_pos),
    )


def _meeting(meet):
    return lambda p, a, d_logits, tokens: backward_pass(p, a, d_logits, tokens, meet)


def _too_early(p, a, d_logits, tokens):
    raise UnboundLocalError


def _never(p, a, d_logits, tokens):
    raise NameError


def _small_network(seed, H, k, tokens):
    """Parameters, activations, a gradient of the logits and tokens of a network with D = 3, F = 2, V = 3."""
    T, D, F, V = len(tokens), 3, 2, 3
    sizes = [
        *((V, D), (D,), (D,), (D, F), (D,), (F, D), (F,), (D, H * k)),
        *((H, k, D), (H, k, D), (H, k, D), (V, D), (T, D)),
    ]
    p = dict(zip(PARAMETERS, draw_inputs(seed, *sizes, top=1), strict=True))
    (d_logits,) = draw_inputs(seed + 1, (T, V))
    return [p, toy_forward(p, tokens, tokens), d_logits, tokens]


EXERCISES = {
    "10.1": Exercise(
        my_backward_pass,
        [
            _small_network(70, 1, 2, [1, 2, 0]),
            _small_network(72, 2, 1, [2, 1, 2]),
            _small_network(74, 3, 2, [0, 1]),
        ],
        mistakes={
            "attention gets d_residual, without the gradient from the feed-forward network": _meeting(
                lambda d_residual, d_branch: d_residual
            ),
            "attention gets d_branch, without the gradient from the residual connection": _meeting(
                lambda d_residual, d_branch: d_branch
            ),
            "the two gradients of attention_output are averaged, not added": _meeting(
                lambda d_residual, d_branch: scale(add(d_residual, d_branch), 0.5)
            ),
            "the gradient from the feed-forward network is subtracted": _meeting(
                lambda d_residual, d_branch: add(d_residual, scale(d_branch, -1))
            ),
            "d_branch is added twice, and d_residual not at all": _meeting(
                lambda d_residual, d_branch: add(d_branch, d_branch)
            ),
            "d_residual is added twice, and d_branch not at all": _meeting(
                lambda d_residual, d_branch: add(d_residual, d_residual)
            ),
            "one of the two gradients of attention_output is counted twice": _meeting(
                lambda d_residual, d_branch: add(d_residual, add(d_residual, d_branch))
            ),
            "a line uses a gradient that only a later line computes": _too_early,
            "no line computes this gradient: the missing line computes d_attention_output": _never,
            "the tables get d_attention_output, not d_X": lambda p, a, d_logits, tokens: backward_pass(
                p, a, d_logits, tokens, to_attention=lambda d_X, d_attention_output: d_attention_output
            ),
        },
        tolerance=1e-6,
        parts=tuple(f"d_{name}" for name in PARAMETERS),
        answer_may_be_told=True,
        example=False,
    ),
    "10.a": Exercise(
        my_matmul_backward,
        [
            [[[1.0, 2.0]], [[0.25, 0.75]], [[3.0, 4.0], [5.0, 6.0]]],
            [[[1.0], [10.0]], [[1.0, 0.0], [0.5, 0.5]], [[2.0], [3.0]]],
            draw_inputs(60, (3, 2), (3, 3), (3, 2)),
            draw_inputs(61, (2, 3), (2, 4), (4, 3)),
            draw_inputs(62, (2, 2), (2, 2), (2, 2)),
            [[[0.12345, 1.6789]], [[0.98765, -0.54321]], [[1.2345, -0.6789], [0.4321, 1.9876]]],
        ],
        mistakes={
            "d_A is d_out·B: B has to be transposed": lambda d_out, A, B: (
                matmul(d_out, B),
                matmul(transpose(A), d_out),
            ),
            "d_B is A·d_out: A has to be transposed": lambda d_out, A, B: (
                matmul(d_out, transpose(B)),
                matmul(A, d_out),
            ),
            "neither A nor B is transposed": lambda d_out, A, B: (matmul(d_out, B), matmul(A, d_out)),
            "d_B is returned first": lambda d_out, A, B: (
                matmul(transpose(A), d_out),
                matmul(d_out, transpose(B)),
            ),
            "d_A is transposed": lambda d_out, A, B: (
                matmul(B, transpose(d_out)),
                matmul(transpose(A), d_out),
            ),
            "d_B is transposed": lambda d_out, A, B: (
                matmul(d_out, transpose(B)),
                matmul(transpose(d_out), A),
            ),
            "both gradients are transposed": lambda d_out, A, B: (
                matmul(B, transpose(d_out)),
                matmul(transpose(d_out), A),
            ),
            "d_B is d_outᵀ·d_out": lambda d_out, A, B: (
                matmul(d_out, transpose(B)),
                matmul(transpose(d_out), d_out),
            ),
            "d_B adds up the rows of d_out without the factor A[t][j]": lambda d_out, A, B: (
                matmul(d_out, transpose(B)),
                [[sum(column) for column in zip(*d_out)] for _ in B],
            ),
            "d_A adds up the rows of d_out without the factor B[j][c]": lambda d_out, A, B: (
                [[sum(row)] * len(B) for row in d_out],
                matmul(transpose(A), d_out),
            ),
            "d_A is divided by a square root": lambda d_out, A, B: (
                scale(matmul(d_out, transpose(B)), 1 / math.sqrt(len(B[0]))),
                matmul(transpose(A), d_out),
            ),
        },
        tolerance=1e-6,
        parts=("d_A", "d_B"),
        answer_may_be_told=True,
    ),
    "10.b": Exercise(
        my_softmax_backward,
        [
            [[4.0, 0.0], [0.5, 0.5]],
            [[1.0, 2.0, 3.0], [0.5, 0.3, 0.2]],
            [[1.0, 2.0, 3.0], [0.25, 0.75, 0.0]],
            [draw_inputs(65, (4,))[0], [0.1, 0.2, 0.3, 0.4]],
            [[0.98765, -1.23456, 0.54321], [0.12345, 0.24692, 0.62963]],
        ],
        mistakes={
            "only the diagonal of the Jacobian is used: each score also changes the other weights": (
                lambda d_out, weights: [d * w * (1 - w) for d, w in zip(d_out, weights)]
            ),
            "the average is not subtracted": lambda d_out, weights: [d * w for d, w in zip(d_out, weights)],
            "the average is added, not subtracted": lambda d_out, weights: [
                w * (d + sum(w * e for w, e in zip(weights, d_out))) for d, w in zip(d_out, weights)
            ],
            "the sign is wrong": lambda d_out, weights: [-d for d in _softmax_backward(d_out, weights)],
            "the plain mean of d_out is subtracted, not the mean weighted by the "
            "attention weights": lambda d_out, weights: [
                w * (d - sum(d_out) / len(d_out)) for d, w in zip(d_out, weights)
            ],
            "the factor w in front is missing": lambda d_out, weights: [
                d - sum(w * e for w, e in zip(weights, d_out)) for d in d_out
            ],
            "the sum of the gradients is subtracted, not their average weighted by the attention weights": (
                lambda d_out, weights: [w * (d - sum(d_out)) for d, w in zip(d_out, weights)]
            ),
            "only d is multiplied by the weight, the average is not": lambda d_out, weights: [
                w * d - sum(w * e for w, e in zip(weights, d_out)) for d, w in zip(d_out, weights)
            ],
            "softmax is applied to d_out, and the given weights are not used": lambda d_out, weights: (
                _softmax_backward(d_out, softmax(d_out))
            ),
            "the sum leaves out the weight of the score itself, i = j": lambda d_out, weights: [
                -w * sum(v * e for i, (v, e) in enumerate(zip(weights, d_out)) if i != j)
                for j, w in enumerate(weights)
            ],
            "softmax is applied to the weights again": lambda d_out, weights: _softmax_backward(
                d_out, softmax(weights)
            ),
            "the roles of d_out and weights are exchanged": lambda d_out, weights: _softmax_backward(
                weights, d_out
            ),
        },
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
    "10.c": Exercise(
        my_d_keys,
        [
            [[[2.0], [4.0]], [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]],
            draw_inputs(76, (2, 2), (2, 3)),
            draw_inputs(77, (2, 3), (2, 4)),
            draw_inputs(78, (3, 3), (3, 3)),
        ],
        mistakes={
            "the division by √k is missing": lambda d_scores, Q: matmul(transpose(d_scores), Q),
            "the scores are divided by k, not by √k": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), 1 / len(Q[0])
            ),
            "the gradient is multiplied by √k: its local derivative has 1/√k": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), math.sqrt(len(Q[0]))
            ),
            "k is fixed at 8: it is the length of a query": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), 1 / math.sqrt(8)
            ),
            "√k is fixed at 2: k is the length of a query": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), 0.5
            ),
            "the sign is wrong": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), -1 / math.sqrt(len(Q[0]))
            ),
            "√k is taken of the number of queries, not of their length": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), 1 / math.sqrt(len(Q))
            ),
            "√k is taken of the number of keys, not of their length": lambda d_scores, Q: scale(
                matmul(transpose(d_scores), Q), 1 / math.sqrt(len(d_scores[0]))
            ),
            "d_scores is not transposed: a key is used by a column of the scores": lambda d_scores, Q: scale(
                matmul(d_scores, Q), 1 / math.sqrt(len(Q[0]))
            ),
            "d_scores is not transposed, and the division by √k is missing": lambda d_scores, Q: matmul(
                d_scores, Q
            ),
            "the result is transposed": lambda d_scores, Q: scale(
                matmul(transpose(Q), d_scores), 1 / math.sqrt(len(Q[0]))
            ),
            "each key gets a gradient from its own position only": lambda d_scores, Q: [
                [d_scores[j][j] * q / math.sqrt(len(Q[0])) for q in Q[j]] for j in range(len(d_scores[0]))
            ],
        },
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
    "10.d": Exercise(
        my_d_X,
        [
            [[[[1.0]]], [[[3.0]]], [[[5.0]]], [[[1.0, 0.0]]], [[[10.0, 0.0]]], [[[0.0, 100.0]]]],
            draw_inputs(66, (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2)),
            draw_inputs(67, (2, 3, 1), (2, 3, 1), (2, 3, 2), (2, 1, 3), (2, 1, 3), (2, 2, 3)),
            draw_inputs(68, (3, 2, 1), (3, 2, 1), (3, 2, 1), (3, 1, 2), (3, 1, 2), (3, 1, 2)),
            draw_inputs(69, (1, 2, 2), (1, 2, 2), (1, 2, 2), (1, 2, 2), (1, 2, 2), (1, 2, 2)),
        ],
        mistakes={
            "only the first head is used": _d_X(lambda q, k, v: q[:1] + k[:1] + v[:1]),
            "only the last head is used": _d_X(lambda q, k, v: q[-1:] + k[-1:] + v[-1:]),
            "the number of heads is fixed at two": _d_X(_two_heads),
            "each product replaces the one before: they have to be added": _d_X(lambda q, k, v: v[-1:]),
            "the first product is counted twice": _d_X(lambda q, k, v: q[:1] + q + k + v),
            "only the queries are used": _d_X(lambda q, k, v: q),
            "only the keys are used": _d_X(lambda q, k, v: k),
            "only the values are used": _d_X(lambda q, k, v: v),
            "the values are missing": _d_X(lambda q, k, v: q + k),
            "the keys are missing": _d_X(lambda q, k, v: q + v),
            "the queries are missing": _d_X(lambda q, k, v: k + v),
            "queries, keys and values are all multiplied by "
            "W_Q": lambda d_queries, d_keys, d_values, W_Q, *_: _d_X(_all_users)(
                d_queries, d_keys, d_values, W_Q, W_Q, W_Q
            ),
            "all heads use the matrices of the first": lambda *given: _d_X(_all_users)(
                *given[:3], *([Ws[0]] * len(Ws) for Ws in given[3:])
            ),
            "the gradients are multiplied by Wᵀ, not by W": _d_X(
                _all_users, lambda d, W: matmul(d, transpose(W))
            ),
            "the mean of the six gradients is taken, not their sum": lambda *given: scale(
                _d_X(_all_users)(*given), 1 / (3 * len(given[0]))
            ),
        },
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
}
