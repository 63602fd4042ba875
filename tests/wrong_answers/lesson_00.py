"""Lesson 00 has one task, in the text; it has no exercises."""

WRONG_ANSWERS = {}
