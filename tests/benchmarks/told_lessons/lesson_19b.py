"""What lesson 19b tells about trainings with 16-bit floats: five seeds of each."""

from helpers import unscale_gradients
from helpers.course.engine import fast_loss
from helpers.course.lessons.lesson_19b_half_precision import HalfPrecision
from helpers.course.training.loop import start_run

from .lesson_14 import CONFIG, SEEDS, TEST, TRAINING, VOCAB

POSITIONS = 3_200_000
STEPS, WARMUP = 40, 10


def loss(half, seed, lr):
    """The loss on the test set after the lesson's short training."""
    run = start_run(TRAINING, CONFIG, VOCAB, {"steps": STEPS, "warmup_steps": WARMUP, "seed": seed, "lr": lr})
    for _ in range(STEPS):
        run = half.step(run, TRAINING)
    return fast_loss(CONFIG, run["parameters"], TEST)


def master_weights():
    """With the small learning rate: in 64 bits, with master weights, and with weights in bf16."""
    for seed in SEEDS:
        exact, master, stalled = (
            loss(HalfPrecision(name, master=master), seed, 3e-4)
            for name, master in (("64 bits", True), ("bf16", True), ("bf16", False))
        )
        print(seed, f"{exact:.3f}, {master:.3f}, {stalled:.3f}", flush=True)
        assert abs(master - exact) < 0.001 and 0.045 < stalled - exact < 0.075


def large_batch():
    """As a part of a large batch, with and without loss scaling."""
    for seed in SEEDS:
        halves = {
            "fp16": HalfPrecision("fp16"),
            "large": HalfPrecision("fp16", positions=POSITIONS),
            "2^20": HalfPrecision("fp16", 2.0**20, POSITIONS),
            "changing": HalfPrecision("fp16", 2.0**40, POSITIONS, unscale_gradients),
            "bf16": HalfPrecision("bf16", positions=POSITIONS),
        }
        losses = {name: loss(half, seed, 0.01) for name, half in halves.items()}
        print(seed, {name: f"{x:.3f}" for name, x in losses.items()}, halves["changing"].skipped, flush=True)
        assert 0.105 < losses["large"] - losses["fp16"] < 0.305 and halves["changing"].skipped == 6
        assert all(abs(losses[name] - losses["fp16"]) < 0.002 for name in ("2^20", "bf16"))


PARTS = {"master": master_weights, "batch": large_batch}
