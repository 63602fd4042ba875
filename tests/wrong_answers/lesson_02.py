"""Lesson 02."""

LOOPS = """def linear_with_loops(X, W, b):
    result = []
    for t in range(len(X)):
        row = []
        for o in range(len(W)):
            total = {start}
            for i in range(len(X[t])):
                total += {product}
            row.append(total)
        result.append(row)
    return result"""

WRONG_ANSWERS = {
    "02.1": {
        "no bias": LOOPS.format(start="0.0", product="X[t][i] * W[o][i]"),
        "W turned": LOOPS.format(start="b[o]", product="X[t][i] * W[i][o]"),
        "bias once per product": LOOPS.format(start="0.0", product="X[t][i] * W[o][i] + b[o]"),
        "bias by position": LOOPS.format(start="b[t]", product="X[t][i] * W[o][i]"),
    },
    "02.2": {
        "every H-th column": "def project_heads(X, W, H):\n    return [[row[h::H] for row in linear(X, W)] for h in range(H)]",
        "not cut": "def project_heads(X, W, H):\n    return [linear(X, W) for h in range(H)]",
        "K and H mixed up": "def project_heads(X, W, H):\n"
        "    return [[row[h * H : (h + 1) * H] for row in linear(X, W)] for h in range(len(W) // H)]",
        "positions first": "def project_heads(X, W, H):\n"
        "    K = len(W) // H\n"
        "    return [[row[h * K : (h + 1) * K] for h in range(H)] for row in linear(X, W)]",
    },
    "02.3": {
        "by shape, out in when square": "def which_way(X, W, Y):\n"
        "    return 'out in' if len(W[0]) == len(X[0]) else 'in out'",
        "by shape, in out when square": "def which_way(X, W, Y):\n    return 'in out' if len(W) == len(X[0]) else 'out in'",
        "first row only": "def which_way(X, W, Y):\n"
        "    if len(W[0]) != len(X[0]):\n"
        "        return 'in out'\n"
        "    return 'out in' if all(abs(dot(X[0], w) - y) < 1e-9 for w, y in zip(W, Y[0])) else 'in out'",
        "first number only": "def which_way(X, W, Y):\n"
        "    if len(W[0]) != len(X[0]):\n"
        "        return 'in out'\n"
        "    return 'out in' if all(abs(dot(x, W[0]) - y[0]) < 1e-9 for x, y in zip(X, Y)) else 'in out'",
        "exactly equal": "def which_way(X, W, Y):\n"
        "    return 'out in' if len(W[0]) == len(X[0]) and linear(X, W) == Y else 'in out'",
    },
    "02.4": {
        "as it is stored": "def draw_number(sizes, head, out, into):\n"
        "    V, P, D, H, K = [sizes[letter] for letter in 'VPDHK']\n"
        "    return (V + P) * D + (H + head) * D * K + out * D + into",
        "head by head": "def draw_number(sizes, head, out, into):\n"
        "    V, P, D, H, K = [sizes[letter] for letter in 'VPDHK']\n"
        "    return (V + P) * D + (3 * head + 1) * D * K + into * K + out",
        "our sizes only": "def draw_number(sizes, head, out, into):\n    return 432 + head * 128 + into * 8 + out",
        "without W_Q": "def draw_number(sizes, head, out, into):\n"
        "    V, P, D, H, K = [sizes[letter] for letter in 'VPDHK']\n"
        "    return (V + P) * D + head * D * K + into * K + out",
    },
    "02.5": {
        "turned": "def middle(W_Q, W_K):\n    return matmul(transpose(W_K), W_Q)",
        "the small product": "def middle(W_Q, W_K):\n    return matmul(W_Q, transpose(W_K))",
        "our weights only": "def middle(W_Q, W_K):\n    return matmul(transpose(globals()['W_Q'][0]), globals()['W_K'][0])",
    },
}
