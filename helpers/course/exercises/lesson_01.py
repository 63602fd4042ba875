"""The graded tasks of lesson 01. This file holds the answers."""

import math

from ...layers import embedding
from ...matrices import add
from .exercise import Exercise, draw_inputs


def my_embedding(ids, E):
    return [[x for x in E[i]] for i in ids]


def my_dot(u, v):
    total = 0.0
    for a, b in zip(u, v, strict=True):
        total += a * b
    return total


def my_matmul(A, B):
    result = [[0.0] * len(B[0]) for _ in A]
    for i in range(len(A)):
        for j in range(len(B[0])):
            for k in range(len(B)):
                result[i][j] += A[i][k] * B[k][j]
    return result


def _with_row(A, B):
    """The dot product of row i of A and row j of B, up to the end of the shorter one."""
    return [[sum(a * b for a, b in zip(row, other)) for other in B] for row in A]


def _looping(rows=lambda A, B: len(A), columns=lambda A, B: len(B[0]), products=lambda A, B: len(B)):
    """my_matmul with another limit of one of its three loops."""
    return lambda A, B: [
        [sum((A[i][k] * B[k][j] for k in range(products(A, B))), 0.0) for j in range(columns(A, B))]
        for i in range(rows(A, B))
    ]


def _too_few_zeros(A, B):
    result = [[0.0] * len(A) for _ in A]
    for i in range(len(A)):
        for j in range(len(B[0])):
            result[i][j] += sum(A[i][k] * B[k][j] for k in range(len(B)))
    return result


def my_X(tokens, E_token, E_pos):
    return [[x + p for x, p in zip(E_token[token], E_pos[t])] for t, token in enumerate(tokens)]


def _position_by_id(tokens, E_token, E_pos):
    return add(embedding(tokens, E_token), embedding([min(token, len(E_pos) - 1) for token in tokens], E_pos))


EXERCISES = {
    "01.a": Exercise(
        my_embedding,
        [
            [[2, 0, 2], [[1, 1], [2, 2], [3, 4]]],
            [[1], [[1, 2], [3, 4]]],
            [[1, 3, 0], *draw_inputs(4, (4, 3))],
            [[5, 5, 0, 1], *draw_inputs(5, (6, 4))],
        ],
        mistakes={
            "columns of E are looked up, and not rows": lambda ids, E: [[row[i] for row in E] for i in ids],
            "an id that occurs twice is looked up only once": lambda ids, E: [
                E[i] for i in dict.fromkeys(ids)
            ],
            "the rows of E are filtered: each is kept at most once, in the order of E": lambda ids, E: [
                row for i, row in enumerate(E) if i in ids
            ],
            "the ids are sorted first": lambda ids, E: [E[i] for i in sorted(ids)],
            "the id is added to each number of its row": lambda ids, E: [[x + i for x in E[i]] for i in ids],
            "each row is multiplied by its id": lambda ids, E: [[x * i for x in E[i]] for i in ids],
            "row i \u2212 1 is looked up for id i; ids count from 0": lambda ids, E: [E[i - 1] for i in ids],
            "the first rows of E are taken, and the ids are not used": lambda ids, E: E[: len(ids)],
            "the result is reversed": lambda ids, E: [E[i] for i in reversed(ids)],
            "E itself is returned": lambda ids, E: E,
            "the numbers are rounded": lambda ids, E: [[round(x) for x in E[i]] for i in ids],
            "the result is transposed": lambda ids, E: [list(c) for c in zip(*[E[i] for i in ids])],
            "the embeddings are joined to one long list": lambda ids, E: [x for i in ids for x in E[i]],
        },
    ),
    "01.b": Exercise(
        my_dot,
        [
            [[1, 2, 3], [10, 0, 1]],
            [[2, 5], [3, -1]],
            [[4], [0.5]],
            draw_inputs(10, (4,), (4,)),
            draw_inputs(11, (7,), (7,)),
        ],
        mistakes={
            "the entries of each pair are added, and not multiplied": lambda u, v: sum(u) + sum(v),
            "the two sums are multiplied": lambda u, v: sum(u) * sum(v),
            "the products are multiplied with each other, and not added": lambda u, v: math.prod([*u, *v]),
            "the function returns inside the loop, after the first product": lambda u, v: u[0] * v[0],
            "only the last product is returned": lambda u, v: u[-1] * v[-1],
            "the first product is left out": lambda u, v: my_dot(u[1:], v[1:]),
            "the last product is left out": lambda u, v: my_dot(u[:-1], v[:-1]),
            "the dot product is divided by the length of the vectors": lambda u, v: my_dot(u, v) / len(u),
            "u is multiplied by itself": lambda u, v: my_dot(u, u),
            "v is multiplied by itself": lambda u, v: my_dot(v, v),
            "v is read from its end": lambda u, v: my_dot(u, v[::-1]),
            "the products are returned, and not their sum": lambda u, v: [a * b for a, b in zip(u, v)],
            "the result is divided by the lengths of both vectors, which gives their cosine": lambda u, v: (
                my_dot(u, v) / math.sqrt(my_dot(u, u) * my_dot(v, v))
            ),
            "the sum starts from 1": lambda u, v: my_dot(u, v) + 1,
            "the sign is wrong": lambda u, v: -my_dot(u, v),
            "the entries of each pair are subtracted, and not multiplied": lambda u, v: sum(u) - sum(v),
            "squared differences are added, and not products": lambda u, v: math.dist(u, v) ** 2,
            "the largest product is returned": lambda u, v: max(a * b for a, b in zip(u, v)),
            "the result is rounded to an integer": lambda u, v: int(my_dot(u, v)),
            "the result is rounded": lambda u, v: round(my_dot(u, v), 2),
            "the sizes of the products are added, without their signs": lambda u, v: my_dot(
                [abs(a) for a in u], [abs(b) for b in v]
            ),
        },
    ),
    "01.c": Exercise(
        my_matmul,
        [
            [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
            [[[1, 2], [3, 4]], [[1, 0, 10], [0, 1, 10]]],
            [[[1.0, 2.0, 3.0]], [[1.0], [0.5], [0.25]]],
            draw_inputs(6, (2, 3), (3, 4)),
            draw_inputs(7, (3, 3), (3, 3)),
        ],
        mistakes={
            "rows of A are multiplied by rows of B, and not by columns": _with_row,
            "A and B are swapped": lambda A, B: my_matmul(B, A),
            "each product overwrites the one before it, and is not added to it": lambda A, B: [
                [row[-1] * b for b in B[-1]] for row in A
            ],
            "the result is transposed": lambda A, B: [list(c) for c in zip(*my_matmul(A, B))],
            "A and B are multiplied entry by entry": lambda A, B: [
                [a * b for a, b in zip(row, other)] for row, other in zip(A, B)
            ],
            "all rows of the result are one and the same list": lambda A, B: (
                [[sum(column) for column in zip(*my_matmul(A, B))]] * len(A)
            ),
            "A is transposed": lambda A, B: my_matmul(list(zip(*A)), B),
            "the last product of each sum is left out": lambda A, B: my_matmul(
                [row[:-1] for row in A], B[:-1]
            ),
            "each column of B is read from its end": lambda A, B: my_matmul(A, B[::-1]),
            "each pair of entries is added, and not multiplied": lambda A, B: [
                [sum(row) + sum(column) for column in zip(*B)] for row in A
            ],
            "as many products are added as A has rows (`len(A)`); "
            "add as many as A has columns (`len(A[0])`)": (_looping(products=lambda A, B: len(A))),
            "as many products are added as B has columns; add as many as B has rows": _looping(
                products=lambda A, B: len(B[0])
            ),
            "the result gets as many columns as A has rows; it has as many as B": _looping(
                columns=lambda A, B: len(A)
            ),
            "the result gets as many columns as A; it has as many as B": _looping(
                columns=lambda A, B: len(A[0])
            ),
            "the result gets as many rows as A has columns; it has as many as A has rows": _looping(
                rows=lambda A, B: len(A[0])
            ),
            "the rows of zeros are as long as A has rows; they need a number for each column of B": (
                _too_few_zeros
            ),
            "the numbers are rounded to integers": lambda A, B: [
                [int(x) for x in row] for row in my_matmul(A, B)
            ],
            "A and B are added": lambda A, B: add(A, B),
        },
    ),
    "01.d": Exercise(
        my_X,
        [
            [[1, 0], [[1, 1], [2, 2]], [[10, 0], [0, 10], [5, 5]]],
            [[0, 0, 0], [[1.5, 0.25]], [[0.5, 0.0], [0.0, 0.5], [1.0, 1.0]]],
            [[1, 5, 3, 5, 2], *draw_inputs(8, (6, 4), (5, 4))],
            [[4], *draw_inputs(9, (6, 3), (5, 3))],
        ],
        mistakes={
            "the position embeddings are left out": lambda tokens, E_token, E_pos: embedding(tokens, E_token),
            "the token embeddings are left out": lambda tokens, E_token, E_pos: E_pos[: len(tokens)],
            "token ids and positions are swapped": lambda tokens, E_token, E_pos: add(
                E_token[: len(tokens)], embedding(tokens, E_pos)
            ),
            "the embeddings are multiplied, and not added": lambda tokens, E_token, E_pos: [
                [x * y for x, y in zip(E_token[token], E_pos[t])] for t, token in enumerate(tokens)
            ],
            "the position embeddings are subtracted": lambda tokens, E_token, E_pos: [
                [x - y for x, y in zip(E_token[token], E_pos[t])] for t, token in enumerate(tokens)
            ],
            "the position itself is added, and not its embedding": lambda tokens, E_token, E_pos: [
                [x + t for x in E_token[token]] for t, token in enumerate(tokens)
            ],
            "the last rows of E_pos are used, and not the first": lambda tokens, E_token, E_pos: add(
                embedding(tokens, E_token), E_pos[-len(tokens) :]
            ),
            "the positions are reversed": lambda tokens, E_token, E_pos: add(
                embedding(tokens, E_token), E_pos[: len(tokens)][::-1]
            ),
            "positions are counted from 1, and not from 0": lambda tokens, E_token, E_pos: add(
                embedding(tokens, E_token), (E_pos[1:] + E_pos[:1])[: len(tokens)]
            ),
            "tokens.index gives a repeated token its first position; use enumerate": (
                lambda tokens, E_token, E_pos: add(
                    embedding(tokens, E_token), [E_pos[tokens.index(token)] for token in tokens]
                )
            ),
            "E_pos is looked up with the token id, and not with the position": _position_by_id,
            "every token gets the embedding of position 0": lambda tokens, E_token, E_pos: add(
                embedding(tokens, E_token), [E_pos[0]] * len(tokens)
            ),
            "all rows of E_pos are used, and not only as many as there are tokens": (
                lambda tokens, E_token, E_pos: add(embedding(tokens, E_token), E_pos)
            ),
            "the two vectors are concatenated, and not added": lambda tokens, E_token, E_pos: [
                list(E_token[token]) + list(E_pos[t]) for t, token in enumerate(tokens)
            ],
        },
    ),
}
