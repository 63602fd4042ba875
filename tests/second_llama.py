"""A Llama from its description, in index loops: complex numbers for RoPE, and position after position."""

import cmath
import math
import random

from helpers import llama_param_sizes

CONFIG = {"vocab_size": 7, "n_embd": 24, "n_layer": 2, "n_head": 6, "n_kv_head": 2, "n_inner": 5}
CONFIG |= {"rope_base": 50.0, "eps": 0.01}


def drawn(config, seed=1):
    """Parameters in which no vector is 1 everywhere."""
    rng, parameters = random.Random(seed), {}
    for name, size in llama_param_sizes(config).items():
        if len(size) == 2:
            parameters[name] = [[rng.uniform(-1, 1) for _ in range(size[1])] for _ in range(size[0])]
        else:
            parameters[name] = [rng.uniform(0.5, 2) for _ in range(size[0])]
    return parameters


def close(got, expected, within=1e-12):
    """Whether nested lists are equal, each number within so much of the expected one, or of 1."""
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(map(lambda g, e: close(g, e, within), got, expected))
    return abs(got - expected) <= within * max(1, abs(expected))


def second_llama(config, p, tokens):
    """The logits after each token."""
    D, H, G, eps = (config[name] for name in ("n_embd", "n_head", "n_kv_head", "eps"))
    k, stream = D // H, [list(p["token_embd.weight"][token]) for token in tokens]

    def normed(row, gamma):
        size = (sum(x * x for x in row) / D + eps) ** 0.5
        return [x / size * g for x, g in zip(row, gamma)]

    def times(W, row):
        return [sum(w * x for w, x in zip(line, row)) for line in W]

    def turned(row, position):
        numbers = [complex(a, b) for a, b in zip(row[::2], row[1::2])]
        turned = [
            z * cmath.exp(1j * position * config["rope_base"] ** (-2 * j / k)) for j, z in enumerate(numbers)
        ]
        return [part for z in turned for part in (z.real, z.imag)]

    for i in range(config["n_layer"]):
        w = {name.removeprefix(f"blk.{i}."): W for name, W in p.items() if name.startswith(f"blk.{i}.")}
        rows = [normed(row, w["attn_norm.weight"]) for row in stream]
        added = []
        for t in range(len(tokens)):
            out = []
            for h in range(H):
                g = h // (H // G)
                q = turned(times(w["attn_q.weight"], rows[t])[h * k : h * k + k], t)
                scores = []
                for s in range(t + 1):
                    key = turned(times(w["attn_k.weight"], rows[s])[g * k : g * k + k], s)
                    scores.append(math.exp(sum(a * b for a, b in zip(q, key)) / k**0.5))
                values = [times(w["attn_v.weight"], rows[s])[g * k : g * k + k] for s in range(t + 1)]
                out += [sum(e * v[c] for e, v in zip(scores, values)) / sum(scores) for c in range(k)]
            added.append(times(w["attn_output.weight"], out))
        stream = [[x + a for x, a in zip(row, more)] for row, more in zip(stream, added)]
        for row in stream:
            z = normed(row, w["ffn_norm.weight"])
            gate, up = times(w["ffn_gate.weight"], z), times(w["ffn_up.weight"], z)
            hidden = [a / (1 + math.exp(-a)) * b for a, b in zip(gate, up)]
            row[:] = [x + y for x, y in zip(row, times(w["ffn_down.weight"], hidden))]
    return [times(p["token_embd.weight"], normed(row, p["output_norm.weight"])) for row in stream]
