"""Lesson 13b: solution, inputs and known mistakes of its exercise. Reading on gives the answer away."""

from .exercise import Exercise


def my_next(tokens):
    circle = tokens[:5]
    return circle[(circle.index(tokens[-1]) + 1) % 5]


INDEX = "(circle.index(tokens[-1]) + 1) % 5"
NEXT_MISTAKES = {
    "the letter before it in the circle is returned; the answer is the letter after it": (
        ("tokens[:5]", "tokens"),
        (INDEX, "circle.index(tokens[-1]) - 1"),
    ),
    "the last token itself is returned": (f"circle[{INDEX}]", "tokens[-1]"),
    "the letters are taken in the order of the alphabet": (f"circle[{INDEX}]", "(tokens[-1] + 1) % 5"),
    "the circle is not closed: after its fifth letter comes its first": (("[:5]", ""), (" % 5", "")),
    "the index of the letter is returned, not the letter": (f"circle[{INDEX}]", INDEX),
    "the index of the last token is returned": (f"circle[{INDEX}]", "circle.index(tokens[-1])"),
    "an index is returned, and 4 is not followed by 0": (f"circle[{INDEX}]", "circle.index(tokens[-1]) + 1"),
    "the circle is read from its first letter; read on from the last token": (INDEX, "len(tokens) - 5"),
    "the restart letter decides, not the last token": ("tokens[-1]", "tokens[5]"),
}


EXERCISES = {
    "13.e": Exercise(
        my_next,
        [
            [[3, 0, 2, 4, 1, 2]],
            [[3, 0, 2, 4, 1, 1]],
            [[4, 2, 0, 1, 3, 1, 3, 4]],
            [[0, 1, 2, 3, 4, 4, 0]],
            [[1, 4, 3, 2, 0, 4]],
            [[2, 0, 3, 1, 4, 3, 1, 4]],
        ],
        NEXT_MISTAKES,
    )
}
