"""The digits of lesson 20b, drawn and found in a picture, and its classifiers."""

import random

import pytest
from gradient_checks import derivative_at

from helpers import cut_patches, picture_forward, token_losses
from helpers.course.lessons import lesson_20b_digit_task as lesson
from helpers.course.lessons.lesson_20b_digit_task import (
    draw_digit,
    draw_digits,
    draw_placed,
    fit_digit,
    picture_scores,
    start_hidden,
    start_linear,
    start_pictures,
)


def test_digits_are_drawn_by_rule(monkeypatch):
    monkeypatch.setattr(lesson, "NOISE", 0)
    for digit in range(10):
        bare = draw_digit(digit, random.Random(digit))
        marks = {(y, x) for y, row in enumerate(bare) for x, number in enumerate(row) if number}
        assert len({number for row in bare for number in row}) == 2 and len(bare) == len(bare[0]) == 8
        top, left = min(y for y, _ in marks), min(x for _, x in marks)
        corners = {(y - top, x - left) for y, x in marks}
        font = lesson.FONT[digit].split()
        expected = {(y, x) for y, row in enumerate(font) for x, mark in enumerate(row) if mark == "#"}
        first = min(x for _, x in expected)
        assert corners == {(y, x - first) for y, x in expected}
    places = {tuple(map(tuple, draw_digit(7, random.Random(seed)))) for seed in range(100)}
    assert len({tuple(tuple(bool(x) for x in row) for row in picture) for picture in places}) == 8
    assert draw_digits(3, random.Random(1))[1] == [0, 1, 2]


def test_a_placed_digit_is_in_one_of_nine_squares(monkeypatch):
    monkeypatch.setattr(lesson, "NOISE", 0)
    places = set()
    for seed in range(60):
        picture = draw_placed(7, random.Random(seed))
        assert [len(row) for row in picture] == [24] * 24
        marks = [(y, x) for y, row in enumerate(picture) for x, ink in enumerate(row) if ink]
        assert len(marks) == lesson.FONT[7].count("#")
        [place] = {(y // 8, x // 8) for y, x in marks}
        places.add(place)
    assert len(places) == 9


def test_what_is_trained_without_attention_stays_without_it():
    start = start_pictures(random.Random(1), attention=False)
    test, name = draw_digits(1, random.Random(2)), "attn.c_proj.weight"
    settings = {**lesson.PICTURE_SETTINGS, "steps": 2, "batch": 1, "warmup_steps": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lesson, "PICTURE_SETTINGS", settings)
        after, _ = lesson.train_pictures(start, test)
    assert not any(map(any, after[name])) and not any(after["attn.c_proj.bias"])
    assert after["attn.c_attn.weight"] != start["attn.c_attn.weight"]  # by weight decay alone
    assert after["mlp.c_fc.weight"] != start["mlp.c_fc.weight"]
    picture = test[0][0]
    added = picture_forward(after, cut_patches(picture, 4), 2)["attn.output"]
    assert not any(map(any, added))


@pytest.mark.parametrize(
    "start",
    [start_linear, lambda: start_hidden(random.Random(1)), lambda: start_pictures(random.Random(1))],
    ids=["linear", "hidden", "vit"],
)
def test_the_fast_gradients_are_the_measured_ones(start):
    p, (pictures, digits) = start(), draw_digits(2, random.Random(1))
    loss, gradients = lesson.picture_gradients(p, pictures, digits)
    name = list(p)[0]

    def mean_loss(p):
        return sum(token_losses([picture_scores(p, picture) for picture in pictures], digits)) / 2

    for i, j in ((0, 0), (3, 7)):
        measured = derivative_at(mean_loss, p, name, i, j)
        assert gradients[name][i][j] == pytest.approx(measured, rel=1e-4, abs=1e-9)
    assert loss == pytest.approx(mean_loss(p), rel=1e-9)


def test_the_fast_scores_are_the_readable_ones():
    p, picture = start_pictures(random.Random(1)), draw_digit(3, random.Random(1))
    assert picture_scores(p, picture) == pytest.approx(
        picture_forward(p, cut_patches(picture, 4), 2)["scores"], rel=1e-12
    )


def page(rows, top, left, height, width, size=3, ink=1.0):
    """A white page with a digit on it, each mark a square of size times size pixels."""
    out = [[1.0] * width for _ in range(height)]
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if mark == "#":
                for i in range(size):
                    for j in range(size):
                        out[top + size * y + i][left + size * x + j] = 1 - ink
    return out


@pytest.mark.parametrize("digit", range(10))
@pytest.mark.parametrize("size, ink", [(1, 1.0), (3, 0.4), (10, 1.0)])
def test_a_digit_is_found_wherever_it_was_drawn(digit, size, ink):
    """Fitted, a digit of the font is the digit that draw_digit draws without noise."""
    font = lesson.FONT[digit].split()
    fitted = fit_digit(page(font, 4, 30, 100, 90, size, ink))
    marks = [(y, x) for y, row in enumerate(fitted) for x, number in enumerate(row) if number]
    expected = [(y, x) for y, row in enumerate(font) for x, mark in enumerate(row) if mark == "#"]
    left = min(x for _, x in marks) - min(x for _, x in expected)
    assert marks == [(y, x + left) for y, x in expected] and len(fitted) == len(fitted[0]) == 8
    assert [fitted[y][x] for y, x in marks] == pytest.approx([1.0] * len(marks))


def test_a_page_without_a_digit_is_refused():
    with pytest.raises(ValueError, match="the picture shows no digit: draw it dark on white"):
        fit_digit([[1.0] * 20 for _ in range(20)])
    with pytest.raises(ValueError, match="the digit is 5 pixels high; draw it at least 7 pixels high"):
        fit_digit(page(["#"] * 5, 3, 3, 20, 20, 1))
