"""Token embeddings to begin a training with, from counts of neighbouring tokens.

Counts of bigrams say at once what a training needs some hundred steps for. The matrix
S[a][b] = log(1 + count(a, b) / (STRENGTH · share of b)) is the logit of b after a, up to a number that is the
same for all b, which softmax ignores. It is sparse. Its singular vectors of the largest singular values
become the two halves of each embedding: left ones for a token that is read, right ones for one that follows.
"""

import math
from collections import Counter

STRENGTH = 5  # occurrences of a token that speak as much as the shares of all tokens
ROUNDS = 8  # of the iteration
MAX_DEVIATIONS = 3  # standard deviations


def begin_with_bigrams(parameters, documents, rng):
    """The parameters with embeddings from the bigrams of documents.

    The first number of each embedding is the logarithm of the token's share, and the bias of the last norm
    lets the logits begin with it.
    """
    V, D = len(parameters["wte.weight"]), len(parameters["wte.weight"][0])
    rows = [list(row) for row in parameters["wte.weight"]]
    scale = root_mean_square([x for row in rows for x in row])
    seen = Counter(token for document in documents for token in document[1:])
    total = math.fsum(seen.values()) + V / 2
    logs = [math.log((seen[token] + 0.5) / total) for token in range(V)]
    mean = math.fsum(logs) / V
    deviation = root_mean_square([x - mean for x in logs]) or 1.0
    columns = [[(x - mean) / deviation for x in logs]]
    for half in bigram_vectors(documents, [math.exp(x) for x in logs], (D - 2) // 2, rng):
        size = root_mean_square([x for column in half for x in column]) or 1.0
        columns += [[max(-MAX_DEVIATIONS, min(MAX_DEVIATIONS, x / size)) for x in column] for column in half]
    for i, column in enumerate(columns):
        for row, x in zip(rows, column):
            row[i] = scale * x
    bias = [deviation / scale, *parameters["ln_f.bias"][1:]]
    return {**parameters, "wte.weight": rows, "ln_f.bias": bias}


def bigram_vectors(documents, shares, rank, rng):
    """(left, right): so many singular vectors of S, each a list of a number for each token, and each times
    the root of its singular value. They are found by orthogonal iteration."""
    counts = Counter(pair for document in documents for pair in zip(document, document[1:]))
    entries = [(a, b, math.log(1 + n / (STRENGTH * shares[b]))) for (a, b), n in counts.items()]
    turned = [(b, a, w) for a, b, w in entries]
    left = orthonormal([[rng.gauss(0, 1) for _ in shares] for _ in range(min(rank, len(shares)))])
    for _ in range(ROUNDS):
        left = orthonormal([transposed_times(turned, transposed_times(entries, column)) for column in left])
    right = [transposed_times(entries, column) for column in left]
    roots = [math.sqrt(math.sqrt(math.fsum(x * x for x in column))) or 1.0 for column in right]
    return (
        [[root * x for x in column] for root, column in zip(roots, left)],
        [[x / root for x in column] for root, column in zip(roots, right)],
    )


def transposed_times(entries, column):
    """Sᵀ times a vector, with S as (row, column, number); with the first two swapped it is S times a vector.

    >>> transposed_times([(0, 1, 2.0), (2, 1, 3.0)], [1.0, 1.0, 1.0])
    [0.0, 5.0, 0.0]
    """
    found = [0.0] * len(column)
    for a, b, weight in entries:
        found[b] += weight * column[a]
    return found


def orthonormal(columns):
    """Gram and Schmidt: each vector without its part along the earlier ones, with length 1.

    >>> orthonormal([[2.0, 0.0], [3.0, 4.0]])
    [[1.0, 0.0], [0.0, 1.0]]
    """
    made = []
    for column in columns:
        for other in made:
            along = math.fsum(x * y for x, y in zip(column, other))
            column = [x - along * y for x, y in zip(column, other)]
        length = math.sqrt(math.fsum(x * x for x in column)) or 1.0
        made.append([x / length for x in column])
    return made


def root_mean_square(numbers):
    return math.sqrt(math.fsum(x * x for x in numbers) / len(numbers))
