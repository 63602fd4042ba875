"""Lesson 04: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import random

from ... import add, attention, causal_mask, linear, matmul, merge_heads, scale, transpose
from .exercise import Exercise, draw_inputs


def my_merge_heads(heads):
    concat = []
    for rows in zip(*heads):  # the rows of all heads at one position
        joined = []
        for row in rows:
            joined += row
        concat.append(joined)
    return concat


MERGE_MISTAKES = {
    "the rows of head 1 come after the rows of head 0: [H·T][k], not [T][H·k]": (
        ("return concat", "return [row for head in heads for row in head]"),
    ),
    "all positions of one head are in one row: there is one row for each head": ("zip(*heads)", "heads"),
    "the numbers of the heads alternate: one of head 0, then one of head 1": ("in rows:", "in zip(*rows):"),
    "the heads are added instead of concatenated": ("(joined)", "([sum(numbers) for numbers in zip(*rows)])"),
    "the rows of heads 0 and 1 are added instead of concatenated": (
        ("return concat", "return add(heads[0], heads[1])"),
    ),
    "the mean of the heads is returned; put their rows end to end": (
        ("(joined)", "([sum(numbers) / len(heads) for numbers in zip(*rows)])"),
    ),
    "the rows of a position are put into a list without being joined": (" += row", ".append(row)"),
    "`+` joins the two lists of rows, where it should join the two rows of each position": (
        ("return concat", "return heads[0] + heads[1]"),
    ),
    "all numbers are in one list; each position needs a row of its own": (".append(joined)", " += joined"),
    "the row of a position keeps the numbers of earlier positions; begin each row with []": (
        ("        joined = []\n", ""),
        ("concat = []\n", "concat = []\n    joined = []\n"),
    ),
    "only the rows of the last head are left": ("joined += row", "joined = row"),
    "exactly two heads are concatenated, however many there are": ("zip(*heads)", "zip(heads[0], heads[1])"),
    "the heads are concatenated in reverse order": ("in rows:", "in reversed(rows):"),
    "only head 0 is returned": ("return concat", "return heads[0]"),
    "there are as many rows as heads; there must be one for each position": (
        "return concat",
        "return concat[: len(heads)]",
    ),
}


def my_multi_head_attention(X, W_Q, W_K, W_V, W_O, mask):
    heads = []
    for h in range(len(W_Q)):
        heads.append(attention(linear(X, W_Q[h]), linear(X, W_K[h]), linear(X, W_V[h]), mask))
    return linear(merge_heads(heads), W_O)


def of_slices(X, W_Q, W_K, W_V, W_O, mask, columns=lambda start, n: slice(start, start + n)):
    """Each head reads its own columns of X, with these columns of its matrices: its own by default."""
    n = len(X[0]) // len(W_Q)
    heads = []
    for h in range(len(W_Q)):
        x = [row[h * n : (h + 1) * n] for row in X]
        part = columns(h * n, n)
        Q, K, V = (linear(x, [w[part] for w in W[h]]) for W in (W_Q, W_K, W_V))
        heads.append(attention(Q, K, V, mask))
    return linear(merge_heads(heads), W_O)


def of_slices_and_whole_matrices(*arguments):
    return of_slices(*arguments, columns=lambda start, n: slice(None))


def of_slices_without_checks(*arguments):
    return of_slices(*arguments, columns=lambda start, n: slice(n))


def of_one_wide_head(X, W_Q, W_K, W_V, W_O, mask):
    """One attention with the queries, keys and values of all heads side by side."""
    Q, K, V = (merge_heads([linear(X, W) for W in of_heads]) for of_heads in (W_Q, W_K, W_V))
    return linear(attention(Q, K, V, mask), W_O)


Q, K, V = "linear(X, W_Q[h])", "linear(X, W_K[h])", "linear(X, W_V[h])"
OUTPUT = "linear(merge_heads(heads), W_O)"
ATTENTION_MISTAKES = {
    "W_O is read [in][out]": ("W_O)\n", "transpose(W_O))\n"),
    "two heads are computed, however many there are": ("range(len(W_Q))", "range(2)"),
    "the heads are concatenated in reverse order": ("(heads)", "(heads[::-1])"),
    "the mask is left out": (", mask))", "))"),
    "W_O gets rows that are only as wide as one head; concatenate the outputs of the heads first": (
        ("merge_heads(heads)", "[row for head in heads for row in head]"),
    ),
    "X is cut into one slice of columns for each head; every head reads the whole X": of_slices,
    "each head gets a slice of X, too narrow for its matrices; every head reads the whole X": (
        of_slices_and_whole_matrices
    ),
    "each head gets a slice of X, and zip drops columns of its matrices; every head reads the whole X": (
        of_slices_without_checks
    ),
    "attention runs once for all heads together; run it in each head": of_one_wide_head,
    "the loop runs over the positions of X; it should run over the heads": (
        "range(len(W_Q))",
        "range(len(X))",
    ),
    "the matrices W_Q[h], W_K[h] and W_V[h] are used as queries, keys and values; apply `linear` to X": (
        (Q, "W_Q[h]"),
        (K, "W_K[h]"),
        (V, "W_V[h]"),
    ),
    "the matrix W_Q[h] itself is used as the queries; apply `linear` with it to X": (Q, "W_Q[h]"),
    "the matrix W_K[h] itself is used as the keys; apply `linear` with it to X": (K, "W_K[h]"),
    "the matrix W_V[h] itself is used as the values; apply `linear` with it to X": (V, "W_V[h]"),
    "only the outputs of heads 0 and 1 are concatenated": (
        ("merge_heads(heads)", "[one + other for one, other in zip(heads[0], heads[-1])]"),
    ),
    "only the first two heads are concatenated, however many there are": ("(heads)", "(heads[:2])"),
    "the outputs of heads 0 and 1 are added; concatenate the outputs of all heads": (
        ("merge_heads(heads)", "add(heads[0], heads[1])"),
    ),
    "every head uses the matrices of head 0": ("range(len(W_Q))", "[0] * len(W_Q)"),
    "every head uses the queries and keys of head 0": (("W_Q[h]", "W_Q[0]"), ("W_K[h]", "W_K[0]")),
    "every head uses the values of head 0": ("W_V[h]", "W_V[0]"),
    "every head uses the queries of head 0": ("W_Q[h]", "W_Q[0]"),
    "every head uses the keys of head 0": ("W_K[h]", "W_K[0]"),
    "the values are computed with W_K; use W_V": ("W_V[h]", "W_K[h]"),
    "attention gets X itself three times; it needs queries, keys and values": ((Q, "X"), (K, "X"), (V, "X")),
    "the outputs of the heads are not put side by side: only one head is left, or they are added": (
        "    for h in range(len(W_Q)):\n",
        "    for h in range(len(W_Q)):\n        heads = []\n",
    ),
    "W_Q, W_K and W_V are read [in][out]; use `linear`, not `matmul`": (
        (Q, "matmul(X, W_Q[h])"),
        (K, "matmul(X, W_K[h])"),
        (V, "matmul(X, W_V[h])"),
    ),
    "each head reads the output of the head before it; every head should read X": (
        ("heads.append(", "X = ("),
        ("mask))\n", "mask))\n        heads.append(X)\n"),
    ),
    "a causal mask is applied, whatever the argument `mask` is": (", mask))", ", causal_mask(len(X))))"),
    "X itself is used as the values; apply `linear` with W_V[h] to it": (V, "X"),
    "the numbers of the heads alternate in the concatenated rows": (
        ("merge_heads(heads)", "[[x for numbers in zip(*rows) for x in numbers] for rows in zip(*heads)]"),
    ),
    "X is added to the output": (OUTPUT, f"add(X, {OUTPUT})"),
    "the keys and the values have changed places": (f"{K}, {V}", f"{V}, {K}"),
    "the queries and the keys have changed places": (f"{Q}, {K}", f"{K}, {Q}"),
    "the scores are not divided by the square root of k": (Q, f"scale({Q}, math.sqrt(len(W_Q[h])))"),
    "the output projection is missing": (OUTPUT, "merge_heads(heads)"),
}


def my_ablate(W_O, head, k):
    return [[0 if j // k == head else w for j, w in enumerate(row)] for row in W_O]


COLUMNS = "[0 if j // k == head else w for j, w in enumerate(row)]"
ABLATE_MISTAKES = {
    "the rows of the head are set to 0, and not its columns": (
        (
            f"[{COLUMNS} for row in W_O]",
            "[[0 if i // k == head else w for w in row] for i, row in enumerate(W_O)]",
        ),
    ),
    "only the column with the number of the head is set to 0": ("j // k == head", "j == head"),
    "only the first column of the block is set to 0; a head has k columns": (
        "j // k == head",
        "j == head * k",
    ),
    "only the last column of the block is set to 0; a head has k columns": (
        "j // k == head",
        "j == head * k + k - 1",
    ),
    "the columns of later heads are missing; the new row is as long as the old one": (
        COLUMNS,
        "row[: head * k] + [0] * k",
    ),
    "every column but those of the head is set to 0": ("==", "!="),
    "the columns of the head are left out; set them to 0": (
        COLUMNS,
        "[w for j, w in enumerate(row) if j // k != head]",
    ),
    "the first k columns are set to 0, whatever the head is": ("j // k == head", "j < k"),
    "all columns from those of the head on are set to 0": ("==", ">="),
    "the block begins at column `head` instead of column `head * k`": (
        "j // k == head",
        "head <= j < head + k",
    ),
    "the block is half of a row, as if there were always two heads": ("// k", "// (len(row) // 2)"),
    "the columns belong to the heads in turn; each head has k columns side by side": (
        "// k",
        "% (len(row) // k)",
    ),
    "the columns with the remainder `head` after division by k are 0; those of a head are side by side": (
        "// k",
        "% k",
    ),
    "one column too many is set to 0: the block ends before column `(head + 1) * k`": (
        "j // k == head",
        "head * k <= j <= (head + 1) * k",
    ),
    "the block is replaced by a single 0; it takes k of them": (
        COLUMNS,
        "row[: head * k] + [0] + row[(head + 1) * k :]",
    ),
    "only row 0 is changed": (f"[{COLUMNS} for row in W_O]", f"[{COLUMNS} for row in W_O[:1]] + W_O[1:]"),
    "the result has 2·k columns; there may be more than two heads": (
        COLUMNS,
        "row[:k] + [0] * k if head else [0] * k + row[k : 2 * k]",
    ),
}


def _weights(seed, D, H, k, v, m):
    """W_Q, W_K, W_V, W_O."""
    return draw_inputs(seed, (H, k, D), (H, k, D), (H, v, D), (m, H * v))


def _whole(seed, T, D, H, k, v, m):
    """X, W_Q, W_K, W_V, W_O in whole numbers from -2 to 2: short to print."""
    rng = random.Random(seed)
    sizes = (T, D), (H, k, D), (H, k, D), (H, v, D), (m, H * v)
    return [_filled(rng, *size) for size in sizes]


def _filled(rng, size, *sizes):
    return [_filled(rng, *sizes) if sizes else rng.randint(-2, 2) for _ in range(size)]


_MASK_2 = [[0.0, -math.inf], [0.0, 0.0]]

EXERCISES = {
    "04.a": Exercise(
        my_merge_heads,
        [
            [[[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]],
            [[[[1], [2], [3]], [[4], [5], [6]]]],
            [[[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]],
            [[[[1, 2], [3, 4], [5, 6]]]],
            draw_inputs(27, (3, 4, 2)),
        ],
        MERGE_MISTAKES,
    ),
    "04.b": Exercise(
        my_multi_head_attention,
        [
            [
                [[2, 3]],
                [[[1, 0]], [[1, 0]]],
                [[[1, 0]], [[1, 0]]],
                [[[1, 0]], [[0, 10]]],
                [[1, 1], [0, 1]],
                None,
            ],
            [*_whole(1, 2, 2, 2, 1, 2, 3), None],
            [*_whole(2, 2, 2, 2, 2, 1, 2), _MASK_2],
            [*draw_inputs(28, (2, 2)), *_weights(29, 2, 2, 1, 2, 3), None],
            [*draw_inputs(6, (3, 2)), *_weights(7, 2, 3, 2, 1, 2), causal_mask(3)],
            [*draw_inputs(8, (1, 2)), *_weights(9, 2, 1, 4, 2, 3), None],
            [*draw_inputs(18, (2, 2)), *_weights(19, 2, 2, 1, 2, 4), _MASK_2],
            [*draw_inputs(20, (3, 3)), *_weights(21, 3, 2, 2, 2, 4), causal_mask(3)],
        ],
        ATTENTION_MISTAKES,
    ),
    "04.d": Exercise(
        my_ablate,
        [
            [[[1, 2, 3, 4]], 1, 2],
            [[[1, 2, 3, 4], [5, 6, 7, 8]], 0, 2],
            [*draw_inputs(30, (6, 6)), 1, 2],
            [*draw_inputs(31, (3, 6)), 2, 2],
            [*draw_inputs(32, (6, 6)), 0, 3],
            [*draw_inputs(33, (4, 4)), 2, 1],
            [*draw_inputs(34, (4, 4)), 0, 4],
        ],
        ABLATE_MISTAKES,
    ),
}
