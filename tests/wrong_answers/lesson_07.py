"""Lesson 07."""

WRONG_ANSWERS = {}
