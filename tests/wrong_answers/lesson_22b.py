"""Lesson 22b."""

WRONG_ANSWERS = {
    "22.k": {
        "no correction": "def my_lora_linear(X, W, A, B, c):\n    return linear(X, W)",
        "no factor": (
            "def my_lora_linear(X, W, A, B, c):\n    return add(linear(X, W), linear(linear(X, A), B))"
        ),
        "the factor for both": (
            "def my_lora_linear(X, W, A, B, c):\n"
            "    return scale(add(linear(X, W), linear(linear(X, A), B)), c)"
        ),
        "only the correction": (
            "def my_lora_linear(X, W, A, B, c):\n    return scale(linear(linear(X, A), B), c)"
        ),
        "minus": (
            "def my_lora_linear(X, W, A, B, c):\n"
            "    return add(linear(X, W), scale(linear(linear(X, A), B), -c))"
        ),
        "by the rank": (
            "def my_lora_linear(X, W, A, B, c):\n"
            "    return add(linear(X, W), scale(linear(linear(X, A), B), c / len(A)))"
        ),
    },
    "22.l": {
        "no factor": "def my_merge(W, A, B, c):\n    return add(W, matmul(B, A))",
        "the product alone": "def my_merge(W, A, B, c):\n    return scale(matmul(B, A), c)",
        "the factor for both": "def my_merge(W, A, B, c):\n    return scale(add(W, matmul(B, A)), c)",
        "minus": "def my_merge(W, A, B, c):\n    return add(W, scale(matmul(B, A), -c))",
        "as it was": "def my_merge(W, A, B, c):\n    return W",
        "by the rank": "def my_merge(W, A, B, c):\n    return add(W, scale(matmul(B, A), c / len(A)))",
    },
    "22.m": {
        "exchanged": (
            "def my_lora_gradients(d_W, A, B, c):\n"
            "    return scale(matmul(d_W, transpose(A)), c), scale(matmul(transpose(B), d_W), c)"
        ),
        "no factor": (
            "def my_lora_gradients(d_W, A, B, c):\n"
            "    return matmul(transpose(B), d_W), matmul(d_W, transpose(A))"
        ),
        "a factor for A only": (
            "def my_lora_gradients(d_W, A, B, c):\n"
            "    return scale(matmul(transpose(B), d_W), c), matmul(d_W, transpose(A))"
        ),
        "a factor for B only": (
            "def my_lora_gradients(d_W, A, B, c):\n"
            "    return matmul(transpose(B), d_W), scale(matmul(d_W, transpose(A)), c)"
        ),
        "minus": (
            "def my_lora_gradients(d_W, A, B, c):\n"
            "    return scale(matmul(transpose(B), d_W), -c), scale(matmul(d_W, transpose(A)), -c)"
        ),
    },
}
