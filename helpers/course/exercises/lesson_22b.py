"""The graded tasks of lesson 22b. This file holds the answers."""

from .exercise import Exercise, draw_inputs, times, turned


def my_lora_linear(X, W, A, B, c):
    return _sum(times(X, turned(W)), _scaled(times(times(X, turned(A)), turned(B)), c))


def _sum(P, Q):
    return [[p + q for p, q in zip(*rows)] for rows in zip(P, Q)]


def _scaled(P, c):
    return [[c * p for p in row] for row in P]


def _gelu_like(X, W, A, B, c):
    inner = [[max(0.0, x) for x in row] for row in times(X, turned(A))]
    return _sum(times(X, turned(W)), _scaled(times(inner, turned(B)), c))


def my_merge(W, A, B, c):
    return _sum(W, _scaled(times(B, A), c))


def my_lora_gradients(d_W, A, B, c):
    return _scaled(times(turned(B), d_W), c), _scaled(times(d_W, turned(A)), c)


_STEP = draw_inputs(221, (2, 3), (2, 3), (1, 3), (2, 1))
_MORE = draw_inputs(222, (3, 4), (5, 4), (2, 4), (5, 2))
_SQUARE = draw_inputs(223, (2, 3), (3, 3), (3, 3), (3, 3))

EXERCISES = {
    "22.k": Exercise(
        my_lora_linear,
        [
            [[[1.0, 2.0]], [[10.0, 0.0]], [[1.0, 1.0]], [[100.0]], 2.0],
            [*_STEP, 0.5],
            [*_MORE, 2.0],
            [*_SQUARE, 3.0],
            [[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, -1.0]], [[0.0], [0.0]], 2.0],
        ],
        mistakes={
            "the correction is missing": lambda X, W, A, B, c: times(X, turned(W)),
            "only the correction is returned": lambda X, W, A, B, c: _scaled(
                times(times(X, turned(A)), turned(B)), c
            ),
            "c is forgotten": lambda X, W, A, B, c: my_lora_linear(X, W, A, B, 1.0),
            "c multiplies X·Wᵀ, too": lambda X, W, A, B, c: _scaled(my_lora_linear(X, W, A, B, 1.0), c),
            "c is used twice": lambda X, W, A, B, c: my_lora_linear(X, W, A, B, c * c),
            "the correction is divided by c": lambda X, W, A, B, c: my_lora_linear(X, W, A, B, 1 / c),
            "the correction is divided by the rank": lambda X, W, A, B, c: my_lora_linear(
                X, W, A, B, c / len(A)
            ),
            "the correction is subtracted": lambda X, W, A, B, c: my_lora_linear(X, W, A, B, -c),
            "A is not transposed": lambda X, W, A, B, c: my_lora_linear(X, W, turned(A), B, c),
            "B is not transposed": lambda X, W, A, B, c: my_lora_linear(X, W, A, turned(B), c),
            "there is a nonlinear function between A and B": _gelu_like,
            "the correction is added to X, not to the result": lambda X, W, A, B, c: times(
                _sum(X, _scaled(times(times(X, turned(A)), turned(B)), c)), turned(W)
            ),
            "only the first row of X is there": lambda X, W, A, B, c: my_lora_linear(X, W, A, B, c)[:1],
        },
    ),
    "22.l": Exercise(
        my_merge,
        [
            [[[10.0, 0.0]], [[1.0, 1.0]], [[100.0]], 2.0],
            [[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0]], [[0.0], [5.0]], 1.0],
            [*_STEP[1:], 0.5],
            [*_MORE[1:], 2.0],
            [*_SQUARE[1:], 3.0],
        ],
        mistakes={
            "the product is A·B, not B·A": lambda W, A, B, c: _sum(W, _scaled(times(A, B), c)),
            "the product is transposed": lambda W, A, B, c: _sum(W, _scaled(turned(times(B, A)), c)),
            "c is forgotten": lambda W, A, B, c: my_merge(W, A, B, 1.0),
            "c multiplies W, too": lambda W, A, B, c: _scaled(my_merge(W, A, B, 1.0), c),
            "c is used twice": lambda W, A, B, c: my_merge(W, A, B, c * c),
            "the correction is subtracted": lambda W, A, B, c: my_merge(W, A, B, -c),
            "only B·A is returned; W is missing": lambda W, A, B, c: _scaled(times(B, A), c),
            "W is returned as it was": lambda W, A, B, c: W,
            "the correction is divided by the rank": lambda W, A, B, c: my_merge(W, A, B, c / len(A)),
            "only the first row of A and the first column of B are used": lambda W, A, B, c: my_merge(
                W, A[:1], [row[:1] for row in B], c
            ),
            "W is multiplied by the correction": lambda W, A, B, c: [
                [w * d * c for w, d in zip(*rows)] for rows in zip(W, times(B, A))
            ],
            "the correction is added twice": lambda W, A, B, c: my_merge(W, A, B, 2 * c),
        },
    ),
    "22.m": Exercise(
        my_lora_gradients,
        [
            [[[1.0, 3.0]], [[1.0, 1.0]], [[100.0]], 2.0],
            [[[1.0, 2.0], [3.0, 4.0]], [[1.0, -1.0]], [[0.0], [0.0]], 1.0],
            [*_STEP[1:], 0.5],
            [*_MORE[1:], 2.0],
            [*_SQUARE[1:], 3.0],
        ],
        parts=("d_A", "d_B"),
        mistakes={
            "the two gradients are exchanged": lambda d_W, A, B, c: my_lora_gradients(d_W, A, B, c)[::-1],
            "c is forgotten": lambda d_W, A, B, c: my_lora_gradients(d_W, A, B, 1.0),
            "c is missing in d_A": lambda d_W, A, B, c: (
                times(turned(B), d_W),
                my_lora_gradients(d_W, A, B, c)[1],
            ),
            "c is missing in d_B": lambda d_W, A, B, c: (
                my_lora_gradients(d_W, A, B, c)[0],
                times(d_W, turned(A)),
            ),
            "both are divided by c": lambda d_W, A, B, c: my_lora_gradients(d_W, A, B, 1 / c),
            "the signs are turned": lambda d_W, A, B, c: my_lora_gradients(d_W, A, B, -c),
            "B is not transposed": lambda d_W, A, B, c: (
                _scaled(times(B, d_W), c),
                my_lora_gradients(d_W, A, B, c)[1],
            ),
            "A is not transposed": lambda d_W, A, B, c: (
                my_lora_gradients(d_W, A, B, c)[0],
                _scaled(times(d_W, A), c),
            ),
            "d_W is transposed": lambda d_W, A, B, c: my_lora_gradients(turned(d_W), A, B, c),
            "d_A has the shape of its transpose": lambda d_W, A, B, c: (
                turned(my_lora_gradients(d_W, A, B, c)[0]),
                my_lora_gradients(d_W, A, B, c)[1],
            ),
            "d_B has the shape of its transpose": lambda d_W, A, B, c: (
                my_lora_gradients(d_W, A, B, c)[0],
                turned(my_lora_gradients(d_W, A, B, c)[1]),
            ),
            "d_B uses d_A where A belongs": lambda d_W, A, B, c: (
                lambda d_A: (d_A, _scaled(times(d_W, turned(d_A)), c))
            )(my_lora_gradients(d_W, A, B, c)[0]),
        },
    ),
}
