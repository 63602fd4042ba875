"""Lessons 21 and 21b: what is measured inside a small attention-only model, and inside SmolLM2."""

import functools
import json
import math
import random
from pathlib import Path

from ...attention import attention_scores, softmax
from ...layers import rms_norm
from ...llama import LLAMA_BLOCK_SHAPES, llama_block
from ...matrices import matmul
from ...parameters import random_matrix
from .. import engine
from ..models.rows import quick_rope
from ..models.smollm2 import fast
from ..show.player import moving
from ..show.plots import beside, curves, stack
from ..show.status import Line
from ..show.svg import FAINT, INK, Figure, box, heading, label, shade
from ..training.loop import descend

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
    f, p, config = faster_with_rope(), parameters, COPY_CONFIG
    X, inside = f["embedding"](tokens, p["E"]), {}

    def note(name, rows):
        inside[name] = hook(name, rows) if hook else rows
        return inside[name]

    for b in range(config["n_layer"]):
        normed = f["rms_norm"](X, p[f"{b}.norm"])
        for h in range(config["n_head"]):
            inside[f"{b}.{h} weights"], added = one_head(p, f"{b}.{h}", normed)
            X = f["add"](X, note(f"{b}.{h}", added))
        X = note(f"{b}", X)
    return f["linear"](f["rms_norm"](X, p["norm"]), p["W_lm"]), inside


def one_head(parameters, name, normed, keys=None, values=None):
    """The attention weights of one head, and what it adds to the residual stream; normed is the stream after
    the norm of the block. The keys, and the values, may be computed from other rows."""
    f, T = faster_with_rope(), len(normed)
    read = {"Q": normed, "K": keys or normed, "V": values or normed}
    Q, K, V = (f["linear"](rows, parameters[f"{name}.W_{letter}"]) for letter, rows in read.items())
    Q, K = (f["rope"](A, range(T), COPY_CONFIG["rope_base"]) for A in (Q, K))
    weights = [f["softmax"](row) for row in f["attention_scores"](Q, K, f["causal_mask"](T))]
    return weights, f["linear"](f["matmul"](weights, V), parameters[f"{name}.W_O"])


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


def after_jumps(parameters, sequences):
    """After two rounds comes another letter than the first. How many such jumps there are, for how many the
    most likely letter is the one after the earlier places of this letter, for how many the one seen longest
    ago, and the mean attention of head 1.1 to the letters after the earlier places.
    """
    jumps, copied, oldest, attention = 0, 0, 0, []
    for tokens in sequences:
        first = tokens[: period_of(tokens)]
        for place in range(1, len(first) - 1):  # at the last, both rules give the same letter
            logits, inside = look_inside(parameters, first * 2 + [first[place]])
            best, weights = logits[-1].index(max(logits[-1])), inside["1.1 weights"][-1]
            jumps += 1
            copied += best == first[place + 1]
            oldest += best == first[0]
            attention.append(weights[place + 1] + weights[len(first) + place + 1])
    return jumps, copied, oldest, math.fsum(attention) / max(jumps, 1)


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
    step, _, parameters = watched[k]
    inside, names = look_inside(parameters, example)[1], letters(example)
    period, looks = period_of(example), {"0.0": 1}  # how far back the outlined weights reach
    looks["1.1"] = period - 1
    maps = [triangle(inside[f"{h} weights"], names, f"head {h}", looks.get(h), period) for h in COPY_HEADS]
    told = [f"{value:.2f}" for value in watched_scores(watched[k], example)]
    if k > 0:
        was = watched_scores(watched[k - 1], example)
        told = [f"{text} (it was {value:.2f})" for text, value in zip(told, was)]
    words = (
        f"Step {step}: the loss on repeats is {told[0]}. On {names}, head 0.0 attends {told[1]} on average "
    )
    words += (
        f"to the letter before, and head 1.1 attends {told[2]} to the letter after the earlier place of its "
    )
    words += "own letter (outlined)."
    maps = stack(beside(*maps[:2]), beside(*maps[2:]))  # so that all four are seen in a narrow page
    line = [(step, round(loss, 2)) for step, loss, _ in watched]
    if len(line) == 1:
        return words, maps
    look = {"cursor": step, "size": (330, 90), "stops": {x: (i,) for i, (x, _) in enumerate(line)}}
    curve = curves({"repeats": line}, "The loss on repeated letters", "step", "loss", **look)
    return words, stack(maps, curve)


def watched_scores(kept, example):
    """Of what was watched at one step: the loss on repeats, the previous-token score of head 0.0, and the
    induction score of head 1.1."""
    _, loss, parameters = kept
    inside = look_inside(parameters, example)[1]
    return (
        loss,
        previous_score(inside["0.0 weights"]),
        induction_score(inside["1.1 weights"], period_of(example)),
    )


def triangle(weights, names, title, back=None, period=0):
    """Attention weights on and below the diagonal, as boxes: each row attends to its columns. The weights of
    `back` positions before are outlined, if given; if it is more than 1, from the second round on."""
    cell, left, top, parts = 13, 28, 48, [heading(title)]
    for i, row in enumerate(weights):
        parts.append(label(left - 8, top + i * cell + 10, names[i], 10, "end"))
        parts.append(label(left + (i + 0.5) * cell, top - 6, names[i], 10, fill=FAINT))
        for j, weight in enumerate(row[: i + 1]):
            fill, _ = shade(round(weight, 2), 1)
            outlined = back and i - j == back and (back == 1 or i >= period)
            edge = (INK, 1) if outlined else ("#c5ccd3", 0.5)
            parts.append(box(left + j * cell, top + i * cell, cell - 1, cell - 1, fill, *edge))
    most = ", ".join(f"{i} to {max(range(i + 1), key=row.__getitem__)}" for i, row in enumerate(weights))
    alt = f"Attention weights of {title}: a triangle with a row and a column for each of the letters {names}."
    alt += f" Positions from 0 attend most: {most}."
    side = cell * len(weights)
    return Figure(
        left + side + 16,
        top + side + 8,
        "".join(parts),
        alt,
        f"{title}, positions attend most: {most}",
        "white is 0, full colour is 1",
        left,
    )


def letters(tokens):
    """Tokens as letters.

    >>> letters([0, 1, 7])
    'abh'
    """
    return "".join("abcdefgh"[token] for token in tokens)


def copy_scores(parameters, sequences):
    """{head: (its previous-token score, its induction score)}, the means over sequences; the last is of
    attention weights that are equal for all positions so far."""
    found = {head: [] for head in [*COPY_HEADS, "uniform"]}
    for tokens in sequences:
        _, inside = look_inside(parameters, tokens[:-1])
        T = len(tokens) - 1
        inside["uniform weights"] = [[1 / (t + 1)] * (t + 1) + [0.0] * (T - t - 1) for t in range(T)]
        for head, both in found.items():
            weights = inside[f"{head} weights"]
            both.append((previous_score(weights), induction_score(weights, period_of(tokens))))
    return {head: tuple(math.fsum(part) / len(both) for part in zip(*both)) for head, both in found.items()}


def previous_score(weights):
    """The mean attention of a token to the token before it.

    >>> previous_score([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]])
    0.75
    """
    return math.fsum(weights[t][t - 1] for t in range(1, len(weights))) / (len(weights) - 1)


def induction_score(weights, n):
    """The mean attention to the token after the same token one period before.

    >>> induction_score([[1, 0, 0], [0.5, 0.5, 0], [0, 0.25, 0.75]], 2)
    0.25
    """
    T = len(weights)
    return math.fsum(weights[t][t - n + 1] for t in range(n, T)) / (T - n)


def ablation(*heads):
    """A hook: the heads of these names add 0."""

    def hook(name, rows):
        return [[0.0] * len(row) for row in rows] if name in heads else rows

    return hook


def ablations(parameters, sequences, ablate):
    """Rows of the loss on repeats: with all heads, without each, and without 0.1 and 1.0. ablate is a hook
    when its first argument, the heads, is fixed."""
    sets = [[], *([head] for head in COPY_HEADS), COPY_HEADS[1:3]]
    losses = [repeat_loss(parameters, sequences, functools.partial(ablate, heads)) for heads in sets]
    return [[" and ".join(heads) or "nothing", loss] for heads, loss in zip(sets, losses, strict=True)]


# --- SmolLM2


class Probe:
    """SmolLM2, token by token, with its attention weights and its residual stream kept.

    weights[block, head] has a row for each token that was read. heads[block, head] is the mean of the values
    that the head gives at the last token, and stream has a vector for each block: the residual stream after
    it. `changed` is {(block, head): what is used in place of its mean, or None if the head is ablated}.
    """

    def __init__(self, model, cache=None, changed=()):
        self.model, self.cache, self.changed = model, cache or {}, dict(changed)
        self.weights, self.heads, self.stream, self.block = {}, {}, [], 0

        def grouped_query_attention(Q, K, V, mask=None):
            heads = []
            for h, q in enumerate(Q):
                group = h * len(K) // len(Q)
                weights = softmax(attention_scores(q, K[group])[0])
                self.weights.setdefault((self.block, h), []).append(weights)
                [mean] = matmul([weights], V[group])
                if (self.block, h) in self.changed:
                    mean = self.changed[self.block, h] or [0.0] * len(mean)
                self.heads[self.block, h] = mean
                heads.append([mean])
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
CHOSEN_ON, TESTED_ON = (1, 2), (3, 4, 5, 6)  # seeds of random words
ORDINARY = (
    "The river was frozen in January, and the children walked across the ice to school. "
    "Their teacher waited at the bridge with a lamp, because the mornings were still dark.",
    "Water boils at a lower temperature on a mountain, because the pressure of the air is smaller there. "
    "Cooking potatoes therefore takes longer than it does near the sea.",
)  # texts in which there is little to copy
ABLATED_TOGETHER = (
    "none",
    "best",
    "anywhere 2",
)  # the last are the other heads whose ablation does most harm
WORDS = 12  # that are repeated


def read_twice(model, words, ablated=()):
    """Read some tokens, then the same again: a loss for each token but the first, and the probe."""
    probe, losses, text = Probe(model, None, dict.fromkeys(ablated)), [], words + words
    for token, target in zip(text, text[1:]):
        losses.append(loss_of(model.logits(probe.read(token)), target))
    return losses, probe


def head_scores(weights, n):
    """{(block, head): (induction score, previous-token score)} for n tokens that were read twice."""
    return {head: (induction_score(rows, n), previous_score(rows)) for head, rows in weights.items()}


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


def scored_heads(losses, scores):
    """The losses of both rounds of twelve words, and two scores of the eight induction heads, in lines.

    The copying score is what the head adds directly to the logit of the right word, compared with the mean
    over all tokens: recorded, for the words of smollm2_scores.
    """
    copying = smollm2_results(f"copying {CHOSEN_ON[0]}")
    heads = [f"{b}.{h}" for b, h in smollm2_results("sets")["induction"]["best"]]
    for name, part in (("first", losses[:11]), ("second", losses[12:])):
        yield f"loss in the {name} round: " + " ".join(f"{loss:.1f}" for loss in part)
    yield "head             " + " ".join(f"{head:>4}" for head in heads)
    yield "induction score  " + " ".join(f"{scores[head][0]:.2f}" for head in heads)
    yield "copying score    " + " ".join(f"{copying[head]:.2f}" for head in heads)


def smollm2_ablations():
    """Rows of SmolLM2's mean losses: in the second round of each list of words, and on ordinary texts. Each
    is told with all heads, without the induction heads, and without the other heads that do most harm."""
    texts = {f"second round, list {i}": f"ablated {seed}" for i, seed in enumerate(TESTED_ON, 1)}
    texts |= {f"ordinary text {i + 1}": f"ordinary {i}" for i in range(len(ORDINARY))}
    found = {text: smollm2_results(name) for text, name in texts.items()}
    return [[text, *(losses[heads] for heads in ABLATED_TOGETHER)] for text, losses in found.items()]
