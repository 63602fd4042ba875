"""What lesson 22c says about five seeds: learned and forgotten, with all parameters, with the block's
matrices only, and with LoRA; the start with B random; matrices in few bits.

The parts all, matrices, rank_4 and rank_1 train 10 to 20 models each, rank_16 five, and the others 10. Each
prints its rows, and stops at the end if one is not as the lesson has it.
"""

import functools
import random

from helpers import count_parameters, random_matrix
from helpers.course import NOTEBOOKS
from helpers.course.lessons.lesson_22c_low_rank import (
    block_matrices,
    element_sets,
    four_bits,
    merge_all,
    start_lora,
    tune_all,
    tune_lora,
    tune_matrices,
    two_losses,
)
from helpers.course.state.names_task import documents_of_model
from helpers.course.state.registry import course_state

from . import told

NOTEBOOK = NOTEBOOKS / "22c_lora.ipynb"
SEEDS = (1, 2, 3, 4, 5)
RUNS = [  # what is trained, at which learning rate
    ("all parameters", 0.0003),
    ("all parameters", 0.001),
    ("all parameters", 0.003),
    ("all parameters", 0.01),
    ("the block's matrices", 0.001),
    ("the block's matrices", 0.003),
    ("the block's matrices", 0.01),
    ("LoRA, rank 4", 0.01),
    ("LoRA, rank 4", 0.03),
    ("LoRA, rank 1", 0.01),
    ("LoRA, rank 1", 0.03),
    ("LoRA, rank 1", 0.1),
]


def row(name, numbers, lr, losses):
    """A row of the table, and the point of the figure: (loss on names, loss on elements)."""
    spans = [f"{min(column):.2f} to {max(column):.2f}" for column in zip(*losses)]
    elements, names = (sum(column) / len(column) for column in zip(*losses))
    found = f"{name} | {numbers:,} | {lr} | {' | '.join(spans)}", f"({names:.2f}, {elements:.2f})"
    print(*found, flush=True)
    return found


def measured(what, config, parameters, elements, judged):
    """All rows of what is trained."""
    for name, lr in RUNS:
        if name != what:
            continue
        if name == "all parameters":
            numbers = count_parameters(parameters)
            models = [tune_all(config, parameters, elements, lr, seed) for seed in SEEDS]
        elif name == "the block's matrices":
            numbers = count_parameters({n: parameters[n] for n in block_matrices(config)})
            models = [tune_matrices(config, parameters, elements, lr, seed) for seed in SEEDS]
        else:
            rank = int(name.removeprefix("LoRA, rank "))
            loras = [tune_lora(config, parameters, elements, rank, lr, seed) for seed in SEEDS]
            numbers = count_parameters(loras[0])
            models = [merge_all(config, parameters, lora) for lora in loras]
        yield row(name, numbers, lr, [judged(model) for model in models])


def setting():
    """The model of lesson 14, the elements to learn, and what judges a model."""
    state = course_state("14_training", trained=True)
    config, parameters, vocab = (state["gpt"][name] for name in ("config", "parameters", "vocab"))
    names = documents_of_model(state["text"], vocab)[2]
    elements, held_out = element_sets(config, vocab)

    def judged(model):
        return two_losses(config, model, held_out, names)

    return config, parameters, elements, judged


def learned(what):
    lesson = NOTEBOOK.read_text(encoding="utf-8")
    for line, point in list(measured(what, *setting())):
        told(line)
        assert point in lesson, f"the figure shows something else: {point}"


def rank_16():
    """LoRA whose rank restricts no matrix of the block."""
    config, parameters, elements, judged = setting()
    loras = [tune_lora(config, parameters, elements, 16, 0.003, seed) for seed in SEEDS]
    losses = [judged(merge_all(config, parameters, lora)) for lora in loras]
    line, _ = row("LoRA, rank 16", count_parameters(loras[0]), 0.003, losses)
    told(line)
    some, names = (sum(column) / len(column) for column in zip(*losses))
    told(f"Its means are {names:.2f} on names and {some:.2f} on the elements")


def b_random(config, parameters, seed):
    """A correction of rank 1 with A zero and B random."""
    rng, start = random.Random(100 + seed), start_lora(config, parameters, 1, seed)
    for name in block_matrices(config):
        m, n = len(parameters[name]), len(parameters[name][0])
        start[f"{name}.A"], start[f"{name}.B"] = [[0.0] * n], random_matrix(rng, m, 1, 1 / m**0.5)
    return start


def starts():
    config, parameters, elements, judged = setting()
    found = {"(a)": [], "(b)": []}
    for seed in SEEDS:
        for way, start in ("(a)", None), ("(b)", b_random(config, parameters, seed)):
            lora = tune_lora(config, parameters, elements, 1, 0.01, seed, start)
            found[way].append(judged(merge_all(config, parameters, lora))[0])
            print(way, seed, f"{found[way][-1]:.3f}", flush=True)
    a, b = (f"{min(some):.2f} and {max(some):.2f}" for some in found.values())
    told(f"With (a), the loss on held-out elements ends between {a}, and with (b) between {b}")


def bits():
    config, parameters, elements, judged = setting()
    for some in (4, 2):
        small, rises = four_bits(config, parameters, some), []
        for seed in SEEDS:
            model = merge_all(config, small, tune_lora(config, small, elements, 1, 0.01, seed))
            before, after = (judged(p)[0] for p in (model, four_bits(config, model, some)))
            rises.append(after - before)
            print(some, "bits", seed, f"{before:.3f} {after:.3f}", flush=True)
        assert all(rise > 0 for rise in rises) if some == 2 else all(abs(rise) < 0.01 for rise in rises)
    told("With 2 bits, the second rounding raises the loss with each of five seeds")


PARTS = {
    "all": functools.partial(learned, "all parameters"),
    "matrices": functools.partial(learned, "the block's matrices"),
    "rank_4": functools.partial(learned, "LoRA, rank 4"),
    "rank_1": functools.partial(learned, "LoRA, rank 1"),
    "rank_16": rank_16,
    "starts": starts,
    "bits": bits,
}
