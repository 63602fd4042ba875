"""Lesson 02."""

WRONG_ANSWERS = {
    "02.1": {
        "turned": "def middle(W_Q, W_K):\n    return matmul(transpose(W_K), W_Q)",
        "the small product": "def middle(W_Q, W_K):\n    return matmul(W_Q, transpose(W_K))",
        "our weights only": (
            "def middle(W_Q, W_K):\n    return matmul(transpose(globals()['W_Q'][0]), globals()['W_K'][0])"
        ),
    }
}
