"""A tape over lists: the course's functions note down what they do, and every gradient is found by
walking back.

A node is a whole matrix, vector or number. Each operation is a function of the course beside its way
back, in one table: nothing is derived here.
"""

import inspect
from itertools import zip_longest

from .activations import (
    gelu,
    gelu_derivative,
    gelu_exact,
    gelu_exact_derivative,
    quick_gelu,
    quick_gelu_derivative,
    relu,
    relu_derivative,
)
from .attention import attention, attention_scores, merge_heads, multi_head_attention, softmax, split_heads
from .backward import (
    activation_backward,
    add_backward,
    attention_backward,
    attention_scores_backward,
    cross_entropy_backward,
    dot_backward,
    embedding_backward,
    feed_forward_backward,
    layer_norm_backward,
    linear_backward,
    matmul_backward,
    multi_head_attention_backward,
    perplexity_backward,
    rms_norm_backward,
    scale_backward,
    softmax_backward,
    token_losses_backward,
    transpose_backward,
)
from .layers import embedding, feed_forward, layer_norm, linear, rms_norm
from .losses import cross_entropy, perplexity, token_losses
from .matrices import add, dot, matmul, scale, transpose


def gelu_rows(X: "T n") -> "T n":
    """Bend every number of a matrix by gelu.

    >>> gelu_rows([[0, 10]])
    [[0.0, 10.0]]
    """
    return [[gelu(x) for x in row] for row in X]


def relu_rows(X: "T n") -> "T n":
    """Bend every number of a matrix by relu.

    >>> relu_rows([[3, -2]])
    [[3, 0.0]]
    """
    return [[relu(x) for x in row] for row in X]


def softmax_rows(scores: "T S") -> "T S":
    """The weights of every row of scores.

    ValueError for a row of -inf alone, and for nan or inf.

    >>> softmax_rows([[5, 5], [7, 7]])
    [[0.5, 0.5], [0.5, 0.5]]
    """
    return [softmax(row) for row in scores]


def softmax_rows_backward(d_out: "T S", weights: "T S") -> "T S":
    """Each row of scores gets what softmax_backward gives for its own row of weights.

    weights are what softmax_rows gave.

    >>> softmax_rows_backward([[4, 0]], [[0.5, 0.5]])
    [[1.0, -1.0]]
    """
    return [softmax_backward(d, w) for d, w in zip(d_out, weights, strict=True)]


# What a tape can note: each function beside its way back, from the gradient of the result, the result and
# the arguments to a gradient for each argument, in their order. None, or nothing at the end, is for what
# has none: ids, a mask, eps.
OPERATIONS = {
    "dot": (dot, lambda d, out, u, v: dot_backward(d, u, v)),
    "matmul": (matmul, lambda d, out, A, B: matmul_backward(d, A, B)),
    "transpose": (transpose, lambda d, out, A: [transpose_backward(d)]),
    "add": (add, lambda d, out, A, B: add_backward(d)),
    "scale": (scale, lambda d, out, A, c: scale_backward(d, A, c)),
    "embedding": (embedding, lambda d, out, ids, E: [None, embedding_backward(d, ids, E)]),
    "linear": (linear, lambda d, out, X, W, b=None: linear_backward(d, X, W)),
    "gelu_rows": (gelu_rows, lambda d, out, X: [activation_backward(d, X, gelu_derivative)]),
    "relu_rows": (relu_rows, lambda d, out, X: [activation_backward(d, X, relu_derivative)]),
    "feed_forward": (
        feed_forward,
        lambda d, out, X, W_1, b_1, W_2, b_2, f=gelu: feed_forward_backward(
            d, X, W_1, b_1, W_2, f, DERIVATIVES[inspect.unwrap(f)]
        ),
    ),
    "layer_norm": (
        layer_norm,
        lambda d, out, X, gamma, beta, eps=1e-5: layer_norm_backward(d, X, gamma, eps),
    ),
    "rms_norm": (rms_norm, lambda d, out, X, gamma, eps=1e-5: rms_norm_backward(d, X, gamma, eps)),
    "softmax": (softmax, lambda d, weights, scores: [softmax_backward(d, weights)]),
    "softmax_rows": (softmax_rows, lambda d, weights, scores: [softmax_rows_backward(d, weights)]),
    "attention_scores": (
        attention_scores,
        lambda d, out, Q, K, mask=None: attention_scores_backward(d, Q, K),
    ),
    "attention": (attention, lambda d, out, Q, K, V, mask=None: attention_backward(d, Q, K, V, mask)),
    "merge_heads": (merge_heads, lambda d, out, heads: [split_heads(d, len(heads))]),
    "split_heads": (split_heads, lambda d, out, X, H: [merge_heads(d)]),
    "multi_head_attention": (
        multi_head_attention,
        lambda d, out, *given: multi_head_attention_backward(d, *given),
    ),
    "token_losses": (
        token_losses,
        lambda d, out, logits, targets: [token_losses_backward(d, logits, targets)],
    ),
    "cross_entropy": (
        cross_entropy,
        lambda d, out, logits, targets: [cross_entropy_backward(d, logits, targets)],
    ),
    "perplexity": (perplexity, lambda d, out, loss: [perplexity_backward(d, loss)]),
}
DERIVATIVES = {
    gelu: gelu_derivative,
    gelu_exact: gelu_exact_derivative,
    quick_gelu: quick_gelu_derivative,
    relu: relu_derivative,
}


class Node:
    """A value on a tape, a matrix, a vector or a number, and the gradient that comes back to it.

    >>> Node("W", [[1, 2, 3], [4, 5, 6]])
    <W [2][3]>
    """

    __slots__ = "name", "value", "gradient"

    def __init__(self, name, value):
        self.name, self.value, self.gradient = name, value, None

    def __repr__(self):
        sizes, part = "", self.value
        while isinstance(part, list):
            sizes, part = f"{sizes}[{len(part)}]", part[0]
        return f"<{self.name} {sizes or 'number'}>"


def _nodes(argument):
    """The nodes in an argument: one, or those of a list of heads; a constant has none."""
    parts = argument if isinstance(argument, list) else [argument]
    return [part for part in parts if isinstance(part, Node)]


def _value(argument):
    """What a function is given: the value of a node, of each node in a list; a constant itself."""
    if isinstance(argument, Node):
        return argument.value
    return [_value(part) for part in argument] if _nodes(argument) else argument


def _gradient(result):
    """What came back to a result; None if nothing did. Of several parts some may have got nothing: zeros."""
    if all(node.gradient is None for node in _nodes(result)):
        return None
    return result.gradient if isinstance(result, Node) else [_came_back(part) for part in result]


def _came_back(node):
    """What came back to a node: zeros, if the loss does not depend on it."""
    return _zeros(node.value) if node.gradient is None else node.gradient


def _hand(argument, gradient, name):
    """Hand a gradient to an argument that is a node, or a list with nodes: whoever is read by several
    gets the sum."""
    if isinstance(argument, Node):
        if gradient is None:
            raise ValueError(
                f"backward: {name} has no way back to {argument}; give it as a plain value, a constant"
            )
        argument.gradient = gradient if argument.gradient is None else _sum(argument.gradient, gradient)
    elif _nodes(argument):
        for part, d in zip(argument, gradient, strict=True):
            _hand(part, d, name)


def _sum(a, b):
    """Two gradients of the same shape, added."""
    if not isinstance(a, list):
        return a + b
    return add(a, b) if isinstance(a[0], list) else add([a], [b])[0]


def _zeros(value):
    """Zeros in the shape of a value."""
    if not isinstance(value, list):
        return 0.0
    return [[0.0] * len(row) for row in value] if isinstance(value[0], list) else [0.0] * len(value)


class Tape:
    """The course's functions, noted down as they run: tape.linear(X, W) does what linear(X, W) does, and
    remembers it.

    watch puts parameters on the tape. Each function of OPERATIONS takes nodes, or plain values as
    constants, and gives a node. backward walks from a loss to the beginning, once, and gradients reads
    off what came back; the next step takes a new tape. ValueError for what is not on this tape, a loss
    that is not one number, a value that was changed.
    Source: Wengert 1964; Linnainmaa 1970.

    >>> tape = Tape()
    >>> p = tape.watch({"u": [1.0, 2.0], "v": [3.0, 4.0]})
    >>> loss = tape.dot(p["u"], p["v"])
    >>> loss.value
    11.0
    >>> tape.backward(loss)
    >>> tape.gradients(p)
    {'u': [3.0, 4.0], 'v': [1.0, 2.0]}
    """

    def __init__(self):
        self.steps = []  # (what was done, its arguments, the node that came of it), in this order
        self.nodes = set()
        self.copies = []  # (what it is, a list, a copy of it): what is changed behind the tape's back will show
        self.walked = False

    def watch(self, value: "tree"):
        """A node for a matrix, a vector or a number; for dicts of them, and lists of matrices, nodes in
        the same places."""
        return self.put(value, "value")

    def put(self, value, name):
        """The same, under a name."""
        if isinstance(value, dict):
            return {key: self.put(part, key) for key, part in value.items()}
        if (
            isinstance(value, list)
            and value
            and all(isinstance(part, list) and isinstance(part[0], list) for part in value)
        ):
            return [self.put(part, f"{name}[{i}]") for i, part in enumerate(value)]
        node = Node(name, value)
        self.nodes.add(node)
        self.remember(value, node)
        return node

    def remember(self, value, what):
        """Keep a copy of a list, to see later whether it is still the same."""
        if isinstance(value, list):
            self.copies.append((what, value, [row.copy() if type(row) is list else row for row in value]))

    def __getattr__(self, name):
        if name not in OPERATIONS:
            raise AttributeError(f"a tape has no {name}; it has {', '.join(OPERATIONS)}")
        return lambda *arguments, **named: self.record(name, *arguments, **named)

    def record(self, name, *arguments, **named):
        """Do what the table has under this name, and note it down."""
        forward, _ = OPERATIONS[name]
        values = [self.take(argument, name) for argument in arguments]
        result = forward(*values, **{key: self.take(argument, name) for key, argument in named.items()})
        if named:  # each into its place, for the way back
            bound = inspect.signature(forward).bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        result = self.put(result, name)
        self.steps.append((name, arguments, result))
        return result

    def take(self, argument, name):
        """What a function is given: the value of a node of this tape, of each in a list of them; a
        constant is remembered."""
        if isinstance(argument, Node):
            if argument not in self.nodes:
                raise ValueError(
                    f"{name}: {argument} is not on this tape; give what watch or a function of this tape gave"
                )
            return argument.value
        if _nodes(argument):
            return [self.take(part, name) for part in argument]
        self.remember(argument, name)
        return argument

    def backward(self, loss):
        """Walk from the loss to the beginning: each step hands back to its arguments, and what meets in
        one adds up."""
        if not isinstance(loss, Node) or loss not in self.nodes:
            raise ValueError(
                f"backward: {loss!r:.60} is not on this tape; give the loss as a function of this tape gave it"
            )
        if isinstance(loss.value, list):
            raise ValueError(
                f"backward: {loss} is not one number; walk back from a loss, such as cross_entropy gives"
            )
        if self.walked:
            raise ValueError(
                "backward: this tape was walked back before, and gradients would add up; record a new one"
            )
        for what, value, copy in self.copies:
            if value != copy:
                what = f"the value of {what}" if isinstance(what, Node) else f"a list given to {what}"
                raise ValueError(
                    f"backward: {what} was changed after it was used; walk back first, then change it"
                )
        self.walked, loss.gradient = True, 1.0
        for name, arguments, result in reversed(self.steps):
            d_out = _gradient(result)
            if d_out is not None:  # the loss depends on it
                found = OPERATIONS[name][1](d_out, _value(result), *map(_value, arguments))
                for argument, gradient in zip_longest(arguments, found):
                    _hand(argument, gradient, name)

    def gradients(self, nodes):
        """What came back to a node, or to dicts and lists of them; zeros where the loss does not depend
        on it."""
        if isinstance(nodes, dict):
            return {key: self.gradients(part) for key, part in nodes.items()}
        if isinstance(nodes, list) and nodes and isinstance(nodes[0], Node):
            return [self.gradients(part) for part in nodes]
        if not isinstance(nodes, Node) or nodes not in self.nodes:
            raise ValueError(f"gradients: {nodes!r:.60} is not on this tape; give nodes, such as watch gives")
        if not self.walked:
            raise ValueError("gradients: nothing has come back yet; call backward with the loss first")
        return _came_back(nodes)
