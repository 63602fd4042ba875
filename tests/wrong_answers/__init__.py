"""Wrong answers that somebody might well write; every exercise must refuse its own. A file per lesson."""

from . import lesson_00, lesson_01, lesson_02, lesson_03, lesson_04, lesson_05, lesson_06
from . import lesson_07, lesson_08, lesson_09, lesson_10, lesson_10b, lesson_11, lesson_12, lesson_12b
from . import lesson_13, lesson_13b, lesson_14, lesson_14b, lesson_14c, lesson_15, lesson_15b

LESSONS = (lesson_00, lesson_01, lesson_02, lesson_03, lesson_04, lesson_05, lesson_06,
           lesson_07, lesson_08, lesson_09, lesson_10, lesson_10b, lesson_11,
           lesson_12, lesson_12b,
           lesson_13, lesson_13b, lesson_14, lesson_14b, lesson_14c, lesson_15, lesson_15b)  # fmt: skip
WRONG_ANSWERS = {number: entry for lesson in LESSONS for number, entry in lesson.WRONG_ANSWERS.items()}
