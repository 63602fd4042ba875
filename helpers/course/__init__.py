"""What makes the notebooks work. Four rooms; a room imports only from the rooms after it.

    commands    what `python3 -m helpers COMMAND` does: open, test, run, show, train, say, models,
                fetch, chat,
                grade, site, reset
    exercises   the grader, and for each lesson its answers, unseen inputs and known mistakes
    lessons     the list of lessons, their networks and texts, their state, training, reading of files
    show        what a lesson displays: tables, figures, progress, comparisons; it knows no lesson

All rooms import from the mathematics in helpers/, which imports from none of them.
argument_checks.py stands outside the rooms: helpers/__init__.py wraps the public functions with it.

Where does a new thing belong? A function that a reader may copy: helpers/. A new picture: show. A new
lesson's sizes, text or state: lessons. What judges a reader's function: exercises. What starts a program:
commands.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # the project's folder
