"""Optimizers: stochastic gradient descent and AdamW."""

import math

from .parameters import tree_map

OPTIMIZER = {"step": "int >= 0", "m": "tree P", "v": "tree P >= 0"}


def sgd_step(parameters: "tree P", gradients: "tree P", lr: "float >= 0 finite") -> "tree P":
    """One step of gradient descent: p − lr·g for every parameter p with gradient g.

    parameters and gradients are trees of the same structure; the result is a new one.
    Source: Goodfellow, Bengio and Courville 2016, section 8.3.1.

    >>> sgd_step({"b": [1.0, 2.0]}, {"b": [4, -4]}, lr=0.5)
    {'b': [-1.0, 4.0]}
    """

    def step(p, g):
        return [p_i - lr * g_i for p_i, g_i in zip(p, g, strict=True)]

    return tree_map(step, parameters, gradients)


def adamw_init(parameters: "tree P") -> "OPTIMIZER":
    """The state of AdamW before its first step: step 0, and zeros for m and v in the parameters' structure.

    >>> adamw_init({"b": [1.0, 2.0]})
    {'step': 0, 'm': {'b': [0.0, 0.0]}, 'v': {'b': [0.0, 0.0]}}
    """
    m, v = (tree_map(lambda p: [0.0] * len(p), parameters) for _ in "mv")
    return {"step": 0, "m": m, "v": v}


def adamw_vector(
    p: "n",
    g: "n",
    m: "n",
    v: "n >= 0",
    step: "int > 0",
    lr: "float >= 0 finite",
    beta_1: "float >= 0 < 1",
    beta_2: "float >= 0 < 1",
    eps: "float >= 0 finite",
    weight_decay: "float >= 0 finite",
) -> ("n", "n", "n"):
    """One AdamW update of a vector p with gradient g: the new p, first moment m and second moment v.

    step counts from 1. A weight shrinks by the factor 1 − lr·weight_decay, as in PyTorch; the paper uses
    a schedule multiplier in place of lr there.
    Source: Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.

    >>> adamw_vector([1.0], [4.0], [0.0], [0.0], 1, lr=0.5, beta_1=0.5, beta_2=0.5, eps=0, weight_decay=0)
    ([0.5], [2.0], [8.0])
    """
    correction_1, correction_2 = 1 - beta_1**step, 1 - beta_2**step
    keep = 1 - lr * weight_decay
    new_p, new_m, new_v = [], [], []
    for p_i, g_i, m_i, v_i in zip(p, g, m, v, strict=True):
        m_i = beta_1 * m_i + (1 - beta_1) * g_i
        v_i = beta_2 * v_i + (1 - beta_2) * g_i * g_i
        m_hat = m_i / correction_1
        v_hat = v_i / correction_2
        new_p.append(keep * p_i - lr * m_hat / (math.sqrt(v_hat) + eps))
        new_m.append(m_i)
        new_v.append(v_i)
    return new_p, new_m, new_v


def adamw_step(
    parameters: "tree P",
    gradients: "tree P",
    optimizer: "OPTIMIZER",
    lr: "float >= 0 finite" = 1e-3,
    betas: "2 >= 0 < 1" = (0.9, 0.999),
    eps: "float >= 0 finite" = 1e-8,
    weight_decay: "float >= 0 finite" = 0.01,
    no_decay: "names in parameters" = (),
) -> ("tree P", "OPTIMIZER"):
    """One AdamW update of all parameters: Adam with bias correction and decoupled weight decay.

    optimizer is the result of adamw_init or of the last step. The result is (new parameters, new optimizer).
    no_decay names the parameters without weight decay.
    Source: Loshchilov and Hutter 2019, algorithm 2.

    >>> p = {"b": [1.0, 2.0]}
    >>> new_p, optimizer = adamw_step(p, {"b": [4.0, -4.0]}, adamw_init(p), lr=0.5, weight_decay=0, eps=0)
    >>> [round(b, 9) for b in new_p["b"]], optimizer["step"]
    ([0.5, 2.5], 1)
    """
    m, v, step = optimizer["m"], optimizer["v"], optimizer["step"] + 1
    assert parameters.keys() == gradients.keys() == m.keys() == v.keys(), "all must have the same names"

    def update(p, g, m, v, decay):
        """The new p, m and v of a vector, or of a matrix, row by row."""
        if isinstance(p[0], list):
            rows = [update(*vectors, decay) for vectors in zip(p, g, m, v, strict=True)]
            return [list(matrix) for matrix in zip(*rows, strict=True)]
        return adamw_vector(p, g, m, v, step, lr, *betas, eps, decay)

    new_p, new_m, new_v = {}, {}, {}
    for name, p in parameters.items():
        decay = 0.0 if name in no_decay else weight_decay
        new_p[name], new_m[name], new_v[name] = update(p, gradients[name], m[name], v[name], decay)
    return new_p, {"step": step, "m": new_m, "v": new_v}
