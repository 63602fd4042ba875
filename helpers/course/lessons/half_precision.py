"""Training in 16 bits, emulated: each result and each gradient is rounded as soon as a function gives it.

A computer that has such numbers rounds in the same places, but it adds up a dot product with more bits, as we
do. Python computes with 64 bits, so the emulation is slower, and no memory is saved.
"""

import functools
import math
import struct
from importlib import import_module
from operator import mul

from ...parameters import tree_map
from ..copies import copies, rebind_defaults
from .fast_gpt import MODULES, exact_sum, fast_linear, fast_matmul

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
    if number_format == "bf16":
        return [(y := x * BF16) - (y - x) if abs(x) < math.inf else x for x in row]
    try:
        return list(struct.unpack(f"<{len(row)}e", struct.pack(f"<{len(row)}e", *row)))
    except OverflowError:  # above 65,504
        return [x if abs(x) <= 65504 else math.copysign(math.inf, x) for x in row]


class HalfPrecision:
    """The functions of a GPT with results of 16 bits, "fp16" or "bf16".

    The gradient of the loss begins with the scale. seen counts the numbers of all gradients on the way, lost
    those that were not 0 and are 0 after rounding.
    """

    def __init__(self, number_format, scale=1.0):
        self.number_format, self.scale, self.seen, self.lost = number_format, scale, 0, 0
        names = copies(import_module(f"helpers.{name}") for name in MODULES)
        names |= {"linear": fast_linear, "matmul": fast_matmul, "sum": exact_sum}
        for name in FORWARD:
            names[name] = self.rounded(names[name], count=False)
        for name in BACKWARD:
            names[name] = self.rounded(names[name], count=True)
        losses_backward = names["token_losses_backward"]
        names["token_losses_backward"] = lambda d_out, logits, targets: losses_backward(
            [scale * d for d in d_out], logits, targets
        )
        rebind_defaults(names)
        self.names = names

    def rounded(self, function, count):
        @functools.wraps(function)
        def wrapper(*arguments):
            return self.tree(function(*arguments), count)

        return wrapper

    def tree(self, value, count):
        if isinstance(value, tuple):
            return tuple(self.tree(part, count) for part in value)
        if value is None or isinstance(value, float):
            return value
        if isinstance(value[0], list):
            return [self.tree(part, count) for part in value]
        row = round_row(value, self.number_format)
        if count:
            self.seen += len(row)
            self.lost += sum(a != 0 and b == 0 for a, b in zip(value, row))
        return row

    def round(self, parameters):
        """The parameters in 16 bits."""
        return tree_map(lambda row: round_row(row, self.number_format), parameters)

    def gradients(self, config, parameters, documents):
        """The mean loss with rounded parameters, and its gradients: what training_step needs.

        The gradients are divided by the scale at the end, in 64 bits.
        """
        p, losses, trees, lengths = self.round(parameters), [], [], []
        for tokens in documents:
            activations = self.names["gpt_forward"](config, p, tokens[:-1], tokens[1:])
            losses += activations["losses"]
            lengths.append(len(tokens) - 1)
            trees.append(self.names["gpt_backward"](config, p, activations, tokens[:-1], tokens[1:]))
        shares = [length / len(losses) / self.scale for length in lengths]

        def mean(*vectors):
            return [math.fsum(map(mul, shares, column)) for column in zip(*vectors)]

        return math.fsum(losses) / len(losses), tree_map(mean, *trees)
