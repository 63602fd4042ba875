"""Lesson 15b."""

_STEP = "def my_step(q, k, v, K, V):\n"

WRONG_ANSWERS = {
    "15.e": {
        "not itself": _STEP
        + "    out = attention([q], K, V)[0] if K else v\n    return out, [*K, k], [*V, v]",
        "not divided": _STEP + "    K, V = [*K, k], [*V, v]\n"
        "    c = len(k) ** 0.5\n    return attention([[c * x for x in q]], K, V)[0], K, V",
        "in front": _STEP + "    K, V = [k, *K], [v, *V]\n    return attention([q], K, V)[0], K, V",
        "swapped": _STEP + "    K, V = [*K, k], [*V, v]\n    return attention([q], K, V)[0], V, K",
        "not kept": _STEP + "    return attention([q], [*K, k], [*V, v])[0], K, V",
        "changed in place": _STEP
        + "    K.append(k)\n    V.append(v)\n    return attention([q], K, V)[0], K, V",
    },
    "15.f": {
        "keys only": "def my_cache_bytes(layers, heads, width, tokens, bytes_each):\n"
        "    return layers * heads * width * tokens * bytes_each",
        "numbers": "def my_cache_bytes(layers, heads, width, tokens, bytes_each):\n"
        "    return 2 * layers * heads * width * tokens",
        "queries, too": "def my_cache_bytes(layers, heads, width, tokens, bytes_each):\n"
        "    return 3 * layers * heads * width * tokens * bytes_each",
    },
    "15.g": {
        "anew": "def my_positions(S):\n    return list(range(S))",
        "on and on": "def my_positions(S):\n    return list(range(1, S + 1))",
        "without the new one": "def my_positions(S):\n    return list(range(1, S))",
        "nothing thrown away": "def my_positions(S):\n    return list(range(S + 1))",
    },
}
