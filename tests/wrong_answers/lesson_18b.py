"""Lesson 18b."""

ROUTE = "    logits = linear([x], W_router)[0]\n    p = softmax(logits)\n    e = p.index(max(p))\n"
EXPERT = "    e, p = route(x, W_router)\n    W_1, W_2 = experts[e]\n"
OUTPUT = "    y = feed_forward([x], W_1, None, W_2, None)[0]\n"
LOADS = "    T, N = len(probabilities), len(probabilities[0])\n"
MEANS = "    means = [sum(column) / T for column in zip(*probabilities)]\n"


def _route(rest, before=ROUTE):
    return "def my_route(x, W_router):\n" + before + "    return " + rest


def _mixture(rest):
    return "def my_mixture(x, W_router, experts):\n" + rest


def _scores(rest):
    return (
        "def my_score_gradients(d_out, y, probabilities, e):\n"
        "    d_p = [0.0] * len(probabilities)\n    d_p[e] = dot(d_out, y)\n" + rest
    )


def _balance(rest):
    return (
        "def my_balance_loss(probabilities):\n"
        + LOADS
        + MEANS
        + "    loads = expert_loads(probabilities)\n"
        + rest
    )


WRONG_ANSWERS = {
    "18.f": {
        "the score": _route("e, logits[e]"),
        "the lowest": _route("p.index(min(p)), min(p)"),
        "only the index": _route("e"),
        "only the probability": _route("p[e]"),
        "all probabilities": _route("p"),
        "exchanged": _route("p[e], e"),
        "from 1": _route("e + 1, p[e]"),
        "always 1": _route("e, softmax([logits[e]])[0]"),
        "exp alone": _route("e, 2.718281828459045 ** logits[e]"),
        "without exp": _route("e, logits[e] / sum(logits)"),
        "as in attention": _route(
            "e, p[e]",
            "    logits = [s / len(x) ** 0.5 for s in linear([x], W_router)[0]]\n"
            "    p = softmax(logits)\n    e = p.index(max(p))\n",
        ),
        "the last of equals": _route("max(range(len(p)), key=lambda i: (p[i], i)), max(p)"),
        "farthest from 0": _route(
            "e, p[e]",
            "    logits = linear([x], W_router)[0]\n    p = softmax(logits)\n"
            "    e = max(range(len(p)), key=lambda i: abs(logits[i]))\n",
        ),
        "transposed": _route(
            "e, p[e]",
            "    p = softmax(linear([x], [list(c) for c in zip(*W_router)])[0])\n    e = p.index(max(p))\n",
        ),
        "a sigmoid": _route("e, 1 / (1 + 2.718281828459045 ** -logits[e])"),
    },
    "18.g": {
        "no probability": _mixture(EXPERT + OUTPUT + "    return y"),
        "all experts": _mixture(
            "    p = softmax(linear([x], W_router)[0])\n"
            "    outputs = [feed_forward([x], W_1, None, W_2, None)[0] for W_1, W_2 in experts]\n"
            "    return [sum(a * b for a, b in zip(p, column)) for column in zip(*outputs)]"
        ),
        "before the expert": _mixture(
            EXPERT + "    return feed_forward([[p * x_i for x_i in x]], W_1, None, W_2, None)[0]"
        ),
        "residual": _mixture(EXPERT + OUTPUT + "    return [a + p * b for a, b in zip(x, y)]"),
        "added": _mixture(EXPERT + OUTPUT + "    return [p + y_i for y_i in y]"),
        "divided": _mixture(EXPERT + OUTPUT + "    return [y_i / p for y_i in y]"),
        "squared": _mixture(EXPERT + OUTPUT + "    return [p * p * y_i for y_i in y]"),
        "one over N": _mixture(EXPERT + OUTPUT + "    return [y_i / len(experts) for y_i in y]"),
        "the first": _mixture(
            "    e, p = route(x, W_router)\n    W_1, W_2 = experts[0]\n"
            + OUTPUT
            + "    return [p * y_i for y_i in y]"
        ),
        "the score": _mixture(
            EXPERT + OUTPUT + "    s = max(linear([x], W_router)[0])\n    return [s * y_i for y_i in y]"
        ),
        "no activation": _mixture(EXPERT + "    return [p * y for y in linear(linear([x], W_1), W_2)[0]]"),
        "ReLU": _mixture(
            EXPERT + "    hidden = [max(h, 0.0) for h in linear([x], W_1)[0]]\n"
            "    return [p * y for y in linear([hidden], W_2)[0]]"
        ),
        "all experts with one probability": _mixture(
            "    e, p = route(x, W_router)\n"
            "    outputs = [feed_forward([x], W_1, None, W_2, None)[0] for W_1, W_2 in experts]\n"
            "    return [p * sum(column) for column in zip(*outputs)]"
        ),
        "the least probable": _mixture(
            "    p = softmax(linear([x], W_router)[0])\n    e = p.index(min(p))\n    W_1, W_2 = experts[e]\n"
            + OUTPUT
            + "    return [p[e] * y_i for y_i in y]"
        ),
    },
    "18.h": {
        "of the probabilities": _scores("    return d_p"),
        "only the chosen": _scores(
            "    return [g if i == e else 0.0 for i, g in enumerate(softmax_backward(d_p, probabilities))]"
        ),
        "all the same": _scores("    return softmax_backward([dot(d_out, y)] * len(d_p), probabilities)"),
        "sum of d_out": _scores("    d_p[e] = sum(d_out)\n    return softmax_backward(d_p, probabilities)"),
        "sum of y": _scores("    d_p[e] = sum(y)\n    return softmax_backward(d_p, probabilities)"),
        "times p": _scores("    d_p[e] *= probabilities[e]\n    return softmax_backward(d_p, probabilities)"),
        "without the mean": _scores("    return [p * g for p, g in zip(probabilities, d_p)]"),
        "without the factor": _scores(
            "    mean = dot(d_p, probabilities)\n    return [g - mean for g in d_p]"
        ),
        "the first": _scores(
            "    d_p = [dot(d_out, y)] + [0.0] * (len(d_p) - 1)\n"
            "    return softmax_backward(d_p, probabilities)"
        ),
        "minus": _scores("    return [-g for g in softmax_backward(d_p, probabilities)]"),
        "softmax again": _scores("    return softmax_backward(d_p, softmax(probabilities))"),
        "exchanged arguments": _scores("    return softmax_backward(probabilities, d_p)"),
        "one number": _scores("    return softmax_backward(d_p, probabilities)[e]"),
    },
    "18.i": {
        "without N": _balance("    return dot(loads, means)"),
        "loads squared": _balance("    return N * dot(loads, loads)"),
        "means squared": _balance("    return N * dot(means, means)"),
        "T instead of N": _balance("    return T * dot(loads, means)"),
        "divided by N": _balance("    return dot(loads, means) / N"),
        "N squared": _balance("    return N * N * dot(loads, means)"),
        "minus 1": _balance("    return N * dot(loads, means) - 1"),
        "with the factor": _balance("    return 0.02 * N * dot(loads, means)"),
        "minus": _balance("    return -N * dot(loads, means)"),
        "added": _balance("    return N * sum(a + b for a, b in zip(loads, means))"),
        "a list": _balance("    return [N * a * b for a, b in zip(loads, means)]"),
        "the largest": _balance("    return N * max(a * b for a, b in zip(loads, means))"),
        "distance": _balance("    return sum((load - 1 / N) ** 2 for load in loads)"),
        "sums": _balance("    return N * T * dot(loads, means)"),
        "of the first token": _balance("    return N * dot(loads, probabilities[0])"),
        "the mean of the chosen": _balance(
            "    chosen = [max(row) for row in probabilities]\n    return N * sum(chosen) / T"
        ),
    },
}
