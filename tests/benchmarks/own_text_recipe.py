"""Which model and which settings learn most of a text in a given time? A search for `train`, with NumPy.

    python tests/benchmarks/own_text_recipe.py a.txt b.txt --seconds 180 --width 16 24 32 --pairs 500 800

prints for each text, and each combination of the values that are given, the test loss in nats per character,
and what was left to fall after a tenth of the steps. The course's own functions prepare the text and give the
first parameters; the training is a second implementation, which is faster. A time is turned into steps by
own_model.seconds_of_step, so the load of the machine does not count. Needs numpy, which the course does not.

Recorded: texts of 100 kB, one seed, seconds of one core; the 6-grams and, for comparison, the bigrams:

    text                        bigrams 6-grams   180 s, 24 wide   1080 s, 32 wide
    fortunes: science             2.56    1.88        2.01              1.92
    fortunes-de: zitate           2.43    1.78        1.85              1.78
    five modules of Python 3.11   2.62    1.83        1.91              1.79
    fortunes: songs-poems         2.57    1.99        2.06              1.97

The first two and the last are the first 100,000 bytes of files of Debian's packages; the third is textwrap,
shutil, heapq, bisect and statistics. On the first text in 330 s: without the first embeddings from bigrams
2.07 instead of 2.00 (500 pairs, 32 wide, two seeds); 500, 800 pairs: 2.00, 1.96 (24 wide); width 16, 24:
1.98, 1.96 (800 pairs); learning rate 0.015: 1.98. In letters, 24 wide, 180 s: 2.36. Since a tenth of the
steps the losses of the first three fell by 0.23, 0.25 and 0.27 (180 s, 24 wide).
"""

import argparse
import itertools
import math
import random
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from helpers.course.training import own_model
from helpers.course.training.bigram_start import begin_with_bigrams
from helpers.course.training.loop import rate, start_run
from helpers.course.training.own_text import encoded, overlapping_windows, prepare_text, windows

SLOPE = math.sqrt(2 / math.pi)


def normed(X, gamma, beta):
    centred = X - X.mean(-1, keepdims=True)
    r = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return centred * r * gamma + beta, centred * r, r


def normed_backward(d, n, r, gamma):
    dn = d * gamma
    d_X = r * (dn - dn.mean(-1, keepdims=True) - n * (dn * n).mean(-1, keepdims=True))
    return d_X, (d * n).sum((0, 1)), d.sum((0, 1))


def flat(X):
    return X.reshape(-1, X.shape[-1])


def split_heads(X, heads):
    return X.reshape(*X.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join_heads(X):
    return X.transpose(0, 2, 1, 3).reshape(X.shape[0], X.shape[2], -1)


def forward(p, config, tokens):
    """The logits of a batch [B][T], and what the backward pass needs."""
    T, H, kept = tokens.shape[1], config["n_head"], []
    X = p["wte.weight"][tokens] + p["wpe.weight"][:T]
    future = np.triu(np.full((T, T), -1e9, np.float32), 1)
    for i in range(config["n_layer"]):
        w = {name[len(f"h.{i}.") :]: value for name, value in p.items() if name.startswith(f"h.{i}.")}
        a, n_1, r_1 = normed(X, w["ln_1.weight"], w["ln_1.bias"])
        parts = np.split(a @ w["attn.c_attn.weight"].T + w["attn.c_attn.bias"], 3, -1)
        q, k, v = (split_heads(part, H) for part in parts)
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(math.sqrt(q.shape[-1])) + future
        e = np.exp(scores - scores.max(-1, keepdims=True))
        A = e / e.sum(-1, keepdims=True)
        o = join_heads(A @ v)
        X = X + o @ w["attn.c_proj.weight"].T + w["attn.c_proj.bias"]
        b, n_2, r_2 = normed(X, w["ln_2.weight"], w["ln_2.bias"])
        h = b @ w["mlp.c_fc.weight"].T + w["mlp.c_fc.bias"]
        t = np.tanh(SLOPE * (h + 0.044715 * h**3))
        X = X + (0.5 * h * (1 + t)) @ w["mlp.c_proj.weight"].T + w["mlp.c_proj.bias"]
        kept.append((w, a, n_1, r_1, q, k, v, A, o, b, n_2, r_2, h, t))
    z, n, r = normed(X, p["ln_f.weight"], p["ln_f.bias"])
    return z @ p["wte.weight"].T, (kept, z, n, r)


def log_softmax(logits):
    logits = logits - logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def gradients(p, config, tokens, targets, weights):
    """The gradients of the weighted mean loss."""
    logits, (kept, z, n, r) = forward(p, config, tokens)
    d = np.exp(log_softmax(logits))
    np.put_along_axis(d, targets[..., None], np.take_along_axis(d, targets[..., None], -1) - 1, -1)
    d *= (weights / weights.sum())[..., None]
    g = {"wte.weight": flat(d).T @ flat(z)}
    d_X, g["ln_f.weight"], g["ln_f.bias"] = normed_backward(d @ p["wte.weight"], n, r, p["ln_f.weight"])
    for i in reversed(range(len(kept))):
        w, a, n_1, r_1, q, k, v, A, o, b, n_2, r_2, h, t = kept[i]

        def linear_backward(name, d, X, front=f"h.{i}.", w=w):
            g[f"{front}{name}.weight"], g[f"{front}{name}.bias"] = flat(d).T @ flat(X), flat(d).sum(0)
            return d @ w[f"{name}.weight"]

        d_h = linear_backward("mlp.c_proj", d_X, 0.5 * h * (1 + t))
        d_h *= 0.5 * (1 + t) + 0.5 * h * (1 - t * t) * SLOPE * (1 + 3 * 0.044715 * h * h)
        d_b, g[f"h.{i}.ln_2.weight"], g[f"h.{i}.ln_2.bias"] = normed_backward(
            linear_backward("mlp.c_fc", d_h, b), n_2, r_2, w["ln_2.weight"]
        )
        d_X = d_X + d_b
        d_o = split_heads(linear_backward("attn.c_proj", d_X, o), config["n_head"])
        d_A = d_o @ v.transpose(0, 1, 3, 2)
        d_s = A * (d_A - (d_A * A).sum(-1, keepdims=True)) / np.float32(math.sqrt(q.shape[-1]))
        parts = d_s @ k, d_s.transpose(0, 1, 3, 2) @ q, A.transpose(0, 1, 3, 2) @ d_o
        d_a = linear_backward("attn.c_attn", np.concatenate([join_heads(x) for x in parts], -1), a)
        d_a, g[f"h.{i}.ln_1.weight"], g[f"h.{i}.ln_1.bias"] = normed_backward(d_a, n_1, r_1, w["ln_1.weight"])
        d_X = d_X + d_a
    g["wpe.weight"] = np.zeros_like(p["wpe.weight"])
    g["wpe.weight"][: d_X.shape[1]] = d_X.sum(0)
    np.add.at(g["wte.weight"], tokens.reshape(-1), flat(d_X))
    return g


def batched(judged, P):
    """(tokens, targets, weights) of windows, with zeros where a window is short or not judged."""
    tokens, targets, weights = (np.zeros((len(judged), P), kind) for kind in (int, int, np.float32))
    for i, (window, skipped) in enumerate(judged):
        tokens[i, : len(window) - 1], targets[i, : len(window) - 1] = window[:-1], window[1:]
        weights[i, skipped : len(window) - 1] = 1
    return tokens, targets, weights


def trained(text, spelling, width, seconds, lr, decay, seed):
    """(the test loss for each character after a tenth of the steps, at the end, steps)."""
    config = own_model.config_of(text, spelling, width, 1, own_model.heads_for(width))
    P, batch = config["n_positions"], own_model.BATCH[text["kind"]]
    documents = {part: encoded(text[part], spelling) for part in ("train", "test")}
    cut = [window for document in documents["train"] for window in windows(document, P)]
    steps = int(seconds / own_model.seconds_of_step(config, batch * P))
    settings = {**own_model.SETTINGS, **own_model.OF_RUNNING, "lr": lr, "weight_decay": decay, "seed": seed}
    run = start_run(cut, config, spelling["vocab"], {**settings, "steps": steps, "batch_size": batch})
    first = begin_with_bigrams(run["parameters"], cut, random.Random(seed))
    p = {name: np.array(value, np.float32) for name, value in first.items()}
    m, v = ({name: np.zeros_like(value) for name, value in p.items()} for _ in range(2))
    data, rng, order, early = batched([(window, 0) for window in cut], P), np.random.default_rng(seed), [], 0
    judged = batched([pair for d in documents["test"] for pair in overlapping_windows(d, P)], P)
    characters = sum(len(unit) + 1 for unit in text["test"])

    def test_loss():
        total = 0.0
        for i in range(0, len(judged[0]), 64):
            tokens, targets, weights = (part[i : i + 64] for part in judged)
            logs = log_softmax(forward(p, config, tokens)[0])
            total -= float((np.take_along_axis(logs, targets[..., None], -1)[..., 0] * weights).sum())
        return total / characters

    for step in range(steps):
        if len(order) < batch:
            order = [*order, *rng.permutation(len(cut))]
        chosen, order = order[:batch], order[batch:]
        g = gradients(p, config, *(part[chosen] for part in data))
        norm = math.sqrt(sum(float((x * x).sum()) for x in g.values()))
        factor, now = min(1, settings["max_norm"] / norm), rate(step, run["settings"])
        b_1, b_2 = settings["beta_1"], settings["beta_2"]
        for name in p:
            m[name] += (1 - b_1) * (g[name] * factor - m[name])
            v[name] += (1 - b_2) * ((g[name] * factor) ** 2 - v[name])
            if p[name].ndim > 1:
                p[name] *= 1 - now * decay
            root = np.sqrt(v[name] / (1 - b_2 ** (step + 1))) + 1e-8
            p[name] -= (now / (1 - b_1 ** (step + 1)) * m[name] / root).astype(np.float32)
        early = test_loss() if (step + 1) * 10 // steps == 1 and not early else early
    return early, test_loss(), steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs="+")
    for name, kind, usual in (
        ("pairs", int, own_model.MAX_PAIRS),
        ("width", int, 24),
        ("seconds", float, 180),
        ("lr", float, own_model.SETTINGS["lr"]),
        ("decay", float, own_model.OF_RUNNING["weight_decay"]),
        ("seed", int, 1),
    ):
        parser.add_argument(f"--{name}", type=kind, nargs="+", default=[usual])
    options = parser.parse_args()
    for path in options.texts:
        text = prepare_text([path], own_model.RUNNING)
        losses = own_model.measured_counts(text)["losses"]
        print(path, ", ".join(f"{name} {loss:.3f}" for name, loss in losses.items()))
        for pairs in options.pairs:
            spelling = {"kind": text["kind"], "unit": "pieces", **own_model.learn_byte_pairs(text, pairs)}
            for rest in itertools.product(
                options.width, options.seconds, options.lr, options.decay, options.seed
            ):
                early, loss, steps = trained(text, spelling, *rest)
                said = ", ".join(
                    f"{n} {x:g}" for n, x in zip(("width", "seconds", "lr", "decay", "seed"), rest)
                )
                ended = f"{loss:.3f} after {steps} steps, {early - loss:.3f} since a tenth"
                print(f"  pairs {pairs}, {said}: {ended}", flush=True)


if __name__ == "__main__":
    main()
