"""Record what lessons 21 and 21b show of SmolLM2: its heads' scores, ablations, patches.

    python3 tests/benchmarks/record_looking_inside.py            compare with what is recorded
    python3 tests/benchmarks/record_looking_inside.py --write    record it anew

It reads about 1,300 tokens, for 15 minutes of processor time and more. The file must be there: python3 -m
helpers fetch smollm2.
"""

import json
import math
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from helpers.course.lessons import lesson_21_circuits as inside  # noqa: E402
from helpers.course.lessons import lesson_21b_patching as patching  # noqa: E402
from helpers.course.models import smollm2  # noqa: E402
from helpers.course.models.packed import packed_linear  # noqa: E402

DIGITS, WITHIN = 4, 2e-4
HEADS = 8  # that are ablated together


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


def loss_on_repeats(model, words, cache, ablated=()):
    """The mean loss on the second copy but its first word, with heads ablated while it is read.

    cache holds what the model keeps of the first copy.
    """
    probe = inside.Probe(model, cache, dict.fromkeys(ablated))
    losses = [
        inside.loss_of(model.logits(probe.read(token)), target) for token, target in zip(words, words[1:])
    ]
    return math.fsum(losses) / len(losses)


def loss_when_ablated(model, words, ablated=()):
    """The same with heads ablated while both copies are read."""
    losses, _ = inside.read_twice(model, words, ablated)
    again = losses[len(words) :]
    return math.fsum(again) / len(again)


def loss_on_text(model, text, ablated=()):
    """The mean loss on a text but its first token, with heads ablated while it is read."""
    probe, tokens = inside.Probe(model, None, dict.fromkeys(ablated)), model.encode(text)
    losses = [
        inside.loss_of(model.logits(probe.read(token)), target) for token, target in zip(tokens, tokens[1:])
    ]
    return math.fsum(losses) / len(losses)


def patch_stream(model, prompt, other, answer, other_answer):
    """Read a prompt with a vector of another prompt in the residual stream, at one position after one block.

    The prompts have one different token. The result has a row for each block: the probabilities of the
    answer and the other answer, patched at this token, then patched at the last token.
    """
    tokens, others = model.encode(prompt), model.encode(other)
    [place] = [t for t, (a, b) in enumerate(zip(tokens, others, strict=True)) if a != b]
    probe, streams = inside.Probe(model), []
    for token in others:
        probe.read(token)
        streams.append(probe.stream)
    before, wanted = inside.Probe(model), [model.encode(text)[0] for text in (answer, other_answer)]
    for token in tokens[:place]:
        before.read(token)
    whole = inside.Probe(model, before.cache)
    for token in tokens[place:-1]:
        whole.read(token)
    rows = []
    for block in range(model.config["n_layer"]):
        row = []
        for patched, cache in ((place, before.cache), (len(tokens) - 1, whole.cache)):
            probe = inside.Probe(model, cache)
            for t in range(place if patched == place else patched, len(tokens)):
                x = probe.read(tokens[t], (block, streams[t][block]) if t == patched else None)
            logits = model.logits(x)
            row += [math.exp(-inside.loss_of(logits, i)) for i in wanted]
        rows.append(row)
    return rows


def direction(probe, one, other):
    """What a vector, added to the last stream, is multiplied by for its effect on the logit of one row of the
    output matrix minus that of another. The division of the final norm is kept as it was."""
    x, gains = probe.stream[-1], probe.model.parameters["output_norm.weight"]
    rms = math.sqrt(sum(value * value for value in x) / len(x) + probe.model.config["eps"])
    return [g * (a - b) / rms for g, a, b in zip(gains, one, other, strict=True)]


def added_along(probe, block, heads, toward):
    """What heads of a block, (block, head), add along a direction at the last token."""
    names = [(block, h) for h in range(probe.model.config["n_head"])]
    means = [probe.heads[name] if name in heads else [0.0] * len(probe.heads[name]) for name in names]
    [added] = packed_linear([sum(means, [])], probe.model.parameters[f"blk.{block}.attn_output.weight"])
    return sum(a * b for a, b in zip(added, toward, strict=True))


def copying_scores(model, words):
    """What each head adds directly to the logit of the right word in the second copy, compared with the mean
    over all tokens: the mean over the words but the first."""
    E = model.parameters["token_embd.weight"]
    mean = [0.0] * model.config["n_embd"]
    for i in range(len(E)):
        mean = [a + b / len(E) for a, b in zip(mean, E[i], strict=True)]
    probe, scores = inside.Probe(model), {}
    for token in words:
        probe.read(token)
    for token, answer in zip(words, words[1:]):
        probe.read(token)
        toward = direction(probe, E[answer], mean)
        for block, head in probe.heads:
            score = added_along(probe, block, [(block, head)], toward) / (len(words) - 1)
            name = f"{block}.{head}"
            scores[name] = scores.get(name, 0.0) + score
    return scores


def heads_of_block(model, block, prompt, other, answer, other_answer):
    """What the heads of a block do at the last token: a row for each head, one for all, and one for none.

    The row has what the head adds directly to the logit of the answer minus that of the other answer, then
    the probabilities of both if its mean of the values is that of the other prompt, then if it is ablated.
    The last row, of no head, has 0 and the probabilities as they are, twice.
    """
    *tokens, last = model.encode(prompt)
    before, source = inside.Probe(model), inside.Probe(model)
    for token in tokens:
        before.read(token)
    for token in model.encode(other):
        source.read(token)
    wanted = [model.encode(text)[0] for text in (answer, other_answer)]

    def chances(changed):
        logits = model.logits(inside.Probe(model, before.cache, changed).read(last))
        return [math.exp(-inside.loss_of(logits, i)) for i in wanted]

    plain = inside.Probe(model, before.cache)
    plain.read(last)
    toward = direction(plain, *(model.parameters["token_embd.weight"][i] for i in wanted))
    rows, names = [], [(block, h) for h in range(model.config["n_head"])]
    for group in ([name] for name in names), [names], [[]]:
        for heads in group:
            direct = added_along(plain, block, heads, toward)
            patched = chances({name: source.heads[name] for name in heads})
            rows.append([direct, *patched, *chances(dict.fromkeys(heads))])
    return rows


def best_heads(scores):
    """The heads with the largest scores, largest first."""
    return sorted(scores, key=scores.get, reverse=True)[:HEADS]


def other_heads(heads, scores, below, rng, same_blocks):
    """As many other heads whose score is below a number: of the same blocks, or of any block."""
    free = [head for head in sorted(scores) if scores[head] < below and head not in heads]
    if not same_blocks:
        return rng.sample(free, len(heads))
    chosen = []
    for block, _ in heads:
        chosen.append(rng.choice([head for head in free if head[0] == block and head not in chosen]))
    return chosen


def measure(model):
    """Yield the name and the result of each measurement."""
    texts = {}
    for seed in inside.CHOSEN_ON:
        words = inside.random_words(model.tokenizer, inside.WORDS, seed)
        losses, probe = inside.read_twice(model, words)
        texts[seed] = inside.head_scores(probe.weights, len(words))
        names = [f"{block}.{head}" for block, head in texts[seed]]
        scores = dict(zip(names, texts[seed].values(), strict=True))
        yield f"copying {seed}", copying_scores(model, words)
        yield f"text {seed}", {"words": model.decode(words), "losses": losses, "scores": scores}
    for patch in patching.PATCHES:
        yield f"patch {patch[0]}", patch_stream(model, *patch)
    for patch in patching.PATCHES[:2]:
        yield f"heads {patch[0]}", heads_of_block(model, patching.MOVES_THE_COUNTRY, *patch)
    means = [
        {head: sum(scores[head][i] for scores in texts.values()) / len(texts) for head in texts[seed]}
        for i in range(2)
    ]
    sets = {}
    for name, below, scores in zip(("induction", "previous"), (0.1, 0.3), means, strict=True):
        best = best_heads(scores)
        sets[name] = {"best": best}
        for draw in range(5):
            for where in ("same blocks", "anywhere"):
                rng = random.Random(draw)
                others = other_heads(best, scores, below, rng, where == "same blocks")
                sets[name][f"{where} {draw}"] = others
    yield "sets", sets
    for seed in inside.TESTED_ON:
        words = inside.random_words(model.tokenizer, inside.WORDS, seed)
        losses, probe = inside.read_twice(model, words)
        first = {name: [head[: len(words)] for head in rows] for name, rows in probe.cache.items()}
        row = {"words": model.decode(words), "losses": losses}
        row["none"] = loss_on_repeats(model, words, first)
        for name, heads in sets["induction"].items():
            row[name] = loss_on_repeats(model, words, first, heads)
        yield f"ablated {seed}", row
    for i, text in enumerate(inside.ORDINARY):
        heads = {"none": (), **sets["induction"]}
        losses = {name: loss_on_text(model, text, heads[name]) for name in inside.ABLATED_TOGETHER}
        yield f"ordinary {i}", losses
    for seed in inside.TESTED_ON:
        words = inside.random_words(model.tokenizer, inside.WORDS, seed)
        chosen = ("best", "same blocks 0", "same blocks 1", "anywhere 0", "anywhere 1")
        row = {name: loss_when_ablated(model, words, sets["previous"][name]) for name in chosen}
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
