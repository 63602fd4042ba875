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


def check_adamw(parameters, gradients, optimizer, lr, betas, eps, decay, undecayed):
    """Stop unless adamw_step can work with these: nests of one build, a whole optimizer, settings in their ranges.

    ValueError that names what is missing, differs or is out of range; undecayed lists names of parameters.

    >>> b = {"b": [1.0]}
    >>> check_adamw(b, b, {"step": 0, "m": b, "v": b}, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, decay=0.01, undecayed=["b"])
    """
    missing = [part for part in ("step", "m", "v") if not isinstance(optimizer, dict) or part not in optimizer]
    if missing:
        raise ValueError(
            f"adamw_step: optimizer has no {', '.join(missing)}; give what adamw_start or the last step gave"
        )
    if not isinstance(optimizer["step"], int) or optimizer["step"] < 0:
        raise ValueError(f"adamw_step: step is {optimizer['step']!r:.60}; it counts the steps so far, from 0")
    if not isinstance(parameters, dict):
        raise TypeError(f"adamw_step: parameters is {parameters!r:.60}; give a dict of parameters by name")
    nests = (parameters, gradients, optimizer["m"], optimizer["v"])
    tree_map(lambda p, *others: p, *nests, place="parameters, gradients, m and v")
    unknown = [undecayed] if isinstance(undecayed, str) else [name for name in undecayed if name not in parameters]
    if unknown:
        raise ValueError(f"adamw_step: undecayed is a list of names of parameters, and {unknown[0]!r:.60} is none")
    if not isinstance(betas, (list, tuple)) or len(betas) != 2:
        raise ValueError(f"adamw_step: betas is {betas!r:.60}; give a pair of numbers")
    for name, value, top in (("lr", lr, math.inf), ("betas[0]", betas[0], 1), ("betas[1]", betas[1], 1),
                             ("eps", eps, math.inf), ("decay", decay, math.inf)):  # fmt: skip
        if not isinstance(value, (int, float)) or not 0 <= value < top:
            raise ValueError(f"adamw_step: {name} is {value!r:.60}; give a number from 0 to below {top}")


def adamw_step(parameters, gradients, optimizer, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, decay=0.01, undecayed=()):
    """One step of AdamW: smoothed gradient over the root of its smoothed square, and a little decay besides.

    parameters and gradients are dicts of the same build; optimizer is what adamw_start or the last step gave.
    The result is a new (parameters, optimizer). undecayed names the parameters that do not decay; the others shrink by
    lr times decay. Errors as in check_adamw.
    Source: Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.

    >>> parameters = {"b": [1.0, 2.0]}
    >>> step = adamw_step(parameters, {"b": [4.0, -4.0]}, adamw_start(parameters), lr=0.5, decay=0, eps=0)
    >>> [round(b, 9) for b in step[0]["b"]], step[1]["step"]
    ([0.5, 2.5], 1)
    """
    check_adamw(parameters, gradients, optimizer, lr, betas, eps, decay, undecayed)
    beta_1, beta_2 = betas
    step = optimizer["step"] + 1
    m = tree_map(lambda m, g: beta_1 * m + (1 - beta_1) * g, optimizer["m"], gradients)
    v = tree_map(lambda v, g: beta_2 * v + (1 - beta_2) * g * g, optimizer["v"], gradients)
    full_m, full_v = 1 - beta_1**step, 1 - beta_2**step  # how much of a mean has come together by now

    def moved(name):
        kept = 1 - lr * (0 if name in undecayed else decay)
        return lambda p, m, v: kept * p - lr * (m / full_m) / (math.sqrt(v / full_v) + eps)

    new = {name: tree_map(moved(name), W, m[name], v[name]) for name, W in parameters.items()}
    return new, {"step": step, "m": m, "v": v}
