"""The exercises by number, each lesson's in a file of its own: EXERCISES["09.a"] loads lesson_09 only.

    judge     runs a reader's function and gives a verdict
    grade     prints it
    passed    notes what the reader has passed, with the code
    overview  shows it, lesson by lesson
    exercise  what an exercise consists of
    folds     writes the solutions into the folds of the notebooks
    yours     runs the course's networks with the reader's functions in them
    own_chat  lets the chat model answer with them
    own_page  gives them to a page by name
    graphs    the same for a graph of values and for the tape
    lesson_…  solutions, unseen inputs and known mistakes; reading them gives answers away

A number ("06.1") is an exercise, a letter ("03.a") is a "Your turn" in the text.
"""

from .. import exports
from .exercise import EXERCISES, Exercises

__getattr__ = exports(__name__, {"overview": "my_progress", "own_page": "YourFunctions"})
