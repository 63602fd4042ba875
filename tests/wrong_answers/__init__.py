"""Wrong answers that somebody might well write; every exercise must refuse its own. A file per lesson."""

import importlib
import pkgutil

NAMES = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("lesson_"))
LESSONS = [importlib.import_module(f"{__name__}.{name}") for name in NAMES]
WRONG_ANSWERS = {number: entry for lesson in LESSONS for number, entry in lesson.WRONG_ANSWERS.items()}
