"""What lesson 11 tells of trainings with frozen attention, and without one of the moments, from other seeds.

Each part takes a few minutes, learning_rates a quarter of an hour. All print the last loss of the third word,
and stop where the lesson says something else. optimizers trains with the learning rates of the table only.
"""

import math
import random

from helpers import adamw_init, adamw_step, dot, sgd_step, toy_backward, toy_forward, tree_map
from helpers.course.show import leaves
from helpers.course.state.network import SEED, TARGETS, TOKENS, draw_parameters
from helpers.course.training.toy_task import toy_task_gradients, train_toy

TOLD = {42: "0.70", 1: "0.70", 2: "0.70", 3: "0.71", 4: "0.98"}
FROZEN = ["W_Q", "W_K"]

# rule: (beta_1, beta_2 or None for a rule without v, learning rates)
RULES = {
    "neither": (0.0, None, (0.1, 0.3, 0.6, 1.0)),
    "m only": (0.9, None, (0.1, 0.3, 0.6, 1.0)),
    "v only": (0.0, 0.95, (0.002, 0.005, 0.01, 0.02)),
    "m and v": (0.9, 0.95, (0.002, 0.005, 0.01, 0.02)),
}

# rule: the learning rate with the lowest mean, and its losses of the third word with the seeds of TOLD
BEST = {
    "neither": (0.6, "1.10 1.08 1.10 1.10 1.10"),
    "m only": (0.6, "1.39 1.84 0.19 1.11 0.74"),
    "v only": (0.01, "0.01 0.00 0.00 0.02 0.00"),
    "m and v": (0.01, "0.00 0.00 0.00 0.00 0.00"),
}


def third_word(seed):
    """The loss of the third word before each training step, with every attention score at 0."""
    parameters = draw_parameters(random.Random(seed))
    for name in FROZEN:
        parameters[name] = tree_map(lambda row: [0.0] * len(row), parameters[name])
    _, history = train_toy(parameters, steps=300, lr=0.005, frozen=FROZEN)
    return [losses[2] for losses in history]


def frozen():
    for seed, told in TOLD.items():
        losses = third_word(seed)
        print(f"seed {seed}: {losses[-1]:.4f}, the lowest {min(losses):.4f}")
        assert f"{losses[-1]:.2f}" == told and min(losses) > math.log(2)


def without_v(parameters, gradients, optimizer, lr, beta_1):
    """Gradient descent along the first moment, with bias correction."""
    step = optimizer["step"] + 1
    m = tree_map(
        lambda m, g: [beta_1 * a + (1 - beta_1) * b for a, b in zip(m, g)], optimizer["m"], gradients
    )
    rate = lr / (1 - beta_1**step)
    new = tree_map(lambda p, m: [a - rate * b for a, b in zip(p, m)], parameters, m)
    return new, {**optimizer, "step": step, "m": m}


def losses_after(rule, lr, seed, steps=300):
    """The losses of the three words and the end after training on the six sentences with a rule."""
    beta_1, beta_2, _ = RULES[rule]
    parameters = draw_parameters(random.Random(seed))
    optimizer = adamw_init(parameters)
    for _ in range(steps):
        _, gradients = toy_task_gradients(parameters)
        if beta_2 is None:
            parameters, optimizer = without_v(parameters, gradients, optimizer, lr, beta_1)
        else:
            parameters, optimizer = adamw_step(
                parameters, gradients, optimizer, lr, (beta_1, beta_2), weight_decay=0.0
            )
    return toy_task_gradients(parameters)[0]


def optimizers():
    for rule, (lr, told) in BEST.items():
        assert " ".join(f"{losses_after(rule, lr, seed)[2]:.2f}" for seed in TOLD) == told
        print(rule, lr, told, flush=True)


def learning_rates():
    seeds, without = list(TOLD), []
    for rule, (learning_rate, told) in BEST.items():
        found = {}
        for lr in RULES[rule][2]:
            found[lr] = [losses_after(rule, lr, seed)[2] for seed in seeds]
            print(rule, lr, *(f"{loss:.4f}" for loss in found[lr]), flush=True)
            without += found[lr] if RULES[rule][1] is None else []
        best = min(found, key=lambda lr: sum(found[lr]))
        assert best == learning_rate and " ".join(f"{loss:.2f}" for loss in found[best]) == told
    assert len(without) == 40 and [f"{loss:.2f}" for loss in sorted(without)[:2]] == ["0.19", "0.40"]


def descent(seed, steps, lr, factor=1):
    """The loss of the third word after gradient descent with `factor` times lr for W_Q and W_K."""
    parameters = draw_parameters(random.Random(seed))
    for _ in range(steps):
        _, gradients = toy_task_gradients(parameters)
        for name in FROZEN:
            gradients[name] = tree_map(lambda row: [factor * x for x in row], gradients[name])
        parameters = sgd_step(parameters, gradients, lr)
    return toy_task_gradients(parameters)[0][2]


def longer_steps():
    """Gradient descent with longer steps for W_Q and W_K only, and 900 steps without them."""
    for seed, told in {42: "0.02", 1: "0.19", 2: "0.16", 3: "0.02", 4: "0.56"}.items():
        assert f"{descent(seed, 300, 0.1, factor=1000):.2f}" == told
    assert f"{descent(42, 900, 0.6):.3f}" == "0.004"


def first_steps():
    """What ten steps of gradient descent, one of Adam, and steps after a jump of the gradient do."""
    p, rows = draw_parameters(random.Random(SEED)), []
    for _ in range(8):
        gradients, _ = toy_backward(p, toy_forward(p, TOKENS, TARGETS), TOKENS, TARGETS)
        rows.append([x for name in p for x in leaves(gradients[name])])
        p = sgd_step(p, gradients, 0.5)
    cosines = [dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) for a, b in zip(rows, rows[1:])]
    print(*(f"{cosine:.2f}" for cosine in cosines[3:]))
    assert [f"{cosine:.2f}" for cosine in cosines[3:]] == ["-0.59", "-0.78", "-0.76", "-0.86"]
    assert rows[0].count(0.0) == 48 and sum(0 < abs(g) / (abs(g) + 1e-8) < 0.99 for g in rows[0]) == 43
    for beta_2, longest in ((0.999, (12, "6.57")), (0.95, (20, "1.10"))):
        m, v, steps = 0.01, 0.01**2, []
        for _ in range(100):
            m, v = 0.9 * m + 0.1, beta_2 * v + (1 - beta_2)
            steps.append(m / math.sqrt(v))
        assert (steps.index(max(steps)) + 1, f"{max(steps):.2f}") == longest


PARTS = {
    "first_steps": first_steps,
    "frozen": frozen,
    "longer_steps": longer_steps,
    "optimizers": optimizers,
    "learning_rates": learning_rates,
}
