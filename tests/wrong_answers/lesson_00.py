"""Lesson 00."""

WRONG_ANSWERS = {
    "00.1": {
        "adds": "def count_entries(rows, columns):\n    return rows + columns",
        "square": "def count_entries(rows, columns):\n    return rows * rows",
    },
}
