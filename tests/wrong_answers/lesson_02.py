"""Lesson 02."""

WRONG_ANSWERS = {
    "02.1": {
        "turned": "def middle(W_Q, W_K):\n    return matmul(transpose(W_K), W_Q)",
        "the small product": "def middle(W_Q, W_K):\n    return matmul(W_Q, transpose(W_K))",
        "our weights only": (
            "def middle(W_Q, W_K):\n    return matmul(transpose(globals()['W_Q'][0]), globals()['W_K'][0])"
        ),
    },
    "02.a": {
        "matmul with W as it is": "def my_linear(X, W, b=None):\n    return matmul(X, W)",
        "add with the vector b": (
            "def my_linear(X, W, b=None):\n"
            "    product = matmul(X, transpose(W))\n"
            "    return product if b is None else add(product, b)"
        ),
    },
    "02.b": {
        "matmul with the matrices as they are": (
            "def my_projections(X, W_Q, W_K, W_V):\n    return matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V)"
        )
    },
}
