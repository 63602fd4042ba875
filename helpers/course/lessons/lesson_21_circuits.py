"""Lesson 21: what is measured inside a small attention-only model, the model of stories, and SmolLM2."""

import functools
import json
import math
import random
from pathlib import Path

from ...attention import attention_scores, causal_mask, softmax
from ...gpt import BLOCK_PARAM_SHAPES, project_qkv
from ...layers import embedding, feed_forward, layer_norm, linear, rms_norm
from ...llama import LLAMA_BLOCK_SHAPES, llama_block
from ...matrices import add, matmul, transpose
from ...parameters import random_matrix
from .. import engine
from ..models.rows import quick_rope
from ..models.smollm2 import fast, how_to_get
from ..show.player import moving
from ..show.plots import beside, curves, heat_map, stack
from ..show.status import Line
from ..show.svg import FAINT, Figure, box, heading, label, shade
from ..training.loop import descend
from ..training.stories import (
    RICH_RULE,
    ablate_head,
    encode_story,
    kinds_of_words,
    measure_kinds,
    stories_model,
    tell_story,
)

# --- a small model that copies

COPY_CONFIG = {"vocab_size": 8, "n_embd": 16, "n_layer": 2, "n_head": 2, "rope_base": 100.0}
COPY_SETTINGS = {"steps": 320, "batch_size": 6, "lr": 0.015, "betas": (0.9, 0.98), "warmup_steps": 50}
COPY_HEADS = [f"{b}.{h}" for b in range(COPY_CONFIG["n_layer"]) for h in range(COPY_CONFIG["n_head"])]
LENGTH = 16
WATCHED = 20  # sequences that are measured while the model is trained


def repeated_letters(rng, least=3, most=6, length=LENGTH):
    """From least to most different tokens in random order, repeated to a length.

    >>> tokens = repeated_letters(random.Random(1), least=3, most=3, length=7)
    >>> tokens[3:] == tokens[:4], len(set(tokens))
    (True, 3)
    """
    first = rng.sample(range(COPY_CONFIG["vocab_size"]), rng.randint(least, most))
    return (first * length)[:length]


def period_of(tokens):
    """After how many tokens the sequence repeats.

    >>> period_of([3, 1, 4, 3, 1, 4, 3])
    3
    """
    return tokens.index(tokens[0], 1)


def start_copying(seed):
    """The parameters of the small model before its first step."""
    rng = random.Random(seed)
    D, L, H = COPY_CONFIG["n_embd"], COPY_CONFIG["n_layer"], COPY_CONFIG["n_head"]
    k, std = D // H, 0.02 * math.sqrt(768 / D)
    p = {"E": random_matrix(rng, COPY_CONFIG["vocab_size"], D, std)}
    for b in range(L):
        p[f"{b}.norm"] = [1.0] * D
        for h in range(H):
            p |= {f"{b}.{h}.W_{name}": random_matrix(rng, k, D, std) for name in "QKV"}
            p[f"{b}.{h}.W_O"] = random_matrix(rng, D, k, std / math.sqrt(2 * L))
    return p | {"norm": [1.0] * D, "W_lm": random_matrix(rng, COPY_CONFIG["vocab_size"], D, std)}


@functools.cache
def faster_with_rope():
    return engine.faster(rope=quick_rope)


def look_inside(parameters, tokens, hook=None):
    """The logits of the small model, and what is inside by name: "0.1" is what head 1 of block 0 adds to the
    residual stream, "0.1 weights" are its attention weights, "0" is the stream after block 0.

    hook(name, rows) is called for each of them but the weights; what it returns is used instead of the rows.
    """
    f, p, config, T = faster_with_rope(), parameters, COPY_CONFIG, len(tokens)
    X, inside, mask = f["embedding"](tokens, p["E"]), {}, f["causal_mask"](T)

    def note(name, rows):
        inside[name] = hook(name, rows) if hook else rows
        return inside[name]

    for b in range(config["n_layer"]):
        normed = f["rms_norm"](X, p[f"{b}.norm"])
        for h in range(config["n_head"]):
            Q, K, V = (f["linear"](normed, p[f"{b}.{h}.W_{name}"]) for name in "QKV")
            Q, K = (f["rope"](A, range(T), config["rope_base"]) for A in (Q, K))
            weights = [f["softmax"](row) for row in f["attention_scores"](Q, K, mask)]
            inside[f"{b}.{h} weights"] = weights
            added = f["linear"](f["matmul"](weights, V), p[f"{b}.{h}.W_O"])
            X = f["add"](X, note(f"{b}.{h}", added))
        X = note(f"{b}", X)
    return f["linear"](f["rms_norm"](X, p["norm"]), p["W_lm"]), inside


def copy_gradients(parameters, batch):
    """The mean loss of the small model on sequences of one length, and its gradients by name."""
    f, p, config = faster_with_rope(), parameters, COPY_CONFIG
    tokens = [token for sequence in batch for token in sequence[:-1]]
    targets = [token for sequence in batch for token in sequence[1:]]
    T, base, H = len(batch[0]) - 1, config["rope_base"], config["n_head"]
    positions, mask = [*range(T)] * len(batch), f["causal_mask"](T)
    X, kept, g = f["embedding"](tokens, p["E"]), [], {}
    for b in range(config["n_layer"]):
        normed, heads, out = f["rms_norm"](X, p[f"{b}.norm"]), [], X
        for h in range(H):
            Q, K, V = (f["linear"](normed, p[f"{b}.{h}.W_{name}"]) for name in "QKV")
            Q, K = (f["rope"](A, positions, base) for A in (Q, K))
            parts = [sequences(A, T) for A in (Q, K, V)]
            read = [row for QKV in zip(*parts, strict=True) for row in f["attention"](*QKV, mask)]
            out = f["add"](out, f["linear"](read, p[f"{b}.{h}.W_O"]))
            heads.append((parts, read))
        kept.append((X, normed, heads))
        X = out
    final = f["rms_norm"](X, p["norm"])
    logits = f["linear"](final, p["W_lm"])
    loss = f["cross_entropy"](logits, targets)
    d = f["cross_entropy_backward"](1.0, logits, targets)
    d, g["W_lm"], _ = f["linear_backward"](d, final, p["W_lm"])
    d, g["norm"] = f["rms_norm_backward"](d, X, p["norm"])
    for b in reversed(range(config["n_layer"])):
        X, normed, heads = kept[b]
        d_normed = [[0.0] * len(row) for row in normed]
        for h, (parts, read) in enumerate(heads):
            d_read, g[f"{b}.{h}.W_O"], _ = f["linear_backward"](d, read, p[f"{b}.{h}.W_O"])
            backward = [
                f["attention_backward"](d_part, *QKV, mask)
                for d_part, *QKV in zip(sequences(d_read, T), *parts, strict=True)
            ]
            d_Q, d_K, d_V = ([row for part in backward for row in part[i]] for i in range(3))
            d_Q, d_K = (f["rope_backward"](d_A, positions, base) for d_A in (d_Q, d_K))
            for name, d_A in zip("QKV", (d_Q, d_K, d_V), strict=True):
                W = f"{b}.{h}.W_{name}"
                d_part, g[W], _ = f["linear_backward"](d_A, normed, p[W])
                d_normed = f["add"](d_normed, d_part)
        d_X, g[f"{b}.norm"] = f["rms_norm_backward"](d_normed, X, p[f"{b}.norm"])
        d = f["add"](d, d_X)
    g["E"] = f["embedding_backward"](d, tokens, p["E"])
    return loss, {name: g[name] for name in p}


def sequences(rows, T):
    """The rows of a batch, T for each sequence."""
    return [rows[i : i + T] for i in range(0, len(rows), T)]


def watched_sequences(least=3, most=6):
    """The sequences on which the small model is measured."""
    return [repeated_letters(random.Random(99 + i), least, most) for i in range(WATCHED)]


def repeat_loss(parameters, sequences, hook=None):
    """The mean loss on the tokens that repeat an earlier one, but the first of them."""
    losses = []
    for tokens in sequences:
        logits, _ = look_inside(parameters, tokens[:-1], hook)
        losses += faster_with_rope()["token_losses"](logits, tokens[1:])[period_of(tokens) :]
    return math.fsum(losses) / len(losses)


def first_loss(parameters, sequences, hook=None):
    """The mean loss on the letters before the first repeat, which are random."""
    losses = []
    for tokens in sequences:
        logits, _ = look_inside(parameters, tokens[:-1], hook)
        losses += faster_with_rope()["token_losses"](logits, tokens[1:])[: period_of(tokens) - 1]
    return math.fsum(losses) / len(losses)


def train_copying(seed, watched, example=None, every=20, settings=COPY_SETTINGS):
    """The parameters after the last step; watched gets (step, loss on repeats, parameters) now and then.

    With an example, a sequence, a figure shows its attention weights meanwhile.
    """
    parameters, rng, test = start_copying(seed), random.Random(seed), watched_sequences()
    steps = settings["steps"]
    line = Line("training", steps)

    def of_batch(parameters):
        return copy_gradients(parameters, [repeated_letters(rng) for _ in range(settings["batch_size"])])

    def rate(step):
        return settings["lr"] * min(1, (step + 1) / settings["warmup_steps"])

    def watch(step, parameters):
        watched.append((step, repeat_loss(parameters, test), parameters))
        if example:
            line.keep(copying_at(watched, example, -1)[1])

    watch(0, parameters)
    for step, _, parameters in descend(
        parameters, of_batch, steps, rate, settings["betas"], max_norm=1.0, line=line
    ):
        if step % every == 0:
            watch(step, parameters)
    return parameters


def copying_in_steps(watched, example):
    """What was watched during the training, from step to step."""
    steps = [copying_at(watched, example, k) for k in range(len(watched))]
    return moving(steps, {"training step": [step for step, _, _ in watched]}, pause=600)


def copying_at(watched, example, k):
    """(words, figure): the attention weights of each head on the example at what was watched at index k, and
    the loss on repeats."""
    step, loss, parameters = watched[k]
    inside, names = look_inside(parameters, example[:-1])[1], letters(example[:-1])
    maps = [triangle(inside[f"{head} weights"], names, f"head {head}") for head in COPY_HEADS]
    before, after = (
        previous_score(inside["0.0 weights"]),
        induction_score(inside["1.1 weights"], period_of(example)),
    )
    words = f"Step {step}: the loss on repeats is {loss:.2f}. On {names}, head 0.0 gives the letter "
    words += f"before a weight of {before:.2f} on average, and head 1.1 gives the letter after the earlier "
    words += f"copy {after:.2f}."
    line = [(step, round(loss, 2)) for step, loss, _ in watched]
    if len(line) == 1:
        return words, beside(*maps)
    curve = curves(
        {"repeats": line}, "The loss on repeated letters", "step", "loss", cursor=step, size=(540, 120)
    )
    return words, stack(beside(*maps), curve)


def triangle(weights, names, title):
    """Attention weights on and below the diagonal, as boxes: each row attends to its columns."""
    cell, left, top, parts = 13, 28, 48, [heading(title)]
    for i, row in enumerate(weights):
        parts.append(label(left - 8, top + i * cell + 10, names[i], 10, "end"))
        parts.append(label(left + (i + 0.5) * cell, top - 6, names[i], 10, fill=FAINT))
        for j, weight in enumerate(row[: i + 1]):
            fill, _ = shade(round(weight, 2), 1)
            parts.append(box(left + j * cell, top + i * cell, cell - 1, cell - 1, fill, "#c5ccd3", 0.5))
    alt = f"Attention weights of {title}: a triangle with a row and a column for each of the letters {names}."
    side = cell * len(weights)
    return Figure(
        left + side + 16, top + side + 8, "".join(parts), alt, title, "white is 0, full colour is 1", left
    )


def map_of_weights(M, rows, columns, title):
    """A heat map without numbers, in which 1 has the full colour."""
    return heat_map(M, rows, columns, title, 2, numbers=False, full=1.0)


def letters(tokens):
    """Tokens as letters.

    >>> letters([0, 1, 7])
    'abh'
    """
    return "".join("abcdefgh"[token] for token in tokens)


def copy_scores(parameters, sequences):
    """{head: (its previous-token score, its induction score)}, the means over sequences."""
    found = {head: [] for head in COPY_HEADS}
    for tokens in sequences:
        _, inside = look_inside(parameters, tokens[:-1])
        for head, both in found.items():
            weights = inside[f"{head} weights"]
            both.append((previous_score(weights), induction_score(weights, period_of(tokens))))
    return {head: tuple(math.fsum(part) / len(both) for part in zip(*both)) for head, both in found.items()}


def score_lines(watched):
    """The scores of the heads while the small model is trained, as lines: the previous-token score of the
    heads of block 0, and the induction score of those of block 1."""
    history = [(step, copy_scores(kept, watched_sequences())) for step, _, kept in watched]
    names = {"0.0": "previous", "0.1": "previous", "1.0": "induction", "1.1": "induction"}
    return {
        f"{head} {name}": [(step, scores[head][name == "induction"]) for step, scores in history]
        for head, name in names.items()
    }


def previous_score(weights):
    """The mean attention of a token to the token before it.

    >>> previous_score([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]])
    0.75
    """
    return math.fsum(weights[t][t - 1] for t in range(1, len(weights))) / (len(weights) - 1)


def induction_score(weights, n):
    """The mean attention to the token after the earlier copy, in a sequence of period n.

    >>> induction_score([[1, 0, 0], [0.5, 0.5, 0], [0, 0.25, 0.75]], 2)
    0.25
    """
    return math.fsum(weights[t][t - n + 1] for t in range(n, len(weights))) / (len(weights) - n)


def ablation(*heads):
    """A hook: the heads of these names add 0."""

    def hook(name, rows):
        return [[0.0] * len(row) for row in rows] if name in heads else rows

    return hook


def patch(target, position, saved):
    """A hook: the row at one position of the activation named target is the one of another run."""

    def hook(name, rows):
        if name != target:
            return rows
        return [*rows[:position], saved[target][position], *rows[position + 1 :]]

    return hook


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


# --- SmolLM2


class Probe:
    """SmolLM2, token by token, with its attention weights and its residual stream kept.

    weights[block, head] has a row for each token that was read, and stream a vector for each block: the
    residual stream after it, at the last token. The heads in `ablated` add nothing.
    """

    def __init__(self, model, cache=None, ablated=()):
        self.model, self.cache, self.ablated = model, cache or {}, set(ablated)
        self.weights, self.stream, self.block = {}, [], 0

        def grouped_query_attention(Q, K, V, mask=None):
            heads = []
            for h, q in enumerate(Q):
                group = h * len(K) // len(Q)
                weights = softmax(attention_scores(q, K[group])[0])
                self.weights.setdefault((self.block, h), []).append(weights)
                if (self.block, h) in self.ablated:
                    heads.append([[0.0] * len(V[group][0])])
                else:
                    heads.append(matmul([weights], V[group]))
            return heads

        self.llama_block = fast(llama_block, grouped_query_attention=grouped_query_attention)

    def read(self, token, patch=None):
        """The final vector at one more token; patch = (block, vector) replaces the stream after a block."""
        p, cache = self.model.parameters, {}
        X, self.stream = [list(p["token_embd.weight"][token])], []
        for self.block in range(self.model.config["n_layer"]):
            names = f"blk.{self.block}."
            block = {name: p[names + name] for name in LLAMA_BLOCK_SHAPES}
            old = (self.cache[names + "K"], self.cache[names + "V"]) if self.cache else ()
            X, cache[names + "K"], cache[names + "V"] = self.llama_block(self.model.config, block, X, *old)
            if patch and patch[0] == self.block:
                X = [patch[1]]
            self.stream.append(X[0])
        self.cache = cache
        self.model.count()
        return self.final(X[0])

    def final(self, x):
        """A vector of the residual stream, normalized as the last one is."""
        return rms_norm([x], self.model.parameters["output_norm.weight"], self.model.config["eps"])[0]


def random_words(tokenizer, n, seed):
    """n different tokens, each a space and at least four lower-case letters."""
    words = [
        i
        for i, token in enumerate(tokenizer.tokens)
        if token[:1] == b" " and len(token) > 4 and token[1:].isalpha() and token[1:].islower()
    ]
    return random.Random(seed).sample(words, n)


RECORDED = Path(__file__).with_name("lesson_21_circuits.json")
PROMPTS = {
    "The capital of France is": " Paris",
    "The opposite of hot is": " cold",
    "Monday, Tuesday,": " Wednesday",
}
PATCHES = [
    ("The capital of France is", "The capital of Italy is", " Paris", " Rome"),
    ("The capital of Germany is", "The capital of Spain is", " Berlin", " Madrid"),
    ("The opposite of hot is", "The opposite of big is", " cold", " small"),
]
CHOSEN_ON, TESTED_ON = (1, 2), (3, 4, 5, 6)  # seeds of random words
ORDINARY = (
    "The river was frozen in January, and the children walked across the ice to school. "
    "Their teacher waited at the bridge with a lamp, because the mornings were still dark.",
    "Water boils at a lower temperature on a mountain, because the pressure of the air is smaller there. "
    "Cooking potatoes therefore takes longer than it does near the sea.",
)  # texts in which there is little to copy
ON_ORDINARY = ("none", "best", "anywhere 2")  # the last are the other heads whose ablation does most harm
WORDS = 12  # that are repeated


def read_twice(model, words, cache=None, ablated=()):
    """Read some tokens, then the same again: a loss for each token but the first, and the probe."""
    probe, losses, text = Probe(model, cache, ablated), [], words + words
    for token, target in zip(text, text[1:]):
        losses.append(loss_of(model.logits(probe.read(token)), target))
    return losses, probe


def head_scores(weights, n):
    """{(block, head): (induction score, previous-token score, attention to the first token)} for n tokens
    that were read twice."""
    found = {}
    for head, rows in weights.items():
        first = math.fsum(row[0] for row in rows[2:]) / (len(rows) - 2)
        found[head] = induction_score(rows, n), previous_score(rows), first
    return found


def lens(model, prompt, answer):
    """For each block: the answer's rank and probability, and the most probable token, if the residual stream
    after the block went to the logits at once."""
    probe, rows = Probe(model), []
    for token in model.encode(prompt):
        probe.read(token)
    [wanted] = model.encode(answer)
    for x in probe.stream:
        logits = model.logits(probe.final(x))
        best = max(range(len(logits)), key=logits.__getitem__)
        rank = sum(logit > logits[wanted] for logit in logits) + 1
        rows.append([rank, math.exp(-loss_of(logits, wanted)), model.decode([best])])
    return rows


def loss_of(logits, target):
    """−log of the softmax probability of the target."""
    largest = max(logits)
    return math.log(math.fsum(math.exp(x - largest) for x in logits)) + largest - logits[target]


def smollm2_results(name):
    """What was recorded with the file of SmolLM2, by tests/benchmarks/record_looking_inside.py."""
    results = json.loads(RECORDED.read_text(encoding="utf-8"))
    if name not in results:
        raise LookupError(f"{name:.60} was not recorded; there are {', '.join(results)}")
    return results[name]


def smollm2_scores(model):
    """Twelve random words twice: the words, the loss of each word but the first, and each head's scores.

    The scores are head_scores, by the name of the head. Without the model's file: what was recorded.
    """
    if not model.here:
        found = smollm2_results(f"text {CHOSEN_ON[0]}")
        return found["words"], found["losses"], found["scores"]
    words = random_words(model.tokenizer, WORDS, CHOSEN_ON[0])
    losses, probe = model.live(read_twice, model, words, tokens=2 * WORDS - 1)
    scores = {f"{b}.{h}": score for (b, h), score in head_scores(probe.weights, WORDS).items()}
    return model.decode(words), losses, scores


def smollm2_lens(model, prompt, answer):
    """[rank and probability of the answer, most probable token] after each block, recorded if need be."""
    if model.here:
        return model.live(lens, model, prompt, answer, tokens=len(model.encode(prompt)))
    if PROMPTS.get(prompt) != answer:
        raise LookupError(f"{prompt!r:.60} was not recorded. {how_to_get()}")
    return smollm2_results(f"lens {prompt}")


def lens_in_steps(model, prompts):
    """The logit lens after each block: the rank of the answer and the most probable token.

    prompts is {prompt: answer}.
    """
    steps = []
    for prompt, answer in prompts.items():
        found = smollm2_lens(model, prompt, answer)
        line = [(b, round(math.log10(rank), 2)) for b, (rank, *_) in enumerate(found)]
        for b, (rank, chance, best) in enumerate(found):
            words = f"{prompt} … after block {b}: rank {rank:,} for “{answer}”, probability {chance:.2f}; "
            words += f"the most probable token is “{best}”."
            title = f"{prompt} … most probable after block {b}: “{best}”"
            steps.append(
                (words, curves({answer.strip(): line}, title, "block", "rank", cursor=b, powers=True))
            )
    return moving(steps, {"prompt": prompts, "block": range(len(found))}, pause=500)


def head_maps(scores):
    """The scores of the heads of SmolLM2: a row for each block, a column for each of its heads."""
    blocks, figures = [f"block {b}" for b in range(30)], []
    for i, title in {1: "previous token", 0: "induction", 2: "first token"}.items():
        M = [[scores[f"{b}.{h}"][i] for h in range(9)] for b in range(30)]
        figures.append(map_of_weights(M, blocks, range(9), title))
    return beside(*figures)


def smollm2_ablations():
    """The ablated heads, and a row for each text of words read twice: the loss as it is, without these heads,
    and without eight others, drawn five times from the same blocks and five times from any block."""
    heads, rows = [f"{b}.{h}" for b, h in smollm2_results("sets")["induction"]["best"]], []
    for i, seed in enumerate(TESTED_ON, 1):
        found = smollm2_results(f"ablated {seed}")
        row = [f"words {i}", found["none"], found["best"]]
        for where in ("same blocks", "anywhere"):
            draws = [found[f"{where} {draw}"] for draw in range(5)]
            row.append(f"{min(draws):.2f} to {max(draws):.2f}")
        rows.append(row)
    return heads, rows


def smollm2_on_ordinary_text():
    """A row for each ordinary text: the loss as it is, without the induction heads, and without the eight
    other heads whose ablation does most harm to words read twice."""
    found = [smollm2_results(f"ordinary {i}") for i in range(len(ORDINARY))]
    return [[f"text {i}", *(of[name] for name in ON_ORDINARY)] for i, of in enumerate(found, 1)]


def patch_lines(prompt, word):
    """The probability of the other answer against the block after which one vector was patched: at the word
    in which the prompts differ, and at the last token."""
    rows = smollm2_results(f"patch {prompt}")
    last = prompt.split()[-1]
    names = {f"at {word}": 1, f"at {last}, after {word}": 3}
    return {name: [(b, row[i]) for b, row in enumerate(rows)] for name, i in names.items()}
