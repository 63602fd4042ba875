"""Lesson 08, hidden side. Reading on gives answers away."""

EXERCISES = {}
