"""Lesson 21b: activations of another run, in the small model of lesson 21 and in SmolLM2."""

from ...attention import softmax
from .lesson_21_circuits import faster_with_rope, look_inside, one_head, smollm2_results

PATCHES = [
    ("The capital of France is", "The capital of Italy is", " Paris", " Rome"),
    ("The capital of Germany is", "The capital of Spain is", " Berlin", " Madrid"),
    ("The opposite of hot is", "The opposite of big is", " cold", " small"),
]
MOVES_THE_COUNTRY = 23  # the block


def patch(saved, *targets):
    """A hook: for each target, (name, position), the row of another run takes the place of this run's."""

    def hook(name, rows):
        return [saved[name][t] if (name, t) in targets else row for t, row in enumerate(rows)]

    return hook


def with_parts(parameters, tokens, other, letter):
    """Rows of the probability of a letter after the tokens, if head 1.1 computes nothing, its keys or its
    values at this letter from the stream of another sequence of the same length."""
    f, token = faster_with_rope(), "abcdefgh".index(letter)
    streams = [look_inside(parameters, read)[1]["0"] for read in (tokens, other)]
    here, there = (f["rms_norm"](stream, parameters["1.norm"]) for stream in streams)
    mixed, rows = [b if t == token else a for a, b, t in zip(here, there, tokens, strict=True)], []
    for name, parts in ("nothing", {}), ("the keys", {"keys": mixed}), ("the values", {"values": mixed}):
        _, added = one_head(parameters, "1.1", here, **parts)
        logits, _ = look_inside(parameters, tokens, lambda name, rows: added if name == "1.1" else rows)
        rows.append([name, softmax(logits[-1])[token]])
    return rows


def patch_lines(prompt, word):
    """The probability of the other answer against the block after which one vector was patched: at the word
    in which the prompts differ, and at the last token."""
    rows = smollm2_results(f"patch {prompt}")
    last = prompt.split()[-1]
    names = {f"at {word}": 1, f"at {last}, after {word}": 3}
    return {name: [(b, row[i]) for b, row in enumerate(rows)] for name, i in names.items()}


def smollm2_heads(*prompts):
    """A row for each head of the block that moves the country, then for all nine, then for none. For each
    prompt it has the probability of the other answer, if the head gives what it gives in the other prompt,
    and that of the answer, if the head is ablated."""
    found = [smollm2_results(f"heads {prompt}") for prompt in prompts]
    names = [f"{MOVES_THE_COUNTRY}.{h}" for h in range(len(found[0]) - 2)]
    return [
        [name, *(chance for row in rows for chance in row[2:4])]
        for name, *rows in zip([*names, "all nine", "none"], *found, strict=True)
    ]
