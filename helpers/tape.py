"""Reverse-mode automatic differentiation: record each operation, then run the backward functions in reverse.

A node of the computation graph is a whole matrix, vector or number. OPERATIONS pairs each function of the
course with its backward function.
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
    silu,
    silu_derivative,
)
from .attention import (
    attention,
    attention_scores,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    softmax,
    split_heads,
)
from .backward import (
    activation_backward,
    add_backward,
    attention_backward,
    attention_scores_backward,
    cross_entropy_backward,
    dot_backward,
    embedding_backward,
    feed_forward_backward,
    grouped_query_attention_backward,
    layer_norm_backward,
    linear_backward,
    matmul_backward,
    multi_head_attention_backward,
    perplexity_backward,
    rms_norm_backward,
    rope_backward,
    scale_backward,
    softmax_backward,
    swiglu_backward,
    token_losses_backward,
    transpose_backward,
)
from .layers import embedding, feed_forward, layer_norm, linear, rms_norm, swiglu
from .losses import cross_entropy, perplexity, token_losses
from .matrices import add, dot, matmul, scale, transpose
from .rope import rope


def gelu_rows(X: "T n") -> "T n":
    """Apply gelu to every number of a matrix.

    >>> gelu_rows([[0, 10]])
    [[0.0, 10.0]]
    """
    return [[gelu(x) for x in row] for row in X]


def relu_rows(X: "T n") -> "T n":
    """Apply relu to every number of a matrix.

    >>> relu_rows([[3, -2]])
    [[3, 0.0]]
    """
    return [[relu(x) for x in row] for row in X]


def softmax_rows(scores: "T S") -> "T S":
    """Apply softmax to every row of scores.

    >>> softmax_rows([[5, 5], [7, 7]])
    [[0.5, 0.5], [0.5, 0.5]]
    """
    return [softmax(row) for row in scores]


def softmax_rows_backward(d_out: "T S", weights: "T S") -> "T S":
    """Apply softmax_backward to every row; weights is the result of softmax_rows.

    >>> softmax_rows_backward([[4, 0]], [[0.5, 0.5]])
    [[1.0, -1.0]]
    """
    return [softmax_backward(d, w) for d, w in zip(d_out, weights, strict=True)]


# name: (function, its backward function). The backward function takes the gradient of the result, the
# result and the arguments, and returns one gradient per argument, in order. An argument without gradient
# (ids, a mask, eps) gets None; at the end, None may be left out.
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
    "swiglu": (swiglu, lambda d, out, *given: swiglu_backward(d, *given)),
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
    "rope": (rope, lambda d, out, X, positions, base=10000.0: [rope_backward(d, positions, base)]),
    "grouped_query_attention": (
        grouped_query_attention,
        lambda d, out, *given: grouped_query_attention_backward(d, *given),
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
    silu: silu_derivative,
}


class Node:
    """A value in the computation graph: a matrix, a vector or a number, with its gradient.

    >>> Node("W", [[1, 2, 3], [4, 5, 6]])
    <W [2][3]>
    """

    __slots__ = "name", "value", "gradient"

    def __init__(self, name, value):
        self.name, self.value, self.gradient = name, value, None

    def __repr__(self):
        shape, part = "", self.value
        while isinstance(part, list):
            shape, part = f"{shape}[{len(part)}]", part[0]
        return f"<{self.name} {shape or 'number'}>"


class Tape:
    """Records operations: tape.linear(X, W) returns a node with the value of linear(X, W).

    watch makes nodes of parameters. A tape has a method for each function of OPERATIONS; its arguments are
    nodes, or plain values as constants. backward runs once, and gradients returns the results. Use a new
    tape for each step. It is an error to use a node of another tape, or to change a value before backward.
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
        self.steps = []  # (name of the operation, its arguments, the node of its result), in this order
        self.nodes = set()
        self.copies = []  # (node or name of the operation, list, copy of it), to notice a changed list
        self.used = False  # backward has run

    def watch(self, value: "tree"):
        """A node for a matrix, a vector or a number; for dicts and lists of matrices, the same of nodes."""
        return self._as_nodes(value, "value")

    def __getattr__(self, name):
        if name not in OPERATIONS:
            raise AttributeError(f"a tape has no {name}; it has {', '.join(OPERATIONS)}")
        return lambda *arguments, **named: self.record(name, *arguments, **named)

    def record(self, name, *arguments, **named):
        """Run the function of this name and record the operation."""
        forward, _ = OPERATIONS[name]
        for argument in (*arguments, *named.values()):
            self._check_argument(argument, name)
        values = [_unwrap(argument) for argument in arguments]
        result = forward(*values, **{key: _unwrap(argument) for key, argument in named.items()})
        if named:  # the backward function takes all arguments by position
            bound = inspect.signature(forward).bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        result = self._as_nodes(result, name)
        self.steps.append((name, arguments, result))
        return result

    def backward(self, loss):
        """Backpropagation from the loss: run the backward functions in reverse order."""
        self._check_before_backward(loss)
        self.used, loss.gradient = True, 1.0
        for name, arguments, result in reversed(self.steps):
            if all(node.gradient is None for node in _nodes(result)):
                continue  # the loss does not depend on this result
            _, backward = OPERATIONS[name]
            gradients = backward(_gradient(result), _unwrap(result), *map(_unwrap, arguments))
            for argument, gradient in zip_longest(arguments, gradients):
                _accumulate(argument, gradient, name)

    def gradients(self, nodes):
        """The gradient of a node, or of dicts and lists of nodes; zeros if the loss does not depend on it."""
        if isinstance(nodes, dict):
            return {key: self.gradients(part) for key, part in nodes.items()}
        if isinstance(nodes, list) and nodes and isinstance(nodes[0], Node):
            return [self.gradients(part) for part in nodes]
        if not isinstance(nodes, Node) or nodes not in self.nodes:
            raise ValueError(f"gradients: {nodes!r:.60} is not on this tape; give nodes, such as watch gives")
        if not self.used:
            raise ValueError("gradients: there are none yet; call backward with the loss first")
        return _gradient(nodes)

    def _as_nodes(self, value, name):
        """A node for a value; for a dict, or a list of matrices, one for each part."""
        if isinstance(value, dict):
            return {key: self._as_nodes(part, key) for key, part in value.items()}
        if isinstance(value, list) and value and all(_is_matrix(part) for part in value):
            return [self._as_nodes(part, f"{name}[{i}]") for i, part in enumerate(value)]
        node = Node(name, value)
        self.nodes.add(node)
        self._keep_copy(value, node)
        return node

    def _keep_copy(self, value, owner):
        if isinstance(value, list):
            copy = [row.copy() if type(row) is list else row for row in value]
            self.copies.append((owner, value, copy))

    def _check_argument(self, argument, name):
        """Refuse nodes of other tapes; keep a copy of a constant."""
        if isinstance(argument, Node):
            if argument not in self.nodes:
                raise ValueError(
                    f"{name}: {argument} is not on this tape; give what watch or a function of this tape gave"
                )
        elif _nodes(argument):
            for part in argument:
                self._check_argument(part, name)
        else:
            self._keep_copy(argument, name)

    def _check_before_backward(self, loss):
        if not isinstance(loss, Node) or loss not in self.nodes:
            raise ValueError(
                f"backward: {loss!r:.60} is not on this tape; give the loss that a function of this tape gave"
            )
        if isinstance(loss.value, list):
            raise ValueError(
                f"backward: {loss} is not one number; start from a loss, such as cross_entropy gives"
            )
        if self.used:
            raise ValueError(
                "backward: this tape was used before, and gradients would add up; record a new one"
            )
        for owner, value, copy in self.copies:
            if value != copy:
                what = f"the value of {owner}" if isinstance(owner, Node) else f"a list given to {owner}"
                raise ValueError(
                    f"backward: {what} was changed after it was used; call backward first, then change it"
                )


def _is_matrix(value):
    return isinstance(value, list) and isinstance(value[0], list)


def _nodes(argument):
    """The nodes in an argument: itself, or those in a list; none in a constant."""
    parts = argument if isinstance(argument, list) else [argument]
    return [part for part in parts if isinstance(part, Node)]


def _unwrap(argument):
    """The value of a node, of each node in a list, or the constant itself."""
    if isinstance(argument, Node):
        return argument.value
    return [_unwrap(part) for part in argument] if _nodes(argument) else argument


def _gradient(result):
    """The gradient of a node, zeros if it has none, or of each node in a list."""
    if isinstance(result, list):
        return [_gradient(node) for node in result]
    return _zeros_like(result.value) if result.gradient is None else result.gradient


def _accumulate(argument, gradient, name):
    """Add a gradient to the node, or to each node in a list; a node with several users gets the sum."""
    if isinstance(argument, Node):
        if gradient is None:
            raise ValueError(
                f"backward: {name} has no gradient for {argument}; give it as a plain value, a constant"
            )
        argument.gradient = gradient if argument.gradient is None else _add(argument.gradient, gradient)
    elif _nodes(argument):
        for part, d in zip(argument, gradient, strict=True):
            _accumulate(part, d, name)


def _add(a, b):
    """The sum of two numbers, vectors or matrices of the same shape."""
    if not isinstance(a, list):
        return a + b
    return add(a, b) if _is_matrix(a) else [x + y for x, y in zip(a, b, strict=True)]


def _zeros_like(value):
    return [_zeros_like(part) for part in value] if isinstance(value, list) else 0.0
