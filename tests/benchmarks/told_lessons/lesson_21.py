"""What lesson 21 says about five seeds: the loss on repeats, without each head, and without both heads of a
block; of sixteen seeds why 11.

Trains a model for each seed, ten seconds each on a free core, prints its row, and stops with an
AssertionError where the lesson says something else. Each part takes at most a minute, but for `tried`, which
trains sixteen.
"""

import functools

from helpers.course.lessons.lesson_21_circuits import (
    COPY_HEADS,
    ablation,
    after_jumps,
    repeat_loss,
    train_copying,
    watched_sequences,
)

from . import told

SEEDS = (11, 1, 2, 3, 4)
TRIED = range(1, 17)  # among these, seed 11 was chosen
LITTLE_HARM = 0.2
ABLATED = ("0.0", "0.1", "0.0 0.1", "1.0", "1.1", "1.0 1.1")  # each head, and both heads of each block


@functools.cache
def measured(seed):
    """What lesson 21 says of a seed: the losses on repeats in training, and with some heads ablated."""
    watched = []
    parameters, test = train_copying(seed, watched), watched_sequences()
    return watched, {heads: repeat_loss(parameters, test, ablation(*heads.split())) for heads in ABLATED}


def main(seeds=None):
    """The losses on repeats of each seed: as trained, without each head, without both heads of a block."""
    for seed in seeds or SEEDS:
        watched, without = measured(seed)
        print(seed, *(f"{loss:.2f}" for loss in (watched[-1][1], *without.values())), flush=True)


def tried():
    """What sixteen seeds have in common; 11 alone has two heads that are hardly missed."""
    spared, losses, test = {}, [], watched_sequences()
    for seed in TRIED:
        watched, without = measured(seed)
        parameters = watched[-1][2]
        _, copied, oldest, _ = after_jumps(parameters, test)
        losses.append(watched[-1][1])
        spared[seed] = sum(without[head] < LITTLE_HARM for head in COPY_HEADS)
        print(f"seed {seed}: {losses[-1]:.2f}; jumps: {copied} copied, {oldest} oldest", flush=True)
        print(f"heads that are hardly missed: {spared[seed]}", flush=True)
        assert copied > oldest
    told(f"the loss on repeats ends between {min(losses):.2f} and {max(losses):.2f}")
    assert [seed for seed, n in spared.items() if n >= 2] == [11]


PARTS = {"seeds": main, "tried": tried}
