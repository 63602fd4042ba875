"""Lesson 09b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import dot, gelu, gelu_exact_derivative, quick_gelu_derivative, relu_derivative, transpose
from .exercise import Exercise, draw_inputs


def my_layer_norm_backward_row(d_out, row, gamma, eps):
    D = len(row)
    mean = sum(row) / D
    std = math.sqrt(sum((x - mean) ** 2 for x in row) / D + eps)
    z = [(x - mean) / std for x in row]
    g = [d * gamma_i for d, gamma_i in zip(d_out, gamma)]
    mean_g, mean_gz = sum(g) / D, sum(a * b for a, b in zip(g, z)) / D
    return [(a - mean_g - b * mean_gz) / std for a, b in zip(g, z)]


MEANS = "sum(g) / D, sum(a * b for a, b in zip(g, z)) / D"
NORM_MISTAKES = {
    "the part through the mean is left out: mean(g) is not subtracted": ("a - mean_g", "a"),
    "the part through std is left out, or adds up to 0, as it does with g_j in place of g_i": (
        (" - b * mean_gz", ""),
    ),
    "only the direct part is there": ("a - mean_g - b * mean_gz", "a"),
    "mean(g) is added instead of subtracted": ("- mean_g ", "+ mean_g "),
    "z·mean(g·z) is added instead of subtracted": ("- b * mean_gz", "+ b * mean_gz"),
    "both means are added instead of subtracted": ("a - mean_g - b * mean_gz", "a + mean_g + b * mean_gz"),
    "gamma is applied after the means and not before them": (
        ("d * gamma_i for", "d for"),
        (
            "[(a - mean_g - b * mean_gz) / std for a, b in zip(g, z)]",
            "[s * (a - mean_g - b * mean_gz) / std for s, a, b in zip(gamma, g, z)]",
        ),
    ),
    "gamma is left out": ("d * gamma_i", "d"),
    "eps is left out": (" + eps", ""),
    "the result is not divided by std": (") / std for a", ") for a"),
    "the result is divided by the variance and not by std": ("/ std for a", "/ std**2 for a"),
    "the means are taken of d_out and not of g = gamma·d_out": (
        (MEANS, "sum(d_out) / D, sum(a * b for a, b in zip(d_out, z)) / D"),
    ),
    "this is RMSNorm: the row is not centred": (("mean = sum(row) / D", "mean = 0"), ("a - mean_g", "a")),
    "sums are subtracted instead of means": (MEANS, "sum(g), sum(a * b for a, b in zip(g, z))"),
    "only mean(g) is divided by D: mean(g·z) is still a sum": (MEANS, MEANS.removesuffix(" / D")),
    "only mean(g·z) is divided by D: mean(g) is still a sum": (MEANS, MEANS.replace("sum(g) / D", "sum(g)")),
    "std is the variance: the root is missing": ("math.sqrt(", "("),
    "z is multiplied by gamma": (
        "a * b for a, b in zip(g, z)) / D",
        "a * b * s for a, b, s in zip(g, z, gamma)) / D",
    ),
    "d_out is divided by gamma and not multiplied": ("d * gamma_i", "d / gamma_i"),
    "the variance is divided by D − 1 and not by D": ("/ D + eps", "/ (D - 1) + eps"),
    "mean(g·z) is computed with the row and not with z": (
        "a * b for a, b in zip(g, z)) / D",
        "a * b for a, b in zip(g, row)) / D",
    ),
    "mean(g·z) is multiplied by the row and not by z": ("zip(g, z)]", "zip(g, row)]"),
    "only i = j counts in the two means: the mean and the std change every z_i": (
        ("(a - mean_g - b * mean_gz)", "(a - a / D - b * b * a / D)"),
    ),
    "the part through the mean takes g_j and not g_i: a path to z_i is multiplied by the gradient of z_i": (
        "a - mean_g",
        "a - a",
    ),
    "the part through std has the factor 2 of the square: the root brings ½, and they cancel": (
        "- b * mean_gz",
        "- 2 * b * mean_gz",
    ),
    "the part through std is divided by std once too often": ("- b * mean_gz", "- b * mean_gz / std"),
    "the part through std lacks one division by std: the std rises by z_j·h/D, and z_i by −z_i/std of that": (
        ("- b * mean_gz", "- b * mean_gz * std"),
    ),
    "the part through std leaves out the path from x_j to its own z_j": (
        ("- b * mean_gz", "- b * (mean_gz - a * b / D)"),
    ),
    "the parts through the mean and the std leave out the paths from x_j to its own z_j": (
        ("a - mean_g - b * mean_gz", "a - mean_g - b * mean_gz + a / D + b * b * a / D"),
    ),
    "D is fixed at 4: it is the length of the row": ("D = len(row)", "D = 4"),
    "only i = j counts in the part through the mean": ("a - mean_g", "a - a / D"),
    "only i = j counts in the part through std": ("- b * mean_gz", "- b * b * a / D"),
    "eps is fixed at 1e-5, whatever is given": (" + eps", " + 1e-5"),
    "only the direct part is divided by std": (
        "(a - mean_g - b * mean_gz) / std",
        "a / std - mean_g - b * mean_gz",
    ),
    "mean(g·z) is not multiplied by z_j": ("b * mean_gz", "mean_gz"),
    "z_i is left out in the part through std": ("b * mean_gz", "b * mean_g"),
    "mean(g·z) is computed with d_out and not with g": ("in zip(g, z)) / D", "in zip(d_out, z)) / D"),
    "z is not divided by std": ("[(x - mean) / std for", "[x - mean for"),
    "the row stands in the place of z": ("[(x - mean) / std for x in row]", "list(row)"),
    "eps is added after the root instead of inside it": ("/ D + eps)", "/ D) + eps"),
}


def my_gamma_beta_backward(d_out, Z):
    d_gamma = [dot(d, z) for d, z in zip(transpose(d_out), transpose(Z))]
    d_beta = [sum(column) for column in transpose(d_out)]
    return d_gamma, d_beta


COLUMNS, ROWS = "zip(transpose(d_out), transpose(Z))", "zip(d_out, Z)"
D_BETA = "[sum(column) for column in transpose(d_out)]"
FIRST_LINE = "def my_gamma_beta_backward(d_out, Z):\n"
GAMMA_BETA_MISTAKES = {
    "the two gradients are swapped": ("return d_gamma, d_beta", "return d_beta, d_gamma"),
    "the sum goes over the entries of a row, and not over the positions": (
        (COLUMNS, ROWS),
        ("for column in transpose(d_out)", "for column in d_out"),
    ),
    "d_gamma is summed over the entries of a row, and not over the positions": (COLUMNS, ROWS),
    "the mean over the positions is taken, and not the sum": (
        ("dot(d, z)", "dot(d, z) / len(Z)"),
        ("sum(column)", "sum(column) / len(Z)"),
    ),
    "d_beta is summed over the entries of a row, and not over the positions": (" transpose(d_out)", " d_out"),
    "d_gamma is a mean over the positions, and not a sum": ("dot(d, z)", "dot(d, z) / len(Z)"),
    "d_beta is a mean over the positions, and not a sum": ("sum(column)", "sum(column) / len(Z)"),
    "d_beta is the number of positions; the incoming gradient is left out": ("sum(column)", "float(len(Z))"),
    "d_gamma is the sum of z; it is not multiplied by d_out": ("dot(d, z)", "sum(z)"),
    "d_gamma is not multiplied by z": ("dot(d, z)", "sum(d)"),
    "d_beta is multiplied by z, too": (D_BETA, "d_gamma"),
    "d_beta is the sum of z": (D_BETA, "[sum(z) for z in transpose(Z)]"),
    "d_beta is 1 for every entry; the incoming gradient is left out": ("sum(column)", "1.0"),
    "only the first position counts": (FIRST_LINE, FIRST_LINE + "    d_out, Z = d_out[:1], Z[:1]\n"),
    "only the last position counts: `=` instead of `+=`": (" Z):", " Z):\n    d_out, Z = d_out[-1:], Z[-1:]"),
    "d_gamma is the whole matrix product d_outᵀ·Z: only its diagonal is needed": (
        ("[dot(d, z) for d, z in zip(transpose(d_out), transpose(Z))]", "matmul(transpose(d_out), Z)"),
    ),
    "d_gamma is the product of two sums, and not the sum of products": ("dot(d, z)", "sum(d) * sum(z)"),
    "the contributions of the positions are not added": (
        ("dot(d, z)", "[a * b for a, b in zip(d, z)]"),
        (COLUMNS, ROWS),
        (D_BETA, "d_out"),
    ),
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
    "the derivative of x is 1, and not x": (INNER, "(x + 3 * 0.044715 * x * x)"),
    "t stands where the derivative of tanh, 1 − t², belongs": ("(1 - t * t)", "t"),
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
    "2/π is taken for √(2/π): the root is missing": ("math.sqrt(2 / math.pi)", "2 / math.pi"),
    "the two terms of the product rule are multiplied and not added": ("(1 + t) + 0.5", "(1 + t) * 0.5"),
    "the inner derivative multiplies its 1 by x², too": (INNER, "(1 + 3 * 0.044715) * x * x"),
    "√2/π is taken for √(2/π)": ("math.sqrt(2 / math.pi)", "math.sqrt(2) / math.pi"),
    "the derivative of tanh is (1 − t)² instead of 1 − t²": ("1 - t * t", "(1 - t) ** 2"),
    "the t of 1 + t is left out": ("0.5 * (1 + t)", "0.5"),
    "the inner derivative lacks its brackets": (f"c * {INNER}", "c + 3 * 0.044715 * x * x"),
    "two forms are mixed: Φ of the tanh form and the density of the exact form": (
        (f"0.5 * x * (1 - t * t) * c * {INNER}", "x * math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)"),
    ),
}


EXERCISES = {
    "09.c": Exercise(
        my_layer_norm_backward_row,
        [
            [[16.0, 0.0, 0.0, 0.0], [1.0, 1.0, 5.0, 5.0], [2.0, 1.0, 1.0, 1.0], 12.0],
            [[1.0, 0.0, 0.0], [1.0, 2.0, 6.0], [1.0, 1.0, 1.0], 0.5],
            [[1.0, -2.0, 0.5], [1.0, 2.0, 6.0], [1.0, 2.0, 3.0], 0.0],
            [*draw_inputs(54, (4,), (4,), (4,)), 0.5],
            [*draw_inputs(55, (5,), (5,), (5,)), 1e-5],
            [*draw_inputs(56, (3,), (3,), (3,)), 4.0],
        ],
        NORM_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
        wants_formula_for=("layer_norm", "my_norm_row"),
    ),
    "09.d": Exercise(
        my_gamma_beta_backward,
        [
            [[[1.0, 2.0], [3.0, 4.0]], [[-1.0, 1.0], [2.0, -1.0]]],
            [[[1.0, 2.0, 3.0]], [[2.0, 0.0, -1.0]]],
            draw_inputs(57, (3, 2), (3, 2)),
            draw_inputs(58, (2, 4), (2, 4)),
            draw_inputs(59, (3, 3), (3, 3)),
        ],
        GAMMA_BETA_MISTAKES,
        tolerance=1e-6,
        parts=("d_gamma", "d_beta"),
        answer_may_be_told=True,
    ),
    "09.e": Exercise(
        my_gelu_derivative,
        # Finite differences are inexact at −5.6: the rounding error of gelu is large next to its derivative.
        [[1.0], [-1.0], [0.5], [-0.75], [2.5], [-3.0], [8.0], [0.0], [-5.6]],
        GELU_MISTAKES,
        tolerance=1e-6,
        answer_may_be_told=True,
        wants_formula_for=("gelu", "my_gelu"),
    ),
}
