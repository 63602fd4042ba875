"""Training on preferences: names drawn from lesson 14's model, gradients with a weight for each token, DPO's
pairs, and the figure that grows meanwhile.

A model is a dict with config, vocab and parameters. A name is a document, token ids from <BOS> to <EOS>.
After each step the weights are rounded to single precision: a difference in the last bit of a weight
would make the model draw other names.
"""

import math
import random

from ...optimizers import adamw_init, adamw_step
from ...parameters import single_precision, tree_map
from ...preferences import dpo_loss, dpo_loss_backward, dpo_margin
from ...sampling import sample
from ..engine import fast_generate, fast_loss, faster, product
from ..show.display import table
from ..show.plots import curves
from ..show.status import Line

BOS, EOS = 1, 2
EVERY = 5  # steps are one point of a figure
OPEN = "…"  # stands behind a name to which the model has found no end

# --- names and their probabilities


def draw_names(config, parameters, n, rng):
    """n names that the model writes, as documents. A name as long as the model allows may have no <EOS>."""

    def choose(logits):
        return sample(faster()["softmax"](logits), rng)

    return [
        fast_generate(config, parameters, [BOS], choose, config["n_positions"] + 1, EOS) for _ in range(n)
    ]


def spell_name(document, vocab):
    """The name of a document as text; a name without <EOS> ends in an ellipsis.

    >>> spell_name([1, 4, 3, 2], ["<PAD>", "<BOS>", "<EOS>", "a", "b"])
    'ba'
    >>> spell_name([1, 4, 3], ["<PAD>", "<BOS>", "<EOS>", "a", "b"])
    'ba…'
    """
    name = "".join(vocab[token] for token in document if token > EOS)
    return name if document[-1] == EOS else name + OPEN


def forward_passes(config, parameters, documents):
    """The activations of each document."""
    forward = faster()["gpt_forward"]
    return [forward(config, parameters, tokens[:-1], tokens[1:]) for tokens in documents]


def losses_of_tokens(config, parameters, documents):
    """The losses of each document's tokens; minus their sum is the log-probability of the document."""
    return [passed["losses"] for passed in forward_passes(config, parameters, documents)]


def log_probabilities(config, parameters, documents):
    """The log-probability of each document: minus the sum of its tokens' losses."""
    return [-math.fsum(some) for some in losses_of_tokens(config, parameters, documents)]


# --- a training step


def token_weights(documents, weights):
    """The derivative of the mean of weight · (sum of losses) by each token's loss: weight / n.

    >>> token_weights([[1, 4, 2], [1, 2]], [0.5, -0.5])
    [[0.25, 0.25], [-0.25]]
    """
    return [[w / len(documents)] * (len(d) - 1) for d, w in zip(documents, weights, strict=True)]


def weighted_gradients(config, parameters, documents, weights, passes=None):
    """The gradients of Σ weight · loss over all tokens; weights has a list for each document.

    passes are the activations of the documents, where a caller has them.
    """
    trees, backward = [], faster()["gpt_backward"]
    passes = passes or forward_passes(config, parameters, documents)
    for tokens, some, activations in zip(documents, weights, passes, strict=True):
        trees.append(backward(config, parameters, activations, tokens[:-1], tokens[1:], some))
    if len(trees) == 1:
        return trees[0]

    def total(*vectors):
        return product([[1.0] * len(vectors)], list(zip(*vectors)))[0]

    return faster()["tree_map"](total, *trees)


def update(parameters, optimizer, gradients, lr=0.003):
    """One step of AdamW without weight decay, rounded to single precision."""
    parameters, optimizer = adamw_step(
        parameters, gradients, optimizer, lr, betas=(0.9, 0.99), weight_decay=0.0
    )
    return tree_map(single_precision, parameters), optimizer


# --- ways to train


def chosen_and_rejected(model, reward, n=400, seed=1):
    """Finished names of the model: those with a reward, and those without."""
    names = draw_names(model["config"], model["parameters"], n, random.Random(seed))
    finished = [name for name in names if name[-1] == EOS]
    sides = {True: [], False: []}
    for name in finished:
        sides[reward(spell_name(name, model["vocab"])) > 0].append(name)
    return sides[True], sides[False]


def dpo(model, chosen, rejected, beta, steps=60, seed=1, n=8, loss_of=None):
    """(the trained parameters, what was seen): each step takes n pairs of a chosen and a rejected name.

    loss_of(new_chosen, ref_chosen, new_rejected, ref_rejected, beta) gives the losses that are seen.
    """
    config, first, rng, seen = model["config"], model["parameters"], random.Random(seed), []
    parameters, optimizer = first, adamw_init(first)
    every = [*chosen, *rejected]
    of_first = dict(zip(map(tuple, every), log_probabilities(config, first, every)))
    for _ in watch_steps(steps, seen, gain_curves):
        names = [rng.choice(chosen) for _ in range(n)] + [rng.choice(rejected) for _ in range(n)]
        passes = forward_passes(config, parameters, names)
        new = [-math.fsum(passed["losses"]) for passed in passes]
        ref = [of_first[tuple(name)] for name in names]
        margins = [dpo_margin(new[i], ref[i], new[n + i], ref[n + i], beta) for i in range(n)]
        pulls = [2 * beta * dpo_loss_backward(margin) for margin in margins]  # 2: a pair is two names
        weights = token_weights(names, [-pull for pull in pulls] + pulls)
        gradients = weighted_gradients(config, parameters, names, weights, passes)
        parameters, optimizer = update(parameters, optimizer, gradients)
        gains = [a - b for a, b in zip(new, ref)]
        if loss_of:
            losses = [loss_of(new[i], ref[i], new[n + i], ref[n + i], beta) for i in range(n)]
        else:
            losses = map(dpo_loss, margins)
        seen.append((mean_value(losses), mean_value(gains[:n]), mean_value(gains[n:])))
    return parameters, seen


# --- what came out


def mean_value(numbers):
    numbers = list(numbers)
    return math.fsum(numbers) / len(numbers)


def written_names(model, parameters):
    """300 names of the model with these parameters, as texts."""
    names = draw_names(model["config"], parameters, 300, random.Random(11))
    return [spell_name(name, model["vocab"]) for name in names]


def measure_names(model, parameters, reward, test_set):
    """What the lesson's table says of a model: rewards and variety of 300 names, and losses on the test set.

    "ends in a" is the loss of those test names that end in a; "end after a" is the probability that a name
    that begins with a ends there.
    """
    config, a = model["config"], model["vocab"].index("a")
    texts = written_names(model, parameters)
    after_a = faster()["gpt_forward"](config, parameters, [BOS, a])["logits"][-1]
    return {
        "texts": texts,
        "reward": mean_value(map(reward, texts)),
        "different": len(set(texts)),
        "letters": mean_value(len(text.rstrip(OPEN)) for text in texts),
        "ends in a": fast_loss(config, parameters, [d for d in test_set if d[-2] == a]),
        "end after a": faster()["softmax"](after_a)[EOS],
    }


def names_table(runs):
    """A row for each {name: what measure_names gives}."""
    heads = ["", "end in a", "different of 300", "letters", "loss, test names that end in a"]
    rows = [
        [
            name,
            f"{found['reward']:.0%}",
            found["different"],
            f"{found['letters']:.1f}",
            f"{found['ends in a']:.2f}",
            f"{found['end after a']:.2f}",
        ]
        for name, found in runs.items()
    ]
    return table([*heads, "P(end) when the first letter is a"], rows)


# --- the figures that grow


def watch_steps(steps, seen, figure):
    """Count the steps, and show the figure of what was seen so far."""
    line = Line("training", steps)
    try:
        for step in range(steps):
            yield step
            line.step()
            if len(seen) >= 2 * EVERY and (step + 1) % EVERY == 0:
                line.keep(figure(seen))
    finally:
        line.clear()


def groups(seen):
    """(the last step, the entries) of each EVERY steps."""
    return [(end, seen[end - EVERY : end]) for end in range(EVERY, len(seen) + 1, EVERY)]


def gain_curves(seen, title="how the log-probabilities change"):
    """The mean change of the log-probability of the chosen and of the rejected names of each 5 steps."""
    lines = {"chosen": [], "rejected": []}
    for step, entries in groups(seen):
        lines["chosen"].append((step, mean_value(gain for _, gain, _ in entries)))
        lines["rejected"].append((step, mean_value(gain for _, _, gain in entries)))
    return curves(lines, title, "step", "log-probability, new − ref")
