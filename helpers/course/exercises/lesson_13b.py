"""Lesson 13b, hidden side. Reading on gives answers away."""

from .exercise import Exercise


def my_next(tokens):
    return tokens[(tokens.index(tokens[-1]) + 1) % 5]


def _agreeing(tokens, j):
    """How many tokens agree, going back from place j and from the end."""
    end, agree = len(tokens) - 1, 0
    while agree <= j and tokens[j - agree] == tokens[end - agree]:
        agree += 1
    return agree


def longest_match(tokens, most=10**9):
    """The token behind the earlier place that agrees longest, up to most tokens; of equally long ones the
    latest."""
    places = [j for j in range(len(tokens) - 1) if tokens[j] == tokens[-1]]
    return tokens[max(places, key=lambda j: (min(_agreeing(tokens, j), most), j)) + 1]


def _around_the_start(tokens):
    """The search goes on before the first token, where a list begins again from its end."""
    best, answer, n = 0, None, len(tokens)
    for j in range(n - 1):
        agree = 0
        while agree < n and tokens[j - agree] == tokens[n - 1 - agree]:
            agree += 1
        if agree and agree >= best:
            best, answer = agree, tokens[j + 1]
    return answer


def _across_gaps(tokens):
    """All tokens that agree are counted, also behind the first that differs."""
    places = [j for j in range(len(tokens) - 1) if tokens[j] == tokens[-1]]
    before = tokens[-2::-1]
    return tokens[max(places, key=lambda j: (sum(a == b for a, b in zip(tokens[:j][::-1], before)), j)) + 1]


def _first_of_the_longest(tokens):
    places = [j for j in range(len(tokens) - 1) if tokens[j] == tokens[-1]]
    return tokens[max(places, key=lambda j: (_agreeing(tokens, j), -j)) + 1]


EXERCISES = {
    "13.1": Exercise(
        longest_match,
        [
            [[1, 2, 7, 5, 2, 8, 1, 2]],
            [[2, 8, 1, 2, 7, 1, 2, 6, 0, 2, 5, 1, 2]],
            [[3, 1, 2, 9, 3, 1, 5, 2, 6, 3, 1, 2]],
            [[5, 1, 6, 5, 1, 7, 2, 1, 8, 5, 1]],
            [[0, 1, 2, 0, 1, 2, 0, 1]],
            [[2, 1, 3, 9, 1, 4, 0, 1, 5, 3, 1]],
            [[4, 1, 2, 7, 3, 1, 2, 8, 4, 1, 2]],
            [[5, 1, 5, 2, 3, 5, 5]],
            [[6, 4, 1, 9, 6, 4, 7, 1, 8, 3, 1, 5, 6, 4, 0, 1]],
            [[6, 3, 1, 5, 6, 0, 3, 4, 1, 7, 6, 2, 3, 1]],
        ],
        slips={
            "the latest place of the last token is taken, however short its match": lambda tokens: (
                longest_match(tokens, most=1)
            ),
            "the first place of the last token is taken, however short its match": lambda tokens: tokens[
                tokens.index(tokens[-1]) + 1
            ],
            "of equally long matches the first is taken": _first_of_the_longest,
            (
                "the comparison runs on past the first token, where tokens[-1] is the last one"
            ): _around_the_start,
            "agreement is counted on behind the first token that differs": _across_gaps,
            "two tokens are compared, and no more": lambda tokens: longest_match(tokens, most=2),
            "the token of the place itself is given, and not what followed it": lambda tokens: tokens[-1],
        },
    ),
    "13.e": Exercise(
        my_next,
        [
            [[3, 0, 2, 4, 1, 2]],
            [[3, 0, 2, 4, 1, 1]],
            [[4, 2, 0, 1, 3, 1, 3, 4]],
            [[0, 1, 2, 3, 4, 4, 0]],
            [[1, 4, 3, 2, 0, 4]],
        ],
        slips={
            "the letter before is given, and not the one behind": lambda tokens: tokens[
                tokens.index(tokens[-1]) - 1
            ],
            "the letter itself is given": lambda tokens: tokens[-1],
            "the letters are taken in the order of the alphabet": lambda tokens: (tokens[-1] + 1) % 5,
            (
                "behind the fifth letter comes what the sentence says next, and the circle is not closed"
            ): lambda tokens: tokens[tokens.index(tokens[-1]) + 1],
            "the letter's place is given, and not the letter": lambda tokens: (
                (tokens.index(tokens[-1]) + 1) % 5
            ),
            "the circle is gone around from its beginning": lambda tokens: tokens[len(tokens) - 5],
        },
    ),
}
