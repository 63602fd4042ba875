"""Lesson 20."""

_ATTEND = "def my_cached_attention(Q, K, V, keys, values, base):\n    S, T = len(keys[0]), len(K[0])\n"
_PLACES = "    positions = list(range(S, S + T))\n"
_ROPE_Q = "    Q = [helpers.rope(q, positions, base) for q in Q]\n"
_ROPE_K = "    K = [helpers.rope(k, positions, base) for k in K]\n"
_KEYS = "    keys = [old + new for old, new in zip(keys, K)]\n"
_VALUES = "    values = [old + new for old, new in zip(values, V)]\n"
_HEADS = "    heads = helpers.grouped_query_attention(Q, keys, values, helpers.causal_mask(S + T)[S:])\n"
_THREE = "    return heads, keys, values"
_BLOCK = "def my_llama_block(config, parameters, X, keys=None, values=None):\n    p = parameters\n"
_ATTENDED = "    attended, keys, values = llama_attention(config, p, X, keys, values)\n"
_NORMED = '    normed = rms_norm(X, p["ffn_norm.weight"], config["eps"])\n'
_FED = '    fed = helpers.swiglu(normed, p["ffn_gate.weight"], p["ffn_up.weight"], p["ffn_down.weight"])\n'
_SUM = "    return helpers.add(X, fed), keys, values"
_FIRST = "    X = helpers.add(X, attended)\n"
_ANSWER = "def my_answer(step, choose, tokens, n, end):\n    cache, new = None, []\n"
_READ = "    for token in tokens:\n        logits, cache = step(token, cache)\n"
_TEMPLATE = "def my_template(messages):\n"

WRONG_ANSWERS = {
    "20.a": {
        name: "import helpers\n" + source
        for name, source in {
            "no RoPE": _ATTEND + _KEYS + _VALUES + _HEADS + _THREE,
            "queries not rotated": _ATTEND + _PLACES + _ROPE_K + _KEYS + _VALUES + _HEADS + _THREE,
            "keys not rotated": _ATTEND + _PLACES + _ROPE_Q + _KEYS + _VALUES + _HEADS + _THREE,
            "positions from 0": _ATTEND
            + "    positions = list(range(T))\n"
            + _ROPE_Q
            + _ROPE_K
            + _KEYS
            + _VALUES
            + _HEADS
            + _THREE,
            "all keys rotated again": _ATTEND
            + _PLACES
            + _ROPE_Q
            + _KEYS
            + "    keys = [helpers.rope(k, list(range(S + T)), base) for k in keys]\n"
            + _VALUES
            + _HEADS
            + _THREE,
            "no mask": _ATTEND
            + _PLACES
            + _ROPE_Q
            + _ROPE_K
            + _KEYS
            + _VALUES
            + "    heads = helpers.grouped_query_attention(Q, keys, values)\n"
            + _THREE,
            "first rows of the mask": _ATTEND
            + _PLACES
            + _ROPE_Q
            + _ROPE_K
            + _KEYS
            + _VALUES
            + _HEADS.replace("[S:]", "[:T]")
            + _THREE,
            "heads last": _ATTEND
            + _PLACES
            + _ROPE_Q
            + _ROPE_K
            + _KEYS
            + _VALUES
            + _HEADS
            + "    return keys, values, heads",
            "raw keys in the cache": _ATTEND
            + _PLACES
            + _ROPE_Q
            + "    raw = [old + new for old, new in zip(keys, K)]\n"
            + _ROPE_K
            + _KEYS
            + _VALUES
            + _HEADS
            + "    return heads, raw, values",
            "set h % G": _ATTEND
            + _PLACES
            + _ROPE_Q
            + _ROPE_K
            + _KEYS
            + _VALUES
            + "    mask, G = helpers.causal_mask(S + T)[S:], len(K)\n"
            + "    heads = [helpers.attention(q, keys[h % G], values[h % G], mask) for h, q in enumerate(Q)]\n"
            + _THREE,
        }.items()
    },
    "20.b": {
        name: "import helpers\n" + source
        for name, source in {
            "no residual connection around attention": _BLOCK
            + _ATTENDED
            + "    X = attended\n"
            + _NORMED
            + _FED
            + _SUM,
            "no residual connection around SwiGLU": _BLOCK
            + _ATTENDED
            + _FIRST
            + _NORMED
            + _FED
            + "    return fed, keys, values",
            "gate and up exchanged": _BLOCK
            + _ATTENDED
            + _FIRST
            + _NORMED
            + _FED.replace("gate", "_").replace("up", "gate").replace("ffn__", "ffn_up")
            + _SUM,
            "eps forgotten": _BLOCK
            + _ATTENDED
            + _FIRST
            + '    normed = rms_norm(X, p["ffn_norm.weight"])\n'
            + _FED
            + _SUM,
            "normalized twice": _BLOCK
            + '    normed = rms_norm(X, p["attn_norm.weight"], config["eps"])\n'
            + _ATTENDED.replace("p, X", "p, normed")
            + _FIRST
            + _NORMED
            + _FED
            + _SUM,
            "cache not passed on": _BLOCK
            + _ATTENDED.replace(", keys, values)", ")")
            + _FIRST
            + _NORMED
            + _FED
            + _SUM,
            "SwiGLU reads the attention": _BLOCK
            + _ATTENDED
            + _NORMED.replace("(X,", "(attended,")
            + _FED
            + "    return helpers.add(helpers.add(X, attended), fed), keys, values",
            "attention twice": _BLOCK
            + _ATTENDED
            + _FIRST
            + _NORMED
            + _FED
            + "    return helpers.add(helpers.add(X, attended), fed), keys, values",
            "no second norm": _BLOCK + _ATTENDED + _FIRST + "    normed = X\n" + _FED + _SUM,
        }.items()
    },
    "20.c": {
        "no cache": _ANSWER + "    for token in tokens:\n        logits, _ = step(token, None)\n"
        "    while True:\n        new.append(choose(logits))\n"
        "        if new[-1] == end or len(new) == n:\n            return new\n"
        "        logits, _ = step(new[-1], None)",
        "never ends": _ANSWER + _READ + "    while True:\n        new.append(choose(logits))\n"
        "        if len(new) == n:\n            return new\n"
        "        logits, cache = step(new[-1], cache)",
        "question returned": _ANSWER + _READ + "    new = list(tokens)\n    while True:\n"
        "        new.append(choose(logits))\n"
        "        if new[-1] == end or len(new) == n + len(tokens):\n            return new\n"
        "        logits, cache = step(new[-1], cache)",
        "end left out": _ANSWER + _READ + "    while True:\n        best = choose(logits)\n"
        "        if best == end:\n            return new\n        new.append(best)\n"
        "        if len(new) == n:\n            return new\n"
        "        logits, cache = step(best, cache)",
        "one step too many": _ANSWER + _READ + "    while len(new) < n:\n        new.append(choose(logits))\n"
        "        logits, cache = step(new[-1], cache)\n        if new[-1] == end:\n            break\n"
        "    return new",
        "a for loop that reads the last token": _ANSWER + _READ + "    for _ in range(n):\n"
        "        new.append(choose(logits))\n        if new[-1] == end:\n            break\n"
        "        logits, cache = step(new[-1], cache)\n    return new",
        "cache of the question only": _ANSWER
        + _READ
        + "    while True:\n        new.append(choose(logits))\n"
        "        if new[-1] == end or len(new) == n:\n            return new\n"
        "        logits, _ = step(new[-1], cache)",
        "first token only": "def my_answer(step, choose, tokens, n, end):\n"
        "    (logits, cache), new = step(tokens[0], None), []\n    while True:\n"
        "        new.append(choose(logits))\n        if new[-1] == end or len(new) == n:\n"
        "            return new\n        logits, cache = step(new[-1], cache)",
        "last token not read": _ANSWER + _READ.replace("tokens:", "tokens[:-1]:") + "    while True:\n"
        "        new.append(choose(logits))\n        if new[-1] == end or len(new) == n:\n"
        "            return new\n        logits, cache = step(new[-1], cache)",
        "choose not called": _ANSWER + _READ + "    while True:\n"
        "        new.append(logits.index(max(logits)))\n"
        "        if new[-1] == end or len(new) == n:\n            return new\n"
        "        logits, cache = step(new[-1], cache)",
    },
    "20.d": {
        "no question to the assistant": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}\\n{s}<|im_end|>\\n" for r, s in messages)',
        "no newline at the end": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}\\n{s}<|im_end|>\\n" for r, s in messages)'
        + ' + "<|im_start|>assistant"',
        "role and text in one line": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}{s}<|im_end|>\\n" for r, s in messages)'
        + ' + "<|im_start|>assistant\\n"',
        "role and text exchanged": _TEMPLATE
        + '    return "".join(f"<|im_start|>{s}\\n{r}<|im_end|>\\n" for r, s in messages)'
        + ' + "<|im_start|>assistant\\n"',
        "joined with newlines": _TEMPLATE
        + '    return "\\n".join(f"<|im_start|>{r}\\n{s}<|im_end|>" for r, s in messages)'
        + ' + "<|im_start|>assistant\\n"',
        "a newline before the end": _TEMPLATE
        + '    return "".join(f"<|im_start|>{r}\\n{s}\\n<|im_end|>\\n" for r, s in messages)'
        + ' + "<|im_start|>assistant\\n"',
    },
}
