"""The six steps from GPT-2 to Llama as switches of one model: the machinery of lessons 18 and 18c.

A config is GPT-2's with the keys of GPT2 below. Parameters are one dict with the names of llama.cpp's GGUF
files. A matrix has one row per output.
"""

import math
import random
import statistics

from ...attention import causal_mask
from ...parameters import random_matrix, single_precision, tree_map
from ..engine import fast_tape, mean_gradients, operations
from ..show.display import rounded, table
from ..show.plots import tick_text, ticks
from ..show.svg import ACCENT, FAINT, Figure, box, heading, label, rule
from ..training.loop import SETTINGS, all_steps, new_run

GPT2 = {"bias": True, "norm": "layer", "hidden": "gelu", "position": "learned", "tied": True}
SIX_STEPS = {
    "no biases": {"bias": False},
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"hidden": "swiglu"},
    "RoPE": {"position": "rope"},
    "grouped queries": {"n_kv_head": 1},
    "own output matrix": {"tied": False},
}
ROPE_BASE = 100.0  # for short texts: the slowest pair of eight numbers turns by 1 radian in 32 positions


def gpt2_config(config):
    """The config of a GPT of this course with the switches of the six steps, all as in GPT-2."""
    return {**config, **GPT2, "n_kv_head": config["n_head"], "rope_base": ROPE_BASE}


def after_steps(config, names):
    """The config after these steps.

    >>> config = gpt2_config({"n_head": 2, "n_inner": 64, "n_embd": 16})
    >>> after = after_steps(config, ["SwiGLU", "grouped queries"])
    >>> after["n_inner"], after["n_kv_head"], after["norm"]
    (43, 1, 'layer')
    """
    for name in names:
        config = {**config, **SIX_STEPS[name]}
        if name == "SwiGLU":  # three matrices instead of two: two thirds of the units
            config["n_inner"] = round(2 * config["n_inner"] / 3)
    return config


def six_step_sizes(config):
    """The shape of every parameter of a config, by name."""
    D, F, k = config["n_embd"], config["n_inner"], config["n_embd"] // config["n_head"]
    sizes = {"token_embd.weight": [config["vocab_size"], D]}

    def layer(name, m, n):
        sizes[f"{name}.weight"] = [m, n]
        if config["bias"]:
            sizes[f"{name}.bias"] = [m]

    def norm(name):
        sizes[f"{name}.weight"] = [D]
        if config["norm"] == "layer":
            sizes[f"{name}.bias"] = [D]

    if config["position"] == "learned":
        sizes["position_embd.weight"] = [config["n_positions"], D]
    for i in range(config["n_layer"]):
        norm(f"blk.{i}.attn_norm")
        layer(f"blk.{i}.attn_q", D, D)
        layer(f"blk.{i}.attn_k", config["n_kv_head"] * k, D)
        layer(f"blk.{i}.attn_v", config["n_kv_head"] * k, D)
        layer(f"blk.{i}.attn_output", D, D)
        norm(f"blk.{i}.ffn_norm")
        if config["hidden"] == "swiglu":
            layer(f"blk.{i}.ffn_gate", F, D)
        layer(f"blk.{i}.ffn_up", F, D)
        layer(f"blk.{i}.ffn_down", D, F)
    norm("output_norm")
    if not config["tied"]:
        sizes["output.weight"] = [config["vocab_size"], D]
    return sizes


def draw_model(config, rng, std=None):
    """Initial parameters as lesson 14 draws them: the standard deviation is 0.02·√(768 / D), and less for
    the matrices that add to the residual stream."""
    parameters = {}
    std = std or 0.02 * math.sqrt(768 / config["n_embd"])
    for name, size in six_step_sizes(config).items():
        if len(size) == 2:
            adds = name.endswith(("attn_output.weight", "ffn_down.weight"))
            parameters[name] = random_matrix(
                rng, *size, std / math.sqrt(2 * config["n_layer"]) if adds else std
            )
        else:
            parameters[name] = [1.0 if name.endswith("weight") else 0.0] * size[0]
    return parameters


def six_step_model(f, config, p, tokens, first=0):
    """The logits at each position, by the functions of f; first is the position of the first token."""
    positions, mask = list(range(first, first + len(tokens))), causal_mask(len(tokens))

    def layer(X, name):
        return f.linear(X, p[f"{name}.weight"], p.get(f"{name}.bias"))

    def norm(X, name):
        if config["norm"] == "rms":
            return f.rms_norm(X, p[f"{name}.weight"])
        return f.layer_norm(X, p[f"{name}.weight"], p[f"{name}.bias"])

    def rotated(heads):
        return [f.rope(head, positions, config["rope_base"]) for head in heads]

    X = f.embedding(tokens, p["token_embd.weight"])
    if config["position"] == "learned":
        X = f.add(X, f.embedding(positions, p["position_embd.weight"]))
    for i in range(config["n_layer"]):
        normed = norm(X, f"blk.{i}.attn_norm")
        Q = f.split_heads(layer(normed, f"blk.{i}.attn_q"), config["n_head"])
        K = f.split_heads(layer(normed, f"blk.{i}.attn_k"), config["n_kv_head"])
        V = f.split_heads(layer(normed, f"blk.{i}.attn_v"), config["n_kv_head"])
        if config["position"] == "rope":
            Q, K = rotated(Q), rotated(K)
        heads = f.grouped_query_attention(Q, K, V, mask)
        X = f.add(X, layer(f.merge_heads(heads), f"blk.{i}.attn_output"))
        normed = norm(X, f"blk.{i}.ffn_norm")
        if config["hidden"] == "swiglu":
            gate, up, down = (p[f"blk.{i}.ffn_{part}.weight"] for part in ("gate", "up", "down"))
            X = f.add(X, f.swiglu(normed, gate, up, down))
        else:
            activated = f.gelu_rows(layer(normed, f"blk.{i}.ffn_up"))
            X = f.add(X, layer(activated, f"blk.{i}.ffn_down"))
    return f.linear(norm(X, "output_norm"), p["token_embd.weight" if config["tied"] else "output.weight"])


def gradients_by_tape(config, parameters, tokens):
    """The losses of a document's tokens, and the gradients of their mean."""
    fast = fast_tape()
    p, targets = fast.watch(parameters), tokens[1:]
    losses = fast.token_losses(six_step_model(fast, config, p, tokens[:-1]), targets)
    fast.backward(fast.dot(losses, [1 / len(targets)] * len(targets)))
    return losses.value, fast.gradients(p)


def train_model(config, documents, settings=SETTINGS, std=None):
    """Train a model of this config, and give its run; settings are those of lesson 14, where not given."""
    settings = {**SETTINGS, "single_precision": True, **settings}
    rng = random.Random(settings["seed"])
    parameters = tree_map(single_precision, draw_model(config, rng, std))

    def gradients_of(config, parameters, batch):
        return mean_gradients([gradients_by_tape(config, parameters, tokens) for tokens in batch])

    return all_steps(new_run(config, parameters, settings, rng), documents, gradients_of)


def model_loss(config, parameters, documents, first=0):
    """The mean loss over all tokens of some documents; first is the position of their first tokens."""
    f = operations()
    losses = []
    for tokens in documents:
        logits = six_step_model(f, config, parameters, tokens[:-1], first)
        losses += f.token_losses(logits, tokens[1:])
    return math.fsum(losses) / len(losses)


def rope_by_halves(X, positions, base):
    """RoPE as in Hugging Face's files of Llama: number j of a row and number j + k/2 are a pair.

    >>> [[round(x) for x in row] for row in rope_by_halves([[1, 0, 0, 5]], [math.pi / 2], 1.0)]
    [[0, -5, 1, 0]]
    """
    half = len(X[0]) // 2
    neighbours = [[x for pair in zip(row[:half], row[half:]) for x in pair] for row in X]
    return [row[0::2] + row[1::2] for row in operations().rope(neighbours, positions, base)]


# The losses of trainings that the lesson does not run: tests/benchmarks/told.py 18c trains the models again.
def losses_in(text):
    """{name of a model: its losses}, of lines such as "GPT-2: 2.466 2.474"."""
    rows = (line.split(": ") for line in text.strip().splitlines())
    return {name: [float(loss) for loss in losses.split()] for name, losses in rows}


# The validation loss of the names after 800 steps, seeds 42 to 56
NAMES_LOSSES = losses_in("""
GPT-2: 2.466 2.474 2.483 2.477 2.463 2.475 2.480 2.472 2.456 2.468 2.476 2.472 2.468 2.476 2.476
no biases: 2.461 2.472 2.483 2.475 2.459 2.477 2.474 2.470 2.454 2.465 2.469 2.469 2.461 2.473 2.474
RMSNorm: 2.462 2.466 2.478 2.474 2.462 2.474 2.479 2.465 2.456 2.466 2.470 2.467 2.462 2.467 2.472
SwiGLU: 2.483 2.482 2.481 2.486 2.465 2.474 2.489 2.480 2.477 2.474 2.480 2.467 2.482 2.474 2.471
RoPE: 2.478 2.478 2.474 2.481 2.481 2.482 2.485 2.480 2.458 2.488 2.473 2.484 2.461 2.478 2.477
grouped queries: 2.485 2.480 2.473 2.489 2.476 2.477 2.481 2.504 2.488 2.470 2.470 2.487 2.487 2.469 2.483
own output matrix: 2.453 2.462 2.452 2.446 2.445 2.445 2.458 2.446 2.457 2.441 2.454 2.459 2.446 2.450 2.458
no positions: 2.492 2.466 2.479 2.490 2.471 2.487 2.485 2.466 2.468 2.481 2.488 2.480 2.481 2.480 2.479
own matrix, F = 50: 2.453 2.461 2.454 2.460 2.451 2.461 2.461 2.471 2.462 2.462 2.467 2.463 2.458 2.476 2.464
""")


def compare_steps(config):
    """A row for GPT-2, one after each step, and one for all six: the step, parameters, numbers in the cache
    for each token, the mean of NAMES_LOSSES, and how it differs from the row above, or in the last row from
    GPT-2, with the standard error."""
    rows, names = [], [*NAMES_LOSSES][: len(SIX_STEPS) + 1]
    for n, name in enumerate(names):
        c = after_steps(config, names[1 : n + 1])
        parameters = sum(math.prod(size) for size in six_step_sizes(c).values())
        cache = 2 * c["n_layer"] * c["n_kv_head"] * c["n_embd"] // c["n_head"]
        difference = mean_difference(names[n - 1], name) if n else ""
        step = f"{n} {name}" if n else name
        rows.append([step, parameters, cache, statistics.mean(NAMES_LOSSES[name]), difference])
    return [*rows, ["1 to 6, from GPT-2", *rows[-1][1:-1], mean_difference(names[0], names[-1])]]


def mean_difference(before, after):
    """How the losses of two models differ on average, with the same seed, ± the standard error."""
    pairs = zip(NAMES_LOSSES[before], NAMES_LOSSES[after], strict=True)
    differences = [second - first for first, second in pairs]
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    return f"{statistics.mean(differences):.4f} ± {error:.4f}"


def loss_ranges(losses, title, decimals=3):
    """Draw each model's losses as dots, with a line from the lowest to the highest and a mark at the mean.

    losses is {name of a model: its losses}.
    """
    left, top, wide, pitch = 24 + 8 * max(map(len, losses)), 44, 480, 26
    at = ticks([loss for some in losses.values() for loss in some])
    bottom = top + pitch * len(losses)

    def place(loss):
        return left + wide * (loss - at[0]) / (at[-1] - at[0])

    parts, lines = [heading(title)], []
    for tick in at:
        parts.append(rule(place(tick), top, place(tick), bottom))
        parts.append(label(place(tick), bottom + 16, tick_text(tick, at), 11))
    for i, (name, some) in enumerate(losses.items()):
        y, mean = top + pitch * (i + 0.5), math.fsum(some) / len(some)
        parts.append(label(left - 12, y + 4, name, 12, "end"))
        parts.append(box(place(min(some)), y - 1, place(max(some)) - place(min(some)), 2, FAINT))
        parts += [f'<circle cx="{round(place(x), 1)}" cy="{y}" r="3" fill="{FAINT}"/>' for x in some]
        parts.append(box(place(mean) - 2, y - 9, 4, 18, ACCENT))
        low, high, mean = (rounded(x, decimals) for x in (min(some), max(some), mean))
        lines.append(f"{name}: mean {mean}, {low} to {high}")
    alt = f"{title}. A dot for each seed, and a mark at the mean. " + "; ".join(lines) + "."
    return Figure(left + wide + 24, bottom + 28, "".join(parts), alt, "\n".join([title, *lines]))


def loss_changes(losses, standard_errors):
    """A table of how the last four models of NAMES_LOSSES differ from GPT-2: the mean difference over the
    seeds, and this difference in standard errors, by standard_errors(before, after)."""
    names, rows = list(losses), []
    several = {names[5]: "steps 1 to 5", names[6]: "steps 1 to 6"}
    for name in names[5:]:
        both = losses[names[0]], losses[name]
        differences = [b - a for a, b in zip(*both, strict=True)]
        mean, lower = f"{statistics.mean(differences):.4f}", sum(d < 0 for d in differences)
        rows.append([f"{names[0]} → {several.get(name, name)}", mean, f"{standard_errors(*both):.1f}", lower])
    return table(["change", "mean difference", "in standard errors", "seeds with a lower loss"], rows)
