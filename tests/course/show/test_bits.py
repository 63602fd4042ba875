"""The pictures of numbers with few bits: every number has a dot and its nearest code, every byte a box."""

import pytest
from tables import leaves_alone
from test_plots import coordinates_are_rounded, drawn, image, is_cut_off, place, texts

from helpers.course.show.bits import byte_boxes, number_line

NUMBERS = [6, -3.4, 1.5, 0.6]


def test_every_number_is_joined_to_its_nearest_code():
    figure = number_line(NUMBERS, {"3 bits": 2.0, "2 bits": 6.0}, title="A row")
    lines = ["A row", "3 bits: codes 3, -2, 1, 0", "2 bits: codes 1, -1, 0, 0"]
    assert repr(figure).splitlines() == lines
    assert all(line in image(figure)[0] for line in lines)
    dots = sorted({float(c.get("cx")) for c in drawn(figure, "circle")})
    assert len(drawn(figure, "circle")) == 2 * len(NUMBERS) and len(dots) == 4
    assert [t for t in texts(figure) if t.lstrip("\u2212").isdigit()] == [
        *("\u22123", "\u22122", "\u22121", "0", "1", "2", "3"),
        *("\u22121", "0", "1"),
    ]


def test_a_number_line_fits_its_picture():
    figure = number_line(
        [0.3, -0.31, 0.02], {f"{bits} bits": 0.31 / (2 ** (bits - 1) - 1) for bits in (2, 8)}
    )
    assert coordinates_are_rounded(figure) and not is_cut_off(figure)


@pytest.mark.parametrize("numbers, scales", [([0.0], {"a": 1.0}), ([1.0], {"a": 0.0})])
def test_a_line_without_length_is_refused(numbers, scales):
    with pytest.raises(ValueError, match="number_line: give a number other than 0, and scales above 0"):
        number_line(numbers, scales)


def test_every_byte_has_a_box():
    figure = byte_boxes(
        bytes([1, 255, 16]), {"size": 1, "rest": 2}, {"low": ["", 15, 0]}, title="Three bytes"
    )
    assert repr(figure).splitlines() == ["Three bytes", "size 1 bytes, rest 2 bytes", "01 ff 10", "low: 15 0"]
    boxes = [place(b) for b in drawn(figure, "rect") if b.get("height") == "26"]
    assert len(boxes) == 3 and all(a[0] + a[2] <= b[0] for a, b in zip(boxes, boxes[1:]))
    assert {"01", "ff", "10", "15", "0", "size", "rest"} <= set(texts(figure))
    assert coordinates_are_rounded(figure) and not is_cut_off(figure)


@pytest.mark.parametrize("parts, notes", [({"a": 2}, {}), ({"a": 3}, {"low": [1]})])
def test_parts_that_do_not_fit_are_refused(parts, notes):
    with pytest.raises(ValueError, match="byte_boxes: data has 3 bytes"):
        byte_boxes(b"abc", parts, notes)


def test_the_arguments_are_not_changed():
    leaves_alone(number_line, [[1.0, -2.0], {"a": 1.0}])
    leaves_alone(byte_boxes, [b"ab", {"a": 2}, {"n": [1, 2]}])
