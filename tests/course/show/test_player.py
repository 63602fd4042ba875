"""Figures that move: every step comes out as it was drawn, and without a script the still figure is left."""

import json
import random
import re

import pytest
from figures import IMAGE, MOVING, image, moving_steps, parts

from helpers.course.show import curves, heat_map, moving, product_in_steps, stack
from helpers.course.show.player import MAX_BYTES, PLAYER, target
from helpers.course.show.svg import Figure

RNG = random.Random(3)


def noise(m, n):
    return [[RNG.gauss(0, 1) for _ in range(n)] for _ in range(m)]


LINE = {"a < b": [(0, 0.0), (1, 2.0), (2, 1.0)]}
STEPS = {
    "one": [heat_map([[1.0]])],
    "the same twice": [heat_map([[1.0, 2.0]])] * 2,
    "other numbers": [heat_map(noise(3, 4), full=3) for _ in range(9)],
    "other shapes": [
        heat_map(noise(m, n), title="Zoë & “co” <b>") for m, n in ((1, 9), (5, 2), (3, 3), (1, 9))
    ],
    "other kinds": [curves(LINE, "T", cursor=1), heat_map([[0.0]]), stack(heat_map([[1]]), heat_map([[2]]))],
}


@pytest.mark.parametrize("figures", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("still", [None, curves(LINE, "another")], ids=["the last", "another"])
def test_a_reader_gets_every_step_as_it_was_drawn(figures, still):
    words = [f"{i}: 1 < 2 & “{i}”" for i in range(len(figures))]
    (steps,) = moving_steps(moving(zip(words, figures), still=still)._repr_html_())
    assert [(step.words, step.image.svg) for step in steps] == list(zip(words, (f.svg() for f in figures)))


def test_without_a_script_the_still_figure_and_the_words_are_left():
    figure = moving([("one", heat_map([[1]])), ("two <b>", heat_map([[2]], title="T"))], still=curves(LINE))
    page = re.sub(r"(?s)<script.*?</script>", "", figure._repr_html_())  # what JupyterLab and GitHub do
    assert IMAGE.search(page)[0] == curves(LINE)._repr_html_()
    assert "<ol><li>one</li><li>two &lt;b&gt;</li></ol>" in page and "<svg" not in page
    assert repr(figure) == repr(curves(LINE)) + "\n\nThe steps in words:\none\ntwo <b>"


def test_the_script_is_the_same_in_every_figure():
    found = [MOVING.fullmatch(moving([("a", f[0])])._repr_html_()) for f in STEPS.values()]
    assert {match[4] for match in found} == {PLAYER} and "</script" not in PLAYER


def test_choices_are_told_in_order_the_last_one_fastest():
    figures = [(f"{a}{b}", heat_map([[a + b]])) for a in (1, 2) for b in (3, 4, 5)]
    told = MOVING.fullmatch(moving(figures, {"a": (1, 2), "b": (3, 4, 5)}, pause=5)._repr_html_())[3]
    assert json.loads(told)["choices"] == [["a", ["1", "2"]], ["b", ["3", "4", "5"]]]
    assert json.loads(told)["pause"] == 5


def test_a_reader_starts_where_the_figure_says():
    steps = [(f"step {i}", heat_map([[i]])) for i in range(3)]
    assert json.loads(MOVING.fullmatch(moving(steps)._repr_html_())[3])["start"] == 0
    assert json.loads(MOVING.fullmatch(moving(steps, start=2)._repr_html_())[3])["start"] == 2


def test_what_cannot_be_shown_is_refused():
    one = [("a", heat_map([[1]]))]
    with pytest.raises(ValueError, match="1 steps, and 2 of x; give one step for each combination"):
        moving(one, {"x": (1, 2)})
    with pytest.raises(ValueError, match="0 steps"):
        moving([])
    wide = moving([(str(i), heat_map(noise(64, 64), numbers=False)) for i in range(3)])
    with pytest.raises(ValueError, match=f"at most {MAX_BYTES:,} are shown: give fewer or smaller steps"):
        wide._repr_html_()


def test_what_is_pointed_at_is_an_area_that_cannot_be_seen():
    area = parts(Figure(9, 9, target(1, 2, 3, 4, 0, None), "", "").svg())[1]
    assert (area.get("data-to"), area.get("fill"), area.get("pointer-events")) == ("0 -", "none", "all")


def test_a_product_by_hand():
    figure = product_in_steps([[1, -2]], [[5, 0.5], [7, -8]], ["r"], ["s", "t"], decimals=1)
    words = [words for words, _ in figure.steps]
    assert words == [
        "Row r, column s: 1.0·5.0 + (−2.0)·7.0 = −9.0.",
        "Row r, column t: 1.0·0.5 + (−2.0)·(−8.0) = 16.5.",
    ]
    first, shown = (
        [part.element.text for part in parts(step.svg()) if part.kind == "text"] for _, step in figure.steps
    )
    assert first.count("?") == 1 and shown.count("?") == 0  # an entry that is still to come
    assert {"0.5", "16.0", "sum", "16.5", "row r of A", "column t of B", "products"} <= set(shown)
    assert image(figure.still).alt.startswith("A matrix product, A times B. A·B: row r and column t;")
    places = [part.get("data-to") for part in parts(figure.steps[0][1].svg()) if part.get("data-to")]
    assert places == ["0", "1"]


@pytest.mark.parametrize(
    "A, full, key",
    [
        ([[1, 2] * 4], 50, "orange is above 0, full colour is 50"),
        ([[-1, 2] * 4], 9, "orange is above 0, blue below; full colour is 9"),
        ([[-1, 2]], 9, "blue: the row of A; orange: the column of B"),
    ],
)
def test_the_key_of_a_product_names_the_colours_and_digits_that_it_uses(A, full, key):
    figure = product_in_steps(A, [[5], [7]] * (len(A[0]) // 2), full=full)
    assert key in [part.element.text for part in parts(figure.still.svg()) if part.kind == "text"]


def test_what_is_pressed_is_not_changed_by_a_pointer_that_passes():
    area = parts(Figure(9, 9, target(1, 2, 3, 4, 5, press=True), "", "").svg())[1]
    assert (area.get("data-to"), area.get("data-press")) == ("5", "1") and '"press" in to.dataset' in PLAYER
