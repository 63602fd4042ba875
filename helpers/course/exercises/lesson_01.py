"""Lesson 01, hidden side. Reading on gives answers away."""

from ...layers import embedding
from ...matrices import add
from .exercise import Exercise, draw_inputs


def merge(pieces, left, right):
    merged, i = [], 0
    while i < len(pieces):
        pair = pieces[i : i + 2] == [left, right]
        merged.append(left + right if pair else pieces[i])
        i += 2 if pair else 1
    return merged


def _replace(pieces, left, right):
    return " ".join(pieces).replace(f"{left} {right}", left + right).split()


def _overlapping(pieces, left, right):
    return [left + right if pieces[i : i + 2] == [left, right] else piece for i, piece in enumerate(pieces)]


def _first_only(pieces, left, right):
    for i in range(len(pieces)):
        if pieces[i : i + 2] == [left, right]:
            return [*pieces[:i], left + right, *pieces[i + 2 :]]
    return list(pieces)


def my_embedding(ids, E):
    return [[x for x in E[i]] for i in ids]


def my_matmul(A, B):
    result = [[0.0] * len(B[0]) for _ in A]
    for i in range(len(A)):
        for j in range(len(B[0])):
            for k in range(len(B)):
                result[i][j] += A[i][k] * B[k][j]
    return result


def _with_row(A, B):
    """Row i of A times row j of B, as far as both go."""
    return [[sum(a * b for a, b in zip(row, other)) for other in B] for row in A]


def my_X(tokens, E_token, E_pos):
    return [[x + p for x, p in zip(E_token[token], E_pos[t])] for t, token in enumerate(tokens)]


def _position_by_id(tokens, E_token, E_pos):
    return add(embedding(tokens, E_token), embedding([min(token, len(E_pos) - 1) for token in tokens], E_pos))


EXERCISES = {
    "01.1": Exercise(
        merge,
        [
            [list("ababa"), "a", "b"],
            [["me", "n", "e", "n"], "e", "n"],
            [list("banana"), "a", "n"],
            [list("aaaaa"), "a", "a"],
            [list("word"), "x", "y"],
            [[], "a", "b"],
        ],
        slips={
            "the pieces are joined to one text, and pairs are found across their borders": _replace,
            "the right piece of a pair stays behind": _overlapping,
            "only the first pair is merged": _first_only,
        },
    ),
    "01.a": Exercise(
        my_embedding,
        [
            [[2, 0, 2], [[1, 1], [2, 2], [3, 4]]],
            [[1], [[1, 2], [3, 4]]],
            [[1, 3, 0], *draw_inputs(4, (4, 3))],
            [[5, 5, 0, 1], *draw_inputs(5, (6, 4))],
        ],
        slips={
            "columns of E are looked up, and not rows": lambda ids, E: [[row[i] for row in E] for i in ids],
            "each id is looked up once": lambda ids, E: [E[i] for i in dict.fromkeys(ids)],
            "rows are taken in the order of E": lambda ids, E: [E[i] for i in sorted(ids)],
            "an id is added to its row": lambda ids, E: [[x + i for x in E[i]] for i in ids],
        },
    ),
    "01.b": Exercise(
        my_matmul,
        [
            [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
            [[[1, 2], [3, 4]], [[1, 0, 10], [0, 1, 10]]],
            [[[1.0, 2.0, 3.0]], [[1.0], [0.5], [0.25]]],
            draw_inputs(6, (2, 3), (3, 4)),
            draw_inputs(7, (3, 3), (3, 3)),
        ],
        slips={
            "a row of A meets a row of B, and not a column": _with_row,
            "A and B change places": lambda A, B: my_matmul(B, A),
            "the products are not added up: the last one overwrites the others": lambda A, B: [
                [row[-1] * b for b in B[-1]] for row in A
            ],
            "the result is turned on its side": lambda A, B: [list(c) for c in zip(*my_matmul(A, B))],
        },
    ),
    "01.c": Exercise(
        my_X,
        [
            [[1, 0], [[1, 1], [2, 2]], [[10, 0], [0, 10], [5, 5]]],
            [[0, 0, 0], [[1.5, 0.25]], [[0.5, 0.0], [0.0, 0.5], [1.0, 1.0]]],
            [[1, 5, 3, 5, 2], *draw_inputs(8, (6, 4), (5, 4))],
            [[4], *draw_inputs(9, (6, 3), (5, 3))],
        ],
        slips={
            "positions are forgotten": lambda tokens, E_token, E_pos: embedding(tokens, E_token),
            "E_pos is read at a token's id, not at its place": _position_by_id,
            "every token gets the row of position 0": lambda tokens, E_token, E_pos: add(
                embedding(tokens, E_token), [E_pos[0]] * len(tokens)
            ),
            "all rows of E_pos are added, and not only as many as there are tokens": (
                lambda tokens, E_token, E_pos: add(embedding(tokens, E_token), E_pos)
            ),
            "the two rows are put side by side, and not added": lambda tokens, E_token, E_pos: [
                list(E_token[token]) + list(E_pos[t]) for t, token in enumerate(tokens)
            ],
        },
    ),
}
