"""Lesson 09."""

WRONG_ANSWERS = {}
