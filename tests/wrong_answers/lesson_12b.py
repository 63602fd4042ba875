"""Lesson 12b, the tape."""

WRONG_ANSWERS = {
    "12.2": {
        "no slope": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * a for x, a in zip(*rows)] for rows in zip(d, A)]\n"
        "    return [d_A, d_B]",
        "the bend for its slope": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * a * gelu(b) for x, a, b in zip(*rows)] for rows in zip(d, A, B)]\n"
        "    return [d_A, d_B]",
        "no bend": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * b for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * a * gelu_derivative(b) for x, a, b in zip(*rows)] for rows in zip(d, A, B)]\n"
        "    return [d_A, d_B]",
        "the other factor forgotten": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * gelu_derivative(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    return [d_A, d_B]",
    }
}
