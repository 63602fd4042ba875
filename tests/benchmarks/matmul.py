"""How many times faster helpers.matmul is than the product written out with three indices.

    python tests/benchmarks/matmul.py

Both are timed in turn, round after round, so that whatever else the machine does falls on both; the best of
the rounds counts. The checks of matmul are part of its time. Both must give the same product.
"""

import pathlib
import platform
import random
import sys
from time import perf_counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from helpers import matmul, random_matrix  # noqa: E402

SIZES = [(5, 16, 64), (16, 16, 64), (64, 64, 64)]
ROUNDS, SECONDS = 60, 0.01  # a round runs each product for about so long


def three_indices(A, B):
    m, n, p = len(A), len(B), len(B[0])
    return [[sum(A[i][k] * B[k][j] for k in range(n)) for j in range(p)] for i in range(m)]


def seconds(product, A, B, calls):
    start = perf_counter()
    for _ in range(calls):
        product(A, B)
    return perf_counter() - start


def best_times(A, B):
    """The shortest time for a call of three_indices and of matmul."""
    calls = max(1, round(SECONDS / seconds(three_indices, A, B, 1)))
    rounds = [[seconds(product, A, B, calls) for product in (three_indices, matmul)] for _ in range(ROUNDS)]
    return [min(times) / calls for times in zip(*rounds)]


def furthest_apart(A, B):
    """The largest difference between the two results, relative to the largest entry."""
    pairs = [
        (x, y)
        for row, other in zip(three_indices(A, B), matmul(A, B), strict=True)
        for x, y in zip(row, other, strict=True)
    ]
    return max(abs(x - y) for x, y in pairs) / max(abs(x) for x, _ in pairs)


def main():
    rng = random.Random(42)
    print(f"Python {platform.python_version()}: three indices / matmul")
    for m, n, p in SIZES:
        A, B = random_matrix(rng, m, n), random_matrix(rng, n, p)
        gap = furthest_apart(A, B)
        assert gap <= 1e-12, f"the results differ by {gap:.1e}"
        slow, fast = best_times(A, B)
        sizes = f"({m}x{n}) * ({n}x{p})"
        print(f"{sizes:20}{slow / fast:5.2f} x   {fast * 1e6:8.1f} us a product")


if __name__ == "__main__":
    main()
