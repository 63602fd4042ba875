"""What lesson 22b says about five seeds: learned and forgotten, with all parameters and with LoRA.

    python tests/benchmarks/told_in_lesson_22b.py

Trains 41 models, some minutes on a free core, and stops where the lesson says something else.
"""

import pathlib
import sys

HOME = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests")]

from published import PUBLISHED  # noqa: E402

from helpers import count_parameters  # noqa: E402
from helpers.course.lessons.lora import corrected, element_sets, tune_all, tune_thin, two_losses  # noqa: E402
from helpers.course.lessons.names_model import documents_of_model  # noqa: E402
from helpers.course.lessons.registry import course_state  # noqa: E402

NOTEBOOK = (HOME / "notebooks" / "22b_a_thin_correction.ipynb").read_text(encoding="utf-8")
SEEDS, RATES, RANKS = (1, 2, 3, 4, 5), (0.01, 0.003, 0.001, 0.0003), (1, 2, 4, 8)


def told(sentence):
    print(sentence)
    assert sentence in PUBLISHED, "the lesson says something else"


def told_row(name, numbers, lr, losses):
    """A row of the table, and the point of the figure."""
    spans = [f"{min(column):.2f} to {max(column):.2f}" for column in zip(*losses)]
    told(f"{name} | {numbers:,} | {lr} | {' | '.join(spans)}")
    elements, names = (sum(column) / len(column) for column in zip(*losses))
    assert f"({names:.2f}, {elements:.2f})" in NOTEBOOK, "the figure shows something else"


if __name__ == "__main__":
    state = course_state("14_training", trained=True)
    config, parameters, vocab = (state["gpt"][name] for name in ("config", "parameters", "vocab"))
    names = documents_of_model(state["text"], vocab)[2]
    elements, held_out = element_sets(config, vocab)

    def judged(changed):
        return two_losses(config, changed, held_out, names)

    for lr in RATES:
        losses = [judged(tune_all(config, parameters, elements, lr, seed)) for seed in SEEDS]
        told_row("all parameters", count_parameters(parameters), lr, losses)
    for r in RANKS:
        thins = [tune_thin(config, parameters, elements, r, 0.01, seed) for seed in SEEDS]
        losses = [judged(corrected(parameters, thin)) for thin in thins]
        told_row(f"LoRA, rank {r}", count_parameters(thins[0]), 0.01, losses)
