"""Lesson 10 and its bug hunt, 10b."""

WRONG_ANSWERS = {
    "10.1": {
        "softmax's formula": "def log_softmax_backward(d_out, log_weights):\n"
        "    return softmax_backward(d_out, [math.exp(w) for w in log_weights])",
        "logarithms for weights": "def log_softmax_backward(d_out, log_weights):\n"
        "    total = sum(d_out)\n"
        "    return [d - w * total for d, w in zip(d_out, log_weights)]",
        "its own gradient only": "def log_softmax_backward(d_out, log_weights):\n"
        "    return [d * (1 - math.exp(w)) for d, w in zip(d_out, log_weights)]",
        "average for total": "def log_softmax_backward(d_out, log_weights):\n"
        "    average = sum(math.exp(w) * d for d, w in zip(d_out, log_weights))\n"
        "    return [d - average for d in d_out]",
    },
    "10.2": {
        "looked up only": "def tied_backward(d_X, tokens, d_logits, normed, E):\n"
        "    return embedding_backward(d_X, tokens, E)",
        "scored only": "def tied_backward(d_X, tokens, d_logits, normed, E):\n"
        "    return linear_backward(d_logits, normed, E)[1]",
        "the second overwrites": "def tied_backward(d_X, tokens, d_logits, normed, E):\n"
        "    d_E = linear_backward(d_logits, normed, E)[1]\n"
        "    for t, token in enumerate(tokens):\n"
        "        d_E[token] = list(d_X[t])\n"
        "    return d_E",
        "a repeated token once": "def tied_backward(d_X, tokens, d_logits, normed, E):\n"
        "    d_E = linear_backward(d_logits, normed, E)[1]\n"
        "    return add(d_E, overwriting(d_X, tokens, E))",
        "half of each": "def tied_backward(d_X, tokens, d_logits, normed, E):\n"
        "    _, d_as_output, _ = linear_backward(d_logits, normed, E)\n"
        "    return scale(add(embedding_backward(d_X, tokens, E), d_as_output), 0.5)",
    },
    "10.3": {
        "0 times infinity": "def temperature_backward(d_out, scores, tau):\n"
        "    d_divided = softmax_backward(d_out, softmax([s / tau for s in scores]))\n"
        "    return -dot(d_divided, scores) / tau**2",
        "the sign": "def temperature_backward(d_out, scores, tau):\n"
        "    d_scaled = softmax_backward(d_out, softmax([s / tau for s in scores]))\n"
        "    return dot(d_scaled, scores) / tau**2",
        "not squared": "def temperature_backward(d_out, scores, tau):\n"
        "    d_scaled = softmax_backward(d_out, softmax([s / tau for s in scores]))\n"
        "    return -dot(d_scaled, scores) / tau",
        "softmax of the scores as they are": "def temperature_backward(d_out, scores, tau):\n"
        "    return -dot(softmax_backward(d_out, softmax(scores)), scores) / tau**2",
        "Jacobian skipped": "def temperature_backward(d_out, scores, tau):\n"
        "    return -dot(d_out, scores) / tau**2",
    },
    "10.4": {
        "the last head only": "def shared_keys_backward(d_scores, Q, K):\n"
        "    for d, queries in zip(d_scores, Q):\n"
        "        d_K = attention_scores_backward(d, queries, K)[1]\n"
        "    return d_K",
        "the mean of the heads": "def shared_keys_backward(d_scores, Q, K):\n"
        "    total = [[0.0] * len(K[0]) for _ in K]\n"
        "    for d, queries in zip(d_scores, Q):\n"
        "        total = add(total, attention_scores_backward(d, queries, K)[1])\n"
        "    return scale(total, 1 / len(Q))",
        "scale forgotten": "def shared_keys_backward(d_scores, Q, K):\n"
        "    total = [[0.0] * len(K[0]) for _ in K]\n"
        "    for d, queries in zip(d_scores, Q):\n"
        "        total = add(total, matmul(transpose(d), queries))\n"
        "    return total",
        "a gradient for each head": "def shared_keys_backward(d_scores, Q, K):\n"
        "    return [attention_scores_backward(d, queries, K)[1] for d, queries in zip(d_scores, Q)]",
    },
    "10.5": {
        "upwards only": "def slope_along(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, h))) - function(A)) / h",
        "divided by one nudge": "def slope_along(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, h))) - function(add(A, scale(direction, -h)))) / h",
        "direction made as long as 1": "def slope_along(function, A, direction, h):\n"
        "    length = math.sqrt(sum(d * d for row in direction for d in row))\n"
        "    return (function(add(A, scale(direction, h / length)))\n"
        "            - function(add(A, scale(direction, -h / length)))) / (2 * h)",
        "downwards first": "def slope_along(function, A, direction, h):\n"
        "    return (function(add(A, scale(direction, -h))) - function(add(A, scale(direction, h)))) / (2 * h)",
    },
    "10.6": {
        "a billionth, whatever the size": "def forgotten_factor(right, reported):\n"
        "    pairs = [pair for rows in zip(right, reported) for pair in zip(*rows)]\n"
        "    a, b = max(pairs, key=lambda pair: abs(pair[0]))\n"
        "    return b / a if all(abs(y - b / a * x) <= 1e-9 for x, y in pairs) else 0.0",
        "the first ratio": "def forgotten_factor(right, reported):\n    return reported[0][0] / right[0][0]",
        "the mean ratio": "def forgotten_factor(right, reported):\n"
        "    ratios = [b / a for rows in zip(right, reported) for a, b in zip(*rows) if a]\n"
        "    return sum(ratios) / len(ratios)",
        "zeros not looked at": "def forgotten_factor(right, reported):\n"
        "    ratios = [b / a for rows in zip(right, reported) for a, b in zip(*rows) if a]\n"
        "    return ratios[0] if all(abs(r - ratios[0]) < 1e-9 for r in ratios) else 0.0",
        "equal to the last bit": "def forgotten_factor(right, reported):\n"
        "    ratios = {b / a for rows in zip(right, reported) for a, b in zip(*rows) if a}\n"
        "    return ratios.pop() if len(ratios) == 1 else 0.0",
        "upside down": "def forgotten_factor(right, reported):\n"
        "    pairs = [pair for rows in zip(right, reported) for pair in zip(*rows)]\n"
        "    c = next(b / a for a, b in pairs if a)\n"
        "    return 1 / c if all(abs(b - c * a) < 1e-9 for a, b in pairs) else 0.0",
    },
    "10.7": {
        "the steepest": "def worst_place(f, slope, xs):\n"
        "    sizes = [abs(slope(x)) for x in xs]\n"
        "    return sizes.index(max(sizes))",
        "too high only": "def worst_place(f, slope, xs):\n"
        "    errors = [slope(x) - (f(x + 1e-5) - f(x - 1e-5)) / 2e-5 for x in xs]\n"
        "    return errors.index(max(errors))",
        "upwards only": "def worst_place(f, slope, xs):\n"
        "    errors = [abs(slope(x) - (f(x + 1e-5) - f(x)) / 1e-5) for x in xs]\n"
        "    return errors.index(max(errors))",
        "relative to the slope": "def worst_place(f, slope, xs):\n"
        "    measured = [(f(x + 1e-5) - f(x - 1e-5)) / 2e-5 for x in xs]\n"
        "    errors = [abs(slope(x) - m) / (abs(m) + 1e-9) for x, m in zip(xs, measured)]\n"
        "    return errors.index(max(errors))",
        "the place itself": "def worst_place(f, slope, xs):\n"
        "    return max(xs, key=lambda x: abs(slope(x) - (f(x + 1e-5) - f(x - 1e-5)) / 2e-5))",
    },
}
