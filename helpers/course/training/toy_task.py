"""The task that the network of Part I learns: six sentences "a b a" over its vocabulary.

The third word is the first word. After two words only their order tells which one it is, so an average of
the words is not enough.
"""

import math
import random

from ...parameters import tree_map
from ...toy import TOY_PARAM_SHAPES
from ..argument_checks import checked
from ..engine import faster
from ..state.network import CONFIG, SEED, TARGETS, TOKENS, draw_parameters  # noqa: F401
from .loop import descend

VOCABULARY = CONFIG["vocabulary"]
WORDS = ("I", "like", "transformers")
TOY_SENTENCES = [["<BOS>", a, b, a, "<EOS>"] for a in WORDS for b in WORDS if a != b]
# With seeds 42 and 1 to 15 the loss at the third word ends below 0.05.
STEPS, LR, BETAS = 250, 0.01, (0.9, 0.95)


def encode_words(words):
    """The ids of words; ValueError for a word that is not in the vocabulary."""
    unknown = [word for word in words if word not in VOCABULARY]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not in the vocabulary; there are {', '.join(VOCABULARY)}")
    return [VOCABULARY.index(word) for word in words]


def tree_mean(trees):
    """The mean of trees of vectors with the same names and shapes."""

    n = len(trees)

    def mean(*vectors):
        return [total / n for total in map(math.fsum, zip(*vectors, strict=True))]

    return tree_map(mean, *trees)


@checked  # once a step, not in each of its many calls
def toy_task_gradients(parameters: "TOY_PARAM_SHAPES"):
    """The losses at the four positions and the gradients of the mean loss, averaged over the sentences."""
    losses, gradients = [], []
    for sentence in TOY_SENTENCES:
        ids = encode_words(sentence)
        tokens, targets = ids[:-1], ids[1:]  # <EOS> has no target, and under the mask no other token sees it
        activations = faster()["toy_forward"](parameters, tokens, targets)
        losses.append(activations["losses"])
        gradients.append(faster()["toy_backward"](parameters, activations, tokens, targets)[0])
    return tree_mean(losses), tree_mean(gradients)


def train_toy(parameters, steps=STEPS, lr=LR, frozen=(), betas=BETAS, watched=None, every=10):
    """Train on the six sentences: the trained parameters, and the four losses before each step.

    AdamW without weight decay. The parameters named in frozen stay as they are. watched, a list, gets
    (step, parameters) at the beginning and after every so many steps. Training takes some seconds and shows
    its progress.
    """
    history, watched = [], [] if watched is None else watched
    watched.append((0, parameters))

    def of_sentences(parameters):
        losses, gradients = toy_task_gradients(parameters)
        history.append(losses)
        for name in frozen:
            gradients[name] = tree_map(lambda g: [0.0] * len(g), gradients[name])
        return None, gradients

    for step, _, parameters in descend(parameters, of_sentences, steps, lr, betas, single=False):
        if step % every == 0:
            watched.append((step, parameters))
    return parameters, history


def trained_parameters(state):
    """The parameters after the training of lesson 00: from the state, or trained now and kept in it."""
    if "trained" not in state:
        state["trained"], _ = train_toy(draw_parameters(random.Random(SEED)))
    return state["trained"]
