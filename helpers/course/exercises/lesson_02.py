"""Lesson 02, hidden side. Reading on gives answers away."""

from .entry import Exercise, draw, times, turned


def linear_with_loops(X, W, b):
    return [[sum((x[i] * w[i] for i in range(len(w))), b_o) for w, b_o in zip(W, b)] for x in X]


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
    "the bias is added once for each product, and not once": _loops(
        lambda b, t, o: 0.0, lambda x, W, b, o, i: x[i] * W[o][i] + b[o]
    ),
    "the bias is chosen by the row of X, b[t] for b[o]": _loops(lambda b, t, o: b[t], lambda x, W, b, o, i: x[i] * W[o][i]),
}


def project_heads(X, W, H):
    K = len(W) // H
    return [times(X, turned(W[h * K : (h + 1) * K])) for h in range(H)]


def which_way(X, W, Y):
    if len(W[0]) != len(X[0]):
        return "in out"
    pairs = zip(times(X, turned(W)), Y)
    return "out in" if all(abs(a - b) < 1e-9 for row, want in pairs for a, b in zip(row, want)) else "in out"


def _example(X, W, stored_turned):
    """Inputs of which_way: Y as a file would hold it, rounded to 12 decimals."""
    return [X, W, [[round(y, 12) for y in row] for row in times(X, W if stored_turned else turned(W))]]


def _by(some):
    """which_way that compares some of the numbers only."""
    return lambda X, W, Y: "in out" if len(W[0]) != len(X[0]) or not some(times(X, turned(W)), Y) else "out in"


def _near(a, b):
    return abs(a - b) < 1e-9


def draw_number(sizes, head, out, into):
    tables = (sizes["V"] + sizes["P"]) * sizes["D"]
    one_head = sizes["D"] * sizes["K"]
    return tables + sizes["H"] * one_head + head * one_head + into * sizes["K"] + out


def _draw_number(before, within):
    def number(sizes, head, out, into):
        V, P, D, H, K = (sizes[letter] for letter in "VPDHK")
        return (V + P) * D + before(H, head) * D * K + within(D, K, out, into)

    return number


def middle(W_Q, W_K):
    return times(turned(W_Q), W_K)


def my_linear(X, W, b):
    return linear_with_loops(X, W, b)


def my_projections(X, W_Q, W_K, W_V):
    return tuple(times(X, turned(W)) for W in (W_Q, W_K, W_V))


_OURS = {"V": 6, "D": 16, "P": 5, "H": 2, "K": 8}
_THREE_HEADS = {"V": 4, "D": 6, "P": 3, "H": 3, "K": 5}
_TEXT_LINEAR = [[[1, 2]], [[3, 0], [0, 4], [1, 1]], [0, 0, 4]]
_LINEAR = [
    _TEXT_LINEAR,
    [[[1, 0], [0, 1]], [[1, 2], [3, 4]], [5, 6]],
    draw(1, (3, 2), (4, 2), (4,)),
    draw(2, (2, 5), (1, 5), (1,)),
    draw(3, (1, 1), (3, 1), (3,)),
]

EXERCISES = {
    "02.1": Exercise(linear_with_loops, _LINEAR, slips=LINEAR_SLIPS),
    "02.2": Exercise(
        project_heads,
        [
            [[[1, 2]], [[3, 0], [0, 4], [1, 1], [0, 1]], 2],
            [*draw(4, (3, 2), (6, 2)), 2],
            [*draw(5, (2, 3), (6, 3)), 3],
            [*draw(6, (4, 3), (2, 3)), 1],
            [*draw(7, (1, 2), (4, 2)), 4],
        ],
        slips={
            "every H-th column goes to a head, and not K columns side by side": lambda X, W, H: [
                [row[h::H] for row in times(X, turned(W))] for h in range(H)
            ],
            "the positions stand outside and the heads inside": lambda X, W, H: [
                [row[h * (len(W) // H) : (h + 1) * (len(W) // H)] for h in range(H)] for row in times(X, turned(W))
            ],
            "each head is H wide, and not K": lambda X, W, H: [
                [row[h * H : (h + 1) * H] for row in times(X, turned(W))] for h in range(len(W) // H)
            ],
            "every head gets all of W": lambda X, W, H: [times(X, turned(W)) for _ in range(H)],
        },
    ),
    "02.3": Exercise(
        which_way,
        [
            [[[1, 2]], [[0, 1], [3, 0]], [[2, 3]]],
            [[[1, 2]], [[0, 1], [3, 0]], [[6, 1]]],
            _example([[0, 0], [1, 2]], [[0, 1], [3, 0]], True),
            _example([[1, 2, 3]], [[1, 2, 3], [2, 5, 6], [3, 0, 7]], True),
            _example(*draw(8, (2, 3), (4, 3)), False),
            _example(*draw(9, (2, 3), (3, 4)), True),
            _example([[0.1, 0.2, 0.3]], [[0.1, 0.7, 0.3], [0.2, 0.6, 0.9], [0.3, 0.3, 0.1]], False),
            _example(*draw(10, (2, 4), (4, 4)), False),
            _example(*draw(11, (2, 4), (4, 4)), True),
        ],
        slips={
            "the shape alone decides, and a square matrix counts as out in": lambda X, W, Y: (
                "out in" if len(W[0]) == len(X[0]) else "in out"
            ),
            "the shape alone decides, and a square matrix counts as in out": lambda X, W, Y: (
                "in out" if len(W) == len(X[0]) else "out in"
            ),
            "only the first row is compared": _by(lambda A, B: all(map(_near, A[0], B[0]))),
            "only the first number of each row is compared": _by(lambda A, B: all(_near(a[0], b[0]) for a, b in zip(A, B))),
            "floats must be equal to the last bit": _by(lambda A, B: A == B),
        },
    ),
    "02.4": Exercise(
        draw_number,
        [
            [_OURS, 1, 2, 3],
            [_OURS, 0, 0, 0],
            [_OURS, 1, 7, 15],
            [_THREE_HEADS, 1, 4, 2],
            [_THREE_HEADS, 2, 0, 5],
            [{"V": 1, "D": 1, "P": 1, "H": 1, "K": 3}, 0, 2, 0],
        ],
        slips={
            "the matrix is read as it is stored, and not as it was drawn": _draw_number(
                lambda H, head: H + head, lambda D, K, out, into: out * D + into
            ),
            "the draws of W_Q are forgotten": _draw_number(lambda H, head: head, lambda D, K, out, into: into * K + out),
            "each head is drawn with its query, key and value matrix together": _draw_number(
                lambda H, head: 3 * head + 1, lambda D, K, out, into: into * K + out
            ),
            "our sizes stand for all": lambda sizes, head, out, into: 432 + head * 128 + into * 8 + out,
        },
    ),
    "02.5": Exercise(
        middle,
        [
            [[[1, 2]], [[3, 0]]],
            draw(12, (2, 2), (2, 2)),
            draw(13, (3, 5), (3, 5)),
            draw(14, (1, 4), (1, 4)),
            draw(15, (4, 1), (4, 1)),
        ],
        slips={
            "the two change places: that is A, turned": lambda W_Q, W_K: times(turned(W_K), W_Q),
            "the small product W_Q·W_Kᵀ is taken": lambda W_Q, W_K: times(W_Q, turned(W_K)),
        },
    ),
    "02.a": Exercise(my_linear, _LINEAR, slips=LINEAR_SLIPS, example=False),
    "02.b": Exercise(
        my_projections,
        [
            [[[1, 2]], [[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [2, 2], [3, 3]]],
            draw(16, (3, 2), (2, 2), (2, 2), (1, 2)),
            draw(17, (2, 4), (3, 4), (3, 4), (5, 4)),
        ],
        slips={
            "all three are made with W_Q": lambda X, W_Q, W_K, W_V: [times(X, turned(W_Q))] * 3,
            "the weights are read [in][out]": lambda X, W_Q, W_K, W_V: [times(X, W) for W in (W_Q, W_K, W_V)],
            "keys and queries change places": lambda X, W_Q, W_K, W_V: [times(X, turned(W)) for W in (W_K, W_Q, W_V)],
            "keys and values are made from the queries, and not from X": lambda X, W_Q, W_K, W_V: [
                times(X, turned(W_Q)), *(times(times(X, turned(W_Q)), turned(W)) for W in (W_K, W_V))
            ],
        },
        parts=("Q", "K", "V"),
        example=False,
    ),
}
