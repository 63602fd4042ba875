"""`python3 -m helpers reset`: forget saved states, or the exercises that were passed."""

from ..exercises.overview import lesson_list
from ..exercises.passed import forget_passes
from ..show.display import pluralized
from ..state.load_and_save import start_over
from ..state.registry import SIDE_LESSONS, notebook_paths
from .names import NOTEBOOKS, find_lesson


def reset_state(options):
    """Delete a lesson's saved state and those of the later ones, or all of them."""
    lesson = options.lesson and find_lesson(options.lesson)
    if options.progress:
        return forget_from(lesson)
    start_over(SIDE_LESSONS.get(lesson, lesson))


def forget_from(lesson):
    """Forget the passed exercises of a lesson and of the later ones, or all of them."""
    paths = notebook_paths(NOTEBOOKS)
    earlier = [path for path in paths if lesson and path.stem < lesson]
    kept = {number for *_, numbers in lesson_list(earlier) for number in numbers}
    removed = forget_passes(kept)
    print(f"Forgot {pluralized(removed, 'passed exercise')}. The notebooks stay as they are.")


def reset_arguments(parser):
    which = "forget this lesson and the later ones; default: all of them"
    parser.add_argument("lesson", nargs="?", metavar="LESSON", help=which)
    passed = "forget which exercises you have passed, and keep the states"
    parser.add_argument("--progress", action="store_true", help=passed)
