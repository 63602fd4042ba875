"""The hidden side of the exercises: number -> Exercise; see entry.py.

A lesson has a file of its own. A number is an exercise, a letter ("03.a") is a "Your turn" in the text.
"""

from . import lesson_00, lesson_01, lesson_02, lesson_03, lesson_04, lesson_05, lesson_06
from . import lesson_07, lesson_08, lesson_09, lesson_10, lesson_10b, lesson_11, lesson_12, lesson_12b
from . import lesson_13, lesson_13b, lesson_14, lesson_14b, lesson_14c, lesson_15, lesson_15b

LESSONS = (lesson_00, lesson_01, lesson_02, lesson_03, lesson_04, lesson_05, lesson_06,
           lesson_07, lesson_08, lesson_09, lesson_10, lesson_10b, lesson_11,
           lesson_12, lesson_12b,
           lesson_13, lesson_13b, lesson_14, lesson_14b, lesson_14c, lesson_15, lesson_15b)  # fmt: skip
EXERCISES = {number: entry for lesson in LESSONS for number, entry in lesson.EXERCISES.items()}
