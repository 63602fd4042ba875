"""Lesson 00, hidden side. Reading on gives answers away."""


def count_entries(rows, columns):
    return rows * columns


EXERCISES = {
    "00.1": (count_entries, [[3, 7], [1, 1], [64, 16]]),
}
