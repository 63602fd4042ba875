"""Mistakes in the forward pass of a Llama, each as functions in place of the right ones, for lesson 20.

fast(llama_forward, **LLAMA_BUGS["no RoPE"]) is a forward pass with this mistake.
"""

import math

from ...activations import silu
from ...attention import attention, causal_mask, grouped_query_attention
from ...layers import linear
from ...rope import rope
from .lesson_18_six_steps import rope_by_halves


def not_rotated(X, positions, base):
    return X


def values_rotated(Q, K, V, keys, values, base):
    """cached_attention, which rotates the values, too."""
    S, T = len(keys[0]), len(K[0])
    positions = list(range(S, S + T))
    Q, K, V = ([rope(head, positions, base) for head in heads] for heads in (Q, K, V))
    keys, values = ([[*o, *n] for o, n in zip(*both, strict=True)] for both in ((keys, K), (values, V)))
    mask = causal_mask(S + T)[S:] if T > 1 else None
    return grouped_query_attention(Q, keys, values, mask), keys, values


def every_third_head(Q, K, V, mask=None):
    return [attention(q, K[h % len(K)], V[h % len(V)], mask) for h, q in enumerate(Q)]


def gate_and_up_exchanged(X, W_gate, W_up, W_down):
    ups = [[silu(u) for u in row] for row in linear(X, W_up)]
    gates = linear(X, W_gate)
    return linear(
        [[g * u for g, u in zip(*rows, strict=True)] for rows in zip(gates, ups, strict=True)], W_down
    )


def without_eps(X, gamma, eps):
    result = []
    for row in X:
        rms = math.sqrt(sum((x**2 for x in row), 0.0) / len(row))
        result.append([g * x / rms for x, g in zip(row, gamma, strict=True)])
    return result


LLAMA_BUGS = {
    "none": {},
    "eps forgotten": {"rms_norm": without_eps},
    "RoPE on the values, too": {"cached_attention": values_rotated},
    "RoPE on halves, not neighbours": {"rope": rope_by_halves},
    "no RoPE": {"rope": not_rotated},
    "head h takes set h % 3": {"grouped_query_attention": every_third_head},
    "gate and up exchanged": {"swiglu": gate_and_up_exchanged},
}
