"""The networks with faster arithmetic, so that the course trains and generates in reasonable time.

This is machinery. The readable versions are helpers/gpt.py, helpers/toy.py and helpers/generation.py. This
module copies their functions and replaces linear, matmul and sum in the copies. The products are written
out by code generation. sum is replaced by fsum, because sum rounds differently from Python 3.12 on: so
training gives the same bits on every Python.
"""

import functools
import math
from importlib import import_module

from ..gpt import GPT_CONFIG, gpt_param_shapes, init_gpt
from ..matrices import add
from .copies import copies, rebind_defaults

MODULES = (
    "matrices parameters activations layers attention losses backward toy gpt generation pictures".split()
)
MAX_TERMS = 500  # Python's compiler takes about twice as many in one expression


@functools.cache
def dot_products(n):
    """Code generation: the function that gives A·Bᵀ for rows of n numbers, with every sum written out,
    a0*b0 + a1*b1 + …

    >>> dot_products(2)([[1, 2]], [[10, 0], [0, 10]])
    [[10, 20]]
    """
    row_A, row_B = ("".join(f"{letter}{i}, " for i in range(n)) for letter in "ab")
    terms = " + ".join(f"a{i}*b{i}" for i in range(n))
    return eval(f"lambda A, B: [[{terms} for {row_B} in B] for {row_A} in A]")


def product(A: "m n", B: "p n") -> "m p":
    """A·Bᵀ: the dot product of each row of A with each row of B.

    >>> product([[1, 2]], [[10, 0], [0, 10]])
    [[10, 20]]
    """
    n = len(A[0])
    if n <= MAX_TERMS:
        return dot_products(n)(A, B)
    first, rest = slice(MAX_TERMS), slice(MAX_TERMS, n)
    return add(*(product([row[part] for row in A], [row[part] for row in B]) for part in (first, rest)))


def fast_linear(X: "T n", W: "m n", b: "m" = None) -> "T m":
    """X·Wᵀ + b.

    >>> fast_linear([[1, 2]], [[10, 0], [0, 10]], [0, 5])
    [[10, 25]]
    """
    XW = product(X, W)
    return XW if b is None else [[y + b_o for y, b_o in zip(row, b)] for row in XW]


def fast_matmul(A: "m n", B: "n p") -> "m p":
    """A·B.

    >>> fast_matmul([[1, 2]], [[10, 0], [0, 10]])
    [[10, 20]]
    """
    return product(A, list(zip(*B)))


def exact_sum(numbers, start=0.0):
    """The sum, rounded once.

    >>> exact_sum([0.1] * 10)
    1.0
    """
    return math.fsum(numbers)


FASTER = copies(import_module(f"helpers.{name}") for name in MODULES)
FASTER |= {"linear": fast_linear, "matmul": fast_matmul, "sum": exact_sum}
rebind_defaults(FASTER)


def fast_gradients(
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", documents: "list of list of int >= 0"
) -> ("float", "gpt_param_shapes(config)"):
    """The mean loss over all tokens of some documents, and its gradients by name: what batch_gradients gives.

    Each document has 2 to P + 1 ids.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> loss, gradients = fast_gradients(config, parameters, [[1, 3, 2], [1, 4, 4, 2]])
    >>> round(loss, 1), gradients["wpe.weight"][3]
    (1.6, [0.0, 0.0])
    """
    P, V = config["n_positions"], config["vocab_size"]
    for tokens in documents or [[]]:
        wanted = f"2 to {P + 1} whole numbers from 0 to {V - 1}"
        fits = 2 <= len(tokens) <= P + 1 and {*tokens} <= {*range(V)}
        assert fits, f"documents has {str(tokens):.60}; give each {wanted}"
    return mean_gradients([document_gradients(config, parameters, tokens) for tokens in documents])


def document_gradients(config, parameters, tokens):
    """The losses of a document's tokens, and the gradients of their mean."""
    activations = FASTER["gpt_forward"](config, parameters, tokens[:-1], tokens[1:])
    gradients = FASTER["gpt_backward"](config, parameters, activations, tokens[:-1], tokens[1:])
    return activations["losses"], gradients


def mean_gradients(parts):
    """The mean loss and the gradients of a batch, from the (losses, gradients) of its documents in order."""
    losses, trees = [loss for some, _ in parts for loss in some], [tree for _, tree in parts]
    if len(trees) == 1:
        return math.fsum(losses) / len(losses), trees[0]
    shares = [len(some) / len(losses) for some, _ in parts]

    def mean(*vectors):
        """The mean of the documents' gradients, each with the share of its tokens."""
        return product([shares], list(zip(*vectors)))[0]

    return math.fsum(losses) / len(losses), FASTER["tree_map"](mean, *trees)


def fast_generate(config, parameters, prompt, choose, length, end=None):
    """The same text as generate, without input checks."""
    return FASTER["generate"](config, parameters, prompt, choose, length, end)


def fast_loss(
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", documents: "list of list of int >= 0"
) -> "float":
    """The mean loss over all tokens of some documents: what mean_loss gives, faster.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> round(fast_loss(config, init_gpt(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]]), 1)
    1.6
    """
    losses = []
    for tokens in documents:
        losses += FASTER["gpt_forward"](config, parameters, tokens[:-1], tokens[1:])["losses"]
    return math.fsum(losses) / len(losses)
