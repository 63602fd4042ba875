"""Lesson 14c: the gradients of a GPT with dropout, with faster arithmetic.

Numbers are dropped in three places: the sum of the embeddings, the output of attention, and the output of the
feed-forward network. GPT-1 dropped them there, and attention weights too (Radford et al. 2018, section 4.1).

In a copy of the network's functions, four of them multiply by masks.
"""

from ..engine import faster, mean_gradients


def dropout_gradients(config, parameters, documents, rate, rng):
    """The mean loss and its gradients as fast_gradients gives them, with dropout in the forward pass."""
    gradients_of = with_dropout(config, parameters, rate, rng)
    return mean_gradients([gradients_of(document) for document in documents])


def draw_mask(T, D, rate, rng):
    """Inverted dropout as a matrix: 0 for a number that is dropped, 1/(1 - rate) for one that is kept.

    >>> import random
    >>> draw_mask(1, 3, 0.5, random.Random(1))
    [[0.0, 2.0, 2.0]]
    """
    return [[0.0 if rng.random() < rate else 1 / (1 - rate) for _ in range(D)] for _ in range(T)]


def with_dropout(config, parameters, rate, rng):
    """A function of a document: the losses of its tokens, and the gradients of their mean."""
    outputs = {id(W) for name, W in parameters.items() if name.endswith("c_proj.weight")}
    masks = {}  # of one document: {place: mask}

    def masked(rows, place):
        """The rows times the mask of a place. The backward pass uses the mask of the forward pass again."""
        if place not in masks:
            masks[place] = draw_mask(len(rows), len(rows[0]), rate, rng)
        return [[x * m for x, m in zip(*pair)] for pair in zip(rows, masks[place])]

    def dropping_add(add):  # the first sum is that of the embeddings
        return lambda A, B: add(A, B) if masks else masked(add(A, B), "embeddings")

    def dropping_linear(linear):
        def dropping(X, W, b=None):
            return masked(linear(X, W, b), id(W)) if id(W) in outputs else linear(X, W, b)

        return dropping

    def dropping_linear_backward(linear_backward):
        return lambda d, X, W: linear_backward(masked(d, id(W)) if id(W) in outputs else d, X, W)

    def dropping_embedding_backward(embedding_backward):
        return lambda d, ids, table: embedding_backward(masked(d, "embeddings"), ids, table)

    names = faster(
        {
            "add": dropping_add,
            "linear": dropping_linear,
            "linear_backward": dropping_linear_backward,
            "embedding_backward": dropping_embedding_backward,
        }
    )

    def gradients_of(document):
        masks.clear()
        tokens, targets = document[:-1], document[1:]
        activations = names["gpt_forward"](config, parameters, tokens, targets)
        return activations["losses"], names["gpt_backward"](config, parameters, activations, tokens, targets)

    return gradients_of
