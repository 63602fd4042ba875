"""The parts of a training loop: tokenization, data splits, batches, gradients, schedule, clipping."""

import math

from .gpt import GPT_CONFIG, gpt_backward, gpt_forward, gpt_param_shapes, init_gpt
from .parameters import tree_map


def build_vocab(texts: "list of str") -> "list of str":
    """A character-level vocabulary: three special tokens, then the sorted characters of the texts.

    <PAD> is padding, <BOS> and <EOS> are the beginning and the end of a text.

    >>> build_vocab(["ba", "cab"])
    ['<PAD>', '<BOS>', '<EOS>', 'a', 'b', 'c']
    """
    return ["<PAD>", "<BOS>", "<EOS>", *sorted(set().union(*texts))]


def encode(text: "str", vocab: "list of str") -> "n":
    """Tokenize a text by characters: <BOS>, the id of each character, <EOS>.

    Every character must be in vocab, the result of build_vocab.

    >>> encode("cab", ["<PAD>", "<BOS>", "<EOS>", "a", "b", "c"])
    [1, 5, 3, 4, 2]
    """
    ids = {character: i for i, character in enumerate(vocab)}
    unknown = [character for character in text if character not in ids]
    known = " ".join(vocab[3:])
    assert not unknown, f"text holds {unknown[0]!r}, which the model has never seen; write with {known}"
    return [ids["<BOS>"], *(ids[character] for character in text), ids["<EOS>"]]


def train_val_test_split(
    documents: "list", n_val: "int >= 0", n_test: "int >= 0", rng: "Random"
) -> ("list", "list", "list"):
    """Shuffle the documents and split them into training, validation and test set.

    The training set gets what the other two leave, at least one document.
    Source: Hastie, Tibshirani and Friedman 2009, section 7.2.

    >>> import random
    >>> documents = [[1, 2], [1, 3], [1, 4], [1, 5]]
    >>> [len(part) for part in train_val_test_split(documents, 1, 1, random.Random(42))]
    [2, 1, 1]
    """
    held_out = n_val + n_test
    assert held_out < len(documents), (
        f"{held_out} of {len(documents)} documents are held out; nothing is left to train on"
    )
    shuffled = list(documents)
    rng.shuffle(shuffled)
    return shuffled[held_out:], shuffled[:n_val], shuffled[n_val:held_out]


def next_batch(
    order: "list of int >= 0", n: "int > 0", size: "int > 0", rng: "Random"
) -> ("size < n", "list of int >= 0"):
    """Take the next batch of indices from the shuffled order; append a new epoch when it runs out.

    order is [] before the first batch. It holds indices of the n documents, and a batch takes `size` of
    them. The result is (batch, the rest of order).

    >>> import random
    >>> batch, order = next_batch([2, 0, 1], n=4, size=2, rng=random.Random(42))
    >>> batch, order
    ([2, 0], [1])
    >>> batch, order = next_batch(order, n=4, size=2, rng=random.Random(42))
    >>> batch[0], len(order)
    (1, 3)
    """
    while len(order) < size:
        epoch = list(range(n))
        rng.shuffle(epoch)
        order = order + epoch
    return order[:size], order[size:]


def accumulate_gradients(total: "tree P", gradients: "tree P", weight: "float") -> "tree P":
    """total + weight·gradients, for trees of the same structure.

    >>> accumulate_gradients({"b": [1.0, 2.0]}, {"b": [10.0, 20.0]}, 0.5)
    {'b': [6.0, 12.0]}
    """

    def add_weighted(t, g):
        return [t_i + weight * g_i for t_i, g_i in zip(t, g, strict=True)]

    return tree_map(add_weighted, total, gradients)


def batch_gradients(
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", documents: "list of list of int >= 0"
) -> ("float", "gpt_param_shapes(config)"):
    """The mean loss over all tokens of a batch and its gradients, accumulated document by document.

    Each document has at least two tokens, and its weight is its number of targets. The loss of a new model
    is close to ln V.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> loss, gradients = batch_gradients(config, parameters, [[1, 3, 2], [1, 4, 4, 2]])
    >>> round(loss, 1), len(gradients["wte.weight"])
    (1.6, 5)
    """
    n_targets = sum(len(document) - 1 for document in documents)
    loss, total = 0.0, tree_map(lambda row: [0.0] * len(row), parameters)
    for document in documents:
        tokens, targets = document[:-1], document[1:]
        activations = gpt_forward(config, parameters, tokens, targets)
        gradients = gpt_backward(config, parameters, activations, tokens, targets)
        weight = len(targets) / n_targets
        loss += weight * activations["loss"]
        total = accumulate_gradients(total, gradients, weight)
    return loss, total


def mean_loss(
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", documents: "list of list of int >= 0"
) -> "float":
    """The mean loss over all tokens of some documents, without gradients.

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
    """The learning rate of a step: linear warmup to lr, then cosine decay towards 0.

    step counts from 0 to steps − 1, and warmup_steps < steps.
    Source: Loshchilov and Hutter 2017, equation 5; Vaswani et al. 2017, section 5.3, for the warmup.

    >>> [round(learning_rate(step, 6, 1.0, 2), 3) for step in range(6)]
    [0.5, 1.0, 1.0, 0.854, 0.5, 0.146]
    """
    assert step < steps, f"step is {step}, and steps count from 0 to {steps - 1}"
    assert warmup_steps < steps, (
        f"warmup_steps is {warmup_steps} and steps is {steps}; leave some steps for the decay"
    )
    if step < warmup_steps:
        return lr * (step + 1) / warmup_steps
    return lr * 0.5 * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - warmup_steps)))


def global_norm(gradients: "tree P") -> "float":
    """The Euclidean norm of all gradients, as if they were one vector.

    Source: Pascanu, Mikolov and Bengio 2013, section 3.2.

    >>> global_norm({"W": [[2.0, 0.0], [1.0, 0.0]], "b": [2.0]})
    3.0
    """

    def sum_of_squares(tree):
        parts = tree.values() if isinstance(tree, dict) else tree
        return math.fsum(
            sum_of_squares(part) if isinstance(part, (dict, list, tuple)) else part * part for part in parts
        )

    return math.sqrt(sum_of_squares(gradients))


def clip_by_global_norm(gradients: "tree P", max_norm: "float > 0 finite") -> "tree P":
    """Gradient clipping: scale all gradients by one factor if their global norm exceeds max_norm.

    The direction of the gradient stays the same.
    Source: Pascanu, Mikolov and Bengio 2013, section 3.2.

    >>> clip_by_global_norm({"W": [[4.0]], "b": [3.0]}, 2.5)
    {'W': [[2.0]], 'b': [1.5]}
    """
    norm = global_norm(gradients)
    factor = 1.0 if norm <= max_norm else max_norm / norm
    return tree_map(lambda g: [factor * g_i for g_i in g], gradients)


def no_decay_names(parameters: "tree P") -> "names in parameters":
    """The names of all parameters that are vectors: biases, and the scale and shift of norms.

    Usually only matrices, including the embedding tables, have weight decay.

    >>> no_decay_names({"W": [[1.0]], "b": [0.0]})
    ['b']
    """
    return [name for name, entry in parameters.items() if not isinstance(entry[0], list)]
