"""Lesson 14."""

_LOOP = """def my_train(config, parameters, batches, lr, max_norm):
    optimizer, losses = adamw_init(parameters), []
    for documents in batches:
        loss, gradients = batch_gradients(config, parameters, documents)
        gradients = clip_by_global_norm(gradients, max_norm)
        parameters, optimizer = adamw_step(parameters, gradients, optimizer, lr)
        losses.append(loss)
    return losses"""

WRONG_ANSWERS = {
    "14.a": {
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
    "14.b": {
        "not clipped": _LOOP.replace("        gradients = clip_by_global_norm(gradients, max_norm)\n", ""),
        "parameters not updated": _LOOP.replace("parameters, optimizer = adamw", "_, optimizer = adamw"),
        "optimizer state not kept": _LOOP.replace(
            "adamw_step(parameters, gradients, optimizer, lr)",
            "adamw_step(parameters, gradients, adamw_init(parameters), lr)",
        ),
        "the last loss": _LOOP.replace("return losses", "return loss"),
    },
}
