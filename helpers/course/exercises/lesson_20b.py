"""Lesson 20b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import linear
from .exercise import Exercise, draw_inputs


def my_patches(picture, n):
    patches = []
    for y in range(0, len(picture), n):
        for x in range(0, len(picture[0]), n):
            patches.append([number for row in picture[y : y + n] for number in row[x : x + n]])
    return patches


def consecutive_numbers(picture, n):
    numbers = [number for row in picture for number in row]
    return [numbers[i : i + n * n] for i in range(0, len(numbers), n * n)]


ROWS, COLUMNS = "for y in range(0, len(picture), n):", "for x in range(0, len(picture[0]), n):"
DOWN_FIRST = (f"{ROWS}\n        {COLUMNS}", f"{COLUMNS}\n        {ROWS}")
NUMBERS = "[number for row in picture[y : y + n] for number in row[x : x + n]]"
BY_COLUMNS = (NUMBERS, "[row[x + i] for i in range(n) for row in picture[y : y + n]]")
PATCHES_MISTAKES = {
    "each patch is a list of rows, not a vector": (NUMBERS, "[row[x : x + n] for row in picture[y : y + n]]"),
    "the patches overlap: each must begin n columns after the one before": (
        ("0, len(picture), n", "len(picture) - n + 1"),
        ("0, len(picture[0]), n", "len(picture[0]) - n + 1"),
    ),
    "the patches are taken from top to bottom first; read from left to right first": DOWN_FIRST,
    "the numbers of a patch are read by columns": BY_COLUMNS,
    "both the patches and their numbers are read by columns": (DOWN_FIRST, BY_COLUMNS),
    "a patch is n·n consecutive numbers; it needs n numbers from each of n rows": consecutive_numbers,
    "a patch is n·n numbers of one row; it needs n numbers from each of n rows": (
        ("len(picture), n", "len(picture)"),
        ("len(picture[0]), n", "len(picture[0]), n * n"),
        (NUMBERS, "picture[y][x : x + n * n]"),
    ),
    "the picture is taken to be square": ("len(picture[0])", "len(picture)"),
    "only the patches of the first n columns are returned": (COLUMNS, "for x in [0]:"),
    "only the first patch is returned": ("return patches", "return patches[:1]"),
    "the last patch is missing": ("return patches", "return patches[:-1]"),
    "all patches are joined to one list": ("append", "extend"),
    "the rows of the picture are returned as they are": ("return patches", "return picture"),
}


def my_class_scores(X, W, b):
    mean = [sum(column) / len(X) for column in zip(*X)]
    return linear([mean], W, b)[0]


SCORES = "linear([mean], W, b)[0]"
SCORES_MISTAKES = {
    "the rows are added, and the sum is not divided by their number": (" / len(X)", ""),
    "only the first row is used": ("[mean], W", "X[:1], W"),
    "only the last row is used": ("[mean], W", "X[-1:], W"),
    "the largest number of each column is taken, not the mean": ("sum(column) / len(X)", "max(column)"),
    "the mean row is returned, without the linear layer": (SCORES, "mean"),
    "the mean of each row is taken; take the mean of each column": (
        ("sum(column) / len(X) for column in zip(*X)", "sum(row) / len(row) for row in X"),
    ),
    "b is not added": ("W, b)[0]", "W)[0]"),
    "the sum is divided by the width of a row, not by the number of rows": ("len(X)", "len(X[0])"),
    "W is read [in][out]": ("[mean], W", "[mean], transpose(W)"),
    "the result is a list with one row of scores; return the row": ("b)[0]", "b)"),
    "each row has its own scores; take the mean of the rows first": (SCORES, "linear(X, W, b)"),
    "the number of the largest score is returned, not the scores": (
        (f"return {SCORES}", f"scores = {SCORES}\n    return scores.index(max(scores))"),
    ),
    "b is added once for every row": ("W, b)[0]", "W, [len(X) * b_o for b_o in b])[0]"),
}


def my_accuracy(scores, digits):
    right = sum(row.index(max(row)) == digit for row, digit in zip(scores, digits))
    return right / len(digits)


ACCURACY_MISTAKES = {
    "the right guesses are counted; divide by the number of pictures": (" / len(digits)", ""),
    "the fraction of wrong guesses is returned": ("==", "!="),
    "the result is in percent": ("return right", "return 100 * right"),
    "the smallest score is taken as the guess": ("max", "min"),
    "the largest score is compared with the digit; compare its index": ("row.index(max(row))", "max(row)"),
    "the count is divided by the number of classes": ("len(digits)", "len(scores[0])"),
    "only whole numbers are returned: // rounds down": ("right / len", "right // len"),
    "only the first picture is judged": (("zip(scores", "zip(scores[:1]"), ("len(digits)", "1")),
    "the mean score of the right digit is returned": ("row.index(max(row)) == digit", "row[digit]"),
    "the last picture is left out": ("zip(scores", "zip(scores[:-1]"),
}


def my_confusion(digits, guesses, C):
    table = [[0] * C for _ in range(C)]
    for digit, guess in zip(digits, guesses):
        table[digit][guess] += 1
    return table


CONFUSION_MISTAKES = {
    "rows and columns are exchanged: the row is the digit": ("[digit][guess]", "[guess][digit]"),
    "all rows are the same list, so each count is in every row": (" for _ in range(C)]", "] * C"),
    "the right guesses are left out": ("+= 1", "+= digit != guess"),
    "only the right guesses are counted": ("+= 1", "+= digit == guess"),
    "each row is divided by its sum; return counts": (
        ("return table", "return [[n / max(1, sum(row)) for n in row] for row in table]"),
    ),
    "a count is set to 1 and not increased by 1": ("+=", "="),
    "the largest digit decides, and not C": ("    table =", "    C = max(digits + guesses) + 1\n    table ="),
    "the counts are in one list; make C rows of C": ("return table", "return sum(table, [])"),
    "the last picture is left out": ("zip(digits", "zip(digits[:-1]"),
    "the number of right guesses is returned": ("return table", "return sum(table[i][i] for i in range(C))"),
}


EXERCISES = {
    "20.k": Exercise(
        my_patches,
        [
            [[[1, 2, 3, 4], [5, 6, 7, 8]], 2],
            [[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]], 2],
            [[[1, 2], [3, 4]], 2],
            [[[1, 2], [3, 4], [5, 6], [7, 8]], 2],
            [[[1, 2, 3]], 1],
            [*draw_inputs(201, (6, 9)), 3],
        ],
        PATCHES_MISTAKES,
    ),
    "20.l": Exercise(
        my_class_scores,
        [
            [[[1.0, 2.0], [3.0, 6.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, 10.0]],
            [[[2.0, 4.0]], [[1.0, 0.5]], [3.0]],
            draw_inputs(202, (3, 2), (2, 2), (2,)),
            draw_inputs(203, (4, 3), (10, 3), (10,)),
        ],
        SCORES_MISTAKES,
    ),
    "20.m": Exercise(
        my_accuracy,
        [
            [[[0.1, 0.9], [0.8, 0.3], [0.2, 0.1], [0.0, 1.0]], [1, 1, 0, 1]],
            [[[3.0, 1.0, 2.0]], [0]],
            [[[3.0, 1.0, 2.0], [0.0, -1.0, -2.0], [-3.0, -2.0, -1.0]], [2, 1, 0]],
            [draw_inputs(204, (7, 4))[0], [0, 1, 2, 3, 0, 1, 2]],
            [[[-1.0, -2.0], [-2.0, -1.0], [-0.5, -0.7], [-3.0, -2.0], [-1.0, -4.0]], [0, 1, 1, 1, 0]],
        ],
        ACCURACY_MISTAKES,
    ),
    "20.n": Exercise(
        my_confusion,
        [
            [[0, 0, 1, 2], [0, 1, 1, 0], 3],
            [[0], [1], 2],
            [[2, 2, 2, 2], [0, 2, 2, 2], 4],
            [[1, 0, 3, 2, 3, 1, 3], [1, 2, 3, 2, 0, 1, 3], 4],
        ],
        CONFUSION_MISTAKES,
    ),
}
