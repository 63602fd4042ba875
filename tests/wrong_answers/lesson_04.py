"""Lesson 04."""

WRONG_ANSWERS = {
    "04.1": {
        "rows for columns": "def split_heads(M, H):\n"
        "    size = max(1, len(M) // H)\n"
        "    return [M[h * size : (h + 1) * size] for h in range(H)]",
        "every H-th column": "def split_heads(M, H):\n    return [[row[h::H] for row in M] for h in range(H)]",
        "H is the width": "def split_heads(M, H):\n"
        "    return [[row[i : i + H] for row in M] for i in range(0, len(M[0]), H)]",
        "positions outside": "def split_heads(M, H):\n"
        "    width = len(M[0]) // H\n"
        "    return [[row[h * width : (h + 1) * width] for h in range(H)] for row in M]",
    },
    "04.2": {
        "rows of W_O": "def sum_of_heads(X, W_Q, W_K, W_V, W_O, mask):\n"
        "    return multi_head_attention(X, W_Q, W_K, W_V, transpose(W_O), mask)",
        "blocks as wide as keys": "def sum_of_heads(X, W_Q, W_K, W_V, W_O, mask):\n"
        "    k, total = len(W_K[0]), None\n"
        "    for h in range(len(W_V)):\n"
        "        head = attention(linear(X, W_Q[h]), linear(X, W_K[h]), linear(X, W_V[h]), mask)\n"
        "        written = linear(head, [row[h * k : (h + 1) * k] for row in W_O])\n"
        "        total = written if total is None else add(total, written)\n"
        "    return total",
        "two heads only": "def sum_of_heads(X, W_Q, W_K, W_V, W_O, mask):\n"
        "    v = len(W_V[0])\n"
        "    heads = [attention(linear(X, q), linear(X, k), linear(X, w), mask) for q, k, w in zip(W_Q, W_K, W_V)]\n"
        "    return add(linear(heads[0], [row[:v] for row in W_O]), linear(heads[1], [row[v:] for row in W_O]))",
        "heads in the wrong order": "def sum_of_heads(X, W_Q, W_K, W_V, W_O, mask):\n"
        "    return multi_head_attention(X, W_Q[::-1], W_K[::-1], W_V[::-1], W_O, mask)",
        "no mask": "def sum_of_heads(X, W_Q, W_K, W_V, W_O, mask):\n"
        "    return multi_head_attention(X, W_Q, W_K, W_V, W_O)",
    },
    "04.3": {
        "four squares": "def attention_parameter_count(D, H, k, v, biases):\n"
        "    return 4 * (D * D + (D if biases else 0))",
        "values as wide as keys": "def attention_parameter_count(D, H, k, v, biases):\n"
        "    return 4 * H * k * D + (3 * H * k + D if biases else 0)",
        "no bias for W_O": "def attention_parameter_count(D, H, k, v, biases):\n"
        "    rows = H * (2 * k + v)\n"
        "    return rows * D + D * H * v + (rows if biases else 0)",
        "W_O for each head": "def attention_parameter_count(D, H, k, v, biases):\n"
        "    return H * (2 * k * D + v * D + D * H * v) + (H * (2 * k + v) + D if biases else 0)",
    },
    "04.4": {
        "W_O left as it is": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [W_O]",
        "the way back": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    back = [order.index(h) for h in range(len(order))]\n"
        "    blocks = split(W_O, len(W_V[0]))\n"
        "    return [[W[h] for h in back] for W in (W_Q, W_K, W_V)] + [concatenate([blocks[h] for h in back])]\n"
        "def split(M, width):\n"
        "    return [[row[i : i + width] for row in M] for i in range(0, len(M[0]), width)]",
        "blocks as wide as keys": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    k = len(W_K[0])\n"
        "    new_W_O = [[x for h in order for x in row[h * k : (h + 1) * k]] for row in W_O]\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [new_W_O]",
        "rows of W_O": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    v = len(W_V[0])\n"
        "    new_W_O = [row for h in order for row in W_O[h * v : (h + 1) * v]]\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [new_W_O]",
    },
}
