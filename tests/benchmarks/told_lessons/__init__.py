"""What each lesson tells of trainings that no cell of it runs: a module a lesson, with a function main.

main prints what it finds, and stops with an AssertionError where the lesson says something else. A main with
seeds takes some: then it prints their rows and compares nothing. PARTS are functions that told.py runs by
their names.
"""

from published import PUBLISHED


def told(sentence):
    print(sentence, flush=True)
    assert sentence in PUBLISHED, f"the lesson says something else: {sentence}"
