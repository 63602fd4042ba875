"""Training in 16 bits, emulated: each result and each gradient is rounded as soon as a function gives it.

A computer that has such numbers rounds in the same places, but it adds up a dot product with more bits, as we
do. Python computes with 64 bits, so the emulation is slower, and no memory is saved.
"""

import functools
import math
import struct

from ...parameters import tree_map
from ..engine import exact_sum, faster
from ..training.loop import training_step

FORWARD = "embedding add layer_norm linear attention_scores softmax matmul".split()
BACKWARD = (
    "token_losses_backward linear_backward activation_backward layer_norm_backward matmul_backward "
    "softmax_backward attention_scores_backward embedding_backward"
).split()
BF16 = 2.0**45 + 1  # x·BF16 − (x·BF16 − x) keeps the 8 highest of 53 bits, rounded to the nearest


def round_row(row, number_format):
    """The numbers of a row in 16 bits.

    >>> round_row([0.1, 1e-8], "fp16")
    [0.0999755859375, 0.0]
    >>> round_row([0.1, 1.003], "bf16")
    [0.10009765625, 1.0]
    """
    if number_format == "64 bits":
        return row
    if number_format == "bf16":
        return [(y := x * BF16) - (y - x) if abs(x) < math.inf else x for x in row]
    try:
        return list(struct.unpack(f"<{len(row)}e", struct.pack(f"<{len(row)}e", *row)))
    except OverflowError:  # above 65,504
        return [x if abs(x) <= 65504 else math.copysign(math.inf, x) for x in row]


def nan_sum(numbers, start=0):
    """exact_sum, where inf and −inf together give nan, as they do in a computer."""
    numbers = list(numbers)
    try:
        return exact_sum(numbers, start)
    except (ValueError, OverflowError):  # inf and −inf, or a sum above the largest float
        return sum(numbers, start)


class HalfPrecision:
    """The functions of a GPT with results in "fp16" or "bf16", or in "64 bits" for comparison.

    The gradient of the loss begins with loss_scale / positions at each position: positions is how many the
    whole batch has, of which the documents of a step are a part that stands for all of them; None is as
    many as the documents have. loss_scale is that of loss scaling. unscale takes (scaled gradients,
    loss_scale, good steps) and gives (gradients or None, loss_scale, good steps) for a loss scale that
    changes. Without master weights the parameters are rounded after each step.
    """

    def __init__(self, number_format, loss_scale=1.0, positions=None, unscale=None, master=True):
        self.number_format, self.loss_scale, self.positions = number_format, loss_scale, positions
        self.unscale, self.master, self.good, self.skipped = unscale, master, 0, 0
        around = dict.fromkeys((*FORWARD, *BACKWARD), self.rounded)
        self.names = faster(around | {"token_losses_backward": self.scaled_and_rounded}, sum=nan_sum)

    def scaled_and_rounded(self, token_losses_backward):
        """The first function of the backward pass: it begins with the scaled gradient of the loss."""
        rounded = self.rounded(token_losses_backward)
        return lambda d_out, logits, targets: rounded(self.row([self.start] * len(d_out)), logits, targets)

    def rounded(self, function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return self.tree(function(*arguments))

        return wrapper

    def row(self, numbers):
        return round_row(numbers, self.number_format)

    def tree(self, value):
        if isinstance(value, tuple):
            return tuple(map(self.tree, value))
        if value is None or isinstance(value, float):
            return value
        return [self.tree(part) for part in value] if isinstance(value[0], list) else self.row(value)

    def round(self, parameters):
        """The parameters in 16 bits."""
        return tree_map(self.row, parameters)

    def scaled_gradients(self, config, parameters, documents):
        """The mean loss with rounded parameters, and its gradients times loss_scale, as part of a batch."""
        p, losses, trees = self.round(parameters), [], []
        n = sum(len(tokens) - 1 for tokens in documents)
        self.start = self.loss_scale / (self.positions or n)
        for tokens in documents:
            activations = self.names["gpt_forward"](config, p, tokens[:-1], tokens[1:])
            losses += activations["losses"]
            trees.append(self.names["gpt_backward"](config, p, activations, tokens[:-1], tokens[1:]))
        total = tree_map(lambda *rows: list(map(nan_sum, zip(*rows))), *trees)
        return math.fsum(losses) / n, total

    def gradients(self, config, parameters, documents):
        """What training_step needs: the mean loss and its gradients, divided in 64 bits. Skip if they
        cannot be used."""
        loss, scaled = self.scaled_gradients(config, parameters, documents)
        numbers = []
        tree_map(numbers.extend, scaled)
        if self.unscale:
            numbers, self.loss_scale, self.good = self.unscale(numbers, self.loss_scale, self.good)
        else:
            numbers = [d / self.loss_scale for d in numbers]
        if numbers is None:
            raise Skip
        n = sum(len(tokens) - 1 for tokens in documents)
        parts = (self.positions or n) / n  # so many parts like this one make the batch
        rest = iter(numbers)
        return loss, tree_map(lambda row: [next(rest) * parts for _ in row], scaled)

    def zero_and_subnormal(self, config, parameters, documents):
        """The shares of the gradients of the parameters that are 0 and that are subnormal."""
        _, scaled = self.scaled_gradients(config, parameters, documents)
        gradients, normal = [], 2.0**-14 if self.number_format == "fp16" else 2.0**-126
        tree_map(gradients.extend, scaled)
        zero, subnormal = gradients.count(0), sum(0 < abs(d) < normal for d in gradients)
        return zero / len(gradients), subnormal / len(gradients)

    def step(self, run, documents):
        """The run after one more step, which changes no weight if the gradients cannot be used."""
        try:
            run = training_step(run, documents, self.gradients)
        except Skip:
            self.skipped += 1
            after = training_step(run, documents, no_gradients)
            run = {**after, "parameters": run["parameters"], "optimizer": run["optimizer"]}
        return run if self.master else {**run, "parameters": self.round(run["parameters"])}


def no_gradients(config, parameters, documents):
    """A loss of nan and gradients of 0: the step only counts."""
    return math.nan, tree_map(lambda row: [0.0] * len(row), parameters)


class Skip(Exception):
    """The gradients of a step hold inf or nan."""
