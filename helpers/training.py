"""What stands around the step of training: texts as tokens, their parts, batches, the gradients of a
batch, the learning rate."""

import math

from .gpt import GPT_CONFIG, gpt_backward, gpt_forward, gpt_param_specs, init_gpt
from .parameters import tree_map


def build_vocab(texts: "list of str") -> "list of str":
    """The vocabulary of a model that reads characters: padding, beginning, end, and every character of
    the texts, in order.

    >>> build_vocab(["ba", "cab"])
    ['<PAD>', '<BOS>', '<EOS>', 'a', 'b', 'c']
    """
    return ["<PAD>", "<BOS>", "<EOS>", *sorted(set().union(*texts))]


def encode(text: "str", vocab: "list of str") -> "n":
    """A text as the tokens of its characters, between those for the beginning and the end.

    characters is what build_vocab gave. ValueError for a character that is not among them.

    >>> encode("cab", ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"])
    [1, 5, 3, 4, 2]
    """
    number = {character: i for i, character in enumerate(vocab)}
    unseen = [character for character in text if character not in number]
    known = " ".join(vocab[3:])
    assert not unseen, f"text holds {unseen[0]!r}, which the model has never seen; write with {known}"
    return [number["<BOS>"], *(number[character] for character in text), number["<EOS>"]]


def train_val_test_split(
    documents: "list", n_val: "int >= 0", n_test: "int >= 0", rng: "Random"
) -> ("list", "list", "list"):
    """Three lists, drawn by the stream: to train on, to choose settings by, and held out until all is chosen.

    ValueError when nothing would be left to train on.
    Source: Hastie, Tibshirani and Friedman 2009, section 7.2.

    >>> import random
    >>> [len(part) for part in train_val_test_split([[1, 2], [1, 3], [1, 4], [1, 5]], 1, 1, random.Random(42))]
    [2, 1, 1]
    """
    kept = n_val + n_test
    assert kept < len(documents), f"{kept} of {len(documents)} are kept back; nothing is left to train on"
    shuffled = list(documents)
    rng.shuffle(shuffled)
    return shuffled[kept:], shuffled[:n_val], shuffled[n_val:kept]


def next_batch(
    order: "list of ids", n: "int > 0", size: "int > 0", rng: "Random"
) -> ("size < n", "list of ids"):
    """The numbers of the next documents, out of n, and the deck that is left, like cards: used up, it is
    shuffled anew.

    The deck is [] at first. There are n documents, and a batch has `size` of them.

    >>> import random
    >>> batch, order = next_batch([2, 0, 1], 4, 2, random.Random(42))
    >>> batch, order, len(next_batch(order, 4, 2, random.Random(42))[1])
    ([2, 0], [1], 3)
    """
    while len(order) < size:
        epoch = list(range(n))
        rng.shuffle(epoch)
        order = order + epoch
    return order[:size], order[size:]


def accumulate_gradients(total: "tree of vectors", gradients: "like total", weight: "float") -> "like total":
    """The total with a share of some gradients added: a new nest of the same build.

    >>> accumulate_gradients({"b": [1.0, 2.0]}, {"b": [10.0, 20.0]}, 0.5)
    {'b': [6.0, 12.0]}
    """
    return tree_map(
        lambda t, g: [t_i + weight * g_i for t_i, g_i in zip(t, g, strict=True)], total, gradients
    )


def batch_gradients(
    config: "GPT_CONFIG", parameters: "gpt_param_specs(config)", documents: "lists of ids"
) -> ("float", "gpt_param_specs(config)"):
    """The mean loss over all tokens of some documents, and its gradients: one document after the other,
    each by its share.

    Each document has at least two tokens; a long one has a larger share than a short one.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> loss, gradients = batch_gradients(config, init_gpt(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]])
    >>> round(loss, 1), len(gradients["wte.weight"])
    (1.6, 5)
    """
    tokens = sum(len(document) - 1 for document in documents)
    loss, total = 0.0, tree_map(lambda row: [0.0] * len(row), parameters)
    for document in documents:
        read, targets = document[:-1], document[1:]
        activations = gpt_forward(config, parameters, read, targets)
        gradients = gpt_backward(config, parameters, activations, read, targets)
        weight = len(targets) / tokens
        loss += weight * activations["loss"]
        total = accumulate_gradients(total, gradients, weight)
    return loss, total


def mean_loss(
    config: "GPT_CONFIG", parameters: "gpt_param_specs(config)", documents: "lists of ids"
) -> "float":
    """The mean loss over all tokens of some documents.

    Each document has at least two tokens.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> round(mean_loss(config, init_gpt(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]]), 1)
    1.6
    """
    losses = []
    for document in documents:
        losses += gpt_forward(config, parameters, document[:-1], document[1:])["losses"]
    return math.fsum(losses) / len(losses)


def learning_rate(
    step: "int >= 0", steps: "int > 0", lr: "float >= 0 finite", warmup_steps: "int >= 0"
) -> "float":
    """Up in even steps, then down along half a cosine: the rate of the step that comes after `step` others.

    ValueError for a warmup_steps that leaves nothing for the way down. step counts from 0 to steps − 1; the
    rate is lr at the top, after warmup_steps steps of the way up.
    Source: Loshchilov and Hutter 2017, equation 5; Vaswani et al. 2017, section 5.3, for the way up.

    >>> [round(learning_rate(step, 6, 1.0, 2), 3) for step in range(6)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146]
    """
    assert step < steps, f"step is {step}, and steps count from 0 to {steps - 1}"
    assert warmup_steps < steps, (
        f"warmup_steps is {warmup_steps} and steps is {steps}; leave some steps for the way down"
    )
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr * 0.5 * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - warmup_steps)))


def global_norm(gradients: "tree of vectors") -> "float":
    """The length of all gradients together, as if they were one long vector.

    Source: Pascanu, Mikolov and Bengio 2013, section 3.2.

    >>> global_norm({"W": [[2.0, 0.0], [1.0, 0.0]], "b": [2.0]})
    3.0
    """

    def squares(nest):
        parts = nest.values() if isinstance(nest, dict) else nest
        return math.fsum(
            squares(part) if isinstance(part, (dict, list, tuple)) else part * part for part in parts
        )

    return math.sqrt(squares(gradients))


def clip_by_global_norm(gradients: "tree of vectors", max_norm: "float > 0 finite") -> "like gradients":
    """The gradients as they are, or all made smaller by one factor, so that their common length is `most`
    at most.

    The direction stays, whatever the length was.
    Source: Pascanu, Mikolov and Bengio 2013, section 3.2.

    >>> clip_by_global_norm({"W": [[4.0]], "b": [3.0]}, 2.5)
    {'W': [[2.0]], 'b': [1.5]}
    """
    norm = global_norm(gradients)
    weight = 1.0 if norm <= max_norm else max_norm / norm
    return tree_map(lambda g: [weight * g_i for g_i in g], gradients)


def no_decay_names(parameters: "dict of vectors") -> "names in parameters":
    """The names of what does not decay: the vectors, that is every bias, and every stretch and shift of a
    norm.

    Matrices and tables of embeddings decay.

    >>> no_decay_names({"W": [[1.0]], "b": [0.0]})
    ['b']
    """
    return [name for name, entry in parameters.items() if not isinstance(entry[0], list)]
