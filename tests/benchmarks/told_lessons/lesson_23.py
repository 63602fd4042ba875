"""What lesson 23 says about windows in training, and about the time of a pass over several tokens.

windows: trains ten small models with RoPE, three minutes on a free core: they find a digit, by distance.
drafts: SmolLM2 checks drafts of prompt lookup in one pass; needs its file, three minutes. Both stop with an
AssertionError where the lesson says something else.
"""

import random
import time

from helpers import prompt_lookup
from helpers.course.engine import operations
from helpers.course.lessons.lesson_23_long_texts import (
    DIGIT,
    LETTERS,
    MAX_LETTERS,
    REQUESTS,
    passkey_logits,
    passkey_text,
    train_passkey,
)
from helpers.course.models.smollm2 import one_question, read_smollm2

from . import told

SEEDS = 42, 1, 2, 3, 4
RANGES = range(1, 6), range(6, 11), range(11, 17)  # one window of 6; a second one on top; further away
WINDOWS = {"6 in both layers": (6, 6), "6 in the first layer": (6, None)}


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
    for name, pair in WINDOWS.items():
        rows = []
        for seed in seeds:
            run = train_passkey(seed, 200, layers=2, questions=[DIGIT], windows=pair)
            *_, (_, _, parameters) = run
            rows.append(right_by_distance(parameters, pair))
            print(name, seed, *(f"{x:.2f}" for x in rows[-1]), flush=True)
        if seeds == SEEDS:
            shares = [f"{min(column):.2f} to {max(column):.2f}" for column in zip(*rows)]
            told(f"{name} | " + " | ".join(shares))


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
    """SmolLM2 repeats a text, with drafts of four tokens: the passes that the lesson counts; their time."""
    model = read_smollm2()
    reply, seconds = reply_with_drafts(model, model.encode(one_question(REQUESTS["repeat a text"])), 4, 60)
    print(repr(model.decode(reply)), {k: [round(s, 1) for s in some] for k, some in seconds.items()})
    passes = sum(map(len, seconds.values()))
    assert (len(reply), passes) == (24, 9), f"{passes} passes for {len(reply)} tokens; the table has others"
    one, five = (sum(seconds[k]) / len(seconds[k]) for k in (1, 5))
    print(f"a pass over five tokens took {five / one:.1f} times as long as a pass over one")
    assert five > 4 * one, "drafts save time, and the lesson says that they do not"


PARTS = {"windows": windows, "drafts": drafts}
