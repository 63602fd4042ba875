"""The mathematics in one namespace where some functions are others: faster, rounded, or the reader's own.

    f = mathematics(softmax=my_softmax)   {name: value}; every function in it calls my_softmax for softmax
    f = faster()                          products are written out, and a sum is rounded once
    f = faster(rope=my_rope)              the same, with this rope in it
    with_names(function, f)               a function from elsewhere, which calls the functions of f

How: each function of helpers/*.py is copied, and all copies have one dict as their globals. A function looks
up by name what it calls, so what stands in this dict is called everywhere. Copies check no arguments.

faster exists so that the course trains and generates in reasonable time. Its products are written out by code
generation. Its sum is fsum, because sum rounds differently from Python 3.12 on: so training gives the same
bits on every Python.
"""

import functools
import inspect
import math
from importlib import import_module
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, SimpleNamespace

from ..gpt import GPT_CONFIG, gpt_param_shapes
from . import MODULES
from .argument_checks import checked

ROOT = math.sqrt(2 / math.pi)  # of gelu, computed once
MAX_TERMS = 500  # Python's compiler takes about twice as many in one expression


# --- namespaces


def mathematics(around=None, /, **own):
    """{name: function, class or constant} of the modules for copying; own functions stand in place of theirs.

    around is {name: wrapper}: what is called by the name is wrapper(the function that would stand there).
    """
    names, copies = names_of_modules(), []
    wrappers = {inspect.unwrap(names[name]): wrapper for name, wrapper in (around or {}).items()}
    stands_for = {}  # {function of a module: what is called in its place}

    def copied(value):
        if is_own(value, type):
            return class_of_copies(value, copied)
        if not is_own(value, FunctionType):
            return value
        bare = inspect.unwrap(value)
        if bare not in stands_for:
            copies.append(with_globals(bare, names))
            stands_for[bare] = wrappers.get(bare, same)(copies[-1])
        return stands_for[bare]

    for name, function in own.items():
        if isinstance(names.get(name), FunctionType):
            bare = inspect.unwrap(names[name])
            own[name] = stands_for[bare] = wrappers.get(bare, same)(function)
    names |= {name: everywhere(value, copied) for name, value in names.items()} | own
    for copy in copies:  # also a default, such as activation=gelu
        copy.__defaults__ = everywhere(copy.__defaults__, copied)
    return names


def faster(around=None, /, **own):
    """The mathematics with faster products, and with sums that are the same on every Python."""
    if not around and not own:
        return faster_names()
    return mathematics(around, **{**FAST, "sum": exact_sum, **own})


@functools.cache
def faster_names():
    return faster(sum=exact_sum)


def with_names(function, names):
    """A copy of a function that finds these names before its own."""
    bare = inspect.unwrap(function)
    return with_globals(bare, {**bare.__globals__, **names})


def names_of_modules():
    """Everything that the modules for copying define or import."""
    names = {}
    for module in MODULES:
        names |= vars(import_module(f"helpers.{module}"))
    return {name: value for name, value in names.items() if not name.startswith("__")}


def with_globals(bare, names):
    copy = FunctionType(bare.__code__, names, bare.__name__, bare.__defaults__, bare.__closure__)
    copy.__kwdefaults__ = bare.__kwdefaults__
    return copy


def is_own(value, kind):
    return isinstance(value, kind) and value.__module__.startswith("helpers.")


def class_of_copies(kind, copied):
    """The class with copied methods. Python makes the descriptors of a class itself."""
    descriptors = GetSetDescriptorType, MemberDescriptorType
    body = {name: copied(part) for name, part in vars(kind).items() if not isinstance(part, descriptors)}
    return type(kind.__name__, kind.__bases__, body)


def everywhere(value, change):
    """The value changed; of a tuple or a dict, every part."""
    if isinstance(value, tuple):
        return tuple(everywhere(part, change) for part in value)
    if isinstance(value, dict):
        return {change(key): everywhere(part, change) for key, part in value.items()}
    return change(value)


def same(function):
    return function


# --- faster products


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
    first, rest = (
        product([row[part] for row in A], [row[part] for row in B])
        for part in (slice(MAX_TERMS), slice(MAX_TERMS, n))
    )
    return [[a + b for a, b in zip(*rows)] for rows in zip(first, rest)]


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


def fast_gelu(x: "float") -> "float":
    """gelu, to the bit.

    >>> fast_gelu(0)
    0.0
    """
    return 0.5 * x * (1 + math.tanh(ROOT * (x + 0.044715 * x * x * x)))


def fast_gelu_derivative(x: "float") -> "float":
    """gelu_derivative, to the bit.

    >>> fast_gelu_derivative(0)
    0.5
    """
    t = math.tanh(ROOT * (x + 0.044715 * x * x * x))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * ROOT * (1 + 3 * 0.044715 * x * x)


FAST = {
    "linear": fast_linear,
    "matmul": fast_matmul,
    "gelu": fast_gelu,
    "gelu_derivative": fast_gelu_derivative,
}


def exact_sum(numbers, start=0.0):
    """The sum, rounded once.

    >>> exact_sum([0.1] * 10)
    1.0
    """
    return math.fsum(numbers)


# --- a GPT and a tape with faster products


@checked
def fast_gradients(
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", documents: "list of list of int >= 0"
) -> ("float", "gpt_param_shapes(config)"):
    """The mean loss over all tokens of some documents, and its gradients by name: what batch_gradients gives.

    Each document has 2 to P + 1 ids.

    >>> import random
    >>> from helpers import init_gpt
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
    activations = faster()["gpt_forward"](config, parameters, tokens[:-1], tokens[1:])
    gradients = faster()["gpt_backward"](config, parameters, activations, tokens[:-1], tokens[1:])
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

    return math.fsum(losses) / len(losses), faster()["tree_map"](mean, *trees)


def fast_generate(config, parameters, prompt, choose, length, end=None):
    """The same text as generate, without input checks."""
    return faster()["generate"](config, parameters, prompt, choose, length, end)


@checked
def fast_loss(
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", documents: "list of list of int >= 0"
) -> "float":
    """The mean loss over all tokens of some documents: what mean_loss gives, faster.

    >>> import random
    >>> from helpers import init_gpt
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> round(fast_loss(config, init_gpt(config, random.Random(42)), [[1, 3, 2], [1, 4, 4, 2]]), 1)
    1.6
    """
    losses = []
    for tokens in documents:
        losses += faster()["gpt_forward"](config, parameters, tokens[:-1], tokens[1:])["losses"]
    return math.fsum(losses) / len(losses)


@functools.cache
def class_of_fast_tape():
    def unchecked(self, *arguments):
        """A Tape that checks nothing keeps no copies."""

    return type("FastTape", (faster()["Tape"],), {"_keep_copy": unchecked, "_check_argument": unchecked})


def fast_tape():
    """A new Tape with faster products that checks nothing: for a network that has run on a Tape before.

    >>> tape = fast_tape()
    >>> p = tape.watch({"u": [1.0, 2.0], "v": [3.0, 4.0]})
    >>> tape.backward(tape.dot(p["u"], p["v"]))
    >>> tape.gradients(p)
    {'u': [3.0, 4.0], 'v': [1.0, 2.0]}
    """
    return class_of_fast_tape()()


@functools.cache
def operations():
    """The functions that a tape records, faster and not recorded, as attributes: operations().linear."""
    names = faster()
    return SimpleNamespace(**{name: names[name] for name in names["OPERATIONS"]})
