"""What the figures that move say and show at each step, for numbers worked out by hand."""

import math
import random
import re

from figures import labels, parts

from helpers import merge_pair, toy_backward, toy_forward
from helpers.course import circuits
from helpers.course.lessons import (
    attention_in_steps,
    cache_in_steps,
    forward_and_back,
    graph_in_steps,
    merges_in_steps,
    sampling_in_steps,
    training_in_steps,
)
from helpers.course.show import heads_over_words
from helpers.course.state.network import CONFIG, SEED, TARGETS, TOKENS, draw_parameters

VOCABULARY = CONFIG["vocabulary"]


def told(figure):
    return [words for words, _ in figure.steps]


def shown(figure, step):
    """The texts of one step."""
    return [part.element.text for part in labels(figure.steps[step][1].svg())]


def test_training_shows_the_losses_and_the_probabilities_of_its_step():
    sure = {0: [1 / 6] * 6, 10: [0.0, 0.0, 0.5, 0.0, 0.5, 0.0]}
    watched = [(step, step) for step in sure]  # the parameters are the step
    history = [[2 - step / 10, 1.5, 1.0, 0.5] for step in range(10)]
    figure = training_in_steps(
        lambda p, tokens: [sure[p]] * len(tokens), watched, history, ["like", "I", "like"]
    )
    assert told(figure)[0] == (
        "After 0 training steps. Mean losses of the six sentences: first word 2.00, second word 1.50, "
        "third word 1.00, end 0.50. In this sentence, after “like I”, “like” has the probability 0.17."
    )
    same = training_in_steps(
        lambda p, tokens: [sure[0]] * len(tokens), watched, history, ["like", "I", "like"]
    )
    assert told(same)[1].endswith("probability 0.17.")  # what has not changed is not told
    assert "first word 1.10" in told(figure)[1] and told(figure)[1].endswith("probability 0.50; it was 0.17.")
    assert shown(figure, 1).count("0.50") == 8 and "after like I" in shown(figure, 1)


def test_training_can_be_watched_on_a_shorter_sentence():
    figure = training_in_steps(
        lambda p, tokens: [[1 / 6] * 6] * len(tokens), [(0, 0)], 2 * [[1.0] * 4], ["I"]
    )
    assert told(figure)[0].endswith("after “<BOS>”, “I” has the probability 0.17.")


def test_attention_has_a_step_for_each_head_position_and_training_step():
    words = ["<BOS>", "I", "like", "I", "<EOS>"]
    figure = attention_in_steps([(s, draw_parameters(random.Random(s))) for s in (1, 2, 3)], words)
    assert [len(options) for _, options in figure.data["choices"]] == [2, 4, 3]
    assert told(figure)[3].startswith("Head 0 after 1 training steps, position 1: I attends 0.5")
    assert told(figure)[-1].startswith("Head 1 after 3 training steps, position 3: I attends 0.2")
    gives = [words.partition("the probability ")[2][:4] for words in told(figure)]
    assert f"; it was {gives[1]}." in told(figure)[2] and " was " not in told(figure)[0]
    assert " weight " not in told(figure)[2]  # position 0 attends 1.00 to itself all the time
    places = [part.get("data-to") for part in parts(figure.steps[0][1].svg()) if part.get("data-press")]
    assert places == ["- - 0", "- - 1", "- - 2"]  # pressed: a step of the same head and position


def test_attention_tells_what_a_weight_was_before():
    watched = [(s, draw_parameters(random.Random(s))) for s in (1, 2, 3)]
    for _, p in watched:  # untrained weights are even: larger queries make them differ
        p["W_Q"] = [[[100 * x for x in row] for row in head] for head in p["W_Q"]]
    said = told(attention_in_steps(watched, ["<BOS>", "I", "like", "<EOS>"]))
    was = [re.search(r" The weight of (.*) \(\d\) was (.*)\.$", words) for words in said]
    assert len([found for found in was if found]) > 5
    assert all(f"{found[2]} to {found[1]}" in earlier for earlier, found in zip(said, was[1:]) if found)


def test_a_line_is_as_thick_as_its_weight():
    figure = heads_over_words({"h": [[1.0, 0.0], [0.25, 0.75]]}, ["a", "b"])
    assert told(figure) == [
        "Head h, position 0: a attends 1.00 to a.",
        "Head h, position 1: b attends 0.25 to a, 0.75 to b.",
    ]
    drawn = [part for part in parts(figure.steps[1][1].svg()) if part.kind == "path"]
    assert [float(line.get("stroke-width")) for line in drawn] == [8, 2, 6]  # a's pale line, then b's two


def test_attention_of_nothing_has_no_line_and_what_is_not_named_is_summed():
    words = list("abcdef")
    rows = [[1.0] + 5 * [0.0] for _ in words[:-1]] + [[0.3, 0.25, 0.2, 0.15, 0.1, 0.0]]
    figure = heads_over_words({"h": rows}, words)
    assert told(figure)[-1].endswith("0.30 to a, 0.25 to b, 0.20 to c, 0.15 to d, and 0.10 to the others.")
    drawn = [part for part in parts(figure.steps[-1][1].svg()) if part.kind == "path"]
    assert len(drawn) == 5 + 5  # each of the first five attends to a alone, the last to five


def test_lines_of_heads_begin_at_the_last_position_which_can_attend_to_all():
    """Position 0 can attend only to itself: a figure that begins there shows one line."""
    maps = {name: [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]] for name in ("h", "g")}
    figure = heads_over_words(maps, ["a", "b", "c"])
    assert told(figure)[figure.data["start"]].startswith("Head h, position 2: c attends 0.25 to a")


def test_a_whole_step_shows_each_activation_and_its_gradient():
    p = draw_parameters(random.Random(SEED))
    a = toy_forward(p, TOKENS, TARGETS)
    g, d = toy_backward(p, a, TOKENS, TARGETS)
    figure = forward_and_back(p, a, g, d, [VOCABULARY[t] for t in TOKENS], TARGETS)
    stations = [line.split(",")[1] for line in told(figure)]
    assert len(stations) == 28 and stations == stations[::-1] and "1.8299" in told(figure)[13]
    assert "row of <EOS> is 0" in told(figure)[15] and d["logits"][4] == [0.0] * 6
    for step, row, decimals in (
        (1, a["X"][1], 2),
        (10, a["residual"][2], 3),
        (12, a["logits"][2], 3),
        (17, d["residual"][2], 3),
    ):
        assert {f"{abs(x):.{decimals}f}" for x in row} <= {text.strip("−") for text in shown(figure, step)}
    assert "Gradients of W_O are computed here." in told(figure)[22]
    sizes = [max(abs(x) for row in d[name] for x in row) for name in ("residual", "attention_output")]
    assert {f"{round(size, 3):g}" for size in sizes} <= set(shown(figure, 15))
    places = [part.get("data-to") for part in parts(figure.steps[3][1].svg()) if part.get("data-press")]
    assert places == [str(n) for n in range(14)]  # pressed: the pointer crosses them on its way
    both = [x for head in d["weights"] for row in head for x in row]
    assert f"Values of d_weights from −{-min(both):.4f} to {max(both):.4f}; " in told(figure)[23]
    for step, values, name, decimals in ((3, a, "", 3), (24, d, "d_", 5)):  # both that its formula names
        for part in "QK":
            entries = [x for row in values[part][0] for x in row]
            span = f"from {min(entries):.{decimals}f} to {max(entries):.{decimals}f}".replace("-", "−")
            assert f"of {name}{part} of head 0 {span}" in told(figure)[step]


class Number:
    def __init__(self, data, *inputs):
        self.data, self.inputs = data, inputs


def test_gradients_arrive_one_after_another():
    """b = a·a, c = b + a, d = b·c at a = 2: d = a⁴ + a³, and its derivative 4a³ + 3a² is 44."""
    a = Number(2.0)
    b = Number(4.0, (a, 2.0), (a, 2.0))
    c = Number(6.0, (b, 1.0), (a, 1.0))
    figure = graph_in_steps({"a": a, "b": b, "c": c, "d": Number(24.0, (b, 6.0), (c, 4.0))}, "dcba")
    assert told(figure) == [
        "Forward: a = 2, b = 4, c = 6, d = 24. No gradient yet.",
        "The result d: its gradient is 1.",
        "From d to b: local derivative 6 times gradient 1 is 6; d_b = 6.",
        "From d to c: local derivative 4 times gradient 1 is 4; d_c = 4.",
        "From c to b: local derivative 1 times gradient 4 is 4; d_b = 6 + 4 = 10.",
        "From c to a: local derivative 1 times gradient 4 is 4; d_a = 4.",
        "From b to a (use 1 of 2): local derivative 2 times gradient 10 is 20; d_a = 4 + 20 = 24.",
        "From b to a (use 2 of 2): local derivative 2 times gradient 10 is 20; d_a = 24 + 20 = 44.",
    ]
    for step, uses in enumerate((0, 0, 1, 1, 1, 1, 1, 1)):  # the arrow of the step, a line and its head
        drawn = [part for part in parts(figure.steps[step][1].svg()) if part.kind == "path"]
        assert len([line for line in drawn if line.get("stroke-width") == "4"]) == 2 * uses
    assert "d_b 6" in shown(figure, 2) and not any("d_c" in text for text in shown(figure, 2))


def test_a_rule_keeps_the_tokens_that_it_allows():
    """Of 0.49, 0.3, 0.15 and 0.06, top-p 0.8 needs three; min-p 0.2 drops 0.06, less than 0.2 · 0.49."""
    logits = {"x": [math.log(p) for p in (0.06, 0.49, 0.15, 0.3)]}
    assert told(sampling_in_steps(logits, ["a", "b", "c", "d"], (1.0,))) == [
        "x: all tokens, temperature 1: 4 of 4 tokens can be drawn. b 0.49, d 0.30, c 0.15, a 0.06.",
        "x: top-k, k = 5, temperature 1: 4 of 4 tokens can be drawn. b 0.49, d 0.30, c 0.15, a 0.06.",
        "x: top-p, p = 0.8, temperature 1: 3 of 4 tokens can be drawn. b 0.52, d 0.32, c 0.16.",
        "x: min-p, p = 0.2, temperature 1: 3 of 4 tokens can be drawn. b 0.52, d 0.32, c 0.16.",
    ]
    for step, dropped in enumerate((0, 0, 1, 1)):
        assert (
            shown(sampling_in_steps(logits, ["a", "b", "c", "d"], (1.0,)), step).count("dropped") == dropped
        )


def test_the_cache_grows_by_a_row():
    figure = cache_in_steps(["x", "y"], lambda t, cached: 10 * t if cached else 10 * t * t, 3)
    assert told(figure)[1] == (
        "Token 2, “y”: with the cache one row of K and one of V are computed and 1 kept; without it "
        "2 rows of each. Multiplications in the whole block for this token: 20 with the cache, 40 without it."
    )
    fills = [part.get("fill") for part in parts(figure.steps[1][1].svg()) if part.kind == "rect"]
    assert fills[1:25] == 6 * ["#dbe4ee"] + 18 * ["#fde8d0"]  # K and V of width 3, two rows, two ways


def test_merges_are_applied_in_their_order():
    merges = [("h", "e"), ("t", "he"), ("x", "y"), ("the", "n")]
    merges = [tuple(part.encode() for part in pair) for pair in merges]
    figure = merges_in_steps("then he", str.split, merges, merge_pair)
    assert told(figure) == [
        "No merge yet: 6 bytes, each a token.",
        "Merge 1 joins h and e: 4 tokens.",
        "Merge 2 joins t and he: 3 tokens.",
        "Merge 4 joins the and n: 2 tokens.",  # a single merge is left out without a word
    ]
    assert shown(figure, 3)[-2:] == ["then", "he"] and figure.data["choices"] == [
        ["merges", ["0", "1", "2", "4"]]
    ]


def test_what_was_watched_of_the_copying_model_is_told_step_by_step():
    example = circuits.repeated_letters(random.Random(5), length=8)
    watched = [(20 * k, 2.0 - k, circuits.start_copying(k)) for k in range(2)]
    figure = circuits.copying_in_steps(watched, example)
    names = circuits.letters(example)
    start = "the loss on repeats is"
    assert told(figure)[0].startswith(f"Step 0: {start} 2.00. On {names}, head 0.0 attends")
    assert told(figure)[1].startswith(f"Step 20: {start} 1.00 (it was 2.00). On {names}, head 0.0 attends")
    before = told(figure)[0].split("head 1.1 attends ")[1][:4]
    assert f"(it was {before}) to the letter after" in told(figure)[1]
    places = [part.get("data-to") for part in parts(figure.steps[0][1].svg()) if part.get("data-press")]
    assert places == ["0", "1"]
    boxes = [
        part for part in parts(figure.steps[0][1].svg()) if part.kind == "rect" and part.get("width") == "12"
    ]
    assert len(boxes) == 4 * (8 * 9 // 2)
