"""Lesson 09."""

ROW = """def my_layer_norm_backward_row(d_out, row, gamma, eps):
    D = len(row)
    mean = sum(row) / D
    std = math.sqrt(sum((x - mean) ** 2 for x in row) / D + eps)
    z = [(x - mean) / std for x in row]
    g = {g}
    mean_g, mean_gz = sum(g) / D, sum(a * b for a, b in zip(g, z)) / D
    return {result}"""
G = "[d * gamma_i for d, gamma_i in zip(d_out, gamma)]"

GELU = """def my_gelu_derivative(x):
    c = math.sqrt(2 / math.pi)
    t = math.tanh(c * (x + 0.044715 * x**3))
    return {result}"""

WRONG_ANSWERS = {
    "09.a": {
        "without the mean": "def my_d_logits(logits, targets):\n"
        "    return [[p - (i == t) for i, p in enumerate(softmax(row))] for row, t in zip(logits, targets)]",
        "divided by the tokens": "def my_d_logits(logits, targets):\n"
        "    return [[(p - (i == t)) / len(row) for i, p in enumerate(softmax(row))]\n"
        "            for row, t in zip(logits, targets)]",
        "divided by all logits": "def my_d_logits(logits, targets):\n"
        "    size = len(logits) * len(logits[0])\n"
        "    return [[(p - (i == t)) / size for i, p in enumerate(softmax(row))]\n"
        "            for row, t in zip(logits, targets)]",
    },
    "09.b": {
        "W transposed": "def my_linear_backward(d_out, X, W):\n"
        "    d_X = matmul(d_out, transpose(W))\n"
        "    return d_X, matmul(transpose(d_out), X), [sum(c) for c in transpose(d_out)]",
        "a mean for the bias": "def my_linear_backward(d_out, X, W):\n"
        "    d_b = [sum(c) / len(c) for c in transpose(d_out)]\n"
        "    return matmul(d_out, W), matmul(transpose(d_out), X), d_b",
    },
    "09.c": {
        "gamma outside": ROW.format(
            g="d_out", result="[s * (a - mean_g - b * mean_gz) / std for a, b, s in zip(g, z, gamma)]"
        ),
        "direct part only": ROW.format(g=G, result="[a / std for a in g]"),
        "mean held constant": ROW.format(g=G, result="[(a - b * mean_gz) / std for a, b in zip(g, z)]"),
        "std held constant": ROW.format(g=G, result="[(a - mean_g) / std for a in g]"),
        "not divided": ROW.format(g=G, result="[a - mean_g - b * mean_gz for a, b in zip(g, z)]"),
    },
    "09.d": {
        "swapped": "def my_gamma_beta_backward(d_out, Z):\n"
        "    d_gamma = [dot(d, z) for d, z in zip(transpose(d_out), transpose(Z))]\n"
        "    return [sum(column) for column in transpose(d_out)], d_gamma",
        "rows for columns": "def my_gamma_beta_backward(d_out, Z):\n"
        "    return [dot(d, z) for d, z in zip(d_out, Z)], [sum(row) for row in d_out]",
        "means": "def my_gamma_beta_backward(d_out, Z):\n"
        "    d_gamma = [dot(d, z) / len(Z) for d, z in zip(transpose(d_out), transpose(Z))]\n"
        "    return d_gamma, [sum(column) / len(Z) for column in transpose(d_out)]",
    },
    "09.e": {
        "inner derivative left out": GELU.format(result="0.5 * (1 + t) + 0.5 * x * (1 - t * t)"),
        "only the root of the inner derivative": GELU.format(
            result="0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c"
        ),
        "x cubed stays": GELU.format(
            result="0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x**3)"
        ),
        "1 - t": GELU.format(result="0.5 * (1 + t) + 0.5 * x * (1 - t) * c * (1 + 3 * 0.044715 * x * x)"),
        "product rule half done": GELU.format(
            result="0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)"
        ),
        "a half forgotten": GELU.format(
            result="0.5 * (1 + t) + x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x)"
        ),
    },
}
