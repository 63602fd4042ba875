"""The drawn mechanisms: what they show is what happens, told by numbers small enough to do in one's head."""

import math

from figures import drawn, texts
from tables import leaves_alone, refuses

from helpers.course.show.diagrams import (
    graph,
    heads_split_and_join,
    hidden_layer_figure,
    query_meets_keys,
    residual_path,
)
from helpers.course.show.svg import ACCENT, FAINT, INK

MINUS = "\u2212"
ASKED = (
    [1.0, -2.0],
    [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]],
    [1.0, -2.0, -math.inf],
    [0.75, 0.25, 0.0],
    ["I", "<like>", "tea"],
    [[4.0, -8.0], [0.0, 8.0], [100.0, 100.0]],
)
NODES = {"a": (2.0, 6.0), "b": (3.0, 4.0), "p": (6.0, 2.0), "loss": (12.0, None)}
EDGES = [("a", "p", "\u00d7 3"), ("b", "p"), ("p", "loss")]


def lines_of(figure):
    """The lines of the text form, all of which the alternative text has, too."""
    lines = repr(figure).splitlines()
    assert all(line in figure.alt for line in lines[1:])
    return lines


def arrows(figure, colour):
    """(thickness, dashes) of the lines of one colour that are no heads."""
    found = [p for p in drawn(figure, "path") if p.get("stroke") == colour]
    return [(float(p.get("stroke-width")), p.get("stroke-dasharray")) for p in found[::2]]


def test_the_row_that_comes_back_is_the_weighted_mean_of_the_values():
    """0.75 of (4, -8) and 0.25 of (0, 8) is (3, -4). Arrows are as thick as their weights."""
    figure = query_meets_keys(*ASKED)
    assert lines_of(figure)[1:] == [
        "I: score 1.00, weight 0.75",
        "<like>: score -2.00, weight 0.25",
        "tea: score -inf, weight 0.00",
        "weighted average of the values: 3.00 -4.00",
    ]
    assert {"1.00", f"{MINUS}2.00", f"{MINUS}\u221e", "0.75", "<like>"} <= set(texts(figure))
    assert arrows(figure, INK) == arrows(figure, ACCENT) == [(3.2, None), (1.8, None)]
    assert arrows(figure, FAINT) == [(1.0, "3 3")]  # tea is masked, and nothing of it comes back


def test_what_blocks_write_adds_up_on_the_path():
    figure = residual_path([1.0, 2.0], [("attention", [10.0, -20.0]), ("feed-forward", [0.5, 0.5])])
    assert lines_of(figure) == [
        "row from 1.000 to 2.000",
        "+ attention writes from -20.000 to 10.000: row from -18.000 to 11.000",
        "+ feed-forward writes from 0.500 to 0.500: row from -17.500 to 11.500",
    ]
    assert texts(figure).count("+") == 2


def middle_of(figure, word):
    """Where a word stands."""
    (found,) = [t for t in drawn(figure, "text") if t.element.text == word]
    return float(found.get("x")), float(found.get("y"))


def test_a_graph_goes_from_left_to_right_with_values_above_and_gradients_below():
    figure = graph(NODES, EDGES)
    (ax, ay), (bx, by), (px, _), (lx, ly) = (middle_of(figure, name) for name in NODES)
    assert ax == bx < px < lx and ay < by and middle_of(figure, "12.0000")[1] < ly
    assert middle_of(figure, "2.0000")[0] == middle_of(figure, "d_a 6.0000")[0] == ax
    assert middle_of(figure, "d_a 6.0000")[1] > ay
    assert lines_of(figure)[2:] == ["p = 6.0000, d_p = 2.0000 (from a, b)", "loss = 12.0000 (from p)"]
    assert "\u00d7 3" in texts(figure)


def test_what_cannot_be_drawn_is_refused():
    for function, arguments, *words in [
        (query_meets_keys, [[1.0], [[1.0]], [1.0, 2.0], [1.0], ["I"], [[1.0]]], "one key, score, weight"),
        (heads_split_and_join, [5, 12, 64], "768; at most 128 numbers"),
        (hidden_layer_figure, [[[1.0] * 768] * 3, ("a", "b", "c")], "[768, 768, 768]", "at most 128"),
        (hidden_layer_figure, [[[1.0]] * 3, ("a", "b")], "2 names"),
        (residual_path, [[1.0, 2.0], [("block", [1.0])]], "as many numbers as the row has, 2"),
        (residual_path, [[1.0], []], "each block"),
        (graph, [NODES, [("a", "z")]], "the edge a to z", "a, b, p, loss"),
        (graph, [NODES, [("a", "b"), ("b", "a")]], "round in a circle"),
    ]:
        refuses(function, arguments, ValueError, f"{function.__name__}: ", *words)
    leaves_alone(query_meets_keys, list(ASKED))
    leaves_alone(residual_path, [[1.0, 2.0], [("block", [3.0, 4.0])]])
