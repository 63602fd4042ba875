"""Lesson 06b: solution, inputs and known mistakes of its task on SiLU; the others are in lesson_06."""

import math

from ... import gelu, quick_gelu
from .exercise import Exercise


def my_silu(x):
    return x * 0.5 * (1 + math.tanh(x / 2))


SILU = "x * 0.5 * (1 + math.tanh(x / 2))"
SILU_MISTAKES = {
    "`math.exp(-x)` overflows for a very negative x": (SILU, "x / (1 + math.exp(-x))"),
    "`math.exp(x)` overflows for a very large x": (SILU, "x * math.exp(x) / (1 + math.exp(x))"),
    "σ(x) uses tanh(x) instead of tanh(x/2)": ("x / 2", "x"),
    "the factor x is missing: this is σ(x)": ("x * ", ""),
    "this is GELU; the task asks for x·σ(x)": gelu,
    "the factor ½ of σ(x) is missing": ("0.5 * ", ""),
    "the 1 of ½·(1 + tanh(x/2)) is missing": ("(1 + math.tanh(x / 2))", "math.tanh(x / 2)"),
    "the sign of x in σ is wrong: this is x·σ(−x)": ("1 + ", "1 - "),
    "x is clipped before exp; the value there is small, but not 0": (
        (SILU, "x / (1 + math.exp(-x)) if abs(x) < 12.5 else max(x, 0.0)"),
    ),
    "brackets are missing: x·½·1 + tanh(x/2) is computed": ("(1 + math.tanh(x / 2))", "1 + math.tanh(x / 2)"),
    "σ(x) uses tanh(x)/2 instead of tanh(x/2)": ("math.tanh(x / 2)", "math.tanh(x) / 2"),
    "the ½ and the 1 of ½·(1 + tanh(x/2)) are missing": (SILU, "x * math.tanh(x / 2)"),
    "the factor x is there twice": (SILU, f"x * {SILU}"),
    "this is GELU in its sigmoid form, with the factor 1.702": quick_gelu,
}


EXERCISES = {
    "06.d": Exercise(
        my_silu, [[1.0], [0.0], [2.5], [-1.3], [-12.0], [9.0], [1000.0], [-1000.0], [-12.75]], SILU_MISTAKES
    )
}
