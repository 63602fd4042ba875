"""Training on rewards, of names that lesson 14's model writes: REINFORCE, with GRPO's advantages or a KL
penalty, and rejection sampling. And what lesson 22b shows of a policy gradient and of PPO's clipped ratio.
"""

import math
import random

from ...finite_differences import numerical_gradient
from ...optimizers import adamw_init
from ...preferences import advantages, clipped_objective, penalized_reward
from ..show.display import table
from ..show.plots import curves
from ..training.loop import descend, last_parameters
from .lesson_22_tuning import (
    draw_names,
    groups,
    log_probabilities,
    mean_value,
    spell_name,
    token_weights,
    update,
    watch_steps,
    weighted_gradients,
)

# --- ways to train


def reinforce(model, reward, normalize=advantages, beta=0.0, steps=60, seed=1, n=16):
    """(the trained parameters, what was seen): the model writes n names a step, and learns from their
    rewards."""
    config, first, rng, seen = model["config"], model["parameters"], random.Random(seed), []
    parameters, optimizer = first, adamw_init(first)
    for _ in watch_steps(steps, seen, reward_curves):
        names = draw_names(config, parameters, n, rng)
        texts = [spell_name(name, model["vocab"]) for name in names]
        rewards = [reward(text) for text in texts]
        seen.append((rewards, texts))
        if beta:
            new, ref = (log_probabilities(config, p, names) for p in (parameters, first))
            rewards = [penalized_reward(*row, beta) for row in zip(rewards, new, ref)]
        weights = token_weights(names, normalize(rewards))
        gradients = weighted_gradients(config, parameters, names, weights)
        parameters, optimizer = update(parameters, optimizer, gradients, lr=0.003)
    return parameters, seen


def imitate(model, names, steps=60, seed=1):
    """The parameters after supervised training on some names, 16 of them a step."""
    rng, n = random.Random(seed), 16

    def of_batch(parameters):
        batch, weights = [rng.choice(names) for _ in range(n)], [1.0] * n
        return None, weighted_gradients(model["config"], parameters, batch, token_weights(batch, weights))

    return last_parameters(descend(model["parameters"], of_batch, steps, lr=0.003, betas=(0.9, 0.99)))


# --- what the lesson shows


def mean_row(p, rows):
    """The mean of the rows, where row i has the probability p[i].

    >>> mean_row([0.75, 0.25], [[4.0, 0.0], [8.0, 1.0]])
    [5.0, 0.25]
    """
    return [math.fsum(chance * x for chance, x in zip(p, column)) for column in zip(*rows)]


def contributions_table(p, ways):
    """The mean of what the names contribute to the policy gradient, and the spread around it: a row a way."""
    heads = ["weight of a name", "mean for name 0", *(f"name {i}" for i in range(1, len(p))), "spread"]
    rows = [
        [name, *(f"{x:.2f}" for x in mean_row(p, some)), f"{spread_of_rows(p, some):.2f}"]
        for name, some in ways.items()
    ]
    return table(heads, rows)


def spread_of_rows(p, rows):
    """The root of the mean squared distance of the rows from their mean, where row i has probability p[i].

    >>> spread_of_rows([0.5, 0.5], [[3.0, 1.0], [-3.0, 1.0]])
    3.0
    """
    mean = mean_row(p, rows)
    squares = [math.fsum((x - m) ** 2 for x, m in zip(row, mean)) for row in rows]
    return math.sqrt(math.fsum(chance * d for chance, d in zip(p, squares)))


def clipped_cases(eps):
    """The objective and its derivative with respect to the ratio, for a good and a bad token that has become
    more and less probable."""
    rows = []
    for A in (2, -2):
        for r in (1.5, 0.5):
            [slope] = numerical_gradient(lambda x: clipped_objective(x[0], A, eps), [r])
            rows.append([f"{r}", A, clipped_objective(r, A, eps), slope])
    return table(["ratio", "advantage", "clipped objective", "its gradient"], rows, decimals=1)


def reward_curves(seen, title="reward and variety", largest=1.0):
    """The mean reward, as a fraction of the largest one, and the fraction of different names, of the names
    of each 5 steps."""
    reward, variety = [], []
    for step, entries in groups(seen):
        texts = [text for _, some in entries for text in some]
        reward.append((step, mean_value(r for some, _ in entries for r in some) / largest))
        variety.append((step, len(set(texts)) / len(texts)))
    return curves({"mean reward": reward, "different names": variety}, title, "step", "fraction")
