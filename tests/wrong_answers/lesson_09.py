"""Lesson 09."""

WRONG_ANSWERS = {
    "09.1": {
        "second use only": "def shared_backward(d_out, X, W):\n"
        "    return linear_backward(d_out, linear(X, W), W)[1]",
        "first use only": "def shared_backward(d_out, X, W):\n"
        "    return linear_backward(matmul(d_out, W), X, W)[1]",
        "one use, twice": "def shared_backward(d_out, X, W):\n"
        "    return scale(linear_backward(d_out, linear(X, W), W)[1], 2)",
        "transposed on the way": "def shared_backward(d_out, X, W):\n"
        "    _, d_second, _ = linear_backward(d_out, linear(X, W), W)\n"
        "    _, d_first, _ = linear_backward(matmul(d_out, transpose(W)), X, W)\n"
        "    return add(d_first, d_second)",
        "the mean of the two": "def shared_backward(d_out, X, W):\n"
        "    d_middle, d_second, _ = linear_backward(d_out, linear(X, W), W)\n"
        "    return scale(add(linear_backward(d_middle, X, W)[1], d_second), 0.5)",
    },
    "09.2": {
        "share of all positions": "def d_logits_ignoring(logits, targets, ignore):\n"
        "    return [token_losses_backward([1 / len(targets)], [row], [t])[0] if t != ignore else [0.0] * len(row)\n"
        "            for row, t in zip(logits, targets)]",
        "rows left out": "def d_logits_ignoring(logits, targets, ignore):\n"
        "    kept = [(row, t) for row, t in zip(logits, targets) if t != ignore]\n"
        "    return cross_entropy_backward(1.0, [row for row, _ in kept], [t for _, t in kept])",
        "no share at all": "def d_logits_ignoring(logits, targets, ignore):\n"
        "    return [token_losses_backward([1.0], [row], [t])[0] if t != ignore else [0.0] * len(row)\n"
        "            for row, t in zip(logits, targets)]",
        "the candidate is silenced too": "def d_logits_ignoring(logits, targets, ignore):\n"
        "    share = 1 / sum(t != ignore for t in targets)\n"
        "    return [[0.0 if i == ignore else d for i, d in enumerate(token_losses_backward([share], [row], [t])[0])]\n"
        "            if t != ignore else [0.0] * len(row) for row, t in zip(logits, targets)]",
        "share 0, and a target that does not exist": "def d_logits_ignoring(logits, targets, ignore):\n"
        "    count = sum(t != ignore for t in targets)\n"
        "    return token_losses_backward([(t != ignore) / count for t in targets], logits, targets)",
    },
    "09.3": {
        "gamma outside": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    mean_dz = sum(d * v / size for d, v in zip(d_out, x)) / len(x)\n"
        "    return [s * (d - v / size * mean_dz) / size for d, v, s in zip(d_out, x, gamma)]",
        "size held still": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    return [d * s / size for d, s in zip(d_out, gamma)]",
        "eps forgotten": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x)) or 1.0\n"
        "    g = [d * s for d, s in zip(d_out, gamma)]\n"
        "    mean_gz = sum(a * v / size for a, v in zip(g, x)) / len(x)\n"
        "    return [(a - v / size * mean_gz) / size for a, v in zip(g, x)]",
        "layer norm's": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    return layer_norm_backward([d_out], [x], gamma, eps)[0][0]",
        "the mean of g taken away as well": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    g = [d * s for d, s in zip(d_out, gamma)]\n"
        "    mean_gz = sum(a * v / size for a, v in zip(g, x)) / len(x)\n"
        "    return [(a - sum(g) / len(g) - v / size * mean_gz) / size for a, v in zip(g, x)]",
        "a sum for the mean": "def rms_row_backward(d_out, x, gamma, eps):\n"
        "    size = math.sqrt(sum(v * v for v in x) / len(x) + eps)\n"
        "    g = [d * s for d, s in zip(d_out, gamma)]\n"
        "    sum_gz = sum(a * v / size for a, v in zip(g, x))\n"
        "    return [(a - v / size * sum_gz) / size for a, v in zip(g, x)]",
    },
    "09.4": {
        "compared with the course's own": "def wrong_gradients(backward, d_out, X, W):\n"
        "    def differ(A, B):\n"
        "        A, B = ([A], [B]) if not isinstance(A[0], list) else (A, B)\n"
        "        top = max(abs(b) for row in B for b in row)\n"
        "        return any(abs(a - b) > 1e-9 * top for rows in zip(A, B) for a, b in zip(*rows))\n"
        "    pairs = zip(('d_X', 'd_W', 'd_b'), backward(d_out, X, W), linear_backward(d_out, X, W))\n"
        "    return [name for name, a, b in pairs if differ(a, b)]",
        "shapes only": "def wrong_gradients(backward, d_out, X, W):\n"
        "    wanted = dict(zip(('d_X', 'd_W', 'd_b'), (shape(X), shape(W), (len(W),))))\n"
        "    got = dict(zip(wanted, backward(d_out, X, W)))\n"
        "    return [name for name in wanted if shape(got[name]) != wanted[name]]",
        "the same tolerance for all sizes": "def wrong_gradients(backward, d_out, X, W):\n"
        "    def value(p):\n"
        "        out = linear(p['d_X'], p['d_W'], p['d_b'])\n"
        "        return sum(d * y for rows in zip(d_out, out) for d, y in zip(*rows))\n"
        "    nudges = central_differences(value, {'d_X': X, 'd_W': W, 'd_b': [0.0] * len(W)})\n"
        "    return gradient_report(dict(zip(nudges, backward(d_out, X, W))), nudges, absolute=0.01).red",
        "first entry only": "def wrong_gradients(backward, d_out, X, W):\n"
        "    def first(A):\n"
        "        return A[0][0] if isinstance(A[0], list) else A[0]\n"
        "    right = linear_backward(d_out, X, W)\n"
        "    return [name for name, a, b in zip(('d_X', 'd_W', 'd_b'), backward(d_out, X, W), right)\n"
        "            if abs(first(a) - first(b)) > 1e-9]",
        "the sum of the outputs, not weighted": "def wrong_gradients(backward, d_out, X, W):\n"
        "    def value(p):\n"
        "        return sum(sum(row) for row in linear(p['d_X'], p['d_W'], p['d_b']))\n"
        "    nudges = central_differences(value, {'d_X': X, 'd_W': W, 'd_b': [0.0] * len(W)})\n"
        "    return gradient_report(dict(zip(nudges, backward(d_out, X, W))), nudges).red",
        "the first one found": "def wrong_gradients(backward, d_out, X, W):\n"
        "    right = linear_backward(d_out, X, W)\n"
        "    return [name for name, a, b in zip(('d_X', 'd_W', 'd_b'), backward(d_out, X, W), right) if a != b][:1]",
    },
}
