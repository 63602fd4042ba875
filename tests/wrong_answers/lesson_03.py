"""Lesson 03."""

WRONG_ANSWERS = {
    "03.1": {
        "sees the future": "def attention_at(t, Q, K, V):\n    return attention(Q, K, V)[t]",
        "does not see itself": "def attention_at(t, Q, K, V):\n    return attention([Q[t]], K[:t], V[:t])[0]",
        "does not see itself, but for the first": "def attention_at(t, Q, K, V):\n"
        "    return attention([Q[t]], K[: max(t, 1)], V[: max(t, 1)])[0]",
        "not divided": "def attention_at(t, Q, K, V):\n"
        "    weights = softmax([dot(Q[t], key) for key in K[: t + 1]])\n"
        "    return matmul([weights], V[: t + 1])[0]",
        "divided by k": "def attention_at(t, Q, K, V):\n"
        "    weights = softmax([dot(Q[t], key) / len(key) for key in K[: t + 1]])\n"
        "    return matmul([weights], V[: t + 1])[0]",
        "divided by the root of the number of keys": "def attention_at(t, Q, K, V):\n"
        "    weights = softmax([dot(Q[t], key) / math.sqrt(t + 1) for key in K[: t + 1]])\n"
        "    return matmul([weights], V[: t + 1])[0]",
        "mask after softmax": "def attention_at(t, Q, K, V):\n"
        "    weights = softmax(attention_scores(Q, K)[t])\n"
        "    return matmul([weights[: t + 1]], V[: t + 1])[0]",
        "our width": "def attention_at(t, Q, K, V):\n"
        "    weights = softmax([dot(Q[t], key) / math.sqrt(8) for key in K[: t + 1]])\n"
        "    return matmul([weights], V[: t + 1])[0]",
        "every position": "def attention_at(t, Q, K, V):\n    return attention(Q, K, V, causal_mask(len(Q)))",
        "overflows": "def attention_at(t, Q, K, V):\n"
        "    weights = simple_softmax([dot(Q[t], key) / math.sqrt(len(key)) for key in K[: t + 1]])\n"
        "    return matmul([weights], V[: t + 1])[0]",
    },
    "03.2": {
        "causal only": "def window_mask(T, w):\n    return causal_mask(T)",
        "one too many": "def window_mask(T, w):\n"
        "    return [[0.0 if 0 <= i - j <= w else -math.inf for j in range(T)] for i in range(T)]",
        "sees the future": "def window_mask(T, w):\n"
        "    return [[0.0 if abs(i - j) < w else -math.inf for j in range(T)] for i in range(T)]",
        "transposed": "def window_mask(T, w):\n"
        "    return [[0.0 if 0 <= j - i < w else -math.inf for j in range(T)] for i in range(T)]",
        "ones and zeros": "def window_mask(T, w):\n"
        "    return [[1.0 if 0 <= i - j < w else 0.0 for j in range(T)] for i in range(T)]",
    },
}
