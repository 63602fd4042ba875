"""Lesson 10: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import dot, matmul, scale, softmax, transpose
from .exercise import Exercise, draw_inputs


def my_matmul_backward(d_out, A, B):
    d_A = matmul(d_out, transpose(B))
    d_B = matmul(transpose(A), d_out)
    return d_A, d_B


D_A, D_B = "matmul(d_out, transpose(B))", "matmul(transpose(A), d_out)"
MATMUL_MISTAKES = {
    "d_A is d_out·B: B has to be transposed": ("transpose(B)", "B"),
    "d_B is A·d_out: A has to be transposed": ("transpose(A)", "A"),
    "neither A nor B is transposed": (("transpose(B)", "B"), ("transpose(A)", "A")),
    "the rule is that of linear_backward: there the forward pass has transposed the second matrix": (
        ("transpose(B)", "B"),
        (D_B, "matmul(transpose(d_out), A)"),
    ),
    "d_B is returned first": ("return d_A, d_B", "return d_B, d_A"),
    "d_A is transposed": (D_A, f"transpose({D_A})"),
    "d_B is transposed": (D_B, f"transpose({D_B})"),
    "both gradients are transposed": ((D_A, f"transpose({D_A})"), (D_B, f"transpose({D_B})")),
    "d_B is d_outᵀ·d_out": ("transpose(A)", "transpose(d_out)"),
    "d_B adds up the rows of d_out without the factor A[t][j]": (
        (D_B, "[[sum(column) for column in zip(*d_out)] for _ in B]"),
    ),
    "d_A adds up the rows of d_out without the factor B[j][c]": (
        (D_A, "[[sum(row)] * len(B) for row in d_out]"),
    ),
    "d_B uses only the first row of A and of d_out": (D_B, "matmul(transpose(A[:1]), d_out[:1])"),
    "d_A is divided by a square root": (D_A, f"scale({D_A}, 1 / math.sqrt(len(B[0])))"),
    "only d_B is returned: two matrices are expected, (d_A, d_B)": ("return d_A, d_B", "return d_B"),
    "only d_A is returned: two matrices are expected, (d_A, d_B)": ("return d_A, d_B", "return d_A"),
}


def my_softmax_backward(d_out, weights):
    average = dot(weights, d_out)
    return [w * (d - average) for w, d in zip(weights, d_out)]


SOFTMAX_MISTAKES = {
    "only the diagonal of the Jacobian is used: each score also changes the other weights": (
        ("(d - average)", "d * (1 - w)"),
    ),
    "the average is not subtracted": (" - average", ""),
    "the average is added, not subtracted": ("d - average", "d + average"),
    "the sign is wrong": ("d - average", "average - d"),
    "the plain mean of d_out is subtracted, not the mean weighted by the attention weights": (
        ("dot(weights, d_out)", "sum(d_out) / len(d_out)"),
    ),
    "the factor w in front is missing": ("w * ", ""),
    "the factor w_i of the Jacobian is missing: the sum is that of d_i·((i = j) − w_j)": (
        "w * (d - average)",
        "d - w * sum(d_out)",
    ),
    "the average is divided by the number of weights: it is the sum of weight times gradient": (
        ("dot(weights, d_out)", "dot(weights, d_out) / len(weights)"),
    ),
    "the result is the Jacobian: multiply it by the incoming gradients and add": (
        (
            "[w * (d - average) for w, d in zip(weights, d_out)]",
            "[[w * ((i == j) - v) for j, v in enumerate(weights)] for i, w in enumerate(weights)]",
        ),
    ),
    "the sum of the gradients is subtracted, not their average weighted by the attention weights": (
        ("dot(weights, d_out)", "sum(d_out)"),
    ),
    "only d is multiplied by the weight, the average is not": ("w * (d - average)", "w * d - average"),
    "softmax is applied to d_out, and the given weights are not used": (
        ("    average", "    weights = softmax(d_out)\n    average"),
    ),
    "the sum leaves out the weight of the score itself, i = j": ("d - average", "w * d - average"),
    "the second factor is w_i and not w_j: the weight of the score itself is missing": (
        (
            "[w * (d - average) for w, d in zip(weights, d_out)]",
            "[w * d - dot([x * x for x in weights], d_out) for w, d in zip(weights, d_out)]",
        ),
    ),
    "only the first row of the Jacobian is used: every weight of the row contributes to the sum": (
        (
            "[w * (d - average) for w, d in zip(weights, d_out)]",
            "[d_out[0] * weights[0] * ((j == 0) - w) for j, w in enumerate(weights)]",
        ),
    ),
    "the first factor is w_j and not w_i: every term needs the weight of its own i": (
        ("(d - average)", "(d - w * sum(d_out))"),
    ),
    "every term of the sum has d_j: it needs the incoming gradient of its own weight, d_i": (
        ("w * (d - average)", "d * (w - w * sum(weights))"),
    ),
    "the result is the matrix of the products: add them up over the weights": (
        (
            "[w * (d - average) for w, d in zip(weights, d_out)]",
            "[[d * w * ((i == j) - v) for j, v in enumerate(weights)]"
            " for i, (w, d) in enumerate(zip(weights, d_out))]",
        ),
    ),
    "softmax is applied to the weights again": ("    average", "    weights = softmax(weights)\n    average"),
    "the roles of d_out and weights are exchanged": ("(d_out, weights)", "(weights, d_out)"),
    "the average leaves out the term i = j: it is the sum over all weights of the row": (
        ("d - average", "d - (average - w * d)"),
    ),
}


def my_d_keys(d_scores, Q):
    return scale(matmul(transpose(d_scores), Q), 1 / math.sqrt(len(Q[0])))


PRODUCT, ROOT = "matmul(transpose(d_scores), Q)", "math.sqrt(len(Q[0]))"
KEYS_MISTAKES = {
    "the division by √k is missing": (f"1 / {ROOT}", "1"),
    "the scores are divided by k, not by √k": (ROOT, "len(Q[0])"),
    "the gradient is multiplied by √k: its local derivative has 1/√k": ("1 / ", ""),
    "k is fixed at 8: it is the length of a query": ("len(Q[0])", "8"),
    "√k is fixed at 2: k is the length of a query": (ROOT, "2"),
    "the sign is wrong": ("1 / ", "-1 / "),
    "√k is taken of the number of queries, not of their length": ("len(Q[0])", "len(Q)"),
    "√k is taken of the number of keys, not of their length": ("len(Q[0])", "len(d_scores[0])"),
    "d_scores is not transposed: a key is used by a column of the scores": (
        ("transpose(d_scores)", "d_scores"),
    ),
    "d_scores is not transposed, and the division by √k is missing": (
        ("transpose(d_scores)", "d_scores"),
        (f"1 / {ROOT}", "1"),
    ),
    "the mean over the queries is taken, not the sum": (f"1 / {ROOT}", f"1 / {ROOT} / len(Q)"),
    "the result is transposed": (PRODUCT, f"transpose({PRODUCT})"),
    "each key gets a gradient from its own position only": (
        (PRODUCT, "[[d_scores[j][j] * q for q in Q[j]] for j in range(len(d_scores[0]))]"),
    ),
}


def my_d_W_Q(d_queries, X):
    return [matmul(transpose(d_Q), X) for d_Q in d_queries]


EACH_HEAD = "matmul(transpose(d_Q), X)"
D_W_Q_MISTAKES = {
    "d_W has the shape [in][out]": (EACH_HEAD, "matmul(transpose(X), d_Q)"),
    "the gradients of the queries are not transposed": (EACH_HEAD, "matmul(d_Q, X)"),
    "only the matrix of the first head is returned, and not a list of matrices": (
        f"[{EACH_HEAD} for d_Q in d_queries]",
        "matmul(transpose(d_queries[0]), X)",
    ),
    "only the first head is used": ("in d_queries", "in d_queries[:1]"),
    "the heads are added: each head has a matrix of its own": (
        ("return [", "d_W = ["),
        ("d_queries]", "d_queries]\n    return [[[sum(x) for x in zip(*r)] for r in zip(*d_W)]] * len(d_W)"),
    ),
    "the heads are added, and one matrix is returned: each head has a matrix of its own": (
        ("return [", "d_W = ["),
        ("d_queries]", "d_queries]\n    return [[sum(x) for x in zip(*r)] for r in zip(*d_W)]"),
    ),
    "all heads use the gradient of the first": ("transpose(d_Q)", "transpose(d_queries[0])"),
    "the mean over the positions is taken, not the sum": (EACH_HEAD, f"scale({EACH_HEAD}, 1 / len(X))"),
    "only the last position is used": (EACH_HEAD, "matmul(transpose(d_Q[-1:]), X[-1:])"),
    "the sum is divided by √k: the scores have done that already": (
        (EACH_HEAD, f"scale({EACH_HEAD}, 1 / math.sqrt(len(d_Q[0])))"),
    ),
    "the sign is wrong": (EACH_HEAD, f"scale({EACH_HEAD}, -1)"),
    "the rows of X are added, and not multiplied by the gradients of the queries": (
        (EACH_HEAD, "[[sum(column) for column in zip(*X)] for _ in d_Q[0]]"),
    ),
    "the heads are joined to one matrix, in a list: each head has a matrix of its own": (
        ("[matmul", "[[row for d_Q in d_queries for row in matmul"),
        (" for d_Q in d_queries]", "]]"),
    ),
    "the matrices of the heads are joined to one": (
        ("[matmul", "[row for d_Q in d_queries for row in matmul"),
        (" for d_Q in d_queries]", "]"),
    ),
}


EXERCISES = {
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
        MATMUL_MISTAKES,
        tolerance=1e-6,
        parts=("d_A", "d_B"),
        answer_may_be_told=True,
    ),
    "10.b": Exercise(
        my_softmax_backward,
        [  # fractions with a power of 2 below: a sum that should be 0 is exactly 0 in every order
            [[8.0, 4.0], [0.25, 0.75]],
            [[1.0, 2.0, 3.0], [0.5, 0.25, 0.25]],
            [[1.0, 2.0, 3.0], [0.25, 0.75, 0.0]],
            [[1.5, -0.25, 0.75, -1.25], [0.125, 0.25, 0.125, 0.5]],
            [[0.984375, -1.234375, 0.546875], [0.109375, 0.265625, 0.625]],
        ],
        SOFTMAX_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
    "10.c": Exercise(
        my_d_keys,
        [
            [[[2.0], [4.0], [6.0]], [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]],
            draw_inputs(76, (2, 2), (2, 3)),
            draw_inputs(77, (2, 3), (2, 4)),
            draw_inputs(78, (3, 3), (3, 3)),
        ],
        KEYS_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
    "10.d": Exercise(
        my_d_W_Q,
        [
            [[[[1.0], [10.0]]], [[1.0, 2.0], [3.0, 4.0]]],
            draw_inputs(79, (2, 3, 2), (3, 3)),
            draw_inputs(80, (3, 2, 2), (2, 2)),
            draw_inputs(81, (1, 3, 1), (3, 4)),
        ],
        D_W_Q_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
}
