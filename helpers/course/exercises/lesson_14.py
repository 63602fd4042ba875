"""Lesson 14: solutions, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math

from ... import adamw_init, adamw_step, batch_gradients, clip_by_global_norm, gpt_param_sizes
from .exercise import Exercise, draw_inputs


def my_counts(documents, n):
    counts = {}
    for document in documents:
        for i in range(1, len(document)):
            context = tuple(document[max(0, i + 1 - n) : i])
            row = counts.setdefault(context, {})
            row[document[i]] = row.get(document[i], 0) + 1
    return counts


ROW, COUNT = "row = counts.setdefault(context, {})", "row[document[i]] = row.get(document[i], 0) + 1"
COUNTS_MISTAKES = {
    "the context holds n tokens, and not n − 1": ("i + 1 - n", "i - n"),
    "the context holds one token fewer than n − 1": ("i + 1 - n", "i + 2 - n"),
    "the context also holds the token that is counted": (" : i]", " : i + 1]"),
    "the slice of the context begins at a negative index": ("max(0, i + 1 - n)", "i + 1 - n"),
    "the context is always the last token, whatever n is": ("max(0, i + 1 - n)", "i - 1"),
    "the context is always all tokens before this one, whatever n is": ("max(0, i + 1 - n)", "0"),
    "the context is turned around: it must be in the order of the document": (" : i]", " : i][::-1]"),
    "the first token of each document is counted, too": ("range(1,", "range(0,"),
    "the second token of each document is left out": ("range(1,", "range(2,"),
    "the row of a context is emptied each time that the context occurs": (ROW, "row = counts[context] = {}"),
    "every count is 1, whatever the number of occurrences": ("row.get(document[i], 0) + 1", "1"),
    "every count is twice too large": ("0) + 1", "0) + 2"),
    "the last token of each document is left out": ("len(document)", "len(document) - 1"),
    "a token that was seen for the first time gets the count 0, and nothing is added": ("0) + 1", "0)"),
    "counting begins at index n − 1, and not at index 1": ("range(1,", "range(n - 1,"),
    "the key is the last token of the context": ("tuple(document[max(0, i + 1 - n) : i])", "document[i - 1]"),
    "all tokens that followed are listed, and not counted": (
        ("(context, {})", "(context, [])"),
        (COUNT, "row.append(document[i])"),
    ),
    "the token belongs to the key: each context needs a dict of its own": (
        (ROW, "key = (*context, document[i])"),
        (COUNT, "counts[key] = counts.get(key, 0) + 1"),
    ),
    "the documents are joined: a context crosses their ends": ("in documents", "in [sum(documents, [])]"),
    "shorter contexts at the beginning of a document are left out": ("range(1,", "range(max(1, n - 1),"),
    "the counts are divided by their total": (
        "    return counts",
        "    for row in counts.values():\n"
        "        total = sum(row.values())\n"
        "        row.update({token: count / total for token, count in row.items()})\n"
        "    return counts",
    ),
    "only the first document is counted": ("in documents", "in documents[:1]"),
}


def my_loss(token, row, V, alpha):
    total = sum(row.values())
    return -math.log((row.get(token, 0) + alpha) / (total + alpha * V))


LOSS_MISTAKES = {
    "alpha is added to the count, but not to the total": (" + alpha * V", ""),
    "alpha is added to the total once, and not V times": ("alpha * V", "alpha"),
    "alpha is added to the total, but not to the count": ("0) + alpha", "0)"),
    "alpha is added to the total for each token in row, not V times": ("alpha * V", "alpha * len(row)"),
    "row is indexed with a token that it does not hold; use row.get": ("row.get(token, 0)", "row[token]"),
    "1 is added to each count, and not alpha": (("0) + alpha", "0) + 1"), ("alpha * V", "V")),
    "alpha is the count of an unseen token, and is not added to the other counts": ("0) + alpha", "alpha)"),
    "the minus sign is missing": ("-math", "math"),
    "the probability is returned, and not the negative of its logarithm": ("-math.log(", "("),
    "the logarithm has base 2, which gives bits and not nats": ("log", "log2"),
    "the logarithm has base 10: math.log is the natural one": ("log", "log10"),
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
    "the gradients are not clipped": ("        gradients = clip_by_global_norm(gradients, max_norm)\n", ""),
    "every loss is computed with the first parameters: assign the parameters that adamw_step returns": (
        ("parameters, optimizer = ", "_, optimizer = "),
    ),
    "each step creates the optimizer's state again": (", optimizer, lr", ", adamw_init(parameters), lr"),
    "every step uses the first batch": ("in batches", "in batches[:1] * len(batches)"),
    "the loss is that after the update": ("(loss)", "(batch_gradients(config, parameters, documents)[0])"),
    "the losses are sums, not means": ("(loss)", "(loss * sum(len(document) - 1 for document in documents))"),
    "only the last loss is returned, and not the list of all": ("return losses", "return losses[-1]"),
    "the mean of the losses is returned": ("return losses", "return sum(losses) / len(losses)"),
}


_CONFIG = {"vocab_size": 5, "n_positions": 3, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 2}


def _small_parameters(seed):
    sizes = gpt_param_sizes(_CONFIG)
    return dict(zip(sizes, draw_inputs(seed, *sizes.values(), top=1)))


_BATCHES = [[[1, 3, 2], [1, 4, 4, 2]], [[1, 4, 2]], [[1, 3, 3, 2], [1, 2]], [[1, 4, 3, 2]]]
_DOCUMENTS = [[1, 5, 5, 2], [1, 5, 2]]
_MORE = [[1, 3, 4, 3, 4, 3, 2], [1, 4, 3, 2], [1, 2]]

EXERCISES = {
    "14.a": Exercise(
        my_counts,
        [[_DOCUMENTS, 2], [_DOCUMENTS, 1], [_DOCUMENTS, 3], [_MORE, 2], [_MORE, 3], [_MORE, 4]],
        COUNTS_MISTAKES,
    ),
    "14.b": Exercise(
        my_loss,
        [
            [5, {5: 3, 7: 2}, 8, 0.5],
            [6, {5: 3, 7: 2}, 8, 0.5],
            [3, {}, 29, 0.1],
            [3, {3: 40, 4: 9, 2: 1}, 29, 0.5],
            [9, {3: 40, 4: 9, 2: 1}, 29, 0.03],
        ],
        LOSS_MISTAKES,
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
