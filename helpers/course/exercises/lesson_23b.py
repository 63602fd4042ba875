"""Lesson 23b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import matmul, transpose
from .exercise import Exercise, draw_inputs


def my_angles(k, base, trained, factor):
    angles = [base ** (-2 * j / k) for j in range(k // 2)]
    return [t if trained * t >= 2 * math.pi else t / factor for t in angles]


SLOW, KEPT = "t if trained * t >= 2 * math.pi else t / factor", "trained * t >= 2 * math.pi"
ANGLES_MISTAKES = {
    "every angle is divided by the factor: this is position interpolation": (SLOW, "t / factor"),
    "no angle is changed": (SLOW, "t"),
    "only the first pair keeps its angle": (
        f"{SLOW} for t in angles",
        "t / factor if j else t for j, t in enumerate(angles)",
    ),
    "the fast pairs are divided, and the slow ones keep their angle": ("trained * t >=", "trained * t <"),
    "the slow angles are multiplied by the factor": ("t / factor", "t * factor"),
    "a full turn is taken as 1 radian, and not as 2π": ("2 * math.pi", "1"),
    "a full turn is taken as 360, but the angles are in radians": ("2 * math.pi", "360"),
    "half a turn counts as a turn": ("2 * math.pi", "math.pi"),
    "the turns are counted in the longer text, and not in the training length": (
        KEPT,
        "factor * trained * t >= 2 * math.pi",
    ),
    "the exponent is −j/k, without the factor 2": ("-2 * j", "-j"),
    "there is an angle for each number, and not for each pair": ("k // 2", "k"),
    "the slow pairs do not turn at all": ("t / factor", "0.0"),
    "the wavelengths are returned, and not the angles": (
        f"[{SLOW} for t in angles]",
        f"[2 * math.pi / ({SLOW}) for t in angles]",
    ),
    "the slow angles are divided by factor · trained": ("t / factor", "t / factor / trained"),
}


def my_absorbed(W_Q, W_UK):
    return matmul(transpose(W_UK), W_Q)


ABSORBED_MISTAKES = {
    "W_Q comes first: the result is [D][r], and it must be [r][D]": (
        "matmul(transpose(W_UK), W_Q)",
        "matmul(transpose(W_Q), W_UK)",
    ),
    "W_UK is not transposed": ("transpose(W_UK)", "[row[: len(W_UK)] for row in W_UK]"),
    "the entries are multiplied one by one": (
        "matmul(transpose(W_UK), W_Q)",
        "[[a * b for a, b in zip(*rows)] for rows in zip(transpose(W_UK), transpose(W_Q))]",
    ),
    "the scores are divided by the root of the width: attention does it afterwards": (
        "matmul(transpose(W_UK), W_Q)",
        "[[x / math.sqrt(len(W_Q)) for x in row] for row in matmul(transpose(W_UK), W_Q)]",
    ),
    "W_UK is returned transposed, without W_Q": ("matmul(transpose(W_UK), W_Q)", "transpose(W_UK)"),
    "W_Q is returned, without W_UK": ("matmul(transpose(W_UK), W_Q)", "W_Q"),
}


EXERCISES = {
    "23.e": Exercise(
        my_angles,
        [
            [4, 100.0, 16, 4.0],
            [8, 100.0, 16, 2.0],
            [8, 100.0, 100, 2.0],
            [8, 10000.0, 400, 8.0],
            [4, 10000.0, 2, 3.0],
            [6, 50.0, 5, 1.5],
            [2, 100.0, 4, 2.0],
        ],
        ANGLES_MISTAKES,
    ),
    "23.f": Exercise(
        my_absorbed,
        [
            [[[2.0, 0.0]], [[3.0, 5.0, 1.0]]],
            draw_inputs(235, (2, 4), (2, 3)),
            draw_inputs(236, (3, 3), (3, 3)),
            draw_inputs(237, (4, 2), (4, 1)),
            draw_inputs(238, (3, 5), (3, 2)),
        ],
        ABSORBED_MISTAKES,
    ),
}
