"""Lesson 11."""

WRONG_ANSWERS = {
    "11.1": {
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
        "does not roll on": "def rolls(n, beta_1, beta_2):\n    return 1.0",
    }
}
