"""The network of Part I in functions of the course: `f` is the helpers, or a tape that then has gradients."""

from helpers.attention import causal_mask
from helpers.tape import Tape


def in_small_steps(f, p, tokens, targets, eps=1e-5):
    positions, mask, heads = list(range(len(tokens))), causal_mask(len(tokens)), []
    X = f.add(f.embedding(tokens, p["E_token"]), f.embedding(positions, p["E_pos"]))
    for W_Q, W_K, W_V in zip(p["W_Q"], p["W_K"], p["W_V"]):
        weights = f.softmax_rows(f.attention_scores(f.linear(X, W_Q), f.linear(X, W_K), mask))
        heads.append(f.matmul(weights, f.linear(X, W_V)))
    attended = f.linear(f.merge_heads(heads), p["W_O"])
    activated = f.gelu_rows(f.linear(attended, p["W_1"], b=p["b_1"]))
    residual = f.add(attended, f.linear(activated, p["W_2"], p["b_2"]))
    logits = f.linear(f.layer_norm(residual, p["gamma"], p["beta"], eps=eps), p["W_lm"])
    return f.cross_entropy(f.embedding(positions[: len(targets)], logits), targets)


def in_large_steps(f, p, tokens, targets, eps=1e-5):
    """The same of whole layers; the mean loss is a dot product."""
    positions, mask = list(range(len(tokens))), causal_mask(len(tokens))
    X = f.add(f.embedding(tokens, p["E_token"]), f.embedding(positions, p["E_pos"]))
    attended = f.multi_head_attention(X, p["W_Q"], p["W_K"], p["W_V"], p["W_O"], mask=mask)
    residual = f.add(attended, f.feed_forward(attended, p["W_1"], p["b_1"], p["W_2"], p["b_2"]))
    logits = f.linear(f.layer_norm(residual, p["gamma"], p["beta"], eps), p["W_lm"])
    losses = f.token_losses(f.embedding(positions[: len(targets)], logits), targets)
    return f.dot(losses, [1 / len(targets)] * len(targets))


def by_tape(network, parameters, *sentence):
    """The loss of a network, and its gradients."""
    tape = Tape()
    p = tape.watch(parameters)
    loss = network(tape, p, *sentence)
    tape.backward(loss)
    return loss.value, tape.gradients(p)
