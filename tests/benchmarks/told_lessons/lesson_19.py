"""What lesson 19 tells about ten models of names."""

import math

from helpers import gpt_forward, linear, round_matrix, round_min_max, round_symmetric, token_losses
from helpers.course.engine import fast_loss
from helpers.course.training.loop import start_run, training_step

from .lesson_14 import CONFIG, TEST, TRAINING, VOCAB

TEN_SEEDS = range(42, 52)


def trained(seed, steps=800):
    run = start_run(TRAINING, CONFIG, VOCAB, {"steps": steps, "seed": seed})
    for _ in range(steps):
        run = training_step(run, TRAINING)
    return run["parameters"]


def rounded(parameters, method, bits, group, only=None):
    return {
        name: round_matrix(W, method, bits, group) if isinstance(W[0], list) and only in (None, name) else W
        for name, W in parameters.items()
    }


def loss_with_output_table(parameters, table):
    """The loss on the test set, where the logits are made with another table."""
    losses = []
    for tokens in TEST:
        final = gpt_forward(CONFIG, parameters, tokens[:-1])["ln_f"]
        losses += token_losses(linear(final, table), tokens[1:])
    return math.fsum(losses) / len(losses)


def largest_to_rms(parameters):
    """The largest weight of any matrix, as a multiple of the root mean square of its matrix."""
    flat = [[w for row in W for w in row] for W in parameters.values() if isinstance(W[0], list)]
    return max(max(map(abs, ws)) / math.sqrt(math.fsum(w * w for w in ws) / len(ws)) for ws in flat)


def told_rises(what, rises, low, high):
    """Print how much the loss rises over the seeds, and hold it to what the lesson says."""
    print(f"{what}: mean {sum(rises) / len(rises):+.4f}, {min(rises):+.4f} to {max(rises):+.4f}", flush=True)
    assert low - 0.0006 <= min(rises) and max(rises) <= high + 0.0006, what


# What takes 4.0 bits per number, and by how much the loss rises on average over ten models.
WAYS = {
    "one scale for the whole matrix": ((round_symmetric, 4, None), 0.017),
    "min–max, one scale": ((round_min_max, 4, None), 0.011),
    "groups of 16": ((round_symmetric, 3, 16), 0.019),
    "groups of 8": ((round_symmetric, 2, 8), 0.093),
    "min–max, groups of 16": ((round_min_max, 2, 16), 0.032),
}
FIVE_BITS = {
    "5 bits, one scale": ((round_symmetric, 5, None), 0.003),
    "5 bits, groups of 16": ((round_symmetric, 4, 16), 0.001),
}


def rounding():
    models = {seed: trained(seed) for seed in TEN_SEEDS}
    base = {seed: fast_loss(CONFIG, p, TEST) for seed, p in models.items()}

    def rises(*how):
        return [fast_loss(CONFIG, rounded(p, *how), TEST) - base[seed] for seed, p in models.items()]

    found = {}
    for name, (how, mean) in {**WAYS, **FIVE_BITS}.items():
        found[name] = rises(*how)
        told_rises(name, found[name], -0.002, 0.138)
        assert abs(sum(found[name]) / len(found[name]) - mean) < 0.0006
    by_seed = list(zip(*(found[name] for name in WAYS)))
    assert all(max(row) == row[3] for row in by_seed), "the groups of 8 are worst in each model"
    assert sum(min(row) == row[1] for row in by_seed) == 8, "min–max with one scale is best in eight models"
    assert max(largest_to_rms(p) for p in models.values()) <= 5.1
    others = [name for name, W in models[42].items() if isinstance(W[0], list) and name != "wte.weight"]
    table = rises(round_symmetric, 2, 64, "wte.weight")
    told_rises("wte alone, 2-bit codes", table, 0.060, 0.198)
    for name in others:
        found = rises(round_symmetric, 2, 64, name)
        told_rises(f"{name} alone, 2-bit codes", found, -0.006, 0.032)
        assert all(a < b for a, b in zip(found, table, strict=True)), name
    at_input, at_output = [], []
    for seed, p in models.items():
        table = round_matrix(p["wte.weight"], round_symmetric, 2, 64)
        at_input.append(loss_with_output_table({**p, "wte.weight": table}, p["wte.weight"]) - base[seed])
        at_output.append(loss_with_output_table(p, table) - base[seed])
    told_rises("wte at the input", at_input, 0.005, 0.032)
    told_rises("wte at the output", at_output, 0.025, 0.162)


PARTS = {"rounding": rounding}
