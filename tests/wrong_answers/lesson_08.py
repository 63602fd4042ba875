"""Lesson 08."""

WRONG_ANSWERS = {
    "08.1": {
        "ignores nothing": (
            "def loss_ignoring(logits, targets, ignore):\n    return cross_entropy(logits, targets)"
        ),
        "divided by all targets": "def loss_ignoring(logits, targets, ignore):\n"
        "    kept = [(row, t) for row, t in zip(logits, targets) if t != ignore]\n"
        "    return sum(token_losses([r for r, _ in kept], [t for _, t in kept])) / len(targets)",
        "takes the candidate away too": "def loss_ignoring(logits, targets, ignore):\n"
        "    total, n = 0.0, 0\n"
        "    for row, t in zip(logits, targets):\n"
        "        if t != ignore:\n"
        "            rest = [x for v, x in enumerate(row) if v != ignore]\n"
        "            total, n = total + math.log(sum(math.exp(x - row[t]) for x in rest)), n + 1\n"
        "    return total / n",
        "computes first": "def loss_ignoring(logits, targets, ignore):\n"
        "    losses = [loss for loss, t in zip(token_losses(logits, targets), targets) if t != ignore]\n"
        "    return sum(losses) / len(losses)",
        "stops at the first one": "def loss_ignoring(logits, targets, ignore):\n"
        "    n = targets.index(ignore) if ignore in targets else len(targets)\n"
        "    return cross_entropy(logits[:n], targets[:n])",
        "always token 0": "def loss_ignoring(logits, targets, ignore):\n"
        "    kept = [(row, t) for row, t in zip(logits, targets) if t != 0]\n"
        "    return cross_entropy([r for r, _ in kept], [t for _, t in kept])",
    },
    "08.2": {
        "always <PAD> and <EOS>": (
            "def silent_rows(tokens, V, P):\n    return [[0, 2], list(range(len(tokens) - 1, P))]"
        ),
        "2 in any case": "def silent_rows(tokens, V, P):\n"
        "    silent = {v for v in range(V) if v not in tokens[:-1]} | {2}\n"
        "    return [sorted(silent), list(range(len(tokens) - 1, P))]",
        "only what does not occur": "def silent_rows(tokens, V, P):\n"
        "    return [[v for v in range(V) if v not in tokens], list(range(len(tokens), P))]",
        "the last token in any case": "def silent_rows(tokens, V, P):\n"
        "    silent = {v for v in range(V) if v not in tokens} | {tokens[-1]}\n"
        "    return [sorted(silent), list(range(len(tokens) - 1, P))]",
        "the last row only": "def silent_rows(tokens, V, P):\n"
        "    return [[v for v in range(V) if v not in tokens[:-1]], [P - 1]]",
        "who is never a target": "def silent_rows(tokens, V, P):\n"
        "    return [[v for v in range(V) if v not in tokens[1:]], list(range(len(tokens) - 1, P))]",
    },
}
