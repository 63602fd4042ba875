"""The picture of a text as tokens: every token has a box, and what cannot be seen is written visibly."""

from figures import drawn, outline, overlap, texts

from helpers.course.show.tokens import token_boxes

ROWS = {
    "English": [b"The", b" cat", b"\n"],
    "signs": [b"\xe7\x8c", b"\xab", "\u732b"],
    "": ["a", "<b>", "a" * 90, "b" * 90, "cde"],
}


def boxes(figure):
    return [outline(box) for box in drawn(figure, "rect") if box.get("height") == "22"]


def test_a_new_token_has_a_thick_edge():
    figure = token_boxes({"": [b"t", b"he", b"he"]}, new=b"he")
    edges = [box.get("stroke-width") for box in drawn(figure, "rect") if box.get("height") == "22"]
    assert edges == ["1", "3", "3"]


def test_every_token_has_a_box_and_can_be_seen():
    figure = token_boxes(ROWS, title="Some tokens")
    lines = ["Some tokens", "English: The | \u2423cat | \u21b5", "signs: E7 8C | AB | \u732b"]
    assert repr(figure).splitlines()[:3] == lines and all(line in figure.alt for line in lines)
    assert {"\u2423cat", "E7 8C", "AB", "\u732b", "<b>", "English"} <= set(texts(figure))
    found = boxes(figure)
    assert len(found) == 11 and all(right <= figure.width for _, _, right, _ in found)
    assert not any(overlap(one, other) for i, one in enumerate(found) for other in found[:i])
