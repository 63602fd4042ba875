"""What update.js needs to know of the lessons: the edition of each, its cells, and the exercises."""

import hashlib
import json

from ...models.smollm2 import FILE_BYTES, FILE_NAME
from ..answers import exercises, page_text, sources
from ..fetch import FILE_SHA256


def fnv(text):
    """FNV-1a in 32 bits, as in update.js."""
    found = 0x811C9DC5
    for byte in text.encode("utf-8"):
        found = (found ^ byte) * 0x01000193 & 0xFFFFFFFF
    return found


def edition(page):
    return hashlib.sha256(json.dumps(sources(page)).encode("utf-8")).hexdigest()[:12]


def with_edition(page):
    """A notebook as the tab gets it: a page that a reader keeps says from which edition it came."""
    cells = [fnv(kind + text) for kind, text in sources(page) if text]
    page["metadata"]["sixteen"] = {"edition": edition(page), "cells": cells}
    return page_text(page).encode("utf-8")


def course_index(pages):
    """The edition of each lesson, the exercises, and which lessons call the chat model."""

    def calls_smollm2(page):
        return any(kind == "code" and "smollm2." in text for kind, text in sources(page))

    return {
        "editions": {lesson: edition(page) for lesson, page in pages.items()},
        "exercises": [[place.number, place.name, place.lesson] for place in exercises(pages)],
        "chat": {
            "lessons": [lesson for lesson, page in pages.items() if calls_smollm2(page)],
            "name": FILE_NAME,
            "bytes": FILE_BYTES,
            "sha256": FILE_SHA256,
        },
    }
