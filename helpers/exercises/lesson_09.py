"""Lesson 09, hidden side. Reading on gives answers away."""

EXERCISES = {}
