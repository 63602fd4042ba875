"""Lesson 01: solutions, inputs and known mistakes of its tasks. Reading on gives answers away."""

import math

from ... import add, dot, embedding, transpose
from .exercise import Exercise, draw_inputs


def my_embedding(ids, E):
    return [E[i] for i in ids]


ROWS = "[E[i] for i in ids]"
EMBEDDING_MISTAKES = {
    "columns of E are looked up, and not rows": ("E[i]", "[row[i] for row in E]"),
    "an id that occurs twice is looked up only once": ("in ids", "in dict.fromkeys(ids)"),
    "the rows of E are filtered: each is kept at most once, in the order of E": (
        (ROWS, "[row for i, row in enumerate(E) if i in ids]"),
    ),
    "the function returns inside the loop, after the first id": (ROWS, "[E[ids[0]]]"),
    "the function returns one row, inside the loop; return a list with a row for each id": (
        (ROWS, "E[ids[0]]"),
    ),
    "the ids are sorted first": ("in ids", "in sorted(ids)"),
    "the id is added to each number of its row": ("E[i]", "[x + i for x in E[i]]"),
    "each row is multiplied by its id": ("E[i]", "[x * i for x in E[i]]"),
    "row i − 1 is looked up for id i; ids count from 0": ("E[i]", "E[i - 1]"),
    "the first rows of E are taken, and the ids are not used": (ROWS, "E[: len(ids)]"),
    "the result is reversed": (ROWS, f"{ROWS}[::-1]"),
    "E itself is returned": (ROWS, "E"),
    "the numbers are rounded": ("E[i]", "[round(x) for x in E[i]]"),
    "the result is transposed": (ROWS, f"transpose({ROWS})"),
    "the embeddings are joined to one long list": (ROWS, "[x for i in ids for x in E[i]]"),
}


def my_dot(u, v):
    return sum(a * b for a, b in zip(u, v))


PRODUCTS = "sum(a * b for a, b in zip(u, v))"
DOT_MISTAKES = {
    "the entries of each pair are added, and not multiplied": ("a * b", "a + b"),
    "each entry of u is multiplied by each entry of v; multiply only the entries at the same place": (
        PRODUCTS,
        "sum(u) * sum(v)",
    ),
    "the products are multiplied with each other, and not added": ("sum", "math.prod"),
    "the function returns inside the loop, after the first product": (PRODUCTS, "u[0] * v[0]"),
    "only the last product is returned": (PRODUCTS, "u[-1] * v[-1]"),
    "the first product is left out": ("zip(u, v)", "zip(u[1:], v[1:])"),
    "the last product is left out": ("zip(u, v)", "zip(u[:-1], v[:-1])"),
    "the dot product is divided by the length of the vectors": (PRODUCTS, f"{PRODUCTS} / len(u)"),
    "u is multiplied by itself": ("zip(u, v)", "zip(u, u)"),
    "v is multiplied by itself": ("zip(u, v)", "zip(v, v)"),
    "v is read from its end": ("zip(u, v)", "zip(u, v[::-1])"),
    "the products are returned, and not their sum": (PRODUCTS, "[a * b for a, b in zip(u, v)]"),
    "the result is divided by the lengths of both vectors, which gives their cosine": (
        (PRODUCTS, f"{PRODUCTS} / math.sqrt(dot(u, u) * dot(v, v))"),
    ),
    "the sum starts from 1": (PRODUCTS, f"1 + {PRODUCTS}"),
    "the sign is wrong": ("sum", "-sum"),
    "the entries of each pair are subtracted, and not multiplied": ("a * b", "a - b"),
    "squared differences are added, and not products": ("a * b", "(a - b) ** 2"),
    "the largest product is returned": ("sum", "max"),
    "the result is rounded to an integer": (PRODUCTS, f"int({PRODUCTS})"),
    "the result is rounded": (PRODUCTS, f"round({PRODUCTS}, 2)"),
    "the sizes of the products are added, without their signs": ("a * b", "abs(a * b)"),
    "the result has lost its sign": ((PRODUCTS, f"abs({PRODUCTS})"),),
    "a negative result is replaced by 0": ((PRODUCTS, f"max(0, {PRODUCTS})"),),
    "the products are in a set, which holds equal products once": (
        (PRODUCTS, "sum({a * b for a, b in zip(u, v)})"),
    ),
}


def my_matmul(A, B):
    columns = [[row[j] for row in B] for j in range(len(B[0]))]
    return [[dot(row, column) for column in columns] for row in A]


BODY = """columns = [[row[j] for row in B] for j in range(len(B[0]))]
    return [[dot(row, column) for column in columns] for row in A]"""
LAST_LINE = "[[dot(row, column) for column in columns] for row in A]"


def with_indices(rows="len(A)", columns="len(B[0])", products="len(B)"):
    """The edit to a sum over indices, each of which runs up to the number given."""
    entry = f"sum(A[i][k] * B[k][j] for k in range({products}))"
    return BODY, f"return [[{entry} for j in range({columns})] for i in range({rows})]"


def too_few_zeros(A, B):
    result = [[0.0] * len(A) for _ in A]
    for i in range(len(A)):
        for j in range(len(B[0])):
            for k in range(len(B)):
                result[i][j] += A[i][k] * B[k][j]
    return result


def never_set_back(A, B):
    total, result = 0, []
    for row in A:
        result.append([])
        for j in range(len(B[0])):
            for k in range(len(B)):
                total += row[k] * B[k][j]
            result[-1].append(total)
    return result


def rows_with_rows(A, B):
    return [[sum(a * b for a, b in zip(row, other)) for other in B] for row in A]


MATMUL_MISTAKES = {
    "rows of A are multiplied by rows of B, and not by columns": rows_with_rows,
    "A and B are swapped": (("in B]", "in A]"), ("len(B[0])", "len(A[0])"), (" row in A]\n", " row in B]\n")),
    "each product overwrites the one before it, and is not added to it": (
        ("dot(row, column)", "row[-1] * column[-1]"),
    ),
    "the result is transposed": (LAST_LINE, f"transpose({LAST_LINE})"),
    "A and B are multiplied entry by entry": (
        (BODY, "return [[a * b for a, b in zip(row, other)] for row, other in zip(A, B)]"),
    ),
    "all rows of the result are one and the same list": (
        (LAST_LINE, f"[[sum(column) for column in transpose({LAST_LINE})]] * len(A)"),
    ),
    "all rows of the result are one list, which ends with the numbers of the last row": (
        (LAST_LINE, f"[{LAST_LINE}[-1]] * len(A)"),
    ),
    "A is transposed": ("for row in A]\n", "for row in transpose(A)]\n"),
    "the last product of each sum is left out": (
        ("dot(row, column)", "sum(map(math.prod, zip(row[:-1], column)))"),
    ),
    "each column of B is read from its end": ("dot(row, column)", "dot(row, column[::-1])"),
    "each pair of entries is added, and not multiplied": ("dot(row, column)", "sum(row) + sum(column)"),
    "as many products are added as A has rows (`len(A)`); add as many as A has columns (`len(A[0])`)": (
        with_indices(products="len(A)")
    ),
    "as many products are added as B has columns; add as many as B has rows": (
        with_indices(products="len(B[0])")
    ),
    "the result gets as many columns as A has rows; it has as many as B": with_indices(columns="len(A)"),
    "the result gets as many columns as A; it has as many as B": with_indices(columns="len(A[0])"),
    "the result gets as many rows as A has columns; it has as many as A has rows": (
        with_indices(rows="len(A[0])")
    ),
    "the rows of zeros are as long as A has rows; they need a number for each column of B": too_few_zeros,
    "the sum goes on from entry to entry; begin each with 0": never_set_back,
    "the function returns inside the loop over the rows of A, after the first": (
        (LAST_LINE, f"{LAST_LINE}[:1]"),
    ),
    "all entries are in one list; the result needs a list for each row of A": (
        (LAST_LINE, f"sum({LAST_LINE}, [])"),
    ),
    "the list for a row is made before the loop, so it gets the entries of all rows; make one for each row": (
        (LAST_LINE, f"[sum({LAST_LINE}, [])] * len(A)"),
    ),
    "the list for a row is made in the inner loop, so each row has one entry; make it before that loop": (
        (LAST_LINE, f"[row[-1:] for row in {LAST_LINE}]"),
    ),
    "each row of A meets one column of B only; it must meet all": (
        (LAST_LINE, "[dot(row, column) for row, column in zip(A, columns)]"),
    ),
    "the numbers are rounded to integers": ("dot(row, column)", "int(dot(row, column))"),
    "A and B are added": (BODY, "return add(A, B)"),
}


def my_X(tokens, E_token, E_pos):
    positions = list(range(len(tokens)))
    return add(embedding(tokens, E_token), embedding(positions, E_pos))


OF_POSITIONS = "embedding(positions, E_pos)"
ENTRIES = "[{} for row, pos in zip(embedding(tokens, E_token), embedding(positions, E_pos))]"
SUM = f"add(embedding(tokens, E_token), {OF_POSITIONS})"
X_MISTAKES = {
    "the position embeddings are left out": (SUM, "embedding(tokens, E_token)"),
    "the token embeddings are left out": (SUM, OF_POSITIONS),
    "token ids and positions are swapped": (
        (SUM, "add(embedding(positions, E_token), embedding(tokens, E_pos))"),
    ),
    "the embeddings are multiplied, and not added": (
        (SUM, ENTRIES.format("[x * y for x, y in zip(row, pos)]")),
    ),
    "the position embeddings are subtracted": (SUM, ENTRIES.format("[x - y for x, y in zip(row, pos)]")),
    "the position itself is added, and not its embedding": (
        (OF_POSITIONS, "[[t] * len(E_token[0]) for t in positions]"),
    ),
    "the last rows of E_pos are used, and not the first": (OF_POSITIONS, "E_pos[-len(tokens) :]"),
    "the positions are reversed": ("positions, E_pos", "positions[::-1], E_pos"),
    "positions are counted from 1, and not from 0": ("positions, E_pos", "positions, E_pos[1:] + E_pos[:1]"),
    "tokens.index gives a repeated token its first position; use enumerate": (
        ("list(range(len(tokens)))", "[tokens.index(token) for token in tokens]"),
    ),
    "E_pos is looked up with the token id, and not with the position": ("positions, E_pos", "tokens, E_pos"),
    "the rows of both tables are taken in their order; a token's row is that of its id": (
        ("embedding(tokens, E_token)", "embedding(positions, E_token)"),
    ),
    "every token gets the embedding of position 0": ("list(range(len(tokens)))", "[0] * len(tokens)"),
    "all rows of E_pos are used, and not only as many as there are tokens": (OF_POSITIONS, "E_pos"),
    "`+` appends the rows of the second list to the first; `add` adds the matrices": (
        (SUM, f"embedding(tokens, E_token) + {OF_POSITIONS}"),
    ),
    "the result is the mean of the two vectors; return their sum": (
        (SUM, ENTRIES.format("[(x + y) / 2 for x, y in zip(row, pos)]")),
    ),
    "the two vectors are concatenated, and not added": (SUM, ENTRIES.format("row + pos")),
}


EXERCISES = {
    "01.a": Exercise(
        my_embedding,
        [
            [[2, 0, 2], [[1, 1], [2, 2], [3, 4]]],
            [[1], [[1, 2], [3, 4]]],
            [[1, 3, 0], *draw_inputs(4, (4, 3))],
            [[5, 5, 0, 1], *draw_inputs(5, (6, 4))],
        ],
        EMBEDDING_MISTAKES,
    ),
    "01.b": Exercise(
        my_dot,
        [
            [[1, 2, 3], [10, 0, 1]],
            [[2, 5], [3, -1]],
            [[1, 1], [2, 2]],
            [[1, -2], [1, 3]],
            [[4], [0.5]],
            draw_inputs(10, (4,), (4,)),
            draw_inputs(11, (7,), (7,)),
        ],
        DOT_MISTAKES,
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
        MATMUL_MISTAKES,
    ),
    "01.d": Exercise(
        my_X,
        [
            [[1, 0], [[1, 1], [2, 2]], [[10, 0], [0, 10], [5, 5]]],
            [[0, 0, 0], [[1.5, 0.25]], [[0.5, 0.0], [0.0, 0.5], [1.0, 1.0]]],
            [[1, 5, 3, 5, 2], *draw_inputs(8, (6, 4), (5, 4))],
            [[4], *draw_inputs(9, (6, 3), (5, 3))],
        ],
        X_MISTAKES,
    ),
}
