"""Lesson 12b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import add, gelu, gelu_derivative, softmax, softmax_backward
from .exercise import Exercise, draw_inputs, from_source


def my_softmax_rows_backward(d, weights, scores):
    return [[softmax_backward(d_row, w) for d_row, w in zip(d, weights)]]


SOFTMAX_MISTAKES = {
    "the scores stand where the weights belong": ("zip(d, weights)", "zip(d, scores)"),
    "d and the weights are exchanged": ("zip(d, weights)", "zip(weights, d)"),
    "the sum of d · weights over the row is not subtracted from d": (
        ("softmax_backward(d_row, w)", "[x * y for x, y in zip(d_row, w)]"),
    ),
    "the mean of d over the row is subtracted; each d counts with its weight": (
        ("softmax_backward(d_row, w)", "[y * (x - sum(d_row) / len(d_row)) for x, y in zip(d_row, w)]"),
    ),
    "the result is not multiplied by the weights": (
        ("softmax_backward(d_row, w)", "[x - sum(map(float.__mul__, d_row, w)) for x in d_row]"),
    ),
    "softmax is applied to the weights once more: they are its result": (
        ("softmax_backward(d_row, w)", "softmax_backward(d_row, softmax(w))"),
    ),
    "one sum is taken over the whole matrix: each row has a sum of its own": (
        (
            "softmax_backward(d_row, w)",
            "[y * (x - sum(sum(map(float.__mul__, *r)) for r in zip(d, weights))) for x, y in zip(d_row, w)]",
        ),
    ),
    "each weight is taken to depend on its own score only": (
        ("softmax_backward(d_row, w)", "[x * y * (1 - y) for x, y in zip(d_row, w)]"),
    ),
    "the matrix is returned, and not a list with the matrix in it": (("[[", "["), ("]]", "]")),
    "only the first row is computed": ("zip(d, weights)", "zip(d[:1], weights[:1])"),
    "each row is in a list of its own: all rows together are one matrix": (
        ("(d_row, w)", "(d_row, w)]"),
        ("weights)]]", "weights)]"),
    ),
    "softmax_backward gets the whole matrix: call it for each row": (
        ("softmax_backward(d_row, w) for d_row, w in zip(d, weights)", "*softmax_backward(d, weights)"),
    ),
}


def my_walk(steps, n):
    gradients = [None] * n
    gradients[steps[-1][2]] = [[1.0]]
    for backward, arguments, result in reversed(steps):
        if gradients[result] is not None:
            for argument, d in zip(arguments, backward(gradients[result])):
                so_far = gradients[argument]
                gradients[argument] = d if so_far is None else add(so_far, d)
    return gradients


PAIRS = "zip(arguments, backward(gradients[result]))"
WALK_MISTAKES = {
    "a later gradient replaces the earlier one, and is not added to it": ("add(so_far, d)", "d"),
    "only the first gradient of a value is kept, and later ones are lost": ("add(so_far, d)", "so_far"),
    "the steps are read in the order in which they were executed": ("reversed(steps)", "steps"),
    "an argument that a step uses twice gets one of its two gradients": (PAIRS, f"dict({PAIRS}).items()"),
    "the loop ends at a step whose result has no gradient: skip this step only": (
        (
            "        if gradients[result] is not None:\n",
            "        if gradients[result] is None:\n            break\n        else:\n",
        ),
    ),
    "a step whose result has no gradient is not skipped": ("gradients[result] is not None", "True"),
    "the 1 is given to the value with the last number, not to the last result": ("[steps[-1][2]]", "[-1]"),
    "only the first argument of a step gets a gradient": ("zip(arguments,", "zip(arguments[:1],"),
    "all arguments of a step get the gradient of its first": ("result])", "result])[:1] * len(arguments)"),
    "+ joins the two lists, where add would add the matrices": ("add(so_far, d)", "so_far + d"),
    "each gradient begins as a matrix of zeros: a value that receives no gradient keeps None": (
        ("[None] * n", "[[[0.0]] for _ in range(n)]"),
    ),
    "each argument gets all gradients of the step, and not its own only": (
        PAIRS,
        "[(argument, d) for argument in arguments for d in backward(gradients[result])]",
    ),
    "the walk begins with the number 1.0, and not with the matrix [[1.0]]": ("[[1.0]]", "1.0"),
    "the backward functions get [[1.0]], and not the gradient of the step's result": (
        "backward(gradients[result])",
        "backward([[1.0]])",
    ),
    "the backward functions get [[1.0]], and no step is skipped": (
        ("backward(gradients[result])", "backward([[1.0]])"),
        ("gradients[result] is not None", "True"),
    ),
    "the gradient of a result is deleted after its use": (
        "else add(so_far, d)\n",
        "else add(so_far, d)\n            gradients[result] = None\n",
    ),
    "+= changes a list that is also the gradient of another value": (
        "add(so_far, d)\n",
        "so_far\n"
        "                for row, other in zip(so_far or [], d):\n"
        "                    row[:] = [x + y for x, y in zip(row, other)]\n",
    ),
}


def gate_backward(d, A, B):
    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]
    d_B = [[x * a * gelu_derivative(b) for x, a, b in zip(*rows)] for rows in zip(d, A, B)]
    return [d_A, d_B]


def gelu_of_A(d, A, B):
    d_B, d_A = gate_backward(d, B, A)
    return [d_A, d_B]


GATE_MISTAKES = {
    "GELU is applied to A, and not to B": gelu_of_A,
    "the gradient of A is multiplied by the derivative of GELU, and not by GELU(B)": (
        ("gelu(b)", "gelu_derivative(b)"),
    ),
    "d is multiplied by B inside the derivative of GELU: the derivative is computed at B": (
        "x * a * gelu_derivative(b)",
        "a * gelu_derivative(x * b)",
    ),
    "A and B are exchanged in the result": ("[d_A, d_B]", "[d_B, d_A]"),
    "the incoming gradient d is left out: multiply each local derivative by it": (
        ("x * gelu(b)", "gelu(b)"),
        ("x * a", "a"),
    ),
    "the derivative of GELU is forgotten": (" * gelu_derivative(b)", ""),
    "GELU stands where its derivative belongs": ("gelu_derivative", "gelu"),
    "the gradient of A is multiplied by B, and not by GELU(B)": ("gelu(b)", "b"),
    "the gradient of B is not multiplied by A": ("x * a", "x"),
    "the derivative of GELU is computed at A, and not at B": ("gelu_derivative(b)", "gelu_derivative(a)"),
}


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
        SOFTMAX_MISTAKES,
    ),
    "12.f": Exercise(
        my_walk,
        [
            [[[_TWICE, [0, 0], 1]], 2],
            [[[_HALF, [0], 1], [_HALF, [0], 2]], 3],
            [[[_HALF, [0], 2], [_MIX, [2, 1], 3], [_MIX, [3, 0], 4]], 5],
            [[[_HALF, [0], 1], [_MIX, [1, 0], 2], [_HALF, [1], 3], [_MIX, [2, 1], 4]], 5],
            [[[_HALF, [0], 1], [_COLUMN, [1], 2], [_TWICE, [2, 2], 3]], 4],
            [[[_HALF, [0], 2], [_MIX, [2, 0], 1]], 3],
        ],
        WALK_MISTAKES,
        call_text=_walk_text,
    ),
    "12.1": Exercise(
        gate_backward,
        [
            [[[2.0]], [[3.0]], [[0.0]]],
            draw_inputs(124, (1, 2), (1, 2), (1, 2)),
            draw_inputs(125, (2, 3), (2, 3), (2, 3)),
        ],
        GATE_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
    ),
}
