"""What lesson 21 says about five seeds: the loss on repeats, without each head, and without both heads of a
block; of sixteen seeds why 11; other periods; and the heads of the model of stories.

Trains a model for each seed, ten seconds each on a free core, prints its row, and stops with an
AssertionError where the lesson says something else. Each part takes at most a minute, but for `tried`, which
trains sixteen.
"""

import functools
import random

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
from helpers.course import NOTEBOOKS
from helpers.course.lessons.lesson_21_circuits import (
    COPY_HEADS,
    ablation,
    look_inside,
    patch,
    period_of,
    repeat_loss,
    train_copying,
    watched_sequences,
)
from helpers.course.training.stories import (
    RICH_RULE,
    ablate_head,
    encode_story,
    kinds_of_words,
    measure_kinds,
    stories_model,
    tell_story,
)
from helpers.gpt import BLOCK_PARAM_SHAPES

from . import told

SEEDS = (11, 1, 2, 3, 4)
TRIED = range(1, 17)  # among these, seed 11 was chosen
LITTLE_HARM = 0.2
ABLATED = ("0.0", "0.1", "0.0 0.1", "1.0", "1.1", "1.0 1.1")  # each head, and both heads of each block
LESSON = NOTEBOOKS / "21_interpretability.ipynb"


@functools.cache
def measured(seed):
    """What lesson 21 says of a seed: the losses on repeats in training, and with some heads ablated."""
    watched = []
    parameters, test = train_copying(seed, watched), watched_sequences()
    return watched, {heads: repeat_loss(parameters, test, ablation(*heads.split())) for heads in ABLATED}


def other_periods():
    """Periods 7 and 8, which no training sequence has."""
    losses = {
        (seed, n): repeat_loss(measured(seed)[0][-1][2], watched_sequences(n, n))
        for seed in SEEDS
        for n in (7, 8)
    }
    told(f"with seven, with a loss on repeats of {losses[11, 7]:.2f}")
    told(f"and with eight, with {losses[11, 8]:.2f}")
    *first, last = (f"{losses[seed, 8]:.2f}" for seed in SEEDS[1:])
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


def row_of(seed):
    """A row of the lesson's table: the seed, the step after which the loss is below 0.8, and the losses."""
    watched, without = measured(seed)
    step = next(step for step, loss, _ in watched if loss < 0.8)
    losses = [watched[-1][1], *(without[heads] for heads in ABLATED)]
    return f"| {seed} | {step} | " + " | ".join(f"{loss:.2f}" for loss in losses)


def main(seeds=None):
    """The table of five seeds."""
    text = LESSON.read_text(encoding="utf-8")
    for seed in seeds or SEEDS:
        row = row_of(seed)
        print(row, flush=True)
        assert seeds or row in text, f"the lesson does not say this of seed {seed}"


def tried():
    """Of sixteen seeds, only 11 has two heads that are hardly missed."""
    spared = {}
    for seed in TRIED:
        _, without = measured(seed)
        spared[seed] = sum(without[head] < LITTLE_HARM for head in COPY_HEADS)
        print(f"seed {seed}: heads that are hardly missed: {spared[seed]}", flush=True)
    assert [seed for seed, n in spared.items() if n >= 2] == [11]


def first_letters():
    """How probable the letters already read are where a new one comes."""
    parameters, found = measured(11)[0][-1][2], {}
    for tokens in watched_sequences():
        logits, _ = look_inside(parameters, tokens[:-1])
        for t in range(period_of(tokens) - 1):
            chances = softmax(logits[t])
            found.setdefault(t + 1, []).append(sum(chances[token] for token in tokens[: t + 1]))
    three, five = (sum(found[n]) / len(found[n]) for n in (3, 5))
    told(f"a probability of {three:.2f} on average, and after five {five:.2f}")


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


def rich_stories(n):
    """Stories of the rule on which the shipped model was trained, as tokens, and the kinds of their words."""
    vocab, plots = stories_model()["vocab"], all_rich_stories()
    stories = random.Random(99).sample(sorted(plots), n)
    documents = [encode_story(story, vocab) for story in stories]
    return documents, [kinds_of_words(RICH_RULE, plots[story]) for story in stories]


def right_words(kept, n=40):
    """Kinds of words, and rows of the fractions of right words: with all heads, then without each head."""
    heads = [(b, h) for b in range(kept["config"]["n_layer"]) for h in range(kept["config"]["n_head"])]
    changed = [ablate_head(kept["config"], kept["parameters"], *head) for head in heads]
    documents, kinds = rich_stories(n)
    rows = []
    for parameters in (kept["parameters"], *changed):
        found = measure_kinds(kept["config"], parameters, documents, kinds)
        rows.append([found[kind][1] for kind in STORY_KINDS])
    return STORY_KINDS, rows


STORY_KINDS = ("name", "colour", "thing", "place", "animal", "pronoun")


def next_word(kept, story, hook=None):
    """The probability of each word as the next one of a story, and what is inside."""
    tokens = encode_story(story, kept["vocab"])[:-1]
    logits, inside = look_inside_gpt(kept["config"], kept["parameters"], tokens, hook)
    return dict(zip(kept["vocab"], softmax(logits[-1]), strict=True)), inside


def all_rich_stories():
    """{story: its plot} for a thousand stories of the richer rule."""
    rng, found = random.Random(7), {}
    for plot in RICH_RULE["plots"]:
        for _ in range(200):
            found[tell_story({**RICH_RULE, "plots": [plot]}, rng)] = plot
    return found


def rest_of_story(kept, story, hook=None):
    """The words with the largest logits, up to the end of the story or the model's last position."""
    vocab, tokens = kept["vocab"], encode_story(story, kept["vocab"])[:-1]
    start, end = len(tokens), kept["vocab"].index("<EOS>")
    while tokens[-1] != end and len(tokens) <= kept["config"]["n_positions"]:
        logits, _ = look_inside_gpt(kept["config"], kept["parameters"], tokens, hook)
        tokens.append(max(range(len(vocab)), key=logits[-1].__getitem__))
    return " ".join(vocab[token] for token in tokens[start:] if token != end)


def heads_of_stories():
    kept = stories_model()
    kinds, rows = right_words(kept)
    heads = [None, *(f"{b}.{h}" for b in range(2) for h in range(4))]
    share = {head: dict(zip(kinds, row, strict=True)) for head, row in zip(heads, rows, strict=True)}
    assert set(rows[0]) == {1.0}
    told(
        f"Without head 0.2, only {share['0.2']['colour']:.2f} of the colours "
        f"and {share['0.2']['name']:.2f} of the names"
    )
    told(f"Without head 1.3, {share['1.3']['thing']:.2f} of the things are")
    red = "mia has a red boat . she likes the boat . zoe wants the boat , too . so mia gives the"
    told(f"*{red}*")
    _, saved = next_word(kept, red.replace("red", "blue"))
    last = len(red.split())  # <BOS> is position 0
    blue = [next_word(kept, red, patch(saved, (head, last)))[0]["blue"] for head in heads]
    told(f"the probability of *blue* rises from {blue[0]:.2f} to {blue[3]:.2f}")
    assert [f"{p:.2f}" for p in blue[:3] + blue[4:]] == ["0.00"] * 8
    lea = "lea sees a frog in the tent . the frog has a green ball . lea wants the ball . "
    lea += "so sam takes the ball from the frog . now"
    _, saved = next_word(kept, lea.replace("lea", "max"))
    told(f'"{rest_of_story(kept, lea, patch(saved, ("0.2", len(lea.split()))))}"')


PARTS = {
    "seeds": main,
    "tried": tried,
    "periods": other_periods,
    "means": means,
    "first": first_letters,
    "stories": heads_of_stories,
}
