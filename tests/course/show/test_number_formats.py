"""The pictures of numbers with few bits: every number has a dot and its nearest code, every byte a box."""

import pytest
from figures import drawn, texts

from helpers.course.show.number_formats import byte_boxes, number_line

NUMBERS = [6, -3.4, 1.5, 0.6]


def test_every_number_is_joined_to_its_nearest_code():
    figure = number_line(NUMBERS, {"3 bits": 2.0, "2 bits": 6.0}, title="A row")
    lines = ["A row", "3 bits: codes 3, -2, 1, 0", "2 bits: codes 1, -1, 0, 0"]
    assert repr(figure).splitlines() == lines and all(line in figure.alt for line in lines)
    assert len(drawn(figure, "circle")) == 2 * len(NUMBERS)
    codes = [text for text in texts(figure) if text.lstrip("\u2212").isdigit()]
    assert codes == ["\u22123", "\u22122", "\u22121", "0", "1", "2", "3", "\u22121", "0", "1"]


def test_uneven_codes_have_their_own_places():
    """-4, -1, 0, 1 and 4 times 1.5, which is 6 / 4: -3.4 is nearer to -1.5 than to -6."""
    figure = number_line(NUMBERS, {"uneven": [4, 1, 0, -1, -4]})
    assert repr(figure) == "uneven: codes 4, -1, 1, 0"
    codes = [text for text in texts(figure) if text.lstrip("\u2212").isdigit()]
    assert codes == ["\u22124", "\u22121", "0", "1", "4"]


def test_every_byte_has_a_box():
    figure = byte_boxes(bytes([1, 255, 16]), {"size": 1, "rest": 2}, title="Three")
    assert repr(figure).splitlines() == ["Three", "size 1 bytes, rest 2 bytes", "01 ff 10"]
    assert {"01", "ff", "10", "size", "rest"} <= set(texts(figure))


def test_what_cannot_be_drawn_is_refused():
    for numbers, scale in ([0.0], 1.0), ([1.0], 0.0):
        with pytest.raises(ValueError, match="number_line: give a number other than 0, and scales above 0"):
            number_line(numbers, {"a": scale})
    with pytest.raises(ValueError, match="byte_boxes: data has 3 bytes"):
        byte_boxes(b"abc", {"a": 2})
