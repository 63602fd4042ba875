"""The answers, inputs and known mistakes of lesson 11. Reading on gives answers away."""

import math
from itertools import permutations

from .exercise import Exercise, draw_inputs, from_source


def my_adamw_step(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay):
    return _adamw()(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay)


def _adamw(
    correct=(True, True),
    l2=False,
    squared=True,
    root=True,
    sign=1,
    decay=lambda lr, weight_decay: lr * weight_decay,
    under=False,
    returns=(False, False),
    use_lr=True,
    from_zero=0,
    weights=lambda beta_1, beta_2: (beta_1, 1 - beta_1, beta_2, 1 - beta_2),
    old_m=False,
    of_m=False,
    no_eps=False,
    of_g=False,
    divide=lambda mean, square, of_m, of_v: (mean / of_m, square / of_v),
    update=lambda x, shrink, move: x - shrink * x - move,
):
    """A step of AdamW, with one thing done differently."""

    def stepped(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay):
        keep_1, new_1, keep_2, new_2 = weights(beta_1, beta_2)
        new_p, new_m, new_v = [], [], []
        for x, derivative, before, second in zip(p, g, m, v):
            derivative += weight_decay * x if l2 else 0.0
            first = keep_1 * before + new_1 * derivative
            measured = first if of_m else derivative
            second = keep_2 * second + new_2 * (measured * measured if squared else measured)
            mean, square = derivative if of_g else before if old_m else first, second
            mean, square = divide(
                mean,
                square,
                1 - beta_1 ** (step - from_zero) if correct[0] and not of_g else 1.0,
                1 - beta_2 ** (step - from_zero) if correct[1] else 1.0,
            )
            eps = 0.0 if no_eps else eps
            size = square + eps if not root else math.sqrt(square + eps) if under else math.sqrt(square) + eps
            shrink = 0.0 if l2 else decay(lr, weight_decay)
            new_p.append(update(x, shrink, sign * (lr if use_lr else 1.0) * mean / size))
            new_m.append(mean if returns[0] else first)
            new_v.append(square if returns[1] else second)
        return new_p, new_m, new_v

    return stepped


def _returned_as(order):
    """my_adamw_step with its three results in another order."""
    return lambda *given: tuple(my_adamw_step(*given)["pmv".index(name)] for name in order)


_WRONG_ORDERS = {
    f"the results are returned in the order {', '.join(order)}; the order is p, m, v": _returned_as(order)
    for order in permutations("pmv")
    if order != ("p", "m", "v")
}


def trained_by(p, optimizer, gradient_of, update, steps):
    return _trained()(p, optimizer, gradient_of, update, steps)


def _trained(new_gradient=True, keep=True, fewer=0, swapped=False):
    """trained_by with something forgotten."""

    def trained(p, optimizer, gradient_of, update, steps):
        first = gradient_of(p)
        for _ in range(steps - fewer):
            g = gradient_of(p) if new_gradient else first
            p, new_optimizer = update(g, p, optimizer) if swapped else update(p, g, optimizer)
            optimizer = new_optimizer if keep else optimizer
        return p

    return trained


def _called_twice(p, optimizer, gradient_of, update, steps):
    for _ in range(steps):
        p = update(p, gradient_of(p), optimizer)[0]
        optimizer = update(p, gradient_of(p), optimizer)[1]
    return p


def _first_p(p, optimizer, gradient_of, update, steps):
    new = p
    for _ in range(steps):
        new, optimizer = update(p, gradient_of(p), optimizer)
    return new


_ALWAYS_ONE = from_source("lambda p: [1.0 for _ in p]")
_ITSELF = from_source("lambda p: list(p)")
_ONE = from_source("lambda p: [1.0]")
_DOWN = from_source("lambda p, g, optimizer: ([p[0] - g[0]], optimizer + 1)")
_PLAIN_HALF = from_source("lambda p, g, optimizer: ([a - b / 2 for a, b in zip(p, g)], optimizer + 1)")
_SUM_OF_GRADIENTS = from_source(
    "lambda p, g, optimizer: ([a - 0.1 * (optimizer + b) for a, b in zip(p, g)], optimizer + g[0])"
)
_LONGER_AND_LONGER = from_source(
    "lambda p, g, optimizer: ([a - 0.1 * (optimizer + 1) * b for a, b in zip(p, g)], optimizer + 1)"
)

EXERCISES = {
    "11.a": Exercise(
        my_adamw_step,
        [
            [[1.0], [4.0], [0.0], [0.0], 1, 0.5, 0.5, 0.5, 0.0, 0.0],
            [[1.0, 2.0], [4.0, -4.0], [0.0, 0.0], [0.0, 0.0], 1, 0.5, 0.9, 0.999, 0.0, 0.0],
            [[1.0, -2.0], [0.5, 0.25], [0.1, -0.2], [0.01, 0.04], 3, 0.1, 0.5, 0.75, 0.5, 0.2],
            [*draw_inputs(1, (3,), (3,), (3,)), [0.5, 1.0, 0.25], 7, 0.01, 0.9, 0.999, 1e-8, 0.01],
            [*draw_inputs(2, (4,), (4,), (4,)), [0.1, 2.0, 0.3, 0.04], 200, 0.3, 0.8, 0.9, 0.1, 0.5],
        ],
        mistakes=_WRONG_ORDERS
        | {
            "the bias correction is missing": _adamw(correct=(False, False)),
            "m has no bias correction": _adamw(correct=(False, True)),
            "v has no bias correction": _adamw(correct=(True, False)),
            "the corrected m and v are returned; the next step needs them without the correction": _adamw(
                returns=(True, True)
            ),
            "the corrected m is returned; the next step needs it without the correction": _adamw(
                returns=(True, False)
            ),
            "the corrected v is returned; the next step needs it without the correction": _adamw(
                returns=(False, True)
            ),
            "the bias correction counts the steps from 0, not from 1": _adamw(from_zero=1),
            "the bias correction uses step + 1; step is already 1 in the first step": _adamw(from_zero=-1),
            "weight decay is added to the gradient: that is L2 regularization, not AdamW": _adamw(l2=True),
            "weight decay is not multiplied by lr": _adamw(decay=lambda lr, weight_decay: weight_decay),
            "weight decay is missing": _adamw(decay=lambda lr, weight_decay: 0.0),
            "weight decay makes the parameter larger, not smaller": _adamw(
                decay=lambda lr, weight_decay: -lr * weight_decay
            ),
            "v is the mean of the gradients, not of their squares": _adamw(squared=False),
            "the root of v is missing": _adamw(root=False),
            "eps is added under the root": _adamw(under=True),
            "the learning rate is missing": _adamw(use_lr=False),
            "p moves in the direction of the gradient, so the loss rises": _adamw(sign=-1),
            "weight decay subtracts lr · weight_decay without the factor p": _adamw(
                update=lambda x, shrink, move: x - shrink - move
            ),
            "weight decay is applied to the new p, not to the old one": _adamw(
                update=lambda x, shrink, move: (x - move) * (1 - shrink)
            ),
            "eps is missing": _adamw(no_eps=True),
            "v is the running mean of m², not of g²": _adamw(of_m=True),
            "p is computed from the old m": _adamw(old_m=True),
            "p is computed from g, not from m": _adamw(of_g=True),
            "m and v are multiplied by 1 − betaᵗ, and not divided by it": _adamw(
                divide=lambda mean, square, of_m, of_v: (mean * of_m, square * of_v)
            ),
            "v is corrected after its root is taken, not before": _adamw(
                divide=lambda mean, square, of_m, of_v: (mean / of_m, square / of_v**2)
            ),
            "v is corrected with beta_1, not with beta_2": _adamw(
                divide=lambda mean, square, of_m, of_v: (mean / of_m, square / of_m)
            ),
            "m is corrected with beta_2, not with beta_1": _adamw(
                divide=lambda mean, square, of_m, of_v: (mean / of_v, square / of_v)
            ),
            "beta_1 and beta_2 are exchanged in the bias correction": _adamw(
                divide=lambda mean, square, of_m, of_v: (mean / of_v, square / of_m)
            ),
            "the new gradient has the weight 1 in m, not 1 − beta_1": _adamw(
                weights=lambda beta_1, beta_2: (beta_1, 1.0, beta_2, 1 - beta_2)
            ),
            "the new gradient has the weight 1 in v, not 1 − beta_2": _adamw(
                weights=lambda beta_1, beta_2: (beta_1, 1 - beta_1, beta_2, 1.0)
            ),
            "v uses beta_1, not beta_2": _adamw(
                weights=lambda beta_1, beta_2: (beta_1, 1 - beta_1, beta_1, 1 - beta_1)
            ),
            "beta_1 and 1 − beta_1 are exchanged in m": _adamw(
                weights=lambda beta_1, beta_2: (1 - beta_1, beta_1, beta_2, 1 - beta_2)
            ),
            "beta and 1 − beta are exchanged in m and in v": _adamw(
                weights=lambda beta_1, beta_2: (1 - beta_1, beta_1, 1 - beta_2, beta_2)
            ),
            "beta_1 and beta_2 are exchanged": lambda p, g, m, v, step, lr, beta_1, beta_2, *rest: (
                my_adamw_step(p, g, m, v, step, lr, beta_2, beta_1, *rest)
            ),
        },
        parts=("p", "m", "v"),
    ),
    "11.b": Exercise(
        trained_by,
        [
            [[3.0], 0, _ONE, _DOWN, 2],
            [[8.0], 0, _ITSELF, _PLAIN_HALF, 3],
            [[5.0, 1.0], 0, _ITSELF, _LONGER_AND_LONGER, 4],
            [[4.0], 5, _ITSELF, _LONGER_AND_LONGER, 2],
            [[4.0], 1.0, _ITSELF, _SUM_OF_GRADIENTS, 3],
            [[2.0], 0, _ALWAYS_ONE, _LONGER_AND_LONGER, 0],
        ],
        mistakes={
            "the gradient is computed once and used in every step": _trained(new_gradient=False),
            "each step gets the first optimizer state, not the one that the last step returned": _trained(
                keep=False
            ),
            "one step is missing": _trained(fewer=1),
            "only one step is made": lambda p, optimizer, gradient_of, update, steps: trained_by(
                p, optimizer, gradient_of, update, 1
            ),
            "return is inside the loop, so only one step is made": (
                lambda p, optimizer, gradient_of, update, steps: (
                    trained_by(p, optimizer, gradient_of, update, 1) if steps else None
                )
            ),
            "update is called twice in a step, the second time with the new p": _called_twice,
            "every step starts from the first p": lambda p, optimizer, gradient_of, update, steps: _first_p(
                p, optimizer, gradient_of, update, steps
            ),
            "the number of the step is given to update, not the optimizer": (
                lambda p, optimizer, gradient_of, update, steps: trained_by(p, 0, gradient_of, update, steps)
            ),
            "there is one step too many": _trained(fewer=-1),
            "p and its gradient are exchanged in the call of update": _trained(swapped=True),
            "the optimizer is returned as well": lambda p, optimizer, gradient_of, update, steps: (
                trained_by(p, optimizer, gradient_of, update, steps),
                optimizer + steps,
            ),
        },
    ),
}
