"""A loss on a logarithmic scale, between the losses of simpler models."""

import math

import pytest
from figures import drawn, outline, texts

from helpers.course.show.loss_with_stories import loss_with_stories

CURVE, BASELINES = [(0, 4.0), (50, 2.0), (100, 1.0)], {"uniform": 4.0, "floor": 0.5}
STORIES = {50: "mia has a hat.", 100: "the end."}


def test_each_halving_of_the_loss_is_the_same_way_down():
    figure = loss_with_stories(CURVE, BASELINES, STORIES, title="loss")
    [line] = drawn(figure, "polyline")
    (x0, y0), (x1, y1), (x2, y2) = (map(float, point.split(",")) for point in line.get("points").split())
    assert x1 - x0 == x2 - x1 and math.isclose(y1 - y0, y2 - y1, abs_tol=0.2) and y1 > y0
    uniform, floor = (outline(line)[1] for line in drawn(figure, "path"))
    assert math.isclose(uniform, y0, abs_tol=0.2) and math.isclose(floor - y2, y2 - y1, abs_tol=0.2)


def test_each_story_is_drawn_and_read_with_its_step():
    figure = loss_with_stories(CURVE, BASELINES, STORIES)
    shown = texts(figure)
    assert {"mia has a hat.", "the end.", "step 50, loss 2.00", "step 100, loss 1.00"} <= set(shown)
    assert shown.count("1") == shown.count("2") == 2  # at the curve and at the story
    assert "Step 50, loss 2.00: mia has a hat." in figure.alt


@pytest.mark.parametrize(
    "curve, baselines, stories, said",
    [
        ([], {}, {}, "at least one point"),
        ([(0, 0.0)], {}, {}, "losses above 0"),
        ([(0, 1.0)], {"floor": math.nan}, {}, "losses above 0"),
        ([(0, 1.0)], {}, {5: "a story"}, "the story of step 5 belongs to no point"),
    ],
)
def test_what_cannot_be_drawn_is_refused(curve, baselines, stories, said):
    with pytest.raises(ValueError, match=said):
        loss_with_stories(curve, baselines, stories)
