"""What lesson 22b says about five seeds: learned and forgotten, with all parameters, with the block's
matrices only, and with LoRA.

Trains 60 models, some minutes on a free core, prints each row as the lesson has it, and stops at the end if
one is not so.
"""

from helpers import count_parameters
from helpers.course import NOTEBOOKS
from helpers.course.lessons.lesson_22b_low_rank import (
    block_matrices,
    element_sets,
    merge_all,
    tune_all,
    tune_lora,
    tune_matrices,
    two_losses,
)
from helpers.course.state.names_task import documents_of_model
from helpers.course.state.registry import course_state

from . import told

NOTEBOOK = NOTEBOOKS / "22b_lora.ipynb"
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


def main():
    state = course_state("14_training", trained=True)
    config, parameters, vocab = (state["gpt"][name] for name in ("config", "parameters", "vocab"))
    names = documents_of_model(state["text"], vocab)[2]
    elements, held_out = element_sets(config, vocab)

    def judged(model):
        return two_losses(config, model, held_out, names)

    rows = list(measured(config, parameters, elements, judged))

    lesson = NOTEBOOK.read_text(encoding="utf-8")
    for line, point in rows:
        told(line)
        assert point in lesson, f"the figure shows something else: {point}"
