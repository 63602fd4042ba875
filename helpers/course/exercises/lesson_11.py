"""Lesson 11, hidden side. Reading on gives answers away."""

import math

from .exercise import Exercise, draw_inputs, written


def rolls(n, beta_1, beta_2):
    return _rolls()(n, beta_1, beta_2)


def _rolls(correct=True, root=math.sqrt, stays=0.0, steps=lambda n: range(1, n + 1)):
    """rolls with something left out, or in other steps."""

    def rolled(n, beta_1, beta_2):
        total = 0.0
        for t in steps(n):
            m = (1 - beta_1) * sum(beta_1 ** (t - s) * (1.0 if s == 1 else stays) for s in range(1, t + 1))
            v = (1 - beta_2) * sum(beta_2 ** (t - s) * (1.0 if s == 1 else stays) for s in range(1, t + 1))
            total += m / (1 - beta_1**t) / root(v / (1 - beta_2**t)) if correct else m / root(v)
        return total

    return rolled


def my_adamw_step(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay):
    return _adamw()(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay)


def _adamw(
    correct=True,
    l2=False,
    squared=True,
    root=True,
    sign=1,
    lr_on_decay=True,
    under=False,
    no_decay=False,
    keep=False,
):
    """A step of AdamW, with one thing done otherwise."""

    def stepped(p, g, m, v, step, lr, beta_1, beta_2, eps, weight_decay):
        new_p, new_m, new_v = [], [], []
        for x, derivative, first, second in zip(p, g, m, v):
            derivative += weight_decay * x if l2 else 0.0
            first = beta_1 * first + (1 - beta_1) * derivative
            second = beta_2 * second + (1 - beta_2) * (derivative * derivative if squared else derivative)
            mean = first / (1 - beta_1**step) if correct else first
            square = second / (1 - beta_2**step) if correct else second
            size = square + eps if not root else math.sqrt(square + eps) if under else math.sqrt(square) + eps
            shrink = 0.0 if l2 or no_decay else (lr if lr_on_decay else 1.0) * weight_decay
            new_p.append(x - shrink * x - sign * lr * mean / size)
            new_m.append(mean if keep else first)
            new_v.append(square if keep else second)
        return new_p, new_m, new_v

    return stepped


def my_train(p, memory, gradient_of, update, steps):
    return _trained()(p, memory, gradient_of, update, steps)


def _trained(ask_again=True, remember=True, fewer=0, swapped=False):
    """my_train with something forgotten."""

    def trained(p, memory, gradient_of, update, steps):
        first = gradient_of(p)
        for _ in range(steps - fewer):
            g = gradient_of(p) if ask_again else first
            p, new_memory = update(g, p, memory) if swapped else update(p, g, memory)
            memory = new_memory if remember else memory
        return p

    return trained


_ALWAYS_ONE = written("lambda p: [1.0 for _ in p]")
_ITSELF = written("lambda p: list(p)")
_ONE = written("lambda p: [1.0]")
_DOWN = written("lambda p, g, memory: ([p[0] - g[0]], memory + 1)")
_PLAIN_HALF = written("lambda p, g, memory: ([a - b / 2 for a, b in zip(p, g)], memory + 1)")
_LONGER_AND_LONGER = written(
    "lambda p, g, memory: ([a - 0.1 * (memory + 1) * b for a, b in zip(p, g)], memory + 1)"
)

EXERCISES = {
    "11.1": Exercise(
        rolls,
        [
            [2, 0.5, 0.8],
            [1, 0.5, 0.8],
            [1, 0.9, 0.999],
            [12, 0.9, 0.999],
            [3, 0.5, 0.75],
            [4, 0.0, 0.95],
            [200, 0.9, 0.99],
        ],
        slips={
            "the bias is not corrected": _rolls(correct=False),
            "the root of v is forgotten": _rolls(root=lambda v: v),
            "only the last move is given, and not all together": _rolls(steps=lambda n: [n]),
            "the gradient stays as it was": _rolls(stays=1.0),
            "one step is missing": _rolls(steps=lambda n: range(1, n)),
            "it stops after the first step": _rolls(steps=lambda n: [1]),
        },
    ),
    "11.a": Exercise(
        my_adamw_step,
        [
            [[1.0], [4.0], [0.0], [0.0], 1, 0.5, 0.5, 0.5, 0.0, 0.0],
            [[1.0, 2.0], [4.0, -4.0], [0.0, 0.0], [0.0, 0.0], 1, 0.5, 0.9, 0.999, 0.0, 0.0],
            [[1.0, -2.0], [0.5, 0.25], [0.1, -0.2], [0.01, 0.04], 3, 0.1, 0.5, 0.75, 0.5, 0.2],
            [*draw_inputs(1, (3,), (3,), (3,)), [0.5, 1.0, 0.25], 7, 0.01, 0.9, 0.999, 1e-8, 0.01],
            [*draw_inputs(2, (4,), (4,), (4,)), [0.1, 2.0, 0.3, 0.04], 200, 0.3, 0.8, 0.9, 0.1, 0.5],
        ],
        slips={
            "the bias is not corrected": _adamw(correct=False),
            (
                "the corrected m and v are returned: only this step uses them, and the means go on as they "
                "were"
            ): _adamw(keep=True),
            "the decay is put into the gradient: that is Adam with L2, and not AdamW": _adamw(l2=True),
            "the decay is not multiplied by lr": _adamw(lr_on_decay=False),
            "the decay is forgotten": _adamw(no_decay=True),
            "v averages the gradient, and not its square": _adamw(squared=False),
            "the root of v is forgotten": _adamw(root=False),
            "eps stands under the root": _adamw(under=True),
            "p moves uphill": _adamw(sign=-1),
        },
        parts=("p", "m", "v"),
    ),
    "11.b": Exercise(
        my_train,
        [
            [[3.0], 0, _ONE, _DOWN, 2],
            [[8.0], 0, _ITSELF, _PLAIN_HALF, 3],
            [[5.0, 1.0], 0, _ITSELF, _LONGER_AND_LONGER, 4],
            [[2.0], 0, _ALWAYS_ONE, _LONGER_AND_LONGER, 0],
        ],
        slips={
            "the gradient is found once, and used again in every step": _trained(ask_again=False),
            "what was remembered does not go into the next step": _trained(remember=False),
            "one step is missing": _trained(fewer=1),
            "p and its gradient change places in the call of update": _trained(swapped=True),
            "the memory is returned as well": lambda p, memory, gradient_of, update, steps: (
                my_train(p, memory, gradient_of, update, steps),
                memory + steps,
            ),
        },
    ),
}
