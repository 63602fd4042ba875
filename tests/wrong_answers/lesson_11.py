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
        "the root forgotten": "def times_lr(t, beta_1, beta_2):\n    return (1 - beta_1**t) / (1 - beta_2**t)",
        "upside down": "def times_lr(t, beta_1, beta_2):\n    return math.sqrt(1 - beta_2**t) / (1 - beta_1**t)",
        "the first step for ever": "def times_lr(t, beta_1, beta_2):\n"
        "    return (1 - beta_1) / math.sqrt(1 - beta_2)",
        "steps counted from 0": "def times_lr(t, beta_1, beta_2):\n"
        "    return (1 - beta_1 ** (t + 1)) / math.sqrt(1 - beta_2 ** (t + 1))",
        "m alone": "def times_lr(t, beta_1, beta_2):\n    return 1 - beta_1**t",
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
