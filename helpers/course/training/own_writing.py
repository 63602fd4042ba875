"""Texts from a named model, or from counts, and how much of them is copied from the text."""

import math
import random

from ...sampling import min_p, sample, softmax_with_temperature, top_k, top_p
from ..engine import faster
from .counts import interpolated_probabilities
from .own_text import LIST, encoded

COPY_LENGTH = 20  # characters; a shorter piece may be in both texts by chance
MIN_DRAWN, MAX_DRAWN = 20, 200
WRITTEN = 1000  # characters of a running text that are looked at for copies
LENGTH = {"letters": 300, "words": 60, "pieces": 150}  # tokens of a running text
CHAT = ("<BOS>", "<user>", "<line>", "<model>")  # what stands before an answer of lesson 25's model
NO_SPACE_BEFORE = set(".,;:!?)")


def sampling_rule(rng, temperature=1.0, k=None, p=None, smallest=None, most_likely=False):
    """The rule that draws a token from logits: temperature, then top-k, top-p and min-p, as in lesson 15."""

    def choose(logits):
        if most_likely:
            return logits.index(max(logits))
        probabilities = softmax_with_temperature(logits, temperature)
        if k:
            probabilities = top_k(probabilities, min(k, len(probabilities)))
        if p:
            probabilities = top_p(probabilities, p)
        if smallest:
            probabilities = min_p(probabilities, smallest)
        return sample(probabilities, rng)

    return choose


def prompt_tokens(prompt, model):
    """The tokens that a text begins with; a capital letter is read as a small one where the model knows no
    capitals. ValueError for what the model cannot read."""
    vocab = model["vocab"]
    ids, specials = {token: i for i, token in enumerate(vocab)}, {*vocab[:3], *CHAT}
    words = model["unit"] == "words"
    parts = split_words(prompt) if words else list(prompt)
    parts = [part if part in ids or part.lower() not in ids else part.lower() for part in parts]
    for part in parts:
        if part not in ids or part in specials:
            known = [token for token in vocab[3:] if not token.isspace() and (words or len(token) == 1)]
            listed = " ".join(known[:80]) + (" …" if len(known) > 80 else "")
            what = "the word " if words else ""
            raise ValueError(
                f"The prompt holds {what}{part!r}, which the model has never read; write with {listed}"
            )
    most = model["config"]["n_positions"] - len(beginning(model))
    if model["kind"] == LIST and len(parts) > most:
        noun = "words" if words else "characters"
        raise ValueError(
            f"The prompt has {len(parts)} {noun}, and the model has positions for {most}: shorten it"
        )
    if model["unit"] == "pieces":
        return [*beginning(model), *encoded(["".join(parts)], model)[0][1:-1]]
    return [*beginning(model), *(ids[part] for part in parts)]


def beginning(model):
    """What stands before a text: a running text begins with a new line, an answer with its prompt."""
    vocab = model["vocab"]
    if {*CHAT} <= {*vocab}:
        return [vocab.index(token) for token in CHAT]
    return [vocab.index("\n") if model["kind"] != LIST and "\n" in vocab else vocab.index("<BOS>")]


def split_words(prompt):
    for mark in NO_SPACE_BEFORE:
        prompt = prompt.replace(mark, f" {mark}")
    return prompt.split()


def spelled(tokens, model):
    """What tokens spell, without the special ones."""
    parts = [model["vocab"][token] for token in tokens if token > 2]
    parts = [part for part in parts if part not in CHAT]
    if model["unit"] != "words":
        return "".join(parts)
    return "".join(part if part in NO_SPACE_BEFORE or not i else f" {part}" for i, part in enumerate(parts))


def write_tokens(model, tokens, choose, most):
    """At most so many tokens after the given ones, until the end of the text.

    Where all positions are taken, a list ends; a running text goes on from the second half of what it sees.
    """
    config, parameters, end = model["config"], model["parameters"], model["vocab"].index("<EOS>")
    P, step, written = config["n_positions"], faster()["decode_step"], []
    uncached, cache, cached = list(tokens[-P:]), None, 0
    seen = list(uncached)
    while len(written) < most:
        for token in uncached:
            logits, cache = step(config, parameters, token, cache)
        cached += len(uncached)
        token = choose(logits)
        if token == end:
            break
        written.append(token)
        seen.append(token)
        uncached = [token]
        if cached == P:
            if model["kind"] == LIST:
                break
            seen = seen[-(P // 2 + 1) :]
            uncached, cache, cached = list(seen), None, 0
    return written


def draw_text(model, prompt, choose, length=None):
    """One text that begins with the prompt."""
    tokens = prompt_tokens(prompt, model)
    most = length or (LENGTH[model["unit"]] if model["kind"] != LIST else math.inf)
    written = spelled(write_tokens(model, tokens, choose, most), model)
    space = (
        " " if model["unit"] == "words" and prompt and written and written[0] not in NO_SPACE_BEFORE else ""
    )
    return prompt + space + written


def generate_by_counts(tables, V, strength, tokens, rng, length, end):
    """Tokens drawn from interpolated n-grams, after the given ones, until the end token comes or there are
    so many; tables holds the counts of single tokens, of bigrams and so on.

    >>> tables = [{(): {1: 1, 2: 1}}, {(0,): {1: 1}, (1,): {2: 1}}]
    >>> generate_by_counts(tables, 3, 1e-9, [0], random.Random(1), 5, end=2)
    [0, 1, 2]
    """
    tokens = list(tokens)
    while len(tokens) < length and tokens[-1] != end:
        tokens.append(sample(interpolated_probabilities(tables, tokens, V, strength), rng))
    return tokens


def draw_by_counts(model, counts, rng, length=300):
    """One text drawn from counts, with the model's tokens."""
    most = model["config"]["n_positions"] + 1 if model["kind"] == LIST else length
    tokens, end = beginning(model), model["vocab"].index("<EOS>")
    tokens = generate_by_counts(counts["tables"], counts["V"], counts["strength"], tokens, rng, most, end)
    return spelled(tokens[1:], model)


def draws_to_compare(model, text, counts):
    """(texts from the counts, texts from the model), drawn at temperature 1."""
    if model["kind"] == LIST:
        n, length = 1 + sum(map(len, text["train"])) // len(text["train"]), None
        n = max(MIN_DRAWN, min(MAX_DRAWN, 3 * WRITTEN // n))
    else:
        n, length = 4, WRITTEN // 4
    rng = random.Random(7)
    by_counts = [draw_by_counts(model, counts, rng, length) for _ in range(n)]
    choose = sampling_rule(rng)
    if length and model["unit"] == "pieces":
        length //= 2  # a token has two characters or three
    return by_counts, [draw_text(model, "", choose, length) for _ in range(n)]


def memorized(drawn, text):
    """How much of some drawn texts stands in the training set: (number, of how many).

    In a list, whole lines; else all pieces of COPY_LENGTH characters.
    """
    if text["kind"] == LIST:
        known = set(text["train"])
        return sum(line in known for line in drawn), len(drawn)
    whole = "\n".join(text["train"])
    pieces = [each[i : i + COPY_LENGTH] for each in drawn for i in range(len(each) - COPY_LENGTH + 1)]
    return sum(piece in whole for piece in pieces), max(1, len(pieces))
