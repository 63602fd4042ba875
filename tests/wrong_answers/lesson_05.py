"""Lesson 05."""

WRONG_ANSWERS = {
    "05.1": {
        "the larger of the two": "def leaky_relu(x, a):\n    return [max(x, a * x), 1.0 if x > 0 else a]",
        "zero counted as positive": "def leaky_relu(x, a):\n    return [x, 1.0] if x >= 0 else [a * x, a]",
        "slope times x": "def leaky_relu(x, a):\n    return [x, 1.0] if x > 0 else [a * x, a * x]",
        "value only": "def leaky_relu(x, a):\n    return x if x > 0 else a * x",
    },
    "05.2": {
        "exp overflows": "def silu(x):\n"
        "    s = 1 / (1 + math.exp(-x))\n"
        "    return [x * s, s + x * s * (1 - s)]",
        "slope of the sigmoid alone": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(x / 2))\n"
        "    return [x * s, s * (1 - s)]",
        "product rule half done": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(x / 2))\n"
        "    return [x * s, x * s * (1 - s)]",
        "the sigmoid form of GELU": "def silu(x):\n    return [gelu_sigmoid(x), gelu_sigmoid_slope(x)]",
        "tanh of x, not of x / 2": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(x))\n"
        "    return [x * s, s + x * s * (1 - s)]",
    },
    "05.3": {
        "passes over a middle that is 0": "def zero_between(f, low, high):\n"
        "    while high - low > 1e-12:\n"
        "        middle = (low + high) / 2\n"
        "        if (f(low) < 0) == (f(middle) < 0):\n"
        "            low = middle\n"
        "        else:\n"
        "            high = middle\n"
        "    return (low + high) / 2",
        "rising only": "def zero_between(f, low, high):\n"
        "    while high - low > 1e-12:\n"
        "        middle = (low + high) / 2\n"
        "        low, high = (middle, high) if f(middle) < 0 else (low, middle)\n"
        "    return (low + high) / 2",
        "lost when it hits the zero": "def zero_between(f, low, high):\n"
        "    while high - low > 1e-12:\n"
        "        middle = (low + high) / 2\n"
        "        low, high = (low, middle) if f(low) * f(middle) < 0 else (middle, high)\n"
        "    return (low + high) / 2",
        "on a grid": "def zero_between(f, low, high):\n"
        "    return min((low + (high - low) * i / 1000 for i in range(1001)), key=lambda x: abs(f(x)))",
        "stops too soon": "def zero_between(f, low, high):\n"
        "    while high - low > 1e-6:\n"
        "        middle = (low + high) / 2\n"
        "        low, high = (middle, high) if (f(low) < 0) == (f(middle) < 0) else (low, middle)\n"
        "    return (low + high) / 2",
    },
    "05.4": {
        "counts what came in": "def activate(f, rows):\n"
        "    return [[[f(h) for h in row] for row in rows], sum(h == 0 for row in rows for h in row)]",
        "columns for rows": "def activate(f, rows):\n"
        "    activated = [[f(h) for h in column] for column in zip(*rows)]\n"
        "    return [activated, sum(h == 0 for row in activated for h in row)]",
        "nearly zero": "def activate(f, rows):\n"
        "    activated = [[f(h) for h in row] for row in rows]\n"
        "    return [activated, sum(abs(h) < 1e-6 for row in activated for h in row)]",
        "writes into the rows": "def activate(f, rows):\n"
        "    for row in rows:\n"
        "        row[:] = [f(h) for h in row]\n"
        "    return [rows, sum(h == 0 for row in rows for h in row)]",
        "zeros of each row": "def activate(f, rows):\n"
        "    activated = [[f(h) for h in row] for row in rows]\n"
        "    return [activated, [row.count(0) for row in activated]]",
    },
}
