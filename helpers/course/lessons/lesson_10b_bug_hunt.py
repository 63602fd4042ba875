"""The bugs of lesson 10b: backward passes with one bug each. The code gives four answers away."""

import math
import random
import types

from ... import toy
from ...backward import activation_backward, embedding_backward, layer_norm_backward, token_losses_backward
from ...matrices import matmul, scale, transpose
from ...parameters import random_matrix
from ..argument_checks import shape

CALLED = sorted(
    {"split_heads", *(name for name in vars(toy) if name.endswith("_backward"))} - {"toy_backward"}
)


def backward_with(**pieces):
    """toy_backward with some of the functions that it calls replaced; it returns the parameters' gradients.

    ValueError for a name that it does not call.
    """
    ours = toy.toy_backward
    for name in pieces:
        if name not in CALLED:
            raise ValueError(f"toy_backward calls no {name}; it calls {', '.join(CALLED)}")
    exchanged = types.FunctionType(ours.__code__, {**vars(toy), **pieces}, "backward", ours.__defaults__)

    def backward(parameters, activations, tokens, targets):
        return exchanged(parameters, activations, tokens, targets)[0]

    return backward


def no_quarter(d_out, logits, targets):
    return token_losses_backward([1.0] * len(targets), logits, targets)


def values_transposed(d_out, weights, V):
    return matmul(d_out, transpose(V)), matmul(weights, d_out)


def no_residual(d_out):
    return scale(d_out, 0.0), d_out


def gamma_outside(d_out, X, gamma, eps):
    d_X, _, _ = layer_norm_backward(d_out, X, [1.0] * len(gamma), eps)
    _, d_gamma, d_beta = layer_norm_backward(d_out, X, gamma, eps)
    return [[g * d for g, d in zip(gamma, row)] for row in d_X], d_gamma, d_beta


def mixed_derivative(x):
    """A wrong derivative of GELU: Φ in the tanh form, the derivative of Φ in the exact form."""
    tanh_part = 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return tanh_part + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def two_gelus(d_out, X):
    return activation_backward(d_out, X, mixed_derivative)


def last_row_only(d_out, ids, E):
    last = {i: embedding_backward([row], [i], E)[i] for i, row in zip(ids, d_out)}
    return [last.get(i, [0.0] * len(row)) for i, row in enumerate(E)]


def random_numbers(seed):
    """A backward pass with random numbers for d_Q, d_K and d_X, new ones in each call."""
    noise = random.Random(seed)

    def like(A):
        return random_matrix(noise, *shape(A), sigma=0.01)

    return backward_with(
        attention_scores_backward=lambda d_out, Q, K: (like(Q), like(K)),
        embedding_backward=lambda d_out, ids, E: embedding_backward(like(d_out), ids, E),
    )


mysteries = {
    1: backward_with(token_losses_backward=no_quarter),
    2: backward_with(matmul_backward=values_transposed),
    3: backward_with(add_backward=no_residual),
    4: backward_with(layer_norm_backward=gamma_outside),
}

suspects = {
    **{f"mystery {number}": backward for number, backward in mysteries.items()},
    "two GELUs mixed": backward_with(activation_backward=two_gelus),
}

overwriting = backward_with(embedding_backward=last_row_only)
