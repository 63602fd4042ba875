"""Lesson 15b: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import attention
from .exercise import Exercise, draw_inputs


def my_step(q, k, v, K, V):
    K, V = [*K, k], [*V, v]
    return attention([q], K, V)[0], K, V


LONGER, OUTPUT = "[*K, k], [*V, v]", "attention([q], K, V)[0]"
STEP_MISTAKES = {
    "the new token does not attend to itself": (OUTPUT, "attention([q], K[:-1], V[:-1])[0] if K[:-1] else v"),
    "the scores are not divided by the square root of the width": ("[q]", "scale([q], math.sqrt(len(q)))"),
    "the scores are divided by the width, not by its root": ("[q]", "scale([q], 1 / math.sqrt(len(q)))"),
    "keys and values are swapped in the result": ("[0], K, V", "[0], V, K"),
    "only the new token is attended to": (OUTPUT, "v"),
    "the values are added up, without attention weights": (OUTPUT, "[sum(column) for column in zip(*V)]"),
    "the key is used as the query": ("[q]", "[k]"),
    "the new key and value are put first, and not last": (LONGER, "[k, *K], [v, *V]"),
    "the new key and value are not in the returned lists": (
        (f"    K, V = {LONGER}\n", ""),
        ("([q], K, V)", f"([q], {LONGER})"),
    ),
    "K + k adds the numbers of k to the list, and not k as one row: write [*K, k]": (LONGER, "K + k, V + v"),
    "attention returns a matrix of one row: take its row [0]": ("[0]", ""),
    "all attention weights are equal": ("[q]", "[[0.0 for _ in q]]"),
    "the scores are divided by the root of the width of v, and not of k": (
        "[q]",
        "scale([q], math.sqrt(len(q) / len(v)))",
    ),
    "the query is stored as the key": ("[*K, k]", "[*K, q]"),
    "append returns None, and changes the old list: write [*K, k]": (LONGER, "K.append(k), V.append(v)"),
    "attention gets the vector q: it takes a matrix, so give it [q]": (OUTPUT, "attention(q, K, V)[0]"),
    "the output alone is returned": ("[0], K, V", "[0]"),
    "the new key and value are returned, and not the longer lists": ("[0], K, V", "[0], K[-1], V[-1]"),
}


def my_cache_bytes(layers, heads, width, tokens, bytes_each):
    return 2 * layers * heads * width * tokens * bytes_each


CACHE_BYTES_MISTAKES = {
    "only keys or only values are counted: each head stores both": ("2 * ", ""),
    "numbers are counted, and not bytes": (" * bytes_each", ""),
    "only one layer is counted": ("layers * ", ""),
    "only one head is counted": ("heads * ", ""),
    "the width is left out": ("width * ", ""),
    "bits are counted, and not bytes": ("2 *", "8 * 2 *"),
    "the size is given in GB, and not in bytes": ("* bytes_each", "* bytes_each / 1e9"),
    "only one token is counted": ("tokens * ", ""),
    "the tokens are squared: a cache has one key and one value for each token": ("tokens *", "tokens**2 *"),
    "queries are counted, too, but the cache does not store them": ("2 *", "3 *"),
    "the bytes of a number are divided by, and not multiplied": ("* bytes_each", "/ bytes_each"),
    "every number takes 4 bytes: use bytes_each": ("* bytes_each", "* 4"),
    "the width is squared: a key is a vector": ("width *", "width**2 *"),
    "the sizes are added, and not multiplied": (
        "2 * layers * heads * width * tokens * bytes_each",
        "2 + layers + heads + width + tokens + bytes_each",
    ),
    "the attention weights of all pairs are counted": (
        ("2 * layers * heads * width * tokens", "layers * heads * tokens * tokens"),
    ),
}


def my_positions(S):
    return [*range(1, S), S - 1]


POSITIONS_MISTAKES = {
    "positions are counted again from 0, but the keys contain their old ones": ("(1, S)", "(S - 1)"),
    "the new token gets the position after the last: decode_step counts the remaining keys": ("S - 1", "S"),
    "the oldest key is not removed, and so the new token has the position S": (
        "range(1, S), S - 1",
        "range(S), S",
    ),
    "the oldest key is not removed": ("range(1, S)", "range(S)"),
    "the new token gets the position S - 2: S - 1 keys remain, so its position is S - 1": (
        ", S - 1",
        ", S - 2",
    ),
    "the answer for S = 2 is returned for each S": ("[*range(1, S), S - 1]", "[1, 1]"),
    "the new token is counted from 0": ("S - 1", "0"),
    "positions are counted from 1": ("range(1, S), S - 1", "range(2, S + 1), S"),
    "the new token is missing": (", S - 1", ""),
    "the new token is first, and not last": ("*range(1, S), S - 1", "S - 1, *range(1, S)"),
}

EXERCISES = {
    "15.f": Exercise(
        my_step,
        [
            [[0.0, 0.0], [1.0, 2.0], [30.0], [[3.0, 4.0]], [[10.0]]],
            [*draw_inputs(1, (2,), (2,), (3,), (2, 2), (2, 3))],
            [*draw_inputs(2, (4,), (4,), (1,), (3, 4), (3, 1))],
            [[1.0, 2.0], [0.5, 1.0], [7.0, 8.0], [], []],
            [*draw_inputs(3, (3,), (3,), (2,), (5, 3), (5, 2))],
        ],
        STEP_MISTAKES,
        parts=("the output", "the keys", "the values"),
    ),
    "15.g": Exercise(
        my_cache_bytes,
        [[1, 2, 8, 5, 4], [3, 1, 2, 7, 2], [12, 12, 64, 1024, 4], [2, 4, 8, 1, 1]],
        CACHE_BYTES_MISTAKES,
    ),
    "15.h": Exercise(my_positions, [[2], [5], [3], [8], [13]], POSITIONS_MISTAKES),
}
