"""How many times faster helpers.multi_head_attention is than the same written out with indices.

    python tests/benchmarks/attention.py

The course's sentence: five positions of width 16, two heads of 8, causal mask. Both are timed in turn,
round after round, so that whatever else the machine does falls on both; the best of the rounds counts.
The checks of the helper are part of its time. Both must give the same result.
"""

import math
import pathlib
import platform
import random
import sys
from time import perf_counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from helpers import causal_mask, multi_head_attention, random_matrix  # noqa: E402
from helpers.course.state.network import CONFIG, draw_parameters

ROUNDS, CALLS = 200, 20


def three_indices(X, W_Q, W_K, W_V, W_O, mask):
    T, D, H, k, v, m = len(X), len(X[0]), len(W_Q), len(W_Q[0]), len(W_V[0]), len(W_O)
    Q, K, V = (
        [
            [[sum(X[t][i] * W[h][o][i] for i in range(D)) for o in range(len(W[h]))] for t in range(T)]
            for h in range(H)
        ]
        for W in (W_Q, W_K, W_V)
    )
    scores = [
        [
            [sum(Q[h][t][i] * K[h][s][i] for i in range(k)) / math.sqrt(k) + mask[t][s] for s in range(T)]
            for t in range(T)
        ]
        for h in range(H)
    ]
    largest = [[max(scores[h][t]) for t in range(T)] for h in range(H)]
    E = [[[math.exp(scores[h][t][s] - largest[h][t]) for s in range(T)] for t in range(T)] for h in range(H)]
    totals = [[sum(E[h][t]) for t in range(T)] for h in range(H)]
    weights = [[[E[h][t][s] / totals[h][t] for s in range(T)] for t in range(T)] for h in range(H)]
    heads = [
        [[sum(weights[h][t][s] * V[h][s][o] for s in range(T)) for o in range(v)] for t in range(T)]
        for h in range(H)
    ]
    joined = [[heads[h][t][o] for h in range(H) for o in range(v)] for t in range(T)]
    return [[sum(joined[t][i] * W_O[o][i] for i in range(H * v)) for o in range(m)] for t in range(T)]


def seconds(attend, arguments):
    start = perf_counter()
    for _ in range(CALLS):
        attend(*arguments)
    return perf_counter() - start


def best_times(arguments):
    """The shortest time for a call of three_indices and of multi_head_attention."""
    both = (three_indices, multi_head_attention)
    rounds = [[seconds(attend, arguments) for attend in both] for _ in range(ROUNDS)]
    return [min(times) / CALLS for times in zip(*rounds)]


def furthest_apart(arguments):
    """The largest difference between the two results, relative to the largest entry."""
    pairs = [
        (x, y)
        for row, other in zip(three_indices(*arguments), multi_head_attention(*arguments), strict=True)
        for x, y in zip(row, other, strict=True)
    ]
    return max(abs(x - y) for x, y in pairs) / max(abs(x) for x, _ in pairs)


def main():
    rng = random.Random(42)
    weights = draw_parameters(rng, ["W_Q", "W_K", "W_V", "W_O"])
    arguments = [random_matrix(rng, CONFIG["P"], CONFIG["D"]), *weights.values(), causal_mask(CONFIG["P"])]
    gap = furthest_apart(arguments)
    assert gap <= 1e-12, f"the results differ by {gap:.1e}"
    slow, fast = best_times(arguments)
    print(f"Python {platform.python_version()}: three indices / multi_head_attention")
    print(f"(5x16), 2 heads of 8  {slow / fast:5.2f} x   {fast * 1e6:8.1f} us a call")


if __name__ == "__main__":
    main()
