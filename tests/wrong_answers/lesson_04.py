"""Lesson 04."""

WRONG_ANSWERS = {
    "04.1": {
        "W_O left as it is": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [W_O]",
        "the way back for W_O alone": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    v = len(W_V[0])\n"
        "    back = sorted(range(len(order)), key=lambda n: order[n])\n"
        "    new_W_O = [[x for h in back for x in row[h * v : (h + 1) * v]] for row in W_O]\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [new_W_O]",
        "the way back": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    back = [order.index(h) for h in range(len(order))]\n"
        "    blocks = split(W_O, len(W_V[0]))\n"
        "    return [[W[h] for h in back] for W in (W_Q, W_K, W_V)] + [merge_heads([blocks[h] for h in "
        "back])]\n"
        "def split(M, width):\n"
        "    return [[row[i : i + width] for row in M] for i in range(0, len(M[0]), width)]",
        "blocks as wide as keys": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    k = len(W_K[0])\n"
        "    new_W_O = [[x for h in order for x in row[h * k : (h + 1) * k]] for row in W_O]\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [new_W_O]",
        "rows of W_O": "def reorder_heads(W_Q, W_K, W_V, W_O, order):\n"
        "    v = len(W_V[0])\n"
        "    new_W_O = [row for h in order for row in W_O[h * v : (h + 1) * v]]\n"
        "    return [[W[h] for h in order] for W in (W_Q, W_K, W_V)] + [new_W_O]",
    }
}
