"""Whether the lessons are right about trainings that no cell runs: other seeds, longer runs, other texts.

    python tests/benchmarks/told.py                       the lessons, and what each does
    python tests/benchmarks/told.py 14                    everything of a lesson
    python tests/benchmarks/told.py 14 names              one part of it
    python tests/benchmarks/told.py 16 --seeds 1 2        rows of these seeds, compared with nothing

Some parts take a minute, the stories of lesson 18c an hour. The program stops where a
lesson says something else.
"""

import argparse
import inspect
import pathlib
import sys
from importlib import import_module

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), *map(str, HERE.parents[:2])]

LESSONS = [path.stem.removeprefix("lesson_") for path in sorted(HERE.glob("told_lessons/lesson_*.py"))]


def parts_of(lesson):
    """{name: function}"""
    module = import_module(f"told_lessons.lesson_{lesson}")
    return getattr(module, "PARTS", {"all": getattr(module, "main", None)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("lesson", nargs="?", choices=LESSONS)
    parser.add_argument("part", nargs="*", help="parts of the lesson; all if none is given")
    parser.add_argument("--seeds", type=int, nargs="+", help="for lessons 16, 17, 21, 22 and 22b")
    given = parser.parse_args()
    if not given.lesson:
        for lesson in LESSONS:
            text = (HERE / "told_lessons" / f"lesson_{lesson}.py").read_text(encoding="utf-8")
            print(lesson, " ".join(text.split('"""')[1].split("\n\n")[0].split()))
        return
    parts = parts_of(given.lesson)
    for name in given.part or parts:
        if name not in parts:
            parser.error(f"lesson {given.lesson} has the parts {', '.join(parts)}")
        if given.seeds and "seeds" not in inspect.signature(parts[name]).parameters:
            parser.error(f"lesson {given.lesson} is compared with seeds of its own")
        parts[name](*([given.seeds] if given.seeds else []))


if __name__ == "__main__":
    main()
