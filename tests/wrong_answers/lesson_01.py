"""Lesson 01 has tasks in the text and no exercises at the end."""

WRONG_ANSWERS = {}
