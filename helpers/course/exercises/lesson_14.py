"""Lesson 14: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import accumulate_gradients, gpt_backward, gpt_forward, gpt_param_sizes, tree_map
from .exercise import Exercise, draw_inputs


def my_batch_gradients(config, parameters, documents):
    n_targets = sum(len(document) - 1 for document in documents)
    loss, total = 0.0, tree_map(lambda row: [0.0] * len(row), parameters)
    for document in documents:
        tokens, targets = document[:-1], document[1:]
        activations = gpt_forward(config, parameters, tokens, targets)
        gradients = gpt_backward(config, parameters, activations, tokens, targets)
        weight = len(targets) / n_targets
        loss += weight * activations["loss"]
        total = accumulate_gradients(total, gradients, weight)
    return loss, total


def _joined(config, parameters, documents):
    tokens = [token for document in documents for token in document[:-1]]
    targets = [token for document in documents for token in document[1:]]
    activations = gpt_forward(config, parameters, tokens, targets)
    return activations["loss"], gpt_backward(config, parameters, activations, tokens, targets)


WEIGHT = "len(targets) / n_targets"
LOSS_STEP, GRADIENT_STEP = "weight * activations", "gradients, weight)"
ACCUMULATE = "accumulate_gradients(total, gradients, weight)"
BATCH_MISTAKES = {
    "a document is weighted by its tokens, and not by its targets, of which it has one fewer": (
        WEIGHT,
        "len(document) / n_targets",
    ),
    "the whole document is the input: its last token has no target": (
        "document[:-1], document[1:]",
        "document, document[1:]",
    ),
    "the targets are counted while the loop runs: count those of all documents before it": (
        ("n_targets = sum(len(document) - 1 for document in documents)", "n_targets = 0"),
        ("weight = len", "n_targets += len(targets)\n        weight = len"),
    ),
    "each document counts the same: a target of a short document gets a larger part": (
        (WEIGHT, "1 / len(documents)"),
    ),
    "the weight divides by the number of documents, and not by the number of all targets": (
        (WEIGHT, "len(targets) / len(documents)"),
    ),
    "the losses and gradients are added up and not averaged": (WEIGHT, "1"),
    "each document has the weight 1 / targets of the batch; its loss is a mean over its own targets": (
        (WEIGHT, "1 / n_targets"),
    ),
    "the gradients of each document begin at zero again, so that only the last document gives any": (
        (
            "accumulate_gradients(total,",
            "accumulate_gradients(tree_map(lambda row: [0.0] * len(row), parameters),",
        ),
    ),
    "the losses of the documents are sums of their targets' losses, and so are the gradients": (
        (WEIGHT, "len(targets)"),
    ),
    "the loss is the sum over the documents, and the gradients are those of the mean": (
        (LOSS_STEP, "activations"),
    ),
    "the loss is right, but the gradients of the documents are added up without a weight": (
        (GRADIENT_STEP, "gradients, 1)"),
    ),
    "the loss is right, but each document counts the same in the gradients": (
        (GRADIENT_STEP, "gradients, 1 / len(documents))"),
    ),
    "the loss is right, but the gradients have the weight 1 / targets of the batch; each is of a mean": (
        (GRADIENT_STEP, "gradients, 1 / n_targets)"),
    ),
    "each document counts the same in the loss, but not in the gradients": (
        (LOSS_STEP, "1 / len(documents) * activations"),
    ),
    "the tokens of a document are counted, and not its targets": (
        ("sum(len(document) - 1 for", "sum(len(document) for"),
        (WEIGHT, "len(document) / n_targets"),
    ),
    "the divisor is the number of tokens of the batch; a document has one target fewer than tokens": (
        ("len(document) - 1 for", "len(document) for"),
    ),
    "the targets are the tokens themselves, one position too early": ("document[1:]", "document[:-1]"),
    "only the last document gives gradients": (ACCUMULATE, "gradients"),
    "the gradients begin with the parameters, and not with zeros": (
        ("tree_map(lambda row: [0.0] * len(row), parameters)", "parameters"),
    ),
    "the weight multiplies the gradients twice": (GRADIENT_STEP, "gradients, weight * weight)"),
    "the sign of the gradients is turned around; AdamW subtracts them": (
        GRADIENT_STEP,
        "gradients, -weight)",
    ),
    "what accumulate_gradients returns is not used, so that the gradients stay 0": (
        "total = accumulate",
        "accumulate",
    ),
    "the loss is the sum over all targets, and the gradients are those of the mean": (
        (LOSS_STEP, "len(targets) * activations"),
    ),
    "the loss is right, but the gradients are those of the sum over all targets": (
        (GRADIENT_STEP, "gradients, len(targets))"),
    ),
    "the loss is that of the last document": ("loss += weight * ", "loss = "),
    "the loss is replaced in each round, and not added to": ("loss += weight", "loss = weight"),
    "only the last document counts: the loss and the gradients of the others are lost": (
        ("loss += weight * ", "loss = "),
        (ACCUMULATE, "gradients"),
    ),
    "only the last document counts: nothing is added to what the documents before it gave": (
        ("loss += weight", "loss = weight"),
        (
            "accumulate_gradients(total,",
            "accumulate_gradients(tree_map(lambda row: [0.0] * len(row), parameters),",
        ),
    ),
    "return stands inside the loop, so that the function ends after the first document": (
        "    return",
        "        return",
    ),
    "only the first document is used": ("n_targets = ", "documents = documents[:1]\n    n_targets = "),
    "the documents are joined to one sequence: each needs a forward pass of its own, from its <BOS> on": (
        "n_targets = ",
        "documents = [sum(documents, [])]\n    n_targets = ",
    ),
    "the documents are one sequence: each needs a forward pass of its own, from its <BOS> on": (
        "    for document in documents:",
        "    for document in [sum(documents, [])]:",
    ),
    "the inputs are joined, and the targets, too: each document needs a forward pass of its own": _joined,
    "the targets are the tokens themselves; each token's target is the next token of the document": (
        "document[:-1], document[1:]",
        "document, document",
    ),
    "the targets are the tokens themselves, from the first to the last": (
        ("document[:-1], document[1:]", "document, document"),
        ("len(document) - 1 for", "len(document) for"),
    ),
    "the last token of each document is left out": (
        ("document[:-1], document[1:]", "document[:-2], document[1:-1]"),
        ("len(document) - 1 for", "len(document) - 2 for"),
    ),
    "the last target of each document is left out, but it is counted": (
        "document[:-1], document[1:]",
        "document[:-2], document[1:-1]",
    ),
    "the targets are the inputs themselves, both without <BOS>": (
        "document[:-1], document[1:]",
        "document[1:], document[1:]",
    ),
    "each target is two positions after its input: it is the next token": (
        "document[:-1], document[1:]",
        "document[:-2], document[2:]",
    ),
    "the first token of each document, <BOS>, is left out: it is no target, but an input": (
        ("document[:-1], document[1:]", "document[1:-1], document[2:]"),
        ("len(document) - 1 for", "len(document) - 2 for"),
    ),
    "<BOS> is left out as an input: the first target is predicted from <BOS> alone": (
        "document[:-1], document[1:]",
        "document[1:-1], document[2:]",
    ),
    "inputs and targets are exchanged": ("document[:-1], document[1:]", "document[1:], document[:-1]"),
    "only the loss is returned; return the pair of loss and gradients": ("return loss, total", "return loss"),
    "only the gradients are returned; return the pair of loss and gradients": (
        "return loss, total",
        "return total",
    ),
    "the loss comes after the gradients in the result": ("return loss, total", "return total, loss"),
}


# Positions enough for a whole batch, so that a mistake gives a result and no error; TIGHT: for no token more.
_CONFIG = {"vocab_size": 5, "n_positions": 10, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 2}
_TIGHT = {**_CONFIG, "n_positions": 2}


def _small_parameters(seed, config=_CONFIG):
    sizes = gpt_param_sizes(config)
    return dict(zip(sizes, draw_inputs(seed, *sizes.values(), top=1)))


_BATCHES = [[[1, 3, 2], [1, 4, 4, 2]], [[1, 4, 2]], [[1, 3, 3, 2], [1, 2]], [[1, 4, 3, 2]]]

EXERCISES = {
    "14.a": Exercise(
        my_batch_gradients,
        [
            [_CONFIG, _small_parameters(1), _BATCHES[0]],
            [_TIGHT, _small_parameters(2, _TIGHT), _BATCHES[1]],
            [_CONFIG, _small_parameters(3), _BATCHES[2] + _BATCHES[3]],
        ],
        BATCH_MISTAKES,
        parts=("loss", "gradients"),
        example=False,
    )
}
