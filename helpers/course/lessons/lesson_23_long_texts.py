"""Lesson 23: windows on the stories by distance, and a model that finds a passkey."""

import math
import random
import types

from ...attention import attention_scores, sliding_window_mask
from ...gpt import BLOCK_PARAM_SHAPES
from ...parameters import random_matrix, single_precision, tree_map
from ..engine import fast_tape, faster, mean_gradients, operations
from ..training.loop import descend
from ..training.stories import RICH_RULE, encode_story, tell_story

# --- the stories by distance


def look_ups(story):
    """(index of a word, distance) for each name, thing and so on that the story has mentioned once before.

    The word is predicted from the word before it. The distance is that from this word to the mention.

    >>> look_ups("mia has a hat . tom wants the hat")
    [(8, 4)]
    """
    words = story.split()
    content = {word for kind, some in RICH_RULE.items() if kind != "plots" for word in some}
    return [
        (i, i - 1 - words.index(word))
        for i, word in enumerate(words)
        if word in content and words[:i].count(word) == 1
    ]


def windowed_losses(model, tokens, windows):
    """The loss of each token but the first, with one window for each block; None is a block without."""
    config, p = model["config"], model["parameters"]
    f = faster()
    positions = f["embedding"](list(range(len(tokens) - 1)), p["wpe.weight"])
    X = f["add"](f["embedding"](tokens[:-1], p["wte.weight"]), positions)
    for i, w in enumerate(windows):
        block = {name: p[f"h.{i}.{name}"] for name in BLOCK_PARAM_SHAPES}
        X = windowed_block(w)(block, X, config["n_head"])["out"]
    normed = f["layer_norm"](X, p["ln_f.weight"], p["ln_f.bias"])
    return f["token_losses"](f["linear"](normed, p["wte.weight"]), tokens[1:])


def windowed_block(w, made={}):
    """block_forward with the mask of a window of w positions; with the causal mask for None."""
    if w not in made:
        mask = {} if w is None else {"causal_mask": lambda T: sliding_window_mask(T, w)}
        made[w] = faster(**mask)["block_forward"]
    return made[w]


def drawn_stories(rng, n):
    return [tell_story(RICH_RULE, rng) for _ in range(n)]


def losses_by_distance(model, stories, windows, ranges):
    """The mean loss of the words that are looked up, for each range of distances."""
    found = [[] for _ in ranges]
    for story in stories:
        losses = windowed_losses(model, encode_story(story, model["vocab"]), windows)
        for i, distance in look_ups(story):
            for entry, distances in zip(found, ranges):
                if distance in distances:
                    entry.append(losses[i])
    return [math.fsum(entry) / len(entry) for entry in found]


# --- a passkey in a long text

LETTERS, DIGITS, D, HEADS = 8, 8, 16, 2
DIGIT, LETTER = LETTERS + DIGITS, LETTERS + DIGITS + 1  # the two questions, as tokens
VOCAB = LETTER + 1
MAX_LETTERS, BASE = 16, 100.0  # in training


def passkey_text(rng, T, question):
    """T random letters, one of them replaced by a random digit, then a question; and its answer.

    DIGIT asks for the digit, wherever it is. LETTER asks for the token just before the question.
    """
    tokens = [rng.randrange(LETTERS) for _ in range(T)]
    digit = LETTERS + rng.randrange(DIGITS)
    tokens[rng.randrange(T)] = digit
    return [*tokens, question], digit if question == DIGIT else tokens[-1]


def passkey_parameters(rng, layers=1):
    """Random parameters: an embedding, four matrices and two scales for each layer, an output matrix."""
    parameters = {"E": random_matrix(rng, VOCAB, D, 1.0)}
    for i in range(layers):
        parameters |= {f"{i}.W_{name}": random_matrix(rng, D, D, D**-0.5) for name in "QKVO"}
        parameters |= {f"{i}.gamma_{name}": [1.0] * (D // HEADS) for name in "QK"}
    parameters["W_out"] = random_matrix(rng, VOCAB, D, D**-0.5)
    return tree_map(single_precision, parameters)


def passkey_logits(f, p, tokens, base=BASE, windows=(None,), normed=False, rope=None):
    """The logits of the answer, by layers of attention that add to the residual stream.

    f is a namespace of operations, as in six_step_model. windows has an entry for each layer. normed: an
    RMSNorm on each query and key. rope takes the place of f.rope.
    """
    rope, T, X = rope or f.rope, len(tokens), f.embedding(tokens, p["E"])
    for i, w in enumerate(windows):
        asked = [T - 1] if i == len(windows) - 1 else list(range(T))  # the last layer: one query
        x, mask = f.embedding(asked, X), sliding_window_mask(T, w or T)
        Q, K, V = (f.split_heads(f.linear(Y, p[f"{i}.W_{name}"]), HEADS) for name, Y in zip("QKV", (x, X, X)))
        if normed:
            Q, K = ([f.rms_norm(Z, p[f"{i}.gamma_{name}"]) for Z in ZZ] for name, ZZ in (("Q", Q), ("K", K)))
        heads = [
            f.attention(rope(q, asked, base), rope(k, list(range(T)), base), v, [mask[t] for t in asked])
            for q, k, v in zip(Q, K, V)
        ]
        X = f.add(x, f.linear(f.merge_heads(heads), p[f"{i}.W_O"]))
    return f.linear(X, p["W_out"])


def train_passkey(seed=42, steps=400, lr=0.01, layers=1, questions=(DIGIT, LETTER), **model):
    """The parameters after each step, as descend gives them: eight texts a step, of 4 to MAX_LETTERS letters.

    model is what passkey_logits takes: base, windows, normed.
    """
    rng = random.Random(seed)

    def gradients_of(parameters):
        parts = []
        for _ in range(8):
            tokens, target = passkey_text(rng, rng.randint(4, MAX_LETTERS), rng.choice(questions))
            tape = fast_tape()
            p = tape.watch(parameters)
            losses = tape.token_losses(passkey_logits(tape, p, tokens, **model), [target])
            tape.backward(tape.dot(losses, [1.0]))
            parts.append((losses.value, tape.gradients(p)))
        return mean_gradients(parts)

    return descend(passkey_parameters(rng, layers), gradients_of, steps, lr, (0.9, 0.95), max_norm=1.0)


def right_answers(parameters, T, question=DIGIT, n=100, **model):
    """The fraction of right answers on n texts of T letters."""
    rng, right = random.Random(T), 0
    for _ in range(n):
        tokens, target = passkey_text(rng, T, question)
        logits = passkey_logits(operations(), parameters, tokens, **model)[0]
        right += logits.index(max(logits)) == target
    return right / n


def largest_score(parameters, T=MAX_LETTERS, n=20, **model):
    """The largest attention score, in size, on n texts of T letters."""
    rng, found = random.Random(T), [0.0]

    def watched(Q, K, V, mask):
        found.extend(abs(score) for row in attention_scores(Q, K) for score in row)
        return operations().attention(Q, K, V, mask)

    f = types.SimpleNamespace(**{**vars(operations()), "attention": watched})
    for _ in range(n):
        passkey_logits(f, parameters, passkey_text(rng, T, DIGIT)[0], **model)
    return max(found)
