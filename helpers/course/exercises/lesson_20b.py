"""The graded tasks of lesson 20b. This file holds the answers."""

from .exercise import Exercise, draw_inputs


def my_patches(picture, n):
    return _cut(picture, n)


def _cut(picture, n, step=None, columns_first=False, turned=False, limit=None):
    """The patches in reading order, or otherwise."""
    step, rows, columns = step or n, len(picture), limit or len(picture[0])
    corners = [(y, x) for y in range(0, rows - n + 1, step) for x in range(0, columns - n + 1, step)]
    if columns_first:
        corners.sort(key=lambda corner: (corner[1], corner[0]))
    found = []
    for y, x in corners:
        square = [row[x : x + n] for row in picture[y : y + n]]
        square = [list(column) for column in zip(*square)] if turned else square
        found.append(sum(square, []))
    return found


def _squares(picture, n):
    return [[patch[i : i + n] for i in range(0, n * n, n)] for patch in _cut(picture, n)]


def _pieces_of_rows(picture, n):
    flat = sum(picture, [])
    return [flat[i : i + n * n] for i in range(0, len(flat), n * n)]


def _first_column(picture, n):
    return [sum((row[:n] for row in picture[y : y + n]), []) for y in range(0, len(picture), n)]


def my_class_scores(X, W, b):
    return _scores([sum(column) / len(X) for column in zip(*X)], W, b)


def _scores(row, W, b):
    return [sum((x * w for x, w in zip(row, weights)), 0.0) + b_o for weights, b_o in zip(W, b)]


def _read_in_out(X, W, b):
    row = [sum(column) / len(X) for column in zip(*X)]
    return [sum(row[i] * W[i][o] for i in range(len(row))) + b[o] for o in range(len(b))]


def my_accuracy(scores, digits):
    return sum(row.index(max(row)) == digit for row, digit in zip(scores, digits)) / len(digits)


def _last_of_equal(scores, digits):
    return sum(
        max(range(len(row)), key=lambda i: (row[i], i)) == digit for row, digit in zip(scores, digits)
    ) / len(digits)


def my_confusion(digits, guesses, C):
    table = [[0] * C for _ in range(C)]
    for digit, guess in zip(digits, guesses):
        table[digit][guess] += 1
    return table


def _same_row(digits, guesses, C):
    table = [[0] * C] * C
    for digit, guess in zip(digits, guesses):
        table[digit][guess] += 1
    return table


def _shares(digits, guesses, C):
    return [[n / max(1, sum(row)) for n in row] for row in my_confusion(digits, guesses, C)]


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
        mistakes={
            "each patch is a list of rows; make one vector of it": _squares,
            "the patches overlap: each must begin n columns after the one before": lambda picture, n: _cut(
                picture, n, step=1
            ),
            "the patches are taken from top to bottom first; read from left to right first": (
                lambda picture, n: _cut(picture, n, columns_first=True)
            ),
            "the numbers of a patch are read by columns": lambda picture, n: _cut(picture, n, turned=True),
            "both the patches and their numbers are read by columns": lambda picture, n: _cut(
                picture, n, columns_first=True, turned=True
            ),
            "a patch is n·n consecutive numbers; it needs n numbers from each of n rows": _pieces_of_rows,
            "a patch is n·n numbers of one row; it needs n numbers from each of n rows": lambda picture, n: [
                row[x : x + n * n] for row in picture for x in range(0, len(row), n * n)
            ],
            "the picture is taken to be square": lambda picture, n: _cut(picture, n, limit=len(picture)),
            "only the patches of the first n columns are returned": _first_column,
            "only the first patch is returned": lambda picture, n: my_patches(picture, n)[:1],
            "the last patch is missing": lambda picture, n: my_patches(picture, n)[:-1],
            "all patches are joined to one list": lambda picture, n: sum(my_patches(picture, n), []),
            "the rows of the picture are returned as they are": lambda picture, n: picture,
        },
    ),
    "20.l": Exercise(
        my_class_scores,
        [
            [[[1.0, 2.0], [3.0, 6.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, 10.0]],
            [[[2.0, 4.0]], [[1.0, 0.5]], [3.0]],
            draw_inputs(202, (3, 2), (2, 2), (2,)),
            draw_inputs(203, (4, 3), (10, 3), (10,)),
        ],
        mistakes={
            "the rows are added, and the sum is not divided by their number": lambda X, W, b: _scores(
                [sum(column) for column in zip(*X)], W, b
            ),
            "only the first row is used": lambda X, W, b: _scores(X[0], W, b),
            "only the last row is used": lambda X, W, b: _scores(X[-1], W, b),
            "the largest number of each column is taken, not the mean": lambda X, W, b: _scores(
                [max(column) for column in zip(*X)], W, b
            ),
            "the mean row is returned, without the linear layer": lambda X, W, b: [
                sum(column) / len(X) for column in zip(*X)
            ],
            "the mean of each row is taken; take the mean of each column": lambda X, W, b: _scores(
                [sum(row) / len(row) for row in X], W, b
            ),
            "b is not added": lambda X, W, b: my_class_scores(X, W, [0.0] * len(b)),
            "the sum is divided by the width of a row, not by the number of rows": lambda X, W, b: _scores(
                [sum(column) / len(X[0]) for column in zip(*X)], W, b
            ),
            "W is read [in][out]": _read_in_out,
            "the result is a list with one row of scores; return the row": lambda X, W, b: [
                my_class_scores(X, W, b)
            ],
            "each row has its own scores; take the mean of the rows first": lambda X, W, b: [
                _scores(row, W, b) for row in X
            ],
            "the number of the largest score is returned, not the scores": lambda X, W, b: (
                lambda scores: scores.index(max(scores))
            )(my_class_scores(X, W, b)),
            "b is added once for every row": lambda X, W, b: my_class_scores(X, W, [len(X) * x for x in b]),
        },
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
        mistakes={
            "the right guesses are counted; divide by the number of pictures": lambda scores, digits: sum(
                row.index(max(row)) == digit for row, digit in zip(scores, digits)
            ),
            "the fraction of wrong guesses is returned": lambda scores, digits: (
                1 - my_accuracy(scores, digits)
            ),
            "the result is in percent": lambda scores, digits: 100 * my_accuracy(scores, digits),
            "the smallest score is taken as the guess": lambda scores, digits: my_accuracy(
                [[-x for x in row] for row in scores], digits
            ),
            "the largest score is compared with the digit; compare its index": lambda scores, digits: (
                sum(max(row) == digit for row, digit in zip(scores, digits)) / len(digits)
            ),
            "the count is divided by the number of classes": lambda scores, digits: (
                my_accuracy(scores, digits) * len(digits) / len(scores[0])
            ),
            "only whole numbers are returned: // rounds down": lambda scores, digits: float(
                int(my_accuracy(scores, digits))
            ),
            "only the first picture is judged": lambda scores, digits: my_accuracy(scores[:1], digits[:1]),
            "the mean score of the right digit is returned": lambda scores, digits: (
                sum(row[digit] for row, digit in zip(scores, digits)) / len(digits)
            ),
            "the last picture is left out": lambda scores, digits: (
                sum(row.index(max(row)) == digit for row, digit in list(zip(scores, digits))[:-1])
                / len(digits)
            ),
        },
    ),
    "20.n": Exercise(
        my_confusion,
        [
            [[0, 0, 1, 2], [0, 1, 1, 0], 3],
            [[0], [1], 2],
            [[2, 2, 2, 2], [0, 2, 2, 2], 4],
            [[1, 0, 3, 2, 3, 1, 3], [1, 2, 3, 2, 0, 1, 3], 4],
        ],
        mistakes={
            "rows and columns are exchanged: the row is the digit, the column the guess": (
                lambda digits, guesses, C: my_confusion(guesses, digits, C)
            ),
            "all rows are the same list, so each count is in every row": _same_row,
            "the right guesses are left out": lambda digits, guesses, C: [
                [n * (i != j) for j, n in enumerate(row)]
                for i, row in enumerate(my_confusion(digits, guesses, C))
            ],
            "only the right guesses are counted": lambda digits, guesses, C: [
                [n * (i == j) for j, n in enumerate(row)]
                for i, row in enumerate(my_confusion(digits, guesses, C))
            ],
            "each row is divided by its sum; return counts": _shares,
            "a count is set to 1 and not increased by 1": lambda digits, guesses, C: [
                [min(n, 1) for n in row] for row in my_confusion(digits, guesses, C)
            ],
            "the table is as large as the largest digit, not C times C": lambda digits, guesses, C: (
                my_confusion(digits, guesses, max(*digits, *guesses) + 1)
            ),
            "the counts are in one list; make C rows of C": lambda digits, guesses, C: sum(
                my_confusion(digits, guesses, C), []
            ),
            "the last picture is left out": lambda digits, guesses, C: my_confusion(
                digits[:-1], guesses[:-1], C
            ),
            "the number of right guesses is returned": lambda digits, guesses, C: sum(
                map(int.__eq__, digits, guesses)
            ),
        },
    ),
}
