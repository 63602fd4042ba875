"""Lesson 14c: the gradients of a GPT with dropout, with faster arithmetic.

Numbers are dropped in three places: the sum of the embeddings, the output of attention, and the output of the
feed-forward network. GPT-1 dropped them there, and attention weights too (Radford et al. 2018, section 4.1).

The functions of the network are copied, as in fast_gpt, and four of the copies multiply by masks.
"""

from importlib import import_module

from ..copies import copies, rebind_defaults
from ..fast_gpt import MODULES, exact_sum, fast_linear, fast_matmul, mean_gradients


def dropout_gradients(config, parameters, documents, rate, rng):
    """The mean loss and its gradients as fast_gradients gives them, with dropout in the forward pass."""
    return mean_gradients([with_dropout(config, parameters, tokens, rate, rng) for tokens in documents])


def draw_mask(T, D, rate, rng):
    """Inverted dropout as a matrix: 0 for a number that is dropped, 1/(1 - rate) for one that is kept.

    >>> import random
    >>> draw_mask(1, 3, 0.5, random.Random(1))
    [[0.0, 2.0, 2.0]]
    """
    return [[0.0 if rng.random() < rate else 1 / (1 - rate) for _ in range(D)] for _ in range(T)]


def with_dropout(config, parameters, document, rate, rng):
    """The losses of a document's tokens, and the gradients of their mean."""
    f, masks = copies(import_module(f"helpers.{name}") for name in MODULES), {}
    add, linear_backward, embedding_backward = f["add"], f["linear_backward"], f["embedding_backward"]
    outputs = {id(W) for name, W in parameters.items() if name.endswith("c_proj.weight")}

    def masked(rows, place):
        """The rows times the mask of a place. The backward pass uses the mask of the forward pass again."""
        if place not in masks:
            masks[place] = draw_mask(len(rows), len(rows[0]), rate, rng)
        return [[x * m for x, m in zip(*pair)] for pair in zip(rows, masks[place])]

    def add_dropping(A, B):  # the first sum is that of the embeddings
        return add(A, B) if masks else masked(add(A, B), "embeddings")

    def linear_dropping(X, W, b=None):
        Y = fast_linear(X, W, b)
        return masked(Y, id(W)) if id(W) in outputs else Y

    def linear_backward_dropping(d_Y, X, W):
        return linear_backward(masked(d_Y, id(W)) if id(W) in outputs else d_Y, X, W)

    def embedding_backward_dropping(d_X, ids, table):
        return embedding_backward(masked(d_X, "embeddings"), ids, table)

    f |= {"matmul": fast_matmul, "sum": exact_sum, "add": add_dropping, "linear": linear_dropping}
    f |= {"linear_backward": linear_backward_dropping, "embedding_backward": embedding_backward_dropping}
    rebind_defaults(f)
    tokens, targets = document[:-1], document[1:]
    activations = f["gpt_forward"](config, parameters, tokens, targets)
    return activations["losses"], f["gpt_backward"](config, parameters, activations, tokens, targets)
