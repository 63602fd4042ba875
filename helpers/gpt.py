"""GPT-2, whole: blocks of attention and a feed-forward network between two uses of one table, and the way
back.

A config is a dict with GPT-2's keys; parameters stand in one dict under the names of GPT-2's file, every
matrix W[out][in].
"""

import math

from .activations import gelu
from .attention import attention_scores, causal_mask, merge_heads, softmax, split_heads
from .backward import (
    activation_backward,
    attention_scores_backward,
    embedding_backward,
    layer_norm_backward,
    linear_backward,
    matmul_backward,
    softmax_backward,
    token_losses_backward,
)
from .layers import embedding, layer_norm, linear
from .losses import token_losses
from .matrices import add, matmul
from .parameters import random_matrix

GPT_CONFIG = {
    "vocab_size": "int V",
    "n_positions": "int P",
    "n_embd": "int D",
    "n_layer": "int L < 10000",
    "n_head": "int H",
    "n_inner": "int F",
}
QKV_PARAM_SHAPES = {
    "ln_1.weight": "D",
    "ln_1.bias": "D",
    "attn.c_attn.weight": "3*D D",
    "attn.c_attn.bias": "3*D",
}
OUTPUT_PARAM_SHAPES = {
    "attn.c_proj.weight": "D D",
    "attn.c_proj.bias": "D",
    "ln_2.weight": "D",
    "ln_2.bias": "D",
    "mlp.c_fc.weight": "F D",
    "mlp.c_fc.bias": "F",
    "mlp.c_proj.weight": "D F",
    "mlp.c_proj.bias": "D",
}
BLOCK_PARAM_SHAPES = {**QKV_PARAM_SHAPES, **OUTPUT_PARAM_SHAPES}
BLOCK_ACTIVATION_SHAPES = {
    "ln_1": "T D",
    "attn.Q": "H T k",
    "attn.K": "H T k",
    "attn.V": "H T k",
    "attn.weights": "H T T",
    "attn.concat": "T D",
    "attn.output": "T D",
    "resid_mid": "T D",
    "ln_2": "T D",
    "mlp.hidden": "T F",
    "mlp.activated": "T F",
    "mlp.output": "T D",
    "out": "T D",
}


def gpt_param_specs(config: "GPT_CONFIG") -> "dict":
    """The name of every parameter, in the order of GPT-2's file, and its shape in letters.

    ValueError for a width that the heads cannot share equally.
    Source: Radford et al. 2019, and the names in the file that was published with it.

    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> letters = gpt_param_specs(config)
    >>> letters["wte.weight"], letters["h.0.attn.c_attn.weight"], len(letters)
    ('V D', '3*D D', 16)
    """
    D, H = config["n_embd"], config["n_head"]
    assert D % H == 0, (
        f"config['n_embd'] is {D} and config['n_head'] is {H}; each head takes an equal share of the width"
    )
    blocks = {
        f"h.{i}.{name}": letters
        for i in range(config["n_layer"])
        for name, letters in BLOCK_PARAM_SHAPES.items()
    }
    return {"wte.weight": "V D", "wpe.weight": "P D", **blocks, "ln_f.weight": "D", "ln_f.bias": "D"}


def gpt_activation_shapes(config: "GPT_CONFIG") -> "dict":
    """The name of every activation that gpt_forward gives, and its shape in letters.

    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> letters = gpt_activation_shapes(config)
    >>> letters["h.0.attn.weights"], letters["logits"]
    ('H T T', 'T V')
    """
    blocks = {
        f"h.{i}.{name}": letters
        for i in range(config["n_layer"])
        for name, letters in BLOCK_ACTIVATION_SHAPES.items()
    }
    return {"X": "T D", **blocks, "ln_f": "T D", "logits": "T V", "losses": "n", "loss": "float"}


def gpt_param_shapes(config: "GPT_CONFIG") -> "dict":
    """The shape of every parameter, by name: enough to count them all without drawing one.

    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> sizes = gpt_param_shapes(config)
    >>> sizes["wte.weight"], sizes["h.0.attn.c_attn.weight"], sizes["ln_f.bias"]
    ([5, 2], [6, 2], [2])
    """
    V, P, D, F = (config[name] for name in ("vocab_size", "n_positions", "n_embd", "n_inner"))
    size = {"V": V, "P": P, "D": D, "3*D": 3 * D, "F": F}
    return {
        name: [size[letter] for letter in letters.split()]
        for name, letters in gpt_param_specs(config).items()
    }


def init_gpt(config: "GPT_CONFIG", rng: "Random") -> "gpt_param_specs(config)":
    """Draw a GPT-2: every matrix with 0.02, but 0.02/√(2·layers) where a block adds to what passes it.

    The stretch of every norm is 1, every shift and bias 0; only matrices are drawn, in the order of
    gpt_param_specs. In the published code the positions are drawn with 0.01, and nothing is divided; the
    paper divides.
    Source: Radford et al. 2019, section 2.3, and the code that was published with it.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> parameters["ln_f.weight"], parameters["h.0.attn.c_attn.bias"], len(parameters["wte.weight"])
    ([1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 5)
    """
    parameters = {}
    for name, size in gpt_param_shapes(config).items():
        if len(size) == 2:
            sigma = 0.02 / math.sqrt(2 * config["n_layer"]) if name.endswith("c_proj.weight") else 0.02
            parameters[name] = random_matrix(rng, *size, sigma)
        else:
            parameters[name] = [1.0 if name.endswith("weight") else 0.0] * size[0]
    return parameters


def project_qkv(parameters: "QKV_PARAM_SHAPES", X: "T D", H: "int > 0") -> "dict":
    """The first part of a block: layer norm, then the queries, keys and values of all heads.

    The result holds "ln_1" [T][D] and "attn.Q", "attn.K", "attn.V" [H][T][k].
    Source: Radford et al. 2019, section 2.3.

    >>> parameters = {"ln_1.weight": [0.0], "ln_1.bias": [1.0]}
    >>> parameters |= {"attn.c_attn.weight": [[1.0], [2.0], [3.0]], "attn.c_attn.bias": [0.0, 0.0, 10.0]}
    >>> project_qkv(parameters, [[5.0]], 1)
    {'ln_1': [[1.0]], 'attn.Q': [[[1.0]]], 'attn.K': [[[2.0]]], 'attn.V': [[[13.0]]]}
    """
    p = parameters
    normed = layer_norm(X, p["ln_1.weight"], p["ln_1.bias"])  # [T][D]
    joined = linear(normed, p["attn.c_attn.weight"], p["attn.c_attn.bias"])  # [T][3D]: queries, keys, values
    parts = split_heads(joined, 3 * H)  # 3·H matrices [T][k]
    return {"ln_1": normed, "attn.Q": parts[:H], "attn.K": parts[H : 2 * H], "attn.V": parts[2 * H :]}


def block_output(parameters: "OUTPUT_PARAM_SHAPES", X: "T D", heads: "H T k") -> "dict":
    """The second part of a block: attention's output projection, then the feed-forward network.

    The result holds "attn.concat", "attn.output", "resid_mid", "ln_2" [T][D], "mlp.hidden",
    "mlp.activated" [T][F], "mlp.output", "out" [T][D].
    Source: Radford et al. 2019, section 2.3.

    >>> parameters = {name: [0.0] for name in ("attn.c_proj.bias", "ln_2.weight", "ln_2.bias", "mlp.c_fc.bias")}
    >>> parameters |= {name: [[10.0]] for name in ("attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")}
    >>> a = block_output(parameters | {"mlp.c_proj.bias": [100.0]}, [[1.0]], [[[2.0]]])
    >>> a["resid_mid"], a["out"]
    ([[21.0]], [[121.0]])
    """
    p = parameters
    concat = merge_heads(heads)  # [T][D]
    attention_output = linear(concat, p["attn.c_proj.weight"], p["attn.c_proj.bias"])
    middle = add(X, attention_output)
    normed = layer_norm(middle, p["ln_2.weight"], p["ln_2.bias"])
    hidden = linear(normed, p["mlp.c_fc.weight"], p["mlp.c_fc.bias"])  # [T][F]
    activated = [[gelu(h) for h in row] for row in hidden]
    feed_forward_output = linear(activated, p["mlp.c_proj.weight"], p["mlp.c_proj.bias"])  # [T][D]
    return {
        "attn.concat": concat,
        "attn.output": attention_output,
        "resid_mid": middle,
        "ln_2": normed,
        "mlp.hidden": hidden,
        "mlp.activated": activated,
        "mlp.output": feed_forward_output,
        "out": add(middle, feed_forward_output),
    }


def block_forward(parameters: "BLOCK_PARAM_SHAPES", X: "T D", H: "int > 0") -> "BLOCK_ACTIVATION_SHAPES":
    """One block: attention adds to each row what it gathers, then a feed-forward network what it makes of it.

    parameters are the block's own twelve, H is the number of heads. The result holds every activation
    inside by name: "ln_1" [T][D], "attn.Q", "attn.K", "attn.V" [H][T][k], "attn.weights" [H][T][T],
    "attn.concat", "attn.output", "resid_mid", "ln_2" [T][D], "mlp.hidden", "mlp.activated" [T][F],
    "mlp.output", "out" [T][D].
    Source: Radford et al. 2019, section 2.3; Vaswani et al. 2017, section 3.

    >>> names = ["ln_1.weight", "ln_1.bias", "attn.c_attn.bias", "attn.c_proj.bias", "ln_2.weight", "ln_2.bias"]
    >>> parameters = {name: [0.0, 0.0] for name in names} | {"attn.c_attn.bias": [0, 0, 0, 0, 10, 20]}
    >>> parameters |= {"attn.c_attn.weight": [[0, 0]] * 6, "attn.c_proj.weight": [[1, 0], [0, 1]]}
    >>> parameters |= {"mlp.c_fc.weight": [[0, 0]], "mlp.c_fc.bias": [0], "mlp.c_proj.weight": [[0], [0]]}
    >>> parameters |= {"mlp.c_proj.bias": [100, 100]}
    >>> a = block_forward(parameters, [[1, 2], [3, 5]], 1)
    >>> a["attn.weights"], a["attn.output"], a["out"]
    ([[[1.0, 0.0], [0.5, 0.5]]], [[10.0, 20.0], [10.0, 20.0]], [[111.0, 122.0], [113.0, 125.0]])
    """
    a, mask = project_qkv(parameters, X, H), causal_mask(len(X))
    queries_keys = zip(a["attn.Q"], a["attn.K"], strict=True)
    weights = [[softmax(row) for row in attention_scores(q, k, mask)] for q, k in queries_keys]  # [H][T][T]
    heads = [matmul(w, v) for w, v in zip(weights, a["attn.V"], strict=True)]  # [H][T][k]
    return {**a, "attn.weights": weights, **block_output(parameters, X, heads)}


def block_backward(
    d_out: "T D", parameters: "BLOCK_PARAM_SHAPES", activations: "BLOCK_ACTIVATION_SHAPES", X: "T D"
) -> ("T D", "BLOCK_PARAM_SHAPES"):
    """Back through the block: each sum hands its gradient on, whole, around and through.

    activations are what block_forward gave for X. The result is d_X [T][D] and the gradients of the
    block's parameters by name.
    Source: Rumelhart, Hinton and Williams 1986; lessons 09, 10 and 13 derive it.

    >>> p = {name: [0.0] for name in ("ln_1.bias", "attn.c_proj.bias", "ln_2.bias", "mlp.c_fc.bias", "mlp.c_proj.bias")}
    >>> p |= {"ln_1.weight": [1.0], "ln_2.weight": [1.0], "attn.c_attn.weight": [[1.0]] * 3, "attn.c_attn.bias": [0.0] * 3}
    >>> p |= {name: [[1.0]] for name in ("attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")}
    >>> d_X, gradients = block_backward([[3.0]], p, block_forward(p, [[2.0]], 1), [[2.0]])
    >>> d_X, gradients["mlp.c_proj.bias"], gradients["mlp.c_fc.bias"], gradients["attn.c_proj.bias"]
    ([[3.0]], [3.0], [1.5], [3.0])
    """
    p, a = parameters, activations
    d_activated, d_W_2, d_b_2 = linear_backward(d_out, a["mlp.activated"], p["mlp.c_proj.weight"])
    d_hidden = activation_backward(d_activated, a["mlp.hidden"])
    d_normed_2, d_W_1, d_b_1 = linear_backward(d_hidden, a["ln_2"], p["mlp.c_fc.weight"])
    d_branch, d_gamma_2, d_beta_2 = layer_norm_backward(d_normed_2, a["resid_mid"], p["ln_2.weight"])
    d_middle = add(d_out, d_branch)  # around the network and through it
    d_concat, d_W_O, d_b_O = linear_backward(d_middle, a["attn.concat"], p["attn.c_proj.weight"])
    d_Q, d_K, d_V = [], [], []
    H, inside = len(a["attn.weights"]), (a[f"attn.{name}"] for name in ("weights", "Q", "K", "V"))
    for d_head, w, q, k, v in zip(split_heads(d_concat, H), *inside, strict=True):
        d_weights, d_v = matmul_backward(d_head, w, v)
        d_scores = [softmax_backward(d, row) for d, row in zip(d_weights, w, strict=True)]
        d_q, d_k = attention_scores_backward(d_scores, q, k)
        d_Q.append(d_q)
        d_K.append(d_k)
        d_V.append(d_v)
    d_joined = merge_heads([*d_Q, *d_K, *d_V])  # [T][3D]
    d_normed_1, d_W_QKV, d_b_QKV = linear_backward(d_joined, a["ln_1"], p["attn.c_attn.weight"])
    d_branch, d_gamma_1, d_beta_1 = layer_norm_backward(d_normed_1, X, p["ln_1.weight"])
    d_X = add(d_middle, d_branch)  # around attention and through it
    return d_X, {
        "ln_1.weight": d_gamma_1,
        "ln_1.bias": d_beta_1,
        "attn.c_attn.weight": d_W_QKV,
        "attn.c_attn.bias": d_b_QKV,
        "attn.c_proj.weight": d_W_O,
        "attn.c_proj.bias": d_b_O,
        "ln_2.weight": d_gamma_2,
        "ln_2.bias": d_beta_2,
        "mlp.c_fc.weight": d_W_1,
        "mlp.c_fc.bias": d_b_1,
        "mlp.c_proj.weight": d_W_2,
        "mlp.c_proj.bias": d_b_2,
    }


def gpt_forward(
    config: "GPT_CONFIG", parameters: "gpt_param_specs(config)", tokens: "T < V", targets: "n < V" = None
) -> "dict":
    """Every activation of a GPT-2, by name: "logits", and with targets "losses" and their mean, "loss".

    targets are for the first n positions: what stands behind is padding. 1 ≤ n ≤ T ≤ P. parameters are as
    init_gpt draws them. The result holds "X" [T][D], then for each block i everything that
    block_forward gives under names like "h.0.attn.weights", then "ln_f" [T][D], "logits" [T][V], "losses"
    [n], "loss".
    Source: Radford et al. 2019, section 2.3.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> a = gpt_forward(config, init_gpt(config, random.Random(42)), [4, 1, 0], targets=[1, 0])
    >>> len(a["logits"]), len(a["logits"][0]), len(a["losses"]), a["h.0.attn.weights"][1][0]
    (3, 5, 2, [1.0, 0.0, 0.0])
    """
    p, T, P = parameters, len(tokens), len(parameters["wpe.weight"])
    assert T <= P, f"tokens is [{T}] and parameters['wpe.weight'] has {P} positions; give at most {P} tokens"
    X = add(embedding(tokens, p["wte.weight"]), embedding(list(range(T)), p["wpe.weight"]))  # [T][D]
    a = {"X": X}
    for i in range(config["n_layer"]):
        inside = block_forward({name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}, X, config["n_head"])
        a |= {f"h.{i}.{name}": activation for name, activation in inside.items()}
        X = inside["out"]
    a["ln_f"] = layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])
    a["logits"] = linear(a["ln_f"], p["wte.weight"])  # [T][V], by the table that the tokens were looked up in
    if targets is not None:
        n = len(targets)
        assert n <= T, f"targets is [{n}] and tokens is [{T}]; give at most one target a token"
        a["losses"] = token_losses(a["logits"][:n], targets)
        a["loss"] = sum(a["losses"], 0.0) / n
    return a


def gpt_backward(
    config: "GPT_CONFIG",
    parameters: "gpt_param_specs(config)",
    activations: "gpt_activation_shapes(config)",
    tokens: "T < V",
    targets: "n < V",
) -> "gpt_param_specs(config)":
    """The gradient of the loss with respect to every parameter, by name, in the parameters' order.

    activations are what gpt_forward gave for these tokens and targets. The table wte is used twice, and
    its two gradients are added.
    Source: Rumelhart, Hinton and Williams 1986; lessons 09, 10 and 13 derive it.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> a = gpt_forward(config, parameters, [4, 1], [1, 0])
    >>> gradients = gpt_backward(config, parameters, a, [4, 1], [1, 0])
    >>> list(gradients) == list(parameters), gradients["wpe.weight"][2:]
    (True, [[0.0, 0.0], [0.0, 0.0]])
    """
    p, a, T, n = parameters, activations, len(tokens), len(targets)
    assert len(a["X"]) == T and len(a["losses"]) == n, "activations are those of other tokens or targets"
    outputs = [
        "X",
        *(f"h.{i}.out" for i in range(config["n_layer"])),
    ]  # into block 0, block 1, …, the last norm
    d_logits = token_losses_backward([1 / n] * n, a["logits"][:n], targets)
    d_logits += [
        [0.0] * len(p["wte.weight"]) for _ in range(n, T)
    ]  # nothing is predicted after the last target
    d_ln_f, d_wte, _ = linear_backward(d_logits, a["ln_f"], p["wte.weight"])
    d_X, d_gamma, d_beta = layer_norm_backward(d_ln_f, a[outputs[-1]], p["ln_f.weight"])
    gradients = {"ln_f.weight": d_gamma, "ln_f.bias": d_beta}
    for i in reversed(range(config["n_layer"])):
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        inside = {name: a[f"h.{i}.{name}"] for name in BLOCK_ACTIVATION_SHAPES}
        d_X, d_block = block_backward(d_X, block, inside, a[outputs[i]])
        gradients |= {f"h.{i}.{name}": d for name, d in d_block.items()}
    gradients["wte.weight"] = add(
        d_wte, embedding_backward(d_X, tokens, p["wte.weight"])
    )  # the table's two uses
    gradients["wpe.weight"] = embedding_backward(d_X, list(range(T)), p["wpe.weight"])
    return {name: gradients[name] for name in p}
