"""The picture of a text as tokens: every token has a box, and what cannot be seen is written visibly."""

from tables import leaves_alone
from test_plots import coordinates_are_rounded, drawn, image, is_cut_off, place, texts

from helpers.course.show.tokens import token_boxes

ROWS = {
    "English": [b"The", b" cat", b"\n"],
    "signs": [b"\xe7\x8c", b"\xab", "\u732b"],
    "": ["a", "<b>", "a" * 90, "b" * 90, "cde"],
}


def boxes(figure):
    return [place(b) for b in drawn(figure, "rect") if b.get("height") == "22"]


def test_every_token_has_a_box_and_can_be_seen():
    figure = token_boxes(ROWS, title="Some tokens")
    lines = ["Some tokens", "English: The | \u2423cat | \u21b5", "signs: E7 8C | AB | \u732b"]
    assert repr(figure).splitlines()[:3] == lines and len(boxes(figure)) == 11
    alt = image(figure)[0]
    assert all(line in alt for line in lines) and "a | <b> | " in alt
    assert {"\u2423cat", "E7 8C", "AB", "\u732b", "<b>", "English"} <= set(texts(figure))


def test_no_box_lies_on_another_and_none_leaves_the_picture():
    figure = token_boxes(ROWS)
    found = boxes(figure)
    for i, (x, y, wide, high) in enumerate(found):
        assert x >= 0 and x + wide <= figure.width and y + high <= figure.height
        for other_x, other_y, other_wide, _ in found[:i]:
            assert x >= other_x + other_wide or y >= other_y + 22
    assert coordinates_are_rounded(figure) and not is_cut_off(figure)


def test_aligned_rows_have_their_boxes_below_each_other():
    rows = {"words": ["<user>", "a", "ball"], "mask": ["0", "1111", "1"]}
    above, below = boxes(token_boxes(rows, aligned=True))[:3], boxes(token_boxes(rows, aligned=True))[3:]
    assert [(x, wide) for x, _, wide, _ in above] == [(x, wide) for x, _, wide, _ in below]
    assert [wide for _, _, wide, _ in above] == [7 * 6 + 8, 7 * 4 + 8, 7 * 4 + 8]
    assert not {x for x, *_ in boxes(token_boxes(rows))[4:]} & {x for x, *_ in boxes(token_boxes(rows))[1:3]}


def test_rows_are_not_changed():
    leaves_alone(token_boxes, [{"a": [b"x", " y"]}])
