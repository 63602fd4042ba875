"""Lesson 12b, hidden side. Reading on gives answers away."""

from ...activations import gelu, gelu_derivative
from ...attention import softmax
from ...backward import softmax_backward
from ...matrices import add
from .exercise import Exercise, draw_inputs, from_source, measured_gradients


def my_softmax_rows_backward(d, weights, scores):
    return [[softmax_backward(d_row, w) for d_row, w in zip(d, weights)]]


def tape_gradients(steps, n):
    return _walk(steps, n, add)


def _walk(steps, n, meet, order=reversed, start=None):
    gradients = [None] * n
    gradients[steps[-1][2] if start is None else start] = [[1.0]]
    for backward, arguments, result in order(steps):
        if gradients[result] is not None:
            for argument, d in zip(arguments, backward(gradients[result])):
                so_far = gradients[argument]
                gradients[argument] = d if so_far is None else meet(so_far, d)
    return gradients


def _nothing_skipped(steps, n):
    """tape_gradients that skips no step."""
    gradients = [None] * n
    gradients[steps[-1][2]] = [[1.0]]
    for backward, arguments, result in reversed(steps):
        for argument, d in zip(arguments, backward(gradients[result])):
            so_far = gradients[argument]
            gradients[argument] = d if so_far is None else add(so_far, d)
    return gradients


def _once_each(steps, n):
    """tape_gradients that counts an argument of a step only once."""
    gradients = [None] * n
    gradients[steps[-1][2]] = [[1.0]]
    for backward, arguments, result in reversed(steps):
        if gradients[result] is not None:
            for argument, d in dict(zip(arguments, backward(gradients[result]))).items():
                so_far = gradients[argument]
                gradients[argument] = d if so_far is None else add(so_far, d)
    return gradients


def _first_only(steps, n):
    """tape_gradients that gives only the first argument a gradient."""
    return tape_gradients([[backward, arguments[:1], result] for backward, arguments, result in steps], n)


def _first_gradient(steps, n):
    """tape_gradients that gives all arguments of a step the gradient of its first argument."""
    return tape_gradients(
        [
            [lambda d, b=backward, many=len(arguments): b(d)[:1] * many, arguments, result]
            for backward, arguments, result in steps
        ],
        n,
    )


def _in_place(old, new):
    """The sum of two matrices, written into the first."""
    for row, other in zip(old, new):
        row[:] = [x + y for x, y in zip(row, other)]
    return old


def gate(A, B):
    return [[a * gelu(b) for a, b in zip(*rows)] for rows in zip(A, B)]


def gate_backward(d, A, B):
    return list(measured_gradients(gate, d, A, B))


def _gate(of_a, of_b):
    """gate_backward with other local derivatives."""

    def backward(d, A, B):
        triples = [list(zip(*rows)) for rows in zip(d, A, B)]
        return [[[x * f(a, b) for x, a, b in row] for row in triples] for f in (of_a, of_b)]

    return backward


_TWICE = from_source("lambda d: [d, d]")
_HALF = from_source("lambda d: [[[x / 2 for x in row] for row in d]]")
_MIX = from_source("lambda d: [[[3 * x for x in row] for row in d], [[-x for x in row] for row in d]]")
_COLUMN = from_source("lambda d: [[[1.5 * d[0][0], -0.5 * d[0][0]]]]")  # a number whose input is a row of two
_NAMES = {"twice": _TWICE, "half": _HALF, "mix": _MIX, "column": _COLUMN}
_WEIGHTS = [softmax([0.5, -1.0, 2.0]), softmax([1.5, 0.25, 0.0])]


def _walk_text(name, steps, n):
    """The call, with a name for each backward function, which is defined in a line before it."""
    named = {id(function): word for word, function in _NAMES.items()}
    used = dict.fromkeys(named[id(backward)] for backward, _, _ in steps)
    tape = ", ".join(f"[{named[id(backward)]}, {given}, {result}]" for backward, given, result in steps)
    return "\n    ".join([*(f"{word} = {_NAMES[word]!r}" for word in used), f"{name}([{tape}], {n})"])


EXERCISES = {
    "12.e": Exercise(
        my_softmax_rows_backward,
        [
            [[[4.0, 0.0]], [[0.5, 0.5]], [[7.0, 7.0]]],
            [*draw_inputs(120, (2, 3)), _WEIGHTS, [[0.5, -1.0, 2.0], [1.5, 0.25, 0.0]]],
            [*draw_inputs(121, (1, 3)), [_WEIGHTS[1]], [[11.5, 10.25, 10.0]]],
        ],
        mistakes={
            "the scores stand where the weights belong": lambda d, weights, scores: my_softmax_rows_backward(
                d, scores, scores
            ),
            "d and the weights are exchanged": lambda d, weights, scores: my_softmax_rows_backward(
                weights, d, scores
            ),
            "each weight is taken to depend on its own score only": lambda d, weights, scores: [
                [[x * w * (1 - w) for x, w in zip(*rows)] for rows in zip(d, weights)]
            ],
            "the matrix is returned, and not a list with the matrix in it": lambda d, weights, scores: (
                my_softmax_rows_backward(d, weights, scores)[0]
            ),
        },
    ),
    "12.f": Exercise(
        tape_gradients,
        [
            [[[_TWICE, [0, 0], 1]], 2],
            [[[_HALF, [0], 1], [_HALF, [0], 2]], 3],
            [[[_HALF, [0], 2], [_MIX, [2, 1], 3], [_MIX, [3, 0], 4]], 5],
            [[[_HALF, [0], 1], [_MIX, [1, 0], 2], [_HALF, [1], 3], [_MIX, [2, 1], 4]], 5],
            [[[_HALF, [0], 1], [_COLUMN, [1], 2], [_TWICE, [2, 2], 3]], 4],
            [[[_HALF, [0], 2], [_MIX, [2, 0], 1]], 3],
        ],
        mistakes={
            "a later gradient replaces the earlier one, and is not added to it": lambda steps, n: _walk(
                steps, n, lambda old, new: new
            ),
            "only the first gradient of a value is kept, and later ones are lost": lambda steps, n: _walk(
                steps, n, lambda old, new: old
            ),
            "the steps are read in the order in which they were executed": lambda steps, n: _walk(
                steps, n, add, order=iter
            ),
            "an argument that a step uses twice gets one of its two gradients": _once_each,
            (
                "a step whose result has no gradient is not skipped, and its backward function gets None"
            ): _nothing_skipped,
            "the 1 is given to the value with the last number, and not to the result of the last step": (
                lambda steps, n: _walk(steps, n, add, start=-1)
            ),
            "only the first argument of a step gets a gradient": _first_only,
            "all arguments of a step get the gradient of its first argument": _first_gradient,
            "+ joins the two lists, where add would add the matrices": lambda steps, n: _walk(
                steps, n, lambda old, new: old + new
            ),
            "+= changes a list that is also the gradient of another value": lambda steps, n: _walk(
                steps, n, _in_place
            ),
        },
        call_text=_walk_text,
    ),
    "12.1": Exercise(
        gate_backward,
        [
            [[[2.0]], [[3.0]], [[0.0]]],
            draw_inputs(124, (1, 2), (1, 2), (1, 2)),
            draw_inputs(125, (2, 3), (2, 3), (2, 3)),
        ],
        mistakes={
            "A and B are exchanged in the result": lambda d, A, B: _gate(
                lambda a, b: gelu(b), lambda a, b: a * gelu_derivative(b)
            )(d, A, B)[::-1],
            "the incoming gradient d is left out: multiply each local derivative by it": lambda d, A, B: (
                gate_backward([[1.0] * len(row) for row in d], A, B)
            ),
            "the derivative of GELU is forgotten": _gate(lambda a, b: gelu(b), lambda a, b: a),
            "GELU stands where its derivative belongs": _gate(lambda a, b: gelu(b), lambda a, b: a * gelu(b)),
            "the gradient of A is multiplied by B, and not by GELU(B)": _gate(
                lambda a, b: b, lambda a, b: a * gelu_derivative(b)
            ),
            "the gradient of B is not multiplied by A": _gate(
                lambda a, b: gelu(b), lambda a, b: gelu_derivative(b)
            ),
            "the derivative of GELU is computed at A, and not at B": _gate(
                lambda a, b: gelu(b), lambda a, b: a * gelu_derivative(a)
            ),
        },
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
}
