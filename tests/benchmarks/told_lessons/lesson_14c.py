"""What lesson 14c says about trainings that it does not run: other seeds, full runs, other splits.

Trains for some minutes, prints each sentence as the lesson has it, and stops where one is not so.
"""

import random

from helpers import clip_by_global_norm, encode, global_norm, mean_loss, train_val_test_split
from helpers.course.engine import fast_gradients, fast_loss
from helpers.course.lessons.lesson_14c_dropout import dropout_gradients
from helpers.course.state.names_task import read_lines, smallest_config
from helpers.course.training import loop as training_loop
from helpers.course.training.loop import start_run, train, training_step

from . import told
from .lesson_14 import CONFIG, SEEDS, TRAINING, VALIDATION, VOCAB

FULL_RUNS = {
    "no cosine": {"cosine": False},
    "no warm-up": {"warmup_steps": 0},
    "no clipping": {"max_norm": 0},
    "betas 0.9 and 0.999, AdamW's defaults": {"beta_1": 0.9, "beta_2": 0.999},
    "mini-batches of 1 name, 3,200 steps": {"batch_size": 1, "steps": 3200, "warmup_steps": 160},
    "mini-batches of 16 names, 200 steps": {"batch_size": 16, "steps": 200, "warmup_steps": 10},
}


def validation_loss(**settings):
    return mean_loss(CONFIG, train(TRAINING, CONFIG, VOCAB, settings)["parameters"], VALIDATION)


def short(**settings):
    return validation_loss(**{"steps": 50, "warmup_steps": 5, **settings})


def clipped_fraction(seed):
    """The full run's fraction of steps, from 400 on, whose gradients have a norm above 1."""
    norms = []

    def noting(gradients, max_norm):
        norms.append(global_norm(gradients))
        return clip_by_global_norm(gradients, max_norm)

    training_loop.clip_by_global_norm = noting
    train(TRAINING, CONFIG, VOCAB, {"seed": seed})
    training_loop.clip_by_global_norm = clip_by_global_norm
    return sum(norm > 1 for norm in norms[400:]) / len(norms[400:])


def others(seed):
    """The loss on the elements that were not trained on, every 20 steps, with another split."""
    elements = [encode(line, VOCAB) for line in read_lines("elements.txt")]
    config = smallest_config(elements, VOCAB)
    learned, unseen, _ = train_val_test_split(elements, len(elements) - 40, 0, random.Random(seed))
    run, losses = (start_run(learned, config, VOCAB, {"steps": 100, "warmup_steps": 10, "cosine": False}), [])
    for until in range(20, 101, 20):
        run = train(learned, config, VOCAB, run=run, until=until)
        losses.append(mean_loss(config, run["parameters"], unseen))
    return losses


def with_dropout(seed, rate):
    """The gradients of a training with dropout."""
    rng = random.Random(1000 * seed + 7)
    return lambda *given: dropout_gradients(*given, rate=rate, rng=rng) if rate else fast_gradients(*given)


def others_with_dropout(split, rate):
    """The loss on the other elements, every 20 of 300 steps."""
    elements = [encode(line, VOCAB) for line in read_lines("elements.txt")]
    config = smallest_config(elements, VOCAB)
    learned, unseen, _ = train_val_test_split(elements, len(elements) - 40, 0, random.Random(split))
    settings = {"steps": 300, "warmup_steps": 10, "cosine": False, "seed": 41 + split}
    run, losses, gradients_of = start_run(learned, config, VOCAB, settings), [], with_dropout(split, rate)
    while run["step"] < 300:
        run = training_step(run, learned, gradients_of)
        if run["step"] % 20 == 0:
            losses.append(fast_loss(config, run["parameters"], unseen))
    return losses


def told_of_dropout():
    none, some = ([others_with_dropout(split, rate) for split in range(1, 6)] for rate in (0, 0.3))
    ends = [sorted(losses[9] for losses in runs) for runs in (none, some)]  # after 200 steps
    told(
        f"ends between {ends[0][0]:.2f} and {ends[0][-1]:.2f} without dropout, and between "
        f"{ends[1][0]:.2f} and {ends[1][-1]:.2f} with it"
    )
    gains = sorted(min(a) - min(b) for a, b in zip(none, some, strict=True))
    steps = [20 + 20 * losses.index(min(losses)) for losses in some]
    assert gains[0] < 0 < gains[1] and {losses.index(min(losses)) for losses in none} == {1}
    told(
        f"for four of five splits, by {gains[1]:.2f} to {gains[-1]:.2f}, and it comes after {min(steps)} to "
        f"{max(steps)} steps instead of 40"
    )
    found = []
    for seed in SEEDS:
        run, gradients_of = start_run(TRAINING, CONFIG, VOCAB, {"seed": seed}), with_dropout(seed, 0.1)
        while run["step"] < run["settings"]["steps"]:
            run = training_step(run, TRAINING, gradients_of)
        found.append(mean_loss(CONFIG, run["parameters"], VALIDATION))
    full = [validation_loss(seed=seed) for seed in SEEDS]
    told(
        f"the validation losses of five seeds are {min(found):.3f} to {max(found):.3f}, without it "
        f"{min(full):.3f} to {max(full):.3f}"
    )


def told_of_settings():
    usual = [short(seed=seed) for seed in SEEDS]
    decay = [short(seed=seed, weight_decay=3.0) - loss for seed, loss in zip(SEEDS, usual, strict=True)]
    told(f"higher each time, by {min(decay):.3f} to {max(decay):.3f}")
    for seed in (43, 44):
        losses = others(seed - 41)
        assert losses[-1] - min(losses) > 0.1 and losses.index(min(losses)) < 3, (
            "the loss on the others rose again with two more splits, too"
        )
    clipped = [clipped_fraction(seed) for seed in SEEDS]
    told(f"{min(clipped):.0%} to {max(clipped):.0%} of the steps from 400 on had a norm above 1")
    full = [validation_loss(seed=seed) for seed in SEEDS]
    told(f"lie between {min(full):.3f} and {max(full):.3f}")
    for name, settings in FULL_RUNS.items():
        changes = [
            validation_loss(**settings, seed=seed) - loss for seed, loss in zip(SEEDS, full, strict=True)
        ]
        line = f"{name} | {min(changes):+.3f} to {max(changes):+.3f}"
        told(line.replace("-0.000", "0.000").replace("-0.", "\u22120."))


PARTS = {"settings": told_of_settings, "dropout": told_of_dropout}
