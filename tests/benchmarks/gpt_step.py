"""How many times faster the helpers take a small GPT-2 forward and back than the same on a scalar tape;
and its memory.

    python tests/benchmarks/gpt_step.py

Two blocks of width 16, 16 positions, 28 tokens: gpt_forward and gpt_backward, against one object per
number and an operation noted at a time. Both are timed in turn, round after round, so that whatever else
the machine does falls on both; the best of the rounds counts. Once the garbage collector rests, which
favours the tape and its million of objects, and once it works, as in a notebook. Both must give the same
gradients. The memory is the most that a step holds at one time beside the parameters.
"""

import gc
import pathlib
import platform
import random
import sys
import tracemalloc
from time import perf_counter

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

import second_gpt  # noqa: E402
from second_network import derivative, each, flat  # noqa: E402

from helpers import gpt_backward, gpt_forward, init_gpt  # noqa: E402

ROUNDS = 5
CONFIG = {"vocab_size": 28, "n_positions": 16, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 64}


def by_lists(parameters, tokens, targets):
    activations = gpt_forward(CONFIG, parameters, tokens, targets)
    return gpt_backward(CONFIG, parameters, activations, tokens, targets)


def by_tape(parameters, tokens, targets):
    """Only what the helpers do too: the numbers put on a tape, the loss, the tape unwound."""
    on, found = second_gpt.noted(CONFIG, parameters, tokens, targets)
    second_gpt.unwind(found["loss"])
    return on


def seconds(step, arguments):
    start = perf_counter()
    step(*arguments)
    return perf_counter() - start


def best_times(arguments):
    """The shortest time of a step by the tape and by lists."""
    rounds = [[seconds(step, arguments) for step in (by_tape, *[by_lists] * 4)] for _ in range(ROUNDS)]
    return min(times[0] for times in rounds), min(min(times[1:]) for times in rounds)


def most_held(step, arguments):
    """Bytes: the most that is held at one time while a step runs."""
    tracemalloc.start()
    step(*arguments)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def furthest_apart(arguments):
    """The largest difference between the gradients, relative to the largest of their tensor."""
    by_name, gaps = each(derivative, by_tape(*arguments)), []
    for name, gradient in by_lists(*arguments).items():
        pairs = list(zip(flat(gradient), flat(by_name[name]), strict=True))
        gaps.append(max(abs(x - y) for x, y in pairs) / max(abs(y) for _, y in pairs))
    return max(gaps)


def main():
    rng = random.Random(42)
    tokens = [rng.randrange(CONFIG["vocab_size"]) for _ in range(CONFIG["n_positions"])]
    arguments = init_gpt(CONFIG, rng), tokens, [*tokens[1:], 0]
    gap = furthest_apart(arguments)
    assert gap <= 1e-10, f"the gradients differ by {gap:.1e}"
    print(f"Python {platform.python_version()}: scalar tape / gpt_forward and gpt_backward")
    for collector, switch in (("rests", gc.disable), ("works", gc.enable)):
        switch()
        slow, fast = best_times(arguments)
        print(
            f"collector {collector}   {slow / fast:5.2f} x   {fast * 1e3:6.1f} ms a step, by the tape "
            f"{slow * 1e3:7.1f} ms"
        )
    lists, tape = (most_held(step, arguments) / 1e6 for step in (by_lists, by_tape))
    print(f"most memory at a time   {lists:.2f} MB, by the tape {tape:.0f} MB")


if __name__ == "__main__":
    main()
