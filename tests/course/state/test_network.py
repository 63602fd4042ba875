"""The network of Part I: its sizes, the order of its draws, the digits that a published notebook printed."""

import random

import pytest
from published import published_feed_forward
from tables import refuses

from helpers import gelu
from helpers.attention import attention, causal_mask, merge_heads, softmax
from helpers.course.argument_checks import shape
from helpers.course.state import network
from helpers.course.state.network import CONFIG, TARGETS, TOKENS, draw_parameters
from helpers.layers import embedding, layer_norm, linear
from helpers.matrices import add
from helpers.parameters import count_parameters

PUBLISHED = published_feed_forward()

SHAPES = {
    "E_token": (6, 16),
    "E_pos": (5, 16),
    "W_Q": (2, 8, 16),
    "W_K": (2, 8, 16),
    "W_V": (2, 8, 16),
    "W_O": (16, 16),
    "W_1": (64, 16),
    "b_1": (64,),
    "W_2": (16, 64),
    "b_2": (16,),
    "gamma": (16,),
    "beta": (16,),
    "W_lm": (6, 16),
}


def drawn_by_hand(seed=42):
    """The parameters, number after number from one stream; a head is drawn [16][8] and kept [8][16]."""
    rng = random.Random(seed)

    def numbers(n):
        return [rng.gauss(0, 0.1) for _ in range(n)]

    def rows(m, n):
        return [numbers(n) for _ in range(m)]

    def turned(m, n):
        drawn = rows(m, n)
        return [[drawn[i][o] for i in range(m)] for o in range(n)]

    drawn = {"E_token": rows(6, 16), "E_pos": rows(5, 16)}
    for name in ("W_Q", "W_K", "W_V"):
        head_0 = turned(16, 8)
        head_1 = turned(16, 8)
        drawn[name] = [head_0, head_1]
    drawn["W_O"] = rows(16, 16)
    drawn["W_1"], drawn["b_1"] = rows(64, 16), numbers(64)
    drawn["W_2"], drawn["b_2"] = rows(16, 64), numbers(16)
    drawn["gamma"], drawn["beta"] = [1.0] * 16, [0.0] * 16
    drawn["W_lm"] = rows(6, 16)
    return drawn


NAMES = list(SHAPES)


def test_the_sizes_and_the_sentence():
    assert {name: CONFIG[name] for name in "VDPHKF"} == {"V": 6, "D": 16, "P": 5, "H": 2, "K": 8, "F": 64}
    assert CONFIG["D"] == CONFIG["H"] * CONFIG["K"]
    assert CONFIG["vocabulary"] == ["<PAD>", "<BOS>", "<EOS>", "I", "like", "transformers"]
    assert [CONFIG["vocabulary"][t] for t in TOKENS] == ["<BOS>", "I", "like", "transformers", "<EOS>"]
    assert TARGETS == [3, 4, 5, 2]  # each token's successor; nothing follows <EOS>


def test_names_shapes_and_counts():
    drawn = draw_parameters(random.Random(1))
    assert list(drawn) == NAMES
    assert {name: shape(W) for name, W in drawn.items()} == SHAPES
    # 96 + 80 + 3 · 256 + 256 + 1024 + 64 + 1024 + 16 + 16 + 16 + 96
    assert count_parameters(drawn) == 3456
    feed_forward = {name: drawn[name] for name in ("W_1", "b_1", "W_2", "b_2")}
    assert count_parameters(feed_forward) == PUBLISHED["feed_forward_parameter_count"] == 2128


def test_every_weight_is_the_one_drawn_by_hand():
    assert draw_parameters(random.Random(42)) == drawn_by_hand()


def test_lessons_that_draw_one_after_the_other_get_what_one_draw_gets():
    rng, drawn = random.Random(42), {}
    for names in (
        ["E_token", "E_pos"],
        ["W_Q", "W_K", "W_V"],
        ["W_O"],
        ["W_1", "b_1", "W_2", "b_2"],
        ["gamma", "beta"],
    ):
        drawn.update(draw_parameters(rng, names))
    before = rng.getstate()
    assert draw_parameters(rng, ["gamma", "beta"]) == {"gamma": [1.0] * 16, "beta": [0.0] * 16}
    assert rng.getstate() == before  # nothing is drawn for them
    drawn.update(draw_parameters(rng, ["W_lm"]))
    assert drawn == drawn_by_hand()
    everything = random.Random(42)
    draw_parameters(everything)
    assert rng.getstate() == everything.getstate()


def forward(weights, mask=causal_mask(5), activate=gelu):
    """The network as lesson 00 writes it down, with every result by name."""
    X = add(embedding(TOKENS, weights["E_token"]), weights["E_pos"])
    projections = zip(weights["W_Q"], weights["W_K"], weights["W_V"])
    heads = [attention(linear(X, W_Q), linear(X, W_K), linear(X, W_V), mask) for W_Q, W_K, W_V in projections]
    attention_output = linear(merge_heads(heads), weights["W_O"])
    hidden = linear(attention_output, weights["W_1"], weights["b_1"])
    activated = [[activate(h) for h in row] for row in hidden]
    feed_forward_output = linear(activated, weights["W_2"], weights["b_2"])
    normed = layer_norm(add(attention_output, feed_forward_output), weights["gamma"], weights["beta"])
    probabilities = [softmax(row) for row in linear(normed, weights["W_lm"])]
    return {
        "attention_output": attention_output,
        "hidden": hidden,
        "activated": activated,
        "feed_forward_output": feed_forward_output,
        "probabilities": probabilities,
    }


def printed(row):
    return [round(x, 4) for x in row]


def test_the_published_digits():
    results = forward(draw_parameters(random.Random(42)))
    assert printed(results["attention_output"][1]) == PUBLISHED["multi_head_output_row_1"]
    assert printed(results["hidden"][0][:8]) == PUBLISHED["hidden_row_0_first_8"]
    assert printed(results["activated"][0][:4]) == PUBLISHED["activated_row_0_first_4"]
    assert [printed(row) for row in results["feed_forward_output"]] == PUBLISHED["feed_forward_output"]


def test_the_printed_zero_is_none():
    """hidden[0][0] prints 0.0000 and is 5.6468e-06."""
    assert f"{forward(draw_parameters(random.Random(42)))['hidden'][0][0]:.4e}" == "5.6468e-06"


def test_every_published_number_is_compared():
    labels = PUBLISHED["feed_forward_row_labels"]
    assert labels == [CONFIG["vocabulary"][t] for t in TOKENS]
    sizes = {name: len(values) for name, values in PUBLISHED.items() if isinstance(values, list)}
    assert sizes == {
        "gelu_table_x_relu_gelu_tanh": 7,  # compared in test_activations.py
        "multi_head_output_row_1": 16,
        "hidden_row_0_first_8": 8,
        "activated_row_0_first_4": 4,
        "feed_forward_output": 5,
        "feed_forward_row_labels": 5,
    }
    assert all(len(row) == 16 for row in PUBLISHED["feed_forward_output"])


def test_the_preview_of_lesson_00():
    """Untrained, every next token is near one in six: 0.1994 for `like` after `I`."""
    probabilities = forward(draw_parameters(random.Random(42)))["probabilities"]
    assert f"{probabilities[1][4]:.4f}" == "0.1994"
    assert all(abs(sum(row) - 1) < 1e-12 and 0.1 < min(row) and max(row) < 0.25 for row in probabilities)


def test_another_configuration_gives_other_sizes():
    small = {**CONFIG, "V": 3, "D": 4, "P": 2, "H": 1, "K": 4, "F": 5}
    drawn = draw_parameters(random.Random(42), ["E_token", "W_Q", "b_1", "gamma"], small)
    assert {name: shape(W) for name, W in drawn.items()} == {
        "E_token": (3, 4),
        "W_Q": (1, 4, 4),
        "b_1": (5,),
        "gamma": (4,),
    }


def test_draw_parameters_refuses():
    for rng in (42, None, "42"):
        refuses(draw_parameters, [rng], TypeError, f"rng is {rng!r}", "random.Random(42)")
    refuses(
        draw_parameters,
        [random.Random(1), ["E_pos", "W_q"]],
        ValueError,
        "no parameter 'W_q'",
        "E_pos, W_Q, W_K",
    )
    refuses(draw_parameters, [random.Random(1), "E_pos"], ValueError, "no parameter 'E'", "names is a list")


@pytest.mark.parametrize("name", NAMES)
def test_no_two_draws_share_a_list(name):
    """A weight that training changes in one place must not change in another."""
    one, other = (network.draw(random.Random(42), name) for _ in range(2))
    assert one == other and one is not other
    assert len({id(row) for row in one} | {id(row) for row in other}) == 2 * len(one) or not isinstance(
        one[0], list
    )
