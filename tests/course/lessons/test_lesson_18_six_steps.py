"""The model with six switches, against lesson 13's GPT, the Llama of lesson 20, and finite differences."""

import random

import pytest
from tables import assert_close

import helpers
from helpers import (
    Tape,
    count_parameters,
    dot,
    gpt_backward,
    gpt_forward,
    linear,
    llama_forward,
    rope,
    token_losses,
)
from helpers.course import engine
from helpers.course.lessons import lesson_18_six_steps
from helpers.course.lessons.lesson_18_six_steps import (
    NAMES_LOSSES,
    SIX_STEPS,
    after_steps,
    compare_steps,
    draw_model,
    gpt2_config,
    gradients_by_tape,
    loss_ranges,
    losses_in,
    model_loss,
    rope_by_halves,
    six_step_sizes,
)
from helpers.course.lessons.lesson_18_six_steps import six_step_model as model
from helpers.course.state.names_task import untrained_gpt
from helpers.finite_differences import numerical_gradient

SIZES = {"vocab_size": 7, "n_positions": 6, "n_embd": 8, "n_layer": 2, "n_head": 4, "n_inner": 9}
GPT2 = gpt2_config(SIZES)
TOKENS = [1, 4, 4, 0, 2]
NAMES = list(SIX_STEPS)


def drawn(config, seed=1):
    """Parameters in which nothing is 0 or 1: vectors, too."""
    rng = random.Random(seed)
    return {
        name: [x + rng.uniform(-0.5, 0.5) for x in value] if isinstance(value[0], float) else value
        for name, value in draw_model(config, rng, std=0.5).items()
    }


RENAMED = {
    "wte": "token_embd",
    "wpe": "position_embd",
    "ln_f": "output_norm",
    "ln_1": "attn_norm",
    "attn.c_proj": "attn_output",
    "ln_2": "ffn_norm",
    "mlp.c_fc": "ffn_up",
    "mlp.c_proj": "ffn_down",
}


def rename_gpt2(parameters):
    """The parameters of a GPT of lesson 13 under llama.cpp's names; c_attn becomes three parts."""
    found = {}
    for name, value in parameters.items():
        part, _, kind = name.rpartition(".")
        if part.startswith("h."):
            _, i, part = part.split(".", 2)
            block = f"blk.{i}."
        else:
            block = ""
        if part == "attn.c_attn":
            D = len(value) // 3
            for j, letter in enumerate("qkv"):
                found[f"{block}attn_{letter}.{kind}"] = value[j * D : (j + 1) * D]
        else:
            found[f"{block}{RENAMED[part]}.{kind}"] = value
    return found


def test_no_step_is_the_gpt_of_lesson_13():
    gpt = untrained_gpt([*"abcdefg"], SIZES)
    rng = random.Random(2)
    parameters = helpers.tree_map(lambda row: [x + rng.uniform(-0.5, 0.5) for x in row], gpt["parameters"])
    activations = gpt_forward(gpt["config"], parameters, TOKENS[:-1], TOKENS[1:])
    p = rename_gpt2(parameters)
    assert_close(model(helpers, GPT2, p, TOKENS[:-1]), activations["logits"])
    assert {name: [len(v), len(v[0])] if isinstance(v[0], list) else [len(v)] for name, v in p.items()} == (
        six_step_sizes(GPT2)
    )
    expected = rename_gpt2(gpt_backward(gpt["config"], parameters, activations, TOKENS[:-1], TOKENS[1:]))
    losses, gradients = gradients_by_tape(GPT2, p, TOKENS)
    assert_close(losses, activations["losses"])
    assert gradients.keys() == expected.keys()
    assert_close([gradients[name] for name in p], [expected[name] for name in p], within=1e-11)
    # a bias of the keys adds the same number to all scores of a query, and softmax does not notice
    assert all(abs(g) < 1e-12 for i in range(2) for g in gradients[f"blk.{i}.attn_k.bias"])


def test_all_steps_are_the_llama_of_lesson_20():
    for G in (1, 2, 4):
        config = {**after_steps(GPT2, NAMES), "n_kv_head": G}
        p = drawn(config)
        vectors, _ = llama_forward(
            {**config, "eps": 1e-5}, {n: v for n, v in p.items() if n != "output.weight"}, TOKENS
        )
        assert_close(model(helpers, config, p, TOKENS), linear(vectors, p["output.weight"]))


@pytest.mark.parametrize("n", (3, 6))
def test_the_gradients_after_some_steps_are_the_measured_ones(n):
    """Without a step they are those of lesson 13."""
    small = gpt2_config({**SIZES, "n_layer": 1, "n_embd": 4, "n_head": 2, "n_inner": 3})
    config = after_steps(small, NAMES[:n])
    p = drawn(config, seed=n)

    def loss(p):
        losses = token_losses(model(helpers, config, p, TOKENS[:-1]), TOKENS[1:])
        return sum(losses) / len(losses)

    measured = numerical_gradient(loss, p)
    _, gradients = gradients_by_tape(config, p, TOKENS)
    assert_close([gradients[name] for name in p], [measured[name] for name in p], within=1e-6)


def test_the_fast_tape_gives_the_tape_s_gradients():
    config = {**after_steps(GPT2, NAMES), "n_kv_head": 2}
    p = drawn(config)
    tape = Tape()
    nodes = tape.watch(p)
    tape.backward(tape.cross_entropy(model(tape, config, nodes, TOKENS[:-1]), TOKENS[1:]))
    expected = tape.gradients(nodes)
    _, found = gradients_by_tape(config, p, TOKENS)
    for name in p:
        assert_close([found[name]], [expected[name]], within=1e-12)
    assert engine.faster()["OPERATIONS"].keys() == helpers.OPERATIONS.keys()


def test_the_counts_of_the_steps_by_hand():
    sizes = {"vocab_size": 29, "n_positions": 13, "n_embd": 16, "n_layer": 1, "n_head": 2, "n_inner": 64}
    config = gpt2_config(sizes)
    models = [draw_model(after_steps(config, NAMES[:n]), random.Random(1)) for n in range(7)]
    counts = [count_parameters(model) for model in models]
    # biases 4·16 + 64 + 16; shifts 3·16; 3·43·16 for 2·64·16; 13·16 positions; 2·8·16; 29·16
    steps = [-144, -48, 16, -208, -256, 464]
    assert counts[0] == 3984 and [b - a for a, b in zip(counts, counts[1:])] == steps
    rows = compare_steps(config)[:-1]
    assert [row[1] for row in rows] == counts and [row[2] for row in rows] == [32] * 5 + [16] * 2


def test_rope_by_halves_is_rope_with_the_rows_reordered():
    rng = random.Random(5)
    q, k = ([rng.gauss(0, 1) for _ in range(8)] for _ in "qk")

    def neighbours(row):
        return [row[i // 2 + 4 * (i % 2)] for i in range(8)]

    one = dot(*rope_by_halves([q, k], [7, 4], 100.0))
    assert one == pytest.approx(dot(*rope([neighbours(q), neighbours(k)], [7, 4], 100.0)), rel=1e-12)
    assert abs(one - dot(*rope([q, k], [7, 4], 100.0))) > 1e-3


def test_moved_text_has_the_same_loss_with_rope_and_without_positions():
    documents = [[1, 3, 5, 2], [1, 4, 4, 6, 2]]
    for position in ("rope", "none", "learned"):
        config = {**GPT2, "position": position}
        p = drawn(config)
        near, far = (model_loss(config, p, documents, first) for first in (0, 2))
        assert (abs(near - far) < 1e-12) == (position != "learned")


def test_a_figure_of_ranges_says_mean_lowest_and_highest():
    figure = loss_ranges(losses_in("A: 0.25 0.5 0.75\nB, more: 1 2"), "two models", decimals=2)
    assert repr(figure) == "two models\nA: mean 0.50, 0.25 to 0.75\nB, more: mean 1.50, 1.00 to 2.00"
    assert figure.svg().count("<circle") == 5 and "B, more: mean 1.50" in figure.alt


def test_a_step_differs_by_the_mean_of_its_differences(monkeypatch):
    """By hand: the differences 2, 6, 6 and 6 have the mean 5, and 1 is its standard error."""
    config = gpt2_config(
        {"vocab_size": 9, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 6}
    )
    losses = {name: [1.0, 2.0, 3.0, 4.0] for name in ["GPT-2", *NAMES]} | {NAMES[5]: [3.0, 8.0, 9.0, 10.0]}
    monkeypatch.setattr(lesson_18_six_steps, "NAMES_LOSSES", losses)
    rows = compare_steps(config)
    assert rows[0][3:] == [2.5, ""] and rows[5][3:] == [2.5, "0.0000 ± 0.0000"]
    assert rows[6][0] == "6 own output matrix" and rows[6][3:] == [7.5, "5.0000 ± 1.0000"]
    assert rows[7] == ["1 to 6, from GPT-2", *rows[6][1:]]


def test_every_model_has_a_loss_for_each_seed():
    assert [*NAMES_LOSSES][:7] == ["GPT-2", *NAMES]
    assert {len(losses) for losses in NAMES_LOSSES.values()} == {15}
