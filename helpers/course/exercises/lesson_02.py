"""Lesson 02, hidden side. Reading on gives answers away."""

from .exercise import Exercise, draw_inputs, times, turned


def my_linear(X, W, b=None):
    biases = [0.0] * len(W) if b is None else b
    return [[sum((x[i] * w[i] for i in range(len(w))), b_o) for w, b_o in zip(W, biases)] for x in X]


def _loops(start, product):
    """linear with something else to begin with, or to add."""

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


LINEAR_SLIPS = {
    "W is read [in][out]": _loops(lambda b, t, o: b[o], lambda x, W, b, o, i: x[i] * W[i][o]),
    "the bias is forgotten": _loops(lambda b, t, o: 0.0, lambda x, W, b, o, i: x[i] * W[o][i]),
    "the bias is added once for each product, and not once for each output": _loops(
        lambda b, t, o: 0.0, lambda x, W, b, o, i: x[i] * W[o][i] + b[o]
    ),
    "the bias is chosen by the row of X, b[t] for b[o]": _loops(
        lambda b, t, o: b[t], lambda x, W, b, o, i: x[i] * W[o][i]
    ),
}


def project_heads(X, W, H):
    k = len(W) // H
    return [times(X, turned(W[h * k : (h + 1) * k])) for h in range(H)]


def middle(W_Q, W_K):
    return times(turned(W_Q), W_K)


def my_projections(X, W_Q, W_K, W_V):
    return tuple(times(X, turned(W)) for W in (W_Q, W_K, W_V))


_LINEAR = [
    [[[1, 2]], [[3, 0], [0, 4], [1, 1]], [0, 0, 4]],
    [[[1, 0], [0, 1]], [[1, 2], [3, 4]], [5, 6]],
    [[[1, 2]], [[3, 0], [0, 4], [1, 1]], None],
    draw_inputs(1, (3, 2), (4, 2), (4,)),
    draw_inputs(2, (2, 5), (1, 5), (1,)),
    draw_inputs(3, (1, 1), (3, 1), (3,)),
]

EXERCISES = {
    "02.1": Exercise(
        project_heads,
        [
            [[[1, 2]], [[3, 0], [0, 4], [1, 1], [0, 1]], 2],
            [*draw_inputs(4, (3, 2), (6, 2)), 2],
            [*draw_inputs(5, (2, 3), (6, 3)), 3],
            [*draw_inputs(6, (4, 3), (2, 3)), 1],
            [*draw_inputs(7, (1, 2), (4, 2)), 4],
        ],
        slips={
            "every H-th column goes to a head, and not k columns side by side": lambda X, W, H: [
                [row[h::H] for row in times(X, turned(W))] for h in range(H)
            ],
            "the positions stand outside and the heads inside": lambda X, W, H: [
                [row[h * (len(W) // H) : (h + 1) * (len(W) // H)] for h in range(H)]
                for row in times(X, turned(W))
            ],
            "each head is H wide, and not k": lambda X, W, H: [
                [row[h * H : (h + 1) * H] for row in times(X, turned(W))] for h in range(len(W) // H)
            ],
            "every head gets all of W": lambda X, W, H: [times(X, turned(W)) for _ in range(H)],
        },
    ),
    "02.2": Exercise(
        middle,
        [
            [[[1, 2]], [[3, 0]]],
            draw_inputs(12, (2, 2), (2, 2)),
            draw_inputs(13, (3, 5), (3, 5)),
            draw_inputs(14, (1, 4), (1, 4)),
            draw_inputs(15, (4, 1), (4, 1)),
        ],
        slips={
            "the two change places: that is A, turned": lambda W_Q, W_K: times(turned(W_K), W_Q),
            "the small product W_Q·W_Kᵀ is taken": lambda W_Q, W_K: times(W_Q, turned(W_K)),
        },
    ),
    "02.a": Exercise(my_linear, _LINEAR, slips=LINEAR_SLIPS),
    "02.b": Exercise(
        my_projections,
        [
            [[[1, 2]], [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [2, 2], [3, 3]]],
            draw_inputs(16, (3, 2), (2, 2), (2, 2), (1, 2)),
            draw_inputs(17, (2, 4), (3, 4), (3, 4), (5, 4)),
        ],
        slips={
            "the queries are returned, and not all three: return Q, K, V": lambda X, W_Q, W_K, W_V: times(
                X, turned(W_Q)
            ),
            "all three are made with W_Q": lambda X, W_Q, W_K, W_V: [times(X, turned(W_Q))] * 3,
            "the weights are read [in][out]": lambda X, W_Q, W_K, W_V: [times(X, W) for W in (W_Q, W_K, W_V)],
            "keys and queries change places": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W)) for W in (W_K, W_Q, W_V)
            ],
            "keys and values are made from the queries, and not from X": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W_Q)),
                *(times(times(X, turned(W_Q)), turned(W)) for W in (W_K, W_V)),
            ],
        },
        parts=("Q", "K", "V"),
    ),
}
