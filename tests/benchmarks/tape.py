"""How many times longer the tape over lists takes for forward and backward than the same steps written by
hand.

    python tests/benchmarks/tape.py

The course's own sentence and weights. By hand: toy_forward and toy_backward. By the tape: the same steps
on a tape that is new at each step, and the same network of whole layers, whose ways back compute again
what lies inside a layer. All are timed in turn, round after round, so that whatever else the machine does
falls on all; the middle one of the rounds' ratios counts.
"""

import gc
import pathlib
import platform
import random
import sys
from statistics import median
from time import perf_counter

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

from networks_on_tape import by_tape, in_large_steps, in_small_steps  # noqa: E402

from helpers.course.show.compare import leaves  # noqa: E402
from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from helpers.toy import toy_backward, toy_forward  # noqa: E402

ROUNDS = 200
AT_MOST = 1.3  # times as long as by hand, in the same steps


def by_hand(parameters):
    activations = toy_forward(parameters, TOKENS, TARGETS)
    return toy_backward(parameters, activations, TOKENS, TARGETS)[0]


def in_steps(network):
    return lambda parameters: by_tape(network, parameters, TOKENS, TARGETS)[1]


def seconds(way, parameters):
    start = perf_counter()
    way(parameters)
    return perf_counter() - start


def furthest_apart(gradients, expected):
    """The largest difference between gradients, relative to the largest of their tensor."""
    pairs = {
        name: list(zip(leaves(gradients[name]), leaves(due), strict=True)) for name, due in expected.items()
    }
    return max(max(abs(x - y) for x, y in pair) / max(abs(y) for _, y in pair) for pair in pairs.values())


def main():
    parameters = draw_parameters(random.Random(42))
    ways = [by_hand, in_steps(in_small_steps), in_steps(in_large_steps)]
    gap = max(furthest_apart(way(parameters), by_hand(parameters)) for way in ways)
    assert gap <= 1e-12, f"the gradients differ by {gap:.1e}"
    gc.disable()
    rounds = [[seconds(way, parameters) for way in ways] for _ in range(ROUNDS)]
    small, large = (median(times[i] / times[0] for times in rounds) for i in (1, 2))
    print(
        f"Python {platform.python_version()}: tape / toy_forward and toy_backward, "
        f"{min(rounds)[0] * 1e6:.1f} us"
    )
    print(f"the same steps    {small:5.2f} x   at most {AT_MOST}")
    print(f"whole layers      {large:5.2f} x")
    sys.exit(small > AT_MOST)


if __name__ == "__main__":
    main()
