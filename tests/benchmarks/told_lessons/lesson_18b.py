"""What lesson 18b says about trainings that it does not run: five seeds with and without experts.

Trains for some minutes, prints each row as the lesson has it, and stops where one is not so.
"""

import math
import random

from helpers import count_parameters, dispatch, expert_loads
from helpers.course.lessons.lesson_18b_routing import experts_forward, train_experts

from . import told
from .lesson_14 import CONFIG, SEEDS, TEST, TRAINING, VOCAB


def trained(N, F, balance, seed):
    """The config, the parameters, and what the model computes for the test set."""
    config = {**CONFIG, "n_inner": F, "n_expert": N}
    parameters = train_experts(TRAINING, config, VOCAB, balance, {"seed": seed})["parameters"]
    return config, parameters, experts_forward(config, parameters, TEST)


def mean(losses):
    return math.fsum(losses) / len(losses)


def row(name, N, F, runs):
    """A row of the table of losses; a single network has no router."""
    losses = [mean(a["losses"]) for _, _, a in runs]
    config, parameters, _ = runs[0]
    size = count_parameters(parameters) - config["n_embd"] * (N == 1)
    work = 2 * CONFIG["n_embd"] * F + CONFIG["n_embd"] * N * (N > 1)
    return f"{name} | {size:,} | {work:,} | {mean(losses):.2f} | {min(losses):.3f} to {max(losses):.3f}"


VOWELS = {VOCAB.index(letter) for letter in "aeiou"}


def with_most_vowels(a):
    """The expert that gets the most vowels: how many percent of its tokens they are, and the letters that
    go to it more often than to any other."""
    tokens, groups = a["tokens"], dispatch(a["probabilities"])
    own = max(groups, key=lambda group: sum(tokens[t] in VOWELS for t in group))

    def is_own(letter):
        counts = [sum(tokens[t] == letter for t in group) for group in groups]
        return groups[counts.index(max(counts))] is own

    letters = " ".join(VOCAB[letter] for letter in sorted(set(tokens)) if is_own(letter))
    return f"{100 * sum(tokens[t] in VOWELS for t in own) / len(own):.0f} | {letters}"


def experts_of_bos(a):
    """How many experts get tokens <BOS>."""
    bos = VOCAB.index("<BOS>")
    return sum(any(a["tokens"][t] == bos for t in group) for group in dispatch(a["probabilities"]))


def percent(loads):
    return ", ".join(f"{100 * load:.0f}" for load in loads)


def facts():
    """256 facts a b c, with a drawn c for each pair a b: what networks and experts remember of them."""
    rng, symbols = random.Random(7), range(3, 19)
    documents = [[1, a, b, 3 + rng.randrange(16), 2] for a in symbols for b in symbols]
    config = {"vocab_size": 19, "n_positions": 4, "n_embd": 16, "n_layer": 1, "n_head": 2}
    found = {}
    for name, N, F in (
        ("one network, F = 16", 1, 16),
        ("one network, F = 64", 1, 64),
        ("four experts, F = 16, with the load-balancing loss", 4, 16),
    ):
        chosen, losses = {**config, "n_inner": F, "n_expert": N}, []
        for seed in SEEDS:
            settings = {"seed": seed, "batch_size": 16, "weight_decay": 0.0}
            run = train_experts(documents, chosen, [], 0.02 * (N > 1), settings)
            all_losses = experts_forward(chosen, run["parameters"], documents)["losses"]
            losses.append(mean(all_losses[2::4]))
        found[name], work = losses, 2 * 16 * F + 16 * N * (N > 1)
        told(f"{name} | {work:,} | {mean(losses):.2f} | {min(losses):.2f} to {max(losses):.2f}")
    small, _, experts = found.values()
    assert all(a < b for a, b in zip(experts, small))


def names():
    kinds = {
        "one network, F = 16": (1, 16, 0.0),
        "one network, F = 64": (1, 64, 0.0),
        "four experts, F = 16, without balancing": (4, 16, 0.0),
        "four experts, F = 16, with the load-balancing loss": (4, 16, 0.02),
    }
    runs = {name: [trained(*kind, seed) for seed in SEEDS] for name, kind in kinds.items()}
    for name, (N, F, _) in kinds.items():
        told(row(name, N, F, runs[name]))
    active = runs["four experts, F = 16, without balancing"][0][1]
    idle = [name for name in active if "experts." in name and "experts.0." not in name]
    total, working = (count_parameters(p) for p in (active, {n: active[n] for n in active if n not in idle}))
    told(f"this lesson's | 4 | 1 | {total:,} | {working:,}")
    single, wide, unbalanced, balanced = runs.values()
    for _, large, *experts in zip(single, wide, unbalanced, balanced, strict=True):
        worse = all(mean(a["losses"]) > mean(large[2]["losses"]) for _, _, a in experts)
        assert worse, "experts are worse than the network of width 64, with each seed"
    for seed, (_, _, plain), (_, _, a) in zip(SEEDS, unbalanced, balanced, strict=True):
        loads = [percent(expert_loads(each["probabilities"])) for each in (plain, a)]
        told(f"{seed} | {loads[0]} | {loads[1]} | {with_most_vowels(a)}")
        assert experts_of_bos(a) == 1, "all tokens <BOS> go to one expert"
    tokens = balanced[0][2]["tokens"]
    told(f"vowels are {100 * sum(token in VOWELS for token in tokens) / len(tokens):.0f} % of all tokens")


PARTS = {"names": names, "facts": facts}
