"""The same printed digits on every Python from 3.10 up that this machine has, without Jupyter.

In every run of the suite nbval steps through all cells on the Python of the tests, and another one opens
each lesson first that does not compute for long. All cells on all the others take minutes: they run with
--all.
"""

import pytest
from pythons import OPENER, STEPPERS, is_long, lines_from

from notebooks import LESSONS

pytestmark = pytest.mark.all_only


@pytest.mark.parametrize("version", STEPPERS)
def test_every_cell_shows_the_recorded_digits(version):
    assert lines_from(version, "cell_runner.py", *LESSONS) == []


@pytest.mark.parametrize("path", [*filter(is_long, LESSONS)], ids=lambda path: path.stem)
def test_a_long_lesson_opened_first_runs_on_its_own(path):
    assert lines_from(OPENER, "cell_runner.py", path) == []
