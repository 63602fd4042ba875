"""What lesson 22b says about five seeds: learned and forgotten, with all parameters, with the block's
matrices only, and with LoRA.

    python tests/benchmarks/told_in_lesson_22b.py

Trains 60 models, some minutes on a free core, prints each row as the lesson has it, and stops at the end if
one is not so.
"""

import pathlib
import sys

HOME = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests")]

from helpers import count_parameters  # noqa: E402
from helpers.course.lessons.lesson_22b_low_rank import (
    block_matrices,
    element_sets,
    merge_all,
    tune_all,
    tune_lora,
    tune_matrices,
    two_losses,
)
from helpers.course.state.names_task import documents_of_model  # noqa: E402
from helpers.course.state.registry import course_state  # noqa: E402

NOTEBOOK = HOME / "notebooks" / "22b_a_thin_correction.ipynb"
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
    told = f"{name} | {numbers:,} | {lr} | {' | '.join(spans)}", f"({names:.2f}, {elements:.2f})"
    print(*told, flush=True)
    return told


def measured(config, parameters, elements, judged):
    """All rows."""
    for name, lr in RUNS:
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


if __name__ == "__main__":
    state = course_state("14_training", trained=True)
    config, parameters, vocab = (state["gpt"][name] for name in ("config", "parameters", "vocab"))
    names = documents_of_model(state["text"], vocab)[2]
    elements, held_out = element_sets(config, vocab)

    def judged(model):
        return two_losses(config, model, held_out, names)

    rows = list(measured(config, parameters, elements, judged))
    from published import PUBLISHED

    lesson = NOTEBOOK.read_text(encoding="utf-8")
    for line, point in rows:
        assert line in PUBLISHED, f"the lesson says something else: {line}"
        assert point in lesson, f"the figure shows something else: {point}"
