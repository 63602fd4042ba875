"""The same printed digits on every Python from 3.10 up that this machine has, without Jupyter.

In every run of the suite nbval steps through all cells on the Python of the tests.
"""

import pytest
from pythons import OPENER, STEPPERS, lines_from

from notebooks import LESSONS, NAMES

pytestmark = [pytest.mark.all_only, pytest.mark.each_alone]


@pytest.mark.parametrize("path", LESSONS, ids=NAMES)
def test_a_lesson_can_be_opened_first(path):
    """What the lessons before it would have left is recomputed."""
    assert lines_from(OPENER, "cell_runner.py", path) == []


@pytest.mark.parametrize("version", STEPPERS)
def test_every_cell_shows_the_recorded_digits(version):
    assert lines_from(version, "cell_runner.py", *LESSONS) == []
