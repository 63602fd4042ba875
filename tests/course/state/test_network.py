"""The network of Part I: its sizes, the order of its draws, the digits that a published notebook printed."""

import random

from published import published_feed_forward
from tables import refuses

from helpers.course.argument_checks import shape
from helpers.course.state.network import CONFIG, TARGETS, TOKENS, draw_parameters
from helpers.parameters import count_parameters
from helpers.toy import toy_forward

PUBLISHED = published_feed_forward()


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


def test_the_sizes_and_the_sentence():
    assert {name: CONFIG[name] for name in "VDPHKF"} == {"V": 6, "D": 16, "P": 5, "H": 2, "K": 8, "F": 64}
    assert [CONFIG["vocabulary"][t] for t in TOKENS] == ["<BOS>", "I", "like", "transformers", "<EOS>"]
    assert CONFIG["vocabulary"][0] == "<PAD>"
    assert TARGETS == [3, 4, 5, 2]  # each token's successor; nothing follows <EOS>


def test_counts():
    drawn = draw_parameters(random.Random(1))
    # 96 + 80 + 3 · 256 + 256 + 1024 + 64 + 1024 + 16 + 16 + 16 + 96
    assert count_parameters(drawn) == 3456
    feed_forward = {name: drawn[name] for name in ("W_1", "b_1", "W_2", "b_2")}
    assert count_parameters(feed_forward) == PUBLISHED["feed_forward_parameter_count"] == 2128


def test_every_weight_is_the_one_drawn_by_hand():
    assert list(draw_parameters(random.Random(42)).items()) == list(drawn_by_hand().items())


def printed(row):
    return [round(x, 4) for x in row]


def test_the_published_digits():
    results = toy_forward(draw_parameters(random.Random(42)), TOKENS, TARGETS)
    assert printed(results["attention_output"][1]) == PUBLISHED["multi_head_output_row_1"]
    assert printed(results["hidden"][0][:8]) == PUBLISHED["hidden_row_0_first_8"]
    assert printed(results["activated"][0][:4]) == PUBLISHED["activated_row_0_first_4"]
    assert [printed(row) for row in results["feed_forward_output"]] == PUBLISHED["feed_forward_output"]
    assert f"{results['hidden'][0][0]:.4e}" == "5.6468e-06"  # and prints 0.0000
    # lesson 00's preview: every next token is near one in six
    probabilities = results["probabilities"]
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
    refuses(draw_parameters, [42], TypeError, "rng is 42", "random.Random(42)")
    refuses(draw_parameters, [random.Random(1), ["W_q"]], ValueError, "no parameter 'W_q'", "E_pos, W_Q, W_K")
    refuses(draw_parameters, [random.Random(1), "E_pos"], ValueError, "no parameter 'E'", "names is a list")
