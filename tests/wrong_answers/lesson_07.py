"""Lessons 07 and 07b."""

WRONG_ANSWERS = {
    "07.1": {
        "one row only": "def find_slip(norm):\n"
        "    row, ones, zeros = [[0.0, 2.0]], [1.0, 1.0], [0.0, 0.0]\n"
        "    if abs(norm(row, ones, zeros, 0.0)[0][1] - 1) > 1e-9:\n"
        "        return 'n - 1'\n"
        "    if abs(norm(row, ones, zeros, 3.0)[0][1] - 0.5) > 1e-9:\n"
        "        return 'eps'\n"
        "    return 'gamma' if abs(norm(row, [2.0, 2.0], ones, 0.0)[0][1] - 3) > 1e-9 else 'none'",
        "the usual eps, compared to 4 decimals": "def find_slip(norm):\n"
        "    X, ones, zeros = [[0.0, 2.0], [10.0, 30.0]], [1.0, 1.0], [0.0, 0.0]\n"
        "    if abs(norm(X[:1], ones, zeros, 1e-5)[0][1] - 1) > 1e-4:\n"
        "        return 'n - 1'\n"
        "    if abs(norm(X, ones, zeros, 1e-5)[0][1] - 1) > 1e-4:\n"
        "        return 'rows'\n"
        "    return 'gamma' if abs(norm(X, [2.0, 2.0], ones, 1e-5)[0][1] - 3) > 1e-3 else 'none'",
        "gammas of 1 and betas of 0 only": "def find_slip(norm):\n"
        "    X, ones, zeros = [[0.0, 2.0], [10.0, 30.0]], [1.0, 1.0], [0.0, 0.0]\n"
        "    if abs(norm(X[:1], ones, zeros, 0.0)[0][1] - 1) > 1e-9:\n"
        "        return 'n - 1'\n"
        "    if abs(norm(X[:1], ones, zeros, 3.0)[0][1] - 0.5) > 1e-9:\n"
        "        return 'eps'\n"
        "    return 'rows' if abs(norm(X, ones, zeros, 0.0)[0][1] - 1) > 1e-9 else 'none'",
        "eps before n - 1": "def find_slip(norm):\n"
        "    X, ones, zeros = [[0.0, 2.0], [10.0, 30.0]], [1.0, 1.0], [0.0, 0.0]\n"
        "    if abs(norm(X[:1], ones, zeros, 3.0)[0][1] - 0.5) > 1e-9:\n"
        "        return 'eps'\n"
        "    if abs(norm(X[:1], ones, zeros, 0.0)[0][1] - 1) > 1e-9:\n"
        "        return 'n - 1'\n"
        "    if abs(norm(X, ones, zeros, 0.0)[0][1] - 1) > 1e-9:\n"
        "        return 'rows'\n"
        "    return 'gamma' if abs(norm(X[:1], [2.0, 2.0], ones, 0.0)[0][1] - 3) > 1e-9 else 'none'",
        "rows before n - 1": "def find_slip(norm):\n"
        "    X, ones, zeros = [[0.0, 2.0], [10.0, 30.0]], [1.0, 1.0], [0.0, 0.0]\n"
        "    if abs(norm(X, ones, zeros, 0.0)[0][1] - 1) > 1e-9:\n"
        "        return 'rows'\n"
        "    if abs(norm(X[:1], ones, zeros, 0.0)[0][1] - 1) > 1e-9:\n"
        "        return 'n - 1'\n"
        "    if abs(norm(X[:1], ones, zeros, 3.0)[0][1] - 0.5) > 1e-9:\n"
        "        return 'eps'\n"
        "    return 'gamma' if abs(norm(X[:1], [2.0, 2.0], ones, 0.0)[0][1] - 3) > 1e-9 else 'none'",
        "all in one call": "def find_slip(norm):\n"
        "    inputs = [[0.0, 2.0], [10.0, 30.0]], [2.0, 3.0], [1.0, 1.5], 3.0\n"
        "    return 'none' if norm(*inputs) == layer_norm(*inputs) else 'n - 1'",
        "variance of 1 or a mistake": "def find_slip(norm):\n"
        "    (low, high), = norm([[0.0, 2.0]], [1.0, 1.0], [0.0, 0.0], 1e-5)\n"
        "    return 'none' if (low * low + high * high) / 2 == 1 else 'n - 1'",
    },
    "07.2": {
        "gamma on the outputs": "def merge(gamma, beta, W):\n"
        "    return [[[w * g for w in row] for row, g in zip(W, gamma)], [dot(row, beta) for row in W]]",
        "beta itself as the bias": "def merge(gamma, beta, W):\n"
        "    return [[[w * g for w, g in zip(row, gamma)] for row in W], list(beta)]",
        "gamma on the bias too": "def merge(gamma, beta, W):\n"
        "    W = [[w * g for w, g in zip(row, gamma)] for row in W]\n"
        "    return [W, [dot(row, beta) for row in W]]",
        "no bias": "def merge(gamma, beta, W):\n"
        "    return [[[w * g for w, g in zip(row, gamma)] for row in W], [0.0] * len(W)]",
        "divided by gamma": "def merge(gamma, beta, W):\n"
        "    return [[[w / g for w, g in zip(row, gamma)] for row in W], [dot(row, beta) for row in W]]",
    },
}
