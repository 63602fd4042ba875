"""GPT-2, forward and backward: transformer blocks with tied input and output embeddings.

A config is a dict with the keys of GPT_CONFIG. Parameters are one dict, with the names of Hugging Face's
GPT-2 file. Our matrices are W[out][in]; the file stores those of the blocks as [in][out].
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
    "vocab_size": "int V > 0",
    "n_positions": "int P > 0",
    "n_embd": "int D > 0",
    "n_layer": "int L > 0 < 10000",
    "n_head": "int H > 0",
    "n_inner": "int F > 0",
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


def gpt_param_shapes(config: "GPT_CONFIG") -> "dict":
    """The shape of every parameter in letters, by name, in the order of Hugging Face's GPT-2 file.

    n_embd must be a multiple of n_head.
    Source: Radford et al. 2019, section 2.3, for the architecture; Hugging Face's GPT-2 file, for the names.

    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> shapes = gpt_param_shapes(config)
    >>> shapes["wte.weight"], shapes["h.0.attn.c_attn.weight"], len(shapes)
    ('V D', '3*D D', 16)
    """
    D, H = config["n_embd"], config["n_head"]
    assert D % H == 0, (
        f"config['n_embd'] is {D} and config['n_head'] is {H}; each head takes an equal share of the width"
    )
    blocks = {
        f"h.{i}.{name}": shape for i in range(config["n_layer"]) for name, shape in BLOCK_PARAM_SHAPES.items()
    }
    return {"wte.weight": "V D", "wpe.weight": "P D", **blocks, "ln_f.weight": "D", "ln_f.bias": "D"}


def gpt_activation_shapes(config: "GPT_CONFIG") -> "dict":
    """The shape of every activation of gpt_forward in letters, by name.

    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> shapes = gpt_activation_shapes(config)
    >>> shapes["h.0.attn.weights"], shapes["logits"]
    ('H T T', 'T V')
    """
    blocks = {
        f"h.{i}.{name}": shape
        for i in range(config["n_layer"])
        for name, shape in BLOCK_ACTIVATION_SHAPES.items()
    }
    return {"X": "T D", **blocks, "ln_f": "T D", "logits": "T V", "losses": "n", "loss": "float"}


def gpt_param_sizes(config: "GPT_CONFIG") -> "dict":
    """The shape of every parameter in numbers, by name.

    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> shapes = gpt_param_sizes(config)
    >>> shapes["wte.weight"], shapes["h.0.attn.c_attn.weight"], shapes["ln_f.bias"]
    ([5, 2], [6, 2], [2])
    """
    V, P, D, F = (config[name] for name in ("vocab_size", "n_positions", "n_embd", "n_inner"))
    size = {"V": V, "P": P, "D": D, "3*D": 3 * D, "F": F}
    return {
        name: [size[letter] for letter in shape.split()] for name, shape in gpt_param_shapes(config).items()
    }


def init_gpt(config: "GPT_CONFIG", rng: "Random") -> "gpt_param_shapes(config)":
    """Initialize a GPT-2: matrices from a normal distribution, norm weights 1, norm biases and biases 0.

    The standard deviation is 0.02, and 0.02 / √(2·L) for the projections that write to the residual stream.
    Matrices are drawn in the order of gpt_param_shapes. The paper divides by √N for N residual layers, which
    is usually read as 2·L; the published code does not divide, and draws wpe with 0.01.
    Source: Radford et al. 2019, section 2.3, and the code that was published with it.

    >>> import random
    >>> config = {"vocab_size": 5, "n_positions": 4, "n_embd": 2, "n_layer": 1, "n_head": 2, "n_inner": 8}
    >>> parameters = init_gpt(config, random.Random(42))
    >>> parameters["ln_f.weight"], parameters["h.0.attn.c_attn.bias"], len(parameters["wte.weight"])
    ([1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 5)
    """
    parameters = {}
    for name, shape in gpt_param_sizes(config).items():
        if len(shape) == 2:
            std = 0.02 / math.sqrt(2 * config["n_layer"]) if name.endswith("c_proj.weight") else 0.02
            parameters[name] = random_matrix(rng, *shape, std)
        else:
            parameters[name] = [1.0 if name.endswith("weight") else 0.0] * shape[0]
    return parameters


def project_qkv(parameters: "QKV_PARAM_SHAPES", X: "T D", H: "int > 0") -> "dict":
    """First part of a block: layer norm, then the queries, keys and values of all heads.

    The result is a dict of "ln_1" [T][D] and "attn.Q", "attn.K", "attn.V" [H][T][k].
    Source: Radford et al. 2019, section 2.3.

    >>> parameters = {"ln_1.weight": [0.0], "ln_1.bias": [1.0]}
    >>> parameters |= {"attn.c_attn.weight": [[1.0], [2.0], [3.0]], "attn.c_attn.bias": [0.0, 0.0, 10.0]}
    >>> project_qkv(parameters, [[5.0]], 1)
    {'ln_1': [[1.0]], 'attn.Q': [[[1.0]]], 'attn.K': [[[2.0]]], 'attn.V': [[[13.0]]]}
    """
    p = parameters
    normed = layer_norm(X, p["ln_1.weight"], p["ln_1.bias"])  # [T][D]
    qkv = linear(normed, p["attn.c_attn.weight"], p["attn.c_attn.bias"])  # [T][D] -> [T][3·D]
    parts = split_heads(qkv, 3 * H)  # [T][3·D] -> [3·H][T][k]: H queries, H keys, H values
    return {"ln_1": normed, "attn.Q": parts[:H], "attn.K": parts[H : 2 * H], "attn.V": parts[2 * H :]}


def block_output(parameters: "OUTPUT_PARAM_SHAPES", X: "T D", heads: "H T k") -> "dict":
    """Second part of a block: output projection, residual connection, then x + mlp(norm(x)).

    X is the input of the block. The result is a dict of the activations from "attn.concat" to "out", as in
    BLOCK_ACTIVATION_SHAPES.
    Source: Radford et al. 2019, section 2.3.

    >>> p = {name: [0.0] for name in ("attn.c_proj.bias", "ln_2.weight", "ln_2.bias", "mlp.c_fc.bias")}
    >>> p |= {name: [[10.0]] for name in ("attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")}
    >>> a = block_output(p | {"mlp.c_proj.bias": [100.0]}, X=[[1.0]], heads=[[[2.0]]])
    >>> a["resid_mid"], a["out"]
    ([[21.0]], [[121.0]])
    """
    p = parameters
    concat = merge_heads(heads)  # [T][D]
    attention_output = linear(concat, p["attn.c_proj.weight"], p["attn.c_proj.bias"])
    resid_mid = add(X, attention_output)
    normed = layer_norm(resid_mid, p["ln_2.weight"], p["ln_2.bias"])
    hidden = linear(normed, p["mlp.c_fc.weight"], p["mlp.c_fc.bias"])  # [T][F]
    activated = [[gelu(h) for h in row] for row in hidden]
    feed_forward_output = linear(activated, p["mlp.c_proj.weight"], p["mlp.c_proj.bias"])  # [T][D]
    return {
        "attn.concat": concat,
        "attn.output": attention_output,
        "resid_mid": resid_mid,
        "ln_2": normed,
        "mlp.hidden": hidden,
        "mlp.activated": activated,
        "mlp.output": feed_forward_output,
        "out": add(resid_mid, feed_forward_output),
    }


def block_forward(parameters: "BLOCK_PARAM_SHAPES", X: "T D", H: "int > 0") -> "BLOCK_ACTIVATION_SHAPES":
    """A pre-norm transformer block: x + attention(norm(x)), then x + mlp(norm(x)).

    parameters are the twelve of this block, H is the number of heads. The result holds every activation of
    the block; "out" is its output.
    Source: Radford et al. 2019, section 2.3.

    >>> p = {name: [0, 0] for name in ("ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias")}
    >>> p |= {"attn.c_attn.weight": [[0, 0]] * 6, "attn.c_attn.bias": [0, 0, 0, 0, 10, 20]}  # V = [10, 20]
    >>> p |= {"attn.c_proj.weight": [[1, 0], [0, 1]], "attn.c_proj.bias": [0, 0]}
    >>> p |= {"mlp.c_fc.weight": [[0, 0]], "mlp.c_fc.bias": [0]}
    >>> p |= {"mlp.c_proj.weight": [[0], [0]], "mlp.c_proj.bias": [100, 100]}
    >>> a = block_forward(p, [[1, 2], [3, 5]], 1)
    >>> a["attn.weights"], a["attn.output"]
    ([[[1.0, 0.0], [0.5, 0.5]]], [[10.0, 20.0], [10.0, 20.0]])
    >>> a["out"]
    [[111.0, 122.0], [113.0, 125.0]]
    """
    a, mask = project_qkv(parameters, X, H), causal_mask(len(X))
    queries_keys = zip(a["attn.Q"], a["attn.K"], strict=True)
    weights = [[softmax(row) for row in attention_scores(q, k, mask)] for q, k in queries_keys]  # [H][T][T]
    heads = [matmul(w, v) for w, v in zip(weights, a["attn.V"], strict=True)]  # [H][T][k]
    return {**a, "attn.weights": weights, **block_output(parameters, X, heads)}


def block_backward(
    d_out: "T D", parameters: "BLOCK_PARAM_SHAPES", activations: "BLOCK_ACTIVATION_SHAPES", X: "T D"
) -> ("T D", "BLOCK_PARAM_SHAPES"):
    """Backward pass of a block: each residual connection passes the gradient unchanged into both branches.

    activations is the result of block_forward for X. The result is d_X and the gradients of the block's
    parameters by name.
    Source: lessons 09, 10 and 13 derive it.

    >>> p = {f"{name}.bias": [0.0] for name in ("ln_1", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj")}
    >>> p |= {"ln_1.weight": [1.0], "ln_2.weight": [1.0]}
    >>> p |= {"attn.c_attn.weight": [[1.0]] * 3, "attn.c_attn.bias": [0.0] * 3}
    >>> p |= {f"{name}.weight": [[1.0]] for name in ("attn.c_proj", "mlp.c_fc", "mlp.c_proj")}
    >>> X = [[2.0]]
    >>> d_X, gradients = block_backward([[3.0]], p, block_forward(p, X, 1), X)
    >>> d_X, gradients["mlp.c_proj.bias"], gradients["mlp.c_fc.bias"], gradients["attn.c_proj.bias"]
    ([[3.0]], [3.0], [1.5], [3.0])
    """
    p, a = parameters, activations
    d_activated, d_W_2, d_b_2 = linear_backward(d_out, a["mlp.activated"], p["mlp.c_proj.weight"])
    d_hidden = activation_backward(d_activated, a["mlp.hidden"])
    d_ln_2, d_W_1, d_b_1 = linear_backward(d_hidden, a["ln_2"], p["mlp.c_fc.weight"])
    d_branch, d_gamma_2, d_beta_2 = layer_norm_backward(d_ln_2, a["resid_mid"], p["ln_2.weight"])
    d_resid_mid = add(d_out, d_branch)  # skip connection + feed-forward branch
    d_concat, d_W_O, d_b_O = linear_backward(d_resid_mid, a["attn.concat"], p["attn.c_proj.weight"])
    weights, Q, K, V = a["attn.weights"], a["attn.Q"], a["attn.K"], a["attn.V"]
    d_Q, d_K, d_V = [], [], []
    for d_head, w, q, k, v in zip(split_heads(d_concat, len(weights)), weights, Q, K, V, strict=True):
        d_weights, d_v = matmul_backward(d_head, w, v)
        d_scores = [softmax_backward(d, row) for d, row in zip(d_weights, w, strict=True)]
        d_q, d_k = attention_scores_backward(d_scores, q, k)
        d_Q.append(d_q)
        d_K.append(d_k)
        d_V.append(d_v)
    d_qkv = merge_heads([*d_Q, *d_K, *d_V])  # [T][3·D]
    d_ln_1, d_W_QKV, d_b_QKV = linear_backward(d_qkv, a["ln_1"], p["attn.c_attn.weight"])
    d_branch, d_gamma_1, d_beta_1 = layer_norm_backward(d_ln_1, X, p["ln_1.weight"])
    d_X = add(d_resid_mid, d_branch)  # skip connection + attention branch
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
    config: "GPT_CONFIG", parameters: "gpt_param_shapes(config)", tokens: "T < V", targets: "n < V" = None
) -> "dict":
    """Every activation of a GPT-2 by name, up to the logits, and up to the loss when there are targets.

    targets belong to the first n positions, n ≤ T ≤ P; later positions are padding and have no loss. The
    result holds "X", the activations of block i as "h.i." and their name in BLOCK_ACTIVATION_SHAPES, "ln_f",
    "logits", and with targets "losses" and "loss", their mean.
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
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        inside = block_forward(block, X, config["n_head"])
        a |= {f"h.{i}.{name}": activation for name, activation in inside.items()}
        X = inside["out"]
    a["ln_f"] = layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])
    a["logits"] = linear(a["ln_f"], p["wte.weight"])  # [T][D] -> [T][V], with the token embeddings (tied)
    if targets is not None:
        n = len(targets)
        assert n <= T, f"targets is [{n}] and tokens is [{T}]; give at most one target a token"
        a["losses"] = token_losses(a["logits"][:n], targets)
        a["loss"] = sum(a["losses"], 0.0) / n
    return a


def gpt_backward(
    config: "GPT_CONFIG",
    parameters: "gpt_param_shapes(config)",
    activations: "gpt_activation_shapes(config)",
    tokens: "T < V",
    targets: "n < V",
    d_losses: "n" = None,
) -> "gpt_param_shapes(config)":
    """The gradient of the loss with respect to every parameter, by name.

    activations is the result of gpt_forward for these tokens and targets. wte is used at the input and at
    the output, so its two gradients are summed. d_losses is the gradient of another loss with respect to
    the losses of the targets; for their mean it is 1/n each.
    Source: lessons 09, 10 and 13 derive it.

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
    # inputs[i] names the input of block i, and the last one that of the final norm
    inputs = ["X", *(f"h.{i}.out" for i in range(config["n_layer"]))]
    d_logits = token_losses_backward(d_losses or [1 / n] * n, a["logits"][:n], targets)
    d_logits += [[0.0] * len(p["wte.weight"]) for _ in range(n, T)]  # padding has no loss
    d_ln_f, d_wte_output, _ = linear_backward(d_logits, a["ln_f"], p["wte.weight"])
    d_X, d_gamma, d_beta = layer_norm_backward(d_ln_f, a[inputs[-1]], p["ln_f.weight"])
    gradients = {"ln_f.weight": d_gamma, "ln_f.bias": d_beta}
    for i in reversed(range(config["n_layer"])):
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        inside = {name: a[f"h.{i}.{name}"] for name in BLOCK_ACTIVATION_SHAPES}
        d_X, d_block = block_backward(d_X, block, inside, a[inputs[i]])
        gradients |= {f"h.{i}.{name}": d for name, d in d_block.items()}
    d_wte_input = embedding_backward(d_X, tokens, p["wte.weight"])
    gradients["wte.weight"] = add(d_wte_output, d_wte_input)
    gradients["wpe.weight"] = embedding_backward(d_X, list(range(T)), p["wpe.weight"])
    return {name: gradients[name] for name in p}  # in the order of the parameters
