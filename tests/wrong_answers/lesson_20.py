"""Lesson 20."""

_ANSWER = "def my_answer(step, tokens, n, end):\n    cache, new = None, []\n"
_READ = "    for token in tokens:\n        logits, cache = step(token, cache)\n"
_TEMPLATE = "def my_template(messages):\n"

WRONG_ANSWERS = {
    "20.a": {
        "no groups": "def my_llama_count(V, D, L, H, G, F):\n"
        "    return V * D + L * (2 * D + 4 * D * D + 3 * F * D) + D",
        "one set": "def my_llama_count(V, D, L, H, G, F):\n"
        "    return V * D + L * (2 * D + 2 * D * D + 2 * D // H * D + 3 * F * D) + D",
        "two matrices": "def my_llama_count(V, D, L, H, G, F):\n"
        "    return V * D + L * (2 * D + 2 * D * D + 2 * (G * D // H) * D + 2 * F * D) + D",
        "untied": "def my_llama_count(V, D, L, H, G, F):\n"
        "    return 2 * V * D + L * (2 * D + 2 * D * D + 2 * (G * D // H) * D + 3 * F * D) + D",
        "no last norm": "def my_llama_count(V, D, L, H, G, F):\n"
        "    return V * D + L * (2 * D + 2 * D * D + 2 * (G * D // H) * D + 3 * F * D)",
    },
    "20.b": {
        "no cache": _ANSWER + "    for token in tokens:\n        logits, _ = step(token, None)\n"
        "    while True:\n        new.append(logits.index(max(logits)))\n"
        "        if new[-1] == end or len(new) == n:\n            return new\n"
        "        logits, _ = step(new[-1], None)",
        "never ends": _ANSWER
        + _READ
        + "    while len(new) < n:\n        new.append(logits.index(max(logits)))\n"
        "        logits, cache = step(new[-1], cache)\n    return new",
        "question returned": _ANSWER + _READ + "    new = list(tokens)\n    while True:\n"
        "        new.append(logits.index(max(logits)))\n"
        "        if new[-1] == end or len(new) == n + len(tokens):\n            return new\n"
        "        logits, cache = step(new[-1], cache)",
        "end left out": _ANSWER
        + _READ
        + "    while len(new) < n:\n        best = logits.index(max(logits))\n"
        "        if best == end:\n            break\n        new.append(best)\n"
        "        logits, cache = step(best, cache)\n    return new",
    },
    "20.c": {
        "no question to the assistant": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}\\n{s}<|im_end|>\\n" for r, s in messages)',
        "no newline at the end": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}\\n{s}<|im_end|>\\n" for r, s in messages)'
        + ' + "<|im_start|>assistant"',
        "role and text in one line": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}{s}<|im_end|>\\n" for r, s in messages)'
        + ' + "<|im_start|>assistant\\n"',
    },
}
