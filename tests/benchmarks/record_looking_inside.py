"""Record what lesson 21 shows of SmolLM2: its heads' scores, ablations, the logit lens, patches.

    python3 tests/benchmarks/record_looking_inside.py            compare with what is recorded
    python3 tests/benchmarks/record_looking_inside.py --write    record it anew

It reads about 1,300 tokens, for 15 minutes of processor time and more. The file must be there: python3 -m
helpers fetch smollm2.
"""

import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from helpers.course.lessons import lesson_21_circuits as inside  # noqa: E402
from helpers.course.models import smollm2  # noqa: E402

DIGITS, WITHIN = 4, 2e-4


def rounded(value):
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {str(key): rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, (list, tuple)) else value


def close(a, b):
    if isinstance(a, float):
        return abs(a - b) <= WITHIN
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    return len(a) == len(b) and all(map(close, a, b)) if isinstance(a, list) else a == b


def measure(model):
    """Yield the name and the result of each measurement."""
    texts = {}
    for seed in inside.CHOSEN_ON:
        words = inside.random_words(model.tokenizer, inside.WORDS, seed)
        losses, probe = inside.read_twice(model, words)
        texts[seed] = inside.head_scores(probe.weights, len(words))
        names = [f"{block}.{head}" for block, head in texts[seed]]
        scores = dict(zip(names, texts[seed].values(), strict=True))
        yield f"text {seed}", {"words": model.decode(words), "losses": losses, "scores": scores}
    for prompt, answer in inside.PROMPTS.items():
        yield f"lens {prompt}", inside.lens(model, prompt, answer)
    for patch in inside.PATCHES:
        yield f"patch {patch[0]}", inside.patch_stream(model, *patch)
    means = [
        {head: sum(scores[head][i] for scores in texts.values()) / len(texts) for head in texts[seed]}
        for i in range(2)
    ]
    sets = {}
    for name, below, scores in zip(("induction", "previous"), (0.1, 0.3), means, strict=True):
        best = inside.best_heads(scores)
        sets[name] = {"best": best}
        for draw in range(5):
            for where in ("same blocks", "anywhere"):
                rng = random.Random(draw)
                others = inside.other_heads(best, scores, below, rng, where == "same blocks")
                sets[name][f"{where} {draw}"] = others
    yield "sets", sets
    for seed in inside.TESTED_ON:
        words = inside.random_words(model.tokenizer, inside.WORDS, seed)
        losses, probe = inside.read_twice(model, words)
        first = {name: [head[: len(words)] for head in rows] for name, rows in probe.cache.items()}
        row = {"words": model.decode(words), "losses": losses}
        row["none"] = inside.loss_on_repeats(model, words, first)
        for name, heads in sets["induction"].items():
            row[name] = inside.loss_on_repeats(model, words, first, heads)
        yield f"ablated {seed}", row
    for i, text in enumerate(inside.ORDINARY):
        heads = {"none": (), **sets["induction"]}
        losses = {name: inside.loss_on_text(model, text, heads[name]) for name in inside.ON_ORDINARY}
        yield f"ordinary {i}", losses
    for seed in inside.TESTED_ON:
        words = inside.random_words(model.tokenizer, inside.WORDS, seed)
        chosen = ("best", "same blocks 0", "same blocks 1", "anywhere 0", "anywhere 1")
        row = {name: inside.loss_when_ablated(model, words, sets["previous"][name]) for name in chosen}
        yield f"ablated throughout {seed}", row


if __name__ == "__main__":
    model, results = smollm2.read_smollm2(*sys.argv[2:]), {}
    for name, result in measure(model):
        results[name] = json.loads(json.dumps(rounded(result)))
        print(name, str(results[name])[:300], flush=True)
        if sys.argv[1:2] == ["--write"]:
            lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in results.items()]
            inside.RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    recorded = json.loads(inside.RECORDED.read_text(encoding="utf-8"))
    assert close(results, recorded), [
        name for name in results if not close(results[name], recorded.get(name))
    ]
    print(len(results), "results are as recorded")
