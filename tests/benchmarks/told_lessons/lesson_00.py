"""What lesson 00 tells of trainings from other seeds.

Trains from 16 seeds, about a minute, prints what the lesson says of them, and stops where it is not so.
"""

import random

from helpers.course.state.network import draw_parameters
from helpers.course.training.toy_task import train_toy

THIRD_WORD = 2


def third_word(seed):
    """The loss of the third word before each training step."""
    _, history = train_toy(draw_parameters(random.Random(seed)))
    return [losses[THIRD_WORD] for losses in history]


def main():
    curves = {seed: third_word(seed) for seed in (42, *range(1, 16))}
    reached = {seed: next(step for step, x in enumerate(curve) if x < 0.05) for seed, curve in curves.items()}
    rises = {seed: max(curve[reached[seed] :]) for seed, curve in curves.items()}
    ends = [curve[-1] for curve in curves.values()]
    print(f"all {len(curves)} end at or below {max(ends):.4f}")
    print(f"below 0.05 first between step {min(reached.values())} and step {max(reached.values())}")
    print(f"the slowest is seed {max(reached, key=reached.get)}")
    print(f"from seed {max(rises, key=rises.get)} it rises again to {max(rises.values()):.2f}")
    assert max(ends) < 0.02 and (min(reached.values()), max(reached.values())) == (108, 225)
    assert reached[10] == 225 and f"{rises[4]:.2f}" == "1.16" == f"{max(rises.values()):.2f}"
