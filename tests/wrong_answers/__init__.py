"""Wrong answers that somebody might well write; every exercise must refuse its own. A file per lesson."""

from . import lesson_00, lesson_01

WRONG_ANSWERS = {**lesson_00.WRONG_ANSWERS, **lesson_01.WRONG_ANSWERS}
