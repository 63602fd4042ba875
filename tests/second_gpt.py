"""GPT-2 once more, from its description: index loops and a scalar tape.

Every position looks at itself and the positions before it, so there is no mask; no softmax is shifted;
what a head reads is a slice of c_attn's rows. `forward` takes floats or numbers of the tape, which then
has the gradients.
"""

import math
import random

from scalar_tape import Number, log, sqrt, total
from scalar_tape import backward as unwind
from second_network import bent, derivative, each, shares, value, weighed

from helpers import init_gpt, tree_map


def forward(config, p, tokens, targets):
    """The logits, and for each block the weights of each head as rows without the positions that come
    later; the loss."""
    D, H = config["n_embd"], config["n_head"]
    stream = [
        [p["wte.weight"][tokens[t]][d] + p["wpe.weight"][t][d] for d in range(D)] for t in range(len(tokens))
    ]
    maps = []
    for i in range(config["n_layer"]):
        b = {name.partition(f"h.{i}.")[2]: part for name, part in p.items() if name.startswith(f"h.{i}.")}
        read = [levelled(row, b["ln_1.weight"], b["ln_1.bias"]) for row in stream]
        gathered, weights = attended(read, b["attn.c_attn.weight"], b["attn.c_attn.bias"], D, H)
        maps.append(weights)
        stream = [plus(row, layer(g, b, "attn.c_proj")) for row, g in zip(stream, gathered, strict=True)]
        stream = [
            plus(
                row,
                layer(
                    [bent(h) for h in layer(levelled(row, b["ln_2.weight"], b["ln_2.bias"]), b, "mlp.c_fc")],
                    b,
                    "mlp.c_proj",
                ),
            )
            for row in stream
        ]
    last = [levelled(row, p["ln_f.weight"], p["ln_f.bias"]) for row in stream]
    logits = [[weighed(row, word) for word in p["wte.weight"]] for row in last]
    losses = [0.0 - log(shares(logits[t])[target]) for t, target in enumerate(targets)]
    return {"logits": logits, "weights": maps, "losses": losses, "loss": total(losses) / len(targets)}


def attended(read, W, b, D, H):
    """What each position gathers, head by head, from itself and what came before; and how much from where."""
    k = D // H
    joined = [[weighed(row, W[o]) + b[o] for o in range(3 * D)] for row in read]
    gathered, maps = [[] for _ in read], []
    for h in range(H):
        q, key, v = (range(part * D + h * k, part * D + (h + 1) * k) for part in range(3))
        maps.append([])
        for t in range(len(read)):
            scores = [
                total([joined[t][i] * joined[s][j] for i, j in zip(q, key)]) / math.sqrt(k)
                for s in range(t + 1)
            ]
            weights = shares(scores)
            maps[h].append(weights)
            gathered[t] += [total([weights[s] * joined[s][i] for s in range(t + 1)]) for i in v]
    return gathered, maps


def layer(row, b, name):
    return [weighed(row, w) + bias for w, bias in zip(b[f"{name}.weight"], b[f"{name}.bias"], strict=True)]


def plus(row, other):
    return [x + y for x, y in zip(row, other, strict=True)]


def levelled(row, stretch, shift):
    mean = total(row) / len(row)
    away = [x - mean for x in row]
    size = sqrt(total([x * x for x in away]) / len(row) + 1e-5)
    return [g * x / size + s for x, g, s in zip(away, stretch, shift, strict=True)]


def on_tape(config, p, tokens, targets):
    """The gradients of the loss by name, and what forward gives."""
    on, found = noted(config, p, tokens, targets)
    unwind(found["loss"])
    return each(derivative, on), each(value, found)


def noted(config, p, tokens, targets):
    """The parameters on a tape of their own, and what comes of them."""
    tape = []
    on = each(lambda x: Number(tape, x), p)
    return on, forward(config, on, tokens, targets)


def drawn_gpt(layers, heads, width, hidden, V=7, P=6, seed=1):
    """A config and parameters: no bias 0, no scale 1, weights large enough to make attention choose."""
    config = {"vocab_size": V, "n_positions": P, "n_embd": width, "n_layer": layers, "n_head": heads}
    config["n_inner"], rng = hidden, random.Random(seed)
    return config, tree_map(lambda row: [x + rng.gauss(0, 0.5) for x in row], init_gpt(config, rng))
