"""Lesson 14: lines that a model generates, and the losses of a line's parts: four letters, a hyphen, and the
four letters again."""

import random

from ...attention import softmax
from ...gpt import gpt_forward
from ..engine import fast_loss
from ..training.counts import losses_of_positions, mean, mean_of

BOS, EOS = 1, 2
PARTS = (range(1, 11), range(1, 5), range(6, 10))  # positions: all, and each half


def draw_line(run, rng):
    """A line that the model of a run generates: each token is drawn with the model's probability."""
    tokens = [BOS]
    while tokens[-1] != EOS and len(tokens) <= run["config"]["n_positions"]:
        probabilities = softmax(gpt_forward(run["config"], run["parameters"], tokens)["logits"][-1])
        tokens += rng.choices(range(len(run["vocab"])), probabilities)
    return "".join(run["vocab"][token] for token in tokens if token > EOS)


def draw_lines(run, number):
    """As many lines of a run's model, with the same random numbers in each call."""
    rng = random.Random(7)
    return [draw_line(run, rng) for _ in range(number)]


def learning_curve(runs, val_set, every):
    """{set: points} of a run's checkpoints: the mean training loss of `every` steps, and the validation
    loss at each checkpoint."""
    history = runs[-1]["history"]
    starts = range(0, len(history), every)
    return {
        "training set": [(i + every // 2, mean(history[i : i + every])) for i in starts],
        "validation set": [(r["step"], fast_loss(r["config"], r["parameters"], val_set)) for r in runs],
    }


def losses_of_gpt(run, documents):
    """The losses of each document's tokens but the first."""
    forward = (gpt_forward(run["config"], run["parameters"], d[:-1], d[1:]) for d in documents)
    return [activations["losses"] for activations in forward]


def losses_five_back(documents, train_set, val_set, V):
    """The losses of counts by position and letter that take, in the second half, the letter five back."""
    return losses_of_positions(documents, train_set, val_set, V, back=dict.fromkeys(PARTS[-1], 5))


def means_by_part(losses):
    """The mean losses of the whole lines, of their first half and of their second half.

    The first loss of a line is that of its token 1.

    >>> means_by_part([[4.0, 4.0, 4.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 8.0]])
    [3.0, 4.0, 1.0]
    """
    return [mean_of(line[part.start - 1 : part.stop - 1] for line in losses) for part in PARTS]
