"""Lesson 00, hidden side. Reading on gives answers away."""

from .exercise import Exercise


def my_count(rows, columns):
    return rows * columns


EXERCISES = {
    "00.a": Exercise(
        my_count,
        [[5, 16], [3, 7], [1, 1], [64, 16]],
        slips={
            "rows and columns are added": lambda rows, columns: rows + columns,
            "the columns are left out": lambda rows, columns: rows * rows,
        },
        example=False,
    )
}
