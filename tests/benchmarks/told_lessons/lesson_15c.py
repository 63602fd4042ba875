"""What lesson 15c says about hidden units and vowels, in models of names from five seeds.

Trains five models, about two minutes, and stops where a sentence of the lesson does not hold.
"""

import random

from helpers import gpt_forward, mean_loss
from helpers.course.training.loop import start_run, train

from .lesson_14 import CONFIG, SEEDS, TEST, TRAINING, VOCAB

W_2, VOWELS = "h.0.mlp.c_proj.weight", "aeiou"


def mean_activations(parameters):
    """{letter: the mean activation of each hidden unit at this letter}, as lesson 15c computes it."""
    found = {}
    for document in TEST[:200]:
        activated = gpt_forward(CONFIG, parameters, document[:-1])["h.0.mlp.activated"]
        for token, row in zip(document, activated):
            found.setdefault(VOCAB[token], []).append(row)
    return {letter: [sum(c) / len(c) for c in zip(*rows)] for letter, rows in found.items() if len(rows) > 5}


def gaps(means, group):
    """For each unit: its lowest mean in the group minus its highest outside it."""
    others = [letter for letter in means if letter not in group]
    return [
        min(means[letter][unit] for letter in group) - max(means[letter][unit] for letter in others)
        for unit in range(CONFIG["n_inner"])
    ]


def random_groups(means):
    """How many of 1,000 random groups of five letters some unit separates, as lesson 15c draws them."""
    rng, letters = random.Random(0), sorted(letter for letter in means if len(letter) == 1)
    groups = [rng.sample(letters, 5) for _ in range(1000)]
    return sum(max(gaps(means, group)) > 0 for group in groups)


def ablated(parameters, units):
    rows = [[0.0 if i in units else w for i, w in enumerate(row)] for row in parameters[W_2]]
    return mean_loss(CONFIG, {**parameters, W_2: rows}, TEST) - mean_loss(CONFIG, parameters, TEST)


def main():
    for seed in SEEDS:
        untrained = mean_activations(start_run(TRAINING, CONFIG, VOCAB, {"seed": seed})["parameters"])
        parameters = train(TRAINING, CONFIG, VOCAB, {"seed": seed})["parameters"]
        means = mean_activations(parameters)
        before, found, groups = max(gaps(untrained, VOWELS)), gaps(means, VOWELS), random_groups(means)
        units = [unit for unit, gap in enumerate(found) if gap > 0]
        rest = [unit for unit, gap in enumerate(found) if gap <= 0]
        costs = [ablated(parameters, random.Random(n).sample(rest, len(units))) for n in range(3)]
        whole = ablated(parameters, units)
        print(f"seed {seed}: best gap {before:.2f} before training, {max(found):.2f} after")
        print(f"    {len(units)} units; {groups} of 1,000 random groups have one")
        print(f"    ablated together: {whole:+.3f}; as many others:", *(f"{cost:+.3f}" for cost in costs))
        assert before < 0 and max(found) > 1 and units and not groups and whole > 3 * max(costs)
