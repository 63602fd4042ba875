"""What lesson 21b tells of the model of stories: which of its heads brings the color."""

from helpers import (
    add,
    attention_scores,
    causal_mask,
    embedding,
    feed_forward,
    layer_norm,
    linear,
    matmul,
    project_qkv,
    softmax,
    transpose,
)
from helpers.course.lessons.lesson_21b_patching import patch
from helpers.course.training.stories import encode_story, stories_model
from helpers.gpt import BLOCK_PARAM_SHAPES

from . import told


def look_inside_gpt(config, parameters, tokens, hook=None):
    """The logits of a GPT-2, and what is inside by name: "0.1" is what head 1 of block 0 adds to the residual
    stream, "0.1 weights" are its attention weights, "0" is the stream after block 0.

    hook(name, rows) is called for each of them but the weights; what it returns is used instead of the rows.
    """
    p, H, T, inside = parameters, config["n_head"], len(tokens), {}

    def note(name, rows):
        inside[name] = hook(name, rows) if hook else rows
        return inside[name]

    k = config["n_embd"] // H
    X = add(embedding(tokens, p["wte.weight"]), embedding(list(range(T)), p["wpe.weight"]))
    for b in range(config["n_layer"]):
        block = {name: p[f"h.{b}.{name}"] for name in BLOCK_PARAM_SHAPES}
        read = project_qkv(block, X, H)
        columns = transpose(block["attn.c_proj.weight"])
        stream = [[x + y for x, y in zip(row, block["attn.c_proj.bias"], strict=True)] for row in X]
        for h, (Q, K, V) in enumerate(zip(read["attn.Q"], read["attn.K"], read["attn.V"], strict=True)):
            weights = [softmax(row) for row in attention_scores(Q, K, causal_mask(T))]
            inside[f"{b}.{h} weights"] = weights
            added = matmul(matmul(weights, V), columns[h * k : (h + 1) * k])  # [T][k]·[k][D] -> [T][D]
            stream = add(stream, note(f"{b}.{h}", added))
        normed = layer_norm(stream, block["ln_2.weight"], block["ln_2.bias"])
        names = ("mlp.c_fc.weight", "mlp.c_fc.bias", "mlp.c_proj.weight", "mlp.c_proj.bias")
        X = note(f"{b}", add(stream, feed_forward(normed, *(block[name] for name in names))))
    final = layer_norm(X, p["ln_f.weight"], p["ln_f.bias"])
    return linear(final, p["wte.weight"]), inside


def next_word(kept, story, hook=None):
    """The probability of each word as the next one of a story, and what is inside."""
    tokens = encode_story(story, kept["vocab"])[:-1]
    logits, inside = look_inside_gpt(kept["config"], kept["parameters"], tokens, hook)
    return dict(zip(kept["vocab"], softmax(logits[-1]), strict=True)), inside


def main():
    kept = stories_model()
    heads = [f"{b}.{h}" for b in range(2) for h in range(4)]
    red = "mia has a red boat . she likes the boat . zoe wants the boat , too . so mia gives the"
    told(f"*{red}*")
    _, saved = next_word(kept, red.replace("red", "blue"))
    last = len(red.split())  # <BOS> is position 0
    blue = {head: next_word(kept, red, patch(saved, (head, last)))[0]["blue"] for head in heads}
    before = next_word(kept, red)[0]["blue"]
    told(f"the probability of *blue* rises from {before:.2f} to {blue.pop('0.2'):.2f}")
    assert {f"{p:.2f}" for p in blue.values()} == {"0.00"}
