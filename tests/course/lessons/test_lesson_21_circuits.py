"""Lesson 21's forward passes, hooks, scores and records: by hand, by finite differences, and by second
ways to compute them."""

import json
import math
import random
import struct

import pytest
from gguf_writer import tiny_model
from gradient_checks import derivative_at
from tables import assert_close, numbers_in

from helpers import add, linear, rms_norm, rope
from helpers.course.lessons import lesson_21_circuits as lesson

WEIGHTS = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.5, 0.5, 0.0, 0.0, 0.0],
    [0.1, 0.9, 0.0, 0.0, 0.0],
    [0.2, 0.6, 0.1, 0.1, 0.0],
    [0.0, 0.1, 0.7, 0.1, 0.1],
]


def test_scores_by_hand():
    assert lesson.induction_score(WEIGHTS, 3) == pytest.approx((0.6 + 0.7) / 2)
    assert lesson.induction_score(WEIGHTS, 2) == pytest.approx((0.9 + 0.1 + 0.1) / 3)
    assert lesson.previous_score(WEIGHTS) == pytest.approx((0.5 + 0.9 + 0.1 + 0.1) / 4)
    scores = lesson.head_scores({(3, 1): WEIGHTS}, 3)
    assert scores[3, 1] == pytest.approx((0.65, 0.4))


def test_a_sequence_repeats_and_begins_with_different_letters():
    rng = random.Random(3)
    for least, most, length in ((3, 6, 16), (8, 8, 16), (1, 1, 5), (3, 6, 40)):
        for _ in range(50):
            tokens = lesson.repeated_letters(rng, least, most, length)
            n = lesson.period_of(tokens)
            assert len(tokens) == length and least <= n <= most and len({*tokens}) == n
            assert all(a == b for a, b in zip(tokens, tokens[n:]))


def second_look(p, tokens):
    """The logits of the small model, number by number."""
    D, k = 16, 8

    def norm(x, gamma):
        rms = math.sqrt(sum(v * v for v in x) / D + 1e-5)
        return [g * v / rms for v, g in zip(x, gamma)]

    def times(W, x):
        return [sum(w * v for w, v in zip(row, x)) for row in W]

    X = [list(p["E"][token]) for token in tokens]
    for b in "01":
        Z, new = [norm(x, p[f"{b}.norm"]) for x in X], [list(x) for x in X]
        for h in "01":
            Q, K, V = ([times(p[f"{b}.{h}.W_{name}"], z) for z in Z] for name in "QKV")
            Q, K = (rope(A, list(range(len(A))), 100.0) for A in (Q, K))
            for t, q in enumerate(Q):
                e = [math.exp(sum(a * c for a, c in zip(q, K[s])) / math.sqrt(k)) for s in range(t + 1)]
                read = [sum(w * V[s][j] for s, w in enumerate(e)) / sum(e) for j in range(k)]
                new[t] = [x + y for x, y in zip(new[t], times(p[f"{b}.{h}.W_O"], read))]
        X = new
    return [times(p["W_lm"], norm(x, p["norm"])) for x in X]


def test_the_small_model_is_the_one_that_a_second_program_computes():
    parameters, tokens = lesson.start_copying(3), [0, 5, 2, 7, 0, 5, 2]
    logits, inside = lesson.look_inside(parameters, tokens)
    assert_close(logits, second_look(parameters, tokens))
    embedded = [parameters["E"][token] for token in tokens]
    both = add(add(embedded, inside["0.0"]), inside["0.1"])
    assert_close(inside["0"], both)
    heads = [f"{block}.{head}{what}" for block in "01" for head in "01" for what in (" weights", "")]
    assert list(inside) == [*heads[:4], "0", *heads[4:], "1"]


def test_gradients_of_the_small_model_by_finite_differences():
    parameters, rng = lesson.start_copying(2), random.Random(4)
    batch = [lesson.repeated_letters(rng, length=9) for _ in range(2)]
    loss, gradients = lesson.copy_gradients(parameters, batch)
    losses = []
    for tokens in batch:
        for row, target in zip(second_look(parameters, tokens[:-1]), tokens[1:]):
            losses.append(math.log(sum(math.exp(x) for x in row)) - row[target])
    assert loss == pytest.approx(sum(losses) / len(losses), abs=1e-12)
    assert gradients.keys() == parameters.keys()
    for name, value in parameters.items():
        place = (0, 1) if isinstance(value[0], list) else (1,)
        measured = derivative_at(lambda p: lesson.copy_gradients(p, batch)[0], parameters, name, *place)
        found = gradients[name][0] if isinstance(value[0], list) else gradients[name]
        assert found[1] == pytest.approx(measured, abs=1e-8), name


def test_an_ablated_head_adds_nothing_and_the_others_what_they_did():
    parameters, tokens = lesson.start_copying(5), [1, 4, 2, 1, 4]
    _, before = lesson.look_inside(parameters, tokens)
    _, after = lesson.look_inside(parameters, tokens, lesson.ablation("0.1"))
    assert {x for row in after["0.1"] for x in row} == {0.0}
    assert after["0.0"] == before["0.0"] and after["1.0"] != before["1.0"]
    _, late = lesson.look_inside(parameters, tokens, lesson.ablation("1.0"))
    assert late["0.1"] == before["0.1"] and late["0"] == before["0"] and late["1"] != before["1"]


def test_the_stream_is_the_embedding_and_what_the_four_heads_add():
    """So direct logit attribution leaves nothing out: before the final norm the parts sum to the stream."""
    parameters, tokens = lesson.start_copying(5), [1, 4, 2, 1, 4]
    logits, inside = lesson.look_inside(parameters, tokens)
    stream = [parameters["E"][token] for token in tokens]
    for head in lesson.COPY_HEADS:
        stream = add(stream, inside[head])
    assert_close(stream, inside["1"])
    assert_close(linear(rms_norm(stream, parameters["norm"]), parameters["W_lm"]), logits)


def test_the_loss_on_repeats_leaves_the_first_letters_out():
    parameters, tokens = lesson.start_copying(1), [6, 0, 3, 6, 0, 3, 6]
    rows = second_look(parameters, tokens[:-1])
    losses = [math.log(sum(map(math.exp, row))) - row[target] for row, target in zip(rows, tokens[1:])]
    # positions 3 to 5 read a letter that came before
    assert lesson.repeat_loss(parameters, [tokens]) == pytest.approx(sum(losses[3:]) / 3)


@pytest.mark.parametrize(
    "sequence, likely, expected",
    [  # abcd reads abcdabcd + b, which is followed by c, and + c, followed by d; a is the oldest
        ([0, 1, 2, 3, 0, 1], {1: 2, 2: 3}, (2, 2, 0)),
        ([0, 1, 2, 3, 0, 1], {1: 0, 2: 0}, (2, 0, 2)),
        ([0, 1, 2, 3, 0, 1], {1: 3, 2: 3}, (2, 1, 0)),
        ([5, 7, 6, 5], {7: 6}, (1, 1, 0)),
        ([5, 7, 6, 5], {7: 5}, (1, 0, 1)),
        ([5, 7, 5], {}, (0, 0, 0)),  # of two letters, no jump tells the rules apart
    ],
)
def test_jumps_by_hand(monkeypatch, sequence, likely, expected):
    """likely: the most likely letter after each letter to which the sequence jumps."""

    def look(parameters, tokens):
        first = sequence[: lesson.period_of(sequence)]
        assert tokens[:-1] == first * 2
        logits = [[0.0] * 8] * (len(tokens) - 1) + [[float(i == likely[tokens[-1]]) for i in range(8)]]
        after = [t > 0 and tokens[t - 1] == tokens[-1] for t in range(len(tokens))]  # two positions
        weights = [0.375 if of_the_answer else 0.25 / (len(tokens) - 2) for of_the_answer in after]
        return logits, {"1.1 weights": [weights]}

    monkeypatch.setattr(lesson, "look_inside", look)
    *counts, attention = lesson.after_jumps({}, [sequence])
    assert tuple(counts) == expected
    assert attention == pytest.approx(0.75 if expected[0] else 0.0)


def test_training_writes_down_what_it_watches_and_gives_single_precision():
    watched, settings = [], {**lesson.COPY_SETTINGS, "steps": 3, "batch_size": 1}
    parameters = lesson.train_copying(1, watched, every=2, settings=settings)
    assert [step for step, *_ in watched] == [0, 2]
    assert watched[0][2] == lesson.start_copying(1) and parameters != watched[1][2]
    numbers = numbers_in(list(parameters.values()))
    assert len(numbers) == 2352
    assert all(struct.unpack("f", struct.pack("f", x)) == (x,) for x in numbers)


def test_a_probe_computes_what_the_llama_computes():
    model = tiny_model()
    tokens = [3, 1, 7, 7, 2]
    probe, cache = lesson.Probe(model), None
    for token in tokens:
        got = probe.read(token)
        expected, cache = model.read(token, cache)
        assert got == pytest.approx(expected, abs=1e-9)
    H, L = model.config["n_head"], model.config["n_layer"]
    assert len(probe.stream) == L and len(probe.weights) == L * H
    assert all([len(row) for row in rows] == [1, 2, 3, 4, 5] for rows in probe.weights.values())
    assert all(sum(row) == pytest.approx(1) for rows in probe.weights.values() for row in rows)


def test_a_probe_ablates_and_patches():
    model = tiny_model()
    L = model.config["n_layer"]
    plain, other = lesson.Probe(model), lesson.Probe(model)
    x, y = plain.read(3), other.read(5)
    assert x != y
    patched = lesson.Probe(model)
    assert patched.read(3, (L - 1, other.stream[-1])) == y  # the last block's output is all that counts
    assert patched.stream[:-1] == plain.stream[:-1]
    everything = {(b, h) for b in range(L) for h in range(model.config["n_head"])}
    ablated = lesson.Probe(model, changed=dict.fromkeys(everything))
    ablated.read(3)
    assert ablated.stream[0] != plain.stream[0]
    assert {x for vector in ablated.heads.values() for x in vector} == {0.0}


def test_a_probe_takes_what_a_head_gave_in_another_run():
    model = tiny_model()
    plain, other = lesson.Probe(model), lesson.Probe(model)
    x, _ = plain.read(3), other.read(5)
    head = (model.config["n_layer"] - 1, 0)
    changed = lesson.Probe(model, changed={head: other.heads[head]})
    assert changed.read(3) != x and changed.heads[head] == other.heads[head] != plain.heads[head]
    assert changed.stream[:-1] == plain.stream[:-1]  # only the last block has another vector
    same = lesson.Probe(model, changed={head: plain.heads[head]})
    assert same.read(3) == x


def test_the_record_holds_what_the_lesson_shows():
    results = json.loads(lesson.RECORDED.read_text(encoding="utf-8"))
    for seed in lesson.CHOSEN_ON:
        found = results[f"text {seed}"]
        assert len(found["losses"]) == 2 * lesson.WORDS - 1 and len(found["scores"]) == 270
    for i, name in enumerate(("induction", "previous")):
        both = [results[f"text {seed}"]["scores"] for seed in (1, 2)]
        means = {head: (both[0][head][i] + both[1][head][i]) / 2 for head in both[0]}
        draws = {draw: [f"{b}.{h}" for b, h in heads] for draw, heads in results["sets"][name].items()}
        best = draws.pop("best")
        assert best == sorted(means, key=means.get, reverse=True)[: len(best)] and len(best) == 8
        assert not {head for heads in draws.values() for head in heads} & {*best}


def test_the_ablated_heads_are_told_as_recorded():
    """On each list, the table has the worst of ten draws of other heads; the text names the largest."""
    table = lesson.smollm2_ablations()
    for seed, row in zip(lesson.TESTED_ON, table):
        losses = lesson.smollm2_results(f"ablated {seed}")
        draws = [losses[f"{where} {i}"] for where in ("same blocks", "anywhere") for i in range(5)]
        assert row[1:] == [losses["none"], losses["best"], max(draws)]
    assert all(best > 10 and f"{worst:.2f}" <= "8.75" for _, _, best, worst in table[1:4])
    assert table[4][1:] == [4.0942, 4.106, 4.4805]


def test_some_induction_heads_copy_directly_and_others_hardly():
    """On both lists: 23.2 and 23.7 are among the three largest of all heads, and 18.6 is far below."""
    for seed in lesson.CHOSEN_ON:
        scores = lesson.smollm2_results(f"copying {seed}")
        assert scores.keys() == lesson.smollm2_results(f"text {seed}")["scores"].keys()
        largest = sorted(scores, key=scores.get, reverse=True)[:3]
        assert {"23.2", "23.7"} <= {*largest} and scores["18.6"] < 0.2


def test_keys_and_values_may_come_from_other_rows():
    """The weights depend on queries and keys only, and what is added is linear in the values."""
    parameters = lesson.start_copying(3)
    rows, other = ([[float((i * j + k) % 5) - 2 for j in range(16)] for i in range(1, 5)] for k in (0, 2))
    weights, added = lesson.one_head(parameters, "1.1", rows)
    with_values, half = lesson.one_head(parameters, "1.1", rows, values=other)
    assert with_values == weights and half != added
    twice = [[2 * x for x in row] for row in rows]
    assert_close(
        lesson.one_head(parameters, "1.1", rows, values=twice)[1], [[2 * x for x in row] for row in added]
    )
    assert lesson.one_head(parameters, "1.1", rows, keys=other)[0] != weights
    assert (
        lesson.one_head(parameters, "1.1", other)[1]
        == lesson.one_head(parameters, "1.1", other, other, other)[1]
    )


def test_what_was_not_recorded_is_refused_with_a_sentence():
    with pytest.raises(LookupError, match="lens 7 was not recorded; there are"):
        lesson.smollm2_results("lens 7")
