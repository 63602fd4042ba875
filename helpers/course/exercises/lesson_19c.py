"""Lesson 19c: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import round_symmetric
from .exercise import Exercise, draw_inputs


def product_min_max(codes, scales, x):
    scale_x = (max(x) - min(x)) / 255 or 1.0
    codes_x = [round((number - min(x)) / scale_x) for number in x]
    sums = [sum(a * b for a, b in zip(row, codes_x)) for row in codes]
    return [scale * (scale_x * total + min(x) * sum(row)) for scale, total, row in zip(scales, sums, codes)]


def my_product(codes, scales, x):
    scale_x = max(map(abs, x)) / 127 or 1.0
    codes_x = [round(number / scale_x) for number in x]
    sums = [sum(a * b for a, b in zip(row, codes_x, strict=True)) for row in codes]
    return [scale * scale_x * total for scale, total in zip(scales, sums, strict=True)]


CODES_X, SCALED = "[round(number / scale_x) for number in x]", "scale * scale_x * total"
PRODUCT_MISTAKES = {
    "x stays as it is, and is not quantized": ((CODES_X, "x"), (SCALED, "scale * total")),
    "the scale of x is inside the sum, which becomes a sum of rounded floats": (
        ("sum(a * b for", "sum(scale_x * b * a for"),
        (SCALED, "scale * total"),
    ),
    "both scales are inside the sum, which becomes a sum of rounded floats": (
        ("sum(a * b for", "sum(scale * a * (scale_x * b) for"),
        ("row in codes]", "row, scale in zip(codes, scales)]"),
        (SCALED, "total"),
    ),
    "the scale of the row is inside the sum, which becomes a sum of rounded floats": (
        ("sum(a * b for", "sum(scale * a * b for"),
        ("row in codes]", "row, scale in zip(codes, scales)]"),
        (SCALED, "scale_x * total"),
    ),
    "the sums are returned without any scale": (SCALED, "total"),
    "the scale of x is left out": (SCALED, "scale * total"),
    "the scales of the rows are left out": (SCALED, "scale_x * total"),
    "every row gets the scale of the first row": ("zip(scales, sums", "zip([scales[0]] * len(sums), sums"),
    "the largest code of x is 128, one too many for 8 bits": ("127", "128"),
    "the largest code of x is 255, so the codes of x have 9 bits": ("127", "255"),
    "the codes of x have 4 bits, and not 8": ("127", "7"),
    "the scale of x comes from its largest number, not its largest absolute value": (
        ("max(map(abs, x))", "max(x)"),
    ),
    "the codes of x are truncated, and not rounded": ("round(number", "int(number"),
    "the codes of x are rounded down, and not to the nearest code": ("round(number", "math.floor(number"),
    "the sums are divided by the scales": (SCALED, "total / scale / scale_x"),
    "the scales are taken as scales of the columns; each belongs to a row": (
        (
            "sum(a * b for a, b in zip(row, codes_x, strict=True))",
            "sum(s * a * b for s, a, b in zip(scales, row, codes_x))",
        ),
        (SCALED, "scale_x * total"),
    ),
    "the sum is divided by the scale of x": (SCALED, "scale * total / scale_x"),
    "the scale of a vector of zeros is 0, and you divide by it": (" or 1.0", ""),
    "the scale of x is always 0.01, that of the example": ("max(map(abs, x)) / 127 or 1.0", "0.01"),
    "the numbers of x are rounded to integers, without a scale": (("max(map(abs, x)) / 127 or 1.0", "1.0"),),
    "the result is rounded to whole numbers": (SCALED, f"round({SCALED})"),
    "the products are not added up": (
        ("sum(a * b for a, b in zip(row, codes_x, strict=True))", "[a * b for a, b in zip(row, codes_x)]"),
        (SCALED, "[scale * scale_x * part for part in total]"),
    ),
    "x is quantized by min–max, and not symmetrically": product_min_max,
    "the codes are read by columns; a row of the codes gives one number": (
        ("row in codes]", "row in zip(*codes)]"),
    ),
    "the numbers of all rows are added up": (
        ("return [", "return sum(["),
        ("strict=True)]\n", "strict=True)])\n"),
    ),
    "x is multiplied by the absolute values of the codes": ("a * b for", "abs(a) * b for"),
}


def my_round_to_values(row, values):
    scale = max(map(abs, row)) / max(values) or 1.0
    return [scale * min(values, key=lambda value: abs(x / scale - value)) for x in row]


def even_codes(row, values):
    return round_symmetric(row, 4)


def multiples_of_the_first_step(row, values):
    scale = max(map(abs, row)) / max(values) or 1.0
    step = values[1] - values[0]
    return [scale * step * round(x / scale / step) for x in row]


SCALE, NEAREST = "max(map(abs, row)) / max(values) or 1.0", "abs(x / scale - value)"
VALUES_MISTAKES = {
    "the scale comes from the largest number, not the largest absolute value": (
        "max(map(abs, row))",
        "max(row)",
    ),
    "the row is not scaled: the nearest value itself is returned": (SCALE, "1.0"),
    "the largest value of the list is taken as 1": (" / max(values)", ""),
    "the values are returned, and not values times the scale": ("scale * min(", "min("),
    "the scale of a row of zeros is 0, and you divide by it": (" or 1.0", ""),
    "the numbers are compared with the values without the scale": (NEAREST, "abs(x - value)"),
    "the scale comes from the largest absolute value of the list, not its largest value": (
        "max(values)",
        "max(map(abs, values))",
    ),
    "the last value of the list is taken as the largest": ("max(values)", "values[-1]"),
    "the farthest value is taken, and not the nearest": ("scale * min(", "scale * max("),
    "the largest value below the number is taken, and not the nearest": (
        (NEAREST, "(value > x / scale + 1e-9, abs(x / scale - value))"),
    ),
    "the difference has a sign, so the largest value always wins: take abs": (NEAREST, "x / scale - value"),
    "the sign is lost": ("abs(x / scale", "abs(abs(x) / scale"),
    "the codes are equally spaced, whatever the values are": even_codes,
    "the values are taken as equally spaced": multiples_of_the_first_step,
    "the number is divided by the largest value, and not by the scale": ((SCALE, "max(values)"),),
    "the scale is upside down: divide the largest number by the largest value": (
        (SCALE, "max(values) / max(map(abs, row)) if any(row) else 1.0"),
    ),
    "the place of the nearest value is returned, and not the value times the scale": (
        (
            "scale * min(values, key=lambda value: abs(x / scale - value))",
            "min(range(len(values)), key=lambda i: abs(x / scale - values[i]))",
        ),
    ),
}


EXERCISES = {
    "19.c": Exercise(
        my_product,
        [
            [[[3, -2, 1], [0, 1, -1]], [2.0, 0.5], [1.27, -0.5, 0.02]],
            [[[1, 2], [-3, 0], [2, 2]], [0.1, 0.25, 4.0], [-2.0, 0.701]],
            [[[7, -7, 3, 1]], [0.5], [0.0, 0.0, 0.0, 0.0]],
            [[[5, 1, 0], [-2, 4, 6]], [0.3, 0.7], [-0.47, 0.16, 1.0]],
            [[[0, -1, 7, 2], [3, 3, -5, 1]], [1.5, 0.2], draw_inputs(198, (4,))[0]],
            [[[10**13, 1 - 10**13], [-3, 1]], [0.3, 3.0], [0.7, 0.7]],  # scales inside the sum: it is rounded
        ],
        PRODUCT_MISTAKES,
    ),
    "19.h": Exercise(
        my_round_to_values,
        [
            [[6.0, -3.6, 0.9, 0.2], [-3, -2, -0.5, 0, 0.5, 2, 3]],
            [[0.0, 0.0], [-1, 0, 1]],
            [[1.0, -9.0, 2.6, -0.4], [-6, -3, -1, 0, 1, 3, 6]],
            [[0.4, 0.33, -0.05, -0.2], [-1, -0.3, -0.1, 0, 0.1, 0.3, 1]],
            [draw_inputs(199, (6,))[0], [-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6]],
            [[2.6, -1.0, 0.3, -3.0], [1, -2, 0, 3, -4]],  # not sorted; −4 is larger without its sign
            [[5.0, 1.4, -2.2, 0.7, -4.9], [-8, -4, -2, -1, 1, 2, 4, 8]],  # no 0 among the values
        ],
        VALUES_MISTAKES,
    ),
}
