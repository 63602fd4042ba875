"""The network of Part I: the forward pass from the tokens to the loss, and the backward pass."""

from .activations import gelu
from .attention import attention_scores, causal_mask, merge_heads, softmax, split_heads
from .backward import (
    activation_backward,
    add_backward,
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

TOY_PARAM_SHAPES = {
    "E_token": "V D",
    "E_pos": "P D",
    "W_Q": "H k D",
    "W_K": "H k D",
    "W_V": "H v D",
    "W_O": "D H*v",
    "W_1": "F D",
    "b_1": "F",
    "W_2": "D F",
    "b_2": "D",
    "gamma": "D",
    "beta": "D",
    "W_lm": "V D",
}
TOY_ACTIVATION_SHAPES = {
    "X": "T D",
    "Q": "H T k",
    "K": "H T k",
    "V": "H T v",
    "weights": "H T T",
    "heads": "H T v",
    "concat": "T H*v",
    "attention_output": "T D",
    "hidden": "T F",
    "activated": "T F",
    "residual": "T D",
    "normed": "T D",
    "logits": "T V",
    "losses": "n",
}


def toy_forward(
    parameters: "TOY_PARAM_SHAPES", tokens: "T < V", targets: "n < V", eps: "float >= 0" = 1e-5
) -> "TOY_ACTIVATION_SHAPES":
    """Every activation of the toy network by name, in the order of the forward pass; the last is the loss.

    targets belong to the first n positions, n ≤ T ≤ P; later positions are padding and have no loss.
    Source: Vaswani et al. 2017, section 3, simplified; lesson 00 lists what is left out.

    >>> tiny = {"E_token": [[1.0], [2.0]], "E_pos": [[0.0]], "W_O": [[1.0]], "W_lm": [[0.0], [0.0]]}
    >>> tiny |= {name: [[[1.0]]] for name in ("W_Q", "W_K", "W_V")} | {"W_1": [[0.0]], "W_2": [[0.0]]}
    >>> tiny |= {name: [0.0] for name in ("b_1", "b_2", "gamma", "beta")}
    >>> a = toy_forward(tiny, [1], [0])
    >>> a["attention_output"], a["probabilities"]
    ([[2.0]], [[0.5, 0.5]])
    """
    p, T, n = parameters, len(tokens), len(targets)
    assert n <= T <= len(p["E_pos"]), (
        f"{n} targets, {T} tokens, {len(p['E_pos'])} positions; "
        "give at most as many targets as tokens, and at most as many tokens as positions"
    )
    X = add(embedding(tokens, p["E_token"]), embedding(list(range(T)), p["E_pos"]))  # [T][D]
    Q, K, V = ([linear(X, W) for W in p[name]] for name in ("W_Q", "W_K", "W_V"))  # [H][T][k]
    mask = causal_mask(T)
    scores = [attention_scores(q, k, mask) for q, k in zip(Q, K, strict=True)]  # [H][T][T]
    weights = [[softmax(row) for row in head] for head in scores]
    heads = [matmul(w, v) for w, v in zip(weights, V, strict=True)]  # [H][T][v]
    concat = merge_heads(heads)  # [T][H·v]
    attention_output = linear(concat, p["W_O"])  # [T][D]
    hidden = linear(attention_output, p["W_1"], p["b_1"])  # [T][F]
    activated = [[gelu(h) for h in row] for row in hidden]
    feed_forward_output = linear(activated, p["W_2"], p["b_2"])  # [T][D]
    residual = add(attention_output, feed_forward_output)
    normed = layer_norm(residual, p["gamma"], p["beta"], eps)
    logits = linear(normed, p["W_lm"])  # [T][V]
    probabilities = [softmax(row) for row in logits]
    losses = token_losses(logits[:n], targets)
    loss = sum(losses, 0.0) / n
    return {
        "X": X,
        "Q": Q,
        "K": K,
        "V": V,
        "scores": scores,
        "weights": weights,
        "heads": heads,
        "concat": concat,
        "attention_output": attention_output,
        "hidden": hidden,
        "activated": activated,
        "feed_forward_output": feed_forward_output,
        "residual": residual,
        "normed": normed,
        "logits": logits,
        "probabilities": probabilities,
        "losses": losses,
        "loss": loss,
    }


def toy_backward(
    parameters: "TOY_PARAM_SHAPES",
    activations: "TOY_ACTIVATION_SHAPES",
    tokens: "T < V",
    targets: "n < V",
    eps: "float >= 0" = 1e-5,
) -> ("TOY_PARAM_SHAPES", "TOY_ACTIVATION_SHAPES"):
    """The gradients of the loss with respect to every parameter and every activation, by name.

    activations is the result of toy_forward for these tokens and targets. The result is (gradients of the
    parameters, gradients of the activations), each in the order of the backward pass.
    Source: lessons 09 and 10 derive it.

    >>> tiny = {"E_token": [[1.0], [2.0]], "E_pos": [[0.0]], "W_O": [[1.0]], "W_lm": [[0.0], [0.0]]}
    >>> tiny |= {name: [[[1.0]]] for name in ("W_Q", "W_K", "W_V")} | {"W_1": [[0.0]], "W_2": [[0.0]]}
    >>> tiny |= {"b_1": [0.0], "b_2": [0.0], "gamma": [0.0], "beta": [2.0]}
    >>> toy_backward(tiny, toy_forward(tiny, [1], [0]), [1], [0])[0]["W_lm"]
    [[-1.0], [1.0]]
    """
    p, a, T, n = parameters, activations, len(tokens), len(targets)
    assert len(a["losses"]) == n and len(a["X"]) == T, (
        "activations must be what toy_forward gave for these tokens and targets"
    )
    d_losses = [1 / n] * n
    d_logits = token_losses_backward(d_losses, a["logits"][:n], targets)
    d_logits += [[0.0] * len(p["W_lm"]) for _ in range(n, T)]  # padding has no loss
    d_normed, d_W_lm, _ = linear_backward(d_logits, a["normed"], p["W_lm"])
    d_residual, d_gamma, d_beta = layer_norm_backward(d_normed, a["residual"], p["gamma"], eps)
    d_skip, d_feed_forward_output = add_backward(d_residual)
    d_activated, d_W_2, d_b_2 = linear_backward(d_feed_forward_output, a["activated"], p["W_2"])
    d_hidden = activation_backward(d_activated, a["hidden"])
    d_branch, d_W_1, d_b_1 = linear_backward(d_hidden, a["attention_output"], p["W_1"])
    d_attention_output = add(d_skip, d_branch)  # skip connection + feed-forward branch
    d_concat, d_W_O, _ = linear_backward(d_attention_output, a["concat"], p["W_O"])
    d_heads = split_heads(d_concat, len(p["W_Q"]))
    d_weights, d_scores, d_Q, d_K, d_V, d_W_Q, d_W_K, d_W_V = ([] for _ in range(8))
    d_X = [[0.0] * len(row) for row in a["X"]]
    for h, d_head in enumerate(d_heads):
        d_w, d_v = matmul_backward(d_head, a["weights"][h], a["V"][h])
        d_s = [softmax_backward(d, w) for d, w in zip(d_w, a["weights"][h], strict=True)]
        d_q, d_k = attention_scores_backward(d_s, a["Q"][h], a["K"][h])
        d_X_from_q, d_W_q, _ = linear_backward(d_q, a["X"], p["W_Q"][h])
        d_X_from_k, d_W_k, _ = linear_backward(d_k, a["X"], p["W_K"][h])
        d_X_from_v, d_W_v, _ = linear_backward(d_v, a["X"], p["W_V"][h])
        for d_X_from in (d_X_from_q, d_X_from_k, d_X_from_v):
            d_X = add(d_X, d_X_from)
        d_weights.append(d_w)
        d_scores.append(d_s)
        d_Q.append(d_q)
        d_K.append(d_k)
        d_V.append(d_v)
        d_W_Q.append(d_W_q)
        d_W_K.append(d_W_k)
        d_W_V.append(d_W_v)
    d_E_pos = embedding_backward(d_X, list(range(T)), p["E_pos"])
    d_E_token = embedding_backward(d_X, tokens, p["E_token"])
    gradients = {
        "W_lm": d_W_lm,
        "gamma": d_gamma,
        "beta": d_beta,
        "W_2": d_W_2,
        "b_2": d_b_2,
        "W_1": d_W_1,
        "b_1": d_b_1,
        "W_O": d_W_O,
        "W_Q": d_W_Q,
        "W_K": d_W_K,
        "W_V": d_W_V,
        "E_token": d_E_token,
        "E_pos": d_E_pos,
    }
    activation_gradients = {
        "loss": 1.0,
        "losses": d_losses,
        "logits": d_logits,
        "normed": d_normed,
        "residual": d_residual,
        "feed_forward_output": d_feed_forward_output,
        "activated": d_activated,
        "hidden": d_hidden,
        "attention_output": d_attention_output,
        "concat": d_concat,
        "heads": d_heads,
        "weights": d_weights,
        "scores": d_scores,
        "Q": d_Q,
        "K": d_K,
        "V": d_V,
        "X": d_X,
    }
    return gradients, activation_gradients
