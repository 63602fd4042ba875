"""Optimizers: from parameters and their gradients to better parameters."""

from math import sqrt

from .parameters import tree_map

OPTIMIZER = {"step": "int >= 0", "m": "like parameters", "v": "like parameters >= 0"}


def sgd_step(
    parameters: "tree of vectors", gradients: "like parameters", lr: "float >= 0 finite",
) -> "like parameters":
    """Plain gradient descent: every number moves against its gradient, lr times as far.

    parameters and gradients are dicts (or nests of lists) of the same build; the result is a new one.
    Source: Robbins and Monro 1951; Goodfellow, Bengio and Courville 2016, section 8.3.1.

    >>> sgd_step({"b": [1.0, 2.0]}, {"b": [4, -4]}, lr=0.5)
    {'b': [-1.0, 4.0]}
    """

    def step(p, g):
        return [p_i - lr * g_i for p_i, g_i in zip(p, g, strict=True)]

    return tree_map(step, parameters, gradients)


def adamw_start(parameters: "dict of vectors") -> "OPTIMIZER":
    """What AdamW remembers before its first step: no steps, and zeros in the build of the parameters.

    >>> adamw_start({"b": [1.0, 2.0]})
    {'step': 0, 'm': {'b': [0.0, 0.0]}, 'v': {'b': [0.0, 0.0]}}
    """
    m, v = (tree_map(lambda p: [0.0] * len(p), parameters) for _ in "mv")
    return {"step": 0, "m": m, "v": v}


def adamw_step(
    parameters: "dict of vectors", gradients: "like parameters", optimizer: "OPTIMIZER",
    lr: "float >= 0 finite" = 1e-3, betas: "2 >= 0 < 1" = (0.9, 0.999), eps: "float >= 0 finite" = 1e-8,
    decay: "float >= 0 finite" = 0.01, undecayed: "names in parameters" = (),
) -> ("like parameters", "OPTIMIZER"):
    """One step of AdamW: smoothed gradient over the root of its smoothed square, and a little decay besides.

    parameters and gradients are dicts of the same build; optimizer is what adamw_start or the last step gave.
    The result is a new (parameters, optimizer). undecayed names the parameters that do not decay; the others
    shrink by lr times decay, as PyTorch has it (the paper leaves lr out).
    Source: Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.

    >>> parameters = {"b": [1.0, 2.0]}
    >>> step = adamw_step(parameters, {"b": [4.0, -4.0]}, adamw_start(parameters), lr=0.5, decay=0, eps=0)
    >>> [round(b, 9) for b in step[0]["b"]], step[1]["step"]
    ([0.5, 2.5], 1)
    """
    m, v = optimizer["m"], optimizer["v"]
    assert parameters.keys() == gradients.keys() == m.keys() == v.keys(), "all must have the same names"
    (beta_1, beta_2), step = betas, optimizer["step"] + 1
    full_m, full_v = 1 - beta_1**step, 1 - beta_2**step  # how much of each mean has come together by now
    rate, floor = lr * sqrt(full_v) / full_m, eps * sqrt(full_v)  # both with that taken into account
    fresh_1, fresh_2 = 1 - beta_1, 1 - beta_2

    def move(p, g, m, v, kept):
        """A vector a step on, with what is to be remembered of it; a list of them one by one."""
        if isinstance(p[0], list):
            moved = [move(*rows, kept) for rows in zip(p, g, m, v, strict=True)]
            return [list(part) for part in zip(*moved, strict=True)]
        new_p, new_m, new_v = [], [], []
        for p_i, g_i, m_i, v_i in zip(p, g, m, v, strict=True):
            m_i = beta_1 * m_i + fresh_1 * g_i
            v_i = beta_2 * v_i + fresh_2 * g_i * g_i
            new_p.append(kept * p_i - rate * m_i / (sqrt(v_i) + floor))
            new_m.append(m_i)
            new_v.append(v_i)
        return new_p, new_m, new_v

    moved = {}
    for name, p in parameters.items():
        kept = 1.0 if name in undecayed else 1 - lr * decay
        moved[name] = move(p, gradients[name], m[name], v[name], kept)
    new_p, new_m, new_v = ({name: parts[i] for name, parts in moved.items()} for i in range(3))
    return new_p, {"step": step, "m": new_m, "v": new_v}
