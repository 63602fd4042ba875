"""Lesson 21's forward passes, hooks, scores and records: by hand, by finite differences, and by second
ways to compute them."""

import json
import math
import random
import struct

import pytest
from gguf_writer import tiny_model
from gradient_checks import derivative_at
from published import PUBLISHED
from tables import assert_close, numbers_in

from helpers import add, linear, rms_norm, rope, softmax
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
    assert scores[3, 1] == pytest.approx((0.65, 0.4, (0.1 + 0.2 + 0.0) / 3))


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


def test_a_patch_changes_one_row_of_one_activation():
    parameters = lesson.start_copying(5)
    _, saved = lesson.look_inside(parameters, [1, 4, 2, 1, 4])
    _, plain = lesson.look_inside(parameters, [3, 4, 2, 3, 4])
    _, patched = lesson.look_inside(parameters, [3, 4, 2, 3, 4], lesson.patch(saved, ("0.1", 1)))
    assert patched["0.1"] == [plain["0.1"][0], saved["0.1"][1], *plain["0.1"][2:]]
    assert patched["0.0"] == plain["0.0"]
    assert patched["0"][0] == plain["0"][0] and patched["0"][1] != plain["0"][1]
    # the whole stream of a run patched into another gives the run
    stream = [("0", t) for t in range(5)]
    _, whole = lesson.look_inside(parameters, [3, 4, 2, 3, 4], lesson.patch(saved, *stream))
    assert whole["1"] == saved["1"] and whole["0.0"] == plain["0.0"]


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
    for prompt, *_ in lesson.PATCHES:
        assert [len(row) for row in results[f"patch {prompt}"]] == [4] * 30


@pytest.mark.parametrize("country", ["France", "Germany"])
def test_the_country_moves_in_block_23(country):
    """As the text of the lesson says."""
    rows = lesson.smollm2_results(f"patch The capital of {country} is")
    at_country, at_last = ([row[i] for row in rows] for i in (1, 3))
    assert min(at_country[:23]) > 0.35 and max(at_country[23:]) < 0.005
    assert max(at_last[:23]) < 0.005 and min(at_last[23:]) > 0.3


def test_the_adjective_moves_less_suddenly():
    rows = lesson.smollm2_results("patch The opposite of hot is")
    at_word, at_last = ([row[i] for row in rows] for i in (1, 3))
    assert at_word[21] > 0.4 and at_word[22] < 0.05
    assert max(at_last[:25]) < 0.05 and at_last[25] > 0.1


def test_the_ablated_heads_are_told_as_recorded():
    """Three of the four lists are copied: their losses as they are, without the eight heads, and the worst of
    ten draws of others."""
    found = [lesson.smollm2_results(f"ablated {seed}") for seed in lesson.TESTED_ON]
    copied = [row for row in found if row["none"] < 10]
    [other] = [row for row in found if row not in copied]
    spans = [
        f"{min(values):.2f} to {max(values):.2f}"
        for values in ([row[n] for row in copied] for n in ("none", "best"))
    ]
    assert f"loss on the second copy is {spans[0]}" in PUBLISHED
    assert f"with the largest induction scores it is {spans[1]}" in PUBLISHED
    draws = [
        row[f"{where} {draw}"] for row in copied for where in ("same blocks", "anywhere") for draw in range(5)
    ]
    assert f"Without eight other heads, drawn ten times, it is at most {max(draws):.2f}" in PUBLISHED
    assert f"even with all heads: {other['none']:.2f}" in PUBLISHED
    first, second = (lesson.smollm2_results(f"ordinary {i}") for i in range(2))
    rises = [f"from {of['none']:.2f} to {of['best']:.2f}" for of in (first, second)]
    assert "only " + ", and ".join(rises) in PUBLISHED


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


def test_keys_or_values_at_one_letter_come_from_another_sequence():
    """Nothing changes if the sequence is the same, or the letter does not occur in it."""
    parameters = lesson.start_copying(4)
    tokens, other = [3, 1, 6, 1], [3, 2, 6, 1]
    plain = softmax(lesson.look_inside(parameters, tokens)[0][-1])
    for letter, sequence in ("g", tokens), ("c", other):
        for _, chance in lesson.with_parts(parameters, tokens, sequence, letter):
            assert chance == pytest.approx(plain["abcdefgh".index(letter)])
    found = lesson.with_parts(parameters, tokens, other, "b")  # the b at the end has read a c before it
    assert found[0][1] == pytest.approx(plain[1]) and len({chance for _, chance in found}) == 3


def test_one_head_moves_the_country():
    """As the text of the lesson says; the rows are of heads 0 to 8, of all nine, and of none."""
    for prompt, other in (("France", 0.47), ("Germany", 0.35)):
        rows = lesson.smollm2_results(f"heads The capital of {prompt} is")
        as_it_is = lesson.smollm2_results(f"patch The capital of {prompt} is")[0][2:]
        assert rows[10][1:3] == pytest.approx(as_it_is, abs=5e-3)  # what was patched after block 0 is little
        assert rows[10][1:3] == rows[10][3:] and rows[10][0] == 0
        assert rows[4][2] == pytest.approx(other, abs=0.005) and rows[4][3] == pytest.approx(0.15, abs=0.005)
        assert all(row[2] < 0.005 and row[3] > 0.715 for h, row in enumerate(rows[:9]) if h != 4)
        assert sum(row[0] for row in rows[:9]) == pytest.approx(rows[9][0], abs=1e-3)  # a linear layer adds
    assert [round(rows[0], 1) for rows in lesson.smollm2_results("heads The capital of France is")][4::5] == [
        3.0,
        3.5,
    ]


def test_what_was_not_recorded_is_refused_with_a_sentence():
    with pytest.raises(LookupError, match="lens 7 was not recorded; there are"):
        lesson.smollm2_results("lens 7")
