"""Lesson 14: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import random

from ...gpt import gpt_param_sizes
from ...ngrams import count_ngrams
from ...optimizers import adamw_init, adamw_step
from ...training import batch_gradients, clip_by_global_norm
from .exercise import Exercise


def my_counts(documents, n):
    return count_ngrams(documents, n)


def _counted(context, first=1, row_of=lambda counts, context: counts.setdefault(context, {}), by=1):
    """my_counts with another context, or counted otherwise; context(document, i, n) stands before i."""

    def counted(documents, n):
        counts = {}
        for document in documents:
            for i in range(first, len(document)):
                row = row_of(counts, context(document, i, n))
                row[document[i]] = row.get(document[i], 0) + by
        return counts

    return counted


def _before(document, i, n):
    return tuple(document[max(0, i + 1 - n) : i])


def _fresh_row(counts, context):
    counts[context] = {}
    return counts[context]


def _of_all_together(documents, n):
    return my_counts([[token for document in documents for token in document]], n)


def _only_full(documents, n):
    return {context: row for context, row in my_counts(documents, n).items() if len(context) == n - 1}


def _from_full_contexts(documents, n):
    counts = {}
    for document in documents:
        for i in range(n - 1, len(document)):
            row = counts.setdefault(tuple(document[i - n + 1 : i]), {})
            row[document[i]] = row.get(document[i], 0) + 1
    return counts


def _by_token(documents, n):
    return {context[-1]: row for context, row in my_counts(documents, 2).items()}


def _lists(documents, n):
    rows = {}
    for document in documents:
        for i in range(1, len(document)):
            rows.setdefault(_before(document, i, n), []).append(document[i])
    return rows


def _flat(documents, n):
    return {
        (*context, token): count
        for context, row in my_counts(documents, n).items()
        for token, count in row.items()
    }


def _each_set_to_one(documents, n):
    return {context: dict.fromkeys(row, 1) for context, row in my_counts(documents, n).items()}


def _fractions(documents, n):
    return {
        context: {token: count / sum(row.values()) for token, count in row.items()}
        for context, row in my_counts(documents, n).items()
    }


def my_loss(token, row, V, alpha):
    return _smoothed()(token, row, V, alpha)


def _smoothed(above=True, below="V", log=math.log, sign=-1):
    """my_loss with something left out."""

    def loss(token, row, V, alpha):
        times = {"V": V, "seen": len(row), "one": 1, "none": 0}[below]
        probability = (row.get(token, 0) + (alpha if above else 0)) / (sum(row.values()) + alpha * times)
        return sign * log(probability)

    return loss


def _mean(losses):
    return sum(losses) / len(losses)


def my_train(config, parameters, batches, lr, max_norm):
    return _trained()(config, parameters, batches, lr, max_norm)


def _trained(clip=True, update=True, fresh=False, first=False, total=False, after=False):
    """my_train with something left out or done otherwise."""

    def losses_of(config, parameters, batches, lr, max_norm):
        optimizer, losses = adamw_init(parameters), []
        for documents in batches:
            documents = batches[0] if first else documents
            loss, gradients = batch_gradients(config, parameters, documents)
            if clip:
                gradients = clip_by_global_norm(gradients, max_norm)
            if update:
                parameters, optimizer = adamw_step(parameters, gradients, optimizer, lr)
            if fresh:
                optimizer = adamw_init(parameters)
            if after:
                loss, _ = batch_gradients(config, parameters, documents)
            losses.append(loss * sum(len(d) - 1 for d in documents) if total else loss)
        return losses

    return losses_of


_CONFIG = {"vocab_size": 5, "n_positions": 3, "n_embd": 2, "n_layer": 1, "n_head": 1, "n_inner": 2}


def _small_parameters(seed):
    rng = random.Random(seed)

    def numbers(sizes):
        if not sizes:
            return round(rng.gauss(0, 0.7), 2)
        return [numbers(sizes[1:]) for _ in range(sizes[0])]

    return {name: numbers(list(sizes)) for name, sizes in gpt_param_sizes(_CONFIG).items()}


_BATCHES = [[[1, 3, 2], [1, 4, 4, 2]], [[1, 4, 2]], [[1, 3, 3, 2], [1, 2]], [[1, 4, 3, 2]]]

_DOCUMENTS = [[1, 5, 5, 2], [1, 5, 2]]
_MORE = [[1, 3, 4, 3, 4, 3, 2], [1, 4, 3, 2], [1, 2]]

EXERCISES = {
    "14.a": Exercise(
        my_counts,
        [[_DOCUMENTS, 2], [_DOCUMENTS, 1], [_DOCUMENTS, 3], [_MORE, 2], [_MORE, 3], [_MORE, 4]],
        mistakes={
            "the context holds n tokens, and not n \u2212 1": _counted(
                lambda document, i, n: _before(document, i, n + 1)
            ),
            "the context holds one token fewer than n \u2212 1": _counted(
                lambda document, i, n: _before(document, i, n - 1)
            ),
            "the context also holds the token that is counted": _counted(
                lambda document, i, n: tuple(document[max(0, i + 1 - n) : i + 1])
            ),
            "the slice of the context begins before the document, at a negative index": _counted(
                lambda document, i, n: tuple(document[i + 1 - n : i])
            ),
            "the context is always the last token, whatever n is": _counted(
                lambda document, i, n: tuple(document[i - 1 : i])
            ),
            "the context is always all tokens before this one, whatever n is": _counted(
                lambda document, i, n: tuple(document[:i])
            ),
            "the context is turned around: it must be in the order of the document": _counted(
                lambda document, i, n: _before(document, i, n)[::-1]
            ),
            "the first token of each document is counted, too": _counted(_before, first=0),
            "the second token of each document is left out": _counted(_before, first=2),
            "the row of a context is emptied each time that the context occurs": _counted(
                _before, row_of=_fresh_row
            ),
            "every count is 1, whatever the number of occurrences": _each_set_to_one,
            "every count is twice too large": _counted(_before, by=2),
            "the last token of each document is left out": lambda documents, n: my_counts(
                [document[:-1] for document in documents], n
            ),
            "a token that was seen for the first time gets the count 0, and nothing is added": _counted(
                _before, by=0
            ),
            "counting begins at index n \u2212 1, and not at index 1": _from_full_contexts,
            "the key of a row is the last token of the context, "
            "and not the whole context as a tuple": _by_token,
            "all tokens that followed are listed, and not counted": _lists,
            "the token belongs to the key: each context needs a dict of its own": _flat,
            "the documents are joined, so that a context crosses the end of one": _of_all_together,
            "shorter contexts at the beginning of a document are left out": _only_full,
            "the counts are divided by their total": _fractions,
            "only the first document is counted": lambda documents, n: my_counts(documents[:1], n),
        },
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
        mistakes={
            "alpha is added to the count, but not to the total": _smoothed(below="none"),
            "alpha is added to the total once, and not V times": _smoothed(below="one"),
            "alpha is added to the total, but not to the count": _smoothed(above=False),
            "alpha is added to the total for each token in row, and not for each of the V tokens": _smoothed(
                below="seen"
            ),
            (
                "row is indexed with a token that it does not hold: row.get(token, 0) gives 0 for it"
            ): lambda token, row, V, alpha: -math.log((row[token] + alpha) / (sum(row.values()) + alpha * V)),
            "1 is added to each count, and not alpha": lambda token, row, V, alpha: my_loss(token, row, V, 1),
            (
                "alpha is the count of a token that row does not hold, and is not added to the other counts"
            ): lambda token, row, V, alpha: (
                -math.log(row.get(token, alpha) / (sum(row.values()) + alpha * V))
            ),
            "the minus sign is missing": _smoothed(sign=1),
            "the probability is returned, and not the negative of its logarithm": _smoothed(
                log=lambda probability: probability, sign=1
            ),
            "the logarithm has base 2, which gives bits and not nats": _smoothed(log=math.log2),
            "the logarithm has base 10: math.log is the natural one": _smoothed(log=math.log10),
        },
    ),
    "14.c": Exercise(
        my_train,
        [
            [_CONFIG, _small_parameters(1), _BATCHES, 0.1, 0.2],
            [_CONFIG, _small_parameters(2), _BATCHES[::-1], 0.05, 0.1],
            [_CONFIG, _small_parameters(3), _BATCHES[:1], 0.1, 1.0],
        ],
        mistakes={
            "the gradients are not clipped": _trained(clip=False),
            (
                "every loss is computed with the first parameters: assign the "
                "parameters that adamw_step returns"
            ): _trained(update=False),
            "the optimizer's state is created again in every step: create it once, before the loop": _trained(
                fresh=True
            ),
            "every step uses the first batch": _trained(first=True),
            "the loss is computed after the update, and not before it": _trained(after=True),
            "the losses are sums over all letters, and not means": _trained(total=True),
            "only the last loss is returned, and not the list of all": lambda *a: my_train(*a)[-1],
            "the mean of the losses is returned, and not the list": lambda *a: _mean(my_train(*a)),
        },
        example=False,
    ),
}
