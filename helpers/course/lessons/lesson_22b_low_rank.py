"""Lesson 22b: the model of names learns the names of elements, with all parameters or with LoRA."""

import random

from ...gpt import gpt_param_sizes
from ...lora import init_lora, lora_backward, merge_lora
from ...training import encode, learning_rate, next_batch, train_val_test_split
from ..engine import fast_gradients, fast_loss
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


def lora_gradients(config, parameters, lora, documents):
    """The mean loss of the merged model, and the gradients of each A and B; the parameters are frozen."""
    loss, d_parameters = fast_gradients(config, merge_all(config, parameters, lora), documents)
    gradients = {}
    for name in block_matrices(config):
        A, B = lora[f"{name}.A"], lora[f"{name}.B"]
        gradients[f"{name}.A"], gradients[f"{name}.B"] = lora_backward(d_parameters[name], A, B, C)
    return loss, gradients


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


def tune_lora(config, parameters, documents, r, lr=0.01, seed=1):
    """The corrections of rank r trained on the documents; the parameters are frozen."""
    start = start_lora(config, parameters, r, seed)
    return tune(
        start, documents, lambda lora, batch: lora_gradients(config, parameters, lora, batch), lr, seed
    )


def two_losses(config, parameters, elements, names):
    """The mean loss on held-out elements and on held-out names."""
    return fast_loss(config, parameters, elements), fast_loss(config, parameters, names)
