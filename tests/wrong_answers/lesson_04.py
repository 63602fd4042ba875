"""Lesson 04."""

WRONG_ANSWERS = {
    "04.a": {
        "heads under one another": (
            "def my_merge_heads(heads):\n    return [row for head in heads for row in head]"
        ),
        "one row for each head": (
            "def my_merge_heads(heads):\n    return [[x for row in head for x in row] for head in heads]"
        ),
        "alternating numbers": (
            "def my_merge_heads(heads):\n"
            "    return [[x for xs in zip(*rows) for x in xs] for rows in zip(*heads)]"
        ),
        "two heads only": (
            "def my_merge_heads(heads):\n    return [a + b for a, b in zip(heads[0], heads[1])]"
        ),
        "heads added": (
            "def my_merge_heads(heads):\n    return [[sum(xs) for xs in zip(*rows)] for rows in zip(*heads)]"
        ),
    },
    "04.b": {
        "each head reads the head before it": (
            "def my_multi_head_attention(X, W_Q, W_K, W_V, W_O, mask):\n"
            "    heads = []\n"
            "    for q, k, v in zip(W_Q, W_K, W_V):\n"
            "        X = attention(linear(X, q), linear(X, k), linear(X, v), mask)\n"
            "        heads.append(X)\n"
            "    return linear(merge_heads(heads), W_O)"
        ),
        "a mask of its own": (
            "def my_multi_head_attention(X, W_Q, W_K, W_V, W_O, mask):\n"
            "    return multi_head_attention(X, W_Q, W_K, W_V, W_O, causal_mask(len(X)))"
        ),
        "no output projection": (
            "def my_multi_head_attention(X, W_Q, W_K, W_V, W_O, mask):\n"
            "    return merge_heads([attention(linear(X, q), linear(X, k), linear(X, v), mask)\n"
            "                        for q, k, v in zip(W_Q, W_K, W_V)])"
        ),
    },
    "04.c": {
        "all columns": "def my_contribution(head, W_O, first):\n    return linear(head, W_O)",
        "first as a number of a head": (
            "def my_contribution(head, W_O, first):\n"
            "    v = len(head[0])\n"
            "    return linear(head, [row[first * v : (first + 1) * v] for row in W_O])"
        ),
        "slice ends at width": (
            "def my_contribution(head, W_O, first):\n"
            "    return linear(head, [row[first : len(head[0])] for row in W_O])"
        ),
    },
}
