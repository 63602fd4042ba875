"""Lesson 14: answers, inputs and known mistakes of its exercises. Reading on gives answers away."""

import math
import random

from ...gpt import gpt_param_sizes
from ...optimizers import adamw_init, adamw_step
from ...training import batch_gradients, clip_by_global_norm
from .exercise import Exercise


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

EXERCISES = {
    "14.a": Exercise(
        my_loss,
        [
            [5, {5: 3, 7: 2}, 4, 0.5],
            [6, {5: 3, 7: 2}, 4, 0.5],
            [3, {}, 29, 0.1],
            [3, {3: 40, 4: 9, 2: 1}, 29, 0.5],
            [9, {3: 40, 4: 9, 2: 1}, 29, 0.03],
        ],
        slips={
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
    "14.b": Exercise(
        my_train,
        [
            [_CONFIG, _small_parameters(1), _BATCHES, 0.1, 0.2],
            [_CONFIG, _small_parameters(2), _BATCHES[::-1], 0.05, 0.1],
            [_CONFIG, _small_parameters(3), _BATCHES[:1], 0.1, 1.0],
        ],
        slips={
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
