"""`python3 -m helpers reset`: forget saved states."""

from ..state.load_and_save import start_over
from ..state.registry import SIDE_LESSONS
from .names import find_lesson


def reset_state(options):
    """Delete a lesson's saved state and those of the later ones, or all of them."""
    lesson = options.lesson and find_lesson(options.lesson)
    start_over(SIDE_LESSONS.get(lesson, lesson))


def reset_arguments(parser):
    which = "forget this lesson and the later ones; default: all of them"
    parser.add_argument("lesson", nargs="?", metavar="LESSON", help=which)
