"""Lesson 11."""

WRONG_ANSWERS = {}
