"""The drawn mechanisms: what they show is what happens, told by numbers small enough to do in one's head."""

import html
import math
import re

from tables import leaves_alone, refuses
from test_plots import ACCENT, INF, MINUS, coordinates_are_rounded, drawn, image, is_cut_off, place, texts

from helpers.course.show import diagrams
from helpers.course.show.diagrams import (
    PALE,
    column,
    gradients_meet,
    graph,
    heads_split_and_join,
    hidden_layer_figure,
    query_meets_keys,
    residual_path,
    strip,
    three_ways,
)

ASKED = (
    [1.0, -2.0],
    [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]],
    [1.0, -2.0, -INF],
    [0.75, 0.25, 0.0],
    ["I", "<like>", "tea"],
    [[4.0, -8.0], [0.0, 8.0], [100.0, 100.0]],
)
NODES = {"a": (2.0, 6.0), "b": (3.0, 4.0), "p": (6.0, 2.0), "loss": (12.0, 1.0)}
EDGES = [("a", "p", "\u00d7 3"), ("b", "p"), ("p", "loss")]
THIRD = 1 / 3

FIGURES = [
    lambda nudge: query_meets_keys(*ASKED[:2], [nudge * 2 / 7, -2.0, -INF], *ASKED[3:]),
    lambda nudge: query_meets_keys(
        *ASKED[:3], [nudge * 2 / 7, 5 / 7, 0.0], ASKED[4], asker="who & what", title="a < b"
    ),
    lambda nudge: heads_split_and_join(5, 2, 8),
    lambda nudge: heads_split_and_join(3, 3, 5, ["<a>", "b", "c"], "Three"),
    lambda nudge: hidden_layer_figure(),
    lambda nudge: hidden_layer_figure(
        (2, 5, 3), [[nudge * THIRD, -1.0], [0.1] * 5, [0.0] * 3], ("<in>", "b", "c"), title="T"
    ),
    lambda nudge: residual_path(
        [nudge * THIRD, -1.0], [("feed & forward", [THIRD, 2.0]), ("b", [1, -1])], "T"
    ),
    lambda nudge: gradients_meet({"d_a": nudge * THIRD, "<d_b>": -1e-9}, title="T"),
    lambda nudge: three_ways(title="T"),
    lambda nudge: graph({**NODES, "a": (nudge * THIRD, None)}, EDGES, "T"),
]


def test_each_is_one_image_with_words_and_rounded_coordinates():
    for draw in FIGURES:
        figure = draw(1)
        alt, _, svg = image(figure)
        assert coordinates_are_rounded(figure) and not is_cut_off(figure)
        assert len(alt) > 20 and len(repr(figure)) > 20 and "<text" not in repr(figure)
        assert float(min(t.get("font-size") for t in drawn(figure, "text"))) >= 10
        assert image(draw(1 + 2**-52)) == (alt, image(figure)[1], svg) and repr(draw(1 + 2**-52)) == repr(
            figure
        )


def test_arguments_are_not_changed():
    leaves_alone(query_meets_keys, list(ASKED))
    leaves_alone(residual_path, [[1.0, 2.0], [("block", [3.0, 4.0])]])
    leaves_alone(gradients_meet, [{"d_a": 1.0}])
    leaves_alone(graph, [dict(NODES), list(EDGES)])


def arrows(figure, colour):
    """(thickness, dashes) of the lines of one colour that are no heads."""
    found = [p for p in drawn(figure, "path") if p.get("stroke") == colour]
    return [(float(p.get("stroke-width")), p.get("stroke-dasharray")) for p in found[::2]]


def test_the_row_that_comes_back_is_the_weighted_mean_of_the_values():
    """0.75 of (4, -8) and 0.25 of (0, 8) is (3, -4)."""
    figure = query_meets_keys(*ASKED)
    lines = repr(figure).splitlines()
    assert lines[1:] == [
        "I: score 1.00, weight 0.75",
        "<like>: score -2.00, weight 0.25",
        "tea: score -inf, weight 0.00",
        "weighted average of the values: 3.00 -4.00",
    ]
    assert all(line in image(figure)[0] for line in lines[1:])
    assert {"1.00", f"{MINUS}2.00", f"{MINUS}\u221e", "0.75", "<like>"} <= set(texts(figure))


def test_arrows_are_as_thick_as_their_weight_and_a_hidden_key_has_a_dashed_one():
    figure = query_meets_keys(*ASKED)
    assert arrows(figure, diagrams.INK) == [(round(1 + 3 * 0.75, 1), None), (1.8, None)]
    assert arrows(figure, diagrams.FAINT) == [(1.0, "3 3")]
    assert arrows(figure, ACCENT) == [
        (round(1 + 3 * 0.75, 1), None),
        (1.8, None),
    ]  # nothing of tea flows back
    bars = [place(b)[2] for b in drawn(figure, "rect") if b.get("fill") == ACCENT]
    assert bars == [45, 15, 0]


def test_signs_are_shown_by_more_than_colour():
    for draw in (lambda row: strip(0, 20, row, 2), lambda row: column(0, 20, row, 2, 12)):
        boxes, marks = (
            len(re.findall(pattern, draw([1.0, -2.0, 0.0, -1e-9]))) for pattern in ("#c5ccd3", 'height="1"')
        )
        assert (boxes, marks) == (4, 2)


def test_a_hidden_layer_figure_has_a_box_for_each_number():
    figure = hidden_layer_figure((2, 4, 1), [[0.5, -0.5], [1.0, 2.0, 3.0, -4.0], [0.25]])
    found = [b for b in drawn(figure, "rect") if b.get("stroke") == "#c5ccd3"]
    assert len(found) == 2 + 4 + 1
    across = [place(b)[0] for b in found]
    assert [across.count(x) for x in sorted(set(across))] == [2, 4, 1]
    assert repr(figure).splitlines() == [
        "in [2] from -0.500 to 0.500",
        "hidden [4] from -4.000 to 3.000",
        "out [1] from 0.250 to 0.250",
    ]


def test_what_blocks_write_adds_up_on_the_path():
    figure = residual_path([1.0, 2.0], [("attention", [10.0, -20.0]), ("feed-forward", [0.5, 0.5])])
    assert repr(figure).splitlines() == [
        "row from 1.000 to 2.000",
        "+ attention writes from -20.000 to 10.000: row from -18.000 to 11.000",
        "+ feed-forward writes from 0.500 to 0.500: row from -17.500 to 11.500",
    ]
    assert texts(figure).count("+") == 2 and {"attention", "feed-forward"} <= set(texts(figure))


def test_gradients_add_up_where_they_meet():
    figure = gradients_meet({"d_Q": 1.0, "d_K": -0.5, "d_V": 5.0}, total="d_X", decimals=2)
    assert repr(figure) == "d_X (5.50) = d_Q (1.00) + d_K (-0.50) + d_V (5.00)"
    assert {"d_X", "5.50", "d_Q", "1.00", f"{MINUS}0.50"} <= set(texts(figure)) and repr(figure) in image(
        figure
    )[0]
    assert len(arrows(figure, diagrams.FAINT)) == 3


def test_three_ways_one_reaches_one_and_two_reach_all():
    figure = three_ways(n=6, j=1)
    assert len(arrows(figure, ACCENT)) == 1
    assert [len(arrows(figure, colour)) for colour in ("#1f66ac", "#7b3294")] == [1 + 6, 1 + 6]
    outlined = [b for b in drawn(figure, "rect") if b.get("stroke") == ACCENT]
    assert len(outlined) == 1
    assert {f"{MINUS}1/D", f"{MINUS}z_i\u00b7z_j/D", "the mean", "the standard deviation", "x_j"} <= set(
        texts(figure)
    )
    other = three_ways([("a", "1"), ("b", "2"), ("c", "3")], "y_k", "w", note="as it is")
    assert repr(other).splitlines() == ["y_k reaches w", "a: 1", "b: 2", "c: 3", "as it is"]


def test_heads_are_parts_of_the_row_they_are_joined_into():
    figure = heads_split_and_join(5, 2, 8)
    heights = {}
    for b in drawn(figure, "rect")[1:]:
        if b.get("fill") != PALE:
            heights.setdefault(place(b)[0], []).append(place(b)[3])
    assert list(map(len, map(heights.get, sorted(heights)))) == [1, 2, 2, 1]  # X, heads, concat, output
    tall = heights[24][0]
    assert all(part == tall / 2 for x in (360, 500) for part in heights[x])
    assert "head 0 [5][8], head 1 [5][8] -> concat [5][16] -> W_O [16][16]" in repr(figure)


def middle_of(figure, word):
    """Where a word stands."""
    (found,) = [(float(t.get("x")), float(t.get("y"))) for t in drawn(figure, "text") if t.text == word]
    return found


def test_a_graph_goes_from_left_to_right_with_values_above_and_gradients_below():
    figure = graph(NODES, EDGES)
    (ax, ay), (bx, by), (px, _), (lx, ly) = (middle_of(figure, name) for name in NODES)
    assert ax == bx < px < lx and ay < by
    assert middle_of(figure, "12.0000")[1] < ly < middle_of(figure, "d_loss 1.0000")[1]
    assert middle_of(figure, "2.0000")[0] == ax and middle_of(figure, "d_a 6.0000")[0] == ax
    assert repr(figure).splitlines()[2] == "p = 6.0000, d_p = 2.0000 (from a, b)"
    assert "\u00d7 3" in texts(figure)


def test_a_node_stands_right_of_all_that_lead_to_it():
    figure = graph(dict.fromkeys("acdb", (None, None)), [("a", "b"), ("a", "c"), ("c", "d"), ("d", "b")])
    order = [middle_of(figure, name)[0] for name in "acdb"]
    assert order == sorted(set(order))
    assert repr(figure).splitlines()[0] == "a"


def test_an_edge_past_a_node_goes_around_it():
    edges = [("a", "b"), ("b", "c", "to c"), ("c", "d"), ("a", "c", "over"), ("b", "d", "under")]
    figure = graph(dict.fromkeys("abcd", (None, None)), edges)
    line = middle_of(figure, "b")[1]
    over, under = (middle_of(figure, words)[1] - line for words in ("over", "under"))
    assert over < -28 < middle_of(figure, "to c")[1] - line < 28 < under


def test_what_cannot_be_drawn_is_refused():
    for function, arguments, *words in [
        (query_meets_keys, [[1.0], [[1.0]], [1.0, 2.0], [1.0], ["I"]], "one key, score, weight, label"),
        (heads_split_and_join, [5, 2, 8, ["one"]], "2 heads, 1 names"),
        (heads_split_and_join, [5, 12, 64], "at most 128 numbers"),
        (hidden_layer_figure, [(768, 3072, 768)], "(768, 3072, 768)", "at most 128"),
        (hidden_layer_figure, [(2, 3, 2), [[1, 2], [1, 2], [1, 2]]], "values has so many numbers each"),
        (hidden_layer_figure, [(2, 3)], "2 sizes, 3 names, 2 links"),
        (residual_path, [[1.0, 2.0], [("block", [1.0])]], "as many numbers as the row has, 2"),
        (residual_path, [[1.0], []], "each block"),
        (gradients_meet, [{}], "paths is empty"),
        (three_ways, [[("a", "b")]], "1 ways"),
        (graph, [NODES, [("a", "z")]], "the edge a to z", "a, b, p, loss"),
        (graph, [NODES, [("a", "b"), ("b", "a")]], "round in a circle"),
    ]:
        refuses(function, arguments, ValueError, f"{function.__name__}: ", *words)


def test_titles_and_labels_are_escaped():
    assert (
        "<like>" in texts(query_meets_keys(*ASKED)) and "&lt;like&gt;" in image(query_meets_keys(*ASKED))[2]
    )
    assert html.unescape("&lt;d_b&gt;") in texts(gradients_meet({"<d_b>": 1.0}))
    assert math.isfinite(middle_of(graph({"<x>": (1.0, None)}, []), "<x>")[0])
