"""What lesson 23 says about windows in training, and about the passes that drafts from the text save.

windows: trains five small models with RoPE, two minutes on a free core: they find a digit, by distance.
drafts: SmolLM2 checks drafts of prompt lookup in one pass; needs its file, three minutes. Both stop with an
AssertionError where the lesson says something else.
"""

import random
import time

from helpers.course.engine import operations
from helpers.course.lessons.lesson_23_long_texts import (
    DIGIT,
    LETTERS,
    MAX_LETTERS,
    passkey_logits,
    passkey_text,
    train_passkey,
)
from helpers.course.models.smollm2 import one_question, read_smollm2

from . import told

SEEDS = 42, 1, 2, 3, 4
RANGES = range(1, 6), range(6, 11), range(11, 17)  # one window of 6; a second one on top; further away
WINDOWS = 6, 6
REQUEST = (
    "Repeat this text: The old ship left the harbour of Lisbon in the morning. "
    "The new ship left the harbour of Lisbon in the evening."
)


def right_by_distance(parameters, windows, n=600):
    """The fraction of right answers, by the distance of the digit from the question."""
    rng, found = random.Random(1), [[] for _ in RANGES]
    for _ in range(n):
        tokens, target = passkey_text(rng, MAX_LETTERS, DIGIT)
        (place,) = [i for i, token in enumerate(tokens[:-1]) if token >= LETTERS]
        logits = passkey_logits(operations(), parameters, tokens, windows=windows)[0]
        for entry, distances in zip(found, RANGES):
            if MAX_LETTERS - place in distances:
                entry.append(logits.index(max(logits)) == target)
    return [sum(entry) / len(entry) for entry in found]


def windows(seeds=SEEDS):
    rows = []
    for seed in seeds:
        *_, (_, _, parameters) = train_passkey(seed, 200, layers=2, questions=[DIGIT], windows=WINDOWS)
        rows.append(right_by_distance(parameters, WINDOWS))
        print(seed, *(f"{x:.2f}" for x in rows[-1]), flush=True)
    if seeds == SEEDS:
        farther = [row[1] for row in rows]
        told(f"a digit 6 to 10 positions back in {min(farther):.2f} to {max(farther):.2f} of the texts")


def prompt_lookup(document, m, n):
    """Draft the tokens that followed the last m tokens where these stood last before, at most n of them.

    Source: Saxena 2023, Prompt Lookup Decoding.
    """
    for i in range(len(document) - m - 1, -1, -1):
        if document[i : i + m] == document[-m:]:
            return document[i + m : i + m + n]
    return []


def reply_with_drafts(model, tokens, n, most):
    """The most likely reply, and the seconds of its passes by their number of tokens: each checks a draft of
    prompt lookup at once."""
    tokens, begin, seconds = [*tokens], len(tokens), {}
    _, cache = model.forward(model.config, model.parameters, tokens[:-1])
    while model.end not in tokens[begin:] and len(tokens) - begin < most:
        new = [tokens[-1], *prompt_lookup(tokens, 2, n)]
        started = time.process_time()
        X, cache = model.forward(model.config, model.parameters, new, cache)
        rows = [model.logits(x) for x in X]
        seconds.setdefault(len(new), []).append(time.process_time() - started)
        best = [row.index(max(row)) for row in rows]
        accepted = next((i for i, token in enumerate(new[1:]) if token != best[i]), len(new) - 1)
        tokens += best[: accepted + 1]
        cache = {name: [head[: len(tokens) - 1] for head in heads] for name, heads in cache.items()}
    reply = [*tokens[begin:], model.end]
    return reply[: reply.index(model.end)], seconds


def drafts():
    """SmolLM2 repeats a text, with drafts of four tokens, found by the last two: the passes of the lesson."""
    model = read_smollm2()
    reply, seconds = reply_with_drafts(model, model.encode(one_question(REQUEST)), 4, 60)
    print(repr(model.decode(reply)), {k: [round(s, 1) for s in some] for k, some in seconds.items()})
    told(
        f"repeats a text of {len(reply)} tokens in {sum(map(len, seconds.values()))} passes, "
        "of which 6 check a draft of four tokens"
    )
    assert len(seconds[5]) == 6, f"{len(seconds[5])} passes check a draft of four tokens"


PARTS = {"windows": windows, "drafts": drafts}
