"""What lesson 19 tells about five models of names, about 16-bit floats and about a file that is mapped."""

import math
import mmap
import pathlib
import tempfile
import time

from helpers import (
    gpt_forward,
    linear,
    round_matrix,
    round_min_max,
    round_symmetric,
    token_losses,
    unscale_gradients,
)
from helpers.course.engine import fast_loss
from helpers.course.lessons.lesson_19_half_precision import HalfPrecision
from helpers.course.training.loop import start_run, training_step

from .lesson_14 import CONFIG, SEEDS, TEST, TRAINING, VOCAB


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


def rounding():
    models = {seed: trained(seed) for seed in SEEDS}
    base = {seed: fast_loss(CONFIG, p, TEST) for seed, p in models.items()}

    def rises(*how):
        return [fast_loss(CONFIG, rounded(p, *how), TEST) - base[seed] for seed, p in models.items()]

    told_rises("whole matrix, 4-bit codes", rises(round_symmetric, 4, None), 0.012, 0.023)
    told_rises("row, 3-bit codes", rises(round_symmetric, 3, 64), 0.011, 0.029)
    told_rises("row, min–max, 2-bit codes", rises(round_min_max, 2, 64), 0.023, 0.040)
    told_rises("group of 8, 2-bit codes", rises(round_symmetric, 2, 8), 0.056, 0.112)
    told_rises("row, 4-bit codes", rises(round_symmetric, 4, 64), -0.0014, 0.0014)
    others = [name for name, W in models[42].items() if isinstance(W[0], list) and name != "wte.weight"]
    told_rises("wte alone, 2-bit codes", rises(round_symmetric, 2, 64, "wte.weight"), 0.096, 0.198)
    for name in others:
        told_rises(f"{name} alone, 2-bit codes", rises(round_symmetric, 2, 64, name), -0.006, 0.032)
    at_input, at_output = [], []
    for seed, p in models.items():
        table = round_matrix(p["wte.weight"], round_symmetric, 2, 64)
        at_input.append(loss_with_output_table({**p, "wte.weight": table}, p["wte.weight"]) - base[seed])
        at_output.append(loss_with_output_table(p, table) - base[seed])
        for name, W in p.items():
            if isinstance(W[0], list):
                R = round_matrix(W, round_symmetric, 2, 64)
                wrong = math.hypot(*(a - b for x, y in zip(W, R) for a, b in zip(x, y)))
                assert 0.5 < wrong / math.hypot(*(w for row in W for w in row)) < 0.75, name
    told_rises("wte at the input", at_input, 0.007, 0.025)
    told_rises("wte at the output", at_output, 0.080, 0.162)


def short_trainings(steps=60):
    for seed in SEEDS:

        def loss(half, lr=0.01):
            run = start_run(TRAINING, CONFIG, VOCAB, {"steps": steps, "seed": seed, "lr": lr})
            for _ in range(steps):
                run = half.step(run, TRAINING)
            return fast_loss(CONFIG, run["parameters"], TEST)

        exact, master, stalled = (
            loss(HalfPrecision(name, master=master), 3e-4)
            for name, master in (("64 bits", True), ("bf16", True), ("bf16", False))
        )
        print(seed, f"learning rate 0.0003: {exact:.3f}, {master:.3f}, {stalled:.3f}", flush=True)
        assert abs(master - exact) < 0.001 and 0.065 < stalled - exact < 0.115
        halves = {
            "fp16": HalfPrecision("fp16"),
            "small": HalfPrecision("fp16", shrink=1e-6),
            "2^20": HalfPrecision("fp16", 2.0**20, 1e-6),
            "changing": HalfPrecision("fp16", 2.0**40, 1e-6, unscale_gradients),
            "bf16": HalfPrecision("bf16", shrink=1e-6),
        }
        losses = {name: loss(half) for name, half in halves.items()}
        print(seed, {name: f"{x:.3f}" for name, x in losses.items()}, halves["changing"].skipped, flush=True)
        assert 0.39 < losses["small"] - losses["fp16"] < 0.62
        assert all(abs(losses[name] - losses["fp16"]) < 0.001 for name in ("2^20", "bf16"))
        assert abs(losses["changing"] - losses["fp16"]) < 0.02 and halves["changing"].skipped in (6, 7)


def longer_training():
    """The training with small gradients and without loss scaling, for 150 steps."""
    half, run = HalfPrecision("fp16", shrink=1e-6), start_run(TRAINING, CONFIG, VOCAB, {"steps": 150})
    for _ in range(150):
        run = half.step(run, TRAINING)
    loss = fast_loss(CONFIG, run["parameters"], TEST)
    print(f"150 steps with small gradients: {loss:.2f}", flush=True)
    assert 4.3 < loss < 4.6


def mapping():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "large")
        with open(path, "wb") as file:
            file.truncate(498_000_000)
        begin = time.perf_counter()
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            byte = mapped[-1]
        seconds = time.perf_counter() - begin
    print(f"mapped, and its last byte {byte} read, in {seconds:.5f} s")
    assert seconds < 0.01


PARTS = {"rounding": rounding, "half": short_trainings, "long": longer_training, "file": mapping}
