"""Lesson 10."""

WRONG_ANSWERS = {}
