"""What lesson 22b says about several seeds: REINFORCE, KL penalty, GRPO's advantages, rejection sampling;
reward hacking.

The parts take one to five minutes each on a free core, after the model of lesson 14. Each prints a row for
each run, and stops with an AssertionError where the lesson says something else. With seeds it prints their
rows only.
"""

import functools
import json
import random

from helpers.course.lessons.lesson_22_tuning import draw_names, spell_name, written_names
from helpers.course.lessons.lesson_22b_policy import imitate, reinforce
from helpers.preferences import advantages, group_advantages

from .lesson_22 import BETA, SEEDS, course_model, ends_in_a, names

# --- names


def own_good_names(model, seed):
    """Those of 960 names of the model that end in a: as many names as 60 steps of 16 draw."""
    names = draw_names(model["config"], model["parameters"], 960, random.Random(seed))
    return [name for name in names if ends_in_a(spell_name(name, model["vocab"]))]


def on_good_names(model, seed):
    return imitate(model, own_good_names(model, seed), seed=seed), []


def on_rewards(model, seed, normalize=advantages, beta=0.0):
    return reinforce(model, ends_in_a, normalize, beta, seed=seed)


# --- reward hacking


def how_many_a(name):
    return float(name.count("a"))


def hacked(model, reward, steps, seed):
    """A row about a model that was trained on a reward that it can exploit."""
    parameters, _ = reinforce(model, reward, group_advantages, steps=steps, seed=seed)
    texts = written_names(model, parameters)
    most = max(set(texts), key=texts.count)
    return {
        "reward": sum(map(reward, texts)) / len(texts),
        "different": len(set(texts)),
        "longest": sum(text.endswith("\u2026") for text in texts),
        "most": most,
        "times": texts.count(most),
        "some": texts[:12],
    }


def hacking(reward, steps, seeds=None):
    model, _ = course_model()
    rows = []
    for seed in seeds or SEEDS:
        rows.append(hacked(model, reward, steps, seed))
        print(json.dumps([reward.__name__, seed, rows[-1]]), flush=True)
    if seeds:
        return
    assert all(row["longest"] > 280 for row in rows)


PARTS = {
    "reinforce": functools.partial(names, "REINFORCE", on_rewards),
    "kl": functools.partial(names, "REINFORCE, KL penalty", functools.partial(on_rewards, beta=BETA)),
    "grpo": functools.partial(
        names, "GRPO's advantages", functools.partial(on_rewards, normalize=group_advantages)
    ),
    "rejection": functools.partial(names, "rejection sampling", on_good_names),
    "letters_a": functools.partial(hacking, how_many_a, 45),
}
