"""Lesson 02, hidden side. Reading on gives answers away."""

from ...matrices import add as unchecked_add
from ...matrices import matmul as unchecked_matmul
from ..argument_checks import checked
from .exercise import Exercise, draw_inputs, times, turned

add, matmul = checked(unchecked_add), checked(unchecked_matmul)  # as the reader's code calls them


def my_linear(X, W, b=None):
    biases = [0.0] * len(W) if b is None else b
    return [[sum((x[i] * w[i] for i in range(len(w))), b_o) for w, b_o in zip(W, biases)] for x in X]


def _loops(start, product):
    """linear with another start of each sum, or another product."""

    def linear(X, W, b):
        result = []
        for t in range(len(X)):
            row = []
            for o in range(len(W)):
                total = start(b, t, o)
                for i in range(len(X[t])):
                    total += product(X[t], W, b, o, i)
                row.append(total)
            result.append(row)
        return result

    return linear


def _by_matmul(X, W, b=None):
    product = matmul(X, W)
    return product if b is None else [[y + b_o for y, b_o in zip(row, b)] for row in product]


LINEAR_SLIPS = {
    "W is indexed [in][out]; it is stored [out][in]": _loops(
        lambda b, t, o: b[o], lambda x, W, b, o, i: x[i] * W[i][o]
    ),
    "b is not added": _loops(lambda b, t, o: 0.0, lambda x, W, b, o, i: x[i] * W[o][i]),
    "b[o] is added once for each product; it must be added once for each output": _loops(
        lambda b, t, o: 0.0, lambda x, W, b, o, i: x[i] * W[o][i] + b[o]
    ),
    "row t of X gets b[t]; it is output o that gets b[o]": _loops(
        lambda b, t, o: b[t], lambda x, W, b, o, i: x[i] * W[o][i]
    ),
    "every output gets b[0]; output o must get b[o]": _loops(
        lambda b, t, o: b[0], lambda x, W, b, o, i: x[i] * W[o][i]
    ),
    "b is subtracted; it must be added": _loops(lambda b, t, o: -b[o], lambda x, W, b, o, i: x[i] * W[o][i]),
    "the result is transposed: the loop over X must be the outer one": lambda X, W, b: turned(
        my_linear(X, W, b)
    ),
}


MATMUL_SLIPS = {
    "the product is `matmul(X, W)`; W is stored [out][in], so it needs the transpose of W": _by_matmul,
    "the product is `matmul(X, W)`, and b is not added; W is stored [out][in], so it needs the transpose "
    "of W": lambda X, W, b=None: matmul(X, W),
    "the product is `matmul(W, X)`; each output is a row of X times a row of W": lambda X, W, b=None: matmul(
        W, X
    ),
    "`add` gets the vector b; it adds matrices, so add b to each row yourself": lambda X, W, b=None: (
        my_linear(X, W) if b is None else add(my_linear(X, W), b)
    ),
    "`add` gets `[b]`, a matrix with one row; b must be added to each row": lambda X, W, b=None: (
        my_linear(X, W) if b is None else add(my_linear(X, W), [b])
    ),
}


def middle(W_Q, W_K):
    return times(turned(W_Q), W_K)


def my_projections(X, W_Q, W_K, W_V):
    return tuple(times(X, turned(W)) for W in (W_Q, W_K, W_V))


_LINEAR = [
    [[[1, 2]], [[3, 0], [0, 4], [1, 1]], [0, 0, 4]],
    [[[1, 0], [0, 1]], [[1, 2], [3, 4]], [5, 6]],
    [[[1, 2]], [[3, 0], [0, 4], [1, 1]], None],
    [[[1, 2]], [[3, 0], [0, 4], [1, 1]]],
    draw_inputs(1, (3, 2), (4, 2), (4,)),
    draw_inputs(2, (2, 5), (1, 5), (1,)),
    draw_inputs(3, (1, 1), (3, 1), (3,)),
]

EXERCISES = {
    "02.1": Exercise(
        middle,
        [
            [[[1, 2]], [[3, 0]]],
            draw_inputs(12, (2, 2), (2, 2)),
            draw_inputs(13, (3, 5), (3, 5)),
            draw_inputs(14, (1, 4), (1, 4)),
            draw_inputs(15, (4, 1), (4, 1)),
        ],
        mistakes={
            "W_K comes before W_Q: this is the transpose of A": lambda W_Q, W_K: times(turned(W_K), W_Q),
            "the product is W_Q·W_Kᵀ, of shape [k][k]; A has the shape [D][D]": lambda W_Q, W_K: times(
                W_Q, turned(W_K)
            ),
            "only row 0 of W_Q and of W_K is used": lambda W_Q, W_K: times(turned(W_Q[:1]), W_K[:1]),
            "A is divided by √k; the scores of this lesson are not": lambda W_Q, W_K: [
                [a / len(W_Q) ** 0.5 for a in row] for row in times(turned(W_Q), W_K)
            ],
        },
    ),
    "02.a": Exercise(my_linear, _LINEAR, mistakes=LINEAR_SLIPS | MATMUL_SLIPS),
    "02.b": Exercise(
        my_projections,
        [
            [[[1, 2]], [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [2, 2], [3, 3]]],
            draw_inputs(16, (3, 2), (2, 2), (2, 2), (1, 2)),
            draw_inputs(17, (2, 4), (3, 4), (3, 4), (5, 4)),
            draw_inputs(18, (2, 2), (2, 2), (2, 2), (2, 2)),
        ],
        mistakes={
            "only the queries are returned: write return Q, K, V": lambda X, W_Q, W_K, W_V: times(
                X, turned(W_Q)
            ),
            "all three are computed with W_Q": lambda X, W_Q, W_K, W_V: [times(X, turned(W_Q))] * 3,
            "the weight matrices are indexed [in][out]; they are stored [out][in]": lambda X, *Ws: [
                times(X, W) for W in Ws
            ],
            "`matmul(X, W)` is used; the weight matrices are stored [out][in], so use `linear`": (
                lambda X, *Ws: [matmul(X, W) for W in Ws]
            ),
            "`matmul(W, X)` is used; use `linear(X, W)`": lambda X, *Ws: [matmul(W, X) for W in Ws],
            "queries and keys are swapped": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W)) for W in (W_K, W_Q, W_V)
            ],
            "keys and values are computed from the queries; they must be computed from X": lambda X, *Ws: [
                times(X, turned(Ws[0])),
                *(times(times(X, turned(Ws[0])), turned(W)) for W in Ws[1:]),
            ],
            "each result is computed from the one before; all three must be computed from X": lambda X, *Ws: [
                times(X, turned(Ws[0])),
                times(times(X, turned(Ws[0])), turned(Ws[1])),
                times(times(times(X, turned(Ws[0])), turned(Ws[1])), turned(Ws[2])),
            ],
            "the values are computed from the keys; they must be computed from X": lambda X, W_Q, W_K, W_V: [
                *(times(X, turned(W)) for W in (W_Q, W_K)),
                times(times(X, turned(W_K)), turned(W_V)),
            ],
            "keys and values are swapped": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W)) for W in (W_Q, W_V, W_K)
            ],
            "the keys are computed with W_Q": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W)) for W in (W_Q, W_Q, W_V)
            ],
            "the values are computed with W_K": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W)) for W in (W_Q, W_K, W_K)
            ],
            "the three results are transposed": lambda X, *Ws: [turned(times(X, turned(W))) for W in Ws],
        },
        parts=("Q", "K", "V"),
    ),
}
