"""Lesson 14c: the gradients of a GPT with dropout, with faster arithmetic.

Numbers are dropped in three places, as in GPT-2: the sum of the embeddings, the output of attention, and the
output of the feed-forward network. GPT-2 also drops attention weights; this does not.
"""

from ...gpt import BLOCK_PARAM_SHAPES
from .fast_gpt import FASTER, mean_gradients


def dropout_gradients(config, parameters, documents, rate, rng):
    """The mean loss and its gradients as fast_gradients gives them, with dropout in the forward pass."""
    return mean_gradients([with_dropout(config, parameters, tokens, rate, rng) for tokens in documents])


def draw_mask(T, D, rate, rng):
    """Inverted dropout as a matrix: 0 for a number that is dropped, 1/(1 - rate) for one that is kept.

    >>> import random
    >>> draw_mask(1, 3, 0.5, random.Random(1))
    [[0.0, 2.0, 2.0]]
    """
    return [[0.0 if rng.random() < rate else 1 / (1 - rate) for _ in range(D)] for _ in range(T)]


def masked(X, mask):
    return [[x * m for x, m in zip(*rows)] for rows in zip(X, mask)]


def with_dropout(config, parameters, document, rate, rng):
    """The losses of a document's tokens, and the gradients of their mean."""
    f, p, tokens, targets = FASTER, parameters, document[:-1], document[1:]
    T, D = len(tokens), config["n_embd"]
    embedded = f["add"](f["embedding"](tokens, p["wte.weight"]), f["embedding"](range(T), p["wpe.weight"]))
    first = draw_mask(T, D, rate, rng)
    X, kept = masked(embedded, first), []
    for i in range(config["n_layer"]):
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        masks = draw_mask(T, D, rate, rng), draw_mask(T, D, rate, rng)
        activations = block_with_dropout(block, X, config["n_head"], masks)
        kept.append((block, activations, X, masks))
        X = activations["out"]
    normed = f["layer_norm"](X, p["ln_f.weight"], p["ln_f.bias"])
    logits = f["linear"](normed, p["wte.weight"])
    losses, n = f["token_losses"](logits, targets), len(targets)
    d_logits = f["token_losses_backward"]([1 / n] * n, logits, targets)
    d_normed, d_table, _ = f["linear_backward"](d_logits, normed, p["wte.weight"])
    d_X, d_gamma, d_beta = f["layer_norm_backward"](d_normed, X, p["ln_f.weight"])
    gradients = {"ln_f.weight": d_gamma, "ln_f.bias": d_beta}
    for i, step in reversed(list(enumerate(kept))):
        d_X, of_block = block_backward_with_dropout(d_X, *step)
        gradients |= {f"h.{i}.{name}": d for name, d in of_block.items()}
    d_X = masked(d_X, first)
    gradients["wte.weight"] = f["add"](d_table, f["embedding_backward"](d_X, tokens, p["wte.weight"]))
    gradients["wpe.weight"] = f["embedding_backward"](d_X, range(T), p["wpe.weight"])
    return losses, {name: gradients[name] for name in p}


def block_with_dropout(p, X, H, masks):
    """block_forward with a mask on the output of attention and one on that of the feed-forward network."""
    f, a = FASTER, FASTER["block_forward"](p, X, H)
    resid_mid = f["add"](X, masked(a["attn.output"], masks[0]))
    normed = f["layer_norm"](resid_mid, p["ln_2.weight"], p["ln_2.bias"])
    hidden = f["linear"](normed, p["mlp.c_fc.weight"], p["mlp.c_fc.bias"])
    activated = [[f["gelu"](h) for h in row] for row in hidden]
    output = f["linear"](activated, p["mlp.c_proj.weight"], p["mlp.c_proj.bias"])
    a |= {"resid_mid": resid_mid, "ln_2": normed, "mlp.hidden": hidden, "mlp.activated": activated}
    return a | {"out": f["add"](resid_mid, masked(output, masks[1]))}


def block_backward_with_dropout(d_out, p, a, X, masks):
    """Each mask of the forward pass also multiplies the gradient: what was dropped gets none."""
    f = FASTER
    d_activated, d_W_2, d_b_2 = f["linear_backward"](
        masked(d_out, masks[1]), a["mlp.activated"], p["mlp.c_proj.weight"]
    )
    d_hidden = f["activation_backward"](d_activated, a["mlp.hidden"])
    d_ln_2, d_W_1, d_b_1 = f["linear_backward"](d_hidden, a["ln_2"], p["mlp.c_fc.weight"])
    d_branch, d_gamma_2, d_beta_2 = f["layer_norm_backward"](d_ln_2, a["resid_mid"], p["ln_2.weight"])
    d_mid = f["add"](d_out, d_branch)
    d_concat, d_W_O, d_b_O = f["linear_backward"](
        masked(d_mid, masks[0]), a["attn.concat"], p["attn.c_proj.weight"]
    )
    heads = []
    parts = (
        f["split_heads"](d_concat, len(a["attn.weights"])),
        a["attn.weights"],
        a["attn.Q"],
        a["attn.K"],
        a["attn.V"],
    )
    for d_head, w, q, k, v in zip(*parts):
        d_weights, d_v = f["matmul_backward"](d_head, w, v)
        d_scores = [f["softmax_backward"](d, row) for d, row in zip(d_weights, w)]
        heads.append([*f["attention_scores_backward"](d_scores, q, k), d_v])
    d_qkv = f["merge_heads"]([d for kind in zip(*heads) for d in kind])
    d_ln_1, d_W_QKV, d_b_QKV = f["linear_backward"](d_qkv, a["ln_1"], p["attn.c_attn.weight"])
    d_branch, d_gamma_1, d_beta_1 = f["layer_norm_backward"](d_ln_1, X, p["ln_1.weight"])
    of_block = (
        d_gamma_1,
        d_beta_1,
        d_W_QKV,
        d_b_QKV,
        d_W_O,
        d_b_O,
        d_gamma_2,
        d_beta_2,
        d_W_1,
        d_b_1,
        d_W_2,
        d_b_2,
    )
    return f["add"](d_mid, d_branch), dict(zip(BLOCK_PARAM_SHAPES, of_block))
