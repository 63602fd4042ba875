"""Lesson 14."""

WRONG_ANSWERS = {
    "14.a": {
        "no end": "def my_tokens(text, characters):\n    return [1, *(characters.index(c) for c in text)]",
        "no beginning": (
            "def my_tokens(text, characters):\n    return [*(characters.index(c) for c in text), 2]"
        ),
        "marks not counted": (
            "def my_tokens(text, characters):\n    return [1, *(characters.index(c) - 3 for c in text), 2]"
        ),
        "code points": "def my_tokens(text, characters):\n    return [1, *(ord(c) for c in text), 2]",
        "the alphabet": (
            "def my_tokens(text, characters):\n    return [1, *(ord(c) - 97 + 3 for c in text), 2]"
        ),
    },
    "14.b": {
        "amount above alone": "def my_loss(token, row, V, amount):\n"
        "    return -math.log((row.get(token, 0) + amount) / (sum(row.values()) + 1e-300))",
        "amount once below": "def my_loss(token, row, V, amount):\n"
        "    return -math.log((row.get(token, 0) + amount) / (sum(row.values()) + amount))",
        "a share": "def my_loss(token, row, V, amount):\n"
        "    return (row.get(token, 0) + amount) / (sum(row.values()) + amount * V)",
        "unseen is an error": "def my_loss(token, row, V, amount):\n"
        "    return -math.log((row[token] + amount) / (sum(row.values()) + amount * V))",
    },
    "14.c": {
        "all of them": "def my_masked_mean(losses, targets):\n    return sum(losses) / len(losses)",
        "divided by all": "def my_masked_mean(losses, targets):\n"
        "    return sum(loss for loss, t in zip(losses, targets) if t) / len(losses)",
        "without the last": (
            "def my_masked_mean(losses, targets):\n    kept = losses[:-1]\n    return sum(kept) / len(kept)"
        ),
        "without the end": "def my_masked_mean(losses, targets):\n"
        "    kept = [loss for loss, t in zip(losses, targets) if t > 2]\n"
        "    return sum(kept) / max(len(kept), 1)",
    },
    "14.1": {
        "losses mixed": "def mixture_loss(bigrams, letters, w):\n"
        "    losses = [-(1 - w) * math.log(b + 1e-9) - w * math.log(a) for b, a in zip(bigrams, letters)]\n"
        "    return sum(losses) / len(losses)",
        "losses mixed, of shares of 0, too": "def mixture_loss(bigrams, letters, w):\n"
        "    losses = [-(1 - w) * math.log(b) - w * math.log(a) for b, a in zip(bigrams, letters)]\n"
        "    return sum(losses) / len(losses)",
        "w on the other side": "def mixture_loss(bigrams, letters, w):\n"
        "    losses = [-math.log(w * b + (1 - w) * a) for b, a in zip(bigrams, letters)]\n"
        "    return sum(losses) / len(losses)",
        "a sum": "def mixture_loss(bigrams, letters, w):\n"
        "    return sum(-math.log((1 - w) * b + w * a) for b, a in zip(bigrams, letters))",
    },
}
