"""Lesson 14."""

_LOOP = """def my_train(config, parameters, batches, lr, max_norm):
    optimizer, losses = adamw_init(parameters), []
    for documents in batches:
        loss, gradients = batch_gradients(config, parameters, documents)
        gradients = clip_by_global_norm(gradients, max_norm)
        parameters, optimizer = adamw_step(parameters, gradients, optimizer, lr)
        losses.append(loss)
    return losses"""

_COUNTS = """def my_counts(documents, n):
    counts = {}
    for document in documents:
        for i in range(1, len(document)):
            context = tuple(document[max(0, i + 1 - n) : i])
            row = counts.setdefault(context, {})
            row[document[i]] = row.get(document[i], 0) + 1
    return counts"""

WRONG_ANSWERS = {
    "14.a": {
        "n tokens": _COUNTS.replace("i + 1 - n", "i - n"),
        "a negative index": _COUNTS.replace("max(0, i + 1 - n)", "i + 1 - n"),
        "from the first token": _COUNTS.replace("range(1,", "range("),
        "a new row each time": _COUNTS.replace("counts.setdefault(context, {})", "counts[context] = {}"),
        "the last token alone": _COUNTS.replace("max(0, i + 1 - n)", "i - 1"),
        "only 1": _COUNTS.replace("row.get(document[i], 0) + 1", "1"),
    },
    "14.b": {
        "alpha in the count alone": "def my_loss(token, row, V, alpha):\n"
        "    return -math.log((row.get(token, 0) + alpha) / (sum(row.values()) + 1e-300))",
        "alpha once in the total": "def my_loss(token, row, V, alpha):\n"
        "    return -math.log((row.get(token, 0) + alpha) / (sum(row.values()) + alpha))",
        "a probability": "def my_loss(token, row, V, alpha):\n"
        "    return (row.get(token, 0) + alpha) / (sum(row.values()) + alpha * V)",
        "row[token]": "def my_loss(token, row, V, alpha):\n"
        "    return -math.log((row[token] + alpha) / (sum(row.values()) + alpha * V))",
        "rounded": "def my_loss(token, row, V, alpha):\n"
        "    return round(-math.log((row.get(token, 0) + alpha) / (sum(row.values()) + alpha * V)), 6)",
    },
    "14.c": {
        "not clipped": _LOOP.replace("        gradients = clip_by_global_norm(gradients, max_norm)\n", ""),
        "parameters not updated": _LOOP.replace("parameters, optimizer = adamw", "_, optimizer = adamw"),
        "optimizer state not kept": _LOOP.replace(
            "adamw_step(parameters, gradients, optimizer, lr)",
            "adamw_step(parameters, gradients, adamw_init(parameters), lr)",
        ),
        "the last loss": _LOOP.replace("return losses", "return loss"),
    },
}
