"""Lesson 08."""

WRONG_ANSWERS = {}
