"""Lesson 00: nothing stands behind it, its one stub is in the text."""

WRONG_ANSWERS = {}
