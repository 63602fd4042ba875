"""Lesson 02."""

WRONG_ANSWERS = {
    "02.1": {
        "every H-th column": (
            "def project_heads(X, W, H):\n    return [[row[h::H] for row in linear(X, W)] for h in range(H)]"
        ),
        "not cut": "def project_heads(X, W, H):\n    return [linear(X, W) for h in range(H)]",
        "k and H mixed up": "def project_heads(X, W, H):\n"
        "    return [[row[h * H : (h + 1) * H] for row in linear(X, W)] for h in range(len(W) // H)]",
        "positions first": "def project_heads(X, W, H):\n"
        "    k = len(W) // H\n"
        "    return [[row[h * k : (h + 1) * k] for h in range(H)] for row in linear(X, W)]",
    },
    "02.2": {
        "turned": "def middle(W_Q, W_K):\n    return matmul(transpose(W_K), W_Q)",
        "the small product": "def middle(W_Q, W_K):\n    return matmul(W_Q, transpose(W_K))",
        "our weights only": (
            "def middle(W_Q, W_K):\n    return matmul(transpose(globals()['W_Q'][0]), globals()['W_K'][0])"
        ),
    },
}
