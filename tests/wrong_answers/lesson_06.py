"""Lessons 06 and 06b."""

WRONG_ANSWERS = {
    "06.1": {
        "rows reversed only": "def is_position_wise(layer, X):\n"
        "    back = layer(X[::-1])[::-1]\n"
        "    return all(abs(a - b) < 1e-9 for rows in zip(back, layer(X)) for a, b in zip(*rows))",
        "rows reversed only, without a tolerance": "def is_position_wise(layer, X):\n"
        "    return layer(X[::-1]) == layer(X)[::-1]",
        "one row changed only": "def is_position_wise(layer, X):\n"
        "    changed = layer([[x + 1.0 for x in X[0]], *X[1:]])\n"
        "    return all(abs(a - b) < 1e-9 for rows in zip(changed[1:], layer(X)[1:]) for a, b in zip(*rows))",
        "the first row only": "def is_position_wise(layer, X):\n"
        "    return all(abs(a - b) < 1e-9 for a, b in zip(layer(X[:1])[0], layer(X)[0]))",
        "the last row only": "def is_position_wise(layer, X):\n"
        "    return all(abs(a - b) < 1e-9 for a, b in zip(layer(X[-1:])[0], layer(X)[-1]))\n",
        "both experiments of the lesson": "def is_position_wise(layer, X):\n"
        "    changed = layer([[2 * x for x in X[0]], *X[1:]])\n"
        "    alone = all(abs(a - b) < 1e-9 for rows in zip(changed[1:], layer(X)[1:]) for a, b in "
        "zip(*rows))\n"
        "    back = layer(X[::-1])[::-1]\n"
        "    return alone and all(abs(a - b) < 1e-9 for rows in zip(back, layer(X)) for a, b in zip(*rows))",
        "same shape": "def is_position_wise(layer, X):\n    return len(layer(X)) == len(X)",
    },
    "06.2": {
        "always transposed": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    return feed_forward(X, transpose(W_1), b_1, transpose(W_2), b_2, activation=relu)",
        "F is the longer side": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    first = W_1 if len(W_1) > len(W_1[0]) else transpose(W_1)\n"
        "    second = W_2 if len(W_2) < len(W_2[0]) else transpose(W_2)\n"
        "    return feed_forward(X, first, b_1, second, b_2, activation=relu)",
        "both like the first": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    if len(W_1) != len(b_1):\n"
        "        W_1, W_2 = transpose(W_1), transpose(W_2)\n"
        "    return feed_forward(X, W_1, b_1, W_2, b_2, activation=relu)",
        "GELU": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    first = W_1 if len(W_1) == len(b_1) else transpose(W_1)\n"
        "    second = W_2 if len(W_2) == len(b_2) else transpose(W_2)\n"
        "    return feed_forward(X, first, b_1, second, b_2)",
        "biases forgotten": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    first = W_1 if len(W_1) == len(b_1) else transpose(W_1)\n"
        "    second = W_2 if len(W_2) == len(b_2) else transpose(W_2)\n"
        "    return feed_forward(X, first, None, second, None, activation=relu)",
        "ReLU at the end too": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    first = W_1 if len(W_1) == len(b_1) else transpose(W_1)\n"
        "    second = W_2 if len(W_2) == len(b_2) else transpose(W_2)\n"
        "    Y = feed_forward(X, first, b_1, second, b_2, activation=relu)\n"
        "    return [[relu(y) for y in row] for row in Y]",
    },
    "06.3": {
        "always a batch": "def matrix_or_batch(layer, X):\n"
        "    batch = X if isinstance(X[0][0], list) else [X]\n"
        "    return [layer(rows) for rows in batch]",
        "squeezed when there is one": "def matrix_or_batch(layer, X):\n"
        "    batch = X if isinstance(X[0][0], list) else [X]\n"
        "    results = [layer(rows) for rows in batch]\n"
        "    return results[0] if len(results) == 1 else results",
        "matrices only": "def matrix_or_batch(layer, X):\n    return layer(X)",
        "all rows as one matrix": "def matrix_or_batch(layer, X):\n"
        "    if not isinstance(X[0][0], list):\n"
        "        return layer(X)\n"
        "    return layer([row for rows in X for row in rows])",
    },
}
