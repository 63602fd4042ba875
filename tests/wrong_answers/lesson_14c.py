"""Lesson 14c."""

WRONG_ANSWERS = {
    "14.g": {
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
    "14.h": {
        "per vector": "def my_clip(gradients, most):\n    clipped = []\n    for vector in gradients:\n"
        "        length = math.sqrt(sum(g * g for g in vector))\n"
        "        share = min(1.0, most / length) if length else 1.0\n"
        "        clipped.append([share * g for g in vector])\n    return clipped",
        "per number": "def my_clip(gradients, most):\n"
        "    return [[max(-most, min(most, g)) for g in vector] for vector in gradients]",
        "always": "def my_clip(gradients, most):\n"
        "    length = math.sqrt(sum(g * g for vector in gradients for g in vector)) or 1.0\n"
        "    return [[most / length * g for g in vector] for vector in gradients]",
        "a length of 0": "def my_clip(gradients, most):\n"
        "    length = sum(g * g for vector in gradients for g in vector) ** 0.5\n"
        "    share = most / length\n"
        "    return [[g * min(share, 1) for g in vector] for vector in gradients]",
        "the sum of lengths": "def my_clip(gradients, most):\n"
        "    length = sum(math.sqrt(sum(g * g for g in vector)) for vector in gradients)\n"
        "    share = min(1.0, most / length) if length else 1.0\n"
        "    return [[share * g for g in vector] for vector in gradients]",
    },
    "14.i": {
        "added": (
            "def my_accumulate(gradients, letters):\n    return [sum(column) for column in zip(*gradients)]"
        ),
        "mean of means": "def my_accumulate(gradients, letters):\n"
        "    return [sum(column) / len(column) for column in zip(*gradients)]",
        "not divided": "def my_accumulate(gradients, letters):\n"
        "    return [sum(n * g for n, g in zip(letters, column)) for column in zip(*gradients)]",
    },
    "14.3": {
        "up from 0": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * step / warmup_steps\n"
        "    return lr * min(1.0, (steps - step) / cool_down)",
        "down to 0": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * min(1.0, (steps - 1 - step) / cool_down)",
        "down too slowly": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * min(1.0, (steps - step) / (cool_down + 1))",
        "no stay": "def trapezoid(step, steps, lr, warmup_steps, cool_down):\n"
        "    if step < warmup_steps:\n        return lr * (step + 1) / warmup_steps\n"
        "    return lr * (steps - step) / (steps - warmup_steps)",
    },
}
