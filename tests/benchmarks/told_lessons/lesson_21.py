"""What lesson 21 says about five seeds: the loss on repeats, without each head, and without both heads of a
block; of sixteen seeds why 11; period 8; and the heads of the model of stories.

Trains a model for each seed, ten seconds each on a free core, prints its row, and stops with an
AssertionError where the lesson says something else. Each part takes at most a minute, but for `tried`, which
trains sixteen.
"""

import functools

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
from helpers.course.lessons.lesson_21_circuits import (
    COPY_HEADS,
    ablation,
    look_inside,
    patch,
    repeat_loss,
    train_copying,
    watched_sequences,
)
from helpers.course.training.stories import encode_story, stories_model
from helpers.gpt import BLOCK_PARAM_SHAPES

from . import told

SEEDS = (11, 1, 2, 3, 4)
TRIED = range(1, 17)  # among these, seed 11 was chosen
LITTLE_HARM = 0.2
ABLATED = ("0.0", "0.1", "0.0 0.1", "1.0", "1.1", "1.0 1.1")  # each head, and both heads of each block


@functools.cache
def measured(seed):
    """What lesson 21 says of a seed: the losses on repeats in training, and with some heads ablated."""
    watched = []
    parameters, test = train_copying(seed, watched), watched_sequences()
    return watched, {heads: repeat_loss(parameters, test, ablation(*heads.split())) for heads in ABLATED}


def other_periods():
    """Period 8, which no training sequence has."""
    losses = {seed: repeat_loss(measured(seed)[0][-1][2], watched_sequences(8, 8)) for seed in SEEDS}
    told(f"it copies with eight as well: its loss on repeats is {losses[11]:.2f}")
    *first, last = (f"{losses[seed]:.2f}" for seed in SEEDS[1:])
    told(f"period 8 gives {', '.join(first)} and {last}")


def means():
    """The loss on repeats where a head adds its mean over the sequences, and not 0."""
    parameters, test = measured(11)[0][-1][2], watched_sequences()
    mean = {}
    for head in COPY_HEADS:
        rows = [row for tokens in test for row in look_inside(parameters, tokens[:-1])[1][head]]
        mean[head] = [sum(column) / len(rows) for column in zip(*rows)]

    def loss(*heads):
        return repeat_loss(
            parameters, test, lambda name, rows: [mean[name]] * len(rows) if name in heads else rows
        )

    told(
        f"{loss('0.0'):.2f} without 0.0, {loss('1.1'):.2f} without 1.1 "
        f"and {loss('0.0', '0.1'):.2f} without both"
    )


def main(seeds=None):
    """The losses on repeats of each seed: as trained, without each head, without both heads of a block."""
    for seed in seeds or SEEDS:
        watched, without = measured(seed)
        print(seed, *(f"{loss:.2f}" for loss in (watched[-1][1], *without.values())), flush=True)
    if not seeds:
        first, second, both = (f"{measured(2)[1][heads]:.2f}" for heads in ("1.0", "1.1", "1.0 1.1"))
        assert first == second
        told(f"With seed 2, the loss is {first} without either head of block 1, and {both} without both")


def tried():
    """Of sixteen seeds, only 11 has two heads that are hardly missed."""
    spared = {}
    for seed in TRIED:
        _, without = measured(seed)
        spared[seed] = sum(without[head] < LITTLE_HARM for head in COPY_HEADS)
        print(f"seed {seed}: heads that are hardly missed: {spared[seed]}", flush=True)
    assert [seed for seed, n in spared.items() if n >= 2] == [11]


# --- the model of stories


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


def heads_of_stories():
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


PARTS = {"seeds": main, "tried": tried, "periods": other_periods, "means": means, "stories": heads_of_stories}
