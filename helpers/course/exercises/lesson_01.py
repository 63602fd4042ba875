"""Lesson 01, hidden side. Reading on gives answers away."""

import random

from ..network import CONFIG
from ...parameters import random_matrix


def _tables(seed, V, P, D):
    rng = random.Random(seed)
    return random_matrix(rng, V, D), random_matrix(rng, P, D)


def next_token_pairs(tokens):
    return [[tokens[: i + 1], tokens[i + 1]] for i in range(len(tokens) - 1)]


def embed_sentence(words, vocabulary, E_token, E_pos):
    ids = [vocabulary.index(word) for word in words]
    return [[t + p for t, p in zip(E_token[i], E_pos[n])] for n, i in enumerate(ids)]


def merge(pieces, left, right):
    merged, i = [], 0
    while i < len(pieces):
        pair = pieces[i : i + 2] == [left, right]
        merged.append(left + right if pair else pieces[i])
        i += 2 if pair else 1
    return merged


def embedding_parameters(V, P, D):
    return V * D + P * D


EXERCISES = {
    "01.1": (next_token_pairs, [[[1, 2]], [[1, 4, 4, 4, 3, 2]], [[1, 5, 3, 2]], [[7]]]),
    "01.2": (
        embed_sentence,
        [
            [["I", "like"], CONFIG["vocabulary"], _tables(4, 6, 2, 2)[0], [[0.0, 0.0], [0.0, 0.0]]],
            [["I", "like", "I"], CONFIG["vocabulary"], *_tables(1, 6, 5, 4)],
            [["<BOS>", "transformers", "like", "transformers", "<EOS>"], CONFIG["vocabulary"], *_tables(2, 6, 5, 16)],
            [["b"], ["a", "b"], *_tables(3, 2, 3, 1)],
        ],
    ),
    "01.3": (
        merge,
        [
            [list("banana"), "a", "n"],
            [["me", "n", "e", "n"], "e", "n"],
            [list("aaaaa"), "a", "a"],
            [list("word"), "x", "y"],
            [[], "a", "b"],
        ],
    ),
    "01.4": (embedding_parameters, [[3, 2, 10], [50257, 1024, 768], [30522, 512, 768], [1, 1, 1]]),
}
