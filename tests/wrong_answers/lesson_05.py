"""Lesson 05."""

WRONG_ANSWERS = {
    "05.a": {
        "in the wrong order": (
            "def my_collapse(W_1, b_1, W_2, b_2):\n    return matmul(W_1, W_2), linear([b_1], W_2, b_2)[0]"
        ),
        "the biases added": (
            "def my_collapse(W_1, b_1, W_2, b_2):\n"
            "    return matmul(W_2, W_1), [x + y for x, y in zip(b_1, b_2)]"
        ),
        "a matrix for the bias": (
            "def my_collapse(W_1, b_1, W_2, b_2):\n    return matmul(W_2, W_1), linear([b_1], W_2, b_2)"
        ),
    },
    "05.b": {
        "the third ReLU is missing": "def my_hat(x):\n    return relu(x) - 2 * relu(x - 1)",
        "weights in another order": "def my_hat(x):\n    return relu(x) + relu(x - 1) - 2 * relu(x - 2)",
    },
    "05.c": {
        "exp overflows": "def my_silu(x):\n    return x / (1 + math.exp(-x))",
        "the factor x is missing": "def my_silu(x):\n    return 0.5 * (1 + math.tanh(x / 2))",
        "the sigmoid form of GELU": "def my_silu(x):\n    return x * 0.5 * (1 + math.tanh(0.851 * x))",
        "tanh of x, not of x / 2": "def my_silu(x):\n    return x * 0.5 * (1 + math.tanh(x))",
    },
}
