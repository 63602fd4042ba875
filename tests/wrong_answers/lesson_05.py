"""Lesson 05."""

WRONG_ANSWERS = {
    "05.a": {
        "the third ReLU is missing": "def my_hat(x):\n    return relu(x) - 2 * relu(x - 1)",
        "weights in another order": "def my_hat(x):\n    return relu(x) + relu(x - 1) - 2 * relu(x - 2)",
    },
    "05.b": {
        "rounded": (
            "def my_gelu(x):\n"
            "    t = math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))\n"
            "    return round(0.5 * x * (1 + t), 4)"
        ),
        "mistyped": (
            "def my_gelu(x):\n"
            "    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044751 * x**3)))"
        ),
        "the exact form": "def my_gelu(x):\n    return x * phi(x)",
    },
    "05.c": {
        "exp overflows": "def my_silu(x):\n    return x / (1 + math.exp(-x))",
        "the factor x is missing": "def my_silu(x):\n    return 0.5 * (1 + math.tanh(x / 2))",
        "the sigmoid form of GELU": "def my_silu(x):\n    return x * 0.5 * (1 + math.tanh(0.851 * x))",
        "tanh of x, not of x / 2": "def my_silu(x):\n    return x * 0.5 * (1 + math.tanh(x))",
    },
}
