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


def told_rises(what, rises, low, high):
    """Print how much the loss rises over the seeds, and hold it to what the lesson says."""
    print(f"{what}: mean {sum(rises) / len(rises):+.4f}, {min(rises):+.4f} to {max(rises):+.4f}", flush=True)
    assert low - 0.0006 <= min(rises) and max(rises) <= high + 0.0006, what


WAYS = {
    "one scale for the whole matrix": (round_symmetric, 4, None),
    "groups of 16": (round_symmetric, 3, 16),
    "groups of 8": (round_symmetric, 2, 8),
    "min–max, groups of 16": (round_min_max, 2, 16),
}
MIN_MAX = (round_min_max, 4, None)  # with one scale for the whole matrix


def rounding():
    models = {seed: trained(seed) for seed in TEN_SEEDS}
    base = {seed: fast_loss(CONFIG, p, TEST) for seed, p in models.items()}

    def rises(*how):
        return [fast_loss(CONFIG, rounded(p, *how), TEST) - base[seed] for seed, p in models.items()]

    worst = [max(WAYS, key=dict(zip(WAYS, row)).get) for row in zip(*(rises(*how) for how in WAYS.values()))]
    print("the worst way, seed by seed:", worst)
    assert set(worst) == {"groups of 8"}
    for (name, how), mean in zip(WAYS.items(), (0.017, 0.019, 0.093, 0.032), strict=True):
        found = rises(*how)
        told_rises(name, found, 0.009, 0.138)
        assert abs(sum(found) / len(found) - mean) < 0.0006
    one, *rest = (rises(*how)[:5] for how in (MIN_MAX, *WAYS.values()))
    told_rises("min–max, one scale, five models", one, 0.0081, 0.0159)
    assert all(best < min(others) for best, *others in zip(one, *rest, strict=True))
    told_rises("groups of 16, 4-bit codes", rises(round_symmetric, 4, 16), -0.0020, 0.0020)
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
