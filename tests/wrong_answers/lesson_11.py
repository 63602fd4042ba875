"""Lesson 11."""

WRONG_ANSWERS = {
    "11.1": {
        "the mean of the lesson": "def heavy_ball(theta, slopes, lr, beta):\n"
        "    m, places = 0.0, []\n"
        "    for g in slopes:\n"
        "        m = beta * m + (1 - beta) * g\n"
        "        theta -= lr * m\n"
        "        places.append(theta)\n"
        "    return places",
        "uphill": "def heavy_ball(theta, slopes, lr, beta):\n"
        "    m, places = 0.0, []\n"
        "    for g in slopes:\n"
        "        m = beta * m + g\n"
        "        theta += lr * m\n"
        "        places.append(theta)\n"
        "    return places",
        "moves before it looks": "def heavy_ball(theta, slopes, lr, beta):\n"
        "    m, places = 0.0, []\n"
        "    for g in slopes:\n"
        "        theta -= lr * m\n"
        "        m = beta * m + g\n"
        "        places.append(theta)\n"
        "    return places",
        "no momentum": "def heavy_ball(theta, slopes, lr, beta):\n"
        "    places = []\n"
        "    for g in slopes:\n"
        "        theta -= lr * g\n"
        "        places.append(theta)\n"
        "    return places",
        "only the last place": "def heavy_ball(theta, slopes, lr, beta):\n"
        "    m = 0.0\n"
        "    for g in slopes:\n"
        "        m = beta * m + g\n"
        "        theta -= lr * m\n"
        "    return theta",
    },
    "11.2": {
        "no correction": "def rolls(n, beta_1, beta_2):\n"
        "    m = v = total = 0.0\n"
        "    for t in range(1, n + 1):\n"
        "        g = 1.0 if t == 1 else 0.0\n"
        "        m = beta_1 * m + (1 - beta_1) * g\n"
        "        v = beta_2 * v + (1 - beta_2) * g * g\n"
        "        total += m / math.sqrt(v)\n"
        "    return total",
        "the root forgotten": "def rolls(n, beta_1, beta_2):\n"
        "    m = v = total = 0.0\n"
        "    for t in range(1, n + 1):\n"
        "        g = 1.0 if t == 1 else 0.0\n"
        "        m = beta_1 * m + (1 - beta_1) * g\n"
        "        v = beta_2 * v + (1 - beta_2) * g * g\n"
        "        total += m / (1 - beta_1**t) / (v / (1 - beta_2**t))\n"
        "    return total",
        "only the last move": "def rolls(n, beta_1, beta_2):\n"
        "    m = v = total = 0.0\n"
        "    for t in range(1, n + 1):\n"
        "        g = 1.0 if t == 1 else 0.0\n"
        "        m = beta_1 * m + (1 - beta_1) * g\n"
        "        v = beta_2 * v + (1 - beta_2) * g * g\n"
        "        total = m / (1 - beta_1**t) / math.sqrt(v / (1 - beta_2**t))\n"
        "    return total",
        "the gradient stays": "def rolls(n, beta_1, beta_2):\n"
        "    m = v = total = 0.0\n"
        "    for t in range(1, n + 1):\n"
        "        g = 1.0\n"
        "        m = beta_1 * m + (1 - beta_1) * g\n"
        "        v = beta_2 * v + (1 - beta_2) * g * g\n"
        "        total += m / (1 - beta_1**t) / math.sqrt(v / (1 - beta_2**t))\n"
        "    return total",
        "one step short": "def rolls(n, beta_1, beta_2):\n"
        "    m = v = total = 0.0\n"
        "    for t in range(1, n):\n"
        "        g = 1.0 if t == 1 else 0.0\n"
        "        m = beta_1 * m + (1 - beta_1) * g\n"
        "        v = beta_2 * v + (1 - beta_2) * g * g\n"
        "        total += m / (1 - beta_1**t) / math.sqrt(v / (1 - beta_2**t))\n"
        "    return total",
        "does not roll on": "def rolls(n, beta_1, beta_2):\n"
        "    return 1.0",
    },
    "11.3": {
        "each vector by itself": "def clip(gradients, limit):\n"
        "    lengths = [math.sqrt(sum(g * g for g in vector)) for vector in gradients]\n"
        "    return [[g * min(1, limit / max(n, 1e-99)) for g in vector] for n, vector in zip(lengths, gradients)]",
        "each number by itself": "def clip(gradients, limit):\n"
        "    return [[max(-limit, min(limit, g)) for g in vector] for vector in gradients]",
        "short ones grow": "def clip(gradients, limit):\n"
        "    length = math.sqrt(sum(g * g for vector in gradients for g in vector)) or 1\n"
        "    return [[g * limit / length for g in vector] for vector in gradients]",
        "sum of sizes": "def clip(gradients, limit):\n"
        "    length = sum(abs(g) for vector in gradients for g in vector)\n"
        "    return [[g * (limit / length if length > limit else 1) for g in vector] for vector in gradients]",
        "the root forgotten": "def clip(gradients, limit):\n"
        "    length = sum(g * g for vector in gradients for g in vector)\n"
        "    return [[g * (limit / length if length > limit else 1) for g in vector] for vector in gradients]",
        "divides by 0": "def clip(gradients, limit):\n"
        "    length = math.sqrt(sum(g * g for vector in gradients for g in vector))\n"
        "    return [[g * min(1.0, limit / length) for g in vector] for vector in gradients]",
    },
    "11.4": {
        "no correction": "def undo(after, m, v, step, lr, decay):\n"
        "    return [(q + lr * a / (math.sqrt(b) + 1e-8)) / (1 - lr * decay) for q, a, b in zip(after, m, v)]",
        "the same step again": "def undo(after, m, v, step, lr, decay):\n"
        "    moves = [lr * (a / (1 - 0.9**step)) / (math.sqrt(b / (1 - 0.999**step)) + 1e-8) for a, b in zip(m, v)]\n"
        "    return [q * (1 - lr * decay) - move for q, move in zip(after, moves)]",
        "decay undone before the move": "def undo(after, m, v, step, lr, decay):\n"
        "    moves = [lr * (a / (1 - 0.9**step)) / (math.sqrt(b / (1 - 0.999**step)) + 1e-8) for a, b in zip(m, v)]\n"
        "    return [q / (1 - lr * decay) + move for q, move in zip(after, moves)]",
        "decay added instead of divided": "def undo(after, m, v, step, lr, decay):\n"
        "    moves = [lr * (a / (1 - 0.9**step)) / (math.sqrt(b / (1 - 0.999**step)) + 1e-8) for a, b in zip(m, v)]\n"
        "    return [(q + move) * (1 + lr * decay) for q, move in zip(after, moves)]",
        "eps under the root": "def undo(after, m, v, step, lr, decay):\n"
        "    moves = [lr * (a / (1 - 0.9**step)) / math.sqrt(b / (1 - 0.999**step) + 1e-8) for a, b in zip(m, v)]\n"
        "    return [(q + move) / (1 - lr * decay) for q, move in zip(after, moves)]",
    },
}
