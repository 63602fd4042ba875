"""Lesson 05."""

WRONG_ANSWERS = {
    "05.1": {
        "exp overflows": "def silu(x):\n"
        "    s = 1 / (1 + math.exp(-x))\n"
        "    return [x * s, s + x * s * (1 - s)]",
        "slope of the sigmoid alone": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(x / 2))\n"
        "    return [x * s, s * (1 - s)]",
        "product rule half done": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(x / 2))\n"
        "    return [x * s, x * s * (1 - s)]",
        "the sigmoid form of GELU": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(0.851 * x))\n"
        "    return [x * s, s + 1.702 * x * s * (1 - s)]",
        "tanh of x, not of x / 2": "def silu(x):\n"
        "    s = 0.5 * (1 + math.tanh(x))\n"
        "    return [x * s, s + x * s * (1 - s)]",
    }
}
