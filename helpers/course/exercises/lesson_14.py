"""Lesson 14: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

from ... import (
    accumulate_gradients,
    adamw_init,
    adamw_step,
    batch_gradients,
    clip_by_global_norm,
    gpt_backward,
    gpt_forward,
    gpt_param_sizes,
    tree_map,
)
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


WEIGHT = "len(targets) / n_targets"
LOSS_STEP, GRADIENT_STEP = "weight * activations", "gradients, weight)"
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
    "only the last document gives gradients": (
        ("accumulate_gradients(total, gradients, weight)", "gradients"),
    ),
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
    "the last token of each document is left out": (
        ("document[:-1], document[1:]", "document[:-2], document[1:-1]"),
        ("len(document) - 1 for", "len(document) - 2 for"),
    ),
    "inputs and targets are exchanged": ("document[:-1], document[1:]", "document[1:], document[:-1]"),
    "only the loss is returned; return the pair of loss and gradients": ("return loss, total", "return loss"),
    "the loss comes after the gradients in the result": ("return loss, total", "return total, loss"),
}


def my_train(config, parameters, batches, lr, max_norm):
    optimizer, losses = adamw_init(parameters), []
    for documents in batches:
        loss, gradients = batch_gradients(config, parameters, documents)
        gradients = clip_by_global_norm(gradients, max_norm)
        parameters, optimizer = adamw_step(parameters, gradients, optimizer, lr)
        losses.append(loss)
    return losses


TRAIN_MISTAKES = {
    "the parameters are clipped after the step: clip the gradients before it": (
        ("        gradients = clip_by_global_norm(gradients, max_norm)\n", ""),
        ("losses.append", "parameters = clip_by_global_norm(parameters, max_norm)\n        losses.append"),
    ),
    "the gradients are not clipped, or what clip_by_global_norm returns is not used": (
        ("        gradients = clip_by_global_norm(gradients, max_norm)\n", ""),
    ),
    "every loss is computed with the first parameters: the next batch needs those that adamw_step returns": (
        ("parameters, optimizer = ", "_, optimizer = "),
    ),
    "each step begins with a new state of the optimizer: assign both results of adamw_step": (
        (", optimizer, lr", ", adamw_init(parameters), lr"),
    ),
    "each document makes a step of its own; a mini-batch makes one step": (
        "in batches:",
        "in [[document] for batch in batches for document in batch]:",
    ),
    "every step uses the first batch": ("in batches", "in batches[:1] * len(batches)"),
    "the loss is that after the update": ("(loss)", "(batch_gradients(config, parameters, documents)[0])"),
    "the losses are sums, not means": ("(loss)", "(loss * sum(len(document) - 1 for document in documents))"),
    "only the last loss is returned, and not the list of all": ("return losses", "return losses[-1]"),
    "the mean of the losses is returned": ("return losses", "return sum(losses) / len(losses)"),
    "the loop ends after the first batch: return stands inside it": (
        "        losses.append(loss)\n    return",
        "        losses.append(loss)\n        return",
    ),
    "the parameters are returned, too; return the losses only": (
        "return losses",
        "return parameters, losses",
    ),
    "both results of adamw_step become the parameters: assign it to parameters, optimizer": (
        ("parameters, optimizer = adamw_step", "parameters = adamw_step"),
    ),
    "only the parameters are returned; return the list of the losses": ("return losses", "return parameters"),
    "adamw_step gets another weight decay than its default": (
        (", optimizer, lr)", ", optimizer, lr, weight_decay=0.1)"),
    ),
    "lr and max_norm are exchanged": (
        ("optimizer, lr)", "optimizer, max_norm)"),
        ("(gradients, max_norm)", "(gradients, lr)"),
    ),
    "lr is left out, so that adamw_step takes its default": (", optimizer, lr)", ", optimizer)"),
    "the gradients are clipped to the norm 1, and not to max_norm": (
        "(gradients, max_norm)",
        "(gradients, 1.0)",
    ),
}


_CONFIG = {"vocab_size": 5, "n_positions": 3, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 2}


def _small_parameters(seed):
    sizes = gpt_param_sizes(_CONFIG)
    return dict(zip(sizes, draw_inputs(seed, *sizes.values(), top=1)))


_BATCHES = [[[1, 3, 2], [1, 4, 4, 2]], [[1, 4, 2]], [[1, 3, 3, 2], [1, 2]], [[1, 4, 3, 2]]]

EXERCISES = {
    "14.b": Exercise(
        my_batch_gradients,
        [
            [_CONFIG, _small_parameters(1), _BATCHES[0]],
            [_CONFIG, _small_parameters(2), _BATCHES[1]],
            [_CONFIG, _small_parameters(3), _BATCHES[2] + _BATCHES[3]],
        ],
        BATCH_MISTAKES,
        parts=("loss", "gradients"),
        example=False,
    ),
    "14.c": Exercise(
        my_train,
        [
            [_CONFIG, _small_parameters(1), _BATCHES, 0.1, 0.2],
            [_CONFIG, _small_parameters(2), _BATCHES[::-1], 0.05, 0.1],
            [_CONFIG, _small_parameters(3), _BATCHES[:1], 0.1, 1.0],
        ],
        TRAIN_MISTAKES,
        example=False,
    ),
}
