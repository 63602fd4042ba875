"""The graded task of lesson 13b. This file holds the answer."""

from .exercise import Exercise


def my_next(tokens):
    return tokens[(tokens.index(tokens[-1]) + 1) % 5]


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
        mistakes={
            "the letter before it in the circle is returned; the answer is the letter after it": (
                lambda tokens: tokens[tokens.index(tokens[-1]) - 1]
            ),
            "the last token itself is returned": lambda tokens: tokens[-1],
            "the letters are taken in the order of the alphabet": lambda tokens: (tokens[-1] + 1) % 5,
            "the circle is not closed: after its fifth letter comes its first": lambda tokens: tokens[
                tokens.index(tokens[-1]) + 1
            ],
            "the index of the letter is returned, not the letter": lambda tokens: (
                (tokens.index(tokens[-1]) + 1) % 5
            ),
            "the index of the last token is returned, not the letter after it": lambda tokens: tokens.index(
                tokens[-1]
            ),
            "an index is returned, not the letter; and after the index 4 comes 0": lambda tokens: (
                tokens.index(tokens[-1]) + 1
            ),
            "the circle is read from its first letter; read on from the last token": lambda tokens: tokens[
                len(tokens) - 5
            ],
            "the restart letter decides, not the last token": lambda tokens: tokens[
                (tokens.index(tokens[5]) + 1) % 5
            ],
        },
    )
}
