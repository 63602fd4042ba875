"""Lesson 10."""

_STEPS = [
    'd_normed, d_W_lm, _ = linear_backward(d_logits, a["normed"], p["W_lm"])',
    'd_residual, d_gamma, d_beta = layer_norm_backward(d_normed, a["residual"], p["gamma"])',
    "d_branch, d_W_1, d_b_1, d_W_2, d_b_2 = feed_forward_backward("
    'd_residual, a["attention_output"], p["W_1"], p["b_1"], p["W_2"])',
    "d_attention_output = add(d_residual, d_branch)",
    "d_X, d_W_Q, d_W_K, d_W_V, d_W_O = multi_head_attention_backward("
    'd_attention_output, a["X"], p["W_Q"], p["W_K"], p["W_V"], p["W_O"], causal_mask(len(tokens)))',
    'd_E_token = embedding_backward(d_X, tokens, p["E_token"])',
    'd_E_pos = embedding_backward(d_X, list(range(len(tokens))), p["E_pos"])',
    "return d_W_lm, d_gamma, d_beta, d_W_2, d_b_2, d_W_1, d_b_1, d_W_O, "
    "d_W_Q, d_W_K, d_W_V, d_E_token, d_E_pos",
]
_SUM = 3  # the line that the reader writes


def _backward_pass(steps):
    return "\n    ".join(["def my_backward_pass(p, a, d_logits, tokens):", *steps])


def _with_sum(line):
    return _backward_pass([*_STEPS[:_SUM], line, *_STEPS[_SUM + 1 :]])


WRONG_ANSWERS = {
    "10.1": {
        "the residual connection only": _with_sum("d_attention_output = d_residual"),
        "the feed-forward network only": _with_sum("d_attention_output = d_branch"),
        "the mean": _with_sum("d_attention_output = scale(add(d_residual, d_branch), 0.5)"),
        "the line not written": _backward_pass([*_STEPS[:_SUM], *_STEPS[_SUM + 1 :]]),
        "the order of the forward pass": _backward_pass([*reversed(_STEPS[:-1]), _STEPS[-1]]),
        "alphabetical order": _backward_pass([*sorted(_STEPS[:-1]), _STEPS[-1]]),
    },
    "10.d": {
        "two heads, whatever the number": "def my_d_X(d_queries, d_keys, d_values, W_Q, W_K, W_V):\n"
        "    d_X = [[0.0] * len(W_Q[0][0]) for _ in d_queries[0]]\n"
        "    for h in range(2):\n"
        "        for ds, Ws in ((d_queries, W_Q), (d_keys, W_K), (d_values, W_V)):\n"
        "            d_X = add(d_X, matmul(ds[h], Ws[h]))\n"
        "    return d_X"
    },
}
