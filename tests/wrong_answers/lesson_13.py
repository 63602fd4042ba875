"""Lesson 13."""

WRONG_ANSWERS = {
    "13.a": {
        "norms behind": "def my_block(X, norm_1, attention, norm_2, feed_forward):\n"
        "    middle = norm_1(add(X, attention(X)))\n    return norm_2(add(middle, feed_forward(middle)))",
        "nothing around": (
            "def my_block(X, norm_1, attention, norm_2, feed_forward):\n"
            "    return feed_forward(norm_2(attention(norm_1(X))))"
        ),
        "around attention only": "def my_block(X, norm_1, attention, norm_2, feed_forward):\n"
        "    return feed_forward(norm_2(add(X, attention(norm_1(X)))))",
        "side by side": "def my_block(X, norm_1, attention, norm_2, feed_forward):\n"
        "    return add(add(X, attention(norm_1(X))), feed_forward(norm_2(X)))",
        "lists joined": "def my_block(X, norm_1, attention, norm_2, feed_forward):\n"
        "    middle = X + attention(norm_1(X))\n    return middle + feed_forward(norm_2(middle))",
        "no norms": "def my_block(X, norm_1, attention, norm_2, feed_forward):\n"
        "    middle = add(X, attention(X))\n    return add(middle, feed_forward(middle))",
    },
    "13.b": {
        "head by head": "def my_c_attn(W_Q, W_K, W_V):\n"
        "    return [row for heads in zip(W_Q, W_K, W_V) for head in heads for row in head]",
        "another order": "def my_c_attn(W_Q, W_K, W_V):\n"
        "    return [row for heads in (W_K, W_Q, W_V) for head in heads for row in head]",
        "turned": "def my_c_attn(W_Q, W_K, W_V):\n"
        "    rows = [row for heads in (W_Q, W_K, W_V) for head in heads for row in head]\n"
        "    return [list(column) for column in zip(*rows)]",
        "one head": "def my_c_attn(W_Q, W_K, W_V):\n    return W_Q[0] + W_K[0] + W_V[0]",
        "side by side": "def my_c_attn(W_Q, W_K, W_V):\n    return merge_heads(W_Q + W_K + W_V)",
        "lists of heads": "def my_c_attn(W_Q, W_K, W_V):\n    return W_Q + W_K + W_V",
    },
    "13.c": {
        "past the second sum": "def my_block_backward(d_out, attention_backward, feed_forward_backward):\n"
        "    return add(add(d_out, feed_forward_backward(d_out)), attention_backward(d_out))",
        "forward order": "def my_block_backward(d_out, attention_backward, feed_forward_backward):\n"
        "    d_middle = add(d_out, attention_backward(d_out))\n"
        "    return add(d_middle, feed_forward_backward(d_middle))",
        "only through": (
            "def my_block_backward(d_out, attention_backward, feed_forward_backward):\n"
            "    return attention_backward(feed_forward_backward(d_out))"
        ),
        "one way around both": "def my_block_backward(d_out, attention_backward, feed_forward_backward):\n"
        "    return add(d_out, attention_backward(feed_forward_backward(d_out)))",
        "side by side": "def my_block_backward(d_out, attention_backward, feed_forward_backward):\n"
        "    return add(feed_forward_backward(d_out), attention_backward(d_out))",
        "around attention only": "def my_block_backward(d_out, attention_backward, feed_forward_backward):\n"
        "    d_middle = feed_forward_backward(d_out)\n    return add(d_middle, attention_backward(d_middle))",
    },
    "13.d": {
        "no biases": (
            "def my_param_count(V, P, D, L):\n    return (V + P) * D + L * (12 * D * D + 4 * D) + 2 * D"
        ),
        "no biases and no norms": (
            "def my_param_count(V, P, D, L):\n    return (V + P) * D + L * 12 * D * D + 2 * D"
        ),
        "no biases and no shifts": (
            "def my_param_count(V, P, D, L):\n    return (V + P) * D + L * (12 * D * D + 2 * D) + D"
        ),
        "one norm a block": (
            "def my_param_count(V, P, D, L):\n    return (V + P) * D + L * (12 * D * D + 11 * D) + 2 * D"
        ),
        "no last norm": "def my_param_count(V, P, D, L):\n    return (V + P) * D + L * (12 * D * D + 13 * D)",
        "another table": (
            "def my_param_count(V, P, D, L):\n    return (2 * V + P) * D + L * (12 * D * D + 13 * D) + 2 * D"
        ),
        "one block": "def my_param_count(V, P, D, L):\n    return (V + P) * D + 12 * D * D + 13 * D + 2 * D",
        "matrices of blocks only": "def my_param_count(V, P, D, L):\n    return 12 * D * D * L",
    },
}
