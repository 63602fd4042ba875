"""The model of names with a mixture of experts in place of its feed-forward network, and its training.

The model has one block, with RMSNorm and without biases. Its parameters have the names of GPT-2's file;
those of the mixture are h.0.mlp.router.weight, h.0.mlp.experts.0.c_fc.weight and so on. A batch is one
matrix, the rows of all its documents one after the other, because the loads are those of the batch.
"""

import math
import random

from ...gpt import init_gpt
from ...parameters import random_matrix, single_precision, tree_map
from ..engine import faster
from ..show.plots import curves, heat_map
from ..training.loop import SETTINGS, all_steps, new_run, scale_initial_weights

ROUTER = "h.0.mlp.router.weight"
POINT = 40  # steps whose mean is a point of a curve


def expert_names(config, part):
    """The names of one matrix, c_fc or c_proj, of all experts."""
    return [f"h.0.mlp.experts.{e}.{part}.weight" for e in range(config["n_expert"])]


def init_experts(config, rng):
    """The parameters of a GPT of one block with a router and config["n_expert"] experts of width n_inner."""
    D, F = config["n_embd"], config["n_inner"]
    parameters = {
        name: entry
        for name, entry in init_gpt(config, rng).items()
        if name.endswith("weight") and ".mlp." not in name
    }
    parameters[ROUTER] = random_matrix(rng, config["n_expert"], D, 0.02)
    parameters |= {name: random_matrix(rng, F, D, 0.02) for name in expert_names(config, "c_fc")}
    std = 0.02 / math.sqrt(2)  # as init_gpt draws what is added to the residual stream
    return parameters | {name: random_matrix(rng, D, F, std) for name in expert_names(config, "c_proj")}


def all_experts(config, parameters):
    """W_1 and W_2 of all experts."""
    return [[parameters[name] for name in expert_names(config, part)] for part in ("c_fc", "c_proj")]


def experts_forward(config, parameters, documents):
    """The activations of a batch: "tokens", the router's "probabilities" for them, "losses", and others.

    A row belongs to each token of each document, one document after the other.
    """
    f, p, H = faster(), parameters, config["n_head"]
    a = {"tokens": [token for document in documents for token in document[:-1]]}
    a["targets"] = [token for document in documents for token in document[1:]]
    a["positions"] = [t for document in documents for t in range(len(document) - 1)]
    a["X"] = f["add"](
        f["embedding"](a["tokens"], p["wte.weight"]), f["embedding"](a["positions"], p["wpe.weight"])
    )
    a["ln_1"] = f["rms_norm"](a["X"], p["h.0.ln_1.weight"])
    qkv = f["linear"](a["ln_1"], p["h.0.attn.c_attn.weight"])
    a["heads"], a["concat"], start = [], [], 0
    for document in documents:
        T = len(document) - 1
        parts = f["split_heads"](qkv[start : start + T], 3 * H)
        start, mask = start + T, f["causal_mask"](T)
        heads = [(parts[h], parts[H + h], parts[2 * H + h], mask) for h in range(H)]
        a["heads"].append(heads)
        a["concat"] += f["merge_heads"]([f["attention"](*head) for head in heads])
    a["resid_mid"] = f["add"](a["X"], f["linear"](a["concat"], p["h.0.attn.c_proj.weight"]))
    a["ln_2"] = f["rms_norm"](a["resid_mid"], p["h.0.ln_2.weight"])
    a["probabilities"] = [f["softmax"](row) for row in f["linear"](a["ln_2"], p[ROUTER])]
    mixed = f["mixture"](a["ln_2"], a["probabilities"], *all_experts(config, p))
    a["out"] = f["add"](a["resid_mid"], mixed)
    a["ln_f"] = f["rms_norm"](a["out"], p["ln_f.weight"])
    a["logits"] = f["linear"](a["ln_f"], p["wte.weight"])
    a["losses"] = f["token_losses"](a["logits"], a["targets"])
    return a


def gradients(config, parameters, documents, balance=0.0):
    """The mean loss of a batch, the gradients of loss + balance · load-balancing loss, and the loads."""
    f, p, H = faster(), parameters, config["n_head"]
    g = {}
    a = experts_forward(config, p, documents)
    n = len(a["losses"])
    d_logits = f["token_losses_backward"]([1 / n] * n, a["logits"], a["targets"])
    d, d_wte, _ = f["linear_backward"](d_logits, a["ln_f"], p["wte.weight"])
    d_out, g["ln_f.weight"] = f["rms_norm_backward"](d, a["out"], p["ln_f.weight"])
    d_ln_2, d_probabilities, *d_experts = f["mixture_backward"](
        d_out, a["ln_2"], a["probabilities"], *all_experts(config, p)
    )
    for part, d_W in zip(("c_fc", "c_proj"), d_experts, strict=True):
        g |= zip(expert_names(config, part), d_W)
    if balance:
        balanced = f["balance_loss_backward"](balance, a["probabilities"])
        d_probabilities = f["add"](d_probabilities, balanced)
    pairs = zip(d_probabilities, a["probabilities"], strict=True)
    d_scores = [f["softmax_backward"](d_row, row) for d_row, row in pairs]
    d, g[ROUTER], _ = f["linear_backward"](d_scores, a["ln_2"], p[ROUTER])
    d = f["add"](d_ln_2, d)
    d, g["h.0.ln_2.weight"] = f["rms_norm_backward"](d, a["resid_mid"], p["h.0.ln_2.weight"])
    d_resid_mid = f["add"](d_out, d)
    W_O = p["h.0.attn.c_proj.weight"]
    d_concat, g["h.0.attn.c_proj.weight"], _ = f["linear_backward"](d_resid_mid, a["concat"], W_O)
    d_qkv, start = [], 0
    for heads in a["heads"]:
        T = len(heads[0][0])
        d_heads = f["split_heads"](d_concat[start : start + T], H)
        back = [f["attention_backward"](d_head, *head) for d_head, head in zip(d_heads, heads)]
        d_qkv += f["merge_heads"]([part for parts in zip(*back) for part in parts])
        start += T
    W_QKV = p["h.0.attn.c_attn.weight"]
    d, g["h.0.attn.c_attn.weight"], _ = f["linear_backward"](d_qkv, a["ln_1"], W_QKV)
    d, g["h.0.ln_1.weight"] = f["rms_norm_backward"](d, a["X"], p["h.0.ln_1.weight"])
    d_X = f["add"](d_resid_mid, d)
    d_wte_input = f["embedding_backward"](d_X, a["tokens"], p["wte.weight"])
    g["wte.weight"] = f["add"](d_wte, d_wte_input)
    g["wpe.weight"] = f["embedding_backward"](d_X, a["positions"], p["wpe.weight"])
    loads = f["expert_loads"](a["probabilities"])
    return math.fsum(a["losses"]) / n, {name: g[name] for name in p}, loads


def train_experts(documents, config, vocab, balance=0.0, settings=SETTINGS):
    """Train a model with experts as lesson 14 trains; the run also holds "loads", those of each step."""
    settings = {**SETTINGS, "single_precision": True, **settings}
    rng, loads = random.Random(settings["seed"]), []
    parameters = tree_map(single_precision, scale_initial_weights(init_experts(config, rng)))

    def gradients_of(config, parameters, batch):
        loss, found, of_batch = gradients(config, parameters, batch, balance)
        loads.append(of_batch)
        return loss, found

    run = all_steps(new_run(config, parameters, settings, rng), documents, gradients_of)
    return {**run, "vocab": vocab, "loads": loads}


def load_curves(run, title):
    """The loads in training as curves: one for each expert, or, of more than four experts, the largest and
    the smallest."""
    parts = [run["loads"][start : start + POINT] for start in range(0, len(run["loads"]), POINT)]
    means = [[math.fsum(loads) / len(part) for loads in zip(*part)] for part in parts]
    middles = [POINT * i + len(part) / 2 for i, part in enumerate(parts)]
    lines = {f"expert {e}": loads for e, loads in enumerate(zip(*means))}
    if len(lines) > 4:
        lines = {"largest load": map(max, means), "smallest load": map(min, means)}
    series = {name: list(zip(middles, loads)) for name, loads in lines.items()}
    return curves(series, title, "training step", "load")


def letter_map(run, documents, title):
    """A heat map of experts and characters: how many percent of a character's tokens each expert gets."""
    a = experts_forward(run["config"], run["parameters"], documents)
    tokens, groups = a["tokens"], faster()["dispatch"](a["probabilities"])
    characters = sorted(set(tokens))
    shares = [
        [100 * sum(tokens[t] == c for t in group) / tokens.count(c) for c in characters] for group in groups
    ]
    rows = [f"{e}: {100 * len(group) / len(tokens):.0f} %" for e, group in enumerate(groups)]
    columns = [run["vocab"][c].replace("<BOS>", "^") for c in characters]
    return heat_map(shares, rows, columns, title, decimals=0, full=100)
