"""Lesson 03."""

SHIFTED = """def my_softmax(scores):
    exponentials = [math.exp(s - {}) for s in scores]
    return [e / sum(exponentials) for e in exponentials]
"""
SCORES = "    scores = scale(matmul(Q, transpose(K)), 1 / math.sqrt({}))\n"
ADDED = "    scores = scores if mask is None else add(scores, mask)\n"

WRONG_ANSWERS = {
    "03.a": {
        "minus one billion": "def my_causal_mask(T):\n"
        "    return [[0.0 if j <= i else -1e9 for j in range(T)] for i in range(T)]",
        "transposed": "def my_causal_mask(T):\n"
        "    return [[0.0 if j >= i else -math.inf for j in range(T)] for i in range(T)]",
        "ones and zeros": "def my_causal_mask(T):\n"
        "    return [[1.0 if j <= i else 0.0 for j in range(T)] for i in range(T)]",
    },
    "03.b": {
        "nothing is subtracted": SHIFTED.format("0"),
        "the first score": SHIFTED.format("scores[0]"),
        "the last score": SHIFTED.format("scores[-1]"),
        "the mean": SHIFTED.format("sum(scores) / len(scores)"),
        "the smallest": SHIFTED.format("min(scores)"),
    },
    "03.c": {
        "queries and keys are swapped": "def my_attention(Q, K, V, mask):\n"
        "    scores = scale(matmul(K, transpose(Q)), 1 / math.sqrt(len(K[0])))\n"
        + ADDED
        + "    return matmul([softmax(row) for row in scores], V)",
        "None is added": "def my_attention(Q, K, V, mask):\n"
        + SCORES.format("len(K[0])")
        + "    return matmul([softmax(row) for row in add(scores, mask)], V)",
        "the weights": "def my_attention(Q, K, V, mask):\n"
        + SCORES.format("len(K[0])")
        + ADDED
        + "    return [softmax(row) for row in scores]",
        "divided by k": "def my_attention(Q, K, V, mask):\n"
        + SCORES.format("len(K[0]) ** 2")
        + ADDED
        + "    return matmul([softmax(row) for row in scores], V)",
        "the number of queries": "def my_attention(Q, K, V, mask):\n"
        + SCORES.format("len(Q)")
        + ADDED
        + "    return matmul([softmax(row) for row in scores], V)",
        "no softmax": "def my_attention(Q, K, V, mask):\n"
        + SCORES.format("len(K[0])")
        + ADDED
        + "    return matmul(scores, V)",
        "down the columns": "def my_attention(Q, K, V, mask):\n"
        + SCORES.format("len(K[0])")
        + ADDED
        + "    return matmul(transpose([softmax(column) for column in transpose(scores)]), V)",
    },
}
