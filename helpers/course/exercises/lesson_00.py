"""Lesson 00: the solution of its task. Reading on gives the answer away."""

from .exercise import Exercise


def my_count(rows, columns):
    return rows * columns


COUNT_MISTAKES = {
    "rows and columns are added": ("rows * columns", "rows + columns"),
    "the number of rows is multiplied by itself": ("rows * columns", "rows * rows"),
    "the number of columns is multiplied by itself": ("rows * columns", "columns * columns"),
    "only the rows are counted": ("rows * columns", "rows"),
    "only the columns are counted": ("rows * columns", "columns"),
}

EXERCISES = {"00.a": Exercise(my_count, [[5, 16], [3, 7], [1, 1], [64, 16]], COUNT_MISTAKES)}
