"""Lesson 09: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import (
    gelu,
    gelu_exact_derivative,
    matmul,
    quick_gelu_derivative,
    relu_derivative,
    scale,
    softmax,
    transpose,
)
from .exercise import Exercise, draw_inputs


def my_d_logits(logits, targets):
    d_logits = []
    for row, target in zip(logits, targets):
        d_row = softmax(row)
        d_row[target] -= 1
        d_logits.append([d / len(targets) for d in d_row])
    return d_logits


D_LOGITS_MISTAKES = {
    "the factor 1 / n of the mean is left out": ("d / len(targets)", "d"),
    "the factor of the mean is 1 / 4, whatever the number of targets": ("len(targets)", "4"),
    "the mean divides by the length of a row, and not by the number of targets": ("len(targets)", "len(row)"),
    "the mean divides by the number of all logits, and not by the number of targets": (
        ("len(targets)", "(len(targets) * len(row))"),
    ),
    "the factor of the mean is 1 / 2, whatever the number of targets": ("len(targets)", "2"),
    "only the 1 is divided by n: the probabilities have to be divided, too": (
        ("-= 1", "-= 1 / len(targets)"),
        ("d / len(targets)", "d"),
    ),
    "the 1 at the target is not subtracted": ("        d_row[target] -= 1\n", ""),
    "the 1 at the target is added": ("-= 1", "+= 1"),
    "the sign is wrong": ("d / len", "-d / len"),
    "every row uses the first target": ("zip(logits, targets)", "zip(logits, targets[:1] * len(targets))"),
    "`return` stands in the loop, so there is only the first row": (
        ("    return d_logits", "        return d_logits"),
    ),
    "the logits are used without softmax": ("softmax(row)", "list(row)"),
    "exp is used without the division of softmax": ("softmax(row)", "[math.exp(x) for x in row]"),
    "1 is subtracted after the division by n": ("-= 1", "-= len(targets)"),
    "the entry of the target is 1 − p instead of p − 1": ("[target] -= 1", "[target] = 1 - d_row[target]"),
    "the target's entry has 1/p: this is the derivative with respect to the probability, not the logit": (
        ("d_row[target] -= 1", "d_row[target] = -1 / d_row[target]"),
    ),
    "only the target has an entry, −1/p: the derivative with respect to the probability, not the logit": (
        ("d_row[target] -= 1", "d_row = [-(i == target) / p for i, p in enumerate(d_row)]"),
    ),
    "1 is subtracted from every entry, and not only at the target": (
        ("d_row[target] -= 1", "d_row = [p - 1 for p in d_row]"),
    ),
    "1 is subtracted at every target in each row, and not only at the row's own": (
        ("d_row[target] -= 1", "d_row = [p - (i in targets) for i, p in enumerate(d_row)]"),
    ),
    "1 is subtracted from the target's logit before softmax, and not from its probability": (
        ("d_row = softmax(row)", "d_row = softmax([x - (i == target) for i, x in enumerate(row)])"),
        ("        d_row[target] -= 1\n", ""),
    ),
    "every entry is p·(1 − p)": ("d_row[target] -= 1", "d_row = [p * (1 - p) for p in d_row]"),
    "1 is subtracted one entry before the target": ("d_row[target]", "d_row[target - 1]"),
    "only the entry of the target is filled in": (
        ("d_row[target] -= 1", "d_row = [(p - 1) * (i == target) for i, p in enumerate(d_row)]"),
    ),
}


def my_linear_backward(d_out, X, W):
    d_X = matmul(d_out, W)
    d_W = matmul(transpose(d_out), X)
    d_b = [sum(column) for column in transpose(d_out)]
    return d_X, d_W, d_b


D_W = "matmul(transpose(d_out), X)"
LINEAR_MISTAKES = {
    "d_X is d_out·Wᵀ instead of d_out·W": ("matmul(d_out, W)", "matmul(d_out, transpose(W))"),
    "d_W has the shape [in][out]": (D_W, "matmul(transpose(X), d_out)"),
    "d_b is the mean of the rows of d_out, and not their sum": ("sum(column)", "sum(column) / len(column)"),
    "d_b adds the entries of each row, and not of each column": ("in transpose(d_out)]", "in d_out]"),
    "d_b uses only the first row of d_out": ("sum(column)", "column[0]"),
    "d_W is divided by the number of positions": (D_W, f"scale({D_W}, 1 / len(X))"),
    "d_W uses only the first position": (D_W, "matmul(transpose(d_out[:1]), X[:1])"),
    "d_W uses only the last position": (D_W, "matmul(transpose(d_out[-1:]), X[-1:])"),
    "d_b is 1 for every entry; the incoming gradient is left out": ("sum(column)", "1.0"),
    "d_W has the wrong sign": (D_W, f"scale({D_W}, -1)"),
    "d_W is computed with W instead of X": (D_W, "matmul(transpose(d_out), [W[0]] * len(d_out))"),
    "the transpose of d_out is missing in d_W": (D_W, "matmul(d_out, X)"),
    "d_b is d_out itself: the bias is used at every position, so its gradients are added": (
        ("[sum(column) for column in transpose(d_out)]", "d_out"),
    ),
    "d_X adds the rows of W; the incoming gradient is left out": (
        ("matmul(d_out, W)", "[[sum(column) for column in transpose(W)] for _ in X]"),
    ),
    "d_W adds the rows of X; the incoming gradient is left out": (
        (D_W, "[[sum(column) for column in transpose(X)] for _ in W]"),
    ),
    "d_X and d_W are swapped": ("return d_X, d_W", "return d_W, d_X"),
    "d_W and d_b are swapped": ("return d_X, d_W, d_b", "return d_X, d_b, d_W"),
}


def my_gelu_derivative(x):
    c = math.sqrt(2 / math.pi)
    t = math.tanh(c * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)


INNER = "(1 + 3 * 0.044715 * x * x)"
GELU_MISTAKES = {
    "the inner derivative is left out: √(2/π)·(1 + 3·0.044715·x²)": (f" * c * {INNER}", ""),
    "the inner derivative is only √(2/π); the factor from x + 0.044715·x³ is left out": (f" * {INNER}", ""),
    "the factor 3 from x³ is left out": ("3 * 0.044715 * x", "0.044715 * x"),
    "the factor √(2/π) of the inner derivative is left out": (f" * c * {INNER}", f" * {INNER}"),
    "the derivative of x³ is taken as 3·x³ instead of 3·x²": ("x * x)", "x**3)"),
    "the derivative of x³ is taken as 3·x instead of 3·x²": ("x * x)", "x)"),
    "the inner function stands where its derivative belongs": (INNER, "(x + 0.044715 * x**3)"),
    "the 1 of the inner derivative is left out": ("(1 + 3", "(3"),
    "the derivative of tanh is 1 − t instead of 1 − t²": ("1 - t * t", "1 - t"),
    "the derivative of tanh is taken as 1 + t²": ("1 - t * t", "1 + t * t"),
    "the derivative of tanh is left out": (" * (1 - t * t)", ""),
    "the ½ of the first term is left out": ("0.5 * (1 + t)", "(1 + t)"),
    "the ½ of the second term is left out": ("0.5 * x", "x"),
    "both factors ½ are left out": (("0.5 * (1 + t)", "(1 + t)"), ("0.5 * x", "x")),
    "the second term of the product rule is left out": (f" + 0.5 * x * (1 - t * t) * c * {INNER}", ""),
    "the first term of the product rule is left out": ("0.5 * (1 + t) + ", ""),
    "the sign of the second term is wrong": ("+ 0.5 * x", "- 0.5 * x"),
    "the factor x of the second term is left out": ("0.5 * x *", "0.5 *"),
    "the factor 3 from x³ is 2": ("3 * 0.044715 * x", "2 * 0.044715 * x"),
    "the 1 of 1 + t is left out": ("(1 + t)", "t"),
    "the derivative of tanh is 1 − u² instead of 1 − tanh²(u)": (
        ("1 - t * t", "1 - (c * (x + 0.044715 * x**3)) ** 2"),
    ),
    "the derivative of tanh is t·(1 − t), as for the sigmoid": ("(1 - t * t)", "t * (1 - t)"),
    "the factor 3 from x³ is 6": ("3 * 0.044715 * x * x", "6 * 0.044715 * x * x"),
    "tanh is taken of x and not of u": ("math.tanh(c * (x + 0.044715 * x**3))", "math.tanh(x)"),
    "tanh² is taken of x and not of u": ("t * t)", "math.tanh(x) ** 2)"),
    "this is the derivative of the sigmoid form of GELU": quick_gelu_derivative,
    "this is the derivative of ReLU": relu_derivative,
    "the result is gelu(x) itself": gelu,
    "this is the derivative of the exact form of GELU": gelu_exact_derivative,
    "the derivative of a product is taken as the product of the derivatives": (
        "0.5 * (1 + t) + 0.5 * x * (1 - t * t)",
        "0.5 * (1 - t * t)",
    ),
    "the factor √(2/π) is left out everywhere": ("math.sqrt(2 / math.pi)", "1.0"),
    "√2/π is taken for √(2/π)": ("math.sqrt(2 / math.pi)", "math.sqrt(2) / math.pi"),
    "the derivative of tanh is (1 − t)² instead of 1 − t²": ("1 - t * t", "(1 - t) ** 2"),
    "the t of 1 + t is left out": ("0.5 * (1 + t)", "0.5"),
    "the inner derivative lacks its brackets": (f"c * {INNER}", "c + 3 * 0.044715 * x * x"),
    "two forms are mixed: Φ of the tanh form and the density of the exact form": (
        (f"0.5 * x * (1 - t * t) * c * {INNER}", "x * math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)"),
    ),
}


EXERCISES = {
    "09.a": Exercise(
        my_d_logits,
        [
            [[[0.0] * 5, [0.0] * 5], [1, 0]],
            [[[0.0, 0.0]], [1]],
            [[[1.0, 0.0, 2.0], [0.5, 0.5, 0.0]], [2, 0]],
            [*draw_inputs(50, (3, 4)), [3, 0, 3]],
            [*draw_inputs(51, (4, 3)), [1, 1, 0, 2]],
            [[[1000.0, 1000.0, 0.0]], [1]],
        ],
        D_LOGITS_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
        wants_formula_for=("cross_entropy", "token_losses", "my_token_loss"),
    ),
    "09.b": Exercise(
        my_linear_backward,
        [
            [[[1.0, 2.0]], [[3.0, 4.0]], [[10.0, 20.0], [0.0, 10.0]]],
            [[[1.0], [2.0]], [[3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0]]],
            draw_inputs(52, (2, 3), (2, 2), (3, 2)),
            draw_inputs(53, (3, 2), (3, 2), (2, 2)),
            draw_inputs(49, (2, 2), (2, 2), (2, 2)),
        ],
        LINEAR_MISTAKES,
        tolerance=1e-6,
        parts=("d_X", "d_W", "d_b"),
        answer_may_be_told=True,
    ),
    "09.e": Exercise(
        my_gelu_derivative,
        [[1.0], [-1.0], [0.5], [-0.75], [2.5], [-3.0], [8.0], [0.0]],
        GELU_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
        wants_formula_for=("gelu", "my_gelu"),
    ),
}
