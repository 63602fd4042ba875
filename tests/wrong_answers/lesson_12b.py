"""Lesson 12b, the tape."""

WALK = (
    "def my_walk(steps, n):\n"
    "    gradients = [None] * n\n"
    "    gradients[steps[-1][2]] = [[1.0]]\n"
    "    for backward, arguments, result in reversed(steps):\n"
    "        if gradients[result] is not None:\n"
    "            for argument, d in zip(arguments, backward(gradients[result])):\n"
    "                so_far = gradients[argument]\n"
    "                gradients[argument] = d if so_far is None else {step}\n"
    "    return gradients"
)

WRONG_ANSWERS = {
    "12.f": {
        "overwritten": WALK.format(step="d"),
        "lists joined": WALK.format(step="so_far + d"),
        "the first gradient for all": WALK.format(step="add(so_far, d)").replace(
            "backward(gradients[result])", "backward(gradients[result])[:1] * 2"
        ),
        "in the order of execution": WALK.format(step="add(so_far, d)").replace("reversed(steps)", "steps"),
    },
    "12.1": {
        "no incoming gradient": "def gate_backward(d, A, B):\n"
        "    d_A = [[gelu(b) for b in row] for row in B]\n"
        "    d_B = [[a * gelu_derivative(b) for a, b in zip(*rows)] for rows in zip(A, B)]\n"
        "    return [d_A, d_B]",
        "no derivative of GELU": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * a for x, a in zip(*rows)] for rows in zip(d, A)]\n"
        "    return [d_A, d_B]",
        "GELU for its derivative": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * a * gelu(b) for x, a, b in zip(*rows)] for rows in zip(d, A, B)]\n"
        "    return [d_A, d_B]",
        "B for GELU of B": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * b for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * a * gelu_derivative(b) for x, a, b in zip(*rows)] for rows in zip(d, A, B)]\n"
        "    return [d_A, d_B]",
        "the other factor forgotten": "def gate_backward(d, A, B):\n"
        "    d_A = [[x * gelu(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    d_B = [[x * gelu_derivative(b) for x, b in zip(*rows)] for rows in zip(d, B)]\n"
        "    return [d_A, d_B]",
    },
}
