"""Small pictures side by side: white is 0, black is 1."""

import pytest
from figures import drawn, texts

from helpers.course.show.picture_row import pictures_in_a_row

PICTURES = [[[0.0, 1.0], [0.5, 2.0]], [[-1.0, 0.0], [0.0, 0.0]]]


def pixels(figure):
    return [box.get("fill") for box in drawn(figure, "rect") if box.get("fill") not in ("none", "#ffffff")]


def test_each_number_is_a_pixel_as_dark_as_it_is_large():
    figure = pictures_in_a_row(PICTURES, [7, "none"], title="Two")
    assert pixels(figure) == ["#000000", "#7f7f7f", "#000000"] and {"Two", "7", "none"} <= set(texts(figure))
    assert figure.alt == "Two: 2 pictures of 2 times 2 numbers, labelled 7, none."
    assert repr(figure).splitlines()[:3] == ["7", "  @@", "==@@"]


def test_patches_are_outlined_and_labels_are_counted():
    outlined = [b for b in drawn(pictures_in_a_row(PICTURES, "ab", cut=1), "rect") if b.get("fill") == "none"]
    assert len(outlined) == 8
    with pytest.raises(ValueError, match="there are 2 pictures and 1 labels"):
        pictures_in_a_row(PICTURES, ["a"])
