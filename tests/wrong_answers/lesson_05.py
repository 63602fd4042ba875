"""Lesson 05."""

WRONG_ANSWERS = {
    "05.1": {
        "exp overflows": "def silu(x):\n    return x / (1 + math.exp(-x))",
        "the factor x is missing": "def silu(x):\n    return 0.5 * (1 + math.tanh(x / 2))",
        "the sigmoid form of GELU": "def silu(x):\n    return x * 0.5 * (1 + math.tanh(0.851 * x))",
        "tanh of x, not of x / 2": "def silu(x):\n    return x * 0.5 * (1 + math.tanh(x))",
    }
}
