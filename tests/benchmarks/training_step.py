"""How many times faster the helpers take the network forward and back than the same on a scalar tape.

    python tests/benchmarks/training_step.py

The course's own sentence and weights: toy_forward and toy_backward, against one object per number and an
operation noted at a time, on a tape that is new at each step. Both are timed in turn, round after round,
so that whatever else the machine does falls on both; the best of the rounds counts. The garbage collector
rests meanwhile, which favours the tape and its hundred thousand objects. Both must give the same
gradients. The rest of a training step, adamw_step, is timed in the same rounds, as a share of forward and
backward.
"""

import gc
import pathlib
import platform
import random
import sys
from time import perf_counter

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[1:3])

import second_network  # noqa: E402

from helpers.course.state.network import TARGETS, TOKENS, draw_parameters
from helpers.optimizers import adamw_init, adamw_step  # noqa: E402
from helpers.toy import toy_backward, toy_forward  # noqa: E402

ROUNDS = 60


def by_lists(parameters):
    activations = toy_forward(parameters, TOKENS, TARGETS)
    return toy_backward(parameters, activations, TOKENS, TARGETS)[0]


def by_tape(numbers):
    """Only what the helpers do too: the numbers put on a tape, the loss, the tape unwound."""
    on, activations = second_network.noted(numbers)
    second_network.unwind(activations["loss"])
    return on


def seconds(step, parameters):
    start = perf_counter()
    step(parameters)
    return perf_counter() - start


def best_times(numbers, parameters):
    """The shortest time for forward and backward by the tape, for the same by lists, and for adamw_step."""
    gradients, optimizer = by_lists(parameters), adamw_init(parameters)
    steps = (
        (by_tape, numbers),
        (by_lists, parameters),
        (lambda p: adamw_step(p, gradients, optimizer), parameters),
    )
    rounds = [[seconds(*step) for step in steps] for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds)]


def furthest_apart(numbers, parameters):
    """The largest difference between the gradients, relative to the largest of their tensor."""
    flat = second_network.flat
    by_name = second_network.as_stored(second_network.each(second_network.derivative, by_tape(numbers)))
    gaps = []
    for name, gradient in by_lists(parameters).items():
        pairs = list(zip(flat(gradient), flat(by_name[name]), strict=True))
        gaps.append(max(abs(x - y) for x, y in pairs) / max(abs(y) for _, y in pairs))
    return max(gaps)


def main():
    numbers, _ = second_network.drawn()
    parameters = draw_parameters(random.Random(42))
    gap = furthest_apart(numbers, parameters)
    assert gap <= 1e-10, f"the gradients differ by {gap:.1e}"
    gc.disable()
    slow, fast, update = best_times(numbers, parameters)
    print(f"Python {platform.python_version()}: scalar tape / toy_forward and toy_backward")
    print(f"loss and 3,456 gradients  {slow / fast:5.2f} x   {fast * 1e6:8.1f} us a step")
    print(f"adamw_step {update / fast:19.0%} of forward and backward   {update * 1e6:8.1f} us a step")


if __name__ == "__main__":
    main()
