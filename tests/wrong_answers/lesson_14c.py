"""Lesson 14c."""

WRONG_ANSWERS = {
    "14.h": {
        name: f"def my_dropout(row, rate, u):\n    return [{rule} for x, c in zip(row, u)]"
        for name, rule in {
            "not scaled": "0.0 if c < rate else x",
            "multiplied": "0.0 if c < rate else x * (1 - rate)",
            "turned": "0.0 if c >= rate else x / (1 - rate)",
            "at the rate": "0.0 if c <= rate else x / (1 - rate)",
            "above the rate": "0.0 if c > rate else x / (1 - rate)",
            "nothing dropped": "x / (1 - rate)",
        }.items()
    },
    "14.f": {
        "a first step that does not move": "def my_learning_rate(step, steps, lr, warmup_steps):\n"
        "    if step < warmup_steps:\n        return lr * step / warmup_steps\n"
        "    return lr / 2 * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - warmup_steps)))",
        "no half": "def my_learning_rate(step, steps, lr, warmup_steps):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - warmup_steps)))",
        "a straight line": "def my_learning_rate(step, steps, lr, warmup_steps):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * (steps - step) / (steps - warmup_steps)",
        "up for one step too many": "def my_learning_rate(step, steps, lr, warmup_steps):\n"
        "    if step <= warmup_steps:\n        return lr * (step + 1) / (warmup_steps or 1)\n"
        "    return lr / 2 * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - warmup_steps)))",
        "a last step that does not move": "def my_learning_rate(step, steps, lr, warmup_steps):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr / 2 * (1 + math.cos(math.pi * (step - warmup_steps) / (steps - 1 - warmup_steps)))",
        "degrees": "def my_learning_rate(step, steps, lr, warmup_steps):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr / 2 * (1 + math.cos(180 * (step - warmup_steps) / (steps - warmup_steps)))",
    },
    "14.g": {
        "per vector": "def my_clip(gradients, max_norm):\n"
        "    clipped = []\n    for vector in gradients:\n"
        "        norm = math.sqrt(sum(g * g for g in vector))\n"
        "        factor = min(1.0, max_norm / norm) if norm else 1.0\n"
        "        clipped.append([factor * g for g in vector])\n    return clipped",
        "per number": "def my_clip(gradients, max_norm):\n"
        "    return [[max(-max_norm, min(max_norm, g)) for g in vector] for vector in gradients]",
        "always": "def my_clip(gradients, max_norm):\n"
        "    norm = math.sqrt(sum(g * g for vector in gradients for g in vector)) or 1.0\n"
        "    return [[max_norm / norm * g for g in vector] for vector in gradients]",
        "a norm of 0": "def my_clip(gradients, max_norm):\n"
        "    norm = sum(g * g for vector in gradients for g in vector) ** 0.5\n"
        "    factor = max_norm / norm\n"
        "    return [[g * min(factor, 1) for g in vector] for vector in gradients]",
        "the sum of norms": "def my_clip(gradients, max_norm):\n"
        "    norm = sum(math.sqrt(sum(g * g for g in vector)) for vector in gradients)\n"
        "    factor = min(1.0, max_norm / norm) if norm else 1.0\n"
        "    return [[factor * g for g in vector] for vector in gradients]",
    },
    "14.2": {
        "up from 0": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * step / warmup_steps\n"
        "    return lr * min(1.0, (steps - step) / cool_down)",
        "down to 0": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * min(1.0, (steps - 1 - step) / cool_down)",
        "down too slowly": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * min(1.0, (steps - step) / (cool_down + 1))",
        "no warm-up": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    left = steps - step\n    return lr * left / cool_down if left < cool_down else lr",
        "no stay": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * (steps - step) / (steps - warmup_steps)",
    },
}
