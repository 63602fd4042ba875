"""Lesson 15."""

_SAMPLE = """def my_sample(probabilities, u):
    cumulative = 0.0
    for i, p in enumerate(probabilities):
        cumulative += p
        if u < cumulative:
            return i"""

WRONG_ANSWERS = {
    "15.a": {
        "not summed": _SAMPLE.replace("cumulative += p", "cumulative = p"),
        "the right end": _SAMPLE.replace("u < cumulative", "u <= cumulative"),
        "the sum": _SAMPLE.replace("return i", "return cumulative"),
        "the next one": _SAMPLE.replace("return i", "return i + 1"),
        "as long as each other": "def my_sample(probabilities, u):\n    return int(u * len(probabilities))",
    },
    "15.b": {
        "times": (
            "def my_temperature(logits, temperature):\n    return softmax([s * temperature for s in logits])"
        ),
        "behind": (
            "def my_temperature(logits, temperature):\n    return [p / temperature for p in softmax(logits)]"
        ),
        "powers": "def my_temperature(logits, temperature):\n"
        "    powers = [p ** (1 / temperature) for p in softmax(logits)]\n"
        "    return [power / sum(powers) for power in powers]",
        "left out": "def my_temperature(logits, temperature):\n    return softmax(logits)",
        "overflows": "def my_temperature(logits, temperature):\n"
        "    e = [math.exp(s / temperature) for s in logits]\n"
        "    return [x / sum(e) for x in e]",
    },
    "15.c": {
        "stops short": "def my_top_p(probabilities, p):\n    kept, held = [], 0.0\n"
        "    for i in argsort_descending(probabilities):\n"
        "        held += probabilities[i]\n        if held <= p or not kept:\n            kept.append(i)\n"
        "    return renormalize(probabilities, kept)",
        "stops before": "def my_top_p(probabilities, p):\n    kept, held = [], 0.0\n"
        "    for i in argsort_descending(probabilities):\n"
        "        if held + probabilities[i] >= p:\n            break\n"
        "        kept.append(i)\n        held += probabilities[i]\n"
        "    return renormalize(probabilities, kept)",
        "one more": "def my_top_p(probabilities, p):\n    kept, held = [], 0.0\n"
        "    for i in argsort_descending(probabilities):\n"
        "        if held <= p:\n            kept.append(i)\n            held += probabilities[i]\n"
        "    return renormalize(probabilities, kept)",
        "not ranked": "def my_top_p(probabilities, p):\n    kept, held = [], 0.0\n"
        "    for i, q in enumerate(probabilities):\n"
        "        if held < p:\n            kept.append(i)\n            held += q\n"
        "    return renormalize(probabilities, kept)",
        "min-p": "def my_top_p(probabilities, p):\n"
        "    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= p * "
        "max(probabilities)])",
    },
    "15.d": {
        "not of the largest": "def my_min_p(probabilities, p):\n"
        "    least = min(p, max(probabilities))\n"
        "    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= least])",
        "absolute": "def my_min_p(probabilities, p):\n"
        "    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q >= p])",
        "greater": "def my_min_p(probabilities, p):\n    least = p * max(probabilities)\n"
        "    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q > least])",
        "strictly": "def my_min_p(probabilities, p):\n    least = p * max(probabilities)\n"
        "    return renormalize(probabilities, [i for i, q in enumerate(probabilities) if q > least or "
        "q == max(probabilities)])",
        "undivided": "def my_min_p(probabilities, p):\n"
        "    return [q if q >= p * max(probabilities) else 0.0 for q in probabilities]",
    },
}
