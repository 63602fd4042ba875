"""Lesson 06 and its variants, 06b."""

WRONG_ANSWERS = {
    "06.1": {
        "equal to the last bit": "def to_be_turned(X, W_1, b_1, W_2, b_2, Y):\n"
        "    ways = {'neither': (W_1, W_2), 'W_1': (transpose(W_1), W_2),\n"
        "            'W_2': (W_1, transpose(W_2)), 'both': (transpose(W_1), transpose(W_2))}\n"
        "    for name, (first, second) in ways.items():\n"
        "        if feed_forward(X, first, b_1, second, b_2) == Y:\n"
        "            return name\n"
        "    return 'neither'",
        "a tolerance of 0.1": "def to_be_turned(X, W_1, b_1, W_2, b_2, Y):\n"
        "    for name, first, second in (('neither', W_1, W_2), ('W_1', transpose(W_1), W_2),\n"
        "                                ('W_2', W_1, transpose(W_2)), ('both', transpose(W_1), transpose(W_2))):\n"
        "        got = feed_forward(X, first, b_1, second, b_2)\n"
        "        if max(abs(g - y) for rows in zip(got, Y) for g, y in zip(*rows)) < 0.1:\n"
        "            return name",
        "the first row only": "def to_be_turned(X, W_1, b_1, W_2, b_2, Y):\n"
        "    for name, first, second in (('neither', W_1, W_2), ('W_1', transpose(W_1), W_2),\n"
        "                                ('W_2', W_1, transpose(W_2)), ('both', transpose(W_1), transpose(W_2))):\n"
        "        got = feed_forward(X, first, b_1, second, b_2)\n"
        "        if max(abs(g - y) for g, y in zip(got[0], Y[0])) < 1e-4:\n"
        "            return name",
        "only one at a time": "def to_be_turned(X, W_1, b_1, W_2, b_2, Y):\n"
        "    ways = {'neither': (W_1, W_2), 'W_1': (transpose(W_1), W_2), 'W_2': (W_1, transpose(W_2))}\n"
        "    for name, (first, second) in ways.items():\n"
        "        got = feed_forward(X, first, b_1, second, b_2)\n"
        "        if all(abs(g - y) < 1e-4 for rows in zip(got, Y) for g, y in zip(*rows)):\n"
        "            return name\n"
        "    return 'neither'",
        "by the shapes": "def to_be_turned(X, W_1, b_1, W_2, b_2, Y):\n"
        "    return 'neither' if len(W_1[0]) == len(X[0]) else 'W_1'",
        "without the bend": "def to_be_turned(X, W_1, b_1, W_2, b_2, Y):\n"
        "    for name, first, second in (('W_1', transpose(W_1), W_2), ('W_2', W_1, transpose(W_2)),\n"
        "                                ('both', transpose(W_1), transpose(W_2))):\n"
        "        got = linear(linear(X, first, b_1), second, b_2)\n"
        "        if all(abs(g - y) < 1e-4 for rows in zip(got, Y) for g, y in zip(*rows)):\n"
        "            return name\n"
        "    return 'neither'",
    },
    "06.2": {
        "only the last bias": "def forgotten(layer, W_1, b_1, W_2, b_2):\n"
        "    zeros = [[0.0] * len(W_1[0])]\n"
        "    right = feed_forward(zeros, W_1, b_1, W_2, b_2)\n"
        "    return 'none' if max(abs(a - b) for a, b in zip(layer(zeros)[0], right[0])) < 1e-9 else 'b_2'",
        "both is b_1": "def forgotten(layer, W_1, b_1, W_2, b_2):\n"
        "    zeros = [[0.0] * len(W_1[0])]\n"
        "    got = layer(zeros)[0]\n"
        "    cases = {'none': (b_1, b_2), 'b_2': (b_1, None)}\n"
        "    for name, (first, second) in cases.items():\n"
        "        if max(abs(a - b) for a, b in zip(got, feed_forward(zeros, W_1, first, W_2, second)[0])) < 1e-9:\n"
        "            return name\n"
        "    return 'b_1'",
        "without the bend": "def forgotten(layer, W_1, b_1, W_2, b_2):\n"
        "    zeros = [[0.0] * len(W_1[0])]\n"
        "    got = layer(zeros)[0]\n"
        "    for name, first, second in (('none', b_1, b_2), ('b_1', None, b_2), ('b_2', b_1, None)):\n"
        "        if max(abs(a - b) for a, b in zip(got, linear(linear(zeros, W_1, first), W_2, second)[0])) < 1e-9:\n"
        "            return name\n"
        "    return 'both'",
        "rows as wide as the middle": "def forgotten(layer, W_1, b_1, W_2, b_2):\n"
        "    zeros = [[0.0] * len(W_1)]\n"
        "    got = layer(zeros)[0]\n"
        "    for name, first, second in (('none', b_1, b_2), ('b_1', None, b_2), ('b_2', b_1, None), ('both', None, None)):\n"
        "        if max(abs(a - b) for a, b in zip(got, feed_forward(zeros, W_1, first, W_2, second)[0])) < 1e-9:\n"
        "            return name",
    },
    "06.3": {
        "rows shuffled only": "def is_position_wise(layer, X):\n"
        "    back = layer(X[::-1])[::-1]\n"
        "    return all(abs(a - b) < 1e-9 for rows in zip(back, layer(X)) for a, b in zip(*rows))",
        "rows shuffled only, without a tolerance": "def is_position_wise(layer, X):\n"
        "    return layer(X[::-1]) == layer(X)[::-1]",
        "one row changed only": "def is_position_wise(layer, X):\n"
        "    changed = layer([[x + 1.0 for x in X[0]], *X[1:]])\n"
        "    return all(abs(a - b) < 1e-9 for rows in zip(changed[1:], layer(X)[1:]) for a, b in zip(*rows))",
        "the first row only": "def is_position_wise(layer, X):\n"
        "    return all(abs(a - b) < 1e-9 for a, b in zip(layer(X[:1])[0], layer(X)[0]))",
        "the last row only": "def is_position_wise(layer, X):\n"
        "    return all(abs(a - b) < 1e-9 for a, b in zip(layer(X[-1:])[0], layer(X)[-1]))\n",
        "same shape": "def is_position_wise(layer, X):\n    return len(layer(X)) == len(X)",
    },
    "06.4": {
        "one hidden layer only": "def layers_parameter_count(widths, biases):\n"
        "    D, F, m = (widths + widths)[:3]\n"
        "    return D * F + F * m + (F + m if biases else 0)",
        "a bias for what comes in": "def layers_parameter_count(widths, biases):\n"
        "    return sum(a * b + (a if biases else 0) for a, b in zip(widths, widths[1:]))",
        "a bias at every width": "def layers_parameter_count(widths, biases):\n"
        "    return sum(a * b for a, b in zip(widths, widths[1:])) + (sum(widths) if biases else 0)",
        "biases always": "def layers_parameter_count(widths, biases):\n"
        "    return sum(a * b + b for a, b in zip(widths, widths[1:]))",
    },
    "06.5": {
        "always turned": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    return feed_forward(X, transpose(W_1), b_1, transpose(W_2), b_2, activation=relu)",
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
        "bend at the end too": "def either_convention(X, W_1, b_1, W_2, b_2):\n"
        "    first = W_1 if len(W_1) == len(b_1) else transpose(W_1)\n"
        "    second = W_2 if len(W_2) == len(b_2) else transpose(W_2)\n"
        "    Y = feed_forward(X, first, b_1, second, b_2, activation=relu)\n"
        "    return [[relu(y) for y in row] for row in Y]",
    },
    "06.6": {
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
    "06.7": {
        "exp overflows": "def gated_feed_forward(X, W_gate, W_up, W_down):\n"
        "    gates = [[g / (1 + math.exp(-g)) for g in row] for row in linear(X, W_gate)]\n"
        "    middle = [[g * u for g, u in zip(*rows)] for rows in zip(gates, linear(X, W_up))]\n"
        "    return linear(middle, W_down)",
        "the gate not bent": "def gated_feed_forward(X, W_gate, W_up, W_down):\n"
        "    gates, ups = linear(X, W_gate), linear(X, W_up)\n"
        "    return linear([[g * u for g, u in zip(*rows)] for rows in zip(gates, ups)], W_down)",
        "the other one bent": "def gated_feed_forward(X, W_gate, W_up, W_down):\n"
        "    gates = linear(X, W_gate)\n"
        "    ups = [[u / (1 + math.exp(-u)) for u in row] for row in linear(X, W_up)]\n"
        "    return linear([[g * u for g, u in zip(*rows)] for rows in zip(gates, ups)], W_down)",
        "GELU": "def gated_feed_forward(X, W_gate, W_up, W_down):\n"
        "    gates = [[gelu(g) for g in row] for row in linear(X, W_gate)]\n"
        "    return linear([[g * u for g, u in zip(*rows)] for rows in zip(gates, linear(X, W_up))], W_down)",
        "added": "def gated_feed_forward(X, W_gate, W_up, W_down):\n"
        "    gates = [[g / (1 + math.exp(-g)) for g in row] for row in linear(X, W_gate)]\n"
        "    return linear(add(gates, linear(X, W_up)), W_down)",
    },
}
