"""Lesson 22c: the model of names learns the names of elements, with all parameters or with LoRA."""

import functools
import math
import random
from typing import NamedTuple

from ...gpt import gpt_param_sizes
from ...lora import init_lora, merge_lora
from ...quantization import round_matrix, round_min_max
from ...training import encode, learning_rate, next_batch, train_val_test_split
from ..engine import exact_sum, fast_gradients, fast_loss, faster, mean_gradients
from ..state.names_task import read_lines
from ..training.loop import descend, last_parameters

C = 2.0  # the factor of the correction: alpha / r
HELD_OUT = 24  # elements
TUNING = {"steps": 200, "batch_size": 4, "warmup_steps": 20, "betas": (0.85, 0.99)}


def element_sets(config, vocab):
    """(training set, held out) of the elements that the model can read: known letters, not too long."""
    names = [name for name in read_lines("elements.txt") if {*name} <= {*vocab}]
    documents = [encode(name, vocab) for name in names]
    fitting = [document for document in documents if len(document) <= config["n_positions"] + 1]
    learned, held_out, _ = train_val_test_split(fitting, HELD_OUT, 0, random.Random(5))
    return learned, held_out


def block_matrices(config):
    """The names of the four matrices of each block."""
    return [
        name for name, size in gpt_param_sizes(config).items() if name.startswith("h.") and len(size) == 2
    ]


def start_lora(config, parameters, r, seed):
    """A correction of rank r for each matrix of the blocks, as one dict: name + ".A" and name + ".B"."""
    rng, lora = random.Random(seed), {}
    for name in block_matrices(config):
        m, n = len(parameters[name]), len(parameters[name][0])
        lora[f"{name}.A"], lora[f"{name}.B"] = init_lora(m, n, r, rng)
    return lora


def merge_all(config, parameters, lora):
    """The parameters with the correction of each matrix merged."""
    names = block_matrices(config)
    merged = {name: merge_lora(parameters[name], lora[f"{name}.A"], lora[f"{name}.B"], C) for name in names}
    return {**parameters, **merged}


class Adapted(NamedTuple):
    """A frozen matrix with its correction; a network gets it in the place of the matrix."""

    W: list
    A: list
    B: list


@functools.cache
def adapted_names():
    """The mathematics in which a linear layer whose matrix is Adapted has its correction beside it."""
    plain = faster(sum=exact_sum)
    linear, backward, lora_linear_backward = (
        plain[name] for name in ("linear", "linear_backward", "lora_linear_backward")
    )

    def linear_or_lora(X, W, b=None):
        return plain["lora_linear"](X, W.W, b, W.A, W.B, C) if isinstance(W, Adapted) else linear(X, W, b)

    def backward_or_lora(d_out, X, W):
        if not isinstance(W, Adapted):
            return backward(d_out, X, W)
        d_X, d_A, d_B = lora_linear_backward(d_out, X, *W, C)
        return d_X, (d_A, d_B), [math.fsum(column) for column in zip(*d_out)]

    return faster(sum=exact_sum, linear=linear_or_lora, linear_backward=backward_or_lora)


def lora_gradients(config, parameters, lora, documents):
    """The mean loss of the network with the corrections beside its matrices, and the gradients of each A and
    B; the parameters are frozen."""
    names, f = block_matrices(config), adapted_names()
    adapted = {name: Adapted(parameters[name], lora[f"{name}.A"], lora[f"{name}.B"]) for name in names}
    parts = []
    for tokens in documents:
        given = config, {**parameters, **adapted}, tokens[:-1], tokens[1:]
        activations = f["gpt_forward"](*given)
        found = f["gpt_backward"](*given[:2], activations, *given[2:])
        pairs = {f"{name}.{M}": found[name][M == "B"] for name in names for M in "AB"}
        parts.append((activations["losses"], pairs))
    return mean_gradients(parts)


def tune(trained, documents, gradients_of, lr, seed=1, settings=TUNING):
    """The parameters after some steps on the documents: gradients_of gives the loss and the gradients of a
    batch."""
    rng, order, steps = random.Random(seed), [], settings["steps"]

    def of_batch(parameters):
        nonlocal order
        batch, order = next_batch(order, len(documents), settings["batch_size"], rng)
        return gradients_of(parameters, [documents[i] for i in batch])

    def rate(step):
        return learning_rate(step, steps, lr, settings["warmup_steps"])

    run = descend(trained, of_batch, steps, rate, settings["betas"], max_norm=1.0, single=False)
    return last_parameters(run)


def tune_all(config, parameters, documents, lr, seed=1):
    """All parameters trained on the documents."""
    return tune(parameters, documents, lambda p, batch: fast_gradients(config, p, batch), lr, seed)


def tune_matrices(config, parameters, documents, lr, seed=1):
    """The blocks' matrices trained on the documents; all other parameters are frozen."""

    def gradients_of(matrices, batch):
        loss, gradients = fast_gradients(config, {**parameters, **matrices}, batch)
        return loss, {name: gradients[name] for name in matrices}

    start = {name: parameters[name] for name in block_matrices(config)}
    return {**parameters, **tune(start, documents, gradients_of, lr, seed)}


def tune_lora(config, parameters, documents, r, lr=0.01, seed=1, start=None):
    """The corrections of rank r trained on the documents; the parameters are frozen."""
    start = start or start_lora(config, parameters, r, seed)
    return tune(
        start, documents, lambda lora, batch: lora_gradients(config, parameters, lora, batch), lr, seed
    )


def four_bits(config, parameters, bits=4):
    """The parameters with the matrices of the blocks in codes of 4 bits, min-max for each row."""
    rounded = {
        name: round_matrix(parameters[name], round_min_max, bits, 64) for name in block_matrices(config)
    }
    return {**parameters, **rounded}


def two_losses(config, parameters, elements, names):
    """The mean loss on held-out elements and on held-out names."""
    return fast_loss(config, parameters, elements), fast_loss(config, parameters, names)
