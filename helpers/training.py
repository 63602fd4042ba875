"""What stands around the step of training: texts as tokens, their parts, batches, the gradients of a batch, the learning rate."""

import math

from .gpt import GPT_CONFIG, gpt_backward, gpt_forward, gpt_letters, gpt_parameters
from .parameters import tree_map


def list_characters(texts: "list of str") -> "list of str":
    """The vocabulary of a model that reads characters: padding, beginning, end, and every character of the texts, in order.

    >>> list_characters(["ba", "cab"])
    ['<PAD>', '<BOS>', '<EOS>', 'a', 'b', 'c']
    """
    return ["<PAD>", "<BOS>", "<EOS>", *sorted(set().union(*texts))]


def text_to_tokens(text: "str", characters: "list of str") -> "n":
    """A text as the tokens of its characters, between those for the beginning and the end.

    characters is what list_characters gave. ValueError for a character that is not among them.

    >>> text_to_tokens("cab", ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"])
    [1, 5, 3, 4, 2]
    """
    number = {character: i for i, character in enumerate(characters)}
    unseen = [character for character in text if character not in number]
    known = " ".join(characters[3:])
    assert not unseen, f"text holds {unseen[0]!r}, which the model has never seen; write with {known}"
    return [number["<BOS>"], *(number[character] for character in text), number["<EOS>"]]


def split_documents(
    documents: "list", choosing: "int >= 0", held_out: "int >= 0", rng: "Random",
) -> ("list", "list", "list"):
    """Three lists, drawn by the stream: to train on, to choose settings by, and held out until all is chosen.

    ValueError when nothing would be left to train on.
    Source: Hastie, Tibshirani and Friedman 2009, section 7.2.

    >>> import random
    >>> [len(part) for part in split_documents([[1, 2], [1, 3], [1, 4], [1, 5]], 1, 1, random.Random(42))]
    [2, 1, 1]
    """
    kept = choosing + held_out
    assert kept < len(documents), f"{kept} of {len(documents)} are kept back; nothing is left to train on"
    shuffled = list(documents)
    rng.shuffle(shuffled)
    return shuffled[kept:], shuffled[:choosing], shuffled[choosing:kept]


def next_batch(
    deck: "list of ids", n: "int > 0", size: "int > 0", rng: "Random",
) -> ("size < n", "list of ids"):
    """The numbers of the next documents, out of n, and the deck that is left, like cards: used up, it is shuffled anew.

    The deck is [] at first. There are n documents, and a batch has `size` of them.

    >>> import random
    >>> batch, deck = next_batch([2, 0, 1], 4, 2, random.Random(42))
    >>> batch, deck, len(next_batch(deck, 4, 2, random.Random(42))[1])
    ([2, 0], [1], 3)
    """
    while len(deck) < size:
        fresh = list(range(n))
        rng.shuffle(fresh)
        deck = deck + fresh
    return deck[:size], deck[size:]


def add_gradients(total: "tree of vectors", gradients: "like total", share: "float") -> "like total":
    """The total with a share of some gradients added: a new nest of the same build.

    >>> add_gradients({"b": [1.0, 2.0]}, {"b": [10.0, 20.0]}, 0.5)
    {'b': [6.0, 12.0]}
    """
    return tree_map(lambda t, g: [t_i + share * g_i for t_i, g_i in zip(t, g, strict=True)], total, gradients)


def batch_gradients(
    config: "GPT_CONFIG", parameters: "gpt_letters(config)", documents: "lists of ids",
) -> ("float", "gpt_letters(config)"):
    """The mean loss over all tokens of some documents, and its gradients: one document after the other, each by its share.

    Each document has at least two tokens; a long one has a larger share than a short one.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> loss, gradients = batch_gradients(config, gpt_parameters(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]])
    >>> round(loss, 1), len(gradients["wte.weight"])
    (1.6, 5)
    """
    tokens = sum(len(document) - 1 for document in documents)
    loss, total = 0.0, tree_map(lambda row: [0.0] * len(row), parameters)
    for document in documents:
        read, targets = document[:-1], document[1:]
        activations = gpt_forward(config, parameters, read, targets)
        gradients = gpt_backward(config, parameters, activations, read, targets)
        share = len(targets) / tokens
        loss += share * activations["loss"]
        total = add_gradients(total, gradients, share)
    return loss, total


def mean_loss(config: "GPT_CONFIG", parameters: "gpt_letters(config)", documents: "lists of ids") -> "float":
    """The mean loss over all tokens of some documents.

    Each document has at least two tokens.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> round(mean_loss(config, gpt_parameters(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]]), 1)
    1.6
    """
    losses = []
    for document in documents:
        losses += gpt_forward(config, parameters, document[:-1], document[1:])["losses"]
    return math.fsum(losses) / len(losses)


def learning_rate(
    step: "int >= 0", steps: "int > 0", lr: "float >= 0 finite", warm_up: "int >= 0",
) -> "float":
    """Up in even steps, then down along half a cosine: the rate of the step that comes after `step` others.

    ValueError for a warm_up that leaves nothing for the way down. step counts from 0 to steps − 1; the
    rate is lr at the top, after warm_up steps of the way up.
    Source: Loshchilov and Hutter 2017, equation 5; Vaswani et al. 2017, section 5.3, for the way up.

    >>> [round(learning_rate(step, 6, 1.0, 2), 3) for step in range(6)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146]
    """
    assert step < steps, f"step is {step}, and steps count from 0 to {steps - 1}"
    assert warm_up < steps, f"warm_up is {warm_up} and steps is {steps}; leave some steps for the way down"
    if step < warm_up:
        return lr * (step + 1) / warm_up
    return lr * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / (steps - warm_up)))


def global_norm(gradients: "tree of vectors") -> "float":
    """The length of all gradients together, as if they were one long vector.

    Source: Pascanu, Mikolov and Bengio 2013, section 3.2.

    >>> global_norm({"W": [[2.0, 0.0], [1.0, 0.0]], "b": [2.0]})
    3.0
    """

    def squares(nest):
        parts = nest.values() if isinstance(nest, dict) else nest
        return math.fsum(squares(part) if isinstance(part, (dict, list, tuple)) else part * part for part in parts)

    return math.sqrt(squares(gradients))


def clip_gradients(gradients: "tree of vectors", most: "float > 0 finite") -> "like gradients":
    """The gradients as they are, or all made smaller by one factor, so that their common length is `most` at most.

    The direction stays, whatever the length was.
    Source: Pascanu, Mikolov and Bengio 2013, section 3.2.

    >>> clip_gradients({"W": [[4.0]], "b": [3.0]}, 2.5)
    {'W': [[2.0]], 'b': [1.5]}
    """
    norm = global_norm(gradients)
    share = 1.0 if norm <= most else most / norm
    return tree_map(lambda g: [share * g_i for g_i in g], gradients)


def without_decay(parameters: "dict of vectors") -> "names in parameters":
    """The names of what does not decay: the vectors, that is every bias, and every stretch and shift of a norm.

    Matrices and tables of embeddings decay.

    >>> without_decay({"W": [[1.0]], "b": [0.0]})
    ['b']
    """
    return [name for name, entry in parameters.items() if not isinstance(entry[0], list)]
