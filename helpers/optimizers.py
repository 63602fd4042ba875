"""Optimizers: from parameters and their gradients to better parameters."""

import math

from .parameters import tree_map


def sgd_step(parameters, gradients, lr):
    """Plain gradient descent: every number moves against its gradient, lr times as far.

    parameters and gradients are dicts (or nests of lists) of the same build; the result is a new one.
    ValueError when they differ or when lr is no number of at least 0.
    Source: Robbins and Monro 1951; Goodfellow, Bengio and Courville 2016, section 8.3.1.

    >>> sgd_step({"b": [1.0, 2.0]}, {"b": [4, -4]}, lr=0.5)
    {'b': [-1.0, 4.0]}
    """
    if not isinstance(lr, (int, float)) or not 0 <= lr < math.inf:
        raise ValueError(f"sgd_step: lr is {lr!r:.60}; give a number of at least 0")
    return tree_map(lambda p, g: p - lr * g, parameters, gradients, place="parameters and gradients")


def adamw_start(parameters):
    """What AdamW remembers before its first step: no steps, and zeros in the build of the parameters.

    >>> adamw_start({"b": [1.0, 2.0]})
    {'step': 0, 'm': {'b': [0.0, 0.0]}, 'v': {'b': [0.0, 0.0]}}
    """
    zeros = [tree_map(lambda p: 0.0, parameters, place="parameters") for _ in "mv"]
    return {"step": 0, "m": zeros[0], "v": zeros[1]}


def adamw_step(parameters, gradients, optimizer, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, decay=0.01, undecayed=()):
    """One step of AdamW: smoothed gradient over the root of its smoothed square, and a little decay besides.

    parameters and gradients are dicts of the same build; optimizer is what adamw_start or the last step gave.
    The result is a new (parameters, optimizer). undecayed names the parameters that do not decay.
    ValueError when the dicts differ in build, or a setting is out of its range.
    Source: Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.

    >>> parameters = {"b": [1.0, 2.0]}
    >>> step = adamw_step(parameters, {"b": [4.0, -4.0]}, adamw_start(parameters), lr=0.5, decay=0, eps=0)
    >>> [round(b, 9) for b in step[0]["b"]], step[1]["step"]
    ([0.5, 2.5], 1)
    """
    for name, value, top in (("lr", lr, math.inf), ("betas[0]", betas[0], 1), ("betas[1]", betas[1], 1),
                             ("eps", eps, math.inf), ("decay", decay, math.inf)):
        if not isinstance(value, (int, float)) or not 0 <= value < top:
            raise ValueError(f"adamw_step: {name} is {value!r:.60}; give a number from 0 to below {top}")
    beta_1, beta_2 = betas
    step = optimizer["step"] + 1
    m = tree_map(lambda m, g: beta_1 * m + (1 - beta_1) * g, optimizer["m"], gradients, place="m and gradients")
    v = tree_map(lambda v, g: beta_2 * v + (1 - beta_2) * g * g, optimizer["v"], gradients, place="v and gradients")
    full_m, full_v = 1 - beta_1**step, 1 - beta_2**step  # how much of an average has come together by now

    def moved(name):
        kept = 1 - lr * (0 if name in undecayed else decay)
        return lambda p, m, v: kept * p - lr * (m / full_m) / (math.sqrt(v / full_v) + eps)

    new = {name: tree_map(moved(name), W, m[name], v[name], place=name) for name, W in parameters.items()}
    return new, {"step": step, "m": m, "v": v}
