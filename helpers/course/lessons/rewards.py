"""Training on rewards: names drawn from lesson 14's model, weighted gradients, DPO's pairs, and the figure
that grows meanwhile.

A name is a document, token ids from <BOS> to <EOS>. The models are trained in single precision: drawing
names would carry a difference in the last bit of a weight on to other names.
"""

import math
import random
from array import array

from ...optimizers import adamw_init, adamw_step
from ...parameters import tree_map
from ...preferences import advantages, dpo_loss, dpo_loss_backward, dpo_margin, penalized_reward
from ...sampling import sample
from .fast_gpt import FASTER, fast_generate, fast_loss, product

BOS, EOS = 1, 2


def draw_names(config, parameters, n, rng):
    """n names written by the model, as documents; one that has no end has no <EOS>."""

    def choose(logits):
        return sample(FASTER["softmax"](logits), rng)

    return [fast_generate(config, parameters, [BOS], choose, config["n_positions"] + 1, EOS) for _ in range(n)]


def spell(document, vocab):
    """The name of a document; … stands where the model came to no end."""
    name = "".join(vocab[token] for token in document if token > EOS)
    return name if document[-1] == EOS else name + "…"


def losses_of(config, parameters, documents):
    """The losses of each document's tokens."""
    forward = FASTER["gpt_forward"]
    return [forward(config, parameters, tokens[:-1], tokens[1:])["losses"] for tokens in documents]


def log_probabilities(config, parameters, documents):
    """The log-probability of each document: minus the sum of its losses."""
    return [-math.fsum(losses) for losses in losses_of(config, parameters, documents)]


def weighted_gradients(config, parameters, documents, weights):
    """The gradients of Σ weight · loss over all tokens: weights has a list of numbers for each document."""
    trees = []
    for tokens, some in zip(documents, weights, strict=True):
        activations = FASTER["gpt_forward"](config, parameters, tokens[:-1], tokens[1:])
        trees.append(
            FASTER["gpt_backward"](config, parameters, activations, tokens[:-1], tokens[1:], some)
        )
    ones = [[1.0] * len(trees)]
    if len(trees) == 1:
        return trees[0]
    return FASTER["tree_map"](lambda *vectors: product(ones, list(zip(*vectors)))[0], *trees)


def single_precision(parameters):
    return tree_map(lambda row: array("f", row).tolist(), parameters)


def update(parameters, optimizer, gradients, lr=0.003):
    """One AdamW step without weight decay, rounded to single precision."""
    parameters, optimizer = adamw_step(
        parameters, gradients, optimizer, lr, betas=(0.9, 0.99), weight_decay=0.0
    )
    return single_precision(parameters), optimizer


def token_weights(documents, weights):
    return [[w / len(documents)] * (len(d) - 1) for d, w in zip(documents, weights, strict=True)]


def reinforce(config, first, vocab, reward, steps=60, advantages=advantages, beta=0.0, seed=1, n=16, lr=0.003):
    parameters, optimizer, rng, seen = first, adamw_init(first), random.Random(seed), []
    for step in range(steps):
        names = draw_names(config, parameters, n, rng)
        rewards = [reward(spell(name, vocab)) for name in names]
        seen.append((rewards, [spell(x, vocab) for x in names]))
        if beta:
            new, old = (log_probabilities(config, p, names) for p in (parameters, first))
            rewards = [penalized_reward(*row, beta) for row in zip(rewards, new, old)]
        gradients = weighted_gradients(config, parameters, names, token_weights(names, advantages(rewards)))
        parameters, optimizer = update(parameters, optimizer, gradients, lr)
    return parameters, seen


def dpo(config, first, vocab, reward, steps=60, beta=0.3, seed=1, n=8, lr=0.003, pool=400):
    parameters, optimizer, rng, seen = first, adamw_init(first), random.Random(seed), []
    names = [x for x in draw_names(config, first, pool, rng) if x[-1] == EOS]
    liked = [x for x in names if reward(spell(x, vocab))]
    disliked = [x for x in names if not reward(spell(x, vocab))]
    for step in range(steps):
        pairs = [rng.choice(liked) for _ in range(n)], [rng.choice(disliked) for _ in range(n)]
        new, old = ([log_probabilities(config, p, some) for some in pairs] for p in (parameters, first))
        margins = [dpo_margin(*row, beta) for row in zip(new[0], old[0], new[1], old[1])]
        pulls = [beta * dpo_loss_backward(m) for m in margins]
        weights = token_weights(pairs[0], [-x for x in pulls]) + token_weights(pairs[1], pulls)
        gain = [(math.fsum(a) - math.fsum(b)) / n for a, b in zip(new, old)]
        seen.append((math.fsum(map(dpo_loss, margins)) / n, *gain))
        gradients = weighted_gradients(config, parameters, pairs[0] + pairs[1], weights)
        parameters, optimizer = update(parameters, optimizer, gradients, lr)
    return parameters, seen


def own_best(config, first, vocab, reward, steps=60, seed=1, n=16, lr=0.003):
    parameters, optimizer, rng = first, adamw_init(first), random.Random(seed)
    good = [x for x in draw_names(config, first, steps * n, rng) if reward(spell(x, vocab))]
    for step in range(steps):
        names = [rng.choice(good) for _ in range(n)]
        gradients = weighted_gradients(config, parameters, names, token_weights(names, [1.0] * n))
        parameters, optimizer = update(parameters, optimizer, gradients, lr)
    return parameters, len(good)


def measure(config, parameters, vocab, reward, tests, n=300, seed=11):
    names = [spell(x, vocab) for x in draw_names(config, parameters, n, random.Random(seed))]
    return {
        "reward": math.fsum(map(reward, names)) / n,
        "different": len(set(names)),
        "letters": sum(len(x.rstrip("…")) for x in names) / n,
        "loss": fast_loss(config, parameters, tests),
        "names": names,
    }
